//! The method page: every rule, constant and limitation of the campaign, out of the campaign's own facts.

use std::collections::BTreeMap;

use ngcc_evidence::{CycleSource, InputMode, Plan, Published, Record, Status};

use crate::compare;
use crate::doc::{Block, Cell, Document, Inline, Section, Table, code, code_list, link, strong, text};
use crate::facts;
use crate::format::{self, MISSING};
use crate::model::{Entry, Evidence};
use crate::paths::{self, Base};
use crate::performance::{GUIDE_INPUTS, failure_text, source_text, statistics};
use crate::submission::footer;

const BASE: Base = Base::ROOT;

/// The evidence as the sections of this page need it.
struct Context<'a> {
    evidence: &'a Evidence,
    entries: &'a [Entry<'a>],
    records: Vec<&'a Record>,
}

/// The method page.
pub(crate) fn document(evidence: &Evidence, published: &Published, entries: &[Entry<'_>]) -> Document {
    let campaign = &evidence.campaign;
    let records = entries.iter().flat_map(|entry| entry.records().map(|(_, record)| record)).collect();
    let context = Context { evidence, entries, records };
    Document {
        title: format!("Method of {}", campaign.system),
        trail: vec![
            link("Performance measurements", BASE.page("index")),
            text(format!(" › {} › method", campaign.system)),
        ],
        systems: Vec::new(),
        heading: format!("Method of {}", campaign.system),
        subheading: "How the figures of this campaign were made, and what limits them".to_owned(),
        links: vec![
            link("Figures", BASE.page("index")),
            link("campaign.json", BASE.run_file("campaign.json")),
        ],
        facts: Vec::new(),
        warning: None,
        notices: facts::notices(campaign),
        lead: vec![text(
            "Every rule and constant on this page is read from the evidence of the campaign: its plan, the facts of the \
             host, and the records.",
        )],
        headline: None,
        sections: vec![
            context.program(),
            context.system(),
            context.gate(),
            context.inputs(),
            context.trials(),
            context.cycles(),
            context.statistics(),
            context.disturbances(),
            context.memory_and_shares(),
            comparison(evidence, published, entries),
            formats(),
            context.limitations(),
            evidence_section(evidence),
        ],
        footer: footer(campaign),
    }
}

/// A paragraph.
fn paragraph(content: &str) -> Block {
    Block::Paragraph(vec![text(content)])
}

/// A table of items and values.
fn items(caption: &str, rows: &[(&str, String)]) -> Table {
    let mut table = Table::new(caption, &["item", "value"]);
    for (item, value) in rows {
        table.push(vec![Cell::text(*item), Cell::text(value)]);
    }
    table
}

/// `<label> <operation>` of a record.
fn name(record: &Record) -> String {
    format!("{} {}", record.label, record.operation)
}

/// A sentence that ends in names, or in another sentence where there are none.
fn names_or(lead: &str, names: &[String], none: &str) -> Vec<Inline> {
    if names.is_empty() {
        return vec![text(none)];
    }
    let mut out = vec![text(lead)];
    out.extend(code_list(names));
    out.push(text("."));
    out
}

impl Context<'_> {
    fn program(&self) -> Section {
        let tool = &self.evidence.campaign.tool;
        let other =
            self.records.iter().filter(|r| r.executable_sha256 != tool.executable_sha256).map(|r| name(r));
        let rows = [
            ("program", format!("{} {}", tool.name, tool.version)),
            ("compiler", tool.compiler.clone()),
            ("profile and flags", tool.flags.clone()),
            ("sha256 of the executable", tool.executable_sha256.clone()),
            ("schema of the evidence", self.evidence.campaign.schema.to_string()),
        ];
        let same = "Every record names the executable above as the one that ran.";
        let others = names_or("Another executable ran for ", &other.collect::<Vec<_>>(), same);
        Section::new("Program", vec![Block::Table(items("Program", &rows)), Block::Paragraph(others)])
    }

    fn system(&self) -> Section {
        let campaign = &self.evidence.campaign;
        let mut blocks = vec![Block::Table(items("System", &facts::environment(campaign)))];
        if campaign.host.caveats.is_empty() {
            blocks.push(paragraph("The host check recorded no caveat."));
        } else {
            blocks.push(Block::Paragraph(vec![strong("Caveats that the host check recorded:")]));
            blocks.push(Block::List(campaign.host.caveats.iter().map(|c| vec![text(c)]).collect()));
        }
        Section::new("System", blocks)
    }

    fn gate(&self) -> Section {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let labels = || self.entries.iter().flat_map(|entry| &entry.labels);
        for label in labels() {
            *counts.entry(label.kat_status().unwrap_or("not run")).or_default() += 1;
        }
        let mut table = Table::new("Known-answer tests", &["status", "implementations"]);
        for (status, count) in counts {
            table.push(vec![Cell::text(status), Cell::number(count.to_string(), None)]);
        }
        let doubtful: Vec<String> =
            self.records.iter().filter(|r| r.kat != "PASS").map(|r| name(r)).collect();
        let outcome = names_or(
            "These records were taken of implementations whose test did not pass, and are marked ⚠ on every page: ",
            &doubtful,
            "Every record was taken of an implementation whose known-answer test had passed.",
        );
        Section::new(
            "Known-answer tests",
            vec![
                paragraph(
                    "Each implementation generates its known-answer texts before it is timed. PASS means that the digest \
                     of the canonical text equals the digest in the submission's facts.",
                ),
                Block::Table(table),
                Block::Paragraph(outcome),
            ],
        )
    }

    fn inputs(&self) -> Section {
        let plan = &self.evidence.campaign.plan;
        let mode = match plan.inputs {
            InputMode::Fresh => {
                "Each trial has its own DRNG seed, key and messages. The seeds are recorded with the trial, together with \
                 a digest over all inputs and one over all outputs."
            }
            InputMode::Guide => {
                "All trials use the fixed inputs of the public harness: DRNG seed bytes 00 to 2f, and message byte i = \
                 (131 i + 64) mod 256."
            }
        };
        let root = vec![text("Root of all trial seeds: "), code(&plan.root_seed)];
        Section::new("Inputs", vec![paragraph(mode), Block::Paragraph(root)])
    }

    fn trials(&self) -> Section {
        let plan = &self.evidence.campaign.plan;
        let mut table = Table::grouped(
            "Plans of the operations",
            &[
                "instance",
                "operation",
                "trials",
                "calls per trial",
                "calls per stretch",
                "warm-up calls",
                "distinct inputs per trial",
                "calibration calls",
                "seconds per call",
                "seconds per input",
                "record",
            ],
        );
        for record in &self.records {
            let p = &record.plan;
            let href = BASE.record(record);
            let count = |value: u32| Cell::number(value.to_string(), Some(&href));
            table.push(vec![
                Cell::code(&record.label),
                Cell::text(&record.operation),
                count(p.trials),
                count(p.calls_per_trial),
                count(p.calls_per_stretch),
                count(p.warmups),
                count(p.distinct_per_trial),
                count(p.calibration.calls),
                Cell::number(format::time(p.calibration.seconds_per_call), Some(&href)),
                Cell::number(format::time(p.calibration.seconds_per_input), Some(&href)),
                Cell::of(vec![link("JSON", href.clone())]),
            ]);
        }
        Section::new(
            "Trials",
            vec![
                Block::Table(items("Constants of the campaign", &constants(plan))),
                paragraph(
                    "The length of a trial follows from calibration calls of the same operation. Each trial runs in a \
                     worker process of its own, with one seed and one key.",
                ),
                Block::Table(table),
            ],
        )
    }

    fn cycles(&self) -> Section {
        let host = &self.evidence.campaign.host;
        let counter = if host.cycle_counter { "opened" } else { "could not be opened" };
        let mut blocks = vec![Block::Paragraph(vec![text(format!(
            "The hardware cycle counter {counter} on this host. A time-stamp counter is never reported as cycles."
        ))])];
        for source in [CycleSource::HardwareCounter, CycleSource::MultiplicationChain] {
            let of_source: Vec<_> = self
                .records
                .iter()
                .filter_map(|r| statistics(Some(r)))
                .filter(|s| s.source == source)
                .map(|s| s.clock_uncertainty)
                .collect();
            let Some(worst) = of_source.iter().copied().reduce(f64::max) else { continue };
            let mut line = format!(
                "{}: core cycles are {}",
                format::counted(of_source.len(), "record", "records"),
                source_text(source)
            );
            if source == CycleSource::MultiplicationChain {
                line.push_str(&format!(
                    " Relative uncertainty of that clock, the largest of the trials of a record: at most {}.",
                    format::relative(worst)
                ));
            }
            blocks.push(Block::Paragraph(vec![text(line)]));
        }
        let mut ticks: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for trial in self.records.iter().flat_map(|r| &r.trials) {
            let hz = trial.clock.tick_hz;
            let range = ticks.entry(trial.clock.tick_source.as_str()).or_insert((hz, hz));
            *range = (range.0.min(hz), range.1.max(hz));
        }
        for (source, (low, high)) in ticks {
            let rate = if low == high {
                format::hertz(low)
            } else {
                format!("{low} Hz to {high} Hz over the trials")
            };
            blocks.push(Block::Paragraph(vec![
                text("Time per call is read from "),
                code(source),
                text(format!(
                    " ({rate}); the median of an empty timed call of the same trial is subtracted."
                )),
            ]));
        }
        Section::new("Cycles and time", blocks)
    }

    fn statistics(&self) -> Section {
        let resamples = self.evidence.campaign.plan.bootstrap_resamples;
        let (mut calls, mut succeeded, mut checked) = (0u64, 0u64, 0u64);
        for trial in self.records.iter().flat_map(|r| &r.trials) {
            calls += trial.ticks.len() as u64;
            succeeded += u64::from(trial.checks.succeeded);
            checked += u64::from(trial.checks.results_checked);
        }
        Section::new(
            "Statistics",
            vec![
                Block::List(vec![
                    vec![text("Mean: arithmetic mean over the timed calls of the trials that count.")],
                    vec![text(format!(
                        "Interval: 95 % bootstrap interval of the mean, {resamples} resamples; trials are resampled, then \
                         the calls within them (trials of more than {} calls in blocks of consecutive calls). It is \
                         widened for the small number of trials by Student's quantile. For cycles the uncertainty of \
                         the clock is added in quadrature.",
                        ngcc_evidence::stats::MAX_UNITS
                    ))],
                    vec![text(
                        "Quartiles and 95th percentile: over single calls, linear between order statistics.",
                    )],
                    vec![text("Operations per second: the inverse of the mean seconds per call.")],
                    vec![text("Median trial: median over trials of their mean seconds per call.")],
                ]),
                Block::Paragraph(vec![text(format!(
                    "Checks: of {calls} timed calls {succeeded} reported success, and {checked} were checked beyond \
                     their status (signature verified, secret equal)."
                ))]),
            ],
        )
    }

    fn disturbances(&self) -> Section {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        let mut all = 0usize;
        for trial in self.records.iter().flat_map(|r| &r.trials) {
            all += 1;
            if let Some(reason) = &trial.disturbed {
                *reasons.entry(reason.as_str()).or_default() += 1;
            }
        }
        let disturbed: usize = reasons.values().sum();
        let plan = &self.evidence.campaign.plan;
        let trials = format!(
            "A trial is disturbed if the worker was off the processor for more than {} of all its timed seconds, or if \
             stretches with a changed clock or a slowed core took more than {} of them. {disturbed} of {all} trials were \
             disturbed. Each operation may replace up to {}. Disturbed trials stay in their records and in the lower \
             strip of the plots; they count in the figures only where fewer than {} trials, or than were planned, were \
             undisturbed.",
            format::relative(plan.rules.lost_share),
            format::relative(plan.rules.changed_share),
            plan.max_replacements,
            ngcc_evidence::ENOUGH_UNDISTURBED,
        );
        let mut blocks = vec![paragraph(&self.stretches()), paragraph(&trials)];
        if !reasons.is_empty() {
            let mut table = Table::new("Reasons", &["reason", "trials"]);
            for (reason, count) in reasons {
                table.push(vec![Cell::text(reason), Cell::number(count.to_string(), None)]);
            }
            blocks.push(Block::Table(table));
        }
        Section::new("Disturbed trials", blocks)
    }

    /// When a stretch of calls was timed again.
    fn stretches(&self) -> String {
        let rules = &self.evidence.campaign.plan.rules;
        let trials = self.records.iter().flat_map(|r| &r.trials);
        let segments = trials.flat_map(|t| &t.clock.segments);
        let again: u64 = segments.map(|segment| u64::from(segment.attempts.saturating_sub(1))).sum();
        format!(
            "A stretch is a run of consecutive calls between two probes of the core clock, {} long where calls are short. \
             It is interrupted if the worker was off the processor for more than {} of its time, or if the probes at its \
             ends differ by more than {}, or if independent instructions beside it ran slower than on a quiet core by \
             more than {}, as they do when another thread shares the core. An interrupted stretch is timed again on the \
             same inputs, up to {} times in all and within four times the planned time of the trial; only the last time is \
             recorded. Time that it still spent off the processor is subtracted from its longest calls; the raw ticks are \
             kept. Stretches of this campaign were timed again {}.",
            format::time(rules.stretch_s),
            format::relative(rules.lost_share),
            format::relative(rules.clock_change),
            format::relative(rules.slowdown),
            rules.max_attempts,
            format::counted(usize::try_from(again).unwrap_or(usize::MAX), "time", "times"),
        )
    }

    fn memory_and_shares(&self) -> Section {
        let without_memory: Vec<String> = self
            .records
            .iter()
            .filter(|r| r.status == Status::Complete && r.memory.is_none())
            .map(|r| name(r))
            .collect();
        let without_profile: Vec<String> = self
            .records
            .iter()
            .filter(|r| r.status == Status::Complete && r.profile.is_none())
            .map(|r| name(r))
            .collect();
        Section::new(
            "Memory and symmetric primitives",
            vec![
                paragraph(
                    "Memory is the resident high-water mark of a fresh worker process: after set-up (keys and inputs made) \
                     and after the operation. Static memory is the sum of the memory sizes of the loadable ELF segments \
                     of the instance's shared library.",
                ),
                Block::Paragraph(names_or(
                    "Without memory figures: ",
                    &without_memory,
                    "Every complete record has memory figures.",
                )),
                paragraph(
                    "The share of the symmetric primitives is the time in the outermost calls of pseudohash, pseudoXOF and \
                     sm3hash, and of the DRNG, over the time of the operation, on the inputs of the timing. The time that \
                     recording a call takes is subtracted.",
                ),
                Block::Paragraph(names_or(
                    "Without a profile: ",
                    &without_profile,
                    "Every complete record has a profile.",
                )),
            ],
        )
    }

    fn limitations(&self) -> Section {
        let plan = &self.evidence.campaign.plan;
        let mut list: Vec<Vec<Inline>> = vec![
            vec![text(
                "Memory figures are those of a whole process and bound what an algorithm needs from above.",
            )],
            vec![text(
                "The symmetric share covers the ICCS functions; primitives that a submission brings itself are not in it.",
            )],
            vec![text(
                "Ratios compare different implementations on different machines; see the section on them.",
            )],
        ];
        if plan.quick {
            list.push(vec![text(
                "The campaign was shortened (quick): intervals are wider than in a full one.",
            )]);
        }
        if plan.inputs == InputMode::Guide {
            list.push(vec![text(
                "All trials replay the same inputs: their agreement is repetition, not precision.",
            )]);
        }
        let few: Vec<String> = self
            .records
            .iter()
            .filter(|r| statistics(Some(r)).is_some_and(|s| s.distinct_inputs < GUIDE_INPUTS))
            .map(|r| name(r))
            .collect();
        list.push(names_or(
            "Fewer than 100 distinct inputs: ",
            &few,
            "Every measured operation had at least 100 distinct inputs.",
        ));
        for record in self.records.iter().filter(|r| r.status == Status::Failed) {
            list.push(vec![
                text("Failed: "),
                link(name(record), BASE.record(record)),
                text(format!(", {}", failure_text(record))),
            ]);
        }
        let missing = self.missing_operations();
        if !missing.is_empty() {
            list.push(names_or("Not measured: ", &missing, ""));
        }
        let unknown = facts::missing_facts(&self.evidence.campaign.host);
        if !unknown.is_empty() {
            list.push(vec![text(format!("Facts that this host did not give: {}.", unknown.join(", ")))]);
        }
        list.extend(self.evidence.campaign.host.caveats.iter().map(|caveat| vec![text(caveat)]));
        Section::new("Limitations", vec![Block::List(list)])
    }

    /// Planned operations without a record.
    fn missing_operations(&self) -> Vec<String> {
        let labels = self.entries.iter().flat_map(|entry| &entry.labels);
        labels
            .flat_map(|label| {
                let missing = label.operations.iter().filter(|(_, record)| record.is_none());
                missing.map(move |(operation, _)| format!("{} {operation}", label.name))
            })
            .collect()
    }
}

/// The constants of a plan.
fn constants(plan: &Plan) -> Vec<(&'static str, String)> {
    vec![
        ("trials per operation", plan.trials.to_string()),
        ("wanted time of measured calls per trial", format::time(plan.trial_target_s)),
        ("most time of measured calls per operation", format::time(plan.operation_budget_s)),
        ("wanted distinct inputs per operation", plan.min_distinct.to_string()),
        ("most calls per trial", plan.max_calls_per_trial.to_string()),
        ("most disturbed trials replaced per operation", plan.max_replacements.to_string()),
        ("wanted half-width of the interval of the mean time", format::relative(plan.target_half_width)),
        ("most trials added to meet it, per operation", plan.max_extra_trials.to_string()),
        ("bootstrap resamples", plan.bootstrap_resamples.to_string()),
        ("shortened (quick)", if plan.quick { "yes" } else { "no" }.to_owned()),
    ]
}

/// How published figures are compared.
fn comparison(evidence: &Evidence, published: &Published, entries: &[Entry<'_>]) -> Section {
    let reference = compare::reference_system(&evidence.campaign.host.architecture);
    let mut table = Table::grouped("Published pages", &["submission", "system", "source"]);
    for entry in entries {
        for page in compare::pages(published, &entry.submission.id, reference) {
            table.push(vec![
                Cell::code(&page.submission),
                Cell::text(&page.system),
                Cell::text(if page.source_page.is_empty() { MISSING } else { &page.source_page }),
            ]);
        }
    }
    let mut blocks = vec![paragraph(
        "A ratio is the published mean of core cycles divided by ours. Its interval holds our 95 % interval and half of the \
         last digit that the published page prints; those pages state no interval. Published figures are of the submitted \
         code, on the machine that their page names, so a ratio holds the difference of implementation, compiler and \
         machine together.",
    )];
    blocks.push(Block::Paragraph(vec![text(format!(
        "The strip at the head of a page and the columns “vs {reference}” refer to the reference implementation on \
         {reference}."
    ))]));
    if table.rows.is_empty() {
        blocks.push(paragraph("No published results of these submissions are known here."));
    } else {
        blocks.push(Block::Table(table));
    }
    Section::new("Comparison with published results", blocks)
}

/// How numbers are printed.
fn formats() -> Section {
    Section::new(
        "Number formats",
        vec![Block::List(vec![
            vec![text(
                "Cycles: k from 10 000 on with one decimal, M and G with two. Times and rates: three significant digits. No \
                 exponents.",
            )],
            vec![text(
                "Beside an interval, the last digit printed is the first significant digit of its half-width, or the second \
                 where it starts with 1 or 2. ± stands for both sides; where they differ in print both are given.",
            )],
            vec![text(
                "Shares: whole per cent from 9.5 % on, one decimal below, 0% for none and <0.1% for less than that. Memory: \
                 KiB, rounded down. A missing value is an en dash.",
            )],
            vec![text("The CSV and JSON downloads hold the unrounded values.")],
        ])],
    )
}

/// Where the evidence lies.
fn evidence_section(evidence: &Evidence) -> Section {
    let system = &evidence.campaign.system;
    let row = |file: Vec<Inline>, what: &str| vec![Cell::of(file), Cell::text(what)];
    let mut table = Table::new("Files of the run directory", &["file", "content"]);
    table.push(row(
        vec![link("campaign.json", BASE.run_file("campaign.json"))],
        "plan, host, program, facts of submissions",
    ));
    table.push(row(vec![link("build.json", BASE.run_file("build.json"))], "libraries and KAT verdicts"));
    table.push(row(vec![code("kat/<id>/<label>/")], "generated KAT texts"));
    table.push(row(
        vec![code("records/<id>/<label>__<operation>.json")],
        "plan, seeds, raw samples, statistics, host state, memory, profile",
    ));
    table.push(row(vec![code(format!("site/{}", paths::method_stem(system)))], "this page"));
    Section::new(
        "Evidence",
        vec![
            Block::Table(table),
            Block::Paragraph(vec![
                text("Each JSON file carries a seal: the SHA-256 of its content with an empty seal. "),
                code("ngcc validate"),
                text(" recomputes the seals and every derived number from the raw samples."),
            ]),
        ],
    )
}
