//! SM3 (GB/T 32905-2016) of bytes and of bits.

use crate::backend::Backend;
use crate::engine::{IV, stream, wipe};
use crate::error::Error;
use crate::feed::{Feed, Short, digest, digests, to_bytes};
use crate::profile::{Function, scope};
use zeroize::Zeroize;

/// SM3 of whole bytes.
#[must_use]
pub fn sm3(message: &[u8]) -> [u8; 32] {
    let _scope = scope(Function::Sm3Hash, || (1, message.len() as u64, 32));
    let mut hash = Sm3::new();
    hash.absorb(message);
    hash.close()
}

/// SM3 of the first `bits` bits of `message`, taken from the most significant end of each byte.
///
/// # Errors
/// [`Error::MessageLength`] when `message` has fewer bits than that.
pub fn sm3_bits(message: &[u8], bits: u64) -> Result<[u8; 32], Error> {
    let _scope = scope(Function::Sm3Hash, || (1, bits.div_ceil(8), 32));
    let (whole, trail) = split_bits(message, bits)?;
    Ok(digest(Backend::detect(), Feed::with(&IV, 0, &[], &[whole], &trail)))
}

/// `sm3hash` of SPEC.md section 1: SM3 of `m_bits` bits of `m` into the first 32 bytes of `out`.
///
/// # Errors
/// [`Error::DigestLength`] unless `digest_bits` is 256, [`Error::MessageLength`] when `m` is shorter than
/// `m_bits`, [`Error::OutputBuffer`] when `out` is shorter than 32 bytes. `out` is written on success only.
pub fn sm3hash(digest_bits: u32, m: &[u8], m_bits: u64, out: &mut [u8]) -> Result<(), Error> {
    if digest_bits != 256 {
        return Err(Error::DigestLength { bits: digest_bits, offered: "sm3hash gives 256 bits" });
    }
    let bytes = out.len();
    let out = out.first_chunk_mut().ok_or(Error::OutputBuffer { bits: 256, bytes })?;
    *out = sm3_bits(m, m_bits)?;
    Ok(())
}

/// SM3 of independent messages, each given as parts that are hashed as if concatenated, side by side in lanes.
///
/// Messages of equal length are the fast path. As many digests are written as both slices have room for.
pub fn sm3_many(backend: Backend, messages: &[&[&[u8]]], out: &mut [[u8; 32]]) {
    const GROUP: usize = 16;
    let _scope = scope(Function::Sm3Hash, || {
        let bytes = messages.iter().copied().flatten().map(|part| part.len() as u64).sum();
        (messages.len() as u64, bytes, 32 * messages.len() as u64)
    });
    for (messages, out) in messages.chunks(GROUP).zip(out.chunks_mut(GROUP)) {
        let mut feeds: [_; GROUP] =
            core::array::from_fn(|i| Feed::new(messages.get(i).copied().unwrap_or_default()));
        digests(backend, &mut feeds[..messages.len()], out);
    }
}

/// The whole bytes among the first `bits` bits of a message, and the bits that are left.
pub(crate) fn split_bits(message: &[u8], bits: u64) -> Result<(&[u8], Short), Error> {
    let too_long = Error::MessageLength { bits, bytes: message.len() };
    let whole = usize::try_from(bits / 8).map_err(|_| too_long)?;
    let rest = (bits % 8) as usize;
    let (whole, tail) = message.split_at_checked(whole).ok_or(too_long)?;
    if rest > 0 && tail.is_empty() {
        return Err(too_long);
    }
    let mut trail = Short::default();
    trail.push(tail, rest);
    Ok((whole, trail))
}

/// SM3 of a message that comes piece by piece.
///
/// Runs on the fastest back-end of the machine unless [`Sm3::with_backend`] says otherwise.
#[derive(Clone, Debug)]
pub struct Sm3 {
    state: [u32; 8],
    pending: [u8; 64],
    /// Bytes absorbed, those in `pending` included.
    len: u64,
    backend: Backend,
}

impl Sm3 {
    /// An empty message.
    #[must_use]
    pub fn new() -> Self {
        Self::with_backend(Backend::detect())
    }

    /// An empty message, hashed on a given back-end.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Self {
        Self { state: IV, pending: [0; 64], len: 0, backend }
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: &[u8]) {
        let _scope = scope(Function::Sm3Hash, || (0, bytes.len() as u64, 0));
        self.absorb(bytes);
    }

    /// The digest of what was appended.
    #[must_use]
    pub fn finalize(self) -> [u8; 32] {
        let _scope = scope(Function::Sm3Hash, || (1, 0, 32));
        self.close()
    }

    pub(crate) fn absorb(&mut self, mut bytes: &[u8]) {
        let filled = (self.len % 64) as usize;
        self.len = self.len.wrapping_add(bytes.len() as u64);
        if filled > 0 {
            let n = bytes.len().min(64 - filled);
            let (first, rest) = bytes.split_at(n);
            self.pending[filled..filled + n].copy_from_slice(first);
            if filled + n < 64 {
                return;
            }
            stream(self.backend, &mut self.state, &[self.pending]);
            bytes = rest;
        }
        let (blocks, rest) = bytes.as_chunks();
        if !blocks.is_empty() {
            stream(self.backend, &mut self.state, blocks);
        }
        self.pending[..rest.len()].copy_from_slice(rest);
    }

    pub(crate) fn close(mut self) -> [u8; 32] {
        let filled = (self.len % 64) as usize;
        let mut blocks = [[0; 64]; 2];
        blocks[0][..filled].copy_from_slice(&self.pending[..filled]);
        blocks[0][filled] = 0x80;
        let n = if filled < 56 { 1 } else { 2 };
        blocks[n - 1][56..].copy_from_slice(&self.len.wrapping_mul(8).to_be_bytes());
        stream(self.backend, &mut self.state, &blocks[..n]);
        wipe(&mut blocks, [[0; 64]; 2]);
        let digest = to_bytes(&self.state);
        self.zeroize();
        digest
    }

    /// The chaining value, the number of bytes it has absorbed, and the bytes that have not been compressed yet.
    pub(crate) fn midstate(&self) -> (&[u32; 8], u64, &[u8]) {
        let filled = self.len % 64;
        (&self.state, self.len - filled, &self.pending[..filled as usize])
    }
}

impl Default for Sm3 {
    fn default() -> Self {
        Self::new()
    }
}

/// Leaves the state of an empty message with a cleared chaining value: usable for nothing but dropping.
impl Zeroize for Sm3 {
    fn zeroize(&mut self) {
        wipe(&mut self.state, [0; 8]);
        wipe(&mut self.pending, [0; 64]);
        self.len = 0;
    }
}
