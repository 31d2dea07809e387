//! Every code of every field, valid or not, on every back-end (sections 6 and 11).

use std::vec;

use iccs::{Backend, Drng};

use super::*;
use crate::params::{Bit128, Bit256, Bit512};

fn back_ends() -> impl Iterator<Item = Isa> {
    Backend::available().map(Isa::new)
}

/// A polynomial that takes all values of a range in turn, from the `phase`-th on.
fn cycle<const N: usize>(low: i32, high: i32, phase: usize) -> [i16; N] {
    let count = (high - low + 1) as usize;
    core::array::from_fn(|i| (low + ((i + phase) % count) as i32) as i16)
}

/// Polynomials that together take all values of a range.
fn cycles<const N: usize>(low: i32, high: i32) -> impl Iterator<Item = [i16; N]> {
    (0..=(high - low) as usize).step_by(N).map(move |phase| cycle(low, high, phase))
}

fn valid_values_return<P: Set<N>, const N: usize>() {
    for isa in back_ends() {
        for values in cycles::<N>(0, P::B1_MAX) {
            let (mut bytes, mut back) = (vec![0; P::B1_LEN], [0; N]);
            encode_b1::<P, N>(isa, &values, &mut bytes);
            assert!(decode_b1::<P, N>(isa, &bytes, &mut back));
            assert_eq!(back, values, "b1");
        }
        let half = 1 << (P::LOG_GAMMA_B - 1);
        let (values, mut bytes, mut back) = (cycle(-half, half - 1, 0), vec![0; P::B0_LEN], [0; N]);
        encode_b0::<P, N>(isa, &values, &mut bytes);
        decode_b0::<P, N>(isa, &bytes, &mut back);
        assert_eq!(back, values, "b0");

        let values = cycle::<N>(-1, 1, 0).map(|s| s as i8);
        let (mut bytes, mut back) = (vec![0; P::TERNARY_LEN], [0; N]);
        encode_ternary::<P, N>(isa, &values, &mut bytes);
        assert!(decode_ternary::<P, N>(isa, &bytes, &mut back));
        assert_eq!(back, values, "ternary");

        let (values, mut bytes, mut back) =
            (cycle(1 - P::GAMMA[0], P::GAMMA[0] - 1, 0), vec![0; P::Z0_LEN], [0; N]);
        encode_z0::<P, N>(isa, &values, &mut bytes);
        assert!(decode_z0::<P, N>(isa, &bytes, &mut back));
        assert_eq!(back, values, "z0");

        for values in cycles::<N>(1 - P::GAMMA[1], P::GAMMA[1] - 1) {
            let (mut bytes, mut back) = (vec![0; P::Z1_LEN], [0; N]);
            encode_z1::<P, N>(isa, &values, &mut bytes);
            assert!(decode_z1::<P, N>(isa, &bytes, &mut back));
            assert_eq!(back, values, "z1");
        }
        for phase in 0..7 {
            let values = cycle::<N>(-P::HINT_BOUND, P::HINT_BOUND, phase).map(|h| h as i8);
            let (mut bytes, mut back) = (vec![0; P::HINT_LEN], [0; N]);
            encode_hint::<P, N>(isa, &values, &mut bytes);
            assert!(decode_hint::<P, N>(isa, &bytes, &mut back));
            assert_eq!(back, values, "hint");
        }
    }
}

#[test]
fn valid_values_of_every_field_return() {
    valid_values_return::<Bit128, 256>();
    valid_values_return::<Bit256, 512>();
    valid_values_return::<Bit512, 1024>();
}

/// One foreign field at each place makes the whole polynomial invalid.
fn foreign_fields_are_found<P: Set<N>, const N: usize>() {
    for isa in back_ends() {
        for at in 0..N {
            let with = |foreign: i32| -> [i16; N] {
                let mut values = [0; N];
                values[at] = foreign as i16;
                values
            };
            let (mut bytes, mut back) = (vec![0; P::B1_LEN], [0; N]);
            if P::B1_CODE != RoundedKey::Base1681 {
                for (foreign, expected) in [(P::B1_MAX, true), (P::B1_MAX + 1, false)] {
                    encode_b1::<P, N>(isa, &with(foreign), &mut bytes);
                    assert_eq!(decode_b1::<P, N>(isa, &bytes, &mut back), expected, "b1 at {at}");
                }
            }
            let mut bytes = vec![0; P::Z0_LEN];
            let foreign = if P::Z0_CODE.1 == 0 { -P::GAMMA[0] } else { P::GAMMA[0] };
            encode_z0::<P, N>(isa, &with(foreign), &mut bytes);
            assert!(!decode_z0::<P, N>(isa, &bytes, &mut back), "z0 at {at}");

            let mut bytes = vec![0; P::Z1_LEN];
            encode_z1::<P, N>(isa, &with(-P::GAMMA[1]), &mut bytes);
            assert!(!decode_z1::<P, N>(isa, &bytes, &mut back), "z1 at {at}");

            let (mut bytes, mut back) = (vec![0; P::TERNARY_LEN], [0; N]);
            bytes[at / 4] = 2 << (2 * (at % 4));
            assert!(!decode_ternary::<P, N>(isa, &bytes, &mut back), "ternary at {at}");
        }
    }
}

#[test]
fn foreign_fields_are_found_at_every_place() {
    foreign_fields_are_found::<Bit128, 256>();
    foreign_fields_are_found::<Bit256, 512>();
    foreign_fields_are_found::<Bit512, 1024>();
}

#[test]
fn groups_of_digits_end_at_their_bound() {
    let isa = Isa::new(Backend::detect());
    for g in 0..64 {
        for (group, valid) in
            [(0, true), (BASE.pow(4) - 1, true), (BASE.pow(4), false), ((1 << 43) - 1, false)]
        {
            let mut bytes = [0; Bit128::B1_LEN];
            for bit in 0..43 {
                bytes[(43 * g + bit) / 8] |= ((group >> bit & 1) as u8) << ((43 * g + bit) % 8);
            }
            let mut b1 = [0; 256];
            assert_eq!(decode_b1::<Bit128, 256>(isa, &bytes, &mut b1), valid, "group {g}: {group}");
            if valid {
                let digits: [i16; 4] = core::array::from_fn(|k| (group / BASE.pow(k as u32) % BASE) as i16);
                assert_eq!(b1[4 * g..][..4], digits);
                assert!(b1.iter().enumerate().all(|(i, b)| i / 4 == g || *b == 0));
            }
        }
    }
}

/// All three-bit codes at all places: 7 is invalid, the others are the hint plus three.
fn three_bit_hints<P: Set<N>, const N: usize>() {
    for isa in back_ends() {
        for code in 0..8 {
            for at in 0..N {
                let mut codes = [3; N];
                codes[at] = code;
                let mut bytes = vec![0; P::HINT_LEN];
                isa.pack8(3, &codes, &mut bytes);
                let mut h = [0; N];
                assert_eq!(decode_hint::<P, N>(isa, &bytes, &mut h), code < 7, "code {code} at {at}");
                assert_eq!(h[at], code.cast_signed() - 3);
            }
        }
    }
}

#[test]
fn three_bit_hints_have_seven_codes() {
    three_bit_hints::<Bit128, 256>();
    three_bit_hints::<Bit256, 512>();
}

#[test]
fn base_three_hints_have_one_encoding() {
    let isa = Isa::new(Backend::detect());
    for byte in 0..=255u8 {
        for at in [0, 1, 100, 203, 204] {
            // All zero: five digits of one; 121 is also what the last byte must hold.
            let mut bytes = [121; Bit512::HINT_LEN];
            bytes[at] = byte;
            let mut h = [0; 1024];
            let valid = decode_hint::<Bit512, 1024>(isa, &bytes, &mut h);
            let expected = if at == 204 { (81..=161).contains(&byte) } else { byte <= 242 };
            assert_eq!(valid, expected, "byte {byte} at {at}");
            if valid {
                let mut again = [0; Bit512::HINT_LEN];
                encode_hint::<Bit512, 1024>(isa, &h, &mut again);
                assert_eq!(again, bytes);
                assert!(h.iter().all(|h| h.abs() <= 1));
            }
        }
    }
}

#[test]
fn wiping_clears() {
    let mut bytes = [0; 64];
    Drng::from_seed(b"x").fill(&mut bytes);
    wipe(&mut bytes);
    assert_eq!(bytes, [0; 64]);
}
