//! The splits of a tree from the root down, left before right, and what each of them has to do with
//! others: its children, and the last split on the same unit above it.
//!
//! Which nodes are leaves cannot be foreseen, so this walk does nothing else: what splits are worth
//! is found in loops without such branches.

use crate::forest::{NONE, Tree};

/// One split, by its place in the tree.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) node: u32,
    pub(super) unit: u32,
    /// The side of the last split on the same unit above; [`NONE`] if there is none.
    pub(super) above: u32,
    /// Numbers of the children.
    pub(super) left: u32,
    pub(super) right: u32,
}

/// All splits of a tree, and the nodes of its leaves, in the order of the walk. Leaves are numbered
/// after all splits.
pub(super) struct Walk {
    pub(super) splits: Vec<Place>,
    pub(super) leaves: Vec<u32>,
}

/// A right child that is still to be entered.
#[derive(Debug, Clone, Copy, Default)]
struct Pending {
    node: u32,
    /// The split above it.
    split: u32,
    /// How many sides had been replaced when its sibling was entered.
    n_replaced: u32,
}

impl Walk {
    /// Through a tree. Per column, `places` has its unit, of which there are `n_units`.
    pub(super) fn through(tree: &Tree, places: &[(u32, usize)], n_units: usize) -> Self {
        let all_leaves = tree.n_leaves();
        let all_splits = tree.n_nodes() - all_leaves;
        let mut splits = vec![Place::default(); all_splits];
        let mut leaves = vec![0; all_leaves];
        let (mut n_splits, mut n_leaves) = (0, 0);
        // By unit, the side of the last split on it; and which sides were so before, to go back.
        let mut last = vec![NONE; n_units];
        let (mut replaced, mut n_replaced) = (vec![(0, NONE); all_splits], 0);
        let (mut pending, mut n_pending) = (vec![Pending::default(); all_splits], 0);
        let number = |node: u32, n_splits: usize, n_leaves: usize| {
            let is_leaf = tree.left[node as usize] == NONE;
            if is_leaf { (all_splits + n_leaves) as u32 } else { n_splits as u32 }
        };
        let mut node = 0;
        loop {
            let left = tree.left[node as usize];
            if left != NONE {
                let unit = places[tree.feature[node as usize] as usize].0;
                let split = n_splits as u32;
                let above = std::mem::replace(&mut last[unit as usize], 2 * split);
                let next = number(left, n_splits + 1, n_leaves);
                splits[n_splits] = Place { node, unit, above, left: next, right: NONE };
                n_splits += 1;
                replaced[n_replaced] = (unit, above);
                n_replaced += 1;
                let right = tree.right[node as usize];
                pending[n_pending] = Pending { node: right, split, n_replaced: n_replaced as u32 };
                n_pending += 1;
                node = left;
                continue;
            }
            leaves[n_leaves] = node;
            n_leaves += 1;
            if n_pending == 0 {
                break;
            }
            n_pending -= 1;
            let next = pending[n_pending];
            while n_replaced > next.n_replaced as usize {
                n_replaced -= 1;
                let (unit, before) = replaced[n_replaced];
                last[unit as usize] = before;
            }
            let parent = &mut splits[next.split as usize];
            parent.right = number(next.node, n_splits, n_leaves);
            last[parent.unit as usize] = 2 * next.split + 1;
            node = next.node;
        }
        Self { splits, leaves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::train::{ForestParams, TrainingSet, train_forest};
    use crate::monitor::Silent;
    use crate::random::{generator, unit};
    use crate::table::Matrix;

    /// Follows every split up to the root, by the parents of nodes.
    #[test]
    fn sides_above_are_those_on_the_path_to_the_root() {
        let random = &mut generator(3, 0);
        let (n, p) = (300, 6);
        let x = Matrix::from_column_major((0..n * p).map(|_| unit(random)).collect(), n, p);
        let x = x.expect("as many cells");
        let y: Vec<f64> = (0..n).map(|_| unit(random)).collect();
        let names: Vec<String> = (0..p).map(|column| column.to_string()).collect();
        let set = TrainingSet::regression(x.view(), &y, &names);
        let forest = train_forest(&set, &ForestParams::regression().with_n_trees(5), &Silent);
        // Two columns are drawn together.
        let places = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (4, 0)];
        for tree in &forest.expect("a forest").trees {
            let walk = Walk::through(tree, &places, 5);
            let number_of = |node: u32| {
                let split = walk.splits.iter().position(|split| split.node == node);
                let leaf = || walk.leaves.iter().position(|&leaf| leaf == node);
                split.or_else(|| leaf().map(|leaf| walk.splits.len() + leaf)).expect("a node")
                    as u32
            };
            assert_eq!(walk.splits.len() + walk.leaves.len(), tree.n_nodes());
            let mut parent = vec![None; tree.n_nodes()];
            for (number, split) in walk.splits.iter().enumerate() {
                let node = split.node as usize;
                assert_eq!(split.unit, places[tree.feature[node] as usize].0);
                assert_eq!(split.left, number_of(tree.left[node]));
                assert_eq!(split.right, number_of(tree.right[node]));
                parent[split.left as usize] = Some((number, 2 * number as u32));
                parent[split.right as usize] = Some((number, 2 * number as u32 + 1));
                let mut above = parent[number];
                while let Some((split_above, side)) = above
                    && walk.splits[split_above].unit != split.unit
                {
                    above = parent[split_above];
                    assert!(side / 2 == split_above as u32);
                }
                assert_eq!(split.above, above.map_or(NONE, |(_, side)| side));
            }
        }
    }
}
