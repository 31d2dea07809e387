//! Expanded keys: what signing and verifying of many messages under one key need, computed once.

use ngcc_api::{Error, Part, check_length};
use zeroize::ZeroizeOnDrop;

use crate::kernel::Isa;
use crate::keygen::{Public, Secret, SecretKeyFields};
use crate::params::{ByteArray, Set};

/// An expanded public key.
#[derive(Clone, Debug)]
pub struct ExpandedPublic<H, const N: usize> {
    pub(crate) public: Public<N>,
    pub(crate) tr: H,
}

impl<H: ByteArray, const N: usize> ExpandedPublic<H, N> {
    /// Expands a public key.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Encoding`] for non-canonical `b₁`.
    pub(crate) fn new<P: Set<N, Hash = H>>(isa: Isa, pk: &[u8]) -> Result<Self, Error> {
        check_length(Part::PublicKey, P::PK_LEN, pk.len())?;
        let mut expanded = Self { public: Public::new(), tr: P::Hash::zeroed() };
        expanded.tr = expanded.public.decode_and_hash::<P>(isa, pk)?;
        Ok(expanded)
    }
}

/// An expanded secret key. Zeroized on drop.
#[derive(Clone)]
pub struct ExpandedSecret<S: ByteArray, H: ByteArray, const N: usize> {
    pub(crate) public: Public<N>,
    pub(crate) secret: Secret<N>,
    pub(crate) sigma: S,
    pub(crate) tr: H,
}

impl<S: ByteArray, H: ByteArray, const N: usize> ExpandedSecret<S, H, N> {
    /// Expands a secret key.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Encoding`] for a key that key generation does not write.
    pub(crate) fn new<P: Set<N, Seed = S, Hash = H>>(isa: Isa, sk: &[u8]) -> Result<Self, Error> {
        check_length(Part::SecretKey, P::SK_LEN, sk.len())?;
        let fields = SecretKeyFields::new::<P, N>(sk);
        let (mut sigma, mut tr) = (P::Seed::zeroed(), P::Hash::zeroed());
        sigma.as_mut().copy_from_slice(fields.sigma);
        tr.as_mut().copy_from_slice(fields.tr);
        let mut expanded = Self { public: Public::new(), secret: Secret::new(), sigma, tr };
        expanded.secret.decode::<P>(isa, fields.polynomials)?;
        let expected = expanded.public.decode_and_hash::<P>(isa, fields.pk);
        fields.check_tr(&expected.map_err(|_| Error::Encoding(Part::SecretKey))?)?;
        Ok(expanded)
    }
}

impl<S: ByteArray, H: ByteArray, const N: usize> Drop for ExpandedSecret<S, H, N> {
    fn drop(&mut self) {
        self.sigma.zeroize();
    }
}

impl<S: ByteArray, H: ByteArray, const N: usize> ZeroizeOnDrop for ExpandedSecret<S, H, N> {}
