//! Distribution plots: a histogram of the calls (or one dot per call where there are few), a box with the quartiles, the
//! mean with its interval, and a strip with the mean of every trial.
//!
//! Only geometry is computed here; `templates/plot.svg` writes it. Coordinates have one decimal, so the same evidence
//! gives the same bytes.

use ngcc_evidence::Statistics;
use ngcc_evidence::stats::quantile;

use crate::format;
use crate::samples::TrialCycles;

/// Width of the drawing, in the units of its view box.
pub(crate) const WIDTH: f64 = 360.0;
/// Left and right end of the axis.
const AXIS: [f64; 2] = [20.0, 338.0];
/// Top and base line of the histogram.
const HISTOGRAM: [f64; 2] = [6.0, 74.0];
/// Calls up to which each is drawn as a dot.
const MOST_DOTS: usize = 60;

/// A mark on the axis or in the trial strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Position.
    pub x: String,
    /// Label or tooltip.
    pub label: String,
    /// Whether it stands for a trial that does not count.
    pub hollow: bool,
}

/// The geometry of a distribution plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plot {
    /// Prefix of the element ids, unique on the page.
    pub id: String,
    /// Accessible title.
    pub title: String,
    /// Accessible description with the figures.
    pub description: String,
    /// Path of the histogram; empty where dots are drawn.
    pub bars: String,
    /// One dot per call, `[x, y]`.
    pub dots: Vec<[String; 2]>,
    /// Minimum, first quartile, median, third quartile, 95th percentile.
    pub box_marks: [String; 5],
    /// Width of the box between the quartiles.
    pub box_width: String,
    /// Mean.
    pub mean: String,
    /// Interval of the mean.
    pub interval: [String; 2],
    /// Means of the trials.
    pub trials: Vec<Mark>,
    /// Axis marks.
    pub ticks: Vec<Mark>,
    /// Calls beyond the right end.
    pub beyond: usize,
}

/// A coordinate as written.
fn coordinate(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The visible part of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// From the smallest value to the largest, and over `means`; where many are drawn, values beyond a fence above the
    /// 95th percentile are left out, so that a few interrupted calls do not flatten the rest.
    fn of(sorted: &[f64], means: &[f64]) -> Option<Self> {
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let p95 = quantile(sorted, 0.95);
        let fence = p95 + 0.75 * (p95 - quantile(sorted, 0.5));
        let inside = sorted.iter().rev().find(|&&v| v <= fence).copied().unwrap_or(last);
        let drawn = if sorted.len() > MOST_DOTS { inside } else { last };
        let (low, high) = means.iter().fold((first, drawn), |(low, high), &m| (low.min(m), high.max(m)));
        let pad = 0.03 * (high - low).max(0.005 * high.abs()).max(f64::MIN_POSITIVE);
        let range = Self { low: (low - pad).max(0.0), high: high + pad };
        (range.low.is_finite() && range.high.is_finite() && range.high > range.low).then_some(range)
    }

    /// Position of a value, held inside the axis.
    fn x(&self, value: f64) -> f64 {
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        AXIS[0] + part * (AXIS[1] - AXIS[0])
    }

    /// Round values inside the range, two to six of them, and their distance.
    fn ticks(&self) -> (Vec<f64>, f64) {
        let raw = (self.high - self.low) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&s| s >= raw).unwrap_or(raw);
        let first = (self.low / step).ceil();
        let marks = (0..8).map(|i| (first + f64::from(i)) * step).take_while(|&v| v <= self.high).collect();
        (marks, step)
    }
}

/// Path of the histogram.
fn histogram(sorted: &[f64], range: Range) -> String {
    let count = ((sorted.len() as f64).sqrt().ceil() as usize).clamp(12, 56);
    let mut bins = vec![0usize; count];
    for &value in sorted.iter().filter(|&&v| v <= range.high) {
        let part = (value - range.low) / (range.high - range.low);
        let bin = ((part * count as f64) as usize).min(count - 1);
        bins[bin] += 1;
    }
    let tallest = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = (AXIS[1] - AXIS[0]) / count as f64;
    let mut path = String::new();
    for (i, &calls) in bins.iter().enumerate().filter(|(_, calls)| **calls > 0) {
        let x = AXIS[0] + i as f64 * width;
        // A single call stays visible beside thousands.
        let height = (calls as f64 / tallest * (HISTOGRAM[1] - HISTOGRAM[0])).max(0.8);
        path.push_str(&format!(
            "M{} {}V{}H{}V{}Z",
            coordinate(x + 0.3),
            coordinate(HISTOGRAM[1]),
            coordinate(HISTOGRAM[1] - height),
            coordinate(x + width - 0.3),
            coordinate(HISTOGRAM[1]),
        ));
    }
    path
}

/// One dot per call, spread over the height by a golden-ratio sequence so that equal values stay apart.
fn dots(sorted: &[f64], range: Range) -> Vec<[String; 2]> {
    let visible = sorted.iter().filter(|&&v| v <= range.high);
    visible
        .enumerate()
        .map(|(i, &value)| {
            let spread = (i as f64 * 0.618_033_988_75).fract();
            let y = HISTOGRAM[0] + 8.0 + spread * (HISTOGRAM[1] - HISTOGRAM[0] - 16.0);
            [coordinate(range.x(value)), coordinate(y)]
        })
        .collect()
}

/// The figures in words.
fn describe(statistics: &Statistics, calls: usize, beyond: usize, trials: usize) -> String {
    let d = &statistics.core_cycles;
    let mean = format::cycles_with_interval(d.mean, d.ci95);
    let mut out = format!(
        "{} of core cycles. Smallest {}, quartiles {}, mean {} {}, 95th percentile {}, largest {}.",
        format::counted(calls, "call", "calls"),
        format::cycles(d.min),
        format::cycles_row(&[d.q1, d.median, d.q3]),
        mean.value,
        mean.interval,
        format::cycles(d.p95),
        format::cycles(d.max),
    );
    if beyond > 0 {
        let lie = if beyond == 1 { "call lies" } else { "calls lie" };
        out.push_str(&format!(" {beyond} {lie} beyond the right end."));
    }
    out.push_str(&format!(
        " The lower strip marks the means of {}.",
        format::counted(trials, "trial", "trials")
    ));
    out
}

/// The plot of an operation; absent without a finite sample that counts.
pub(crate) fn plot(
    id: String,
    title: String,
    statistics: &Statistics,
    trials: &[TrialCycles],
) -> Option<Plot> {
    let counting = trials.iter().filter(|trial| trial.counts);
    let mut sorted: Vec<f64> = counting.flat_map(|trial| trial.cycles.iter().copied()).collect();
    sorted.retain(|v| v.is_finite() && *v >= 0.0);
    sorted.sort_by(f64::total_cmp);
    let d = &statistics.core_cycles;
    let marks = [d.min, d.q1, d.median, d.q3, d.p95];
    if !marks.iter().chain(&d.ci95).chain([&d.mean]).all(|v| v.is_finite()) {
        return None;
    }
    let of_trials = trials.iter().filter(|trial| trial.counts).filter_map(TrialCycles::mean);
    let means: Vec<f64> = d.ci95.into_iter().chain(of_trials).filter(|m| m.is_finite()).collect();
    let range = Range::of(&sorted, &means)?;
    let beyond = sorted.iter().filter(|&&v| v > range.high).count();
    let few = sorted.len() <= MOST_DOTS;
    let (ticks, step) = range.ticks();
    let labels = format::axis_labels(&ticks, step);
    let trial_marks: Vec<Mark> = trials
        .iter()
        .filter_map(|trial| {
            let mean = trial.mean().filter(|m| m.is_finite())?;
            let why = trial.disturbed.as_ref().map_or(String::new(), |why| format!(", disturbed: {why}"));
            let counts = if trial.counts { "" } else { ", not counted" };
            Some(Mark {
                x: coordinate(range.x(mean)),
                label: format!("trial {}: mean {}{why}{counts}", trial.index, format::cycles(mean)),
                hollow: !trial.counts,
            })
        })
        .collect();
    Some(Plot {
        id,
        title,
        description: describe(statistics, sorted.len(), beyond, trial_marks.len()),
        bars: if few { String::new() } else { histogram(&sorted, range) },
        dots: if few { dots(&sorted, range) } else { Vec::new() },
        box_marks: marks.map(|v| coordinate(range.x(v))),
        box_width: coordinate((range.x(d.q3) - range.x(d.q1)).max(0.6)),
        mean: coordinate(range.x(d.mean)),
        interval: d.ci95.map(|v| coordinate(range.x(v))),
        trials: trial_marks,
        ticks: ticks
            .into_iter()
            .zip(labels)
            .map(|(value, label)| Mark { x: coordinate(range.x(value)), label, hollow: false })
            .collect(),
        beyond,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ngcc_evidence::{CycleSource, Distribution};

    fn statistics(mean: f64) -> Statistics {
        let d = Distribution {
            mean,
            ci95: [mean * 0.99, mean * 1.01],
            std_dev: 1.0,
            min: mean * 0.9,
            q1: mean * 0.95,
            median: mean,
            q3: mean * 1.05,
            p95: mean * 1.1,
            max: mean * 9.0,
        };
        Statistics {
            samples: 1,
            distinct_inputs: 1,
            trials: 1,
            disturbed: 0,
            source: CycleSource::MultiplicationChain,
            clock_uncertainty: 0.001,
            core_cycles: d,
            seconds: d,
            median_trial_seconds: 1.0,
            operations_per_second: 1.0,
            guide_100_met: false,
        }
    }

    fn make(trials: &[Vec<f64>]) -> Option<Plot> {
        let trials: Vec<_> = (0..)
            .zip(trials)
            .map(|(index, c)| TrialCycles { index, counts: true, disturbed: None, cycles: c.clone() })
            .collect();
        plot("id".into(), "t".into(), &statistics(1000.0), &trials)
    }

    #[test]
    fn few_calls_are_dots_and_many_are_bars() {
        let few = make(&[vec![1000.0; 60]]).unwrap();
        assert_eq!((few.dots.len(), few.bars.is_empty()), (60, true));
        let many = make(&[(0..61).map(|i| 900.0 + f64::from(i)).collect()]).unwrap();
        assert!(many.dots.is_empty() && many.bars.starts_with('M'));
    }

    #[test]
    fn a_far_outlier_is_counted_not_drawn() {
        let mut calls: Vec<f64> = (0..1000).map(|i| 900.0 + f64::from(i % 100)).collect();
        calls.push(50_000.0);
        let plot = make(&[calls]).unwrap();
        assert_eq!(plot.beyond, 1);
        assert!(plot.description.contains("1 call lies beyond the right end"), "{}", plot.description);
    }

    #[test]
    fn degenerate_samples_do_no_harm() {
        assert_eq!(make(&[]), None);
        assert_eq!(make(&[vec![]]), None);
        assert_eq!(make(&[vec![f64::NAN, f64::INFINITY, -1.0]]), None);
        for calls in [vec![0.0], vec![5.0; 3], vec![0.0, 1e300], vec![1e-300; 100], vec![1.0; 100]] {
            let plot = make(std::slice::from_ref(&calls));
            let texts = format!("{plot:?}");
            assert!(!texts.contains("NaN") && !texts.contains("inf"), "{calls:?}: {texts}");
        }
    }

    #[test]
    fn axis_marks_are_round_and_inside() {
        for (low, high) in [(0.0, 1.0), (451.0, 533.0), (1e6, 1.7e6), (9.99e8, 1.02e9)] {
            let range = Range { low, high };
            let (marks, step) = range.ticks();
            assert!((2..=6).contains(&marks.len()), "{low} {high}: {marks:?}");
            assert!(marks.iter().all(|m| (low..=high).contains(m)));
            let mantissa = step / 10f64.powf(step.log10().floor());
            assert!([1.0, 2.0, 5.0].iter().any(|m| (mantissa - m).abs() < 1e-9), "{step}");
        }
    }

    #[test]
    fn the_same_evidence_gives_the_same_plot() {
        let calls: Vec<f64> = (0..500).map(|i| 1000.0 + f64::from(i * i % 97)).collect();
        let calls = [calls];
        assert_eq!(make(&calls), make(&calls.clone()));
    }
}
