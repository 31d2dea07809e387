//! The exported C functions of a KEM, called as C would.
#![allow(unsafe_code, clippy::unwrap_used, reason = "a test that calls C functions")]

use core::ffi::c_int;

use iccs::Drng;
use ngcc_api::capi::{Code, DrngCtx, Meta};
use ngcc_api::{Backend, Instance, Scheme};

mod common;

static TOY: Instance = common::kem(common::Defect::None);
ngcc_api::export_kem!(TOY, "Toy");

unsafe extern "C" {
    fn ngcc_meta() -> *const Meta;
    fn kem_get_pk_len_bytes() -> u64;
    fn kem_get_sk_len_bytes() -> u64;
    fn kem_get_ct_len_bytes() -> u64;
    fn kem_get_ss_len_bytes() -> u64;
    fn kem_keygen(pk: *mut u8, pk_len: *mut u64, sk: *mut u8, sk_len: *mut u64) -> c_int;
    fn kem_enc(
        pk: *const u8,
        pk_len: u64,
        ss: *mut u8,
        ss_len: *mut u64,
        ct: *mut u8,
        ct_len: *mut u64,
    ) -> c_int;
    fn kem_dec(
        sk: *const u8,
        sk_len: u64,
        ct: *const u8,
        ct_len: u64,
        ss: *mut u8,
        ss_len: *mut u64,
    ) -> c_int;
    fn init_random_number(ctx: *mut DrngCtx, seed: *const u8, seed_len: u64) -> c_int;
    fn get_random_number(ctx: *mut DrngCtx, out: *mut u8, out_bits: u64) -> c_int;
}

const NULL: *mut u8 = core::ptr::null_mut();

/// All calls that share the DRNG stand in one test: they must not run at the same time.
#[test]
fn operations_match_the_trait_and_refuse_bad_buffers() {
    let (mut pk, mut sk, mut ct, mut ss, mut again) = ([0u8; 32], [0u8; 64], [0u8; 24], [0u8; 32], [0u8; 32]);
    let (mut pk_len, mut sk_len, mut ct_len, mut ss_len) = (32, 64, 24, 40);
    // SAFETY: buffers are as long as told, or null.
    unsafe {
        assert_eq!(
            [kem_get_pk_len_bytes(), kem_get_sk_len_bytes(), kem_get_ct_len_bytes(), kem_get_ss_len_bytes()],
            [32, 64, 24, 32]
        );
        assert_eq!(init_random_number(drng_algorithm.as_ptr(), b"seed".as_ptr(), 4), 0);
        let (pk_p, sk_p) = (pk.as_mut_ptr(), sk.as_mut_ptr());
        assert_eq!(kem_keygen(pk_p, &mut pk_len, sk_p, &mut sk_len), 0);
        let (ss_p, ct_p) = (ss.as_mut_ptr(), ct.as_mut_ptr());
        assert_eq!(kem_enc(pk_p, 33, ss_p, &mut ss_len, ct_p, &mut ct_len), Code::Length as c_int);
        assert_eq!(kem_enc(pk_p, 32, ss_p, &mut 31, ct_p, &mut ct_len), Code::Length as c_int);
        assert_eq!(kem_enc(pk_p, 32, ss_p, &mut ss_len, NULL, &mut ct_len), Code::Null as c_int);
        assert_eq!(kem_enc(pk_p, 32, ss_p, &mut ss_len, pk_p, &mut ct_len), Code::Overlap as c_int);
        assert_eq!(kem_enc(pk_p, 32, ss_p, &mut ss_len, ct_p, &mut ct_len), 0);
        assert_eq!((ss_len, ct_len), (32, 24));
        let again_p = again.as_mut_ptr();
        assert_eq!(kem_dec(sk_p, 64, ct_p, 24, again_p, &mut ss_len), 0);
        assert_eq!(again, ss);
        assert_eq!(kem_dec(sk_p, 64, ct_p, 23, again_p, &mut ss_len), Code::Length as c_int);
        assert_eq!(kem_dec(sk_p, 65, ct_p, 24, again_p, &mut ss_len), Code::Length as c_int);
        assert_eq!(kem_dec(sk_p, 64, ct_p, 24, sk_p, &mut ss_len), Code::Overlap as c_int);
        assert_eq!(kem_dec(NULL, 64, ct_p, 24, again_p, &mut ss_len), Code::Null as c_int);
    }

    let Scheme::Kem(scheme) = TOY.scheme else { unreachable!("a KEM") };
    let mut rng = Drng::from_seed(b"seed");
    let (mut pk2, mut sk2, mut ct2, mut ss2) = ([0; 32], [0; 64], [0; 24], [0; 32]);
    scheme.keygen(Backend::Portable, &mut rng, &mut pk2, &mut sk2).unwrap();
    scheme.enc(Backend::Portable, &mut rng, &pk2, &mut ct2, &mut ss2).unwrap();
    assert_eq!((pk, sk, ct, ss), (pk2, sk2, ct2, ss2));
}

#[test]
fn a_context_of_the_caller_works_like_the_generator() {
    let mut ctx = DrngCtx { v: [0; 55], c: [0; 55], reseed_counter: [0; 55] };
    let p = &raw mut ctx;
    let mut out = [0xa5; 100];
    // SAFETY: buffers are as long as told, or null.
    unsafe {
        assert_eq!(get_random_number(p, out.as_mut_ptr(), 8), Code::Random as c_int);
        assert_eq!(init_random_number(core::ptr::null_mut(), b"x".as_ptr(), 1), Code::Null as c_int);
        assert_eq!(init_random_number(p, NULL, 1), Code::Null as c_int);
        assert_eq!(init_random_number(p, p.cast(), 55), Code::Overlap as c_int);
        let seed: Vec<u8> = (0..48).collect();
        assert_eq!(init_random_number(p, seed.as_ptr(), 48), 0);
        assert_eq!(get_random_number(p, p.cast(), 8), Code::Overlap as c_int);
        assert_eq!(get_random_number(p, NULL, 8), Code::Null as c_int);
        let mut drng = Drng::from_seed(&seed);
        for bits in [256, 40, 12, 0, 800] {
            out.fill(0xa5);
            assert_eq!(get_random_number(p, out.as_mut_ptr(), bits), 0);
            let bytes = bits.div_ceil(8) as usize;
            let mut expected = vec![0; bytes];
            drng.get_bits(bits, &mut expected).unwrap();
            assert_eq!(out[..bytes], expected);
            assert!(out[bytes..].iter().all(|b| *b == 0xa5));
        }
    }
}

#[test]
fn the_metadata_block_has_its_layout() {
    // SAFETY: the block is static and has the size it tells.
    let block: [u8; 672] = unsafe { ngcc_meta().cast::<[u8; 672]>().read() };
    let word = |at: usize| u32::from_ne_bytes(block[at..at + 4].try_into().unwrap());
    let length = |at: usize| u64::from_ne_bytes(block[at..at + 8].try_into().unwrap());
    assert_eq!([word(8), word(12)], [1, 672]);
    assert_eq!([length(640), length(648), length(656), length(664)], [32, 64, 24, 32]);
}
