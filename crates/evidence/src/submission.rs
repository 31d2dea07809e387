//! `submissions/<id>.toml`: everything the project knows about a submission.

use serde::{Deserialize, Serialize};

/// Facts about one submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// `sign-02`.
    pub id: String,
    /// Short name, `BiT`.
    pub algorithm: String,
    /// Full title of the submission.
    pub title: String,
    /// `signature` or `kem`.
    pub kind: String,
    /// Shown on the page, above everything else.
    pub warning: Option<String>,
    /// Links of the page's header.
    #[serde(default)]
    pub links: Links,
    /// Which symmetric primitives it uses.
    pub survey: Option<Survey>,
    /// Notes on KAT results.
    #[serde(default)]
    pub kat_notes: Vec<KatNote>,
    /// Parameter sets, in page order.
    pub instances: Vec<SubmissionInstance>,
}

/// Links of a page's header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// The organiser's page of the submission.
    pub organiser: Option<String>,
    /// Public security review.
    pub security_review: Option<String>,
    /// Public measurement page.
    pub published: Option<String>,
}

/// Verdict of the survey of symmetric primitives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survey {
    /// `ICCS-only`, `bypass`, `mixed`, `instance-dependent`.
    pub verdict: String,
    /// Free text.
    #[serde(default)]
    pub note: String,
}

/// A footnote to the KAT results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KatNote {
    /// Parameter sets it concerns.
    pub instances: Vec<String>,
    /// The cause, in full sentences.
    pub text: String,
}

/// What a size stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeBasis {
    /// The shipped external format.
    Encoded,
    /// The longest string of a format of variable length.
    MaximumVariable,
    /// The representative size that the specification names.
    NominalVariable,
}

/// One parameter set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubmissionInstance {
    /// Name, `BiT-128`.
    pub name: String,
    /// Name in the submitted KAT files where it differs.
    pub kat_name: Option<String>,
    /// SHA-256 (hex) of the canonical submitted KAT text, ten records.
    pub kat_sha256: Option<String>,
    /// Security target, bits; absent where the submission has none of the three.
    pub target_bits: Option<u32>,
    /// Public key, bytes.
    pub public_key: u64,
    /// Secret key, bytes.
    pub secret_key: u64,
    /// Signature, bytes (signatures only).
    pub signature: Option<u64>,
    /// Ciphertext, bytes (KEMs only).
    pub ciphertext: Option<u64>,
    /// Shared secret, bytes (KEMs only).
    pub shared_secret: Option<u64>,
    /// What the sizes stand for.
    pub size_basis: SizeBasis,
}

impl Submission {
    /// Reads a TOML text.
    ///
    /// # Errors
    /// What the TOML reader found wrong, with line and column.
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}
