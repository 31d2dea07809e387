//! Recomputation of a run directory: every derived number, every digest, completeness.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::json::{Sealed, seal_of};
use crate::stats::MAX_RESAMPLES;
use crate::store::{check_name, read_bytes, read_unsealed, record_path, stays_inside};
use crate::validate_record::check_record;
use crate::{Build, Campaign, Record, Store, StoreError};

/// One thing that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// File, relative to the run directory.
    pub file: String,
    /// Field within it, `trials[2].disturbed`; empty if the whole file is meant.
    pub field: String,
    /// What the file says, where that can be shown.
    pub stored: Option<String>,
    /// What it should say, where that follows from other data.
    pub recomputed: Option<String>,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if !self.field.is_empty() {
            write!(f, " {}", self.field)?;
        }
        write!(f, ": {}", self.problem)?;
        match (&self.stored, &self.recomputed) {
            (Some(stored), Some(recomputed)) => write!(f, " (stored {stored}, recomputed {recomputed})"),
            (Some(stored), None) => write!(f, " (stored {stored})"),
            (None, Some(recomputed)) => write!(f, " (recomputed {recomputed})"),
            (None, None) => Ok(()),
        }
    }
}

/// Recomputes everything in a run directory. An empty list means that it was accepted.
///
/// # Errors
/// Only if there is no run directory; unreadable files are findings.
pub fn validate(dir: &Path) -> Result<Vec<Finding>, StoreError> {
    Store::open(dir)?;
    let mut findings = Findings::default();
    let Some(campaign) = read::<Campaign>(dir, "campaign.json", &mut findings) else {
        return Ok(findings.list);
    };
    check_campaign(&campaign, &mut findings);
    let build = read::<Build>(dir, "build.json", &mut findings);
    if let Some(build) = &build {
        check_build(dir, &campaign, build, &mut findings);
    }
    let texts = build.iter().flat_map(|b| &b.entries).filter_map(|e| e.kat.text.clone());
    let mut expected: BTreeSet<String> = texts.collect();
    let mut seeds: HashMap<String, String> = HashMap::new();
    for (submission, label) in campaign.split_labels() {
        for operation in campaign.operations(submission) {
            let file = match record_path(submission, label, operation) {
                Ok(file) => file,
                Err(e) => {
                    findings.add("campaign.json", "labels", e.to_string());
                    continue;
                }
            };
            expected.insert(file.clone());
            if !dir.join(&file).exists() {
                // Finished parts of it are a finding of their own.
                if dir.join(file.replace(".json", ".partial.json")).exists() {
                    continue;
                }
                findings.add(&file, "", "is missing: the operation was not measured to its end");
                continue;
            }
            let Some(record) = read::<Record>(dir, &file, &mut findings) else { continue };
            if [&record.submission, &record.label, &record.operation] != [submission, label, operation] {
                findings.add(
                    &file,
                    "label",
                    "the record is that of another operation than its file name says",
                );
            }
            check_record(&file, &campaign, build.as_ref(), &record, &mut findings);
            check_seeds(&file, &record, &mut seeds, &mut findings);
        }
    }
    check_strays(dir, &expected, &mut findings);
    Ok(findings.list)
}

/// SHA-256, hex, of the canonical form of a KAT text: no CR, no blanks at the end of a line, no empty lines, one
/// newline after each line.
#[must_use]
pub fn kat_digest(text: &[u8]) -> String {
    let mut digest = Sha256::new();
    for line in text.split(|b| *b == b'\n') {
        let line = line.trim_ascii_end();
        if !line.is_empty() {
            digest.update(line);
            digest.update(b"\n");
        }
    }
    hex::encode(digest.finalize())
}

/// The findings so far.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) list: Vec<Finding>,
}

impl Findings {
    pub(crate) fn add(&mut self, file: &str, field: &str, problem: impl Into<String>) {
        self.list.push(Finding {
            file: file.to_owned(),
            field: field.to_owned(),
            stored: None,
            recomputed: None,
            problem: problem.into(),
        });
    }

    /// Adds a finding for each leaf in which two values differ.
    pub(crate) fn compare<T: Serialize>(&mut self, file: &str, field: &str, stored: &T, recomputed: &T) {
        let value = |v: &T| serde_json::to_value(v).unwrap_or(Value::Null);
        self.compare_values(file, field, &value(stored), &value(recomputed));
    }

    fn compare_values(&mut self, file: &str, field: &str, stored: &Value, recomputed: &Value) {
        match (stored, recomputed) {
            (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
                for (key, value) in a {
                    let inner = if field.is_empty() { key.clone() } else { format!("{field}.{key}") };
                    self.compare_values(file, &inner, value, &b[key]);
                }
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                for (i, (x, y)) in a.iter().zip(b).enumerate() {
                    self.compare_values(file, &format!("{field}[{i}]"), x, y);
                }
            }
            _ if stored == recomputed => {}
            _ => self.list.push(Finding {
                file: file.to_owned(),
                field: field.to_owned(),
                stored: Some(stored.to_string()),
                recomputed: Some(recomputed.to_string()),
                problem: "does not follow from the other data".to_owned(),
            }),
        }
    }
}

/// Reads a file; whatever is wrong with it becomes a finding.
fn read<T: Sealed + DeserializeOwned>(dir: &Path, file: &str, findings: &mut Findings) -> Option<T> {
    let content: T = match read_unsealed(&dir.join(file)) {
        Ok(content) => content,
        Err(e) => {
            findings.add(file, "", e.to_string());
            return None;
        }
    };
    let computed = seal_of(&content).ok()?;
    if content.seal() != computed {
        findings.list.push(Finding {
            file: file.to_owned(),
            field: "seal".to_owned(),
            stored: Some(content.seal().to_owned()),
            recomputed: Some(computed),
            problem: "the content was changed after it was written".to_owned(),
        });
    }
    Some(content)
}

fn check_campaign(campaign: &Campaign, findings: &mut Findings) {
    const FILE: &str = "campaign.json";
    match &campaign.ended_utc {
        None => findings.add(FILE, "ended_utc", "the campaign is not finished; go on with --resume"),
        Some(end) if *end < campaign.started_utc => findings.add(FILE, "ended_utc", "is before the start"),
        Some(_) => {}
    }
    if campaign.labels.is_empty() {
        findings.add(FILE, "labels", "there are none");
    }
    let unique: BTreeSet<&String> = campaign.labels.iter().collect();
    if unique.len() != campaign.labels.len() {
        findings.add(FILE, "labels", "one is there twice");
    }
    for (submission, label) in campaign.split_labels() {
        if campaign.operations(submission).is_empty() {
            findings.add(
                FILE,
                "labels",
                format!("{submission}/{label}: the campaign has no facts of this submission"),
            );
        }
    }
    for submission in &campaign.submissions {
        if let Err(e) = submission.check() {
            findings.add(FILE, &format!("submissions ({})", submission.id), e.to_string());
        }
    }
    if let Err(e) = check_name(&campaign.system) {
        findings.add(FILE, "system", e.to_string());
    }
    if campaign.plan.bootstrap_resamples > MAX_RESAMPLES {
        findings.add(FILE, "plan.bootstrap_resamples", format!("is more than {MAX_RESAMPLES}"));
    }
    if hex::decode(&campaign.plan.root_seed).map(|s| s.len()) != Ok(32) {
        findings.add(FILE, "plan.root_seed", "is not 32 bytes of hex");
    }
}

fn check_build(dir: &Path, campaign: &Campaign, build: &Build, findings: &mut Findings) {
    const FILE: &str = "build.json";
    let told: Vec<String> = build.entries.iter().map(|e| format!("{}/{}", e.submission, e.label)).collect();
    findings.compare(FILE, "entries (labels)", &told, &campaign.labels);
    for (i, entry) in build.entries.iter().enumerate() {
        let at = |field: &str| format!("entries[{i}] ({}).{field}", entry.label);
        let facts = campaign.submissions.iter().find(|s| s.id == entry.submission);
        let instance = facts.and_then(|s| s.instances.iter().find(|f| f.name == entry.instance));
        if let Some(facts) = facts {
            findings.compare(FILE, &at("kind"), &entry.kind, &facts.kind);
        }
        let kat = &entry.kat;
        match instance {
            None => findings.add(FILE, &at("instance"), "the campaign has no facts of this parameter set"),
            Some(i) => findings.compare(FILE, &at("kat.expected"), &kat.expected, &i.kat_sha256),
        }
        if let Some(path) = &kat.text {
            let inside = stays_inside(path);
            match if inside { read_bytes(&dir.join(path)) } else { Ok(Vec::new()) } {
                Ok(_) if !inside => findings.add(FILE, &at("kat.text"), "points out of the run directory"),
                Ok(text) => {
                    findings.compare(path, "(its digest)", &kat.digest, &Some(kat_digest(&text)));
                    let records = text.split(|b| *b == b'\n').filter(|l| l.starts_with(b"Count = ")).count();
                    findings.compare(FILE, &at("kat.records"), &(kat.records as usize), &records);
                }
                Err(e) => findings.add(path, "", e.to_string()),
            }
        }
        if kat.status == "PASS" && (kat.text.is_none() || kat.digest.is_none() || kat.digest != kat.expected)
        {
            findings.add(
                FILE,
                &at("kat.status"),
                "is PASS, but the digest of the text is not the expected one",
            );
        }
        let about_digest = matches!(kat.status.as_str(), "MISMATCH" | "NOKAT");
        if about_digest && kat.digest.is_some() && kat.digest == kat.expected {
            let problem = format!("is {}, but the digest of the text is the expected one", kat.status);
            findings.add(FILE, &at("kat.status"), problem);
        }
    }
}

/// No two trials of a record, and no two records of one label, may use the same inputs unless the plan says so.
fn check_seeds(file: &str, record: &Record, seeds: &mut HashMap<String, String>, findings: &mut Findings) {
    if record.plan.inputs == crate::InputMode::Guide {
        return;
    }
    for trial in &record.trials {
        let place = format!("{file} trials[{}]", trial.index);
        let field = format!("trials[{}].seed", trial.index);
        for value in
            [Some(&trial.seed), trial.message_seed.as_ref(), Some(&trial.inputs_sha256)].into_iter().flatten()
        {
            if let Some(other) = seeds.insert(format!("{}\n{value}", record.label), place.clone()) {
                findings.add(file, &field, format!("seed or inputs are the same as in {other}"));
            }
        }
    }
}

/// Files that the campaign does not explain.
fn check_strays(dir: &Path, expected: &BTreeSet<String>, findings: &mut Findings) {
    for name in names(dir) {
        if !["campaign.json", "build.json", "records", "kat", "site", ".lock"].contains(&name.as_str()) {
            findings.add(&name, "", "is no part of a campaign; remove it");
        }
    }
    let mut folders = vec!["records".to_owned(), "kat".to_owned()];
    while let Some(folder) = folders.pop() {
        for name in names(&dir.join(&folder)) {
            let file = format!("{folder}/{name}");
            let is_folder = dir.join(&file).symlink_metadata().is_ok_and(|m| m.is_dir());
            if is_folder && file.matches('/').count() < 3 {
                folders.push(file);
            } else if file.ends_with(".partial.json") {
                findings.add(&file, "", "an operation was not measured to its end; go on with --resume");
            } else if !expected.contains(&file) {
                findings.add(&file, "", "belongs to no label of the campaign; remove it");
            }
        }
    }
}

/// The names in a folder, sorted; none if it cannot be read.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}
