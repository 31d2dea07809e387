//! Core cycles of key generation, signing and verification, per set and back-end:
//! `cargo run --release -p ngcc-bit --example cycles [BACKEND..]`
//!
//! The clock is a chain of dependent 64-bit multiplications, three cycles each on recent x86-64 and AArch64 cores, run
//! before every measured call. Each figure is the mean over keys and messages of the fastest of several identical calls.
#![allow(clippy::unwrap_used, clippy::cast_precision_loss, reason = "a developer's program")]

use std::hint::black_box;
use std::time::Instant;

use iccs::Drng;
use ngcc_api::Scheme;
use ngcc_bit::{Backend, INSTANCES};

/// Published mean cycles of the submitted reference (system x86_1): keygen, sign, verify.
const PUBLISHED: [[f64; 3]; 3] =
    [[460.7e3, 2.25e6, 443.8e3], [1.24e6, 2.71e6, 1.28e6], [3.59e6, 10.97e6, 3.54e6]];
/// Multiplications of one run of the chain.
const CHAIN: u32 = 4000;
/// Distinct keys and messages.
const UNITS: usize = 300;
/// Identical calls, of which the fastest counts.
const REPEATS: usize = 5;

/// Seconds of one core cycle, from one run of the chain.
fn cycle() -> f64 {
    let start = Instant::now();
    let mut x = black_box(0x9e37_79b9_7f4a_7c15u64);
    for _ in 0..CHAIN / 8 {
        for _ in 0..8 {
            x = x.wrapping_mul(x);
        }
    }
    black_box(x);
    start.elapsed().as_secs_f64() / (3.0 * f64::from(CHAIN))
}

/// Fastest of the repeats, in core cycles.
fn measure(mut call: impl FnMut()) -> f64 {
    let samples = (0..REPEATS).map(|_| {
        let before = cycle();
        let start = Instant::now();
        call();
        let elapsed = start.elapsed().as_secs_f64();
        elapsed / before.min(cycle())
    });
    samples.fold(f64::INFINITY, f64::min)
}

fn main() {
    let chosen: Vec<Backend> = std::env::args().skip(1).map(|name| name.parse().unwrap()).collect();
    println!("{:8} {:9} {:>22} {:>22} {:>22}", "set", "backend", "keygen", "sign", "verify");
    for (instance, published) in INSTANCES.iter().zip(PUBLISHED) {
        let Scheme::Signature(scheme) = instance.scheme else { continue };
        let sizes = scheme.sizes();
        for backend in Backend::available().filter(|b| chosen.is_empty() || chosen.contains(b)) {
            let (mut pk, mut sk) = (vec![0; sizes.pk], vec![0; sizes.sk]);
            let (mut sig, mut sums) = (vec![0; sizes.sig], [0.0; 3]);
            for unit in 0..UNITS {
                let rng = Drng::from_seed(&unit.to_le_bytes());
                let message = unit.to_be_bytes().repeat(8);
                sums[0] += measure(|| scheme.keygen(backend, &mut rng.clone(), &mut pk, &mut sk).unwrap());
                sums[1] += measure(|| {
                    scheme.sign(backend, &mut rng.clone(), &sk, &message, &mut sig).unwrap();
                });
                sums[2] += measure(|| scheme.verify(backend, &pk, &message, &sig).unwrap());
            }
            print!("{:8} {:9}", instance.name, backend.name());
            for (sum, published) in sums.iter().zip(published) {
                let cycles = sum / UNITS as f64;
                print!(" {:>13.0} ({:>4.1} x)", cycles, published / cycles);
            }
            println!();
        }
    }
}
