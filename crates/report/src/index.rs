//! The index: one table over all submissions and instances.

use ngcc_evidence::{Campaign, Published, SizeBasis};

use crate::compare;
use crate::doc::{
    BarGroup, Block, Cell, Document, Fact, Href, Inline, Section, Table, code, link, strong, text,
};
use crate::facts;
use crate::format;
use crate::model::{Entry, Evidence, Label, operations_of};
use crate::paths::{self, Base};
use crate::performance::{Context, failed_cell, headline, mean_cell, ratio_cell, statistics};
use crate::submission::footer;

const BASE: Base = Base::ROOT;

/// The index page.
pub(crate) fn document(evidence: &Evidence, published: &Published, entries: &[Entry<'_>]) -> Document {
    let campaign = &evidence.campaign;
    let reference = compare::reference_system(&campaign.host.architecture);
    let contexts: Vec<Context<'_>> =
        entries.iter().map(|entry| Context { entry, published, reference, base: BASE }).collect();
    let architecture = facts::architecture(&campaign.host);
    Document {
        title: format!("Performance measurements on {architecture} ({})", campaign.system),
        trail: vec![text(format!("Performance measurements › {}", campaign.system))],
        systems: systems(campaign, published, entries),
        heading: "Performance measurements".to_owned(),
        subheading: format!(
            "Public-key algorithms of the NGCC programme on {architecture}, system {}",
            campaign.system
        ),
        links: vec![
            link("Method", BASE.page(&paths::method_stem(&campaign.system))),
            link("CSV", Href::File("performance.csv".to_owned())),
            link("JSON", Href::File("performance.json".to_owned())),
        ],
        facts: header_facts(campaign, entries),
        warning: None,
        notices: facts::notices(campaign),
        lead: vec![text(
            "Each submission has a page with the seven items of section 3.5 of the NICCS self-assessment guide. The \
             figures are independent measurements; none is a self-assessment by submitters.",
        )],
        headline: headline(bars(campaign, &contexts), reference),
        sections: vec![
            submissions(campaign, entries),
            all_instances(campaign, &contexts, reference),
            environment(campaign),
        ],
        footer: footer(campaign),
    }
}

/// Page of a submission.
fn page(campaign: &Campaign, id: &str) -> Href {
    BASE.page(&paths::submission_stem(id, &campaign.system))
}

/// Ours and every published system.
fn systems(campaign: &Campaign, published: &Published, entries: &[Entry<'_>]) -> Vec<Inline> {
    let mut names: Vec<&str> = Vec::new();
    for page in &published.pages {
        let shown = entries.iter().any(|entry| entry.submission.id == page.submission);
        if shown && !names.contains(&page.system.as_str()) {
            names.push(&page.system);
        }
    }
    let mut out = vec![text("system: "), strong(campaign.system.clone())];
    if !names.is_empty() {
        out.push(text(format!(" · compared with published {}", names.join(", "))));
    }
    out
}

/// Facts below the heading.
fn header_facts(campaign: &Campaign, entries: &[Entry<'_>]) -> Vec<Fact> {
    let labels: Vec<&Label<'_>> = entries.iter().flat_map(|entry| &entry.labels).collect();
    let passed = labels.iter().filter(|label| label.kat_status() == Some("PASS")).count();
    let (mut planned, mut complete) = (0, 0);
    for entry in entries {
        let (p, c, _) = entry.progress();
        planned += p;
        complete += c;
    }
    let processor = facts::or_dash(campaign.host.cpu_model.as_ref());
    vec![
        Fact { label: "processor".into(), value: processor, alert: false },
        Fact {
            label: "known-answer tests".into(),
            value: format!("{passed} of {} passed", labels.len()),
            alert: passed < labels.len(),
        },
        Fact {
            label: "operations measured".into(),
            value: format!("{complete} of {planned}"),
            alert: complete < planned,
        },
    ]
}

/// Speed-up bars of all submissions.
fn bars(campaign: &Campaign, contexts: &[Context<'_>]) -> Vec<BarGroup> {
    contexts
        .iter()
        .flat_map(|context| context.bar_groups(Some(&page(campaign, &context.entry.submission.id))))
        .collect()
}

/// One line per submission.
fn submissions(campaign: &Campaign, entries: &[Entry<'_>]) -> Section {
    let items = entries.iter().map(|entry| {
        let s = &entry.submission;
        let mut line = vec![
            link(format!("{} {}", s.id, s.algorithm), page(campaign, &s.id)),
            text(format!(", {}: {}", facts::function(&s.kind), s.title)),
        ];
        if let Some(warning) = &s.warning {
            line.push(text(". "));
            line.push(strong("⚠"));
            line.push(text(format!(" {warning}")));
        }
        line
    });
    Section::new("Submissions", vec![Block::List(items.collect())])
}

/// The table over all instances.
fn all_instances(campaign: &Campaign, contexts: &[Context<'_>], reference: &str) -> Section {
    let versus = format!("vs {reference}");
    let mut table = Table::grouped(
        "All instances",
        &[
            "submission",
            "instance",
            "KAT",
            "keygen",
            &versus,
            "sign / enc",
            &versus,
            "verify / dec",
            &versus,
            "public key",
            "secret key",
            "signature / ciphertext",
        ],
    );
    table.sortable = true;
    for context in contexts {
        for label in &context.entry.labels {
            table.push(instance_row(campaign, context, label));
        }
    }
    let reading = "Mean core cycles per call with the 95 % interval below, beside the ratio of the published mean of the \
        reference implementation to ours (above 1× ours takes fewer cycles). Sizes in bytes, ≈ marks a nominal size of a \
        variable format. n= marks fewer than 100 distinct inputs, ⚠ a known-answer test that did not pass. Every number \
        links to its evidence.";
    Section::new("All instances", vec![Block::Table(table), Block::Paragraph(vec![text(reading)])])
}

/// The operations of the three pairs of columns.
fn operations_shown(context: &Context<'_>, label: &Label<'_>) -> Vec<String> {
    let of_kind = operations_of(&context.entry.submission.kind);
    let known = of_kind.iter().map(|&operation| operation.to_owned());
    let measured = label.operations.iter().map(|(operation, _)| operation.clone());
    let mut out: Vec<String> = if of_kind.is_empty() { measured.collect() } else { known.collect() };
    out.truncate(3);
    out
}

/// A row of the table.
fn instance_row(campaign: &Campaign, context: &Context<'_>, label: &Label<'_>) -> Vec<Cell> {
    let s = &context.entry.submission;
    let mut instance = Cell::code(&label.name);
    if !label.variant.is_empty() {
        instance = instance.with_note(&label.variant);
    }
    let status = label.kat_status().unwrap_or("not run");
    let mark = (status != "PASS").then(|| status.to_owned());
    let kat = Cell { mark, ..Cell::text(if status == "PASS" { status } else { "" }) };
    let mut cells =
        vec![Cell::of(vec![link(format!("{} {}", s.id, s.algorithm), page(campaign, &s.id))]), instance, kat];
    let operations = operations_shown(context, label);
    for slot in 0..3 {
        let operation = operations.get(slot).map_or("", String::as_str);
        let record = label.operations.iter().find(|(name, _)| name == operation).and_then(|(_, r)| *r);
        match (record, statistics(record)) {
            (Some(record), Some(statistics)) => {
                let href = BASE.record(record);
                cells.push(mean_cell(statistics, &href));
                cells.push(ratio_cell(context.ratio(label, operation, Some(record)), &href));
            }
            (Some(record), None) => cells.extend([failed_cell(BASE, record), Cell::missing()]),
            (None, _) => cells.extend([Cell::missing(), Cell::missing()]),
        }
    }
    cells.extend(size_cells(label));
    cells
}

/// Public key, secret key, and signature or ciphertext.
fn size_cells(label: &Label<'_>) -> Vec<Cell> {
    let campaign_file = BASE.run_file("campaign.json");
    let Some(facts) = label.facts else { return vec![Cell::missing(); 3] };
    let about = if facts.size_basis == SizeBasis::NominalVariable { "≈ " } else { "" };
    let number = |bytes: Option<u64>, prefix: &str| {
        bytes.map_or_else(Cell::missing, |b| {
            Cell::number(format!("{prefix}{b}"), Some(&campaign_file)).sorted_by(b as f64)
        })
    };
    vec![
        number(Some(facts.public_key), ""),
        number(Some(facts.secret_key), ""),
        number(facts.signature.or(facts.ciphertext), about),
    ]
}

/// Where it was measured, in short.
fn environment(campaign: &Campaign) -> Section {
    let mut table = Table::new("Assessment environment", &["item", "value"]);
    for (item, value) in facts::environment(campaign) {
        table.push(vec![Cell::text(item), Cell::text(value)]);
    }
    let planned = format::counted(campaign.labels.len(), "label", "labels");
    let file = vec![
        text(format!("The campaign measures {planned}; its plan is in ")),
        link("campaign.json", BASE.run_file("campaign.json")),
        text(" and the method page, its libraries and KAT verdicts in "),
        link("build.json", BASE.run_file("build.json")),
        text(". The evidence is checked by "),
        code("ngcc validate"),
        text("."),
    ];
    Section::new("Assessment environment", vec![Block::Table(table), Block::Paragraph(file)])
}
