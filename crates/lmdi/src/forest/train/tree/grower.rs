//! From splits to a tree: depth first, or the largest decrease first when leaves are limited.
//!
//! Depth first, a node's left subtree comes right after it. Best first, nodes come in the order in
//! which they were made, and of two equal decreases the older node is split first.

use super::criterion::{NodeStats, NodeTarget};
use super::splitter::{Split, Splitter};
use crate::forest::{Comparison, Missing, NONE, Precision, Tree};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A tree and, for each of its nodes, the range of the row list that it holds.
pub(crate) struct Grown {
    pub(crate) tree: Tree,
    pub(crate) ranges: Vec<Range<usize>>,
}

/// Grows the tree whose root has these statistics.
pub(crate) fn grow<T: NodeTarget>(
    splitter: &mut Splitter<T>,
    root: NodeStats,
    n_values: usize,
    max_leaf_nodes: Option<usize>,
) -> Grown {
    let mut grown = Grown { tree: empty_tree(n_values), ranges: Vec::new() };
    match max_leaf_nodes {
        None => depth_first(splitter, root, &mut grown),
        Some(max_leaves) => best_first(splitter, root, max_leaves, &mut grown),
    }
    grown.tree.fit_memory();
    grown
}

fn depth_first<T: NodeTarget>(splitter: &mut Splitter<T>, root: NodeStats, grown: &mut Grown) {
    struct Waiting {
        node: Range<usize>,
        depth: usize,
        stats: NodeStats,
        known_constants: usize,
        parent: Option<usize>,
        is_left: bool,
    }
    enum Step {
        Visit(Waiting),
        EndCopy(Range<usize>),
    }
    let mut stack = vec![Step::Visit(Waiting {
        node: 0..splitter.n_rows(),
        depth: 0,
        stats: root,
        known_constants: 0,
        parent: None,
        is_left: false,
    })];
    while let Some(step) = stack.pop() {
        let Waiting { node, depth, stats, known_constants, parent, is_left } = match step {
            Step::Visit(waiting) => waiting,
            Step::EndCopy(node) => {
                splitter.drop_copy(node);
                continue;
            }
        };
        let id = grown.push(splitter, node.clone(), &stats);
        if let Some(parent) = parent {
            let children = if is_left { &mut grown.tree.left } else { &mut grown.tree.right };
            children[parent] = id as u32;
        }
        splitter.forget_constants(known_constants);
        if splitter.copy_ranks(node.clone()) {
            stack.push(Step::EndCopy(node.clone()));
        }
        if let Some(split) = splitter.split(node.clone(), depth, &stats) {
            grown.set_split(id, &split);
            let known_constants = splitter.known_constants();
            let left = (node.start..split.middle, split.left, true);
            let right = (split.middle..node.end, split.right, false);
            for (node, stats, is_left) in [right, left] {
                let (depth, parent) = (depth + 1, Some(id));
                let waiting = Waiting { node, depth, stats, known_constants, parent, is_left };
                stack.push(Step::Visit(waiting));
            }
        }
    }
}

/// A node that can be split, ordered by how much that decreases the impurity.
struct Open {
    id: usize,
    node: Range<usize>,
    depth: usize,
    split: Split,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.split.decrease.total_cmp(&other.split.decrease).then(other.id.cmp(&self.id))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

fn best_first<T: NodeTarget>(
    splitter: &mut Splitter<T>,
    root: NodeStats,
    max_leaves: usize,
    grown: &mut Grown,
) {
    let mut open = BinaryHeap::new();
    let visit = |splitter: &mut Splitter<T>,
                 grown: &mut Grown,
                 open: &mut BinaryHeap<Open>,
                 node: Range<usize>,
                 depth: usize,
                 stats: &NodeStats| {
        let id = grown.push(splitter, node.clone(), stats);
        // Neighbours in this order are not parent and child.
        splitter.forget_constants(0);
        if let Some(split) = splitter.split(node.clone(), depth, stats) {
            open.push(Open { id, node, depth, split });
        }
        id
    };
    visit(splitter, grown, &mut open, 0..splitter.n_rows(), 0, &root);
    for _ in 1..max_leaves {
        let Some(Open { id, node, depth, split }) = open.pop() else {
            return;
        };
        grown.set_split(id, &split);
        let (left, right) = (node.start..split.middle, split.middle..node.end);
        let child = visit(splitter, grown, &mut open, left, depth + 1, &split.left);
        grown.tree.left[id] = child as u32;
        let child = visit(splitter, grown, &mut open, right, depth + 1, &split.right);
        grown.tree.right[id] = child as u32;
    }
}

impl Grown {
    /// Adds a leaf.
    fn push<T: NodeTarget>(
        &mut self,
        splitter: &Splitter<T>,
        node: Range<usize>,
        stats: &NodeStats,
    ) -> usize {
        splitter.push_value(node.clone(), stats, &mut self.tree.value);
        self.ranges.push(node);
        push_leaf(&mut self.tree, stats.weight, stats.impurity)
    }

    fn set_split(&mut self, id: usize, split: &Split) {
        self.tree.feature[id] = split.feature;
        self.tree.threshold[id] = split.threshold;
        self.tree.missing[id] = if split.missing_left { Missing::Left } else { Missing::Right };
    }
}

/// A tree without nodes, with the rules of our own trees.
pub(crate) fn empty_tree(n_values: usize) -> Tree {
    Tree {
        feature: Vec::new(),
        threshold: Vec::new(),
        category_set: Vec::new(),
        missing: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        value: Vec::new(),
        n_values,
        weight: Vec::new(),
        impurity: Vec::new(),
        comparison: Comparison::LessEqual,
        precision: Precision::Single,
        category_sets: Vec::new(),
        in_bag: None,
    }
}

/// Adds a leaf whose value the caller has added; gives its index.
pub(crate) fn push_leaf(tree: &mut Tree, weight: f64, impurity: f64) -> usize {
    tree.feature.push(NONE);
    tree.threshold.push(0.0);
    tree.missing.push(Missing::Right);
    tree.left.push(NONE);
    tree.right.push(NONE);
    tree.weight.push(weight);
    tree.impurity.push(impurity);
    tree.feature.len() - 1
}
