//! A tree reduced to the stumps of a working set.
//!
//! Along a penalty path, most slopes are zero most of the time. Leaves that no kept stump separates
//! move together, so they can be merged, and sweeps over the reduced tree cost in proportion to the
//! stumps kept. The result is again a binary tree:
//!
//! - a split is kept if it is requested, or if kept splits lie on both sides of it;
//! - if splits between a kept split and the next kept one below are skipped, the leaves that branch
//!   off on the way are merged into one; a joint, a split whose column is zero, connects that leaf
//!   and the kept split.
//!
//! Cost: one pass over the tree.

use crate::basis::Stumps;
use crate::forest::NONE;
use crate::glm::model::coefficients::Coefficients;

/// How splits nest: nodes are numbered splits first, a parent before its children, then leaves.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Nesting {
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) left_value: Vec<f64>,
    pub(crate) right_value: Vec<f64>,
}

impl Nesting {
    pub(crate) fn of(stumps: &Stumps) -> Self {
        Self {
            left: stumps.left.clone(),
            right: stumps.right.clone(),
            left_value: stumps.left_value.clone(),
            right_value: stumps.right_value.clone(),
        }
    }

    pub(crate) fn n_splits(&self) -> usize {
        self.left.len()
    }

    pub(crate) fn n_leaves(&self) -> usize {
        self.left.len() + 1
    }
}

/// Which splits, leaves and raw columns are left, and where they were.
#[derive(Debug, Clone)]
pub(crate) struct Reduction {
    pub(crate) nesting: Nesting,
    /// The whole tree's number of each split; [`NONE`] for joints.
    pub(crate) split: Vec<u32>,
    /// The leaf that each leaf of the whole tree went into.
    pub(crate) leaf: Vec<u32>,
    /// The raw columns that are left, rising.
    pub(crate) raw: Vec<usize>,
}

/// A place below a kept split, or the root: what it holds of kept splits and of leaves.
#[derive(Debug, Clone, Copy)]
struct Place {
    split: u32,
    has_leaves: bool,
}

impl Reduction {
    /// Keeps the requested splits and the raw columns given.
    pub(crate) fn new(whole: &Nesting, keep: &[bool], raw: Vec<usize>) -> Self {
        let m = whole.n_splits();
        let kept = close(whole, keep);
        // Every node belongs to a place: the side of a kept split, numbered 2 i + 1 and 2 i + 2 for
        // the i-th kept split, or 0 at the root.
        let mut place_of = vec![0_u32; m + whole.n_leaves()];
        let mut places = vec![Place { split: NONE, has_leaves: false }];
        let mut kept_splits: Vec<u32> = Vec::new();
        for split in 0..m {
            let place = place_of[split];
            let (left, right) = (whole.left[split] as usize, whole.right[split] as usize);
            if kept[split] {
                places[place as usize].split = kept_splits.len() as u32;
                kept_splits.push(split as u32);
                place_of[left] = places.len() as u32;
                place_of[right] = places.len() as u32 + 1;
                places.extend([Place { split: NONE, has_leaves: false }; 2]);
            } else {
                place_of[left] = place;
                place_of[right] = place;
            }
        }
        for &place in &place_of[m..] {
            places[place as usize].has_leaves = true;
        }
        Self::number(whole, &kept_splits, &places, &place_of[m..], raw)
    }

    /// What is left as the stumps of a tree, which belong to no feature.
    pub(crate) fn stumps(&self) -> Stumps {
        let Nesting { left, right, left_value, right_value } = self.nesting.clone();
        let (m, n_nodes) = (left.len(), 2 * left.len() + 1);
        Stumps {
            feature: vec![NONE; m],
            left,
            right,
            left_value,
            right_value,
            share: vec![0.0; m],
            tree_node: (0..n_nodes as u32).collect(),
            leaf_of_tree_node: (0..n_nodes)
                .map(|node| node.checked_sub(m).map_or(NONE, |leaf| leaf as u32))
                .collect(),
        }
    }

    /// Coefficients over all columns, as those over the columns that are left.
    pub(crate) fn restrict(&self, whole: &Coefficients) -> Coefficients {
        let of = |&split: &u32| if split == NONE { 0.0 } else { whole.stump[split as usize] };
        Coefficients {
            intercept: whole.intercept,
            stump: self.split.iter().map(of).collect(),
            raw: self.raw.iter().map(|&k| whole.raw[k]).collect(),
        }
    }

    /// Coefficients over the columns that are left, as those over as many columns as `whole` has.
    pub(crate) fn expand(&self, left: &Coefficients, whole: &Coefficients) -> Coefficients {
        let mut all = Coefficients::zero(whole.stump.len(), whole.raw.len());
        all.intercept = left.intercept;
        for (&split, &slope) in self.split.iter().zip(&left.stump) {
            if split != NONE {
                all.stump[split as usize] = slope;
            }
        }
        self.raw.iter().zip(&left.raw).for_each(|(&k, &slope)| all.raw[k] = slope);
        all
    }

    /// Numbers what is left from the root down.
    fn number(
        whole: &Nesting,
        kept_splits: &[u32],
        places: &[Place],
        place_of_leaf: &[u32],
        raw: Vec<usize>,
    ) -> Self {
        let n_joints = places.iter().filter(|p| p.split != NONE && p.has_leaves).count();
        let n_splits = kept_splits.len() + n_joints;
        let (mut leaf_of_place, mut n_leaves) = (vec![NONE; places.len()], 0);
        let mut nesting = Nesting {
            left: vec![0; n_splits],
            right: vec![0; n_splits],
            left_value: vec![0.0; n_splits],
            right_value: vec![0.0; n_splits],
        };
        let mut split = vec![NONE; n_splits];
        // Where the node of a place is entered, in the order of numbering.
        let mut waiting = std::collections::VecDeque::from([(0_usize, None::<(usize, bool)>)]);
        let mut next = 0;
        let attach = |nesting: &mut Nesting, at: Option<(usize, bool)>, node: u32| {
            if let Some((parent, is_left)) = at {
                let side = if is_left { &mut nesting.left } else { &mut nesting.right };
                side[parent] = node;
            }
        };
        while let Some((place, mut at)) = waiting.pop_front() {
            let here = places[place];
            if here.has_leaves {
                leaf_of_place[place] = n_leaves;
                let leaf = n_splits as u32 + n_leaves;
                n_leaves += 1;
                if here.split == NONE {
                    attach(&mut nesting, at, leaf);
                    continue;
                }
                attach(&mut nesting, at, next as u32);
                nesting.left[next] = leaf;
                at = Some((next, false));
                next += 1;
            }
            let original = kept_splits[here.split as usize] as usize;
            attach(&mut nesting, at, next as u32);
            nesting.left_value[next] = whole.left_value[original];
            nesting.right_value[next] = whole.right_value[original];
            split[next] = original as u32;
            waiting.push_back((2 * here.split as usize + 1, Some((next, true))));
            waiting.push_back((2 * here.split as usize + 2, Some((next, false))));
            next += 1;
        }
        let leaf = place_of_leaf.iter().map(|&place| leaf_of_place[place as usize]).collect();
        Self { nesting, split, leaf, raw }
    }
}

/// The requested splits and those with kept splits on both sides.
fn close(whole: &Nesting, keep: &[bool]) -> Vec<bool> {
    let m = whole.n_splits();
    let mut kept = keep.to_vec();
    let mut any_below = vec![false; m + whole.n_leaves()];
    for split in (0..m).rev() {
        let left = any_below[whole.left[split] as usize];
        let right = any_below[whole.right[split] as usize];
        kept[split] |= left && right;
        any_below[split] = kept[split] || left || right;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, generator, unit};

    /// A random binary tree of `m` splits in the numbering of [`Nesting`].
    fn random_nesting(seed: u64, m: usize) -> Nesting {
        let mut random = generator(seed, 0);
        let mut nesting = Nesting {
            left: vec![0; m],
            right: vec![0; m],
            left_value: (0..m).map(|i| -1.0 - i as f64).collect(),
            right_value: (0..m).map(|i| 1.0 + i as f64).collect(),
        };
        // Open ends, filled by later splits in a random order, then by leaves.
        let mut open: Vec<(usize, bool)> = Vec::new();
        for split in 0..m {
            if split > 0 {
                let (parent, is_left) = open.swap_remove(below(&mut random, open.len()));
                *(if is_left { &mut nesting.left[parent] } else { &mut nesting.right[parent] }) =
                    split as u32;
            }
            open.extend([(split, true), (split, false)]);
        }
        for (leaf, (parent, is_left)) in open.into_iter().enumerate() {
            *(if is_left { &mut nesting.left[parent] } else { &mut nesting.right[parent] }) =
                (m + leaf) as u32;
        }
        nesting
    }

    /// For every leaf the kept splits above it and the side it lies on.
    fn paths(nesting: &Nesting, name: impl Fn(usize) -> Option<u32>) -> Vec<Vec<(u32, bool)>> {
        let m = nesting.n_splits();
        let mut path = vec![Vec::new(); m + nesting.n_leaves()];
        for split in 0..m {
            for (child, is_left) in [(nesting.left[split], true), (nesting.right[split], false)] {
                assert!(child as usize > split, "a child has a larger number");
                let mut below: Vec<(u32, bool)> = path[split].clone();
                below.extend(name(split).map(|name| (name, is_left)));
                path[child as usize] = below;
            }
        }
        path.split_off(m)
    }

    #[test]
    fn leaves_stay_apart_exactly_where_a_kept_split_tells_them_apart() {
        for seed in 0..200 {
            let mut random = generator(seed, 1);
            let m = below(&mut random, 40);
            let whole = random_nesting(seed, m);
            let share = unit(&mut random);
            let keep: Vec<bool> = (0..m).map(|_| unit(&mut random) < share).collect();
            let reduction = Reduction::new(&whole, &keep, Vec::new());
            let closed = close(&whole, &keep);
            let before = paths(&whole, |split| closed[split].then_some(split as u32));
            let after = paths(&reduction.nesting, |split| {
                Some(reduction.split[split]).filter(|&split| split != NONE)
            });
            for (leaf, &into) in reduction.leaf.iter().enumerate() {
                assert_eq!(before[leaf], after[into as usize], "seed {seed}, leaf {leaf}");
            }
            let mut found: Vec<u32> = reduction.leaf.clone();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), reduction.nesting.n_leaves(), "no leaf is empty");
            assert!(keep.iter().zip(&closed).all(|(requested, kept)| !requested || *kept));
            assert!(reduction.nesting.n_splits() <= m);
        }
    }
}
