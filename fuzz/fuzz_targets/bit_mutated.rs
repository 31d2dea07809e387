//! An honest BiT signature with any bytes changed in key, message or signature is rejected, by every back-end alike.
//!
//! Input: parameter set, then edits of four bytes: part, offset (two bytes, big-endian), difference.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use ngcc_api::{Backend, Scheme, Signature};

/// Public key, message and signature of each parameter set.
type Parts = [Vec<u8>; 3];

fn scheme(set: usize) -> &'static dyn Signature {
    match ngcc_bit::INSTANCES[set].scheme {
        Scheme::Signature(scheme) => scheme,
        Scheme::Kem(_) => unreachable!("BiT is a signature"),
    }
}

fn honest() -> &'static [Parts; 3] {
    static HONEST: OnceLock<[Parts; 3]> = OnceLock::new();
    HONEST.get_or_init(|| {
        [0, 1, 2].map(|set| {
            let scheme = scheme(set);
            let sizes = scheme.sizes();
            let (mut pk, mut sk, mut sn) = (vec![0; sizes.pk], vec![0; sizes.sk], vec![0; sizes.sig]);
            let mut rng = iccs::Drng::from_seed(b"fuzz");
            let m = b"a message of some length".to_vec();
            scheme.keygen(Backend::Portable, &mut rng, &mut pk, &mut sk).expect("keygen");
            let n = scheme.sign(Backend::Portable, &mut rng, &sk, &m, &mut sn).expect("sign");
            sn.truncate(n);
            [pk, m, sn]
        })
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((set, edits)) = data.split_first() else { return };
    let set = usize::from(*set) % 3;
    let original = &honest()[set];
    let mut parts = original.clone();
    for edit in edits.as_chunks::<4>().0 {
        // Most edits go to the signature, which has the richest format.
        let part = &mut parts[if edit[0] < 224 { 2 } else { usize::from(edit[0]) % 2 }];
        let at = usize::from(u16::from_be_bytes([edit[1], edit[2]])) % part.len();
        part[at] ^= edit[3];
    }
    let [pk, m, sn] = &parts;
    let verdicts: Vec<bool> =
        Backend::available().map(|b| scheme(set).verify(b, pk, m, sn).is_ok()).collect();
    assert!(verdicts.iter().all(|v| *v == (parts == *original)), "set {set}: {verdicts:?}");
});
