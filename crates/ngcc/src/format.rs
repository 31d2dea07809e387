//! Numbers in terminal tables.

/// Core cycles with three to four significant digits: `812`, `43.1 k`, `1.24 M`, `15.6 G`.
pub(crate) fn cycles(cycles: f64) -> String {
    scaled(cycles, &[(1e9, " G"), (1e6, " M"), (1e4, " k")]).unwrap_or_else(|| format!("{cycles:.0}"))
}

/// Seconds with three significant digits: `1.07 ms`.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds >= 1.0 {
        return format!("{} s", significant(seconds));
    }
    let units = [(1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= *unit).unwrap_or((1e-9, "ns"));
    format!("{} {name}", significant(seconds / unit))
}

/// A half-width relative to a mean, in percent: `±0.4 %`.
pub(crate) fn spread(mean: f64, ci95: [f64; 2]) -> String {
    if mean > 0.0 { format!("±{:.1} %", 100.0 * (ci95[1] - ci95[0]) / 2.0 / mean) } else { "–".to_owned() }
}

fn scaled(value: f64, units: &[(f64, &str)]) -> Option<String> {
    let (unit, name) = units.iter().find(|(unit, _)| value >= *unit)?;
    let unit = if *unit == 1e4 { 1e3 } else { *unit };
    Some(format!("{}{name}", significant(value / unit)))
}

/// Three significant digits without an exponent.
fn significant(value: f64) -> String {
    if value >= 99.95 {
        format!("{value:.0}")
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_change_unit_at_the_published_borders() {
        assert_eq!(cycles(812.4), "812");
        assert_eq!(cycles(9_999.0), "9999");
        assert_eq!(cycles(10_000.0), "10.0 k");
        assert_eq!(cycles(460_700.0), "461 k");
        assert_eq!(cycles(2_250_000.0), "2.25 M");
        assert_eq!(cycles(15.6e9), "15.6 G");
    }

    #[test]
    fn seconds_have_three_digits() {
        assert_eq!(seconds(1.07e-3), "1.07 ms");
        assert_eq!(seconds(220e-6), "220 µs");
        assert_eq!(seconds(12.34), "12.3 s");
        assert_eq!(seconds(5e-10), "0.50 ns");
    }

    #[test]
    fn spread_is_the_half_width() {
        assert_eq!(spread(100.0, [99.0, 101.0]), "±1.0 %");
        assert_eq!(spread(0.0, [0.0, 0.0]), "–");
    }
}
