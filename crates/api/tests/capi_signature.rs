//! The exported C functions of a signature, called as C would.
#![allow(unsafe_code, clippy::unwrap_used, reason = "a test that calls C functions")]

use core::ffi::c_int;

use iccs::Drng;
use ngcc_api::capi::{Code, Meta};
use ngcc_api::{Backend, Instance, Scheme, Signature};

mod common;

static TOY: Instance = common::signature(common::Defect::None);
ngcc_api::export_signature!(TOY, "Toy");

unsafe extern "C" {
    fn ngcc_meta() -> *const Meta;
    fn ngcc_seed(seed: *const u8, len: u64) -> c_int;
    fn ngcc_random(out: *mut u8, bits: u64) -> c_int;
    fn sig_get_pk_len_bytes() -> u64;
    fn sig_get_sk_len_bytes() -> u64;
    fn sig_get_sn_len_bytes() -> u64;
    fn sig_keygen(pk: *mut u8, pk_len: *mut u64, sk: *mut u8, sk_len: *mut u64) -> c_int;
    fn sig_sign(sk: *const u8, sk_len: u64, m: *const u8, m_len: u64, sn: *mut u8, sn_len: *mut u64)
    -> c_int;
    fn sig_verify(pk: *const u8, pk_len: u64, sn: *const u8, sn_len: u64, m: *const u8, m_len: u64) -> c_int;
    fn sm3hash(bits: c_int, m: *const u8, m_bits: u64, out: *mut u8) -> c_int;
    fn pseudohash(bits: c_int, m: *const u8, m_bits: u64, out: *mut u8) -> c_int;
    #[link_name = "pseudoXOF"]
    fn pseudo_xof(out_bits: u64, m: *const u8, m_bits: u64, out: *mut u8) -> c_int;
}

fn scheme() -> &'static dyn Signature {
    match TOY.scheme {
        Scheme::Signature(scheme) => scheme,
        Scheme::Kem(_) => unreachable!("a signature"),
    }
}

const NULL: *mut u8 = core::ptr::null_mut();
const NO_LENGTH: *mut u64 = core::ptr::null_mut();

/// All calls that share the DRNG stand in one test: they must not run at the same time.
#[test]
fn operations_match_the_trait_and_refuse_bad_buffers() {
    let (mut pk, mut sk, mut sn) = ([0xa5u8; 40], [0xa5u8; 70], [0xa5u8; 60]);
    let (mut pk_len, mut sk_len, mut sn_len) = (40, 70, 60);
    let m = [7u8; 60];
    // SAFETY: buffers are as long as told, or null.
    unsafe {
        assert_eq!([sig_get_pk_len_bytes(), sig_get_sk_len_bytes(), sig_get_sn_len_bytes()], [32, 64, 51]);
        let keygen = |pk: *mut u8, pk_len, sk: *mut u8, sk_len| sig_keygen(pk, pk_len, sk, sk_len);
        let unseeded = keygen(pk.as_mut_ptr(), &mut pk_len, sk.as_mut_ptr(), &mut sk_len);
        assert_eq!(unseeded, Code::Random as c_int);
        assert_eq!((pk_len, sk_len), (40, 70), "lengths are untouched by a failure");
        pk.fill(0xa5);
        sk.fill(0xa5);

        assert_eq!(ngcc_seed(b"seed".as_ptr(), 4), 0);
        assert_eq!(keygen(NULL, &mut pk_len, sk.as_mut_ptr(), &mut sk_len), Code::Null as c_int);
        assert_eq!(keygen(pk.as_mut_ptr(), NO_LENGTH, sk.as_mut_ptr(), &mut sk_len), Code::Null as c_int);
        assert_eq!(keygen(pk.as_mut_ptr(), &mut 31, sk.as_mut_ptr(), &mut sk_len), Code::Length as c_int);
        assert_eq!(keygen(pk.as_mut_ptr(), &mut pk_len, sk.as_mut_ptr(), &mut 63), Code::Length as c_int);
        let shared = sk.as_mut_ptr();
        assert_eq!(keygen(shared, &mut 32, shared.add(6), &mut 64), Code::Overlap as c_int);
        assert!(pk.iter().chain(&sk).all(|b| *b == 0xa5), "nothing is touched by bad arguments");

        assert_eq!(keygen(pk.as_mut_ptr(), &mut pk_len, sk.as_mut_ptr(), &mut sk_len), 0);
        assert_eq!((pk_len, sk_len), (32, 64));
        assert!(pk[32..].iter().chain(&sk[64..]).all(|b| *b == 0xa5), "nothing behind the key is touched");

        let sign = |sk_len, m: *const u8, m_len, sn: *mut u8, sn_len: *mut u64| {
            sig_sign(sk.as_ptr(), sk_len, m, m_len, sn, sn_len)
        };
        assert_eq!(sign(63, m.as_ptr(), 60, sn.as_mut_ptr(), &mut sn_len), Code::Length as c_int);
        assert_eq!(sign(64, NULL, 60, sn.as_mut_ptr(), &mut sn_len), Code::Null as c_int);
        assert_eq!(sign(64, m.as_ptr(), u64::MAX, sn.as_mut_ptr(), &mut sn_len), Code::Length as c_int);
        assert_eq!(sign(64, m.as_ptr(), 60, sn.as_mut_ptr(), &mut 50), Code::Length as c_int);
        let sn_p = sn.as_mut_ptr();
        assert_eq!(sign(64, sn_p, 1, sn_p, &mut sn_len), Code::Overlap as c_int);
        assert!(sn.iter().all(|b| *b == 0xa5), "nothing is touched by bad arguments");
        assert_eq!(sign(64, m.as_ptr(), 60, sn.as_mut_ptr(), &mut sn_len), 0);
        assert_eq!(sn_len, 48 + 60 / 8 % 4);

        let mut next = [0; 5];
        assert_eq!(ngcc_random(next.as_mut_ptr(), 37), 0);
        expect_same(&pk[..32], &sk[..64], &sn[..51], &m, next);

        let verify =
            |pk_len, sn_len, m_len| sig_verify(pk.as_ptr(), pk_len, sn.as_ptr(), sn_len, m.as_ptr(), m_len);
        assert_eq!(verify(32, sn_len, 60), 0);
        assert_eq!(verify(32, sn_len, 59), Code::Rejected as c_int);
        assert_eq!(verify(31, sn_len, 60), Code::Length as c_int);
        assert_eq!(verify(32, sn_len - 1, 60), Code::Length as c_int);
        let null = sig_verify(pk.as_ptr(), 32, sn.as_ptr(), sn_len, NULL, 60);
        assert_eq!(null, Code::Null as c_int);
        let mut empty_len = 60;
        assert_eq!(sign(64, NULL, 0, sn.as_mut_ptr(), &mut empty_len), 0, "an empty message may be null");
        assert_eq!(sig_verify(pk.as_ptr(), 32, sn.as_ptr(), empty_len, NULL, 0), 0);

        sk[40] ^= 1;
        let malformed = sig_sign(sk.as_ptr(), 64, m.as_ptr(), 60, sn.as_mut_ptr(), &mut 60);
        assert_eq!(malformed, Code::Encoding as c_int);
    }
}

fn expect_same(pk: &[u8], sk: &[u8], sn: &[u8], m: &[u8], next: [u8; 5]) {
    let mut rng = Drng::from_seed(b"seed");
    let (mut pk2, mut sk2, mut sn2) = ([0; 32], [0; 64], [0; 51]);
    scheme().keygen(Backend::Portable, &mut rng, &mut pk2, &mut sk2).unwrap();
    scheme().sign(Backend::Portable, &mut rng, &sk2, m, &mut sn2).unwrap();
    assert_eq!((pk, sk, sn), (&pk2[..], &sk2[..], &sn2[..]));
    let mut next2 = [0; 5];
    rng.get_bits(37, &mut next2).unwrap();
    assert_eq!(next, next2, "the library's DRNG goes on where the operations left it");
}

#[test]
fn helper_functions_match_and_refuse() {
    let m = *b"abc";
    // SAFETY: buffers are as long as told, or null.
    unsafe {
        let mut out = [0xa5; 130];
        assert_eq!(sm3hash(256, m.as_ptr(), 24, out.as_mut_ptr()), 0);
        assert_eq!((&out[..32], out[32]), (&iccs::sm3(&m)[..], 0xa5));
        assert_eq!(sm3hash(256, m.as_ptr(), 20, out.as_mut_ptr()), 0);
        assert_eq!(out[..32], iccs::sm3_bits(&m, 20).unwrap());
        for bits in [-256, 0, 255, 512] {
            assert_eq!(sm3hash(bits, m.as_ptr(), 24, out.as_mut_ptr()), Code::DigestLength as c_int);
        }
        assert_eq!(sm3hash(256, NULL, 24, out.as_mut_ptr()), Code::Null as c_int);
        assert_eq!(sm3hash(256, m.as_ptr(), 24, NULL), Code::Null as c_int);
        assert_eq!(sm3hash(256, NULL, 0, out.as_mut_ptr()), 0);
        assert_eq!(out[..32], iccs::sm3(b""));

        assert_eq!(pseudohash(1024, m.as_ptr(), 24, out.as_mut_ptr()), 0);
        assert_eq!((&out[..128], out[128]), (&iccs::pseudohash1024(Backend::Portable, &[&m])[..], 0xa5));
        assert_eq!(pseudohash(256, m.as_ptr(), 24, out.as_mut_ptr()), Code::DigestLength as c_int);
        let mut in_place = [9u8; 64];
        let p = in_place.as_mut_ptr();
        assert_eq!(pseudohash(512, p, 512, p), 0);
        assert_eq!(in_place, iccs::pseudohash512(Backend::Portable, &[&[9; 64]]));

        out.fill(0xa5);
        assert_eq!(pseudo_xof(805, m.as_ptr(), 24, out.as_mut_ptr()), 0);
        let mut expected = [0; 101];
        iccs::pseudo_xof(805, &m, 24, &mut expected).unwrap();
        assert_eq!((&out[..101], out[101]), (&expected[..], 0xa5));
        let p = out.as_mut_ptr();
        assert_eq!(pseudo_xof(805, p.add(100), 24, p), Code::Overlap as c_int);
        assert_eq!(pseudo_xof(1 << 40, m.as_ptr(), 24, p), Code::Hash as c_int);
        assert_eq!(pseudo_xof(u64::MAX, m.as_ptr(), u64::MAX, p), Code::Hash as c_int);
        assert_eq!(pseudo_xof(0, m.as_ptr(), 24, NULL), 0);
    }
}

#[test]
fn the_metadata_block_has_its_layout() {
    // SAFETY: the block is static and has the size it tells.
    let block: [u8; 664] = unsafe { ngcc_meta().cast::<[u8; 664]>().read() };
    let word = |at: usize| u32::from_ne_bytes(block[at..at + 4].try_into().unwrap());
    let length = |at: usize| u64::from_ne_bytes(block[at..at + 8].try_into().unwrap());
    let text = |at: usize, n: usize| {
        core::ffi::CStr::from_bytes_until_nul(&block[at..at + n]).unwrap().to_str().unwrap()
    };
    assert_eq!([word(0), word(4), word(8), word(12)], [0x4347_474e, 1, 2, 664]);
    assert_eq!((text(16, 16), text(32, 64), text(96, 64)), ("sign-00", "Toy", "Toy-51"));
    assert_eq!((text(160, 32), text(192, 256)), ("Optimized_Implementation", "ngcc-api"));
    assert!(text(448, 64).starts_with("rustc "));
    assert!(text(512, 128).contains("opt-level="));
    assert_eq!([length(640), length(648), length(656)], [32, 64, 51]);
}
