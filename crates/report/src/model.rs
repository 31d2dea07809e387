//! The evidence sorted for pages: submissions, their labels in page order, and the record of each operation.

use std::collections::BTreeSet;

use ngcc_evidence::{
    Build, BuildEntry, Campaign, Links, Loaded, Record, Status, Submission, SubmissionInstance,
};

/// Everything that the pages are made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// `campaign.json`.
    pub campaign: Campaign,
    /// `build.json`.
    pub build: Build,
    /// The records, in any order.
    pub records: Vec<Record>,
}

impl From<Loaded> for Evidence {
    fn from(loaded: Loaded) -> Self {
        Self { campaign: loaded.campaign, build: loaded.build, records: loaded.records }
    }
}

/// Operations in page order; others follow in alphabetical order.
const OPERATIONS: [&str; 5] = ["keygen", "enc", "dec", "sign", "verify"];

/// The operations that an instance of a kind must have.
pub(crate) fn operations_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "kem" => &["keygen", "enc", "dec"],
        "signature" => &["keygen", "sign", "verify"],
        _ => &[],
    }
}

/// Key that puts operations in page order.
fn operation_order(operation: &str) -> (usize, &str) {
    (OPERATIONS.iter().position(|&known| known == operation).unwrap_or(OPERATIONS.len()), operation)
}

/// One measured variant of one instance.
#[derive(Clone, Debug)]
pub(crate) struct Label<'a> {
    /// Name in files and tables.
    pub name: String,
    /// Parameter set.
    pub instance: String,
    /// Back-end, empty where neither build nor records name it.
    pub variant: String,
    /// Entry of `build.json`.
    pub build: Option<&'a BuildEntry>,
    /// Facts of the parameter set.
    pub facts: Option<&'a SubmissionInstance>,
    /// Operation and its record, in page order; absent where it was not measured.
    pub operations: Vec<(String, Option<&'a Record>)>,
}

impl Label<'_> {
    /// KAT status as the build knows it, or as the records do.
    pub(crate) fn kat_status(&self) -> Option<&str> {
        let of_records = || self.operations.iter().find_map(|(_, record)| record.map(|r| r.kat.as_str()));
        self.build.map(|entry| entry.kat.status.as_str()).or_else(of_records)
    }

    /// `KAT MISMATCH` where the known-answer test did not pass.
    pub(crate) fn kat_mark(&self) -> Option<String> {
        match self.kat_status() {
            Some("PASS") => None,
            Some(status) => Some(format!("KAT {status}")),
            None => Some("KAT not run".to_owned()),
        }
    }
}

/// A submission with everything the campaign holds about it.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'a> {
    /// Its facts; for a submission that only records know, a stub with the id.
    pub submission: Submission,
    /// Variants in page order.
    pub labels: Vec<Label<'a>>,
}

impl Entry<'_> {
    /// Every record with its label.
    pub(crate) fn records(&self) -> impl Iterator<Item = (&Label<'_>, &Record)> {
        self.labels.iter().flat_map(|label| {
            label.operations.iter().filter_map(move |(_, record)| record.map(|record| (label, record)))
        })
    }

    /// Names of the parameter sets.
    pub(crate) fn instances(&self) -> Vec<String> {
        self.submission.instances.iter().map(|instance| instance.name.clone()).collect()
    }

    /// Operations, complete records, records.
    pub(crate) fn progress(&self) -> (usize, usize, usize) {
        let planned = self.labels.iter().map(|label| label.operations.len()).sum();
        let records: Vec<_> = self.records().collect();
        (planned, records.iter().filter(|(_, r)| r.status == Status::Complete).count(), records.len())
    }
}

/// Facts for a submission that the campaign does not describe.
fn stub(id: &str, kind: &str) -> Submission {
    Submission {
        id: id.to_owned(),
        algorithm: id.to_owned(),
        title: id.to_owned(),
        kind: kind.to_owned(),
        warning: None,
        links: Links::default(),
        survey: None,
        kat_notes: Vec::new(),
        instances: Vec::new(),
    }
}

/// The submissions of the evidence: those of the campaign in its order, then any that only files name.
pub(crate) fn entries(evidence: &Evidence) -> Vec<Entry<'_>> {
    let campaign = &evidence.campaign;
    let mut names = Vec::new();
    let mut add = |id: &str, label: &str| {
        let pair = (id.to_owned(), label.to_owned());
        if !names.contains(&pair) {
            names.push(pair);
        }
    };
    for planned in &campaign.labels {
        if let Some((id, label)) = planned.split_once('/') {
            add(id, label);
        }
    }
    for entry in &evidence.build.entries {
        add(&entry.submission, &entry.label);
    }
    for record in &evidence.records {
        add(&record.submission, &record.label);
    }
    let known: Vec<&str> = campaign.submissions.iter().map(|s| s.id.as_str()).collect();
    let unknown: BTreeSet<&str> =
        names.iter().map(|(id, _)| id.as_str()).filter(|id| !known.contains(id)).collect();
    known
        .into_iter()
        .chain(unknown)
        .filter_map(|id| entry(evidence, id, names.iter().filter(|n| n.0 == id).map(|n| n.1.as_str())))
        .collect()
}

/// One submission; absent where nothing of it was selected.
fn entry<'a, 'n>(
    evidence: &'a Evidence,
    id: &str,
    labels: impl Iterator<Item = &'n str>,
) -> Option<Entry<'a>> {
    let facts = evidence.campaign.submissions.iter().find(|s| s.id == id);
    let builds = || evidence.build.entries.iter().filter(move |b| b.submission == id);
    let kind = facts.map(|s| s.kind.as_str()).or_else(|| builds().next().map(|b| b.kind.as_str()));
    let labels: Vec<_> = labels.map(|name| label(evidence, id, name, facts, kind.unwrap_or(""))).collect();
    if labels.is_empty() {
        return None;
    }
    Some(Entry { submission: facts.cloned().unwrap_or_else(|| stub(id, kind.unwrap_or(""))), labels })
}

/// One variant of a submission.
fn label<'a>(
    evidence: &'a Evidence,
    id: &str,
    name: &str,
    facts: Option<&'a Submission>,
    kind: &str,
) -> Label<'a> {
    let build = evidence.build.entries.iter().find(|b| b.submission == id && b.label == name);
    let records: Vec<&Record> =
        evidence.records.iter().filter(|r| r.submission == id && r.label == name).collect();
    let first = records.first();
    let instance = build.map(|b| b.instance.as_str()).or(first.map(|r| r.instance.as_str())).unwrap_or(name);
    let variant = build.map(|b| b.variant.as_str()).or(first.map(|r| r.variant.as_str())).unwrap_or("");
    let mut operations: Vec<&str> = operations_of(kind).to_vec();
    for record in &records {
        if !operations.contains(&record.operation.as_str()) {
            operations.push(&record.operation);
        }
    }
    operations.sort_by_key(|operation| operation_order(operation));
    Label {
        name: name.to_owned(),
        instance: instance.to_owned(),
        variant: variant.to_owned(),
        build,
        facts: facts.and_then(|s| s.instances.iter().find(|i| i.name == instance)),
        operations: operations
            .into_iter()
            .map(|operation| {
                (operation.to_owned(), records.iter().copied().find(|r| r.operation == operation))
            })
            .collect(),
    }
}
