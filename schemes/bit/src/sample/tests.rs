//! What the samplers do beyond the blocks that they squeeze at once.
//!
//! Real streams hardly ever need more. Made-up streams do, and so do parameter sets that are equal to those of the
//! scheme but squeeze less at once: they must give the same bytes.

use std::vec;
use std::vec::Vec;

use iccs::{Backend, Drng, xof};
use ngcc_api::Error;

use super::*;
use crate::keygen::keygen;
use crate::params::{Bit128, Bit256, Bit512, Fields, HintCode, RoundedKey};
use crate::sign::sign;
use crate::tables::Tables;
use crate::verify::verify;

/// Windows that no random input reaches: streams of skipped candidates first.
fn later_windows<P: Set<N>, const N: usize>() {
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        let mut calls = Vec::new();
        let mut s = [5; N];
        let filled = continue_ternary::<P, N>(isa, &mut s, 3, |window, first_block, out| {
            calls.push((window, first_block, out.len()));
            // 255 skips four candidates; 0b00_01_10_11 skips one of four.
            out.fill(if window < 2 { 255 } else { 0b0001_1011 });
        });
        let rest = N / 2 - P::TERNARY_BLOCKS * 32;
        assert_eq!(calls[0], (0, P::TERNARY_BLOCKS as u32, rest));
        assert_eq!(&calls[1..3], &[(1, 0, N / 2), (2, 0, N / 2)]);
        assert_eq!((filled, s[..3] == [5; 3], s[3..6] == [1, 0, -1]), (N, true, true));

        let mut calls = Vec::new();
        let mut a = [9; N];
        let filled = continue_uniform::<P, N>(isa, &mut a, 2, |window, out| {
            calls.push(window);
            out.fill(if window < 7 { 255 } else { 1 });
        });
        let word = (0x0101_0101 & P::CANDIDATE.1) & if P::CANDIDATE.0 == 2 { 0xffff } else { 0xff_ffff };
        assert_eq!(filled, N);
        assert!(calls.contains(&7) && calls.windows(2).all(|w| w[1] == w[0] + 1), "{calls:?}");
        assert_eq!(a[..2], [9; 2]);
        assert!(a[2..].iter().all(|x| *x == word.cast_signed()));

        // A stream that never yields ends all the same.
        assert_eq!(continue_ternary::<P, N>(isa, &mut s, 0, |_, _, out| out.fill(255)), 0);
        assert_eq!(continue_uniform::<P, N>(isa, &mut a, 0, |_, out| out.fill(255)), 0);
    }
}

#[test]
fn samplers_continue_with_later_windows() {
    later_windows::<Bit128, 256>();
    later_windows::<Bit256, 512>();
    later_windows::<Bit512, 1024>();
}

/// Declares a parameter set that squeezes the given numbers of blocks at once: matrix, ternary, challenge, rejection.
macro_rules! short_of {
    ($short:ident, $set:ident, $n:literal, [$matrix:literal, $ternary:literal, $challenge:literal, $reject:literal]) => {
        #[derive(Clone, Copy)]
        struct $short;

        impl Set<$n> for $short {
            const MATRIX_BLOCKS: usize = $matrix;
            const TERNARY_BLOCKS: usize = $ternary;
            const CHALLENGE_BLOCKS: usize = $challenge;
            const REJECT_BLOCKS: usize = $reject;

            const Q: i32 = $set::Q;
            const COMPLETE: bool = $set::COMPLETE;
            const TAU: usize = $set::TAU;
            const GAMMA: [i32; 3] = $set::GAMMA;
            const G: i32 = $set::G;
            const ALPHA: i32 = $set::ALPHA;
            const LOG_GAMMA_B: u32 = $set::LOG_GAMMA_B;
            const HINT_BOUND: i32 = $set::HINT_BOUND;
            const KAPPA: usize = $set::KAPPA;
            const LAMBDA: usize = $set::LAMBDA;
            const MASKS: [Fields; 3] = $set::MASKS;
            const CANDIDATE: (usize, u32) = $set::CANDIDATE;
            const CHALLENGE: (usize, u16, usize) = $set::CHALLENGE;
            const W1_BITS: usize = $set::W1_BITS;
            const B0_BITS: usize = $set::B0_BITS;
            const Z0_CODE: (usize, i32) = $set::Z0_CODE;
            const Z1_BITS: usize = $set::Z1_BITS;
            const B1_CODE: RoundedKey = $set::B1_CODE;
            const HINT_CODE: HintCode = $set::HINT_CODE;
            const TABLES: &'static Tables<$n> = $set::TABLES;
            type Seed = <$set as Set<$n>>::Seed;
            type Hash = <$set as Set<$n>>::Hash;
            type MatrixBuffer = <$set as Set<$n>>::MatrixBuffer;
            type MaskBuffer = <$set as Set<$n>>::MaskBuffer;
            type PackedW1 = <$set as Set<$n>>::PackedW1;
        }
    };
}

short_of!(Short128, Bit128, 256, [1, 1, 1, 1]);
short_of!(Short256, Bit256, 512, [22, 2, 1, 1]);
short_of!(Short512, Bit512, 1024, [43, 1, 1, 1]);

/// Key pair and signature of a seed, verified.
fn record<P: Set<N>, const N: usize>(isa: Isa, seed: &[u8]) -> [Vec<u8>; 3] {
    let mut rng = Drng::from_seed(seed);
    let mut draw = |out: &mut [u8]| -> Result<(), Error> {
        rng.fill(out);
        Ok(())
    };
    let [mut pk, mut sk, mut sig] = [P::PK_LEN, P::SK_LEN, P::SIG_LEN].map(|length| vec![0; length]);
    keygen::<P, N>(isa, &mut draw, &mut pk, &mut sk).unwrap();
    sign::<P, N>(isa, &mut draw, &sk, b"message", &mut sig).unwrap();
    verify::<P, N>(isa, &pk, b"message", &sig).unwrap();
    [pk, sk, sig]
}

#[test]
fn bytes_do_not_depend_on_how_much_is_squeezed_at_once() {
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        for seed in 0..6u8 {
            let seed = &[seed];
            assert_eq!(record::<Short128, 256>(isa, seed), record::<Bit128, 256>(isa, seed), "{backend}");
            assert_eq!(record::<Short256, 512>(isa, seed), record::<Bit256, 512>(isa, seed), "{backend}");
            assert_eq!(record::<Short512, 1024>(isa, seed), record::<Bit512, 1024>(isa, seed), "{backend}");
        }
    }
}

/// Section 4.4 read literally: the support, ascending.
fn challenge_by_definition<P: Set<N>, const N: usize>(c_tilde: &[u8]) -> Vec<u16> {
    let (bytes, mask, skipped) = P::CHALLENGE;
    let mut stream: Vec<u8> = (0..32u32)
        .flat_map(|t| {
            let mut block = [0; 32];
            xof(Backend::Portable, &[c_tilde, &t.to_be_bytes()].concat(), &mut block);
            block
        })
        .collect();
    stream.drain(..skipped);
    let mut candidates = stream
        .chunks(bytes)
        .map(|b| b.iter().rev().fold(0, |sum, b| sum << 8 | usize::from(*b)) & usize::from(mask));
    let mut c = [0; N];
    for i in N - P::TAU..N {
        let j = candidates.find(|j| *j <= i).unwrap();
        c[i] = c[j];
        c[j] = 1;
    }
    (0..N as u16).filter(|i| c[usize::from(*i)] == 1).collect()
}

fn challenges<P: Set<N>, S: Set<N>, const N: usize>() {
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        for seed in 0..200u8 {
            let mut c_tilde = vec![0; P::LAMBDA];
            Drng::from_seed(&[seed]).fill(&mut c_tilde);
            let expected = challenge_by_definition::<P, N>(&c_tilde);
            assert_eq!(expected.len(), P::TAU);
            assert_eq!(challenge::<P, N>(isa, &c_tilde).support(), expected, "{backend}");
            assert_eq!(challenge::<S, N>(isa, &c_tilde).support(), expected, "{backend}, block by block");
        }
    }
}

#[test]
fn challenges_are_those_of_the_definition() {
    challenges::<Bit128, Short128, 256>();
    challenges::<Bit256, Short256, 512>();
    challenges::<Bit512, Short512, 1024>();
}

/// Section 4.3 read literally, as one long integer would be cut: coefficient `i` of half a stream for each kind of mask.
fn mask_field<P: Set<N>, const N: usize>(kind: usize, half: &[u8], i: usize) -> i32 {
    let (start, width) = match (N, kind) {
        (256, k) => (i * [3, 10, 11][k], [3, 10, 11][k]),
        (512, 2) => {
            let (group, k) = (i / 8, i % 8);
            (104 * group + [0, 21, 34, 47, 60, 65, 78, 91][k], [13, 13, 13, 13, 12, 13, 13, 13][k])
        }
        (512, k) => (i * [4, 12][k], [4, 12][k]),
        (_, 0) => (4 * i, 4),
        (_, 1) => (32 * (i / 2) + 13 * (i % 2), 13),
        _ => (16 * i, 15),
    };
    (0..width).map(|b| i32::from(half[(start + b) / 8] >> ((start + b) % 8) & 1) << b).sum()
}

fn masks<P: Set<N>, const N: usize>(lengths: [usize; 3]) {
    let seed = vec![0x33; P::KAPPA];
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        let mut y = Masks::<N>::new();
        // The numbers wrap.
        for (nonce, fresh) in [(0u16, true), (65533, true), (300, false)] {
            let kept = y.clone();
            y.draw::<P>(isa, &XofPrefix::new(&seed), nonce, fresh);
            let all = [y.y0].into_iter().chain(y.y1).chain(y.y2);
            for (k, y) in all.enumerate().take(if fresh { 7 } else { 4 }) {
                let kind = k.div_ceil(3);
                let mut stream = vec![0; lengths[kind]];
                let number = nonce.wrapping_add(k as u16).to_le_bytes();
                xof(Backend::Portable, &[&seed[..], &number].concat(), &mut stream);
                let (p, q) = stream.split_at(lengths[kind] / 2);
                for (i, y) in y.iter().enumerate() {
                    let expected = mask_field::<P, N>(kind, p, i) - mask_field::<P, N>(kind, q, i);
                    assert_eq!(i32::from(*y), expected, "{backend} number {nonce} + {k}, coefficient {i}");
                }
            }
            if !fresh {
                assert_eq!(y.y2, kept.y2, "y2 is kept");
            }
        }
    }
}

#[test]
fn masks_are_those_of_the_definition() {
    masks::<Bit128, 256>([192, 640, 704]);
    masks::<Bit256, 512>([512, 1536, 1664]);
    masks::<Bit512, 1024>([1024, 4096, 4096]);
}
