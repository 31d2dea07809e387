//! The shared library of an instance: where it is, what it weighs.

use std::fs;
use std::path::{Path, PathBuf};

use ngcc_evidence::Library;
use object::read::elf::{ElfFile64, ProgramHeader as _};
use object::{Endianness, elf};
use sha2::{Digest as _, Sha256};

/// Largest library that is read, bytes.
const MAX_LIBRARY: u64 = 512 << 20;

/// Why a library could not be weighed.
#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    /// It is neither beside the executable nor in its `deps` folder.
    #[error("{file} is neither beside the executable nor in its deps folder; `cargo build` makes it")]
    Missing {
        /// The file name.
        file: String,
    },
    /// It cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The library.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
    /// It is not a 64-bit ELF file of sane size.
    #[error("{} is not a 64-bit ELF library of at most {MAX_LIBRARY} bytes: {reason}", path.display())]
    Malformed {
        /// The library.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Finds `lib<stem>.so` beside this executable or in its `deps` folder, and weighs it.
///
/// # Errors
/// [`ElfError`].
pub fn library(stem: &str) -> Result<Library, ElfError> {
    let file = format!("lib{stem}.so");
    let path = std::env::current_exe()
        .ok()
        .and_then(|exe| {
            let folder = exe.parent()?;
            [folder.join(&file), folder.join("deps").join(&file)].into_iter().find(|path| path.is_file())
        })
        .ok_or_else(|| ElfError::Missing { file: file.clone() })?;
    weigh(&path, file)
}

fn weigh(path: &Path, file: String) -> Result<Library, ElfError> {
    let unreadable = |reason| ElfError::Unreadable { path: path.to_owned(), reason };
    let malformed = |reason: String| ElfError::Malformed { path: path.to_owned(), reason };
    let length = fs::metadata(path).map_err(unreadable)?.len();
    if length > MAX_LIBRARY {
        return Err(malformed(format!("it has {length} bytes")));
    }
    let data = fs::read(path).map_err(unreadable)?;
    let elf_load_bytes = load_bytes(&data).map_err(malformed)?;
    Ok(Library { file, sha256: hex::encode(Sha256::digest(&data)), elf_load_bytes })
}

/// Sum of the memory sizes of the loadable segments, bytes.
fn load_bytes(data: &[u8]) -> Result<u64, String> {
    let file = ElfFile64::<Endianness>::parse(data).map_err(|e| e.to_string())?;
    let endian = file.endian();
    let mut sum = 0u64;
    for segment in file.elf_program_headers() {
        if segment.p_type(endian) == elf::PT_LOAD {
            sum = sum.checked_add(segment.p_memsz(endian)).ok_or("the segments are larger than memory")?;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_executable_has_loadable_segments() {
        let path = std::env::current_exe().unwrap();
        let library = weigh(&path, "self".to_owned()).unwrap();
        assert!(library.elf_load_bytes > 100_000);
        assert_eq!(library.sha256.len(), 64);
    }

    #[test]
    fn junk_is_no_library() {
        let mut elf = fs::read(std::env::current_exe().unwrap()).unwrap();
        for data in [&b""[..], b"\x7fELF", &[0xff; 4096], &elf[..70]] {
            assert!(load_bytes(data).is_err());
        }
        elf[32..40].fill(0xff);
        assert!(load_bytes(&elf).is_err());
        assert!(matches!(library("no_such_library"), Err(ElfError::Missing { .. })));
    }
}
