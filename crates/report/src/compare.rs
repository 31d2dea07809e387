//! Published results of the same instance, and the ratios to them.

use ngcc_evidence::{Distribution, Published, PublishedPage, PublishedPerformance};

/// A ratio `published / ours` of mean core cycles: above 1, ours takes fewer cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    /// Of the two means.
    pub value: f64,
    /// From our 95 % interval and the rounding of the published figure. The published pages give no interval of
    /// their own.
    pub ci95: [f64; 2],
}

/// The published system whose machine has the architecture of the campaign's host.
pub(crate) fn reference_system(architecture: &str) -> &'static str {
    if architecture == "aarch64" { "arm_1" } else { "x86_1" }
}

/// Half of the last printed digit of a figure such as `460.7 k`, in cycles; 0 for a text without a number.
pub(crate) fn rounding_half_width(text: &str) -> f64 {
    let (number, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let factor = match unit.trim() {
        "" => 1.0,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return 0.0,
    };
    if number.parse::<f64>().is_err() {
        return 0.0;
    }
    let decimals = number.split_once('.').map_or(0, |(_, behind)| behind.len().min(20));
    0.5 * factor / 10f64.powi(i32::try_from(decimals).unwrap_or(0))
}

/// The ratio of a published row to our distribution; absent if either mean is no positive number.
pub(crate) fn ratio(row: &PublishedPerformance, ours: &Distribution) -> Option<Ratio> {
    let usable = |v: f64| v.is_finite() && v > 0.0;
    if !usable(row.mean_cycles) || !usable(ours.mean) {
        return None;
    }
    let half = rounding_half_width(&row.mean_cycles_text);
    let bound = |theirs: f64, ours: f64| if usable(ours) { theirs / ours } else { f64::NAN };
    let ci95 = [bound(row.mean_cycles - half, ours.ci95[1]), bound(row.mean_cycles + half, ours.ci95[0])];
    Some(Ratio { value: row.mean_cycles / ours.mean, ci95 })
}

/// A published column that our instances stand beside: a system and an implementation of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// `x86_1`.
    pub system: String,
    /// What a label has behind the instance name: empty for the reference implementation, `-avx2` for another.
    pub suffix: String,
}

impl Column {
    /// Heading, `x86_1` or `x86_1 avx2`.
    pub(crate) fn heading(&self) -> String {
        let variant = self.suffix.trim_start_matches('-');
        if variant.is_empty() { self.system.clone() } else { format!("{} {variant}", self.system) }
    }

    /// The published row of an instance and operation in this column.
    pub(crate) fn row<'a>(
        &self,
        published: &'a Published,
        submission: &str,
        instance: &str,
        operation: &str,
    ) -> Option<&'a PublishedPerformance> {
        published.performance(submission, &self.system, &format!("{instance}{}", self.suffix), operation)
    }
}

/// The published pages of a submission, the reference system first.
pub(crate) fn pages<'a>(published: &'a Published, submission: &str, first: &str) -> Vec<&'a PublishedPage> {
    let mut pages: Vec<_> = published.pages.iter().filter(|p| p.submission == submission).collect();
    pages.sort_by_key(|page| (page.system != first, page.system.as_str()));
    pages
}

/// The columns of a submission: for each published page its reference rows and then each other implementation.
///
/// `instances` are the parameter sets of the submission: `X-avx2` is an implementation of `X`, unless a parameter set
/// has that very name.
pub(crate) fn columns(pages: &[&PublishedPage], instances: &[String]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for page in pages {
        let mut suffixes: Vec<String> = Vec::new();
        for row in &page.performance {
            let suffix = if instances.contains(&row.instance) {
                Some("")
            } else {
                instances
                    .iter()
                    .filter_map(|name| row.instance.strip_prefix(name.as_str()))
                    .filter(|suffix| suffix.starts_with('-'))
                    .min_by_key(|suffix| suffix.len())
            };
            if let Some(suffix) = suffix
                && !suffixes.iter().any(|known| known == suffix)
            {
                suffixes.push(suffix.to_owned());
            }
        }
        suffixes.sort();
        columns.extend(suffixes.into_iter().map(|suffix| Column { system: page.system.clone(), suffix }));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(instance: &str, mean_cycles: f64, text: &str) -> PublishedPerformance {
        PublishedPerformance {
            instance: instance.into(),
            operation: "sign".into(),
            mean_cycles,
            mean_cycles_text: text.into(),
            mean_time_s: 1.0,
            mean_time_text: "1 s".into(),
            n: 100,
        }
    }

    fn distribution(mean: f64, ci95: [f64; 2]) -> Distribution {
        Distribution { mean, ci95, std_dev: 1.0, min: 1.0, q1: 1.0, median: 1.0, q3: 1.0, p95: 1.0, max: 1.0 }
    }

    #[test]
    fn printed_digits_bound_the_published_figure() {
        assert_eq!(rounding_half_width("460.7 k"), 50.0);
        assert_eq!(rounding_half_width("1.24 M"), 5_000.0);
        assert_eq!(rounding_half_width("9876"), 0.5);
        assert_eq!(rounding_half_width("211.25 G"), 5e6);
        assert_eq!(rounding_half_width("fast"), 0.0);
        assert_eq!(rounding_half_width(""), 0.0);
    }

    #[test]
    fn ratios_carry_both_uncertainties() {
        let r = ratio(&row("A", 1e6, "1.00 M"), &distribution(1e5, [0.8e5, 1.25e5])).unwrap();
        assert_eq!(r.value, 10.0);
        assert!((r.ci95[0] - 0.995e6 / 1.25e5).abs() < 1e-9);
        assert!((r.ci95[1] - 1.005e6 / 0.8e5).abs() < 1e-9);
        assert_eq!(ratio(&row("A", 0.0, "0"), &distribution(1e5, [1.0, 2.0])), None);
        assert_eq!(ratio(&row("A", 1.0, "1"), &distribution(0.0, [0.0, 0.0])), None);
        assert_eq!(ratio(&row("A", 1.0, "1"), &distribution(f64::NAN, [0.0, 0.0])), None);
    }

    #[test]
    fn implementations_are_told_from_parameter_sets() {
        let page = PublishedPage {
            submission: "s".into(),
            system: "x86_1".into(),
            source_page: String::new(),
            performance: vec![
                row("A-avx2", 1.0, "1"),
                row("A", 1.0, "1"),
                row("A-small", 1.0, "1"),
                row("A-small-avx2", 1.0, "1"),
                row("other", 1.0, "1"),
            ],
            resources: vec![],
            sizes: vec![],
        };
        let columns = columns(&[&page], &["A".into(), "A-small".into()]);
        let headings: Vec<_> = columns.iter().map(Column::heading).collect();
        assert_eq!(headings, ["x86_1", "x86_1 avx2"]);
    }
}
