//! Which instances a command means: patterns over `id` and `id/instance`.

use globset::GlobBuilder;
use ngcc_api::{Instance, Registry};

/// Patterns that select nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SelectError {
    /// A pattern matched no instance.
    #[error("no instance matches '{pattern}'{}; `ngcc list` shows all of them", hint(near))]
    Unknown {
        /// The pattern as given.
        pattern: String,
        /// Names that are close to it.
        near: Vec<String>,
    },
    /// A pattern is no valid glob.
    #[error(
        "'{pattern}' is not a valid pattern: {reason}; write part of a name, or a glob such as 'sign-*/BiT-?56'"
    )]
    Malformed {
        /// The pattern as given.
        pattern: String,
        /// What the glob reader found.
        reason: String,
    },
}

fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(" (near names: {})", near.join(", ")) }
}

/// The instances that at least one pattern matches, in registry order; all of them without patterns.
///
/// A pattern is compared without regard to case with `id` and `id/instance`: as a glob if it has one of `*?[{`,
/// otherwise as a substring.
///
/// # Errors
/// [`SelectError`] for the first pattern that is malformed or matches nothing.
pub(crate) fn select(
    registry: &Registry,
    patterns: &[String],
) -> Result<Vec<&'static Instance>, SelectError> {
    if patterns.is_empty() {
        return Ok(registry.iter().collect());
    }
    let mut wanted = vec![false; registry.iter().count()];
    for pattern in patterns {
        if pattern.is_empty() {
            let reason = "it is empty".to_owned();
            return Err(SelectError::Malformed { pattern: String::new(), reason });
        }
        let matches = matcher(pattern)?;
        let mut any = false;
        for (flag, instance) in wanted.iter_mut().zip(registry.iter()) {
            if matches(instance.submission) || matches(&full_name(instance)) {
                *flag = true;
                any = true;
            }
        }
        if !any {
            return Err(SelectError::Unknown { pattern: pattern.clone(), near: near(registry, pattern) });
        }
    }
    Ok(registry.iter().zip(wanted).filter_map(|(i, w)| w.then_some(i)).collect())
}

/// `id/instance`.
pub(crate) fn full_name(instance: &Instance) -> String {
    format!("{}/{}", instance.submission, instance.name)
}

/// Whether a name is meant.
type Matcher = Box<dyn Fn(&str) -> bool>;

fn matcher(pattern: &str) -> Result<Matcher, SelectError> {
    if pattern.contains(['*', '?', '[', '{']) {
        let malformed = |e: globset::Error| SelectError::Malformed {
            pattern: pattern.to_owned(),
            reason: e.kind().to_string(),
        };
        let glob = GlobBuilder::new(pattern)
            .case_insensitive(true)
            .literal_separator(true)
            .build()
            .map_err(malformed)?
            .compile_matcher();
        Ok(Box::new(move |name| glob.is_match(name)))
    } else {
        let part = pattern.to_lowercase();
        Ok(Box::new(move |name| name.to_lowercase().contains(&part)))
    }
}

/// Up to three names that are close to a pattern, the nearest first.
fn near(registry: &Registry, pattern: &str) -> Vec<String> {
    /// Jaro-Winkler similarity below which a name is no help.
    const LEAST: f64 = 0.6;
    let pattern = pattern.to_lowercase();
    let mut scored: Vec<(f64, String)> = registry
        .iter()
        .map(|i| {
            let full = full_name(i);
            let score = [i.submission, i.name, full.as_str()]
                .iter()
                .map(|n| strsim::jaro_winkler(&pattern, &n.to_lowercase()))
                .fold(0.0, f64::max);
            (score, full)
        })
        .filter(|(score, _)| *score >= LEAST)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::REGISTRY;

    fn names(patterns: &[&str]) -> Result<Vec<&'static str>, SelectError> {
        let patterns: Vec<String> = patterns.iter().map(|p| (*p).to_owned()).collect();
        Ok(select(&REGISTRY, &patterns)?.into_iter().map(|i| i.name).collect())
    }

    #[test]
    fn patterns_select_by_id_substring_and_glob() {
        assert_eq!(names(&["SIGN-02"]).unwrap(), ["BiT-128", "BiT-256", "BiT-512"]);
        assert_eq!(names(&["bit-256"]).unwrap(), ["BiT-256"]);
        assert_eq!(names(&["sign-02/*-?12"]).unwrap(), ["BiT-512"]);
        assert_eq!(names(&["bit-512", "bit-128"]).unwrap(), ["BiT-128", "BiT-512"]);
        assert_eq!(names(&[]).unwrap().len(), REGISTRY.iter().count());
    }

    #[test]
    fn an_unknown_pattern_lists_near_names() {
        let message = names(&["bit-255"]).unwrap_err().to_string();
        assert!(message.contains("sign-02/BiT-256"), "{message}");
        assert!(matches!(names(&["zzzz"]), Err(SelectError::Unknown { near, .. }) if near.is_empty()));
        assert!(matches!(names(&["sign-[02"]), Err(SelectError::Malformed { .. })));
    }
}
