//! `ngcc bench`: measuring without a run directory.

use anyhow::Result;
use ngcc_evidence::{CycleSource, Distribution, Record};
use ngcc_lab::campaign;
use serde::Serialize;

use crate::args::Bench;
use crate::builtin::{REGISTRY, published};
use crate::format::{cycles, seconds, spread};
use crate::output::{Outcome, Usage, print_json, print_line, table};
use crate::progress::Progress;
use crate::select::select;
use crate::session::{Session, plan_of, target};

/// One operation, as `--json` prints it.
#[derive(Serialize)]
struct Row<'a> {
    submission: &'a str,
    instance: &'a str,
    variant: &'a str,
    operation: &'a str,
    core_cycles: Figure,
    seconds: Figure,
    samples: u64,
    distinct_inputs: u64,
}

/// A mean with its interval and where it comes from.
#[derive(Serialize)]
struct Figure {
    mean: f64,
    ci95: [f64; 2],
    median: f64,
    p95: f64,
    source: &'static str,
}

/// Measures the selected instances and prints a table.
pub(crate) fn bench(args: &Bench) -> Result<Outcome> {
    let instances = select(&REGISTRY, &args.selection.patterns)?;
    let targets: Vec<_> = instances
        .into_iter()
        .filter(|i| args.op.is_none_or(|op| i.kind().operations().contains(&op)))
        .map(|i| target(i, args.variant))
        .collect();
    if let (Some(op), true) = (args.op, targets.is_empty()) {
        return Err(Usage(format!("no selected instance has the operation {op}; see `ngcc list`")).into());
    }
    let session = Session::start(args.measuring.cpu)?;
    let plan = plan_of(&args.measuring);
    let mut progress = Progress::new();
    let records = campaign::bench(
        &session.lab(),
        &targets,
        args.op,
        &plan,
        &mut |event| progress.event(&event),
        &session.stop,
    )?;
    drop(progress);
    if args.json {
        print_json(&records.iter().filter_map(row).collect::<Vec<_>>())?;
    } else {
        print_table(&records)?;
    }
    Ok(match (session.stop.is_stopped(), records.iter().all(|r| r.failure.is_none())) {
        (true, _) => Outcome::Interrupted,
        (false, true) => Outcome::Success,
        (false, false) => Outcome::CheckFailed,
    })
}

fn row(record: &Record) -> Option<Row<'_>> {
    let statistics = record.statistics.as_ref()?;
    Some(Row {
        submission: &record.submission,
        instance: &record.instance,
        variant: &record.variant,
        operation: &record.operation,
        core_cycles: figure(&statistics.core_cycles, source(statistics.source)),
        seconds: figure(&statistics.seconds, "monotonic-clock"),
        samples: statistics.samples,
        distinct_inputs: statistics.distinct_inputs,
    })
}

fn figure(d: &Distribution, source: &'static str) -> Figure {
    Figure { mean: d.mean, ci95: d.ci95, median: d.median, p95: d.p95, source }
}

fn source(source: CycleSource) -> &'static str {
    match source {
        CycleSource::HardwareCounter => "hardware-counter",
        CycleSource::MultiplicationChain => "multiplication-chain",
    }
}

fn print_table(records: &[Record]) -> Result<()> {
    let published = published()?;
    let mut table = table(&[
        "instance",
        "variant",
        "operation",
        "core cycles",
        "95 %",
        "median",
        "p95",
        "time",
        "n (distinct)",
        "published x86_1 / ours",
    ]);
    for record in records {
        let name = [record.instance.clone(), record.variant.clone(), record.operation.clone()];
        let Some(s) = &record.statistics else {
            let reason = record.failure.as_ref().map_or("not finished", |f| f.message.as_str());
            table.add_row(name.into_iter().chain([format!("failed: {reason}")]));
            continue;
        };
        let reference =
            published.performance(&record.submission, "x86_1", &record.instance, &record.operation);
        table.add_row(name.into_iter().chain([
            cycles(s.core_cycles.mean),
            spread(s.core_cycles.mean, s.core_cycles.ci95),
            cycles(s.core_cycles.median),
            cycles(s.core_cycles.p95),
            seconds(s.seconds.mean),
            format!("{} ({})", s.samples, s.distinct_inputs),
            reference.map_or_else(
                || "–".to_owned(),
                |p| format!("{} = {:.1}x", p.mean_cycles_text, p.mean_cycles / s.core_cycles.mean),
            ),
        ]));
    }
    print_line(&table)?;
    if let Some(s) = records.iter().find_map(|r| r.statistics.as_ref()) {
        let worst = records
            .iter()
            .filter_map(|r| r.statistics.as_ref())
            .map(|s| s.clock_uncertainty)
            .fold(0.0, f64::max);
        print_line(format!(
            "core cycles from the {}, uncertain by up to {:.2} %",
            source(s.source).replace('-', " "),
            100.0 * worst
        ))?;
    }
    Ok(())
}
