//! Records which compiler and which flags build the laboratory, so that evidence can say what was measured.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|o| String::from_utf8(o.stdout).ok())
        .map_or_else(|| "unknown".to_owned(), |v| v.trim().to_owned());
    let fact = |name: &str| env::var(name).unwrap_or_default();
    let flags = fact("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    println!("cargo::rustc-env=NGCC_COMPILER={version}");
    println!(
        "cargo::rustc-env=NGCC_FLAGS=target {}, profile {}, opt-level {}, RUSTFLAGS \"{}\"",
        fact("TARGET"),
        fact("PROFILE"),
        fact("OPT_LEVEL"),
        flags.trim()
    );
    println!("cargo::rerun-if-changed=build.rs");
}
