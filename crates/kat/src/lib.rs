//! Known-answer texts of the NGCC programme: generation, canonical digests, manifests, reading and comparison.
//!
//! The text of an instance is a pure function of its code: the seed of each record and, for signatures, its message
//! come from two DRNGs with fixed seeds, and one DRNG per record, initialised with the record's seed, feeds key
//! generation and signing or encapsulation (ICCS specification, section 4). [`Generator`] makes the records one by one,
//! [`Comparison`] judges them as they come, [`Reader`] reads texts of any origin.
//!
//! ```no_run
//! # fn f(instance: &ngcc_api::Instance, sha256: [u8; 32]) -> Result<(), ngcc_kat::ReadError> {
//! use ngcc_kat::{Comparison, DigestSpec, Generator, result_line, run};
//! use std::ops::ControlFlow;
//!
//! let generator = Generator::new(instance, ngcc_api::Backend::detect());
//! let comparison = Comparison::with_digest(DigestSpec::strict(sha256));
//! let verdict = run(generator, comparison, |record| {
//!     print!("{record}");
//!     ControlFlow::Continue(())
//! })?;
//! println!("{}", result_line(instance.submission, instance.name, verdict.status, &verdict.to_string()));
//! # Ok(())
//! # }
//! ```

mod canonical;
mod compare;
mod generate;
mod manifest;
mod read;
mod record;
mod status;

pub use canonical::{Canonical, Coverage, Digest, DigestSpec, Mode, ParseCoverageError, digest_text};
pub use compare::{Class, Comparison, Difference, Verdict, run};
pub use generate::{Emulation, Failure, GenerateError, Generator, RECORDS};
pub use manifest::{Entry, Manifest, ManifestError, ManifestProblem};
pub use read::{Limits, Problem, ReadError, Reader};
pub use record::{Field, Item, Record, file_name};
pub use status::{ParseStatusError, Status, result_line};
