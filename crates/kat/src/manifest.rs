//! Manifests: digests of submitted texts, one per line.

use std::fmt;

use crate::{Coverage, DigestSpec};

/// Longest manifest that is read, lines; far beyond what any submission needs.
const MAX_LINES: usize = 100_000;

/// One line of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Label of the built instance; `None` where the line names a bare file.
    pub label: Option<String>,
    /// Name of the KAT file.
    pub file: String,
    /// The digest and what it covers.
    pub spec: DigestSpec,
}

/// A manifest: lines `<sha256> <mode>[:records] [<label>/]<file name>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    entries: Vec<Entry>,
}

/// What is wrong with a manifest line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// The line has not three parts.
    #[error("a line is <sha256> <mode>[:records] <label>/<file name>, parted by blanks")]
    Parts,
    /// The first part is no SHA-256.
    #[error("the digest must be 64 hexadecimal digits")]
    Digest,
    /// The second part is no mode.
    #[error(transparent)]
    Coverage(#[from] crate::ParseCoverageError),
    /// The third part is no name.
    #[error("the name must be <label>/<file name> or a file name, with no empty part and at most one slash")]
    Name,
    /// The name was there before.
    #[error("the name stands on an earlier line already; keep one of the two")]
    Duplicate,
    /// The text is too long.
    #[error("the manifest has too many lines; at most {MAX_LINES} are read")]
    TooLong,
}

/// A manifest that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: ManifestProblem,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "manifest line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for ManifestError {}

impl Manifest {
    /// Reads a manifest. Empty lines are skipped.
    ///
    /// # Errors
    /// [`ManifestError`] for the first line that is malformed or repeats a name.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let mut entries = Vec::new();
        let mut names = std::collections::HashSet::new();
        for (index, line) in text.lines().enumerate() {
            let fail = |problem| ManifestError { line: index + 1, problem };
            if index >= MAX_LINES {
                return Err(fail(ManifestProblem::TooLong));
            }
            if line.trim().is_empty() {
                continue;
            }
            let entry = entry(line).map_err(fail)?;
            if !names.insert((entry.label.clone(), entry.file.clone())) {
                return Err(fail(ManifestProblem::Duplicate));
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// The lines, in the order of the text.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The line for a file of a label: `label/file` first, then the bare file name.
    ///
    /// A file name alone matches a line without a label or, where there is none, the lines with other labels if all of
    /// them say the same.
    #[must_use]
    pub fn lookup(&self, label: &str, file: &str) -> Option<&Entry> {
        let of_file = || self.entries.iter().filter(|e| e.file == file);
        if let Some(entry) = of_file().find(|e| e.label.as_deref() == Some(label)) {
            return Some(entry);
        }
        if let Some(entry) = of_file().find(|e| e.label.is_none()) {
            return Some(entry);
        }
        let first = of_file().next()?;
        of_file().all(|e| e.spec == first.spec).then_some(first)
    }
}

fn entry(line: &str) -> Result<Entry, ManifestProblem> {
    let mut parts = line.split_ascii_whitespace();
    let (Some(digest), Some(mode), Some(name), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(ManifestProblem::Parts);
    };
    let mut sha256 = [0; 32];
    hex::decode_to_slice(digest, &mut sha256).map_err(|_| ManifestProblem::Digest)?;
    let coverage: Coverage = mode.parse()?;
    let (label, file) = match name.split_once('/') {
        Some((label, file)) => (Some(label), file),
        None => (None, name),
    };
    if file.is_empty() || file.contains('/') || label.is_some_and(str::is_empty) {
        return Err(ManifestProblem::Name);
    }
    Ok(Entry {
        label: label.map(str::to_owned),
        file: file.to_owned(),
        spec: DigestSpec { sha256, coverage },
    })
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", hex::encode(self.spec.sha256), self.spec.coverage)?;
        if let Some(label) = &self.label {
            write!(f, "{label}/")?;
        }
        f.write_str(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    const B: &str = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn problem(text: &str) -> (usize, ManifestProblem) {
        let error = Manifest::parse(text).unwrap_err();
        (error.line, error.problem)
    }

    #[test]
    fn lines_are_read_and_written() {
        let text = format!("{A} strict BiT-128/KAT_SIG_BiT-128.txt\n{A} nolen:3 KAT_SIG_x.txt\n");
        let manifest = Manifest::parse(&text.replace('\n', "\r\n\r\n")).unwrap();
        let written: String = manifest.entries().iter().map(|e| format!("{e}\n")).collect();
        assert_eq!(written, text);
    }

    #[test]
    fn lookup_takes_the_label_first() {
        let text = format!("{A} strict a/f.txt\n{B} strict b/f.txt\n{B} nolen f.txt\n{A} strict x/g.txt\n");
        let manifest = Manifest::parse(&text).unwrap();
        let found = |label, file| manifest.lookup(label, file).map(ToString::to_string);
        assert_eq!(found("b", "f.txt").unwrap(), format!("{B} strict b/f.txt"));
        assert_eq!(found("c", "f.txt").unwrap(), format!("{B} nolen f.txt"));
        assert_eq!(found("c", "g.txt").unwrap(), format!("{A} strict x/g.txt"));
        assert_eq!(found("a", "h.txt"), None);
        let two = Manifest::parse(&format!("{A} strict a/f.txt\n{B} strict b/f.txt\n")).unwrap();
        assert_eq!(two.lookup("c", "f.txt"), None, "two labels that disagree are no answer for a third");
    }

    #[test]
    fn malformed_lines_are_named() {
        assert_eq!(problem("x"), (1, ManifestProblem::Parts));
        assert_eq!(problem(&format!("\n{A} strict a/f b")), (2, ManifestProblem::Parts));
        assert_eq!(problem(&format!("{} strict f", &A[1..])), (1, ManifestProblem::Digest));
        assert_eq!(problem(&format!("{A}00 strict f")), (1, ManifestProblem::Digest));
        assert_eq!(problem(&format!("{}g strict f", &A[1..])), (1, ManifestProblem::Digest));
        assert!(matches!(problem(&format!("{A} loose f")), (1, ManifestProblem::Coverage(_))));
        for name in ["/f", "a/", "a/b/f", "/"] {
            assert_eq!(problem(&format!("{A} strict {name}")), (1, ManifestProblem::Name), "{name}");
        }
        assert_eq!(problem(&format!("{A} strict f\n{B} nolen f")), (2, ManifestProblem::Duplicate));
        assert_eq!(problem(&"\n".repeat(MAX_LINES + 1)), (MAX_LINES + 1, ManifestProblem::TooLong));
        assert_eq!(
            Manifest::parse("x").unwrap_err().to_string(),
            "manifest line 1: a line is <sha256> <mode>[:records] <label>/<file name>, parted by blanks"
        );
    }
}
