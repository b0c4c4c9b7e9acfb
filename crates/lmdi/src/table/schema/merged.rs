//! Numbers that differ in the table but are equal to our trees, which compare 32 bits.
//!
//! In 32 bits, times in seconds since 1970 are 128 s apart, and integers above 2^24 = 16,777,216
//! may become equal. Cost: one sort of the cells, if any of them has more than 32 bits.

/// Below this share of distinct values that remain, a note says so. Measurements with many decimals
/// lose a few values, and nothing with them.
const ENOUGH: f64 = 0.9;

/// A column that loses many of its distinct values in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedCells {
    /// Distinct values of its cells.
    pub different: usize,
    /// Distinct values of its cells in 32 bits.
    pub remaining: usize,
}

impl MergedCells {
    /// Counts the distinct cells of a column; NaN is missing. `None` if at least nine in ten values
    /// remain.
    ///
    /// ```
    /// use lmdi::table::MergedCells;
    /// let seconds: Vec<f64> = (0..100).map(|at| 1_704_067_200.0 + 2.0 * f64::from(at)).collect();
    /// let found = MergedCells::of(&seconds).expect("they fall together");
    /// assert_eq!((found.different, found.remaining), (100, 3));
    /// ```
    pub fn of(cells: &[f64]) -> Option<Self> {
        let present = || cells.iter().copied().filter(|x| !x.is_nan());
        if present().all(|x| f64::from(x as f32) == x) {
            return None;
        }
        let mut sorted: Vec<f64> = present().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        // -0 and 0 are equal here, as they are to trees.
        let different = sorted.chunk_by(|a, b| a == b).count();
        let remaining = sorted.chunk_by(|a, b| *a as f32 == *b as f32).count();
        ((remaining as f64) < ENOUGH * different as f64).then_some(Self { different, remaining })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_together_where_32_bits_do_not_hold_them() {
        let of = |cell: fn(u32) -> f64| MergedCells::of(&(0..1000).map(cell).collect::<Vec<_>>());
        assert_eq!(of(f64::from), None);
        assert_eq!(of(|i| f64::from(i) / 10.0), None, "rounded, and still apart");
        assert_eq!(of(|i| 16_777_216.0 - f64::from(i)), None, "the last whole numbers that fit");
        let above = of(|i| 16_777_216.0 + f64::from(i)).expect("every second whole number");
        // Odd numbers go to the even neighbour whose last bit is 0, which is a multiple of 4.
        assert_eq!((above.different, above.remaining), (1000, 501));
        assert_eq!(of(|i| 1.704e9 + 256.0 * f64::from(i)), None, "times that are far apart");
        assert_eq!(MergedCells::of(&[f64::NAN, 0.0, -0.0, 0.1]), None);
        assert_eq!(MergedCells::of(&[]), None);
    }
}
