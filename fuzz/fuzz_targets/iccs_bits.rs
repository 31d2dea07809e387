//! The helper functions on any bit lengths: against a model that joins bit strings, and all ways of asking for the same
//! bytes against each other.
//!
//! Input: bits to drop at the end, output length (two bytes), place of a cut, then the message.
#![no_main]

use iccs::{Drng, DrngStream, Sm3, XofPrefix, XofReader, XofStream};
use libfuzzer_sys::fuzz_target;
use ngcc_api::Backend;

/// A bit string: its bytes and its length in bits.
#[derive(Clone)]
struct Bits(Vec<u8>, u64);

impl Bits {
    fn of(parts: &[&[u8]]) -> Self {
        let bytes = parts.concat();
        let bits = 8 * bytes.len() as u64;
        Self(bytes, bits)
    }

    /// Joins another bit string to the last bit.
    fn join(mut self, tail: &Self) -> Self {
        let bits = tail.0.iter().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1));
        for bit in bits.take(tail.1 as usize) {
            let (at, shift) = ((self.1 / 8) as usize, 7 - self.1 % 8);
            if at == self.0.len() {
                self.0.push(0);
            }
            self.0[at] = self.0[at] & !(1 << shift) | bit << shift;
            self.1 += 1;
        }
        self
    }

    fn sm3(&self) -> [u8; 32] {
        iccs::sm3_bits(&self.0, self.1).expect("enough bytes")
    }

    fn hmac(&self) -> [u8; 32] {
        let keyed = |pad: u8| Self::of(&[&iccs::KEY.map(|b| b ^ pad)]);
        let inner = keyed(0x36).join(self).sm3();
        keyed(0x5c).join(&Self::of(&[&inner])).sm3()
    }
}

/// pseudohash of 256 n bits, as its specification words it.
fn model(m: &Bits, n: u8) -> Vec<u8> {
    let tag = Bits::of(&[&[n, 0]]);
    let sm3 = |parts: &[&[u8]]| Bits::of(parts).sm3();
    let hmac = |part: &[u8]| Bits::of(&[part]).hmac();
    let (k1, h1) = (tag.clone().join(m).hmac(), m.clone().join(&tag).sm3());
    let h2 = sm3(&[&k1, &h1]);
    if n == 2 {
        return [h1, h2].concat();
    }
    let k2 = hmac(&h1);
    let h3 = sm3(&[&h2, &k2]);
    if n == 3 {
        return [h1, h2, h3].concat();
    }
    let (k3, k4) = (hmac(&h2), hmac(&h3));
    [h1, h2, h3, sm3(&[&k3, &h3, &k4])].concat()
}

fn model_xof(m: &Bits, out_bits: u64) -> Vec<u8> {
    let blocks = out_bits.div_ceil(256) as u32;
    let mut out: Vec<u8> =
        (1..=blocks).flat_map(|c| m.clone().join(&Bits::of(&[&c.to_be_bytes()])).sm3()).collect();
    out.truncate(out_bits.div_ceil(8) as usize);
    if out_bits % 8 != 0 {
        *out.last_mut().expect("a partial byte") &= 0xff << (8 - out_bits % 8);
    }
    out
}

/// The same whole bytes asked for in every way.
fn whole_bytes(message: &[u8], cut: usize, out_len: usize) {
    let (a, b) = message.split_at(cut);
    let digest = iccs::sm3(message);
    let expected = model_xof(&Bits::of(&[message]), 8 * out_len as u64);
    for backend in Backend::available() {
        let mut incremental = Sm3::with_backend(backend);
        incremental.update(a);
        incremental.update(b);
        assert_eq!(incremental.finalize(), digest);
        let mut many = [[0; 32]; 3];
        iccs::sm3_many(backend, &[&[message], &[a, b], &[b]], &mut many);
        assert_eq!(many, [digest, digest, iccs::sm3(b)]);
        let mut wide = [[0; 64]; 2];
        iccs::pseudohash512_many(backend, &[&[a, b], &[a]], &mut wide);
        assert_eq!(wide, [iccs::pseudohash512(backend, &[message]), iccs::pseudohash512(backend, &[a])]);

        let mut out = vec![0; out_len];
        iccs::xof(backend, message, &mut out);
        assert_eq!(out, expected);
        let prefix = XofPrefix::new(a);
        let (mut x, mut y, mut z) = (vec![0; out_len], vec![0; out_len.saturating_sub(32)], vec![0; cut]);
        let mut streams = [
            XofStream { tail: b, first_block: 0, out: &mut x },
            XofStream { tail: b, first_block: 1, out: &mut y },
            XofStream { tail: a, first_block: 7, out: &mut z },
        ];
        iccs::xof_many(backend, &prefix, &mut streams);
        assert_eq!(x, expected);
        assert_eq!(y, expected[out_len.min(32)..]);
        let mut reader = XofReader::new(backend, &prefix, b);
        let mut read = vec![0; out_len];
        let (first, rest) = read.split_at_mut(cut.min(out_len));
        reader.read(first);
        reader.read(rest);
        assert_eq!(read, expected);
        drng(backend, message, b, out_len);
    }
}

fn drng(backend: Backend, seed: &[u8], other: &[u8], out_len: usize) {
    let (mut one, mut two) = (Drng::from_seed(seed), Drng::from_seed(other));
    let mut many = [one.clone(), two.clone()];
    iccs::drng_seed_many(backend, &[seed, other], &mut many);
    for _ in 0..2 {
        let (mut x, mut y) = (vec![0; out_len], vec![0; 32]);
        one.fill(&mut x);
        two.fill(&mut y);
        let (mut x2, mut y2) = (vec![0; out_len], vec![0; 32]);
        let [a, b] = &mut many;
        let mut streams = [DrngStream { drng: a, out: &mut x2 }, DrngStream { drng: b, out: &mut y2 }];
        iccs::drng_fill_many(backend, &mut streams);
        assert_eq!((x2, y2), (x, y));
    }
    assert_eq!(many[0].to_parts(), one.to_parts());
    let [v, c, counter] = one.to_parts();
    assert_eq!(Drng::from_parts(&v, &c, &counter).to_parts(), [v, c, counter]);
}

fuzz_target!(|data: &[u8]| {
    let [drop, high, low, cut, message @ ..] = data else { return };
    let bits = (8 * message.len() as u64).saturating_sub(u64::from(drop % 8));
    let message = &message[..bits.div_ceil(8) as usize];
    let out_bits = u64::from(u16::from_be_bytes([*high, *low])) % 20_000;
    let m = Bits(message.to_vec(), bits);

    let mut digest = [0; 32];
    iccs::sm3hash(256, message, bits, &mut digest).expect("256 bits");
    assert_eq!(digest, m.sm3());
    if bits % 8 != 0 {
        let mut other = message.to_vec();
        *other.last_mut().expect("a partial byte") ^= 0xff >> (bits % 8);
        assert_eq!(iccs::sm3_bits(&other, bits), Ok(digest), "bits behind the message do not count");
    }
    for n in 2..=4u8 {
        let size = 256 * u32::from(n);
        let mut out = vec![0; size as usize / 8];
        iccs::pseudohash(size, message, bits, &mut out).expect("an offered size");
        assert_eq!(out, model(&m, n));
    }
    let mut out = vec![0; out_bits.div_ceil(8) as usize];
    iccs::pseudo_xof(out_bits, message, bits, &mut out).expect("few bits");
    assert_eq!(out, model_xof(&m, out_bits));
    whole_bytes(message, usize::from(*cut).min(message.len()), (out_bits / 8) as usize);
});
