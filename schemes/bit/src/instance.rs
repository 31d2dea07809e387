//! The instances over byte buffers.

use core::marker::PhantomData;

use ngcc_api::{Backend, CryptoRng, Error, Instance, Part, Scheme, Signature, SignatureSizes, check_length};

use crate::key::ParameterSet;
use crate::params::{Bit128, Bit256, Bit512, ByteArray};

/// The instances of this crate: BiT-128, BiT-256 and BiT-512 of submission sign-02.
pub static INSTANCES: [Instance; 3] = [
    instance::<Bit128>("ngcc_bit_128", &Adapter(PhantomData::<Bit128>)),
    instance::<Bit256>("ngcc_bit_256", &Adapter(PhantomData::<Bit256>)),
    instance::<Bit512>("ngcc_bit_512", &Adapter(PhantomData::<Bit512>)),
];

const fn instance<P: ParameterSet>(library: &'static str, adapter: &'static Adapter<P>) -> Instance {
    Instance {
        submission: "sign-02",
        name: P::NAME,
        library,
        best: Backend::Avx512,
        scheme: Scheme::Signature(adapter),
    }
}

/// A parameter set as an object. Strict: signing checks the secret key on every call, `tr` included.
struct Adapter<P>(PhantomData<P>);

impl<P: ParameterSet> Signature for Adapter<P> {
    fn sizes(&self) -> SignatureSizes {
        SignatureSizes { pk: P::PublicKey::LEN, sk: P::SecretKey::LEN, sig: P::SignatureBytes::LEN }
    }

    fn keygen(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        pk: &mut [u8],
        sk: &mut [u8],
    ) -> Result<(), Error> {
        P::keygen(backend, &mut draw_from(rng), pk, sk)
    }

    fn sign(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        sk: &[u8],
        message: &[u8],
        sig: &mut [u8],
    ) -> Result<usize, Error> {
        check_length(Part::Signature, P::SignatureBytes::LEN, sig.len())?;
        P::sign_unchecked(backend, &mut draw_from(rng), sk, message, sig)?;
        Ok(sig.len())
    }

    fn verify(&self, backend: Backend, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error> {
        P::verify(backend, pk, message, sig)
    }
}

/// One draw is one `fill_bytes`.
fn draw_from(rng: &mut dyn CryptoRng) -> impl FnMut(&mut [u8]) -> Result<(), Error> + '_ {
    |out| {
        rng.fill_bytes(out);
        Ok(())
    }
}
