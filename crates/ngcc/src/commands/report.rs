//! `ngcc report`: pages from evidence.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use ngcc_evidence::Store;
use ngcc_report::{Evidence, render, write};

use crate::builtin::published;
use crate::output::{Outcome, print_line};

/// Makes the pages of a run directory again and prints the path of the first one.
pub(crate) fn report(dir: &Path) -> Result<Outcome> {
    let page = make_site(&Store::open(dir)?)?;
    print_line(page.display())?;
    Ok(Outcome::Success)
}

/// Writes `DIR/site` from the evidence in `DIR`; returns the path of its index page.
pub(crate) fn make_site(store: &Store) -> Result<PathBuf> {
    let loaded = store.load()?;
    let evidence = Evidence { campaign: loaded.campaign, build: loaded.build, records: loaded.records };
    let site = render(&evidence, &published()?).context("the pages cannot be made")?;
    let dir = store.dir().join("site");
    write(&site, &dir)?;
    Ok(dir.join("index.html"))
}
