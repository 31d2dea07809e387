//! The laboratory from end to end, with toys that behave and toys that do not.
//!
//! This program is its own worker: started with the argument `worker` it serves a judge, with `campaign DIR` it runs a
//! campaign that the test kills.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test fails by panicking")]

mod toy;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Trial};
use ngcc_api::Operation;
use ngcc_evidence::{InputMode, Plan, Record, Status, Store, StoreError, Submission, validate};
use ngcc_lab::campaign::{self, Outcome};
use ngcc_lab::{Event, Lab, LabError, Program, StopFlag, Target, kat, plan, worker};
use toy::{REGISTRY, facts, flaky_flag};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("worker") => return worker::main(&REGISTRY),
        Some("campaign") => {
            let bench = Bench::new();
            let store = bench.create(&["Toy", "ToyKem"], tiny(InputMode::Fresh), Path::new(&args[2]));
            bench.run(&store, &StopFlag::new(), &mut |_| {});
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let mut arguments = Arguments::from_args();
    // Several tests at once would measure each other.
    arguments.test_threads = Some(1);
    let test = |name: &str, body: fn()| {
        Trial::test(name, move || {
            body();
            Ok(())
        })
    };
    let tests = vec![
        test("honest_toys_are_measured", honest_toys_are_measured),
        test("each_misbehaviour_fails_its_record_alone", each_misbehaviour_fails_its_record_alone),
        test("what_a_worker_prints_is_no_result", what_a_worker_prints_is_no_result),
        test("a_hung_worker_is_killed", a_hung_worker_is_killed),
        test("known_answers_have_verdicts", known_answers_have_verdicts),
        test("a_campaign_is_valid_and_done_once", a_campaign_is_valid_and_done_once),
        test("guide_inputs_are_fixed", guide_inputs_are_fixed),
        test("a_stopped_campaign_goes_on", a_stopped_campaign_goes_on),
        test("a_killed_campaign_goes_on", a_killed_campaign_goes_on),
        test("a_failed_record_is_measured_again", a_failed_record_is_measured_again),
        test("wrong_resumptions_are_refused", wrong_resumptions_are_refused),
        test("a_worker_without_a_judge_says_so", a_worker_without_a_judge_says_so),
    ];
    libtest_mimic::run(&arguments, tests).exit_code()
}

/// Facts and program of the tests.
struct Bench {
    submissions: Vec<Submission>,
    program: Program,
}

impl Bench {
    fn new() -> Self {
        let program = Program::new(std::env::current_exe().unwrap(), vec![OsString::from("worker")]).unwrap();
        Self { submissions: facts(), program }
    }

    fn lab(&self) -> Lab<'_> {
        Lab { registry: &REGISTRY, submissions: &self.submissions, program: &self.program, cpu: None }
    }

    fn bench(&self, names: &[&str], operation: Option<Operation>) -> Vec<Record> {
        let targets = targets(names);
        let plan = tiny(InputMode::Fresh);
        campaign::bench(&self.lab(), &targets, operation, &plan, &mut |_| {}, &StopFlag::new()).unwrap()
    }

    fn create(&self, names: &[&str], plan: Plan, dir: &Path) -> Store {
        campaign::create(&self.lab(), &targets(names), plan, Some("toy-system"), dir).unwrap()
    }

    fn run(&self, store: &Store, stop: &StopFlag, events: &mut dyn FnMut(Event<'_>)) -> Outcome {
        campaign::run(&self.lab(), store, events, stop).unwrap()
    }
}

fn targets(names: &[&str]) -> Vec<Target> {
    names.iter().map(|n| Target::best(toy::toy(n))).collect()
}

/// Trials of a few milliseconds.
fn tiny(inputs: InputMode) -> Plan {
    Plan {
        trial_target_s: 0.004,
        operation_budget_s: 0.5,
        max_calls_per_trial: 200,
        max_replacements: 1,
        bootstrap_resamples: 100,
        max_extra_trials: 1,
        ..plan::quick(inputs)
    }
}

fn assert_accepted(dir: &Path) {
    let findings: Vec<String> = validate(dir).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(findings, Vec::<String>::new());
}

fn children() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks
        .map(|t| fs::read_to_string(t.path().join("children")).unwrap_or_default().split_whitespace().count())
        .sum()
}

fn honest_toys_are_measured() {
    let records = Bench::new().bench(&["Toy", "ToyKem"], None);
    let operations: Vec<&str> = records.iter().map(|r| r.operation.as_str()).collect();
    assert_eq!(operations, ["keygen", "sign", "verify", "keygen", "enc", "dec"]);
    for record in &records {
        assert_eq!(record.status, Status::Complete, "{:?}", record.failure);
        let s = record.statistics.as_ref().unwrap();
        assert!(s.core_cycles.min > 100.0 && s.core_cycles.mean < 1e6, "{s:?}");
        assert!(s.core_cycles.ci95[0] < s.core_cycles.mean && s.core_cycles.mean < s.core_cycles.ci95[1]);
        assert!(s.guide_100_met && s.distinct_inputs >= 100);
        assert!(record.trials.len() >= 5);
        let checked: u32 = record.trials.iter().map(|t| t.checks.results_checked).sum();
        assert!(checked > 0);
        if record.operation != "keygen" {
            assert_eq!(u64::from(checked), record.trials.iter().map(|t| t.ticks.len() as u64).sum::<u64>());
        }
    }
    // Same seed, same calls: only the trial's number tells outputs apart.
    let outputs: std::collections::BTreeSet<_> =
        records[1].trials.iter().map(|t| &t.outputs_sha256).collect();
    assert_eq!(outputs.len(), records[1].trials.len());
    assert_eq!(children(), 0);
}

fn each_misbehaviour_fails_its_record_alone() {
    let bench = Bench::new();
    for (name, operation, message, output) in [
        ("Aborts", Operation::Sign, "signal 6 (abort)", "about to abort"),
        ("Exits", Operation::Sign, "ended by itself with code 0", "RESULT toy exits PASS"),
        ("Refuses", Operation::Sign, "returned an error", ""),
        ("SignsJunk", Operation::Sign, "does not verify", ""),
        ("AcceptsAll", Operation::Verify, "accepted a modified message", ""),
        ("OtherSecret", Operation::Dec, "another shared secret", ""),
        ("OtherSecret", Operation::Enc, "differs from that of dec", ""),
    ] {
        let records = bench.bench(&[name], Some(operation));
        let failure = records[0].failure.as_ref().unwrap_or_else(|| panic!("{name} was measured"));
        assert!(failure.message.contains(message), "{name}: {failure:?}");
        assert!(failure.output.contains(output), "{name}: {failure:?}");
        assert_eq!((records[0].status, records[0].statistics.is_none()), (Status::Failed, true));
    }
    let records = bench.bench(&["Aborts", "Toy"], None);
    let complete =
        |name: &str| records.iter().filter(|r| r.instance == name && r.status == Status::Complete).count();
    // Verification needs a signature, and trying out a key makes one; so nothing of `Aborts` is complete.
    assert_eq!((complete("Aborts"), complete("Toy")), (0, 3));
    assert_eq!(children(), 0);
}

fn what_a_worker_prints_is_no_result() {
    let bench = Bench::new();
    let records = bench.bench(&["Prints"], Some(Operation::Sign));
    assert_eq!(records[0].status, Status::Complete, "{:?}", records[0].failure);
    let target = Target::best(toy::toy("Exits"));
    let result = kat(&bench.lab(), target, 10, &mut |_, _| {}, &StopFlag::new()).unwrap();
    assert_eq!(result.status, "CRASH");
    assert!(result.detail.unwrap().contains("RESULT toy exits PASS"));
}

fn a_hung_worker_is_killed() {
    let mut bench = Bench::new();
    bench.program = bench.program.with_time_limit(Duration::from_secs(1));
    let start = Instant::now();
    let records = bench.bench(&["Hangs"], Some(Operation::Sign));
    assert!(records[0].failure.as_ref().unwrap().message.contains("no answer within 1 s"));
    let target = Target::best(toy::toy("Hangs"));
    let result = kat(&bench.lab(), target, 10, &mut |_, _| {}, &StopFlag::new()).unwrap();
    assert_eq!((result.status.as_str(), result.records), ("TIMEOUT", 0));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(children(), 0);
}

fn known_answers_have_verdicts() {
    let bench = Bench::new();
    let run = |name: &str, records: u32| {
        let mut seen = Vec::new();
        let mut sink = |count, text: &str| seen.push((count, text.len()));
        let result =
            kat(&bench.lab(), Target::best(toy::toy(name)), records, &mut sink, &StopFlag::new()).unwrap();
        assert_eq!(seen.len(), result.records as usize);
        assert!(seen.iter().enumerate().all(|(i, s)| s.0 as usize == i && s.1 > 100));
        result
    };
    assert_eq!(run("Toy", 10).status, "PASS");
    assert_eq!(run("ToyKem", 10).status, "PASS");
    assert_eq!(run("Toy", 3).status, "NOKAT");
    assert_eq!(run("SignsJunk", 10).status, "CRYPTOFAIL");
    assert_eq!(run("AcceptsAll", 10).status, "CRYPTOFAIL");
    assert_eq!(run("Aborts", 10).status, "CRASH");
    let mut other = Bench::new();
    other.submissions[0].instances[0].kat_sha256 = Some("00".repeat(32));
    let target = Target::best(toy::toy("Toy"));
    let result = kat(&other.lab(), target, 10, &mut |_, _| {}, &StopFlag::new()).unwrap();
    assert_eq!(result.status, "MISMATCH");
    let stop = StopFlag::new();
    stop.stop();
    assert!(matches!(kat(&other.lab(), target, 10, &mut |_, _| {}, &stop), Err(LabError::Stopped)));
}

fn a_campaign_is_valid_and_done_once() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let store = bench.create(&["Toy", "ToyKem"], tiny(InputMode::Fresh), dir.path());
    let (mut begun, mut done, mut added) = (0, 0, 0);
    let outcome = bench.run(&store, &StopFlag::new(), &mut |event| match event {
        Event::PhaseStarted { steps, .. } => begun += steps,
        Event::StepsAdded { steps, .. } => added += steps,
        Event::StepDone { .. } => done += 1,
        _ => {}
    });
    assert_eq!(outcome, Outcome::Finished { records: 6, failed: 0, kat_failed: 0 });
    assert_eq!(begun + added, done);
    assert_accepted(dir.path());
    let loaded = store.load().unwrap();
    for record in &loaded.records {
        let memory = record.memory.unwrap();
        assert!(memory.baseline_rss_bytes > 100_000 && memory.peak_rss_bytes >= memory.baseline_rss_bytes);
        let profile = record.profile.as_ref().unwrap();
        assert!(profile.operations > 0 && profile.hash_share + profile.drng_share <= 1.0);
        let calls = |f: &str| profile.rows.iter().find(|r| r.function == f).map_or(0, |r| r.calls);
        match record.operation.as_str() {
            // Two hashes a signature, and four draws on average.
            "sign" => {
                assert_eq!(calls("sm3hash"), 2 * profile.operations);
                assert!(calls("drng") > 2 * profile.operations, "{profile:?}");
            }
            "verify" => assert_eq!((calls("sm3hash"), calls("drng")), (profile.operations, 0)),
            "enc" => assert_eq!(calls("drng"), profile.operations),
            _ => {}
        }
    }
    drop(store);
    let store = campaign::resume(&bench.lab(), dir.path()).unwrap();
    let mut repeated = 0;
    let again = bench.run(&store, &StopFlag::new(), &mut |event| {
        repeated += u32::from(matches!(event, Event::StepStarted { .. }));
    });
    assert_eq!((again, repeated), (outcome, 0));
    assert_eq!(store.load().unwrap().records, loaded.records);
    assert_accepted(dir.path());
}

fn guide_inputs_are_fixed() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let store = bench.create(&["Toy"], tiny(InputMode::Guide), dir.path());
    bench.run(&store, &StopFlag::new(), &mut |_| {});
    assert_accepted(dir.path());
    for record in store.load().unwrap().records {
        assert!(record.trials.iter().all(|t| t.seed.starts_with("000102") && t.message_seed.is_none()));
        assert!(record.trials.iter().all(|t| t.inputs_sha256 == record.trials[0].inputs_sha256));
        assert!(record.trials.iter().all(|t| t.outputs_sha256 == record.trials[0].outputs_sha256));
        if record.operation == "verify" {
            assert_eq!(record.statistics.unwrap().distinct_inputs, 1);
        }
    }
}

/// Every trial that was announced, as label, operation and number.
fn trials(event: &Event<'_>, seen: &mut Vec<(String, Operation, u32)>) {
    if let Event::Trial { label, operation, trial, .. } = event {
        seen.push(((*label).to_owned(), *operation, trial.index));
    }
}

fn a_stopped_campaign_goes_on() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let mut store = bench.create(&["Toy"], tiny(InputMode::Fresh), dir.path());
    let mut seen = Vec::new();
    let mut stops = 0;
    loop {
        let stop = StopFlag::new();
        let mut steps = 0;
        let outcome = bench.run(&store, &stop, &mut |event| {
            trials(&event, &mut seen);
            // Stop after a few steps of any phase.
            if matches!(event, Event::StepStarted { .. }) {
                steps += 1;
                if steps == 5 {
                    stop.stop();
                }
            }
        });
        drop(store);
        match outcome {
            Outcome::Stopped => stops += 1,
            Outcome::Finished { failed, .. } => {
                assert_eq!(failed, 0);
                break;
            }
        }
        assert!(!validate(dir.path()).unwrap().is_empty(), "an unfinished campaign was accepted");
        store = campaign::resume(&bench.lab(), dir.path()).unwrap();
    }
    assert!(stops >= 3, "{stops}");
    assert_accepted(dir.path());
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count, "a trial was measured twice");
    let records = Store::open(dir.path()).unwrap().load().unwrap().records;
    assert_eq!(records.iter().map(|r| r.trials.len()).sum::<usize>(), count);
}

fn a_killed_campaign_goes_on() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    let mut child = Command::new(std::env::current_exe().unwrap()).arg("campaign").arg(&run).spawn().unwrap();
    // Until some trials are there.
    let deadline = Instant::now() + Duration::from_secs(60);
    let partial = || fs::read_dir(run.join("records/sign-99")).is_ok_and(|d| d.count() >= 2);
    while !partial() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    match campaign::resume(&bench.lab(), &run) {
        Err(LabError::Store(StoreError::Locked { pid, .. })) => assert_eq!(pid, Some(child.id())),
        other => panic!("two campaigns in one directory: {other:?}"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let store = campaign::resume(&bench.lab(), &run).unwrap();
    let mut seen = Vec::new();
    let outcome = bench.run(&store, &StopFlag::new(), &mut |event| trials(&event, &mut seen));
    assert_eq!(outcome, Outcome::Finished { records: 6, failed: 0, kat_failed: 0 });
    assert_accepted(&run);
}

fn a_failed_record_is_measured_again() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    let flag = flaky_flag(std::process::id());
    let store = bench.create(&["Flaky"], tiny(InputMode::Fresh), dir.path());
    // After the known answers, which must pass.
    let outcome = bench.run(&store, &StopFlag::new(), &mut |event| {
        if matches!(event, Event::Kat { .. }) {
            fs::write(&flag, "").unwrap();
        }
    });
    fs::remove_file(&flag).unwrap();
    assert_eq!(outcome, Outcome::Finished { records: 3, failed: 3, kat_failed: 0 });
    assert_eq!(validate(dir.path()).unwrap().iter().filter(|f| f.field == "status").count(), 3);
    drop(store);
    let store = campaign::resume(&bench.lab(), dir.path()).unwrap();
    let outcome = bench.run(&store, &StopFlag::new(), &mut |_| {});
    assert_eq!(outcome, Outcome::Finished { records: 3, failed: 0, kat_failed: 0 });
    assert_accepted(dir.path());
}

fn wrong_resumptions_are_refused() {
    let bench = Bench::new();
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(
        campaign::resume(&bench.lab(), dir.path()),
        Err(LabError::Store(StoreError::NotARun { .. }))
    ));
    drop(bench.create(&["Toy"], tiny(InputMode::Fresh), dir.path()));
    let again = campaign::create(&bench.lab(), &targets(&["Toy"]), tiny(InputMode::Fresh), None, dir.path());
    assert!(matches!(again, Err(LabError::Store(StoreError::NotEmpty { .. }))));
    let other = Program::new("/bin/sh".into(), Vec::new()).unwrap();
    let lab = Lab { program: &other, ..bench.lab() };
    let error = campaign::resume(&lab, dir.path()).unwrap_err();
    assert!(matches!(error, LabError::OtherExecutable { .. }) && error.to_string().contains("new campaign"));
    let nothing = campaign::create(&bench.lab(), &[], tiny(InputMode::Fresh), None, dir.path());
    assert!(matches!(nothing, Err(LabError::Nothing)));
    let lab = Lab { submissions: &[], ..bench.lab() };
    let unknown = campaign::create(&lab, &targets(&["Toy"]), tiny(InputMode::Fresh), None, dir.path());
    assert!(unknown.unwrap_err().to_string().contains("submissions/sign-99.toml"));
    let lab = Lab { cpu: Some(9999), ..bench.lab() };
    let processor = campaign::create(&lab, &targets(&["Toy"]), tiny(InputMode::Fresh), None, dir.path());
    assert!(matches!(processor, Err(LabError::Processor { cpu: 9999, .. })));
    let other = tempfile::tempdir().unwrap();
    let name = campaign::create(
        &bench.lab(),
        &targets(&["Toy"]),
        tiny(InputMode::Fresh),
        Some("../x"),
        other.path(),
    );
    assert!(matches!(name, Err(LabError::Store(StoreError::Name { .. }))));
    // A program that is no worker.
    let lab = Lab { program: &Program::new("/bin/true".into(), Vec::new()).unwrap(), ..bench.lab() };
    let records = campaign::bench(
        &lab,
        &targets(&["Toy"]),
        Some(Operation::Sign),
        &tiny(InputMode::Fresh),
        &mut |_| {},
        &StopFlag::new(),
    );
    assert!(records.unwrap()[0].failure.as_ref().unwrap().message.contains("ended by itself with code 0"));
}

fn a_worker_without_a_judge_says_so() {
    let output =
        Command::new(std::env::current_exe().unwrap()).arg("worker").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("started by the program itself"));
}
