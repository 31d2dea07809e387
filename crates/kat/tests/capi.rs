//! The shared libraries as a C program sees them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use iccs::Drng;
use ngcc_api::{Backend, Instance, Scheme};
use object::{Object as _, ObjectSymbol as _};

/// Where Cargo puts the shared libraries of dependencies: beside the test program.
fn library_dir() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn library(instance: &Instance) -> PathBuf {
    let path = library_dir().join(format!("lib{}.so", instance.library));
    assert!(path.is_file(), "{} is not there; Cargo builds it with this test", path.display());
    path
}

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|e| panic!("{command:?}: {e}; this test needs a C compiler named cc"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Compiles the C program against the header and a library, and runs it.
fn c_program(instance: &Instance, dir: &Path) -> BTreeMap<String, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = dir.join(instance.library);
    let mut rpath = std::ffi::OsString::from("-Wl,-rpath,");
    rpath.push(library_dir());
    run(Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O2"])
        .arg("-I")
        .arg(here.join("../api/include"))
        .arg(here.join("tests/capi/signature.c"))
        .arg(library(instance))
        .arg(rpath)
        .arg("-o")
        .arg(&program));
    run(&mut Command::new(&program))
        .lines()
        .map(|line| {
            let (name, value) = line.split_once(' ').unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect()
}

/// What the program should print, computed without the C API.
fn expected(instance: &Instance) -> BTreeMap<String, String> {
    let Scheme::Signature(scheme) = instance.scheme else { panic!("{instance:?} is no signature") };
    let seed: Vec<u8> = (0..64).collect();
    let m: Vec<u8> = (0..64u32).map(|i| (131 * i + 64) as u8).collect();
    let sizes = scheme.sizes();
    let (mut pk, mut sk, mut sn) = (vec![0; sizes.pk], vec![0; sizes.sk], vec![0; sizes.sig]);
    let mut rng = Drng::from_seed(&seed);
    let backend = Backend::Portable;
    scheme.keygen(backend, &mut rng, &mut pk, &mut sk).unwrap();
    let n = scheme.sign(backend, &mut rng, &sk, &m, &mut sn).unwrap();
    let (mut next, mut xof) = ([0; 16], [0; 63]);
    rng.fill(&mut next);
    iccs::pseudo_xof(500, &m, 512, &mut xof).unwrap();
    let lines = [
        ("pk", hex::encode(pk)),
        ("sk", hex::encode(sk)),
        ("sn", hex::encode(&sn[..n])),
        ("next", hex::encode(next)),
        ("sm3", hex::encode(iccs::sm3(&m))),
        ("pseudohash", hex::encode(iccs::pseudohash512(backend, &[&m]))),
        ("xof", hex::encode(xof)),
        ("meta", format!("{} BiT {}", instance.submission, instance.name)),
    ];
    lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[test]
fn a_c_program_gets_the_results_of_rust() {
    let dir = tempfile::tempdir().unwrap();
    for instance in &ngcc_bit::INSTANCES {
        assert_eq!(c_program(instance, dir.path()), expected(instance), "{instance:?}");
    }
}

#[test]
fn only_the_api_is_exported() {
    let api: BTreeSet<&str> = "drng_algorithm get_random_number init_random_number ngcc_meta ngcc_random ngcc_seed \
        pseudoXOF pseudohash sig_get_pk_len_bytes sig_get_sk_len_bytes sig_get_sn_len_bytes sig_keygen sig_sign \
        sig_verify sm3hash"
        .split_whitespace()
        .collect();
    for instance in &ngcc_bit::INSTANCES {
        let bytes = fs::read(library(instance)).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let exported: BTreeSet<&str> =
            file.dynamic_symbols().filter(|s| s.is_definition()).map(|s| s.name().unwrap()).collect();
        assert_eq!(exported, api, "{instance:?}");
    }
}
