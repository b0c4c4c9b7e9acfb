//! The best of many strengths of a ridge penalty, without measuring all of them.
//!
//! The error of a ridge fit depends on the strength l through terms `d / (d + l)` with d > 0. In
//! log(l) each is the same smooth step, which spans more than a factor of ten. Between strengths a
//! factor of [`STRIDE`] apart, the error therefore has no room for another dip. Strengths that far
//! apart are measured first, and then all others around each local minimum.
//!
//! If errors can be measured more or less accurately, most are measured roughly; those close to the
//! smallest are measured again.
//!
//! Cost: for 100 strengths over seven powers of ten about 17 measurements.

/// Largest factor between strengths that are measured first.
const STRIDE: f64 = 8.0;

/// Rough errors within this share of the smallest one are measured again.
const CLOSE: f64 = 2e-3;

/// How accurately to measure an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accuracy {
    /// To a small part of [`CLOSE`].
    Rough,
    /// As accurately as possible.
    Full,
}

/// The place of the smallest error; ties go to the first. Errors that are not numbers come last.
/// Strengths that are not in increasing order are all measured.
pub fn minimise_on_grid(strengths: &[f64], error: impl FnMut(f64) -> f64) -> usize {
    smallest(&measure(strengths, error))
}

/// The same with errors that are cheaper to measure roughly. Only those that come close to the smallest
/// are measured fully, and strengths beside the best that were not measured.
pub fn minimise_in_two_stages(
    strengths: &[f64],
    mut error: impl FnMut(f64, Accuracy) -> f64,
) -> usize {
    let mut errors = measure(strengths, |strength| error(strength, Accuracy::Rough));
    let mut measured = vec![false; strengths.len()];
    loop {
        let best = smallest(&errors);
        let limit = known(&errors, best) * (1.0 + CLOSE);
        let beside = best.saturating_sub(1)..=best + 1;
        let is_unknown = |at: &usize| beside.contains(at) && errors[*at].is_none();
        let missing =
            |at: &usize| !measured[*at] && (known(&errors, *at) <= limit || is_unknown(at));
        // From strong to weak, as in the first stage.
        let Some(at) = (0..strengths.len()).rev().find(missing) else {
            return best;
        };
        errors[at] = Some(error(strengths[at], Accuracy::Full));
        measured[at] = true;
    }
}

/// Measures as many errors as it takes to find the smallest.
fn measure(strengths: &[f64], mut error: impl FnMut(f64) -> f64) -> Vec<Option<f64>> {
    let mut errors = vec![None; strengths.len()];
    let first = coarse(strengths);
    // From strong to weak: fits that start from the last one have few columns to move at a time.
    for &at in first.iter().rev() {
        errors[at] = Some(error(strengths[at]));
    }
    for (place, &at) in first.iter().enumerate() {
        let before = if place > 0 { first[place - 1] } else { at };
        let after = first.get(place + 1).copied().unwrap_or(at);
        if known(&errors, at) > known(&errors, before).min(known(&errors, after)) {
            continue;
        }
        let mut valley = [before, at, after];
        while valley[0] + 1 < valley[1] || valley[1] + 1 < valley[2] {
            let [before, at, after] = valley;
            let mut places = vec![before, before.midpoint(at), at, at.midpoint(after), after];
            places.dedup();
            for &place in &places {
                errors[place].get_or_insert_with(|| error(strengths[place]));
            }
            let mut lowest = 0;
            for place in 1..places.len() {
                if known(&errors, places[place]) < known(&errors, places[lowest]) {
                    lowest = place;
                }
            }
            let last = places.len() - 1;
            valley = [lowest.saturating_sub(1), lowest, last.min(lowest + 1)].map(|at| places[at]);
        }
    }
    errors
}

/// The place of the smallest known error; ties go to the first.
fn smallest(errors: &[Option<f64>]) -> usize {
    let mut best = 0;
    for at in 0..errors.len() {
        if known(errors, at) < known(errors, best) {
            best = at;
        }
    }
    best
}

/// An error; infinite if it was not measured or is not a number.
fn known(errors: &[Option<f64>], at: usize) -> f64 {
    errors[at].filter(|error| !error.is_nan()).unwrap_or(f64::INFINITY)
}

/// Places so that no factor between two of them exceeds [`STRIDE`] unless they are neighbours, the
/// ends included.
fn coarse(strengths: &[f64]) -> Vec<usize> {
    if !strengths.is_sorted_by(|a, b| 0.0 < *a && a < b) {
        return (0..strengths.len()).collect();
    }
    let mut places = Vec::new();
    for at in 0..strengths.len() {
        let is_end = at == 0 || at + 1 == strengths.len();
        let next_too_far = |last: usize| strengths[at + 1] > STRIDE * strengths[last];
        if is_end || places.last().is_some_and(|&last| next_too_far(last)) {
            places.push(at);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{generator, unit};

    fn grid(from: f64, to: f64, count: usize) -> Vec<f64> {
        let step = (to - from) / (count - 1) as f64;
        (0..count).map(|at| libm::pow(10.0, from + step * at as f64)).collect()
    }

    /// Errors of ridge regressions in their own coordinates: a sum over directions of squared bias
    /// and variance.
    #[test]
    fn the_smallest_of_all_is_found() {
        for seed in 0..500 {
            let mut random = generator(seed, 0);
            let directions: Vec<[f64; 3]> = (0..1 + seed % 7)
                .map(|_| {
                    let d = libm::pow(10.0, 8.0 * unit(&mut random) - 4.0);
                    [d, unit(&mut random), libm::pow(10.0, 4.0 * unit(&mut random) - 4.0)]
                })
                .collect();
            let error = |l: f64| {
                let term = |[d, signal, noise]: &[f64; 3]| {
                    let (kept, lost) = (d / (d + l), l / (d + l));
                    signal * lost * lost + noise * kept * kept
                };
                directions.iter().map(term).sum::<f64>()
            };
            for strengths in [grid(-4.0, 3.0, 100), grid(-2.0, 3.0, 25), grid(0.0, 1.0, 3)] {
                let mut measured = 0;
                let found = minimise_on_grid(&strengths, |l| {
                    measured += 1;
                    error(l)
                });
                let smallest = strengths.iter().map(|&l| error(l)).fold(f64::INFINITY, f64::min);
                assert_eq!(error(strengths[found]), smallest, "seed {seed}");
                assert!(measured <= strengths.len());
                assert!(strengths.len() < 100 || measured <= 35, "{measured}");
                // Rough errors are off by a part of what counts as close.
                let staged = minimise_in_two_stages(&strengths, |l, accuracy| match accuracy {
                    Accuracy::Rough => error(l) * (1.0 + 6e-4 * libm::sin(1e3 * l)),
                    Accuracy::Full => error(l),
                });
                assert_eq!(error(strengths[staged]), smallest, "seed {seed} in two stages");
            }
        }
    }

    #[test]
    fn any_order_and_numbers_that_are_none_are_taken() {
        assert_eq!(minimise_on_grid(&[3.0, 1.0, 2.0], |l| (l - 2.0).abs()), 2);
        assert_eq!(minimise_on_grid(&[1.0, 2.0, 3.0], |_| 5.0), 0);
        assert_eq!(minimise_on_grid(&[1.0, 2.0, 3.0], |l| if l < 3.0 { f64::NAN } else { 1.0 }), 2);
        assert_eq!(minimise_on_grid(&[1.0, 2.0], |_| f64::NAN), 0);
        assert_eq!(minimise_on_grid(&[7.0], |_| 1.0), 0);
        assert_eq!(coarse(&[1.0, 2.0, 7.9, 8.1, 9.0, 100.0, 101.0]), [0, 2, 4, 5, 6]);
    }
}
