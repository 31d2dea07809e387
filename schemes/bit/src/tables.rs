//! Constants of the transform (specification section 3), computed at compile time.

/// A list of multipliers mod q in the three forms that the back-ends use.
#[derive(Debug)]
pub(crate) struct Multipliers<const N: usize> {
    /// Centred residues, `|b| ≤ (q − 1)/2`.
    pub(crate) value: [i32; N],
    /// `⌊b·2³²/q⌉`: the portable back-end estimates quotients with it.
    pub(crate) shoup: [i32; N],
    /// `b/q`: the SIMD back-ends estimate quotients with it.
    pub(crate) ratio: [f32; N],
}

impl<const N: usize> Multipliers<N> {
    /// A list of zeros.
    const fn zero() -> Self {
        Self { value: [0; N], shoup: [0; N], ratio: [0.0; N] }
    }

    /// Sets entry `at` to the residue `b` in `[0, q)`.
    const fn set(&mut self, at: usize, b: i64, q: i64) {
        let centred = if b > q / 2 { b - q } else { b };
        // The quotient of |b| < q/2 by q is below 1/2, so the rounded 32-bit fraction fits a signed word.
        let twice = (centred << 33) / q;
        self.value[at] = centred as i32;
        self.shoup[at] = ((twice + 1) >> 1) as i32;
        self.ratio[at] = (centred as f64 / q as f64) as f32;
    }
}

/// The constants of the transform of degree `N`.
#[derive(Debug)]
pub(crate) struct Tables<const N: usize> {
    /// `ζ_k`, `k < L`: block `i` of the layer with `m` blocks multiplies by entry `m + i`.
    pub(crate) forward: Multipliers<N>,
    /// `ζ_k⁻¹` in the same places.
    pub(crate) inverse: Multipliers<N>,
    /// Entry `2k` is `r_k`, entry `2k + 1` is one: what the swapped coefficients of a residue of degree one are
    /// multiplied by. Unused where the transform is complete.
    pub(crate) cross: Multipliers<N>,
    /// Entry 0 is `L⁻¹`, entry 1 is `L⁻¹·ζ_1⁻¹`: the last inverse layer with the scaling folded in.
    pub(crate) last: Multipliers<2>,
}

const fn power(base: i64, exponent: i64, q: i64) -> i64 {
    let (mut result, mut square, mut rest) = (1, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result * square % q;
        }
        square = square * square % q;
        rest >>= 1;
    }
    result
}

impl<const N: usize> Tables<N> {
    /// The constants for modulus `q` and root `psi`; `complete` tells `L = N` from `L = N/2`.
    pub(crate) const fn new(q: i64, psi: i64, complete: bool) -> Self {
        let length = if complete { N } else { N / 2 };
        let bits = length.trailing_zeros();
        let mut tables = Self {
            forward: Multipliers::zero(),
            inverse: Multipliers::zero(),
            cross: Multipliers::zero(),
            last: Multipliers::zero(),
        };
        let inverse_psi = power(psi, q - 2, q);
        let mut k = 0;
        while k < length {
            let reversed = (k as u32).reverse_bits() >> (32 - bits);
            tables.forward.set(k, power(psi, reversed as i64, q), q);
            tables.inverse.set(k, power(inverse_psi, reversed as i64, q), q);
            if !complete {
                tables.cross.set(2 * k, power(psi, 2 * reversed as i64 + 1, q), q);
                tables.cross.set(2 * k + 1, 1, q);
            }
            k += 1;
        }
        let scale = power(length as i64, q - 2, q);
        tables.last.set(0, scale, q);
        tables.last.set(1, scale * power(inverse_psi, length as i64 / 2, q) % q, q);
        tables
    }
}
