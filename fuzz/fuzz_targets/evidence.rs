//! Files of a run directory and submission facts from outside: read or refused; what is read is written and read again
//! the same.
//!
//! Input: which type, then the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ngcc_evidence::{Build, Campaign, Published, Record, Submission};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn round_trip<T: DeserializeOwned + Serialize>(text: &[u8]) {
    let Ok(value) = serde_json::from_slice::<T>(text) else { return };
    let once = serde_json::to_vec(&value).expect("writable");
    let again: T = serde_json::from_slice(&once).expect("what was written is readable");
    assert_eq!(serde_json::to_vec(&again).expect("writable"), once);
}

fuzz_target!(|data: &[u8]| {
    let Some((which, text)) = data.split_first() else { return };
    match which % 5 {
        0 => round_trip::<Record>(text),
        1 => round_trip::<Campaign>(text),
        2 => round_trip::<Build>(text),
        3 => round_trip::<Published>(text),
        _ => {
            let Ok(text) = std::str::from_utf8(text) else { return };
            if let Ok(submission) = Submission::from_toml(text) {
                let _ = submission.check();
            }
        }
    }
});
