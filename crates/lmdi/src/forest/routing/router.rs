//! The router: all trees of an ensemble, compiled, and the walks of rows through them.

use super::block::Block;
use super::compiled::{Walk, compile};
use super::lanes::LANES;
use super::path_amounts::{NodeAmounts, PathAmounts};
use crate::forest::{Ensemble, Precision, Tree};
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

impl Routed {
    fn n_nodes(&self) -> usize {
        match self {
            Self::Single(compiled) => compiled.original().len(),
            Self::Double(compiled) => compiled.original().len(),
            Self::AsIs(tree) => tree.n_nodes(),
        }
    }
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
    /// The mean over trees.
    nodes_per_tree: usize,
    any_single: bool,
    any_double: bool,
}

impl Router {
    /// Compiles the trees of an ensemble that passes its [`check`](Ensemble::check).
    pub fn new(ensemble: &Ensemble) -> Self {
        Self::of_trees(ensemble, 0..ensemble.trees.len())
    }

    /// The same for some trees, which are counted from the first of them: where trees are looked at
    /// one after the other, they need not all be compiled at a time.
    pub fn of_trees(ensemble: &Ensemble, trees: Range<usize>) -> Self {
        let trees = ensemble.trees[trees].par_iter().map(|tree| (tree, None));
        Self::compiled(ensemble.n_features(), trees)
    }

    /// The same with nodes that hold the amounts of their tree where there is one output. What
    /// lies below all amounts is left out: leaves are the last nodes that matter.
    pub(super) fn holding(ensemble: &Ensemble, amounts: &[NodeAmounts<'_>]) -> Self {
        let trees = ensemble.trees.par_iter().zip(amounts.par_iter().map(Some));
        Self::compiled(ensemble.n_features(), trees)
    }

    /// The same with trees that are walked as they are, row by row: for few rows, which do not
    /// repay compiling.
    pub(crate) fn as_is(ensemble: &Ensemble) -> Self {
        // Walks read neither weights nor impurities.
        let copy = |tree: &Tree| {
            let none = Vec::new;
            Routed::AsIs(Box::new(Tree {
                feature: tree.feature.clone(),
                threshold: tree.threshold.clone(),
                category_set: tree.category_set.clone(),
                missing: tree.missing.clone(),
                left: tree.left.clone(),
                right: tree.right.clone(),
                value: none(),
                n_values: tree.n_values,
                weight: none(),
                impurity: none(),
                comparison: tree.comparison,
                precision: tree.precision,
                category_sets: tree.category_sets.clone(),
                in_bag: None,
            }))
        };
        Self::of_routed(ensemble.trees.par_iter().map(copy).collect(), ensemble.n_features())
    }

    fn compiled<'t>(
        n_features: usize,
        trees: impl ParallelIterator<Item = (&'t Tree, Option<&'t NodeAmounts<'t>>)>,
    ) -> Self {
        let route = |(tree, amounts): (&Tree, Option<&NodeAmounts<'_>>)| {
            let compiled = match tree.precision {
                Precision::Single => compile(tree, n_features, amounts).map(Routed::Single),
                Precision::Double => compile(tree, n_features, amounts).map(Routed::Double),
            };
            let as_is = || Routed::AsIs(Box::new(Tree { in_bag: None, ..tree.clone() }));
            compiled.unwrap_or_else(as_is)
        };
        Self::of_routed(trees.map(route).collect(), n_features)
    }

    fn of_routed(trees: Vec<Routed>, n_features: usize) -> Self {
        let nodes: usize = trees.iter().map(Routed::n_nodes).sum();
        Self {
            any_single: trees.iter().any(|tree| matches!(tree, Routed::Single(_))),
            any_double: trees.iter().any(|tree| !matches!(tree, Routed::Single(_))),
            nodes_per_tree: nodes / trees.len().max(1),
            trees,
            n_features,
        }
    }

    /// Number of trees.
    pub fn n_trees(&self) -> usize {
        self.trees.len()
    }

    /// How many rows to read into a block at a time: few enough to stay near the processor, but so
    /// many that fetching a tree pays, which takes more rows the larger the trees are.
    pub fn rows_per_block(&self) -> usize {
        let near = (1usize << 18).div_ceil(self.n_features.max(1));
        near.max(self.nodes_per_tree / 2).clamp(4 * LANES, 16384).next_multiple_of(LANES)
    }

    /// How many rows to read into a block when `n_rows` in all are shared out to threads: few
    /// enough that each has something to do, and that none waits long for the last block of
    /// another.
    pub(crate) fn rows_per_shared_block(&self, n_rows: usize) -> usize {
        let threads = rayon::current_num_threads();
        let share = if threads == 1 { n_rows } else { n_rows.div_ceil(4 * threads) };
        self.rows_per_block().min(share.max(8 * LANES).next_multiple_of(LANES))
    }

    /// An empty block of rows for these trees.
    pub fn block(&self) -> Block {
        Block::new(self.n_features, self.any_single, self.any_double)
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
    /// If `out` does not have one entry per row of the block.
    pub fn leaves(&self, tree: usize, block: &Block, out: &mut [u32]) {
        self.positions(tree, block, out);
        self.to_nodes(tree, out);
    }

    /// As [`leaves`](Self::leaves), but positions in the compiled tree.
    pub(crate) fn positions(&self, tree: usize, block: &Block, out: &mut [u32]) {
        assert_eq!(out.len(), block.n_rows, "one entry per row of the block");
        match &self.trees[tree] {
            Routed::Single(tree) => {
                tree.leaves(&block.single, block.columns, block.has_missing, out);
            }
            Routed::Double(tree) => {
                tree.leaves(&block.double, block.columns, block.has_missing, out);
            }
            Routed::AsIs(tree) => {
                for (row, out) in out.iter_mut().enumerate() {
                    *out = follow_as_is(tree, block, row, |_, _| {});
                }
            }
        }
    }

    /// As [`positions`](Self::positions), while the amounts of all nodes that each row enters are
    /// added to the row's sums.
    pub(super) fn add_along(
        &self,
        tree: usize,
        block: &Block,
        amounts: &PathAmounts,
        sums: &mut [f64],
        out: &mut [u32],
    ) {
        assert_eq!(out.len(), block.n_rows, "one entry per row of the block");
        let (columns, has_missing) = (block.columns, block.has_missing);
        match &self.trees[tree] {
            Routed::Single(tree) => {
                tree.add_along(&block.single, columns, has_missing, amounts, sums, out);
            }
            Routed::Double(tree) => {
                tree.add_along(&block.double, columns, has_missing, amounts, sums, out);
            }
            Routed::AsIs(tree) => {
                for (row, out) in out.iter_mut().enumerate() {
                    *out = follow_as_is(tree, block, row, |node, left| {
                        let child = if left { &tree.left } else { &tree.right };
                        let column = tree.feature[node as usize] as usize;
                        let cell = block.start_of(row) + column * LANES;
                        amounts.add(cell, child[node as usize], sums);
                    });
                }
            }
        }
    }

    /// From positions in a compiled tree to node indices of the ensemble.
    pub(crate) fn to_nodes(&self, tree: usize, positions: &mut [u32]) {
        if let Some(original) = self.originals(tree) {
            positions.iter_mut().for_each(|leaf| *leaf = original[*leaf as usize]);
        }
    }

    /// The node index of each position of a compiled tree; `None` if positions are node indices.
    pub(crate) fn originals(&self, tree: usize) -> Option<&[u32]> {
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
        let start = block.start_of(row);
        match &self.trees[tree] {
            Routed::Single(tree) => tree.follow(block.single.as_flattened(), start, &mut visit),
            Routed::Double(tree) => tree.follow(block.double.as_flattened(), start, &mut visit),
            Routed::AsIs(tree) => follow_as_is(tree, block, row, visit),
        }
    }
}

fn follow_as_is(tree: &Tree, block: &Block, row: usize, mut visit: impl FnMut(u32, bool)) -> u32 {
    let mut node = 0;
    while !tree.is_leaf(node) {
        let left = tree.goes_left(node, block.double_cell(row, tree.feature[node] as usize));
        visit(node as u32, left);
        node = if left { tree.left[node] } else { tree.right[node] } as usize;
    }
    node as u32
}
