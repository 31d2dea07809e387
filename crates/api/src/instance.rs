//! Instances: one parameter set of one submission, with its operations.

use core::fmt;

use rand_core::CryptoRng;

use crate::{Backend, Error, Part};

/// The function of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Digital signature.
    Signature,
    /// Key encapsulation mechanism.
    Kem,
}

impl Kind {
    /// The operations of this kind, in the order of the published pages.
    #[must_use]
    pub const fn operations(self) -> [Operation; 3] {
        match self {
            Self::Signature => [Operation::Keygen, Operation::Sign, Operation::Verify],
            Self::Kem => [Operation::Keygen, Operation::Enc, Operation::Dec],
        }
    }

    /// `signature` or `kem`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Kem => "kem",
        }
    }
}

/// An operation of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Key generation.
    Keygen,
    /// Signing.
    Sign,
    /// Verification.
    Verify,
    /// Encapsulation.
    Enc,
    /// Decapsulation.
    Dec,
}

impl Operation {
    /// All operations, in the order of the published pages.
    pub const ALL: [Self; 5] = [Self::Keygen, Self::Enc, Self::Dec, Self::Sign, Self::Verify];

    /// The name in records and options: `keygen`, `sign`, `verify`, `enc`, `dec`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::Verify => "verify",
            Self::Enc => "enc",
            Self::Dec => "dec",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Lengths in bytes of what a signature instance reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureSizes {
    /// Public key.
    pub pk: usize,
    /// Secret key.
    pub sk: usize,
    /// Signature, the longest one where the length varies.
    pub sig: usize,
}

/// Lengths in bytes of what a KEM instance reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KemSizes {
    /// Public key.
    pub pk: usize,
    /// Secret key.
    pub sk: usize,
    /// Ciphertext.
    pub ct: usize,
    /// Shared secret.
    pub ss: usize,
}

/// A signature instance over byte buffers.
///
/// Every call decodes what it is given and keeps nothing. Output buffers have exactly the declared length; on an error
/// their content is unspecified but never secret. `rng` is drawn from as the specification says, one `fill_bytes` for
/// each DRNG call, so that a known-answer run is the same code as any other. A `backend` that the machine lacks falls
/// back to one it has.
pub trait Signature: Sync {
    /// Lengths of keys and signatures.
    fn sizes(&self) -> SignatureSizes;

    /// Generates a key pair.
    ///
    /// # Errors
    /// [`Error::Length`] if a buffer is not of its declared length, [`Error::Random`].
    fn keygen(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        pk: &mut [u8],
        sk: &mut [u8],
    ) -> Result<(), Error>;

    /// Signs `message`; returns the number of bytes of the signature.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Encoding`] for a malformed `sk`, [`Error::Random`], [`Error::IterationCap`].
    fn sign(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        sk: &[u8],
        message: &[u8],
        sig: &mut [u8],
    ) -> Result<usize, Error>;

    /// Verifies a signature.
    ///
    /// # Errors
    /// [`Error::Rejected`] or, where the input is malformed, [`Error::Length`] or [`Error::Encoding`]: all mean "no".
    fn verify(&self, backend: Backend, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error>;
}

/// A KEM instance over byte buffers, with the rules of [`Signature`].
pub trait Kem: Sync {
    /// Lengths of keys, ciphertexts and shared secrets.
    fn sizes(&self) -> KemSizes;

    /// Generates a key pair.
    ///
    /// # Errors
    /// [`Error::Length`] if a buffer is not of its declared length, [`Error::Random`].
    fn keygen(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        pk: &mut [u8],
        sk: &mut [u8],
    ) -> Result<(), Error>;

    /// Encapsulates: writes a ciphertext and its shared secret.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Encoding`] for a malformed `pk`, [`Error::Random`].
    fn enc(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Error>;

    /// Decapsulates. A ciphertext of the right length that was not honestly made gives the implicit-rejection secret.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Encoding`] for a malformed `sk`.
    fn dec(&self, backend: Backend, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Error>;
}

/// The operations of an instance, by kind.
#[derive(Clone, Copy)]
pub enum Scheme {
    /// A digital signature.
    Signature(&'static dyn Signature),
    /// A key encapsulation mechanism.
    Kem(&'static dyn Kem),
}

/// One parameter set of one submission.
#[derive(Clone, Copy)]
pub struct Instance {
    /// Submission id, `sign-02`.
    pub submission: &'static str,
    /// Name of the parameter set as the submission gives it, `BiT-128`.
    pub name: &'static str,
    /// Stem of the shared library with the C API, `ngcc_bit_128`.
    pub library: &'static str,
    /// Fastest back-end that has code of its own for this instance.
    pub best: Backend,
    /// The operations.
    pub scheme: Scheme,
}

impl Instance {
    /// Signature or KEM.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self.scheme {
            Scheme::Signature(_) => Kind::Signature,
            Scheme::Kem(_) => Kind::Kem,
        }
    }

    /// The back-ends that have code of their own for this instance and run on this machine, slowest first.
    pub fn variants(&self) -> impl Iterator<Item = Backend> + use<> {
        let best = self.best;
        Backend::available().filter(move |b| *b <= best)
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.submission, self.name)
    }
}

/// The instances that a program knows: the concatenation of the lists of its schemes.
#[derive(Clone, Copy)]
pub struct Registry(pub &'static [&'static [Instance]]);

impl Registry {
    /// All instances, in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &'static Instance> + use<> {
        self.0.iter().copied().flatten()
    }

    /// The instance of exactly this submission and name.
    #[must_use]
    pub fn find(&self, submission: &str, name: &str) -> Option<&'static Instance> {
        self.iter().find(|i| i.submission == submission && i.name == name)
    }
}

/// Checks that a buffer has the length that the instance takes.
///
/// # Errors
/// [`Error::Length`] otherwise.
pub const fn check_length(part: Part, expected: usize, actual: usize) -> Result<(), Error> {
    if expected == actual { Ok(()) } else { Err(Error::Length { part, expected, actual }) }
}
