//! Comparison with texts: what is tolerated, and how the first difference is named.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::ops::ControlFlow;

use ngcc_api::{Backend, Instance, Kind};
use ngcc_kat::{Class, Comparison, Field, Generator, Limits, Reader, Record, Status, Verdict, run};
use proptest::prelude::*;

#[path = "../../api/tests/common/mod.rs"]
mod toy;

use toy::Defect;

fn records(instance: &Instance) -> Vec<Record> {
    Generator::new(instance, Backend::Portable).collect::<Result<_, _>>().unwrap()
}

fn text(records: &[Record]) -> String {
    records.iter().map(ToString::to_string).collect()
}

fn judge(instance: &Instance, count: u32, reference: &str) -> Verdict {
    let comparison = Comparison::with_text(instance.kind(), reference.as_bytes(), Limits::default());
    let generator = Generator::new(instance, Backend::Portable).records(count);
    run(generator, comparison, |_| ControlFlow::Continue(())).unwrap()
}

fn edited(instance: &Instance, edit: impl Fn(&mut Vec<Record>)) -> Verdict {
    let mut reference = records(instance);
    edit(&mut reference);
    judge(instance, 10, &text(&reference))
}

#[test]
fn equal_texts_pass_however_they_are_written() {
    for instance in [toy::signature(Defect::None), toy::kem(Defect::None)] {
        let reference = text(&records(&instance));
        let verdict = judge(&instance, 10, &reference);
        assert_eq!((verdict.status, verdict.agreed), (Status::Pass, Some(10)));
        assert_eq!(verdict.to_string(), "10 records agree");
        for other in [
            reference.replace('\n', "\r\n"),
            reference.to_lowercase(),
            reference.trim_end().to_owned(),
            reference.replace(" = ", "="),
            reference.replace("\n\n", "\n"),
            reference.replace('\n', " \t\n\n"),
        ] {
            assert_eq!(judge(&instance, 10, &other).status, Status::Pass);
        }
        let blank = reference.replace("PK_Len = 32", "PK_Len = ");
        assert_eq!(
            judge(&instance, 10, &blank).to_string(),
            "10 records agree; 10 lengths blank in the reference"
        );
        let shortened = judge(&instance, 4, &reference);
        assert_eq!(shortened.status, Status::Pass);
        assert_eq!(shortened.to_string(), "4 records agree; the reference continues");
    }
}

#[test]
fn the_first_difference_is_named() {
    let instance = toy::signature(Defect::None);
    let value = edited(&instance, |r| {
        let mut sk = r[2].value(Field::SecretKey).unwrap().to_vec();
        sk[17] ^= 1;
        sk[40] ^= 1;
        r[2].set(Field::SecretKey, sk);
        r[2].set(Field::Signature, vec![]);
    });
    assert_eq!((value.status, value.agreed), (Status::Mismatch, Some(2)));
    let difference = value.difference.unwrap();
    assert_eq!(
        (difference.record, difference.field, difference.offset, difference.class),
        (2, Some(Field::SecretKey), Some(17), Class::Value)
    );
    assert_eq!(value.to_string(), "record 2: SK differs at byte 17 (value); 2 records agree before it");

    let length = edited(&instance, |r| {
        let mut sig = r[1].value(Field::Signature).unwrap().to_vec();
        sig.extend_from_slice(&[0; 64]);
        r[1].set(Field::Signature, sig);
    });
    assert_eq!(
        length.to_string(),
        "record 1: Sn has 48 bytes and the reference 112, equal before byte 48 (length); 1 record agrees before it"
    );
    let empty = edited(&instance, |r| r[0].set(Field::PublicKey, vec![]));
    assert_eq!(empty.difference.unwrap().class, Class::Length);

    let seed = edited(&instance, |r| r[0].set(Field::Seed, vec![7; 64]));
    assert_eq!(seed.difference.unwrap().class, Class::Seed);

    let missing = edited(&instance, |r| r.truncate(6));
    assert_eq!(missing.to_string(), "record 6 is not in the reference (records); 6 records agree before it");
}

#[test]
fn templates_are_no_known_answers() {
    let instance = toy::kem(Defect::None);
    let blank = |fields: &'static [Field], from: usize| {
        edited(&instance, move |r| {
            for item in r.iter_mut().skip(from).flat_map(|r| &mut r.items) {
                if fields.contains(&item.field) {
                    (item.declared, item.value) = (None, None);
                }
            }
        })
    };
    let all = blank(&[Field::PublicKey, Field::SecretKey, Field::Ciphertext, Field::SharedSecret], 0);
    assert_eq!(all.status, Status::NoKat);
    assert_eq!(all.difference.unwrap().class, Class::Template);
    let one = blank(&[Field::Ciphertext], 0);
    assert_eq!(one.status, Status::Mismatch);
    assert_eq!(
        one.to_string(),
        "record 0: CT is blank in the reference (template); 0 records agree before it"
    );
    let later = blank(&[Field::PublicKey, Field::SecretKey, Field::Ciphertext, Field::SharedSecret], 3);
    assert_eq!((later.status, later.agreed), (Status::Mismatch, Some(3)));
}

#[test]
fn an_unusable_reference_is_an_error() {
    let instance = toy::kem(Defect::None);
    let reference = text(&records(&instance));
    let of = |reference: &str| {
        let comparison = Comparison::with_text(Kind::Kem, reference.as_bytes(), Limits::default());
        run(Generator::new(&instance, Backend::Portable), comparison, |_| ControlFlow::Continue(()))
            .unwrap_err()
            .to_string()
    };
    assert!(of("").starts_with("KAT text line 1: the text holds no record"));
    assert!(of(&reference[..reference.len() - 10]).starts_with("KAT text line 119: SS "));
    assert!(of(&format!("{reference}junk")).starts_with("KAT text line 121: 'junk' is not"));
}

fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..most)
}

prop_compose! {
    fn any_record(kind: Kind)(
        values in proptest::array::uniform5(bytes(80)),
        blank in 0u8..32,
    ) -> Record {
        let mut record = Record { count: 0, items: Vec::new() };
        for (i, (field, value)) in Field::of(kind).into_iter().zip(values).enumerate() {
            record.set(field, value);
            if blank == i as u8 {
                (record.items[i].declared, record.items[i].value) = (None, None);
            }
        }
        record
    }
}

fn any_records(kind: Kind) -> impl Strategy<Value = Vec<Record>> {
    proptest::collection::vec(any_record(kind), 1..6).prop_map(|mut records| {
        (0..).zip(&mut records).for_each(|(i, r)| r.count = i);
        records
    })
}

fn any_text() -> impl Strategy<Value = (Kind, Vec<Record>)> {
    prop_oneof![Just(Kind::Signature), Just(Kind::Kem)].prop_flat_map(|kind| (Just(kind), any_records(kind)))
}

proptest! {
    #[test]
    fn what_is_written_is_read((kind, records) in any_text()) {
        let read: Vec<Record> = Reader::new(kind, text(&records).as_bytes(), Limits::default())
            .collect::<Result<_, _>>()
            .unwrap();
        prop_assert_eq!(read, records);
    }

    #[test]
    fn any_flipped_byte_is_found_where_it_is(record in 0usize..10, field in 0usize..5, at in any::<prop::sample::Index>(), flip in 1u8..) {
        let instance = toy::signature(Defect::None);
        let name = Field::of(Kind::Signature)[field];
        let mut reference = records(&instance);
        let mut value = reference[record].value(name).unwrap().to_vec();
        let place = at.index(value.len());
        value[place] ^= flip;
        reference[record].set(name, value);
        let verdict = judge(&instance, 10, &text(&reference));
        let difference = verdict.difference.unwrap();
        prop_assert_eq!(verdict.status, Status::Mismatch);
        prop_assert_eq!(verdict.agreed, Some(record as u32));
        prop_assert_eq!((difference.record as usize, difference.field, difference.offset), (record, Some(name), Some(place)));
    }
}
