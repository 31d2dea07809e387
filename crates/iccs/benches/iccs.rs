//! Wall time of each hot piece on each back-end: `cargo bench -p iccs`.
//!
//! The throughput column counts the bytes of messages and outputs. `cargo run --release -p iccs --example cycles` gives
//! core cycles per compressed byte instead.
#![allow(missing_docs, reason = "a program")]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use iccs::{
    Backend, Drng, DrngStream, Sm3, XofPrefix, XofStream, drng_fill_many, pseudohash512, sm3_many, xof,
    xof_many,
};

fn main() {
    divan::main();
}

fn backends() -> impl Iterator<Item = Backend> {
    Backend::available()
}

#[divan::bench]
fn sm3_stream_16_kib(bencher: Bencher<'_, '_>) {
    let message = [7; 16384];
    bencher.counter(BytesCount::of_slice(&message)).bench(|| {
        let mut sm3 = Sm3::new();
        sm3.update(black_box(&message));
        sm3.finalize()
    });
}

#[divan::bench(args = backends(), consts = [2, 4, 8, 16])]
fn sm3_lanes_5000<const LANES: usize>(bencher: Bencher<'_, '_>, backend: Backend) {
    let message = [7; 5000];
    let parts = [&message[..]];
    let messages = [&parts[..]; LANES];
    let mut digests = [[0; 32]; LANES];
    bencher
        .counter(BytesCount::new(LANES * message.len()))
        .bench_local(|| sm3_many(backend, black_box(&messages), &mut digests));
}

#[divan::bench(args = backends())]
fn xof_672(bencher: Bencher<'_, '_>, backend: Backend) {
    let mut out = [0; 672];
    bencher.counter(BytesCount::of_slice(&out)).bench_local(|| xof(backend, black_box(&[7; 32]), &mut out));
}

#[divan::bench(args = backends())]
fn nine_xofs_672(bencher: Bencher<'_, '_>, backend: Backend) {
    let prefix = XofPrefix::new(&[7; 16]);
    let mut out = [[0; 672]; 9];
    bencher.counter(BytesCount::of_slice(out.as_flattened())).bench_local(|| {
        let mut outs = out.iter_mut();
        let mut streams: [XofStream<'_>; 9] = std::array::from_fn(|i| XofStream {
            tail: &TAILS[i],
            first_block: 0,
            out: outs.next().map_or(&mut [], |o| &mut o[..]),
        });
        xof_many(backend, black_box(&prefix), &mut streams);
    });
}

/// Tails of one length that differ.
const TAILS: [[u8; 8]; 9] = {
    let mut tails = [[0; 8]; 9];
    let mut i = 0;
    while i < 9 {
        tails[i][0] = i as u8;
        i += 1;
    }
    tails
};

#[divan::bench(args = backends())]
fn pseudohash512_5_kb(bencher: Bencher<'_, '_>, backend: Backend) {
    let message = [7; 5000];
    bencher.counter(BytesCount::of_slice(&message)).bench(|| pseudohash512(backend, black_box(&[&message])));
}

#[divan::bench(args = backends())]
fn drng_32(bencher: Bencher<'_, '_>, backend: Backend) {
    let mut drng = Drng::from_seed(b"bench").with_backend(backend);
    let mut out = [0; 32];
    bencher.counter(BytesCount::of_slice(&out)).bench_local(|| drng.fill(black_box(&mut out)));
}

#[divan::bench(args = backends())]
fn sixteen_drngs_32(bencher: Bencher<'_, '_>, backend: Backend) {
    let mut drngs: [Drng; 16] = std::array::from_fn(|i| Drng::from_seed(&[i as u8]));
    let mut out = [[0; 32]; 16];
    bencher.counter(BytesCount::of_slice(out.as_flattened())).bench_local(|| {
        let mut pairs = drngs.iter_mut().zip(&mut out);
        let mut streams: Vec<DrngStream<'_>> =
            pairs.by_ref().map(|(drng, out)| DrngStream { drng, out }).collect();
        drng_fill_many(backend, &mut streams);
    });
}
