//! What is measured, and with which program.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ngcc_api::{Backend, Instance, Registry};
use ngcc_evidence::{Submission, SubmissionInstance};
use sha2::{Digest as _, Sha256};

use crate::LabError;

/// One back-end of one instance.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The parameter set.
    pub instance: &'static Instance,
    /// The back-end; the nearest one that the machine has runs in its place if it lacks this one.
    pub backend: Backend,
}

impl Target {
    /// The fastest back-end of this machine.
    #[must_use]
    pub fn best(instance: &'static Instance) -> Self {
        Self { instance, backend: instance.best.or_available() }
    }

    /// Every back-end that has code of its own and runs here, fastest first.
    pub fn all(instance: &'static Instance) -> impl Iterator<Item = Self> {
        let variants: Vec<Backend> = instance.variants().collect();
        variants.into_iter().rev().map(move |backend| Self { instance, backend })
    }

    /// Name in files and tables: the instance for its best variant, `<instance>-<variant>` for the others.
    #[must_use]
    pub fn label(&self) -> String {
        if self.backend == self.instance.best.or_available() {
            self.instance.name.to_owned()
        } else {
            format!("{}-{}", self.instance.name, self.backend)
        }
    }

    /// The target that a label names.
    pub(crate) fn find(registry: &Registry, submission: &str, label: &str) -> Option<Self> {
        registry
            .iter()
            .filter(|i| i.submission == submission)
            .flat_map(Self::all)
            .find(|t| t.label() == label)
    }
}

/// The program that workers run, and the digest of its executable.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) sha256: String,
    pub(crate) limit: Option<Duration>,
}

impl Program {
    /// This executable with the argument `worker`.
    ///
    /// # Errors
    /// [`LabError::Program`] if the executable cannot be found or read.
    pub fn current() -> Result<Self, LabError> {
        let path = std::env::current_exe()
            .map_err(|reason| LabError::Program { path: PathBuf::from("this executable"), reason })?;
        Self::new(path, vec![OsString::from("worker")])
    }

    /// Another executable whose `main` calls [`crate::worker::main`] when it gets these arguments.
    ///
    /// # Errors
    /// [`LabError::Program`] if the executable cannot be read.
    pub fn new(path: PathBuf, args: Vec<OsString>) -> Result<Self, LabError> {
        let sha256 = digest(&path).map_err(|reason| LabError::Program { path: path.clone(), reason })?;
        Ok(Self { path, args, sha256, limit: None })
    }

    /// Gives workers at most this time for each answer; otherwise they get many times what calibration foretells.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }
}

fn digest(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let (mut file, mut chunk) = (File::open(path)?, vec![0; 1 << 16]);
    loop {
        match file.read(&mut chunk)? {
            0 => break,
            n => hasher.update(&chunk[..n]),
        }
    }
    Ok(hex::encode(hasher.finalize()))
}

/// What measuring needs from the program that asks for it.
#[derive(Clone, Copy)]
pub struct Lab<'a> {
    /// All instances that the program knows; its workers know the same.
    pub registry: &'a Registry,
    /// Facts about their submissions.
    pub submissions: &'a [Submission],
    /// How workers are started.
    pub program: &'a Program,
    /// Processor that workers are pinned to; `None` means the last one allowed.
    pub cpu: Option<u32>,
}

impl<'a> Lab<'a> {
    /// The facts about a parameter set.
    pub(crate) fn facts(&self, instance: &Instance) -> Option<&'a SubmissionInstance> {
        let submission = self.submissions.iter().find(|s| s.id == instance.submission)?;
        submission.instances.iter().find(|i| i.name == instance.name)
    }
}

/// Asks long work to stop at its next step. Clones share one flag; setting it is safe from any thread.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is set.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
