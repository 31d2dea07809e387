//! Toy implementations, honest and not, and the facts about them. None of them protects anything.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use iccs::sm3;
use ngcc_api::{
    Backend, CryptoRng, Error, Instance, Kem, KemSizes, Registry, Scheme, Signature, SignatureSizes,
};
use ngcc_evidence::{Submission, kat_digest};
use ngcc_kat::Generator;

/// How a toy misbehaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Honest,
    Aborts,
    Hangs,
    Exits,
    Prints,
    Refuses,
    SignsJunk,
    AcceptsAll,
    /// Fails while the file of [`flaky_flag`] is there.
    Flaky,
    OtherSecret,
}

struct Toy(Manner);

/// Makes toys of kind [`Manner::Flaky`] fail while it is there. Named after the judge, whose child a worker is.
pub(crate) fn flaky_flag(judge: u32) -> PathBuf {
    std::env::temp_dir().join(format!("ngcc-lab-flaky-{judge}"))
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    sm3(&parts.concat())
}

impl Signature for Toy {
    fn sizes(&self) -> SignatureSizes {
        SignatureSizes { pk: 32, sk: 32, sig: 48 }
    }

    fn keygen(&self, _: Backend, rng: &mut dyn CryptoRng, pk: &mut [u8], sk: &mut [u8]) -> Result<(), Error> {
        rng.fill_bytes(sk);
        pk.copy_from_slice(&digest(&[sk]));
        Ok(())
    }

    fn sign(
        &self,
        _: Backend,
        rng: &mut dyn CryptoRng,
        sk: &[u8],
        message: &[u8],
        sig: &mut [u8],
    ) -> Result<usize, Error> {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        match self.0 {
            Manner::Aborts => {
                eprintln!("about to abort");
                std::process::abort()
            }
            Manner::Hangs => loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            },
            Manner::Exits => {
                println!("RESULT toy exits PASS");
                std::process::exit(0)
            }
            Manner::Prints => println!("RESULT toy prints PASS\nTRIAL 0 1 0.000001 1\nSTATUS complete"),
            Manner::Refuses if CALLS.fetch_add(1, Relaxed) == 50 => return Err(Error::IterationCap),
            Manner::Flaky if flaky_flag(std::os::unix::process::parent_id()).exists() => {
                return Err(Error::Random);
            }
            _ => {}
        }
        // Rejection: the first byte of the nonce must be small, so that calls have a geometric cost.
        loop {
            rng.fill_bytes(&mut sig[..16]);
            if sig[0] < 64 {
                break;
            }
        }
        let tag = digest(&[&digest(&[sk]), &sig[..16], message]);
        sig[16..].copy_from_slice(&tag);
        if self.0 == Manner::SignsJunk {
            sig[20] ^= 1;
        }
        Ok(sig.len())
    }

    fn verify(&self, _: Backend, pk: &[u8], message: &[u8], sig: &[u8]) -> Result<(), Error> {
        let tag = digest(&[pk, &sig[..16], message]);
        if tag == sig[16..] || self.0 == Manner::AcceptsAll { Ok(()) } else { Err(Error::Rejected) }
    }
}

impl Kem for Toy {
    fn sizes(&self) -> KemSizes {
        KemSizes { pk: 32, sk: 32, ct: 32, ss: 32 }
    }

    fn keygen(
        &self,
        backend: Backend,
        rng: &mut dyn CryptoRng,
        pk: &mut [u8],
        sk: &mut [u8],
    ) -> Result<(), Error> {
        Signature::keygen(self, backend, rng, pk, sk)
    }

    fn enc(
        &self,
        _: Backend,
        rng: &mut dyn CryptoRng,
        pk: &[u8],
        ct: &mut [u8],
        ss: &mut [u8],
    ) -> Result<(), Error> {
        rng.fill_bytes(ct);
        ss.copy_from_slice(&digest(&[pk, ct]));
        Ok(())
    }

    fn dec(&self, _: Backend, sk: &[u8], ct: &[u8], ss: &mut [u8]) -> Result<(), Error> {
        ss.copy_from_slice(&digest(&[&digest(&[sk]), ct]));
        if self.0 == Manner::OtherSecret {
            ss[0] ^= 1;
        }
        Ok(())
    }
}

const fn signature(name: &'static str, toy: &'static Toy) -> Instance {
    Instance {
        submission: "sign-99",
        name,
        library: "no_such_library",
        best: Backend::Portable,
        scheme: Scheme::Signature(toy),
    }
}

const fn kem(name: &'static str, toy: &'static Toy) -> Instance {
    Instance {
        submission: "kem-99",
        name,
        library: "no_such_library",
        best: Backend::Portable,
        scheme: Scheme::Kem(toy),
    }
}

static SIGNATURES: [Instance; 9] = [
    signature("Toy", &Toy(Manner::Honest)),
    signature("Aborts", &Toy(Manner::Aborts)),
    signature("Hangs", &Toy(Manner::Hangs)),
    signature("Exits", &Toy(Manner::Exits)),
    signature("Prints", &Toy(Manner::Prints)),
    signature("Refuses", &Toy(Manner::Refuses)),
    signature("SignsJunk", &Toy(Manner::SignsJunk)),
    signature("AcceptsAll", &Toy(Manner::AcceptsAll)),
    signature("Flaky", &Toy(Manner::Flaky)),
];

static KEMS: [Instance; 2] =
    [kem("ToyKem", &Toy(Manner::Honest)), kem("OtherSecret", &Toy(Manner::OtherSecret))];

/// All toys.
pub(crate) static REGISTRY: Registry = Registry(&[&SIGNATURES, &KEMS]);

/// The toy of a name.
pub(crate) fn toy(name: &str) -> &'static Instance {
    REGISTRY.iter().find(|i| i.name == name).unwrap()
}

/// Facts about all toys. The digests are those of `Toy` and `ToyKem`, so other toys that answer differ or agree by
/// their manner alone.
pub(crate) fn facts() -> Vec<Submission> {
    let text = |id: &str, kind: &str, sizes: &str, instances: &[Instance]| {
        let generator = Generator::new(&instances[0], Backend::Portable);
        let text: String = generator.map(|r| r.unwrap().to_string()).collect();
        let digest = kat_digest(text.as_bytes());
        let mut toml = format!("id = \"{id}\"\nalgorithm = \"Toy\"\ntitle = \"Toys\"\nkind = \"{kind}\"\n");
        for instance in instances {
            toml += &format!(
                "[[instances]]\nname = \"{}\"\nkat_sha256 = \"{digest}\"\npublic_key = 32\nsecret_key = 32\n{sizes}\nsize_basis = \"encoded\"\n",
                instance.name
            );
        }
        Submission::from_toml(&toml).unwrap()
    };
    vec![
        text("sign-99", "signature", "signature = 48", &SIGNATURES),
        text("kem-99", "kem", "ciphertext = 32\nshared_secret = 32", &KEMS),
    ]
}
