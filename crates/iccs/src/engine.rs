//! What a back-end offers (compression in lanes), and the driver that cuts a batch of independent blocks into
//! lanes of the cheapest width.

use crate::backend::Backend;
use crate::portable::{self, Portable};
#[cfg(target_arch = "x86_64")]
use crate::{avx2::Avx2, avx512::Avx512};
use zeroize::optimization_barrier;

/// The initial value of SM3 (GB/T 32905-2016 section 4.1).
pub(crate) const IV: [u32; 8] =
    [0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e];

/// The round constants, each already rotated left by its round number modulo 32.
pub(crate) const T: [u32; 64] = {
    let mut t = [0; 64];
    let mut j = 0;
    while j < 64 {
        let base: u32 = if j < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        t[j] = base.rotate_left(j as u32 % 32);
        j += 1;
    }
    t
};

/// The chaining values of `L` independent messages, word-major: one row per word, one column per lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct State<const L: usize>(pub(crate) [[u32; L]; 8]);

/// One block of each of `L` independent messages, word-major like [`State`].
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Words<const L: usize>(pub(crate) [[u32; L]; 16]);

impl<const L: usize> State<L> {
    /// Every lane in the same state.
    #[inline(always)]
    pub(crate) fn broadcast(engine: impl Engine<L>, state: &[u32; 8]) -> Self {
        let mut rows = [[0; L]; 8];
        engine.spread(state, &mut rows);
        Self(rows)
    }

    /// Overwrites one lane.
    #[inline]
    pub(crate) fn set_lane(&mut self, lane: usize, state: &[u32; 8]) {
        for (row, word) in self.0.iter_mut().zip(state) {
            row[lane] = *word;
        }
    }

    /// The state of one lane.
    #[inline]
    pub(crate) fn lane(&self, lane: usize) -> [u32; 8] {
        core::array::from_fn(|i| self.0[i][lane])
    }
}

/// Compression of `L` lanes at once. Implementors are tokens: holding one proves that the instructions exist.
pub(crate) trait Engine<const L: usize>: Copy {
    /// Does the next `items` items of a batch, the batch's own code compiled for this engine's instructions.
    fn run<B: Batch>(self, batch: &mut B, items: usize);
    /// Gives all lanes the same words.
    fn spread<const N: usize>(self, values: &[u32; N], rows: &mut [[u32; L]; N]);
    /// Compresses one block into each lane's state.
    fn compress(self, state: &mut State<L>, words: &Words<L>);
    /// Transposes `L` blocks of bytes into word-major lanes.
    fn gather(self, blocks: &[[u8; 64]; L], words: &mut Words<L>);
    /// Transposes the states into `L` digests.
    fn scatter(self, state: &State<L>, digests: &mut [[u8; 32]; L]);
}

/// A queue of equal work items that can be taken `L` at a time.
pub(crate) trait Batch {
    /// Does the next `items` items, `L` lanes at a time; the last group may be partly filled.
    ///
    /// Implementations are `inline(always)`, so that [`Engine::run`] compiles them for its instructions.
    fn run<const L: usize, E: Engine<L>>(&mut self, engine: E, items: usize);
}

/// Runs `items` work items of a batch on the widths that cost least.
pub(crate) fn drive<B: Batch>(backend: Backend, batch: &mut B, items: usize) {
    if items == 0 {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    {
        if let (Backend::Avx512, Some(engine)) = (backend, Avx512::new()) {
            return widths::<16, 8, B>(engine, engine, engine, 1, batch, items);
        }
        if let (Backend::Avx512 | Backend::Avx2, Some(engine)) = (backend, Avx2::new()) {
            return widths::<8, 8, B>(engine, engine, Portable, 1, batch, items);
        }
    }
    Engine::<1>::run(Portable, batch, items);
}

/// Cuts a batch into full groups of `W` lanes, and a rest that takes `W` or `N` lanes, or one lane at a time if
/// it has at most `few` items.
#[cfg(target_arch = "x86_64")]
fn widths<const W: usize, const N: usize, B: Batch>(
    wide: impl Engine<W>,
    narrow: impl Engine<N>,
    single: impl Engine<1>,
    few: usize,
    batch: &mut B,
    items: usize,
) {
    let rest = items % W;
    let whole = if rest > N { items } else { items - rest };
    if whole > 0 {
        wide.run(batch, whole);
    }
    match items - whole {
        0 => {}
        rest if rest <= few => single.run(batch, rest),
        rest => narrow.run(batch, rest),
    }
}

/// Compresses whole blocks of one message.
pub(crate) fn stream(backend: Backend, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    #[cfg(target_arch = "x86_64")]
    if let (Backend::Avx512, Some(engine)) = (backend, Avx512::new()) {
        return engine.stream(state, blocks);
    }
    let _ = backend;
    portable::stream(state, blocks);
}

/// Overwrites a buffer that held message words, and keeps the compiler from dropping the store.
#[inline]
pub(crate) fn wipe<T: Copy>(buffer: &mut T, zero: T) {
    *buffer = zero;
    optimization_barrier(buffer);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reproducible sequence of words.
    fn words(mut seed: u64) -> impl FnMut() -> u32 {
        move || {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (seed >> 32) as u32
        }
    }

    /// Compares every operation of an engine with its portable twin.
    fn equals_portable<const L: usize>(engine: impl Engine<L>) {
        for seed in 0..50 {
            let mut next = words(seed);
            let blocks: [[u8; 64]; L] = core::array::from_fn(|_| core::array::from_fn(|_| next() as u8));
            let values: [u32; 8] = core::array::from_fn(|_| next());
            let (mut ours, mut theirs) = (Words([[0; L]; 16]), Words([[1; L]; 16]));
            engine.gather(&blocks, &mut ours);
            Engine::<L>::gather(Portable, &blocks, &mut theirs);
            assert_eq!(ours.0, theirs.0);
            let (mut ours, mut theirs) = (State([[0; L]; 8]), State([[1; L]; 8]));
            engine.spread(&values, &mut ours.0);
            Portable.spread(&values, &mut theirs.0);
            assert_eq!(ours.0, theirs.0);
            let block = Words(core::array::from_fn(|_| core::array::from_fn(|_| next())));
            for _ in 0..3 {
                engine.compress(&mut ours, &block);
                Portable.compress(&mut theirs, &block);
                assert_eq!(ours.0, theirs.0);
            }
            let (mut digests, mut twins) = ([[0; 32]; L], [[1; 32]; L]);
            engine.scatter(&ours, &mut digests);
            Portable.scatter(&theirs, &mut twins);
            assert_eq!(digests, twins);
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn every_kernel_equals_its_portable_twin() {
        if let Some(engine) = Avx2::new() {
            equals_portable::<8>(engine);
        }
        if let Some(engine) = Avx512::new() {
            equals_portable::<1>(engine);
            equals_portable::<8>(engine);
            equals_portable::<16>(engine);
        }
    }
}
