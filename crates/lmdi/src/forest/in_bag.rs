//! How often each training row was drawn into a tree's bootstrap sample.

use serde::{Deserialize, Serialize};

/// Draw counts per training row; a count of zero is an out-of-bag row.
///
/// One byte per row unless some row was drawn more than 255 times: with 100 trees and a million
/// rows the counts would otherwise outweigh the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum InBag {
    /// All counts fit a byte.
    Narrow(Vec<u8>),
    /// Some count does not fit a byte.
    Wide(Vec<u32>),
}

impl InBag {
    /// Stores counts in the narrowest form that holds them.
    pub fn from_counts(counts: Vec<u32>) -> Self {
        if counts.iter().all(|&count| count <= u32::from(u8::MAX)) {
            InBag::Narrow(counts.iter().map(|&count| count as u8).collect())
        } else {
            InBag::Wide(counts)
        }
    }

    /// Number of training rows.
    pub fn len(&self) -> usize {
        match self {
            InBag::Narrow(counts) => counts.len(),
            InBag::Wide(counts) => counts.len(),
        }
    }

    /// Whether there is no training row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How often row `row` was drawn.
    #[inline]
    pub fn count(&self, row: usize) -> u32 {
        match self {
            InBag::Narrow(counts) => u32::from(counts[row]),
            InBag::Wide(counts) => counts[row],
        }
    }
}
