//! Known-answer tests: the worker generates the text, the judge digests and compares it.

use std::time::Duration;

use ngcc_evidence::{KatResult, kat_digest};
use ngcc_kat::{RECORDS, Status};

use crate::clock::monotonic_s;
use crate::judge::{Worker, WorkerError, WorkerFailure};
use crate::protocol::{Reply, Request, Subject};
use crate::{Lab, LabError, StopFlag, Target, pin};

/// Seconds that one record may take.
const RECORD_LIMIT: Duration = Duration::from_secs(900);

/// Largest text that is taken from a worker, bytes.
const MAX_TEXT: usize = 128 << 20;

/// Runs the known-answer test of a target in a worker. `sink` gets the number and the text of each record as it comes.
///
/// The verdict is that of [`RECORDS`] records against the digest in the submission's facts; with another number of
/// records there is nothing to compare with, and the status is `NOKAT`. Whatever is wrong with the implementation is in
/// the result, a dead worker (`CRASH`) and a hung one (`TIMEOUT`) included.
///
/// # Errors
/// [`LabError::Stopped`] after Ctrl-C; [`LabError::Processor`].
pub fn kat(
    lab: &Lab<'_>,
    target: Target,
    records: u32,
    sink: &mut dyn FnMut(u32, &str),
    stop: &StopFlag,
) -> Result<KatResult, LabError> {
    let cpu = pin(lab.cpu)?;
    let start = monotonic_s();
    let mut text = String::new();
    let mut done = 0;
    let ended = generate(lab, target, records, cpu, stop, &mut |count, record| {
        text.push_str(record);
        done += 1;
        sink(count, record);
        text.len() <= MAX_TEXT
    });
    let expected = lab.facts(target.instance).and_then(|f| f.kat_sha256.clone());
    let digest = (done > 0).then(|| kat_digest(text.as_bytes()));
    let (status, detail) = match ended {
        Ok(Ended::Stopped) => return Err(LabError::Stopped),
        Ok(Ended::Whole) => verdict(records, digest.as_deref(), expected.as_deref()),
        Ok(Ended::Early(status, why)) => {
            (status, Some(format!("{why} ({done} of {records} records were made)")))
        }
        Err(failure) => failed(&failure, done, records),
    };
    Ok(KatResult {
        status: status.to_string(),
        records: done,
        digest,
        expected,
        text: None,
        detail,
        seconds: monotonic_s() - start,
    })
}

enum Ended {
    Whole,
    Early(Status, String),
    Stopped,
}

fn generate(
    lab: &Lab<'_>,
    target: Target,
    records: u32,
    cpu: Option<u32>,
    stop: &StopFlag,
    sink: &mut dyn FnMut(u32, &str) -> bool,
) -> Result<Ended, WorkerFailure> {
    let mut worker = Worker::start(lab.program, cpu)?;
    let subject = Subject {
        submission: target.instance.submission.to_owned(),
        instance: target.instance.name.to_owned(),
        backend: target.backend.name().to_owned(),
        operation: None,
    };
    worker.send(Request::Kat { subject, records })?;
    let mut next = 0;
    loop {
        match worker.answer(RECORD_LIMIT)? {
            Reply::KatRecord { count, text } if count == next && count < records => {
                next += 1;
                if !sink(count, &text) {
                    return Ok(Ended::Early(
                        Status::Overflow,
                        format!("the text is longer than {MAX_TEXT} bytes"),
                    ));
                }
                if stop.is_stopped() {
                    return Ok(Ended::Stopped);
                }
            }
            Reply::KatEnd { failure: None } if next == records => return Ok(Ended::Whole),
            Reply::KatEnd { failure: Some((status, why)) } => {
                return Ok(Ended::Early(status.parse().unwrap_or(Status::CryptoFail), why));
            }
            other => return Err(worker.unexpected(&other)),
        }
    }
}

fn verdict(records: u32, digest: Option<&str>, expected: Option<&str>) -> (Status, Option<String>) {
    match (digest, expected) {
        (Some(digest), Some(expected)) if records == RECORDS => {
            if digest == expected {
                (Status::Pass, None)
            } else {
                let detail = format!("the digest of the text is {digest}, the submitted one {expected}");
                (Status::Mismatch, Some(detail))
            }
        }
        (_, None) => (Status::NoKat, Some("no digest of a submitted text is known".to_owned())),
        _ => (Status::NoKat, Some(format!("the known digest covers {RECORDS} records, {records} were made"))),
    }
}

fn failed(failure: &WorkerFailure, done: u32, records: u32) -> (Status, Option<String>) {
    let status = match failure.error {
        WorkerError::Hung(_) => Status::Timeout,
        WorkerError::Start(_) => Status::LoadFail,
        _ => Status::Crash,
    };
    let mut detail = format!("{} ({done} of {records} records were made)", failure.error);
    if !failure.output.is_empty() {
        detail.push_str("; it printed: ");
        detail.push_str(&failure.output);
    }
    (status, Some(detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        assert_eq!(verdict(RECORDS, Some("a"), Some("a")), (Status::Pass, None));
        assert_eq!(verdict(RECORDS, Some("a"), Some("b")).0, Status::Mismatch);
        assert_eq!(verdict(RECORDS, Some("a"), None).0, Status::NoKat);
        assert_eq!(verdict(RECORDS - 1, Some("a"), Some("a")).0, Status::NoKat);
        assert_eq!(verdict(0, None, Some("a")).0, Status::NoKat);
    }
}
