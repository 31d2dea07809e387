//! The kernels on AVX2 with BMI2; twins of the portable ones.
//!
//! Every function needs those features; [`super::Isa`] checks them.
#![allow(unsafe_code, reason = "vector instructions and vector loads and stores")]

use core::arch::x86_64::*;

pub(super) use super::bits::{pack8, pack16, sample_ternary, unpack8};
use super::lanes::{self, Lanes, operations, twins};
use crate::params::{Fields, Set};

/// Eight lanes of 32 bits.
pub(super) struct Avx2;

impl Lanes for Avx2 {
    const LANES: usize = 8;
    const BLOCK: usize = 8;
    const SUMS: usize = 8;
    type I = __m256i;
    type F = __m256;
    type Cut = (usize, [__m256i; 3]);

    operations! {
        fn load(p: *const i32) -> __m256i = _mm256_loadu_si256(p.cast());
        fn store(p: *mut i32, a: __m256i) -> () = _mm256_storeu_si256(p.cast(), a);
        fn load_f(p: *const f32) -> __m256 = _mm256_loadu_ps(p);
        fn load16(p: *const i16) -> __m256i = _mm256_cvtepi16_epi32(_mm_loadu_si128(p.cast()));
        fn load8(p: *const i8) -> __m256i = _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.cast()));
        fn store16(p: *mut i16, a: __m256i) -> () = {
            let low = _mm256_shuffle_epi8(a, _mm256_setr_epi8(
                0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
                0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
            ));
            _mm_storeu_si128(p.cast(), _mm256_castsi256_si128(_mm256_permute4x64_epi64::<8>(low)))
        };
        fn store8(p: *mut i8, a: __m256i) -> () = {
            let low = _mm256_shuffle_epi8(a, _mm256_setr_epi8(
                0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
            ));
            let (x, y) = (_mm256_castsi256_si128(low), _mm256_extracti128_si256::<1>(low));
            _mm_storel_epi64(p.cast(), _mm_unpacklo_epi32(x, y))
        };
        fn splat(a: i32) -> __m256i = _mm256_set1_epi32(a);
        fn splat_f(a: f32) -> __m256 = _mm256_set1_ps(a);
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
        fn sub(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
        fn add8(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi8(a, b);
        fn add16(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi16(a, b);
        fn mul(a: __m256i, b: __m256i) -> __m256i = _mm256_mullo_epi32(a, b);
        fn abs(a: __m256i) -> __m256i = _mm256_abs_epi32(a);
        fn max(a: __m256i, b: __m256i) -> __m256i = _mm256_max_epi32(a, b);
        fn min_unsigned(a: __m256i, b: __m256i) -> __m256i = _mm256_min_epu32(a, b);
        fn and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        fn sign(a: __m256i) -> __m256i = _mm256_srai_epi32::<31>(a);
        fn left16(a: __m256i) -> __m256i = _mm256_slli_epi32::<16>(a);
        fn to_f(a: __m256i) -> __m256 = _mm256_cvtepi32_ps(a);
        fn round(a: __m256) -> __m256i = _mm256_cvtps_epi32(a);
        fn truncate(a: __m256) -> __m256i = _mm256_cvttps_epi32(a);
        fn mul_f(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        fn mul_add_f(a: __m256, b: __m256, c: __m256) -> __m256 = _mm256_add_ps(_mm256_mul_ps(a, b), c);
        fn less(a: __m256i, b: __m256i) -> u32 =
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a))).cast_unsigned();
        fn compact(p: *mut i32, a: __m256i, bits: u32) -> () = {
            // The places to keep, as bytes; computed rather than looked up, so that no address depends on `bits`.
            let kept = _pdep_u64(u64::from(bits), 0x0101_0101_0101_0101) * 255;
            let places = _pext_u64(0x0706_0504_0302_0100, kept);
            let places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(places.cast_signed()));
            _mm256_storeu_si256(p.cast(), _mm256_permutevar8x32_epi32(a, places))
        };
        fn down<const T: usize>(a: __m256i, b: __m256i) -> (__m256i, __m256i) = match T {
            4 => (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b)),
            2 => (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)),
            _ => {
                let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
                let (x, y) = (_mm256_shuffle_ps::<0x88>(a, b), _mm256_shuffle_ps::<0xdd>(a, b));
                (_mm256_castps_si256(x), _mm256_castps_si256(y))
            }
        };
        fn up<const T: usize>(a: __m256i, b: __m256i) -> (__m256i, __m256i) = match T {
            4 | 2 => Self::down::<T>(a, b),
            _ => (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)),
        };
        fn spread<const T: usize>(p: *const i32) -> __m256i = {
            let places = match T {
                4 => _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1),
                2 => _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3),
                // The elements of distance 1 are in the order 0 4 2 6 8 12 10 14.
                _ => _mm256_setr_epi32(0, 2, 1, 3, 4, 6, 5, 7),
            };
            _mm256_permutevar8x32_epi32(Self::load(p), places)
        };
        fn even(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0xa0>(a);
        fn odd(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0xf5>(a);
        fn swap_pairs(a: __m256i) -> __m256i = _mm256_shuffle_epi32::<0xb1>(a);
        fn candidates<const BYTES: usize>(p: *const u8) -> __m256i = {
            if BYTES == 2 {
                return _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
            }
            // Twelve bytes to each half, then three to each lane.
            let low = _mm256_castsi128_si256(_mm_loadu_si128(p.cast()));
            let bytes = _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(p.add(12).cast()));
            _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(
                0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
                0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
            ))
        };
        fn as_f(a: __m256i) -> __m256 = _mm256_castsi256_ps(a);
        fn cut(fields: &Fields, group: usize) -> (usize, [__m256i; 3]) = {
            (fields.stride / 2 * group, [
                _mm256_loadu_si256(fields.bytes[32 * group..][..32].as_ptr().cast()),
                _mm256_loadu_si256(fields.byte_shift[8 * group..][..8].as_ptr().cast()),
                _mm256_loadu_si256(fields.mask[8 * group..][..8].as_ptr().cast()),
            ])
        };
        fn fields(p: *const u8, cut: (usize, [__m256i; 3])) -> __m256i = {
            let (offset, [bytes, shift, mask]) = cut;
            let both = _mm256_broadcastsi128_si256(_mm_loadu_si128(p.add(offset).cast()));
            let lanes = _mm256_shuffle_epi8(both, bytes);
            _mm256_and_si256(_mm256_srlv_epi32(lanes, shift), mask)
        };
    }
}

twins!(Avx2, "avx2,bmi1,bmi2,popcnt");
