//! pseudoXOF (SPEC.md section 1): SM3 in counter mode, all blocks of all streams spread over the lanes.

use crate::backend::Backend;
use crate::engine::{Batch, Engine, State, Words, drive, wipe};
use crate::error::Error;
use crate::feed::Feed;
use crate::portable;
use crate::profile::{Function, scope};
use crate::sm3::{Sm3, split_bits};
use zeroize::Zeroize;

mod beside;
pub use beside::LongHash;

/// pseudoXOF of a message of whole bytes, as many bytes as `out` has.
///
/// The counter has 32 bits: output beyond 2^37 bytes would repeat.
pub fn xof(backend: Backend, message: &[u8], out: &mut [u8]) {
    let _scope = scope(Function::PseudoXof, || (1, message.len() as u64, out.len() as u64));
    single(backend, message, &[], 0, out);
}

/// `pseudoXOF` of SPEC.md section 1: `out_bits` bits from the first `m_bits` bits of `m`, into the first
/// `out_bits / 8` bytes of `out`, rounded up; the low bits of a partial last byte are cleared.
///
/// # Errors
/// [`Error::OutputLength`] unless `out_bits` < 2^40 - 2^8, [`Error::MessageLength`] when `m` is shorter than
/// `m_bits`, [`Error::OutputBuffer`] when `out` is too short. `out` is written on success only.
pub fn pseudo_xof(out_bits: u64, m: &[u8], m_bits: u64, out: &mut [u8]) -> Result<(), Error> {
    if out_bits >= (1 << 40) - (1 << 8) {
        return Err(Error::OutputLength { bits: out_bits });
    }
    let _scope = scope(Function::PseudoXof, || (1, m_bits.div_ceil(8), out_bits.div_ceil(8)));
    let out = cut_output(out, out_bits)?;
    let (whole, _) = split_bits(m, m_bits)?;
    let bits = (m_bits % 8) as usize;
    let partial = if bits == 0 { &[][..] } else { &m[whole.len()..=whole.len()] };
    single(Backend::detect(), whole, partial, bits, out);
    clear_low_bits(out, out_bits);
    Ok(())
}

/// The bytes of `out` that hold `bits` bits.
pub(crate) fn cut_output(out: &mut [u8], bits: u64) -> Result<&mut [u8], Error> {
    let too_short = Error::OutputBuffer { bits, bytes: out.len() };
    let len = usize::try_from(bits.div_ceil(8)).map_err(|_| too_short)?;
    out.get_mut(..len).ok_or(too_short)
}

/// Clears what lies behind bit number `bits` in the last byte.
pub(crate) fn clear_low_bits(out: &mut [u8], bits: u64) {
    if let (Some(last), 1..) = (out.last_mut(), bits % 8) {
        *last &= !(0xff >> (bits % 8));
    }
}

/// One whole stream of `message` and then the first `bits` bits of the byte in `partial`, if any.
fn single(backend: Backend, message: &[u8], partial: &[u8], bits: usize, out: &mut [u8]) {
    let mut prefix = Sm3::with_backend(backend);
    prefix.absorb(message);
    let (state, absorbed, rest) = prefix.midstate();
    let mut streams = [XofStream { tail: partial, first_block: 0, out }];
    Blocks::new(core::slice::from_ref(state), absorbed, rest, 0, bits, &mut streams).fill(backend);
    prefix.zeroize();
}

/// A part of the stream of `message`, from block number `first_block`.
pub(crate) fn fill_stream(backend: Backend, message: &Sm3, first_block: u32, out: &mut [u8]) {
    let (state, absorbed, rest) = message.midstate();
    let mut streams = [XofStream { tail: &[], first_block, out }];
    Blocks::new(core::slice::from_ref(state), absorbed, rest, 0, 0, &mut streams).fill(backend);
}

/// The common beginning of many XOF messages, its whole 64-byte blocks compressed once.
#[derive(Clone, Debug)]
pub struct XofPrefix(Sm3);

impl XofPrefix {
    /// The prefix `prefix`, of any length.
    #[must_use]
    pub fn new(prefix: &[u8]) -> Self {
        let _scope = scope(Function::PseudoXof, || (0, prefix.len() as u64, 0));
        let mut sm3 = Sm3::new();
        sm3.absorb(prefix);
        Self(sm3)
    }

    pub(crate) fn sm3(&self) -> &Sm3 {
        &self.0
    }
}

/// Leaves a cleared chaining value: usable for nothing but dropping.
impl Zeroize for XofPrefix {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// One of many XOF streams over a common prefix.
#[derive(Debug)]
pub struct XofStream<'a> {
    /// The message is the prefix followed by this.
    pub tail: &'a [u8],
    /// Number of 32-byte blocks of the stream to skip: `out` starts at byte `32 * first_block`.
    pub first_block: u32,
    /// Where the output goes, as many bytes as it has.
    pub out: &'a mut [u8],
}

/// Fills the outputs of many XOF streams, all their blocks spread over the lanes.
///
/// Streams may differ in everything. Runs of streams whose tails have the same length are the fast path, and
/// tails that end within the prefix's last partial block (together less than 64 bytes) the fastest.
pub fn xof_many(backend: Backend, prefix: &XofPrefix, streams: &mut [XofStream<'_>]) {
    let _scope = scope(Function::PseudoXof, || {
        let prefix = prefix.0.midstate().2.len();
        let count = |s: &XofStream<'_>| ((prefix + s.tail.len()) as u64, s.out.len() as u64);
        let sum = streams.iter().map(count).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        (streams.len() as u64, sum.0, sum.1)
    });
    let (state, absorbed, rest) = prefix.0.midstate();
    for run in streams.chunk_by_mut(|a, b| a.tail.len() == b.tail.len()) {
        let Some(tail) = run.first().map(|stream| stream.tail.len()) else { continue };
        if rest.len() + tail < 64 {
            Blocks::new(core::slice::from_ref(state), absorbed, rest, 0, 0, run).fill(backend);
        } else {
            for group in run.chunks_mut(ABSORB_LANES) {
                long_tails(backend, prefix, group);
            }
        }
    }
}

/// Streams whose tails are absorbed side by side.
const ABSORB_LANES: usize = 16;

/// At most [`ABSORB_LANES`] streams whose tails, of one length, complete at least one block.
fn long_tails(backend: Backend, prefix: &XofPrefix, streams: &mut [XofStream<'_>]) {
    let (state, absorbed, rest) = prefix.0.midstate();
    let mut states = [*state; ABSORB_LANES];
    let states = &mut states[..streams.len()];
    let tail = streams.first().map_or(0, |stream| stream.tail.len());
    let count = (rest.len() + tail) / 64;
    drive(backend, &mut Absorb { states, rest, streams, count, next: 0 }, streams.len());
    let absorbed = absorbed.wrapping_add(64 * count as u64);
    Blocks::new(states, absorbed, &[], 64 * count - rest.len(), 0, streams).fill(backend);
}

/// Compresses the first `count` blocks of `rest || tail` of each stream into the stream's state.
struct Absorb<'b, 's> {
    states: &'b mut [[u32; 8]],
    rest: &'b [u8],
    streams: &'b [XofStream<'s>],
    count: usize,
    next: usize,
}

impl Batch for Absorb<'_, '_> {
    #[inline(always)]
    fn run<const L: usize, E: Engine<L>>(&mut self, engine: E, items: usize) {
        let mut blocks = [[0; 64]; L];
        let mut words = Words([[0; L]; 16]);
        let end = self.next + items;
        while self.next < end {
            let group = self.next..end.min(self.next + L);
            let states = &mut self.states[group.clone()];
            let mut state = State([[0; L]; 8]);
            for (lane, one) in states.iter().enumerate() {
                state.set_lane(lane, one);
            }
            for block in 0..self.count {
                for (bytes, stream) in blocks.iter_mut().zip(&self.streams[group.clone()]) {
                    let at = (64 * block).saturating_sub(self.rest.len());
                    let kept = if block == 0 { self.rest.len() } else { 0 };
                    bytes[..kept].copy_from_slice(&self.rest[..kept]);
                    bytes[kept..].copy_from_slice(&stream.tail[at..at + 64 - kept]);
                }
                engine.gather(&blocks, &mut words);
                engine.compress(&mut state, &words);
            }
            for (lane, one) in states.iter_mut().enumerate() {
                *one = state.lane(lane);
            }
            self.next = group.end;
        }
        wipe(&mut blocks, [[0; 64]; L]);
        wipe(&mut words, Words([[0; L]; 16]));
    }
}

/// The counter blocks of streams that have the same number of bits before the counter.
struct Blocks<'b, 's, 'f> {
    /// One state for all streams, or one for each.
    states: &'b [[u32; 8]],
    /// Bytes that each state has absorbed.
    absorbed: u64,
    /// Common first bytes of the block.
    rest: &'b [u8],
    /// Bytes of each tail that the states have absorbed.
    skip: usize,
    /// Bits of the tail's last byte that count; 0 for all.
    bits: usize,
    streams: &'b mut [XofStream<'s>],
    /// Long messages that take the last lanes.
    feeds: &'b mut [Feed<'f>],
    layout: Layout,
    /// The next block: index of its stream and its byte offset in the stream's output.
    stream: usize,
    offset: usize,
}

/// Where things are in the last one or two blocks of a message.
#[derive(Clone, Copy)]
struct Layout {
    /// Bit offset of the 32-bit counter.
    counter: usize,
    /// Number of blocks.
    blocks: usize,
    /// First word that differs between streams.
    first: usize,
    /// Last word that differs, by the counter.
    last: usize,
}

/// The words of the last `B` blocks of one stream.
type Template<const B: usize> = [[u32; 16]; B];

impl<'b, 's> Blocks<'b, 's, '_> {
    /// All streams have tails of one length, and less than 64 bytes are left of `rest || tail[skip..]`.
    fn new(
        states: &'b [[u32; 8]],
        absorbed: u64,
        rest: &'b [u8],
        skip: usize,
        bits: usize,
        streams: &'b mut [XofStream<'s>],
    ) -> Self {
        let tail = streams.first().map_or(0, |stream| stream.tail.len() - skip);
        let counter = 8 * (rest.len() + tail) - if bits == 0 { 0 } else { 8 - bits };
        let layout = Layout {
            counter,
            blocks: (counter + 32 + 1 + 64).div_ceil(512),
            first: rest.len() / 4,
            last: counter.div_ceil(32),
        };
        Self { states, absorbed, rest, skip, bits, streams, feeds: &mut [], layout, stream: 0, offset: 0 }
    }

    /// Fills the outputs of all streams.
    fn fill(&mut self, backend: Backend) {
        let items = self.items();
        drive(backend, self, items);
    }

    /// Blocks that are still to be computed.
    fn items(&self) -> usize {
        let left = self.streams.get(self.stream..).unwrap_or_default();
        let items: usize = left.iter().map(|stream| stream.out.len().div_ceil(32)).sum();
        items - self.offset / 32
    }

    /// The next blocks, at most `most`, of one stream: its index, their byte offset in its output, their number.
    fn take(&mut self, most: usize) -> (usize, usize, usize) {
        while self.streams.get(self.stream).is_some_and(|stream| stream.out.len() <= self.offset) {
            self.stream += 1;
            self.offset = 0;
        }
        let (stream, offset) = (self.stream, self.offset);
        let left = self.streams.get(stream).map_or(0, |stream| (stream.out.len() - offset).div_ceil(32));
        let n = left.min(most);
        self.offset += 32 * n;
        (stream, offset, n)
    }

    /// The last blocks of one stream, the counter zero.
    #[inline(always)]
    fn template<const B: usize>(&self, stream: usize) -> Template<B> {
        let mut blocks = [[0; 64]; B];
        let bytes = blocks.as_flattened_mut();
        let tail = self.streams.get(stream).map_or(&[][..], |stream| &stream.tail[self.skip..]);
        let n = self.rest.len();
        bytes[..n].copy_from_slice(self.rest);
        bytes[n..n + tail.len()].copy_from_slice(tail);
        if self.bits > 0 {
            clear_low_bits(&mut bytes[..n + tail.len()], self.bits as u64);
        }
        let end = self.layout.counter + 32;
        bytes[end / 8] |= 0x80 >> (end % 8);
        let length = self.absorbed.wrapping_mul(8).wrapping_add(end as u64);
        bytes[64 * B - 8..].copy_from_slice(&length.to_be_bytes());
        let words = blocks.each_ref().map(portable::load);
        wipe(&mut blocks, [[0; 64]; B]);
        words
    }
}

/// Overwrites a row from lane `from` on.
#[inline(always)]
fn set_from<const L: usize>(row: &mut [u32; L], from: usize, value: impl Fn(u32) -> u32) {
    for (lane, word) in row.iter_mut().enumerate() {
        *word = if lane >= from { value(lane as u32) } else { *word };
    }
}

impl<'s> Blocks<'_, 's, '_> {
    /// Puts the next blocks of one stream into the lanes from `from` on, and tells what was taken.
    ///
    /// All lanes up to the last are written, so that the stores are as wide as the loads that follow.
    #[inline(always)]
    fn place<const L: usize, const B: usize>(
        &mut self,
        from: usize,
        most: usize,
        current: &mut (usize, Template<B>),
        words: &mut [Words<L>; B],
        state: &mut State<L>,
    ) -> (usize, usize, usize) {
        let Layout { counter, first, last, .. } = self.layout;
        let (word, shift) = (counter / 32, counter as u32 % 32);
        let (stream, offset, n) = self.take(most);
        if stream != current.0 {
            *current = (stream, self.template(stream));
        }
        let template = current.1.as_flattened();
        let start = self.streams.get(stream).map_or(0, |s| s.first_block);
        let base = start.wrapping_add((offset / 32) as u32).wrapping_add(1).wrapping_sub(from as u32);
        for w in first..word {
            set_from(&mut words[w / 16].0[w % 16], from, |_| template[w]);
        }
        set_from(&mut words[word / 16].0[word % 16], from, |lane| {
            template[word] | base.wrapping_add(lane) >> shift
        });
        if shift > 0 {
            set_from(&mut words[last / 16].0[last % 16], from, |lane| {
                template[last] | base.wrapping_add(lane) << (32 - shift)
            });
        }
        if let (true, Some(own)) = (self.states.len() > 1, self.states.get(stream)) {
            for (row, value) in state.0.iter_mut().zip(own) {
                set_from(row, from, |_| *value);
            }
        }
        (stream, offset, n)
    }

    /// [`Batch::run`] for messages that end with `B` blocks of their own.
    #[inline(always)]
    fn run_blocks<const L: usize, const B: usize, E: Engine<L>>(&mut self, engine: E, items: usize) {
        let mut words = [Words([[0; L]; 16]); B];
        let mut digests = [[0; 32]; L];
        let mut cut = [0; 64];
        let lanes = L - self.feeds.len().min(L - 1);
        let mut current = (self.stream, self.template(self.stream));
        for (block, values) in words.iter_mut().zip(&current.1) {
            engine.spread(values, &mut block.0);
        }
        let mut left = items;
        while left > 0 {
            let group = left.min(lanes);
            left -= group;
            let mut state = State::broadcast(engine, &self.states[0]);
            let mut places = [(0, 0, 0); L];
            let mut lane = 0;
            for place in &mut places {
                *place = self.place(lane, group - lane, &mut current, &mut words, &mut state);
                lane += place.2;
                if lane == group {
                    break;
                }
            }
            for block in &mut words {
                self.feed(&mut cut, block, &mut state);
                engine.compress(&mut state, block);
                self.keep(&state);
            }
            if places[0].2 == group
                && let Some(out) = self.whole_group::<L>(places[0])
            {
                engine.scatter(&state, out);
                continue;
            }
            engine.scatter(&state, &mut digests);
            let mut lane = 0;
            for place in places {
                if lane == group {
                    break;
                }
                self.deliver(&digests[lane..], place);
                lane += place.2;
            }
        }
        wipe(&mut words, [Words([[0; L]; 16]); B]);
        wipe(&mut current.1, [[0; 16]; B]);
        wipe(&mut cut, [0; 64]);
    }

    /// Where the digests of a group of one stream go if there is room for `L` of them. What lanes beyond the group's
    /// write there is written over by the groups that follow.
    #[inline(always)]
    fn whole_group<const L: usize>(
        &mut self,
        (stream, offset, _): (usize, usize, usize),
    ) -> Option<&mut [[u8; 32]; L]> {
        self.streams.get_mut(stream)?.out.get_mut(offset..)?.as_chunks_mut().0.first_chunk_mut()
    }

    /// Copies the digests of the lanes from `from` on to where they belong.
    #[inline(always)]
    fn deliver(&mut self, digests: &[[u8; 32]], (stream, offset, n): (usize, usize, usize)) {
        // Digest by digest: longer loads would wait for the stores of more than one.
        let (whole, last) = self.streams[stream].out[offset..].as_chunks_mut();
        for (out, digest) in whole.iter_mut().zip(&digests[..n]) {
            *out = *digest;
        }
        if let Some(digest) = digests[..n].get(whole.len()) {
            last.copy_from_slice(&digest[..last.len()]);
        }
    }
}

impl Batch for Blocks<'_, '_, '_> {
    #[inline(always)]
    fn run<const L: usize, E: Engine<L>>(&mut self, engine: E, items: usize) {
        match self.layout.blocks {
            1 => self.run_blocks::<L, 1, E>(engine, items),
            _ => self.run_blocks::<L, 2, E>(engine, items),
        }
    }
}
