//! The ladders of section 14: every intermediate value of two records of each set, on every back-end, and the outcome of
//! every iteration of all records and extra vectors.

use std::string::String;
use std::vec;
use std::vec::Vec;

use iccs::{Backend, Drng, LongHash, XofPrefix, xof};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::encode::{decode_hint, decode_z0, decode_z1};
use crate::kernel::Isa;
use crate::keygen::{Operand, Public, Secret, SecretKeyFields, hash, keygen};
use crate::params::{Bit128, Bit256, Bit512, ByteArray, Set};
use crate::sample::{challenge, expand_rows, ternary};
use crate::sign::{Attempt, Outcome};

/// SHA-256 over 32-bit little-endian words.
fn digest(values: impl IntoIterator<Item = i32>) -> String {
    let mut sha = Sha256::new();
    for value in values {
        sha.update(value.to_le_bytes());
    }
    hex::encode(sha.finalize())
}

fn check<T: Copy + Into<i32>>(got: &[T], expected: &Value, what: &str) {
    assert_eq!(digest(got.iter().map(|x| (*x).into())), expected["sha256"].as_str().unwrap(), "{what}");
}

fn check_all<T: Copy + Into<i32>, const N: usize>(got: &[[T; N]], expected: &Value, what: &str) {
    assert_eq!(expected.as_array().unwrap().len(), got.len(), "{what}");
    for (got, expected) in got.iter().zip(expected.as_array().unwrap()) {
        check(got, expected, what);
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::R1 => "R1",
        Outcome::R2 => "R2",
        Outcome::R3 => "R3",
        Outcome::R4 => "R4",
        Outcome::Accepted => "accept",
    }
}

/// A key pair and the generator behind it.
fn key<P: Set<N>, const N: usize>(isa: Isa, seed: &[u8]) -> (Vec<u8>, Vec<u8>, Drng) {
    let mut rng = Drng::from_seed(seed);
    let (mut pk, mut sk) = (vec![0; P::PK_LEN], vec![0; P::SK_LEN]);
    keygen::<P, N>(
        isa,
        &mut |out| {
            rng.fill(out);
            Ok(())
        },
        &mut pk,
        &mut sk,
    )
    .unwrap();
    (pk, sk, rng)
}

fn check_keygen<P: Set<N>, const N: usize>(isa: Isa, sk: &[u8], expected: &Value) {
    let fields = SecretKeyFields::new::<P, N>(sk);
    let rho = &fields.pk[..P::KAPPA];
    assert_eq!(rho, bytes(&expected["rho"]));
    assert_eq!(fields.sigma, bytes(&expected["sigma"]));
    assert_eq!(fields.tr, bytes(&expected["tr"]));
    let mut a = [[0; N]; 9];
    let hash = &mut LongHash::sm3();
    expand_rows::<P, N>(isa, rho, 0, &mut a, &mut P::MatrixBuffer::zeroed(), (hash, &[]));
    check(&a[0], &expected["A_0_0"], "A_0_0");
    check(&a[7], &expected["A_2_1"], "A_2_1");
    let mut short = [[0; N]; 6];
    ternary::<P, N>(isa, fields.sigma, &mut short);
    check_all(&short[..3], &expected["s0"], "s0");
    check_all(&short[3..], &expected["e"], "e");

    let public = Public { a, first: [[0; N]; 3] };
    let mut x = Operand::new();
    let wide: [[i16; N]; 3] = core::array::from_fn(|j| short[j].map(i16::from));
    x.set(isa, &wide, &[0; N]);
    let mut b = [[0; N]; 3];
    public.multiply::<P>(isa, &mut x, &mut b);
    let [mut b1, mut b0] = [[[0; N]; 3]; 2];
    for (i, b) in b.iter_mut().enumerate() {
        for (b, e) in b.iter_mut().zip(short[3 + i]) {
            *b = (*b + i32::from(e)).rem_euclid(P::Q);
        }
        isa.split::<P, N>(b, &mut b1[i], &mut b0[i]);
    }
    check_all(&b, &expected["b"], "b");
    check_all(&b1, &expected["b1"], "b1");
    check_all(&b0, &expected["b0"], "b0");
}

/// Signs step by step; returns the signature.
fn check_sign<P: Set<N>, const N: usize>(
    isa: Isa,
    sk: &[u8],
    message: &[u8],
    mut rng: Drng,
    expected: &Value,
) -> Vec<u8> {
    let fields = SecretKeyFields::new::<P, N>(sk);
    let mu = hash::<P, N>(isa, &[fields.tr, message]);
    assert_eq!(mu.as_ref(), bytes(&expected["mu"]));
    let mut rnd = vec![0; P::KAPPA];
    rng.fill(&mut rnd);
    assert_eq!(rnd, bytes(&expected["rnd"]));
    let mut seed = vec![0; P::KAPPA];
    xof(isa.backend(), &[fields.sigma, &rnd, mu.as_ref()].concat(), &mut seed);
    assert_eq!(seed, bytes(&expected["seed_y"]));

    let (mut public, mut secret) = (Public::new(), Secret::new());
    public.decode::<P>(isa, fields.pk).unwrap();
    secret.decode::<P>(isa, fields.polynomials).unwrap();
    let mut attempt = Attempt::<P, N>::new(isa, &public, &secret, mu, XofPrefix::new(&seed));
    let mut sig = vec![0; P::SIG_LEN];
    let (mut nonce, mut fresh, mut bits) = (0u16, true, [0; 32]);
    for (t, step) in expected["iterations"].as_array().unwrap().iter().enumerate() {
        attempt.masks.draw::<P>(isa, &XofPrefix::new(&seed), nonce, fresh);
        let y = &attempt.masks;
        let all: Vec<[i16; N]> = [y.y0].iter().chain(&y.y1).chain(&y.y2).copied().collect();
        let c_tilde = attempt.commit();
        let c = challenge::<P, N>(isa, c_tilde.as_ref());
        // Some iterations in the middle are recorded in short.
        if let Some(short) = step.get("c_tilde_first8") {
            assert_eq!(c_tilde.as_ref()[..8], bytes(short));
        } else {
            check_all(&all, &step["y"], "y");
            check_all(&attempt.w, &step["w"], "w");
            check_all(&attempt.w1, &step["w1"], "w1");
            assert_eq!(c_tilde.as_ref(), bytes(&step["c_tilde"]));
            assert_eq!(step["support"], serde_json::to_value(c.support()).unwrap());
        }
        if t == 0 {
            rng.fill(&mut bits);
        }
        let bit = i32::from(bits[t / 8] >> (t % 8) & 1);
        assert_eq!(step["sign_bit"], bit);
        let test = nonce + if fresh { 7 } else { 4 };
        assert_eq!(step["nonce_at_rejection"], test);
        let outcome = attempt.respond(test, &c_tilde, bit, &mut sig);
        assert_eq!(step["outcome"], name(outcome), "iteration {t}");
        match outcome {
            Outcome::Accepted => {
                let z2: Vec<[i16; N]> = (0..3)
                    .map(|k| {
                        let mut z2 = [0; N];
                        isa.add_signed(&attempt.masks.y2[k], &attempt.v[k], 1 - 2 * bit, &mut z2);
                        z2
                    })
                    .collect();
                check_all(&z2, &expected["z2_unpublished"], "z2");
            }
            Outcome::R1 => (nonce, fresh) = (test + 4, false),
            _ => (nonce, fresh) = (test + 7, true),
        }
    }
    sig
}

/// Decodes and verifies step by step (section 9).
fn check_verify<P: Set<N>, const N: usize>(isa: Isa, pk: &[u8], sig: &[u8], expected: &Value) {
    let (c_tilde, rest) = sig.split_at(P::LAMBDA);
    let (z0_bytes, rest) = rest.split_at(P::Z0_LEN);
    let (z1_bytes, hint_bytes) = rest.split_at(3 * P::Z1_LEN);
    let (mut z0, mut z1, mut h) = ([0; N], [[0; N]; 3], [[0; N]; 3]);
    assert!(decode_z0::<P, N>(isa, z0_bytes, &mut z0));
    for k in 0..3 {
        assert!(decode_z1::<P, N>(isa, &z1_bytes[k * P::Z1_LEN..(k + 1) * P::Z1_LEN], &mut z1[k]));
        assert!(decode_hint::<P, N>(isa, &hint_bytes[k * P::HINT_LEN..(k + 1) * P::HINT_LEN], &mut h[k]));
    }
    let z: Vec<[i16; N]> = [z0].iter().chain(&z1).copied().collect();
    check_all(&z, &expected["sign"]["z"], "z");
    check_all(&h, &expected["sign"]["h"], "h");

    let mut public = Public::new();
    public.decode::<P>(isa, pk).unwrap();
    let (mut x, mut w) = (Operand::new(), [[0; N]; 3]);
    x.set(isa, &z1, &z0);
    public.multiply::<P>(isa, &mut x, &mut w);
    for &p in challenge::<P, N>(isa, c_tilde).support() {
        w[0][usize::from(p)] += P::Q_HALF;
    }
    let canonical = w.map(|w| w.map(|x| x.rem_euclid(P::Q)));
    check_all(&canonical, &expected["verify"]["w_hat"], "w_hat");
    let mut w1 = [[0; N]; 3];
    for ((w, h), w1) in w.iter().zip(&h).zip(&mut w1) {
        isa.use_hint::<P, N>(w, h, w1);
    }
    check_all(&w1, &expected["verify"]["w1_recovered"], "w1 recovered");
}

fn ladder<P: Set<N>, const N: usize>(vectors: &str, counts: [u32; 2]) {
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        for count in counts {
            let ladder = &vectors[std::format!("ladder_count_{count}")];
            let (pk, sk, rng) = key::<P, N>(isa, &bytes(&ladder["seed"]));
            check_keygen::<P, N>(isa, &sk, &ladder["keygen"]);
            let message = bytes(&ladder["message"]);
            let sig = check_sign::<P, N>(isa, &sk, &message, rng, &ladder["sign"]);
            check_verify::<P, N>(isa, &pk, &sig, ladder);
            assert_eq!(hex::encode(Sha256::digest(&pk)), ladder["pk_sha256"]);
            assert_eq!(hex::encode(Sha256::digest(&sk)), ladder["sk_sha256"]);
            assert_eq!(hex::encode(Sha256::digest(&sig)), ladder["sn_sha256"]);
        }
    }
}

#[test]
fn ladders_of_bit_128() {
    ladder::<Bit128, 256>(include_str!("../tests/vectors/bit-128-vectors.json"), [0, 2]);
}

#[test]
fn ladders_of_bit_256() {
    ladder::<Bit256, 512>(include_str!("../tests/vectors/bit-256-vectors.json"), [0, 7]);
}

#[test]
fn ladders_of_bit_512() {
    ladder::<Bit512, 1024>(include_str!("../tests/vectors/bit-512-vectors.json"), [0, 3]);
}

/// Outcomes and sign bits of all records and extra vectors, each iteration of them.
fn outcomes<P: Set<N>, const N: usize>(vectors: &str) {
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let mut seeds = Drng::from_seed(&b"seed".repeat(16));
    let mut messages = Drng::from_seed(&[b"msg".repeat(21), b"m".to_vec()].concat());
    let records = vectors["records"].as_array().unwrap().iter().enumerate().map(|(i, record)| {
        let (mut seed, mut message) = (vec![0; 64], vec![0; 56 + 8 * i]);
        seeds.fill(&mut seed);
        messages.fill(&mut message);
        (seed, message, record)
    });
    let extra = vectors["extra"].as_array().unwrap();
    let extra = extra.iter().map(|e| (bytes(&e["seed"]), bytes(&e["message"]), e));
    let isa = Isa::new(Backend::detect());
    for (seed, message, expected) in records.chain(extra) {
        let (_, sk, mut rng) = key::<P, N>(isa, &seed);
        let fields = SecretKeyFields::new::<P, N>(&sk);
        let (mut public, mut secret) = (Public::new(), Secret::new());
        public.decode::<P>(isa, fields.pk).unwrap();
        secret.decode::<P>(isa, fields.polynomials).unwrap();
        let mu = hash::<P, N>(isa, &[fields.tr, &message]);
        let (mut rnd, mut seed) = (vec![0; P::KAPPA], vec![0; P::KAPPA]);
        rng.fill(&mut rnd);
        xof(isa.backend(), &[fields.sigma, &rnd, mu.as_ref()].concat(), &mut seed);
        let mut attempt = Attempt::<P, N>::new(isa, &public, &secret, mu, XofPrefix::new(&seed));
        let (mut nonce, mut fresh, mut bits) = (0, true, [0; 32]);
        let mut sig = vec![0; P::SIG_LEN];
        let all = expected["outcomes"].as_array().unwrap();
        for (t, expected) in all.iter().enumerate() {
            attempt.masks.draw::<P>(isa, &XofPrefix::new(&seed), nonce, fresh);
            let c_tilde = attempt.commit();
            if t == 0 {
                rng.fill(&mut bits);
            }
            let test = nonce + if fresh { 7 } else { 4 };
            let outcome = attempt.respond(test, &c_tilde, i32::from(bits[t / 8] >> (t % 8) & 1), &mut sig);
            assert_eq!(*expected, name(outcome), "iteration {t}");
            (nonce, fresh) = if outcome == Outcome::R1 { (test + 4, false) } else { (test + 7, true) };
        }
        assert_eq!(expected["iterations"], all.len());
        assert_eq!(hex::encode(Sha256::digest(&sig)), expected["sn_sha256"]);
    }
}

#[test]
fn outcomes_of_every_vector() {
    outcomes::<Bit128, 256>(include_str!("../tests/vectors/bit-128-vectors.json"));
    outcomes::<Bit256, 512>(include_str!("../tests/vectors/bit-256-vectors.json"));
    outcomes::<Bit512, 1024>(include_str!("../tests/vectors/bit-512-vectors.json"));
}
