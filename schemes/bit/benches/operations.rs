//! Wall time of each operation of each set on each back-end: `cargo bench -p ngcc-bit --bench operations`.
//!
//! Signing runs over many messages, since its number of iterations varies: compare means.
//! `cargo run --release -p ngcc-bit --example cycles` gives core cycles instead.
#![allow(clippy::unwrap_used, missing_docs, reason = "a program")]

use divan::{Bencher, black_box};
use iccs::Drng;
use ngcc_bit::{Backend, Bit128, Bit256, Bit512, ParameterSet, Signature, SigningKey, VerifyingKey};
use signature::{Keypair, Verifier};

fn main() {
    divan::main();
}

fn backends() -> impl Iterator<Item = Backend> {
    Backend::available()
}

/// Messages that differ.
fn messages() -> impl FnMut() -> [u8; 32] {
    let mut rng = Drng::from_seed(b"messages");
    move || {
        let mut message = [0; 32];
        rng.fill(&mut message);
        message
    }
}

fn key<P: ParameterSet>(backend: Backend) -> SigningKey<P> {
    SigningKey::generate(&mut Drng::from_seed(b"key")).unwrap().with_backend(backend)
}

fn signed<P: ParameterSet>(backend: Backend) -> (VerifyingKey<P>, Signature<P>) {
    let sk = key::<P>(backend);
    let sig = sk.sign(&mut Drng::from_seed(b"signature"), b"message").unwrap();
    (sk.verifying_key(), sig)
}

/// Over byte buffers: the typed form always takes the fastest back-end.
#[divan::bench(types = [Bit128, Bit256, Bit512], args = backends())]
fn keygen<P: ParameterSet>(bencher: Bencher<'_, '_>, backend: Backend) {
    let instance = ngcc_bit::INSTANCES.iter().find(|i| i.name == P::NAME).unwrap();
    let ngcc_api::Scheme::Signature(scheme) = instance.scheme else { return };
    let sizes = scheme.sizes();
    let (mut pk, mut sk) = (vec![0; sizes.pk], vec![0; sizes.sk]);
    let mut rng = Drng::from_seed(b"keys");
    bencher.bench_local(|| scheme.keygen(backend, &mut rng, &mut pk, &mut sk).unwrap());
}

#[divan::bench(types = [Bit128, Bit256, Bit512], args = backends(), sample_count = 400)]
fn sign<P: ParameterSet>(bencher: Bencher<'_, '_>, backend: Backend) {
    let sk = key::<P>(backend);
    let mut rng = Drng::from_seed(b"sign");
    bencher.with_inputs(messages()).bench_local_refs(|message| sk.sign(&mut rng, message).unwrap());
}

#[divan::bench(types = [Bit128, Bit256, Bit512], args = backends(), sample_count = 400)]
fn sign_with_expanded_key<P: ParameterSet>(bencher: Bencher<'_, '_>, backend: Backend) {
    let sk = key::<P>(backend).expand().unwrap();
    let mut rng = Drng::from_seed(b"sign");
    bencher.with_inputs(messages()).bench_local_refs(|message| sk.sign(&mut rng, message).unwrap());
}

#[divan::bench(types = [Bit128, Bit256, Bit512], args = backends())]
fn verify<P: ParameterSet>(bencher: Bencher<'_, '_>, backend: Backend) {
    let (pk, sig) = signed::<P>(backend);
    bencher.bench(|| pk.verify(black_box(b"message"), black_box(&sig)).unwrap());
}

#[divan::bench(types = [Bit128, Bit256, Bit512], args = backends())]
fn verify_with_expanded_key<P: ParameterSet>(bencher: Bencher<'_, '_>, backend: Backend) {
    let (pk, sig) = signed::<P>(backend);
    let pk = pk.expand().unwrap();
    bencher.bench(|| pk.verify(black_box(b"message"), black_box(&sig)).unwrap());
}
