//! Section 4: the performance table, the published figures beside it, the distributions, and the speed-up strip.

use ngcc_evidence::{CycleSource, Published, Record, Statistics, Status, counting};

use crate::compare::{self, Column, Ratio};
use crate::doc::{
    Bar, BarGroup, Block, Cell, Figure, Headline, Href, Inline, Section, Table, code, link, outside, strong,
    text,
};
use crate::escape;
use crate::format::{self, MISSING};
use crate::model::{Entry, Label};
use crate::paths::{self, Base};
use crate::plot;
use crate::samples;

/// Distinct inputs that the guide asks for.
pub(crate) const GUIDE_INPUTS: u64 = 100;
/// Heading of the comparison, which the header links to.
pub(crate) const COMPARISON: &str = "Beside the published results";

/// What the tables of a submission compare with.
pub(crate) struct Context<'a> {
    /// The submission.
    pub entry: &'a Entry<'a>,
    /// Published results.
    pub published: &'a Published,
    /// System that the headline ratio refers to.
    pub reference: &'static str,
    /// Where the page stands.
    pub base: Base,
}

/// Statistics of a complete record.
pub(crate) fn statistics(record: Option<&Record>) -> Option<&Statistics> {
    record.filter(|r| r.status == Status::Complete)?.statistics.as_ref()
}

/// Why a record holds no figures, in a sentence.
pub(crate) fn failure_text(record: &Record) -> String {
    match &record.failure {
        Some(failure) => format!("{}: {}", failure.stage, failure.message),
        None if record.status == Status::Failed => "no reason recorded".to_owned(),
        None => "the record is marked complete and has none".to_owned(),
    }
}

impl Context<'_> {
    /// Ratio of the reference implementation on the reference system to a record.
    pub(crate) fn ratio(&self, label: &Label<'_>, operation: &str, record: Option<&Record>) -> Option<Ratio> {
        let column = Column { system: self.reference.to_owned(), suffix: String::new() };
        let row = column.row(self.published, &self.entry.submission.id, &label.instance, operation)?;
        compare::ratio(row, &statistics(record)?.core_cycles)
    }

    /// Section 4.
    pub(crate) fn section(&self) -> Section {
        let mut blocks = vec![Block::Table(self.table()), Block::Paragraph(self.reading())];
        blocks.extend(self.sources().into_iter().map(Block::Paragraph));
        blocks.extend(self.failures());
        blocks.extend(self.comparison());
        let figures = self.figures();
        if !figures.is_empty() {
            blocks.push(Block::Subheading("Distributions".to_owned()));
            blocks.push(Block::Paragraph(vec![text(
                "Core cycles of the single calls of the trials that count. The box spans the quartiles with the median \
                 in it, its whiskers reach from the smallest call to the 95th percentile, the diamond is the mean with \
                 its 95 % interval, and each mark of the lower strip is the mean of one trial (dashed: not counted). \
                 An arrow stands for calls beyond the right end.",
            )]));
            blocks.push(Block::Figures(figures));
        }
        Section::new("4. Performance", blocks)
    }

    /// The main table.
    fn table(&self) -> Table {
        let versus = format!("vs {}", self.reference);
        let mut table = Table::grouped(
            "Performance",
            &[
                "instance",
                "operation",
                "mean cycles",
                "quartiles (cycles)",
                "mean time",
                "ops/s",
                "median trial",
                "n (trials × calls)",
                "distinct inputs",
                &versus,
                "record",
            ],
        );
        table.sortable = true;
        for label in &self.entry.labels {
            for (operation, record) in &label.operations {
                let mut cells = vec![label_cell(label), Cell::text(operation)];
                cells.extend(self.figures_of(label, operation, *record));
                cells.push(record_cell(self.base, *record));
                table.push(cells);
            }
        }
        table
    }

    /// The cells between the operation and the record.
    fn figures_of(&self, label: &Label<'_>, operation: &str, record: Option<&Record>) -> Vec<Cell> {
        let (Some(record), Some(s)) = (record, statistics(record)) else {
            let mut cells = vec![match record {
                Some(record) => failed_cell(self.base, record).with_sentence(failure_text(record)),
                None => Cell::missing().with_note("not measured"),
            }];
            cells.extend(vec![Cell::missing(); 7]);
            return cells;
        };
        let href = self.base.record(record);
        let time = format::time_with_interval(s.seconds.mean, s.seconds.ci95);
        let c = &s.core_cycles;
        let mut distinct = Cell::number(s.distinct_inputs.to_string(), Some(&href));
        if s.distinct_inputs < GUIDE_INPUTS {
            distinct = distinct.with_note("< 100");
        }
        let mut calls = Cell::number(trial_text(record, s), Some(&href)).sorted_by(s.samples as f64);
        if s.disturbed > 0 {
            calls = calls.with_note(disturbed_text(record, s));
        }
        vec![
            mean_cell(s, &href),
            Cell::number(format::cycles_row(&[c.q1, c.median, c.q3]), Some(&href)).sorted_by(c.median),
            Cell::number(time.value, Some(&href)).with_note(time.interval).sorted_by(s.seconds.mean),
            Cell::number(format::three_digits(s.operations_per_second), Some(&href))
                .sorted_by(s.operations_per_second),
            Cell::number(format::time(s.median_trial_seconds), Some(&href)).sorted_by(s.median_trial_seconds),
            calls,
            distinct,
            ratio_cell(self.ratio(label, operation, Some(record)), &href),
        ]
    }

    /// How to read the table.
    fn reading(&self) -> Vec<Inline> {
        vec![text(
            "Below each mean stands its 95 % interval (bootstrap over trials and the calls in them); no digit is printed \
             that the interval does not support. Quartiles are those of the single calls. n counts the timed calls of \
             the trials that count, and distinct inputs how many different inputs they had: the guide's 100 \
             measurements are counted on the latter, and n= beside a mean marks fewer. Every number links to the record \
             with its raw samples.",
        )]
    }

    /// Where the cycles come from, one paragraph per source.
    fn sources(&self) -> Vec<Vec<Inline>> {
        let measured: Vec<_> =
            self.entry.records().filter_map(|(_, r)| Some((r, statistics(Some(r))?))).collect();
        [CycleSource::HardwareCounter, CycleSource::MultiplicationChain]
            .into_iter()
            .filter_map(|source| {
                let of_source: Vec<_> = measured.iter().filter(|(_, s)| s.source == source).collect();
                let worst = of_source.iter().map(|(_, s)| s.clock_uncertainty).reduce(f64::max)?;
                let mut out = vec![strong("Cycle source:"), text(format!(" {}", source_text(source)))];
                if source == CycleSource::MultiplicationChain {
                    out.push(text(format!(
                        " Its relative uncertainty, at most {} over these records, is part of the intervals.",
                        format::relative(worst)
                    )));
                }
                if of_source.len() < measured.len() {
                    out.push(text(" Records: "));
                    let names = of_source.iter().map(|(r, _)| format!("{} {}", r.label, r.operation));
                    out.extend(crate::doc::code_list(&names.collect::<Vec<_>>()));
                    out.push(text("."));
                }
                Some(out)
            })
            .collect()
    }

    /// What failed, with what the program printed.
    fn failures(&self) -> Vec<Block> {
        let failed: Vec<_> = self.entry.records().filter(|(_, r)| r.status == Status::Failed).collect();
        let mut blocks = Vec::new();
        for (label, record) in failed {
            blocks.push(Block::Paragraph(vec![
                strong("Failed:"),
                text(" "),
                code(format!("{} {}", label.name, record.operation)),
                text(format!(", {}. ", failure_text(record).trim_end_matches('.'))),
                link("record", self.base.record(record)),
            ]));
            if let Some(failure) = record.failure.as_ref().filter(|f| !f.output.trim().is_empty()) {
                blocks.push(Block::Output("What the worker printed".to_owned(), failure.output.clone()));
            }
        }
        blocks
    }

    /// Published figures with ratios.
    fn comparison(&self) -> Vec<Block> {
        let id = &self.entry.submission.id;
        let pages = compare::pages(self.published, id, self.reference);
        let mut instances = self.entry.instances();
        instances.extend(self.entry.labels.iter().map(|label| label.instance.clone()));
        let columns = compare::columns(&pages, &instances);
        let mut blocks = vec![Block::Subheading(COMPARISON.to_owned())];
        if columns.is_empty() {
            blocks.push(Block::Paragraph(vec![text(
                "No published results of this submission are known here.",
            )]));
            return blocks;
        }
        let headings: Vec<String> = columns.iter().map(Column::heading).collect();
        let mut names = vec!["instance", "operation", "this measurement"];
        names.extend(headings.iter().map(String::as_str));
        let mut table = Table::grouped(COMPARISON, &names);
        for label in &self.entry.labels {
            for (operation, record) in &label.operations {
                let source = record.map(|r| self.base.record(r));
                let s = statistics(*record);
                let mut cells = vec![label_cell(label), Cell::text(operation)];
                cells.push(match (s, &source, record) {
                    (Some(s), Some(href), _) => mean_cell(s, href),
                    (None, _, Some(record)) => failed_cell(self.base, record),
                    _ => Cell::missing(),
                });
                for column in &columns {
                    cells.push(match column.row(self.published, id, &label.instance, operation) {
                        Some(row) => published_cell(row, s, source.as_ref()),
                        None => Cell::missing(),
                    });
                }
                table.push(cells);
            }
        }
        blocks.push(Block::Table(table));
        let mut explanation = vec![text(
            "A ratio is the published mean of core cycles divided by ours: above 1× ours takes fewer cycles. Its interval \
             holds ours and the rounding of the published figure; the published pages state no interval of their own. \
             They measured the submitted code on other machines. Sources: ",
        )];
        for (i, page) in pages.iter().enumerate() {
            explanation.push(text(if i == 0 { "" } else { "; " }));
            explanation.push(text(format!("{}: {}", page.system, page.source_page)));
        }
        explanation.push(text("."));
        if let Some(address) = &self.entry.submission.links.published {
            explanation.push(text(" "));
            explanation.push(outside("Published page", address));
        }
        blocks.push(Block::Paragraph(explanation));
        blocks
    }

    /// One plot per measured operation.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        self.entry
            .records()
            .filter_map(|(label, record)| {
                let s = statistics(Some(record))?;
                let title = format!("{} {}", label.name, record.operation);
                let id = escape::file_name(&format!("{}__{}", label.name, record.operation));
                let long = format!("{title}: core cycles per call");
                let plot = plot::plot(id, long, s, &samples::trials(record))?;
                let c = &s.core_cycles;
                let mut caption = format!(
                    "min {} · p95 {} · max {}",
                    format::cycles(c.min),
                    format::cycles(c.p95),
                    format::cycles(c.max)
                );
                if plot.beyond > 0 {
                    caption.push_str(&format!(" · {} not shown", plot.beyond));
                }
                let href = self.base.record(record);
                Some(Figure { title, caption, file: paths::plot_file(record), href, plot })
            })
            .collect()
    }

    /// The speed-up strip; absent without a single ratio. `page` is set where the strip stands on another page.
    pub(crate) fn bar_groups(&self, page: Option<&Href>) -> Vec<BarGroup> {
        let groups = self.entry.labels.iter().map(|label| BarGroup {
            title: label.name.clone(),
            page: page.cloned(),
            bars: label
                .operations
                .iter()
                .filter_map(|(operation, record)| {
                    let record = (*record)?;
                    let s = statistics(Some(record))?;
                    let ratio = self.ratio(label, operation, Some(record))?;
                    let column = Column { system: self.reference.to_owned(), suffix: String::new() };
                    let id = &self.entry.submission.id;
                    let row = column.row(self.published, id, &label.instance, operation)?;
                    let ours = format::cycles_with_interval(s.core_cycles.mean, s.core_cycles.ci95).value;
                    Some(Bar {
                        label: operation.clone(),
                        value: format::ratio_with_interval(ratio.value, ratio.ci95).value,
                        detail: format!("{ours}, published {}", row.mean_cycles_text),
                        length: Some(ratio.value),
                        slower: ratio.value < 1.0,
                        href: Some(self.base.record(record)),
                    })
                })
                .collect(),
        });
        groups.filter(|group| !group.bars.is_empty()).collect()
    }
}

/// Brings the ratios of all bars to one track length.
pub(crate) fn headline(mut groups: Vec<BarGroup>, reference: &str) -> Option<Headline> {
    let ratios = groups.iter().flat_map(|g| g.bars.iter().filter_map(|bar| bar.length));
    let longest = ratios.reduce(f64::max)?.max(1.0);
    for bar in groups.iter_mut().flat_map(|group| &mut group.bars) {
        bar.length = bar.length.map(|ratio| (ratio / longest * 1000.0).round() / 10.0);
    }
    let caption =
        format!("Mean core cycles of the published reference implementation on {reference} divided by ours.");
    Some(Headline { caption, groups, unity: (1000.0 / longest).round() / 10.0 })
}

/// The cell with the name of a variant, marked where its KAT did not pass.
pub(crate) fn label_cell(label: &Label<'_>) -> Cell {
    Cell { mark: label.kat_mark(), ..Cell::code(&label.name) }
}

/// A mean with its interval, and `n=` where fewer than 100 inputs were distinct.
pub(crate) fn mean_cell(s: &Statistics, href: &Href) -> Cell {
    let mean = format::cycles_with_interval(s.core_cycles.mean, s.core_cycles.ci95);
    let mut note = mean.interval;
    if s.distinct_inputs < GUIDE_INPUTS {
        note.push_str(&format!(" (n={})", s.distinct_inputs));
    }
    Cell::number(mean.value, Some(href)).with_note(note).sorted_by(s.core_cycles.mean)
}

/// `failed`, linked to the record that says why.
pub(crate) fn failed_cell(base: Base, record: &Record) -> Cell {
    let word = if record.status == Status::Failed { "failed" } else { "no statistics" };
    Cell::number(word, Some(&base.record(record)))
}

/// A link to a record.
pub(crate) fn record_cell(base: Base, record: Option<&Record>) -> Cell {
    match record {
        Some(record) => Cell::of(vec![link("JSON", base.record(record))]),
        None => Cell::text(MISSING),
    }
}

/// A ratio with its interval.
pub(crate) fn ratio_cell(ratio: Option<Ratio>, href: &Href) -> Cell {
    let Some(ratio) = ratio else { return Cell::missing() };
    let printed = format::ratio_with_interval(ratio.value, ratio.ci95);
    Cell::number(printed.value, Some(href)).with_note(printed.interval).sorted_by(ratio.value)
}

/// The ratio to a published row, with the published figures below it.
fn published_cell(
    row: &ngcc_evidence::PublishedPerformance,
    ours: Option<&Statistics>,
    source: Option<&Href>,
) -> Cell {
    let figures = format!("{} · {}", row.mean_cycles_text, row.mean_time_text);
    let ratio = ours.and_then(|s| compare::ratio(row, &s.core_cycles));
    let Some(ratio) = ratio else { return Cell::missing().with_note(figures) };
    let printed = format::ratio_with_interval(ratio.value, ratio.ci95);
    let value = format!("{} {}", printed.value, printed.interval);
    Cell::number(value, source).with_note(figures).sorted_by(ratio.value)
}

/// `20975 (5 × 4195)`, or the count of trials where their lengths differ.
pub(crate) fn trial_text(record: &Record, s: &Statistics) -> String {
    let lengths: Vec<usize> =
        counting(&record.trials, record.plan.trials).iter().map(|trial| trial.ticks.len()).collect();
    match lengths.first() {
        Some(first) if lengths.iter().all(|length| length == first) => {
            format!("{} ({} × {first})", s.samples, s.trials)
        }
        _ => format!("{} ({} trials)", s.samples, s.trials),
    }
}

/// How many trials were disturbed, and whether they count.
fn disturbed_text(record: &Record, s: &Statistics) -> String {
    let of_counting =
        counting(&record.trials, record.plan.trials).iter().filter(|trial| trial.disturbed.is_some()).count();
    if of_counting > 0 {
        format!("{of_counting} of them disturbed")
    } else {
        format!("+ {} disturbed", s.disturbed)
    }
}

/// A cycle source in a sentence.
pub(crate) fn source_text(source: CycleSource) -> &'static str {
    match source {
        CycleSource::HardwareCounter => {
            "the hardware event “CPU cycles”, counted by the kernel in user mode."
        }
        CycleSource::MultiplicationChain => {
            "time multiplied by the core clock that a chain of dependent multiplications gave during the trial."
        }
    }
}
