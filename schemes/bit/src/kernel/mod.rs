//! The arithmetic kernels and the run-time choice between their back-ends; nothing else.
#![allow(unsafe_code, reason = "functions with target features are called after the check")]

use iccs::Backend;

use crate::params::{Fields, Set};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod bits;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod portable;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use portable::exceeds;
pub(crate) use portable::high;

/// A back-end that this machine has been found to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Isa(Backend);

impl Isa {
    /// The given back-end, or the fastest slower one that this machine runs.
    pub(crate) fn new(backend: Backend) -> Self {
        Self(backend.or_available())
    }

    /// The back-end, for the hash layer.
    pub(crate) const fn backend(self) -> Backend {
        self.0
    }
}

/// Declares each kernel as a method of [`Isa`] that calls the twin of its back-end.
macro_rules! kernels {
    ($($(#[$doc:meta])* fn $name:ident<$N:ident $(, $P:ident)?>($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        impl Isa {
            $($(#[$doc])*
            #[inline]
            pub(crate) fn $name<$($P: Set<$N>,)? const $N: usize>(self, $($arg: $type),*) $(-> $ret)? {
                match self.0 {
                    // SAFETY: an `Isa` holds a back-end that this machine runs.
                    #[cfg(target_arch = "x86_64")]
                    Backend::Avx512 => unsafe { avx512::$name::<$($P,)? $N>($($arg),*) },
                    // SAFETY: as above.
                    #[cfg(target_arch = "x86_64")]
                    Backend::Avx2 => unsafe { avx2::$name::<$($P,)? $N>($($arg),*) },
                    _ => portable::$name::<$($P,)? $N>($($arg),*),
                }
            })*
        }
    };
}

kernels! {
    /// Forward transform (section 3). Input `|a| < 2²⁰`, output reduced.
    fn ntt<N, P>(a: &mut [i32; N]);
    /// Inverse transform with its scaling (section 3). Input and output reduced.
    fn intt<N, P>(a: &mut [i32; N]);
    /// Cross factor of a transformed polynomial, for [`Isa::mul_row`].
    fn cross<N, P>(b: &[i32; N], out: &mut [i32; N]);
    /// Sum of up to four products in the transform domain.
    fn mul_row<N, P>(a: &[&[i32; N]], b: &[&[i32; N]], crossed: &[&[i32; N]], out: &mut [i32; N]);
    /// Rejection sampling of matrix coefficients (section 4.1).
    fn sample_uniform<N, P>(stream: &[u8], length: usize, out: &mut [i32; N], filled: usize) -> usize;
    /// Ternary sampling (section 4.2).
    fn sample_ternary<N>(stream: &[u8], out: &mut [i8; N], filled: usize) -> usize;
    /// Mask coefficients of one stream (section 4.3).
    fn expand_mask<N>(fields: &Fields, stream: &[u8], out: &mut [i16; N]);
    /// Product with a sparse challenge, in eight bits.
    fn sparse8<N>(extended: &[[i8; N]; 2], support: &[u16], out: &mut [i8; N]);
    /// Product with a sparse challenge, in sixteen bits.
    fn sparse16<N>(extended: &[[i16; N]; 2], support: &[u16], out: &mut [i16; N]);
    /// Classification of the coefficients of a response for the rejection test (section 4.5).
    fn scan<N>(y: &[i16; N], v: &[i8; N], sign: i32, gamma: i32, beta: i32, drawn: &mut [u32]) -> (usize, bool);
    /// The draws of the rejection test (section 4.5).
    fn judge<N>(entries: &[u32; N], draws: &[u32; N], count: usize, gamma: i32, beta: i32) -> u64;
    /// To 32 bits.
    fn widen<N>(narrow: &[i16; N], wide: &mut [i32; N]);
    /// `z = y + sign·v`.
    fn add_signed<N>(y: &[i16; N], v: &[i8; N], sign: i32, z: &mut [i16; N]);
    /// Canonical `w + y` and its `High`.
    fn commit<N, P>(w: &mut [i32; N], y: &[i16; N], high: &mut [u8; N]);
    /// `(High(w) + h) mod α`.
    fn use_hint<N, P>(w: &[i32; N], h: &[i8; N], out: &mut [u8; N]);
    /// The hint and its largest magnitude.
    fn make_hint<N, P>(w: &[i32; N], y2: &[i16; N], offset: &[i16; N], w1: &[u8; N], hint: &mut [i8; N]) -> i32;
    /// The rounded public key and its remainder (section 5).
    fn split<N, P>(b: &[i32; N], b1: &mut [i16; N], b0: &mut [i16; N]);
    /// Dense packing of sixteen-bit values.
    fn pack16<N>(width: usize, values: &[i16; N], out: &mut [u8]);
    /// Unpacking into sixteen bits, without sign.
    fn unpack16<N>(width: usize, bytes: &[u8], values: &mut [i16; N]);
    /// Dense packing of bytes.
    fn pack8<N>(width: usize, values: &[u8; N], out: &mut [u8]);
    /// Unpacking into bytes, without sign.
    fn unpack8<N>(width: usize, bytes: &[u8], values: &mut [u8; N]);
}
