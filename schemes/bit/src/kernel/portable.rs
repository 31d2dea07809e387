//! The portable kernels: the readable truth that the SIMD twins are tested against.
//!
//! Ring elements are `[i32; N]` in natural order. "Reduced" means `|a| ≤ q/2 + 1`, "canonical" means `0 ≤ a < q`.
//! No branch and no address depends on coefficient values, except where a function says so.

use crate::params::{Fields, Set};
use crate::tables::Multipliers;

/// `a·b mod q` for entry `at` of a list of multipliers: for `|a| < 2²⁵` the result is below `q/2 + 1` in magnitude.
#[inline]
const fn mul<P: Set<N>, const N: usize, const M: usize>(a: i32, b: &Multipliers<M>, at: usize) -> i32 {
    let quotient = ((a as i64 * b.shoup[at] as i64 + (1 << 31)) >> 32) as i32;
    a.wrapping_mul(b.value[at]).wrapping_sub(quotient.wrapping_mul(P::Q))
}

/// Reduces `|a| < 2⁴⁰` to canonical form.
#[inline]
const fn canonical<P: Set<N>, const N: usize>(a: i64) -> i32 {
    a.rem_euclid(P::Q as i64) as i32
}

/// Forward transform (section 3). Input `|a| < 2²⁰`, output reduced.
pub(crate) fn ntt<P: Set<N>, const N: usize>(a: &mut [i32; N]) {
    let length = if P::COMPLETE { N } else { N / 2 };
    let mut blocks = 1;
    while blocks < length {
        let half = N / (2 * blocks);
        for (i, block) in a.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                let t = mul::<P, N, N>(*y, &P::TABLES.forward, blocks + i);
                *y = *x - t;
                *x += t;
            }
        }
        blocks *= 2;
    }
    for x in a {
        *x = centred::<P, N>(*x);
    }
}

/// The centred representative of any `a`.
#[inline]
const fn centred<P: Set<N>, const N: usize>(a: i32) -> i32 {
    let r = canonical::<P, N>(a as i64);
    r - (P::Q & ((P::Q / 2 - r) >> 31))
}

/// Inverse transform with its scaling (section 3). Input reduced, output reduced.
pub(crate) fn intt<P: Set<N>, const N: usize>(a: &mut [i32; N]) {
    let length = if P::COMPLETE { N } else { N / 2 };
    let mut blocks = length / 2;
    while blocks >= 1 {
        let half = N / (2 * blocks);
        for (i, block) in a.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = block.split_at_mut(half);
            for (x, y) in low.iter_mut().zip(high) {
                let (sum, difference) = (*x + *y, *x - *y);
                if blocks == 1 {
                    *x = mul::<P, N, 2>(sum, &P::TABLES.last, 0);
                    *y = mul::<P, N, 2>(difference, &P::TABLES.last, 1);
                } else {
                    *x = centred::<P, N>(sum);
                    *y = mul::<P, N, N>(difference, &P::TABLES.inverse, blocks + i);
                }
            }
        }
        blocks /= 2;
    }
}

/// The cross factor of a transformed polynomial: for each residue `(b₀, b₁)` mod `X² − r` the pair `(r·b₁, b₀)`.
/// Input and output reduced. Not used where the transform is complete.
pub(crate) fn cross<P: Set<N>, const N: usize>(b: &[i32; N], out: &mut [i32; N]) {
    for (k, (pair, crossed)) in b.chunks_exact(2).zip(out.chunks_exact_mut(2)).enumerate() {
        crossed[0] = mul::<P, N, N>(pair[1], &P::TABLES.cross, 2 * k);
        crossed[1] = pair[0];
    }
}

/// `Σ_k a_k·b_k` in the transform domain, for up to four products. `a` reduced or canonical, `b` reduced with its cross
/// factor; output reduced.
pub(crate) fn mul_row<P: Set<N>, const N: usize>(
    a: &[&[i32; N]],
    b: &[&[i32; N]],
    crossed: &[&[i32; N]],
    out: &mut [i32; N],
) {
    for i in 0..N {
        let mut sum = 0i64;
        for (k, (a, b)) in a.iter().zip(b).enumerate() {
            if P::COMPLETE {
                sum += i64::from(a[i]) * i64::from(b[i]);
            } else {
                sum += i64::from(a[i & !1]) * i64::from(b[i]);
                sum += i64::from(a[i | 1]) * i64::from(crossed[k][i]);
            }
        }
        out[i] = centred::<P, N>(canonical::<P, N>(sum));
    }
}

/// Takes candidates of the matrix from the first `length` bytes of `stream` (section 4.1) until `N` are accepted;
/// `filled` are there already. What follows in `stream` may be read, not used. Returns how many are there now. The values are public: branches depend on them.
pub(crate) fn sample_uniform<P: Set<N>, const N: usize>(
    stream: &[u8],
    length: usize,
    out: &mut [i32; N],
    mut filled: usize,
) -> usize {
    let (bytes, mask) = P::CANDIDATE;
    for word in stream[..length].chunks_exact(bytes) {
        let mut le = [0; 4];
        le[..bytes].copy_from_slice(word);
        let candidate = (u32::from_le_bytes(le) & mask) as i32;
        if filled < N && candidate < P::Q {
            out[filled] = candidate;
            filled += 1;
        }
    }
    filled
}

/// Takes ternary coefficients from `stream` (section 4.2) until `N` are there; `filled` are there already. Returns
/// how many are there now. Values are written unconditionally; only how many were skipped shows in addresses.
pub(crate) fn sample_ternary<const N: usize>(stream: &[u8], out: &mut [i8; N], mut filled: usize) -> usize {
    for &byte in stream {
        for shift in [0, 2, 4, 6] {
            if filled == N {
                return N;
            }
            let value = (byte >> shift) & 3;
            out[filled] = value.wrapping_sub(1).cast_signed();
            filled += usize::from(value != 3);
        }
    }
    filled
}

/// The field at bit `start` of `bytes`, at most 16 bits wide.
#[inline]
fn field(bytes: &[u8], start: u32, width: u32) -> i32 {
    let at = start as usize / 8;
    let mut le = [0; 4];
    let there = (bytes.len() - at).min(4);
    le[..there].copy_from_slice(&bytes[at..at + there]);
    ((u32::from_le_bytes(le) >> (start % 8)) & ((1 << width) - 1)).cast_signed()
}

/// Mask coefficients `f(P, i) − f(Q, i)` of a stream `P‖Q` (section 4.3). `stream` is at least `SLACK` bytes longer.
pub(crate) fn expand_mask<const N: usize>(fields: &Fields, stream: &[u8], out: &mut [i16; N]) {
    let half = fields.stream_len(N) / 2;
    let (plus, minus) = stream[..2 * half].split_at(half);
    for (group, (p, q)) in
        out.chunks_exact_mut(16).zip(plus.chunks_exact(fields.stride).zip(minus.chunks_exact(fields.stride)))
    {
        for (k, y) in group.iter_mut().enumerate() {
            let (start, width) = (fields.start[k], fields.width[k]);
            *y = (field(p, start, width) - field(q, start, width)) as i16;
        }
    }
}

/// `Σ_{p ∈ support} x^p·s` in `Z[X]/(X^N + 1)`, given `−s ‖ s`; all sums fit eight bits. The addresses depend on the
/// support, which is a hash output.
pub(crate) fn sparse8<const N: usize>(extended: &[[i8; N]; 2], support: &[u16], out: &mut [i8; N]) {
    out.fill(0);
    for &p in support {
        let rotated = &extended.as_flattened()[N - usize::from(p) % N..];
        for (sum, s) in out.iter_mut().zip(rotated) {
            *sum = sum.wrapping_add(*s);
        }
    }
}

/// [`sparse8`] for sums of sixteen bits.
pub(crate) fn sparse16<const N: usize>(extended: &[[i16; N]; 2], support: &[u16], out: &mut [i16; N]) {
    out.fill(0);
    for &p in support {
        let rotated = &extended.as_flattened()[N - usize::from(p) % N..];
        for (sum, s) in out.iter_mut().zip(rotated) {
            *sum = sum.wrapping_add(*s);
        }
    }
}

/// One pass of the rejection test (section 4.5): forms `z = y + sign·v` with `sign` 1 or −1, writes the entries that
/// draw as `|z| | |v| << 16` to `drawn` in order, and returns their number and whether some `|z| ≥ γ`.
///
/// Entries are stored always and the index is advanced by a mask, so that only their count shows.
pub(crate) fn scan<const N: usize>(
    y: &[i16; N],
    v: &[i8; N],
    sign: i32,
    gamma: i32,
    beta: i32,
    drawn: &mut [u32],
) -> (usize, bool) {
    let (mut count, mut over) = (0, 0);
    for (y, v) in y.iter().zip(v) {
        let v = i32::from(*v) * sign;
        let x = (i32::from(*y) + v).abs();
        let plain = (((beta - 1 - x) & (x - (gamma - beta))) >> 31) & 1;
        let exceeds = ((gamma - 1 - x) >> 31) & 1;
        over |= exceeds;
        drawn[count] = x.cast_unsigned() | (v.abs().cast_unsigned() << 16);
        count += (1 - (plain | exceeds)) as usize;
    }
    (count, over != 0)
}

/// One where `R·F > 2²⁴·T` for the entry and the draw, else zero, without a branch.
#[inline(always)]
pub(crate) fn exceeds(entry: u32, draw: u32, gamma: i32, beta: i32) -> u64 {
    let (x, u) = ((entry & 0xffff).cast_signed(), (entry >> 16).cast_signed());
    let f = (gamma - (x - u).abs()).max(0) + (gamma - x - u).max(0);
    let t = 2 * (gamma - x.max(beta));
    let left = u64::from(draw) * u64::from(f.cast_unsigned());
    let right = u64::from(t.cast_unsigned()) << 24;
    right.wrapping_sub(left) >> 63
}

/// Whether one of the first `count` entries is rejected by its draw (section 4.5): one or zero, without a branch.
#[inline(always)]
pub(crate) fn judge<const N: usize>(
    entries: &[u32; N],
    draws: &[u32; N],
    count: usize,
    gamma: i32,
    beta: i32,
) -> u64 {
    let mut rejected = 0;
    for (i, (draw, entry)) in draws.iter().zip(entries).enumerate() {
        let counts = (i as u64).wrapping_sub(count as u64) >> 63;
        rejected |= exceeds(*entry, *draw, gamma, beta) & counts;
    }
    rejected
}

/// `wide = narrow`.
#[inline(always)]
pub(crate) fn widen<const N: usize>(narrow: &[i16; N], wide: &mut [i32; N]) {
    for (wide, narrow) in wide.iter_mut().zip(narrow) {
        *wide = i32::from(*narrow);
    }
}

/// Forms `z = y + sign·v`, both of them fitting sixteen bits.
pub(crate) fn add_signed<const N: usize>(y: &[i16; N], v: &[i8; N], sign: i32, z: &mut [i16; N]) {
    for ((z, y), v) in z.iter_mut().zip(y).zip(v) {
        *z = y.wrapping_add((i32::from(*v) * sign) as i16);
    }
}

/// Makes `w + y` canonical in place and writes its `High` (section 5). `w` reduced.
pub(crate) fn commit<P: Set<N>, const N: usize>(w: &mut [i32; N], y: &[i16; N], high: &mut [u8; N]) {
    for ((w, y), high) in w.iter_mut().zip(y).zip(high) {
        *w = canonical::<P, N>(i64::from(*w) + i64::from(*y));
        *high = self::high::<P, N>(*w) as u8;
    }
}

/// `High` of a canonical residue (section 5).
#[inline]
pub(crate) const fn high<P: Set<N>, const N: usize>(a: i32) -> i32 {
    (a + P::G / 2) / P::G
}

/// Makes `w` canonical and writes `(High(w) + h) mod α` (section 9, step 7). `w` reduced, `|h| ≤ 3`.
pub(crate) fn use_hint<P: Set<N>, const N: usize>(w: &[i32; N], h: &[i8; N], out: &mut [u8; N]) {
    for ((w, h), out) in w.iter().zip(h).zip(out) {
        let high = high::<P, N>(canonical::<P, N>(i64::from(*w)));
        *out = (high + i32::from(*h)).rem_euclid(P::ALPHA) as u8;
    }
}

/// The hint `cmod(w₁ − High(ŵ))` with `ŵ = w − y₂ + offset` (section 8, step i); returns its largest magnitude.
///
/// `offset` is `b₀·c' − v₂` and, in row 0, the challenge where it is added: `|offset| < 2¹³`.
pub(crate) fn make_hint<P: Set<N>, const N: usize>(
    w: &[i32; N],
    y2: &[i16; N],
    offset: &[i16; N],
    w1: &[u8; N],
    hint: &mut [i8; N],
) -> i32 {
    let mut largest = 0;
    for i in 0..N {
        let w_hat = i64::from(w[i]) - i64::from(y2[i]) + i64::from(offset[i]);
        let high = high::<P, N>(canonical::<P, N>(w_hat));
        let difference = (i32::from(w1[i]) - high).rem_euclid(P::ALPHA);
        let centred = difference - (P::ALPHA & ((P::ALPHA / 2 - difference) >> 31));
        hint[i] = centred as i8;
        largest = largest.max(centred.abs());
    }
    largest
}

/// Splits a polynomial into `(b₁, b₀)` (section 5). Input reduced.
pub(crate) fn split<P: Set<N>, const N: usize>(b: &[i32; N], b1: &mut [i16; N], b0: &mut [i16; N]) {
    for ((b, b1), b0) in b.iter().zip(b1).zip(b0) {
        let b = canonical::<P, N>(i64::from(*b));
        let rounded = (b + (1 << (P::LOG_GAMMA_B - 1))) >> P::LOG_GAMMA_B;
        *b1 = rounded as i16;
        *b0 = (b - (rounded << P::LOG_GAMMA_B)) as i16;
    }
}

/// Packs the low `width` bits of each value, dense and little-endian; `out` has `width·N/8` bytes, `width ≤ 16`.
pub(crate) fn pack16<const N: usize>(width: usize, values: &[i16; N], out: &mut [u8]) {
    for (group, bytes) in values.chunks_exact(8).zip(out.chunks_exact_mut(width)) {
        let mut word = 0u128;
        for (k, value) in group.iter().enumerate() {
            word |= (u128::from(value.cast_unsigned()) & ((1 << width) - 1)) << (width * k);
        }
        bytes.copy_from_slice(&word.to_le_bytes()[..width]);
    }
}

/// Unpacks fields of `width < 16` bits without sign; the inverse of [`pack16`].
pub(crate) fn unpack16<const N: usize>(width: usize, bytes: &[u8], values: &mut [i16; N]) {
    for (group, bytes) in values.chunks_exact_mut(8).zip(bytes.chunks_exact(width)) {
        let mut le = [0; 16];
        le[..width].copy_from_slice(bytes);
        let word = u128::from_le_bytes(le);
        for (k, value) in group.iter_mut().enumerate() {
            *value = ((word >> (width * k)) & ((1 << width) - 1)) as i16;
        }
    }
}

/// [`pack16`] for byte values below `2^width`, `width ≤ 8`.
pub(crate) fn pack8<const N: usize>(width: usize, values: &[u8; N], out: &mut [u8]) {
    for (group, bytes) in values.chunks_exact(8).zip(out.chunks_exact_mut(width)) {
        let mut word = 0u64;
        for (k, value) in group.iter().enumerate() {
            word |= (u64::from(*value) & ((1 << width) - 1)) << (width * k);
        }
        bytes.copy_from_slice(&word.to_le_bytes()[..width]);
    }
}

/// [`unpack16`] into bytes, `width ≤ 8`.
pub(crate) fn unpack8<const N: usize>(width: usize, bytes: &[u8], values: &mut [u8; N]) {
    for (group, bytes) in values.chunks_exact_mut(8).zip(bytes.chunks_exact(width)) {
        let mut le = [0; 8];
        le[..width].copy_from_slice(bytes);
        let word = u64::from_le_bytes(le);
        for (k, value) in group.iter_mut().enumerate() {
            *value = ((word >> (width * k)) & ((1 << width) - 1)) as u8;
        }
    }
}
