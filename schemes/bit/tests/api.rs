//! The public interface: negative vectors of SPEC section 14, the typed keys, and inputs of any kind.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test program")]

mod common;

use common::{record, records, signature};
use iccs::Drng;
use ngcc_api::Part;
use ngcc_bit::{
    Backend, Bit128, Bit256, Bit512, Error, INSTANCES, ParameterSet, Signature, SigningKey, VerifyingKey,
};
use proptest::prelude::*;
use rand_core::{TryCryptoRng, TryRng};
use signature::{Keypair, RandomizedSigner, Verifier};
use subtle::ConstantTimeEq;

/// Lengths of κ, λ, z₀, z₁ polynomials, hint polynomials (SPEC section 6).
const LAYOUT: [[usize; 5]; 3] = [[16, 32, 128, 352, 96], [32, 64, 320, 832, 192], [64, 64, 640, 1792, 205]];

/// The first record of a set.
fn first(set: usize) -> (common::Record, Vec<u8>) {
    let (seed, message) = records().remove(0);
    (record(set, Backend::detect(), &seed, &message).unwrap(), message)
}

fn verify(set: usize, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error> {
    signature(set).verify(Backend::detect(), pk, message, sig)
}

#[test]
fn every_changed_bit_is_rejected() {
    for set in 0..3 {
        let (r, message) = first(set);
        verify(set, &r.pk, &message, &r.sig).unwrap();
        let flip = |bytes: &[u8], bit: usize| {
            let mut changed = bytes.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            changed
        };
        // A step that is prime to the field widths reaches every kind of place.
        for bit in (0..8 * r.sig.len()).step_by(37) {
            assert!(
                verify(set, &r.pk, &message, &flip(&r.sig, bit)).is_err(),
                "set {set} signature bit {bit}"
            );
        }
        for bit in (0..8 * r.pk.len()).step_by(61) {
            assert!(verify(set, &flip(&r.pk, bit), &message, &r.sig).is_err(), "set {set} pk bit {bit}");
        }
        for bit in 0..8 * message.len() {
            assert!(verify(set, &r.pk, &flip(&message, bit), &r.sig).is_err(), "set {set} message bit {bit}");
        }
        assert_eq!(verify(set, &r.pk, b"", &r.sig), Err(Error::Rejected));
    }
}

#[test]
fn wrong_lengths_are_errors() {
    for set in 0..3 {
        let (r, message) = first(set);
        let scheme = signature(set);
        let longer = |bytes: &[u8]| [bytes, &[0]].concat();
        for sig in [&r.sig[1..], &longer(&r.sig), &[]] {
            assert!(matches!(
                verify(set, &r.pk, &message, sig),
                Err(Error::Length { part: Part::Signature, .. })
            ));
        }
        for pk in [&r.pk[1..], &longer(&r.pk), &[]] {
            assert!(matches!(
                verify(set, pk, &message, &r.sig),
                Err(Error::Length { part: Part::PublicKey, .. })
            ));
        }
        let mut rng = Drng::from_seed(b"x");
        let (mut pk, mut sk, mut sig) = (r.pk.clone(), r.sk.clone(), r.sig.clone());
        let backend = Backend::detect();
        assert!(scheme.sign(backend, &mut rng, &sk[1..], b"", &mut sig).is_err());
        assert!(scheme.sign(backend, &mut rng, &sk, b"", &mut sig[1..]).is_err());
        assert!(scheme.keygen(backend, &mut rng, &mut pk[1..], &mut sk).is_err());
        assert!(scheme.keygen(backend, &mut rng, &mut pk, &mut sk[1..]).is_err());
    }
}

/// Encodings that the reference accepts, or would decode, and that nobody honest writes.
#[test]
fn non_canonical_signatures_are_rejected() {
    let malformed = Err(Error::Encoding(Part::Signature));
    for (set, [_, lambda, z0, z1, _]) in LAYOUT.into_iter().enumerate() {
        let (r, message) = first(set);
        let hints = lambda + z0 + 3 * z1;
        let with = |at: usize, byte: u8| {
            let mut sig = r.sig.clone();
            sig[at] = byte;
            verify(set, &r.pk, &message, &sig)
        };
        if set < 2 {
            assert_eq!(with(hints, r.sig[hints] | 7), malformed, "hint code 7");
        } else {
            assert_eq!(with(hints, 243), malformed);
            for padding in [hints + 204, hints + 409, hints + 614] {
                for byte in [r.sig[padding] - 81, r.sig[padding] + 81] {
                    assert_eq!(with(padding, byte), malformed, "padding digit");
                }
            }
        }
        // The most negative z₁, and z₀ beyond its mask: 15 in the offset code, −16 in the others.
        let mut sig = r.sig.clone();
        let width = [11, 13, 14][set];
        sig[lambda + z0..][..4].copy_from_slice(&(1u32 << (width - 1)).to_le_bytes());
        assert_eq!(verify(set, &r.pk, &message, &sig), malformed, "z1 = -gamma1");
        let first_z0 = if set == 0 { r.sig[lambda] | 15 } else { r.sig[lambda] & !31 | 16 };
        assert_eq!(with(lambda, first_z0), malformed, "z0");
    }
}

/// The reference accepts these second encodings of valid BiT-512 signatures (SPEC section 11).
#[test]
fn bytes_of_the_same_hint_digits_are_rejected() {
    let hints = 64 + 640 + 3 * 1792;
    let mut found = 0;
    for (seed, message) in records() {
        let r = record(2, Backend::detect(), &seed, &message).unwrap();
        for at in (hints..r.sig.len()).filter(|at| r.sig[*at] <= 12) {
            let mut sig = r.sig.clone();
            sig[at] += 243;
            assert_eq!(verify(2, &r.pk, &message, &sig), Err(Error::Encoding(Part::Signature)));
            found += 1;
        }
    }
    assert!(found > 0);
}

#[test]
fn non_canonical_public_keys_are_rejected() {
    for (set, [kappa, ..]) in LAYOUT.into_iter().enumerate() {
        let (r, message) = first(set);
        let mut pk = r.pk.clone();
        // All ones is beyond 1681⁴, 1864 and 8128.
        pk[kappa..kappa + 6].fill(255);
        assert_eq!(verify(set, &pk, &message, &r.sig), Err(Error::Encoding(Part::PublicKey)));
        let mut sk = r.sk.clone();
        sk[kappa..kappa + 6].fill(255);
        let mut sig = r.sig.clone();
        let mut rng = Drng::from_seed(b"x");
        assert_eq!(
            signature(set).sign(Backend::detect(), &mut rng, &sk, b"", &mut sig),
            Err(Error::Encoding(Part::SecretKey))
        );
    }
}

#[test]
fn malformed_secret_keys_are_rejected() {
    for (set, [kappa, lambda, ..]) in LAYOUT.into_iter().enumerate() {
        let (r, _) = first(set);
        let tr = r.pk.len() + kappa;
        for (at, byte) in [(tr, r.sk[tr] ^ 1), (tr + lambda, r.sk[tr + lambda] & !3 | 2)] {
            let mut sk = r.sk.clone();
            sk[at] = byte;
            let mut sig = r.sig.clone();
            let mut rng = Drng::from_seed(b"x");
            assert_eq!(
                signature(set).sign(Backend::detect(), &mut rng, &sk, b"", &mut sig),
                Err(Error::Encoding(Part::SecretKey)),
                "set {set} byte {at}"
            );
        }
    }
}

/// Typed keys, traits and expanded keys give the bytes of the byte interface.
fn typed<P: ParameterSet>(set: usize)
where
    SigningKey<P>: RandomizedSigner<Signature<P>>,
{
    let (seed, message) = records().remove(1);
    let expected = record(set, Backend::detect(), &seed, &message).unwrap();
    for backend in Backend::available() {
        let mut rng = Drng::from_seed(&seed);
        let sk = SigningKey::<P>::generate(&mut rng).unwrap().with_backend(backend);
        assert_eq!(sk.as_bytes().as_ref(), expected.sk);
        assert_eq!(sk.verifying_key().as_bytes().as_ref(), expected.pk);
        let expanded = sk.expand().unwrap();
        let sig = expanded.sign(&mut rng.clone(), &message).unwrap();
        assert_eq!(sig.as_bytes().as_ref(), expected.sig);
        let sig = sk.sign_with_rng(&mut rng, &message);
        assert_eq!(sig.as_bytes().as_ref(), expected.sig);

        let pk = VerifyingKey::<P>::from_bytes(&expected.pk).unwrap().with_backend(backend);
        pk.verify(&message, &sig).unwrap();
        let expanded = pk.expand().unwrap();
        expanded.verify(&message, &sig).unwrap();
        assert!(pk.verify(b"another", &sig).is_err());
        assert!(expanded.verify(b"another", &sig).is_err());
        assert!(Signature::<P>::try_from(&expected.sig[1..]).is_err());
        assert!(SigningKey::<P>::from_bytes(&expected.sk[1..]).is_err());
        assert!(VerifyingKey::<P>::from_bytes(&vec![255; expected.pk.len()]).is_err());
    }
}

#[test]
fn typed_keys_give_the_same_bytes() {
    typed::<Bit128>(0);
    typed::<Bit256>(1);
    typed::<Bit512>(2);
}

/// Fails at the given `fill_bytes`, counted from zero.
struct Failing(Drng, usize);

impl TryRng for Failing {
    type Error = Exhausted;

    fn try_next_u32(&mut self) -> Result<u32, Exhausted> {
        Err(Exhausted)
    }

    fn try_next_u64(&mut self) -> Result<u64, Exhausted> {
        Err(Exhausted)
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Exhausted> {
        self.1 = self.1.checked_sub(1).ok_or(Exhausted)?;
        self.0.fill(out);
        Ok(())
    }
}

impl TryCryptoRng for Failing {}

#[derive(Debug)]
struct Exhausted;

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no more")
    }
}

impl std::error::Error for Exhausted {}

/// Key generation draws twice, and so does signing of fewer than 257 iterations.
fn failing<P: ParameterSet>()
where
    SigningKey<P>: RandomizedSigner<Signature<P>>,
{
    let source = |good| Failing(Drng::from_seed(b"fails"), good);
    let sk = SigningKey::<P>::generate(&mut source(2)).unwrap();
    let expanded = sk.expand().unwrap();
    for good in 0..2 {
        assert_eq!(SigningKey::<P>::generate(&mut source(good)).unwrap_err(), Error::Random);
        assert_eq!(sk.sign(&mut source(good), b"message"), Err(Error::Random));
        assert_eq!(expanded.sign(&mut source(good), b"message"), Err(Error::Random));
        assert!(sk.try_sign_with_rng(&mut source(good), b"message").is_err());
    }
    assert_eq!(sk.sign(&mut source(2), b"message"), expanded.sign(&mut source(2), b"message"));
}

#[test]
fn a_source_that_fails_is_an_error() {
    failing::<Bit128>();
    failing::<Bit256>();
    failing::<Bit512>();
}

#[test]
fn secret_keys_do_not_show() {
    let keys = [b"a", b"b"].map(|seed| SigningKey::<Bit256>::generate(&mut Drng::from_seed(seed)).unwrap());
    assert_eq!(format!("{:?}", keys[0]), "SigningKey { set: \"BiT-256\", .. }");
    assert_eq!(format!("{:?}", keys[0].expand().unwrap()), "ExpandedSigningKey { set: \"BiT-256\", .. }");
    assert!(bool::from(keys[0].ct_eq(&keys[0].clone())));
    assert!(!bool::from(keys[0].ct_eq(&keys[1])));
}

#[test]
fn sizes_are_those_of_the_specification() {
    let expected = [(1048, 1864, 1504), (2144, 4160, 3456), (5056, 9024, 6695)];
    for (set, expected) in expected.into_iter().enumerate() {
        let sizes = signature(set).sizes();
        assert_eq!((sizes.pk, sizes.sk, sizes.sig), expected);
        assert_eq!(INSTANCES[set].name, common::SETS[set]);
    }
}

/// The test profile is optimised; `cargo test --profile dev -p ngcc-bit --test api` tries larger frames.
#[test]
fn half_a_mebibyte_of_stack_is_enough() {
    for set in 0..3 {
        for backend in Backend::available() {
            let thread = std::thread::Builder::new().stack_size(512 << 10);
            let run = move || record(set, backend, b"a small stack", b"message").map(|r| r.sig.len());
            assert!(thread.spawn(run).unwrap().join().unwrap().is_ok(), "set {set} {backend}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn back_ends_give_the_same_bytes(seed: [u8; 32], message: Vec<u8>) {
        for set in 0..3 {
            let mut all = Backend::available().map(|b| record(set, b, &seed, &message).unwrap());
            let one = all.next().unwrap();
            for other in all {
                prop_assert_eq!(&one.pk, &other.pk);
                prop_assert_eq!(&one.sk, &other.sk);
                prop_assert_eq!(&one.sig, &other.sig);
            }
        }
    }

    /// Well-formed secret polynomials that do not belong to the public key: signing ends, and its result is no signature.
    #[test]
    fn foreign_secret_polynomials_end_alike_on_all_back_ends(seed: [u8; 32], set in 0usize..3) {
        let [kappa, lambda, ..] = LAYOUT[set];
        let (r, message) = first(set);
        let (mut sk, ternary) = (r.sk.clone(), r.pk.len() + kappa + lambda);
        Drng::from_seed(&seed).fill(&mut sk[ternary..]);
        let n = [256, 512, 1024][set];
        for byte in &mut sk[ternary..ternary + 6 * n / 4] {
            // Code 2 becomes code 0.
            *byte &= !(!(*byte << 1) & 0xaa);
        }
        let mut results = Backend::available().map(|backend| {
            let mut sig = r.sig.clone();
            let result = signature(set).sign(backend, &mut Drng::from_seed(&seed), &sk, &message, &mut sig);
            (result, sig)
        });
        let one = results.next().unwrap();
        prop_assert!(results.all(|other| other == one));
        match one.0 {
            Ok(_) => prop_assert_eq!(verify(set, &r.pk, &message, &one.1), Err(Error::Rejected)),
            other => prop_assert_eq!(other, Err(Error::IterationCap)),
        }
    }

    #[test]
    fn garbage_is_rejected_alike_by_all_back_ends(seed: [u8; 32], cut in 0usize..3, valid_pk: bool) {
        for set in 0..3 {
            let sizes = signature(set).sizes();
            let mut rng = Drng::from_seed(&seed);
            let (mut pk, mut sk, mut sig) = (vec![0; sizes.pk], vec![0; sizes.sk], vec![0; sizes.sig - cut % 2]);
            rng.fill(&mut pk);
            rng.fill(&mut sk);
            rng.fill(&mut sig);
            if valid_pk {
                signature(set).keygen(Backend::detect(), &mut rng, &mut pk, &mut vec![0; sizes.sk]).unwrap();
            }
            let verdicts: Vec<_> =
                Backend::available().map(|b| signature(set).verify(b, &pk, &seed, &sig)).collect();
            prop_assert!(verdicts.iter().all(|v| v.is_err() && *v == verdicts[0]), "{:?}", verdicts);
            let mut out = vec![0; sizes.sig];
            for backend in Backend::available() {
                prop_assert!(signature(set).sign(backend, &mut rng, &sk, &seed, &mut out).is_err());
            }
        }
    }
}
