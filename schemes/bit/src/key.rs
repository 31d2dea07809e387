//! Typed keys and signatures.

use core::fmt;

use ngcc_api::{Backend, Error, Part, check_length};
use rand_core::TryCryptoRng;
use signature::{Keypair, RandomizedSigner, SignatureEncoding, Verifier};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::params::{Bit128, Bit256, Bit512, ByteArray};
use crate::scheme::Operations;

/// A parameter set of BiT: [`Bit128`], [`Bit256`] or [`Bit512`]. Sealed.
pub trait ParameterSet: Operations + Copy + Default + fmt::Debug + Eq + Send + Sync + 'static {
    /// Name in the submission.
    const NAME: &'static str;
    /// An encoded public key.
    type PublicKey: ByteArray;
    /// An encoded secret key.
    type SecretKey: ByteArray;
    /// An encoded signature.
    type SignatureBytes: ByteArray;
}

impl ParameterSet for Bit128 {
    const NAME: &'static str = "BiT-128";
    type PublicKey = [u8; 1048];
    type SecretKey = [u8; 1864];
    type SignatureBytes = [u8; 1504];
}

impl ParameterSet for Bit256 {
    const NAME: &'static str = "BiT-256";
    type PublicKey = [u8; 2144];
    type SecretKey = [u8; 4160];
    type SignatureBytes = [u8; 3456];
}

impl ParameterSet for Bit512 {
    const NAME: &'static str = "BiT-512";
    type PublicKey = [u8; 5056];
    type SecretKey = [u8; 9024];
    type SignatureBytes = [u8; 6695];
}

/// A draw from a generator, as the core takes it.
fn draw_from<R: TryCryptoRng + ?Sized>(rng: &mut R) -> impl FnMut(&mut [u8]) -> Result<(), Error> + '_ {
    |out| rng.try_fill_bytes(out).map_err(|_| Error::Random)
}

/// Copies a byte string of the right length.
fn array<A: ByteArray>(part: Part, bytes: &[u8]) -> Result<A, Error> {
    check_length(part, A::LEN, bytes.len())?;
    let mut array = A::zeroed();
    array.as_mut().copy_from_slice(bytes);
    Ok(array)
}

/// A signature in its encoded form. Whether the encoding is canonical is decided by verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature<P: ParameterSet>(P::SignatureBytes);

impl<P: ParameterSet> Signature<P> {
    /// The encoding (section 6).
    #[must_use]
    pub const fn as_bytes(&self) -> &P::SignatureBytes {
        &self.0
    }
}

impl<P: ParameterSet> AsRef<[u8]> for Signature<P> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<P: ParameterSet> TryFrom<&[u8]> for Signature<P> {
    type Error = Error;

    /// Fails on a wrong length only.
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        array(Part::Signature, bytes).map(Self)
    }
}

impl<P: ParameterSet> SignatureEncoding for Signature<P> {
    type Repr = Self;
}

/// A public key, known to be canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey<P: ParameterSet> {
    bytes: P::PublicKey,
    backend: Backend,
}

impl<P: ParameterSet> VerifyingKey<P> {
    /// Reads a public key.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Encoding`] for one that is not canonical, which the reference accepts (section 11).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let backend = Backend::detect();
        P::check_pk(backend, bytes)?;
        Ok(Self { bytes: array(Part::PublicKey, bytes)?, backend })
    }

    /// The same key, to be used on a given back-end.
    #[must_use]
    pub const fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The encoding (section 6).
    #[must_use]
    pub const fn as_bytes(&self) -> &P::PublicKey {
        &self.bytes
    }

    /// The expanded form, for many signatures under this key.
    ///
    /// # Errors
    /// None for a key of this type; the result is that of decoding it once more.
    pub fn expand(&self) -> Result<ExpandedVerifyingKey<P>, Error> {
        let inner = P::expand_pk(self.backend, self.bytes.as_ref())?;
        Ok(ExpandedVerifyingKey { inner, backend: self.backend })
    }
}

impl<P: ParameterSet> Verifier<Signature<P>> for VerifyingKey<P> {
    fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), signature::Error> {
        P::verify(self.backend, self.bytes.as_ref(), message, signature.as_ref())
            .map_err(|_| signature::Error::new())
    }
}

/// A secret key, known to be well formed and consistent. Zeroized on drop.
#[derive(Clone)]
pub struct SigningKey<P: ParameterSet> {
    bytes: P::SecretKey,
    backend: Backend,
}

impl<P: ParameterSet> SigningKey<P> {
    /// Generates a key pair (section 7): two draws of κ bytes, each one `try_fill_bytes`.
    ///
    /// # Errors
    /// [`Error::Random`] if the generator fails.
    pub fn generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, Error> {
        let backend = Backend::detect();
        let mut key = Self { bytes: P::SecretKey::zeroed(), backend };
        let mut pk = P::PublicKey::zeroed();
        P::keygen(backend, &mut draw_from(rng), pk.as_mut(), key.bytes.as_mut())?;
        Ok(key)
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// [`Error::Length`]; [`Error::Encoding`] for a ternary code 2, a non-canonical public part, or a `tr` that is not
    /// its hash. The reference checks none of these (section 11).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let backend = Backend::detect();
        P::check_sk(backend, bytes)?;
        Ok(Self { bytes: array(Part::SecretKey, bytes)?, backend })
    }

    /// The same key, to be used on a given back-end.
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// The encoding (section 6). It is secret.
    #[must_use]
    pub const fn as_bytes(&self) -> &P::SecretKey {
        &self.bytes
    }

    /// The expanded form, for many signatures with this key.
    ///
    /// # Errors
    /// None for a key of this type; the result is that of decoding it once more.
    pub fn expand(&self) -> Result<ExpandedSigningKey<P>, Error> {
        let inner = P::expand_sk(self.backend, self.bytes.as_ref())?;
        Ok(ExpandedSigningKey { inner, backend: self.backend })
    }

    /// Signs (section 8): one draw of κ bytes, and one of 32 bytes for every 256 iterations.
    ///
    /// # Errors
    /// [`Error::Random`]; [`Error::IterationCap`], which a sound generator does not reach.
    pub fn sign<R: TryCryptoRng + ?Sized>(&self, rng: &mut R, message: &[u8]) -> Result<Signature<P>, Error> {
        let mut signature = Signature::<P>(P::SignatureBytes::zeroed());
        P::sign(self.backend, &mut draw_from(rng), self.bytes.as_ref(), message, signature.0.as_mut())?;
        Ok(signature)
    }
}

impl<P: ParameterSet> Keypair for SigningKey<P> {
    type VerifyingKey = VerifyingKey<P>;

    fn verifying_key(&self) -> VerifyingKey<P> {
        let mut bytes = P::PublicKey::zeroed();
        bytes.as_mut().copy_from_slice(&self.bytes.as_ref()[..P::PublicKey::LEN]);
        VerifyingKey { bytes, backend: self.backend }
    }
}

impl<P: ParameterSet> RandomizedSigner<Signature<P>> for SigningKey<P> {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature<P>, signature::Error> {
        self.sign(rng, message).map_err(|_| signature::Error::new())
    }
}

impl<P: ParameterSet> ConstantTimeEq for SigningKey<P> {
    fn ct_eq(&self, other: &Self) -> subtle::Choice {
        self.bytes.as_ref().ct_eq(other.bytes.as_ref())
    }
}

impl<P: ParameterSet> fmt::Debug for SigningKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("set", &P::NAME).finish_non_exhaustive()
    }
}

impl<P: ParameterSet> Drop for SigningKey<P> {
    fn drop(&mut self) {
        self.bytes.as_mut().zeroize();
    }
}

impl<P: ParameterSet> ZeroizeOnDrop for SigningKey<P> {}

/// A public key with its matrix, for many verifications: ten to fifty kilobytes.
#[derive(Clone, Debug)]
pub struct ExpandedVerifyingKey<P: ParameterSet> {
    inner: P::ExpandedPublic,
    backend: Backend,
}

impl<P: ParameterSet> Verifier<Signature<P>> for ExpandedVerifyingKey<P> {
    fn verify(&self, message: &[u8], signature: &Signature<P>) -> Result<(), signature::Error> {
        P::verify_expanded(self.backend, &self.inner, message, signature.as_ref())
            .map_err(|_| signature::Error::new())
    }
}

/// A secret key with its matrix and decoded polynomials, for many signatures. Zeroized on drop.
#[derive(Clone)]
pub struct ExpandedSigningKey<P: ParameterSet> {
    inner: P::ExpandedSecret,
    backend: Backend,
}

impl<P: ParameterSet> ExpandedSigningKey<P> {
    /// Signs as [`SigningKey::sign`] does.
    ///
    /// # Errors
    /// As [`SigningKey::sign`].
    pub fn sign<R: TryCryptoRng + ?Sized>(&self, rng: &mut R, message: &[u8]) -> Result<Signature<P>, Error> {
        let mut signature = Signature::<P>(P::SignatureBytes::zeroed());
        let draw = &mut draw_from(rng);
        P::sign_expanded(self.backend, draw, &self.inner, message, signature.0.as_mut())?;
        Ok(signature)
    }
}

impl<P: ParameterSet> RandomizedSigner<Signature<P>> for ExpandedSigningKey<P> {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature<P>, signature::Error> {
        self.sign(rng, message).map_err(|_| signature::Error::new())
    }
}

impl<P: ParameterSet> fmt::Debug for ExpandedSigningKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandedSigningKey").field("set", &P::NAME).finish_non_exhaustive()
    }
}

impl<P: ParameterSet> ZeroizeOnDrop for ExpandedSigningKey<P> {}
