//! The page of a submission: header, sections 1 to 3 and 7. Section 4 is in `performance`, the others in `resources`.

use ngcc_evidence::{BuildEntry, Campaign, Published, Status};

use crate::compare;
use crate::doc::{
    Block, Cell, Document, Fact, Href, Inline, Section, Table, code, code_list, link, outside, slug, strong,
    text,
};
use crate::facts;
use crate::format::{self, MISSING};
use crate::model::{Entry, Evidence, Label};
use crate::paths::{self, Base};
use crate::performance::{COMPARISON, Context, headline, statistics};
use crate::resources;

const BASE: Base = Base::SUBMISSION;

/// The page of a submission.
pub(crate) fn document(evidence: &Evidence, published: &Published, entry: &Entry<'_>) -> Document {
    let campaign = &evidence.campaign;
    let s = &entry.submission;
    let reference = compare::reference_system(&campaign.host.architecture);
    let context = Context { entry, published, reference, base: BASE };
    let architecture = facts::architecture(&campaign.host);
    Document {
        title: format!("{} {}: performance on {} ({})", s.id, s.algorithm, architecture, campaign.system),
        trail: vec![
            link("Performance measurements", BASE.page("index")),
            text(format!(" › {} › {}", campaign.system, s.id)),
        ],
        systems: systems(campaign, published, entry, reference),
        heading: format!("{} {}", s.id, s.algorithm),
        subheading: format!("{}: performance on {architecture}, system {}", s.title, campaign.system),
        links: header_links(campaign, entry),
        facts: header_facts(entry),
        warning: s.warning.clone(),
        notices: facts::notices(campaign),
        lead: vec![text(
            "This page follows items (1) to (7) of section 3.5 of the NICCS self-assessment guide. It reports an \
             independent measurement; it is not a self-assessment by the submitters.",
        )],
        headline: headline(context.bar_groups(None), reference),
        sections: vec![
            basic_information(campaign, entry),
            environment(campaign),
            functional_testing(entry),
            context.section(),
            resources::resources(&context),
            resources::sizes(&context),
            resources::symmetric(entry),
            evidence_index(evidence, entry),
        ],
        footer: footer(campaign),
    }
}

/// Last line of every page.
pub(crate) fn footer(campaign: &Campaign) -> Vec<Inline> {
    let tool = &campaign.tool;
    vec![text(format!(
        "Made from evidence by {} {}; campaign of {}.",
        tool.name, tool.version, campaign.started_utc
    ))]
}

/// The systems with results: ours, then the published ones, which stand in the comparison.
fn systems(campaign: &Campaign, published: &Published, entry: &Entry<'_>, reference: &str) -> Vec<Inline> {
    let mut out = vec![text("system: "), strong(campaign.system.clone())];
    for page in compare::pages(published, &entry.submission.id, reference) {
        let name = if page.system == campaign.system {
            format!("{} (published)", page.system)
        } else {
            page.system.clone()
        };
        out.push(text(" · "));
        out.push(link(name, Href::Fragment(slug(COMPARISON))));
    }
    out
}

/// Review, organiser, publication, method, downloads.
fn header_links(campaign: &Campaign, entry: &Entry<'_>) -> Vec<Inline> {
    let links = &entry.submission.links;
    let mut out = vec![link("Method", BASE.page(&paths::method_stem(&campaign.system)))];
    for (label, address) in [
        ("Security review", &links.security_review),
        ("NICCS page", &links.organiser),
        ("Published page", &links.published),
    ] {
        if let Some(address) = address {
            out.push(outside(label, address));
        }
    }
    let download = paths::download_stem(&entry.submission.id, &campaign.system);
    let download = paths::name_of(&download);
    out.push(link("CSV", Href::File(format!("{download}.csv"))));
    out.push(link("JSON", Href::File(format!("{download}.json"))));
    out
}

/// The strip of facts below the heading.
fn header_facts(entry: &Entry<'_>) -> Vec<Fact> {
    let passed = entry.labels.iter().filter(|label| label.kat_status() == Some("PASS")).count();
    let (planned, complete, _) = entry.progress();
    let mut out = vec![
        Fact { label: "function".into(), value: facts::function(&entry.submission.kind), alert: false },
        Fact {
            label: "known-answer tests".into(),
            value: format!("{passed} of {} passed", entry.labels.len()),
            alert: passed < entry.labels.len(),
        },
        Fact {
            label: "operations measured".into(),
            value: format!("{complete} of {planned}"),
            alert: complete < planned,
        },
    ];
    let calls: u64 = entry.records().filter_map(|(_, r)| statistics(Some(r))).map(|s| s.samples).sum();
    out.push(Fact { label: "timed calls".into(), value: format::three_digits(calls as f64), alert: false });
    out
}

/// Section 1.
fn basic_information(campaign: &Campaign, entry: &Entry<'_>) -> Section {
    let s = &entry.submission;
    let mut variants: Vec<&str> = Vec::new();
    for label in &entry.labels {
        if !label.variant.is_empty() && !variants.contains(&label.variant.as_str()) {
            variants.push(&label.variant);
        }
    }
    let labels: Vec<&str> = entry.labels.iter().map(|label| label.name.as_str()).collect();
    let item = |name: &str, mut value: Vec<Inline>| {
        value.splice(0..0, [strong(format!("{name}:")), text(" ")]);
        value
    };
    let dash = || text(MISSING);
    let optional =
        |label: &str, address: &Option<String>| address.as_ref().map_or_else(dash, |a| outside(label, a));
    let mut items = vec![
        item("Category", vec![text(format!("public-key algorithm; function: {}", facts::function(&s.kind)))]),
        item("Algorithm", vec![text(&s.title)]),
        item("Implementation versions measured", vec![text(variants.join(", "))]),
        item("Parameter sets", code_list(&labels)),
    ];
    let targets: Vec<String> = s
        .instances
        .iter()
        .filter_map(|instance| Some(format!("{} {} bits", instance.name, instance.target_bits?)))
        .collect();
    if !targets.is_empty() {
        items.push(item("Security targets", vec![text(targets.join(", "))]));
    }
    items.push(item("Security evaluation", vec![optional("security review", &s.links.security_review)]));
    let method =
        link(format!("method of {}", campaign.system), BASE.page(&paths::method_stem(&campaign.system)));
    items.push(item("Measurement method", vec![method]));
    items.push(item("Submission", vec![optional("NICCS page", &s.links.organiser)]));
    Section::new("1. Basic information", vec![Block::List(items)])
}

/// Section 2.
fn environment(campaign: &Campaign) -> Section {
    let mut table = Table::new("Assessment environment", &["item", "value"]);
    for (item, value) in facts::environment(campaign) {
        table.push(vec![Cell::text(item), Cell::text(value)]);
    }
    let mut blocks = vec![Block::Table(table)];
    if !campaign.host.caveats.is_empty() {
        blocks.push(Block::Paragraph(vec![strong("What makes these numbers weaker:")]));
        blocks.push(Block::List(campaign.host.caveats.iter().map(|caveat| vec![text(caveat)]).collect()));
    }
    Section::new("2. Assessment environment", blocks)
}

/// Section 3.
fn functional_testing(entry: &Entry<'_>) -> Section {
    let mut table = Table::new(
        "Known-answer tests",
        &["instance", "variant", "KAT", "records", "digest (sha256)", "manifest (sha256)", "time"],
    );
    let notes = &entry.submission.kat_notes;
    let mut details = Vec::new();
    for label in &entry.labels {
        table.push(kat_row(entry, label));
        if let Some(detail) = label.build.and_then(|b| b.kat.detail.as_ref()) {
            details.push(vec![code(&label.name), text(format!(": {detail}"))]);
        }
    }
    let mut blocks = vec![
        Block::Paragraph(vec![text(
            "Before it was timed, each implementation generated its known-answer texts; the digest of the canonical text \
             is compared with the digest that the manifest lists for the submitted vectors.",
        )]),
        Block::Table(table),
    ];
    if !details.is_empty() {
        blocks.push(Block::List(details));
    }
    if !notes.is_empty() {
        blocks.push(Block::Notes(notes.iter().map(|note| note.text.clone()).collect()));
    }
    Section::new("3. Functional testing (KAT)", blocks)
}

/// A row of section 3.
fn kat_row(entry: &Entry<'_>, label: &Label<'_>) -> Vec<Cell> {
    let Some(build) = label.build else {
        let mut cells = vec![Cell::code(&label.name), Cell::text(&label.variant), Cell::text(MISSING)];
        cells.extend(vec![Cell::missing(); 4]);
        return cells;
    };
    let kat = &build.kat;
    let mut verdict = vec![strong(&kat.status)];
    for (i, note) in entry.submission.kat_notes.iter().enumerate() {
        if note.instances.contains(&label.instance) || note.instances.contains(&label.name) {
            verdict.push(text(" "));
            verdict.push(Inline::Note(i + 1));
        }
    }
    if label.operations.iter().all(|(_, record)| record.is_none()) {
        verdict.push(text(" (not timed)"));
    }
    let digest = match (&kat.digest, &kat.text) {
        (Some(digest), Some(path)) => Cell::of(vec![link(facts::short_digest(digest), BASE.run_file(path))]),
        (Some(digest), None) => Cell::code(facts::short_digest(digest)),
        (None, _) => Cell::text(MISSING),
    };
    let expected =
        kat.expected.as_ref().map_or_else(|| Cell::text(MISSING), |e| Cell::code(facts::short_digest(e)));
    let build_file = BASE.run_file("build.json");
    vec![
        Cell::code(&label.name),
        Cell::text(&build.variant),
        Cell::of(verdict),
        Cell::number(kat.records.to_string(), Some(&build_file)),
        digest,
        expected,
        Cell::number(format::time(kat.seconds), Some(&build_file)),
    ]
}

/// Section 7.
fn evidence_index(evidence: &Evidence, entry: &Entry<'_>) -> Section {
    let mut table = Table::grouped("Raw evidence index", &["instance", "item", "file", "sha256"]);
    for label in &entry.labels {
        if let Some(build) = label.build {
            table.push(kat_evidence(label, build));
        }
        for record in label.operations.iter().filter_map(|(_, record)| *record) {
            let state = if record.status == Status::Failed { " (failed)" } else { "" };
            table.push(vec![
                Cell::code(&label.name),
                Cell::text(format!("timing {}{state}", record.operation)),
                Cell::of(vec![link(paths::record_path(record), BASE.record(record))]),
                Cell::code(facts::short_digest(&record.seal)),
            ]);
        }
    }
    let file = |name: &str, seal: &str| {
        vec![link(name, BASE.run_file(name)), text(", sha256 "), code(facts::short_digest(seal))]
    };
    Section::new(
        "7. Raw evidence index",
        vec![
            Block::Paragraph(vec![text(
                "Paths are relative to the run directory. The digest of a KAT text is that of its canonical form; the \
                 digest of a JSON file is its seal, the SHA-256 of its content with an empty seal. Each record holds its \
                 plan, seeds, every raw sample, the state of the host around each trial, memory and profile.",
            )]),
            Block::Table(table),
            Block::List(vec![
                file("campaign.json", &evidence.campaign.seal),
                file("build.json", &evidence.build.seal),
            ]),
        ],
    )
}

/// The row of a KAT text.
fn kat_evidence(label: &Label<'_>, build: &BuildEntry) -> Vec<Cell> {
    let file = match &build.kat.text {
        Some(path) => Cell::of(vec![link(path, BASE.run_file(path))]),
        None => Cell::text(MISSING),
    };
    let digest = build.kat.digest.as_ref();
    vec![
        Cell::code(&label.name),
        Cell::text("KAT text"),
        file,
        digest.map_or_else(|| Cell::text(MISSING), |d| Cell::code(facts::short_digest(d))),
    ]
}
