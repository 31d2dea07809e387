//! Signing (specification section 8).
//!
//! The outcome of each iteration, the number of iterations and the challenge of each are visible in the running time, as
//! in other schemes of this kind; coefficients of secrets, masks and responses are not (section 12).

use iccs::{XofPrefix, xof};
use ngcc_api::{Error, Part, check_length};
use zeroize::Zeroize;

use crate::encode::{encode_hint, encode_z0, encode_z1, pack_w1, wipe};
use crate::kernel::{Isa, high};
use crate::keygen::{Draw, Operand, Public, Secret, SecretKeyFields, hash};
use crate::params::{ByteArray, Set};
use crate::reject::{Drawn, Tester};
use crate::sample::{Challenge, Masks, challenge};

#[cfg(test)]
mod tests;

/// Signs `message` with an encoded secret key into `sig`. Its `tr` has been checked.
///
/// # Errors
/// [`Error::Length`], [`Error::Encoding`] for a key that key generation does not write, [`Error::IterationCap`], and
/// what `draw` gives.
pub(crate) fn sign<P: Set<N>, const N: usize>(
    isa: Isa,
    draw: Draw<'_>,
    sk: &[u8],
    message: &[u8],
    sig: &mut [u8],
) -> Result<(), Error> {
    let decode = |public: &mut Public<N>, fields: &SecretKeyFields<'_>| public.decode::<P>(isa, fields.pk);
    sign_decoded::<P, N>(isa, draw, sk, message, sig, decode)
}

/// [`sign`] with a key whose `tr` has not been checked, which is done beside the expansion of the matrix.
///
/// # Errors
/// As [`sign`], and [`Error::Encoding`] if `tr` is not the hash of the public key.
pub(crate) fn sign_unchecked<P: Set<N>, const N: usize>(
    isa: Isa,
    draw: Draw<'_>,
    sk: &[u8],
    message: &[u8],
    sig: &mut [u8],
) -> Result<(), Error> {
    let decode = |public: &mut Public<N>, fields: &SecretKeyFields<'_>| {
        fields.check_tr(&public.decode_and_hash::<P>(isa, fields.pk)?)
    };
    sign_decoded::<P, N>(isa, draw, sk, message, sig, decode)
}

/// Signs with an encoded secret key, whose public part `decode` decodes.
fn sign_decoded<P: Set<N>, const N: usize>(
    isa: Isa,
    draw: Draw<'_>,
    sk: &[u8],
    message: &[u8],
    sig: &mut [u8],
    decode: impl FnOnce(&mut Public<N>, &SecretKeyFields<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    check_length(Part::SecretKey, P::SK_LEN, sk.len())?;
    check_length(Part::Signature, P::SIG_LEN, sig.len())?;
    let fields = SecretKeyFields::new::<P, N>(sk);
    let mut secret = Secret::new();
    secret.decode::<P>(isa, fields.polynomials)?;
    let mut public = Public::new();
    decode(&mut public, &fields).map_err(|_| Error::Encoding(Part::SecretKey))?;
    sign_expanded::<P, N>(isa, draw, &public, &secret, fields.sigma, fields.tr, message, sig)
}

/// Signs with an expanded key.
///
/// # Errors
/// As [`sign`].
#[expect(
    clippy::too_many_arguments,
    reason = "the parts of an expanded key, and the inputs of the operation"
)]
pub(crate) fn sign_expanded<P: Set<N>, const N: usize>(
    isa: Isa,
    draw: Draw<'_>,
    public: &Public<N>,
    secret: &Secret<N>,
    sigma: &[u8],
    tr: &[u8],
    message: &[u8],
    sig: &mut [u8],
) -> Result<(), Error> {
    check_length(Part::Signature, P::SIG_LEN, sig.len())?;
    let mu = hash::<P, N>(isa, &[tr, message]);
    let mut rnd = P::Seed::zeroed();
    draw(rnd.as_mut())?;
    let mut seed = P::Seed::zeroed();
    let mut input = [0; 64 + 64 + 64];
    let mut length = 0;
    for part in [sigma, rnd.as_ref(), mu.as_ref()] {
        input[length..length + part.len()].copy_from_slice(part);
        length += part.len();
    }
    xof(isa.backend(), &input[..length], seed.as_mut());
    let mut attempt = Attempt::<P, N>::new(isa, public, secret, mu, XofPrefix::new(seed.as_ref()));
    let result = attempt.run(draw, sig);
    attempt.wipe();
    rnd.zeroize();
    seed.zeroize();
    input.zeroize();
    result
}

/// How an iteration ends (section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Rejected by the test of `z₀` or `z₁`: `y₂` is kept.
    R1,
    /// Rejected by the test of `z₂`: everything is fresh, as in the following two.
    R2,
    /// Rejected because adding the challenge changes the rounding of `w₀`.
    R3,
    /// Rejected by the hint bound.
    R4,
    /// Accepted: the signature is written.
    Accepted,
}

/// The state of one signature.
pub(crate) struct Attempt<'k, P: Set<N>, const N: usize> {
    isa: Isa,
    public: &'k Public<N>,
    secret: &'k Secret<N>,
    mu: P::Hash,
    pub(crate) tester: Tester<N>,
    pub(crate) masks: Masks<N>,
    x: Operand<N>,
    pub(crate) w: [[i32; N]; 3],
    pub(crate) w1: [[u8; N]; 3],
    pub(crate) v: [[i8; N]; 3],
    drawn: [Drawn; 4],
}

impl<'k, P: Set<N>, const N: usize> Attempt<'k, P, N> {
    pub(crate) fn new(
        isa: Isa,
        public: &'k Public<N>,
        secret: &'k Secret<N>,
        mu: P::Hash,
        seed: XofPrefix,
    ) -> Self {
        Self {
            isa,
            public,
            secret,
            mu,
            tester: Tester::new(isa, seed),
            masks: Masks::new(),
            x: Operand::new(),
            w: [[0; N]; 3],
            w1: [[0; N]; 3],
            v: [[0; N]; 3],
            drawn: [const { Drawn::new() }; 4],
        }
    }

    /// Iterates until a signature is written.
    ///
    /// The mask counter of the reference has sixteen bits and wraps, after which masks repeat, long before its cap of
    /// 65,536 iterations; this stops with the error of the cap before the wrap (section 11).
    pub(crate) fn run(&mut self, draw: Draw<'_>, sig: &mut [u8]) -> Result<(), Error> {
        let mut nonce = 0u16;
        let mut fresh = true;
        let mut bits = [0; 32];
        for iteration in 0usize.. {
            let masks = nonce;
            let test = nonce.checked_add(if fresh { 7 } else { 4 }).ok_or(Error::IterationCap)?;
            // The last number that this iteration can use.
            test.checked_add(7).ok_or(Error::IterationCap)?;
            self.masks.draw::<P>(self.isa, self.tester.seed(), masks, fresh);
            let c_tilde = self.commit();
            if iteration % 256 == 0 {
                draw(&mut bits)?;
            }
            let bit = i32::from(bits[iteration / 8 % 32] >> (iteration % 8) & 1);
            match self.respond(test, &c_tilde, bit, sig) {
                Outcome::Accepted => break,
                Outcome::R1 => (nonce, fresh) = (test + 4, false),
                Outcome::R2 | Outcome::R3 | Outcome::R4 => (nonce, fresh) = (test + 7, true),
            }
        }
        bits.zeroize();
        Ok(())
    }

    /// The commitment and its hash `c̃` (steps a and b).
    pub(crate) fn commit(&mut self) -> P::Hash {
        self.x.set(self.isa, &self.masks.y1, &self.masks.y0);
        self.public.multiply::<P>(self.isa, &mut self.x, &mut self.w);
        for ((w, y2), w1) in self.w.iter_mut().zip(&self.masks.y2).zip(&mut self.w1) {
            self.isa.commit::<P, N>(w, y2, w1);
        }
        let mut packed = pack_w1::<P, N>(self.isa, &self.w1);
        let c_tilde = hash::<P, N>(self.isa, &[self.mu.as_ref(), packed.as_ref()]);
        packed.zeroize();
        c_tilde
    }

    /// The response to the challenge and its tests (steps d to j). `bit` is the hidden sign.
    ///
    /// Within R1 the order of the tests is free: the one without draws on few coefficients comes first.
    pub(crate) fn respond(&mut self, nonce: u16, c_tilde: &P::Hash, bit: i32, sig: &mut [u8]) -> Outcome {
        let isa = self.isa;
        let sign = 1 - 2 * bit;
        let c = challenge::<P, N>(isa, c_tilde.as_ref());
        if self.scan_z0(&c, sign, nonce) {
            return Outcome::R1;
        }
        let mut over = false;
        for k in 0..3 {
            isa.sparse8(&self.secret.s0[k], c.support(), &mut self.v[k]);
            let response = (&self.masks.y1[k], &self.v[k], sign);
            let bounds = (P::GAMMA[1], P::TAU as i32);
            over |= self.tester.scan::<P, N>(&mut self.drawn[k], response, bounds, nonce + 1 + k as u16);
        }
        let [d1, d2, d3, d0] = &self.drawn;
        if over || self.tester.rejected::<P>(&[d1, d2, d3, d0]) {
            return Outcome::R1;
        }
        let z0 = self.z0(&c, sign);
        let mut z1 = [[0; N]; 3];
        for ((z1, y1), v) in z1.iter_mut().zip(&self.masks.y1).zip(&self.v) {
            isa.add_signed(y1, v, sign, z1);
        }

        let mut over = false;
        for k in 0..3 {
            isa.sparse8(&self.secret.e[k], c.support(), &mut self.v[k]);
            let response = (&self.masks.y2[k], &self.v[k], sign);
            let bounds = (P::GAMMA[2], P::TAU as i32);
            over |= self.tester.scan::<P, N>(&mut self.drawn[k], response, bounds, nonce + 4 + k as u16);
        }
        let [d1, d2, d3, _] = &self.drawn;
        let outcome = if over || self.tester.rejected::<P>(&[d1, d2, d3]) {
            Outcome::R2
        } else if self.moves_high(&c, sign) {
            Outcome::R3
        } else {
            self.finish(&c, c_tilde, bit, &z0, &z1, sig)
        };
        if outcome != Outcome::Accepted {
            wipe(z1.as_flattened_mut());
        }
        outcome
    }

    /// `z₀ = y₀ + c'`.
    fn z0(&self, c: &Challenge, sign: i32) -> [i16; N] {
        let mut z0 = self.masks.y0;
        for &p in c.support() {
            z0[usize::from(p)] += sign as i16;
        }
        z0
    }

    /// Scans `z₀` on the support of the challenge, where `|v| = 1` and β = 1.
    #[must_use]
    fn scan_z0(&mut self, c: &Challenge, sign: i32, nonce: u16) -> bool {
        let mut y0 = [0; 128];
        for (y, &p) in y0.iter_mut().zip(c.support()) {
            *y = self.masks.y0[usize::from(p)];
        }
        // |z| = 1 in the unused places: neither a draw nor a rejection.
        y0[P::TAU..].fill(1);
        let mut v = [0; 128];
        v[..P::TAU].fill(1);
        let over = self.tester.scan::<P, 128>(&mut self.drawn[3], (&y0, &v, sign), (P::GAMMA[0], 1), nonce);
        wipe(&mut y0);
        over
    }

    /// R3: whether adding `c'` changes `High(w₀)` (step h); only coefficients of the support can.
    #[must_use]
    fn moves_high(&self, c: &Challenge, sign: i32) -> bool {
        let mut moved = 0;
        for &p in c.support() {
            let w = self.w[0][usize::from(p)];
            let mut shifted = w + sign;
            shifted += P::Q & (shifted >> 31);
            shifted -= P::Q & ((P::Q - 1 - shifted) >> 31);
            moved |= high::<P, N>(w) ^ high::<P, N>(shifted);
        }
        moved != 0
    }

    /// R4 and the encoding (steps i and j).
    fn finish(
        &mut self,
        c: &Challenge,
        c_tilde: &P::Hash,
        bit: i32,
        z0: &[i16; N],
        z1: &[[i16; N]; 3],
        sig: &mut [u8],
    ) -> Outcome {
        let isa = self.isa;
        let sign = (1 - 2 * bit) as i16;
        let mut hint = [[0; N]; 3];
        let mut offset = [0i16; N];
        let mut largest = 0;
        for (k, hint) in hint.iter_mut().enumerate() {
            isa.sparse16(&self.secret.b0[k], c.support(), &mut offset);
            for (offset, v) in offset.iter_mut().zip(&self.v[k]) {
                *offset = (*offset - i16::from(*v)) * sign;
            }
            if k == 0 {
                for &p in c.support() {
                    offset[usize::from(p)] += (1 - bit) as i16;
                }
            }
            let row = isa.make_hint::<P, N>(&self.w[k], &self.masks.y2[k], &offset, &self.w1[k], hint);
            largest = largest.max(row);
        }
        wipe(&mut offset);
        if largest > P::HINT_BOUND {
            return Outcome::R4;
        }
        let (c_out, rest) = sig.split_at_mut(P::LAMBDA);
        let (z0_out, rest) = rest.split_at_mut(P::Z0_LEN);
        let (z1_out, hint_out) = rest.split_at_mut(3 * P::Z1_LEN);
        c_out.copy_from_slice(c_tilde.as_ref());
        encode_z0::<P, N>(isa, z0, z0_out);
        for (z1, out) in z1.iter().zip(z1_out.chunks_exact_mut(P::Z1_LEN)) {
            encode_z1::<P, N>(isa, z1, out);
        }
        for (h, out) in hint.iter().zip(hint_out.chunks_exact_mut(P::HINT_LEN)) {
            encode_hint::<P, N>(isa, h, out);
        }
        Outcome::Accepted
    }

    /// Zeroizes everything that is not published.
    fn wipe(&mut self) {
        self.tester.wipe();
        self.masks.wipe();
        self.x.wipe();
        wipe(self.w.as_flattened_mut());
        wipe(self.w1.as_flattened_mut());
        wipe(self.v.as_flattened_mut());
        for drawn in &mut self.drawn {
            drawn.wipe();
        }
    }
}
