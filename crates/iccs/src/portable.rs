//! The compression function in plain Rust: the one that is always there and that the others are tested against.

use crate::engine::{Batch, Engine, State, T, Words};

/// One round of the compression function; the caller renames the registers instead of moving them.
macro_rules! round {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $j:expr, $w:ident, $ff:expr, $gg:expr) => {
        let a12 = $a.rotate_left(12);
        let ss1 = a12.wrapping_add($e.wrapping_add(T[$j])).rotate_left(7);
        let word = $w[$j & 15];
        $d = $d.wrapping_add($ff($a, $b, $c)).wrapping_add(word ^ $w[($j + 4) & 15]).wrapping_add(ss1 ^ a12);
        let tt2 = $h.wrapping_add($gg($e, $f, $g)).wrapping_add(word).wrapping_add(ss1);
        $b = $b.rotate_left(9);
        $f = $f.rotate_left(19);
        $h = tt2 ^ tt2.rotate_left(9) ^ tt2.rotate_left(17);
    };
}

/// Replaces W[j - 12] by W[j + 4], the last word that round `j` needs.
macro_rules! expand {
    ($j:expr, $w:ident) => {
        let x = $w[($j + 4) & 15] ^ $w[($j + 11) & 15] ^ $w[($j + 1) & 15].rotate_left(15);
        $w[($j + 4) & 15] =
            x ^ x.rotate_left(15) ^ x.rotate_left(23) ^ $w[($j + 7) & 15].rotate_left(7) ^ $w[($j + 14) & 15];
    };
}

const fn parity(x: u32, y: u32, z: u32) -> u32 {
    x ^ y ^ z
}

const fn majority(x: u32, y: u32, z: u32) -> u32 {
    (x & y) | ((x | y) & z)
}

const fn choose(x: u32, y: u32, z: u32) -> u32 {
    ((y ^ z) & x) ^ z
}

/// The SM3 compression function (GB/T 32905-2016 section 5.3) on one block of sixteen big-endian words.
pub(crate) const fn compress(state: &mut [u32; 8], block: &[u32; 16]) {
    let mut w = *block;
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    macro_rules! four {
        ($j:expr, plain) => {
            round!(a b c d e f g h, $j, w, parity, parity);
            round!(d a b c h e f g, $j + 1, w, parity, parity);
            round!(c d a b g h e f, $j + 2, w, parity, parity);
            round!(b c d a f g h e, $j + 3, w, parity, parity);
        };
        ($j:expr, $ff:expr, $gg:expr) => {
            expand!($j, w);
            round!(a b c d e f g h, $j, w, $ff, $gg);
            expand!($j + 1, w);
            round!(d a b c h e f g, $j + 1, w, $ff, $gg);
            expand!($j + 2, w);
            round!(c d a b g h e f, $j + 2, w, $ff, $gg);
            expand!($j + 3, w);
            round!(b c d a f g h e, $j + 3, w, $ff, $gg);
        };
    }
    four!(0, plain);
    four!(4, plain);
    four!(8, plain);
    four!(12, parity, parity);
    four!(16, majority, choose);
    four!(20, majority, choose);
    four!(24, majority, choose);
    four!(28, majority, choose);
    four!(32, majority, choose);
    four!(36, majority, choose);
    four!(40, majority, choose);
    four!(44, majority, choose);
    four!(48, majority, choose);
    four!(52, majority, choose);
    four!(56, majority, choose);
    four!(60, majority, choose);
    let [sa, sb, sc, sd, se, sf, sg, sh] = *state;
    *state = [a ^ sa, b ^ sb, c ^ sc, d ^ sd, e ^ se, f ^ sf, g ^ sg, h ^ sh];
}

/// The sixteen big-endian words of a block.
pub(crate) const fn load(block: &[u8; 64]) -> [u32; 16] {
    let (words, _) = block.as_chunks::<4>();
    let mut w = [0; 16];
    let mut i = 0;
    while i < 16 {
        w[i] = u32::from_be_bytes(words[i]);
        i += 1;
    }
    w
}

/// Compresses whole blocks of one message, one after the other.
pub(crate) fn stream(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    for block in blocks {
        compress(state, &load(block));
    }
}

/// The portable back-end, for any number of lanes: the twin that the SIMD kernels are compared with.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl<const L: usize> Engine<L> for Portable {
    fn run<B: Batch>(self, batch: &mut B, items: usize) {
        batch.run::<L, _>(self, items);
    }

    #[inline]
    fn spread<const N: usize>(self, values: &[u32; N], rows: &mut [[u32; L]; N]) {
        for (row, value) in rows.iter_mut().zip(values) {
            *row = [*value; L];
        }
    }

    #[inline]
    fn compress(self, state: &mut State<L>, words: &Words<L>) {
        for lane in 0..L {
            let mut one = core::array::from_fn(|i| state.0[i][lane]);
            compress(&mut one, &core::array::from_fn(|i| words.0[i][lane]));
            for (row, word) in state.0.iter_mut().zip(one) {
                row[lane] = word;
            }
        }
    }

    #[inline]
    fn gather(self, blocks: &[[u8; 64]; L], words: &mut Words<L>) {
        for (lane, block) in blocks.iter().enumerate() {
            for (row, word) in words.0.iter_mut().zip(load(block)) {
                row[lane] = word;
            }
        }
    }

    #[inline]
    fn scatter(self, state: &State<L>, digests: &mut [[u8; 32]; L]) {
        for (lane, digest) in digests.iter_mut().enumerate() {
            for (bytes, row) in digest.as_chunks_mut::<4>().0.iter_mut().zip(&state.0) {
                *bytes = row[lane].to_be_bytes();
            }
        }
    }
}
