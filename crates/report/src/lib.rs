//! From the evidence of a campaign to pages: Markdown, HTML, CSV and JSON.
//!
//! This crate reads evidence and never measures. [`render`] is a pure function, so the same evidence gives the same
//! bytes; [`write()`] puts the result in place of an older site without a moment in which half of it is there.
//!
//! A submission's page has the seven items of section 3.5 of the NICCS self-assessment guide. Pages hold everything
//! they show (style, plots), work from a file, and load nothing.
//!
//! ```text
//! index.{html,md}                        all instances
//! method_<system>.{html,md}              rules, constants and limitations of the campaign
//! performance.{csv,json}                 all figures, unrounded
//! <id>/perf_<system>.{html,md}           one submission
//! <id>/performance_<system>.{csv,json}   its figures, unrounded
//! <id>/plots/<label>__<operation>.svg    plots that the Markdown page shows
//! ```

mod compare;
mod doc;
mod downloads;
mod escape;
mod facts;
mod format;
mod index;
mod method;
mod model;
mod pages;
mod paths;
mod performance;
mod plot;
mod resources;
mod samples;
mod submission;
mod write;

use ngcc_evidence::Published;

pub use model::Evidence;
pub use write::{MARKER, WriteError, write};

/// One file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteFile {
    /// Relative path with `/` between segments.
    pub path: String,
    /// UTF-8 text.
    pub content: String,
}

/// A rendered site. Its links to evidence hold where it is written to the folder `site` of the run directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Files, sorted by path.
    pub files: Vec<SiteFile>,
}

impl Site {
    /// Content of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.content.as_str())
    }
}

/// Why a site could not be rendered. None of these depends on what the evidence says; they are defects of the
/// templates or a lack of memory.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A template could not be formatted.
    #[error("a page template could not be formatted: {0}")]
    Template(#[from] askama::Error),
    /// The JSON download could not be formatted.
    #[error("the JSON download could not be formatted: {0}")]
    Json(#[from] serde_json::Error),
    /// The CSV download could not be formatted.
    #[error("the CSV download could not be formatted: {0}")]
    Csv(#[from] csv::Error),
}

/// Renders the site of a campaign.
///
/// The evidence need not be complete or consistent: missing records, failed records and submissions without facts
/// show as such.
///
/// # Errors
/// [`RenderError`]; see there.
pub fn render(evidence: &Evidence, published: &Published) -> Result<Site, RenderError> {
    let entries = model::entries(evidence);
    let system = &evidence.campaign.system;
    let mut files = Vec::new();
    pages::add(&mut files, "index", &index::document(evidence, published, &entries))?;
    pages::add(&mut files, &paths::method_stem(system), &method::document(evidence, published, &entries))?;
    add_downloads(&mut files, "performance", evidence, published, &entries.iter().collect::<Vec<_>>())?;
    for entry in &entries {
        let id = &entry.submission.id;
        let document = submission::document(evidence, published, entry);
        pages::add(&mut files, &paths::submission_stem(id, system), &document)?;
        add_downloads(&mut files, &paths::download_stem(id, system), evidence, published, &[entry])?;
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Site { files })
}

/// Adds the CSV and JSON of some submissions.
fn add_downloads(
    files: &mut Vec<SiteFile>,
    stem: &str,
    evidence: &Evidence,
    published: &Published,
    entries: &[&model::Entry<'_>],
) -> Result<(), RenderError> {
    let made = downloads::files(evidence, published, entries)?;
    files.push(SiteFile { path: format!("{stem}.csv"), content: made.csv });
    files.push(SiteFile { path: format!("{stem}.json"), content: made.json });
    Ok(())
}
