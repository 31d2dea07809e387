//! Synthetic evidence: three parameter sets of BiT with everything that a campaign can hold. The samples are made up.

use ngcc_evidence::{
    Build, BuildEntry, Calibration, Campaign, Checks, ClockReading, CycleSource, Failure, Host, HostState,
    InputMode, KatNote, KatResult, Library, Memory, NoiseRules, OperationPlan, Plan, Profile, Published,
    Record, SCHEMA, Segment, Status, Submission, Tool, Trial, profile, statistics,
};
use ngcc_report::Evidence;

const TICK_HZ: f64 = 2.4e9;
const CORE_HZ: f64 = 3.2e9;

/// The published results of the repository.
pub(crate) fn published() -> Published {
    serde_json::from_str(include_str!("../../../../published/results.json")).expect("published results parse")
}

/// The facts of BiT, with a note on a known-answer test.
pub(crate) fn submission() -> Submission {
    let mut facts =
        Submission::from_toml(include_str!("../../../../submissions/sign-02.toml")).expect("facts parse");
    facts.kat_notes = vec![KatNote {
        instances: vec!["BiT-256".into()],
        text: "The made-up digest of this test differs on purpose.".into(),
    }];
    facts
}

/// A generator of made-up samples.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// 64 hex digits for a name.
fn digest(name: &str) -> String {
    ngcc_evidence::sha256_hex(name.as_bytes())
}

/// Made-up ticks: signing repeats an attempt until it is accepted, the others vary little.
fn ticks(random: &mut Random, cycles: f64, operation: &str) -> u64 {
    let jitter = 1.0 + 0.02 * random.unit() + if random.unit() < 0.01 { 0.6 } else { 0.0 };
    let attempts = if operation == "sign" {
        let mut attempts = 1.0;
        while random.unit() > 0.3 {
            attempts += 1.0;
        }
        0.2 + 0.25 * attempts
    } else {
        1.0
    };
    (cycles * attempts * jitter / CORE_HZ * TICK_HZ) as u64 + 24
}

fn trial(random: &mut Random, index: u32, calls: u32, cycles: f64, label: &str, operation: &str) -> Trial {
    let name = format!("{label} {operation} {index}");
    Trial {
        index,
        seed: digest(&name),
        message_seed: (operation != "keygen").then(|| digest(&format!("{name} message"))),
        inputs_sha256: digest(&format!("{name} in")),
        outputs_sha256: digest(&format!("{name} out")),
        distinct_inputs: calls,
        ticks: (0..calls).map(|_| ticks(random, cycles, operation)).collect(),
        overhead_ticks: 24,
        cycles: None,
        clock: ClockReading {
            source: CycleSource::MultiplicationChain,
            tick_source: "tsc".into(),
            tick_hz: TICK_HZ,
            segments: vec![Segment {
                calls,
                core_hz: CORE_HZ,
                clock_change: 0.0004,
                lost_s: 0.0,
                attempts: 1 + u32::from(index == 2),
                slowdown: 0.01,
            }],
            uncertainty: 0.0012,
            quiet_width: 0.41,
        },
        disturbed: None,
        checks: Checks { succeeded: calls, results_checked: if operation == "keygen" { 0 } else { calls } },
        before: HostState::default(),
        after: HostState::default(),
        wall_s: 0.4,
        overhead_cycles: None,
    }
}

/// A profile with made-up shares.
fn symmetric(operation: &str) -> Profile {
    let row = |name: &str, calls: u64, ticks: u64| (name.to_owned(), calls, ticks);
    let rows = match operation {
        "verify" => vec![row("pseudoXOF", 1_000, 790_000), row("sm3hash", 300, 2_000)],
        _ => vec![
            row("drng", 200, 300),
            row("pseudoXOF", 6_958, 700_000),
            row("pseudohash", 389, 9_000),
            row("sm3hash", 100, 1_000),
        ],
    };
    profile(100, 1_000_000, 12, &rows)
}

/// A complete record.
pub(crate) fn record(label: &str, operation: &str, cycles: f64, calls: u32, kat: &str) -> Record {
    let mut random = Random(label.len() as u64 ^ cycles.to_bits());
    let mut trials: Vec<Trial> =
        (0..5).map(|i| trial(&mut random, i, calls, cycles, label, operation)).collect();
    if (label, operation) == ("BiT-128", "sign") {
        let mut disturbed = trial(&mut random, 5, calls, cycles * 1.2, label, operation);
        disturbed.disturbed = Some("off the processor for 4.20 % of the timed seconds".into());
        trials.push(disturbed);
    }
    let plan = OperationPlan {
        trials: 5,
        calls_per_trial: calls,
        warmups: 3,
        distinct_per_trial: calls,
        inputs: InputMode::Fresh,
        calibration: Calibration {
            calls: 9,
            seconds_per_call: cycles / CORE_HZ,
            seconds_per_input: cycles / CORE_HZ,
        },
        calls_per_stretch: calls,
    };
    Record {
        schema: SCHEMA,
        seal: digest(&format!("{label} {operation}")),
        status: Status::Complete,
        failure: None,
        submission: "sign-02".into(),
        instance: label.into(),
        variant: "avx512".into(),
        label: label.into(),
        operation: operation.into(),
        kat: kat.into(),
        executable_sha256: digest("executable"),
        library_sha256: Some(digest(label)),
        started_utc: "2026-12-01T10:00:00Z".into(),
        ended_utc: "2026-12-01T10:01:00Z".into(),
        statistics: statistics(&trials, &plan, 400),
        plan,
        trials,
        memory: Some(Memory { baseline_rss_bytes: 1_785_856, peak_rss_bytes: 1_876_992 }),
        profile: Some(symmetric(operation)),
    }
}

/// A record of a worker that died.
pub(crate) fn failed(label: &str, operation: &str) -> Record {
    let mut record = record(label, operation, 1e6, 4, "PASS");
    record.status = Status::Failed;
    record.failure = Some(Failure {
        stage: "measure".into(),
        message: "the worker was ended by signal 11".into(),
        output: "signing attempt 1\nsigning attempt 2\n".into(),
    });
    record.statistics = None;
    record.memory = None;
    record.profile = None;
    record.trials.truncate(2);
    record
}

fn build_entry(instance: &str, status: &str, elf_load_bytes: u64) -> BuildEntry {
    let digest_of_text = digest(&format!("{instance} text"));
    let matches = status == "PASS";
    BuildEntry {
        submission: "sign-02".into(),
        instance: instance.into(),
        variant: "avx512".into(),
        label: instance.into(),
        kind: "signature".into(),
        library: Some(Library {
            file: format!("lib{}.so", instance.to_lowercase()),
            sha256: digest(instance),
            elf_load_bytes,
        }),
        kat: KatResult {
            status: status.into(),
            records: 10,
            digest: Some(digest_of_text.clone()),
            expected: Some(if matches { digest_of_text } else { digest("expected") }),
            text: Some(format!("kat/sign-02/{instance}/KAT_SIG_{instance}.txt")),
            detail: (!matches).then(|| "record 3: field sm differs from byte 17 on".into()),
            seconds: 0.734,
        },
    }
}

fn host() -> Host {
    Host {
        architecture: "x86_64".into(),
        cpu_model: Some("Example CPU 9000".into()),
        cpu_number: Some(1),
        cpus_online: Some(2),
        cpu_features: vec!["avx2".into(), "avx512f".into()],
        hypervisor: Some("KVM".into()),
        memory_bytes: Some(8 * 1024 * 1024 * 1024),
        os: Some("Debian GNU/Linux 12 (bookworm)".into()),
        kernel: Some("6.1.0".into()),
        c_compiler: Some("gcc (Debian 12.2.0-14) 12.2.0".into()),
        perf_event_paranoid: Some(2),
        tick_hz: Some(TICK_HZ),
        core_hz: Some(CORE_HZ),
        core_hz_uncertainty: Some(0.0012),
        caveats: vec![
            "This is a virtual machine: other guests may slow it down unseen.".into(),
            "The hardware cycle counter cannot be opened.".into(),
        ],
        ..Host::default()
    }
}

fn plan() -> Plan {
    Plan {
        quick: true,
        inputs: InputMode::Fresh,
        root_seed: digest("root"),
        trials: 5,
        trial_target_s: 0.25,
        operation_budget_s: 10.0,
        min_distinct: 100,
        max_calls_per_trial: 100_000,
        max_replacements: 3,
        bootstrap_resamples: 400,
        target_half_width: 0.01,
        max_extra_trials: 5,
        rules: NoiseRules {
            stretch_s: 0.005,
            max_attempts: 4,
            lost_share: 0.01,
            clock_change: 0.02,
            changed_share: 0.1,
            slowdown: 0.05,
        },
    }
}

/// The campaign: one failed record, one disturbed trial, one missing memory figure, one operation with few inputs, one
/// that was not measured, one KAT mismatch with a note.
pub(crate) fn evidence() -> Evidence {
    let mut records = vec![
        record("BiT-128", "keygen", 41_000.0, 400, "PASS"),
        record("BiT-128", "sign", 180_000.0, 300, "PASS"),
        record("BiT-128", "verify", 38_000.0, 400, "PASS"),
        record("BiT-256", "keygen", 118_000.0, 200, "MISMATCH"),
        record("BiT-256", "sign", 250_000.0, 200, "MISMATCH"),
        record("BiT-256", "verify", 1_600_000.0, 200, "MISMATCH"),
        record("BiT-512", "keygen", 331_000.0, 7, "PASS"),
        failed("BiT-512", "sign"),
    ];
    records[3].memory = None;
    Evidence {
        campaign: Campaign {
            schema: SCHEMA,
            seal: digest("campaign"),
            tool: Tool {
                name: "ngcc-lab".into(),
                version: "0.1.0".into(),
                compiler: "rustc 1.95.0".into(),
                flags: "release, codegen-units 1".into(),
                executable_sha256: digest("executable"),
            },
            system: "x86_lab".into(),
            started_utc: "2026-12-01T09:58:30Z".into(),
            ended_utc: None,
            host: host(),
            plan: plan(),
            labels: ["BiT-128", "BiT-256", "BiT-512"].iter().map(|l| format!("sign-02/{l}")).collect(),
            submissions: vec![submission()],
        },
        build: Build {
            schema: SCHEMA,
            seal: digest("build"),
            entries: vec![
                build_entry("BiT-128", "PASS", 107_801),
                build_entry("BiT-256", "MISMATCH", 124_845),
                build_entry("BiT-512", "PASS", 228_521),
            ],
        },
        records,
    }
}
