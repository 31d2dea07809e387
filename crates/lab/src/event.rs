//! What long work says while it goes on.

use std::fmt;

use ngcc_api::Operation;
use ngcc_evidence::{KatResult, Record, Trial};

/// A part of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Known-answer tests.
    Kat,
    /// A few calls of each operation, from which its trials are planned.
    Calibrate,
    /// The trials.
    Measure,
    /// Resident memory in fresh processes.
    Memory,
    /// Time in the ICCS functions.
    Profile,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kat => "KAT",
            Self::Calibrate => "calibrate",
            Self::Measure => "measure",
            Self::Memory => "memory",
            Self::Profile => "profile",
        })
    }
}

/// Something happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A phase begins.
    PhaseStarted {
        /// Which.
        phase: Phase,
        /// Steps that it has, as far as is known.
        steps: u64,
    },
    /// A step begins.
    StepStarted {
        /// Of which phase.
        phase: Phase,
        /// Submission id.
        submission: &'a str,
        /// Label.
        label: &'a str,
        /// Operation; none in a known-answer test.
        operation: Option<Operation>,
    },
    /// More steps came to be needed: disturbed trials are replaced, wide intervals need more trials.
    StepsAdded {
        /// In which phase.
        phase: Phase,
        /// How many.
        steps: u64,
    },
    /// A step is done, or was given up with its operation.
    StepDone {
        /// Of which phase.
        phase: Phase,
    },
    /// A phase is done.
    PhaseDone {
        /// Which.
        phase: Phase,
    },
    /// A known-answer test has its verdict.
    Kat {
        /// Submission id.
        submission: &'a str,
        /// Label.
        label: &'a str,
        /// The verdict.
        result: &'a KatResult,
    },
    /// A trial is done and, in a campaign, written.
    Trial {
        /// Submission id.
        submission: &'a str,
        /// Label.
        label: &'a str,
        /// Operation.
        operation: Operation,
        /// The trial.
        trial: &'a Trial,
    },
    /// A record is complete or failed and, in a campaign, written.
    Record {
        /// The record.
        record: &'a Record,
    },
}
