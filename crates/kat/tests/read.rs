//! Malformed texts: each is one error that names its line.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::io::{self, BufReader, Read};

use ngcc_api::Kind;
use ngcc_kat::{Field, Limits, Problem, ReadError, Reader, Record};
use proptest::prelude::*;

const GOOD: &str = "Count = 0\nSeed_Len = 1\nSeed = 0A\nPK_Len = 2\nPK = 0B0C\nSK_Len = 1\nSK = 0D\n\
                    M_Len = 0\nM = \nSn_Len = 1\nSn = FF\n\nCount = 1\nSeed = 01\nPK = 02\nSK = 03\nM = 04\nSn = 05\n";

fn read(text: &[u8]) -> Result<Vec<Record>, ReadError> {
    Reader::new(Kind::Signature, text, Limits::default()).collect()
}

/// The message of the only error of `GOOD` with one replacement.
fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    read(GOOD.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_good_text_is_read() {
    let records = read(GOOD.as_bytes()).unwrap();
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].value(Field::PublicKey), Some(&[0x0b, 0x0c][..]));
    assert_eq!(records[0].value(Field::Message), Some(&[][..]), "no bytes, as the length says");
    assert_eq!(records[1].item(Field::Signature).unwrap().declared, None);
    assert_eq!(records[1].count, 1);
}

#[test]
fn each_defect_is_named_with_its_line() {
    let cases = [
        (("Seed = 0A", "Seed: 0A"), "line 3: 'Seed: 0A' is not 'Key = value'"),
        (("PK = 0B0C", "PK = 0B0"), "line 5: PK has an odd number"),
        (("PK = 0B0C", "PK = 0B0x"), "line 5: PK has a character that is no hexadecimal digit at digit 3"),
        (("PK = 0B0C", "PK = 0B 0C"), "line 5: PK has a character that is no hexadecimal digit at digit 2"),
        (("PK = 0B0C", "PK = 0B"), "line 5: PK has 1 bytes but PK_Len says 2"),
        (("PK_Len = 2", "PK_Len = 3"), "line 5: PK has 2 bytes but PK_Len says 3"),
        (("PK_Len = 2", "PK_Len = -2"), "line 4: '-2' is no length"),
        (("PK_Len = 2", "PK_Len = 0x2"), "line 4: '0x2' is no length"),
        (("PK_Len = 2", "PK_Len = 99999999999999999999"), "line 4: '99999999999999999999' is no length"),
        (("SK_Len = 1", "PK_Len = 2"), "line 6: 'PK_Len' stands twice in this record"),
        (("SK = 0D", "PK = 0B0C"), "line 7: 'PK' stands twice in this record"),
        (("SK = 0D", "CT = 0D"), "line 7: 'CT' is no key of a signature text"),
        (("SK = 0D", "_Len = 0D"), "line 7: '_Len' is no key of a signature text"),
        (("SK = 0D", " = 0D"), "line 7: '= 0D' is not 'Key = value'"),
        (("Sn = FF\n", ""), "line 12: record 0 ends without 'Sn'"),
        (("Sn = 05\n", ""), "line 18: record 1 ends without 'Sn'"),
        (("Count = 0\n", ""), "line 1: 'Seed_Len' stands before the first Count line"),
        (("Count = 0", "Count = 1"), "line 1: the record should be number 0, but is '1'"),
        (("Count = 1", "Count = 2"), "line 13: the record should be number 1, but is '2'"),
        (("Count = 1", "Count = "), "line 13: the record should be number 1, but is ''"),
        (("Count = 1\n", ""), "line 13: 'Seed' stands twice in this record"),
    ];
    for ((from, to), message) in cases {
        let found = error(from, to);
        assert!(found.starts_with(&format!("KAT text {message}")), "{from:?} -> {to:?}: {found}");
        assert!(found.contains("; "), "a remedy is part of the message: {found}");
    }
}

#[test]
fn records_before_the_defect_are_delivered() {
    let mut reader = Reader::new(Kind::Signature, &GOOD.as_bytes()[..GOOD.len() - 9], Limits::default());
    assert_eq!(reader.next().unwrap().unwrap().count, 0);
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
    let jump = GOOD.replace("Count = 1", "Count = 7");
    let mut reader = Reader::new(Kind::Signature, jump.as_bytes(), Limits::default());
    assert_eq!(reader.next().unwrap().unwrap().count, 0);
    assert!(matches!(
        reader.next().unwrap().unwrap_err().problem,
        Problem::Count { expected: 1, ref found } if found == "7"
    ));
}

#[test]
fn a_text_of_the_other_kind_is_named() {
    let error = Reader::new(Kind::Kem, GOOD.as_bytes(), Limits::default()).next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "KAT text line 8: 'M_Len' is no key of a kem text; its keys are Count and Seed, PK, SK, CT, SS with their _Len"
    );
}

#[test]
fn binary_junk_is_shown_harmlessly() {
    let junk = b"\x7fELF\x00\x1b[31m\xff\xfe and so on without end";
    assert_eq!(
        read(junk).unwrap_err().to_string(),
        "KAT text line 1: '\\x7fELF\\x00\\x1b[31m\\xff\\xfe and so on w...' is not 'Key = value'; check that this is \
         a KAT text and not truncated or binary"
    );
    assert!(matches!(read(&[0; 1000]).unwrap_err().problem, Problem::NotKeyValue(_)));
    assert!(matches!(read(b"\xef\xbb\xbfCount = 0\n").unwrap_err().problem, Problem::BeforeCount(_)));
    assert!(matches!(read(b"\r\n \t\n").unwrap_err().problem, Problem::Empty));
}

#[test]
fn every_truncation_is_an_error_or_gives_whole_values() {
    let whole = read(GOOD.as_bytes()).unwrap();
    for end in 0..GOOD.len() {
        match read(&GOOD.as_bytes()[..end]) {
            Ok(records) => {
                // A value that is cut off whole reads as a template's.
                let (last, before) = records.split_last().unwrap();
                assert_eq!(before, &whole[..before.len()], "{end}");
                assert!(*last == whole[before.len()] || last.value(Field::Signature).is_none(), "{end}");
            }
            Err(error) => assert!(error.line >= 1, "{end}"),
        }
    }
}

/// A source that has no end, to see that reading stops.
struct Endless(u8);

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        out.fill(self.0);
        Ok(out.len())
    }
}

#[test]
fn sizes_are_limited() {
    let limits = Limits { line: 100, record: 500, text: 4000, records: 1000 };
    let problem = |source: Box<dyn Read>, limits| {
        let mut reader = Reader::new(Kind::Signature, BufReader::with_capacity(64, source), limits);
        loop {
            match reader.next().expect("a source without end ends in an error") {
                Ok(_) => {}
                Err(error) => return error.problem,
            }
        }
    };
    let endless = |byte| Box::new(Endless(byte)) as Box<dyn Read>;
    assert!(matches!(problem(endless(b'A'), limits), Problem::LineTooLong(100)));
    assert!(matches!(problem(endless(b'\n'), limits), Problem::TextTooLong(4000)));
    let blanks = Limits { record: 10, ..limits };
    let text = GOOD.as_bytes();
    assert!(matches!(problem(Box::new(text), blanks), Problem::RecordTooLong(10)));
    let one = Limits { records: 1, ..limits };
    assert!(matches!(problem(Box::new(text), one), Problem::TooManyRecords(1)));
    let exact = Limits { line: 14, ..limits };
    assert!(
        Reader::new(Kind::Signature, text, exact).all(|r| r.is_ok()),
        "a line may have its newline at the limit"
    );
}

#[test]
fn an_unreadable_source_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk on fire"))
        }
    }
    let error =
        Reader::new(Kind::Kem, BufReader::new(Broken), Limits::default()).next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "KAT text line 1: cannot be read: disk on fire");
}

proptest! {
    #[test]
    fn any_bytes_give_records_or_one_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let results: Vec<_> = Reader::new(Kind::Kem, &bytes[..], Limits::default()).collect();
        prop_assert!(results.iter().rev().skip(1).all(Result::is_ok));
        prop_assert!(!results.is_empty());
    }

    #[test]
    fn any_edit_gives_records_or_one_error(at in 0..GOOD.len(), with in "[=\n \r0-9A-Za-z_]{0,6}", cut in 0usize..8) {
        let mut text = GOOD.as_bytes().to_vec();
        let end = (at + cut).min(text.len());
        text.splice(at..end, with.bytes());
        let results: Vec<_> = Reader::new(Kind::Signature, &text[..], Limits::default()).collect();
        prop_assert!(results.iter().rev().skip(1).all(Result::is_ok));
        if let Some(Ok(_)) = results.last() {
            let again: String = results.iter().map(|r| r.as_ref().unwrap().to_string()).collect();
            let twice: Vec<Record> = read(again.as_bytes()).unwrap();
            prop_assert_eq!(twice.len(), results.len());
        }
    }
}
