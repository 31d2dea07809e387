//! The vectors of SPEC.md section 5 (see tests/README.md), on every back-end that the machine has.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests")]

use iccs::{
    Backend, Drng, pseudo_xof, pseudohash, pseudohash512, pseudohash768, pseudohash1024, sm3, sm3hash, xof,
};
use sha2::{Digest, Sha256};

fn msg64() -> [u8; 64] {
    core::array::from_fn(|i| ((131 * i + 64) % 256) as u8)
}

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex.split_whitespace().collect::<String>()).unwrap()
}

const PH512_EMPTY: &str = "958f69c7d26f0f69d6d674fc4b8ad58ca6f29a0037adf88884428e5d04c67be6\
                           833de1b616ff5c892224e5de7258d68a787a228edec5203d8cfb274022765541";
const PH512_MSG64: &str = "ba7823d3a291e8ec932e3497f185fe57ffa72b5f6f76ff2edf49e196e40598b3\
                           9c00d4b092f58c6c4b7a771147bf0e90ffa48b1a31428129d5509982409c9844";
const PH768_ABC: &str = "679c6d5b28ba35b92ce4e944db29e36b8ad3a008fa75a6eca2ffd4a400f4e35d\
                         2c503806d66cc94d12af7eb0b21580db8e5258c18ef38936fba3372bde4e37a3\
                         57f3d3dd9f6a6456094173cc0ebfd661dbb0a2a7c0f1638f75082cbbfcd34b0f";
const PH1024_MSG64: &str = "4c46f1b16bbe438891161eb5eab216f239f1a8b0f8b76373ebd38434eb325999\
                            583e84dfb073d43476f2d40179e8cfbcbb0db025d5352535ced601040124a689\
                            553654be2299f75f090c5b75926e3a9b0cd3c249cb0669aac5dcc0106aaf9c4c\
                            e9c43c9d94dfb35e48e67fec9d17dde67c517adb2fe7a7031a3b1641acd6b9f3";
const XOF800_MSG64: &str = "3c020986aa01189b9d951fabe0d5f78be387c9f498e029d01207efa13fa41757\
                            34febeccaefaac14ebd275bafcd59ddbf0cbf2bb7e79414a8d3300cb9fcd13c0\
                            80b910df458b44934df64dd22d5bc542894524b7510cfb169f8a7b85fe1f4861\
                            e73afa5f";

#[test]
fn sm3_of_abc() {
    let want = bytes("66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0");
    assert_eq!(sm3(b"abc")[..], want);
    let mut out = [0; 32];
    sm3hash(256, b"abc", 24, &mut out).unwrap();
    assert_eq!(out[..], want);
}

#[test]
fn the_hmac_key_is_two_digests() {
    assert_eq!(iccs::KEY[..32], sm3(b"3.14159265358979"));
    assert_eq!(iccs::KEY[32..], sm3(b"2.71828182845904"));
}

#[test]
fn pseudohashes() {
    for b in Backend::available() {
        assert_eq!(pseudohash512(b, &[])[..], bytes(PH512_EMPTY), "{b}");
        assert_eq!(pseudohash512(b, &[&msg64()])[..], bytes(PH512_MSG64), "{b}");
        assert_eq!(pseudohash768(b, &[b"a", b"", b"bc"])[..], bytes(PH768_ABC), "{b}");
        assert_eq!(pseudohash1024(b, &[&msg64()[..7], &msg64()[7..]])[..], bytes(PH1024_MSG64), "{b}");
    }
}

#[test]
fn pseudohash_of_the_c_interface() {
    let mut out = [0; 128];
    pseudohash(512, &[], 0, &mut out).unwrap();
    assert_eq!(out[..64], bytes(PH512_EMPTY));
    pseudohash(768, b"abc", 24, &mut out).unwrap();
    assert_eq!(out[..96], bytes(PH768_ABC));
    pseudohash(1024, &msg64(), 512, &mut out).unwrap();
    assert_eq!(out[..], bytes(PH1024_MSG64));
}

#[test]
fn xof_streams() {
    for b in Backend::available() {
        let mut out = [0; 100];
        xof(b, &msg64(), &mut out);
        assert_eq!(out[..], bytes(XOF800_MSG64), "{b}");
        let mut out = vec![0; 4096];
        xof(b, &msg64(), &mut out);
        let want = bytes("7324b1688d3288af13980a5f6b67334d5d096820860de01cc279370e603a60d3");
        assert_eq!(Sha256::digest(&out)[..], want, "{b}");
    }
    let mut out = [0; 100];
    pseudo_xof(800, &msg64(), 512, &mut out).unwrap();
    assert_eq!(out[..], bytes(XOF800_MSG64));
}

#[test]
fn drng_draws() {
    let seed: [u8; 48] = core::array::from_fn(|i| i as u8);
    for b in Backend::available() {
        let mut drng = Drng::from_seed(&seed).with_backend(b);
        let mut out = [0; 32];
        drng.fill(&mut out);
        assert_eq!(out[..], bytes("b569718fc1f1f82a4c0acf90ff4ac10966e11e3750012597bb7ecfd357c962aa"), "{b}");
        let mut out = [0; 5];
        drng.fill(&mut out);
        assert_eq!(out[..], bytes("6a0b45b7f8"), "{b}");
        let mut out = [0xff; 2];
        drng.get_bits(12, &mut out).unwrap();
        assert_eq!(out[..], bytes("0cd0"), "{b}");
        let mut out = [0; 100];
        drng.fill(&mut out);
        let want = "054e05326475cb6b6f3d9b9fb5ba239a4dbe6be7b303d7d6d7b8c7c903f28f1a\
                    48afd7a9b6c51a197841989a7744121192c661fc628ef977b70487b0d524fac5\
                    07b37351832a53b5a084b519b426ff3688e14a17d0f59115dd40f17cc26a9449\
                    8c605c00";
        assert_eq!(out[..], bytes(want), "{b}");
    }
}

#[test]
fn seeds_and_messages_of_the_known_answer_files() {
    let mut seeds = Drng::from_seed("seed".repeat(16).as_bytes());
    let want = [
        "927f06b594798a4ddfaa4f03f92aaaf04e1d453f6ed1de19b86d3aade048a654\
         83df4754049b5cd3f586406cf2c64875c51edb576df342b5a970f40eabc15d3c",
        "58561187cbbf6cdc0ecfb2d25965f936be05aa961542d0e23e4adfa8b6d0e3fd\
         c043ed72ac1c28f03cf831fbb6a8bc6db9ee0475520ee8578b1970e407ee0352",
    ];
    for want in want {
        let mut seed = [0; 64];
        seeds.fill(&mut seed);
        assert_eq!(seed[..], bytes(want));
    }
    let mut messages = Drng::from_seed(("msg".repeat(21) + "m").as_bytes());
    let want = [
        "ee402d1730d0117b9f51be0672592fcec438a2945a81f5d894b869dc863ccbf5\
         7e5c8e7766d74e27e965235cd91e5e30e5583167053e1014",
        "6df5638f60c9eaf3bce1fd75d0a5393f6f39081f9144eb9ffe7c1cff856f0d83\
         7aa3875266c7da4edaae698d03bcb00ed8135c427849a0fe07257a9e32e087e6",
    ];
    for (i, want) in want.into_iter().enumerate() {
        let mut message = vec![0; 56 + 8 * i];
        messages.fill(&mut message);
        assert_eq!(message, bytes(want));
    }
}
