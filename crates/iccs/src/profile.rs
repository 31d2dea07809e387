//! Counts and times the outermost calls of the public functions, for the laboratory.
//!
//! Meant for one measured thread: with several, counts stay right and times overlap. While not recording, a call
//! costs one relaxed load.
#![allow(unsafe_code, reason = "reading the time-stamp counter")]

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// What is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// SM3 digests.
    Sm3Hash,
    /// pseudohash of any length.
    PseudoHash,
    /// pseudoXOF streams.
    PseudoXof,
    /// Seedings and draws of the DRNG, with the hashing inside them.
    Drng,
}

impl Function {
    /// All of them, in the order of [`snapshot`].
    pub const ALL: [Self; 4] = [Self::Sm3Hash, Self::PseudoHash, Self::PseudoXof, Self::Drng];
}

/// What one [`Function`] has done while recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Which one.
    pub function: Function,
    /// Calls; a call on many messages or streams counts as that many.
    pub calls: u64,
    /// Time inside, in raw ticks: the time-stamp counter on x86-64, the virtual counter on AArch64, else 0.
    pub ticks: u64,
    /// Bytes of message or seed taken in.
    pub bytes_in: u64,
    /// Bytes of digest, XOF output or draw given out.
    pub bytes_out: u64,
}

/// Calls, ticks, bytes in, bytes out of each function.
static CELLS: [[AtomicU64; 4]; 4] = [const { [const { AtomicU64::new(0) }; 4] }; 4];
static RECORDING: AtomicBool = AtomicBool::new(false);
static DEPTH: AtomicU32 = AtomicU32::new(0);

/// Starts or stops recording.
pub fn enable(on: bool) {
    RECORDING.store(on, Relaxed);
}

/// Sets all counters to zero.
pub fn reset() {
    for cell in CELLS.as_flattened() {
        cell.store(0, Relaxed);
    }
}

/// The counters now, in the order of [`Function::ALL`].
#[must_use]
pub fn snapshot() -> [Counter; 4] {
    Function::ALL.map(|function| {
        let [calls, ticks, bytes_in, bytes_out] =
            CELLS[function as usize].each_ref().map(|c| c.load(Relaxed));
        Counter { function, calls, ticks, bytes_in, bytes_out }
    })
}

/// Raw ticks of the machine's constant-rate counter.
#[inline]
fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the time-stamp counter.
    let ticks = unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(target_arch = "aarch64")]
    let ticks = {
        let ticks;
        // SAFETY: reads a register that user code may read, without side effect.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let ticks = 0;
    ticks
}

/// A public call under way; the call ends when this is dropped.
pub(crate) struct Scope {
    start: u64,
    function: Function,
    active: bool,
    outermost: bool,
}

/// Enters a public call that stands for (calls, bytes in, bytes out).
#[inline]
pub(crate) fn scope(function: Function, count: impl FnOnce() -> (u64, u64, u64)) -> Scope {
    if !RECORDING.load(Relaxed) {
        return Scope { start: 0, function, active: false, outermost: false };
    }
    let outermost = DEPTH.fetch_add(1, Relaxed) == 0;
    if outermost {
        let (calls, bytes_in, bytes_out) = count();
        let cells = &CELLS[function as usize];
        cells[0].fetch_add(calls, Relaxed);
        cells[2].fetch_add(bytes_in, Relaxed);
        cells[3].fetch_add(bytes_out, Relaxed);
    }
    Scope { start: now(), function, active: true, outermost }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        if self.active {
            if self.outermost {
                CELLS[self.function as usize][1].fetch_add(now().wrapping_sub(self.start), Relaxed);
            }
            DEPTH.fetch_sub(1, Relaxed);
        }
    }
}
