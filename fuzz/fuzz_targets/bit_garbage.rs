//! Any bytes as BiT keys and signatures: no panic, no acceptance, and every back-end says the same.
//!
//! Input: parameter set, how the buffers are cut, then the bytes that fill them over and over.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ngcc_api::{Backend, Scheme};

fuzz_target!(|data: &[u8]| {
    let [set, cut, fill @ ..] = data else { return };
    if fill.is_empty() {
        return;
    }
    let instance = &ngcc_bit::INSTANCES[usize::from(*set) % 3];
    let Scheme::Signature(scheme) = instance.scheme else { unreachable!("BiT is a signature") };
    let sizes = scheme.sizes();
    let mut bytes = fill.iter().copied().cycle();
    // One length in sixteen is wrong.
    let mut part = |n: usize, bit: u8| -> Vec<u8> {
        let n = if cut >> (4 * bit) & 15 == 1 { n - 1 } else { n };
        bytes.by_ref().take(n).collect()
    };
    let (pk, sk, sn) = (part(sizes.pk, 0), part(sizes.sk, 1), part(sizes.sig, 0));
    let verdicts: Vec<_> = Backend::available().map(|b| scheme.verify(b, &pk, fill, &sn)).collect();
    assert!(verdicts.iter().all(|v| v.is_err() && *v == verdicts[0]), "{verdicts:?}");
    let signed: Vec<_> = Backend::available()
        .map(|b| {
            let mut out = vec![0; sizes.sig];
            let mut rng = iccs::Drng::from_seed(fill);
            scheme.sign(b, &mut rng, &sk, fill, &mut out).map(|n| out[..n].to_vec())
        })
        .collect();
    assert!(signed.iter().all(|s| *s == signed[0]), "{instance:?}");
});
