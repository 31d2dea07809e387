//! What can go wrong in the laboratory, and what to do about it.

use std::io;
use std::path::PathBuf;

use ngcc_evidence::StoreError;

/// Work that could not be done. A measured operation that fails is no such error: it becomes a failed record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The run directory.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The worker program cannot be read.
    #[error("cannot read {}: {reason}; it is the program that measures", path.display())]
    Program {
        /// The executable.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// A resumed campaign was measured with other code.
    #[error("the campaign in {} was measured by another build of this program; resume it with that build, or start a new campaign", dir.display())]
    OtherExecutable {
        /// The run directory.
        dir: PathBuf,
    },
    /// A resumed campaign was planned for a processor that is not to be used now.
    #[error("the campaign in {} runs on processor {planned}, which is not allowed here; start it where it is, or start a new campaign", dir.display())]
    OtherProcessor {
        /// The run directory.
        dir: PathBuf,
        /// The processor of the campaign.
        planned: u32,
    },
    /// A label of the campaign that this program or machine does not have.
    #[error(
        "this program has no instance {label} that runs on this machine; resume the campaign where it was started"
    )]
    UnknownLabel {
        /// `id/label`.
        label: String,
    },
    /// An instance without facts.
    #[error("there are no facts about {instance}; add it to submissions/{submission}.toml")]
    NoFacts {
        /// Submission id.
        submission: String,
        /// `id/instance`.
        instance: String,
    },
    /// Nothing was selected.
    #[error("nothing is selected to be measured")]
    Nothing,
    /// The processor cannot be used.
    #[error("processor {cpu} is not allowed to this process; the processors allowed are {allowed}")]
    Processor {
        /// The wanted processor.
        cpu: u32,
        /// Those that are allowed.
        allowed: String,
    },
    /// Stopped by the user.
    #[error("stopped")]
    Stopped,
}
