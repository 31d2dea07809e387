//! What follows from raw samples: statistics of a record, disturbed trials, plans, profile shares.
//!
//! The laboratory calls these functions to write a record and the validator calls them to check it.

use crate::json::sha256_hex;
use crate::stats::{distribution, mean, median, relative_half_width};
use crate::{
    Calibration, ClockReading, CycleSource, InputMode, NoiseRules, OperationPlan, Plan, Profile, ProfileRow,
    Statistics, Trial,
};

/// Undisturbed trials that are enough for statistics of their own; with fewer, disturbed trials count as well.
pub const ENOUGH_UNDISTURBED: usize = 3;

/// Distinct inputs of one trial of an operation whose inputs have to be made (verification, decapsulation).
pub const POOL: u32 = 64;

/// Seconds of one call below which three calls, or one call, warm up.
const WARM_THREE_S: f64 = 0.05;
const WARM_ONE_S: f64 = 5.0;

/// Shortest call that a plan reckons with, seconds.
const SHORTEST_CALL_S: f64 = 1e-8;

/// Whether an operation takes signatures or ciphertexts that have to be made before it is timed.
#[must_use]
pub fn needs_pool(operation: &str) -> bool {
    matches!(operation, "verify" | "dec")
}

/// The plan of an operation: calls from the wanted seconds per trial, bounded below by the wanted distinct inputs and
/// above by the budget.
#[must_use]
pub fn plan_operation(plan: &Plan, operation: &str, calibration: Calibration) -> OperationPlan {
    let t = calibration.seconds_per_call.max(SHORTEST_CALL_S);
    let budget = plan.operation_budget_s;
    let wanted = plan.trials.max(1);
    let affordable = (budget / t).floor().max(1.0);
    let trials = if f64::from(wanted) <= affordable { wanted } else { affordable as u32 };
    let per_trial_floor = plan.min_distinct.div_ceil(wanted).max(1);
    let mut calls =
        ((plan.trial_target_s / t).ceil() as u32).max(per_trial_floor).min(plan.max_calls_per_trial.max(1));
    if f64::from(trials) * f64::from(calls) * t > budget {
        calls = ((budget / (f64::from(trials) * t)).floor() as u32).max(1);
    }
    let warmups = if t < WARM_THREE_S { 3 } else { u32::from(t < WARM_ONE_S) };
    let distinct_per_trial = match (plan.inputs, needs_pool(operation)) {
        (_, false) => calls,
        (InputMode::Guide, true) => 1,
        (InputMode::Fresh, true) => {
            let affordable =
                (budget / f64::from(trials) / calibration.seconds_per_input.max(SHORTEST_CALL_S)) as u32;
            calls.min(POOL.max(per_trial_floor)).min(affordable.max(1))
        }
    };
    let calls_per_stretch = ((plan.rules.stretch_s / t).floor() as u32).clamp(1, calls);
    OperationPlan {
        trials,
        calls_per_trial: calls,
        warmups,
        distinct_per_trial,
        inputs: plan.inputs,
        calibration,
        calls_per_stretch,
    }
}

/// Why a trial does not count, by the rules; `None` if it counts.
#[must_use]
pub fn disturbance(ticks: &[u64], clock: &ClockReading, rules: &NoiseRules) -> Option<String> {
    let total: f64 = ticks.iter().map(|t| *t as f64 / clock.tick_hz).sum();
    let (mut lost, mut changed, mut rest) = (0.0, 0.0, ticks);
    for segment in &clock.segments {
        let (calls, tail) = rest.split_at((segment.calls as usize).min(rest.len()));
        rest = tail;
        lost += segment.lost_s;
        if segment.clock_change > rules.clock_change || segment.slowdown > rules.slowdown {
            changed += calls.iter().map(|t| *t as f64 / clock.tick_hz).sum::<f64>();
        }
    }
    if total <= 0.0 {
        return None;
    }
    if lost / total > rules.lost_share {
        return Some(format!("off the processor for {:.2} % of the timed seconds", 100.0 * lost / total));
    }
    if changed / total > rules.changed_share {
        return Some(format!(
            "the core clock changed, or another thread slowed the core, in {:.1} % of the timed seconds",
            100.0 * changed / total
        ));
    }
    None
}

/// The trials that count: the undisturbed ones if there are [`ENOUGH_UNDISTURBED`] of them or as many as were planned,
/// otherwise all.
#[must_use]
pub fn counting(trials: &[Trial], planned: u32) -> Vec<&Trial> {
    let undisturbed: Vec<&Trial> = trials.iter().filter(|t| t.disturbed.is_none()).collect();
    if undisturbed.len() >= ENOUGH_UNDISTURBED.min(planned.max(1) as usize) {
        undisturbed
    } else {
        trials.iter().collect()
    }
}

/// Seconds of each call, timing overhead subtracted.
///
/// While the worker is off the processor it does not run the operation: what a stretch lost is taken away from its
/// longest calls, the longest first, down to the median call of the stretch.
#[must_use]
pub fn call_seconds(trial: &Trial) -> Vec<f64> {
    let clock = &trial.clock;
    let mut seconds: Vec<f64> =
        trial.ticks.iter().map(|t| t.saturating_sub(trial.overhead_ticks) as f64 / clock.tick_hz).collect();
    let mut rest = seconds.as_mut_slice();
    for segment in &clock.segments {
        let (calls, tail) = rest.split_at_mut((segment.calls as usize).min(rest.len()));
        rest = tail;
        if segment.lost_s > 0.0 {
            take_lost(calls, segment.lost_s);
        }
    }
    seconds
}

/// Takes `lost` seconds away from the longest of `calls`, none of them below their median. A single call loses all.
fn take_lost(calls: &mut [f64], mut lost: f64) {
    if let [only] = calls {
        *only = (*only - lost).max(0.0);
        return;
    }
    let floor = median(calls);
    let mut order: Vec<usize> = (0..calls.len()).collect();
    order.sort_by(|a, b| calls[*b].total_cmp(&calls[*a]));
    for i in order {
        let taken = lost.min(calls[i] - floor);
        if taken <= 0.0 {
            break;
        }
        calls[i] -= taken;
        lost -= taken;
    }
}

/// Core cycles of each call, timing overhead subtracted: from the hardware counter where there was one, otherwise
/// seconds times the core clock of the call's stretch.
#[must_use]
pub fn call_cycles(trial: &Trial) -> Vec<f64> {
    if let (CycleSource::HardwareCounter, Some(cycles)) = (trial.clock.source, &trial.cycles) {
        let overhead = trial.overhead_cycles.unwrap_or(0);
        return cycles.iter().map(|c| c.saturating_sub(overhead) as f64).collect();
    }
    let clocks = trial.clock.segments.iter().flat_map(|s| std::iter::repeat_n(s.core_hz, s.calls as usize));
    call_seconds(trial).iter().zip(clocks).map(|(s, hz)| s * hz).collect()
}

/// The statistics of a record. `None` if no trial has a call.
#[must_use]
pub fn statistics(trials: &[Trial], plan: &OperationPlan, resamples: u32) -> Option<Statistics> {
    let counted = counting(trials, plan.trials);
    let source = counted.first()?.clock.source;
    let clock_uncertainty = counted.iter().map(|t| t.clock.uncertainty).fold(0.0, f64::max);
    let relative_error = match source {
        CycleSource::HardwareCounter => 0.0,
        CycleSource::MultiplicationChain => clock_uncertainty,
    };
    let seconds: Vec<Vec<f64>> = counted.iter().map(|t| call_seconds(t)).collect();
    let cycles: Vec<Vec<f64>> = counted.iter().map(|t| call_cycles(t)).collect();
    let per_trial = counted.iter().map(|t| u64::from(t.distinct_inputs));
    let distinct_inputs = match plan.inputs {
        InputMode::Fresh => per_trial.sum(),
        // Every trial replays the same stream.
        InputMode::Guide => per_trial.max().unwrap_or(0),
    };
    let trial_means: Vec<f64> = seconds.iter().map(|s| mean(s)).collect();
    let seconds = distribution(&seconds, resamples, 0.0)?;
    Some(Statistics {
        samples: counted.iter().map(|t| t.ticks.len() as u64).sum(),
        distinct_inputs,
        trials: counted.len() as u32,
        disturbed: trials.iter().filter(|t| t.disturbed.is_some()).count() as u32,
        source,
        clock_uncertainty,
        core_cycles: distribution(&cycles, resamples, relative_error)?,
        median_trial_seconds: median(&trial_means),
        operations_per_second: if seconds.mean > 0.0 { 1.0 / seconds.mean } else { 0.0 },
        seconds,
        guide_100_met: distinct_inputs >= 100,
    })
}

/// The precision so far: half the width of the interval of the mean time over the trials that count, relative to it.
#[must_use]
pub fn precision(trials: &[Trial], planned: u32) -> f64 {
    relative_half_width(&counting(trials, planned).iter().map(|t| call_seconds(t)).collect::<Vec<_>>())
}

/// A profile from ticks that are already free of the recording's own; `rows` gives function, calls, ticks.
#[must_use]
pub fn profile(
    operations: u64,
    total_ticks: u64,
    recording_ticks: u64,
    rows: &[(String, u64, u64)],
) -> Profile {
    let share = |ticks: u64| if total_ticks == 0 { 0.0 } else { ticks as f64 / total_ticks as f64 };
    let sum = |drng: bool| rows.iter().filter(|r| (r.0 == "drng") == drng).map(|r| r.2).sum::<u64>();
    Profile {
        operations,
        total_ticks,
        rows: rows
            .iter()
            .map(|(function, calls, ticks)| ProfileRow {
                function: function.clone(),
                calls: *calls,
                ticks: *ticks,
                share: share(*ticks),
            })
            .collect(),
        hash_share: share(sum(false)),
        drng_share: share(sum(true)),
        recording_ticks,
    }
}

/// What a trial's seed is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedUse {
    /// The DRNG that keys and signing or encapsulation draw from.
    Drng,
    /// The messages to be signed.
    Messages,
}

/// The seed of a trial, 32 bytes in hex: SHA-256 over the campaign's root seed, use, submission, instance, operation and
/// trial number.
///
/// The back-end has no part in it: the variants of an instance are timed on the same inputs.
#[must_use]
pub fn trial_seed(
    root_seed: &str,
    purpose: SeedUse,
    submission: &str,
    instance: &str,
    operation: &str,
    index: u32,
) -> String {
    let purpose = match purpose {
        SeedUse::Drng => "drng",
        SeedUse::Messages => "messages",
    };
    sha256_hex(format!("{root_seed}\n{purpose}\n{submission}/{instance}\n{operation}\n{index}\n").as_bytes())
}

/// The seed that the public harness gives the DRNG, hex: bytes 00 to 2f.
#[must_use]
pub fn guide_seed() -> String {
    hex::encode((0..0x30).collect::<Vec<u8>>())
}
