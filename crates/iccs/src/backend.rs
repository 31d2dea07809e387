//! Which instruction set runs: the one place that asks the processor.

use core::fmt;
use core::str::FromStr;

/// An instruction-set back-end. Every back-end of a function gives the same bytes.
///
/// Ordered from the slowest to the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Plain Rust, on every target.
    Portable,
    /// x86-64 with AVX2, BMI1, BMI2 and POPCNT.
    Avx2,
    /// AVX-512 F, BW, DQ and VL on top of [`Backend::Avx2`].
    Avx512,
}

#[cfg(target_arch = "x86_64")]
cpufeatures::new!(has_avx2, "avx2", "bmi1", "bmi2", "popcnt");
#[cfg(target_arch = "x86_64")]
cpufeatures::new!(
    has_avx512, "avx2", "bmi1", "bmi2", "popcnt", "avx512f", "avx512bw", "avx512dq", "avx512vl"
);

impl Backend {
    /// All back-ends, slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The fastest back-end that this processor and operating system can run.
    #[must_use]
    pub fn detect() -> Self {
        if Self::Avx512.is_available() {
            Self::Avx512
        } else if Self::Avx2.is_available() {
            Self::Avx2
        } else {
            Self::Portable
        }
    }

    /// Whether this processor and operating system can run this back-end. The answer is cached.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => has_avx2::get(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => has_avx512::get(),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// This back-end if it is available, otherwise the fastest slower one that is.
    ///
    /// Every public function of the workspace that takes a back-end applies this, so that naming a back-end is
    /// always safe.
    #[must_use]
    pub fn or_available(self) -> Self {
        if self.is_available() { self } else { self.min(Self::detect()) }
    }

    /// The back-ends that this machine can run, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|b| b.is_available())
    }

    /// The name in records and options: `portable`, `avx2`, `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no back-end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such back-end; the back-ends are portable, avx2 and avx512")]
pub struct UnknownBackend;

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        Self::ALL.into_iter().find(|b| b.name() == name).ok_or(UnknownBackend)
    }
}
