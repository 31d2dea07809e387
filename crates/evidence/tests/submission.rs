//! The submission files of this repository parse, and wrong ones say what is wrong.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::path::Path;

use ngcc_evidence::{Published, Submission};

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_submission_file_is_consistent() {
    let mut count = 0;
    for entry in fs::read_dir(root().join("submissions")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let submission = Submission::from_toml(&fs::read_to_string(&path).unwrap()).unwrap();
            submission.check().unwrap();
            assert_eq!(path.file_stem().unwrap().to_str(), Some(submission.id.as_str()));
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn the_published_results_parse() {
    let text = fs::read(root().join("published/results.json")).unwrap();
    let published: Published = serde_json::from_slice(&text).unwrap();
    let row = published.performance("sign-02", "x86_1", "BiT-128", "verify").unwrap();
    assert_eq!(row.mean_cycles_text, "443.8 k");
    assert!(published.performance("sign-02", "x86_1", "BiT-1024", "verify").is_none());
}

#[test]
fn contradictions_are_named() {
    let wrong = |change: fn(&mut Submission)| {
        let mut submission = common::submission();
        change(&mut submission);
        submission.check().unwrap_err().to_string()
    };
    common::submission().check().unwrap();
    assert!(wrong(|s| s.kind = "hash".into()).contains("write signature or kem"));
    assert!(wrong(|s| s.instances.push(s.instances[0].clone())).contains("twice"));
    assert!(wrong(|s| s.instances[0].kat_sha256 = Some("xyz".into())).contains("64 lower-case hex digits"));
    assert!(wrong(|s| s.instances[0].kat_sha256 = Some("AA".repeat(32))).contains("lower-case"));
    assert!(wrong(|s| s.instances[0].signature = None).contains("give signature only"));
    assert!(wrong(|s| s.instances[0].name = "../x".into()).contains("file name"));
    assert!(wrong(|s| s.instances.clear()).contains("[[instances]]"));
    assert!(wrong(|s| s.id = String::new()).starts_with("id"));
}

#[test]
fn a_misspelt_key_is_named_with_its_line() {
    let error = Submission::from_toml("id = \"x\"\nalgoritm = \"y\"\n").unwrap_err().to_string();
    assert!(error.contains("algoritm") && error.contains('2'), "{error}");
}
