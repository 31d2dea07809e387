//! Verdict statuses and the line that reports one.

use std::fmt;
use std::str::FromStr;

/// Outcome of checking an instance against its known answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The text equals the reference.
    Pass,
    /// The text differs from the reference.
    Mismatch,
    /// There is no reference with answers in it.
    NoKat,
    /// An operation failed on honest input, or accepted what it must reject.
    CryptoFail,
    /// An operation wrote or reported more than its declared length.
    Overflow,
    /// The implementation could not be loaded.
    LoadFail,
    /// The time limit ended the check.
    Timeout,
    /// The implementation died.
    Crash,
}

impl Status {
    /// All statuses, in the order of the exit codes of the public checker.
    pub const ALL: [Self; 8] = [
        Self::Pass,
        Self::Mismatch,
        Self::NoKat,
        Self::CryptoFail,
        Self::Overflow,
        Self::LoadFail,
        Self::Timeout,
        Self::Crash,
    ];

    /// The word on a result line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Mismatch => "MISMATCH",
            Self::NoKat => "NOKAT",
            Self::CryptoFail => "CRYPTOFAIL",
            Self::Overflow => "OVERFLOW",
            Self::LoadFail => "LOADFAIL",
            Self::Timeout => "TIMEOUT",
            Self::Crash => "CRASH",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is no status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no such KAT status; there are PASS, MISMATCH, NOKAT, CRYPTOFAIL, OVERFLOW, LOADFAIL, TIMEOUT and CRASH, in capitals"
)]
pub struct ParseStatusError;

impl FromStr for Status {
    type Err = ParseStatusError;

    fn from_str(word: &str) -> Result<Self, ParseStatusError> {
        Self::ALL.into_iter().find(|s| s.name() == word).ok_or(ParseStatusError)
    }
}

/// The line `RESULT <id> <instance> <STATUS> [detail]`, without a newline.
///
/// It is one line of four parts whatever the arguments hold: blanks in `id` and `instance` become `_`, and control
/// characters in `detail` become blanks.
#[must_use]
pub fn result_line(id: &str, instance: &str, status: Status, detail: &str) -> String {
    let word = |s: &str| -> String {
        let clean: String =
            s.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
        if clean.is_empty() { "_".to_owned() } else { clean }
    };
    let detail: String = detail.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = format!("RESULT {} {} {status} {}", word(id), word(instance), detail.trim());
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for status in Status::ALL {
            assert_eq!(status.to_string().parse(), Ok(status));
        }
        assert_eq!("pass".parse::<Status>(), Err(ParseStatusError));
        assert_eq!("".parse::<Status>(), Err(ParseStatusError));
    }

    #[test]
    fn a_result_is_one_line_of_parts() {
        assert_eq!(result_line("sign-02", "BiT-128", Status::Pass, ""), "RESULT sign-02 BiT-128 PASS");
        assert_eq!(
            result_line("x y", "a\nb", Status::Crash, " signal 11\nRESULT x y PASS\u{1b}[0m "),
            "RESULT x_y a_b CRASH signal 11 RESULT x y PASS [0m"
        );
        assert_eq!(result_line("", "", Status::NoKat, "no file"), "RESULT _ _ NOKAT no file");
    }
}
