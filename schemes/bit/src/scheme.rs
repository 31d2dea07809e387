//! The operations of each parameter set over byte strings: where the generic core meets its three instances.

use ngcc_api::{Backend, Error};

use crate::expanded::{ExpandedPublic, ExpandedSecret};
use crate::kernel::Isa;
use crate::keygen::{self, Draw, check_pk, check_sk};
use crate::params::{Bit128, Bit256, Bit512};
use crate::{sign, verify};

/// The operations of a parameter set; only this crate can name the trait.
///
/// A back-end that the machine lacks falls back to one it has. Lengths are checked.
pub trait Operations {
    /// An expanded public key.
    type ExpandedPublic: Clone + core::fmt::Debug + Send + Sync;
    /// An expanded secret key, zeroized on drop.
    type ExpandedSecret: Clone + Send + Sync;

    /// Generates a key pair (section 7).
    ///
    /// # Errors
    /// Wrong lengths, and what `draw` gives.
    fn keygen(backend: Backend, draw: Draw<'_>, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error>;

    /// Signs with a key that [`Operations::check_sk`] has accepted (section 8).
    ///
    /// # Errors
    /// Wrong lengths, a malformed key, the iteration cap, and what `draw` gives.
    fn sign(backend: Backend, draw: Draw<'_>, sk: &[u8], message: &[u8], sig: &mut [u8])
    -> Result<(), Error>;

    /// Signs with a key that nothing is known of: as [`Operations::check_sk`] and [`Operations::sign`].
    ///
    /// # Errors
    /// As both.
    fn sign_unchecked(
        backend: Backend,
        draw: Draw<'_>,
        sk: &[u8],
        message: &[u8],
        sig: &mut [u8],
    ) -> Result<(), Error>;

    /// Verifies (section 9).
    ///
    /// # Errors
    /// Wrong lengths, malformed inputs, a signature that is not one.
    fn verify(backend: Backend, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error>;

    /// Checks that a public key is canonical.
    ///
    /// # Errors
    /// If not.
    fn check_pk(backend: Backend, pk: &[u8]) -> Result<(), Error>;

    /// Checks that a secret key is well formed and that its `tr` is the hash of its public key.
    ///
    /// # Errors
    /// If not.
    fn check_sk(backend: Backend, sk: &[u8]) -> Result<(), Error>;

    /// Expands a public key.
    ///
    /// # Errors
    /// As [`Operations::check_pk`].
    fn expand_pk(backend: Backend, pk: &[u8]) -> Result<Self::ExpandedPublic, Error>;

    /// Expands a secret key.
    ///
    /// # Errors
    /// As [`Operations::check_sk`].
    fn expand_sk(backend: Backend, sk: &[u8]) -> Result<Self::ExpandedSecret, Error>;

    /// [`Operations::sign`] with an expanded key.
    ///
    /// # Errors
    /// As [`Operations::sign`].
    fn sign_expanded(
        backend: Backend,
        draw: Draw<'_>,
        key: &Self::ExpandedSecret,
        message: &[u8],
        sig: &mut [u8],
    ) -> Result<(), Error>;

    /// [`Operations::verify`] with an expanded key.
    ///
    /// # Errors
    /// As [`Operations::verify`].
    fn verify_expanded(
        backend: Backend,
        key: &Self::ExpandedPublic,
        message: &[u8],
        sig: &[u8],
    ) -> Result<(), Error>;
}

macro_rules! operations {
    ($($set:ident, $n:literal, $kappa:literal, $lambda:literal;)*) => {$(
        impl Operations for $set {
            type ExpandedPublic = ExpandedPublic<[u8; $lambda], $n>;
            type ExpandedSecret = ExpandedSecret<[u8; $kappa], [u8; $lambda], $n>;

            fn keygen(backend: Backend, draw: Draw<'_>, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
                keygen::keygen::<$set, $n>(Isa::new(backend), draw, pk, sk)
            }

            fn sign(
                backend: Backend,
                draw: Draw<'_>,
                sk: &[u8],
                message: &[u8],
                sig: &mut [u8],
            ) -> Result<(), Error> {
                sign::sign::<$set, $n>(Isa::new(backend), draw, sk, message, sig)
            }

            fn sign_unchecked(
                backend: Backend,
                draw: Draw<'_>,
                sk: &[u8],
                message: &[u8],
                sig: &mut [u8],
            ) -> Result<(), Error> {
                sign::sign_unchecked::<$set, $n>(Isa::new(backend), draw, sk, message, sig)
            }

            fn verify(backend: Backend, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error> {
                verify::verify::<$set, $n>(Isa::new(backend), pk, message, sig)
            }

            fn check_pk(backend: Backend, pk: &[u8]) -> Result<(), Error> {
                check_pk::<$set, $n>(Isa::new(backend), pk)
            }

            fn check_sk(backend: Backend, sk: &[u8]) -> Result<(), Error> {
                check_sk::<$set, $n>(Isa::new(backend), sk)
            }

            fn expand_pk(backend: Backend, pk: &[u8]) -> Result<Self::ExpandedPublic, Error> {
                ExpandedPublic::new::<$set>(Isa::new(backend), pk)
            }

            fn expand_sk(backend: Backend, sk: &[u8]) -> Result<Self::ExpandedSecret, Error> {
                ExpandedSecret::new::<$set>(Isa::new(backend), sk)
            }

            fn sign_expanded(
                backend: Backend,
                draw: Draw<'_>,
                key: &Self::ExpandedSecret,
                message: &[u8],
                sig: &mut [u8],
            ) -> Result<(), Error> {
                sign::sign_expanded::<$set, $n>(
                    Isa::new(backend),
                    draw,
                    &key.public,
                    &key.secret,
                    key.sigma.as_ref(),
                    key.tr.as_ref(),
                    message,
                    sig,
                )
            }

            fn verify_expanded(
                backend: Backend,
                key: &Self::ExpandedPublic,
                message: &[u8],
                sig: &[u8],
            ) -> Result<(), Error> {
                let isa = Isa::new(backend);
                verify::verify_expanded::<$set, $n>(isa, &key.public, key.tr.as_ref(), message, sig)
            }
        }
    )*};
}

operations! {
    Bit128, 256, 16, 32;
    Bit256, 512, 32, 64;
    Bit512, 1024, 64, 64;
}
