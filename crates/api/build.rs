//! Names the compiler and its settings for the metadata block of the shared libraries.

use std::env;
use std::process::Command;

fn main() {
    let value = |name| env::var(name).unwrap_or_default();
    let version = Command::new(value("RUSTC"))
        .arg("--version")
        .output()
        .ok()
        .and_then(|o| String::from_utf8(o.stdout).ok())
        .unwrap_or_else(|| "rustc".to_owned());
    println!("cargo:rustc-env=NGCC_COMPILER={}", version.trim());
    println!(
        "cargo:rustc-env=NGCC_BUILD_FLAGS=target={} opt-level={} debug={}",
        value("TARGET"),
        value("OPT_LEVEL"),
        value("DEBUG")
    );
    println!("cargo:rerun-if-changed=build.rs");
}
