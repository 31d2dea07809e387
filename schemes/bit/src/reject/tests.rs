//! The rejection test against section 4.5 read literally, with many draws and at the border of rejection.

use std::vec;
use std::vec::Vec;

use iccs::{Backend, Drng, xof};
use proptest::prelude::*;

use super::*;
use crate::params::{Bit128, Bit256, Bit512};

/// The seed of all draws here.
const SEED: [u8; 32] = [0x5a; 32];

/// Section 4.5, with the number of draws; without the early stop that the reference has.
fn by_definition<const N: usize>(
    z: &[i32; N],
    v: &[i32; N],
    gamma: i32,
    beta: i32,
    nonce: u16,
) -> (bool, usize) {
    let (mut rejected, mut draws) = (false, 0);
    for (z, v) in z.iter().zip(v) {
        let (x, u) = (z.abs(), v.abs());
        if beta <= x && x < gamma - beta {
            continue;
        }
        if x >= gamma {
            rejected = true;
            continue;
        }
        let mut block = [0; 136];
        let message = [&SEED[..], &nonce.to_le_bytes(), &((draws / 45) as u32).to_be_bytes()].concat();
        xof(Backend::Portable, &message, &mut block);
        let at = 3 * (draws % 45);
        let draw = u64::from(u32::from_le_bytes([block[at], block[at + 1], block[at + 2], 0]));
        draws += 1;
        let f = (gamma - (x - u).abs()).max(0) + (gamma - x - u).max(0);
        let t = 2 * (gamma - x.max(beta));
        rejected |= draw * f as u64 > (1 << 24) * t as u64;
    }
    (rejected, draws)
}

/// A response of which about one in `rarity` coefficients draws, with offsets that seldom make it rejected.
fn response<const N: usize>(seed: u64, gamma: i32, beta: i32, rarity: u64) -> ([i16; N], [i8; N]) {
    let mut rng = Drng::from_seed(&seed.to_le_bytes());
    let mut bytes = vec![0; 8 * N];
    rng.fill(&mut bytes);
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let v: [i8; N] = core::array::from_fn(|i| ((words[i] >> 16 & 0xffff) as i32 % (beta + 1)).min(3) as i8);
    let y = core::array::from_fn(|i| {
        let plain = beta + (words[i] >> 33) as i32 % (gamma - 2 * beta);
        let z = match words[i] % (64 * rarity) {
            0..64 => beta - 1 - (words[i] >> 33) as i32 % 2,
            // The outer ends, which are rejected more often.
            64 => gamma - 1,
            65 => gamma - beta,
            66 => gamma - (words[i] >> 32 & 1) as i32,
            _ => plain,
        };
        (z - i32::from(v[i])) as i16
    });
    (y, v)
}

fn agrees<P: Set<N>, const N: usize>(seed: u64, rarity: u64) -> (bool, usize) {
    let beta = P::TAU as i32;
    let (y, v) = response::<N>(seed, P::GAMMA[1], beta, rarity);
    let nonce = seed as u16;
    let z = core::array::from_fn(|i| i32::from(y[i]) + i32::from(v[i]));
    let expected = by_definition::<N>(&z, &v.map(i32::from), P::GAMMA[1], beta, nonce);
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        let mut tester = Tester::<N>::new(isa, XofPrefix::new(&SEED));
        let mut drawn = Drawn::new();
        // Both signs give the same response.
        let flipped = v.map(|v| -v);
        for (v, sign) in [(&v, 1), (&flipped, -1)] {
            let over = tester.scan::<P, N>(&mut drawn, (&y, v, sign), (P::GAMMA[1], beta), nonce);
            let rejected = over || tester.rejected::<P>(&[&drawn]);
            assert_eq!((rejected, drawn.count), expected, "{backend}");
        }
    }
    expected
}

/// Compares, and makes sure that both results occur below, beyond one, and beyond two blocks of draws.
fn many_draws<P: Set<N>, const N: usize>() {
    let mut seen = [[0; 2]; 3];
    for seed in 0..240 {
        let (rejected, draws) = agrees::<P, N>(seed, [2, 4, 16][seed as usize % 3] * N as u64 / 256);
        seen[(draws / BLOCK_DRAWS).min(2)][usize::from(rejected)] += 1;
    }
    assert!(seen.iter().flatten().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn many_draws_of_bit_128() {
    many_draws::<Bit128, 256>();
}

#[test]
fn many_draws_of_bit_256() {
    many_draws::<Bit256, 512>();
}

#[test]
fn many_draws_of_bit_512() {
    many_draws::<Bit512, 1024>();
}

#[test]
fn equality_is_accepted() {
    // |z| = γ − 1 and |v| = 3 give F = 4 and T = 2: the largest accepted draw is 2²³.
    let entry = 1023 | (3 << 16);
    assert_eq!(exceeds(entry, 1 << 23, 1024, 30), 0);
    assert_eq!(exceeds(entry, (1 << 23) + 1, 1024, 30), 1);
}

proptest! {
    #[test]
    fn draws_are_judged_as_defined(x in 0i32..32768, u in 0i32..=115, draw in 0u32..1 << 24, set in 0usize..4) {
        let (gamma, beta) = [(8, 1), (1024, 30), (8192, 58), (32768, 115)][set];
        let (x, u) = (x % gamma, u.min(beta));
        let f = i64::from((gamma - (x - u).abs()).max(0) + (gamma - x - u).max(0));
        let t = i64::from(2 * (gamma - x.max(beta)));
        let expected = i64::from(draw) * f > t << 24;
        let entry = x.cast_unsigned() | (u.cast_unsigned() << 16);
        prop_assert_eq!(exceeds(entry, draw, gamma, beta), u64::from(expected));
    }
}
