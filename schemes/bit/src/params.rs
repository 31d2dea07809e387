//! The three parameter sets (specification sections 2, 4.3 and 6) and the sizes that follow from them.

use core::fmt::Debug;

use zeroize::Zeroize;

use crate::tables::Tables;

/// A fixed-length byte string: the representation of a key or a signature.
pub trait ByteArray: Copy + Eq + Debug + AsRef<[u8]> + AsMut<[u8]> + Zeroize + Send + Sync + 'static {
    /// Length in bytes.
    const LEN: usize;

    /// All zero.
    #[must_use]
    fn zeroed() -> Self;
}

impl<const LEN: usize> ByteArray for [u8; LEN] {
    const LEN: usize = LEN;

    #[inline]
    fn zeroed() -> Self {
        [0; LEN]
    }
}

/// Where the fields of sixteen consecutive coefficients lie in one half of a mask stream (section 4.3), and how the
/// vector kernels get at them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// Bytes that sixteen coefficients take; eight take half of them.
    pub(crate) stride: usize,
    /// First bit of each field.
    pub(crate) start: [u32; 16],
    /// Bits of each field, at most 16.
    pub(crate) width: [u32; 16],
    /// The mask of each field.
    pub(crate) mask: [u32; 16],
    /// The two 16-bit words that hold each field.
    pub(crate) words: [u16; 32],
    /// First bit of each field in its two words.
    pub(crate) word_shift: [u32; 16],
    /// The four bytes from the first of each field, relative to the bytes of its eight coefficients; 255 for those beyond
    /// sixteen.
    pub(crate) bytes: [u8; 64],
    /// First bit of each field in its four bytes.
    pub(crate) byte_shift: [u32; 16],
}

impl Fields {
    /// Fields at the given places.
    const fn new(stride: usize, start: [u32; 16], width: [u32; 16]) -> Self {
        let mut fields = Self {
            stride,
            start,
            width,
            mask: [0; 16],
            words: [0; 32],
            word_shift: [0; 16],
            bytes: [255; 64],
            byte_shift: [0; 16],
        };
        let mut k = 0;
        while k < 16 {
            fields.mask[k] = (1 << width[k]) - 1;
            fields.words[2 * k] = (start[k] / 16) as u16;
            fields.words[2 * k + 1] = (start[k] / 16) as u16 + 1;
            fields.word_shift[k] = start[k] % 16;
            let first = start[k] as usize / 8 - if k < 8 { 0 } else { stride / 2 };
            let mut b = 0;
            while b < 4 && first + b < 16 {
                fields.bytes[4 * k + b] = (first + b) as u8;
                b += 1;
            }
            fields.byte_shift[k] = start[k] % 8;
            k += 1;
        }
        fields
    }

    /// Dense fields of `width` bits: `bits_width`.
    const fn dense(width: u32) -> Self {
        Self::strided(width, width)
    }

    /// Fields of `width` bits that begin every `step` bits.
    const fn strided(step: u32, width: u32) -> Self {
        let mut start = [0; 16];
        let mut k = 0;
        while k < 16 {
            start[k] = k as u32 * step;
            k += 1;
        }
        Self::new(2 * step as usize, start, [width; 16])
    }

    /// Rule A: two 13-bit fields in each 32-bit word, six bits of it unused.
    const fn rule_a() -> Self {
        let mut start = [0; 16];
        let mut k = 0;
        while k < 16 {
            start[k] = 32 * (k as u32 / 2) + 13 * (k as u32 % 2);
            k += 1;
        }
        Self::new(32, start, [13; 16])
    }

    /// Rule B: groups of eight fields in 104 bits, as the submission cuts them.
    ///
    /// A defect of the submission that its known answers contain: field 4 of a group has only 12 bits and shares bits
    /// 5 to 11 with field 5, while bits 13 to 20 of the group are never used. The dense packing that was meant would
    /// start at 13 k. Repairing it would change nearly every BiT-256 signature (section 11).
    const fn rule_b() -> Self {
        const START: [u32; 8] = [0, 21, 34, 47, 60, 65, 78, 91];
        let (mut start, mut width) = ([0; 16], [13; 16]);
        let mut k = 0;
        while k < 16 {
            start[k] = 104 * (k as u32 / 8) + START[k % 8];
            if k % 8 == 4 {
                width[k] = 12;
            }
            k += 1;
        }
        Self::new(26, start, width)
    }

    /// Bytes of the whole stream, both halves, of `n` coefficients.
    pub(crate) const fn stream_len(&self, n: usize) -> usize {
        2 * self.stride * n / 16
    }
}

/// Dense fields of each width below 16; widths 0 and 1 are not used.
pub(crate) static DENSE: [Fields; 16] = {
    let mut dense = [Fields::dense(2); 16];
    let mut width = 2;
    while width < 16 {
        dense[width] = Fields::dense(width as u32);
        width += 1;
    }
    dense
};

/// How the rounded public key `b₁` is written (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoundedKey {
    /// Groups of four base-1681 digits in 43 bits.
    Base1681,
    /// Dense fields of 11 bits.
    Bits11,
    /// Dense fields of 13 bits.
    Bits13,
}

/// How the hint is written (section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HintCode {
    /// Fields of three bits holding `h + 3`.
    Bits3,
    /// Bytes of five base-3 digits holding `h + 1`.
    Base3,
}

/// The constants of one parameter set, over degree `N`. The names are those of section 2.
pub(crate) trait Set<const N: usize>: Copy + 'static {
    /// Modulus.
    const Q: i32;
    /// Whether the transform splits completely (products are pointwise) or into residues of degree one.
    const COMPLETE: bool;
    /// Weight of the challenge, and the bound β on coefficients of `s·c`.
    const TAU: usize;
    /// Mask widths γ₀, γ₁, γ₂'.
    const GAMMA: [i32; 3];
    /// Step of `High`.
    const G: i32;
    /// Number of values of `High`.
    const ALPHA: i32;
    /// log₂ of the compression step γ_b of the public key.
    const LOG_GAMMA_B: u32;
    /// Bound on hints.
    const HINT_BOUND: i32;
    /// Seed bytes.
    const KAPPA: usize;
    /// Hash bytes.
    const LAMBDA: usize;
    /// The cuts of the three mask streams.
    const MASKS: [Fields; 3];
    /// Bytes of a candidate coefficient of the matrix, and its mask.
    const CANDIDATE: (usize, u32);
    /// SM3 blocks of each matrix polynomial that are squeezed at once; more are rarely needed.
    const MATRIX_BLOCKS: usize;
    /// SM3 blocks of each ternary polynomial that are squeezed at once; more are rarely needed.
    const TERNARY_BLOCKS: usize;
    /// Bytes of a challenge candidate, its mask, and the bytes skipped at the start of the stream.
    const CHALLENGE: (usize, u16, usize);
    /// Blocks of the challenge stream that are squeezed at once; more are rarely needed.
    const CHALLENGE_BLOCKS: usize;
    /// SM3 blocks of each rejection stream that are squeezed at once; more are rarely needed.
    const REJECT_BLOCKS: usize;
    /// Bits of a `w₁` field.
    const W1_BITS: usize;
    /// Bits of a `b₀` field.
    const B0_BITS: usize;
    /// Bits of a `z₀` field and the offset that is added before coding (zero for two's complement).
    const Z0_CODE: (usize, i32);
    /// Bits of a `z₁` field.
    const Z1_BITS: usize;
    /// Code of `b₁`.
    const B1_CODE: RoundedKey;
    /// Code of the hint.
    const HINT_CODE: HintCode;
    /// Constants of the transform.
    const TABLES: &'static Tables<N>;

    /// A seed: `KAPPA` bytes.
    type Seed: ByteArray;
    /// A hash: `LAMBDA` bytes.
    type Hash: ByteArray;
    /// The first blocks of all matrix streams.
    type MatrixBuffer: ByteArray;
    /// The three mask streams of one vector `y`, and the slack that wide loads read.
    type MaskBuffer: ByteArray;
    /// Packed `w₁`.
    type PackedW1: ByteArray;

    /// Largest value of `b₁`: ⌊(q−1+γ_b/2)/γ_b⌋.
    const B1_MAX: i32 = (Self::Q - 1 + (1 << (Self::LOG_GAMMA_B - 1))) >> Self::LOG_GAMMA_B;
    /// Inverse of two mod q.
    const Q_HALF: i32 = (Self::Q + 1) / 2;
    /// Bytes of one encoded polynomial of `b₁`.
    const B1_LEN: usize = match Self::B1_CODE {
        RoundedKey::Base1681 => 43 * N / 32,
        RoundedKey::Bits11 => 11 * N / 8,
        RoundedKey::Bits13 => 13 * N / 8,
    };
    /// Bytes of one encoded polynomial of `b₀`.
    const B0_LEN: usize = Self::B0_BITS * N / 8;
    /// Bytes of an encoded ternary polynomial.
    const TERNARY_LEN: usize = N / 4;
    /// Bytes of the encoded `z₀`.
    const Z0_LEN: usize = Self::Z0_CODE.0 * N / 8;
    /// Bytes of one encoded polynomial of `z₁`.
    const Z1_LEN: usize = Self::Z1_BITS * N / 8;
    /// Bytes of one encoded polynomial of the hint.
    const HINT_LEN: usize = match Self::HINT_CODE {
        HintCode::Bits3 => 3 * N / 8,
        HintCode::Base3 => N.div_ceil(5),
    };
    /// Bytes of one packed polynomial of `w₁`.
    const W1_LEN: usize = Self::W1_BITS * N / 8;
    /// Bytes of a public key.
    const PK_LEN: usize = Self::KAPPA + 3 * Self::B1_LEN;
    /// Bytes of a secret key.
    const SK_LEN: usize =
        Self::PK_LEN + Self::KAPPA + Self::LAMBDA + 6 * Self::TERNARY_LEN + 3 * Self::B0_LEN;
    /// Bytes of a signature.
    const SIG_LEN: usize = Self::LAMBDA + Self::Z0_LEN + 3 * Self::Z1_LEN + 3 * Self::HINT_LEN;
}

/// Bytes beyond a mask stream that the wide loads of the unpacking kernels may read.
pub(crate) const SLACK: usize = 64;

/// BiT-128: n = 256, q = 26881. **Practically broken** (section 11): public reviews recover an equivalent key from
/// some 200,000 signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bit128;

/// BiT-256: n = 512, q = 119297.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bit256;

/// BiT-512: n = 1024, q = 520193.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bit512;

impl Set<256> for Bit128 {
    const Q: i32 = 26881;
    const COMPLETE: bool = false;
    const TAU: usize = 30;
    const GAMMA: [i32; 3] = [8, 1024, 2048];
    const G: i32 = 682;
    const ALPHA: i32 = 40;
    const LOG_GAMMA_B: u32 = 4;
    const HINT_BOUND: i32 = 3;
    const KAPPA: usize = 16;
    const LAMBDA: usize = 32;
    const MASKS: [Fields; 3] = [Fields::dense(3), Fields::dense(10), Fields::dense(11)];
    const CANDIDATE: (usize, u32) = (2, 0x7fff);
    const MATRIX_BLOCKS: usize = 21;
    const TERNARY_BLOCKS: usize = 3;
    const CHALLENGE: (usize, u16, usize) = (1, 0xff, 0);
    const CHALLENGE_BLOCKS: usize = 2;
    const REJECT_BLOCKS: usize = 3;
    const W1_BITS: usize = 6;
    const B0_BITS: usize = 4;
    const Z0_CODE: (usize, i32) = (4, 7);
    const Z1_BITS: usize = 11;
    const B1_CODE: RoundedKey = RoundedKey::Base1681;
    const HINT_CODE: HintCode = HintCode::Bits3;
    const TABLES: &'static Tables<256> = &const { Tables::new(26881, 22234, false) };
    type Seed = [u8; 16];
    type Hash = [u8; 32];
    type MatrixBuffer = [u8; 9 * 21 * 32 + SLACK];
    type MaskBuffer = [u8; 192 + 3 * 640 + 3 * 704 + SLACK];
    type PackedW1 = [u8; 576];
}

impl Set<512> for Bit256 {
    const Q: i32 = 119_297;
    const COMPLETE: bool = false;
    const TAU: usize = 58;
    const GAMMA: [i32; 3] = [16, 4096, 8192];
    const G: i32 = 5517;
    const ALPHA: i32 = 23;
    const LOG_GAMMA_B: u32 = 6;
    const HINT_BOUND: i32 = 3;
    const KAPPA: usize = 32;
    const LAMBDA: usize = 64;
    const MASKS: [Fields; 3] = [Fields::dense(4), Fields::dense(12), Fields::rule_b()];
    const CANDIDATE: (usize, u32) = (3, 0x1_ffff);
    const MATRIX_BLOCKS: usize = 55;
    const TERNARY_BLOCKS: usize = 6;
    const CHALLENGE: (usize, u16, usize) = (2, 0x1ff, 0);
    const CHALLENGE_BLOCKS: usize = 5;
    const REJECT_BLOCKS: usize = 3;
    const W1_BITS: usize = 5;
    const B0_BITS: usize = 6;
    const Z0_CODE: (usize, i32) = (5, 0);
    const Z1_BITS: usize = 13;
    const B1_CODE: RoundedKey = RoundedKey::Bits11;
    const HINT_CODE: HintCode = HintCode::Bits3;
    const TABLES: &'static Tables<512> = &const { Tables::new(119_297, 83842, false) };
    type Seed = [u8; 32];
    type Hash = [u8; 64];
    type MatrixBuffer = [u8; 9 * 55 * 32 + SLACK];
    type MaskBuffer = [u8; 512 + 3 * 1536 + 3 * 1664 + SLACK];
    type PackedW1 = [u8; 960];
}

impl Set<1024> for Bit512 {
    const Q: i32 = 520_193;
    const COMPLETE: bool = true;
    const TAU: usize = 115;
    const GAMMA: [i32; 3] = [16, 8192, 32768];
    const G: i32 = 69481;
    const ALPHA: i32 = 8;
    const LOG_GAMMA_B: u32 = 6;
    const HINT_BOUND: i32 = 1;
    const KAPPA: usize = 64;
    const LAMBDA: usize = 64;
    const MASKS: [Fields; 3] = [Fields::dense(4), Fields::rule_a(), Fields::strided(16, 15)];
    const CANDIDATE: (usize, u32) = (3, 0x7_ffff);
    const MATRIX_BLOCKS: usize = 98;
    const TERNARY_BLOCKS: usize = 12;
    const CHALLENGE: (usize, u16, usize) = (2, 0x3ff, 8);
    const CHALLENGE_BLOCKS: usize = 9;
    const REJECT_BLOCKS: usize = 4;
    const W1_BITS: usize = 5;
    const B0_BITS: usize = 6;
    const Z0_CODE: (usize, i32) = (5, 0);
    const Z1_BITS: usize = 14;
    const B1_CODE: RoundedKey = RoundedKey::Bits13;
    const HINT_CODE: HintCode = HintCode::Base3;
    const TABLES: &'static Tables<1024> = &const { Tables::new(520_193, 132_072, true) };
    type Seed = [u8; 64];
    type Hash = [u8; 64];
    type MatrixBuffer = [u8; 9 * 98 * 32 + SLACK];
    type MaskBuffer = [u8; 1024 + 3 * 4096 + 3 * 4096 + SLACK];
    type PackedW1 = [u8; 1920];
}
