//! A manifest is read or refused; what is read is written, and read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ngcc_kat::Manifest;

fuzz_target!(|text: &str| {
    let Ok(manifest) = Manifest::parse(text) else { return };
    let written: String = manifest.entries().iter().map(|e| format!("{e}\n")).collect();
    assert_eq!(Manifest::parse(&written).as_ref(), Ok(&manifest));
    for entry in manifest.entries() {
        let label = entry.label.as_deref().unwrap_or_default();
        assert_eq!(manifest.lookup(label, &entry.file), Some(entry));
    }
});
