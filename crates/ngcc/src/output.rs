//! What commands print, and how they end.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use comfy_table::LineStyle;
use comfy_table::{Attribute, Cell, ContentArrangement, Table, presets};
use serde::Serialize;

/// How a command ended without an error of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything was done and every check passed.
    Success,
    /// A check failed.
    CheckFailed,
    /// Stopped by the user; what was finished is kept.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success => Self::SUCCESS,
            Outcome::CheckFailed => Self::from(1),
            Outcome::Interrupted => Self::from(130),
        }
    }
}

/// Arguments that cannot be carried out as given: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// An empty table with these column heads, as wide as the terminal, without colours unless one reads it.
pub(crate) fn table(heads: &[&str]) -> Table {
    let mut table = Table::new();
    let style = presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─'));
    table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic);
    if !io::stdout().is_terminal() {
        table.force_no_tty();
    }
    table.set_header(heads.iter().map(|h| Cell::new(h).add_attribute(Attribute::Bold)));
    table
}

/// Prints a line; a reader that went away (`| head`) is no error.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn print_line(line: impl std::fmt::Display) -> Result<()> {
    match writeln!(io::stdout().lock(), "{line}") {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output"),
    }
}

/// Says something on standard error; nothing is lost if nobody reads it.
pub(crate) fn say(line: impl std::fmt::Display) {
    // A closed or full standard error must not end a campaign.
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints a value as indented JSON.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    print_line(serde_json::to_string_pretty(value).context("JSON")?)
}
