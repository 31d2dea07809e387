//! Texts of toy schemes, and the checks that generation makes.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::ops::ControlFlow;

use ngcc_api::{Backend, Instance};
use ngcc_kat::{
    Comparison, Coverage, DigestSpec, Failure, Field, Generator, RECORDS, Record, Status, digest_text, run,
};

#[path = "../../api/tests/common/mod.rs"]
mod toy;

use toy::Defect;

fn text(instance: &Instance, records: u32) -> String {
    Generator::new(instance, Backend::Portable).records(records).map(|r| r.unwrap().to_string()).collect()
}

#[test]
fn the_seeds_and_messages_are_those_of_the_specification() {
    let records: Vec<Record> = Generator::new(&toy::signature(Defect::None), Backend::Portable)
        .records(2)
        .collect::<Result<_, _>>()
        .unwrap();
    let value = |i: usize, field| hex::encode(records[i].value(field).unwrap());
    assert_eq!(
        value(0, Field::Seed),
        "927f06b594798a4ddfaa4f03f92aaaf04e1d453f6ed1de19b86d3aade048a65483df4754049b5cd3f586406cf2c64875c51edb576df342b5a970f40eabc15d3c"
    );
    assert_eq!(
        value(1, Field::Seed),
        "58561187cbbf6cdc0ecfb2d25965f936be05aa961542d0e23e4adfa8b6d0e3fdc043ed72ac1c28f03cf831fbb6a8bc6db9ee0475520ee8578b1970e407ee0352"
    );
    assert_eq!(
        value(0, Field::Message),
        "ee402d1730d0117b9f51be0672592fcec438a2945a81f5d894b869dc863ccbf57e5c8e7766d74e27e965235cd91e5e30e5583167053e1014"
    );
    assert_eq!(
        value(1, Field::Message),
        "6df5638f60c9eaf3bce1fd75d0a5393f6f39081f9144eb9ffe7c1cff856f0d837aa3875266c7da4edaae698d03bcb00ed8135c427849a0fe07257a9e32e087e6"
    );
}

#[test]
fn the_text_of_a_signature() {
    insta::assert_snapshot!(text(&toy::signature(Defect::None), 2));
}

#[test]
fn the_text_of_a_kem() {
    insta::assert_snapshot!(text(&toy::kem(Defect::None), 2));
}

#[test]
fn the_first_records_do_not_depend_on_the_count() {
    for instance in [toy::signature(Defect::None), toy::kem(Defect::None)] {
        let ten = text(&instance, RECORDS);
        assert!(ten.starts_with(&text(&instance, 3)));
        assert_eq!(ten.matches("Count = ").count(), 10);
        assert_eq!(text(&instance, 0), "");
    }
}

#[test]
fn failures_are_found_and_end_the_run() {
    let first = |instance: &Instance| {
        let mut generator = Generator::new(instance, Backend::Portable);
        let error = generator.next().unwrap().unwrap_err();
        assert_eq!(error.record, 0);
        assert!(generator.next().is_none());
        error
    };
    let accepts = first(&toy::signature(Defect::Accepts));
    assert_eq!((accepts.failure, accepts.status()), (Failure::ModifiedAccepted, Status::CryptoFail));
    let rejects = first(&toy::signature(Defect::Rejects));
    assert_eq!(rejects.to_string(), "record 0: verify failed on honest input: the signature was rejected");
    assert_eq!(rejects.status(), Status::CryptoFail);
    let overflows = first(&toy::signature(Defect::Overflows));
    assert_eq!(overflows.to_string(), "record 0: sign reported 52 bytes in a buffer of 51");
    assert_eq!(overflows.status(), Status::Overflow);
    let fails = first(&toy::signature(Defect::Fails));
    assert_eq!(fails.to_string(), "record 0: keygen failed on honest input: the random source failed");
    let differs = first(&toy::kem(Defect::Rejects));
    assert_eq!((differs.failure, differs.status()), (Failure::SecretsDiffer, Status::CryptoFail));
}

#[test]
fn an_emulation_rewrites_each_record_after_its_checks() {
    fn tail(record: &mut Record) {
        let mut bytes = record.value(Field::Signature).unwrap().to_vec();
        bytes.extend_from_slice(&record.value(Field::Message).unwrap()[..4]);
        record.set(Field::Signature, bytes);
    }
    let instance = toy::signature(Defect::None);
    let plain = Generator::new(&instance, Backend::Portable);
    let emulated = Generator::new(&instance, Backend::Portable).emulating(tail);
    for (plain, emulated) in plain.zip(emulated) {
        let (plain, emulated) = (plain.unwrap(), emulated.unwrap());
        let (a, b) = (plain.value(Field::Signature).unwrap(), emulated.value(Field::Signature).unwrap());
        assert_eq!((&b[..a.len()], b.len()), (a, a.len() + 4));
        assert!(emulated.to_string().contains(&format!("Sn_Len = {}\n", b.len())));
    }
}

#[test]
fn a_run_is_judged_by_digest() {
    let instance = toy::signature(Defect::None);
    let whole = text(&instance, RECORDS);
    let judge = |word: &str, of: &str, count: u32| {
        let coverage: Coverage = word.parse().unwrap();
        let sha256 = digest_text(of.as_bytes(), coverage, ngcc_kat::Limits::default()).unwrap().sha256;
        let generator = Generator::new(&instance, Backend::Portable).records(count);
        let comparison = Comparison::with_digest(DigestSpec { sha256, coverage });
        run(generator, comparison, |_| ControlFlow::Continue(())).unwrap()
    };
    for word in ["strict", "nolen", "strict:3", "nolen:10"] {
        let verdict = judge(word, &whole, RECORDS);
        assert_eq!(verdict.status, Status::Pass, "{word}: {verdict}");
        assert!(verdict.to_string().ends_with(word), "{verdict}");
    }
    assert_eq!(judge("strict:3", &whole, RECORDS).agreed, Some(3));
    let shorter = judge("strict:3", &whole, 2);
    assert_eq!(shorter.status, Status::Mismatch);
    assert_eq!(shorter.to_string(), "the digest covers 3 records and 2 were generated");
    assert_eq!(judge("strict", &whole, 9).status, Status::Mismatch);
    let other = judge("strict", &whole.replacen("Sn = ", "Sn = 0", 1), RECORDS);
    assert_eq!((other.status, other.agreed), (Status::Mismatch, None));
    let crlf_and_blank_lengths = whole.replace('\n', "\r\n").replace("Sn_Len = 51", "Sn_Len = ");
    assert_eq!(judge("nolen", &crlf_and_blank_lengths, RECORDS).status, Status::Pass);
    assert_eq!(judge("strict", &crlf_and_blank_lengths, RECORDS).status, Status::Mismatch);
}

#[test]
fn a_run_without_reference_has_no_known_answer() {
    let instance = toy::kem(Defect::None);
    let generator = || Generator::new(&instance, Backend::Portable);
    let verdict = run(generator(), Comparison::without_reference(), |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((verdict.status, verdict.records), (Status::NoKat, 10));
    let whole = text(&instance, RECORDS);
    let digest = digest_text(whole.as_bytes(), Coverage::STRICT, ngcc_kat::Limits::default()).unwrap();
    assert_eq!(verdict.sha256, digest.sha256);
    assert_eq!(digest.records, 10);
}

#[test]
fn a_run_ends_when_asked_and_when_it_fails() {
    let instance = toy::signature(Defect::None);
    let mut seen = 0;
    let verdict =
        run(Generator::new(&instance, Backend::Portable), Comparison::without_reference(), |record| {
            seen += 1;
            if record.count == 3 { ControlFlow::Break(Status::Timeout) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!((seen, verdict.status, verdict.records), (4, Status::Timeout, 4));
    assert_eq!(verdict.to_string(), "stopped after 4 records");

    let broken = toy::signature(Defect::Accepts);
    let verdict =
        run(Generator::new(&broken, Backend::Portable), Comparison::without_reference(), |_| unreachable!())
            .unwrap();
    assert_eq!(verdict.status, Status::CryptoFail);
    assert_eq!(verdict.to_string(), "record 0: verify accepted a modified message");
}
