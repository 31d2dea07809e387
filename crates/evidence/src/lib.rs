//! The evidence of a campaign: what a run directory holds, as types.
//!
//! The laboratory writes these files, the validator recomputes them, and the report reads nothing else. This crate
//! knows no clock and no implementation, so whatever depends on it alone cannot measure.
//!
//! ```text
//! RUN/
//!   campaign.json                            plan, host, submissions            [`Campaign`]
//!   build.json                               libraries, compilers, KAT verdicts [`Build`]
//!   kat/<id>/<label>/KAT_SIG_<name>.txt      generated KAT texts
//!   records/<id>/<label>__<operation>.json   raw samples and statistics         [`Record`]
//!   site/                                    pages made by `ngcc report`
//! ```

mod build;
mod campaign;
mod published;
mod record;
mod submission;

pub use build::{Build, BuildEntry, KatResult, Library};
pub use campaign::{Campaign, Host, HostState, InputMode, NoiseRules, Plan, Tool};
pub use published::{Published, PublishedPage, PublishedPerformance, PublishedResource, PublishedSizes};
pub use record::{
    Calibration, Checks, ClockReading, CycleSource, Distribution, Failure, Memory, OperationPlan, Profile,
    ProfileRow, Record, Segment, Statistics, Status, Trial,
};
pub use submission::{KatNote, Links, SizeBasis, Submission, SubmissionInstance, Survey};

/// Version of every file of a run directory; a reader refuses others.
pub const SCHEMA: u32 = 1;
