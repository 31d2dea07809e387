//! The operations as calls that can be timed, repeated on the same inputs, and checked.

use iccs::Drng;
use ngcc_api::{Backend, Error, Instance, Kem, Operation, Scheme, Signature};
use ngcc_evidence::InputMode;
use sha2::{Digest as _, Sha256};

use crate::clock::monotonic_s;
use crate::protocol::Inputs;

/// Bytes of every message, as in the public harness.
pub(crate) const MESSAGE_LEN: usize = 64;

/// Prepared inputs of verification that are also tried with a modified message.
const MODIFIED: usize = 8;

/// Key pairs of a trial that are tried out, at most one of each stretch.
const TRIED_KEYS: u32 = 8;

/// A sequence of calls on inputs that depend on nothing but seeds.
///
/// Calls are made in stretches: [`arm`](Timed::arm), then every [`call`](Timed::call), then
/// [`settle`](Timed::settle). Arming again before settling repeats the same calls on the same inputs.
pub(crate) trait Timed {
    /// Makes the next `count` calls ready: their inputs, and room for their outputs.
    fn arm(&mut self, count: usize);

    /// Makes one more call on inputs of no account, untimed, to have code and data near.
    fn warm(&mut self) -> bool;

    /// Call `i` of the armed ones. Copies nothing; true if its status was success.
    fn call(&mut self, i: usize) -> bool;

    /// Checks and digests what the armed calls gave and moves on behind them. Returns how many results were checked.
    fn settle(&mut self, digests: &mut Digests) -> Result<u32, String>;
}

/// Digests over all inputs and outputs, in order.
#[derive(Default)]
pub(crate) struct Digests {
    pub(crate) inputs: Sha256,
    pub(crate) outputs: Sha256,
}

/// An operation that is ready to be timed.
pub(crate) struct Prepared {
    pub(crate) timed: Box<dyn Timed>,
    /// What all calls share: seed and key.
    pub(crate) common_inputs: Vec<u8>,
    /// Inputs that were made before, where the operation needs some.
    pub(crate) pool: Option<u32>,
    /// Seconds that one of them took.
    pub(crate) seconds_per_input: f64,
}

/// Makes the keys and inputs of an operation.
pub(crate) fn prepare(
    instance: &Instance,
    backend: Backend,
    operation: Operation,
    inputs: &Inputs,
) -> Result<Prepared, String> {
    let seed = hex::decode(&inputs.seed).map_err(|e| format!("the seed is not hex: {e}"))?;
    let mut drng = Drng::from_seed(&seed).with_backend(backend);
    let mut messages = Messages::new(inputs)?;
    let mut common_inputs = seed;
    let wanted = inputs.distinct.max(1);
    let mut keys = || -> Result<(Vec<u8>, Vec<u8>), String> {
        let (pk, sk) = generate_key(instance.scheme, backend, &mut drng)?;
        common_inputs.extend_from_slice(&pk);
        Ok((pk, sk))
    };
    let (timed, pool, seconds): (Box<dyn Timed>, _, _) = match (instance.scheme, operation) {
        (scheme, Operation::Keygen) => (Box::new(Keygen::new(scheme, backend, drng)), None, 0.0),
        (Scheme::Signature(scheme), Operation::Sign) => {
            let (pk, sk) = keys()?;
            (Box::new(Sign::new(scheme, backend, drng, messages, pk, sk)), None, 0.0)
        }
        (Scheme::Signature(scheme), Operation::Verify) => {
            let (pk, sk) = keys()?;
            let start = monotonic_s();
            let pool = sign_pool(scheme, backend, &mut drng, &mut messages, &sk, wanted)?;
            let seconds = (monotonic_s() - start) / f64::from(wanted);
            (Box::new(Verify::new(scheme, backend, pk, pool)?), Some(wanted), seconds)
        }
        (Scheme::Kem(scheme), Operation::Enc) => {
            let (pk, sk) = keys()?;
            (Box::new(Enc::new(scheme, backend, drng, pk, sk)), None, 0.0)
        }
        (Scheme::Kem(scheme), Operation::Dec) => {
            let (pk, sk) = keys()?;
            let start = monotonic_s();
            let pool = enc_pool(scheme, backend, &mut drng, &pk, wanted)?;
            let seconds = (monotonic_s() - start) / f64::from(wanted);
            (
                Box::new(Dec { scheme, backend, sk, pool, secrets: Vec::new(), next: 0, armed: 0 }),
                Some(wanted),
                seconds,
            )
        }
        _ => return Err(format!("{instance:?} has no operation {operation}")),
    };
    Ok(Prepared { timed, common_inputs, pool, seconds_per_input: seconds })
}

fn failed(operation: Operation) -> impl Fn(Error) -> String {
    move |error| format!("{operation} failed on honest input: {error}")
}

fn generate_key(scheme: Scheme, backend: Backend, drng: &mut Drng) -> Result<(Vec<u8>, Vec<u8>), String> {
    let (pk_len, sk_len) = key_lengths(scheme);
    let (mut pk, mut sk) = (vec![0; pk_len], vec![0; sk_len]);
    match scheme {
        Scheme::Signature(s) => s.keygen(backend, drng, &mut pk, &mut sk),
        Scheme::Kem(k) => k.keygen(backend, drng, &mut pk, &mut sk),
    }
    .map_err(failed(Operation::Keygen))?;
    Ok((pk, sk))
}

fn key_lengths(scheme: Scheme) -> (usize, usize) {
    match scheme {
        Scheme::Signature(s) => (s.sizes().pk, s.sizes().sk),
        Scheme::Kem(k) => (k.sizes().pk, k.sizes().sk),
    }
}

/// Where messages come from.
struct Messages {
    /// `None`: always the public harness's message.
    drng: Option<Drng>,
}

impl Messages {
    fn new(inputs: &Inputs) -> Result<Self, String> {
        let drng = match (inputs.mode, &inputs.message_seed) {
            (InputMode::Fresh, Some(seed)) => Some(Drng::from_seed(
                &hex::decode(seed).map_err(|e| format!("the message seed is not hex: {e}"))?,
            )),
            _ => None,
        };
        Ok(Self { drng })
    }

    fn next(&mut self, message: &mut [u8]) {
        match &mut self.drng {
            Some(drng) => drng.fill(message),
            None => {
                for (i, byte) in message.iter_mut().enumerate() {
                    *byte = ((131 * i + 64) % 256) as u8;
                }
            }
        }
    }
}

/// Signs and tries out a signature under a key pair.
fn try_signature_key(scheme: &dyn Signature, backend: Backend, pk: &[u8], sk: &[u8]) -> Result<(), String> {
    let mut drng = Drng::from_seed(pk).with_backend(backend);
    let message = [0x5a; MESSAGE_LEN];
    let mut sig = vec![0; scheme.sizes().sig];
    let n = scheme.sign(backend, &mut drng, sk, &message, &mut sig).map_err(failed(Operation::Sign))?;
    let sig = sig.get(..n).ok_or("sign reported more bytes than it had room for")?;
    scheme.verify(backend, pk, &message, sig).map_err(failed(Operation::Verify))
}

/// Encapsulates and decapsulates under a key pair.
fn try_kem_key(scheme: &dyn Kem, backend: Backend, pk: &[u8], sk: &[u8]) -> Result<(), String> {
    let mut drng = Drng::from_seed(pk).with_backend(backend);
    let pool = enc_pool(scheme, backend, &mut drng, pk, 1)?;
    let mut ss = vec![0; scheme.sizes().ss];
    scheme.dec(backend, sk, &pool[0].0, &mut ss).map_err(failed(Operation::Dec))?;
    if ss == pool[0].1 { Ok(()) } else { Err("dec gave another shared secret than enc".to_owned()) }
}

struct Keygen {
    scheme: Scheme,
    backend: Backend,
    /// The stream at the start of the armed calls, and as they draw from it.
    start: Drng,
    drng: Drng,
    pk_len: usize,
    sk_len: usize,
    pks: Vec<u8>,
    sks: Vec<u8>,
    armed: usize,
    tried: u32,
}

impl Keygen {
    fn new(scheme: Scheme, backend: Backend, drng: Drng) -> Self {
        let (pk_len, sk_len) = key_lengths(scheme);
        let (pks, sks) = (Vec::new(), Vec::new());
        Self { scheme, backend, start: drng.clone(), drng, pk_len, sk_len, pks, sks, armed: 0, tried: 0 }
    }
}

impl Timed for Keygen {
    fn arm(&mut self, count: usize) {
        self.drng = self.start.clone();
        self.pks.resize(count * self.pk_len, 0);
        self.sks.resize(count * self.sk_len, 0);
        self.armed = count;
    }

    fn warm(&mut self) -> bool {
        generate_key(self.scheme, self.backend, &mut self.start.clone()).is_ok()
    }

    fn call(&mut self, i: usize) -> bool {
        let pk = &mut self.pks[i * self.pk_len..][..self.pk_len];
        let sk = &mut self.sks[i * self.sk_len..][..self.sk_len];
        match self.scheme {
            Scheme::Signature(s) => s.keygen(self.backend, &mut self.drng, pk, sk).is_ok(),
            Scheme::Kem(k) => k.keygen(self.backend, &mut self.drng, pk, sk).is_ok(),
        }
    }

    fn settle(&mut self, digests: &mut Digests) -> Result<u32, String> {
        for i in 0..self.armed {
            digests.outputs.update(&self.pks[i * self.pk_len..][..self.pk_len]);
            digests.outputs.update(&self.sks[i * self.sk_len..][..self.sk_len]);
        }
        self.start = self.drng.clone();
        if self.tried == TRIED_KEYS || self.armed == 0 {
            return Ok(0);
        }
        self.tried += 1;
        let (pk, sk) = (&self.pks[..self.pk_len], &self.sks[..self.sk_len]);
        match self.scheme {
            Scheme::Signature(s) => try_signature_key(s, self.backend, pk, sk)?,
            Scheme::Kem(k) => try_kem_key(k, self.backend, pk, sk)?,
        }
        Ok(1)
    }
}

struct Sign {
    scheme: &'static dyn Signature,
    backend: Backend,
    start: Drng,
    drng: Drng,
    source: Messages,
    pk: Vec<u8>,
    sk: Vec<u8>,
    /// Messages of the armed calls.
    messages: Vec<u8>,
    sig_len: usize,
    sigs: Vec<u8>,
    lengths: Vec<usize>,
    scratch: Vec<u8>,
}

impl Sign {
    fn new(
        scheme: &'static dyn Signature,
        backend: Backend,
        drng: Drng,
        source: Messages,
        pk: Vec<u8>,
        sk: Vec<u8>,
    ) -> Self {
        let sig_len = scheme.sizes().sig;
        Self {
            scheme,
            backend,
            start: drng.clone(),
            drng,
            source,
            pk,
            sk,
            messages: Vec::new(),
            sig_len,
            sigs: Vec::new(),
            lengths: Vec::new(),
            scratch: vec![0; sig_len],
        }
    }
}

impl Timed for Sign {
    fn arm(&mut self, count: usize) {
        self.drng = self.start.clone();
        self.sigs.resize(count * self.sig_len, 0);
        self.lengths.clear();
        self.lengths.resize(count, 0);
        // Empty after `settle`: arming again keeps the messages.
        while self.messages.len() < count * MESSAGE_LEN {
            let mut message = [0; MESSAGE_LEN];
            self.source.next(&mut message);
            self.messages.extend_from_slice(&message);
        }
    }

    fn warm(&mut self) -> bool {
        let message = [0xa5; MESSAGE_LEN];
        let mut drng = self.start.clone();
        self.scheme.sign(self.backend, &mut drng, &self.sk, &message, &mut self.scratch).is_ok()
    }

    fn call(&mut self, i: usize) -> bool {
        let message = &self.messages[i * MESSAGE_LEN..][..MESSAGE_LEN];
        let sig = &mut self.sigs[i * self.sig_len..][..self.sig_len];
        match self.scheme.sign(self.backend, &mut self.drng, &self.sk, message, sig) {
            Ok(n) => {
                self.lengths[i] = n;
                true
            }
            Err(_) => false,
        }
    }

    fn settle(&mut self, digests: &mut Digests) -> Result<u32, String> {
        let mut checked = 0;
        for (i, n) in self.lengths.iter().enumerate() {
            let message = &self.messages[i * MESSAGE_LEN..][..MESSAGE_LEN];
            let room = &self.sigs[i * self.sig_len..][..self.sig_len];
            let sig = room.get(..*n).ok_or("sign reported more bytes than it had room for")?;
            digests.inputs.update(message);
            digests.outputs.update(sig);
            self.scheme
                .verify(self.backend, &self.pk, message, sig)
                .map_err(|e| format!("a signature of a timed call does not verify: {e}"))?;
            checked += 1;
        }
        self.start = self.drng.clone();
        self.messages.clear();
        Ok(checked)
    }
}

/// Messages with their signatures.
type Signed = (Vec<u8>, Vec<u8>);

fn sign_pool(
    scheme: &dyn Signature,
    backend: Backend,
    drng: &mut Drng,
    messages: &mut Messages,
    sk: &[u8],
    count: u32,
) -> Result<Vec<Signed>, String> {
    (0..count)
        .map(|_| {
            let mut message = vec![0; MESSAGE_LEN];
            messages.next(&mut message);
            let mut sig = vec![0; scheme.sizes().sig];
            let n = scheme.sign(backend, drng, sk, &message, &mut sig).map_err(failed(Operation::Sign))?;
            if n > sig.len() {
                return Err("sign reported more bytes than it had room for".to_owned());
            }
            sig.truncate(n);
            Ok((message, sig))
        })
        .collect()
}

struct Verify {
    scheme: &'static dyn Signature,
    backend: Backend,
    pk: Vec<u8>,
    pool: Vec<Signed>,
    /// Number of the first armed call.
    next: usize,
    armed: usize,
}

impl Verify {
    fn new(
        scheme: &'static dyn Signature,
        backend: Backend,
        pk: Vec<u8>,
        pool: Vec<Signed>,
    ) -> Result<Self, String> {
        for (message, sig) in pool.iter().take(MODIFIED) {
            let mut modified = message.clone();
            modified[0] ^= 0x80;
            if scheme.verify(backend, &pk, &modified, sig).is_ok() {
                return Err("verify accepted a modified message".to_owned());
            }
        }
        Ok(Self { scheme, backend, pk, pool, next: 0, armed: 0 })
    }
}

impl Timed for Verify {
    fn arm(&mut self, count: usize) {
        self.armed = count;
    }

    fn warm(&mut self) -> bool {
        let (message, sig) = &self.pool[(self.next + self.pool.len() - 1) % self.pool.len()];
        self.scheme.verify(self.backend, &self.pk, message, sig).is_ok()
    }

    fn call(&mut self, i: usize) -> bool {
        let (message, sig) = &self.pool[(self.next + i) % self.pool.len()];
        self.scheme.verify(self.backend, &self.pk, message, sig).is_ok()
    }

    fn settle(&mut self, digests: &mut Digests) -> Result<u32, String> {
        for i in 0..self.armed {
            let (message, sig) = &self.pool[(self.next + i) % self.pool.len()];
            digests.inputs.update(message);
            digests.inputs.update(sig);
            digests.outputs.update([1]);
        }
        self.next += self.armed;
        Ok(self.armed as u32)
    }
}

struct Enc {
    scheme: &'static dyn Kem,
    backend: Backend,
    start: Drng,
    drng: Drng,
    pk: Vec<u8>,
    sk: Vec<u8>,
    cts: Vec<u8>,
    secrets: Vec<u8>,
    armed: usize,
}

impl Enc {
    fn new(scheme: &'static dyn Kem, backend: Backend, drng: Drng, pk: Vec<u8>, sk: Vec<u8>) -> Self {
        let (cts, secrets) = (Vec::new(), Vec::new());
        Self { scheme, backend, start: drng.clone(), drng, pk, sk, cts, secrets, armed: 0 }
    }
}

impl Timed for Enc {
    fn arm(&mut self, count: usize) {
        self.drng = self.start.clone();
        self.cts.resize(count * self.scheme.sizes().ct, 0);
        self.secrets.resize(count * self.scheme.sizes().ss, 0);
        self.armed = count;
    }

    fn warm(&mut self) -> bool {
        enc_pool(self.scheme, self.backend, &mut self.start.clone(), &self.pk, 1).is_ok()
    }

    fn call(&mut self, i: usize) -> bool {
        let sizes = self.scheme.sizes();
        let ct = &mut self.cts[i * sizes.ct..][..sizes.ct];
        let ss = &mut self.secrets[i * sizes.ss..][..sizes.ss];
        self.scheme.enc(self.backend, &mut self.drng, &self.pk, ct, ss).is_ok()
    }

    fn settle(&mut self, digests: &mut Digests) -> Result<u32, String> {
        let sizes = self.scheme.sizes();
        let mut again = vec![0; sizes.ss];
        for i in 0..self.armed {
            let ct = &self.cts[i * sizes.ct..][..sizes.ct];
            let ss = &self.secrets[i * sizes.ss..][..sizes.ss];
            digests.outputs.update(ct);
            digests.outputs.update(ss);
            self.scheme.dec(self.backend, &self.sk, ct, &mut again).map_err(failed(Operation::Dec))?;
            if again != ss {
                return Err("a shared secret of a timed enc differs from that of dec".to_owned());
            }
        }
        self.start = self.drng.clone();
        Ok(self.armed as u32)
    }
}

/// Ciphertexts with their shared secrets.
type Encapsulated = (Vec<u8>, Vec<u8>);

fn enc_pool(
    scheme: &dyn Kem,
    backend: Backend,
    drng: &mut Drng,
    pk: &[u8],
    count: u32,
) -> Result<Vec<Encapsulated>, String> {
    (0..count)
        .map(|_| {
            let (mut ct, mut ss) = (vec![0; scheme.sizes().ct], vec![0; scheme.sizes().ss]);
            scheme.enc(backend, drng, pk, &mut ct, &mut ss).map_err(failed(Operation::Enc))?;
            Ok((ct, ss))
        })
        .collect()
}

struct Dec {
    scheme: &'static dyn Kem,
    backend: Backend,
    sk: Vec<u8>,
    pool: Vec<Encapsulated>,
    secrets: Vec<u8>,
    next: usize,
    armed: usize,
}

impl Timed for Dec {
    fn arm(&mut self, count: usize) {
        self.secrets.clear();
        self.secrets.resize(count * self.scheme.sizes().ss, 0);
        self.armed = count;
    }

    fn warm(&mut self) -> bool {
        let (ct, _) = &self.pool[(self.next + self.pool.len() - 1) % self.pool.len()];
        let mut ss = vec![0; self.scheme.sizes().ss];
        self.scheme.dec(self.backend, &self.sk, ct, &mut ss).is_ok()
    }

    fn call(&mut self, i: usize) -> bool {
        let ss_len = self.scheme.sizes().ss;
        let (ct, _) = &self.pool[(self.next + i) % self.pool.len()];
        self.scheme.dec(self.backend, &self.sk, ct, &mut self.secrets[i * ss_len..][..ss_len]).is_ok()
    }

    fn settle(&mut self, digests: &mut Digests) -> Result<u32, String> {
        let ss_len = self.scheme.sizes().ss;
        for i in 0..self.armed {
            let (ct, expected) = &self.pool[(self.next + i) % self.pool.len()];
            let ss = &self.secrets[i * ss_len..][..ss_len];
            digests.inputs.update(ct);
            digests.outputs.update(ss);
            if ss != expected {
                return Err("a timed dec gave another shared secret than enc".to_owned());
            }
        }
        self.next += self.armed;
        Ok(self.armed as u32)
    }
}
