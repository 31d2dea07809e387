//! Prints what each back-end costs in core cycles, per call and per byte that goes through the compression function.
//!
//! The clock is a chain of dependent 64-bit multiplications, which take three core cycles each on every recent
//! x86-64 and AArch64 core. Each sample of the work stands between two samples of the chain; the figures are
//! medians over the samples, so they do not depend on the frequency and hardly on the neighbours.
#![allow(missing_docs, reason = "a program")]

use iccs::{
    Backend, Drng, DrngStream, Sm3, XofPrefix, XofStream, drng_fill_many, pseudohash512, sm3_many, xof,
    xof_many,
};
use std::hint::black_box;
use std::time::Instant;

/// Multiplications in one sample of the chain, and the cycles they take.
const LINKS: u64 = 4096;
const CYCLES_PER_LINK: f64 = 3.0;
const SAMPLES: usize = 301;

/// Nanoseconds of one chain.
fn chain() -> f64 {
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let start = Instant::now();
    for _ in 0..LINKS / 16 {
        for _ in 0..16 {
            // A square: products by a constant would be merged by the compiler.
            x = x.wrapping_mul(x);
        }
    }
    black_box(x);
    start.elapsed().as_nanos() as f64
}

/// Core cycles of one call of `work`: median over the samples.
fn cycles(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut repeats = 0_u32;
    while start.elapsed().as_micros() < 2000 {
        work();
        repeats += 1;
    }
    // A sample of about 20 microseconds: long for the clock, short for the scheduler.
    let repeats = (repeats / 100).max(1);
    let mut samples: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let before = chain();
            let start = Instant::now();
            for _ in 0..repeats {
                work();
            }
            let elapsed = start.elapsed().as_nanos() as f64 / f64::from(repeats);
            let chain = f64::midpoint(before, chain());
            elapsed / chain * LINKS as f64 * CYCLES_PER_LINK
        })
        .collect();
    samples.sort_by(f64::total_cmp);
    samples[SAMPLES / 2]
}

fn row(backend: Backend, name: &str, blocks: usize, work: impl FnMut()) {
    let cycles = cycles(work);
    let (block, byte) = (cycles / blocks as f64, cycles / (64 * blocks) as f64);
    println!("{:<9} {name:<34} {cycles:>10.0} {blocks:>6} {block:>9.1} {byte:>7.2}", backend.name());
}

/// Blocks that a message of `len` bytes has once padded.
const fn blocks(len: usize) -> usize {
    (len + 9).div_ceil(64)
}

fn main() {
    println!("back-end  work                                   cycles blocks per block per byte");
    for backend in Backend::available() {
        let message = [0x5a; 16384];
        row(backend, "SM3, one stream of 16 KiB", blocks(16384), || {
            let mut sm3 = Sm3::with_backend(backend);
            sm3.update(black_box(&message));
            black_box(sm3.finalize());
        });
        row(backend, "SM3 of 32 bytes", 1, || {
            let mut sm3 = Sm3::with_backend(backend);
            sm3.update(black_box(&message[..32]));
            black_box(sm3.finalize());
        });
        for streams in [2, 4, 8, 16] {
            let part = [&message[..5000]];
            let parts = vec![&part[..]; streams];
            let mut out = vec![[0; 32]; streams];
            row(backend, &format!("SM3, {streams} streams of 5000 bytes"), streams * blocks(5000), || {
                sm3_many(backend, black_box(&parts), black_box(&mut out));
            });
        }
        for len in [32, 64, 128, 256, 512, 672, 16384] {
            let mut out = vec![0; len];
            row(backend, &format!("XOF of {len} bytes"), len / 32, || {
                xof(backend, black_box(&message[..36]), black_box(&mut out));
            });
        }
        let prefix = XofPrefix::new(&message[..16]);
        let mut outs = vec![[0; 672]; 9];
        row(backend, "9 XOFs of 672 bytes", 9 * 21, || {
            let mut streams: Vec<_> = outs
                .iter_mut()
                .map(|out| XofStream { tail: black_box(&message[..4]), first_block: 0, out })
                .collect();
            xof_many(backend, &prefix, &mut streams);
        });
        row(backend, "pseudohash512 of 5000 bytes", 2 * blocks(5002) + 5, || {
            black_box(pseudohash512(backend, black_box(&[&message[..5000]])));
        });
        let mut drng = Drng::from_seed(&message[..64]).with_backend(backend);
        for len in [32, 64, 1024] {
            let mut out = vec![0; len];
            row(backend, &format!("DRNG draw of {len} bytes"), len / 32 + 2, || {
                drng.fill(black_box(&mut out))
            });
        }
        let mut drngs = vec![drng; 16];
        let mut outs = vec![[0; 32]; 16];
        row(backend, "16 DRNG draws of 32 bytes", 16 * 3, || {
            let mut streams: Vec<_> =
                drngs.iter_mut().zip(&mut outs).map(|(drng, out)| DrngStream { drng, out }).collect();
            drng_fill_many(backend, &mut streams);
        });
    }
}
