//! Which levels of a category go left at a split, as bits, and how many background rows they have.
//!
//! Counts are integers, so that what is left of a level set after many splits is exact. Splits that
//! ask the same question share their bits: the 0/1 columns of a category have one threshold each.

use crate::forest::{Missing, Tree};
use std::collections::BTreeMap;

const BITS: usize = u64::BITS as usize;

/// Sets of levels, one after the other.
#[derive(Debug, Default)]
pub(super) struct LevelSets {
    words: Vec<u64>,
}

impl LevelSets {
    /// Whether the set that begins at word `first` has a level.
    #[inline]
    pub(super) fn contains(&self, first: u32, level: u32) -> bool {
        let word = self.words[first as usize + level as usize / BITS];
        (word >> (level as usize % BITS)) & 1 == 1
    }
}

/// The sets of a tree's splits while it is compiled.
pub(super) struct LevelSetsOfTree<'t> {
    tree: &'t Tree,
    pub(super) sets: LevelSets,
    known: BTreeMap<(u32, u64, u8), u32>,
}

impl<'t> LevelSetsOfTree<'t> {
    pub(super) fn new(tree: &'t Tree) -> Self {
        Self { tree, sets: LevelSets::default(), known: BTreeMap::new() }
    }

    /// Where the set of levels begins that go left at a node, given the cell of each level.
    pub(super) fn left_of(&mut self, node: usize, cells: impl Iterator<Item = f64>) -> u32 {
        let tree = self.tree;
        let missing = match tree.missing[node] {
            Missing::Left => 0,
            Missing::Right => 1,
            Missing::ZeroLeft => 2,
            Missing::ZeroRight => 3,
            Missing::AsZero => 4,
        };
        // Category sets are seldom repeated.
        let key = tree
            .categories(node)
            .is_none()
            .then(|| (tree.feature[node], tree.threshold[node].to_bits(), missing));
        if let Some(&first) = key.and_then(|key| self.known.get(&key)) {
            return first;
        }
        let first = self.sets.words.len() as u32;
        for (level, cell) in cells.enumerate() {
            if level % BITS == 0 {
                self.sets.words.push(0);
            }
            let left = u64::from(tree.goes_left(node, cell)) << (level % BITS);
            if let Some(word) = self.sets.words.last_mut() {
                *word |= left;
            }
        }
        if let Some(key) = key {
            self.known.insert(key, first);
        }
        first
    }

    /// Divides the levels of a state by the set at `first`: those that go left, and the rest.
    pub(super) fn divide(&self, state: &Alive, first: u32, counts: &[u64]) -> [Alive; 2] {
        let set = &self.sets.words[first as usize..first as usize + state.words.len()];
        let left: Vec<u64> = state.words.iter().zip(set).map(|(alive, set)| alive & set).collect();
        let right: Vec<u64> =
            state.words.iter().zip(set).map(|(alive, set)| alive & !set).collect();
        let count_ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>();
        // The rows of the smaller set are added up; the other set has the rest.
        let (n_left, n_right) = if count_ones(&left) <= count_ones(&right) {
            let n = rows_of(&left, counts);
            (n, state.n_rows - n)
        } else {
            let n = rows_of(&right, counts);
            (state.n_rows - n, n)
        };
        [Alive { words: left, n_rows: n_left }, Alive { words: right, n_rows: n_right }]
    }
}

/// Levels that are still possible after some splits.
#[derive(Debug, Clone)]
pub(super) struct Alive {
    words: Vec<u64>,
    /// Background rows with these levels.
    pub(super) n_rows: u64,
}

impl Alive {
    /// All levels.
    pub(super) fn all(counts: &[u64]) -> Self {
        let mut words = vec![u64::MAX; counts.len().div_ceil(BITS)];
        if let Some(last) = words.last_mut()
            && !counts.len().is_multiple_of(BITS)
        {
            *last = (1 << (counts.len() % BITS)) - 1;
        }
        Self { words, n_rows: counts.iter().sum() }
    }
}

fn rows_of(words: &[u64], counts: &[u64]) -> u64 {
    let mut sum = 0;
    for (word, counts) in words.iter().zip(counts.chunks(BITS)) {
        let mut left = *word;
        while left != 0 {
            sum += counts[left.trailing_zeros() as usize];
            left &= left - 1;
        }
    }
    sum
}
