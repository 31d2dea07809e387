//! AVX-512VL for one message: the rounds on the integer units, the message expansion beside them in a vector
//! register, where rotations and three-input logic are single instructions.
#![allow(unsafe_code, reason = "calls of vector intrinsics compiled for a given processor")]

use crate::engine::T;
use crate::portable::load;
use core::arch::x86_64::*;

/// The low word of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn low(x: __m128i) -> u32 {
    _mm_cvtsi128_si32(x) as u32
}

/// Compresses one block of sixteen big-endian words.
#[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2")]
pub(crate) fn compress(state: &mut [u32; 8], words: &[u32; 16]) {
    let mut w: [__m128i; 16] = core::array::from_fn(|i| _mm_cvtsi32_si128(words[i] as i32));
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    // A round takes W[j] and W[j] ^ W[j + 4] from memory as long as they are words of the block.
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $j:expr, $logic:ident) => {
            let word = if $j < 16 { words[$j & 15] } else { low(w[$j & 15]) };
            let pair = if $j < 12 {
                words[$j & 15] ^ words[($j + 4) & 15]
            } else {
                low(_mm_xor_si128(w[$j & 15], w[($j + 4) & 15]))
            };
            let a12 = $a.rotate_left(12);
            let ss1 = a12.wrapping_add($e.wrapping_add(T[$j])).rotate_left(7);
            $logic!($a $b $c $d $e $f $g $h);
            $d = $d.wrapping_add(pair).wrapping_add(ss1 ^ a12);
            let tt2 = $h.wrapping_add(word).wrapping_add(ss1);
            $b = $b.rotate_left(9);
            $f = $f.rotate_left(19);
            $h = tt2 ^ tt2.rotate_left(9) ^ tt2.rotate_left(17);
        };
    }
    macro_rules! parity {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            $d = $d.wrapping_add($a ^ $b ^ $c);
            $h = $h.wrapping_add($e ^ $f ^ $g);
        };
    }
    // Majority and choice as sums of terms that share no bit: additions that are due anyway replace an "or".
    macro_rules! select {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            $d = $d.wrapping_add($a & $b).wrapping_add(($a ^ $b) & $c);
            $h = $h.wrapping_add($e & $f).wrapping_add(!$e & $g);
        };
    }
    macro_rules! expand {
        ($j:expr) => {
            if $j >= 12 {
                let [w3, w13] = [_mm_rol_epi32::<15>(w[($j + 1) & 15]), _mm_rol_epi32::<7>(w[($j + 7) & 15])];
                let x = _mm_ternarylogic_epi32::<0x96>(w[($j + 4) & 15], w[($j + 11) & 15], w3);
                let p1 = _mm_ternarylogic_epi32::<0x96>(x, _mm_rol_epi32::<15>(x), _mm_rol_epi32::<23>(x));
                w[($j + 4) & 15] = _mm_ternarylogic_epi32::<0x96>(p1, w13, w[($j + 14) & 15]);
            }
        };
    }
    macro_rules! four {
        ($j:expr, $logic:ident) => {
            expand!($j);
            round!(a b c d e f g h, $j, $logic);
            expand!($j + 1);
            round!(d a b c h e f g, $j + 1, $logic);
            expand!($j + 2);
            round!(c d a b g h e f, $j + 2, $logic);
            expand!($j + 3);
            round!(b c d a f g h e, $j + 3, $logic);
        };
    }
    macro_rules! rounds {
        ($logic:ident: $($j:literal)*) => {
            $(four!($j, $logic);)*
        };
    }
    rounds!(parity: 0 4 8 12);
    rounds!(select: 16 20 24 28 32 36 40 44 48 52 56 60);
    for (old, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *old ^= new;
    }
}

/// Compresses whole blocks of one message, one after the other.
#[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2")]
pub(crate) fn stream(state: &mut [u32; 8], blocks: &[[u8; 64]]) {
    for block in blocks {
        compress(state, &load(block));
    }
}
