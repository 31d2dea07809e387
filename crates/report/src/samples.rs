//! The trials of a record as the plots need them.

use ngcc_evidence::{Record, call_cycles, counting};

/// Core cycles of one trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrialCycles {
    /// Position in the record.
    pub index: u32,
    /// Whether it counts in the statistics.
    pub counts: bool,
    /// Why it was found disturbed, if it was.
    pub disturbed: Option<String>,
    /// Core cycles of each call, timing overhead subtracted.
    pub cycles: Vec<f64>,
}

impl TrialCycles {
    /// Mean of the calls; absent without calls.
    pub(crate) fn mean(&self) -> Option<f64> {
        if self.cycles.is_empty() {
            return None;
        }
        Some(self.cycles.iter().sum::<f64>() / self.cycles.len() as f64)
    }
}

/// All trials of a record, in their order.
pub(crate) fn trials(record: &Record) -> Vec<TrialCycles> {
    let counting: Vec<u32> = counting(&record.trials, record.plan.trials).iter().map(|t| t.index).collect();
    record
        .trials
        .iter()
        .map(|trial| TrialCycles {
            index: trial.index,
            counts: counting.contains(&trial.index),
            disturbed: trial.disturbed.clone(),
            cycles: call_cycles(trial).into_iter().filter(|cycles| cycles.is_finite()).collect(),
        })
        .collect()
}
