//! A long message hashed in lanes of batches of XOF blocks.
//!
//! A single message is a chain of dependent compressions, which leaves all lanes but one or two idle. Beside a batch
//! that is computed anyway, a block of the message costs no more than one of the batch's.

use super::{Blocks, XofPrefix, XofStream, xof_many};
use crate::backend::Backend;
use crate::engine::{Engine, IV, State, Words};
use crate::feed::{Feed, Short, digest};
use crate::portable;
use crate::profile::{Function, scope};
use crate::pseudohash;
#[cfg(target_arch = "x86_64")]
use crate::{avx2::Avx2, avx512::Avx512};

/// SM3 or pseudohash(512) of a long message that becomes known while XOF streams are computed.
///
/// Each call takes what is known of the message, from its beginning, and [`LongHash::finish`] takes all of it: nothing
/// is buffered here but chaining values, which are public if the message is. They are not zeroized.
#[derive(Clone, Debug)]
pub struct LongHash {
    /// One for SM3, two for pseudohash(512).
    lanes: usize,
    states: [[u32; 8]; 2],
    /// Blocks compressed in each lane.
    done: u64,
}

impl LongHash {
    /// SM3, in one lane.
    #[must_use]
    pub const fn sm3() -> Self {
        Self { lanes: 1, states: [IV; 2], done: 0 }
    }

    /// pseudohash(512), in two lanes.
    #[must_use]
    pub const fn pseudohash512() -> Self {
        Self { lanes: 2, states: [pseudohash::INNER, IV], done: 0 }
    }

    /// The messages of the lanes, what is done of them behind.
    fn feeds<'a>(&self, parts: &'a [&'a [u8]]) -> [Feed<'a>; 2] {
        let mut feeds = pseudohash::first_feeds(2, parts, Short::default());
        if self.lanes == 1 {
            feeds[0] = Feed::new(parts);
        }
        for (feed, state) in feeds.iter_mut().zip(self.states) {
            feed.skip(self.done);
            feed.state = state;
        }
        feeds
    }

    /// [`xof_many`], with as many whole blocks of the message compressed as find room beside it. `known` is what is
    /// known of the message, from its first byte on.
    ///
    /// The message advances beside streams of the fast path of [`xof_many`] only, and on back-ends with lanes.
    pub fn xof_many(
        &mut self,
        backend: Backend,
        known: &[u8],
        prefix: &XofPrefix,
        streams: &mut [XofStream<'_>],
    ) {
        let (state, absorbed, rest) = prefix.0.midstate();
        let tail = streams.first().map_or(0, |stream| stream.tail.len());
        if rest.len() + tail >= 64 || streams.iter().any(|stream| stream.tail.len() != tail) {
            return xof_many(backend, prefix, streams);
        }
        let _scope = scope(Function::PseudoXof, || {
            let out = streams.iter().map(|stream| stream.out.len() as u64).sum();
            (streams.len() as u64, (streams.len() * (rest.len() + tail)) as u64, out)
        });
        let parts = [known];
        let mut feeds = self.feeds(&parts);
        let whole = (known.len() as u64 / 64).saturating_sub(self.done);
        let before = feeds[0].left;
        let mut blocks = Blocks::new(core::slice::from_ref(state), absorbed, rest, 0, 0, streams);
        blocks.feeds = &mut feeds[..self.lanes];
        blocks.fill_beside(backend, usize::try_from(whole).unwrap_or(usize::MAX));
        blocks.feeds = &mut [];
        blocks.fill(backend);
        self.done += before - feeds[0].left;
        self.states = feeds.each_ref().map(|feed| feed.state);
    }

    /// Hashes what is left of the whole message and writes the digest: 32 bytes of SM3 or 64 of pseudohash(512), or
    /// as many of them as `out` has.
    pub fn finish(self, backend: Backend, message: &[u8], out: &mut [u8]) {
        let parts = [message];
        let feeds = self.feeds(&parts);
        let mut whole = [0; 64];
        if self.lanes == 1 {
            let _scope = scope(Function::Sm3Hash, || (1, message.len() as u64, 32));
            let [feed, _] = feeds;
            whole[..32].copy_from_slice(&digest(backend, feed));
        } else {
            let _scope = scope(Function::PseudoHash, || (1, message.len() as u64, 64));
            whole = pseudohash::finish512(backend, feeds);
        }
        for (out, byte) in out.iter_mut().zip(&whole[..32 * self.lanes]) {
            *out = *byte;
        }
    }
}

impl Blocks<'_, '_, '_> {
    /// Computes blocks beside at most `most` blocks of each message.
    fn fill_beside(&mut self, backend: Backend, most: usize) {
        let groups = most / self.layout.blocks;
        let items = self.items();
        let beside = |lanes: usize, feeds: usize| items.min(groups.saturating_mul(lanes - feeds));
        #[cfg(target_arch = "x86_64")]
        {
            if let (Backend::Avx512, Some(engine)) = (backend, Avx512::new()) {
                let items = beside(16, self.feeds.len());
                return Engine::<16>::run(engine, self, items);
            }
            if let (Backend::Avx512 | Backend::Avx2, Some(engine)) = (backend, Avx2::new()) {
                let items = beside(8, self.feeds.len());
                engine.run(self, items);
            }
        }
    }

    /// Puts the next block of each message and its state into the last lanes.
    #[inline(always)]
    pub(super) fn feed<const L: usize>(
        &mut self,
        block: &mut [u8; 64],
        words: &mut Words<L>,
        state: &mut State<L>,
    ) {
        let first = L.saturating_sub(self.feeds.len());
        for (feed, lane) in self.feeds.iter_mut().zip(first..) {
            feed.next_block(block);
            // Wide stores of a row with one lane replaced turn out no faster, although no load waits for them.
            for (row, word) in words.0.iter_mut().zip(portable::load(block)) {
                row[lane] = word;
            }
            state.set_lane(lane, &feed.state);
        }
    }

    /// Takes the states of the messages back.
    #[inline(always)]
    pub(super) fn keep<const L: usize>(&mut self, state: &State<L>) {
        let first = L.saturating_sub(self.feeds.len());
        for (feed, lane) in self.feeds.iter_mut().zip(first..) {
            feed.state = state.lane(lane);
        }
    }
}
