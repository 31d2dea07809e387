//! The ICCS C API of an instance (ICCS specification, section 3), for shared libraries.
//!
//! [`export_signature!`](crate::export_signature) and [`export_kem!`](crate::export_kem) define the symbols; the work is
//! in the functions of this module, which take the instance and the library's DRNG as arguments. The C side is described
//! in `include/ngcc.h`.
//!
//! What Rust cannot see stays the caller's duty, as with every C API: pointers that are not null must point to as many
//! bytes as their length says, and no two calls may run at the same time, because all of them share one DRNG. Null
//! pointers, lengths that are short or wrong, and output buffers that overlap anything else give an error code and touch
//! nothing.
#![allow(unsafe_code, reason = "C callers pass raw pointers")]

mod buffer;
mod meta;
mod ops;
mod services;

use core::cell::UnsafeCell;
use core::ffi::c_int;

pub use meta::Meta;
pub use ops::{kem_dec, kem_enc, kem_keygen, kem_sizes, sig_keygen, sig_sign, sig_sizes, sig_verify};
pub use services::{get_random_number, init_random_number, pseudo_hash, pseudo_xof, sm3_hash};

use crate::Error;

/// What a C function returns when it fails; success is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// The signature is not one of this message under this key.
    Rejected = -1,
    /// The helper function cannot serve the request, for example an XOF of too many bits.
    Hash = -3,
    /// The helper function offers no digest of this length.
    DigestLength = -4,
    /// A pointer is null.
    Null = -5,
    /// A buffer has not the length that the instance takes, or not the capacity.
    Length = -6,
    /// An output buffer overlaps another buffer.
    Overlap = -7,
    /// A key or ciphertext is malformed.
    Encoding = -8,
    /// The DRNG was not initialised, or failed.
    Random = -9,
    /// Signing reached its iteration cap, or a reported length exceeds the declared one.
    Failed = -10,
    /// The instance is of the other kind.
    Kind = -11,
}

impl From<Error> for Code {
    fn from(error: Error) -> Self {
        match error {
            Error::Length { .. } => Self::Length,
            Error::Encoding(_) => Self::Encoding,
            Error::Rejected => Self::Rejected,
            Error::IterationCap => Self::Failed,
            Error::Random => Self::Random,
        }
    }
}

fn code(result: Result<(), Code>) -> c_int {
    result.map_or_else(|code| code as c_int, |()| 0)
}

/// State of a DRNG as C sees it, `DRNG_ctx`: three big-endian integers of 440 bits.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct DrngCtx {
    /// V.
    pub v: [u8; 55],
    /// C.
    pub c: [u8; 55],
    /// Number of the next output; 0 in a context that was never initialised.
    pub reseed_counter: [u8; 55],
}

/// A [`DrngCtx`] that C code may change: the library's symbol `drng_algorithm`.
#[repr(transparent)]
pub struct GlobalDrng(UnsafeCell<DrngCtx>);

// SAFETY: the functions that read or change it are `unsafe`, and their contract is that no two run at the same time.
unsafe impl Sync for GlobalDrng {}

impl GlobalDrng {
    /// A context that is not initialised.
    #[must_use]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(DrngCtx { v: [0; 55], c: [0; 55], reseed_counter: [0; 55] }))
    }

    /// The context, for the C functions that take one.
    #[must_use]
    pub const fn as_ptr(&self) -> *mut DrngCtx {
        self.0.get()
    }
}

impl Default for GlobalDrng {
    fn default() -> Self {
        Self::new()
    }
}

/// Defines the C API of a signature instance in a `cdylib`.
///
/// `$instance` is a constant expression of type `Instance`, `$algorithm` the name of the algorithm for the metadata block.
#[macro_export]
macro_rules! export_signature {
    ($instance:expr, $algorithm:expr) => {
        $crate::export_services!($instance, $algorithm);
        #[allow(unsafe_code, reason = "symbols of a C API")]
        const _: () = {
            use core::ffi::{c_int, c_ulonglong};
            use $crate::capi::{
                sig_keygen as keygen, sig_sign as sign, sig_sizes as sizes, sig_verify as verify,
            };

            #[unsafe(no_mangle)]
            extern "C" fn sig_get_pk_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[0]
            }

            #[unsafe(no_mangle)]
            extern "C" fn sig_get_sk_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[1]
            }

            #[unsafe(no_mangle)]
            extern "C" fn sig_get_sn_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[2]
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn sig_keygen(
                pk: *mut u8,
                pk_len: *mut c_ulonglong,
                sk: *mut u8,
                sk_len: *mut c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { keygen(&INSTANCE, &drng_algorithm, pk, pk_len, sk, sk_len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn sig_sign(
                sk: *const u8,
                sk_len: c_ulonglong,
                m: *const u8,
                m_len: c_ulonglong,
                sn: *mut u8,
                sn_len: *mut c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { sign(&INSTANCE, &drng_algorithm, sk, sk_len, m, m_len, sn, sn_len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn sig_verify(
                pk: *const u8,
                pk_len: c_ulonglong,
                sn: *const u8,
                sn_len: c_ulonglong,
                m: *const u8,
                m_len: c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { verify(&INSTANCE, pk, pk_len, sn, sn_len, m, m_len) }
            }
        };
    };
}

/// Defines the C API of a KEM instance in a `cdylib`.
///
/// `$instance` is a constant expression of type `Instance`, `$algorithm` the name of the algorithm for the metadata block.
#[macro_export]
macro_rules! export_kem {
    ($instance:expr, $algorithm:expr) => {
        $crate::export_services!($instance, $algorithm);
        #[allow(unsafe_code, reason = "symbols of a C API")]
        const _: () = {
            use core::ffi::{c_int, c_ulonglong};
            use $crate::capi::{kem_dec as dec, kem_enc as enc, kem_keygen as keygen, kem_sizes as sizes};

            #[unsafe(no_mangle)]
            extern "C" fn kem_get_pk_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[0]
            }

            #[unsafe(no_mangle)]
            extern "C" fn kem_get_sk_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[1]
            }

            #[unsafe(no_mangle)]
            extern "C" fn kem_get_ct_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[2]
            }

            #[unsafe(no_mangle)]
            extern "C" fn kem_get_ss_len_bytes() -> c_ulonglong {
                sizes(&INSTANCE)[3]
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn kem_keygen(
                pk: *mut u8,
                pk_len: *mut c_ulonglong,
                sk: *mut u8,
                sk_len: *mut c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { keygen(&INSTANCE, &drng_algorithm, pk, pk_len, sk, sk_len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn kem_enc(
                pk: *const u8,
                pk_len: c_ulonglong,
                ss: *mut u8,
                ss_len: *mut c_ulonglong,
                ct: *mut u8,
                ct_len: *mut c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { enc(&INSTANCE, &drng_algorithm, pk, pk_len, ss, ss_len, ct, ct_len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn kem_dec(
                sk: *const u8,
                sk_len: c_ulonglong,
                ct: *const u8,
                ct_len: c_ulonglong,
                ss: *mut u8,
                ss_len: *mut c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { dec(&INSTANCE, sk, sk_len, ct, ct_len, ss, ss_len) }
            }
        };
    };
}

/// The symbols that both kinds have: the DRNG, the helper functions, and those that the public harness asks for.
#[doc(hidden)]
#[macro_export]
macro_rules! export_services {
    ($instance:expr, $algorithm:expr) => {
        /// A copy: the list of instances that it comes from would keep its siblings' code in the library.
        static INSTANCE: $crate::Instance = $instance;

        /// The library's DRNG.
        #[allow(unsafe_code, non_upper_case_globals, reason = "symbol of a C API")]
        #[unsafe(no_mangle)]
        static drng_algorithm: $crate::capi::GlobalDrng = $crate::capi::GlobalDrng::new();

        #[allow(unsafe_code, non_snake_case, reason = "symbols of a C API")]
        const _: () = {
            use core::ffi::{c_int, c_ulonglong};
            use $crate::capi::{
                DrngCtx, Meta, get_random_number as get, init_random_number as init, pseudo_hash, pseudo_xof,
                sm3_hash,
            };

            static META: Meta = Meta::new(&INSTANCE, $algorithm, env!("CARGO_PKG_NAME"));

            #[unsafe(no_mangle)]
            extern "C" fn ngcc_meta() -> *const Meta {
                META.filled(&INSTANCE)
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn ngcc_seed(seed: *const u8, seed_len: c_ulonglong) -> c_int {
                // SAFETY: the contract of the C API is that of the function; the context is the library's own.
                unsafe { init(drng_algorithm.as_ptr(), seed, seed_len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn ngcc_random(out: *mut u8, out_bits: c_ulonglong) -> c_int {
                // SAFETY: the contract of the C API is that of the function; the context is the library's own.
                unsafe { get(drng_algorithm.as_ptr(), out, out_bits) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn init_random_number(
                ctx: *mut DrngCtx,
                seed: *const u8,
                seed_len: c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { init(ctx, seed, seed_len) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn get_random_number(
                ctx: *mut DrngCtx,
                out: *mut u8,
                out_bits: c_ulonglong,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { get(ctx, out, out_bits) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn sm3hash(
                digest_bits: c_int,
                m: *const u8,
                m_bits: c_ulonglong,
                digest: *mut u8,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { sm3_hash(digest_bits, m, m_bits, digest) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn pseudohash(
                digest_bits: c_int,
                m: *const u8,
                m_bits: c_ulonglong,
                digest: *mut u8,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { pseudo_hash(digest_bits, m, m_bits, digest) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn pseudoXOF(
                out_bits: c_ulonglong,
                m: *const u8,
                m_bits: c_ulonglong,
                out: *mut u8,
            ) -> c_int {
                // SAFETY: the contract of the C API is that of the function.
                unsafe { pseudo_xof(out_bits, m, m_bits, out) }
            }
        };
    };
}
