//! The store: what it writes it reads, and each kind of damage has its own error.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;

use ngcc_evidence::{PartialRecord, SCHEMA, Store, StoreError};

#[test]
fn what_is_written_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    let loaded = Store::open(dir.path()).unwrap().load().unwrap();
    assert_eq!(
        loaded.records.iter().map(|r| r.operation.as_str()).collect::<Vec<_>>(),
        ["keygen", "sign", "verify"]
    );
    let mut record = loaded.records[1].clone();
    assert_eq!(record.seal.len(), 64);
    record.seal.clear();
    assert_eq!(record, common::record("sign"));
    assert_eq!(store.record("sign-99", "Toy-1", "enc").unwrap(), None);
    assert_eq!(store.record("sign-99", "Toy-2", "sign").unwrap(), None);
}

#[test]
fn a_record_replaces_its_partial() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    let record = common::record("sign");
    let partial = PartialRecord {
        schema: SCHEMA,
        seal: String::new(),
        submission: record.submission.clone(),
        label: record.label.clone(),
        operation: record.operation.clone(),
        started_utc: record.started_utc.clone(),
        plan: record.plan.clone(),
        trials: record.trials[..1].to_vec(),
        memory: None,
        profile: None,
    };
    store.write_partial(&partial).unwrap();
    assert_eq!(store.partial("sign-99", "Toy-1", "sign").unwrap().unwrap().trials, partial.trials);
    store.write_record(&record).unwrap();
    assert_eq!(store.partial("sign-99", "Toy-1", "sign").unwrap(), None);
}

#[test]
fn one_campaign_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    match Store::lock(dir.path()).unwrap_err() {
        StoreError::Locked { pid, .. } => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other}"),
    }
    assert!(matches!(Store::create(dir.path()), Err(StoreError::Locked { .. })));
    drop(store);
    // The lock file is still there, its holder is not.
    drop(Store::lock(dir.path()).unwrap());
    assert!(matches!(Store::create(dir.path()), Err(StoreError::NotEmpty { .. })));
}

#[test]
fn half_written_files_are_removed_on_lock() {
    let dir = tempfile::tempdir().unwrap();
    drop(common::write(dir.path()));
    let left = dir.path().join("records/sign-99/.tmp-abc");
    fs::write(&left, "{").unwrap();
    drop(Store::lock(dir.path()).unwrap());
    assert!(!left.exists());
}

#[test]
fn each_damage_has_its_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    let path = dir.path().join("records/sign-99/Toy-1__sign.json");
    let read = || store.record("sign-99", "Toy-1", "sign").unwrap_err();
    let whole = fs::read_to_string(&path).unwrap();

    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(read(), StoreError::Malformed { .. }), "{}", read());
    assert!(read().to_string().contains("--resume"));
    fs::write(&path, "").unwrap();
    assert!(matches!(read(), StoreError::Malformed { .. }));
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert!(matches!(read(), StoreError::Malformed { .. }));
    fs::write(&path, whole.replacen("\"schema\": 1", "\"schema\": 2", 1)).unwrap();
    assert!(matches!(read(), StoreError::Schema { found: 2, .. }));
    fs::write(&path, whole.replacen("25031", "25032", 1)).unwrap();
    assert!(matches!(read(), StoreError::Seal { .. }), "{}", read());
    fs::write(&path, whole.replacen("\"schema\"", "\"extra\": 1, \"schema\"", 1)).unwrap();
    assert!(read().to_string().contains("extra"), "{}", read());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(read().to_string().contains("no regular file"), "{}", read());
}

#[test]
fn files_under_another_name_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    let record = |operation: &str| dir.path().join(format!("records/sign-99/Toy-1__{operation}.json"));
    fs::copy(record("sign"), record("verify")).unwrap();
    let error = store.record("sign-99", "Toy-1", "verify").unwrap_err().to_string();
    assert!(error.contains("sign-99/Toy-1 sign"), "{error}");
    assert!(store.load().is_err());
}

#[test]
fn foreign_folders_stay_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".lock"), "theirs").unwrap();
    fs::write(dir.path().join("data"), "theirs").unwrap();
    assert!(matches!(Store::create(dir.path()), Err(StoreError::NotEmpty { .. })));
    assert_eq!(fs::read_to_string(dir.path().join(".lock")).unwrap(), "theirs");
    fs::remove_file(dir.path().join(".lock")).unwrap();
    assert!(Store::create(dir.path()).is_err());
    assert!(!dir.path().join(".lock").exists());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(common::write(dir.path()));
    let kept = outside.path().join(".tmp-kept");
    fs::write(&kept, "precious").unwrap();
    let link = |name: &str, target: &std::path::Path| {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap();
        assert!(matches!(Store::lock(dir.path()), Err(StoreError::Link { .. })), "{name}");
    };
    fs::remove_file(dir.path().join(".lock")).unwrap();
    link(".lock", &kept);
    fs::remove_file(dir.path().join(".lock")).unwrap();
    fs::rename(dir.path().join("records"), dir.path().join("moved")).unwrap();
    link("records", outside.path());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "precious");
}

#[test]
fn unfinished_pages_are_removed_on_lock() {
    let dir = tempfile::tempdir().unwrap();
    drop(common::write(dir.path()));
    fs::create_dir(dir.path().join(".site-abc")).unwrap();
    fs::write(dir.path().join(".site-abc/index.html"), "").unwrap();
    drop(Store::lock(dir.path()).unwrap());
    assert!(!dir.path().join(".site-abc").exists());
}

#[test]
fn names_cannot_leave_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let store = common::write(dir.path());
    for name in ["", "..", "../x", "a/b", "a\\b", ".hidden", "a\0b", "a b", &"x".repeat(101)] {
        assert!(matches!(store.record(name, "Toy-1", "sign"), Err(StoreError::Name { .. })), "{name:?}");
        assert!(
            matches!(store.write_kat("sign-99", name, "f", b""), Err(StoreError::Name { .. })),
            "{name:?}"
        );
    }
}

#[test]
fn a_directory_without_a_campaign_is_no_run() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::NotARun { .. })));
    assert!(matches!(Store::lock(&dir.path().join("absent")), Err(StoreError::NotARun { .. })));
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(Store::create(&file.join("run")), Err(StoreError::Io { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    // A file system of one megabyte needs rights that a test does not have; /dev/full answers as a full disk does.
    use std::io::Write as _;
    let refused = fs::OpenOptions::new().write(true).open("/dev/full").and_then(|mut f| f.write_all(b"x"));
    assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}
