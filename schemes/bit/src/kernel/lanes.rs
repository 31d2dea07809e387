//! The vector kernels, written once over the lanes of a vector register.
//!
//! Products mod q take the quotient from single-precision arithmetic: for `|a| ≤ 2²³` and `|b| ≤ q/2`,
//! `k = ⌊a·(b/q)⌉` is off by less than one, so `a·b − k·q`, computed mod 2³², is exact and at most `q` in magnitude
//! whatever the rounding. Reductions between layers are therefore rarely needed. Conversions and products of
//! single-precision numbers of this size take the same time for all values.
//!
//! "Reduced" means `|a| ≤ q`, up to a rounding slack of a tenth of q.
#![allow(
    unsafe_code,
    reason = "vector loads and stores through pointers; bounds are argued at each function"
)]

use crate::params::{DENSE, Fields, Set};
use crate::tables::Multipliers;

/// A vector instruction set. All functions need its features; memory functions access exactly one vector.
pub(super) trait Lanes {
    /// 32-bit lanes of a vector.
    const LANES: usize;
    /// Vectors of integers that a transform block keeps in registers.
    const BLOCK: usize;
    /// Byte vectors that a sparse product keeps in registers.
    const SUMS: usize;
    /// Vector of signed 32-bit integers, or of narrower ones of the same total width.
    type I: Copy;
    /// Vector of single-precision numbers.
    type F: Copy;

    unsafe fn load(p: *const i32) -> Self::I;
    unsafe fn store(p: *mut i32, a: Self::I);
    unsafe fn load_f(p: *const f32) -> Self::F;
    unsafe fn load16(p: *const i16) -> Self::I;
    unsafe fn load8(p: *const i8) -> Self::I;
    /// Stores the low halves of the lanes.
    unsafe fn store16(p: *mut i16, a: Self::I);
    /// Stores the low bytes of the lanes.
    unsafe fn store8(p: *mut i8, a: Self::I);
    unsafe fn splat(a: i32) -> Self::I;
    unsafe fn splat_f(a: f32) -> Self::F;
    unsafe fn add(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn sub(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn add8(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn add16(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn mul(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn abs(a: Self::I) -> Self::I;
    unsafe fn max(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn min_unsigned(a: Self::I, b: Self::I) -> Self::I;
    unsafe fn and(a: Self::I, b: Self::I) -> Self::I;
    /// Lanes shifted right, filling with the sign.
    unsafe fn sign(a: Self::I) -> Self::I;
    /// Lanes shifted left by 16.
    unsafe fn left16(a: Self::I) -> Self::I;
    unsafe fn to_f(a: Self::I) -> Self::F;
    /// To the nearest integer.
    unsafe fn round(a: Self::F) -> Self::I;
    /// Towards zero.
    unsafe fn truncate(a: Self::F) -> Self::I;
    unsafe fn mul_f(a: Self::F, b: Self::F) -> Self::F;
    /// `a·b + c`, rounded once or twice.
    unsafe fn mul_add_f(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// Bit `k` tells whether `a < b` in lane `k`.
    unsafe fn less(a: Self::I, b: Self::I) -> u32;
    /// Stores the lanes whose bit is set, packed, and something in the rest of a vector.
    unsafe fn compact(p: *mut i32, a: Self::I, bits: u32);
    /// Of the pair of vectors in the order of distance `2·T` (natural for `T = LANES/2`): the elements whose partner at
    /// distance `T` follows, and the partners.
    unsafe fn down<const T: usize>(a: Self::I, b: Self::I) -> (Self::I, Self::I);
    /// The inverse of [`Lanes::down`].
    unsafe fn up<const T: usize>(a: Self::I, b: Self::I) -> (Self::I, Self::I);
    /// Loads one vector of the table and gives each lane the entry of its block, in the order of distance `T`.
    unsafe fn spread<const T: usize>(p: *const i32) -> Self::I;
    unsafe fn even(a: Self::I) -> Self::I;
    unsafe fn odd(a: Self::I) -> Self::I;
    unsafe fn swap_pairs(a: Self::I) -> Self::I;
    /// The candidates of [`Set::CANDIDATE`] length 2 or 3 at `p`, before masking. Reads 64 bytes.
    unsafe fn candidates<const BYTES: usize>(p: *const u8) -> Self::I;
    unsafe fn as_f(a: Self::I) -> Self::F;

    /// What [`Lanes::fields`] needs to know about [`Fields`].
    type Cut: Copy;
    /// For the `group`-th vector of each sixteen coefficients.
    unsafe fn cut(fields: &Fields, group: usize) -> Self::Cut;
    /// The fields of one vector of coefficients; `p` points to the sixteen's bytes. Reads at most 32 bytes.
    unsafe fn fields(p: *const u8, cut: Self::Cut) -> Self::I;
}

/// Declares the functions of an implementation of [`Lanes`].
macro_rules! operations {
    ($(fn $name:ident $(<const $C:ident: usize>)? ($($arg:ident: $type:ty),* $(,)?) -> $ret:ty = $body:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name $(<const $C: usize>)? ($($arg: $type),*) -> $ret {
            // SAFETY: the trait says that the caller has the features and that pointers are good for what they are
            // used for.
            unsafe { $body }
        }
    )*};
}
pub(super) use operations;

/// `a·b mod q`, reduced, for `|a| ≤ 2²³` and a multiplier with its ratio.
#[inline(always)]
unsafe fn mul_mod<L: Lanes, P: Set<N>, const N: usize>(a: L::I, value: L::I, ratio: L::F) -> L::I {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let quotient = L::round(L::mul_f(L::to_f(a), ratio));
        L::sub(L::mul(a, value), L::mul(quotient, L::splat(P::Q)))
    }
}

/// Reduces `|a| ≤ 2²³` to at most `q/2 + 1`.
#[inline(always)]
unsafe fn reduce<L: Lanes, P: Set<N>, const N: usize>(a: L::I) -> L::I {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let quotient = L::round(L::mul_f(L::to_f(a), L::splat_f(1.0 / P::Q as f32)));
        L::sub(a, L::mul(quotient, L::splat(P::Q)))
    }
}

/// Reduces `|a| ≤ 2²³` to `[0, q)`.
#[inline(always)]
unsafe fn canonical<L: Lanes, P: Set<N>, const N: usize>(a: L::I) -> L::I {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let r = reduce::<L, P, N>(a);
        // A negative number is a large unsigned one.
        L::min_unsigned(r, L::add(r, L::splat(P::Q)))
    }
}

/// `High` of canonical residues (section 5).
///
/// The reciprocal is 2⁻²² above `1/G`: enough to reach the next integer at multiples of `G` in spite of rounding, too
/// little to do so at their predecessors, as a test over all residues confirms.
#[inline(always)]
unsafe fn high<L: Lanes, P: Set<N>, const N: usize>(a: L::I) -> L::I {
    let reciprocal = (1.0 + 1.0 / 4_194_304.0) / P::G as f32;
    // SAFETY: the caller has the features of `L`.
    unsafe { L::truncate(L::mul_f(L::to_f(L::add(a, L::splat(P::G / 2))), L::splat_f(reciprocal))) }
}

/// The multiplier at entry `at` in all lanes.
#[inline(always)]
unsafe fn broadcast<L: Lanes, const M: usize>(table: &Multipliers<M>, at: usize) -> (L::I, L::F) {
    // SAFETY: the caller has the features of `L`.
    unsafe { (L::splat(table.value[at]), L::splat_f(table.ratio[at])) }
}

/// The multipliers from entry `at` on, spread for distance `T`. At least one vector must follow `at`.
#[inline(always)]
unsafe fn spread<L: Lanes, const T: usize, const M: usize>(
    table: &Multipliers<M>,
    at: usize,
) -> (L::I, L::F) {
    debug_assert!(at + L::LANES <= M);
    // SAFETY: the caller has the features of `L` and answers for the bounds.
    unsafe {
        let ratio = L::spread::<T>(table.ratio.as_ptr().add(at).cast());
        (L::spread::<T>(table.value.as_ptr().add(at)), L::as_f(ratio))
    }
}

#[inline(always)]
unsafe fn butterfly<L: Lanes, P: Set<N>, const N: usize>(x: &mut L::I, y: &mut L::I, z: (L::I, L::F)) {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let t = mul_mod::<L, P, N>(*y, z.0, z.1);
        *y = L::sub(*x, t);
        *x = L::add(*x, t);
    }
}

/// One layer at distance `T < LANES` on a pair of vectors that begins at coefficient `at`.
#[inline(always)]
unsafe fn forward_inside<L: Lanes, P: Set<N>, const T: usize, const N: usize>(
    x: &mut L::I,
    y: &mut L::I,
    at: usize,
) {
    // SAFETY: the caller has the features of `L`. The table has N entries; `at + 2·LANES ≤ N` and `T ≤ LANES/2` give
    // N/(2T) + at/(2T) + LANES ≤ N for every T here, since LANES/T entries are the last that exist.
    unsafe {
        (*x, *y) = L::down::<T>(*x, *y);
        butterfly::<L, P, N>(x, y, spread::<L, T, N>(&P::TABLES.forward, (N + at) / (2 * T)));
    }
}

/// Twin of the portable `ntt`.
#[inline(always)]
pub(super) unsafe fn ntt<L: Lanes, P: Set<N>, const N: usize>(a: &mut [i32; N]) {
    let block = L::BLOCK * L::LANES;
    let p = a.as_mut_ptr();
    // SAFETY: the caller has the features of `L`; all offsets are below N, a multiple of the block length.
    unsafe {
        let mut half = N / 2;
        while half >= block {
            for i in 0..N / (2 * half) {
                let z = broadcast::<L, N>(&P::TABLES.forward, N / (2 * half) + i);
                for j in (2 * i * half..(2 * i + 1) * half).step_by(L::LANES) {
                    let (mut x, mut y) = (L::load(p.add(j)), L::load(p.add(j + half)));
                    butterfly::<L, P, N>(&mut x, &mut y, z);
                    L::store(p.add(j), x);
                    L::store(p.add(j + half), y);
                }
            }
            half /= 2;
        }
        for at in (0..N).step_by(block) {
            ntt_block::<L, P, N>(p.add(at), at);
        }
    }
}

/// Repeats statements with a constant for an index, so that arrays of vectors stay in registers.
macro_rules! unroll {
    ($k:ident, $($value:literal)*, $body:expr) => {
        $({
            const $k: usize = $value;
            $body
        })*
    };
}

/// One layer between the registers of a block, at distance `D` registers.
#[inline(always)]
unsafe fn forward_layer<L: Lanes, P: Set<N>, const D: usize, const N: usize>(r: &mut [L::I; 16], at: usize) {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        unroll!(K, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, if K < L::BLOCK && (K / D).is_multiple_of(2) {
            let z = broadcast::<L, N>(&P::TABLES.forward, (N + at) / (2 * D * L::LANES) + K / (2 * D));
            let (mut x, mut y) = (r[K], r[(K + D) % 16]);
            butterfly::<L, P, N>(&mut x, &mut y, z);
            (r[K], r[(K + D) % 16]) = (x, y);
        });
    }
}

/// One inverse layer between the registers of a block, at distance `D` registers.
#[inline(always)]
unsafe fn inverse_layer<L: Lanes, P: Set<N>, const D: usize, const N: usize>(r: &mut [L::I; 16], at: usize) {
    let half = D * L::LANES;
    // SAFETY: the caller has the features of `L`.
    unsafe {
        unroll!(K, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, if K < L::BLOCK && (K / D).is_multiple_of(2) {
            let (mut x, mut y) = (r[K], r[(K + D) % 16]);
            if 2 * half == N {
                last_layer::<L, P, N>(&mut x, &mut y);
            } else {
                let z = broadcast::<L, N>(&P::TABLES.inverse, (N + at) / (2 * half) + K / (2 * D));
                inverse_butterfly::<L, P, N>(&mut x, &mut y, z, reduces::<P, N>(half));
            }
            (r[K], r[(K + D) % 16]) = (x, y);
        });
    }
}

/// The remaining layers on the block that begins at coefficient `at`, in registers.
#[inline(always)]
unsafe fn ntt_block<L: Lanes, P: Set<N>, const N: usize>(p: *mut i32, at: usize) {
    // SAFETY: the caller has the features of `L`, and `p` points to a block.
    unsafe {
        let mut r = [L::splat(0); 16];
        unroll!(K, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, if K < L::BLOCK {
            r[K] = L::load(p.add(K * L::LANES));
        });
        if L::BLOCK == 16 {
            forward_layer::<L, P, 8, N>(&mut r, at);
        }
        forward_layer::<L, P, 4, N>(&mut r, at);
        forward_layer::<L, P, 2, N>(&mut r, at);
        forward_layer::<L, P, 1, N>(&mut r, at);
        unroll!(K, 0 2 4 6 8 10 12 14, if K < L::BLOCK {
            let (mut x, mut y) = (r[K], r[K + 1]);
            let at = at + K * L::LANES;
            if L::LANES == 16 {
                forward_inside::<L, P, 8, N>(&mut x, &mut y, at);
            }
            forward_inside::<L, P, 4, N>(&mut x, &mut y, at);
            forward_inside::<L, P, 2, N>(&mut x, &mut y, at);
            if P::COMPLETE {
                forward_inside::<L, P, 1, N>(&mut x, &mut y, at);
                (x, y) = L::up::<1>(x, y);
            }
            (x, y) = L::up::<2>(x, y);
            (x, y) = L::up::<4>(x, y);
            if L::LANES == 16 {
                (x, y) = L::up::<8>(x, y);
            }
            L::store(p.add(K * L::LANES), reduce::<L, P, N>(x));
            L::store(p.add((K + 1) * L::LANES), reduce::<L, P, N>(y));
        });
    }
}

/// Inverse butterfly with the sum left unreduced or reduced.
#[inline(always)]
unsafe fn inverse_butterfly<L: Lanes, P: Set<N>, const N: usize>(
    x: &mut L::I,
    y: &mut L::I,
    z: (L::I, L::F),
    reduce_sum: bool,
) {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let difference = L::sub(*x, *y);
        *x = L::add(*x, *y);
        if reduce_sum {
            *x = reduce::<L, P, N>(*x);
        }
        *y = mul_mod::<L, P, N>(difference, z.0, z.1);
    }
}

/// Whether the sums of the layer at distance `half` must be reduced, so that all differences stay within 2²³: the sums
/// start below 1.1 q and double at each layer.
const fn reduces<P: Set<N>, const N: usize>(half: usize) -> bool {
    let limit = (1 << 23) / (P::Q as usize / 10 * 11);
    let mut bound = 1;
    let mut distance = if P::COMPLETE { 1 } else { 2 };
    loop {
        // Sums of this layer are below 2·bound, differences of the next one below 4·bound.
        let reduce = 4 * bound > limit;
        if distance >= half {
            return reduce;
        }
        bound = if reduce { 1 } else { 2 * bound };
        distance *= 2;
    }
}

/// One inverse layer at distance `T < LANES`; see [`forward_inside`].
#[inline(always)]
unsafe fn inverse_inside<L: Lanes, P: Set<N>, const T: usize, const N: usize>(
    x: &mut L::I,
    y: &mut L::I,
    at: usize,
) {
    // SAFETY: as in `forward_inside`.
    unsafe {
        let z = spread::<L, T, N>(&P::TABLES.inverse, (N + at) / (2 * T));
        inverse_butterfly::<L, P, N>(x, y, z, const { reduces::<P, N>(T) });
        (*x, *y) = L::up::<T>(*x, *y);
    }
}

/// Twin of the portable `intt`.
#[inline(always)]
pub(super) unsafe fn intt<L: Lanes, P: Set<N>, const N: usize>(a: &mut [i32; N]) {
    let block = L::BLOCK * L::LANES;
    let p = a.as_mut_ptr();
    // SAFETY: the caller has the features of `L`; all offsets are below N, a multiple of the block length.
    unsafe {
        for at in (0..N).step_by(block) {
            intt_block::<L, P, N>(p.add(at), at);
        }
        let mut half = block;
        while half < N {
            for i in 0..N / (2 * half) {
                let z = broadcast::<L, N>(&P::TABLES.inverse, N / (2 * half) + i);
                for j in (2 * i * half..(2 * i + 1) * half).step_by(L::LANES) {
                    let (mut x, mut y) = (L::load(p.add(j)), L::load(p.add(j + half)));
                    if 2 * half == N {
                        last_layer::<L, P, N>(&mut x, &mut y);
                    } else {
                        inverse_butterfly::<L, P, N>(&mut x, &mut y, z, reduces::<P, N>(half));
                    }
                    L::store(p.add(j), x);
                    L::store(p.add(j + half), y);
                }
            }
            half *= 2;
        }
    }
}

/// The last inverse layer, with the scaling by `L⁻¹`.
#[inline(always)]
unsafe fn last_layer<L: Lanes, P: Set<N>, const N: usize>(x: &mut L::I, y: &mut L::I) {
    // SAFETY: the caller has the features of `L`.
    unsafe {
        let (sum, difference) = (L::add(*x, *y), L::sub(*x, *y));
        let (s, d) = (broadcast::<L, 2>(&P::TABLES.last, 0), broadcast::<L, 2>(&P::TABLES.last, 1));
        *x = mul_mod::<L, P, N>(sum, s.0, s.1);
        *y = mul_mod::<L, P, N>(difference, d.0, d.1);
    }
}

/// The first inverse layers on the block that begins at coefficient `at`, in registers.
#[inline(always)]
unsafe fn intt_block<L: Lanes, P: Set<N>, const N: usize>(p: *mut i32, at: usize) {
    // SAFETY: the caller has the features of `L`, and `p` points to a block.
    unsafe {
        let mut r = [L::splat(0); 16];
        unroll!(K, 0 2 4 6 8 10 12 14, if K < L::BLOCK {
            let mut x = L::load(p.add(K * L::LANES));
            let mut y = L::load(p.add((K + 1) * L::LANES));
            let at = at + K * L::LANES;
            if L::LANES == 16 {
                (x, y) = L::down::<8>(x, y);
            }
            (x, y) = L::down::<4>(x, y);
            (x, y) = L::down::<2>(x, y);
            if P::COMPLETE {
                (x, y) = L::down::<1>(x, y);
                inverse_inside::<L, P, 1, N>(&mut x, &mut y, at);
            }
            inverse_inside::<L, P, 2, N>(&mut x, &mut y, at);
            inverse_inside::<L, P, 4, N>(&mut x, &mut y, at);
            if L::LANES == 16 {
                inverse_inside::<L, P, 8, N>(&mut x, &mut y, at);
            }
            (r[K], r[K + 1]) = (x, y);
        });
        inverse_layer::<L, P, 1, N>(&mut r, at);
        inverse_layer::<L, P, 2, N>(&mut r, at);
        inverse_layer::<L, P, 4, N>(&mut r, at);
        if L::BLOCK == 16 {
            inverse_layer::<L, P, 8, N>(&mut r, at);
        }
        unroll!(K, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15, if K < L::BLOCK {
            L::store(p.add(K * L::LANES), r[K]);
        });
    }
}

/// Twin of the portable `cross`.
#[inline(always)]
pub(super) unsafe fn cross<L: Lanes, P: Set<N>, const N: usize>(b: &[i32; N], out: &mut [i32; N]) {
    let table = &P::TABLES.cross;
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; N is a multiple of LANES.
        unsafe {
            let swapped = L::swap_pairs(L::load(b.as_ptr().add(i)));
            let value = L::load(table.value.as_ptr().add(i));
            let ratio = L::load_f(table.ratio.as_ptr().add(i));
            L::store(out.as_mut_ptr().add(i), mul_mod::<L, P, N>(swapped, value, ratio));
        }
    }
}

/// Twin of the portable `mul_row`.
#[inline(always)]
pub(super) unsafe fn mul_row<L: Lanes, P: Set<N>, const N: usize>(
    a: &[&[i32; N]],
    b: &[&[i32; N]],
    crossed: &[&[i32; N]],
    out: &mut [i32; N],
) {
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; N is a multiple of LANES.
        unsafe {
            let (mut low, mut approximate) = (L::splat(0), L::splat_f(0.0));
            for ((a, b), crossed) in a.iter().zip(b).zip(crossed) {
                let a = L::load(a.as_ptr().add(i));
                let b = L::load(b.as_ptr().add(i));
                let mut add = |a: L::I, b: L::I| {
                    low = L::add(low, L::mul(a, b));
                    approximate = L::mul_add_f(L::to_f(a), L::to_f(b), approximate);
                };
                if P::COMPLETE {
                    add(a, b);
                } else {
                    add(L::even(a), b);
                    add(L::odd(a), L::load(crossed.as_ptr().add(i)));
                }
            }
            let quotient = L::round(L::mul_f(approximate, L::splat_f(1.0 / P::Q as f32)));
            let r = L::sub(low, L::mul(quotient, L::splat(P::Q)));
            L::store(out.as_mut_ptr().add(i), r);
        }
    }
}

/// Twin of the portable `sample_uniform`.
#[inline(always)]
pub(super) unsafe fn sample_uniform<L: Lanes, P: Set<N>, const N: usize>(
    stream: &[u8],
    length: usize,
    out: &mut [i32; N],
    mut filled: usize,
) -> usize {
    let step = L::LANES * P::CANDIDATE.0;
    let mut at = 0;
    while filled + L::LANES <= N && at + step <= length && at + 64 <= stream.len() {
        // SAFETY: the caller has the features of `L`; 64 bytes can be read and one vector can be written.
        unsafe {
            let p = stream.as_ptr().add(at);
            let words = if P::CANDIDATE.0 == 2 { L::candidates::<2>(p) } else { L::candidates::<3>(p) };
            let words = L::and(words, L::splat(P::CANDIDATE.1.cast_signed()));
            let accepted = L::less(words, L::splat(P::Q));
            L::compact(out.as_mut_ptr().add(filled), words, accepted);
            filled += accepted.count_ones() as usize;
        }
        at += step;
    }
    super::portable::sample_uniform::<P, N>(&stream[at..], length - at, out, filled)
}

/// Twin of the portable `expand_mask`.
#[inline(always)]
pub(super) unsafe fn expand_mask<L: Lanes, const N: usize>(
    fields: &Fields,
    stream: &[u8],
    out: &mut [i16; N],
) {
    let half = fields.stream_len(N) / 2;
    assert!(stream.len() >= 2 * half + crate::params::SLACK);
    // SAFETY: the caller has the features of `L`; fields lie in the stream and a load reads less than SLACK beyond it.
    unsafe {
        let cuts = [L::cut(fields, 0), L::cut(fields, if L::LANES == 16 { 0 } else { 1 })];
        for g in 0..N / 16 {
            let p = stream.as_ptr().add(g * fields.stride);
            for (k, cut) in cuts[..16 / L::LANES].iter().enumerate() {
                let y = L::sub(L::fields(p, *cut), L::fields(p.add(half), *cut));
                L::store16(out.as_mut_ptr().add(16 * g + k * L::LANES), y);
            }
        }
    }
}

/// Twin of the portable `unpack16`.
#[inline(always)]
pub(super) unsafe fn unpack16<L: Lanes, const N: usize>(width: usize, bytes: &[u8], values: &mut [i16; N]) {
    let fields = &DENSE[width % DENSE.len()];
    assert!(bytes.len() >= N / 16 * fields.stride);
    // SAFETY: the caller has the features of `L`; a group is read from the input where 32 bytes follow, else from a copy.
    unsafe {
        let cuts = [L::cut(fields, 0), L::cut(fields, if L::LANES == 16 { 0 } else { 1 })];
        for g in 0..N / 16 {
            let rest = &bytes[g * fields.stride..];
            let mut copy = [0; 32];
            let p = if rest.len() >= copy.len() {
                rest.as_ptr()
            } else {
                copy[..rest.len()].copy_from_slice(rest);
                copy.as_ptr()
            };
            for (k, cut) in cuts[..16 / L::LANES].iter().enumerate() {
                L::store16(values.as_mut_ptr().add(16 * g + k * L::LANES), L::fields(p, *cut));
            }
        }
    }
}

/// Twin of the portable `sparse8`.
#[inline(always)]
pub(super) unsafe fn sparse8<L: Lanes, const N: usize>(
    extended: &[[i8; N]; 2],
    support: &[u16],
    out: &mut [i8; N],
) {
    let lanes = 4 * L::LANES;
    let sums = L::SUMS.min(N / lanes);
    for at in (0..N).step_by(sums * lanes) {
        // SAFETY: the caller has the features of `L`; `N − p mod N + at` is below 2N − sums·lanes.
        unsafe {
            let mut sum = [L::splat(0); 16];
            for &p in support {
                let rotated = extended.as_flattened().as_ptr().add(N - usize::from(p) % N + at);
                for (k, sum) in sum[..sums].iter_mut().enumerate() {
                    *sum = L::add8(*sum, L::load(rotated.add(k * lanes).cast()));
                }
            }
            for (k, sum) in sum[..sums].iter().enumerate() {
                L::store(out.as_mut_ptr().add(at + k * lanes).cast(), *sum);
            }
        }
    }
}

/// Twin of the portable `sparse16`.
#[inline(always)]
pub(super) unsafe fn sparse16<L: Lanes, const N: usize>(
    extended: &[[i16; N]; 2],
    support: &[u16],
    out: &mut [i16; N],
) {
    let lanes = 2 * L::LANES;
    let sums = L::SUMS.min(N / lanes);
    for at in (0..N).step_by(sums * lanes) {
        // SAFETY: the caller has the features of `L`; `N − p mod N + at` is below 2N − sums·lanes.
        unsafe {
            let mut sum = [L::splat(0); 16];
            for &p in support {
                let rotated = extended.as_flattened().as_ptr().add(N - usize::from(p) % N + at);
                for (k, sum) in sum[..sums].iter_mut().enumerate() {
                    *sum = L::add16(*sum, L::load(rotated.add(k * lanes).cast()));
                }
            }
            for (k, sum) in sum[..sums].iter().enumerate() {
                L::store(out.as_mut_ptr().add(at + k * lanes).cast(), *sum);
            }
        }
    }
}

/// Twin of the portable `scan`.
#[inline(always)]
pub(super) unsafe fn scan<L: Lanes, const N: usize>(
    y: &[i16; N],
    v: &[i8; N],
    sign: i32,
    gamma: i32,
    beta: i32,
    drawn: &mut [u32],
) -> (usize, bool) {
    assert!(drawn.len() >= N + 16);
    let (mut count, mut over) = (0, 0);
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; `count ≤ i`, so one vector can be written.
        unsafe {
            let v = L::load8(v.as_ptr().add(i));
            let signed = L::mul(v, L::splat(sign));
            let x = L::abs(L::add(L::load16(y.as_ptr().add(i)), signed));
            let below = L::less(x, L::splat(gamma));
            let draws = (L::less(x, L::splat(beta)) | !L::less(x, L::splat(gamma - beta))) & below;
            over |= below ^ (u32::MAX >> (32 - L::LANES));
            let entries = L::add(x, L::left16(L::abs(v)));
            L::compact(drawn.as_mut_ptr().add(count).cast(), entries, draws);
            count += draws.count_ones() as usize;
        }
    }
    (count, over != 0)
}

/// The portable `judge`, compiled for the features.
#[inline(always)]
pub(super) unsafe fn judge<L: Lanes, const N: usize>(
    entries: &[u32; N],
    draws: &[u32; N],
    count: usize,
    gamma: i32,
    beta: i32,
) -> u64 {
    super::portable::judge(entries, draws, count, gamma, beta)
}

/// The portable `widen`, compiled for the features.
#[inline(always)]
pub(super) unsafe fn widen<L: Lanes, const N: usize>(narrow: &[i16; N], wide: &mut [i32; N]) {
    super::portable::widen(narrow, wide);
}

/// Twin of the portable `add_signed`.
#[inline(always)]
pub(super) unsafe fn add_signed<L: Lanes, const N: usize>(
    y: &[i16; N],
    v: &[i8; N],
    sign: i32,
    z: &mut [i16; N],
) {
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; N is a multiple of LANES.
        unsafe {
            let signed = L::mul(L::load8(v.as_ptr().add(i)), L::splat(sign));
            L::store16(z.as_mut_ptr().add(i), L::add(L::load16(y.as_ptr().add(i)), signed));
        }
    }
}

/// Twin of the portable `commit`.
#[inline(always)]
pub(super) unsafe fn commit<L: Lanes, P: Set<N>, const N: usize>(
    w: &mut [i32; N],
    y: &[i16; N],
    high: &mut [u8; N],
) {
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; N is a multiple of LANES.
        unsafe {
            let sum = L::add(L::load(w.as_ptr().add(i)), L::load16(y.as_ptr().add(i)));
            let sum = canonical::<L, P, N>(sum);
            L::store(w.as_mut_ptr().add(i), sum);
            L::store8(high.as_mut_ptr().add(i).cast(), self::high::<L, P, N>(sum));
        }
    }
}

/// Twin of the portable `use_hint`.
#[inline(always)]
pub(super) unsafe fn use_hint<L: Lanes, P: Set<N>, const N: usize>(
    w: &[i32; N],
    h: &[i8; N],
    out: &mut [u8; N],
) {
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; N is a multiple of LANES.
        unsafe {
            let w = canonical::<L, P, N>(L::load(w.as_ptr().add(i)));
            let sum = L::add(self::high::<L, P, N>(w), L::load8(h.as_ptr().add(i)));
            let alpha = L::splat(P::ALPHA);
            // Negative or too large sums are large unsigned numbers until corrected.
            let sum = L::min_unsigned(sum, L::add(sum, alpha));
            let sum = L::min_unsigned(sum, L::sub(sum, alpha));
            L::store8(out.as_mut_ptr().add(i).cast(), sum);
        }
    }
}

/// Twin of the portable `make_hint`.
#[inline(always)]
pub(super) unsafe fn make_hint<L: Lanes, P: Set<N>, const N: usize>(
    w: &[i32; N],
    y2: &[i16; N],
    offset: &[i16; N],
    w1: &[u8; N],
    hint: &mut [i8; N],
) -> i32 {
    let mut lanes = [0; 16];
    // SAFETY: the caller has the features of `L`; N is a multiple of LANES, and `lanes` holds any vector.
    unsafe {
        let mut largest = L::splat(0);
        for i in (0..N).step_by(L::LANES) {
            let w_hat = L::sub(L::load(w.as_ptr().add(i)), L::load16(y2.as_ptr().add(i)));
            let w_hat = canonical::<L, P, N>(L::add(w_hat, L::load16(offset.as_ptr().add(i))));
            let difference = L::sub(L::load8(w1.as_ptr().add(i).cast()), self::high::<L, P, N>(w_hat));
            let alpha = L::splat(P::ALPHA);
            let difference = L::min_unsigned(difference, L::add(difference, alpha));
            let above = L::sign(L::sub(L::splat(P::ALPHA / 2), difference));
            let centred = L::sub(difference, L::and(above, alpha));
            L::store8(hint.as_mut_ptr().add(i), centred);
            largest = L::max(largest, L::abs(centred));
        }
        L::store(lanes.as_mut_ptr(), largest);
    }
    lanes.into_iter().fold(0, i32::max)
}

/// Twin of the portable `split`.
#[inline(always)]
pub(super) unsafe fn split<L: Lanes, P: Set<N>, const N: usize>(
    b: &[i32; N],
    b1: &mut [i16; N],
    b0: &mut [i16; N],
) {
    let step = 1 << P::LOG_GAMMA_B;
    for i in (0..N).step_by(L::LANES) {
        // SAFETY: the caller has the features of `L`; N is a multiple of LANES.
        unsafe {
            let b = canonical::<L, P, N>(L::load(b.as_ptr().add(i)));
            let shifted = L::add(b, L::splat(step / 2));
            // Division by a power of two is exact in single precision, and truncation does the rest.
            let rounded = L::truncate(L::mul_f(L::to_f(shifted), L::splat_f(1.0 / step as f32)));
            L::store16(b1.as_mut_ptr().add(i), rounded);
            L::store16(b0.as_mut_ptr().add(i), L::sub(b, L::mul(rounded, L::splat(step))));
        }
    }
}

/// Defines the kernels of one vector instruction set.
macro_rules! twins {
    ($lanes:ty, $features:literal) => {
        twins! { @ $lanes, $features;
            fn ntt<N, P>(a: &mut [i32; N]) -> ();
            fn intt<N, P>(a: &mut [i32; N]) -> ();
            fn cross<N, P>(b: &[i32; N], out: &mut [i32; N]) -> ();
            fn mul_row<N, P>(a: &[&[i32; N]], b: &[&[i32; N]], crossed: &[&[i32; N]], out: &mut [i32; N]) -> ();
            fn sample_uniform<N, P>(stream: &[u8], length: usize, out: &mut [i32; N], filled: usize) -> usize;
            fn expand_mask<N>(fields: &Fields, stream: &[u8], out: &mut [i16; N]) -> ();
            fn unpack16<N>(width: usize, bytes: &[u8], values: &mut [i16; N]) -> ();
            fn sparse8<N>(extended: &[[i8; N]; 2], support: &[u16], out: &mut [i8; N]) -> ();
            fn sparse16<N>(extended: &[[i16; N]; 2], support: &[u16], out: &mut [i16; N]) -> ();
            fn scan<N>(
                y: &[i16; N],
                v: &[i8; N],
                sign: i32,
                gamma: i32,
                beta: i32,
                drawn: &mut [u32],
            ) -> (usize, bool);
            fn judge<N>(entries: &[u32; N], draws: &[u32; N], count: usize, gamma: i32, beta: i32) -> u64;
            fn widen<N>(narrow: &[i16; N], wide: &mut [i32; N]) -> ();
            fn add_signed<N>(y: &[i16; N], v: &[i8; N], sign: i32, z: &mut [i16; N]) -> ();
            fn commit<N, P>(w: &mut [i32; N], y: &[i16; N], high: &mut [u8; N]) -> ();
            fn use_hint<N, P>(w: &[i32; N], h: &[i8; N], out: &mut [u8; N]) -> ();
            fn make_hint<N, P>(
                w: &[i32; N],
                y2: &[i16; N],
                offset: &[i16; N],
                w1: &[u8; N],
                hint: &mut [i8; N],
            ) -> i32;
            fn split<N, P>(b: &[i32; N], b1: &mut [i16; N], b0: &mut [i16; N]) -> ();
        }
    };
    (@ $lanes:ty, $features:literal; $(
        fn $name:ident<$N:ident $(, $P:ident)?>($($arg:ident: $type:ty),* $(,)?) -> $ret:ty;
    )*) => {$(
        #[target_feature(enable = $features)]
        pub(super) fn $name<$($P: Set<$N>,)? const $N: usize>($($arg: $type),*) -> $ret {
            // SAFETY: this function has the features of the lanes.
            unsafe { lanes::$name::<$lanes, $($P,)? $N>($($arg),*) }
        }
    )*};
}
pub(super) use twins;
