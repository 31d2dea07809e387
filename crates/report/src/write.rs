//! Putting a site in its place: everything is written to a temporary folder beside the target, then the two swap.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::{Site, SiteFile};

/// Name of the file that marks a folder as a site; only such folders are replaced.
pub const MARKER: &str = ".ngcc-report";

/// Why a site could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The target exists and was not made by this program.
    #[error("{} exists and holds no site of ngcc-lab: move it away or choose another folder", .path.display())]
    NotASite {
        /// The target.
        path: PathBuf,
    },
    /// The target has no folder above it.
    #[error("{} is no place for a site: name a folder inside an existing one", .path.display())]
    NoParent {
        /// The target.
        path: PathBuf,
    },
    /// A file of the site would lie outside it.
    #[error("the site holds a file with an unusable path: {path:?}")]
    UnsafePath {
        /// Path as the site has it.
        path: String,
    },
    /// The file system refused.
    #[error("could not {action} {}: {reason}; a site that was there is unchanged. Make room or the folder writable, then make the pages again with `ngcc report`", .path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
}

/// Gives an I/O error its place.
fn at(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> WriteError {
    let path = path.to_owned();
    move |reason| WriteError::Io { action, path, reason }
}

/// Writes `site` to the folder `dir`, replacing an older site there.
///
/// The files are written to a temporary folder beside `dir` and synchronised before the folders swap: a reader, a
/// crash or a full disk never meets half a site.
///
/// # Errors
/// [`WriteError`]: the target is something else than a site, or the file system refused. The older site is then
/// unchanged.
pub fn write(site: &Site, dir: &Path) -> Result<(), WriteError> {
    let no_parent = || WriteError::NoParent { path: dir.to_owned() };
    if !matches!(dir.components().next_back(), Some(Component::Normal(_))) {
        return Err(no_parent());
    }
    let parent = match dir.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Err(no_parent()),
    };
    check_target(dir)?;
    fs::create_dir_all(parent).map_err(at("create", parent))?;
    let fresh = tempfile::Builder::new()
        .prefix(".site-")
        .permissions(folder_permissions())
        .tempdir_in(parent)
        .map_err(at("create a folder in", parent))?;
    for file in &site.files {
        write_file(fresh.path(), file)?;
    }
    write_file(fresh.path(), &SiteFile { path: MARKER.to_owned(), content: marker_text() })?;
    swap(fresh, dir)
}

/// What the marker says to whoever finds it.
fn marker_text() -> String {
    format!("made by ngcc-report {}; this folder is replaced as a whole\n", env!("CARGO_PKG_VERSION"))
}

/// A site is for everyone to read; the default of temporary folders is private.
fn folder_permissions() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o755)
}

/// Refuses targets that are neither absent, nor an empty folder, nor a site.
fn check_target(dir: &Path) -> Result<(), WriteError> {
    let not_a_site = || WriteError::NotASite { path: dir.to_owned() };
    match fs::symlink_metadata(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(at("look at", dir)(error)),
        Ok(meta) if !meta.is_dir() => Err(not_a_site()),
        Ok(_) => {
            let empty = fs::read_dir(dir).map_err(at("read", dir))?.next().is_none();
            if empty || dir.join(MARKER).is_file() { Ok(()) } else { Err(not_a_site()) }
        }
    }
}

/// Writes and synchronises one file below `root`.
fn write_file(root: &Path, file: &SiteFile) -> Result<(), WriteError> {
    let relative = Path::new(&file.path);
    let usable = relative.components().all(|part| matches!(part, Component::Normal(_)));
    if file.path.is_empty() || !usable {
        return Err(WriteError::UnsafePath { path: file.path.clone() });
    }
    let path = root.join(relative);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(at("create", folder))?;
    }
    let mut out = File::create(&path).map_err(at("create", &path))?;
    out.write_all(file.content.as_bytes()).map_err(at("write", &path))?;
    out.sync_all().map_err(at("write", &path))
}

/// Puts the fresh folder in the place of `dir`; what was there goes away with the temporary folder.
fn swap(fresh: tempfile::TempDir, dir: &Path) -> Result<(), WriteError> {
    match renameat_with(CWD, fresh.path(), CWD, dir, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Nothing there to exchange with: a plain rename is as atomic.
        Err(Errno::NOENT) => move_into_place(&fresh, dir),
        // File systems without exchange: the old site steps aside first and comes back if the second step fails.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let aside = fresh.path().with_extension("old");
            fs::rename(dir, &aside).map_err(at("move", dir))?;
            if let Err(error) = move_into_place(&fresh, dir) {
                fs::rename(&aside, dir).map_err(at("restore", dir))?;
                return Err(error);
            }
            fs::remove_dir_all(&aside).map_err(at("remove", &aside))
        }
        Err(error) => Err(at("replace", dir)(error.into())),
    }
}

/// Renames the fresh folder. Its guard then finds nothing to remove, which is no error.
fn move_into_place(fresh: &tempfile::TempDir, dir: &Path) -> Result<(), WriteError> {
    fs::rename(fresh.path(), dir).map_err(at("create", dir))
}
