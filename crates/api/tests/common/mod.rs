//! A signature and a KEM that are quick, deterministic and of no security, in sound and defective versions.
#![allow(dead_code, reason = "each test program uses a part")]

use ngcc_api::{
    Backend, CryptoRng, Error, Instance, Kem, KemSizes, Part, Scheme, Signature, SignatureSizes, check_length,
};

/// How a toy misbehaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defect {
    None,
    /// Verification rejects everything; decapsulation gives another secret.
    Rejects,
    /// Verification accepts everything.
    Accepts,
    /// Signing reports more bytes than it was given.
    Overflows,
    /// Key generation fails.
    Fails,
}

pub(crate) struct Toy(Defect);

fn sm3(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = iccs::Sm3::new();
    parts.iter().for_each(|p| hash.update(p));
    hash.finalize()
}

fn keygen(rng: &mut dyn CryptoRng, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
    check_length(Part::PublicKey, 32, pk.len())?;
    check_length(Part::SecretKey, 64, sk.len())?;
    rng.fill_bytes(&mut sk[..32]);
    pk.copy_from_slice(&sm3(&[&sk[..32]]));
    sk[32..].copy_from_slice(pk);
    Ok(())
}

fn public(sk: &[u8]) -> Result<&[u8], Error> {
    check_length(Part::SecretKey, 64, sk.len())?;
    if sk[32..] == sm3(&[&sk[..32]]) { Ok(&sk[32..]) } else { Err(Error::Encoding(Part::SecretKey)) }
}

/// Signatures have 48 to 51 bytes, by the length of the message.
impl Signature for Toy {
    fn sizes(&self) -> SignatureSizes {
        SignatureSizes { pk: 32, sk: 64, sig: 51 }
    }

    fn keygen(&self, _: Backend, rng: &mut dyn CryptoRng, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        if self.0 == Defect::Fails {
            return Err(Error::Random);
        }
        keygen(rng, pk, sk)
    }

    fn sign(
        &self,
        _: Backend,
        rng: &mut dyn CryptoRng,
        sk: &[u8],
        message: &[u8],
        sig: &mut [u8],
    ) -> Result<usize, Error> {
        check_length(Part::Signature, 51, sig.len())?;
        let pk = public(sk)?;
        rng.fill_bytes(&mut sig[..16]);
        let tag = sm3(&[pk, &sig[..16], message]);
        sig[16..48].copy_from_slice(&tag);
        let padding = message.len() / 8 % 4;
        sig[48..].fill(0);
        Ok(if self.0 == Defect::Overflows { 52 } else { 48 + padding })
    }

    fn verify(&self, _: Backend, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error> {
        check_length(Part::PublicKey, 32, pk.len())?;
        check_length(Part::Signature, 48 + message.len() / 8 % 4, sig.len())?;
        let good = sig[16..48] == sm3(&[pk, &sig[..16], message]) && sig[48..].iter().all(|b| *b == 0);
        if self.0 == Defect::Accepts || (good && self.0 != Defect::Rejects) {
            Ok(())
        } else {
            Err(Error::Rejected)
        }
    }
}

impl Kem for Toy {
    fn sizes(&self) -> KemSizes {
        KemSizes { pk: 32, sk: 64, ct: 24, ss: 32 }
    }

    fn keygen(&self, _: Backend, rng: &mut dyn CryptoRng, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        keygen(rng, pk, sk)
    }

    fn enc(
        &self,
        _: Backend,
        rng: &mut dyn CryptoRng,
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Error> {
        check_length(Part::PublicKey, 32, pk.len())?;
        check_length(Part::Ciphertext, 24, ct.len())?;
        check_length(Part::SharedSecret, 32, ss.len())?;
        rng.fill_bytes(ct);
        ss.copy_from_slice(&sm3(&[pk, ct]));
        Ok(())
    }

    fn dec(&self, _: Backend, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Error> {
        let pk = public(sk)?;
        check_length(Part::Ciphertext, 24, ct.len())?;
        check_length(Part::SharedSecret, 32, ss.len())?;
        ss.copy_from_slice(&sm3(&[pk, ct]));
        if self.0 == Defect::Rejects {
            ss[31] ^= 1;
        }
        Ok(())
    }
}

/// The toy signature with a defect.
pub(crate) const fn signature(defect: Defect) -> Instance {
    let toy: &'static Toy = match defect {
        Defect::None => &Toy(Defect::None),
        Defect::Rejects => &Toy(Defect::Rejects),
        Defect::Accepts => &Toy(Defect::Accepts),
        Defect::Overflows => &Toy(Defect::Overflows),
        Defect::Fails => &Toy(Defect::Fails),
    };
    Instance {
        submission: "sign-00",
        name: "Toy-51",
        library: "ngcc_toy_51",
        best: Backend::Portable,
        scheme: Scheme::Signature(toy),
    }
}

/// The toy KEM, sound or with secrets that differ.
pub(crate) const fn kem(defect: Defect) -> Instance {
    let toy: &'static Toy = match defect {
        Defect::Rejects => &Toy(Defect::Rejects),
        _ => &Toy(Defect::None),
    };
    Instance {
        submission: "kem-00",
        name: "Toy-24",
        library: "ngcc_toy_24",
        best: Backend::Portable,
        scheme: Scheme::Kem(toy),
    }
}
