//! A text from outside gives records or one error; what is read is written, and read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ngcc_api::Kind;
use ngcc_kat::{Coverage, Limits, Reader, Record, digest_text};

const LIMITS: Limits = Limits { line: 4096, record: 8192, text: 1 << 20, records: 100 };

fuzz_target!(|text: &[u8]| {
    for kind in [Kind::Signature, Kind::Kem] {
        let results: Vec<_> = Reader::new(kind, text, LIMITS).collect();
        let (last, before) = results.split_last().expect("a record or an error");
        assert!(before.iter().all(Result::is_ok), "nothing follows an error");
        if let Err(error) = last {
            assert!(error.line >= 1);
            assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
        }
        let records: Vec<Record> = results.into_iter().map_while(Result::ok).collect();
        let written: String = records.iter().map(ToString::to_string).collect();
        let again: Vec<Record> =
            Reader::new(kind, written.as_bytes(), Limits::default()).map_while(Result::ok).collect();
        assert_eq!(again, records);
    }
    for coverage in ["strict", "nolen", "strict:2", "nolen:1"] {
        let coverage: Coverage = coverage.parse().expect("a coverage");
        let _ = digest_text(text, coverage, LIMITS);
    }
});
