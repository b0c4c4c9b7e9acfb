//! How many rows find their leaves quickly: trees compiled for walking.
//!
//! A compiled tree is one array of small nodes in which the two children of a node are neighbours,
//! the left one first, so a step is `left + (goes right as 0 or 1)`. A leaf is its own left child
//! and sends everything left, which lets several rows step together until none of them moves.
//! Trees that compare 32-bit cells hold 32-bit thresholds, rounded down: no 32-bit number lies
//! between a threshold and its rounded form. Compiled positions differ from node indices;
//! [`Router`] gives node indices of the ensemble.
//!
//! Trees with categorical splits, or with zero as missing value, are walked as they are.
//!
//! Cost: compiling is linear in the number of nodes; a step of a row is a few instructions, and
//! rows of a block wait together for the same part of the tree to arrive from memory.

use super::{Comparison, Ensemble, Missing, NONE, Precision, Tree};
use crate::table::MatrixView;
use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that step together.
const LANES: usize = 8;

/// Bit of [`Node::feature`]: missing cells go right.
const MISSING_RIGHT: u32 = 1 << 31;

/// A node of a compiled tree; see the module's description.
#[derive(Debug, Clone, Copy)]
struct Node<C> {
    threshold: C,
    feature: u32,
    left: u32,
}

/// A cell in the width in which a tree compares it.
trait Cell: Copy + PartialOrd + Send + Sync {
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

#[derive(Debug)]
struct Compiled<C> {
    nodes: Vec<Node<C>>,
    /// Node index of each position.
    original: Vec<u32>,
}

impl<C: Cell> Compiled<C> {
    /// Whether every split can be compiled: numeric, NaN the only missing value, and no threshold
    /// below which there is no cell.
    fn can_hold(tree: &Tree) -> bool {
        (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)).all(|node| {
            tree.category_set[node] == NONE
                && matches!(tree.missing[node], Missing::Left | Missing::Right)
                && tree.threshold[node] > f64::NEG_INFINITY
                && tree.feature[node] < MISSING_RIGHT
        })
    }

    fn new(tree: &Tree) -> Self {
        let blank = Node { threshold: C::HIGHEST, feature: 0, left: 0 };
        let mut compiled =
            Self { nodes: vec![blank; tree.n_nodes()], original: vec![0; tree.n_nodes()] };
        let mut next = 1;
        let mut waiting = vec![(0u32, 0usize)];
        while let Some((position, node)) = waiting.pop() {
            compiled.original[position as usize] = node as u32;
            let at = &mut compiled.nodes[position as usize];
            if tree.is_leaf(node) {
                at.left = position;
                continue;
            }
            at.threshold = match tree.comparison {
                Comparison::LessEqual => C::at_most(tree.threshold[node]),
                Comparison::Less => C::below(tree.threshold[node]),
            };
            at.feature = tree.feature[node];
            if tree.missing[node] == Missing::Right {
                at.feature |= MISSING_RIGHT;
            }
            at.left = next;
            // The child with more training rows is placed first, near its parent.
            let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
            let children = [(next, left), (next + 1, right)];
            let heavy = usize::from(tree.weight[right] > tree.weight[left]);
            waiting.push(children[1 - heavy]);
            waiting.push(children[heavy]);
            next += 2;
        }
        compiled
    }

    /// The next position of a row. Without missing cells (`MISSING` false) one comparison decides.
    #[inline]
    fn step<const MISSING: bool>(&self, position: u32, cells: &[C], row_start: usize) -> u32 {
        let node = self.nodes[position as usize];
        let x = cells[row_start + (node.feature & !MISSING_RIGHT) as usize];
        let mut right = x > node.threshold;
        if MISSING {
            right |= x.is_missing() & (node.feature & MISSING_RIGHT != 0);
        }
        node.left + u32::from(right)
    }

    /// The positions of the leaves that rows of `width` cells reach.
    fn leaves<const MISSING: bool>(&self, cells: &[C], width: usize, out: &mut [u32]) {
        out.fill(0);
        if self.nodes.len() == 1 {
            return;
        }
        let mut groups = out.chunks_exact_mut(LANES);
        let mut blocks = cells.chunks_exact(LANES * width);
        for (group, block) in groups.by_ref().zip(blocks.by_ref()) {
            let mut at = [0u32; LANES];
            loop {
                let mut moved = 0;
                for (lane, at) in at.iter_mut().enumerate() {
                    let next = self.step::<MISSING>(*at, block, lane * width);
                    moved |= next ^ *at;
                    *at = next;
                }
                if moved == 0 {
                    break;
                }
            }
            group.copy_from_slice(&at);
        }
        for (out, row) in groups.into_remainder().iter_mut().zip(blocks.remainder().chunks(width)) {
            while self.nodes[*out as usize].left != *out {
                *out = self.step::<MISSING>(*out, row, 0);
            }
        }
    }
}

#[derive(Debug)]
enum Routed {
    Single(Compiled<f32>),
    Double(Compiled<f64>),
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
        let compile = |tree: &Tree| match tree.precision {
            _ if !Compiled::<f64>::can_hold(tree) => {
                Routed::AsIs(Box::new(Tree { in_bag: None, ..tree.clone() }))
            }
            Precision::Single => Routed::Single(Compiled::new(tree)),
            Precision::Double => Routed::Double(Compiled::new(tree)),
        };
        let trees: Vec<Routed> = ensemble.trees.par_iter().map(compile).collect();
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
        let original = match &self.trees[tree] {
            Routed::Single(compiled) => &compiled.original,
            Routed::Double(compiled) => &compiled.original,
            Routed::AsIs(_) => return,
        };
        out.iter_mut().for_each(|leaf| *leaf = original[*leaf as usize]);
    }

    /// As [`leaves`](Self::leaves), but positions in the compiled tree.
    pub(super) fn positions(&self, tree: usize, block: &Block, out: &mut [u32]) {
        assert_eq!(out.len(), block.n_rows, "one entry a row of the block");
        match &self.trees[tree] {
            Routed::Single(tree) if block.has_missing => {
                tree.leaves::<true>(&block.single, block.width, out);
            }
            Routed::Single(tree) => tree.leaves::<false>(&block.single, block.width, out),
            Routed::Double(tree) if block.has_missing => {
                tree.leaves::<true>(&block.double, block.width, out);
            }
            Routed::Double(tree) => tree.leaves::<false>(&block.double, block.width, out),
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
            Routed::Single(compiled) => Some(&compiled.original),
            Routed::Double(compiled) => Some(&compiled.original),
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
        fn follow<C: Cell>(
            tree: &Compiled<C>,
            row: &[C],
            visit: &mut impl FnMut(u32, bool),
        ) -> u32 {
            let mut at = 0;
            loop {
                let left = tree.nodes[at as usize].left;
                if left == at {
                    return tree.original[at as usize];
                }
                let next = tree.step::<true>(at, row, 0);
                visit(tree.original[at as usize], next == left);
                at = next;
            }
        }
        let cells = row * block.width..(row + 1) * block.width;
        match &self.trees[tree] {
            Routed::Single(tree) => follow(tree, &block.single[cells], &mut visit),
            Routed::Double(tree) => follow(tree, &block.double[cells], &mut visit),
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
