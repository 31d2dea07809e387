#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_single;
mod backend;
mod drng;
mod drng_many;
mod engine;
mod error;
mod feed;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod portable;
#[cfg(feature = "profile")]
pub mod profile;
#[cfg(not(feature = "profile"))]
#[path = "profile_off.rs"]
mod profile;
mod pseudohash;
mod sm3;
mod xof;
mod xof_reader;

pub use backend::{Backend, UnknownBackend};
pub use drng::Drng;
pub use drng_many::{DrngStream, drng_fill_many, drng_seed_many};
pub use error::Error;
pub use pseudohash::{KEY, pseudohash, pseudohash512, pseudohash512_many, pseudohash768, pseudohash1024};
pub use sm3::{Sm3, sm3, sm3_bits, sm3_many, sm3hash};
pub use xof::{LongHash, XofPrefix, XofStream, pseudo_xof, xof, xof_many};
pub use xof_reader::XofReader;
