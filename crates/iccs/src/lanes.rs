//! The SM3 compression function written once for vectors: each SIMD module supplies the operations.

/// Defines `compress`, which compresses one block into each of `$lanes` lanes, in a module that has the vector
/// type `V` and the operations `load`, `store`, `splat`, `add`, `xor`, `xor3`, `majority`, `choose`, `rol`, `p0`
/// and `p1`, all compiled for `$features`.
macro_rules! lane_kernel {
    ($lanes:literal, $features:literal) => {
        /// Gives all lanes the same words.
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn spread<const N: usize>(values: &[u32; N], rows: &mut [[u32; $lanes]; N]) {
            for (row, value) in rows.iter_mut().zip(values) {
                store(row, splat(*value));
            }
        }

        /// Compresses one block into each lane.
        #[target_feature(enable = $features)]
        pub(super) fn compress(state: &mut State<$lanes>, words: &Words<$lanes>) {
            let mut w: [V; 16] = core::array::from_fn(|i| load(&words.0[i]));
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h]: [V; 8] =
                core::array::from_fn(|i| load(&state.0[i]));
            macro_rules! round {
                ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $j:expr, $ff:ident, $gg:ident) => {
                    let a12 = rol::<12, 20>($a);
                    let ss1 = rol::<7, 25>(add(add(a12, splat(T[$j])), $e));
                    let word = w[$j & 15];
                    let tt1 = add(add($d, xor(word, w[($j + 4) & 15])), $ff($a, $b, $c));
                    let tt2 = add(add($h, word), $gg($e, $f, $g));
                    $d = add(tt1, xor(ss1, a12));
                    $h = p0(add(tt2, ss1));
                    $b = rol::<9, 23>($b);
                    $f = rol::<19, 13>($f);
                };
            }
            macro_rules! expand {
                ($j:expr) => {
                    let x = xor3(w[($j + 4) & 15], w[($j + 11) & 15], rol::<15, 17>(w[($j + 1) & 15]));
                    w[($j + 4) & 15] = xor3(p1(x), rol::<7, 25>(w[($j + 7) & 15]), w[($j + 14) & 15]);
                };
            }
            macro_rules! four {
                ($j:expr) => {
                    round!(a b c d e f g h, $j, xor3, xor3);
                    round!(d a b c h e f g, $j + 1, xor3, xor3);
                    round!(c d a b g h e f, $j + 2, xor3, xor3);
                    round!(b c d a f g h e, $j + 3, xor3, xor3);
                };
                ($j:expr, $ff:ident, $gg:ident) => {
                    expand!($j);
                    round!(a b c d e f g h, $j, $ff, $gg);
                    expand!($j + 1);
                    round!(d a b c h e f g, $j + 1, $ff, $gg);
                    expand!($j + 2);
                    round!(c d a b g h e f, $j + 2, $ff, $gg);
                    expand!($j + 3);
                    round!(b c d a f g h e, $j + 3, $ff, $gg);
                };
            }
            four!(0);
            four!(4);
            four!(8);
            four!(12, xor3, xor3);
            four!(16, majority, choose);
            four!(20, majority, choose);
            four!(24, majority, choose);
            four!(28, majority, choose);
            four!(32, majority, choose);
            four!(36, majority, choose);
            four!(40, majority, choose);
            four!(44, majority, choose);
            four!(48, majority, choose);
            four!(52, majority, choose);
            four!(56, majority, choose);
            four!(60, majority, choose);
            for (row, new) in state.0.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                let old = load(row);
                store(row, xor(old, new));
            }
        }
    };
}

pub(crate) use lane_kernel;
