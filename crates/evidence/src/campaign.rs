//! `campaign.json`: what was planned, where it ran, and the facts about the submissions.

use serde::{Deserialize, Serialize};

use crate::Submission;

/// A measuring campaign: one run directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// SHA-256 (hex) of this file's content with an empty seal.
    pub seal: String,
    /// The program that measured.
    pub tool: Tool,
    /// System id on pages, `x86_1`; never a bare host name.
    pub system: String,
    /// Start, UTC, RFC 3339 to the second.
    pub started_utc: String,
    /// End of the last phase, absent while the campaign is unfinished.
    pub ended_utc: Option<String>,
    /// Host facts when the campaign started.
    pub host: Host,
    /// The rules and constants of the campaign.
    pub plan: Plan,
    /// Labels to be measured as `id/label`, in page order: completeness is judged against this list.
    pub labels: Vec<String>,
    /// Facts about each submission, as its TOML gave them when the campaign started.
    pub submissions: Vec<Submission>,
}

/// The measuring program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `ngcc-lab`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Compiler that built it, `rustc 1.95.0 (...)`.
    pub compiler: String,
    /// Build profile and flags that matter for speed.
    pub flags: String,
    /// SHA-256 (hex) of the executable.
    pub executable_sha256: String,
}

/// Where the inputs of the timed calls come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputMode {
    /// Each trial has its own recorded seed, key and messages.
    Fresh,
    /// The public harness's fixed inputs: DRNG seed bytes 00..2f, message byte i = (131 i + 64) mod 256.
    Guide,
}

/// Rules and constants of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Whether `--quick` shortened the trials.
    pub quick: bool,
    /// Where inputs come from.
    pub inputs: InputMode,
    /// Root of all trial seeds, 32 bytes hex.
    pub root_seed: String,
    /// Trials of each operation, at least 5 where affordable.
    pub trials: u32,
    /// Wanted seconds of measured calls per trial.
    pub trial_target_s: f64,
    /// Seconds of measured calls that one operation may take over all trials.
    pub operation_budget_s: f64,
    /// Calls on distinct inputs wanted per operation (the guide asks for 100).
    pub min_distinct: u32,
    /// Most calls of one trial.
    pub max_calls_per_trial: u32,
    /// Disturbed trials that are repeated, per operation.
    pub max_replacements: u32,
    /// Bootstrap resamples of every interval.
    pub bootstrap_resamples: u32,
    /// Wanted half-width of the 95 % interval of the mean time, relative to it: trials are added until it is met.
    pub target_half_width: f64,
    /// Trials that may be added to meet it, per operation.
    pub max_extra_trials: u32,
    /// When a stretch of calls is timed again and a trial does not count.
    pub rules: NoiseRules,
}

/// When a stretch of calls is timed again, and when a trial does not count.
///
/// A stretch is a run of consecutive calls between two probes of the core clock. A stretch that was interrupted is timed
/// again *on the same inputs*, so that nothing is selected by its own cost. What is still interrupted after the last
/// attempt counts, and decides whether the trial is disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseRules {
    /// Wanted length of a stretch, seconds; a longer call is a stretch of its own.
    pub stretch_s: f64,
    /// Times that an interrupted stretch is timed at most. Timing again ends, too, when it took four times the planned
    /// time of the trial.
    pub max_attempts: u32,
    /// A stretch is interrupted if the worker was off the processor for more than this share of its time; a trial is
    /// disturbed if it was so over all its stretches.
    pub lost_share: f64,
    /// A stretch is interrupted if the clock probes before and after it differ by more than this, relative to the
    /// faster one.
    pub clock_change: f64,
    /// A trial is disturbed if stretches with a changed clock or on a slowed core took more than this share of its time.
    pub changed_share: f64,
    /// A stretch is interrupted if independent instructions beside it ran slower than on a quiet core by more than this,
    /// relative: another thread uses the same core, be it a guest of the same host that this machine cannot see.
    pub slowdown: f64,
}

/// Facts about the machine. An absent value is a file that was missing or a call that was refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// `x86_64`, `aarch64`.
    pub architecture: String,
    /// Model name of the processor.
    pub cpu_model: Option<String>,
    /// Processor that the workers are pinned to.
    pub cpu_number: Option<u32>,
    /// Processors online.
    pub cpus_online: Option<u32>,
    /// Instruction-set extensions that the back-ends ask for and the processor has.
    pub cpu_features: Vec<String>,
    /// Hypervisor, `KVM`, or `none` where the processor says so.
    pub hypervisor: Option<String>,
    /// Installed memory, bytes.
    pub memory_bytes: Option<u64>,
    /// Operating system, `Debian GNU/Linux 12 (bookworm)`.
    pub os: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// C compiler found on the path, first line of its version.
    pub c_compiler: Option<String>,
    /// cpufreq governor of the pinned processor.
    pub governor: Option<String>,
    /// cpufreq driver.
    pub frequency_driver: Option<String>,
    /// Lowest and highest frequency allowed, Hz.
    pub frequency_limits_hz: Option<[u64; 2]>,
    /// Whether turbo or boost is on.
    pub turbo: Option<bool>,
    /// `/sys/devices/system/cpu/smt/control`.
    pub smt: Option<String>,
    /// Kernel command line switches that matter: isolcpus, nohz_full, mitigations.
    pub kernel_switches: Vec<String>,
    /// Microcode revision.
    pub microcode: Option<String>,
    /// `/proc/sys/kernel/perf_event_paranoid`.
    pub perf_event_paranoid: Option<i32>,
    /// Whether the hardware cycle counter opened.
    pub cycle_counter: bool,
    /// Time-stamp ticks per second, and what ticks.
    pub tick_hz: Option<f64>,
    /// Core clock at the start, Hz, with its relative uncertainty.
    pub core_hz: Option<f64>,
    /// Relative half-width of the spread of `core_hz`.
    pub core_hz_uncertainty: Option<f64>,
    /// What makes numbers from this host weaker, one clear sentence each.
    pub caveats: Vec<String>,
}

/// State of the host around a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostState {
    /// Load average over one minute.
    pub load1: Option<f64>,
    /// Jiffies stolen by the hypervisor since boot, all processors.
    pub steal_jiffies: Option<u64>,
    /// Involuntary context switches of the worker.
    pub involuntary_switches: Option<u64>,
    /// Page faults of the worker (minor).
    pub minor_faults: Option<u64>,
    /// Frequency that cpufreq reports, Hz.
    pub frequency_hz: Option<u64>,
    /// Hottest thermal zone, millidegrees Celsius.
    pub temperature_mc: Option<i64>,
}

impl Campaign {
    /// The labels as (submission, label), in page order; one without a slash has an empty submission.
    pub fn split_labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.labels.iter().map(|l| l.split_once('/').unwrap_or(("", l)))
    }

    /// The operations of a submission's kind, in page order; none for a submission that the campaign does not know.
    #[must_use]
    pub fn operations(&self, submission: &str) -> &'static [&'static str] {
        let kind = self.submissions.iter().find(|s| s.id == submission).map(|s| s.kind.as_str());
        match kind {
            Some("signature") => &["keygen", "sign", "verify"],
            Some("kem") => &["keygen", "enc", "dec"],
            _ => &[],
        }
    }
}
