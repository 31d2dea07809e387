//! The submitted known answers of BiT (sign-02), on every back-end of this machine.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::ops::ControlFlow;

use ngcc_api::Backend;
use ngcc_kat::{Comparison, Generator, Manifest, Status, file_name, run};

/// The manifest that the facts of the submission give.
fn manifest() -> Manifest {
    let facts: toml::Table = include_str!("../../../submissions/sign-02.toml").parse().unwrap();
    let lines: String = facts["instances"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| (i["name"].as_str().unwrap(), i["kat_sha256"].as_str().unwrap()))
        .map(|(name, sha256)| format!("{sha256} strict {name}/KAT_SIG_{name}.txt\n"))
        .collect();
    Manifest::parse(&lines).unwrap()
}

#[test]
fn the_texts_have_the_submitted_digests() {
    let manifest = manifest();
    for instance in &ngcc_bit::INSTANCES {
        let entry = manifest.lookup(instance.name, &file_name(instance.kind(), instance.name)).unwrap();
        for backend in Backend::available() {
            let generator = Generator::new(instance, backend);
            let verdict =
                run(generator, Comparison::with_digest(entry.spec), |_| ControlFlow::Continue(())).unwrap();
            assert_eq!(verdict.status, Status::Pass, "{instance:?} {backend}: {verdict}");
            assert_eq!(verdict.sha256, entry.spec.sha256);
            assert_eq!(verdict.agreed, Some(10));
        }
    }
}

#[test]
fn a_generated_text_is_a_reference_for_every_back_end() {
    for instance in &ngcc_bit::INSTANCES {
        let text: String =
            Generator::new(instance, Backend::Portable).records(2).map(|r| r.unwrap().to_string()).collect();
        for backend in Backend::available() {
            let limits = ngcc_kat::Limits::default();
            let comparison = Comparison::with_text(instance.kind(), text.as_bytes(), limits);
            let verdict =
                run(Generator::new(instance, backend).records(2), comparison, |_| ControlFlow::Continue(()))
                    .unwrap();
            assert_eq!(verdict.to_string(), "2 records agree", "{instance:?} {backend}");
        }
    }
}
