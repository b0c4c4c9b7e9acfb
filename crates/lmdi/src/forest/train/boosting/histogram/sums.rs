//! The sums of a bin: residuals r, curvatures h and the number of rows, as integers.
//!
//! Residuals and curvatures of a tree's rows are rounded to multiples of a unit, the smallest power of
//! two that their sums allow. Integer sums are exact: they do not depend on the order of rows, a parent
//! minus one child is the other child, and equal splits have equal gains.
//!
//! Adding words takes most of the time, so one 64-bit word holds two sums where their digits fit:
//!
//! | form | words | where |
//! |---|---|---|
//! | [`Counted`] | (r, rows) | every curvature is 1, so their sum is the number of rows |
//! | [`Paired`] | r, (h, rows) | otherwise |
//! | [`Apart`] | r, h, rows | the words of the other forms are too short for their rows |
//!
//! If the number of rows has b bits, a word with a count leaves `64 - b` bits for the other sum. A
//! single residual then keeps `62 - 2 b` bits of the largest one: 28 bits with 100,000 rows. A form is
//! used if a typical residual and a typical curvature keep at least [`LEAST_BITS`]. The typical value is
//! the geometric mean, which a few outliers do not move.

use crate::vectorised::{Vectorised, vectorised};

/// Bits that a typical residual or curvature needs in its word.
const LEAST_BITS: i32 = 18;

/// Sums over rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) residual: f64,
    pub(super) curvature: f64,
    pub(super) rows: f64,
}

impl Sums {
    #[inline(always)]
    pub(super) fn without(self, part: Sums) -> Sums {
        Sums {
            residual: self.residual - part.residual,
            curvature: self.curvature - part.curvature,
            rows: self.rows - part.rows,
        }
    }

    /// What a leaf with these sums takes off the loss, doubled.
    pub(super) fn worth(self, l2: f64) -> f64 {
        self.residual * self.residual / (self.curvature + l2)
    }
}

/// Where the digits of sums stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    residual: f64,
    curvature: f64,
    /// One over each, exact: units are powers of two. Multiplying is many times as fast as dividing.
    per_residual: f64,
    per_curvature: f64,
    /// Bits of a count of rows.
    count_bits: u32,
}

/// The sums of a bin as whole numbers, or what one row adds to them.
pub(super) trait Words: Copy + Default + Send + Sync {
    /// Bits that are left for the sums of residuals and curvatures beside a count of so many bits.
    fn bits(count_bits: u32) -> [u32; 2];
    /// What one row adds.
    fn of_row(derivatives: [f64; 2], units: &Units) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn sums(self, units: &Units) -> Sums;
}

/// Residuals above rows; the rows are the curvature.
pub(super) type Counted = u64;

/// Residuals, and curvatures above rows.
pub(super) type Paired = [u64; 2];

/// Residuals, curvatures and rows.
pub(super) type Apart = [u64; 3];

/// A multiple of a unit, rounded, from the number of units in one; negative ones as their two's
/// complement.
#[inline(always)]
fn whole(number: f64, per_unit: f64) -> u64 {
    let multiple = number * per_unit;
    (multiple + 0.5_f64.copysign(multiple)) as i64 as u64
}

/// A number of `number << bits | count`.
#[inline(always)]
fn above(word: u64, bits: u32) -> f64 {
    ((word as i64) >> bits) as f64
}

/// The count of `number << bits | count`.
#[inline(always)]
fn below(word: u64, bits: u32) -> f64 {
    (word & ((1 << bits) - 1)) as f64
}

impl Words for Counted {
    fn bits(count_bits: u32) -> [u32; 2] {
        [64 - count_bits, 64]
    }

    #[inline(always)]
    fn of_row([residual, _]: [f64; 2], units: &Units) -> Self {
        (whole(residual, units.per_residual) << units.count_bits) + 1
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    #[inline(always)]
    fn sums(self, units: &Units) -> Sums {
        let rows = below(self, units.count_bits);
        Sums { residual: above(self, units.count_bits) * units.residual, curvature: rows, rows }
    }
}

impl Words for Paired {
    fn bits(count_bits: u32) -> [u32; 2] {
        // Residuals have the digits of the other form, so that weights which are all alike change nothing.
        [64 - count_bits; 2]
    }

    #[inline(always)]
    fn of_row([residual, curvature]: [f64; 2], units: &Units) -> Self {
        let curvature = whole(curvature, units.per_curvature);
        [whole(residual, units.per_residual), (curvature << units.count_bits) + 1]
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        [self[0].wrapping_add(other[0]), self[1].wrapping_add(other[1])]
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        [self[0].wrapping_sub(other[0]), self[1].wrapping_sub(other[1])]
    }

    #[inline(always)]
    fn sums(self, units: &Units) -> Sums {
        Sums {
            residual: above(self[0], 0) * units.residual,
            curvature: above(self[1], units.count_bits) * units.curvature,
            rows: below(self[1], units.count_bits),
        }
    }
}

impl Words for Apart {
    fn bits(_: u32) -> [u32; 2] {
        [64; 2]
    }

    #[inline(always)]
    fn of_row([residual, curvature]: [f64; 2], units: &Units) -> Self {
        [whole(residual, units.per_residual), whole(curvature, units.per_curvature), 1]
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at].wrapping_add(other[at]))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        std::array::from_fn(|at| self[at].wrapping_sub(other[at]))
    }

    #[inline(always)]
    fn sums(self, units: &Units) -> Sums {
        Sums {
            residual: above(self[0], 0) * units.residual,
            curvature: above(self[1], 0) * units.curvature,
            rows: self[2] as f64,
        }
    }
}

/// What the rows of a table add, one after the other.
pub(super) struct OfRows<'s, W> {
    pub(super) derivatives: &'s [[f64; 2]],
    pub(super) units: Units,
    pub(super) out: &'s mut [W],
}

impl<W: Words> Vectorised for OfRows<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (out, &row) in self.out.iter_mut().zip(self.derivatives) {
            *out = W::of_row(row, &self.units);
        }
    }
}

/// How large the residuals and curvatures of a tree's rows are.
#[derive(Debug, Default)]
pub(super) struct Magnitudes {
    rows: usize,
    /// How many are not zero, and the sum of their binary exponents.
    nonzero: [u64; 2],
    exponents: [i64; 2],
    largest: [f64; 2],
    /// Whether a curvature is not 1.
    pub(super) weighted: bool,
}

/// Numbers that are looked at together: residuals in even lanes, curvatures in odd ones.
const LANES: usize = 8;

/// The magnitudes of some rows.
struct Measure<'s>(&'s [[f64; 2]]);

impl Vectorised for Measure<'_> {
    type Output = Magnitudes;

    #[inline(always)]
    fn run(self) -> Magnitudes {
        let Self(rows) = self;
        let mut nonzero = [0u64; LANES];
        // With their bias, as they stand in the bits of numbers.
        let mut exponents = [0u64; LANES];
        // Numbers that are not negative are ordered as their bits are.
        let mut largest = [0i64; LANES];
        let mut not_one = [false; LANES];
        let mut add = |lane: usize, number: f64| {
            let size = number.abs();
            let bits = if size > 0.0 { size.to_bits() } else { 0 };
            nonzero[lane] += u64::from(size > 0.0);
            exponents[lane] += bits >> 52;
            largest[lane] = largest[lane].max(bits as i64);
            not_one[lane] |= number != 1.0;
        };
        let (chunks, rest) = rows.as_flattened().as_chunks::<LANES>();
        for chunk in chunks {
            for (lane, &number) in chunk.iter().enumerate() {
                add(lane, number);
            }
        }
        for (lane, &number) in rest.iter().enumerate() {
            add(lane, number);
        }
        let mut found = Magnitudes { rows: rows.len(), ..Magnitudes::default() };
        for lane in 0..LANES {
            let at = lane % 2;
            found.nonzero[at] += nonzero[lane];
            found.exponents[at] += exponents[lane] as i64 - 1023 * nonzero[lane] as i64;
            found.largest[at] = found.largest[at].max(f64::from_bits(largest[lane] as u64));
            found.weighted |= at == 1 && not_one[lane];
        }
        found
    }
}

impl Magnitudes {
    pub(super) fn of(derivatives: &[[f64; 2]]) -> Self {
        vectorised(Measure(derivatives))
    }

    /// The smallest units whose sums fit the words of a form, and whether the words are long enough for
    /// these rows.
    pub(super) fn units<W: Words>(&self) -> (Units, bool) {
        let count_bits = usize::BITS - self.rows.leading_zeros();
        let bits = W::bits(count_bits);
        let mut enough = true;
        let mut unit = |at: usize| {
            // A sum is below 2^(exponent + count_bits). It needs a sign, and a bit for what rounding adds.
            let exponent = libm::frexp(self.largest[at]).1 + count_bits as i32;
            // Not so small that one over it overflows.
            let unit = libm::ldexp(1.0, (exponent + 2 - bits[at] as i32).max(-1000));
            let typical = self.exponents[at] as f64 / self.nonzero[at].max(1) as f64;
            let least = (libm::frexp(unit).1 - 1 + LEAST_BITS) as f64;
            enough &= self.nonzero[at] == 0 || typical >= least;
            unit
        };
        let (residual, curvature) = (unit(0), unit(1));
        let (per_residual, per_curvature) = (1.0 / residual, 1.0 / curvature);
        (Units { residual, curvature, per_residual, per_curvature, count_bits }, enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sums_of<W: Words>(rows: &[[f64; 2]]) -> (W, Units, bool) {
        let (units, enough) = Magnitudes::of(rows).units::<W>();
        let add = |sum: W, &row: &[f64; 2]| sum.plus(W::of_row(row, &units));
        (rows.iter().fold(W::default(), add), units, enough)
    }

    /// Sums of words against sums of numbers: each row is off by half a unit at most.
    fn check<W: Words>(rows: &[[f64; 2]]) -> std::result::Result<(), TestCaseError> {
        let (sum, units, enough) = sums_of::<W>(rows);
        let found = sum.sums(&units);
        let expected = |at: usize| rows.iter().map(|row| row[at]).sum::<f64>();
        let n = rows.len() as f64;
        let close = |found: f64, at: usize, unit: f64| {
            let size: f64 = rows.iter().map(|row| row[at].abs()).sum();
            (found - expected(at)).abs() <= 0.5 * n * unit + 1e-12 * size
        };
        prop_assert_eq!(found.rows, n);
        prop_assert!(close(found.residual, 0, units.residual), "{:?}", found);
        prop_assert!(close(found.curvature, 1, units.curvature), "{:?}", found);
        // Where the words are long enough, a typical row has the digits that were promised.
        let sizes = || rows.iter().map(|row| row[0].abs()).filter(|&size| size > 0.0);
        let typical = (sizes().map(f64::log2).sum::<f64>() / sizes().count().max(1) as f64).exp2();
        prop_assert!(!enough || typical / units.residual >= 2.0_f64.powi(LEAST_BITS));
        // A parent less one child is the other child.
        let (left, right) = rows.split_at(rows.len() / 2);
        let of = |rows: &[[f64; 2]]| {
            rows.iter().fold(W::default(), |sum, &row| sum.plus(W::of_row(row, &units)))
        };
        prop_assert_eq!(sum.minus(of(left)).sums(&units), of(right).sums(&units));
        Ok(())
    }

    /// One row after the other.
    fn measured_by_hand(rows: &[[f64; 2]]) -> Magnitudes {
        let mut found = Magnitudes { rows: rows.len(), ..Magnitudes::default() };
        for row in rows {
            for (at, size) in row.map(f64::abs).into_iter().enumerate() {
                if size > 0.0 {
                    found.nonzero[at] += 1;
                    found.exponents[at] += i64::from(libm::ilogb(size).max(-1023));
                    found.largest[at] = found.largest[at].max(size);
                }
            }
            found.weighted |= row[1] != 1.0;
        }
        found
    }

    proptest! {
        #[test]
        fn magnitudes_are_those_of_single_rows(
            mut rows in prop::collection::vec(
                (prop_oneof![-9.0..9.0f64, Just(0.0), Just(-1e-310)], -300i32..300, 0.0..1.0f64),
                0..50,
            ).prop_map(|rows| {
                let row = |(r, scale, h)| [r * libm::exp2(f64::from(scale)), h];
                rows.into_iter().map(row).collect::<Vec<[f64; 2]>>()
            }),
            equal in any::<bool>(),
        ) {
            if equal {
                rows.iter_mut().for_each(|row| row[1] = 1.0);
            }
            let (found, expected) = (Magnitudes::of(&rows), measured_by_hand(&rows));
            prop_assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        }

        #[test]
        fn sums_are_those_of_the_rows(
            rows in prop::collection::vec((-1.0..1.0f64, 0.0..1.0f64), 1..300),
            scale in -300i32..300,
        ) {
            let by = 10.0_f64.powi(scale);
            let rows: Vec<[f64; 2]> = rows.iter().map(|&(r, h)| [by * r, h / by]).collect();
            check::<Paired>(&rows)?;
            check::<Apart>(&rows)?;
            let counted: Vec<[f64; 2]> = rows.iter().map(|row| [row[0], 1.0]).collect();
            check::<Counted>(&counted)?;
        }
    }

    #[test]
    fn an_outlier_needs_longer_words() {
        let rows = vec![[1.0, 1.0]; 1000];
        assert!(sums_of::<Counted>(&rows).2);
        for at in 0..2 {
            let mut rows = rows.clone();
            rows[7][at] = 1e9;
            assert!(!sums_of::<Paired>(&rows).2 && sums_of::<Apart>(&rows).2);
            assert!(at == 1 || !sums_of::<Counted>(&rows).2);
        }
    }

    #[test]
    fn many_rows_need_longer_words() {
        let of = |rows: usize| Magnitudes {
            rows,
            nonzero: [rows as u64; 2],
            exponents: [-4 * rows as i64; 2],
            largest: [1.0, 1.0],
            weighted: true,
        };
        assert!(of(100_000).units::<Counted>().1 && of(100_000).units::<Paired>().1);
        assert!(!of(1 << 22).units::<Counted>().1 && !of(1 << 22).units::<Paired>().1);
        assert!(of(1 << 31).units::<Apart>().1);
    }

    #[test]
    fn nothing_overflows() {
        for row in [[f64::MAX, f64::MAX], [f64::INFINITY, 1.0], [f64::NAN, f64::NAN], [0.0; 2]] {
            let (sum, units, _) = sums_of::<Paired>(&[row; 3]);
            assert_eq!(sum.sums(&units).rows, 3.0, "{row:?}");
        }
    }
}
