//! Verification (specification section 9).

use ngcc_api::{Error, Part, check_length};

use crate::encode::{decode_hint, decode_z0, decode_z1, pack_w1};
use crate::kernel::Isa;
use crate::keygen::{Operand, Public, hash};
use crate::params::Set;
use crate::sample::challenge;

/// Verifies `sig` on `message` under an encoded public key.
///
/// # Errors
/// [`Error::Length`], [`Error::Encoding`] for a non-canonical key or signature, [`Error::Rejected`].
pub(crate) fn verify<P: Set<N>, const N: usize>(
    isa: Isa,
    pk: &[u8],
    message: &[u8],
    sig: &[u8],
) -> Result<(), Error> {
    check_length(Part::PublicKey, P::PK_LEN, pk.len())?;
    check_length(Part::Signature, P::SIG_LEN, sig.len())?;
    let mut public = Public::new();
    let tr = public.decode_and_hash::<P>(isa, pk)?;
    verify_expanded::<P, N>(isa, &public, tr.as_ref(), message, sig)
}

/// Verifies under an expanded key.
///
/// # Errors
/// As [`verify`].
pub(crate) fn verify_expanded<P: Set<N>, const N: usize>(
    isa: Isa,
    public: &Public<N>,
    tr: &[u8],
    message: &[u8],
    sig: &[u8],
) -> Result<(), Error> {
    check_length(Part::Signature, P::SIG_LEN, sig.len())?;
    let (c_tilde, rest) = sig.split_at(P::LAMBDA);
    let (z0_bytes, rest) = rest.split_at(P::Z0_LEN);
    let (z1_bytes, hint_bytes) = rest.split_at(3 * P::Z1_LEN);

    let (mut z0, mut z1, mut h) = ([0; N], [[0; N]; 3], [[0; N]; 3]);
    let mut valid = decode_z0::<P, N>(isa, z0_bytes, &mut z0);
    for (z1, bytes) in z1.iter_mut().zip(z1_bytes.chunks_exact(P::Z1_LEN)) {
        valid &= decode_z1::<P, N>(isa, bytes, z1);
    }
    for (h, bytes) in h.iter_mut().zip(hint_bytes.chunks_exact(P::HINT_LEN)) {
        valid &= decode_hint::<P, N>(isa, bytes, h);
    }
    if !valid {
        return Err(Error::Encoding(Part::Signature));
    }

    let c = challenge::<P, N>(isa, c_tilde);
    let mut x = Operand::new();
    x.set(isa, &z1, &z0);
    let mut w = [[0; N]; 3];
    public.multiply::<P>(isa, &mut x, &mut w);
    for &p in c.support() {
        w[0][usize::from(p)] += P::Q_HALF;
    }
    let mut w1 = [[0; N]; 3];
    for ((w, h), w1) in w.iter().zip(&h).zip(&mut w1) {
        isa.use_hint::<P, N>(w, h, w1);
    }
    let mu = hash::<P, N>(isa, &[tr, message]);
    let packed = pack_w1::<P, N>(isa, &w1);
    // Both sides are public.
    if hash::<P, N>(isa, &[mu.as_ref(), packed.as_ref()]).as_ref() == c_tilde {
        Ok(())
    } else {
        Err(Error::Rejected)
    }
}
