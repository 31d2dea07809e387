//! The DRNG and the helper functions, over C buffers (ICCS specification, sections 1 to 3).
#![allow(unsafe_code, reason = "C callers pass raw pointers")]

use core::ffi::{c_int, c_ulonglong};

use iccs::Drng;

use super::buffer::{Region, check_apart};
use super::{Code, DrngCtx, code};

impl From<iccs::Error> for Code {
    fn from(error: iccs::Error) -> Self {
        if error.code() == Self::DigestLength as i32 { Self::DigestLength } else { Self::Hash }
    }
}

impl DrngCtx {
    /// The generator in this state.
    ///
    /// # Errors
    /// [`Code::Random`] for a context that was never initialised.
    pub(super) fn load(&self) -> Result<Drng, Code> {
        if self.reseed_counter == [0; 55] {
            return Err(Code::Random);
        }
        Ok(Drng::from_parts(&self.v, &self.c, &self.reseed_counter))
    }

    pub(super) fn store(&mut self, drng: &Drng) {
        [self.v, self.c, self.reseed_counter] = drng.to_parts();
    }
}

/// A context as a region, to compare with others.
fn region(ctx: *mut DrngCtx) -> Result<Region, Code> {
    Region::new(ctx.cast_const().cast(), size_of::<DrngCtx>() as u64)
}

/// Initialises a DRNG from a seed of `seed_len` bytes; returns 0 or a [`Code`].
///
/// # Safety
/// `ctx` is null or points to a context, `seed` to `seed_len` bytes; nothing else uses the context meanwhile.
pub unsafe fn init_random_number(ctx: *mut DrngCtx, seed: *const u8, seed_len: c_ulonglong) -> c_int {
    let run = || {
        let (state, seed) = (region(ctx)?, Region::new(seed, seed_len)?);
        check_apart(&[state], &[seed])?;
        // SAFETY: readable by contract, and apart from what is written.
        let drng = Drng::from_seed(unsafe { seed.bytes() });
        // SAFETY: not null, writable and unshared by contract; the struct has alignment 1.
        unsafe { &mut *ctx }.store(&drng);
        Ok(())
    };
    code(run())
}

/// Draws `out_bits` bits, one DRNG call; returns 0 or a [`Code`].
///
/// # Safety
/// `ctx` is null or points to a context, `out` to `out_bits` / 8 bytes, rounded up; nothing else uses either meanwhile.
pub unsafe fn get_random_number(ctx: *mut DrngCtx, out: *mut u8, out_bits: c_ulonglong) -> c_int {
    let run = || {
        let (state, out) = (region(ctx)?, Region::of_bits(out, out_bits)?);
        check_apart(&[state, out], &[])?;
        // SAFETY: not null, valid and unshared by contract; the struct has alignment 1.
        let state = unsafe { &mut *ctx };
        let mut drng = state.load()?;
        // SAFETY: writable and unshared by contract, and apart from the state.
        drng.get_bits(out_bits, unsafe { out.bytes_mut() })?;
        state.store(&drng);
        Ok(())
    };
    code(run())
}

/// Longest digest of any helper function, bytes.
const DIGEST_MAX: usize = 128;

type DigestFunction = fn(u32, &[u8], u64, &mut [u8]) -> Result<(), iccs::Error>;

/// # Safety
/// `m` points to `m_bits` / 8 bytes, rounded up, `digest` to `digest_bits` / 8 bytes.
unsafe fn digest_with(
    function: DigestFunction,
    digest_bits: c_int,
    m: *const u8,
    m_bits: c_ulonglong,
    digest: *mut u8,
) -> Result<(), Code> {
    let bits = u32::try_from(digest_bits).map_err(|_| Code::DigestLength)?;
    let m = Region::of_bits(m, m_bits)?;
    let mut value = [0; DIGEST_MAX];
    // SAFETY: readable by contract; nothing is written while the slice lives.
    function(bits, unsafe { m.bytes() }, m_bits, &mut value)?;
    let out = Region::of_bits(digest, bits.into())?;
    // SAFETY: writable by contract; the message slice is gone, so the buffers may overlap.
    unsafe { out.write(&value) };
    Ok(())
}

/// SM3 of `m_bits` bits; `digest_bits` must be 256. The digest may overlap the message. Returns 0 or a [`Code`].
///
/// # Safety
/// `m` points to `m_bits` / 8 bytes, rounded up, `digest` to 32 bytes.
pub unsafe fn sm3_hash(digest_bits: c_int, m: *const u8, m_bits: c_ulonglong, digest: *mut u8) -> c_int {
    // SAFETY: the same contract.
    code(unsafe { digest_with(iccs::sm3hash, digest_bits, m, m_bits, digest) })
}

/// `pseudohash` of `m_bits` bits with 512, 768 or 1024 digest bits. The digest may overlap the message. Returns 0 or a
/// [`Code`].
///
/// # Safety
/// `m` points to `m_bits` / 8 bytes, rounded up, `digest` to `digest_bits` / 8 bytes.
pub unsafe fn pseudo_hash(digest_bits: c_int, m: *const u8, m_bits: c_ulonglong, digest: *mut u8) -> c_int {
    // SAFETY: the same contract.
    code(unsafe { digest_with(iccs::pseudohash, digest_bits, m, m_bits, digest) })
}

/// `pseudoXOF` of `m_bits` bits; the output must not overlap the message. Returns 0 or a [`Code`].
///
/// # Safety
/// `m` points to `m_bits` / 8 bytes and `out` to `out_bits` / 8 bytes, each rounded up.
pub unsafe fn pseudo_xof(out_bits: c_ulonglong, m: *const u8, m_bits: c_ulonglong, out: *mut u8) -> c_int {
    /// The counter of the construction has 32 bits: fewer output bits than this.
    const LIMIT: u64 = (1 << 40) - (1 << 8);
    let run = || {
        if out_bits >= LIMIT {
            return Err(Code::Hash);
        }
        let (m, out) = (Region::of_bits(m, m_bits)?, Region::of_bits(out, out_bits)?);
        check_apart(&[out], &[m])?;
        // SAFETY: readable and writable by contract, and apart.
        let (m, out) = unsafe { (m.bytes(), out.bytes_mut()) };
        Ok(iccs::pseudo_xof(out_bits, m, m_bits, out)?)
    };
    code(run())
}
