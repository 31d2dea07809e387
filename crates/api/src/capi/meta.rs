//! The metadata block that the public harness asks a library for.

use core::mem::offset_of;
use core::sync::atomic::{AtomicU64, Ordering};

use super::ops::{kem_sizes, sig_sizes};
use crate::{Instance, Kind};

/// `ngcc_meta_t`: native byte order, natural alignment, NUL-terminated strings that are cut to fit.
#[repr(C)]
pub struct Meta {
    magic: u32,
    abi: u32,
    kind: u32,
    struct_size: u32,
    id: [u8; 16],
    algorithm: [u8; 64],
    instance: [u8; 64],
    variant: [u8; 32],
    source_dir: [u8; 256],
    compiler: [u8; 64],
    build_flags: [u8; 128],
    /// pk, sk, sn of a signature; pk, sk, ct, ss of a KEM. Written by the first call that asks for the block.
    lengths: [AtomicU64; 4],
}

/// Bytes before the lengths.
const COMMON: usize = 640;
const _: () = assert!(offset_of!(Meta, lengths) == COMMON && size_of::<Meta>() == COMMON + 32);

impl Meta {
    /// The block of an instance; `source` names the package that its library is built from.
    #[must_use]
    pub const fn new(instance: &Instance, algorithm: &str, source: &str) -> Self {
        let (kind, lengths) = match instance.kind() {
            Kind::Kem => (1, 4),
            Kind::Signature => (2, 3),
        };
        Self {
            magic: 0x4347_474e,
            abi: 1,
            kind,
            struct_size: COMMON as u32 + 8 * lengths,
            id: string(instance.submission),
            algorithm: string(algorithm),
            instance: string(instance.name),
            variant: string("Optimized_Implementation"),
            source_dir: string(source),
            compiler: string(env!("NGCC_COMPILER")),
            build_flags: string(env!("NGCC_BUILD_FLAGS")),
            lengths: [const { AtomicU64::new(0) }; 4],
        }
    }

    /// The block with the lengths of `instance` in it.
    #[must_use]
    pub fn filled(&self, instance: &Instance) -> *const Self {
        let set = |lengths: &[u64]| {
            for (place, n) in self.lengths.iter().zip(lengths) {
                place.store(*n, Ordering::Relaxed);
            }
        };
        match instance.kind() {
            Kind::Signature => set(&sig_sizes(instance)),
            Kind::Kem => set(&kem_sizes(instance)),
        }
        self
    }
}

/// The string with zeros behind it, cut to `N - 1` bytes.
const fn string<const N: usize>(s: &str) -> [u8; N] {
    let (bytes, mut out) = (s.as_bytes(), [0; N]);
    let mut i = 0;
    while i + 1 < N && i < bytes.len() {
        out[i] = bytes[i];
        i += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn strings_end_in_a_zero() {
        assert_eq!(string::<4>("ab"), *b"ab\0\0");
        assert_eq!(string::<4>("abcdef"), *b"abc\0");
        assert_eq!(string::<1>("abc"), [0]);
    }
}
