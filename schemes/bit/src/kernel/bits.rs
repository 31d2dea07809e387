//! Packing and ternary sampling with BMI2; twins of the portable kernels for both vector back-ends.
//!
//! Every function needs BMI2; [`super::Isa`] checks it.
#![allow(unsafe_code, reason = "the bit gather and scatter instructions")]

use core::arch::x86_64::{_pdep_u64, _pext_u64};

use super::portable;

/// The low `width` bits of every field of `64 / fields` bits.
#[inline(always)]
const fn every(width: usize, fields: usize) -> u64 {
    let (mut mask, mut k) = (0, 0);
    while k < fields {
        mask |= ((1 << width) - 1) << (64 / fields * k);
        k += 1;
    }
    mask
}

/// Twin of the portable `pack16`.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
pub(super) fn pack16<const N: usize>(width: usize, values: &[i16; N], out: &mut [u8]) {
    let mask = every(width, 4);
    for (k, group) in values.as_chunks::<8>().0.iter().enumerate() {
        let quad = |at: usize| {
            let four = [group[at], group[at + 1], group[at + 2], group[at + 3]];
            four.iter().rev().fold(0, |sum, v| (sum << 16) | u64::from(v.cast_unsigned()))
        };
        let packed =
            u128::from(_pext_u64(quad(0), mask)) | (u128::from(_pext_u64(quad(4), mask)) << (4 * width));
        let at = k * width;
        if let Some(bytes) = out.get_mut(at..at + 16) {
            // What this writes beyond its eight fields, the next group overwrites.
            bytes.copy_from_slice(&packed.to_le_bytes());
        } else {
            out[at..at + width].copy_from_slice(&packed.to_le_bytes()[..width]);
        }
    }
}

/// Twin of the portable `pack8`.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
pub(super) fn pack8<const N: usize>(width: usize, values: &[u8; N], out: &mut [u8]) {
    let mask = every(width, 8);
    for (k, group) in values.as_chunks::<8>().0.iter().enumerate() {
        let packed = _pext_u64(u64::from_le_bytes(*group), mask);
        let at = k * width;
        if let Some(bytes) = out.get_mut(at..at + 8) {
            bytes.copy_from_slice(&packed.to_le_bytes());
        } else {
            out[at..at + width].copy_from_slice(&packed.to_le_bytes()[..width]);
        }
    }
}

/// Twin of the portable `unpack8`.
#[inline]
#[target_feature(enable = "bmi1,bmi2")]
pub(super) fn unpack8<const N: usize>(width: usize, bytes: &[u8], values: &mut [u8; N]) {
    let mask = every(width, 8);
    for (k, group) in values.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let at = k * width;
        let mut padded = [0; 8];
        if let Some(wide) = bytes.get(at..at + 8) {
            padded.copy_from_slice(wide);
        } else {
            padded[..width].copy_from_slice(&bytes[at..at + width]);
        }
        *group = _pdep_u64(u64::from_le_bytes(padded), mask).to_le_bytes();
    }
}

/// Twin of the portable `sample_ternary`, eight candidates at a time.
#[inline]
#[target_feature(enable = "bmi1,bmi2,popcnt")]
pub(super) fn sample_ternary<const N: usize>(stream: &[u8], out: &mut [i8; N], mut filled: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut pairs = stream.as_chunks::<2>().0.iter();
    while filled + 8 <= N {
        let Some(pair) = pairs.next() else { break };
        let values = _pdep_u64(u64::from(u16::from_le_bytes(*pair)), 3 * ONES);
        let skipped = values & (values >> 1) & ONES;
        // Each byte minus one, without borrows between bytes.
        let centred = ((values | (ONES << 7)) - ONES) ^ (ONES << 7);
        let kept = _pext_u64(centred, !(skipped * 255));
        for (byte, value) in kept.to_le_bytes().iter().zip(&mut out[filled..filled + 8]) {
            *value = byte.cast_signed();
        }
        filled += 8 - skipped.count_ones() as usize;
    }
    let used = stream.len() - 2 * pairs.len() - stream.len() % 2;
    portable::sample_ternary(&stream[used..], out, filled)
}
