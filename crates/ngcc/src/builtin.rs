//! The schemes this program knows: one line each.

use anyhow::{Context as _, Result};
use ngcc_api::Registry;
use ngcc_evidence::{Published, Submission};

/// A scheme is its crate, with the instances, and the facts of `submissions/<id>.toml`.
macro_rules! builtin {
    ($($id:literal => $scheme:ident,)*) => {
        /// Every built-in instance.
        pub(crate) static REGISTRY: Registry = Registry(&[$(&$scheme::INSTANCES),*]);

        const SUBMISSIONS: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../../submissions/", $id, ".toml")))),*];
    };
}

builtin! {
    "sign-02" => ngcc_bit,
}

/// The facts about each built-in submission, in the order of the list above.
///
/// # Errors
/// A submission file that does not parse; the tests read all of them.
pub(crate) fn submissions() -> Result<Vec<Submission>> {
    SUBMISSIONS
        .iter()
        .map(|(id, text)| Submission::from_toml(text).with_context(|| format!("submissions/{id}.toml")))
        .collect()
}

/// The published results that stand beside ours.
///
/// # Errors
/// Data that do not parse; the tests read them.
pub(crate) fn published() -> Result<Published> {
    serde_json::from_str(include_str!("../../../published/results.json")).context("published/results.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_instance_has_its_facts_and_each_fact_its_instance() {
        let submissions = submissions().unwrap();
        let mut told: Vec<(String, String)> = Vec::new();
        for s in &submissions {
            told.extend(s.instances.iter().map(|i| (s.id.clone(), i.name.clone())));
        }
        let known: Vec<(String, String)> =
            REGISTRY.iter().map(|i| (i.submission.to_owned(), i.name.to_owned())).collect();
        assert_eq!(told, known);
    }

    #[test]
    fn declared_sizes_are_those_of_the_code() {
        for s in submissions().unwrap() {
            for facts in &s.instances {
                let instance = REGISTRY.find(&s.id, &facts.name).unwrap();
                assert_eq!(instance.kind().name(), s.kind);
                match instance.scheme {
                    ngcc_api::Scheme::Signature(scheme) => {
                        let sizes = scheme.sizes();
                        assert_eq!(facts.public_key, sizes.pk as u64);
                        assert_eq!(facts.secret_key, sizes.sk as u64);
                        assert_eq!(facts.signature, Some(sizes.sig as u64));
                    }
                    ngcc_api::Scheme::Kem(scheme) => {
                        let sizes = scheme.sizes();
                        assert_eq!(facts.public_key, sizes.pk as u64);
                        assert_eq!(facts.secret_key, sizes.sk as u64);
                        assert_eq!(facts.ciphertext, Some(sizes.ct as u64));
                        assert_eq!(facts.shared_secret, Some(sizes.ss as u64));
                    }
                }
            }
        }
    }

    #[test]
    fn published_results_cover_every_instance() {
        let published = published().unwrap();
        for instance in REGISTRY.iter() {
            for operation in instance.kind().operations() {
                let row = published
                    .performance(instance.submission, "x86_1", instance.name, operation.name())
                    .unwrap();
                assert!(row.mean_cycles > 0.0, "{instance:?} {operation}");
            }
        }
    }
}
