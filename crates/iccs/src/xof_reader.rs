//! A pseudoXOF stream that computes its output as it is read.

use crate::backend::Backend;
use crate::engine::wipe;
use crate::profile::{Function, scope};
use crate::sm3::Sm3;
use crate::xof::{XofPrefix, fill_stream};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Blocks that a wide back-end computes ahead of the reader, for about the cost of one or two.
const AHEAD: usize = 8;

/// Reads the pseudoXOF of `prefix || tail` from its beginning, computing the blocks that are consumed, several
/// at once.
#[derive(Clone, Debug)]
pub struct XofReader {
    message: Sm3,
    backend: Backend,
    /// Blocks computed so far.
    block: u32,
    buffer: [u8; 32 * AHEAD],
    /// What of the buffer is filled and not yet read.
    start: usize,
    end: usize,
}

impl XofReader {
    /// The stream of `prefix || tail`, with nothing computed yet.
    #[must_use]
    pub fn new(backend: Backend, prefix: &XofPrefix, tail: &[u8]) -> Self {
        let bytes = tail.len() as u64;
        let _scope = scope(Function::PseudoXof, || (1, bytes, 0));
        let mut message = prefix.sm3().clone();
        message.absorb(tail);
        Self { message, backend: backend.or_available(), block: 0, buffer: [0; 32 * AHEAD], start: 0, end: 0 }
    }

    /// The next bytes of the stream. The counter has 32 bits: output beyond 2^37 bytes repeats.
    pub fn read(&mut self, out: &mut [u8]) {
        let bytes = out.len() as u64;
        let _scope = scope(Function::PseudoXof, || (0, 0, bytes));
        let (kept, rest) = out.split_at_mut(out.len().min(self.end - self.start));
        self.take(kept);
        let (whole, partial) = rest.split_at_mut(rest.len() / 32 * 32);
        // A remainder joins the whole blocks in one batch when it can be kept for the next read.
        if whole.len() < 32 * AHEAD {
            if !rest.is_empty() {
                self.refill(rest.len());
                self.take(rest);
            }
            return;
        }
        self.compute(whole);
        if !partial.is_empty() {
            self.refill(partial.len());
            self.take(partial);
        }
    }

    /// Copies buffered bytes; `out` is no longer than what the buffer holds.
    fn take(&mut self, out: &mut [u8]) {
        let end = self.start + out.len();
        out.copy_from_slice(&self.buffer[self.start..end]);
        self.start = end;
    }

    /// Replaces the buffer, which is empty, by at least `wanted` bytes (at most its size) of the stream.
    fn refill(&mut self, wanted: usize) {
        let blocks = match self.backend {
            Backend::Portable => wanted.div_ceil(32),
            // One block is cheaper alone; a second one pays for all lanes.
            Backend::Avx2 if self.block == 0 && wanted <= 32 => 1,
            _ => AHEAD,
        };
        let mut buffer = self.buffer;
        self.compute(&mut buffer[..32 * blocks]);
        self.buffer = buffer;
        wipe(&mut buffer, [0; 32 * AHEAD]);
        (self.start, self.end) = (0, 32 * blocks);
    }

    /// The next blocks of the stream; `out` is a whole number of them.
    fn compute(&mut self, out: &mut [u8]) {
        let blocks = (out.len() / 32) as u32;
        fill_stream(self.backend, &self.message, self.block, out);
        self.block = self.block.wrapping_add(blocks);
    }
}

impl Drop for XofReader {
    fn drop(&mut self) {
        self.message.zeroize();
        wipe(&mut self.buffer, [0; 32 * AHEAD]);
    }
}

impl ZeroizeOnDrop for XofReader {}
