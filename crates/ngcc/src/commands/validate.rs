//! `ngcc validate`: is a run directory what it says?

use anyhow::Result;

use crate::args::Validate;
use crate::output::{Outcome, print_json, print_line};

/// Recomputes a run directory and prints what differs.
pub(crate) fn validate(args: &Validate) -> Result<Outcome> {
    let findings = ngcc_evidence::validate(&args.run.dir)?;
    if args.json {
        print_json(&findings)?;
    } else {
        for finding in &findings {
            print_line(finding)?;
        }
        let dir = args.run.dir.display();
        print_line(match findings.len() {
            0 => format!("{dir}: accepted"),
            n => format!("{dir}: rejected, {n} finding{}", if n == 1 { "" } else { "s" }),
        })?;
    }
    Ok(if findings.is_empty() { Outcome::Success } else { Outcome::CheckFailed })
}
