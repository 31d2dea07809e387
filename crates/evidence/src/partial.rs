//! `records/<id>/<label>__<operation>.partial.json`: what is done of an operation that is not finished.

use serde::{Deserialize, Serialize};

use crate::{Memory, OperationPlan, Profile, Record, Trial};

/// Finished parts of an unfinished operation, kept so that a stopped campaign measures nothing twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialRecord {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// SHA-256 (hex) of this file's content with an empty seal.
    pub seal: String,
    /// Submission id.
    pub submission: String,
    /// Name in files and tables.
    pub label: String,
    /// Operation.
    pub operation: String,
    /// Start, UTC, RFC 3339 to the second.
    pub started_utc: String,
    /// The plan, made at calibration.
    pub plan: OperationPlan,
    /// Finished trials, in order.
    pub trials: Vec<Trial>,
    /// Once measured.
    pub memory: Option<Memory>,
    /// Once measured.
    pub profile: Option<Profile>,
}

/// What a record holds besides its verdict: a failed one is gone on with from here.
impl From<Record> for PartialRecord {
    fn from(record: Record) -> Self {
        Self {
            schema: record.schema,
            seal: String::new(),
            submission: record.submission,
            label: record.label,
            operation: record.operation,
            started_utc: record.started_utc,
            plan: record.plan,
            trials: record.trials,
            memory: record.memory,
            profile: record.profile,
        }
    }
}
