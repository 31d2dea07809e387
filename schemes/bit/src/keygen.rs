//! Key generation (specification section 7) and the parts of decoded keys.

use iccs::{LongHash, Sm3, pseudohash512};
use ngcc_api::{Error, Part, check_length};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::encode::{decode_b0, decode_b1, decode_ternary, encode_b0, encode_b1, encode_ternary, wipe};
use crate::kernel::Isa;
use crate::params::{ByteArray, Set};
use crate::sample::{expand_rows, ternary};

/// One draw of random bytes.
pub(crate) type Draw<'a> = &'a mut dyn FnMut(&mut [u8]) -> Result<(), Error>;

/// `H(M)` of the concatenated parts (section 1).
pub(crate) fn hash<P: Set<N>, const N: usize>(isa: Isa, parts: &[&[u8]]) -> P::Hash {
    let mut digest = P::Hash::zeroed();
    if P::LAMBDA == 32 {
        let mut sm3 = Sm3::with_backend(isa.backend());
        for part in parts {
            sm3.update(part);
        }
        digest.as_mut().copy_from_slice(&sm3.finalize());
    } else {
        digest.as_mut().copy_from_slice(&pseudohash512(isa.backend(), parts));
    }
    digest
}

/// `H` of a public key, to be computed beside its matrix.
const fn hash_of_pk<P: Set<N>, const N: usize>() -> LongHash {
    if P::LAMBDA == 32 { LongHash::sm3() } else { LongHash::pseudohash512() }
}

/// The expanded public part of a key: what signing and verifying multiply by.
#[derive(Clone, Debug)]
pub(crate) struct Public<const N: usize> {
    /// `Â`, entry `3i + j`.
    pub(crate) a: [[i32; N]; 9],
    /// The transform of `q̂·(1, 0, 0)ᵀ − B`: the multiplier of `y₀` and `z₀`.
    pub(crate) first: [[i32; N]; 3],
}

impl<const N: usize> Public<N> {
    /// All zero.
    pub(crate) const fn new() -> Self {
        Self { a: [[0; N]; 9], first: [[0; N]; 3] }
    }

    /// Decodes and expands a public key of the right length.
    ///
    /// # Errors
    /// [`Error::Encoding`] for non-canonical `b₁`, which the reference accepts (section 11).
    pub(crate) fn decode<P: Set<N>>(&mut self, isa: Isa, pk: &[u8]) -> Result<(), Error> {
        self.expand::<P>(isa, pk, (&mut hash_of_pk::<P, N>(), &[]))
    }

    /// [`Public::decode`], with `H(pk)` computed beside the matrix.
    ///
    /// # Errors
    /// As [`Public::decode`].
    pub(crate) fn decode_and_hash<P: Set<N>>(&mut self, isa: Isa, pk: &[u8]) -> Result<P::Hash, Error> {
        let (mut hash, mut tr) = (hash_of_pk::<P, N>(), P::Hash::zeroed());
        self.expand::<P>(isa, pk, (&mut hash, pk))?;
        hash.finish(isa.backend(), pk, tr.as_mut());
        Ok(tr)
    }

    fn expand<P: Set<N>>(
        &mut self,
        isa: Isa,
        pk: &[u8],
        beside: (&mut LongHash, &[u8]),
    ) -> Result<(), Error> {
        let (rho, encoded) = pk.split_at(P::KAPPA);
        for (i, (row, bytes)) in self.first.iter_mut().zip(encoded.chunks_exact(P::B1_LEN)).enumerate() {
            let mut b1 = [0; N];
            if !decode_b1::<P, N>(isa, bytes, &mut b1) {
                return Err(Error::Encoding(Part::PublicKey));
            }
            for (x, b1) in row.iter_mut().zip(b1) {
                *x = -(i32::from(b1) << P::LOG_GAMMA_B);
            }
            if i == 0 {
                row[0] += P::Q_HALF;
            }
            isa.ntt::<P, N>(row);
        }
        expand_rows::<P, N>(isa, rho, 0, &mut self.a, &mut P::MatrixBuffer::zeroed(), beside);
        Ok(())
    }

    /// `w[i] = Σ_j A_ij·x_j + first[i]·x₀`, in the coefficient domain, reduced; `x` is consumed as scratch.
    pub(crate) fn multiply<P: Set<N>>(&self, isa: Isa, x: &mut Operand<N>, w: &mut [[i32; N]; 3]) {
        x.transform::<P>(isa);
        let [x0, x1, x2, x3] = &x.value;
        let [c0, c1, c2, c3] = &x.crossed;
        for (i, w) in w.iter_mut().enumerate() {
            let row = &self.a[3 * i..];
            isa.mul_row::<P, N>(
                &[&row[0], &row[1], &row[2], &self.first[i]],
                &[x0, x1, x2, x3],
                &[c0, c1, c2, c3],
                w,
            );
            isa.intt::<P, N>(w);
        }
    }
}

/// Four polynomials to be multiplied by a key, `x₁` in entries 0 to 2 and `x₀` in entry 3, with their cross factors.
#[derive(Clone, Debug)]
pub(crate) struct Operand<const N: usize> {
    value: [[i32; N]; 4],
    crossed: [[i32; N]; 4],
}

impl<const N: usize> Operand<N> {
    /// All zero.
    pub(crate) const fn new() -> Self {
        Self { value: [[0; N]; 4], crossed: [[0; N]; 4] }
    }

    /// Sets the polynomials.
    pub(crate) fn set(&mut self, isa: Isa, x1: &[[i16; N]; 3], x0: &[i16; N]) {
        for (wide, narrow) in self.value.iter_mut().zip(x1.iter().chain([x0])) {
            isa.widen(narrow, wide);
        }
    }

    /// Transforms all four and computes the cross factors.
    fn transform<P: Set<N>>(&mut self, isa: Isa) {
        for (x, crossed) in self.value.iter_mut().zip(&mut self.crossed) {
            isa.ntt::<P, N>(x);
            if !P::COMPLETE {
                isa.cross::<P, N>(x, crossed);
            }
        }
    }

    /// Zeroizes all polynomials.
    pub(crate) fn wipe(&mut self) {
        wipe(self.value.as_flattened_mut());
        wipe(self.crossed.as_flattened_mut());
    }
}

/// The decoded secret polynomials, each as `−s ‖ s` for the sparse products.
#[derive(Clone)]
pub(crate) struct Secret<const N: usize> {
    /// `s₀`.
    pub(crate) s0: [[[i8; N]; 2]; 3],
    /// `e`.
    pub(crate) e: [[[i8; N]; 2]; 3],
    /// `b₀`.
    pub(crate) b0: [[[i16; N]; 2]; 3],
}

impl<const N: usize> Secret<N> {
    /// All zero.
    pub(crate) const fn new() -> Self {
        Self { s0: [[[0; N]; 2]; 3], e: [[[0; N]; 2]; 3], b0: [[[0; N]; 2]; 3] }
    }

    /// Decodes the part of a secret key behind `tr`.
    ///
    /// # Errors
    /// [`Error::Encoding`] for a ternary field with code 2, which the reference reads as −2 (section 11).
    pub(crate) fn decode<P: Set<N>>(&mut self, isa: Isa, bytes: &[u8]) -> Result<(), Error> {
        let (short, long) = bytes.split_at(6 * P::TERNARY_LEN);
        let mut valid = true;
        for (s, bytes) in self.s0.iter_mut().chain(&mut self.e).zip(short.chunks_exact(P::TERNARY_LEN)) {
            let [minus, plus] = s;
            valid &= decode_ternary::<P, N>(isa, bytes, plus);
            for (m, p) in minus.iter_mut().zip(plus) {
                *m = -*p;
            }
        }
        for (b0, bytes) in self.b0.iter_mut().zip(long.chunks_exact(P::B0_LEN)) {
            let [minus, plus] = b0;
            decode_b0::<P, N>(isa, bytes, plus);
            for (m, p) in minus.iter_mut().zip(plus) {
                *m = -*p;
            }
        }
        if valid { Ok(()) } else { Err(Error::Encoding(Part::SecretKey)) }
    }
}

impl<const N: usize> Drop for Secret<N> {
    fn drop(&mut self) {
        wipe(self.s0.as_flattened_mut().as_flattened_mut());
        wipe(self.e.as_flattened_mut().as_flattened_mut());
        wipe(self.b0.as_flattened_mut().as_flattened_mut());
    }
}

impl<const N: usize> ZeroizeOnDrop for Secret<N> {}

/// The fields of an encoded secret key.
pub(crate) struct SecretKeyFields<'a> {
    /// The public key.
    pub(crate) pk: &'a [u8],
    /// `σ`.
    pub(crate) sigma: &'a [u8],
    /// `tr`.
    pub(crate) tr: &'a [u8],
    /// `s₀ ‖ e ‖ b₀`.
    pub(crate) polynomials: &'a [u8],
}

impl<'a> SecretKeyFields<'a> {
    /// Cuts a secret key of the right length.
    pub(crate) fn new<P: Set<N>, const N: usize>(sk: &'a [u8]) -> Self {
        let (pk, rest) = sk.split_at(P::PK_LEN);
        let (sigma, rest) = rest.split_at(P::KAPPA);
        let (tr, polynomials) = rest.split_at(P::LAMBDA);
        Self { pk, sigma, tr, polynomials }
    }

    /// Checks that `tr` is the expected hash of the public key.
    ///
    /// # Errors
    /// [`Error::Encoding`] if not. The reference trusts `tr` (section 11).
    pub(crate) fn check_tr<H: ByteArray>(&self, expected: &H) -> Result<(), Error> {
        if bool::from(expected.as_ref().ct_eq(self.tr)) {
            Ok(())
        } else {
            Err(Error::Encoding(Part::SecretKey))
        }
    }
}

/// Generates a key pair into `pk` and `sk` (section 7): two draws of κ bytes.
///
/// # Errors
/// [`Error::Length`] if a buffer is not of its declared length, and what `draw` gives.
pub(crate) fn keygen<P: Set<N>, const N: usize>(
    isa: Isa,
    draw: Draw<'_>,
    pk: &mut [u8],
    sk: &mut [u8],
) -> Result<(), Error> {
    check_length(Part::PublicKey, P::PK_LEN, pk.len())?;
    check_length(Part::SecretKey, P::SK_LEN, sk.len())?;
    let mut sigma = P::Seed::zeroed();
    let mut seed = P::Seed::zeroed();
    draw(seed.as_mut())?;
    draw(sigma.as_mut())?;
    expand_key::<P, N>(isa, seed.as_ref(), sigma.as_ref(), pk, sk);
    sigma.zeroize();
    Ok(())
}

/// The key pair of the seeds `ρ` and `σ`.
///
/// The matrix is expanded row by row, so that what is known of the public key is hashed beside the next row.
fn expand_key<P: Set<N>, const N: usize>(isa: Isa, rho: &[u8], sigma: &[u8], pk: &mut [u8], sk: &mut [u8]) {
    let mut secret = [[0; N]; 6];
    ternary::<P, N>(isa, sigma, &mut secret);
    let mut x = Operand::new();
    for (wide, narrow) in x.value.iter_mut().zip(&secret[..3]) {
        *wide = narrow.map(i32::from);
    }
    x.transform::<P>(isa);

    let (encoded_pk, rest) = sk.split_at_mut(P::PK_LEN);
    let (sk_sigma, rest) = rest.split_at_mut(P::KAPPA);
    let (sk_tr, rest) = rest.split_at_mut(P::LAMBDA);
    let (short, long) = rest.split_at_mut(6 * P::TERNARY_LEN);
    for rho_out in [&mut *pk, encoded_pk] {
        rho_out[..P::KAPPA].copy_from_slice(rho);
    }
    sk_sigma.copy_from_slice(sigma);
    for (s, out) in secret.iter().zip(short.chunks_exact_mut(P::TERNARY_LEN)) {
        encode_ternary::<P, N>(isa, s, out);
    }
    let ([mut b1, mut b0], mut b) = ([[0i16; N]; 2], [0; N]);
    let (mut hash, mut known) = (hash_of_pk::<P, N>(), P::KAPPA);
    let mut row = [[0; N]; 3];
    let mut buffer = P::MatrixBuffer::zeroed();
    for (i, (e, b0_out)) in secret[3..].iter().zip(long.chunks_exact_mut(P::B0_LEN)).enumerate() {
        expand_rows::<P, N>(isa, rho, i, &mut row, &mut buffer, (&mut hash, &pk[..known]));
        let [x0, x1, x2, _] = &x.value;
        let [c0, c1, c2, _] = &x.crossed;
        isa.mul_row::<P, N>(&[&row[0], &row[1], &row[2]], &[x0, x1, x2], &[c0, c1, c2], &mut b);
        isa.intt::<P, N>(&mut b);
        for (b, e) in b.iter_mut().zip(e) {
            *b += i32::from(*e);
        }
        isa.split::<P, N>(&b, &mut b1, &mut b0);
        let encoded = &mut pk[known..known + P::B1_LEN];
        encode_b1::<P, N>(isa, &b1, encoded);
        encoded_pk[known..known + P::B1_LEN].copy_from_slice(encoded);
        encode_b0::<P, N>(isa, &b0, b0_out);
        known += P::B1_LEN;
    }
    hash.finish(isa.backend(), pk, sk_tr);

    wipe(secret.as_flattened_mut());
    wipe(&mut b);
    wipe(&mut b0);
    x.wipe();
}

/// Checks that a public key of any length is one that key generation could write.
///
/// # Errors
/// [`Error::Length`], [`Error::Encoding`] for non-canonical `b₁`.
pub(crate) fn check_pk<P: Set<N>, const N: usize>(isa: Isa, pk: &[u8]) -> Result<(), Error> {
    check_length(Part::PublicKey, P::PK_LEN, pk.len())?;
    let mut b1 = [0; N];
    let mut rows = pk[P::KAPPA..].chunks_exact(P::B1_LEN);
    if rows.all(|bytes| decode_b1::<P, N>(isa, bytes, &mut b1)) {
        Ok(())
    } else {
        Err(Error::Encoding(Part::PublicKey))
    }
}

/// Checks that a secret key of any length is well formed and belongs to the public key in it as far as `tr` tells.
///
/// # Errors
/// [`Error::Length`], [`Error::Encoding`] for non-canonical `b₁`, a ternary code 2, or a `tr` that is not the hash of
/// the public key.
pub(crate) fn check_sk<P: Set<N>, const N: usize>(isa: Isa, sk: &[u8]) -> Result<(), Error> {
    check_length(Part::SecretKey, P::SK_LEN, sk.len())?;
    let fields = SecretKeyFields::new::<P, N>(sk);
    check_pk::<P, N>(isa, fields.pk).map_err(|_| Error::Encoding(Part::SecretKey))?;
    Secret::new().decode::<P>(isa, fields.polynomials)?;
    fields.check_tr(&hash::<P, N>(isa, &[fields.pk]))
}
