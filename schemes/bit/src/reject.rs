//! The rejection test (specification section 4.5).

use iccs::{XofPrefix, XofStream, xof_many};

use crate::encode::wipe;
use crate::kernel::Isa;
#[cfg(test)]
use crate::kernel::exceeds;
use crate::params::Set;

#[cfg(test)]
mod tests;

/// Draws that one block of a stream serves; its last byte is discarded.
const BLOCK_DRAWS: usize = 45;
/// Bytes of a block of a draw stream.
const BLOCK_LEN: usize = 136;
/// Bytes of the longest first part of a stream.
const FIRST_LEN: usize = 128;
/// Room for the entries that the first part serves, a multiple of the vector lengths.
const FIRST_DRAWS: usize = 48;

/// What the rejection test knows about one polynomial: the coefficients that draw, as `|z| | |v| << 16` in the order of
/// their draws, as many as the first part of the stream serves.
#[derive(Debug)]
pub(crate) struct Drawn {
    entries: [u32; FIRST_DRAWS],
    count: usize,
    gamma: i32,
    beta: i32,
    nonce: u16,
    /// Whether a draw beyond the first part rejects.
    rejected: u64,
}

impl Drawn {
    /// No entries.
    pub(crate) const fn new() -> Self {
        Self { entries: [0; FIRST_DRAWS], count: 0, gamma: 0, beta: 0, nonce: 0, rejected: 0 }
    }

    /// Zeroizes the entries.
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.entries);
    }
}

/// The streams of the draws of one signature, and room for the entries of a polynomial.
#[derive(Debug)]
pub(crate) struct Tester<const N: usize> {
    isa: Isa,
    seed: XofPrefix,
    scratch: [[u32; N]; 2],
}

/// The tail of a draw stream: number, block.
const fn tail(nonce: u16, block: u32) -> [u8; 6] {
    let (n, t) = (nonce.to_le_bytes(), block.to_be_bytes());
    [n[0], n[1], t[0], t[1], t[2], t[3]]
}

/// The draws in `stream`, three bytes each, against the entries; entries from `count` on are ignored.
fn judge(isa: Isa, stream: &[u8], entries: &[u32; FIRST_DRAWS], drawn: &Drawn, count: usize) -> u64 {
    let mut draws = [0; FIRST_DRAWS];
    for (draw, bytes) in draws.iter_mut().zip(stream.as_chunks::<3>().0) {
        *draw = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    }
    let rejected = isa.judge(entries, &draws, count, drawn.gamma, drawn.beta);
    wipe(&mut draws);
    rejected
}

impl<const N: usize> Tester<N> {
    /// Draws come from the seed of the masks.
    pub(crate) const fn new(isa: Isa, seed: XofPrefix) -> Self {
        Self { isa, seed, scratch: [[0; N]; 2] }
    }

    /// Collects the coefficients of `z = y + sign·v` that draw from stream `nonce`; returns whether some `|z| ≥ γ`,
    /// which rejects without a draw.
    #[must_use]
    pub(crate) fn scan<P: Set<N>, const M: usize>(
        &mut self,
        drawn: &mut Drawn,
        (y, v, sign): (&[i16; M], &[i8; M], i32),
        (gamma, beta): (i32, i32),
        nonce: u16,
    ) -> bool {
        let scratch = self.scratch.as_flattened_mut();
        let (count, over) = self.isa.scan(y, v, sign, gamma, beta, scratch);
        drawn.entries.copy_from_slice(&scratch[..FIRST_DRAWS]);
        (drawn.count, drawn.gamma, drawn.beta, drawn.nonce) = (count, gamma, beta, nonce);
        drawn.rejected = 0;
        if count > P::REJECT_BLOCKS * 32 / 3 && !over {
            drawn.rejected = self.judge_long(drawn);
        }
        over
    }

    /// Whether some entry of the polynomials (at most four) is rejected by its draw.
    ///
    /// The streams are squeezed side by side, as far as nearly always suffices; all entries are tested, without an early
    /// exit. Only a polynomial with more draws than that takes a longer way, in which its number of draws shows.
    #[must_use]
    pub(crate) fn rejected<P: Set<N>>(&self, all: &[&Drawn]) -> bool {
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
        xof_many(self.isa.backend(), &self.seed, &mut streams[..used]);

        let mut rejected = 0;
        for (drawn, stream) in all.iter().zip(&buffer) {
            rejected |= drawn.rejected;
            rejected |= judge(self.isa, &stream[..first], &drawn.entries, drawn, drawn.count);
        }
        wipe(buffer.as_flattened_mut());
        rejected != 0
    }

    /// [`judge`] over whole blocks, for a polynomial with many draws, whose entries are in the scratch.
    fn judge_long(&self, drawn: &Drawn) -> u64 {
        let mut rejected = 0;
        let entries = &self.scratch.as_flattened()[..drawn.count];
        for (t, entries) in entries.chunks(BLOCK_DRAWS).enumerate() {
            let mut block = [0; BLOCK_LEN];
            let tail = tail(drawn.nonce, t as u32);
            let mut streams = [XofStream { tail: &tail, first_block: 0, out: &mut block }];
            xof_many(self.isa.backend(), &self.seed, &mut streams);
            let mut padded = [0; FIRST_DRAWS];
            padded[..entries.len()].copy_from_slice(entries);
            rejected |= judge(self.isa, &block, &padded, drawn, entries.len());
            wipe(&mut padded);
            wipe(&mut block);
        }
        rejected
    }

    /// The seed of masks and draws.
    pub(crate) const fn seed(&self) -> &XofPrefix {
        &self.seed
    }

    /// Zeroizes the seed and the scratch.
    pub(crate) fn wipe(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.seed);
        wipe(self.scratch.as_flattened_mut());
    }
}
