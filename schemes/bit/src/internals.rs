//! The hot pieces of the operations, for benchmarks. No part of the interface: anything here may change.

use core::hint::black_box;

use iccs::XofPrefix;
use ngcc_api::Backend;

use crate::ByteArray;
use crate::kernel::Isa;
use crate::key::ParameterSet;
use crate::keygen::{Operand, Public, Secret, hash};
use crate::params::{Bit128, Bit256, Bit512, Set};
use crate::reject::{Drawn, Tester};
use crate::sample::{Masks, challenge, ternary};
use crate::sign::Attempt;

/// A piece of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// One forward transform.
    Ntt,
    /// One inverse transform.
    Intt,
    /// Decoding of a public key with `ExpandA` (section 4.1) and its transforms.
    PublicKey,
    /// The six secret polynomials (section 4.2).
    Ternary,
    /// A fresh mask vector: seven polynomials (section 4.3).
    Masks,
    /// The product of a public key with a vector.
    Multiply,
    /// The commitment and its hash (section 8, steps a and b).
    Commit,
    /// `SampleInBall` (section 4.4).
    Challenge,
    /// The three products `s₀·c`.
    Sparse,
    /// The rejection test of `z₁` (section 4.5).
    Reject,
    /// `H` of 1,024 bytes.
    Hash,
}

impl Piece {
    /// All pieces.
    pub const ALL: [Self; 11] = [
        Self::Ntt,
        Self::Intt,
        Self::PublicKey,
        Self::Ternary,
        Self::Masks,
        Self::Multiply,
        Self::Commit,
        Self::Challenge,
        Self::Sparse,
        Self::Reject,
        Self::Hash,
    ];
}

/// Gives `bench` a function each call of which runs the piece once.
pub fn with_piece<P: ParameterSet>(piece: Piece, backend: Backend, bench: impl FnOnce(&mut dyn FnMut())) {
    let isa = Isa::new(backend);
    match P::NAME {
        Bit128::NAME => on_set::<Bit128, 256>(piece, isa, bench),
        Bit256::NAME => on_set::<Bit256, 512>(piece, isa, bench),
        _ => on_set::<Bit512, 1024>(piece, isa, bench),
    }
}

/// The pieces on made-up inputs: a key with `b₁ = 0`, and masks and secrets of fixed seeds.
fn on_set<P: Set<N>, const N: usize>(piece: Piece, isa: Isa, bench: impl FnOnce(&mut dyn FnMut())) {
    let seed = XofPrefix::new(&[1; 64][..P::KAPPA]);
    let mut masks = Masks::<N>::new();
    masks.draw::<P>(isa, &seed, 0, true);
    match piece {
        Piece::Ntt | Piece::Intt => {
            let mut a = masks.y1[0].map(i32::from);
            if piece == Piece::Ntt {
                bench(&mut || isa.ntt::<P, N>(black_box(&mut a)));
            } else {
                bench(&mut || isa.intt::<P, N>(black_box(&mut a)));
            }
        }
        Piece::PublicKey | Piece::Multiply => {
            let (pk, mut public) = ([0; 5056], Public::<N>::new());
            let pk = &pk[..P::PK_LEN];
            let mut decode = || public.decode::<P>(isa, black_box(pk)).is_ok();
            if piece == Piece::PublicKey {
                bench(&mut || _ = black_box(decode()));
            } else {
                decode();
                let (mut x, mut w) = (Operand::new(), [[0; N]; 3]);
                bench(&mut || {
                    x.set(isa, black_box(&masks.y1), &masks.y0);
                    public.multiply::<P>(isa, &mut x, black_box(&mut w));
                });
            }
        }
        Piece::Ternary => {
            let mut s = [[0; N]; 6];
            bench(&mut || ternary::<P, N>(isa, black_box(&[2; 64][..P::KAPPA]), black_box(&mut s)));
        }
        Piece::Masks => bench(&mut || black_box(&mut masks).draw::<P>(isa, &seed, 0, true)),
        Piece::Commit => {
            let (public, secret) = (Public::new(), Secret::new());
            let mut attempt = Attempt::<P, N>::new(isa, &public, &secret, P::Hash::zeroed(), seed);
            attempt.masks = masks;
            bench(&mut || _ = black_box(attempt.commit()));
        }
        Piece::Challenge => {
            bench(&mut || _ = black_box(challenge::<P, N>(isa, black_box(&[3; 64][..P::LAMBDA]))));
        }
        Piece::Hash => bench(&mut || _ = black_box(hash::<P, N>(isa, black_box(&[&[4; 1024]])))),
        Piece::Sparse | Piece::Reject => responses::<P, N>(piece, isa, &masks, seed, bench),
    }
}

fn responses<P: Set<N>, const N: usize>(
    piece: Piece,
    isa: Isa,
    masks: &Masks<N>,
    seed: XofPrefix,
    bench: impl FnOnce(&mut dyn FnMut()),
) {
    let c = challenge::<P, N>(isa, &[3; 64][..P::LAMBDA]);
    let mut s = [[0; N]; 6];
    ternary::<P, N>(isa, &[2; 64][..P::KAPPA], &mut s);
    let secrets = [s[0], s[1], s[2]].map(|s| [s.map(|s| -s), s]);
    let mut v = [[0; N]; 3];
    let mut multiply = || {
        for (s, v) in secrets.iter().zip(&mut v) {
            isa.sparse8(black_box(s), c.support(), v);
        }
    };
    if piece == Piece::Sparse {
        bench(&mut multiply);
        return;
    }
    multiply();
    let mut tester = Tester::<N>::new(isa, seed);
    let mut drawn = [const { Drawn::new() }; 3];
    let bounds = (P::GAMMA[1], P::TAU as i32);
    bench(&mut || {
        let mut rejected = false;
        for (k, drawn) in drawn.iter_mut().enumerate() {
            let response = (black_box(&masks.y1[k]), &v[k], 1);
            rejected |= tester.scan::<P, N>(drawn, response, bounds, k as u16);
        }
        let [d1, d2, d3] = &drawn;
        rejected |= tester.rejected::<P>(&[d1, d2, d3]);
        black_box(rejected);
    });
}
