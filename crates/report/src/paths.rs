//! Where the pages and the evidence lie, seen from a page. The site is the folder `site` of a run directory.

use ngcc_evidence::Record;

use crate::doc::Href;
use crate::escape::{file_name, href_path, href_segment};

/// The way from a page to the site's root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base {
    up: &'static str,
}

impl Base {
    /// Seen from a page in the root of the site.
    pub(crate) const ROOT: Self = Self { up: "" };
    /// Seen from a page in the folder of a submission.
    pub(crate) const SUBMISSION: Self = Self { up: "../" };

    /// A page of the site.
    pub(crate) fn page(self, stem: &str) -> Href {
        Href::Page(format!("{}{stem}", self.up))
    }

    /// A file of the run directory.
    pub(crate) fn run_file(self, path: &str) -> Href {
        Href::File(format!("{}../{}", self.up, href_path(path)))
    }

    /// The record of an operation.
    pub(crate) fn record(self, record: &Record) -> Href {
        let (id, label) = (href_segment(&record.submission), href_segment(&record.label));
        Href::File(format!("{}../records/{id}/{label}__{}.json", self.up, href_segment(&record.operation)))
    }
}

/// Path of a record relative to the run directory, as text.
pub(crate) fn record_path(record: &Record) -> String {
    format!("records/{}/{}__{}.json", record.submission, record.label, record.operation)
}

/// Page of a submission, without extension, relative to the site's root.
pub(crate) fn submission_stem(id: &str, system: &str) -> String {
    format!("{}/perf_{}", file_name(id), file_name(system))
}

/// Method page, without extension, relative to the site's root.
pub(crate) fn method_stem(system: &str) -> String {
    format!("method_{}", file_name(system))
}

/// Download of a submission's figures, without extension, relative to the site's root.
pub(crate) fn download_stem(id: &str, system: &str) -> String {
    format!("{}/performance_{}", file_name(id), file_name(system))
}

/// A plot, relative to the page of its submission.
pub(crate) fn plot_file(record: &Record) -> String {
    format!("plots/{}__{}.svg", file_name(&record.label), file_name(&record.operation))
}

/// The folder of a page, with its `/`; empty in the root.
pub(crate) fn parent_of(stem: &str) -> &str {
    stem.rfind('/').map_or("", |at| &stem[..=at])
}

/// The file name of a page, without its folder.
pub(crate) fn name_of(stem: &str) -> &str {
    &stem[parent_of(stem).len()..]
}
