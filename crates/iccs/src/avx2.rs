//! AVX2: eight lanes in 256-bit registers.
#![allow(unsafe_code, reason = "SIMD: intrinsics over pointers, and calls into code for a given processor")]

use crate::backend::Backend;
use crate::engine::{Batch, Engine, State, T, Words};
use crate::lanes::lane_kernel;
use core::arch::x86_64::*;

/// Proof that the processor has AVX2, BMI1 and BMI2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// A token, if the processor has what it stands for.
    pub(crate) fn new() -> Option<Self> {
        Backend::Avx2.is_available().then_some(Self(()))
    }
}

/// A batch, compiled for these instructions.
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run<const L: usize, B: Batch>(engine: impl Engine<L>, batch: &mut B, items: usize) {
    batch.run::<L, _>(engine, items);
}

impl Engine<8> for Avx2 {
    fn run<B: Batch>(self, batch: &mut B, items: usize) {
        // SAFETY: the token proves the instructions.
        unsafe { run::<8, B>(self, batch, items) }
    }

    fn spread<const N: usize>(self, values: &[u32; N], rows: &mut [[u32; 8]; N]) {
        // SAFETY: the token proves the instructions.
        unsafe { spread(values, rows) }
    }

    fn compress(self, state: &mut State<8>, words: &Words<8>) {
        // SAFETY: the token proves the instructions.
        unsafe { compress(state, words) }
    }

    fn gather(self, blocks: &[[u8; 64]; 8], words: &mut Words<8>) {
        // SAFETY: the token proves the instructions.
        unsafe { gather(blocks, words) }
    }

    fn scatter(self, state: &State<8>, digests: &mut [[u8; 32]; 8]) {
        // SAFETY: the token proves the instructions.
        unsafe { scatter(state, digests) }
    }
}

type V = __m256i;

#[inline]
#[target_feature(enable = "avx2")]
fn load(row: &[u32; 8]) -> V {
    // SAFETY: the row is as long as the register, and unaligned loads are meant.
    unsafe { _mm256_loadu_si256(row.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(row: &mut [u32; 8], value: V) {
    // SAFETY: the row is as long as the register, and unaligned stores are meant.
    unsafe { _mm256_storeu_si256(row.as_mut_ptr().cast(), value) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(x: u32) -> V {
    _mm256_set1_epi32(x as i32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(x: V, y: V) -> V {
    _mm256_add_epi32(x, y)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(x: V, y: V) -> V {
    _mm256_xor_si256(x, y)
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor3(x: V, y: V, z: V) -> V {
    xor(xor(x, y), z)
}

#[inline]
#[target_feature(enable = "avx2")]
fn majority(x: V, y: V, z: V) -> V {
    _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(_mm256_or_si256(x, y), z))
}

#[inline]
#[target_feature(enable = "avx2")]
fn choose(x: V, y: V, z: V) -> V {
    xor(_mm256_and_si256(xor(y, z), x), z)
}

/// Rotates left by `N`; `M` is `32 - N`.
#[inline]
#[target_feature(enable = "avx2")]
fn rol<const N: i32, const M: i32>(x: V) -> V {
    _mm256_or_si256(_mm256_slli_epi32::<N>(x), _mm256_srli_epi32::<M>(x))
}

/// Rotates left by eight, as a byte shuffle.
#[inline]
#[target_feature(enable = "avx2")]
fn rol8(x: V) -> V {
    let order = _mm256_set_epi8(
        14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3, 14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1,
        0, 3,
    );
    _mm256_shuffle_epi8(x, order)
}

/// x ^ (x <<< 9) ^ (x <<< 17), the two rotations taken together.
#[inline]
#[target_feature(enable = "avx2")]
fn p0(x: V) -> V {
    let y = xor(x, rol8(x));
    xor3(x, _mm256_slli_epi32::<9>(y), _mm256_srli_epi32::<23>(y))
}

/// x ^ (x <<< 15) ^ (x <<< 23), the two rotations taken together.
#[inline]
#[target_feature(enable = "avx2")]
fn p1(x: V) -> V {
    let y = xor(x, rol8(x));
    xor3(x, _mm256_slli_epi32::<15>(y), _mm256_srli_epi32::<17>(y))
}

lane_kernel!(8, "avx2,bmi1,bmi2");

/// Swaps the bytes of each 32-bit word.
#[inline]
#[target_feature(enable = "avx2")]
fn swap_bytes(x: V) -> V {
    let order = _mm256_set_epi8(
        12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1,
        2, 3,
    );
    _mm256_shuffle_epi8(x, order)
}

/// Transposes an 8 x 8 matrix of words.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(rows: [V; 8]) -> [V; 8] {
    let mut pairs = rows;
    for i in 0..4 {
        pairs[2 * i] = _mm256_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm256_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    let mut quads = pairs;
    for i in 0..2 {
        let [p0, p1, p2, p3] = [pairs[4 * i], pairs[4 * i + 1], pairs[4 * i + 2], pairs[4 * i + 3]];
        quads[4 * i] = _mm256_unpacklo_epi64(p0, p2);
        quads[4 * i + 1] = _mm256_unpackhi_epi64(p0, p2);
        quads[4 * i + 2] = _mm256_unpacklo_epi64(p1, p3);
        quads[4 * i + 3] = _mm256_unpackhi_epi64(p1, p3);
    }
    let mut columns = quads;
    for i in 0..4 {
        columns[i] = _mm256_permute2x128_si256::<0x20>(quads[i], quads[i + 4]);
        columns[i + 4] = _mm256_permute2x128_si256::<0x31>(quads[i], quads[i + 4]);
    }
    columns
}

/// Transposes eight blocks of bytes into lanes of words.
#[target_feature(enable = "avx2")]
pub(crate) fn gather(blocks: &[[u8; 64]; 8], words: &mut Words<8>) {
    for half in 0..2 {
        let rows = core::array::from_fn(|i| {
            // SAFETY: 32 bytes from offset 0 or 32 of a block of 64; unaligned loads are meant.
            let row = unsafe { _mm256_loadu_si256(blocks[i].as_ptr().add(32 * half).cast()) };
            swap_bytes(row)
        });
        for (row, column) in words.0[8 * half..].iter_mut().zip(transpose(rows)) {
            store(row, column);
        }
    }
}

/// Transposes the states of eight lanes into digests.
#[target_feature(enable = "avx2")]
pub(crate) fn scatter(state: &State<8>, digests: &mut [[u8; 32]; 8]) {
    let rows = core::array::from_fn(|i| load(&state.0[i]));
    for (digest, column) in digests.iter_mut().zip(transpose(rows)) {
        // SAFETY: a digest is as long as the register, and unaligned stores are meant.
        unsafe { _mm256_storeu_si256(digest.as_mut_ptr().cast(), swap_bytes(column)) }
    }
}
