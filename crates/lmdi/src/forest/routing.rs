//! How many rows find their leaves quickly: trees compiled for walking.
//!
//! Trees are compiled to small arrays in an order of their own (see `compiled.rs`); [`Router`]
//! gives node indices of the ensemble. Trees that compare 32-bit cells hold 32-bit thresholds,
//! rounded down: no 32-bit number lies between a threshold and its rounded form.
//!
//! Trees with categorical splits, or with zero as missing value, are walked as they are.
//!
//! Cost: compiling is linear in the number of nodes; a step of a row is a few instructions, and
//! rows of a block wait together for the same part of the tree to arrive from memory.

use super::compiled::{LANES, Walk, compile};
use super::{Ensemble, Precision, Tree};
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

#[derive(Debug)]
enum Routed {
    Single(Box<dyn Walk<f32>>),
    Double(Box<dyn Walk<f64>>),
    AsIs(Box<Tree>),
}

/// The trees of an ensemble, compiled for walking.
///
/// ```
/// # use lmdi::forest::{routing::Router, train::{ForestParams, TrainingSet, train_forest}};
/// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
/// # fn main() -> lmdi::Result<()> {
/// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
/// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
/// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
/// #     feature_names: &["age".to_string()], labels: &[] };
/// # let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
/// let router = Router::new(&forest);
/// let mut block = router.block();
/// block.read(&x.view(), 0..40);
/// let mut leaves = vec![0; 40];
/// router.leaves(0, &block, &mut leaves);
/// assert_eq!(leaves[7] as usize, forest.trees[0].leaf_of(&[7.0]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Router {
    trees: Vec<Routed>,
    n_features: usize,
    any_single: bool,
}

impl Router {
    /// Compiles the trees of an ensemble that passes its [`check`](Ensemble::check).
    pub fn new(ensemble: &Ensemble) -> Self {
        let route = |tree: &Tree| {
            let compiled = match tree.precision {
                Precision::Single => compile(tree).map(Routed::Single),
                Precision::Double => compile(tree).map(Routed::Double),
            };
            let as_is = || Routed::AsIs(Box::new(Tree { in_bag: None, ..tree.clone() }));
            compiled.unwrap_or_else(as_is)
        };
        let trees: Vec<Routed> = ensemble.trees.par_iter().map(route).collect();
        Self {
            any_single: trees.iter().any(|tree| matches!(tree, Routed::Single(_))),
            trees,
            n_features: ensemble.n_features(),
        }
    }

    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        self.trees.len()
    }

    /// How many rows to read into a block at a time: few enough to stay in the cache.
    pub fn rows_per_block(&self) -> usize {
        (1usize << 17).div_ceil(self.n_features.max(1)).clamp(4 * LANES, 4096)
    }

    /// An empty block of rows for these trees.
    pub fn block(&self) -> Block {
        Block {
            n_rows: 0,
            width: self.n_features,
            has_missing: false,
            keep_single: self.any_single,
            single: Vec::new(),
            double: Vec::new(),
        }
    }

    /// Fails unless `x` has a column for each feature.
    pub fn check_columns(&self, x: &MatrixView) -> Result<()> {
        if x.cols() == self.n_features {
            return Ok(());
        }
        Err(Error::Shape {
            what: "columns of the table to predict".into(),
            found: x.cols(),
            expected: self.n_features,
        })
    }

    /// The leaf of each row of the block in one tree, as a node index of the ensemble.
    ///
    /// # Panics
    /// If `out` has not one entry a row of the block.
    pub fn leaves(&self, tree: usize, block: &Block, out: &mut [u32]) {
        self.positions(tree, block, out);
        if let Some(original) = self.originals(tree) {
            out.iter_mut().for_each(|leaf| *leaf = original[*leaf as usize]);
        }
    }

    /// As [`leaves`](Self::leaves), but positions in the compiled tree.
    pub(super) fn positions(&self, tree: usize, block: &Block, out: &mut [u32]) {
        assert_eq!(out.len(), block.n_rows, "one entry a row of the block");
        match &self.trees[tree] {
            Routed::Single(tree) => {
                tree.leaves(&block.single, block.width, block.has_missing, out);
            }
            Routed::Double(tree) => {
                tree.leaves(&block.double, block.width, block.has_missing, out);
            }
            Routed::AsIs(tree) => {
                for (row, out) in out.iter_mut().enumerate() {
                    *out = tree.leaf_of(block.row(row)) as u32;
                }
            }
        }
    }

    /// The node index of each position of a compiled tree; `None` if positions are node indices.
    pub(super) fn originals(&self, tree: usize) -> Option<&[u32]> {
        match &self.trees[tree] {
            Routed::Single(compiled) => Some(compiled.original()),
            Routed::Double(compiled) => Some(compiled.original()),
            Routed::AsIs(_) => None,
        }
    }

    /// Follows one row of the block down a tree: calls `visit(node, went_left)` at every split on
    /// its path, from the root, and gives the leaf. All are node indices of the ensemble.
    pub fn walk(
        &self,
        tree: usize,
        block: &Block,
        row: usize,
        mut visit: impl FnMut(u32, bool),
    ) -> u32 {
        let cells = row * block.width..(row + 1) * block.width;
        match &self.trees[tree] {
            Routed::Single(tree) => tree.follow(&block.single[cells], &mut visit),
            Routed::Double(tree) => tree.follow(&block.double[cells], &mut visit),
            Routed::AsIs(tree) => {
                let cells = block.row(row);
                let mut node = 0;
                while !tree.is_leaf(node) {
                    let left = tree.goes_left(node, cells[tree.feature[node] as usize]);
                    visit(node as u32, left);
                    node = if left { tree.left[node] } else { tree.right[node] } as usize;
                }
                node as u32
            }
        }
    }
}

/// Rows copied out of a matrix in the widths in which the trees of a [`Router`] compare them.
#[derive(Debug, Clone)]
pub struct Block {
    n_rows: usize,
    width: usize,
    has_missing: bool,
    keep_single: bool,
    single: Vec<f32>,
    double: Vec<f64>,
}

impl Block {
    /// Replaces the rows of the block.
    ///
    /// # Panics
    /// If the range is outside the matrix, or the matrix has another number of columns.
    pub fn read(&mut self, x: &MatrixView, rows: Range<usize>) {
        assert_eq!(x.cols(), self.width, "another number of columns");
        self.n_rows = rows.len();
        self.double.resize(rows.len() * self.width, 0.0);
        x.rows_into(rows, &mut self.double);
        self.has_missing = self.double.iter().any(|cell| cell.is_nan());
        if self.keep_single {
            self.single.clear();
            self.single.extend(self.double.iter().map(|&cell| cell as f32));
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.double[row * self.width..(row + 1) * self.width]
    }
}
