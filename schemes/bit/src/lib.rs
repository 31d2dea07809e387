#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(test)]
extern crate std;

mod encode;
mod expanded;
mod instance;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod kernel;
mod key;
mod keygen;
#[cfg(test)]
mod ladder_tests;
mod params;
mod reject;
mod sample;
mod scheme;
mod sign;
mod tables;
mod verify;

pub use instance::INSTANCES;
pub use key::{ExpandedSigningKey, ExpandedVerifyingKey, ParameterSet, Signature, SigningKey, VerifyingKey};
pub use ngcc_api::{Backend, Error};
pub use params::{Bit128, Bit256, Bit512, ByteArray};
