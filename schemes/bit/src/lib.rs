#![doc = include_str!("../README.md")]
#![no_std]

mod encode;
mod expanded;
mod instance;
mod kernel;
mod key;
mod keygen;
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
