//! `ngcc kat`: known-answer tests.

use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use ngcc_api::Instance;
use ngcc_evidence::KatResult;
use ngcc_kat::{Comparison, Limits, RECORDS, Reader, Status, Verdict, file_name, result_line};

use crate::args::Kat;
use crate::builtin::REGISTRY;
use crate::output::{Outcome, Usage, print_line};
use crate::progress::Progress;
use crate::select::{full_name, select};
use crate::session::{Session, target};

/// Runs the known-answer test of every selected instance and prints a line each.
pub(crate) fn kat(args: &Kat) -> Result<Outcome> {
    let instances = select(&REGISTRY, &args.selection.patterns)?;
    if let (Some(file), false) = (&args.file, instances.len() == 1) {
        return Err(Usage(format!(
            "--file compares one instance with {}, and {} are selected; name one, such as {}",
            file.display(),
            instances.len(),
            instances.first().map_or_else(String::new, |i| full_name(i)),
        ))
        .into());
    }
    let session = Session::start(None)?;
    let mut outcome = Outcome::Success;
    for instance in instances {
        if session.stop.is_stopped() {
            return Ok(Outcome::Interrupted);
        }
        let (result, text) = generate(&session, instance, args)?;
        if let Some(dir) = &args.out {
            write_text(dir, instance, session.kat_name(instance), &text)?;
        }
        let (status, detail) = match &args.file {
            None => (result.status.clone(), result.detail.unwrap_or_default()),
            Some(file) => {
                let verdict = compare(instance, &text, file)?;
                (verdict.status.to_string(), verdict.to_string())
            }
        };
        let status: Status = status.parse().with_context(|| format!("the laboratory answered '{status}'"))?;
        print_line(result_line(instance.submission, instance.name, status, &detail))?;
        if status != Status::Pass {
            outcome = Outcome::CheckFailed;
        }
    }
    Ok(outcome)
}

/// Generates the text of an instance in a worker, with a bar of its records.
fn generate(session: &Session, instance: &'static Instance, args: &Kat) -> Result<(KatResult, String)> {
    let mut progress = Progress::new();
    progress.phase("KAT", RECORDS.into());
    progress.step(full_name(instance));
    let mut text = String::new();
    let mut sink = |_: u32, record: &str| {
        text.push_str(record);
        progress.advance();
    };
    let target = target(instance, args.variant);
    let result = ngcc_lab::kat(&session.lab(), target, RECORDS, &mut sink, &session.stop)?;
    Ok((result, text))
}

/// Compares a generated text with a file from outside.
fn compare(instance: &Instance, text: &str, file: &Path) -> Result<Verdict> {
    let reference = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let in_file = || format!("{} cannot be used as a KAT file", file.display());
    let kind = instance.kind();
    let mut comparison = Comparison::with_text(kind, BufReader::new(reference), Limits::default());
    for record in Reader::new(kind, text.as_bytes(), Limits::default()) {
        comparison.push(&record.context("the generated text cannot be read")?).with_context(in_file)?;
    }
    comparison.finish().with_context(in_file)
}

/// Writes `DIR/<id>/<instance>/KAT_SIG_<name>.txt`, whole or not at all.
fn write_text(dir: &Path, instance: &Instance, name: &str, text: &str) -> Result<()> {
    let folder = dir.join(instance.submission).join(instance.name);
    let path = folder.join(file_name(instance.kind(), name));
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(&folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(&path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
