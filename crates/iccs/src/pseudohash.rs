//! pseudohash (SPEC.md section 1): 512, 768 or 1024 bits from SM3 and HMAC-SM3 under a fixed key.

use crate::backend::Backend;
use crate::engine::IV;
use crate::error::Error;
use crate::feed::{Feed, Short, digest, digests};
use crate::portable;
use crate::profile::{Function, scope};
use crate::sm3::split_bits;

/// The fixed HMAC key: SM3("3.14159265358979") || SM3("2.71828182845904").
pub const KEY: [u8; 64] = [
    0x53, 0x07, 0xf6, 0xd5, 0xeb, 0x6a, 0x3c, 0xed, 0x3d, 0x24, 0xc5, 0x3c, 0xc9, 0xc8, 0x2c, 0xce, //
    0x2f, 0x89, 0x36, 0x39, 0x70, 0x23, 0xf0, 0x69, 0x5c, 0x26, 0xc8, 0x0c, 0x1a, 0xb1, 0x82, 0xa7, //
    0x1d, 0xb0, 0x2b, 0xa9, 0x2f, 0x54, 0x40, 0x18, 0x11, 0x5a, 0x96, 0xe7, 0x19, 0x66, 0x2c, 0xa3, //
    0x2b, 0x7c, 0x7e, 0xfc, 0x0a, 0x6d, 0x24, 0x82, 0x15, 0x07, 0x66, 0xba, 0x6f, 0x65, 0x5b, 0x8e, //
];

/// The chaining value after one block of the key, each byte combined with `pad`.
const fn keyed(pad: u8) -> [u32; 8] {
    let mut block = KEY;
    let mut i = 0;
    while i < 64 {
        block[i] ^= pad;
        i += 1;
    }
    let mut state = IV;
    portable::compress(&mut state, &portable::load(&block));
    state
}

pub(crate) const INNER: [u32; 8] = keyed(0x36);
static OUTER: [u32; 8] = keyed(0x5c);

/// Finishes an HMAC whose inner hash is known.
fn outer(backend: Backend, inner: &[u8; 32]) -> [u8; 32] {
    digest(backend, Feed::with(&OUTER, 64, &[], &[inner], &Short::default()))
}

/// HMAC-SM3 under [`KEY`] of one digest.
fn hmac(backend: Backend, message: &[u8; 32]) -> [u8; 32] {
    outer(backend, &digest(backend, Feed::with(&INNER, 64, &[], &[message], &Short::default())))
}

/// SM3 of digests joined.
fn join(backend: Backend, parts: &[&[u8]]) -> [u8; 32] {
    digest(backend, Feed::new(parts))
}

/// What the inner hash of k1 = HMAC(T_n || m) and h1 = SM3(m || T_n) absorb, for a message of whole `parts` and the
/// bits in `trail`.
pub(crate) fn first_feeds<'a>(n: u8, parts: &'a [&'a [u8]], trail: Short) -> [Feed<'a>; 2] {
    let mut tagged = trail;
    tagged.push(&[n, 0], 16);
    [Feed::with(&INNER, 64, &[n, 0], parts, &trail), Feed::with(&IV, 0, &[], parts, &tagged)]
}

/// k1 and h1, what [`first_feeds`] leads to.
fn first_pair(backend: Backend, mut feeds: [Feed<'_>; 2]) -> ([u8; 32], [u8; 32]) {
    let mut pair = [[0; 32]; 2];
    digests(backend, &mut feeds, &mut pair);
    let [inner, h1] = pair;
    (outer(backend, &inner), h1)
}

fn pseudo512(backend: Backend, parts: &[&[u8]], trail: Short) -> [u8; 64] {
    finish512(backend, first_feeds(2, parts, trail))
}

/// pseudohash(512) from its [`first_feeds`].
pub(crate) fn finish512(backend: Backend, feeds: [Feed<'_>; 2]) -> [u8; 64] {
    let (k1, h1) = first_pair(backend, feeds);
    concat(&[h1, join(backend, &[&k1, &h1])])
}

fn pseudo768(backend: Backend, parts: &[&[u8]], trail: Short) -> [u8; 96] {
    let (k1, h1) = first_pair(backend, first_feeds(3, parts, trail));
    let k2 = hmac(backend, &h1);
    let h2 = join(backend, &[&k1, &h1]);
    let h3 = join(backend, &[&h2, &k2]);
    concat(&[h1, h2, h3])
}

fn pseudo1024(backend: Backend, parts: &[&[u8]], trail: Short) -> [u8; 128] {
    let (k1, h1) = first_pair(backend, first_feeds(4, parts, trail));
    let k2 = hmac(backend, &h1);
    let h2 = join(backend, &[&k1, &h1]);
    let k3 = hmac(backend, &h2);
    let h3 = join(backend, &[&h2, &k2]);
    let k4 = hmac(backend, &h3);
    let h4 = join(backend, &[&k3, &h3, &k4]);
    concat(&[h1, h2, h3, h4])
}

/// `N` bytes from digests of 32 bytes each.
fn concat<const N: usize>(digests: &[[u8; 32]]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(digests.as_flattened());
    out
}

fn count(parts: &[&[u8]], out: u64) -> (u64, u64, u64) {
    (1, parts.iter().map(|part| part.len() as u64).sum(), out)
}

/// pseudohash(512) of the parts as if concatenated (SPEC.md section 1).
#[must_use]
pub fn pseudohash512(backend: Backend, parts: &[&[u8]]) -> [u8; 64] {
    let _scope = scope(Function::PseudoHash, || count(parts, 64));
    pseudo512(backend, parts, Short::default())
}

/// pseudohash(768) of the parts as if concatenated (SPEC.md section 1).
#[must_use]
pub fn pseudohash768(backend: Backend, parts: &[&[u8]]) -> [u8; 96] {
    let _scope = scope(Function::PseudoHash, || count(parts, 96));
    pseudo768(backend, parts, Short::default())
}

/// pseudohash(1024) of the parts as if concatenated (SPEC.md section 1).
#[must_use]
pub fn pseudohash1024(backend: Backend, parts: &[&[u8]]) -> [u8; 128] {
    let _scope = scope(Function::PseudoHash, || count(parts, 128));
    pseudo1024(backend, parts, Short::default())
}

/// `pseudohash` of SPEC.md section 1: `digest_bits` bits from the first `m_bits` bits of `m`, into the first
/// `digest_bits / 8` bytes of `out`.
///
/// # Errors
/// [`Error::DigestLength`] unless `digest_bits` is 512, 768 or 1024, [`Error::MessageLength`] when `m` is shorter
/// than `m_bits`, [`Error::OutputBuffer`] when `out` is too short. `out` is written on success only.
pub fn pseudohash(digest_bits: u32, m: &[u8], m_bits: u64, out: &mut [u8]) -> Result<(), Error> {
    if !matches!(digest_bits, 512 | 768 | 1024) {
        return Err(Error::DigestLength {
            bits: digest_bits,
            offered: "pseudohash gives 512, 768 or 1024 bits",
        });
    }
    let bytes = out.len();
    let too_short = Error::OutputBuffer { bits: u64::from(digest_bits), bytes };
    let out = out.get_mut(..digest_bits as usize / 8).ok_or(too_short)?;
    let _scope = scope(Function::PseudoHash, || (1, m_bits.div_ceil(8), u64::from(digest_bits / 8)));
    let (whole, trail) = split_bits(m, m_bits)?;
    let backend = Backend::detect();
    match digest_bits {
        512 => out.copy_from_slice(&pseudo512(backend, &[whole], trail)),
        768 => out.copy_from_slice(&pseudo768(backend, &[whole], trail)),
        _ => out.copy_from_slice(&pseudo1024(backend, &[whole], trail)),
    }
    Ok(())
}

/// pseudohash(512) of independent messages, each given as parts that are hashed as if concatenated, side by side
/// in lanes.
///
/// Messages of equal length are the fast path. As many digests are written as both slices have room for.
pub fn pseudohash512_many(backend: Backend, messages: &[&[&[u8]]], out: &mut [[u8; 64]]) {
    const GROUP: usize = 8;
    let _scope = scope(Function::PseudoHash, || {
        let bytes = messages.iter().copied().flatten().map(|part| part.len() as u64).sum();
        (messages.len() as u64, bytes, 64 * messages.len() as u64)
    });
    let mut tag = Short::default();
    tag.push(&[2, 0], 16);
    for (messages, out) in messages.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
        let n = messages.len().min(out.len());
        let message = |i: usize| messages.get(i).copied().unwrap_or_default();
        let mut feeds: [_; 2 * GROUP] = core::array::from_fn(|i| match i.checked_sub(n) {
            None => Feed::with(&INNER, 64, &[2, 0], message(i), &Short::default()),
            Some(i) => Feed::with(&IV, 0, &[], message(i), &tag),
        });
        let mut first = [[0; 32]; 2 * GROUP];
        digests(backend, &mut feeds[..2 * n], &mut first);
        let (inner, h1) = first.split_at(n);

        let parts: [[&[u8]; 1]; GROUP] = core::array::from_fn(|i| [inner.get(i).map_or(&[][..], |k| &k[..])]);
        let mut feeds: [_; GROUP] =
            core::array::from_fn(|i| Feed::with(&OUTER, 64, &[], &parts[i], &Short::default()));
        let mut k1 = [[0; 32]; GROUP];
        digests(backend, &mut feeds[..n], &mut k1);

        let parts: [[&[u8]; 2]; GROUP] =
            core::array::from_fn(|i| [&k1[i][..], h1.get(i).map_or(&[][..], |h| &h[..])]);
        let mut feeds: [_; GROUP] = core::array::from_fn(|i| Feed::new(&parts[i]));
        let mut h2 = [[0; 32]; GROUP];
        digests(backend, &mut feeds[..n], &mut h2);
        for (out, (h1, h2)) in out.iter_mut().zip(h1.iter().zip(&h2)).take(n) {
            *out = concat(&[*h1, *h2]);
        }
    }
}
