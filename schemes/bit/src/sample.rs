//! The samplers of sections 4.1 to 4.4: matrix, ternary secrets, masks, challenge.
//!
//! Streams are squeezed in lanes and only as far as is usually consumed; the rest follows on demand. A stream that
//! yields too few coefficients in [`WINDOWS`] windows does not exist for any practical purpose (probability below
//! 2⁻¹⁰⁰⁰); its missing coefficients are zero, so that every loop is bounded.

use core::mem::take;

use iccs::{LongHash, XofPrefix, XofStream, xof_many};

use crate::encode::wipe;
use crate::kernel::Isa;
use crate::params::{ByteArray, Set};

#[cfg(test)]
mod tests;

/// Bound on the windows of a rejection-sampled stream.
const WINDOWS: u32 = 64;
/// Bytes of a window of the matrix stream: 21 hash blocks.
const MATRIX_WINDOW: usize = 672;
/// Longest list of first windows: nine polynomials of five windows.
const MATRIX_STREAMS: usize = 45;

/// The challenge polynomial, as the places of its ones.
#[derive(Clone, Debug)]
pub(crate) struct Challenge {
    positions: [u16; 128],
    weight: usize,
}

impl Challenge {
    /// Places of the ones, ascending.
    pub(crate) fn support(&self) -> &[u16] {
        &self.positions[..self.weight]
    }
}

/// The tail of a matrix stream: column, row, two zeros, window.
const fn matrix_tail(row: usize, column: usize, window: u32) -> [u8; 8] {
    let w = window.to_be_bytes();
    [column as u8, row as u8, 0, 0, w[0], w[1], w[2], w[3]]
}

/// Entries of `ExpandA(ρ)` from row `first` on: `Â_{ij}` is entry `3(i − first) + j` of `out`, canonical, in the
/// transform domain (section 4.1).
///
/// Beside their streams `hash` advances on `known`, what is known of its message.
pub(crate) fn expand_rows<P: Set<N>, const N: usize>(
    isa: Isa,
    rho: &[u8],
    first: usize,
    out: &mut [[i32; N]],
    buffer: &mut P::MatrixBuffer,
    (hash, known): (&mut LongHash, &[u8]),
) {
    let prefix = XofPrefix::new(rho);
    let length = P::MATRIX_BLOCKS * 32;
    let windows = length.div_ceil(MATRIX_WINDOW);
    let count = out.len().min(9);
    let tails: [[u8; 8]; MATRIX_STREAMS] = core::array::from_fn(|k| {
        let (entry, window) = (k / windows, k % windows);
        matrix_tail(first + entry / 3, entry % 3, window as u32)
    });
    let mut rest = &mut buffer.as_mut()[..count * length];
    let mut streams: [XofStream<'_>; MATRIX_STREAMS] = core::array::from_fn(|k| {
        let wanted = (length - k % windows * MATRIX_WINDOW).min(MATRIX_WINDOW).min(rest.len());
        let (out, behind) = take(&mut rest).split_at_mut(wanted);
        rest = behind;
        XofStream { tail: &tails[k], first_block: 0, out }
    });
    hash.xof_many(isa.backend(), known, &prefix, &mut streams[..count * windows]);

    for (entry, a) in out.iter_mut().enumerate() {
        let stream = &buffer.as_ref()[entry * length..];
        let mut filled = isa.sample_uniform::<P, N>(stream, length, a, 0);
        if filled < N {
            filled = continue_uniform::<P, N>(isa, a, filled, |window, out| {
                let tail = matrix_tail(first + entry / 3, entry % 3, window);
                xof_many(isa.backend(), &prefix, &mut [XofStream { tail: &tail, first_block: 0, out }]);
            });
        }
        a[filled..].fill(0);
    }
}

/// Continues a matrix polynomial behind its first blocks with whole windows, as `squeeze` gives them. Returns how many
/// coefficients there are.
pub(crate) fn continue_uniform<P: Set<N>, const N: usize>(
    isa: Isa,
    a: &mut [i32; N],
    mut filled: usize,
    mut squeeze: impl FnMut(u32, &mut [u8]),
) -> usize {
    let mut consumed = P::MATRIX_BLOCKS * 32 / P::CANDIDATE.0 * P::CANDIDATE.0;
    while filled < N && consumed < WINDOWS as usize * MATRIX_WINDOW {
        let mut more = [0; MATRIX_WINDOW];
        squeeze((consumed / MATRIX_WINDOW) as u32, &mut more);
        let fresh = &more[consumed % MATRIX_WINDOW..];
        filled = isa.sample_uniform::<P, N>(fresh, fresh.len(), a, filled);
        consumed += fresh.len();
    }
    filled
}

/// The tail of a ternary stream: number, window.
const fn ternary_tail(nu: u16, window: u32) -> [u8; 6] {
    let (n, w) = (nu.to_le_bytes(), window.to_be_bytes());
    [n[0], n[1], w[0], w[1], w[2], w[3]]
}

/// `Ternary(σ, ν)` for `ν = 0 … 5`: `s₀` then `e` (sections 4.2 and 7).
pub(crate) fn ternary<P: Set<N>, const N: usize>(isa: Isa, sigma: &[u8], out: &mut [[i8; N]; 6]) {
    let mut prefix = XofPrefix::new(sigma);
    let tails: [[u8; 6]; 6] = core::array::from_fn(|nu| ternary_tail(nu as u16, 0));
    let first = P::TERNARY_BLOCKS * 32;
    let mut buffer = [[0; 512]; 6];
    let mut outs = buffer.iter_mut();
    let mut streams: [XofStream<'_>; 6] = core::array::from_fn(|nu| XofStream {
        tail: &tails[nu],
        first_block: 0,
        out: outs.next().map_or(&mut [], |b| &mut b[..first]),
    });
    xof_many(isa.backend(), &prefix, &mut streams);

    for (nu, (stream, s)) in buffer.iter_mut().zip(out).enumerate() {
        let mut filled = isa.sample_ternary(&stream[..first], s, 0);
        if filled < N {
            filled = continue_ternary::<P, N>(isa, s, filled, |window, first_block, out| {
                let tail = ternary_tail(nu as u16, window);
                xof_many(isa.backend(), &prefix, &mut [XofStream { tail: &tail, first_block, out }]);
            });
        }
        s[filled..].fill(0);
        wipe(stream);
    }
    zeroize::Zeroize::zeroize(&mut prefix);
}

/// Continues a ternary polynomial behind its first blocks with the rest of the window and whole windows, as `squeeze`
/// gives them for a window and a first block. Returns how many coefficients there are.
pub(crate) fn continue_ternary<P: Set<N>, const N: usize>(
    isa: Isa,
    s: &mut [i8; N],
    mut filled: usize,
    mut squeeze: impl FnMut(u32, u32, &mut [u8]),
) -> usize {
    let mut consumed = P::TERNARY_BLOCKS * 32;
    while filled < N && consumed < WINDOWS as usize * N / 2 {
        let mut window = [0; 512];
        let fresh = &mut window[..N / 2 - consumed % (N / 2)];
        squeeze((2 * consumed / N) as u32, (consumed % (N / 2) / 32) as u32, fresh);
        filled = isa.sample_ternary(fresh, s, filled);
        consumed += fresh.len();
        wipe(fresh);
    }
    filled
}

/// The mask vector `y` (section 4.3).
#[derive(Clone, Debug)]
pub(crate) struct Masks<const N: usize> {
    /// `y₀`, `|y₀| < γ₀`.
    pub(crate) y0: [i16; N],
    /// `y₁`, `|y₁| < γ₁`.
    pub(crate) y1: [[i16; N]; 3],
    /// `y₂`, `|y₂| < γ₂'`.
    pub(crate) y2: [[i16; N]; 3],
}

impl<const N: usize> Masks<N> {
    /// All zero.
    pub(crate) const fn new() -> Self {
        Self { y0: [0; N], y1: [[0; N]; 3], y2: [[0; N]; 3] }
    }

    /// Draws `y₀` with number `nonce` and `y₁` with the next three; with `fresh` also `y₂` with the three after those.
    ///
    /// After the rejection R1 the reference keeps `y₂`, where the submission's text says that every rejection restarts
    /// with a fresh `y` (section 11): the known answers contain it.
    pub(crate) fn draw<P: Set<N>>(&mut self, isa: Isa, prefix: &XofPrefix, nonce: u16, fresh: bool) {
        let lengths = [P::MASKS[0].stream_len(N), P::MASKS[1].stream_len(N), P::MASKS[2].stream_len(N)];
        let count = if fresh { 7 } else { 4 };
        let kind = |k: usize| k.div_ceil(3);
        let mut buffer = P::MaskBuffer::zeroed();
        let tails: [[u8; 2]; 7] = core::array::from_fn(|k| nonce.wrapping_add(k as u16).to_le_bytes());
        let mut rest = buffer.as_mut();
        let mut streams: [XofStream<'_>; 7] = core::array::from_fn(|k| {
            let (out, behind) = take(&mut rest).split_at_mut(lengths[kind(k)]);
            rest = behind;
            XofStream { tail: &tails[k], first_block: 0, out }
        });
        xof_many(isa.backend(), prefix, &mut streams[..count]);

        let mut stream = buffer.as_ref();
        let polynomials = core::iter::once(&mut self.y0).chain(&mut self.y1).chain(&mut self.y2);
        for (k, y) in polynomials.take(count).enumerate() {
            isa.expand_mask(&P::MASKS[kind(k)], stream, y);
            stream = &stream[lengths[kind(k)]..];
        }
        wipe(buffer.as_mut());
    }

    /// Zeroizes all polynomials.
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.y0);
        wipe(self.y1.as_flattened_mut());
        wipe(self.y2.as_flattened_mut());
    }
}

/// `SampleInBall(c̃)` (section 4.4).
///
/// BiT-512 discards the first eight bytes of the stream, a leftover of sign sampling that the known answers contain.
pub(crate) fn challenge<P: Set<N>, const N: usize>(isa: Isa, c_tilde: &[u8]) -> Challenge {
    let (bytes, mask, skipped) = P::CHALLENGE;
    let prefix = XofPrefix::new(c_tilde);
    let mut buffer = [[0; 32]; 9];
    let tails: [[u8; 4]; 9] = core::array::from_fn(|t| (t as u32).to_be_bytes());
    let mut outs = buffer.iter_mut();
    let mut streams: [XofStream<'_>; 9] = core::array::from_fn(|t| XofStream {
        tail: &tails[t],
        first_block: 0,
        out: outs.next().map_or(&mut [], |b| &mut b[..]),
    });
    xof_many(isa.backend(), &prefix, &mut streams[..P::CHALLENGE_BLOCKS]);

    let mut c = [0u8; N];
    let mut i = N - P::TAU;
    let mut place = |c: &mut [u8; N], candidates: &[u8]| {
        for candidate in candidates.chunks_exact(bytes) {
            let mut le = [0; 2];
            le[..bytes].copy_from_slice(candidate);
            let j = usize::from(u16::from_le_bytes(le) & mask);
            if i < N && j <= i {
                c[i] = c[j];
                c[j] = 1;
                i += 1;
            }
        }
        i == N
    };
    let first = &buffer.as_flattened()[skipped..P::CHALLENGE_BLOCKS * 32];
    let mut done = place(&mut c, first);
    let mut t = P::CHALLENGE_BLOCKS as u32;
    while !done && t < WINDOWS {
        let mut block = [0; 32];
        let tail = t.to_be_bytes();
        xof_many(isa.backend(), &prefix, &mut [XofStream { tail: &tail, first_block: 0, out: &mut block }]);
        done = place(&mut c, &block);
        t += 1;
    }

    let mut challenge = Challenge { positions: [0; 128], weight: P::TAU };
    let mut count = 0;
    for (i, c) in c.iter().enumerate() {
        challenge.positions[count.min(127)] = i as u16;
        count += usize::from(*c);
    }
    challenge
}
