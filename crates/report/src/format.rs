//! Number formats, one for all pages: a suffix (k, M, G) instead of an exponent, and no digit finer than the interval
//! supports.
//!
//! Where an interval is known its half-width decides the last printed digit: its first significant digit, or the second
//! where it starts with 1 or 2. A value has one decimal more than without an interval at most.

/// What stands for a missing value.
pub(crate) const MISSING: &str = "–";

/// A value and its 95 % interval as printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WithInterval {
    /// `460.7 k`.
    pub value: String,
    /// `± 0.4 k`, or `−0.3 +0.5 k` where the sides differ in print.
    pub interval: String,
}

/// A unit and the number of decimals that values in it have.
#[derive(Clone, Copy, Debug)]
struct Scale {
    factor: f64,
    unit: &'static str,
    decimals: i32,
}

/// Cycles: G and M with two decimals, k with one from 10 000 on, else whole numbers.
const CYCLES: [Scale; 4] = [
    Scale { factor: 1e9, unit: " G", decimals: 2 },
    Scale { factor: 1e6, unit: " M", decimals: 2 },
    Scale { factor: 1e3, unit: " k", decimals: 1 },
    Scale { factor: 1.0, unit: "", decimals: 0 },
];

/// Units of time.
const TIMES: [(f64, &str); 4] = [(1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns")];

/// Units of counts per second.
const COUNTS: [(f64, &str); 4] = [(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];

/// The smallest value, as rounded, that a cycle count needs for the unit `factor`.
fn cycles_threshold(factor: f64) -> f64 {
    if factor == 1e3 { 1e4 } else { factor }
}

/// Rounds half away from zero at a decimal position (positive: behind the point).
fn round_at(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals.abs());
    if decimals >= 0 { (value * scale).round() / scale } else { (value / scale).round() * scale }
}

/// A number with a fixed count of decimals; negative counts round to tens, hundreds and so on.
fn fixed(value: f64, decimals: i32) -> String {
    let places = usize::try_from(decimals.max(0)).unwrap_or(0);
    let text = format!("{:.places$}", round_at(value, decimals));
    // A rounded negative zero would print its sign.
    if text.chars().all(|c| matches!(c, '-' | '0' | '.')) { text.replace('-', "") } else { text }
}

/// The scale of a cycle count, chosen after rounding so that 999 999 reads 1.00 M and not 1000.0 k.
fn cycles_scale(value: f64) -> Scale {
    let size = value.abs();
    let mut chosen = CYCLES[3];
    for scale in CYCLES.iter().rev() {
        let below = round_at(size / chosen.factor, chosen.decimals) * chosen.factor;
        if below >= cycles_threshold(scale.factor) {
            chosen = *scale;
        }
    }
    chosen
}

/// Decimals up to the digit that a half-width leaves meaningful: its first significant digit, or the second where it
/// starts with 1 or 2.
fn supported_decimals(half_width: f64) -> i32 {
    if !(half_width > 0.0 && half_width.is_finite()) {
        return i32::MAX;
    }
    let exponent = half_width.log10().floor() as i32;
    // As two digits print it: 2.96 starts with 3, and 9.96 is 10.
    let rounded = round_at(half_width, 1 - exponent);
    let exponent = rounded.log10().floor() as i32;
    let leading = rounded / 10f64.powi(exponent);
    i32::from(leading < 2.95) - exponent
}

/// A value and its interval in one scale, the digits limited by the interval.
fn in_scale(mean: f64, ci: [f64; 2], scale: Scale) -> WithInterval {
    let (below, above) = (mean - ci[0], ci[1] - mean);
    let known = below.is_finite() && above.is_finite() && below >= 0.0 && above >= 0.0;
    if !known {
        let value = format!("{}{}", fixed(mean / scale.factor, scale.decimals), scale.unit);
        return WithInterval { value, interval: MISSING.to_owned() };
    }
    let decimals = supported_decimals(below.max(above) / scale.factor).min(scale.decimals + 1);
    let print = |v: f64| fixed(v / scale.factor, decimals);
    let (minus, plus) = (print(below), print(above));
    let is_zero = |text: &str| text.chars().all(|c| matches!(c, '0' | '.'));
    let interval = if is_zero(&minus) && is_zero(&plus) {
        format!("± <{}{}", fixed(10f64.powi(-decimals), decimals), scale.unit)
    } else if minus == plus {
        format!("± {minus}{}", scale.unit)
    } else {
        format!("−{minus} +{plus}{}", scale.unit)
    };
    WithInterval { value: format!("{}{}", print(mean), scale.unit), interval }
}

/// Core cycles per call, `460.7 k`.
pub(crate) fn cycles(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let scale = cycles_scale(value);
    format!("{}{}", fixed(value / scale.factor, scale.decimals), scale.unit)
}

/// Core cycles per call with their 95 % interval.
pub(crate) fn cycles_with_interval(mean: f64, ci: [f64; 2]) -> WithInterval {
    if !mean.is_finite() {
        return WithInterval { value: MISSING.to_owned(), interval: MISSING.to_owned() };
    }
    in_scale(mean, ci, cycles_scale(mean))
}

/// Cycle counts in the unit of the last of them, `451.2 · 460.1 · 470.9 k`.
pub(crate) fn cycles_row(values: &[f64]) -> String {
    let Some(last) = values.last().filter(|_| values.iter().all(|v| v.is_finite())) else {
        return MISSING.to_owned();
    };
    let scale = cycles_scale(*last);
    let texts: Vec<String> = values.iter().map(|v| fixed(v / scale.factor, scale.decimals)).collect();
    format!("{}{}", texts.join(" · "), scale.unit)
}

/// Labels of axis marks that lie `step` apart, all in the unit of the last.
pub(crate) fn axis_labels(marks: &[f64], step: f64) -> Vec<String> {
    let scale = cycles_scale(marks.last().copied().unwrap_or(0.0));
    let decimals = (-(step / scale.factor).log10()).ceil().clamp(0.0, 6.0) as i32;
    marks.iter().map(|mark| format!("{}{}", fixed(mark / scale.factor, decimals), scale.unit)).collect()
}

/// Decimals that give `digits` significant digits.
fn significant_decimals(value: f64, digits: i32) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let decimals = digits - 1 - value.abs().log10().floor() as i32;
    // 9.996 with three digits is 10.0: one decimal fewer. Denormal values have no digits worth printing.
    let rounded = round_at(value, decimals).abs();
    (digits - 1 - rounded.log10().floor() as i32).min(15)
}

/// The largest unit in which the value, as three digits print it, is at least 1; otherwise the smallest.
fn three_digit_unit(value: f64, units: &[(f64, &'static str)]) -> Scale {
    let reaches_one = |factor: f64| {
        let v = value.abs() / factor;
        round_at(v, significant_decimals(v, 3)) >= 1.0
    };
    let fallback = units.last().copied().unwrap_or((1.0, ""));
    let (factor, unit) = units.iter().copied().find(|(factor, _)| reaches_one(*factor)).unwrap_or(fallback);
    Scale { factor, unit, decimals: significant_decimals(value / factor, 3) }
}

/// Seconds with three significant digits in the largest of s, ms, µs and ns that gives at least 1, `220 µs`.
pub(crate) fn time(seconds: f64) -> String {
    if !seconds.is_finite() {
        return MISSING.to_owned();
    }
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    let scale = three_digit_unit(seconds, &TIMES);
    format!("{}{}", fixed(seconds / scale.factor, scale.decimals), scale.unit)
}

/// Seconds with their 95 % interval.
pub(crate) fn time_with_interval(mean: f64, ci: [f64; 2]) -> WithInterval {
    if !mean.is_finite() || mean == 0.0 {
        return WithInterval { value: time(mean), interval: MISSING.to_owned() };
    }
    in_scale(mean, ci, three_digit_unit(mean, &TIMES))
}

/// Three significant digits, `4540`, `931`, `0.00986`; from 10 000 on with a suffix, `45.4 k`.
pub(crate) fn three_digits(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let decimals = significant_decimals(value, 3);
    if round_at(value, decimals).abs() < 1e4 {
        return fixed(value, decimals);
    }
    let scale = three_digit_unit(value, &COUNTS);
    format!("{}{}", fixed(value / scale.factor, scale.decimals), scale.unit)
}

/// Calls per operation: three significant digits without trailing zeros, `15`, `69.6`.
pub(crate) fn calls(value: f64) -> String {
    let text = three_digits(value);
    if !text.contains('.') || text.contains(' ') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share: whole percent from 9.5 % on, below with one decimal; zero and tiny can be told apart.
pub(crate) fn share(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let percent = value * 100.0;
    if percent == 0.0 {
        "0%".to_owned()
    } else if percent.abs() < 0.05 {
        "<0.1%".to_owned()
    } else {
        format!("{}%", fixed(percent, i32::from(percent < 9.5)))
    }
}

/// A relative uncertainty with two significant digits, `0.12 %`.
pub(crate) fn relative(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let percent = value * 100.0;
    format!("{} %", fixed(percent, significant_decimals(percent, 2).clamp(0, 4)))
}

/// A ratio, three significant digits at most, with its interval: `11.3×`.
pub(crate) fn ratio_with_interval(value: f64, ci: [f64; 2]) -> WithInterval {
    if !value.is_finite() {
        return WithInterval { value: MISSING.to_owned(), interval: MISSING.to_owned() };
    }
    let decimals = significant_decimals(value, 3).min(3);
    let printed = in_scale(value, ci, Scale { factor: 1.0, unit: "", decimals });
    WithInterval { value: format!("{}×", printed.value), ..printed }
}

/// Bytes as whole KiB, rounded down, `1832 KiB`.
pub(crate) fn kib(bytes: u64) -> String {
    format!("{} KiB", bytes / 1024)
}

/// Bytes as whole MiB, rounded down, `31788 MiB`.
pub(crate) fn mib(bytes: u64) -> String {
    format!("{} MiB", bytes / (1024 * 1024))
}

/// A frequency, `2.10 GHz`, `24.0 MHz`.
pub(crate) fn hertz(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let (factor, unit) = [(1e9, "GHz"), (1e6, "MHz"), (1e3, "kHz")]
        .into_iter()
        .find(|(factor, _)| value.abs() / factor >= 0.9995)
        .unwrap_or((1.0, "Hz"));
    let v = value / factor;
    format!("{} {unit}", fixed(v, significant_decimals(v, 3).max(0)))
}

/// `one thing`, `2 things`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_change_unit_at_their_borders() {
        let cases = [
            (0.0, "0"),
            (0.4, "0"),
            (999.6, "1000"),
            (9_999.0, "9999"),
            (9_999.4, "9999"),
            (9_999.5, "10.0 k"),
            (10_000.0, "10.0 k"),
            (460_700.0, "460.7 k"),
            (999_949.0, "999.9 k"),
            (999_950.0, "1.00 M"),
            (1_240_000.0, "1.24 M"),
            (999_994_000.0, "999.99 M"),
            (999_996_000.0, "1.00 G"),
            (211_250_000_000.0, "211.25 G"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(cycles(value), text, "{value}");
        }
    }

    #[test]
    fn digits_follow_the_interval() {
        let both = |mean, lo, hi| {
            let q = cycles_with_interval(mean, [lo, hi]);
            (q.value, q.interval)
        };
        let expect = |v: &str, i: &str| (v.to_owned(), i.to_owned());
        assert_eq!(both(460_712.0, 460_312.0, 461_112.0), expect("460.7 k", "± 0.4 k"));
        assert_eq!(both(460_712.0, 460_462.0, 460_962.0), expect("460.71 k", "± 0.25 k"));
        assert_eq!(both(460_712.0, 430_712.0, 490_712.0), expect("460 k", "± 30 k"));
        assert_eq!(both(460_712.0, 448_712.0, 472_712.0), expect("461 k", "± 12 k"));
        assert_eq!(both(2_251_000.0, 2_181_000.0, 2_331_000.0), expect("2.25 M", "−0.07 +0.08 M"));
        assert_eq!(both(1_618_000.0, 1_615_000.0, 1_623_000.0), expect("1.618 M", "−0.003 +0.005 M"));
        assert_eq!(both(460_712.0, 460_710.0, 460_714.0), expect("460.71 k", "± <0.01 k"));
        assert_eq!(both(512.34, 512.34, 512.34), expect("512.3", "± <0.1"));
        assert_eq!(both(100.0, 200.0, 300.0), expect("100", "–"));
        assert_eq!(both(100.0, f64::NAN, 300.0), expect("100", "–"));
        assert_eq!(both(f64::NAN, 1.0, 2.0), expect("–", "–"));
        assert_eq!(
            [9.96, 9.94, 2.96, 2.94, 1.0, 0.30, 300.0].map(supported_decimals),
            [0, 0, 0, 1, 1, 1, -2]
        );
    }

    #[test]
    fn times_have_three_digits_and_no_exponent() {
        let cases = [
            (2.0, "2.00 s"),
            (101.0, "101 s"),
            (1234.0, "1230 s"),
            (5.9e-3, "5.90 ms"),
            (999.4e-6, "999 µs"),
            (999.6e-6, "1.00 ms"),
            (0.9999, "1.00 s"),
            (220e-6, "220 µs"),
            (9.996e-6, "10.0 µs"),
            (4.2e-10, "0.420 ns"),
            (0.0, "0 s"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(time(value), text, "{value}");
        }
        let wide = time_with_interval(220e-6, [200e-6, 240e-6]);
        assert_eq!((wide.value.as_str(), wide.interval.as_str()), ("220 µs", "± 20 µs"));
    }

    #[test]
    fn rates_ratios_and_shares_at_their_borders() {
        let rates = [
            (4540.0, "4540"),
            (4544.0, "4540"),
            (931.0, "931"),
            (19.2, "19.2"),
            (0.00986, "0.00986"),
            (9_994.0, "9990"),
            (9_996.0, "10.0 k"),
            (999_600.0, "1.00 M"),
            (0.0, "0"),
        ];
        for (value, text) in rates {
            assert_eq!(three_digits(value), text, "{value}");
        }
        assert_eq!((calls(15.0), calls(69.58), calls(2.0), calls(1760.0)), {
            ("15".into(), "69.6".into(), "2".into(), "1760".into())
        });
        let shares = [(0.0, "0%"), (0.0004, "<0.1%"), (0.0005, "0.1%"), (0.0949, "9.5%"), (0.095, "10%")];
        for (value, text) in shares {
            assert_eq!(share(value), text, "{value}");
        }
        assert_eq!((share(0.7412), share(1.0)), ("74%".into(), "100%".into()));
        let exact = |v: f64| ratio_with_interval(v, [v, v]).value;
        assert_eq!((exact(11.34), exact(9.996), exact(0.5), exact(1234.0)), {
            ("11.34×".into(), "10.00×".into(), "0.5000×".into(), "1234×".into())
        });
        let q = ratio_with_interval(11.34, [10.9, 11.8]);
        assert_eq!((q.value.as_str(), q.interval.as_str()), ("11.3×", "−0.4 +0.5"));
    }

    #[test]
    fn sizes_and_frequencies() {
        assert_eq!((kib(1_876_991), mib(33_332_133_888)), ("1832 KiB".into(), "31788 MiB".into()));
        assert_eq!((hertz(2.1e9), hertz(24e6), hertz(999.9e6)), {
            ("2.10 GHz".into(), "24.0 MHz".into(), "1.00 GHz".into())
        });
        assert_eq!((relative(0.0012), relative(0.0), relative(0.123)), {
            ("0.12 %".into(), "0 %".into(), "12 %".into())
        });
        assert_eq!(cycles_row(&[451_200.0, 460_100.0, 470_900.0]), "451.2 · 460.1 · 470.9 k");
    }
}
