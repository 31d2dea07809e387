//! The vectors and the procedure of a known-answer record (SPEC section 14).
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "shared by several test programs, each of which uses a part"
)]

use iccs::Drng;
use ngcc_bit::{Backend, Error, INSTANCES};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub const SETS: [&str; 3] = ["BiT-128", "BiT-256", "BiT-512"];

pub fn vectors(set: usize) -> Value {
    let text = [
        include_str!("../vectors/bit-128-vectors.json"),
        include_str!("../vectors/bit-256-vectors.json"),
        include_str!("../vectors/bit-512-vectors.json"),
    ][set];
    serde_json::from_str(text).expect("the vectors are valid JSON")
}

pub fn signature(set: usize) -> &'static dyn ngcc_api::Signature {
    match INSTANCES[set].scheme {
        ngcc_api::Scheme::Signature(s) => s,
        ngcc_api::Scheme::Kem(_) => unreachable!("BiT is a signature"),
    }
}

pub struct Record {
    pub pk: Vec<u8>,
    pub sk: Vec<u8>,
    pub sig: Vec<u8>,
}

/// Key generation and signing from one generator.
pub fn record(set: usize, backend: Backend, seed: &[u8], message: &[u8]) -> Result<Record, Error> {
    let scheme = signature(set);
    let sizes = scheme.sizes();
    let (mut pk, mut sk, mut sig) = (vec![0; sizes.pk], vec![0; sizes.sk], vec![0; sizes.sig]);
    let mut rng = Drng::from_seed(seed);
    scheme.keygen(backend, &mut rng, &mut pk, &mut sk)?;
    let length = scheme.sign(backend, &mut rng, &sk, message, &mut sig)?;
    assert_eq!(length, sizes.sig);
    scheme.verify(backend, &pk, message, &sig)?;
    Ok(Record { pk, sk, sig })
}

/// Seeds and messages of the ten records.
pub fn records() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut seeds = Drng::from_seed(&b"seed".repeat(16));
    let mut message_bytes = b"msg".repeat(21);
    message_bytes.push(b'm');
    let mut messages = Drng::from_seed(&message_bytes);
    (0..10)
        .map(|i| {
            let (mut seed, mut message) = (vec![0; 64], vec![0; 56 + 8 * i]);
            seeds.fill(&mut seed);
            messages.fill(&mut message);
            (seed, message)
        })
        .collect()
}

pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
