//! Every kernel of every back-end against its portable twin, and the transform against schoolbook multiplication.

use std::vec;
use std::vec::Vec;

use iccs::{Backend, Drng};
use proptest::prelude::*;
use serde_json::Value;

use super::{Isa, high};
use crate::params::{Bit128, Bit256, Bit512, Fields, SLACK, Set};

/// Numbers from a seed: uniform, or now and then the ends of the range.
struct Source(Drng);

impl Source {
    fn new(seed: u64) -> Self {
        Self(Drng::from_seed(&seed.to_le_bytes()))
    }

    fn words(&mut self, count: usize) -> Vec<u64> {
        let mut bytes = vec![0; 8 * count];
        self.0.fill(&mut bytes);
        bytes.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect()
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.0.fill(&mut bytes);
        bytes
    }

    /// `N` numbers from `low..=high`, often the ends. Now and then all are next to the ends, in runs of one length: where
    /// sums and their rounding errors are largest.
    fn ring<const N: usize>(&mut self, low: i32, high: i32) -> [i32; N] {
        let shape = self.words(1)[0];
        let run = 1 << ((shape >> 32) % 11);
        let words = self.words(N);
        let beside = |i: usize| (words[i] >> 33) as i32 % (high - low + 1).min(8);
        core::array::from_fn(|i| match (shape % 4, words[i] >> 60) {
            (0, _) => [low + beside(i), high - beside(i)][words[i / run] as usize % 2],
            (_, 0) => low,
            (_, 1) => high,
            _ => low + (words[i] % u64::from((high - low + 1).cast_unsigned())) as i32,
        })
    }

    fn short<const N: usize>(&mut self, low: i32, high: i32) -> [i16; N] {
        self.ring::<N>(low, high).map(|x| x as i16)
    }

    fn tiny<const N: usize>(&mut self, low: i32, high: i32) -> [i8; N] {
        self.ring::<N>(low, high).map(|x| x as i8)
    }

    /// `weight` distinct ascending places below `n`.
    fn support(&mut self, n: usize, weight: usize) -> Vec<u16> {
        let mut places: Vec<(u64, u16)> = self.words(n).into_iter().zip(0..n as u16).collect();
        places.sort_unstable();
        let mut support: Vec<u16> = places.iter().take(weight).map(|(_, p)| *p).collect();
        support.sort_unstable();
        support
    }
}

/// Back-ends with code of their own, and the portable one to compare with.
fn twins() -> impl Iterator<Item = (Isa, Isa)> {
    Backend::available()
        .filter(|b| *b != Backend::Portable)
        .map(|b| (Isa::new(b), Isa::new(Backend::Portable)))
}

fn residues<P: Set<N>, const N: usize>(a: [i32; N]) -> [i32; N] {
    a.map(|x| x.rem_euclid(P::Q))
}

fn extended<T: Copy + core::ops::Neg<Output = T>, const N: usize>(s: [T; N]) -> [[T; N]; 2] {
    [s.map(|x| -x), s]
}

/// What the vector kernels call reduced: at most `q`, up to a tenth of rounding slack.
const fn reduced<P: Set<N>, const N: usize>() -> i32 {
    P::Q / 10 * 11
}

fn transforms<P: Set<N>, const N: usize>(seed: u64) {
    let mut source = Source::new(seed);
    let limit = reduced::<P, N>();
    for (isa, portable) in twins() {
        let a = source.ring::<N>(-(1 << 20) + 1, (1 << 20) - 1);
        let [mut x, mut y] = [a; 2];
        isa.ntt::<P, N>(&mut x);
        portable.ntt::<P, N>(&mut y);
        assert!(x.iter().chain(&y).all(|x| x.abs() <= P::Q / 2 + 1), "ntt {isa:?} reduces");
        assert_eq!(residues::<P, N>(x), residues::<P, N>(y), "ntt {isa:?}");

        let mut x = source.ring::<N>(-limit, limit);
        let mut y = x.map(|x| (x + P::Q / 2).rem_euclid(P::Q) - P::Q / 2);
        isa.intt::<P, N>(&mut x);
        portable.intt::<P, N>(&mut y);
        assert!(x.iter().all(|x| x.abs() <= limit), "intt {isa:?} reduces");
        assert_eq!(residues::<P, N>(x), residues::<P, N>(y), "intt {isa:?}");
    }
}

fn products<P: Set<N>, const N: usize>(seed: u64) {
    let mut source = Source::new(seed);
    let half = P::Q / 2;
    for (isa, portable) in twins() {
        let rows: [[i32; N]; 4] = core::array::from_fn(|_| source.ring(-half, P::Q - 1));
        let columns: [[i32; N]; 4] = core::array::from_fn(|_| source.ring(-half - 1, half + 1));
        let [mut vector, mut plain] = [[[0; N]; 4]; 2];
        if !P::COMPLETE {
            for ((b, x), y) in columns.iter().zip(&mut vector).zip(&mut plain) {
                isa.cross::<P, N>(b, x);
                portable.cross::<P, N>(b, y);
                assert_eq!(residues::<P, N>(*x), residues::<P, N>(*y), "cross {isa:?}");
            }
        }
        for count in 1..=4 {
            let product = |isa: Isa, crossed: &[[i32; N]; 4]| {
                let [a, b, c] = [&rows, &columns, crossed].map(|p| p[..count].iter().collect::<Vec<_>>());
                let mut out = [0; N];
                isa.mul_row::<P, N>(&a, &b, &c, &mut out);
                out
            };
            let (x, y) = (product(isa, &vector), product(portable, &plain));
            assert!(x.iter().all(|x| x.abs() <= reduced::<P, N>()), "mul_row {isa:?} reduces");
            assert_eq!(residues::<P, N>(x), residues::<P, N>(y), "mul_row {isa:?} of {count}");
        }
    }
}

fn rounding<P: Set<N>, const N: usize>(seed: u64) {
    let mut source = Source::new(seed);
    let limit = reduced::<P, N>();
    for (isa, portable) in twins() {
        let y2 = source.short::<N>(1 - P::GAMMA[2], P::GAMMA[2] - 1);
        let w = source.ring::<N>(-limit, limit);
        let ([mut wx, mut wy], [mut hx, mut hy]) = ([w; 2], [[0; N]; 2]);
        isa.commit::<P, N>(&mut wx, &y2, &mut hx);
        portable.commit::<P, N>(&mut wy, &y2, &mut hy);
        assert_eq!((wx, hx), (wy, hy), "commit {isa:?}");

        let h = source.tiny::<N>(-P::HINT_BOUND, P::HINT_BOUND);
        let w = source.ring::<N>(-limit, limit + P::Q_HALF);
        let [mut x, mut y] = [[0; N]; 2];
        isa.use_hint::<P, N>(&w, &h, &mut x);
        portable.use_hint::<P, N>(&w, &h, &mut y);
        assert_eq!(x, y, "use_hint {isa:?}");

        let w = source.ring::<N>(0, P::Q - 1);
        let offset = source.short::<N>(-8191, 8191);
        let w1 = source.ring::<N>(0, P::ALPHA - 1).map(|x| x as u8);
        let [mut x, mut y] = [[0; N]; 2];
        let largest = isa.make_hint::<P, N>(&w, &y2, &offset, &w1, &mut x);
        assert_eq!(largest, portable.make_hint::<P, N>(&w, &y2, &offset, &w1, &mut y), "make_hint {isa:?}");
        assert_eq!(x, y, "make_hint {isa:?}");

        let b = source.ring::<N>(-limit - 1, limit + 1);
        let [mut x, mut y] = [[[0i16; N]; 2]; 2];
        let [x1, x0] = &mut x;
        let [y1, y0] = &mut y;
        isa.split::<P, N>(&b, x1, x0);
        portable.split::<P, N>(&b, y1, y0);
        assert_eq!(x, y, "split {isa:?}");
    }
}

fn sampling<P: Set<N>, const N: usize>(seed: u64) {
    let mut source = Source::new(seed);
    for (isa, portable) in twins() {
        let lengths = source.words(3);
        let length = lengths[0] as usize % (3 * N) / P::CANDIDATE.0 * P::CANDIDATE.0;
        let stream = source.bytes(length + lengths[1] as usize % (2 * SLACK));
        let filled = lengths[2] as usize % (N + 1);
        let [mut x, mut y] = [[7; N]; 2];
        let there = isa.sample_uniform::<P, N>(&stream, length, &mut x, filled);
        assert_eq!(there, portable.sample_uniform::<P, N>(&stream, length, &mut y, filled), "{isa:?}");
        assert_eq!(x[..there], y[..there], "sample_uniform {isa:?}");

        let [mut x, mut y] = [[7; N]; 2];
        let there = isa.sample_ternary(&stream, &mut x, filled);
        assert_eq!(there, portable.sample_ternary(&stream, &mut y, filled), "{isa:?}");
        assert_eq!(x[..there], y[..there], "sample_ternary {isa:?}");

        for fields in &P::MASKS {
            masks::<N>(&mut source, isa, portable, fields);
        }
    }
}

fn masks<const N: usize>(source: &mut Source, isa: Isa, portable: Isa, fields: &Fields) {
    let stream = source.bytes(fields.stream_len(N) + SLACK);
    let [mut x, mut y] = [[0; N]; 2];
    isa.expand_mask(fields, &stream, &mut x);
    portable.expand_mask(fields, &stream, &mut y);
    assert_eq!(x, y, "expand_mask {isa:?}");
}

fn responses<P: Set<N>, const N: usize>(seed: u64) {
    let mut source = Source::new(seed);
    let tau = P::TAU as i32;
    for (isa, portable) in twins() {
        let support = source.support(N, P::TAU);
        let s = extended(source.tiny::<N>(-1, 1));
        let [mut x, mut y] = [[0; N]; 2];
        isa.sparse8(&s, &support, &mut x);
        portable.sparse8(&s, &support, &mut y);
        assert_eq!(x, y, "sparse8 {isa:?}");

        let b0 = extended(source.short::<N>(-32, 31));
        let [mut x, mut y] = [[0; N]; 2];
        isa.sparse16(&b0, &support, &mut x);
        portable.sparse16(&b0, &support, &mut y);
        assert_eq!(x, y, "sparse16 {isa:?}");

        for gamma in &P::GAMMA[1..] {
            let mask = source.short::<N>(1 - gamma, gamma - 1);
            let v = source.tiny::<N>(-tau, tau);
            for sign in [1, -1] {
                let [mut x, mut y] = [vec![0; 2 * N], vec![0; 2 * N]];
                let found = isa.scan(&mask, &v, sign, *gamma, tau, &mut x);
                assert_eq!(found, portable.scan(&mask, &v, sign, *gamma, tau, &mut y), "scan {isa:?}");
                assert_eq!(x[..found.0], y[..found.0], "scan {isa:?}");

                let [mut x, mut y] = [[0; N]; 2];
                isa.add_signed(&mask, &v, sign, &mut x);
                portable.add_signed(&mask, &v, sign, &mut y);
                assert_eq!(x, y, "add_signed {isa:?}");
            }
        }
    }
}

fn packing<const N: usize>(seed: u64) {
    let mut source = Source::new(seed);
    for backend in Backend::available() {
        let (isa, portable) = (Isa::new(backend), Isa::new(Backend::Portable));
        for width in 2..16 {
            let values = source.short::<N>(-(1 << 15), (1 << 15) - 1);
            let [mut x, mut y] = [vec![0; width * N / 8], vec![0; width * N / 8]];
            isa.pack16(width, &values, &mut x);
            portable.pack16(width, &values, &mut y);
            assert_eq!(x, y, "pack16 {width} {isa:?}");
            let mut back = [0; N];
            isa.unpack16(width, &x, &mut back);
            assert_eq!(
                back,
                values.map(|v| (i32::from(v) & ((1 << width) - 1)) as i16),
                "unpack16 {width} {isa:?}"
            );
        }
        for width in 2..=8 {
            let values = source.ring::<N>(0, (1 << width) - 1).map(|x| x as u8);
            let [mut x, mut y] = [vec![0; width * N / 8], vec![0; width * N / 8]];
            isa.pack8(width, &values, &mut x);
            portable.pack8(width, &values, &mut y);
            assert_eq!(x, y, "pack8 {width} {isa:?}");
            let mut back = [0; N];
            isa.unpack8(width, &x, &mut back);
            assert_eq!(back, values, "unpack8 {width} {isa:?}");
        }
    }
}

fn everything<P: Set<N>, const N: usize>(seed: u64) {
    transforms::<P, N>(seed);
    products::<P, N>(seed);
    rounding::<P, N>(seed);
    sampling::<P, N>(seed);
    responses::<P, N>(seed);
    packing::<N>(seed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn kernels_of_bit_128_equal_their_portable_twins(seed: u64) {
        everything::<Bit128, 256>(seed);
    }

    #[test]
    fn kernels_of_bit_256_equal_their_portable_twins(seed: u64) {
        everything::<Bit256, 512>(seed);
    }

    #[test]
    fn kernels_of_bit_512_equal_their_portable_twins(seed: u64) {
        everything::<Bit512, 1024>(seed);
    }
}

/// `a·b` in `Z_q[X]/(X^N + 1)` by definition.
fn schoolbook<P: Set<N>, const N: usize>(a: &[i32; N], b: &[i32; N]) -> [i32; N] {
    let mut sums = [0i64; N];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let product = i64::from(*a) * i64::from(*b) % i64::from(P::Q);
            sums[(i + j) % N] += if i + j < N { product } else { -product };
        }
    }
    sums.map(|s| s.rem_euclid(i64::from(P::Q)) as i32)
}

fn transform_multiplies<P: Set<N>, const N: usize>() {
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        let mut source = Source::new(backend as u64);
        let [a, b]: [[i32; N]; 2] = core::array::from_fn(|_| source.ring(1 - P::Q / 2, P::Q / 2));
        let expected = schoolbook::<P, N>(&a, &b);
        let ([mut a, mut b], [mut crossed, mut c]) = ([a, b], [[0; N]; 2]);
        isa.ntt::<P, N>(&mut a);
        isa.ntt::<P, N>(&mut b);
        if !P::COMPLETE {
            isa.cross::<P, N>(&b, &mut crossed);
        }
        isa.mul_row::<P, N>(&[&a], &[&b], &[&crossed], &mut c);
        isa.intt::<P, N>(&mut c);
        assert_eq!(residues::<P, N>(c), expected, "{isa:?}");
    }
}

#[test]
fn the_transform_multiplies() {
    transform_multiplies::<Bit128, 256>();
    transform_multiplies::<Bit256, 512>();
    transform_multiplies::<Bit512, 1024>();
}

/// Section 5 for every residue, on every back-end.
fn high_of_all_residues<P: Set<N>, const N: usize>() {
    for backend in Backend::available() {
        let isa = Isa::new(backend);
        for start in (0..P::Q).step_by(N) {
            let mut w: [i32; N] = core::array::from_fn(|i| (start + i as i32) % P::Q);
            let (expected, residues) = (w.map(|a| ((a + P::G / 2) / P::G) as u8), w);
            let mut got = [0; N];
            isa.commit::<P, N>(&mut w, &[0; N], &mut got);
            assert_eq!((w, got), (residues, expected), "{isa:?} from {start}");
        }
    }
    assert_eq!(high::<P, N>(P::Q - 1), P::ALPHA - 1);
}

/// The roots of the transform against the list of the vectors (section 3).
fn constants<P: Set<N>, const N: usize>(name: &str) {
    let all: Value = serde_json::from_str(include_str!("../../tests/vectors/bit-zetas.json")).unwrap();
    let zetas = &all[name]["zetas"];
    let length = if P::COMPLETE { N } else { N / 2 };
    assert_eq!(zetas.as_array().unwrap().len(), length);
    assert_eq!(all[name]["q"], P::Q);
    for k in 0..length {
        let (forward, inverse) = (P::TABLES.forward.value[k], P::TABLES.inverse.value[k]);
        assert_eq!(zetas[k], forward.rem_euclid(P::Q), "{name} {k}");
        assert_eq!((i64::from(forward) * i64::from(inverse)).rem_euclid(i64::from(P::Q)), 1, "{name} {k}");
    }
}

#[test]
fn the_constants_are_those_of_the_vectors() {
    constants::<Bit128, 256>("BiT-128");
    constants::<Bit256, 512>("BiT-256");
    constants::<Bit512, 1024>("BiT-512");
}

#[test]
fn high_is_exact_over_all_residues() {
    high_of_all_residues::<Bit128, 256>();
    high_of_all_residues::<Bit256, 512>();
    high_of_all_residues::<Bit512, 1024>();
}
