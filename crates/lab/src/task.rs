//! One operation of one target on its way to a record.

use std::cell::Cell;
use std::time::Duration;

use ngcc_api::Operation;
use ngcc_evidence::{
    Calibration, Failure, InputMode, Memory, OperationPlan, PartialRecord, Plan, Profile, Record, SCHEMA,
    SeedUse, Status, Trial, disturbance, guide_seed, needs_pool, plan_operation, precision, profile,
    statistics, trial_seed,
};

use crate::judge::{Worker, WorkerFailure};
use crate::protocol::{Inputs, Reply, Request, Subject, TrialSpec};
use crate::target::{Program, Target};
use crate::utc_now;

/// Least time that a worker has for a request.
const LEAST_LIMIT_S: f64 = 120.0;

/// How often a request may exceed its estimate: stretches are timed again, and the processor may be shared.
const LIMIT_FACTOR: f64 = 20.0;

/// Seconds for the first calls of an operation, whose cost nobody knows yet.
const CALIBRATION_LIMIT: Duration = Duration::from_secs(6 * 3600);

/// Inputs that calibration makes, to see what one costs.
const CALIBRATION_INPUTS: u32 = 3;

/// An operation that is being measured.
pub(crate) struct Task {
    pub(crate) target: Target,
    pub(crate) label: String,
    pub(crate) operation: Operation,
    pub(crate) started_utc: String,
    pub(crate) plan: Option<OperationPlan>,
    pub(crate) trials: Vec<Trial>,
    pub(crate) memory: Option<Memory>,
    pub(crate) profile: Option<Profile>,
    pub(crate) failure: Option<Failure>,
}

/// How workers are run.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) program: &'a Program,
    pub(crate) cpu: Option<u32>,
    pub(crate) plan: &'a Plan,
    /// Width of a quiet core: the most that any worker has seen so far.
    pub(crate) quiet_width: &'a Cell<f64>,
}

impl Runner<'_> {
    fn saw_width(self, width: f64) {
        if width.is_finite() {
            self.quiet_width.set(self.quiet_width.get().max(width));
        }
    }
}

impl Task {
    pub(crate) fn new(target: Target, operation: Operation) -> Self {
        Self {
            target,
            label: target.label(),
            operation,
            started_utc: utc_now(),
            plan: None,
            trials: Vec::new(),
            memory: None,
            profile: None,
            failure: None,
        }
    }

    /// Takes up what was finished before, if it was planned by the same rules and for the inputs of this operation.
    pub(crate) fn take_up(&mut self, partial: PartialRecord, plan: &Plan) {
        let planned = plan_operation(plan, self.operation.name(), partial.plan.calibration.clone());
        let ours = |(index, trial): (usize, &Trial)| {
            let inputs = self.inputs(plan, index as u32, 0);
            trial.index as usize == index
                && trial.seed == inputs.seed
                && trial.message_seed == inputs.message_seed
        };
        let calibrated = partial.plan.calibration.calls > 0;
        if calibrated && planned == partial.plan && partial.trials.iter().enumerate().all(ours) {
            self.started_utc = partial.started_utc;
            self.plan = Some(partial.plan);
            self.trials = partial.trials;
            self.memory = partial.memory;
            self.profile = partial.profile;
        }
    }

    pub(crate) fn submission(&self) -> &'static str {
        self.target.instance.submission
    }

    fn subject(&self) -> Subject {
        Subject {
            submission: self.submission().to_owned(),
            instance: self.target.instance.name.to_owned(),
            backend: self.target.backend.name().to_owned(),
            operation: Some(self.operation.name().to_owned()),
        }
    }

    fn inputs(&self, plan: &Plan, index: u32, distinct: u32) -> Inputs {
        let seed = |purpose| {
            let instance = self.target.instance;
            trial_seed(
                &plan.root_seed,
                purpose,
                instance.submission,
                instance.name,
                self.operation.name(),
                index,
            )
        };
        let fresh = plan.inputs == InputMode::Fresh;
        let messages = matches!(self.operation, Operation::Sign | Operation::Verify);
        Inputs {
            mode: plan.inputs,
            seed: if fresh { seed(SeedUse::Drng) } else { guide_seed() },
            message_seed: (fresh && messages).then(|| seed(SeedUse::Messages)),
            distinct,
        }
    }

    fn spec(&self, runner: Runner<'_>, planned: &OperationPlan, index: u32) -> TrialSpec {
        TrialSpec {
            index,
            calls: planned.calls_per_trial,
            warmups: planned.warmups,
            calls_per_stretch: planned.calls_per_stretch,
            seconds_per_call: planned.calibration.seconds_per_call,
            rules: runner.plan.rules,
            quiet_width: runner.quiet_width.get(),
        }
    }

    /// Inputs that are made before a trial; operations without a pool make none.
    fn pool(&self, planned: &OperationPlan) -> u32 {
        if needs_pool(self.operation.name()) { planned.distinct_per_trial } else { 1 }
    }

    /// Seconds that a worker gets for `calls` calls and `inputs` prepared inputs.
    fn limit(calibration: &Calibration, calls: u32, inputs: u32) -> Duration {
        let calls_s = f64::from(calls.saturating_add(10)) * calibration.seconds_per_call;
        let inputs_s = f64::from(inputs) * calibration.seconds_per_input;
        Duration::try_from_secs_f64(LEAST_LIMIT_S + LIMIT_FACTOR * (calls_s + inputs_s))
            .unwrap_or(CALIBRATION_LIMIT)
    }

    /// Runs a few calls and makes the plan. Like the other steps, it leaves a failure behind if it fails.
    pub(crate) fn calibrate(&mut self, runner: Runner<'_>) {
        let request = Request::Calibrate {
            subject: self.subject(),
            inputs: self.inputs(runner.plan, 0, CALIBRATION_INPUTS),
        };
        let asked = ask(runner, request, CALIBRATION_LIMIT, |reply| match reply {
            Reply::Calibrated { calibration: c, width }
                if c.seconds_per_call > 0.0 && c.seconds_per_input >= 0.0 =>
            {
                Ok((c, width))
            }
            other => Err(other),
        });
        match asked {
            Ok((calibration, width)) => {
                runner.saw_width(width);
                self.plan = Some(plan_operation(runner.plan, self.operation.name(), calibration));
            }
            Err(failure) => self.fail("calibrate", failure),
        }
    }

    /// Trials that are still wanted, as far as is known now.
    pub(crate) fn trials_wanted(&self, plan: &Plan) -> u32 {
        let (Some(planned), None) = (&self.plan, &self.failure) else { return 0 };
        let done = self.trials.len() as u32;
        let disturbed = self.trials.iter().filter(|t| t.disturbed.is_some()).count() as u32;
        let required = planned.trials + disturbed.min(plan.max_replacements);
        if done < required {
            return required - done;
        }
        if done >= required + plan.max_extra_trials || planned.trials < plan.trials {
            return 0;
        }
        let timed_s: f64 =
            self.trials.iter().map(|t| t.ticks.iter().sum::<u64>() as f64 / t.clock.tick_hz).sum();
        let affordable = timed_s * f64::from(done + 1) / f64::from(done) <= plan.operation_budget_s;
        u32::from(affordable && precision(&self.trials, planned.trials) > plan.target_half_width)
    }

    /// Runs the next trial.
    pub(crate) fn run_trial(&mut self, runner: Runner<'_>) {
        let Some(planned) = &self.plan else { return };
        let index = self.trials.len() as u32;
        let pool = self.pool(planned);
        let request = Request::Trial {
            subject: self.subject(),
            inputs: self.inputs(runner.plan, index, pool),
            spec: self.spec(runner, planned, index),
        };
        let limit = Self::limit(&planned.calibration, planned.calls_per_trial, pool);
        let calls = planned.calls_per_trial;
        let asked = ask(runner, request, limit, |reply| match reply {
            Reply::Trial(trial) if plausible(&trial, index, calls) => Ok(*trial),
            other => Err(other),
        });
        match asked {
            Ok(mut trial) => {
                runner.saw_width(trial.clock.quiet_width);
                trial.disturbed = disturbance(&trial.ticks, &trial.clock, &runner.plan.rules);
                self.trials.push(trial);
            }
            Err(failure) => self.fail("measure", failure),
        }
    }

    /// Takes the resident memory of a fresh worker.
    pub(crate) fn take_memory(&mut self, runner: Runner<'_>) {
        let Some(planned) = &self.plan else { return };
        let request = Request::Memory { subject: self.subject(), inputs: self.inputs(runner.plan, 0, 1) };
        let limit = Self::limit(&planned.calibration, 1, 1);
        let asked = ask(runner, request, limit, |reply| match reply {
            Reply::Memory(memory) => Ok(memory),
            other => Err(other),
        });
        match asked {
            Ok(memory) => self.memory = Some(memory),
            Err(failure) => self.fail("memory", failure),
        }
    }

    /// Takes the profile, on the inputs of the first trial.
    pub(crate) fn take_profile(&mut self, runner: Runner<'_>) {
        let Some(planned) = &self.plan else { return };
        let pool = self.pool(planned);
        let request = Request::Profile {
            subject: self.subject(),
            inputs: self.inputs(runner.plan, 0, pool),
            spec: self.spec(runner, planned, 0),
        };
        let limit = Self::limit(&planned.calibration, planned.calls_per_trial, pool);
        let asked = ask(runner, request, limit, |reply| match reply {
            Reply::Profile(counts) => Ok(counts),
            other => Err(other),
        });
        match asked {
            Ok(counts) => {
                let rows: Vec<_> = counts.rows.into_iter().map(|r| (r.function, r.calls, r.ticks)).collect();
                self.profile =
                    Some(profile(counts.operations, counts.total_ticks, counts.recording_ticks, &rows));
            }
            Err(failure) => self.fail("profile", failure),
        }
    }

    fn fail(&mut self, stage: &str, failure: WorkerFailure) {
        self.failure = Some(Failure {
            stage: stage.to_owned(),
            message: failure.error.to_string(),
            output: failure.output,
        });
    }

    /// What is finished, to be kept until the rest is.
    pub(crate) fn partial(&self) -> Option<PartialRecord> {
        Some(PartialRecord {
            schema: SCHEMA,
            seal: String::new(),
            submission: self.submission().to_owned(),
            label: self.label.clone(),
            operation: self.operation.name().to_owned(),
            started_utc: self.started_utc.clone(),
            plan: self.plan.clone()?,
            trials: self.trials.clone(),
            memory: self.memory,
            profile: self.profile.clone(),
        })
    }

    /// The record, complete or failed.
    pub(crate) fn record(&self, runner: Runner<'_>, kat: &str, library_sha256: Option<String>) -> Record {
        let plan = self.plan.clone().unwrap_or_else(|| {
            // Calibration failed: the plan of nothing.
            let unknown = Calibration { calls: 0, seconds_per_call: 0.0, seconds_per_input: 0.0 };
            plan_operation(runner.plan, self.operation.name(), unknown)
        });
        let failed = self.failure.is_some();
        Record {
            schema: SCHEMA,
            seal: String::new(),
            status: if failed { Status::Failed } else { Status::Complete },
            failure: self.failure.clone(),
            submission: self.submission().to_owned(),
            instance: self.target.instance.name.to_owned(),
            variant: self.target.backend.name().to_owned(),
            label: self.label.clone(),
            operation: self.operation.name().to_owned(),
            kat: kat.to_owned(),
            executable_sha256: runner.program.sha256.clone(),
            library_sha256,
            statistics: if failed {
                None
            } else {
                statistics(&self.trials, &plan, runner.plan.bootstrap_resamples)
            },
            plan,
            started_utc: self.started_utc.clone(),
            ended_utc: utc_now(),
            trials: self.trials.clone(),
            memory: self.memory,
            profile: self.profile.clone(),
        }
    }
}

/// Whether a trial is one that was asked for, with clocks that can be reckoned with.
fn plausible(trial: &Trial, index: u32, calls: u32) -> bool {
    let positive = |x: f64| x.is_finite() && x > 0.0;
    let covered: u64 = trial.clock.segments.iter().map(|s| u64::from(s.calls)).sum();
    trial.index == index
        && trial.ticks.len() == calls as usize
        && covered == u64::from(calls)
        && trial.checks.succeeded == calls
        && trial.cycles.as_ref().is_none_or(|c| c.len() == calls as usize)
        && positive(trial.clock.tick_hz)
        && trial
            .clock
            .segments
            .iter()
            .all(|s| positive(s.core_hz) && s.lost_s.is_finite() && s.clock_change.is_finite())
}

/// Asks a fresh worker one thing.
fn ask<T>(
    runner: Runner<'_>,
    request: Request,
    limit: Duration,
    take: impl FnOnce(Reply) -> Result<T, Reply>,
) -> Result<T, WorkerFailure> {
    let mut worker = Worker::start(runner.program, runner.cpu)?;
    let reply = worker.ask(request, limit)?;
    take(reply).map_err(|other| worker.unexpected(&other))
}
