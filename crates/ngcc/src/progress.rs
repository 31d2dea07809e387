//! Progress bars, drawn on standard error and only on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use ngcc_lab::Event;

use crate::output::say;

/// Draws the events of long work.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Nothing is drawn before the first phase.
    pub(crate) fn new() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    /// A bar of one phase with a known number of steps.
    pub(crate) fn phase(&mut self, name: &str, steps: u64) {
        self.bar.finish_and_clear();
        self.bar = ProgressBar::new(steps);
        let style = "{prefix:>10} [{bar:32}] {pos}/{len} {elapsed} (about {eta} left) {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            self.bar.set_style(style.progress_chars("=> "));
        }
        self.bar.set_prefix(name.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// What is being done.
    pub(crate) fn step(&self, what: String) {
        self.bar.set_message(what);
    }

    /// One step is done.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Prints a line above the bar.
    pub(crate) fn note(&self, line: &str) {
        self.bar.suspend(|| say(line));
    }

    /// Draws an event of the laboratory.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::PhaseStarted { phase, steps } => self.phase(&phase.to_string(), *steps),
            Event::StepStarted { submission, label, operation, .. } => {
                let operation = operation.map_or_else(String::new, |o| format!(" {o}"));
                self.step(format!("{submission}/{label}{operation}"));
            }
            Event::StepsAdded { steps, .. } => self.bar.inc_length(*steps),
            Event::StepDone { .. } => self.advance(),
            Event::PhaseDone { .. } => self.bar.finish_and_clear(),
            Event::Kat { submission, label, result } if result.status != "PASS" => {
                let detail = result.detail.as_deref().unwrap_or("no detail");
                self.note(&format!("{submission}/{label}: KAT {}: {detail}", result.status));
            }
            Event::Record { record } => {
                if let Some(failure) = &record.failure {
                    self.note(&format!(
                        "{}/{} {}: failed to {}: {}",
                        record.submission, record.label, record.operation, failure.stage, failure.message
                    ));
                }
            }
            _ => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
