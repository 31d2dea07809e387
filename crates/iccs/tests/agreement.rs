//! Every back-end against the plain model of `tests/model`: border lengths in full, random shapes by proptest.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests")]

mod model;

use iccs::{
    Backend, Drng, DrngStream, Error, LongHash, Sm3, XofPrefix, XofReader, XofStream, drng_fill_many,
    drng_seed_many, pseudo_xof, pseudohash, pseudohash512, pseudohash512_many, pseudohash768, pseudohash1024,
    sm3, sm3_bits, sm3_many, sm3hash, xof, xof_many,
};
use model::bits;
use proptest::prelude::*;

/// Lengths around the edges of blocks and of their padding.
fn borders() -> Vec<usize> {
    let edges = [0, 1, 2, 3, 4, 5, 31, 32, 33, 50, 51, 52, 53, 54, 55, 56, 57, 60, 63, 64, 65, 66];
    edges.into_iter().chain(115..131).chain([183, 184, 191, 192, 247, 248, 511, 512, 513, 1000]).collect()
}

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i + 7 * i + len) as u8 ^ (i >> 3) as u8).collect()
}

fn model_sm3(m: &[u8]) -> [u8; 32] {
    model::bytes(&model::sm3(&bits(m))).try_into().unwrap()
}

#[test]
fn sm3_of_border_lengths() {
    for len in borders() {
        let m = message(len);
        let want = model_sm3(&m);
        assert_eq!(sm3(&m), want, "{len} bytes");
        for b in Backend::available() {
            for cut in [0, 1, len / 2, len] {
                let mut hash = Sm3::with_backend(b);
                hash.update(&m[..cut.min(len)]);
                hash.update(&m[cut.min(len)..]);
                assert_eq!(hash.finalize(), want, "{b}, {len} bytes cut at {cut}");
            }
        }
    }
}

#[test]
fn every_number_of_bits() {
    let m = message(70);
    for n in 0..=8 * m.len() {
        let part = &bits(&m)[..n];
        assert_eq!(sm3_bits(&m, n as u64).unwrap()[..], model::bytes(&model::sm3(part)), "{n} bits");
        if n % 5 == 0 || n % 8 == 1 {
            let mut out = [0xff; 128];
            for length in [512, 768, 1024] {
                pseudohash(length, &m, n as u64, &mut out).unwrap();
                assert_eq!(
                    out[..length as usize / 8],
                    model::pseudohash(length, part),
                    "{length} of {n} bits"
                );
            }
            let mut out = [0xff; 81];
            for length in [0, 1, 7, 8, 255, 256, 257, 643] {
                pseudo_xof(length, &m, n as u64, &mut out).unwrap();
                let want = model::xof(part, 0, length as usize);
                assert_eq!(out[..want.len()], want, "{length} of {n} bits");
            }
        }
    }
}

#[test]
fn pseudohashes_of_border_lengths() {
    for len in borders() {
        let m = message(len);
        let (first, second) = m.split_at(len / 3);
        let parts: [&[u8]; 3] = [first, &[], second];
        for b in Backend::available() {
            assert_eq!(pseudohash512(b, &parts)[..], model::pseudohash(512, &bits(&m)), "{b} {len}");
            assert_eq!(pseudohash768(b, &parts)[..], model::pseudohash(768, &bits(&m)), "{b} {len}");
            assert_eq!(pseudohash1024(b, &parts)[..], model::pseudohash(1024, &bits(&m)), "{b} {len}");
        }
    }
}

#[test]
fn xof_of_border_lengths() {
    for len in borders() {
        let m = message(len);
        for b in Backend::available() {
            for out_len in [0, 1, 31, 32, 33, 63, 64, 65, 160, 256, 257, 288, 289, 511, 512, 513, 672, 800] {
                let mut out = vec![0; out_len];
                xof(b, &m, &mut out);
                assert_eq!(out, model::xof(&bits(&m), 0, 8 * out_len), "{b}: {out_len} bytes of {len}");
            }
        }
    }
}

#[test]
fn counters_wrap() {
    let prefix = XofPrefix::new(b"prefix");
    for b in Backend::available() {
        let mut out = [0; 96];
        xof_many(b, &prefix, &mut [XofStream { tail: b"", first_block: u32::MAX - 1, out: &mut out }]);
        assert_eq!(out[..], model::xof(&bits(b"prefix"), u32::MAX - 1, 768));
    }
}

#[test]
fn drng_counters_carry() {
    let parts = [[0xff; 55], [0xff; 55], [0xfe; 55]];
    for b in Backend::available() {
        let mut drng = Drng::from_parts(&parts[0], &parts[1], &parts[2]).with_backend(b);
        let [v, c, counter] = parts.map(|part| part.to_vec());
        let mut model = model::Drng { v, c, counter };
        for n in [100, 0, 1, 33, 600] {
            let mut out = vec![0; n];
            drng.fill(&mut out);
            assert_eq!(out, model.get(8 * n), "{b}");
            let [v, c, counter] = drng.to_parts();
            assert_eq!(
                (&v[..], &c[..], &counter[..]),
                (&model.v[..], &model.c[..], &model.counter[..]),
                "{b}"
            );
        }
    }
}

#[test]
fn wrong_requests_are_errors_and_write_nothing() {
    let mut out = [7; 200];
    assert!(matches!(sm3hash(255, b"abc", 24, &mut out), Err(Error::DigestLength { bits: 255, .. })));
    assert_eq!(sm3hash(255, b"abc", 24, &mut out).unwrap_err().code(), -4);
    assert!(matches!(sm3hash(256, b"abc", 25, &mut out), Err(Error::MessageLength { bits: 25, bytes: 3 })));
    assert!(matches!(sm3hash(256, b"abc", u64::MAX, &mut out), Err(Error::MessageLength { .. })));
    assert!(matches!(sm3hash(256, b"abc", 24, &mut out[..31]), Err(Error::OutputBuffer { bytes: 31, .. })));
    for length in [0, 256, 511, 1536, u32::MAX] {
        assert!(matches!(pseudohash(length, b"", 0, &mut out), Err(Error::DigestLength { .. })));
    }
    assert!(matches!(pseudohash(512, b"abc", 25, &mut out), Err(Error::MessageLength { .. })));
    assert!(matches!(pseudohash(1024, b"abc", 24, &mut out[..127]), Err(Error::OutputBuffer { .. })));
    assert!(matches!(
        pseudo_xof(9, b"abc", 24, &mut out[..1]),
        Err(Error::OutputBuffer { bits: 9, bytes: 1 })
    ));
    assert!(matches!(pseudo_xof(8, b"abc", 32, &mut out), Err(Error::MessageLength { .. })));
    let limit = (1 << 40) - (1 << 8);
    assert!(matches!(pseudo_xof(limit, b"abc", 24, &mut out), Err(Error::OutputLength { .. })));
    assert!(matches!(pseudo_xof(limit - 1, b"abc", 24, &mut out), Err(Error::OutputBuffer { .. })));
    let mut drng = Drng::from_seed(b"seed");
    let before = drng.to_parts();
    assert!(matches!(drng.get_bits(1601, &mut out), Err(Error::OutputBuffer { .. })));
    assert_eq!(drng.to_parts(), before);
    assert_eq!(out, [7; 200]);
}

#[test]
fn nothing_at_all() {
    for b in Backend::ALL {
        sm3_many(b, &[], &mut []);
        pseudohash512_many(b, &[], &mut []);
        drng_fill_many(b, &mut []);
        drng_seed_many(b, &[], &mut []);
        xof_many(b, &XofPrefix::new(&[]), &mut []);
        xof_many(b, &XofPrefix::new(&[]), &mut [XofStream { tail: &[], first_block: 0, out: &mut [] }]);
        let mut digests = [[0; 32]; 2];
        sm3_many(b, &[&[b"abc"]], &mut digests);
        assert_eq!(digests, [model_sm3(b"abc"), [0; 32]]);
        sm3_many(b, &[&[b"a"], &[b"b"], &[b"c"]], &mut digests);
        assert_eq!(digests, [model_sm3(b"a"), model_sm3(b"b")]);
        let mut digests = [[0; 64]; 1];
        pseudohash512_many(b, &[&[b"a"], &[b"b"]], &mut digests);
        assert_eq!(digests[0][..], model::pseudohash(512, &bits(b"a")));
    }
}

fn messages(
    most: usize,
    length: impl Strategy<Value = usize> + Clone,
) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let one = length.prop_flat_map(|n| prop::collection::vec(any::<u8>(), n));
    prop::collection::vec(one, 0..=most)
}

/// Splits a message into parts at arbitrary places.
fn split(m: &[u8], places: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut cuts: Vec<usize> = places.iter().map(|place| place.index(m.len() + 1)).collect();
    cuts.extend([0, m.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|w| m[w[0]..w[1]].to_vec()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn incremental_equals_one_shot(
        m in prop::collection::vec(any::<u8>(), 0..1500),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        for b in Backend::available() {
            let mut hash = Sm3::with_backend(b);
            for part in split(&m, &places) {
                hash.update(&part);
            }
            prop_assert_eq!(hash.finalize(), model_sm3(&m));
        }
        prop_assert_eq!(sm3(&m), model_sm3(&m));
    }

    #[test]
    fn many_messages_equal_single_ones(
        equal in any::<bool>(),
        mut list in messages(40, 0_usize..300),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        if equal {
            list.iter_mut().for_each(|m| m.resize(150, 9));
        }
        let parts: Vec<Vec<Vec<u8>>> = list.iter().map(|m| split(m, &places)).collect();
        let slices: Vec<Vec<&[u8]>> = parts.iter().map(|m| m.iter().map(|p| &p[..]).collect()).collect();
        let refs: Vec<&[&[u8]]> = slices.iter().map(|m| &m[..]).collect();
        for b in Backend::available() {
            let mut digests = vec![[0; 32]; list.len()];
            sm3_many(b, &refs, &mut digests);
            let mut long = vec![[0; 64]; list.len()];
            pseudohash512_many(b, &refs, &mut long);
            for (i, m) in list.iter().enumerate() {
                prop_assert_eq!(digests[i], model_sm3(m));
                prop_assert_eq!(&long[i][..], &model::pseudohash(512, &bits(m))[..]);
            }
        }
    }

    #[test]
    fn many_streams_equal_single_ones(
        prefix in prop::collection::vec(any::<u8>(), 0..150),
        tails in messages(20, prop_oneof![Just(4_usize), Just(2), 0_usize..200]),
        shapes in prop::collection::vec((0_usize..700, any::<u32>()), 20),
    ) {
        let common = XofPrefix::new(&prefix);
        for b in Backend::available() {
            let mut outs: Vec<Vec<u8>> = shapes.iter().map(|shape| vec![0; shape.0]).collect();
            let mut streams: Vec<_> = tails.iter().zip(&shapes).zip(&mut outs).map(|((tail, shape), out)| {
                XofStream { tail, first_block: shape.1 % 70, out }
            }).collect();
            xof_many(b, &common, &mut streams);
            for ((tail, shape), out) in tails.iter().zip(&shapes).zip(&outs) {
                let m = bits(&[&prefix[..], tail].concat());
                prop_assert_eq!(out, &model::xof(&m, shape.1 % 70, 8 * out.len()));
            }
        }
    }

    #[test]
    fn a_message_beside_streams_equals_both_alone(
        message in prop::collection::vec(any::<u8>(), 0..4000),
        known in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        prefix in prop::collection::vec(any::<u8>(), 0..150),
        tail in 0_usize..30,
        lengths in prop::collection::vec(0_usize..900, 0..20),
    ) {
        let common = XofPrefix::new(&prefix);
        let tails: Vec<Vec<u8>> = (0..lengths.len()).map(|i| vec![i as u8; tail]).collect();
        let mut known: Vec<usize> = known.iter().map(|place| place.index(message.len() + 1)).collect();
        known.sort_unstable();
        for b in Backend::available() {
            for (mut hash, want) in [
                (LongHash::sm3(), model_sm3(&message).to_vec()),
                (LongHash::pseudohash512(), model::pseudohash(512, &bits(&message))),
            ] {
                for n in &known {
                    let mut outs: Vec<Vec<u8>> = lengths.iter().map(|n| vec![0; *n]).collect();
                    let mut streams: Vec<_> = tails.iter().zip(&mut outs).map(|(tail, out)| {
                        XofStream { tail, first_block: 0, out }
                    }).collect();
                    hash.xof_many(b, &message[..*n], &common, &mut streams);
                    for (tail, out) in tails.iter().zip(&outs) {
                        let m = bits(&[&prefix[..], tail].concat());
                        prop_assert_eq!(out, &model::xof(&m, 0, 8 * out.len()));
                    }
                }
                let mut digest = vec![0; want.len()];
                hash.finish(b, &message, &mut digest);
                prop_assert_eq!(digest, want);
            }
        }
    }

    #[test]
    fn reading_in_pieces_equals_one_stream(
        prefix in prop::collection::vec(any::<u8>(), 0..150),
        tail in prop::collection::vec(any::<u8>(), 0..150),
        pieces in prop::collection::vec(prop_oneof![0_usize..5, 0_usize..100, 200_usize..700], 0..12),
    ) {
        let total: usize = pieces.iter().sum();
        let want = model::xof(&bits(&[&prefix[..], &tail].concat()), 0, 8 * total);
        for b in Backend::available() {
            let mut reader = XofReader::new(b, &XofPrefix::new(&prefix), &tail);
            let mut got = Vec::new();
            for n in &pieces {
                let mut piece = vec![0; *n];
                reader.read(&mut piece);
                got.extend(piece);
            }
            prop_assert_eq!(&got, &want);
        }
    }

    #[test]
    fn many_generators_equal_single_ones(
        seeds in messages(36, 0_usize..140),
        draws in prop::collection::vec(prop_oneof![Just(32_usize), 0_usize..200], 36),
    ) {
        let refs: Vec<&[u8]> = seeds.iter().map(|seed| &seed[..]).collect();
        for b in Backend::available() {
            let mut drngs = vec![Drng::from_seed(b"other"); seeds.len()];
            drng_seed_many(b, &refs, &mut drngs);
            let mut models: Vec<_> = seeds.iter().map(|seed| model::Drng::new(seed)).collect();
            for _ in 0..2 {
                let mut outs: Vec<Vec<u8>> = draws.iter().map(|n| vec![0; *n]).collect();
                let mut streams: Vec<_> =
                    drngs.iter_mut().zip(&mut outs).map(|(drng, out)| DrngStream { drng, out }).collect();
                drng_fill_many(b, &mut streams);
                for (model, out) in models.iter_mut().zip(&outs) {
                    prop_assert_eq!(out, &model.get(8 * out.len()));
                }
            }
            for (seed, drng) in seeds.iter().zip(&drngs) {
                let mut single = Drng::from_seed(seed).with_backend(b);
                single.fill(&mut []);
                single.fill(&mut [0; 9]);
                prop_assert_eq!(single.to_parts(), drng.to_parts());
            }
        }
    }
}

#[cfg(feature = "rand_core")]
#[test]
fn one_rand_core_call_is_one_draw() {
    use rand_core::Rng;
    let (mut a, mut b) = (Drng::from_seed(b"seed"), Drng::from_seed(b"seed"));
    let (mut four, mut eight, mut more) = ([0; 4], [0; 8], [0; 77]);
    a.fill(&mut four);
    a.fill(&mut eight);
    a.fill(&mut more);
    assert_eq!(b.next_u32(), u32::from_le_bytes(four));
    assert_eq!(b.next_u64(), u64::from_le_bytes(eight));
    let mut other = [0; 77];
    b.fill_bytes(&mut other);
    assert_eq!((other, b.to_parts()), (more, a.to_parts()));
}
