//! The operations of an instance over C buffers.
#![allow(unsafe_code, reason = "C callers pass raw pointers")]

use core::ffi::{c_int, c_ulonglong};

use iccs::Drng;

use super::buffer::{Length, Region, check_apart};
use super::{Code, GlobalDrng, code};
use crate::{Backend, Error, Instance, Kem, Part, Scheme, Signature, check_length};

/// Lengths of public key, secret key and signature, bytes; 0 for an instance of the other kind.
#[must_use]
pub fn sig_sizes(instance: &Instance) -> [u64; 3] {
    match instance.scheme {
        Scheme::Signature(scheme) => {
            let sizes = scheme.sizes();
            [sizes.pk, sizes.sk, sizes.sig].map(|n| n as u64)
        }
        Scheme::Kem(_) => [0; 3],
    }
}

/// Lengths of public key, secret key, ciphertext and shared secret, bytes; 0 for an instance of the other kind.
#[must_use]
pub fn kem_sizes(instance: &Instance) -> [u64; 4] {
    match instance.scheme {
        Scheme::Kem(scheme) => {
            let sizes = scheme.sizes();
            [sizes.pk, sizes.sk, sizes.ct, sizes.ss].map(|n| n as u64)
        }
        Scheme::Signature(_) => [0; 4],
    }
}

/// The back-end that a library runs: the fastest one of the instance and the machine.
fn backend(instance: &Instance) -> Backend {
    instance.best.or_available()
}

fn signature(instance: &Instance) -> Result<&'static dyn Signature, Code> {
    match instance.scheme {
        Scheme::Signature(scheme) => Ok(scheme),
        Scheme::Kem(_) => Err(Code::Kind),
    }
}

fn kem(instance: &Instance) -> Result<&'static dyn Kem, Code> {
    match instance.scheme {
        Scheme::Kem(scheme) => Ok(scheme),
        Scheme::Signature(_) => Err(Code::Kind),
    }
}

/// Runs an operation on the global DRNG and keeps the state it leaves, also when it fails.
///
/// # Safety
/// Nothing else uses the context meanwhile.
unsafe fn with_drng<T>(
    global: &GlobalDrng,
    run: impl FnOnce(&mut Drng) -> Result<T, Error>,
) -> Result<T, Code> {
    // SAFETY: the pointer is that of a static; unshared by contract.
    let state = unsafe { &mut *global.as_ptr() };
    let mut drng = state.load()?;
    let result = run(&mut drng);
    state.store(&drng);
    Ok(result?)
}

/// The output regions of a key generation.
///
/// # Safety
/// As for the key generations.
unsafe fn keygen_with(
    sizes: [usize; 2],
    pk: (*mut u8, *mut c_ulonglong),
    sk: (*mut u8, *mut c_ulonglong),
    run: impl FnOnce(&mut [u8], &mut [u8]) -> Result<(), Code>,
) -> Result<(), Code> {
    // SAFETY: the same contract.
    let ((pk, pk_len), (sk, sk_len)) =
        unsafe { (Length::output(pk.0, pk.1, sizes[0])?, Length::output(sk.0, sk.1, sizes[1])?) };
    check_apart(&[pk, sk], &[])?;
    // SAFETY: writable and unshared by contract, and apart.
    run(unsafe { pk.bytes_mut() }, unsafe { sk.bytes_mut() })?;
    // SAFETY: the same contract.
    unsafe {
        pk_len.tell(sizes[0]);
        sk_len.tell(sizes[1]);
    }
    Ok(())
}

/// `sig_keygen`; returns 0 or a [`Code`].
///
/// # Safety
/// Each length points to a number, each buffer to as many writable bytes as its length says; or they are null. Nothing
/// else uses them or `drng` meanwhile.
pub unsafe fn sig_keygen(
    instance: &Instance,
    drng: &GlobalDrng,
    pk: *mut u8,
    pk_len: *mut c_ulonglong,
    sk: *mut u8,
    sk_len: *mut c_ulonglong,
) -> c_int {
    let run = || {
        let scheme = signature(instance)?;
        let sizes = scheme.sizes();
        let run = |pk: &mut [u8], sk: &mut [u8]| {
            // SAFETY: the same contract.
            unsafe { with_drng(drng, |rng| scheme.keygen(backend(instance), rng, pk, sk)) }
        };
        // SAFETY: the same contract.
        unsafe { keygen_with([sizes.pk, sizes.sk], (pk, pk_len), (sk, sk_len), run) }
    };
    code(run())
}

/// `sig_sign`; returns 0 or a [`Code`]. `sn` must not overlap the inputs.
///
/// # Safety
/// Each buffer points to as many bytes as its length says, `sn_len` to a number; or they are null. Nothing else writes
/// them or uses `sn` or `drng` meanwhile.
#[allow(clippy::too_many_arguments, reason = "those of the C function")]
pub unsafe fn sig_sign(
    instance: &Instance,
    drng: &GlobalDrng,
    sk: *const u8,
    sk_len: c_ulonglong,
    m: *const u8,
    m_len: c_ulonglong,
    sn: *mut u8,
    sn_len: *mut c_ulonglong,
) -> c_int {
    let run = || {
        let scheme = signature(instance)?;
        let sizes = scheme.sizes();
        let (sk, m) = (Region::new(sk, sk_len)?, Region::new(m, m_len)?);
        // SAFETY: the same contract.
        let (sn, sn_len) = unsafe { Length::output(sn, sn_len, sizes.sig)? };
        check_apart(&[sn], &[sk, m])?;
        check_length(Part::SecretKey, sizes.sk, sk.len())?;
        // SAFETY: readable and writable by contract, and the output is apart.
        let (sk, m, sn) = unsafe { (sk.bytes(), m.bytes(), sn.bytes_mut()) };
        // SAFETY: the same contract.
        let written = unsafe { with_drng(drng, |rng| scheme.sign(backend(instance), rng, sk, m, sn))? };
        if written > sizes.sig {
            return Err(Code::Failed);
        }
        // SAFETY: the same contract.
        unsafe { sn_len.tell(written) };
        Ok(())
    };
    code(run())
}

/// `sig_verify`; returns 0 if the signature is accepted and a [`Code`] otherwise.
///
/// # Safety
/// Each buffer points to as many bytes as its length says, or is null. Nothing writes them meanwhile.
pub unsafe fn sig_verify(
    instance: &Instance,
    pk: *const u8,
    pk_len: c_ulonglong,
    sn: *const u8,
    sn_len: c_ulonglong,
    m: *const u8,
    m_len: c_ulonglong,
) -> c_int {
    let run = || {
        let scheme = signature(instance)?;
        let (pk, sn, m) = (Region::new(pk, pk_len)?, Region::new(sn, sn_len)?, Region::new(m, m_len)?);
        // SAFETY: readable by contract.
        let (pk, sn, m) = unsafe { (pk.bytes(), sn.bytes(), m.bytes()) };
        Ok(scheme.verify(backend(instance), pk, m, sn)?)
    };
    code(run())
}

/// `kem_keygen`; returns 0 or a [`Code`].
///
/// # Safety
/// As for [`sig_keygen`].
pub unsafe fn kem_keygen(
    instance: &Instance,
    drng: &GlobalDrng,
    pk: *mut u8,
    pk_len: *mut c_ulonglong,
    sk: *mut u8,
    sk_len: *mut c_ulonglong,
) -> c_int {
    let run = || {
        let scheme = kem(instance)?;
        let sizes = scheme.sizes();
        let run = |pk: &mut [u8], sk: &mut [u8]| {
            // SAFETY: the same contract.
            unsafe { with_drng(drng, |rng| scheme.keygen(backend(instance), rng, pk, sk)) }
        };
        // SAFETY: the same contract.
        unsafe { keygen_with([sizes.pk, sizes.sk], (pk, pk_len), (sk, sk_len), run) }
    };
    code(run())
}

/// `kem_enc`; returns 0 or a [`Code`]. The outputs must not overlap each other or `pk`.
///
/// # Safety
/// Each buffer points to as many bytes as its length says, `ss_len` and `ct_len` to numbers; or they are null. Nothing
/// else writes them or uses the outputs or `drng` meanwhile.
#[allow(clippy::too_many_arguments, reason = "those of the C function")]
pub unsafe fn kem_enc(
    instance: &Instance,
    drng: &GlobalDrng,
    pk: *const u8,
    pk_len: c_ulonglong,
    ss: *mut u8,
    ss_len: *mut c_ulonglong,
    ct: *mut u8,
    ct_len: *mut c_ulonglong,
) -> c_int {
    let run = || {
        let scheme = kem(instance)?;
        let sizes = scheme.sizes();
        let pk = Region::new(pk, pk_len)?;
        // SAFETY: the same contract.
        let ((ss, ss_len), (ct, ct_len)) =
            unsafe { (Length::output(ss, ss_len, sizes.ss)?, Length::output(ct, ct_len, sizes.ct)?) };
        check_apart(&[ss, ct], &[pk])?;
        check_length(Part::PublicKey, sizes.pk, pk.len())?;
        // SAFETY: readable and writable by contract, and the outputs are apart.
        let (pk, ss, ct) = unsafe { (pk.bytes(), ss.bytes_mut(), ct.bytes_mut()) };
        // SAFETY: the same contract.
        unsafe {
            with_drng(drng, |rng| scheme.enc(backend(instance), rng, pk, ct, ss))?;
            ss_len.tell(sizes.ss);
            ct_len.tell(sizes.ct);
        }
        Ok(())
    };
    code(run())
}

/// `kem_dec`; returns 0 or a [`Code`]. `ss` must not overlap the inputs.
///
/// # Safety
/// Each buffer points to as many bytes as its length says, `ss_len` to a number; or they are null. Nothing else writes
/// them or uses `ss` meanwhile.
pub unsafe fn kem_dec(
    instance: &Instance,
    sk: *const u8,
    sk_len: c_ulonglong,
    ct: *const u8,
    ct_len: c_ulonglong,
    ss: *mut u8,
    ss_len: *mut c_ulonglong,
) -> c_int {
    let run = || {
        let scheme = kem(instance)?;
        let sizes = scheme.sizes();
        let (sk, ct) = (Region::new(sk, sk_len)?, Region::new(ct, ct_len)?);
        // SAFETY: the same contract.
        let (ss, ss_len) = unsafe { Length::output(ss, ss_len, sizes.ss)? };
        check_apart(&[ss], &[sk, ct])?;
        check_length(Part::SecretKey, sizes.sk, sk.len())?;
        check_length(Part::Ciphertext, sizes.ct, ct.len())?;
        // SAFETY: readable and writable by contract, and the output is apart.
        let (sk, ct, ss) = unsafe { (sk.bytes(), ct.bytes(), ss.bytes_mut()) };
        scheme.dec(backend(instance), sk, ct, ss)?;
        // SAFETY: the same contract.
        unsafe { ss_len.tell(sizes.ss) };
        Ok(())
    };
    code(run())
}
