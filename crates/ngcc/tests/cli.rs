//! The command line as a user and a script meet it, on the real instances.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// What a finished command left behind.
struct Finished {
    code: Option<i32>,
    out: String,
    err: String,
}

fn ngcc(args: &[&str]) -> Finished {
    let output = Command::new(cargo_bin("ngcc")).args(args).stdin(Stdio::null()).output().unwrap();
    Finished {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn list_names_every_instance_with_its_sizes() {
    let list = ngcc(&["list", "--json"]);
    assert_eq!(list.code, Some(0), "{}", list.err);
    let rows: Value = serde_json::from_str(&list.out).unwrap();
    let bit128 = rows.as_array().unwrap().iter().find(|r| r["instance"] == "BiT-128").unwrap();
    assert_eq!(bit128["submission"], "sign-02");
    assert_eq!(bit128["sizes"]["signature"], 1504);
    assert!(ngcc(&["list", "bit-512"]).out.contains("9024"));
}

#[test]
fn usage_errors_are_status_two_with_a_remedy() {
    let unknown = ngcc(&["bench", "BiT-129"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("sign-02/BiT-128"), "{}", unknown.err);
    assert_eq!(ngcc(&["bench", "--op", "juggle"]).code, Some(2));
    let operation = ngcc(&["bench", "--op", "enc", "sign-02"]);
    assert_eq!(operation.code, Some(2), "{}", operation.err);
    assert_eq!(ngcc(&["no-such-command"]).code, Some(2));
    assert_eq!(ngcc(&["kat", "--file", "x.txt"]).code, Some(2));
}

#[test]
fn known_answers_pass_and_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let kat = ngcc(&["kat", "--out", dir.path().to_str().unwrap()]);
    assert_eq!(kat.code, Some(0), "{}{}", kat.out, kat.err);
    let lines: Vec<&str> = kat.out.lines().collect();
    assert!(lines.iter().all(|l| l.starts_with("RESULT ") && l.contains(" PASS")), "{}", kat.out);

    let path = dir.path().join("sign-02/BiT-128/KAT_SIG_BiT-128.txt");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("Count = 0\nSeed_Len = 64\n"));
    let file = path.to_str().unwrap();
    let same = ngcc(&["kat", "sign-02/BiT-128", "--variant", "portable", "--file", file]);
    assert_eq!(same.code, Some(0), "{}{}", same.out, same.err);

    let at = text.rfind("Sn = ").unwrap() + 7;
    let digit = if text.as_bytes()[at] == b'0' { "1" } else { "0" };
    let mut changed = text;
    changed.replace_range(at..=at, digit);
    fs::write(&path, changed).unwrap();
    let other = ngcc(&["kat", "sign-02/BiT-128", "--file", file]);
    assert_eq!(other.code, Some(1));
    assert!(
        other.out.contains("MISMATCH") && other.out.contains('9') && other.out.contains("Sn"),
        "{}",
        other.out
    );

    fs::write(&path, b"\x00\xff no text").unwrap();
    let junk = ngcc(&["kat", "sign-02/BiT-128", "--file", file]);
    assert_eq!(junk.code, Some(1));
    assert!(junk.err.contains(file), "{}", junk.err);
}

#[test]
fn unwritable_places_are_one_clear_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let under = file.join("run");
    let kat = ngcc(&["kat", "sign-02/BiT-128", "--out", under.to_str().unwrap()]);
    assert_eq!(kat.code, Some(1));
    assert!(kat.err.contains("cannot write"), "{}", kat.err);
    let run = ngcc(&["run", "--quick", "--out", under.to_str().unwrap()]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.contains(under.to_str().unwrap()), "{}", run.err);
    for command in ["report", "validate"] {
        let nothing = ngcc(&[command, dir.path().join("nothing").to_str().unwrap()]);
        assert_eq!(nothing.code, Some(1));
        assert!(nothing.err.contains("nothing"), "{}", nothing.err);
    }
}

#[test]
fn bench_json_has_the_documented_shape() {
    let bench = ngcc(&["bench", "sign-02/BiT-128", "--op", "verify", "--quick", "--json"]);
    assert_eq!(bench.code, Some(0), "{}", bench.err);
    let rows: Value = serde_json::from_str(&bench.out).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!((&row["instance"], &row["operation"]), (&"BiT-128".into(), &"verify".into()));
    for figure in ["core_cycles", "seconds"] {
        let number = |key: &str| row[figure][key].as_f64().unwrap();
        let (low, high) =
            (row[figure]["ci95"][0].as_f64().unwrap(), row[figure]["ci95"][1].as_f64().unwrap());
        assert!(0.0 < low && low <= number("mean") && number("mean") <= high, "{row}");
        assert!(number("median") <= number("p95"), "{row}");
        assert!(row[figure]["source"].is_string());
    }
    assert!(row["distinct_inputs"].as_u64().unwrap() >= 100);
    assert!(row["samples"].as_u64().unwrap() >= row["distinct_inputs"].as_u64().unwrap());
}

/// A campaign is stopped, resumed to its end, published, accepted, and rejected after one number was changed.
#[test]
fn a_campaign_survives_ctrl_c_and_is_validated() {
    let dir = tempfile::tempdir().unwrap();
    let run_dir = dir.path().join("run");
    let run = run_dir.to_str().unwrap();
    let mut child = Command::new(cargo_bin("ngcc"))
        .args(["run", "sign-02/BiT-128", "--quick", "--system", "test_1", "--out", run])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(|| partial_records(&run_dir) > 0);
    let busy = ngcc(&["run", "--resume", run]);
    assert_eq!(busy.code, Some(1));
    assert!(busy.err.contains(&child.id().to_string()), "names the process in the way: {}", busy.err);
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT)
        .unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert!(err.contains("--resume"), "{err}");

    let unfinished = ngcc(&["validate", run]);
    assert_eq!(unfinished.code, Some(1), "{}", unfinished.out);

    let resumed = ngcc(&["run", "--resume", run]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    let page = resumed.out.lines().last().unwrap();
    assert!(fs::read_to_string(page).unwrap().contains("BiT-128"));
    assert!(run_dir.join("site/sign-02/perf_test_1.html").is_file());
    assert_eq!(partial_records(&run_dir), 0);
    let accepted = ngcc(&["validate", run]);
    assert_eq!(accepted.code, Some(0), "{}", accepted.out);

    let record = run_dir.join("records/sign-02/BiT-128__verify.json");
    let text = fs::read_to_string(&record).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    let tick = &mut value["trials"][0]["ticks"][3];
    *tick = (tick.as_u64().unwrap() + 1).into();
    fs::write(&record, serde_json::to_string(&value).unwrap()).unwrap();
    let rejected = ngcc(&["validate", run, "--json"]);
    assert_eq!(rejected.code, Some(1));
    let findings: Value = serde_json::from_str(&rejected.out).unwrap();
    assert!(findings[0]["file"].as_str().unwrap().contains("BiT-128__verify"), "{findings}");

    let again = ngcc(&["run", "--quick", "--out", run]);
    assert_eq!(again.code, Some(1), "a campaign does not overwrite another one");
    fs::write(&record, &text[..text.len() / 2]).unwrap();
    let half = ngcc(&["report", run]);
    assert_eq!(half.code, Some(1));
    assert!(half.err.contains("BiT-128__verify.json"), "{}", half.err);
}

fn partial_records(run: &Path) -> usize {
    let Ok(folder) = fs::read_dir(run.join("records/sign-02")) else { return 0 };
    folder.flatten().filter(|f| f.file_name().to_string_lossy().contains(".partial")).count()
}

/// Polls for a minute.
fn wait_for(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing happened for a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}
