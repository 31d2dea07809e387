//! Results that others published, as data, to stand beside ours (`published/results.json`).

use serde::{Deserialize, Serialize};

/// All published pages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// One entry per submission and system.
    pub pages: Vec<PublishedPage>,
}

/// One published page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedPage {
    /// Submission id.
    pub submission: String,
    /// `x86_1`, `arm_1`.
    pub system: String,
    /// Where it was published.
    pub source_page: String,
    /// Section 4.
    pub performance: Vec<PublishedPerformance>,
    /// Section 5.
    #[serde(default)]
    pub resources: Vec<PublishedResource>,
    /// Section 6.
    #[serde(default)]
    pub sizes: Vec<PublishedSizes>,
}

/// A row of section 4. The texts are what the page prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedPerformance {
    /// Label on that page.
    pub instance: String,
    /// Operation.
    pub operation: String,
    /// Mean core cycles per call.
    pub mean_cycles: f64,
    /// As printed.
    pub mean_cycles_text: String,
    /// Mean seconds per call.
    pub mean_time_s: f64,
    /// As printed.
    pub mean_time_text: String,
    /// Calls.
    pub n: u64,
}

/// A row of section 5.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedResource {
    /// Label.
    pub instance: String,
    /// Operation.
    pub operation: String,
    /// Loadable ELF bytes.
    pub static_elf_bytes: Option<u64>,
    /// KiB.
    pub baseline_rss_kib: Option<u64>,
    /// KiB.
    pub peak_rss_kib: Option<u64>,
}

/// A row of section 6.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedSizes {
    /// Label.
    pub instance: String,
    /// Bytes.
    pub public_key: Option<u64>,
    /// Bytes.
    pub secret_key: Option<u64>,
    /// Bytes.
    pub signature: Option<u64>,
    /// Bytes.
    pub ciphertext: Option<u64>,
    /// Bytes.
    pub shared_secret: Option<u64>,
}

impl Published {
    /// The published row of a label and operation on a system.
    #[must_use]
    pub fn performance(
        &self,
        submission: &str,
        system: &str,
        label: &str,
        operation: &str,
    ) -> Option<&PublishedPerformance> {
        self.pages
            .iter()
            .find(|p| p.submission == submission && p.system == system)?
            .performance
            .iter()
            .find(|row| row.instance == label && row.operation == operation)
    }
}
