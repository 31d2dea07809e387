//! Encodings of keys and signatures (specification section 6) and their strict decoding (section 11).
//!
//! Each `decode_*` returns whether every field is one that an honest party writes. The reference decodes the other
//! codes too; refusing them changes no known answer.

use crate::kernel::Isa;
use crate::params::{HintCode, RoundedKey, Set};

#[cfg(test)]
mod tests;

/// Base of the digits of BiT-128's rounded public key: one more than the largest `b₁`.
const BASE: u64 = 1681;
/// Bits of a group of four digits.
const GROUP_BITS: usize = 43;

/// Gives the `width`-bit fields in `values` their two's-complement sign.
fn extend_sign<const N: usize>(width: usize, values: &mut [i16; N]) {
    let top = 1 << (width - 1);
    for value in values {
        *value = (*value ^ top) - top;
    }
}

/// Whether all magnitudes are below `bound`.
fn within<const N: usize>(values: &[i16; N], bound: i32) -> bool {
    i32::from(values.iter().fold(0, |largest: i16, v| largest.max(v.wrapping_abs()))) < bound
}

/// Writes `b₁`; `out` has `P::B1_LEN` bytes.
pub(crate) fn encode_b1<P: Set<N>, const N: usize>(isa: Isa, b1: &[i16; N], out: &mut [u8]) {
    match P::B1_CODE {
        RoundedKey::Bits11 => isa.pack16(11, b1, out),
        RoundedKey::Bits13 => isa.pack16(13, b1, out),
        RoundedKey::Base1681 => {
            // Eight groups fill 43 bytes. They are gathered in a register: reads would wait for unaligned writes.
            for (digits, bytes) in b1.chunks_exact(32).zip(out.chunks_exact_mut(GROUP_BITS)) {
                let (mut word, mut bits, mut at) = (0u128, 0, 0);
                for digits in digits.as_chunks::<4>().0 {
                    let [d0, d1, d2, d3] = digits.map(|d| u64::from(d.cast_unsigned()));
                    let group = (d3 * BASE + d2) * BASE.pow(2) + (d1 * BASE + d0);
                    word |= u128::from(group) << bits;
                    bits += GROUP_BITS;
                    if bits >= 64 {
                        bytes[at..at + 8].copy_from_slice(&(word as u64).to_le_bytes());
                        (word, bits, at) = (word >> 64, bits - 64, at + 8);
                    }
                }
                bytes[at..].copy_from_slice(&word.to_le_bytes()[..GROUP_BITS - at]);
            }
        }
    }
}

/// Reads `b₁`; false if a value is above `⌊(q − 1 + γ_b/2)/γ_b⌋` or, in BiT-128, a group is 1681⁴ or more.
#[must_use]
pub(crate) fn decode_b1<P: Set<N>, const N: usize>(isa: Isa, bytes: &[u8], b1: &mut [i16; N]) -> bool {
    match P::B1_CODE {
        RoundedKey::Bits11 => isa.unpack16(11, bytes, b1),
        RoundedKey::Bits13 => isa.unpack16(13, bytes, b1),
        RoundedKey::Base1681 => {
            let mut canonical = true;
            for (g, digits) in b1.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let (at, shift) = (g * GROUP_BITS / 8, g * GROUP_BITS % 8);
                let mut le = [0; 8];
                match bytes.get(at..at + 8) {
                    Some(wide) => le.copy_from_slice(wide),
                    None => le[..bytes.len() - at].copy_from_slice(&bytes[at..]),
                }
                let group = (u64::from_le_bytes(le) >> shift) & ((1 << GROUP_BITS) - 1);
                canonical &= group < BASE.pow(4);
                let high = (group / BASE.pow(2)) as u32;
                let low = (group % BASE.pow(2)) as u32;
                let base = BASE as u32;
                // The last quotient is a digit if the group is canonical.
                *digits = [low % base, low / base, high % base, high / base].map(|d| d as i16);
            }
            return canonical;
        }
    }
    i32::from(b1.iter().fold(0, |largest: i16, v| largest.max(*v))) <= P::B1_MAX
}

/// Writes a ternary polynomial; `out` has `P::TERNARY_LEN` bytes.
pub(crate) fn encode_ternary<P: Set<N>, const N: usize>(isa: Isa, s: &[i8; N], out: &mut [u8]) {
    let mut codes = [0u8; N];
    for (code, s) in codes.iter_mut().zip(s) {
        *code = s.cast_unsigned();
    }
    isa.pack8(2, &codes, out);
    wipe(&mut codes);
}

/// Reads a ternary polynomial; false if a field is code 2, which the reference reads as −2.
#[must_use]
pub(crate) fn decode_ternary<P: Set<N>, const N: usize>(isa: Isa, bytes: &[u8], s: &mut [i8; N]) -> bool {
    let mut codes = [0u8; N];
    isa.unpack8(2, bytes, &mut codes);
    let mut bad = 0;
    for (code, s) in codes.iter().zip(s) {
        bad |= (code >> 1) & !code & 1;
        *s = ((code ^ 2).wrapping_sub(2)).cast_signed();
    }
    wipe(&mut codes);
    bad == 0
}

/// Writes `b₀`; `out` has `P::B0_LEN` bytes.
pub(crate) fn encode_b0<P: Set<N>, const N: usize>(isa: Isa, b0: &[i16; N], out: &mut [u8]) {
    isa.pack16(P::B0_BITS, b0, out);
}

/// Reads `b₀`; every code is valid.
pub(crate) fn decode_b0<P: Set<N>, const N: usize>(isa: Isa, bytes: &[u8], b0: &mut [i16; N]) {
    isa.unpack16(P::B0_BITS, bytes, b0);
    extend_sign(P::B0_BITS, b0);
}

/// Writes `z₀`; `out` has `P::Z0_LEN` bytes. BiT-128 adds 7 where the others use two's complement.
pub(crate) fn encode_z0<P: Set<N>, const N: usize>(isa: Isa, z0: &[i16; N], out: &mut [u8]) {
    let (width, offset) = P::Z0_CODE;
    isa.pack16(width, &z0.map(|z| z + offset as i16), out);
}

/// Reads `z₀`; false unless all `|z| < γ₀`.
#[must_use]
pub(crate) fn decode_z0<P: Set<N>, const N: usize>(isa: Isa, bytes: &[u8], z0: &mut [i16; N]) -> bool {
    let (width, offset) = P::Z0_CODE;
    isa.unpack16(width, bytes, z0);
    if offset == 0 {
        extend_sign(width, z0);
    } else {
        for z in z0.iter_mut() {
            *z -= offset as i16;
        }
    }
    within(z0, P::GAMMA[0])
}

/// Writes a polynomial of `z₁`; `out` has `P::Z1_LEN` bytes.
pub(crate) fn encode_z1<P: Set<N>, const N: usize>(isa: Isa, z1: &[i16; N], out: &mut [u8]) {
    isa.pack16(P::Z1_BITS, z1, out);
}

/// Reads a polynomial of `z₁`; false unless all `|z| < γ₁`.
#[must_use]
pub(crate) fn decode_z1<P: Set<N>, const N: usize>(isa: Isa, bytes: &[u8], z1: &mut [i16; N]) -> bool {
    isa.unpack16(P::Z1_BITS, bytes, z1);
    extend_sign(P::Z1_BITS, z1);
    within(z1, P::GAMMA[1])
}

/// Writes a polynomial of the hint; `out` has `P::HINT_LEN` bytes.
pub(crate) fn encode_hint<P: Set<N>, const N: usize>(isa: Isa, h: &[i8; N], out: &mut [u8]) {
    match P::HINT_CODE {
        HintCode::Bits3 => isa.pack8(3, &h.map(|h| (h + 3).cast_unsigned()), out),
        HintCode::Base3 => {
            for (digits, byte) in h.chunks(5).zip(out) {
                // The coefficient that the last byte lacks counts as zero: digit 1.
                let missing = 3u8.pow(digits.len() as u32) * u8::from(digits.len() < 5);
                *byte = digits.iter().rev().fold(0, |sum, h| 3 * sum + (h + 1).cast_unsigned()) + missing;
            }
        }
    }
}

/// Reads a polynomial of the hint.
///
/// False if a three-bit code is 7 or if a base-3 byte is above 242 or, as the last of its polynomial, carries a padding
/// digit other than 1. The reference accepts the latter two, which makes BiT-512 signatures malleable.
#[must_use]
pub(crate) fn decode_hint<P: Set<N>, const N: usize>(isa: Isa, bytes: &[u8], h: &mut [i8; N]) -> bool {
    match P::HINT_CODE {
        HintCode::Bits3 => {
            let mut codes = [0u8; N];
            isa.unpack8(3, bytes, &mut codes);
            for (code, h) in codes.iter().zip(h) {
                *h = code.cast_signed() - 3;
            }
            codes.iter().fold(0, |largest, c| largest.max(*c)) < 7
        }
        HintCode::Base3 => {
            // Signatures are public: a table may be indexed with them.
            let (last, full) = (bytes[P::HINT_LEN - 1], &bytes[..P::HINT_LEN - 1]);
            let (groups, rest) = h.as_chunks_mut::<5>();
            for (digits, &byte) in groups.iter_mut().zip(full) {
                *digits = BASE3[usize::from(byte)];
            }
            rest.copy_from_slice(&BASE3[usize::from(last)][..rest.len()]);
            let padding = BASE3[usize::from(last)][rest.len()];
            bytes.iter().fold(0, |largest: u8, b| largest.max(*b)) < 243 && padding == 0
        }
    }
}

/// The five digits of each byte, minus one; those of bytes above 242 are not used.
static BASE3: [[i8; 5]; 256] = {
    let mut table = [[0; 5]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut k) = (byte, 0);
        while k < 5 {
            table[byte][k] = (rest % 3) as i8 - 1;
            rest /= 3;
            k += 1;
        }
        byte += 1;
    }
    table
};

/// Packs the three polynomials of `w₁` one after another.
pub(crate) fn pack_w1<P: Set<N>, const N: usize>(isa: Isa, w1: &[[u8; N]; 3]) -> P::PackedW1 {
    let mut packed = <P::PackedW1 as crate::ByteArray>::zeroed();
    for (w1, out) in w1.iter().zip(packed.as_mut().chunks_exact_mut(P::W1_LEN)) {
        isa.pack8(P::W1_BITS, w1, out);
    }
    packed
}

/// Zeroizes an array.
pub(crate) fn wipe<T: zeroize::DefaultIsZeroes>(array: &mut [T]) {
    zeroize::Zeroize::zeroize(array);
}
