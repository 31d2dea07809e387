//! `build.json`: which code was measured, and whether it is the right code.

use serde::{Deserialize, Serialize};

/// The libraries and KAT verdicts of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// SHA-256 (hex) of this file's content with an empty seal.
    pub seal: String,
    /// One entry per label, in page order.
    pub entries: Vec<BuildEntry>,
}

/// One measured variant of one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildEntry {
    /// Submission id.
    pub submission: String,
    /// Parameter set.
    pub instance: String,
    /// Back-end: `portable`, `avx2`, `avx512`.
    pub variant: String,
    /// Name in files and tables: the instance for its best variant, `<instance>-<variant>` for the others.
    pub label: String,
    /// `signature` or `kem`.
    pub kind: String,
    /// The shared library of the instance; absent if it was not found.
    pub library: Option<Library>,
    /// Verdict of the known-answer test of this variant.
    pub kat: KatResult,
}

/// A shared library with the ICCS C API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// File name.
    pub file: String,
    /// SHA-256 (hex).
    pub sha256: String,
    /// Sum of the memory sizes of the loadable ELF segments, bytes.
    pub elf_load_bytes: u64,
}

/// Verdict of a known-answer test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KatResult {
    /// `PASS`, `MISMATCH`, `NOKAT`, `CRYPTOFAIL`, `TIMEOUT`, `CRASH`.
    pub status: String,
    /// Records generated.
    pub records: u32,
    /// SHA-256 (hex) of the canonical text.
    pub digest: Option<String>,
    /// Digest that the manifest lists.
    pub expected: Option<String>,
    /// The generated text, relative to the run directory.
    pub text: Option<String>,
    /// What differed or failed.
    pub detail: Option<String>,
    /// Seconds that the test took.
    pub seconds: f64,
}
