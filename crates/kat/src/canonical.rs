//! The canonical form of a text and its digest.

use std::fmt;
use std::io::BufRead;
use std::num::NonZeroU32;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::Limits;
use crate::read::{Lines, ReadError};

/// Which lines of the canonical text are digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// All of them.
    Strict,
    /// All but those whose key ends in `_Len`: for references whose lengths are blank.
    NoLen,
}

/// What a digest covers: `strict`, `nolen`, or either with `:records`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Coverage {
    /// Which lines.
    pub mode: Mode,
    /// Only the first records; `None` means the whole text.
    pub records: Option<NonZeroU32>,
}

impl Coverage {
    /// Every line of the whole text.
    pub const STRICT: Self = Self { mode: Mode::Strict, records: None };
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.mode {
            Mode::Strict => "strict",
            Mode::NoLen => "nolen",
        })?;
        self.records.map_or(Ok(()), |n| write!(f, ":{n}"))
    }
}

/// A word that is no coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mode must be strict or nolen, optionally followed by a colon and a number of records from 1")]
pub struct ParseCoverageError;

impl FromStr for Coverage {
    type Err = ParseCoverageError;

    fn from_str(word: &str) -> Result<Self, ParseCoverageError> {
        let (mode, records) = match word.split_once(':') {
            None => (word, None),
            Some((mode, n)) if n.bytes().all(|b| b.is_ascii_digit()) => {
                (mode, Some(n.parse().map_err(|_| ParseCoverageError)?))
            }
            Some(_) => return Err(ParseCoverageError),
        };
        let mode = match mode {
            "strict" => Mode::Strict,
            "nolen" => Mode::NoLen,
            _ => return Err(ParseCoverageError),
        };
        Ok(Self { mode, records })
    }
}

/// A digest that a text should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestSpec {
    /// SHA-256 of what is covered.
    pub sha256: [u8; 32],
    /// What is covered.
    pub coverage: Coverage,
}

impl DigestSpec {
    /// A digest of the whole text.
    #[must_use]
    pub const fn strict(sha256: [u8; 32]) -> Self {
        Self { sha256, coverage: Coverage::STRICT }
    }
}

/// The digest of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest {
    /// SHA-256 of what is covered.
    pub sha256: [u8; 32],
    /// Records that are covered.
    pub records: u32,
}

/// Digests a text line by line in canonical form: trailing CR, blanks and tabs of each line are dropped, then empty
/// lines are; every line that is left ends with one newline, the last one too.
#[derive(Clone, Debug)]
pub struct Canonical {
    hasher: Sha256,
    coverage: Coverage,
    records: u32,
    beyond: bool,
}

impl Canonical {
    /// Nothing digested yet.
    #[must_use]
    pub fn new(coverage: Coverage) -> Self {
        Self { hasher: Sha256::new(), coverage, records: 0, beyond: false }
    }

    /// Digests one line, with or without its newline.
    pub fn line(&mut self, line: &[u8]) {
        let line = trim_end(line);
        if line.is_empty() || self.beyond {
            return;
        }
        if line.starts_with(b"Count = ") {
            if self.coverage.records.is_some_and(|n| self.records >= n.get()) {
                self.beyond = true;
                return;
            }
            self.records = self.records.saturating_add(1);
        }
        if self.coverage.mode == Mode::NoLen && is_length(line) {
            return;
        }
        self.hasher.update(line);
        self.hasher.update(b"\n");
    }

    /// Digests whole lines.
    pub fn text(&mut self, text: &str) {
        text.split('\n').for_each(|line| self.line(line.as_bytes()));
    }

    /// The digest of all lines so far.
    #[must_use]
    pub fn finish(self) -> Digest {
        Digest { sha256: self.hasher.finalize().into(), records: self.records }
    }
}

/// Digests a text from outside. Only line length and total size are limited; the lines may hold anything.
///
/// # Errors
/// [`ReadError`] if the text cannot be read or exceeds `limits`.
pub fn digest_text(reader: impl BufRead, coverage: Coverage, limits: Limits) -> Result<Digest, ReadError> {
    let mut lines = Lines::new(reader, limits);
    let mut canonical = Canonical::new(coverage);
    while let Some(line) = lines.next()? {
        canonical.line(line);
    }
    Ok(canonical.finish())
}

/// The line without trailing CR, LF, blanks and tabs.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let kept = line.iter().rposition(|b| !matches!(b, b'\r' | b'\n' | b' ' | b'\t')).map_or(0, |i| i + 1);
    line.get(..kept).unwrap_or_default()
}

fn is_length(line: &[u8]) -> bool {
    line.iter().position(|b| *b == b'=').is_some_and(|i| trim_end(&line[..i]).ends_with(b"_Len"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str, coverage: &str) -> String {
        let coverage = coverage.parse().unwrap();
        let digest = digest_text(text.as_bytes(), coverage, Limits::default()).unwrap();
        let mut whole = Canonical::new(coverage);
        whole.text(text);
        assert_eq!(whole.finish(), digest);
        hex::encode(digest.sha256)
    }

    fn sha256(text: &str) -> String {
        hex::encode(Sha256::digest(text))
    }

    const TEXT: &str =
        "Count = 0\r\nSeed_Len = \t \r\nSeed = AB  \r\n\r\n  \nCount = 1\nSeed_Len =\nSeed = CD";

    #[test]
    fn canonical_form_is_as_specified() {
        assert_eq!(
            digest(TEXT, "strict"),
            sha256("Count = 0\nSeed_Len =\nSeed = AB\nCount = 1\nSeed_Len =\nSeed = CD\n")
        );
        assert_eq!(digest(TEXT, "nolen"), sha256("Count = 0\nSeed = AB\nCount = 1\nSeed = CD\n"));
        assert_eq!(digest(TEXT, "strict:1"), sha256("Count = 0\nSeed_Len =\nSeed = AB\n"));
        assert_eq!(digest(TEXT, "nolen:1"), sha256("Count = 0\nSeed = AB\n"));
        assert_eq!(digest(TEXT, "nolen:2"), digest(TEXT, "nolen"));
        assert_eq!(digest("", "strict"), sha256(""));
        assert_eq!(digest("\r\n \n", "strict"), sha256(""));
    }

    #[test]
    fn leading_blanks_and_case_are_kept() {
        assert_eq!(digest(" a = b\n", "strict"), sha256(" a = b\n"));
        assert_ne!(digest("Seed = ab\n", "strict"), digest("Seed = AB\n", "strict"));
    }

    #[test]
    fn coverage_words() {
        for word in ["strict", "nolen", "strict:1", "nolen:10"] {
            assert_eq!(word.parse::<Coverage>().unwrap().to_string(), word);
        }
        for word in ["", "Strict", "strict:", "strict:0", "strict:+1", "strict:1:2", "nolen:99999999999"] {
            assert_eq!(word.parse::<Coverage>(), Err(ParseCoverageError), "{word}");
        }
    }
}
