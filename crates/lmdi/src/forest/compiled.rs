//! One tree compiled for walking: the arrays behind [`Router`](super::routing::Router).
//!
//! A compiled tree is one array of small nodes in which the two children of a node are neighbours,
//! the left one first, so a step is `left + (goes right as 0 or 1)`. A leaf is its own left child
//! and sends everything left, which lets several rows step together until none of them moves.
//!
//! Walking waits for memory most of the time, so nodes are as small as they can be: where column
//! and child fit one 32-bit word ([`Packed`]) a node of a tree that compares 32-bit cells takes 8
//! bytes. Trees with more columns or nodes than that take the [`Wide`] form.

use super::{Comparison, Missing, NONE, Tree};
use std::fmt::Debug;

/// Rows that step together.
pub(super) const LANES: usize = 8;

/// A cell in the width in which a tree compares it.
pub(super) trait Cell: Copy + Debug + PartialOrd + Send + Sync {
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

/// What a node says beside its threshold: its column, its left child, and whether missing cells go
/// right.
trait Link: Copy + Debug + Send + Sync {
    /// Columns and nodes that fit.
    const MAX_FEATURES: usize;
    const MAX_NODES: usize;
    fn new(feature: u32, left: u32, missing_right: bool) -> Self;
    fn feature(self) -> usize;
    fn left(self) -> u32;
    fn missing_right(self) -> bool;
}

/// From the low bits up: column, whether missing cells go right, left child.
#[derive(Debug, Clone, Copy)]
struct Packed(u32);

const FEATURE_BITS: u32 = 10;
const LEFT_SHIFT: u32 = FEATURE_BITS + 1;

impl Link for Packed {
    const MAX_FEATURES: usize = 1 << FEATURE_BITS;
    const MAX_NODES: usize = 1 << (u32::BITS - LEFT_SHIFT);

    fn new(feature: u32, left: u32, missing_right: bool) -> Self {
        Self(left << LEFT_SHIFT | u32::from(missing_right) << FEATURE_BITS | feature)
    }

    #[inline]
    fn feature(self) -> usize {
        (self.0 & ((1 << FEATURE_BITS) - 1)) as usize
    }

    #[inline]
    fn left(self) -> u32 {
        self.0 >> LEFT_SHIFT
    }

    #[inline]
    fn missing_right(self) -> bool {
        self.0 >> FEATURE_BITS & 1 == 1
    }
}

/// Two words; the highest bit of `feature` tells that missing cells go right.
#[derive(Debug, Clone, Copy)]
struct Wide {
    feature: u32,
    left: u32,
}

const WIDE_MISSING_RIGHT: u32 = 1 << 31;

impl Link for Wide {
    const MAX_FEATURES: usize = 1 << 31;
    const MAX_NODES: usize = u32::MAX as usize;

    fn new(feature: u32, left: u32, missing_right: bool) -> Self {
        let flag = if missing_right { WIDE_MISSING_RIGHT } else { 0 };
        Self { feature: feature | flag, left }
    }

    #[inline]
    fn feature(self) -> usize {
        (self.feature & !WIDE_MISSING_RIGHT) as usize
    }

    #[inline]
    fn left(self) -> u32 {
        self.left
    }

    #[inline]
    fn missing_right(self) -> bool {
        self.feature & WIDE_MISSING_RIGHT != 0
    }
}

/// A compiled tree that compares cells of type `C`.
pub(super) trait Walk<C>: Debug + Send + Sync {
    /// The positions of the leaves that rows of `width` cells reach; `has_missing` if any cell is
    /// missing.
    fn leaves(&self, cells: &[C], width: usize, has_missing: bool, out: &mut [u32]);

    /// Follows one row; see [`Router::walk`](super::routing::Router::walk).
    fn follow(&self, row: &[C], visit: &mut dyn FnMut(u32, bool)) -> u32;

    /// The node index of each position.
    fn original(&self) -> &[u32];
}

/// Compiles a tree; `None` unless every split is numeric, with NaN the only missing value and with
/// a cell that is not above its threshold.
pub(super) fn compile<C: Cell + 'static>(tree: &Tree) -> Option<Box<dyn Walk<C>>> {
    let splits = || (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node));
    let plain = splits().all(|node| {
        tree.category_set[node] == NONE
            && matches!(tree.missing[node], Missing::Left | Missing::Right)
            && tree.threshold[node] > f64::NEG_INFINITY
    });
    let n_features = splits().map(|node| tree.feature[node] as usize + 1).max().unwrap_or(0);
    if plain && n_features <= Packed::MAX_FEATURES && tree.n_nodes() <= Packed::MAX_NODES {
        Some(Box::new(Compiled::<C, Packed>::new(tree)))
    } else if plain && n_features <= Wide::MAX_FEATURES && tree.n_nodes() <= Wide::MAX_NODES {
        Some(Box::new(Compiled::<C, Wide>::new(tree)))
    } else {
        None
    }
}

#[derive(Debug, Clone, Copy)]
struct Node<C, L> {
    threshold: C,
    link: L,
}

#[derive(Debug)]
struct Compiled<C, L> {
    nodes: Vec<Node<C, L>>,
    original: Vec<u32>,
}

impl<C: Cell, L: Link> Compiled<C, L> {
    fn new(tree: &Tree) -> Self {
        let blank = Node { threshold: C::HIGHEST, link: L::new(0, 0, false) };
        let mut compiled =
            Self { nodes: vec![blank; tree.n_nodes()], original: vec![0; tree.n_nodes()] };
        let mut next = 1;
        let mut waiting = vec![(0u32, 0usize)];
        while let Some((position, node)) = waiting.pop() {
            compiled.original[position as usize] = node as u32;
            let at = &mut compiled.nodes[position as usize];
            if tree.is_leaf(node) {
                at.link = L::new(0, position, false);
                continue;
            }
            at.threshold = match tree.comparison {
                Comparison::LessEqual => C::at_most(tree.threshold[node]),
                Comparison::Less => C::below(tree.threshold[node]),
            };
            at.link = L::new(tree.feature[node], next, tree.missing[node] == Missing::Right);
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
        let Node { threshold, link } = self.nodes[position as usize];
        let x = cells[row_start + link.feature()];
        let mut right = x > threshold;
        if MISSING {
            right |= x.is_missing() & link.missing_right();
        }
        link.left() + u32::from(right)
    }

    fn leaves_of<const MISSING: bool>(&self, cells: &[C], width: usize, out: &mut [u32]) {
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
            while self.nodes[*out as usize].link.left() != *out {
                *out = self.step::<MISSING>(*out, row, 0);
            }
        }
    }
}

impl<C: Cell, L: Link> Walk<C> for Compiled<C, L> {
    fn leaves(&self, cells: &[C], width: usize, has_missing: bool, out: &mut [u32]) {
        if has_missing {
            self.leaves_of::<true>(cells, width, out);
        } else {
            self.leaves_of::<false>(cells, width, out);
        }
    }

    fn follow(&self, row: &[C], visit: &mut dyn FnMut(u32, bool)) -> u32 {
        let mut at = 0;
        loop {
            let left = self.nodes[at as usize].link.left();
            if left == at {
                return self.original[at as usize];
            }
            let next = self.step::<true>(at, row, 0);
            visit(self.original[at as usize], next == left);
            at = next;
        }
    }

    fn original(&self) -> &[u32] {
        &self.original
    }
}
