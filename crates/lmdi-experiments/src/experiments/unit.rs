//! What most experiments repeat: one data set, with some number of rows, once more.

use crate::data::DataSet;

/// A data set, the most rows of it that are used (`usize::MAX` for all), and the repetition.
pub struct Unit {
    pub set: &'static DataSet,
    pub n: usize,
    pub repetition: usize,
}

/// Names of the fields of a [`Unit`].
pub const FIELDS: &[&str] = &["set", "n", "repetition"];

impl Unit {
    pub fn fields(&self) -> Vec<String> {
        let n = if self.n == usize::MAX { "all".into() } else { self.n.to_string() };
        vec![self.set.key.into(), n, self.repetition.to_string()]
    }

    /// All units, repetition by repetition.
    pub fn all(sets: &[&'static DataSet], sizes: &[usize], repetitions: usize) -> Vec<Self> {
        let mut units = Vec::new();
        for repetition in 0..repetitions {
            for &n in sizes {
                units.extend(sets.iter().map(|&set| Self { set, n, repetition }));
            }
        }
        units
    }
}
