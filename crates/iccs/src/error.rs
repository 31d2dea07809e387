//! What a caller can ask wrongly.

/// A request that the helper functions cannot serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The digest length is not one that the function offers.
    #[error("no digest of {bits} bits: {offered}")]
    DigestLength {
        /// The length that was asked for, in bits.
        bits: u32,
        /// What the function offers.
        offered: &'static str,
    },
    /// The message is announced longer than its buffer.
    #[error("a message of {bits} bits does not fit its {bytes} bytes; pass the whole buffer")]
    MessageLength {
        /// The announced length in bits.
        bits: u64,
        /// The buffer's length in bytes.
        bytes: usize,
    },
    /// The output buffer is too short.
    #[error("an output of {bits} bits does not fit a buffer of {bytes} bytes; enlarge the buffer")]
    OutputBuffer {
        /// The output's length in bits.
        bits: u64,
        /// The buffer's length in bytes.
        bytes: usize,
    },
    /// pseudoXOF was asked for more than its 32-bit counter can number.
    #[error("an output of {bits} bits: pseudoXOF gives fewer than 2^40 - 2^8 bits")]
    OutputLength {
        /// The output's length in bits.
        bits: u64,
    },
}

impl Error {
    /// The return code of the C interface (SPEC.md section 1): -4 for a digest length, otherwise -3.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::DigestLength { .. } => -4,
            _ => -3,
        }
    }
}
