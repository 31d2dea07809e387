//! What every command that runs measured code needs: facts, the worker program, and Ctrl-C.

use anyhow::{Context as _, Result};
use ngcc_api::{Backend, Instance};
use ngcc_evidence::{InputMode, Plan, Submission};
use ngcc_lab::{Lab, Program, StopFlag, Target, plan};

use crate::args::Measuring;
use crate::builtin::{REGISTRY, submissions};
use crate::output::say;

/// Owns what a [`Lab`] borrows.
pub(crate) struct Session {
    submissions: Vec<Submission>,
    program: Program,
    cpu: Option<u32>,
    /// Set by Ctrl-C.
    pub(crate) stop: StopFlag,
}

impl Session {
    /// Reads the facts and takes over Ctrl-C: the first one lets the current step end, the second one ends at once.
    ///
    /// # Errors
    /// The executable cannot be found again, or the signal handler cannot be set.
    pub(crate) fn start(cpu: Option<u32>) -> Result<Self> {
        let stop = StopFlag::default();
        let flag = stop.clone();
        ctrlc::set_handler(move || {
            if flag.is_stopped() {
                std::process::exit(130);
            }
            flag.stop();
            say("\nngcc: stopping after the current step; press Ctrl-C again to stop at once");
        })
        .context("cannot listen to Ctrl-C")?;
        Ok(Self { submissions: submissions()?, program: Program::current()?, cpu, stop })
    }

    /// The view that the laboratory takes.
    pub(crate) fn lab(&self) -> Lab<'_> {
        Lab { registry: &REGISTRY, submissions: &self.submissions, program: &self.program, cpu: self.cpu }
    }

    /// Name of an instance in its KAT files.
    pub(crate) fn kat_name<'a>(&'a self, instance: &'a Instance) -> &'a str {
        self.submissions
            .iter()
            .filter(|s| s.id == instance.submission)
            .flat_map(|s| &s.instances)
            .find(|i| i.name == instance.name)
            .and_then(|i| i.kat_name.as_deref())
            .unwrap_or(instance.name)
    }
}

/// The wanted back-end of an instance; without a wish the best one that has code of its own.
pub(crate) fn target(instance: &'static Instance, variant: Option<Backend>) -> Target {
    variant.map_or_else(|| Target::best(instance), |backend| Target { instance, backend })
}

/// The plan that the options describe, with a fresh root seed.
pub(crate) fn plan_of(measuring: &Measuring) -> Plan {
    let inputs = if measuring.guide_inputs { InputMode::Guide } else { InputMode::Fresh };
    if measuring.quick { plan::quick(inputs) } else { plan::full(inputs) }
}
