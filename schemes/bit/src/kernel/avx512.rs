//! The kernels on AVX-512 F, BW, DQ and VL with BMI2; twins of the portable ones.
//!
//! Every function needs those features; [`super::Isa`] checks them.
#![allow(unsafe_code, reason = "vector instructions and vector loads and stores")]

use core::arch::x86_64::*;

pub(super) use super::bits::{pack8, pack16, sample_ternary, unpack8};
use super::lanes::{self, Lanes, operations, twins};
use crate::params::{Fields, Set};

/// Sixteen lanes of 32 bits.
pub(super) struct Avx512;

/// The pairs of positions of 32 elements, held in two vectors, at distance `t`: those whose bit `t` is clear, then those
/// whose bit is set, both ascending. For `t = 16` that is the natural order.
const fn order(t: u32) -> [u32; 32] {
    let mut order = [0; 32];
    let (mut low, mut high, mut e) = (0, 16, 0);
    while e < 32 {
        if e & t == 0 {
            order[low] = e;
            low += 1;
        } else {
            order[high] = e;
            high += 1;
        }
        e += 1;
    }
    order
}

/// Which place in `from` each place of `to` takes its element from.
const fn permutation(from: [u32; 32], to: [u32; 32]) -> [[i32; 16]; 2] {
    let mut places = [[0; 16]; 2];
    let mut k = 0;
    while k < 32 {
        let mut place = 0;
        while from[place] != to[k] {
            place += 1;
        }
        places[k / 16][k % 16] = place as i32;
        k += 1;
    }
    places
}

/// Entry of the block of each lane at distance `t`.
const fn blocks(t: usize) -> [i32; 16] {
    let mut blocks = [0; 16];
    let mut k = 0;
    while k < 16 {
        blocks[k] = (k / t) as i32;
        k += 1;
    }
    blocks
}

/// A vector from an array.
#[inline(always)]
unsafe fn vector(a: &[i32; 16]) -> __m512i {
    // SAFETY: the array is a vector long.
    unsafe { _mm512_loadu_si512(a.as_ptr().cast()) }
}

impl Lanes for Avx512 {
    const LANES: usize = 16;
    const BLOCK: usize = 16;
    const SUMS: usize = 16;
    type I = __m512i;
    type F = __m512;

    type Cut = [__m512i; 3];

    operations! {
        fn load(p: *const i32) -> __m512i = _mm512_loadu_si512(p.cast());
        fn store(p: *mut i32, a: __m512i) -> () = _mm512_storeu_si512(p.cast(), a);
        fn load_f(p: *const f32) -> __m512 = _mm512_loadu_ps(p);
        fn load16(p: *const i16) -> __m512i = _mm512_cvtepi16_epi32(_mm256_loadu_si256(p.cast()));
        fn load8(p: *const i8) -> __m512i = _mm512_cvtepi8_epi32(_mm_loadu_si128(p.cast()));
        fn store16(p: *mut i16, a: __m512i) -> () = _mm256_storeu_si256(p.cast(), _mm512_cvtepi32_epi16(a));
        fn store8(p: *mut i8, a: __m512i) -> () = _mm_storeu_si128(p.cast(), _mm512_cvtepi32_epi8(a));
        fn splat(a: i32) -> __m512i = _mm512_set1_epi32(a);
        fn splat_f(a: f32) -> __m512 = _mm512_set1_ps(a);
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        fn sub(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b);
        fn add8(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi8(a, b);
        fn add16(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi16(a, b);
        fn mul(a: __m512i, b: __m512i) -> __m512i = _mm512_mullo_epi32(a, b);
        fn abs(a: __m512i) -> __m512i = _mm512_abs_epi32(a);
        fn max(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epi32(a, b);
        fn min_unsigned(a: __m512i, b: __m512i) -> __m512i = _mm512_min_epu32(a, b);
        fn and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
        fn sign(a: __m512i) -> __m512i = _mm512_srai_epi32::<31>(a);
        fn left16(a: __m512i) -> __m512i = _mm512_slli_epi32::<16>(a);
        fn to_f(a: __m512i) -> __m512 = _mm512_cvtepi32_ps(a);
        fn round(a: __m512) -> __m512i = _mm512_cvtps_epi32(a);
        fn truncate(a: __m512) -> __m512i = _mm512_cvttps_epi32(a);
        fn mul_f(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        fn mul_add_f(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps(a, b, c);
        fn less(a: __m512i, b: __m512i) -> u32 = u32::from(_mm512_cmplt_epi32_mask(a, b));
        // Compressing into a register and storing all of it: the form that stores only what is kept is slow on Zen 4.
        fn compact(p: *mut i32, a: __m512i, bits: u32) -> () = _mm512_storeu_si512(p.cast(), _mm512_maskz_compress_epi32(bits as u16, a));
        fn down<const T: usize>(a: __m512i, b: __m512i) -> (__m512i, __m512i) = {
                let [x, y] = const { &permutation(order(2 * T as u32), order(T as u32)) };
                (_mm512_permutex2var_epi32(a, vector(x), b), _mm512_permutex2var_epi32(a, vector(y), b))
            };
        fn up<const T: usize>(a: __m512i, b: __m512i) -> (__m512i, __m512i) = {
                let [x, y] = const { &permutation(order(T as u32), order(2 * T as u32)) };
                (_mm512_permutex2var_epi32(a, vector(x), b), _mm512_permutex2var_epi32(a, vector(y), b))
            };
        fn spread<const T: usize>(p: *const i32) -> __m512i = _mm512_permutexvar_epi32(vector(const { &blocks(T) }), Self::load(p));
        fn even(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0xa0>(a);
        fn odd(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0xf5>(a);
        fn swap_pairs(a: __m512i) -> __m512i = _mm512_shuffle_epi32::<0xb1>(a);
        fn candidates<const BYTES: usize>(p: *const u8) -> __m512i = {
                if BYTES == 2 {
                    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast()));
                }
                // Twelve bytes to each quarter, then three to each lane.
                let quarters = const { &[0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12] };
                let bytes = _mm512_permutexvar_epi32(vector(quarters), _mm512_loadu_si512(p.cast()));
                let lanes = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
                _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(lanes))
            };
        fn as_f(a: __m512i) -> __m512 = _mm512_castsi512_ps(a);
        fn cut(fields: &Fields, _group: usize) -> [__m512i; 3] = {
                [
                    _mm512_loadu_si512(fields.words.as_ptr().cast()),
                    _mm512_loadu_si512(fields.word_shift.as_ptr().cast()),
                    _mm512_loadu_si512(fields.mask.as_ptr().cast()),
                ]
            };
        fn fields(p: *const u8, cut: [__m512i; 3]) -> __m512i = {
                let [words, shift, mask] = cut;
                let bytes = _mm512_castsi256_si512(_mm256_loadu_si256(p.cast()));
                let lanes = _mm512_permutexvar_epi16(words, bytes);
                _mm512_and_si512(_mm512_srlv_epi32(lanes, shift), mask)
            };
    }
}

twins!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt");
