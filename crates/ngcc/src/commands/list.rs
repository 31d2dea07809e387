//! `ngcc list`: the built-in instances.

use anyhow::Result;
use ngcc_api::{Instance, Scheme};
use ngcc_evidence::Submission;
use serde::Serialize;

use crate::args::List;
use crate::builtin::{REGISTRY, submissions};
use crate::output::{Outcome, print_json, print_line, table};
use crate::select::select;

/// One instance, as `--json` prints it.
#[derive(Serialize)]
struct Row {
    submission: &'static str,
    algorithm: String,
    instance: &'static str,
    kind: &'static str,
    variants: Vec<&'static str>,
    sizes: Sizes,
    target_bits: Option<u32>,
    kat_sha256: Option<String>,
}

/// Sizes in bytes.
#[derive(Serialize)]
struct Sizes {
    public_key: usize,
    secret_key: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertext: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_secret: Option<usize>,
}

/// Prints the selected instances.
pub(crate) fn list(args: &List) -> Result<Outcome> {
    let submissions = submissions()?;
    let rows: Vec<Row> =
        select(&REGISTRY, &args.selection.patterns)?.into_iter().map(|i| row(i, &submissions)).collect();
    if args.json {
        print_json(&rows)?;
        return Ok(Outcome::Success);
    }
    let mut table =
        table(&["submission", "algorithm", "instance", "kind", "pk", "sk", "sig / ct", "variants"]);
    for row in &rows {
        table.add_row([
            row.submission.to_owned(),
            row.algorithm.clone(),
            row.instance.to_owned(),
            row.kind.to_owned(),
            row.sizes.public_key.to_string(),
            row.sizes.secret_key.to_string(),
            row.sizes.signature.or(row.sizes.ciphertext).map_or_else(String::new, |n| n.to_string()),
            row.variants.join(" "),
        ]);
    }
    print_line(&table)?;
    Ok(Outcome::Success)
}

fn row(instance: &Instance, submissions: &[Submission]) -> Row {
    let submission = submissions.iter().find(|s| s.id == instance.submission);
    let facts = submission.and_then(|s| s.instances.iter().find(|i| i.name == instance.name));
    Row {
        submission: instance.submission,
        algorithm: submission.map_or_else(String::new, |s| s.algorithm.clone()),
        instance: instance.name,
        kind: instance.kind().name(),
        variants: instance.variants().map(ngcc_api::Backend::name).collect(),
        sizes: sizes(instance),
        target_bits: facts.and_then(|f| f.target_bits),
        kat_sha256: facts.and_then(|f| f.kat_sha256.clone()),
    }
}

fn sizes(instance: &Instance) -> Sizes {
    match instance.scheme {
        Scheme::Signature(scheme) => {
            let s = scheme.sizes();
            Sizes {
                public_key: s.pk,
                secret_key: s.sk,
                signature: Some(s.sig),
                ciphertext: None,
                shared_secret: None,
            }
        }
        Scheme::Kem(scheme) => {
            let s = scheme.sizes();
            Sizes {
                public_key: s.pk,
                secret_key: s.sk,
                signature: None,
                ciphertext: Some(s.ct),
                shared_secret: Some(s.ss),
            }
        }
    }
}
