//! Distributions over calls and the interval of their mean.
//!
//! Everything here is a pure function with a fixed seed: the validator gets the very same numbers from the same samples.

use crate::Distribution;

/// Seed of the resampling generator, the same for every interval.
const BOOTSTRAP_SEED: u64 = 0x4e47_4343_2d4c_6162;

/// Resampled units of one trial at most; longer trials are resampled in blocks of consecutive calls of equal length.
pub const MAX_UNITS: usize = 4096;

/// Two-sided 95 % point of the normal distribution.
const Z: f64 = 1.959_963_985;

/// Two-sided 95 % points of Student's distribution with 1, 2, .. 30 degrees of freedom.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The quantile of ascending values at `p` (0..=1), linear between order statistics: position `(n - 1) p` from 0.
///
/// Zero for no values.
#[must_use]
pub fn quantile(ascending: &[f64], p: f64) -> f64 {
    let Some(last) = ascending.len().checked_sub(1) else { return 0.0 };
    let position = p.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    let fraction = position - below as f64;
    ascending[below] + (ascending[above] - ascending[below]) * fraction
}

/// Arithmetic mean; zero for no values.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Sample variance (`n - 1` in the denominator); zero for fewer than two values.
#[must_use]
pub fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let centre = mean(values);
    values.iter().map(|v| (v - centre) * (v - centre)).sum::<f64>() / (values.len() - 1) as f64
}

/// Median; zero for no values.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// The distribution of all calls of `trials`, with the 95 % interval of its mean.
///
/// `relative_error` (a share of the mean, not negative) is an uncertainty common to all trials, such as that of the
/// clock; it is added to the interval in quadrature. `None` without any call.
#[must_use]
pub fn distribution(trials: &[Vec<f64>], resamples: u32, relative_error: f64) -> Option<Distribution> {
    let mut all: Vec<f64> = trials.iter().flatten().copied().collect();
    if all.is_empty() {
        return None;
    }
    let mean = mean(&all);
    let std_dev = variance(&all).sqrt();
    let ci95 = interval(trials, mean, resamples, relative_error);
    all.sort_by(f64::total_cmp);
    Some(Distribution {
        mean,
        ci95,
        std_dev,
        min: quantile(&all, 0.0),
        q1: quantile(&all, 0.25),
        median: quantile(&all, 0.5),
        q3: quantile(&all, 0.75),
        p95: quantile(&all, 0.95),
        max: quantile(&all, 1.0),
    })
}

/// The 95 % interval of the mean by two-level resampling: trials with replacement, then calls within each.
///
/// Plain resampling of a handful of trials understates what varies between them and counts twice what varies within
/// them. The percentiles keep their shape (their asymmetry) and are scaled about the mean so that the variance is
/// `t^2 B + z^2 W`: `B` the variance between the trials as analysis of variance gives it, with Student's quantile of
/// their number; `W` the variance within, with the normal quantile.
fn interval(trials: &[Vec<f64>], mean: f64, resamples: u32, relative_error: f64) -> [f64; 2] {
    let units: Vec<Vec<f64>> = trials.iter().filter(|t| !t.is_empty()).map(|t| blocks(t)).collect();
    let means = resampled_means(&units, resamples);
    let scale = scale(&units);
    let below = scale * (mean - quantile(&means, 0.025)).max(0.0);
    let above = scale * (quantile(&means, 0.975) - mean).max(0.0);
    let common = relative_error.max(0.0) * mean.abs();
    // Not `hypot`: only the exactly rounded operations give the same digits on every machine.
    let both = |a: f64| (a * a + common * common).sqrt();
    [(mean - both(below)).max(0.0), mean + both(above)]
}

/// The calls of a trial, or the means of blocks of them if there are more than [`MAX_UNITS`].
fn blocks(calls: &[f64]) -> Vec<f64> {
    let length = calls.len().div_ceil(MAX_UNITS).max(1);
    calls.chunks(length).map(mean).collect()
}

/// By how much the spread of resampled means is to be stretched (see [`interval`]).
fn scale(units: &[Vec<f64>]) -> f64 {
    let k = units.len() as f64;
    let parts = Parts::of(units);
    let resampled = (k - 1.0) / k * parts.of_means + parts.within;
    if units.len() < 2 || resampled <= 0.0 {
        1.0
    } else {
        (parts.wanted(units.len()) / (Z * Z * resampled)).sqrt()
    }
}

/// Half the width of the 95 % interval of the mean, relative to the mean, without resampling: for deciding whether more
/// trials are needed. Zero for a mean that is not positive.
#[must_use]
pub fn relative_half_width(trials: &[Vec<f64>]) -> f64 {
    let units: Vec<Vec<f64>> = trials.iter().filter(|t| !t.is_empty()).cloned().collect();
    let centre = mean(&units.iter().map(|u| mean(u)).collect::<Vec<_>>());
    if centre <= 0.0 {
        return 0.0;
    }
    (Parts::of(&units).wanted(units.len()) / units.len() as f64).sqrt() / centre
}

/// Parts of the variance of a trial's mean.
struct Parts {
    /// All of it, as the trials show it.
    of_means: f64,
    /// The part that the calls within a trial explain.
    within: f64,
}

impl Parts {
    fn of(units: &[Vec<f64>]) -> Self {
        Self {
            of_means: variance(&units.iter().map(|u| mean(u)).collect::<Vec<_>>()),
            within: mean(&units.iter().map(|u| variance(u) / u.len() as f64).collect::<Vec<_>>()),
        }
    }

    /// `t^2 B + z^2 W` for a number of trials.
    fn wanted(&self, trials: usize) -> f64 {
        let t = trials.checked_sub(2).map_or(0.0, |i| T.get(i).copied().unwrap_or(Z));
        t * t * (self.of_means - self.within).max(0.0) + Z * Z * self.within
    }
}

/// Most resamples of an interval, whatever a plan says.
pub const MAX_RESAMPLES: u32 = 100_000;

/// Means of resampled data, ascending.
fn resampled_means(units: &[Vec<f64>], resamples: u32) -> Vec<f64> {
    let resamples = resamples.min(MAX_RESAMPLES);
    let mut random = SplitMix64(BOOTSTRAP_SEED);
    let mut means = Vec::with_capacity(resamples as usize);
    for _ in 0..resamples {
        let (mut sum, mut count) = (0.0, 0_usize);
        for _ in units {
            let trial = &units[random.below(units.len())];
            sum += resampled_sum(trial, &mut random);
            count += trial.len();
        }
        means.push(sum / count.max(1) as f64);
    }
    means.sort_by(f64::total_cmp);
    means
}

/// Sum of as many values as there are, drawn with replacement.
fn resampled_sum(values: &[f64], random: &mut SplitMix64) -> f64 {
    // At most MAX_UNITS values: two indices come from each 64-bit word, with a bias below 2^-20.
    let n = values.len() as u64;
    let (mut even, mut odd) = (0.0, 0.0);
    for _ in 0..values.len() / 2 {
        let word = random.next();
        even += values[(((word >> 32) * n) >> 32) as usize];
        odd += values[(((word & 0xffff_ffff) * n) >> 32) as usize];
    }
    if values.len() % 2 == 1 {
        even += values[random.below(values.len())];
    }
    even + odd
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, and good enough to draw indices.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An index below `n` (`n` at least 1).
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_known_data() {
        let v = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|p| quantile(&v, p)), [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert!((quantile(&v, 0.95) - 3.85).abs() < 1e-12);
        assert_eq!(quantile(&[7.0], 0.3), 7.0);
        assert_eq!(quantile(&[], 0.3), 0.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn moments_of_known_data() {
        let v = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&v), 5.0);
        assert!((variance(&v) - 32.0 / 7.0).abs() < 1e-12);
        assert_eq!(variance(&[1.0]), 0.0);
    }

    #[test]
    fn splitmix_follows_its_reference() {
        // First outputs for seed 1234567, as published with the generator.
        let mut r = SplitMix64(1_234_567);
        assert_eq!(
            [r.next(), r.next(), r.next()],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn an_interval_is_reproducible_and_holds_the_mean() {
        let trials: Vec<Vec<f64>> = (0..5)
            .map(|t| (0..101).map(|i| 100.0 + f64::from(t) + f64::from(i * 37 % 101)).collect())
            .collect();
        let a = distribution(&trials, 1000, 0.0).unwrap();
        assert_eq!(a, distribution(&trials, 1000, 0.0).unwrap());
        assert!(a.ci95[0] < a.mean && a.mean < a.ci95[1]);
        assert_eq!((a.min, a.max), (100.0, 204.0));
        let wider = distribution(&trials, 1000, 0.2).unwrap();
        assert!((wider.ci95[1] - wider.mean) >= 0.2 * wider.mean);
        assert!(distribution(&[], 1000, 0.0).is_none());
        assert!(distribution(&[vec![], vec![]], 1000, 0.0).is_none());
    }

    #[test]
    fn one_call_gives_a_point() {
        let d = distribution(&[vec![5.0]], 100, 0.0).unwrap();
        assert_eq!((d.mean, d.ci95, d.std_dev, d.q1, d.p95), (5.0, [5.0, 5.0], 0.0, 5.0, 5.0));
    }

    /// Trials with a common mean: about 95 of 100 intervals must hold it.
    fn coverage(between: f64, within: f64) -> usize {
        let mut r = SplitMix64(99);
        let mut normal =
            || (0..12).map(|_| (r.next() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0;
        (0..400)
            .filter(|_| {
                let trials: Vec<Vec<f64>> = (0..5)
                    .map(|_| {
                        let centre = 1000.0 + between * normal();
                        (0..50).map(|_| centre + within * normal()).collect()
                    })
                    .collect();
                let ci = distribution(&trials, 300, 0.0).unwrap().ci95;
                ci[0] <= 1000.0 && 1000.0 <= ci[1]
            })
            .count()
    }

    #[test]
    fn intervals_cover_what_they_should() {
        for (between, within) in [(0.0, 10.0), (10.0, 1.0), (1.0, 7.0)] {
            let covered = coverage(between, within);
            assert!((364..=398).contains(&covered), "{covered} of 400 with ({between}, {within})");
        }
    }

    #[test]
    fn the_half_width_without_resampling_is_that_of_the_interval() {
        let trials: Vec<Vec<f64>> = (0..5)
            .map(|t| (0..200).map(|i| 100.0 + f64::from(t * t) + f64::from(i * 37 % 101)).collect())
            .collect();
        let d = distribution(&trials, 4000, 0.0).unwrap();
        let resampled = (d.ci95[1] - d.ci95[0]) / 2.0 / d.mean;
        assert!((relative_half_width(&trials) / resampled - 1.0).abs() < 0.05);
        assert_eq!(relative_half_width(&[]), 0.0);
        assert_eq!(relative_half_width(&[vec![3.0]]), 0.0);
    }

    #[test]
    fn long_trials_are_resampled_in_blocks() {
        assert_eq!(blocks(&vec![1.0; MAX_UNITS]).len(), MAX_UNITS);
        let b = blocks(&(0..2 * MAX_UNITS).map(|i| i as f64).collect::<Vec<_>>());
        assert_eq!((b.len(), b[0], b[1]), (MAX_UNITS, 0.5, 2.5));
    }
}
