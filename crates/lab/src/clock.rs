//! Ticks, the core clock, and core cycles where the hardware counts them.
//!
//! Three clocks are kept apart. *Ticks* come from the machine's constant-rate counter and measure time. The *core clock*
//! changes with load and temperature; a chain of dependent 64-bit multiplications, three core cycles each, shows it.
//! Core *cycles* come from the hardware counter where the kernel opens it, otherwise from time and core clock.
#![allow(unsafe_code, reason = "reading the time-stamp counter")]

use std::hint::black_box;

use ngcc_evidence::stats::{median, quantile};
use rustix::time::{ClockId, clock_gettime};

/// Cycles of one dependent 64-bit multiplication on recent x86-64 and AArch64 cores.
const CYCLES_PER_MULTIPLICATION: f64 = 3.0;

/// Multiplications of one run of the chain: about 16 microseconds at 3.7 GHz, long against the tick and short against
/// the scheduler's slice.
const CHAIN: u32 = 20_000;

/// Rounds of independent instructions of one run, about 8 microseconds.
const ROUNDS: u32 = 6_000;

/// Runs of one probe; the median sheds one that was interrupted.
const RUNS: usize = 3;

/// Probes of [`ClockFacts`].
const PROBES: usize = 32;

/// Seconds over which the tick rate is measured: an error of 50 ns at each end is 5 in a million.
const CALIBRATION_S: f64 = 0.02;

/// Empty calls that give the timing overhead.
const EMPTY_CALLS: usize = 501;

/// What the clocks of this machine are.
#[derive(Clone, Copy, Debug)]
pub struct ClockFacts {
    /// Whether the hardware cycle counter opens.
    pub cycle_counter: bool,
    /// Ticks per second.
    pub tick_hz: f64,
    /// Core clock, Hz, median of several probes.
    pub core_hz: f64,
    /// Relative half-width of the spread of the probes.
    pub uncertainty: f64,
}

impl ClockFacts {
    /// Measures the clocks for about 25 milliseconds on whatever processor this thread runs.
    #[must_use]
    pub fn measure() -> Self {
        let clock = Clock::new();
        let probes: Vec<f64> = (0..PROBES).map(|_| clock.probe().core_hz).collect();
        Self {
            cycle_counter: clock.counts_cycles(),
            tick_hz: clock.tick_hz,
            core_hz: median(&probes),
            uncertainty: spread(&probes),
        }
    }
}

/// Half the distance of the 5th and 95th percentile of probes, relative to their median.
pub(crate) fn spread(probes: &[f64]) -> f64 {
    let mut sorted = probes.to_vec();
    sorted.sort_by(f64::total_cmp);
    let centre = quantile(&sorted, 0.5);
    if centre > 0.0 { (quantile(&sorted, 0.95) - quantile(&sorted, 0.05)) / 2.0 / centre } else { 0.0 }
}

/// What ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "no such counter")
)]
enum TickSource {
    /// The x86 time-stamp counter, where its rate is constant.
    Tsc,
    /// The AArch64 virtual counter.
    Cntvct,
    /// `CLOCK_MONOTONIC_RAW`, in nanoseconds.
    MonotonicRaw,
}

impl TickSource {
    fn of_this_machine() -> Self {
        #[cfg(target_arch = "x86_64")]
        if raw_cpuid::CpuId::new().get_advanced_power_mgmt_info().is_some_and(|i| i.has_invariant_tsc()) {
            return Self::Tsc;
        }
        if cfg!(target_arch = "aarch64") { Self::Cntvct } else { Self::MonotonicRaw }
    }
}

/// A clock of the worker.
pub(crate) struct Clock {
    source: TickSource,
    /// Ticks per second.
    pub(crate) tick_hz: f64,
    counter: Option<Counter>,
}

impl Clock {
    /// Opens the counters and measures the tick rate.
    pub(crate) fn new() -> Self {
        let mut clock =
            Self { source: TickSource::of_this_machine(), tick_hz: 1e9, counter: Counter::open() };
        if clock.source != TickSource::MonotonicRaw {
            clock.calibrate();
        }
        clock
    }

    /// Measures the tick rate against `CLOCK_MONOTONIC_RAW`.
    fn calibrate(&mut self) {
        let (start_s, start) = (monotonic_s(), self.ticks());
        while monotonic_s() - start_s < CALIBRATION_S {
            chain(CHAIN);
        }
        let (end_s, end) = (monotonic_s(), self.ticks());
        self.tick_hz = end.saturating_sub(start) as f64 / (end_s - start_s);
    }

    /// A clock that ticks as [`iccs::profile`] does, whether or not at a constant rate.
    pub(crate) fn in_profile_ticks() -> Self {
        let mut clock = Self::new();
        if cfg!(target_arch = "x86_64") && clock.source != TickSource::Tsc {
            clock.source = TickSource::Tsc;
            clock.calibrate();
        }
        clock
    }

    /// `tsc`, `cntvct` or `monotonic-raw`.
    pub(crate) fn source_name(&self) -> &'static str {
        match self.source {
            TickSource::Tsc => "tsc",
            TickSource::Cntvct => "cntvct",
            TickSource::MonotonicRaw => "monotonic-raw",
        }
    }

    /// Whether the hardware cycle counter is open.
    pub(crate) fn counts_cycles(&self) -> bool {
        self.counter.is_some()
    }

    /// Ticks now; nothing before this is still to be executed, nothing after it has begun.
    #[inline]
    pub(crate) fn ticks(&self) -> u64 {
        match self.source {
            #[cfg(target_arch = "x86_64")]
            TickSource::Tsc => {
                use core::arch::x86_64::{_mm_lfence, _rdtsc};
                // SAFETY: every x86-64 processor has the fence and the counter.
                unsafe {
                    _mm_lfence();
                    let ticks = _rdtsc();
                    _mm_lfence();
                    ticks
                }
            }
            #[cfg(target_arch = "aarch64")]
            TickSource::Cntvct => {
                let ticks;
                // SAFETY: reads a register that user code may read, behind a barrier.
                unsafe {
                    core::arch::asm!("isb", "mrs {}, cntvct_el0", "isb", out(reg) ticks, options(nostack))
                };
                ticks
            }
            _ => monotonic_ns(),
        }
    }

    /// Looks at the core: takes about 75 microseconds.
    pub(crate) fn probe(&self) -> Probe {
        let rate = |events: f64, run: &dyn Fn()| {
            median(&[(); RUNS].map(|()| {
                let start = self.ticks();
                run();
                events * self.tick_hz / self.ticks().saturating_sub(start).max(1) as f64
            }))
        };
        let chained = rate(f64::from(CHAIN), &|| {
            chain(CHAIN);
        });
        let core_hz = CYCLES_PER_MULTIPLICATION * chained;
        let rounds = rate(f64::from(ROUNDS), &|| {
            independent(ROUNDS);
        });
        Probe { core_hz, width: rounds / core_hz }
    }

    /// Width of the core by the 90th percentile of several probes: that of a quiet core, if it was quiet for a moment.
    pub(crate) fn width(&self) -> f64 {
        let mut widths = [(); PROBES].map(|()| self.probe().width);
        widths.sort_by(f64::total_cmp);
        quantile(&widths, 0.9)
    }

    /// Times calls `0..ticks.len()`, one by one. Returns how many of them succeeded.
    #[inline(never)]
    pub(crate) fn time_calls(
        &mut self,
        ticks: &mut [u64],
        mut cycles: Option<&mut [u64]>,
        call: &mut dyn FnMut(usize) -> bool,
    ) -> u32 {
        let mut succeeded = 0;
        for (i, slot) in ticks.iter_mut().enumerate() {
            let cycles_before = self.counter.as_mut().map_or(0, Counter::read);
            let start = self.ticks();
            let ok = call(i);
            *slot = self.ticks().saturating_sub(start);
            let cycles_after = self.counter.as_mut().map_or(0, Counter::read);
            if let Some(slot) = cycles.as_mut().and_then(|c| c.get_mut(i)) {
                *slot = cycles_after.saturating_sub(cycles_before);
            }
            succeeded += u32::from(ok);
        }
        succeeded
    }

    /// Median ticks, and cycles where they are counted, of a call that does nothing.
    pub(crate) fn overhead(&mut self) -> (u64, Option<u64>) {
        let (mut ticks, mut cycles) = (vec![0; EMPTY_CALLS], vec![0; EMPTY_CALLS]);
        self.time_calls(&mut ticks, Some(&mut cycles), &mut |i| black_box(i) == i);
        let middle = |values: &mut Vec<u64>| {
            values.sort_unstable();
            values[EMPTY_CALLS / 2]
        };
        (middle(&mut ticks), self.counts_cycles().then(|| middle(&mut cycles)))
    }
}

/// What a probe saw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Core clock, Hz.
    pub(crate) core_hz: f64,
    /// Rounds of independent instructions per core cycle. A thread on the same core takes issue slots away from these,
    /// while it leaves a chain as it is.
    pub(crate) width: f64,
}

/// `n` rounds of instructions that keep a wide core busy.
#[inline(never)]
fn independent(n: u32) -> u64 {
    let mut x = black_box([1_u64, 2, 3, 4, 5, 6]);
    for i in 0..u64::from(n) {
        x[0] = x[0].rotate_left(5) ^ i;
        x[1] = x[1].rotate_left(7) ^ i;
        x[2] = x[2].rotate_left(9) ^ i;
        x[3] = x[3].rotate_left(11) ^ i;
        x[4] = x[4].wrapping_mul(3) ^ i;
        x[5] = x[5].wrapping_add(i) ^ 7;
    }
    black_box(x.iter().fold(0, |a, b| a ^ b))
}

/// `n` multiplications, each of which needs the result of the one before.
#[inline(never)]
fn chain(n: u32) -> u64 {
    let mut x = black_box(3_u64);
    for _ in 0..n {
        x = x.wrapping_mul(x);
    }
    black_box(x)
}

fn monotonic_ns() -> u64 {
    let t = clock_gettime(ClockId::MonotonicRaw);
    t.tv_sec.unsigned_abs() * 1_000_000_000 + t.tv_nsec.unsigned_abs()
}

/// Seconds of `CLOCK_MONOTONIC_RAW`.
pub(crate) fn monotonic_s() -> f64 {
    monotonic_ns() as f64 * 1e-9
}

/// Seconds that this thread was on a processor.
pub(crate) fn processor_s() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

#[cfg(target_os = "linux")]
use linux::Counter;

#[cfg(target_os = "linux")]
mod linux {
    use perf_event::events::Hardware;

    /// The kernel's hardware event "CPU cycles", user mode only.
    pub(super) struct Counter(perf_event::Counter);

    impl Counter {
        /// `None` where the kernel or the processor refuses.
        pub(super) fn open() -> Option<Self> {
            let mut counter = perf_event::Builder::new(Hardware::CPU_CYCLES)
                .exclude_kernel(true)
                .exclude_hv(true)
                .build()
                .ok()?;
            counter.enable().ok()?;
            let mut counter = Self(counter);
            // Some virtual machines open an event that never counts.
            let before = counter.read();
            super::chain(1000);
            (counter.read() > before).then_some(counter)
        }

        /// Cycles so far; 0 if the counter cannot be read.
        pub(super) fn read(&mut self) -> u64 {
            self.0.read().unwrap_or(0)
        }
    }
}

#[cfg(not(target_os = "linux"))]
enum Counter {}

#[cfg(not(target_os = "linux"))]
impl Counter {
    fn open() -> Option<Self> {
        None
    }

    fn read(&mut self) -> u64 {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_advance_at_the_measured_rate() {
        let clock = Clock::new();
        let (start_s, start) = (monotonic_s(), clock.ticks());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (end_s, end) = (monotonic_s(), clock.ticks());
        let ratio = (end - start) as f64 / clock.tick_hz / (end_s - start_s);
        assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
    }

    #[test]
    fn the_core_clock_is_plausible_and_steady() {
        let facts = ClockFacts::measure();
        assert!((0.5e9..8e9).contains(&facts.core_hz), "{facts:?}");
        assert!(facts.uncertainty < 0.5, "{facts:?}");
    }

    #[test]
    fn the_chain_is_not_optimised_away() {
        let clock = Clock::new();
        let time = |n| {
            (0..20)
                .map(|_| {
                    let start = clock.ticks();
                    chain(n);
                    clock.ticks() - start
                })
                .min()
                .unwrap_or(0) as f64
        };
        let ratio = time(8 * CHAIN) / time(CHAIN);
        assert!((7.0..9.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_core_has_a_plausible_width() {
        // Twelve to eighteen instructions a round: from one to ten of them a cycle.
        let width = Clock::new().width();
        assert!((0.05..1.0).contains(&width), "{width}");
    }

    #[test]
    fn calls_are_counted_and_the_overhead_is_small() {
        let mut clock = Clock::new();
        let mut ticks = [0; 10];
        assert_eq!(clock.time_calls(&mut ticks, None, &mut |i| i % 2 == 0), 5);
        let (overhead, _) = clock.overhead();
        assert!((overhead as f64) < 1e-5 * clock.tick_hz, "{overhead}");
    }

    #[test]
    fn spread_of_known_probes() {
        assert_eq!(spread(&[2.0, 2.0, 2.0]), 0.0);
        assert!((spread(&[1.0, 2.0, 3.0]) - 0.45).abs() < 1e-12);
        assert_eq!(spread(&[]), 0.0);
    }
}
