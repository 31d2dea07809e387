//! The DRNG of SPEC.md section 2: a Hash_DRBG over SM3 with 440-bit state.

use crate::backend::Backend;
use crate::drng_many::{fill_each, seed_each};
use crate::engine::wipe;
use crate::error::Error;
use crate::profile::{Function, scope};
use crate::xof::{clear_low_bits, cut_output};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A 440-bit integer, held times 2^8 in seven limbs, least significant first.
///
/// Additions then wrap modulo 2^440 by themselves, and the bytes of the value followed by one zero byte are
/// exactly the first 56 bytes of the only SM3 block of a 55-byte message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wide([u64; 7]);

impl Wide {
    pub(crate) const ZERO: Self = Self([0; 7]);

    pub(crate) fn from_bytes(bytes: &[u8; 55]) -> Self {
        let mut padded = [0; 56];
        padded[..55].copy_from_slice(bytes);
        let mut limbs = [0; 7];
        for (limb, bytes) in limbs.iter_mut().rev().zip(padded.as_chunks().0) {
            *limb = u64::from_be_bytes(*bytes);
        }
        Self(limbs)
    }

    /// A digest's 256-bit number.
    pub(crate) fn from_digest(state: &[u32; 8]) -> Self {
        let half = |i: usize| u64::from(state[i]) << 32 | u64::from(state[i + 1]);
        let [w3, w2, w1, w0] = [half(0), half(2), half(4), half(6)];
        Self([w0 << 8, w1 << 8 | w0 >> 56, w2 << 8 | w1 >> 56, w3 << 8 | w2 >> 56, w3 >> 56, 0, 0])
    }

    pub(crate) const fn from_u64(value: u64) -> Self {
        Self([value << 8, value >> 56, 0, 0, 0, 0, 0])
    }

    /// The 55 bytes, followed by a zero byte.
    pub(crate) fn to_padded_bytes(self) -> [u8; 56] {
        let mut bytes = [0; 56];
        for (bytes, limb) in bytes.as_chunks_mut().0.iter_mut().zip(self.0.iter().rev()) {
            *bytes = limb.to_be_bytes();
        }
        bytes
    }

    /// The sum modulo 2^440.
    #[must_use]
    pub(crate) fn plus(self, other: &Self) -> Self {
        let mut sum = [0; 7];
        let mut carry = false;
        for (sum, (a, b)) in sum.iter_mut().zip(self.0.iter().zip(&other.0)) {
            let (low, first) = a.overflowing_add(*b);
            let (low, second) = low.overflowing_add(u64::from(carry));
            *sum = low;
            carry = first | second;
        }
        Self(sum)
    }
}

/// A DRNG: each draw is one `get` of SPEC.md section 2, so two draws of 32 bytes are not one draw of 64.
///
/// Runs on the fastest back-end of the machine unless [`Drng::with_backend`] says otherwise.
#[derive(Clone, Debug)]
pub struct Drng {
    pub(crate) v: Wide,
    pub(crate) c: Wide,
    pub(crate) counter: Wide,
    backend: Backend,
}

impl Drng {
    pub(crate) const fn blank(backend: Backend) -> Self {
        Self { v: Wide::ZERO, c: Wide::ZERO, counter: Wide::ZERO, backend }
    }

    /// A generator seeded with bytes of any number.
    #[must_use]
    pub fn from_seed(seed: &[u8]) -> Self {
        let _scope = scope(Function::Drng, || (1, seed.len() as u64, 0));
        let mut drng = [Self::blank(Backend::detect())];
        seed_each(drng[0].backend, &[seed], &mut drng);
        let [drng] = drng;
        drng
    }

    /// The same generator, running on a given back-end.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// One `get` of `8 * out.len()` bits. An empty `out` still advances the generator.
    pub fn fill(&mut self, out: &mut [u8]) {
        let bytes = out.len() as u64;
        let _scope = scope(Function::Drng, || (1, 0, bytes));
        fill_each(self.backend, &mut [crate::DrngStream { drng: self, out }]);
    }

    /// One `get` of `bits` bits into the first `bits / 8` bytes of `out`, rounded up; the low bits of a partial
    /// last byte are cleared.
    ///
    /// # Errors
    /// [`Error::OutputBuffer`] when `out` is too short; the generator has not moved then.
    pub fn get_bits(&mut self, bits: u64, out: &mut [u8]) -> Result<(), Error> {
        let out = cut_output(out, bits)?;
        self.fill(out);
        clear_low_bits(out, bits);
        Ok(())
    }

    /// The generator whose state is that of a C `DRNG_ctx`: V, C and the reseed counter, big-endian.
    #[must_use]
    pub fn from_parts(v: &[u8; 55], c: &[u8; 55], reseed_counter: &[u8; 55]) -> Self {
        Self {
            v: Wide::from_bytes(v),
            c: Wide::from_bytes(c),
            counter: Wide::from_bytes(reseed_counter),
            backend: Backend::detect(),
        }
    }

    /// The state as a C `DRNG_ctx` holds it: V, C and the reseed counter, big-endian.
    #[must_use]
    pub fn to_parts(&self) -> [[u8; 55]; 3] {
        [self.v, self.c, self.counter].map(|wide| {
            let mut bytes = [0; 55];
            bytes.copy_from_slice(&wide.to_padded_bytes()[..55]);
            bytes
        })
    }
}

impl Zeroize for Drng {
    fn zeroize(&mut self) {
        for wide in [&mut self.v, &mut self.c, &mut self.counter] {
            wipe(wide, Wide::ZERO);
        }
    }
}

impl Drop for Drng {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Drng {}

#[cfg(feature = "rand_core")]
impl rand_core::TryRng for Drng {
    type Error = core::convert::Infallible;

    /// One `get` of four bytes, read as little-endian.
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    /// One `get` of eight bytes, read as little-endian.
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    /// Exactly one `get`.
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Self::Error> {
        self.fill(out);
        Ok(())
    }
}

#[cfg(feature = "rand_core")]
impl rand_core::TryCryptoRng for Drng {}
