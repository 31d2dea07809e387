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
//!   records/<id>/….partial.json               an operation that is not finished  [`PartialRecord`]
//!   site/                                    pages made by `ngcc report`
//! ```

mod build;
mod campaign;
mod check;
mod derive;
mod error;
mod json;
mod partial;
mod published;
mod record;
pub mod stats;
mod store;
mod submission;
mod validate;
mod validate_record;

pub use build::{Build, BuildEntry, KatResult, Library};
pub use campaign::{Campaign, Host, HostState, InputMode, NoiseRules, Plan, Tool};
pub use check::SubmissionError;
pub use derive::{
    ENOUGH_UNDISTURBED, POOL, SeedUse, call_cycles, call_seconds, counting, disturbance, guide_seed,
    needs_pool, plan_operation, precision, profile, statistics, trial_seed,
};
pub use error::StoreError;
pub use json::{Sealed, seal_of, sha256_hex};
pub use partial::PartialRecord;
pub use published::{Published, PublishedPage, PublishedPerformance, PublishedResource, PublishedSizes};
pub use record::{
    Calibration, Checks, ClockReading, CycleSource, Distribution, Failure, Memory, OperationPlan, Profile,
    ProfileRow, Record, Segment, Statistics, Status, Trial,
};
pub use store::{Loaded, MAX_FILE_BYTES, Store, check_name, record_path};
pub use submission::{KatNote, Links, SizeBasis, Submission, SubmissionInstance, Survey};
pub use validate::{Finding, kat_digest, validate};

/// Version of every file of a run directory; a reader refuses others.
pub const SCHEMA: u32 = 1;
