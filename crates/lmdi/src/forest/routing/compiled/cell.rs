//! Cells in the width in which a tree compares them, and thresholds rounded to that width.

use std::fmt::Debug;

/// A cell in the width in which a tree compares it.
pub(in crate::forest) trait Cell:
    Copy + Debug + PartialOrd + Send + Sync
{
    const HIGHEST: Self;
    /// The largest cell that is not above the threshold.
    fn at_most(threshold: f64) -> Self;
    /// The largest cell below the threshold.
    fn below(threshold: f64) -> Self;
    fn is_missing(self) -> bool;
}

impl Cell for f32 {
    const HIGHEST: f32 = f32::INFINITY;

    fn at_most(threshold: f64) -> f32 {
        let nearest = threshold as f32;
        if f64::from(nearest) > threshold { nearest.next_down() } else { nearest }
    }

    fn below(threshold: f64) -> f32 {
        let nearest = threshold as f32;
        if f64::from(nearest) >= threshold { nearest.next_down() } else { nearest }
    }

    fn is_missing(self) -> bool {
        self.is_nan()
    }
}

impl Cell for f64 {
    const HIGHEST: f64 = f64::INFINITY;

    fn at_most(threshold: f64) -> f64 {
        threshold
    }

    fn below(threshold: f64) -> f64 {
        threshold.next_down()
    }

    fn is_missing(self) -> bool {
        self.is_nan()
    }
}
