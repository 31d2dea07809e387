//! Generation of known answers, record by record.

use std::fmt;

use iccs::Drng;
use ngcc_api::{Backend, Error, Instance, Kem, Operation, Scheme, Signature};

use crate::{Field, Record, Status};

/// Records of a submitted text.
pub const RECORDS: u32 = 10;

/// Bytes of a record's seed.
const SEED_LEN: usize = 64;
/// Bytes of the message of record 0, and how many more each next record has.
const FIRST_MESSAGE_LEN: usize = 56;
const MESSAGE_STEP: usize = 8;

/// A deterministic deviation of a *submitted* text from what the instance writes.
///
/// It is applied to each record after all checks on the genuine values have passed, and may change any item from the
/// record's own values. A submission whose submitted text cannot come from a correct implementation describes that text
/// here and nowhere else.
pub type Emulation = fn(&mut Record);

/// What went wrong in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// An operation on honest input returned an error.
    #[error("{operation} failed on honest input: {error}")]
    Operation {
        /// Which operation.
        operation: Operation,
        /// What it returned.
        error: Error,
    },
    /// Verification accepted the message with its top bit flipped.
    #[error("verify accepted a modified message")]
    ModifiedAccepted,
    /// Decapsulation gave another secret than encapsulation.
    #[error("dec gave another shared secret than enc")]
    SecretsDiffer,
    /// The instance reports more bytes than the buffer holds.
    #[error("{operation} reported {returned} bytes in a buffer of {declared}")]
    Overflow {
        /// Which operation.
        operation: Operation,
        /// Declared length, bytes.
        declared: usize,
        /// Reported length, bytes.
        returned: usize,
    },
}

/// A record that could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerateError {
    /// Number of the record, from 0.
    pub record: u32,
    /// What went wrong.
    pub failure: Failure,
}

impl GenerateError {
    /// [`Status::Overflow`] or [`Status::CryptoFail`].
    #[must_use]
    pub const fn status(&self) -> Status {
        match self.failure {
            Failure::Overflow { .. } => Status::Overflow,
            _ => Status::CryptoFail,
        }
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}: {}", self.record, self.failure)
    }
}

impl std::error::Error for GenerateError {}

/// The records of an instance's known-answer text, made one at a time (ICCS specification, section 4).
///
/// Each record is checked before it is handed out: the honest signature verifies and is rejected for the message with
/// its top bit flipped; the decapsulated secret equals the encapsulated one. The first failure ends the iteration.
pub struct Generator {
    scheme: Scheme,
    backend: Backend,
    seeds: Drng,
    messages: Drng,
    next: u32,
    end: u32,
    emulation: Option<Emulation>,
}

impl Generator {
    /// The [`RECORDS`] records of `instance`, computed by `backend` (or the nearest one that the machine has).
    #[must_use]
    pub fn new(instance: &Instance, backend: Backend) -> Self {
        let repeated = |word: &[u8]| -> Vec<u8> { word.iter().copied().cycle().take(SEED_LEN).collect() };
        Self {
            scheme: instance.scheme,
            backend: backend.or_available(),
            seeds: Drng::from_seed(&repeated(b"seed")),
            messages: Drng::from_seed(&repeated(b"msg")),
            next: 0,
            end: RECORDS,
            emulation: None,
        }
    }

    /// Makes `count` records instead of [`RECORDS`]. The first ones are the same whatever the count.
    #[must_use]
    pub const fn records(mut self, count: u32) -> Self {
        self.end = count;
        self
    }

    /// Rewrites each record as the submitted text has it.
    #[must_use]
    pub const fn emulating(mut self, emulation: Emulation) -> Self {
        self.emulation = Some(emulation);
        self
    }

    fn record(&mut self, count: u32) -> Result<Record, Failure> {
        let mut seed = vec![0; SEED_LEN];
        self.seeds.fill(&mut seed);
        let mut drng = Drng::from_seed(&seed).with_backend(self.backend);
        let mut record = Record { count, items: Vec::with_capacity(5) };
        record.set(Field::Seed, seed);
        match self.scheme {
            Scheme::Signature(scheme) => {
                let mut message = vec![0; FIRST_MESSAGE_LEN + MESSAGE_STEP * count as usize];
                self.messages.fill(&mut message);
                signature_record(scheme, self.backend, &mut drng, message, &mut record)?;
            }
            Scheme::Kem(scheme) => kem_record(scheme, self.backend, &mut drng, &mut record)?,
        }
        if let Some(emulation) = self.emulation {
            emulation(&mut record);
        }
        Ok(record)
    }
}

impl Iterator for Generator {
    type Item = Result<Record, GenerateError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let record = self.next;
        self.next += 1;
        let result = self.record(record).map_err(|failure| GenerateError { record, failure });
        if result.is_err() {
            self.end = self.next;
        }
        Some(result)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.end.saturating_sub(self.next) as usize))
    }
}

impl std::iter::FusedIterator for Generator {}

fn failed(operation: Operation) -> impl Fn(Error) -> Failure {
    move |error| Failure::Operation { operation, error }
}

fn signature_record(
    scheme: &dyn Signature,
    backend: Backend,
    drng: &mut Drng,
    mut message: Vec<u8>,
    record: &mut Record,
) -> Result<(), Failure> {
    let sizes = scheme.sizes();
    let (mut pk, mut sk, mut sig) = (vec![0; sizes.pk], vec![0; sizes.sk], vec![0; sizes.sig]);
    scheme.keygen(backend, drng, &mut pk, &mut sk).map_err(failed(Operation::Keygen))?;
    let returned = scheme.sign(backend, drng, &sk, &message, &mut sig).map_err(failed(Operation::Sign))?;
    if returned > sizes.sig {
        return Err(Failure::Overflow { operation: Operation::Sign, declared: sizes.sig, returned });
    }
    sig.truncate(returned);
    scheme.verify(backend, &pk, &message, &sig).map_err(failed(Operation::Verify))?;
    flip_top_bit(&mut message);
    if scheme.verify(backend, &pk, &message, &sig).is_ok() {
        return Err(Failure::ModifiedAccepted);
    }
    flip_top_bit(&mut message);
    record.set(Field::PublicKey, pk);
    record.set(Field::SecretKey, sk);
    record.set(Field::Message, message);
    record.set(Field::Signature, sig);
    Ok(())
}

fn flip_top_bit(message: &mut [u8]) {
    if let Some(first) = message.first_mut() {
        *first ^= 0x80;
    }
}

fn kem_record(
    scheme: &dyn Kem,
    backend: Backend,
    drng: &mut Drng,
    record: &mut Record,
) -> Result<(), Failure> {
    let sizes = scheme.sizes();
    let (mut pk, mut sk) = (vec![0; sizes.pk], vec![0; sizes.sk]);
    let (mut ct, mut ss, mut again) = (vec![0; sizes.ct], vec![0; sizes.ss], vec![0; sizes.ss]);
    scheme.keygen(backend, drng, &mut pk, &mut sk).map_err(failed(Operation::Keygen))?;
    scheme.enc(backend, drng, &pk, &mut ct, &mut ss).map_err(failed(Operation::Enc))?;
    scheme.dec(backend, &sk, &ct, &mut again).map_err(failed(Operation::Dec))?;
    if ss != again {
        return Err(Failure::SecretsDiffer);
    }
    record.set(Field::PublicKey, pk);
    record.set(Field::SecretKey, sk);
    record.set(Field::Ciphertext, ct);
    record.set(Field::SharedSecret, ss);
    Ok(())
}
