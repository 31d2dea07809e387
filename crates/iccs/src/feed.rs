//! A message given in pieces, cut into padded blocks without being copied together.

use crate::backend::Backend;
use crate::engine::{Batch, Engine, IV, State, Words, drive, stream, wipe};

/// A few bits that stand before or behind the caller's message: tags, counters, a partial last byte.
#[derive(Clone, Copy, Default)]
pub(crate) struct Short {
    bytes: [u8; 8],
    bits: usize,
}

impl Short {
    /// Appends the first `bits` bits of `bytes`; what does not fit eight bytes is dropped.
    pub(crate) fn push(&mut self, bytes: &[u8], bits: usize) {
        for i in 0..bits {
            let bit = bytes[i / 8] >> (7 - i % 8) & 1;
            if let Some(byte) = self.bytes.get_mut(self.bits / 8) {
                *byte |= bit << (7 - self.bits % 8);
                self.bits += 1;
            }
        }
    }
}

/// A message `head || parts || trail` on its way through the compression function.
#[derive(Clone)]
pub(crate) struct Feed<'a> {
    /// The chaining value to start from.
    pub(crate) state: [u32; 8],
    head: [u8; 8],
    head_len: usize,
    parts: &'a [&'a [u8]],
    /// The last bits of the message and the padding's one bit.
    trail: [u8; 8],
    trail_len: usize,
    /// Message length in bits, with what `state` has absorbed.
    bits: u64,
    /// Blocks not yet cut.
    pub(crate) left: u64,
    /// Index of the current piece: 0 the head, then the parts, then the trail.
    piece: usize,
    /// Bytes already taken from the current piece.
    taken: usize,
}

impl<'a> Feed<'a> {
    /// A message from the initial value.
    pub(crate) fn new(parts: &'a [&'a [u8]]) -> Self {
        Self::with(&IV, 0, &[], parts, &Short::default())
    }

    /// A message that continues `state`, which has absorbed `absorbed` bytes (a multiple of 64). `head` holds at
    /// most 8 bytes, `trail` at most 63 bits.
    pub(crate) fn with(
        state: &[u32; 8],
        absorbed: u64,
        head: &[u8],
        parts: &'a [&'a [u8]],
        trail: &Short,
    ) -> Self {
        let mut head_bytes = [0; 8];
        let head_len = head.len().min(8);
        head_bytes[..head_len].copy_from_slice(&head[..head_len]);
        let mut trail_bytes = trail.bytes;
        trail_bytes[trail.bits / 8 % 8] |= 0x80 >> (trail.bits % 8);
        let trail_len = trail.bits / 8 % 8 + 1;
        let middle: u64 = parts.iter().map(|p| p.len() as u64).sum();
        let bytes = head_len as u64 + middle;
        Self {
            state: *state,
            head: head_bytes,
            head_len,
            parts,
            trail: trail_bytes,
            trail_len,
            bits: absorbed.wrapping_add(bytes).wrapping_mul(8).wrapping_add(trail.bits as u64),
            left: (bytes + trail_len as u64 + 8).div_ceil(64),
            piece: 0,
            taken: 0,
        }
    }

    /// What is left of the current piece. Pieces are the head, the parts and the trail; behind them is nothing.
    fn rest(&self) -> &[u8] {
        let piece = match self.piece {
            0 => &self.head[..self.head_len],
            i if i <= self.parts.len() => self.parts[i - 1],
            i if i == self.parts.len() + 1 => &self.trail[..self.trail_len],
            _ => &[],
        };
        &piece[self.taken..]
    }

    /// Takes `n` bytes of what is left of the current piece.
    fn advance(&mut self, n: usize) {
        self.taken += n;
        if self.rest().is_empty() {
            self.piece = self.piece.saturating_add(1);
            self.taken = 0;
        }
    }

    /// Leaves out whole blocks that `state` has absorbed.
    pub(crate) fn skip(&mut self, blocks: u64) {
        let mut bytes = blocks.saturating_mul(64);
        while bytes > 0 && self.piece <= self.parts.len() + 1 {
            let n = self.rest().len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
            self.advance(n);
            bytes -= n as u64;
        }
        self.left = self.left.saturating_sub(blocks);
    }

    /// Cuts the next block. After the last one (see [`Feed::left`]) it gives blocks of zeros.
    #[inline(always)]
    pub(crate) fn next_block(&mut self, block: &mut [u8; 64]) {
        if let Some(whole) = self.rest().first_chunk() {
            *block = *whole;
            self.advance(64);
            self.left -= 1;
        } else {
            self.next_mixed_block(block);
        }
    }

    /// Cuts a block that is put together from pieces.
    fn next_mixed_block(&mut self, block: &mut [u8; 64]) {
        let mut filled = 0;
        while filled < 64 && self.piece <= self.parts.len() + 1 {
            let rest = self.rest();
            let n = rest.len().min(64 - filled);
            block[filled..filled + n].copy_from_slice(&rest[..n]);
            filled += n;
            self.advance(n);
        }
        block[filled..].fill(0);
        if self.left == 1 {
            block[56..].copy_from_slice(&self.bits.to_be_bytes());
        }
        self.left = self.left.saturating_sub(1);
    }
}

/// The digest of one message.
pub(crate) fn digest(backend: Backend, mut feed: Feed<'_>) -> [u8; 32] {
    let mut state = feed.state;
    let mut block = [0; 64];
    while feed.left > 0 {
        let whole = feed.rest().as_chunks().0;
        if whole.is_empty() {
            feed.next_mixed_block(&mut block);
            stream(backend, &mut state, &[block]);
        } else {
            let blocks = whole.len();
            stream(backend, &mut state, whole);
            feed.advance(64 * blocks);
            feed.left -= blocks as u64;
        }
    }
    wipe(&mut block, [0; 64]);
    to_bytes(&state)
}

/// A chaining value as the bytes of a digest.
pub(crate) fn to_bytes(state: &[u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (out, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *out = word.to_be_bytes();
    }
    bytes
}

/// The digests of independent messages, in lanes. Both slices have the same length; what is left over in the
/// longer one is not touched.
pub(crate) fn digests(backend: Backend, feeds: &mut [Feed<'_>], out: &mut [[u8; 32]]) {
    let items = feeds.len().min(out.len());
    drive(backend, &mut Digests { feeds, out, next: 0 }, items);
}

struct Digests<'b, 'a> {
    feeds: &'b mut [Feed<'a>],
    out: &'b mut [[u8; 32]],
    next: usize,
}

impl Batch for Digests<'_, '_> {
    #[inline(always)]
    fn run<const L: usize, E: Engine<L>>(&mut self, engine: E, items: usize) {
        let mut blocks = [[0; 64]; L];
        let mut words = Words([[0; L]; 16]);
        let mut digests = [[0; 32]; L];
        let end = self.next + items;
        while self.next < end {
            let group = self.next..end.min(self.next + L);
            let feeds = &mut self.feeds[group.clone()];
            let mut state = State([[0; L]; 8]);
            let mut longest = 0;
            for (lane, feed) in feeds.iter().enumerate() {
                state.set_lane(lane, &feed.state);
                longest = longest.max(feed.left);
            }
            for _ in 0..longest {
                for (feed, block) in feeds.iter_mut().zip(&mut blocks) {
                    feed.next_block(block);
                }
                engine.gather(&blocks, &mut words);
                engine.compress(&mut state, &words);
                for (lane, feed) in feeds.iter_mut().enumerate() {
                    // A shorter message ends here: keep its state before the lane runs on with zeros.
                    if feed.left == 0 && feed.piece != DONE {
                        feed.state = state.lane(lane);
                        feed.piece = DONE;
                    }
                }
            }
            for (lane, feed) in feeds.iter().enumerate() {
                state.set_lane(lane, &feed.state);
            }
            engine.scatter(&state, &mut digests);
            let out = &mut self.out[group];
            out.copy_from_slice(&digests[..out.len()]);
            self.next += out.len();
        }
        wipe(&mut blocks, [[0; 64]; L]);
        wipe(&mut words, Words([[0; L]; 16]));
    }
}

/// Marks a feed whose digest has been taken.
const DONE: usize = usize::MAX;
