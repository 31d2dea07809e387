//! Draws from many independent DRNGs at once: the blocks of all of them spread over the lanes.

use crate::backend::Backend;
use crate::drng::{Drng, Wide};
use crate::engine::{Batch, Engine, IV, State, Words, drive, wipe};
use crate::feed::{Feed, Short, digests};
use crate::profile::{Function, scope};

/// One draw of many.
#[derive(Debug)]
pub struct DrngStream<'a> {
    /// The generator that is drawn from.
    pub drng: &'a mut Drng,
    /// Where the draw goes, as many bytes as it has.
    pub out: &'a mut [u8],
}

/// One draw on each of many independent generators; each does exactly what [`Drng::fill`] does.
pub fn drng_fill_many(backend: Backend, streams: &mut [DrngStream<'_>]) {
    let _scope = scope(Function::Drng, || {
        (streams.len() as u64, 0, streams.iter().map(|stream| stream.out.len() as u64).sum())
    });
    fill_each(backend, streams);
}

/// Seeds many generators at once; each is as [`Drng::from_seed`] makes it and runs on `backend` afterwards. As
/// many are seeded as both slices have room for.
pub fn drng_seed_many(backend: Backend, seeds: &[&[u8]], out: &mut [Drng]) {
    let _scope = scope(Function::Drng, || {
        let n = seeds.len().min(out.len());
        (n as u64, seeds.iter().take(n).map(|seed| seed.len() as u64).sum(), 0)
    });
    for drng in out.iter_mut().take(seeds.len()) {
        *drng = Drng::blank(backend);
    }
    seed_each(backend, seeds, out);
}

/// Generators that are treated side by side.
const GROUP: usize = 16;

/// [`drng_fill_many`] without the profile.
pub(crate) fn fill_each(backend: Backend, streams: &mut [DrngStream<'_>]) {
    for streams in streams.chunks_mut(GROUP) {
        let mut updates = [IV; GROUP];
        let updates = &mut updates[..streams.len()];
        let items = streams.iter().map(|stream| stream.out.len().div_ceil(32) + 1).sum();
        drive(backend, &mut Draws { streams, updates, stream: 0, block: 0 }, items);
        let n = updates.len();
        drive(backend, &mut Same { states: updates, block: &UPDATE_END, next: 0 }, n);
        for (stream, update) in streams.iter_mut().zip(updates) {
            let drng = &mut *stream.drng;
            drng.v = drng.v.plus(&Wide::from_digest(update)).plus(&drng.c).plus(&drng.counter);
            drng.counter = drng.counter.plus(&Wide::from_u64(1));
            wipe(update, IV);
        }
    }
}

/// The second and last block of the 56-byte message 0x03 || V: padding alone.
static UPDATE_END: [u32; 16] = {
    let mut words = [0; 16];
    words[15] = 8 * 56;
    words
};

/// The blocks that depend on V alone: of each stream its output blocks, then the first one of its update.
struct Draws<'b, 's> {
    streams: &'b mut [DrngStream<'s>],
    updates: &'b mut [[u32; 8]],
    stream: usize,
    block: usize,
}

impl Draws<'_, '_> {
    /// Cuts the next block and tells where its digest goes: its stream, and its number unless it is the update.
    fn take(&mut self, bytes: &mut [u8; 64]) -> (usize, Option<usize>) {
        let place = self.stream;
        let stream = &self.streams[place];
        let v = stream.drng.v;
        if self.block < stream.out.len().div_ceil(32) {
            let block = self.block;
            let value = if block == 0 { v } else { v.plus(&Wide::from_u64(block as u64)) };
            bytes[..56].copy_from_slice(&value.to_padded_bytes());
            bytes[55] = 0x80;
            bytes[56..].copy_from_slice(&(8 * 55_u64).to_be_bytes());
            self.block += 1;
            return (place, Some(block));
        }
        bytes[0] = 3;
        bytes[1..57].copy_from_slice(&v.to_padded_bytes());
        bytes[56] = 0x80;
        bytes[57..].fill(0);
        self.stream += 1;
        self.block = 0;
        (place, None)
    }
}

impl Batch for Draws<'_, '_> {
    #[inline(always)]
    fn run<const L: usize, E: Engine<L>>(&mut self, engine: E, items: usize) {
        let mut blocks = [[0; 64]; L];
        let mut words = Words([[0; L]; 16]);
        let mut digests = [[0; 32]; L];
        let mut left = items;
        while left > 0 {
            let n = left.min(L);
            left -= n;
            let mut places = [(0, None); L];
            for (bytes, place) in blocks.iter_mut().zip(&mut places).take(n) {
                *place = self.take(bytes);
            }
            let mut state = State::broadcast(engine, &IV);
            engine.gather(&blocks, &mut words);
            engine.compress(&mut state, &words);
            engine.scatter(&state, &mut digests);
            for (lane, (stream, block)) in places.into_iter().enumerate().take(n) {
                if let Some(block) = block {
                    let out = &mut self.streams[stream].out[32 * block..];
                    let n = out.len().min(32);
                    out[..n].copy_from_slice(&digests[lane][..n]);
                } else {
                    self.updates[stream] = state.lane(lane);
                }
            }
        }
        wipe(&mut blocks, [[0; 64]; L]);
        wipe(&mut words, Words([[0; L]; 16]));
        wipe(&mut digests, [[0; 32]; L]);
    }
}

/// Compresses the same block into many states.
struct Same<'b> {
    states: &'b mut [[u32; 8]],
    block: &'b [u32; 16],
    next: usize,
}

impl Batch for Same<'_> {
    #[inline(always)]
    fn run<const L: usize, E: Engine<L>>(&mut self, engine: E, items: usize) {
        let mut words = Words([[0; L]; 16]);
        engine.spread(self.block, &mut words.0);
        let end = self.next + items;
        while self.next < end {
            let group = self.next..end.min(self.next + L);
            let mut state = State([[0; L]; 8]);
            for (lane, one) in self.states[group.clone()].iter().enumerate() {
                state.set_lane(lane, one);
            }
            engine.compress(&mut state, &words);
            for (lane, one) in self.states[group.clone()].iter_mut().enumerate() {
                *one = state.lane(lane);
            }
            self.next = group.end;
        }
    }
}

/// df(0x00 ||) or df of each input: the first 55 bytes of two digests.
fn derive(backend: Backend, zero: bool, inputs: &[&[u8]], out: &mut [[u8; 55]]) {
    // 0x01 or 0x02, the output length 440 in 32 bits, and 0x00 where the input asks for it.
    let head = |number: u8| [number, 0, 0, 1, 0xb8, 0];
    let head_len = if zero { 6 } else { 5 };
    let n = inputs.len();
    let parts: [[&[u8]; 1]; GROUP] = core::array::from_fn(|i| [inputs.get(i).copied().unwrap_or_default()]);
    let mut feeds: [_; 2 * GROUP] = core::array::from_fn(|i| {
        Feed::with(&IV, 0, &head((i % 2 + 1) as u8)[..head_len], &parts[i / 2], &Short::default())
    });
    let mut pairs = [[0; 32]; 2 * GROUP];
    digests(backend, &mut feeds[..2 * n], &mut pairs[..2 * n]);
    for (out, pair) in out.iter_mut().zip(pairs.as_chunks::<2>().0) {
        out.copy_from_slice(&pair.as_flattened()[..55]);
    }
    wipe(&mut pairs, [[0; 32]; 2 * GROUP]);
}

/// [`drng_seed_many`] without the profile.
pub(crate) fn seed_each(backend: Backend, seeds: &[&[u8]], out: &mut [Drng]) {
    for (seeds, out) in seeds.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
        let n = seeds.len().min(out.len());
        let mut v = [[0; 55]; GROUP];
        let mut c = [[0; 55]; GROUP];
        derive(backend, false, &seeds[..n], &mut v[..n]);
        let inputs: [&[u8]; GROUP] = core::array::from_fn(|i| &v[i][..]);
        derive(backend, true, &inputs[..n], &mut c[..n]);
        for (drng, (v, c)) in out.iter_mut().zip(v.iter().zip(&c)).take(n) {
            drng.v = Wide::from_bytes(v);
            drng.c = Wide::from_bytes(c);
            drng.counter = Wide::from_u64(1);
        }
        wipe(&mut v, [[0; 55]; GROUP]);
        wipe(&mut c, [[0; 55]; GROUP]);
    }
}
