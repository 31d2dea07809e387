//! A campaign from known answers to records, and measuring without one.

use std::cell::Cell;
use std::path::Path;

use ngcc_api::{Instance, Operation};
use ngcc_evidence::{
    Build, BuildEntry, Campaign, Library, Plan, Record, SCHEMA, Status, Store, Submission, Tool, check_name,
};
use ngcc_kat::RECORDS;

use crate::task::{Runner, Task};
use crate::{Event, Lab, LabError, Phase, StopFlag, Target, elf, host, known_answers, pin, utc_now};

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every operation has a record.
    Finished {
        /// Records.
        records: usize,
        /// Those of them that failed.
        failed: usize,
        /// Labels whose known-answer test did not pass.
        kat_failed: usize,
    },
    /// The stop flag was set; everything finished is written.
    Stopped,
}

/// The listener of a campaign.
type Listener<'a> = &'a mut dyn FnMut(Event<'_>);

/// Creates a run directory (absent, or there and empty), locks it and writes `campaign.json`.
///
/// # Errors
/// [`LabError::Nothing`], [`LabError::NoFacts`], [`LabError::Processor`], or what is wrong with the directory or with the
/// name of the system.
pub fn create(
    lab: &Lab<'_>,
    targets: &[Target],
    plan: Plan,
    system: Option<&str>,
    dir: &Path,
) -> Result<Store, LabError> {
    if targets.is_empty() {
        return Err(LabError::Nothing);
    }
    let cpu = pin(lab.cpu)?;
    let facts = host::facts(cpu);
    let system = system.map_or_else(|| host::system_id(&facts), str::to_owned);
    check_name(&system)?;
    let campaign = Campaign {
        schema: SCHEMA,
        seal: String::new(),
        tool: Tool {
            name: "ngcc-lab".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("NGCC_COMPILER").to_owned(),
            flags: env!("NGCC_FLAGS").to_owned(),
            executable_sha256: lab.program.sha256.clone(),
        },
        system,
        started_utc: utc_now(),
        ended_utc: None,
        host: facts,
        plan,
        labels: targets.iter().map(|t| format!("{}/{}", t.instance.submission, t.label())).collect(),
        submissions: submissions(lab, targets)?,
    };
    let store = Store::create(dir)?;
    store.write_campaign(&campaign)?;
    Ok(store)
}

/// The facts about the submissions of the targets.
fn submissions(lab: &Lab<'_>, targets: &[Target]) -> Result<Vec<Submission>, LabError> {
    for target in targets {
        if lab.facts(target.instance).is_none() {
            return Err(no_facts(target.instance));
        }
    }
    let wanted = |s: &&Submission| targets.iter().any(|t| t.instance.submission == s.id);
    Ok(lab.submissions.iter().filter(wanted).cloned().collect())
}

fn no_facts(instance: &Instance) -> LabError {
    LabError::NoFacts { submission: instance.submission.to_owned(), instance: format!("{instance:?}") }
}

/// Opens and locks a stopped campaign, to go on with it.
///
/// # Errors
/// What is wrong with the directory; [`LabError::OtherExecutable`] for a campaign of another build;
/// [`LabError::UnknownLabel`].
pub fn resume(lab: &Lab<'_>, dir: &Path) -> Result<Store, LabError> {
    let store = Store::lock(dir)?;
    let campaign = store.campaign()?;
    if campaign.tool.executable_sha256 != lab.program.sha256 {
        return Err(LabError::OtherExecutable { dir: dir.to_owned() });
    }
    targets(lab, &campaign)?;
    Ok(store)
}

fn targets(lab: &Lab<'_>, campaign: &Campaign) -> Result<Vec<Target>, LabError> {
    campaign
        .split_labels()
        .map(|(submission, label)| {
            Target::find(lab.registry, submission, label)
                .ok_or_else(|| LabError::UnknownLabel { label: format!("{submission}/{label}") })
        })
        .collect()
}

/// Runs what is left of a campaign: known answers, calibration, trials, memory, profile.
///
/// Operations that have a complete record are left alone, failed ones are measured again, unfinished ones go on with the
/// trials they have.
///
/// # Errors
/// What is wrong with the directory. A failing implementation is no error but a failed record.
pub fn run(
    lab: &Lab<'_>,
    store: &Store,
    events: &mut dyn FnMut(Event<'_>),
    stop: &StopFlag,
) -> Result<Outcome, LabError> {
    let mut campaign = store.campaign()?;
    let dir = || store.dir().to_owned();
    if campaign.tool.executable_sha256 != lab.program.sha256 {
        return Err(LabError::OtherExecutable { dir: dir() });
    }
    // A campaign stays on the processor that it began on.
    let cpu = match campaign.host.cpu_number {
        Some(planned) => pin(Some(planned)).map_err(|_| LabError::OtherProcessor { dir: dir(), planned })?,
        None => None,
    };
    let lab = Lab { cpu, ..*lab };
    let targets = targets(&lab, &campaign)?;
    let Some(build) = known_answer_phase(&lab, store, &targets, events, stop)? else {
        return Ok(Outcome::Stopped);
    };
    let mut tasks = Vec::new();
    for target in &targets {
        for operation in target.instance.kind().operations() {
            let mut task = Task::new(*target, operation);
            let (submission, label) = (task.submission(), task.label.clone());
            let old = store.record(submission, &label, operation.name())?;
            match old {
                Some(record) if record.status == Status::Complete => {
                    refresh(store, &build, record)?;
                    continue;
                }
                // What had been measured before the failure is as good as before.
                Some(failed) => task.take_up(failed.into(), &campaign.plan),
                None => {}
            }
            if let Some(partial) = store.partial(submission, &label, operation.name())? {
                task.take_up(partial, &campaign.plan);
            }
            tasks.push(task);
        }
    }
    // What the workers of an interrupted campaign had seen goes on to hold.
    let seen = tasks.iter().flat_map(|t| &t.trials).map(|t| t.clock.quiet_width).fold(0.0, f64::max);
    let quiet_width = Cell::new(seen);
    let runner = Runner { program: lab.program, cpu, plan: &campaign.plan, quiet_width: &quiet_width };
    let keep = Keep { store: Some(store), build: Some(&build), runner };
    let anything_to_do = !tasks.is_empty();
    let mut work = Work { tasks, keep, events, stop };
    if !(work.measure()? && work.memory()? && work.profile()?) {
        return Ok(Outcome::Stopped);
    }
    if anything_to_do || campaign.ended_utc.is_none() {
        campaign.ended_utc = Some(utc_now());
        store.write_campaign(&campaign)?;
    }
    let records = store.load()?.records;
    Ok(Outcome::Finished {
        records: records.len(),
        failed: records.iter().filter(|r| r.status == Status::Failed).count(),
        kat_failed: build.entries.iter().filter(|e| e.kat.status != "PASS").count(),
    })
}

/// Gives a complete record the verdict and the library that `build.json` has now: a known-answer test whose worker had
/// died is run again on resume.
fn refresh(store: &Store, build: &Build, mut record: Record) -> Result<(), LabError> {
    let same = |e: &&BuildEntry| e.submission == record.submission && e.label == record.label;
    let Some(entry) = build.entries.iter().find(same) else { return Ok(()) };
    let library = entry.library.as_ref().map(|l| l.sha256.clone());
    if record.kat != entry.kat.status || record.library_sha256 != library {
        record.kat.clone_from(&entry.kat.status);
        record.library_sha256 = library;
        store.write_record(&record)?;
    }
    Ok(())
}

/// Measures without writing anything: `operation` of each target, or all of them.
///
/// Records carry no memory and no profile, and their KAT status is `UNCHECKED`. After a stop, the finished ones are
/// returned.
///
/// # Errors
/// [`LabError::Nothing`], [`LabError::Processor`].
pub fn bench(
    lab: &Lab<'_>,
    targets: &[Target],
    operation: Option<Operation>,
    plan: &Plan,
    events: &mut dyn FnMut(Event<'_>),
    stop: &StopFlag,
) -> Result<Vec<Record>, LabError> {
    let mut tasks = Vec::new();
    for target in targets {
        let operations = target.instance.kind().operations().into_iter();
        let wanted = operations.filter(|o| operation.is_none_or(|wanted| wanted == *o));
        tasks.extend(wanted.map(|o| Task::new(*target, o)));
    }
    if tasks.is_empty() {
        return Err(LabError::Nothing);
    }
    let quiet_width = Cell::new(0.0);
    let runner = Runner { program: lab.program, cpu: pin(lab.cpu)?, plan, quiet_width: &quiet_width };
    let keep = Keep { store: None, build: None, runner };
    let mut work = Work { tasks, keep, events, stop };
    work.measure()?;
    let finished = |t: &&Task| t.failure.is_some() || (t.plan.is_some() && t.trials_wanted(plan) == 0);
    Ok(work.tasks.iter().filter(finished).map(|t| work.keep.record(t)).collect())
}

/// Runs the known-answer tests that have no verdict yet. `None` after a stop.
fn known_answer_phase(
    lab: &Lab<'_>,
    store: &Store,
    targets: &[Target],
    events: Listener<'_>,
    stop: &StopFlag,
) -> Result<Option<Build>, LabError> {
    let phase = Phase::Kat;
    let old = store.build()?.map_or_else(Vec::new, |b| b.entries);
    let mut build = Build { schema: SCHEMA, seal: String::new(), entries: Vec::new() };
    events(Event::PhaseStarted { phase, steps: targets.len() as u64 });
    for target in targets {
        let (submission, label) = (target.instance.submission, target.label());
        let decided = |e: &&BuildEntry| {
            e.submission == submission
                && e.label == label
                && !matches!(e.kat.status.as_str(), "CRASH" | "TIMEOUT")
        };
        if let Some(entry) = old.iter().find(decided) {
            // A text that is gone or was changed is made again.
            if entry.kat.text.is_none() || store.kat_text_digest(&entry.kat)? == entry.kat.digest {
                build.entries.push(entry.clone());
                events(Event::StepDone { phase });
                continue;
            }
        }
        if stop.is_stopped() {
            return Ok(None);
        }
        events(Event::StepStarted { phase, submission, label: &label, operation: None });
        let Some(entry) = known_answer(lab, store, *target, &label, stop)? else { return Ok(None) };
        events(Event::Kat { submission, label: &label, result: &entry.kat });
        build.entries.push(entry);
        // Verdicts of later labels are kept too, in case that this is stopped.
        let later = old.iter().filter(|o| !build.entries.iter().any(|e| same_label(e, o))).cloned();
        let entries = build.entries.iter().cloned().chain(later).collect();
        store.write_build(&Build { entries, ..build.clone() })?;
        events(Event::StepDone { phase });
    }
    events(Event::PhaseDone { phase });
    store.write_build(&build)?;
    Ok(Some(build))
}

fn same_label(a: &BuildEntry, b: &BuildEntry) -> bool {
    a.submission == b.submission && a.label == b.label
}

fn known_answer(
    lab: &Lab<'_>,
    store: &Store,
    target: Target,
    label: &str,
    stop: &StopFlag,
) -> Result<Option<BuildEntry>, LabError> {
    let instance = target.instance;
    let facts = lab.facts(instance).ok_or_else(|| no_facts(instance))?;
    let mut text = String::new();
    let mut sink = |_: u32, record: &str| text.push_str(record);
    let mut kat = match known_answers::kat(lab, target, RECORDS, &mut sink, stop) {
        Err(LabError::Stopped) => return Ok(None),
        other => other?,
    };
    if !text.is_empty() {
        let name = facts.kat_name.as_deref().unwrap_or(instance.name);
        let file = ngcc_kat::file_name(instance.kind(), name);
        kat.text = Some(store.write_kat(instance.submission, label, &file, text.as_bytes())?);
    }
    Ok(Some(BuildEntry {
        submission: instance.submission.to_owned(),
        instance: instance.name.to_owned(),
        variant: target.backend.name().to_owned(),
        label: label.to_owned(),
        kind: instance.kind().name().to_owned(),
        library: library(instance),
        kat,
    }))
}

/// The library is a fact that may be missing: a program that is installed alone has none beside it.
fn library(instance: &Instance) -> Option<Library> {
    elf::library(instance.library).ok()
}

/// Where finished work goes.
struct Keep<'a> {
    store: Option<&'a Store>,
    build: Option<&'a Build>,
    runner: Runner<'a>,
}

impl Keep<'_> {
    fn partial(&self, task: &Task) -> Result<(), LabError> {
        if let (Some(store), Some(partial)) = (self.store, task.partial()) {
            store.write_partial(&partial)?;
        }
        Ok(())
    }

    fn record(&self, task: &Task) -> Record {
        let entry = self.build.and_then(|b| {
            b.entries.iter().find(|e| e.submission == task.submission() && e.label == task.label)
        });
        let kat = entry.map_or("UNCHECKED", |e| e.kat.status.as_str());
        let library = match entry {
            Some(entry) => entry.library.as_ref().map(|l| l.sha256.clone()),
            None => library(task.target.instance).map(|l| l.sha256),
        };
        task.record(self.runner, kat, library)
    }

    /// Writes and announces the record of a task.
    fn finish(&self, task: &Task, events: Listener<'_>) -> Result<(), LabError> {
        let record = self.record(task);
        if let Some(store) = self.store {
            store.write_record(&record)?;
        }
        events(Event::Record { record: &record });
        Ok(())
    }
}

/// Operations under way. Each phase returns false if it was stopped.
struct Work<'a> {
    tasks: Vec<Task>,
    keep: Keep<'a>,
    events: Listener<'a>,
    stop: &'a StopFlag,
}

impl Work<'_> {
    /// Does a step of each task that wants it, in order.
    fn each(
        &mut self,
        phase: Phase,
        wants: impl Fn(&Task) -> bool,
        step: impl Fn(&mut Task, Runner<'_>),
    ) -> Result<bool, LabError> {
        let steps = self.tasks.iter().filter(|t| t.failure.is_none() && wants(t)).count() as u64;
        (self.events)(Event::PhaseStarted { phase, steps });
        for task in &mut self.tasks {
            if task.failure.is_some() || !wants(task) {
                continue;
            }
            if self.stop.is_stopped() {
                return Ok(false);
            }
            announce(self.events, phase, task);
            step(task, self.keep.runner);
            settle(&self.keep, task, self.events)?;
            (self.events)(Event::StepDone { phase });
        }
        (self.events)(Event::PhaseDone { phase });
        Ok(true)
    }

    /// Calibrates, then runs trials in rounds: one trial of each operation that wants one, in an order of chance.
    fn measure(&mut self) -> Result<bool, LabError> {
        if !self.each(Phase::Calibrate, |t| t.plan.is_none(), Task::calibrate)? {
            return Ok(false);
        }
        let phase = Phase::Measure;
        let plan = self.keep.runner.plan;
        let mut expected: Vec<u32> = self.tasks.iter().map(|t| t.trials_wanted(plan)).collect();
        (self.events)(Event::PhaseStarted { phase, steps: expected.iter().map(|n| u64::from(*n)).sum() });
        let mut order = Order::new(plan);
        loop {
            let mut round: Vec<usize> =
                (0..self.tasks.len()).filter(|i| self.tasks[*i].trials_wanted(plan) > 0).collect();
            if round.is_empty() {
                break;
            }
            order.shuffle(&mut round);
            for i in round {
                if self.stop.is_stopped() {
                    return Ok(false);
                }
                self.trial(i, &mut expected[i])?;
            }
        }
        (self.events)(Event::PhaseDone { phase });
        Ok(true)
    }

    /// Runs the next trial of a task. `expected` is the number of trials announced and not yet done.
    fn trial(&mut self, i: usize, expected: &mut u32) -> Result<(), LabError> {
        let phase = Phase::Measure;
        let task = &mut self.tasks[i];
        announce(self.events, phase, task);
        let before = task.trials.len();
        task.run_trial(self.keep.runner);
        settle(&self.keep, task, self.events)?;
        if let Some(trial) = task.trials.get(before) {
            let (submission, label, operation) = (task.submission(), task.label.as_str(), task.operation);
            (self.events)(Event::Trial { submission, label, operation, trial });
        }
        let wanted = task.trials_wanted(self.keep.runner.plan);
        let left = expected.saturating_sub(1);
        if wanted > left {
            (self.events)(Event::StepsAdded { phase, steps: (wanted - left).into() });
        }
        // A task that failed gives up its remaining steps.
        for _ in 0..=left.saturating_sub(wanted) {
            (self.events)(Event::StepDone { phase });
        }
        *expected = wanted;
        Ok(())
    }

    fn memory(&mut self) -> Result<bool, LabError> {
        self.each(Phase::Memory, |t| t.memory.is_none(), Task::take_memory)
    }

    /// Profiles, and writes the records: nothing is wanting then.
    fn profile(&mut self) -> Result<bool, LabError> {
        let done = self.each(Phase::Profile, |t| t.profile.is_none(), Task::take_profile)?;
        for task in self.tasks.iter().filter(|t| t.failure.is_none() && t.profile.is_some()) {
            self.keep.finish(task, self.events)?;
        }
        Ok(done)
    }
}

fn announce(events: Listener<'_>, phase: Phase, task: &Task) {
    let (submission, label) = (task.submission(), task.label.as_str());
    events(Event::StepStarted { phase, submission, label, operation: Some(task.operation) });
}

/// Keeps what a step gave: a failed record at once, otherwise the finished parts.
fn settle(keep: &Keep<'_>, task: &Task, events: Listener<'_>) -> Result<(), LabError> {
    if task.failure.is_some() { keep.finish(task, events) } else { keep.partial(task) }
}

/// The order of trials, derived from the root seed.
struct Order(u64);

impl Order {
    fn new(plan: &Plan) -> Self {
        let seed = plan.root_seed.bytes().fold(0_u64, |s, b| s.rotate_left(5) ^ u64::from(b));
        Self(seed | 1)
    }

    /// Fisher and Yates's shuffle over xorshift64*.
    fn shuffle(&mut self, items: &mut [usize]) {
        for i in (1..items.len()).rev() {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
            let j = ((u128::from(random) * (i as u128 + 1)) >> 64) as usize;
            items.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngcc_evidence::InputMode;

    #[test]
    fn rounds_are_permutations_of_chance() {
        let mut order = Order::new(&crate::plan::quick(InputMode::Fresh));
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..50 {
            let mut round: Vec<usize> = (0..9).collect();
            order.shuffle(&mut round);
            let mut sorted = round.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..9).collect::<Vec<_>>());
            seen.insert(round);
        }
        assert!(seen.len() > 45);
    }
}
