//! `ngcc run`: a campaign from known answers to pages.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ngcc_evidence::Store;
use ngcc_lab::{Target, campaign, host};

use crate::args::{Run, Variants};
use crate::builtin::REGISTRY;
use crate::commands::report::make_site;
use crate::output::{Outcome, print_line, say};
use crate::progress::Progress;
use crate::select::select;
use crate::session::{Session, plan_of};

/// Runs or resumes a campaign and ends with the path of its first page.
pub(crate) fn run(args: &Run) -> Result<Outcome> {
    let instances = select(&REGISTRY, &args.selection.patterns)?;
    let session = Session::start(args.measuring.cpu)?;
    let lab = session.lab();
    let store = if let Some(dir) = &args.resume {
        campaign::resume(&lab, dir)?
    } else {
        let default = if args.measuring.quick { Variants::Best } else { Variants::All };
        let targets: Vec<Target> = match args.variants.unwrap_or(default) {
            Variants::Best => instances.into_iter().map(Target::best).collect(),
            Variants::All => instances.into_iter().flat_map(Target::all).collect(),
        };
        let dir = args.out.clone().unwrap_or_else(|| default_dir(args));
        campaign::create(&lab, &targets, plan_of(&args.measuring), args.system.as_deref(), &dir)?
    };
    say(format_args!("ngcc: evidence goes to {}", store.dir().display()));
    let mut progress = Progress::new();
    let outcome = campaign::run(&lab, &store, &mut |event| progress.event(&event), &session.stop)?;
    drop(progress);
    match outcome {
        campaign::Outcome::Stopped => {
            say(format_args!(
                "ngcc: stopped; nothing finished is lost. Go on with: ngcc run --resume {}",
                store.dir().display()
            ));
            Ok(Outcome::Interrupted)
        }
        campaign::Outcome::Finished { records, failed, kat_failed } => {
            finish(&store, records, failed, kat_failed)
        }
    }
}

fn finish(store: &Store, records: usize, failed: usize, kat_failed: usize) -> Result<Outcome> {
    let page = make_site(store)?;
    print_line(format!("{} records, {failed} failed, {kat_failed} KAT not passed", records))?;
    print_line(page.display())?;
    Ok(if failed + kat_failed == 0 { Outcome::Success } else { Outcome::CheckFailed })
}

/// `runs/<system>-<UTC time>`.
fn default_dir(args: &Run) -> PathBuf {
    let system = args.system.clone().unwrap_or_else(|| host::system_id(&host::facts(args.measuring.cpu)));
    Path::new("runs").join(format!("{system}-{}", ngcc_lab::utc_stamp()))
}
