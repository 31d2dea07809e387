//! `records/<id>/<label>__<operation>.json`: the raw samples of one operation and what follows from them.

use serde::{Deserialize, Serialize};

use crate::{HostState, InputMode};

/// Everything measured about one operation of one label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// SHA-256 (hex) of this file's content with an empty seal.
    pub seal: String,
    /// Whether every planned trial is there.
    pub status: Status,
    /// Why not; a failed record is measured again on resume.
    pub failure: Option<Failure>,
    /// Submission id.
    pub submission: String,
    /// Parameter set.
    pub instance: String,
    /// Back-end that ran.
    pub variant: String,
    /// Name in files and tables.
    pub label: String,
    /// `keygen`, `sign`, `verify`, `enc`, `dec`.
    pub operation: String,
    /// KAT status of the label when it was measured.
    pub kat: String,
    /// SHA-256 (hex) of the executable that ran.
    pub executable_sha256: String,
    /// SHA-256 (hex) of the shared library of the same code, if it was found.
    pub library_sha256: Option<String>,
    /// How many calls were planned, and from what.
    pub plan: OperationPlan,
    /// Start, UTC, RFC 3339 to the second.
    pub started_utc: String,
    /// End.
    pub ended_utc: String,
    /// Trials in the order they ran, disturbed ones included.
    pub trials: Vec<Trial>,
    /// What follows from the undisturbed trials; absent in a failed record.
    pub statistics: Option<Statistics>,
    /// Resident memory in a fresh process.
    pub memory: Option<Memory>,
    /// Time in the ICCS functions, on the inputs of the timing.
    pub profile: Option<Profile>,
}

/// Whether a record is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Measured as planned.
    Complete,
    /// The worker died, hung or gave a wrong result.
    Failed,
}

/// Why a record failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// `calibrate`, `measure`, `memory`, `profile`.
    pub stage: String,
    /// One sentence.
    pub message: String,
    /// Last part of what the worker printed, as data.
    pub output: String,
}

/// Plan of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationPlan {
    /// Trials.
    pub trials: u32,
    /// Timed calls of each trial.
    pub calls_per_trial: u32,
    /// Untimed calls before them.
    pub warmups: u32,
    /// Distinct inputs of each trial; later calls use them again in turn.
    pub distinct_per_trial: u32,
    /// Where they come from.
    pub inputs: InputMode,
    /// What the plan was made from.
    pub calibration: Calibration,
    /// Calls of one stretch between two probes of the core clock; the last stretch of a trial may be shorter.
    pub calls_per_stretch: u32,
}

/// The calls that the plan was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Calls made.
    pub calls: u32,
    /// Seconds per call, median.
    pub seconds_per_call: f64,
    /// Seconds to make one input (a key, a signature, a ciphertext).
    pub seconds_per_input: f64,
}

/// One trial: one seed, one key, one worker process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Position among the trials of the record, from 0.
    pub index: u32,
    /// Seed of the trial's DRNG (key, signing randomness), hex.
    pub seed: String,
    /// Seed of the trial's messages, hex; absent where the operation has none.
    pub message_seed: Option<String>,
    /// SHA-256 (hex) over the public key and every input, in order.
    pub inputs_sha256: String,
    /// SHA-256 (hex) over every output of the timed calls, in order.
    pub outputs_sha256: String,
    /// Distinct inputs among the calls.
    pub distinct_inputs: u32,
    /// Ticks of each timed call, timing overhead included.
    pub ticks: Vec<u64>,
    /// Ticks of an empty timed call (median).
    pub overhead_ticks: u64,
    /// Cycles of each timed call from the hardware counter, where it opened.
    pub cycles: Option<Vec<u64>>,
    /// The clock during this trial.
    pub clock: ClockReading,
    /// Why the trial does not count, by rule; absent if it counts.
    pub disturbed: Option<String>,
    /// What was checked.
    pub checks: Checks,
    /// Host state before the timed calls.
    pub before: HostState,
    /// Host state after them.
    pub after: HostState,
    /// Wall seconds of the worker, set-up included.
    pub wall_s: f64,
    /// Cycles of an empty timed call (median), where the hardware counter opened.
    pub overhead_cycles: Option<u64>,
}

/// Where core cycles come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CycleSource {
    /// The kernel's hardware event "CPU cycles", user mode.
    HardwareCounter,
    /// Time multiplied by a core clock that a chain of dependent multiplications gave during the trial.
    MultiplicationChain,
}

/// The clocks of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockReading {
    /// Where core cycles come from.
    pub source: CycleSource,
    /// `tsc`, `cntvct` or `monotonic-raw`.
    pub tick_source: String,
    /// Ticks per second.
    pub tick_hz: f64,
    /// Stretches of consecutive calls, each with the core clock that the probes on both its sides gave.
    pub segments: Vec<Segment>,
    /// Relative half-width of the spread of the probes: the uncertainty of a cycle count.
    pub uncertainty: f64,
    /// Rounds of the probe of independent instructions per core cycle on a quiet core: the most that workers of this
    /// campaign had seen.
    pub quiet_width: f64,
}

/// Consecutive calls under one core clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Calls.
    pub calls: u32,
    /// Core clock, Hz.
    pub core_hz: f64,
    /// Difference of the probes before and after, relative to the faster one.
    pub clock_change: f64,
    /// Seconds that the worker was off the processor during the calls; the longest of them had it, and statistics take it
    /// away from them ([`crate::call_seconds`]).
    pub lost_s: f64,
    /// How often the stretch was timed; only the last time is recorded.
    pub attempts: u32,
    /// How much slower than on a quiet core independent instructions ran, relative: the slower of the probes before and
    /// after.
    pub slowdown: f64,
}

/// What was checked of the timed calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Calls whose status was success: all of them in a valid trial.
    pub succeeded: u32,
    /// Calls whose result was checked beyond the status (signature verified, secret equal).
    pub results_checked: u32,
}

/// What follows from the undisturbed trials of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Timed calls.
    pub samples: u64,
    /// Distinct inputs among them.
    pub distinct_inputs: u64,
    /// Trials that count.
    pub trials: u32,
    /// Trials that were disturbed.
    pub disturbed: u32,
    /// Where core cycles come from.
    pub source: CycleSource,
    /// Uncertainty of the core clock, relative: the largest of the trials.
    pub clock_uncertainty: f64,
    /// Core cycles per call, timing overhead subtracted.
    pub core_cycles: Distribution,
    /// Seconds per call, timing overhead subtracted.
    pub seconds: Distribution,
    /// Median over trials of the mean seconds per call.
    pub median_trial_seconds: f64,
    /// Calls per second: the inverse of the mean.
    pub operations_per_second: f64,
    /// Whether at least 100 calls had distinct inputs.
    pub guide_100_met: bool,
}

/// A distribution over calls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Arithmetic mean.
    pub mean: f64,
    /// 95 % bootstrap interval of the mean (trials, then calls within them, are resampled).
    pub ci95: [f64; 2],
    /// Standard deviation over calls.
    pub std_dev: f64,
    /// Smallest call.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Largest call.
    pub max: f64,
}

/// Resident memory of a fresh worker process, as the published pages define it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// High-water mark after set-up (keys and inputs made), before the operation, bytes.
    pub baseline_rss_bytes: u64,
    /// High-water mark after the operation, bytes.
    pub peak_rss_bytes: u64,
}

/// Time spent in the ICCS functions, measured on the inputs of the timing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Operations profiled.
    pub operations: u64,
    /// Ticks of all of them.
    pub total_ticks: u64,
    /// One row per function that was called.
    pub rows: Vec<ProfileRow>,
    /// Share of pseudohash, pseudoXOF and sm3hash, 0..1.
    pub hash_share: f64,
    /// Share of the DRNG, 0..1.
    pub drng_share: f64,
    /// Ticks that recording one call took; already subtracted from all ticks here.
    pub recording_ticks: u64,
}

/// Calls of one ICCS function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileRow {
    /// `drng`, `pseudoXOF`, `pseudohash`, `sm3hash`.
    pub function: String,
    /// Outermost calls.
    pub calls: u64,
    /// Their ticks.
    pub ticks: u64,
    /// Ticks over `total_ticks`.
    pub share: f64,
}
