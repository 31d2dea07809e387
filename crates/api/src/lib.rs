//! What an NGCC implementation is: its kind, its sizes, its errors and the operations every instance offers over
//! byte buffers. Schemes implement these traits; the KAT generator, the laboratory and the C ABI use them.
#![no_std]

pub mod capi;
mod error;
mod instance;

pub use error::{Error, Part};
pub use iccs::Backend;
pub use instance::{
    Instance, Kem, KemSizes, Kind, Operation, Registry, Scheme, Signature, SignatureSizes, check_length,
};
pub use rand_core::CryptoRng;
