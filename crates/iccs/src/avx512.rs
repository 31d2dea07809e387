//! AVX-512: 16 lanes in 512-bit registers, 8 in 256-bit ones, with the rotate and
//! three-input logic instructions.
#![allow(unsafe_code, reason = "SIMD: intrinsics over pointers, and calls into code for a given processor")]

use crate::avx2;
use crate::avx512_single as single;
use crate::backend::Backend;
use crate::engine::{Batch, Engine, State, Words};
use crate::portable::Portable;
use core::arch::x86_64::*;

/// Proof that the processor has AVX-512 F, BW, DQ and VL, AVX2, BMI1 and BMI2.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// A token, if the processor has what it stands for.
    pub(crate) fn new() -> Option<Self> {
        Backend::Avx512.is_available().then_some(Self(()))
    }
}

/// The operations of [`crate::lanes`] on one register width.
macro_rules! width {
    ($module:ident, $lanes:literal, $vector:ident, $load:ident, $store:ident, $set1:ident, $add:ident, $xor:ident,
     $ternary:ident, $rol:ident) => {
        mod $module {
            use crate::engine::{State, T, Words};
            use crate::lanes::lane_kernel;
            use core::arch::x86_64::{$add, $load, $rol, $set1, $store, $ternary, $vector, $xor};

            type V = $vector;

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn load(row: &[u32; $lanes]) -> V {
                // SAFETY: the row is as long as the register, and unaligned loads are meant.
                unsafe { $load(row.as_ptr().cast()) }
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn store(row: &mut [u32; $lanes], value: V) {
                // SAFETY: the row is as long as the register, and unaligned stores are meant.
                unsafe { $store(row.as_mut_ptr().cast(), value) }
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn splat(x: u32) -> V {
                $set1(x as i32)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn add(x: V, y: V) -> V {
                $add(x, y)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn xor(x: V, y: V) -> V {
                $xor(x, y)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn xor3(x: V, y: V, z: V) -> V {
                $ternary::<0x96>(x, y, z)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn majority(x: V, y: V, z: V) -> V {
                $ternary::<0xe8>(x, y, z)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn choose(x: V, y: V, z: V) -> V {
                $ternary::<0xca>(x, y, z)
            }

            /// Rotates left by `N`; `M` is `32 - N`.
            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn rol<const N: i32, const M: i32>(x: V) -> V {
                $rol::<N>(x)
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn p0(x: V) -> V {
                xor3(x, $rol::<9>(x), $rol::<17>(x))
            }

            #[inline]
            #[target_feature(enable = "avx512f,avx512vl")]
            fn p1(x: V) -> V {
                xor3(x, $rol::<15>(x), $rol::<23>(x))
            }

            lane_kernel!($lanes, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2");
        }
    };
}

width!(
    x16,
    16,
    __m512i,
    _mm512_loadu_epi32,
    _mm512_storeu_epi32,
    _mm512_set1_epi32,
    _mm512_add_epi32,
    _mm512_xor_si512,
    _mm512_ternarylogic_epi32,
    _mm512_rol_epi32
);
width!(
    x8,
    8,
    __m256i,
    _mm256_loadu_epi32,
    _mm256_storeu_epi32,
    _mm256_set1_epi32,
    _mm256_add_epi32,
    _mm256_xor_si256,
    _mm256_ternarylogic_epi32,
    _mm256_rol_epi32
);

/// A batch, compiled for these instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
fn run<const L: usize, B: Batch>(engine: impl Engine<L>, batch: &mut B, items: usize) {
    batch.run::<L, _>(engine, items);
}

impl Engine<16> for Avx512 {
    fn run<B: Batch>(self, batch: &mut B, items: usize) {
        // SAFETY: the token proves the instructions.
        unsafe { run::<16, B>(self, batch, items) }
    }

    fn spread<const N: usize>(self, values: &[u32; N], rows: &mut [[u32; 16]; N]) {
        // SAFETY: the token proves the instructions.
        unsafe { x16::spread(values, rows) }
    }

    fn compress(self, state: &mut State<16>, words: &Words<16>) {
        // SAFETY: the token proves the instructions.
        unsafe { x16::compress(state, words) }
    }

    fn gather(self, blocks: &[[u8; 64]; 16], words: &mut Words<16>) {
        // SAFETY: the token proves the instructions.
        unsafe { gather16(blocks, words) }
    }

    fn scatter(self, state: &State<16>, digests: &mut [[u8; 32]; 16]) {
        // SAFETY: the token proves the instructions.
        unsafe { scatter16(state, digests) }
    }
}

impl Engine<8> for Avx512 {
    fn run<B: Batch>(self, batch: &mut B, items: usize) {
        // SAFETY: the token proves the instructions.
        unsafe { run::<8, B>(self, batch, items) }
    }

    fn spread<const N: usize>(self, values: &[u32; N], rows: &mut [[u32; 8]; N]) {
        // SAFETY: the token proves the instructions.
        unsafe { x8::spread(values, rows) }
    }

    fn compress(self, state: &mut State<8>, words: &Words<8>) {
        // SAFETY: the token proves the instructions.
        unsafe { x8::compress(state, words) }
    }

    fn gather(self, blocks: &[[u8; 64]; 8], words: &mut Words<8>) {
        // SAFETY: the token proves the instructions, AVX2 among them.
        unsafe { avx2::gather(blocks, words) }
    }

    fn scatter(self, state: &State<8>, digests: &mut [[u8; 32]; 8]) {
        // SAFETY: the token proves the instructions, AVX2 among them.
        unsafe { avx2::scatter(state, digests) }
    }
}

/// Swaps the bytes of each 32-bit word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn swap_bytes(x: __m512i) -> __m512i {
    let order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(order))
}

/// Transposes the 4 x 4 words in each 128-bit part of four rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose4(rows: [__m512i; 4]) -> [__m512i; 4] {
    let [r0, r1, r2, r3] = rows;
    let (p0, p1) = (_mm512_unpacklo_epi32(r0, r1), _mm512_unpackhi_epi32(r0, r1));
    let (p2, p3) = (_mm512_unpacklo_epi32(r2, r3), _mm512_unpackhi_epi32(r2, r3));
    [
        _mm512_unpacklo_epi64(p0, p2),
        _mm512_unpackhi_epi64(p0, p2),
        _mm512_unpacklo_epi64(p1, p3),
        _mm512_unpackhi_epi64(p1, p3),
    ]
}

/// Transposes the 4 x 4 parts of 128 bits in four rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_parts(rows: [__m512i; 4]) -> [__m512i; 4] {
    let [r0, r1, r2, r3] = rows;
    let (low01, high01) = (_mm512_shuffle_i32x4::<0x44>(r0, r1), _mm512_shuffle_i32x4::<0xee>(r0, r1));
    let (low23, high23) = (_mm512_shuffle_i32x4::<0x44>(r2, r3), _mm512_shuffle_i32x4::<0xee>(r2, r3));
    [
        _mm512_shuffle_i32x4::<0x88>(low01, low23),
        _mm512_shuffle_i32x4::<0xdd>(low01, low23),
        _mm512_shuffle_i32x4::<0x88>(high01, high23),
        _mm512_shuffle_i32x4::<0xdd>(high01, high23),
    ]
}

/// Transposes sixteen blocks of bytes into lanes of words.
#[target_feature(enable = "avx512f,avx512bw")]
fn gather16(blocks: &[[u8; 64]; 16], words: &mut Words<16>) {
    // Row i holds words 4i .. 4i + 4 of lanes j, j + 4, j + 8, j + 12 after the parts are transposed.
    let quarters: [[__m512i; 4]; 4] = core::array::from_fn(|j| {
        transpose_parts(core::array::from_fn(|k| {
            // SAFETY: a block is as long as the register, and unaligned loads are meant.
            let row = unsafe { _mm512_loadu_si512(blocks[j + 4 * k].as_ptr().cast()) };
            swap_bytes(row)
        }))
    });
    for (i, rows) in words.0.chunks_exact_mut(4).enumerate() {
        let columns = transpose4(core::array::from_fn(|j| quarters[j][i]));
        for (row, column) in rows.iter_mut().zip(columns) {
            // SAFETY: a row is as long as the register, and unaligned stores are meant.
            unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), column) }
        }
    }
}

/// Transposes the states of sixteen lanes into digests.
#[target_feature(enable = "avx512f,avx512bw")]
fn scatter16(state: &State<16>, digests: &mut [[u8; 32]; 16]) {
    let half = |from: usize| {
        core::array::from_fn(|i| {
            // SAFETY: a row is as long as the register, and unaligned loads are meant.
            let row = unsafe { _mm512_loadu_si512(state.0[from + i].as_ptr().cast()) };
            swap_bytes(row)
        })
    };
    // Part p of row k holds half a digest of lane 4p + k.
    let (low, high) = (transpose4(half(0)), transpose4(half(4)));
    let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for k in 0..4 {
        for (order, lane) in [(first, k), (second, k + 8)] {
            let pair = _mm512_permutex2var_epi64(low[k], order, high[k]);
            let (one, two) = (_mm512_castsi512_si256(pair), _mm512_extracti64x4_epi64::<1>(pair));
            // SAFETY: a digest is as long as the register, and unaligned stores are meant.
            unsafe {
                _mm256_storeu_si256(digests[lane].as_mut_ptr().cast(), one);
                _mm256_storeu_si256(digests[lane + 4].as_mut_ptr().cast(), two);
            }
        }
    }
}

impl Engine<1> for Avx512 {
    fn run<B: Batch>(self, batch: &mut B, items: usize) {
        // SAFETY: the token proves the instructions.
        unsafe { run::<1, B>(self, batch, items) }
    }

    fn spread<const N: usize>(self, values: &[u32; N], rows: &mut [[u32; 1]; N]) {
        Portable.spread(values, rows);
    }

    fn compress(self, state: &mut State<1>, words: &Words<1>) {
        let ([one], [words]) =
            (state.0.as_flattened_mut().as_chunks_mut().0, words.0.as_flattened().as_chunks().0)
        else {
            return;
        };
        // SAFETY: the token proves the instructions.
        unsafe { single::compress(one, words) }
    }

    fn gather(self, blocks: &[[u8; 64]; 1], words: &mut Words<1>) {
        Portable.gather(blocks, words);
    }

    fn scatter(self, state: &State<1>, digests: &mut [[u8; 32]; 1]) {
        Portable.scatter(state, digests);
    }
}

impl Avx512 {
    /// Compresses whole blocks of one message, one after the other.
    pub(crate) fn stream(self, state: &mut [u32; 8], blocks: &[[u8; 64]]) {
        // SAFETY: the token proves the instructions.
        unsafe { single::stream(state, blocks) }
    }
}
