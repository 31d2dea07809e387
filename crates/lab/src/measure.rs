//! What the worker does with an operation: calibrate, time, weigh, profile.

use std::fs;
use std::thread;
use std::time::Duration;

use iccs::profile::{self, Function};
use ngcc_api::{Backend, Instance, Operation};
use ngcc_evidence::stats::median;
use ngcc_evidence::{
    Calibration, Checks, ClockReading, CycleSource, Memory, NoiseRules, ProfileRow, Segment, Trial,
};

use crate::clock::{Clock, Probe, monotonic_s, processor_s, spread};
use crate::host;
use crate::protocol::{Inputs, ProfileCounts, TrialSpec};
use crate::subject::{Digests, Prepared, Timed, prepare};

/// Calibration ends after so many seconds of calls, or so many calls, but not before the least number.
const CALIBRATION_S: f64 = 0.05;
const CALIBRATION_MOST: usize = 100;
const CALIBRATION_LEAST: usize = 5;

/// A single call of so many seconds is calibration enough.
const CALIBRATION_LONG_S: f64 = 1.0;

/// Interrupted stretches are timed again for so many times the planned time of the trial at most, the time off the
/// processor apart.
const RETIMING_SHARE: f64 = 4.0;

/// Sleep before a stretch is timed again: who sleeps a little is given a whole slice of the processor on waking.
const RESPITE: Duration = Duration::from_millis(1);

/// Seconds and calls of a profile at most.
const PROFILE_S: f64 = 1.0;
const PROFILE_CALLS: f64 = 1000.0;

/// Times a few warm calls, and takes the width of the core.
pub(crate) fn calibrate(
    instance: &Instance,
    backend: Backend,
    operation: Operation,
    inputs: &Inputs,
) -> Result<(Calibration, f64), String> {
    let mut clock = Clock::new();
    let width = clock.width();
    let mut prepared = prepare(instance, backend, operation, inputs)?;
    let timed = prepared.timed.as_mut();
    let mut digests = Digests::default();
    let (mut seconds, mut total) = (Vec::new(), 0.0);
    while seconds.len() < CALIBRATION_LEAST || (total < CALIBRATION_S && seconds.len() < CALIBRATION_MOST) {
        let mut ticks = [0];
        timed.arm(1);
        let succeeded = clock.time_calls(&mut ticks, None, &mut |i| timed.call(i));
        check_status(succeeded, 1)?;
        timed.settle(&mut digests)?;
        let s = ticks[0] as f64 / clock.tick_hz;
        seconds.push(s);
        total += s;
        if total > CALIBRATION_LONG_S {
            break;
        }
    }
    let calls = seconds.len() as u32;
    if seconds.len() > 1 {
        // The first call finds nothing in the caches.
        seconds.remove(0);
    }
    let seconds_per_call = median(&seconds);
    Ok((Calibration { calls, seconds_per_call, seconds_per_input: prepared.seconds_per_input }, width))
}

fn check_status(succeeded: u32, calls: u32) -> Result<(), String> {
    if succeeded == calls {
        Ok(())
    } else {
        Err(format!("{} of {calls} timed calls returned an error", calls - succeeded))
    }
}

/// A stretch of calls, timed.
struct Stretch {
    ticks: Vec<u64>,
    cycles: Option<Vec<u64>>,
    segment: Segment,
    /// The probes of the core clock on both sides.
    probes: [Probe; 2],
    succeeded: u32,
}

impl Stretch {
    fn seconds(&self, tick_hz: f64) -> f64 {
        self.ticks.iter().sum::<u64>() as f64 / tick_hz
    }

    fn interrupted(&self, tick_hz: f64, rules: &NoiseRules) -> bool {
        self.segment.lost_s > rules.lost_share * self.seconds(tick_hz)
            || self.segment.clock_change > rules.clock_change
            || self.segment.slowdown > rules.slowdown
    }
}

/// Times `count` calls once, between two probes of the core clock.
fn stretch(clock: &mut Clock, timed: &mut dyn Timed, count: usize, quiet_width: f64) -> Stretch {
    let mut ticks = vec![0; count];
    let mut cycles = clock.counts_cycles().then(|| vec![0; count]);
    timed.arm(count);
    let before = clock.probe();
    timed.warm();
    let (processor, start) = (processor_s(), clock.ticks());
    let succeeded = clock.time_calls(&mut ticks, cycles.as_deref_mut(), &mut |i| timed.call(i));
    let (end, processor) = (clock.ticks(), processor_s() - processor);
    let after = clock.probe();
    let wall = end.saturating_sub(start) as f64 / clock.tick_hz;
    let segment = Segment {
        calls: count as u32,
        core_hz: (before.core_hz + after.core_hz) / 2.0,
        clock_change: (before.core_hz - after.core_hz).abs() / before.core_hz.max(after.core_hz),
        lost_s: (wall - processor).max(0.0),
        attempts: 1,
        slowdown: (quiet_width / before.width.min(after.width) - 1.0).max(0.0),
    };
    Stretch { ticks, cycles, segment, probes: [before, after], succeeded }
}

/// Times a trial, stretch by stretch. An interrupted stretch is timed again on the same inputs.
pub(crate) fn trial(
    instance: &Instance,
    backend: Backend,
    operation: Operation,
    inputs: &Inputs,
    spec: &TrialSpec,
) -> Result<Trial, String> {
    let started = monotonic_s();
    let mut clock = Clock::new();
    let mut prepared = prepare(instance, backend, operation, inputs)?;
    warm_up(&mut prepared, spec.warmups)?;
    let (overhead_ticks, overhead_cycles) = clock.overhead();
    let mut digests = Digests::default();
    sha2::Digest::update(&mut digests.inputs, &prepared.common_inputs);
    let timed = prepared.timed.as_mut();
    let mut run = Run::new(spec, &clock);
    let before = host::state();
    while run.left() > 0 {
        let count = run.left().min(spec.calls_per_stretch.max(1) as usize);
        let stretch = run.quiet_stretch(&mut clock, timed, count, spec);
        check_status(stretch.succeeded, count as u32)?;
        run.results_checked += timed.settle(&mut digests)?;
        run.keep(stretch);
    }
    let after = host::state();
    let calls = run.ticks.len() as u32;
    Ok(Trial {
        index: spec.index,
        seed: inputs.seed.clone(),
        message_seed: inputs.message_seed.clone(),
        inputs_sha256: hex::encode(sha2::Digest::finalize(digests.inputs)),
        outputs_sha256: hex::encode(sha2::Digest::finalize(digests.outputs)),
        distinct_inputs: prepared.pool.unwrap_or(calls),
        ticks: run.ticks,
        overhead_ticks,
        clock: ClockReading {
            source: match run.cycles {
                Some(_) => CycleSource::HardwareCounter,
                None => CycleSource::MultiplicationChain,
            },
            tick_source: clock.source_name().to_owned(),
            tick_hz: clock.tick_hz,
            segments: run.segments,
            uncertainty: spread(&run.probes),
            quiet_width: run.quiet_width,
        },
        cycles: run.cycles,
        disturbed: None,
        checks: Checks { succeeded: calls, results_checked: run.results_checked },
        before,
        after,
        wall_s: monotonic_s() - started,
        overhead_cycles,
    })
}

/// Untimed calls that draw from the same stream as the timed ones.
fn warm_up(prepared: &mut Prepared, calls: u32) -> Result<(), String> {
    if calls > 0 {
        prepared.timed.arm(calls as usize);
        let succeeded = (0..calls).filter(|i| prepared.timed.call(*i as usize)).count();
        check_status(succeeded as u32, calls)?;
        prepared.timed.settle(&mut Digests::default())?;
    }
    Ok(())
}

/// A trial so far.
struct Run {
    calls: usize,
    ticks: Vec<u64>,
    cycles: Option<Vec<u64>>,
    segments: Vec<Segment>,
    probes: Vec<f64>,
    /// Of the core: the most that was seen before this trial and in its set-up.
    quiet_width: f64,
    results_checked: u32,
    /// Seconds that timing again may still take.
    retiming_s: f64,
}

impl Run {
    fn new(spec: &TrialSpec, clock: &Clock) -> Self {
        let cycles = clock.counts_cycles();
        Self {
            calls: spec.calls as usize,
            ticks: Vec::with_capacity(spec.calls as usize),
            cycles: cycles.then(|| Vec::with_capacity(spec.calls as usize)),
            segments: Vec::new(),
            probes: Vec::new(),
            quiet_width: spec.quiet_width.max(clock.width()),
            results_checked: 0,
            retiming_s: RETIMING_SHARE * f64::from(spec.calls) * spec.seconds_per_call,
        }
    }

    fn left(&self) -> usize {
        self.calls - self.ticks.len()
    }

    fn quiet_stretch(
        &mut self,
        clock: &mut Clock,
        timed: &mut dyn Timed,
        count: usize,
        spec: &TrialSpec,
    ) -> Stretch {
        let mut attempts = 1;
        loop {
            let mut stretch = stretch(clock, timed, count, self.quiet_width);
            stretch.segment.attempts = attempts;
            let took = stretch.seconds(clock.tick_hz) - stretch.segment.lost_s;
            let again = attempts < spec.rules.max_attempts
                && stretch.succeeded == count as u32
                && took <= self.retiming_s
                && stretch.interrupted(clock.tick_hz, &spec.rules);
            if !again {
                return stretch;
            }
            self.retiming_s -= took;
            attempts += 1;
            thread::sleep(RESPITE);
        }
    }

    fn keep(&mut self, stretch: Stretch) {
        self.ticks.extend(stretch.ticks);
        if let (Some(all), Some(cycles)) = (&mut self.cycles, stretch.cycles) {
            all.extend(cycles);
        }
        self.segments.push(stretch.segment);
        self.probes.extend(stretch.probes.map(|p| p.core_hz));
    }
}

/// Resident memory of this process, which must be a fresh one: after set-up, and after one call.
pub(crate) fn memory(
    instance: &Instance,
    backend: Backend,
    operation: Operation,
    inputs: &Inputs,
) -> Result<Memory, String> {
    let mut prepared = prepare(instance, backend, operation, inputs)?;
    prepared.timed.arm(1);
    let baseline_rss_bytes = high_water_mark()?;
    check_status(u32::from(prepared.timed.call(0)), 1)?;
    let peak_rss_bytes = high_water_mark()?;
    prepared.timed.settle(&mut Digests::default())?;
    Ok(Memory { baseline_rss_bytes, peak_rss_bytes })
}

fn high_water_mark() -> Result<u64, String> {
    let status =
        fs::read_to_string("/proc/self/status").map_err(|e| format!("cannot read /proc/self/status: {e}"))?;
    host::status_field(&status, "VmHWM")
        .and_then(|kib| kib.checked_mul(1024))
        .ok_or_else(|| "the kernel gives no VmHWM in /proc/self/status".to_owned())
}

/// Counts and times the calls of the ICCS functions, on the inputs of the first trial.
///
/// Each stretch runs twice on the same inputs, without and with recording. The time without is the time of the
/// operations; the difference is what recording cost, and half of it is taken to lie within the recorded calls, which
/// begin and end with the same reading of the counter.
pub(crate) fn profile(
    instance: &Instance,
    backend: Backend,
    operation: Operation,
    inputs: &Inputs,
    spec: &TrialSpec,
) -> Result<ProfileCounts, String> {
    let mut clock = Clock::in_profile_ticks();
    let mut prepared = prepare(instance, backend, operation, inputs)?;
    warm_up(&mut prepared, spec.warmups)?;
    let timed = prepared.timed.as_mut();
    let affordable = (PROFILE_S / spec.seconds_per_call.max(1e-9)).clamp(1.0, PROFILE_CALLS);
    let calls = (spec.calls as usize).clamp(1, affordable as usize);
    let (mut plain, mut recorded, mut done) = (0, 0, 0);
    let mut rows = Function::ALL.map(|f| (f, 0, 0));
    while done < calls {
        let count = (calls - done).min(spec.calls_per_stretch.max(1) as usize);
        let off = profile_stretch(&mut clock, timed, count, spec, false)?;
        let on = profile_stretch(&mut clock, timed, count, spec, true)?;
        plain += off.0;
        recorded += on.0;
        for (row, counter) in rows.iter_mut().zip(on.1) {
            row.1 += counter.calls;
            row.2 += counter.ticks;
        }
        timed.settle(&mut Digests::default())?;
        done += count;
    }
    Ok(counts(calls as u64, plain, recorded, &rows))
}

/// Ticks of the armed calls, and what the ICCS functions counted; the least interrupted of a few attempts.
fn profile_stretch(
    clock: &mut Clock,
    timed: &mut dyn Timed,
    count: usize,
    spec: &TrialSpec,
    record: bool,
) -> Result<(u64, [profile::Counter; 4]), String> {
    let mut best: Option<(f64, u64, [profile::Counter; 4])> = None;
    for _ in 0..spec.rules.max_attempts.max(1) {
        timed.arm(count);
        timed.warm();
        profile::reset();
        profile::enable(record);
        let (processor, start) = (processor_s(), clock.ticks());
        let succeeded = (0..count).filter(|i| timed.call(*i)).count();
        let ticks = clock.ticks().saturating_sub(start);
        let processor = processor_s() - processor;
        profile::enable(false);
        check_status(succeeded as u32, count as u32)?;
        let wall = ticks as f64 / clock.tick_hz;
        let lost = (wall - processor).max(0.0);
        if best.as_ref().is_none_or(|b| lost < b.0) {
            best = Some((lost, ticks, profile::snapshot()));
        }
        if lost <= spec.rules.lost_share * wall || wall > spec.rules.stretch_s * 10.0 {
            break;
        }
    }
    best.map(|(_, ticks, counters)| (ticks, counters)).ok_or_else(|| "nothing was profiled".to_owned())
}

fn counts(operations: u64, plain: u64, recorded: u64, rows: &[(Function, u64, u64)]) -> ProfileCounts {
    let calls: u64 = rows.iter().map(|r| r.1).sum();
    let recording = recorded.saturating_sub(plain);
    let within = |n: u64| (u128::from(recording) * u128::from(n) / u128::from(2 * calls.max(1))) as u64;
    let mut rows: Vec<ProfileRow> = rows
        .iter()
        .filter(|r| r.1 > 0)
        .map(|(function, calls, ticks)| ProfileRow {
            function: name(*function).to_owned(),
            calls: *calls,
            ticks: ticks.saturating_sub(within(*calls)),
            share: 0.0,
        })
        .collect();
    // Noise must not make the parts larger than the whole.
    let sum: u64 = rows.iter().map(|r| r.ticks).sum();
    if sum > plain {
        for row in &mut rows {
            row.ticks = (u128::from(row.ticks) * u128::from(plain) / u128::from(sum)) as u64;
        }
    }
    ProfileCounts { operations, total_ticks: plain, recording_ticks: recording / calls.max(1), rows }
}

/// The names of the published pages.
fn name(function: Function) -> &'static str {
    match function {
        Function::Drng => "drng",
        Function::PseudoXof => "pseudoXOF",
        Function::PseudoHash => "pseudohash",
        Function::Sm3Hash => "sm3hash",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recording_is_subtracted_and_parts_stay_below_the_whole() {
        let rows = [(Function::Drng, 10, 1000), (Function::Sm3Hash, 30, 6000), (Function::PseudoXof, 0, 0)];
        let counts = counts(5, 10_000, 10_800, &rows);
        let got: Vec<_> = counts.rows.iter().map(|r| (r.function.as_str(), r.calls, r.ticks)).collect();
        assert_eq!(got, [("drng", 10, 900), ("sm3hash", 30, 5700)]);
        assert_eq!((counts.total_ticks, counts.recording_ticks), (10_000, 20));
        let noisy = super::counts(5, 3500, 3400, &rows);
        assert_eq!(noisy.rows.iter().map(|r| r.ticks).sum::<u64>(), 3500);
        assert_eq!(noisy.recording_ticks, 0);
    }

    #[test]
    fn a_stretch_is_interrupted_by_rule() {
        let rules = NoiseRules {
            stretch_s: 0.002,
            max_attempts: 3,
            lost_share: 0.01,
            clock_change: 0.02,
            changed_share: 0.1,
            slowdown: 0.05,
        };
        let stretch = |lost_s, clock_change, slowdown| Stretch {
            ticks: vec![500_000; 2],
            cycles: None,
            segment: Segment { calls: 2, core_hz: 3e9, clock_change, lost_s, attempts: 1, slowdown },
            probes: [Probe { core_hz: 3e9, width: 0.5 }; 2],
            succeeded: 2,
        };
        assert!(!stretch(0.9e-5, 0.01, 0.01).interrupted(1e9, &rules));
        assert!(stretch(1.1e-5, 0.01, 0.0).interrupted(1e9, &rules));
        assert!(stretch(0.0, 0.03, 0.0).interrupted(1e9, &rules));
        assert!(stretch(0.0, 0.0, 0.06).interrupted(1e9, &rules));
    }
}
