//! Wall time of each hot piece of each set on each back-end:
//! `cargo bench -p ngcc-bit --features internals --bench pieces`.
#![allow(missing_docs, reason = "a program")]

use divan::Bencher;
use ngcc_bit::internals::{Piece, with_piece};
use ngcc_bit::{Backend, Bit128, Bit256, Bit512, ParameterSet};

fn main() {
    divan::main();
}

fn all() -> impl Iterator<Item = (Piece, Backend)> {
    Piece::ALL.into_iter().flat_map(|piece| Backend::available().map(move |backend| (piece, backend)))
}

#[divan::bench(types = [Bit128, Bit256, Bit512], args = all())]
fn piece<P: ParameterSet>(bencher: Bencher<'_, '_>, (piece, backend): (Piece, Backend)) {
    with_piece::<P>(piece, backend, |run| bencher.bench_local(run));
}
