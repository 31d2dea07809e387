//! Long signatures: more than one draw of sign bits, the last mask number, a source that fails.

use std::vec;
use std::vec::Vec;

use iccs::{Backend, Drng};

use super::*;
use crate::keygen::keygen;
use crate::params::Bit128;

const N: usize = 256;

/// The parts of a key whose `b₀` is replaced, so that the hint is beyond its bound nearly always or always.
fn wrong_key(isa: Isa, b0: impl Fn(usize) -> i16) -> (Public<N>, Secret<N>) {
    let mut rng = Drng::from_seed(b"any");
    let (mut pk, mut sk) = (vec![0; Bit128::PK_LEN], vec![0; Bit128::SK_LEN]);
    let draw = &mut |out: &mut [u8]| {
        rng.fill(out);
        Ok(())
    };
    keygen::<Bit128, N>(isa, draw, &mut pk, &mut sk).unwrap();
    let fields = SecretKeyFields::new::<Bit128, N>(&sk);
    let (mut public, mut secret) = (Public::new(), Secret::new());
    public.decode::<Bit128>(isa, fields.pk).unwrap();
    secret.decode::<Bit128>(isa, fields.polynomials).unwrap();
    for [minus, plus] in &mut secret.b0 {
        *plus = core::array::from_fn(&b0);
        *minus = plus.map(|b| -b);
    }
    (public, secret)
}

/// Every coefficient of `b₀` is 270: the last of `b₀·c` is 8100, which is more than eleven steps of `High`.
fn hopeless_key(isa: Isa) -> (Public<N>, Secret<N>) {
    wrong_key(isa, |_| 270)
}

fn attempt<'k>(isa: Isa, (public, secret): &'k (Public<N>, Secret<N>)) -> Attempt<'k, Bit128, N> {
    Attempt::new(isa, public, secret, [7; 32], XofPrefix::new(&[9; 16]))
}

/// The `i`-th draw of sign bits.
fn sign_bits(i: u8) -> [u8; 32] {
    let mut bits = [0; 32];
    Drng::from_seed(&[i]).fill(&mut bits);
    bits
}

/// The loop of section 8 on the steps of an attempt. Returns the number of iterations.
fn by_definition(isa: Isa, key: &(Public<N>, Secret<N>), sig: &mut [u8]) -> usize {
    let mut attempt = attempt(isa, key);
    let seed = XofPrefix::new(&[9; 16]);
    let bits: Vec<u8> = (0..32).flat_map(sign_bits).collect();
    attempt.masks.draw::<Bit128>(isa, &seed, 0, true);
    let mut n = 7;
    for t in 1.. {
        let c_tilde = attempt.commit();
        let bit = bits[(t - 1) / 256 * 32 + (t - 1) % 256 / 8] >> ((t - 1) % 8) & 1;
        match attempt.respond(n, &c_tilde, bit.into(), sig) {
            Outcome::Accepted => return t,
            Outcome::R1 => {
                attempt.masks.draw::<Bit128>(isa, &seed, n + 4, false);
                n += 8;
            }
            _ => {
                attempt.masks.draw::<Bit128>(isa, &seed, n + 7, true);
                n += 14;
            }
        }
    }
    unreachable!("the loop has no other end")
}

#[test]
fn sign_bits_are_drawn_anew_after_256_iterations() {
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        // This key and this seed reject the first 1,040 candidates.
        let key = wrong_key(isa, |i| [-110, 110][i * i / 7 % 2]);
        let (mut got, mut expected) = ([0; Bit128::SIG_LEN], [0; Bit128::SIG_LEN]);
        let iterations = by_definition(isa, &key, &mut expected);
        assert!(iterations > 1024, "{iterations}");
        let mut draws = 0;
        let draw = &mut |out: &mut [u8]| {
            out.copy_from_slice(&sign_bits(draws));
            draws += 1;
            Ok(())
        };
        assert_eq!(attempt(isa, &key).run(draw, &mut got), Ok(()));
        assert_eq!(usize::from(draws), iterations.div_ceil(256));
        assert_eq!(got, expected);
    }
}

#[test]
fn signing_stops_before_the_mask_counter_wraps() {
    let isa = Isa::new(Backend::detect());
    let key = hopeless_key(isa);
    let (mut draws, mut sig) = (0, [0; Bit128::SIG_LEN]);
    let draw = &mut |out: &mut [u8]| {
        out.copy_from_slice(&sign_bits(draws));
        draws += 1;
        Ok(())
    };
    assert_eq!(attempt(isa, &key).run(draw, &mut sig), Err(Error::IterationCap));
    // Eight to fourteen numbers of 2¹⁶ for each iteration.
    assert!((18..=32).contains(&draws), "{draws}");
    assert_eq!(sig, [0; Bit128::SIG_LEN], "nothing was written");
}

#[test]
fn a_source_that_fails_ends_signing() {
    let isa = Isa::new(Backend::detect());
    let key = hopeless_key(isa);
    for good in [0, 1, 5] {
        let (mut draws, mut sig) = (0, [0; Bit128::SIG_LEN]);
        let draw = &mut |out: &mut [u8]| {
            draws += 1;
            out.fill(draws);
            if draws > good { Err(Error::Random) } else { Ok(()) }
        };
        let result = sign_expanded::<Bit128, N>(isa, draw, &key.0, &key.1, &[1; 16], &[2; 32], b"", &mut sig);
        assert_eq!((result, draws), (Err(Error::Random), good + 1));
        assert_eq!(sig, [0; Bit128::SIG_LEN], "nothing was written");
    }
}
