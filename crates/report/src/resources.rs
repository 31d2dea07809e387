//! Sections 5 and 6 of a submission's page, and the share of the symmetric primitives.

use ngcc_evidence::{Profile, PublishedPage, SizeBasis, SubmissionInstance};

use crate::compare;
use crate::doc::{Block, Cell, Section, Table, strong, text};
use crate::format::{self, MISSING};
use crate::model::{Entry, Label};
use crate::paths::Base;
use crate::performance::{Context, record_cell};

/// Section 5.
pub(crate) fn resources(context: &Context<'_>) -> Section {
    let id = &context.entry.submission.id;
    let pages = compare::pages(context.published, id, context.reference);
    let reference = pages.iter().find(|page| page.system == context.reference);
    let heading = format!("{} (ELF image · baseline · peak)", context.reference);
    let mut columns =
        vec!["instance", "operation", "static: ELF image (bytes)", "baseline RSS", "peak RSS", "record"];
    if reference.is_some() {
        columns.insert(5, &heading);
    }
    let mut table = Table::grouped("Resource consumption", &columns);
    let build_file = Base::SUBMISSION.run_file("build.json");
    for label in &context.entry.labels {
        let library = label.build.and_then(|b| b.library.as_ref());
        for (operation, record) in &label.operations {
            let mut cells = vec![Cell::code(&label.name), Cell::text(operation)];
            cells.push(library.map_or_else(Cell::missing, |l| {
                Cell::number(l.elf_load_bytes.to_string(), Some(&build_file))
                    .sorted_by(l.elf_load_bytes as f64)
            }));
            match record.and_then(|r| Some((r, r.memory?))) {
                Some((record, memory)) => {
                    let href = Base::SUBMISSION.record(record);
                    for bytes in [memory.baseline_rss_bytes, memory.peak_rss_bytes] {
                        cells.push(Cell::number(format::kib(bytes), Some(&href)).sorted_by(bytes as f64));
                    }
                }
                None => cells.extend([Cell::missing(), Cell::missing()]),
            }
            if let Some(page) = reference {
                cells.push(published_resource(page, &label.instance, operation));
            }
            cells.push(record_cell(Base::SUBMISSION, *record));
            table.push(cells);
        }
    }
    let explanation = "Static memory is the sum of the memory sizes of the loadable ELF segments of the instance's \
        shared library. RSS is the high-water mark of a fresh process that runs this one operation: after set-up \
        (baseline) and after the operation (peak). The process, its libraries and the driver are in it, so both bound \
        what the algorithm needs from above.";
    Section::new(
        "5. Resource consumption",
        vec![Block::Paragraph(vec![text(explanation)]), Block::Table(table)],
    )
}

/// Published memory figures of the reference implementation.
fn published_resource(page: &PublishedPage, instance: &str, operation: &str) -> Cell {
    let row = page.resources.iter().find(|row| row.instance == instance && row.operation == operation);
    let Some(row) = row else { return Cell::missing() };
    let kib = |value: Option<u64>| value.map_or_else(|| MISSING.to_owned(), |v| format!("{v} KiB"));
    let elf = row.static_elf_bytes.map_or_else(|| MISSING.to_owned(), |v| v.to_string());
    Cell::number(format!("{elf} · {} · {}", kib(row.baseline_rss_kib), kib(row.peak_rss_kib)), None)
}

/// The sizes of a parameter set in the order of the columns: name, ours, theirs.
type SizeColumn = (&'static str, Option<u64>);

/// Sizes that the kind of submission has.
fn size_columns(kind: &str, facts: &SubmissionInstance) -> Vec<SizeColumn> {
    let mut out = vec![("public key", Some(facts.public_key)), ("secret key", Some(facts.secret_key))];
    if kind == "kem" {
        out.extend([("ciphertext", facts.ciphertext), ("shared secret", facts.shared_secret)]);
    } else {
        out.push(("signature", facts.signature));
    }
    out
}

/// What the sizes stand for.
fn basis_text(basis: SizeBasis) -> &'static str {
    match basis {
        SizeBasis::Encoded => "encoded",
        SizeBasis::MaximumVariable => "maximum of a variable format",
        SizeBasis::NominalVariable => "nominal size of a variable format",
    }
}

/// Section 6.
pub(crate) fn sizes(context: &Context<'_>) -> Section {
    let kind = context.entry.submission.kind.as_str();
    let names: &[&str] = if kind == "kem" {
        &["instance", "public key", "secret key", "ciphertext", "shared secret", "basis", "published"]
    } else {
        &["instance", "public key", "secret key", "signature", "basis", "published"]
    };
    let mut table = Table::new("Transmission and storage overhead", names);
    let campaign_file = Base::SUBMISSION.run_file("campaign.json");
    for label in &context.entry.labels {
        let Some(facts) = label.facts else {
            let mut cells = vec![Cell::code(&label.name)];
            cells.extend(vec![Cell::missing(); names.len() - 1]);
            table.push(cells);
            continue;
        };
        let mut cells = vec![Cell::code(&label.name)];
        for (name, size) in size_columns(kind, facts) {
            let about = facts.size_basis == SizeBasis::NominalVariable && name == "signature";
            let print = |bytes: u64| if about { format!("≈ {bytes}") } else { bytes.to_string() };
            cells.push(size.map_or_else(Cell::missing, |bytes| {
                Cell::number(print(bytes), Some(&campaign_file)).sorted_by(bytes as f64)
            }));
        }
        cells.push(Cell::text(basis_text(facts.size_basis)));
        cells.push(Cell::text(published_sizes(context, label, &size_columns(kind, facts))));
        table.push(cells);
    }
    let explanation = "Bytes, as the submission's facts state them and the implementation's interface uses them; the last \
        column says whether the published pages print the same sizes.";
    Section::new(
        "6. Transmission and storage overhead",
        vec![Block::Paragraph(vec![text(explanation)]), Block::Table(table)],
    )
}

/// Whether the published pages have the same sizes, or which differ.
fn published_sizes(context: &Context<'_>, label: &Label<'_>, ours: &[SizeColumn]) -> String {
    let pages = compare::pages(context.published, &context.entry.submission.id, context.reference);
    let mut out = Vec::new();
    for page in pages {
        let Some(row) = page.sizes.iter().find(|row| row.instance == label.instance) else { continue };
        let theirs = [
            ("public key", row.public_key),
            ("secret key", row.secret_key),
            ("signature", row.signature),
            ("ciphertext", row.ciphertext),
            ("shared secret", row.shared_secret),
        ];
        let differing: Vec<String> = theirs
            .into_iter()
            .filter_map(|(name, size)| {
                let mine = ours.iter().find(|(known, _)| *known == name).and_then(|(_, size)| *size);
                size.filter(|size| Some(*size) != mine).map(|size| format!("{name} {size}"))
            })
            .collect();
        out.push(match differing.is_empty() {
            true => format!("{} equal", page.system),
            false => format!("{}: {}", page.system, differing.join(", ")),
        });
    }
    if out.is_empty() { MISSING.to_owned() } else { out.join(", ") }
}

/// Share of the symmetric primitives, not numbered in the guide.
pub(crate) fn symmetric(entry: &Entry<'_>) -> Section {
    let verdict = match &entry.submission.survey {
        Some(survey) if survey.note.is_empty() => survey.verdict.clone(),
        Some(survey) => format!("{} ({})", survey.verdict, survey.note),
        None => MISSING.to_owned(),
    };
    let mut table = Table::grouped(
        "Symmetric primitives",
        &["instance", "operation", "pseudohash/XOF/sm3", "DRNG", "together", "calls per operation", "record"],
    );
    for label in &entry.labels {
        for (operation, record) in &label.operations {
            let mut cells = vec![Cell::code(&label.name), Cell::text(operation)];
            match record.and_then(|r| Some((r, r.profile.as_ref()?))) {
                Some((record, profile)) => {
                    let href = Base::SUBMISSION.record(record);
                    let (hash, drng) = (profile.hash_share, profile.drng_share);
                    for share in [hash, drng, hash + drng] {
                        cells.push(Cell::number(format::share(share), Some(&href)).sorted_by(share));
                    }
                    cells.push(Cell::text(calls_text(profile)));
                }
                None => {
                    cells.extend(vec![Cell::missing(); 3]);
                    cells.push(Cell::text(MISSING));
                }
            }
            cells.push(record_cell(Base::SUBMISSION, *record));
            table.push(cells);
        }
    }
    let explanation = "Share of the time of each operation in the ICCS functions and in the ICCS DRNG, counted at the \
        outermost call and measured on the inputs of the timing.";
    Section::new(
        "Symmetric primitives",
        vec![
            Block::Paragraph(vec![strong("Survey verdict:"), text(format!(" {verdict}"))]),
            Block::Paragraph(vec![text(explanation)]),
            Block::Table(table),
        ],
    )
}

/// `drng 2, pseudoXOF 15`.
fn calls_text(profile: &Profile) -> String {
    if profile.rows.is_empty() || profile.operations == 0 {
        return MISSING.to_owned();
    }
    let per_operation = |calls: u64| format::calls(calls as f64 / profile.operations as f64);
    let rows = profile.rows.iter().map(|row| format!("{} {}", row.function, per_operation(row.calls)));
    rows.collect::<Vec<_>>().join(", ")
}
