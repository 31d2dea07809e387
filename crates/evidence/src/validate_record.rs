//! Recomputation of one record.

use crate::validate::Findings;
use crate::{
    Build, Campaign, CycleSource, InputMode, ProfileRow, Record, SeedUse, Status, Trial, disturbance,
    guide_seed, needs_pool, plan_operation, profile, statistics, trial_seed,
};

/// Checks everything in a record that follows from its raw samples, the campaign and the build.
pub(crate) fn check_record(
    file: &str,
    campaign: &Campaign,
    build: Option<&Build>,
    record: &Record,
    findings: &mut Findings,
) {
    findings.compare(file, "executable_sha256", &record.executable_sha256, &campaign.tool.executable_sha256);
    let entry = build.and_then(|b| {
        b.entries.iter().find(|e| e.submission == record.submission && e.label == record.label)
    });
    if let Some(entry) = entry {
        findings.compare(file, "instance", &record.instance, &entry.instance);
        findings.compare(file, "variant", &record.variant, &entry.variant);
        findings.compare(file, "kat", &record.kat, &entry.kat.status);
        let library = entry.library.as_ref().map(|l| l.sha256.clone());
        findings.compare(file, "library_sha256", &record.library_sha256, &library);
    }
    if record.ended_utc < record.started_utc {
        findings.add(file, "ended_utc", "is before the start");
    }
    match record.status {
        Status::Failed => {
            let why = record.failure.as_ref().map_or("no reason given", |f| f.message.as_str());
            findings.add(
                file,
                "status",
                format!("the operation failed: {why}; go on with --resume to measure it again"),
            );
        }
        Status::Complete => check_complete(file, record, findings),
    }
    let planned = plan_operation(&campaign.plan, &record.operation, record.plan.calibration.clone());
    // A record that failed before its calibration has no plan worth the name.
    if record.status == Status::Complete || !record.trials.is_empty() {
        findings.compare(file, "plan", &record.plan, &planned);
    }
    let most = planned.trials + campaign.plan.max_replacements + campaign.plan.max_extra_trials;
    if record.trials.len() > most as usize {
        findings.add(file, "trials", format!("there are {}, the plan allows {most}", record.trials.len()));
    }
    for (i, trial) in record.trials.iter().enumerate() {
        check_trial(file, campaign, record, i as u32, trial, findings);
    }
    if record.status == Status::Complete && record.trials.iter().all(usable) {
        let recomputed = statistics(&record.trials, &planned, campaign.plan.bootstrap_resamples);
        match (&record.statistics, &recomputed) {
            (Some(stored), Some(recomputed)) => findings.compare(file, "statistics", stored, recomputed),
            (None, Some(_)) => findings.add(file, "statistics", "are missing"),
            _ => findings.add(file, "statistics", "do not follow from the trials"),
        }
    }
    check_memory_and_profile(file, record, findings);
}

fn check_complete(file: &str, record: &Record, findings: &mut Findings) {
    if record.failure.is_some() {
        findings.add(file, "failure", "is given, but the status is complete");
    }
    if record.trials.len() < record.plan.trials as usize {
        findings.add(
            file,
            "trials",
            format!("there are {}, the plan asks for {}", record.trials.len(), record.plan.trials),
        );
    }
    if record.memory.is_none() {
        findings.add(file, "memory", "is missing");
    }
    if record.profile.is_none() {
        findings.add(file, "profile", "is missing");
    }
}

/// Whether the clocks of a trial allow statistics at all.
fn usable(trial: &Trial) -> bool {
    trial.clock.tick_hz > 0.0 && trial.clock.segments.iter().all(|s| s.core_hz > 0.0)
}

fn check_trial(
    file: &str,
    campaign: &Campaign,
    record: &Record,
    index: u32,
    trial: &Trial,
    findings: &mut Findings,
) {
    let at = |field: &str| format!("trials[{index}].{field}");
    findings.compare(file, &at("index"), &trial.index, &index);
    let plan = &record.plan;
    let derived = |purpose| {
        let root = &campaign.plan.root_seed;
        trial_seed(root, purpose, &record.submission, &record.instance, &record.operation, index)
    };
    match plan.inputs {
        InputMode::Guide => findings.compare(file, &at("seed"), &trial.seed, &guide_seed()),
        InputMode::Fresh => {
            findings.compare(file, &at("seed"), &trial.seed, &derived(SeedUse::Drng));
            let messages = matches!(record.operation.as_str(), "sign" | "verify");
            let expected = messages.then(|| derived(SeedUse::Messages));
            findings.compare(file, &at("message_seed"), &trial.message_seed, &expected);
        }
    }
    let calls = trial.ticks.len() as u64;
    findings.compare(file, &at("ticks (count)"), &calls, &u64::from(plan.calls_per_trial));
    findings.compare(file, &at("distinct_inputs"), &trial.distinct_inputs, &plan.distinct_per_trial);
    findings.compare(file, &at("checks.succeeded"), &u64::from(trial.checks.succeeded), &calls);
    let checked = u64::from(trial.checks.results_checked);
    if checked > calls || (needs_pool(&record.operation) && checked < calls) {
        findings.add(file, &at("checks.results_checked"), format!("is {checked} of {calls} calls"));
    }
    for (field, digest) in
        [("inputs_sha256", &trial.inputs_sha256), ("outputs_sha256", &trial.outputs_sha256)]
    {
        if hex::decode(digest).map(|d| d.len()) != Ok(32) {
            findings.add(file, &at(field), "is no SHA-256");
        }
    }
    if !["tsc", "cntvct", "monotonic-raw"].contains(&trial.clock.tick_source.as_str()) {
        findings.add(file, &at("clock.tick_source"), "is no clock that this program reads");
    }
    let covered: u64 = trial.clock.segments.iter().map(|s| u64::from(s.calls)).sum();
    findings.compare(file, &at("clock.segments (calls)"), &covered, &calls);
    if let Some(cycles) = &trial.cycles {
        findings.compare(file, &at("cycles (count)"), &(cycles.len() as u64), &calls);
    }
    if (trial.clock.source == CycleSource::HardwareCounter) != trial.cycles.is_some() {
        findings.add(file, &at("clock.source"), "does not fit the presence of counted cycles");
    }
    if trial
        .clock
        .segments
        .iter()
        .any(|s| s.attempts == 0 || s.attempts > campaign.plan.rules.max_attempts.max(1))
    {
        findings.add(
            file,
            &at("clock.segments"),
            "a stretch was timed more often than the rules allow, or never",
        );
    }
    if usable(trial) {
        let recomputed = disturbance(&trial.ticks, &trial.clock, &campaign.plan.rules);
        findings.compare(file, &at("disturbed"), &trial.disturbed, &recomputed);
    } else {
        findings.add(file, &at("clock"), "a clock rate is not positive");
    }
}

fn check_memory_and_profile(file: &str, record: &Record, findings: &mut Findings) {
    if record.memory.is_some_and(|m| m.peak_rss_bytes < m.baseline_rss_bytes) {
        findings.add(file, "memory.peak_rss_bytes", "is below the baseline; a high-water mark cannot fall");
    }
    let Some(stored) = &record.profile else { return };
    let rows: Vec<(String, u64, u64)> =
        stored.rows.iter().map(|r: &ProfileRow| (r.function.clone(), r.calls, r.ticks)).collect();
    let recomputed = profile(stored.operations, stored.total_ticks, stored.recording_ticks, &rows);
    findings.compare(file, "profile", stored, &recomputed);
    if rows.iter().map(|r| u128::from(r.2)).sum::<u128>() > u128::from(stored.total_ticks) {
        findings.add(file, "profile.rows", "take longer than the operations that they are part of");
    }
}
