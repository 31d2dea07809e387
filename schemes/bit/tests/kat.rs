//! Known answers: the ten records, the canonical text, and the extra vectors, on every back-end.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test program")]

mod common;

use std::fmt::Write;

use common::{SETS, record, records, sha256, vectors};
use ngcc_bit::Backend;

fn check(set: usize, backend: Backend) {
    let vectors = vectors(set);
    let mut text = String::new();
    for (i, (seed, message)) in records().into_iter().enumerate() {
        let got = record(set, backend, &seed, &message).unwrap();
        let expected = &vectors["records"][i];
        assert_eq!(sha256(&got.pk), expected["pk_sha256"], "{} {backend} record {i}: pk", SETS[set]);
        assert_eq!(sha256(&got.sk), expected["sk_sha256"], "{} {backend} record {i}: sk", SETS[set]);
        assert_eq!(sha256(&got.sig), expected["sn_sha256"], "{} {backend} record {i}: sn", SETS[set]);
        let hex = |bytes: &[u8]| hex::encode_upper(bytes);
        writeln!(text, "Count = {i}\nSeed_Len = 64\nSeed = {}", hex(&seed)).unwrap();
        writeln!(text, "PK_Len = {}\nPK = {}", got.pk.len(), hex(&got.pk)).unwrap();
        writeln!(text, "SK_Len = {}\nSK = {}", got.sk.len(), hex(&got.sk)).unwrap();
        writeln!(text, "M_Len = {}\nM = {}", message.len(), hex(&message)).unwrap();
        writeln!(text, "Sn_Len = {}\nSn = {}", got.sig.len(), hex(&got.sig)).unwrap();
    }
    assert_eq!(sha256(text.as_bytes()), vectors["kat_canonical_sha256"], "{} {backend}", SETS[set]);

    for (i, extra) in vectors["extra"].as_array().unwrap().iter().enumerate() {
        let bytes = |field: &str| hex::decode(extra[field].as_str().unwrap()).unwrap();
        let got = record(set, backend, &bytes("seed"), &bytes("message")).unwrap();
        assert_eq!(sha256(&got.pk), extra["pk_sha256"], "{} {backend} extra {i}: pk", SETS[set]);
        assert_eq!(sha256(&got.sk), extra["sk_sha256"], "{} {backend} extra {i}: sk", SETS[set]);
        assert_eq!(sha256(&got.sig), extra["sn_sha256"], "{} {backend} extra {i}: sn", SETS[set]);
    }
}

fn on_every_backend(set: usize) {
    for backend in Backend::available() {
        check(set, backend);
    }
}

#[test]
fn bit_128() {
    on_every_backend(0);
}

#[test]
fn bit_256() {
    on_every_backend(1);
}

#[test]
fn bit_512() {
    on_every_backend(2);
}
