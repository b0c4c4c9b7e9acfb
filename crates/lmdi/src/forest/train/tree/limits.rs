//! What limits the growth of a tree, and which of several splits with equal gain is taken.

/// When a node is not split.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) max_depth: usize,
    pub(crate) min_samples_split: usize,
    pub(crate) min_samples_leaf: usize,
    pub(crate) min_impurity_decrease: f64,
    /// Maximum number of leaves; no limit grows depth first.
    pub(crate) max_leaf_nodes: Option<usize>,
    pub(crate) max_features: usize,
    /// One random threshold per column.
    pub(crate) random_thresholds: bool,
    /// When two splits gain the same; the first of them is taken.
    pub(crate) ties: Ties,
}

/// When two splits of a node gain the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// If their scores are equal to the last bit.
    Exact,
    /// If their scores differ by rounding only. The order of rows, and whether equal rows are
    /// repeated or weighted, then change no tree.
    ToRounding,
}

/// Scores of splits that gain the same differ by less than this, relatively.
const ROUNDING: f64 = 1e-10;

impl Ties {
    /// What the score of a later candidate must exceed.
    pub(crate) fn bar(self, score: f64) -> f64 {
        match self {
            Ties::ToRounding if score.is_finite() => score + ROUNDING * score.abs(),
            _ => score,
        }
    }

    /// Whether no split can gain more than one of this score; `of_pure_sides` is the most that a
    /// split of the node can have.
    pub(crate) fn settled(self, score: f64, of_pure_sides: f64) -> bool {
        self == Ties::ToRounding && score >= of_pure_sides - ROUNDING * of_pure_sides.abs()
    }
}
