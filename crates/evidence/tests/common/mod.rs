//! A small valid run directory, made from invented samples.
#![allow(dead_code, clippy::unwrap_used, reason = "shared by several test programs")]

use std::path::Path;

use ngcc_evidence::*;

pub(crate) const ROOT: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
pub(crate) const TEXT: &str = "Count = 0\r\nSeed = AB  \r\n\r\n";

pub(crate) fn submission() -> Submission {
    Submission::from_toml(
        r#"
        id = "sign-99"
        algorithm = "Toy"
        title = "A toy"
        kind = "signature"
        [[instances]]
        name = "Toy-1"
        kat_sha256 = "KAT"
        public_key = 4
        secret_key = 8
        signature = 16
        size_basis = "encoded"
        "#
        .replace("KAT", &kat_digest(TEXT.as_bytes()))
        .as_str(),
    )
    .unwrap()
}

pub(crate) fn plan() -> Plan {
    Plan {
        quick: true,
        inputs: InputMode::Fresh,
        root_seed: ROOT.to_owned(),
        trials: 3,
        trial_target_s: 0.001,
        operation_budget_s: 1.0,
        min_distinct: 100,
        max_calls_per_trial: 40,
        max_replacements: 2,
        bootstrap_resamples: 50,
        target_half_width: 0.1,
        max_extra_trials: 0,
        rules: NoiseRules {
            stretch_s: 0.0005,
            max_attempts: 3,
            lost_share: 0.01,
            clock_change: 0.02,
            changed_share: 0.1,
            slowdown: 0.05,
        },
    }
}

pub(crate) fn campaign() -> Campaign {
    Campaign {
        schema: SCHEMA,
        seal: String::new(),
        tool: Tool {
            name: "ngcc-lab".into(),
            version: "0.1.0".into(),
            compiler: "rustc".into(),
            flags: String::new(),
            executable_sha256: "ee".repeat(32),
        },
        system: "toy-system".into(),
        started_utc: "2026-12-01T00:00:00Z".into(),
        ended_utc: Some("2026-12-01T00:01:00Z".into()),
        host: Host::default(),
        plan: plan(),
        labels: vec!["sign-99/Toy-1".into()],
        submissions: vec![submission()],
    }
}

pub(crate) fn build() -> Build {
    Build {
        schema: SCHEMA,
        seal: String::new(),
        entries: vec![BuildEntry {
            submission: "sign-99".into(),
            instance: "Toy-1".into(),
            variant: "portable".into(),
            label: "Toy-1".into(),
            kind: "signature".into(),
            library: None,
            kat: KatResult {
                status: "PASS".into(),
                records: 1,
                digest: Some(kat_digest(TEXT.as_bytes())),
                expected: Some(kat_digest(TEXT.as_bytes())),
                text: Some("kat/sign-99/Toy-1/KAT_SIG_Toy-1.txt".into()),
                detail: None,
                seconds: 0.5,
            },
        }],
    }
}

pub(crate) fn trial(operation: &str, index: u32, calls: u32) -> Trial {
    let seed = |purpose| trial_seed(ROOT, purpose, "sign-99", "Toy-1", operation, index);
    let half = calls / 2;
    let segment = |calls, core_hz| Segment {
        calls,
        core_hz,
        clock_change: 0.001,
        lost_s: 0.0,
        attempts: 1,
        slowdown: 0.0,
    };
    Trial {
        index,
        seed: seed(SeedUse::Drng),
        message_seed: (operation != "keygen").then(|| seed(SeedUse::Messages)),
        inputs_sha256: sha256_hex(format!("in {operation} {index}").as_bytes()),
        outputs_sha256: sha256_hex(format!("out {operation} {index}").as_bytes()),
        distinct_inputs: calls,
        ticks: (0..u64::from(calls)).map(|i| 25_000 + (i * 7919 + u64::from(index) * 31) % 997).collect(),
        overhead_ticks: 40,
        cycles: None,
        clock: ClockReading {
            source: CycleSource::MultiplicationChain,
            tick_source: "tsc".into(),
            tick_hz: 1e9,
            segments: vec![segment(half, 3.5e9), segment(calls - half, 3.6e9)],
            uncertainty: 0.001,
            quiet_width: 0.5,
        },
        disturbed: None,
        checks: Checks { succeeded: calls, results_checked: calls },
        before: HostState::default(),
        after: HostState::default(),
        wall_s: 0.01,
        overhead_cycles: None,
    }
}

pub(crate) fn record(operation: &str) -> Record {
    let calibration = Calibration { calls: 5, seconds_per_call: 2.5e-5, seconds_per_input: 1e-5 };
    let plan = plan_operation(&plan(), operation, calibration);
    let trials: Vec<Trial> = (0..plan.trials).map(|i| trial(operation, i, plan.calls_per_trial)).collect();
    Record {
        schema: SCHEMA,
        seal: String::new(),
        status: Status::Complete,
        failure: None,
        submission: "sign-99".into(),
        instance: "Toy-1".into(),
        variant: "portable".into(),
        label: "Toy-1".into(),
        operation: operation.into(),
        kat: "PASS".into(),
        executable_sha256: "ee".repeat(32),
        library_sha256: None,
        statistics: statistics(&trials, &plan, 50),
        plan,
        started_utc: "2026-12-01T00:00:01Z".into(),
        ended_utc: "2026-12-01T00:00:02Z".into(),
        trials,
        memory: Some(Memory { baseline_rss_bytes: 1_000_000, peak_rss_bytes: 1_100_000 }),
        profile: Some(profile(
            40,
            1_000_000,
            50,
            &[("drng".into(), 40, 1000), ("sm3hash".into(), 80, 300_000)],
        )),
    }
}

/// Writes the whole run.
pub(crate) fn write(dir: &Path) -> Store {
    let store = Store::create(dir).unwrap();
    store.write_campaign(&campaign()).unwrap();
    store.write_kat("sign-99", "Toy-1", "KAT_SIG_Toy-1.txt", TEXT.as_bytes()).unwrap();
    store.write_build(&build()).unwrap();
    for operation in ["keygen", "sign", "verify"] {
        store.write_record(&record(operation)).unwrap();
    }
    store
}
