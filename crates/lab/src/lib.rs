//! The laboratory: runs implementations in worker processes, verifies and measures them, and writes evidence.
//!
//! [`campaign::run`] does all phases over a run directory and can be stopped and resumed; [`campaign::bench`] measures
//! without writing; [`kat`] runs a known-answer test. Measured code runs in workers: processes of the same executable
//! that [`worker::main`] serves.

pub mod campaign;
mod clock;
pub mod elf;
mod error;
mod event;
pub mod host;
mod judge;
mod known_answers;
mod measure;
pub mod plan;
mod protocol;
mod subject;
mod target;
mod task;
pub mod worker;

use std::time::SystemTime;

use rustix::thread::{CpuSet, sched_getaffinity};

pub use clock::ClockFacts;
pub use error::LabError;
pub use event::{Event, Phase};
pub use known_answers::kat;
pub use target::{Lab, Program, StopFlag, Target};

/// Now, UTC, RFC 3339 to the second.
#[must_use]
pub fn utc_now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// Now, UTC, as `20261201T031500Z`: fit for a file name.
#[must_use]
pub fn utc_stamp() -> String {
    utc_now().replace(['-', ':'], "")
}

/// The processor that workers are pinned to: the wanted one, or the last that is allowed to this process.
///
/// `None` where the system does not say which are allowed.
fn pin(wanted: Option<u32>) -> Result<Option<u32>, LabError> {
    let Ok(set) = sched_getaffinity(None) else { return Ok(wanted) };
    let allowed: Vec<u32> = (0..CpuSet::MAX_CPU)
        .filter(|cpu| set.is_set(*cpu))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect();
    match wanted {
        None => Ok(allowed.last().copied()),
        Some(cpu) if allowed.contains(&cpu) => Ok(Some(cpu)),
        Some(cpu) => {
            let allowed = allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            Err(LabError::Processor { cpu, allowed })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_utc() {
        assert_eq!(utc_now().len(), "2026-12-01T03:15:00Z".len());
        assert_eq!(utc_stamp().len(), "20261201T031500Z".len());
    }

    #[test]
    fn a_processor_must_be_allowed() {
        let last = pin(None).unwrap();
        assert_eq!(pin(last).unwrap(), last);
        let error = pin(Some(100_000)).unwrap_err().to_string();
        assert!(error.contains("allowed are"), "{error}");
    }
}
