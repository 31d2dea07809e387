//! The validator accepts a valid run and finds each change.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;

use ngcc_evidence::{Finding, Record, Status, Store, validate};
use proptest::prelude::*;
use serde_json::Value;

fn fields(dir: &Path) -> Vec<String> {
    validate(dir).unwrap().into_iter().map(|f| f.field).collect()
}

/// A valid run with one record changed and sealed again, as someone who knows the format would do.
fn resealed(change: impl FnOnce(&mut Record)) -> Vec<Finding> {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    let mut record = common::record("sign");
    change(&mut record);
    store.write_record(&record).unwrap();
    validate(dir.path()).unwrap()
}

#[test]
fn a_valid_run_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    common::write(dir.path());
    assert_eq!(validate(dir.path()).unwrap(), []);
}

#[test]
fn derived_numbers_are_named_even_under_a_new_seal() {
    type Change = (&'static str, fn(&mut Record));
    let changes: [Change; 20] = [
        ("statistics.core_cycles.mean", |r| r.statistics.as_mut().unwrap().core_cycles.mean *= 1.000_001),
        ("statistics.seconds.ci95[1]", |r| r.statistics.as_mut().unwrap().seconds.ci95[1] *= 1.01),
        ("statistics.distinct_inputs", |r| r.statistics.as_mut().unwrap().distinct_inputs += 1),
        ("statistics.guide_100_met", |r| r.statistics.as_mut().unwrap().guide_100_met ^= true),
        ("statistics.seconds.mean", |r| *r.trials[1].ticks.iter_mut().max().unwrap() += 1),
        ("plan.calls_per_trial", |r| r.plan.calls_per_trial += 1),
        ("trials[0].seed", |r| r.trials[0].seed = "00".repeat(32)),
        ("trials[1].message_seed", |r| r.trials[1].message_seed = r.trials[0].message_seed.clone()),
        ("trials[2].disturbed", |r| r.trials[2].disturbed = Some("a bad day".into())),
        ("trials[0].disturbed", |r| r.trials[0].clock.segments[0].lost_s = 0.1),
        ("trials[1].disturbed", |r| r.trials[1].clock.segments[1].slowdown = 0.5),
        ("trials[0].index", |r| r.trials[0].index = 7),
        ("trials[0].checks.succeeded", |r| r.trials[0].checks.succeeded -= 1),
        ("trials[0].clock", |r| r.trials[0].clock.tick_hz = 0.0),
        ("trials[0].clock.segments (calls)", |r| r.trials[0].clock.segments[1].calls += 1),
        ("trials[0].clock.source", |r| r.trials[0].cycles = Some(vec![1; 40])),
        ("profile.rows[1].share", |r| r.profile.as_mut().unwrap().rows[1].share += 0.1),
        ("profile.hash_share", |r| r.profile.as_mut().unwrap().rows[0].ticks += 50_000),
        ("memory.peak_rss_bytes", |r| r.memory.as_mut().unwrap().peak_rss_bytes = 1),
        ("kat", |r| r.kat = "MISMATCH".into()),
    ];
    for (field, change) in changes {
        let findings = resealed(change);
        let hit = field == "profile.hash_share" || findings.iter().any(|f| f.field == field);
        assert!(hit && !findings.is_empty(), "{field}: {findings:#?}");
        assert!(
            findings.iter().all(|f| f.file == "records/sign-99/Toy-1__sign.json" && f.field != "seal"),
            "{field}"
        );
    }
}

#[test]
fn missing_and_unfinished_work_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    fs::remove_file(dir.path().join("records/sign-99/Toy-1__verify.json")).unwrap();
    let mut campaign = common::campaign();
    campaign.ended_utc = None;
    store.write_campaign(&campaign).unwrap();
    fs::write(dir.path().join("records/sign-99/Toy-9__sign.json"), "{}").unwrap();
    fs::remove_file(dir.path().join("records/sign-99/Toy-1__keygen.json")).unwrap();
    fs::write(dir.path().join("records/sign-99/Toy-1__keygen.partial.json"), "{}").unwrap();
    let found = validate(dir.path()).unwrap();
    let problems: Vec<String> = found.iter().map(ToString::to_string).collect();
    for part in
        ["ended_utc", "is missing", "keygen.partial.json", "belongs to no label", "go on with --resume"]
    {
        assert!(problems.iter().any(|p| p.contains(part)), "{part}: {problems:#?}");
    }
    assert_eq!(found.len(), 4, "{problems:#?}");
}

#[test]
fn a_failed_record_is_a_finding() {
    let findings = resealed(|r| {
        r.status = Status::Failed;
        r.statistics = None;
    });
    assert_eq!(findings.iter().map(|f| f.field.as_str()).collect::<Vec<_>>(), ["status"]);
}

#[test]
fn what_follows_from_other_data_is_checked_under_a_new_seal() {
    let about = |change: &dyn Fn(&mut ngcc_evidence::Record), field: &str| {
        let findings = resealed(change);
        assert!(findings.iter().any(|f| f.field == field), "{field}: {findings:?}");
    };
    about(&|r| r.trials[0].message_seed = None, "trials[0].message_seed");
    about(&|r| r.trials[1].inputs_sha256 = "junk".to_owned(), "trials[1].inputs_sha256");
    about(&|r| r.trials[1].outputs_sha256 = String::new(), "trials[1].outputs_sha256");
    about(&|r| r.trials[0].clock.tick_source = "<script>".to_owned(), "trials[0].clock.tick_source");
}

#[test]
fn files_that_no_campaign_makes_are_findings() {
    let dir = tempfile::tempdir().unwrap();
    drop(common::write(dir.path()));
    assert_eq!(ngcc_evidence::validate(dir.path()).unwrap(), []);
    for stray in ["junk.json", "records/x.json", "kat/zz"] {
        fs::write(dir.path().join(stray), "{}").unwrap();
        let findings = ngcc_evidence::validate(dir.path()).unwrap();
        assert_eq!(findings.iter().map(|f| f.file.as_str()).collect::<Vec<_>>(), [stray]);
        fs::remove_file(dir.path().join(stray)).unwrap();
    }
}

#[test]
fn the_kat_text_is_digested_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    let text = dir.path().join("kat/sign-99/Toy-1/KAT_SIG_Toy-1.txt");
    fs::write(&text, common::TEXT.replace("AB", "AC")).unwrap();
    assert_eq!(fields(dir.path()), ["(its digest)"]);
    fs::write(&text, common::TEXT.replace('\r', "")).unwrap();
    assert_eq!(fields(dir.path()), Vec::<String>::new());
    fs::remove_file(&text).unwrap();
    assert_eq!(validate(dir.path()).unwrap().len(), 1);
    let mut build = common::build();
    build.entries[0].kat.text = Some("../../etc/passwd".into());
    build.entries[0].kat.status = "MISMATCH".into();
    store.write_build(&build).unwrap();
    let found = fields(dir.path());
    assert!(found.contains(&"entries[0] (Toy-1).kat.text".into()), "{found:?}");
    assert!(found.contains(&"entries[0] (Toy-1).kat.status".into()), "{found:?}");
}

#[test]
fn unreadable_files_are_findings() {
    for file in ["campaign.json", "build.json", "records/sign-99/Toy-1__sign.json"] {
        let dir = tempfile::tempdir().unwrap();
        common::write(dir.path());
        fs::write(dir.path().join(file), "{\"schema\": 1, ").unwrap();
        let findings = validate(dir.path()).unwrap();
        assert!(
            findings.iter().any(|f| f.file == file && f.problem.contains("half-written")),
            "{findings:?}"
        );
    }
    assert!(validate(Path::new("no such directory")).is_err());
}

/// Every number of a JSON value, as pointers.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| numbers(v, &format!("{at}/{i}"), found))
        }
        Value::Object(fields) => fields.iter().for_each(|(k, v)| numbers(v, &format!("{at}/{k}"), found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_changed_number_is_found(file in 0..5_usize, pick in any::<prop::sample::Index>(), delta in 1..1000_u64) {
        let dir = tempfile::tempdir().unwrap();
        common::write(dir.path());
        let files = [
            "campaign.json",
            "build.json",
            "records/sign-99/Toy-1__keygen.json",
            "records/sign-99/Toy-1__sign.json",
            "records/sign-99/Toy-1__verify.json",
        ];
        let path = dir.path().join(files[file]);
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let mut found: Vec<String> = Vec::new();
        numbers(&value, "", &mut found);
        let place = value.pointer_mut(pick.get(&found).as_str()).unwrap();
        *place = match place.as_u64() {
            Some(n) => (n + delta).into(),
            None => (place.as_f64().unwrap() * (1.0 + delta as f64 * 1e-9) + 1e-12).into(),
        };
        fs::write(&path, serde_json::to_vec(&value).unwrap()).unwrap();
        prop_assert!(!validate(dir.path()).unwrap().is_empty(), "{} {}", files[file], pick.get(&found).as_str());
    }

    #[test]
    fn garbage_is_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), file in 0..3_usize) {
        let dir = tempfile::tempdir().unwrap();
        let store = common::write(dir.path());
        let name = ["campaign.json", "build.json", "records/sign-99/Toy-1__sign.json"][file];
        fs::write(dir.path().join(name), bytes).unwrap();
        prop_assert!(!validate(dir.path()).unwrap().is_empty());
        prop_assert!(Store::open(dir.path()).unwrap().load().is_err());
        drop(store);
    }
}
