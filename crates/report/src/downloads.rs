//! The performance table as CSV and JSON, unrounded.

use ngcc_evidence::{CycleSource, Distribution, Memory, Published, Statistics, Status};
use serde::Serialize;

use crate::compare;
use crate::escape::csv_text;
use crate::model::{Entry, Evidence, Label};
use crate::paths;
use crate::performance::{failure_text, statistics};
use crate::{RenderError, compare::Column};

/// The download of a page.
#[derive(Debug, Serialize)]
struct Download<'a> {
    /// Version of the evidence that it was made from.
    schema: u32,
    /// System id.
    system: &'a str,
    /// Start of the campaign, UTC.
    started_utc: &'a str,
    /// End of the campaign, UTC.
    ended_utc: Option<&'a str>,
    /// One per instance and operation.
    rows: Vec<Row>,
}

/// One operation of one label.
#[derive(Debug, Serialize)]
struct Row {
    submission: String,
    instance: String,
    variant: String,
    label: String,
    operation: String,
    /// `complete`, `failed`, `not-measured`.
    status: &'static str,
    failure: Option<String>,
    kat: Option<String>,
    core_cycles: Option<Distribution>,
    seconds: Option<Distribution>,
    operations_per_second: Option<f64>,
    median_trial_seconds: Option<f64>,
    samples: Option<u64>,
    distinct_inputs: Option<u64>,
    trials: Option<u32>,
    disturbed: Option<u32>,
    cycle_source: Option<CycleSource>,
    clock_uncertainty: Option<f64>,
    elf_load_bytes: Option<u64>,
    memory: Option<Memory>,
    hash_share: Option<f64>,
    drng_share: Option<f64>,
    public_key: Option<u64>,
    secret_key: Option<u64>,
    signature: Option<u64>,
    ciphertext: Option<u64>,
    shared_secret: Option<u64>,
    published: Vec<PublishedFigure>,
    /// Relative to the run directory.
    record: Option<String>,
    record_seal: Option<String>,
}

/// A published figure of the same instance.
#[derive(Debug, Serialize)]
struct PublishedFigure {
    system: String,
    label: String,
    mean_cycles: f64,
    mean_seconds: f64,
    /// Published mean over ours.
    ratio: Option<f64>,
    ratio_ci95: Option<[f64; 2]>,
}

/// JSON and CSV of a set of submissions.
pub(crate) struct Files {
    /// Pretty-printed.
    pub json: String,
    /// RFC 4180 with a header line.
    pub csv: String,
}

/// The downloads of some submissions.
pub(crate) fn files(
    evidence: &Evidence,
    published: &Published,
    entries: &[&Entry<'_>],
) -> Result<Files, RenderError> {
    let campaign = &evidence.campaign;
    let reference = compare::reference_system(&campaign.host.architecture);
    let mut rows = Vec::new();
    for entry in entries {
        let pages = compare::pages(published, &entry.submission.id, reference);
        let mut instances = entry.instances();
        instances.extend(entry.labels.iter().map(|label| label.instance.clone()));
        let columns = compare::columns(&pages, &instances);
        for label in &entry.labels {
            for index in 0..label.operations.len() {
                rows.extend(row(published, entry, label, index, &columns));
            }
        }
    }
    let csv = csv(&rows, reference)?;
    let download = Download {
        schema: campaign.schema,
        system: &campaign.system,
        started_utc: &campaign.started_utc,
        ended_utc: campaign.ended_utc.as_deref(),
        rows,
    };
    let mut json = serde_json::to_string_pretty(&download)?;
    json.push('\n');
    Ok(Files { json, csv })
}

/// The row of an operation; absent only for an index beyond the operations.
fn row(
    published: &Published,
    entry: &Entry<'_>,
    label: &Label<'_>,
    index: usize,
    columns: &[Column],
) -> Option<Row> {
    let (operation, record) = label.operations.get(index)?;
    let s = statistics(*record);
    let facts = label.facts;
    let profile = record.and_then(|r| r.profile.as_ref());
    let id = &entry.submission.id;
    Some(Row {
        submission: id.clone(),
        instance: label.instance.clone(),
        variant: label.variant.clone(),
        label: label.name.clone(),
        operation: operation.clone(),
        status: match record.map(|r| r.status) {
            Some(Status::Complete) => "complete",
            Some(Status::Failed) => "failed",
            None => "not-measured",
        },
        failure: record.filter(|r| r.status == Status::Failed).map(failure_text),
        kat: label.kat_status().map(str::to_owned),
        core_cycles: s.map(|s| s.core_cycles),
        seconds: s.map(|s| s.seconds),
        operations_per_second: s.map(|s| s.operations_per_second),
        median_trial_seconds: s.map(|s| s.median_trial_seconds),
        samples: s.map(|s| s.samples),
        distinct_inputs: s.map(|s| s.distinct_inputs),
        trials: s.map(|s| s.trials),
        disturbed: s.map(|s| s.disturbed),
        cycle_source: s.map(|s| s.source),
        clock_uncertainty: s.map(|s| s.clock_uncertainty),
        elf_load_bytes: label.build.and_then(|b| b.library.as_ref()).map(|l| l.elf_load_bytes),
        memory: record.and_then(|r| r.memory),
        hash_share: profile.map(|p| p.hash_share),
        drng_share: profile.map(|p| p.drng_share),
        public_key: facts.map(|f| f.public_key),
        secret_key: facts.map(|f| f.secret_key),
        signature: facts.and_then(|f| f.signature),
        ciphertext: facts.and_then(|f| f.ciphertext),
        shared_secret: facts.and_then(|f| f.shared_secret),
        published: columns.iter().filter_map(|c| figure(published, id, label, operation, c, s)).collect(),
        record: record.map(paths::record_path),
        record_seal: record.map(|r| r.seal.clone()),
    })
}

/// The published figure of a column, with its ratio to ours.
fn figure(
    published: &Published,
    submission: &str,
    label: &Label<'_>,
    operation: &str,
    column: &Column,
    ours: Option<&Statistics>,
) -> Option<PublishedFigure> {
    let row = column.row(published, submission, &label.instance, operation)?;
    let ratio = ours.and_then(|s| compare::ratio(row, &s.core_cycles));
    Some(PublishedFigure {
        system: column.system.clone(),
        label: row.instance.clone(),
        mean_cycles: row.mean_cycles,
        mean_seconds: row.mean_time_s,
        ratio: ratio.map(|r| r.value),
        ratio_ci95: ratio.map(|r| r.ci95),
    })
}

/// Columns of the CSV file.
const CSV_COLUMNS: [&str; 46] = [
    "submission",
    "instance",
    "variant",
    "label",
    "operation",
    "status",
    "failure",
    "kat",
    "cycles_mean",
    "cycles_ci95_low",
    "cycles_ci95_high",
    "cycles_std_dev",
    "cycles_min",
    "cycles_q1",
    "cycles_median",
    "cycles_q3",
    "cycles_p95",
    "cycles_max",
    "cycle_source",
    "clock_uncertainty",
    "seconds_mean",
    "seconds_ci95_low",
    "seconds_ci95_high",
    "seconds_median",
    "operations_per_second",
    "median_trial_seconds",
    "samples",
    "distinct_inputs",
    "trials",
    "disturbed",
    "elf_load_bytes",
    "baseline_rss_bytes",
    "peak_rss_bytes",
    "hash_share",
    "drng_share",
    "public_key_bytes",
    "secret_key_bytes",
    "signature_bytes",
    "ciphertext_bytes",
    "shared_secret_bytes",
    "published_system",
    "published_cycles_mean",
    "ratio",
    "ratio_ci95_low",
    "ratio_ci95_high",
    "record",
];

/// The rows as CSV; of the published figures it holds the reference implementation on the reference system.
fn csv(rows: &[Row], reference: &str) -> Result<String, RenderError> {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::<u8>::new());
    writer.write_record(CSV_COLUMNS)?;
    for row in rows {
        writer.write_record(csv_fields(row, reference))?;
    }
    let bytes = writer.into_inner().map_err(|error| RenderError::Csv(error.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A number, or nothing.
fn number<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

/// One line of the CSV file, in the order of [`CSV_COLUMNS`].
fn csv_fields(row: &Row, reference: &str) -> Vec<String> {
    let c = row.core_cycles.as_ref();
    let s = row.seconds.as_ref();
    let theirs = row.published.iter().find(|p| p.system == reference && p.label == row.instance);
    let source = match row.cycle_source {
        Some(CycleSource::HardwareCounter) => "hardware-counter",
        Some(CycleSource::MultiplicationChain) => "multiplication-chain",
        None => "",
    };
    let text = |value: &str| csv_text(value);
    vec![
        text(&row.submission),
        text(&row.instance),
        text(&row.variant),
        text(&row.label),
        text(&row.operation),
        row.status.to_owned(),
        text(row.failure.as_deref().unwrap_or("")),
        text(row.kat.as_deref().unwrap_or("")),
        number(c.map(|d| d.mean)),
        number(c.map(|d| d.ci95[0])),
        number(c.map(|d| d.ci95[1])),
        number(c.map(|d| d.std_dev)),
        number(c.map(|d| d.min)),
        number(c.map(|d| d.q1)),
        number(c.map(|d| d.median)),
        number(c.map(|d| d.q3)),
        number(c.map(|d| d.p95)),
        number(c.map(|d| d.max)),
        source.to_owned(),
        number(row.clock_uncertainty),
        number(s.map(|d| d.mean)),
        number(s.map(|d| d.ci95[0])),
        number(s.map(|d| d.ci95[1])),
        number(s.map(|d| d.median)),
        number(row.operations_per_second),
        number(row.median_trial_seconds),
        number(row.samples),
        number(row.distinct_inputs),
        number(row.trials),
        number(row.disturbed),
        number(row.elf_load_bytes),
        number(row.memory.map(|m| m.baseline_rss_bytes)),
        number(row.memory.map(|m| m.peak_rss_bytes)),
        number(row.hash_share),
        number(row.drng_share),
        number(row.public_key),
        number(row.secret_key),
        number(row.signature),
        number(row.ciphertext),
        number(row.shared_secret),
        text(theirs.map_or("", |p| p.system.as_str())),
        number(theirs.map(|p| p.mean_cycles)),
        number(theirs.and_then(|p| p.ratio)),
        number(theirs.and_then(|p| p.ratio_ci95).map(|ci| ci[0])),
        number(theirs.and_then(|p| p.ratio_ci95).map(|ci| ci[1])),
        text(row.record.as_deref().unwrap_or("")),
    ]
}
