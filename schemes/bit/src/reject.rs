//! The rejection test (specification section 4.5).

use iccs::{XofPrefix, XofStream, xof_many};

use crate::encode::wipe;
use crate::kernel::Isa;
use crate::params::Set;

/// Draws that one block of a stream serves; its last byte is discarded.
const BLOCK_DRAWS: usize = 45;
/// Bytes of a block of a draw stream.
const BLOCK_LEN: usize = 136;
/// Bytes of the longest first part of a stream.
const FIRST_LEN: usize = 128;
/// Room for the entries that the first part serves, a multiple of the vector lengths.
const FIRST_DRAWS: usize = 48;

/// The coefficients of one polynomial that draw, as `|z| | |v| << 16` in the order of their draws.
#[derive(Debug)]
pub(crate) struct Drawn<const N: usize> {
    /// The entries; the vector kernels write up to sixteen beyond `count`.
    pub(crate) entries: [[u32; N]; 2],
    /// How many there are.
    pub(crate) count: usize,
    /// Width γ of the mask.
    pub(crate) gamma: i32,
    /// Bound β on the offset.
    pub(crate) beta: i32,
    /// Number of the draw stream.
    pub(crate) nonce: u16,
}

impl<const N: usize> Drawn<N> {
    /// No entries.
    pub(crate) const fn new() -> Self {
        Self { entries: [[0; N]; 2], count: 0, gamma: 0, beta: 0, nonce: 0 }
    }

    /// Collects the coefficients of `z = y + sign·v` that draw from stream `nonce`; returns whether some `|z| ≥ γ`,
    /// which rejects without a draw.
    #[must_use]
    pub(crate) fn scan(
        &mut self,
        isa: Isa,
        y: &[i16; N],
        v: &[i8; N],
        sign: i32,
        (gamma, beta): (i32, i32),
        nonce: u16,
    ) -> bool {
        let over;
        (self.count, over) = isa.scan(y, v, sign, gamma, beta, self.entries.as_flattened_mut());
        (self.gamma, self.beta, self.nonce) = (gamma, beta, nonce);
        over
    }

    /// Zeroizes the entries.
    pub(crate) fn wipe(&mut self) {
        wipe(self.entries.as_flattened_mut());
    }
}

/// The tail of a draw stream: number, block.
const fn tail(nonce: u16, block: u32) -> [u8; 6] {
    let (n, t) = (nonce.to_le_bytes(), block.to_be_bytes());
    [n[0], n[1], t[0], t[1], t[2], t[3]]
}

/// One where `R·F > 2²⁴·T` for the entry and the draw, else zero, without a branch.
#[inline]
fn exceeds(entry: u32, draw: u32, gamma: i32, beta: i32) -> u64 {
    let (x, u) = ((entry & 0xffff).cast_signed(), (entry >> 16).cast_signed());
    let f = (gamma - (x - u).abs()).max(0) + (gamma - x - u).max(0);
    let t = 2 * (gamma - x.max(beta));
    let left = u64::from(draw) * u64::from(f.cast_unsigned());
    let right = u64::from(t.cast_unsigned()) << 24;
    right.wrapping_sub(left) >> 63
}

/// The draws in `stream` against the entries; entries from `count` on are ignored.
fn judge(stream: &[u8], entries: &[u32], count: usize, gamma: i32, beta: i32) -> u64 {
    let mut rejected = 0;
    for (i, (draw, entry)) in stream.chunks_exact(3).zip(entries).enumerate() {
        let draw = u32::from_le_bytes([draw[0], draw[1], draw[2], 0]);
        let counts = (i as u64).wrapping_sub(count as u64) >> 63;
        rejected |= exceeds(*entry, draw, gamma, beta) & counts;
    }
    rejected
}

/// Whether some entry of the polynomials (at most four) is rejected by its draw.
///
/// The streams are squeezed side by side, as far as nearly always suffices; all entries are tested, without an early
/// exit. Only a polynomial with more draws than that takes a longer way, in which its number of draws shows.
#[must_use]
pub(crate) fn rejected<P: Set<N>, const N: usize>(isa: Isa, seed: &XofPrefix, all: &[&Drawn<N>]) -> bool {
    let first = P::REJECT_BLOCKS * 32;
    let mut buffer = [[0; FIRST_LEN]; 4];
    let tails: [[u8; 6]; 4] = core::array::from_fn(|k| all.get(k).map_or([0; 6], |d| tail(d.nonce, 0)));
    let mut outs = buffer.iter_mut();
    let mut streams: [XofStream<'_>; 4] = core::array::from_fn(|k| XofStream {
        tail: &tails[k],
        first_block: 0,
        out: outs.next().map_or(&mut [], |b| &mut b[..first]),
    });
    let used = all.len().min(4);
    xof_many(isa.backend(), seed, &mut streams[..used]);

    let mut rejected = 0;
    for (drawn, stream) in all.iter().zip(&buffer) {
        let entries = &drawn.entries.as_flattened()[..FIRST_DRAWS];
        rejected |= judge(&stream[..first], entries, drawn.count, drawn.gamma, drawn.beta);
        if drawn.count > first / 3 {
            rejected |= judge_long(isa, seed, drawn);
        }
    }
    wipe(buffer.as_flattened_mut());
    rejected != 0
}

/// [`judge`] over whole blocks, for a polynomial with many draws.
fn judge_long<const N: usize>(isa: Isa, seed: &XofPrefix, drawn: &Drawn<N>) -> u64 {
    let mut rejected = 0;
    let entries = &drawn.entries.as_flattened()[..drawn.count];
    for (t, entries) in entries.chunks(BLOCK_DRAWS).enumerate() {
        let mut block = [0; BLOCK_LEN];
        let tail = tail(drawn.nonce, t as u32);
        xof_many(isa.backend(), seed, &mut [XofStream { tail: &tail, first_block: 0, out: &mut block }]);
        rejected |= judge(&block, entries, entries.len(), drawn.gamma, drawn.beta);
        wipe(&mut block);
    }
    rejected
}
