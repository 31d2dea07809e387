//! The errors of an operation.

use core::fmt;

/// A byte string that an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Public key, `pk`.
    PublicKey,
    /// Secret key, `sk`.
    SecretKey,
    /// Signature, `sn` in the ICCS API.
    Signature,
    /// Ciphertext, `ct`.
    Ciphertext,
    /// Shared secret, `ss`.
    SharedSecret,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PublicKey => "public key",
            Self::SecretKey => "secret key",
            Self::Signature => "signature",
            Self::Ciphertext => "ciphertext",
            Self::SharedSecret => "shared secret",
        })
    }
}

/// Why an operation gave no result. No variant carries secret data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A buffer has the wrong length.
    #[error("the {part} has {actual} bytes; this instance takes exactly {expected}")]
    Length {
        /// Which buffer.
        part: Part,
        /// Bytes that the instance takes.
        expected: usize,
        /// Bytes that were given.
        actual: usize,
    },
    /// A key or ciphertext is not one that key generation or encapsulation writes.
    #[error("the {0} is not a valid encoding")]
    Encoding(Part),
    /// The signature is not one of this message under this public key.
    #[error("the signature was rejected")]
    Rejected,
    /// Signing reached its iteration cap: the key is inconsistent or the random source is broken.
    #[error("signing gave up after its iteration cap; check the secret key and the random source")]
    IterationCap,
    /// The random source failed.
    #[error("the random source failed")]
    Random,
}
