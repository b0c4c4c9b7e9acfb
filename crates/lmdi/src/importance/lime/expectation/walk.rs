//! The splits of a tree from the root down, left before right, and what each of them has to do with
//! others: its children, and the last split on the same unit above it.
//!
//! Which nodes are leaves cannot be foreseen, so this walk does nothing else: what splits are worth
//! is found in loops without such branches.

use crate::forest::{NONE, Tree};

/// One split, by its place in the tree.
#[derive(Debug, Clone, Copy)]
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
        let n_leaves = tree.n_leaves();
        let n_splits = tree.n_nodes() - n_leaves;
        let mut splits: Vec<Place> = Vec::with_capacity(n_splits);
        let mut leaves = Vec::with_capacity(n_leaves);
        // By unit, the side of the last split on it; and which sides were so before, to go back.
        let mut last = vec![NONE; n_units];
        let mut replaced: Vec<(u32, u32)> = Vec::new();
        let mut pending: Vec<Pending> = Vec::new();
        let number = |node: u32, splits: usize, leaves: usize| {
            let is_leaf = tree.left[node as usize] == NONE;
            if is_leaf { (n_splits + leaves) as u32 } else { splits as u32 }
        };
        let mut node = 0;
        loop {
            let (left, right) = (tree.left[node as usize], tree.right[node as usize]);
            if left != NONE {
                let unit = places[tree.feature[node as usize] as usize].0;
                let split = splits.len() as u32;
                let above = std::mem::replace(&mut last[unit as usize], 2 * split);
                let next = number(left, splits.len() + 1, leaves.len());
                splits.push(Place { node, unit, above, left: next, right: NONE });
                replaced.push((unit, above));
                pending.push(Pending { node: right, split, n_replaced: replaced.len() as u32 });
                node = left;
                continue;
            }
            leaves.push(node);
            let Some(Pending { node: next, split, n_replaced }) = pending.pop() else { break };
            while replaced.len() > n_replaced as usize
                && let Some((unit, before)) = replaced.pop()
            {
                last[unit as usize] = before;
            }
            let next_number = number(next, splits.len(), leaves.len());
            let parent = &mut splits[split as usize];
            parent.right = next_number;
            last[parent.unit as usize] = 2 * split + 1;
            node = next;
        }
        Self { splits, leaves }
    }
}
