//! A tree rewritten as the steps of one walk through all its splits.
//!
//! The walk goes down into the first child of a split, comes back, goes down into the second and comes
//! back. "First" is the left child unless only the right one is a split, so that a child that is a leaf is
//! always the second; what follows needs no other difference between the sides.
//!
//! A split whose feature was split on above (a *repeat*) knows the nearest such split, for the two
//! belong to one player of the game.

use super::quadrature::Quadrature;
use crate::forest::{Comparison, Missing, NONE, Precision, Tree};
use crate::{Error, Result};

/// One step of the walk; numbers are indices of splits.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Down to the first child, which is a split.
    Enter(u32),
    /// From the first child to the second, which is a split too.
    Turn(u32),
    /// Back up from the children.
    Join(u32),
    /// In and out of a split of two leaves.
    Twig(u32),
}

/// Which cells go to the first child.
#[derive(Debug, Clone, Copy)]
pub(super) enum Route {
    /// Cells up to the threshold.
    AtMost(f64),
    /// Those and missing cells.
    AtMostOrMissing(f64),
    /// Cells above the threshold.
    Above(f64),
    /// Those and missing cells.
    AboveOrMissing(f64),
    /// As the tree's own rule says of this node; true if the first child is the left one.
    AsTree(u32, bool),
}

/// The nearest split above on the same feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct Repeat {
    /// Its level.
    pub(super) level: u32,
    /// Whether the way down went through its second child.
    pub(super) second: bool,
    /// Share of the weight that all splits on the feature above send this way.
    pub(super) share: f64,
    /// Where the inverse factors begin in [`Program::inverse`].
    pub(super) inverse: u32,
}

/// A split.
#[derive(Debug, Clone)]
pub(super) struct Split {
    pub(super) feature: u32,
    /// Place of the feature among the different features on the way down.
    pub(super) slot: u32,
    /// Number of different features above.
    pub(super) n_above: u32,
    /// Number of splits above.
    pub(super) level: u32,
    /// Whether this is the second child of its parent.
    pub(super) is_second: bool,
    pub(super) route: Route,
    /// Share of the weight in the first child.
    pub(super) share: f64,
    pub(super) repeat: Option<Repeat>,
    /// Where the value of each child begins in [`Program::leaf_value`]; [`NONE`] if it is a split.
    pub(super) leaves: [u32; 2],
}

/// A tree ready to be walked.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) splits: Vec<Split>,
    /// Values of leaves, one per output of the tree.
    pub(super) leaf_value: Vec<f64>,
    /// `1 / (share (1 - t) + t)` at every point, for each share that a repeat names.
    pub(super) inverse: Vec<f64>,
    pub(super) quadrature: Quadrature,
    /// Levels of splits.
    pub(super) levels: usize,
    /// Most different features on one way down.
    pub(super) most_features: usize,
    /// First output that the tree adds to, and how many.
    pub(super) first_output: usize,
    pub(super) n_outputs: usize,
    /// Expected value under the tree's weights.
    pub(super) expectation: Vec<f64>,
    /// Whether cells are rounded to 32 bits before they are compared.
    pub(super) single: bool,
    /// The tree itself, where a route needs it.
    pub(super) tree: Option<Box<Tree>>,
}

/// Which values of a tree go to which outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outputs {
    pub(super) first_value: usize,
    pub(super) first_output: usize,
    pub(super) n: usize,
}

/// Share of the weight of a split's children that is in the left one; equal shares where there is none.
pub(super) fn left_share(tree: &Tree, node: usize) -> f64 {
    let left = tree.weight[tree.left[node] as usize];
    let right = tree.weight[tree.right[node] as usize];
    // Scaled by the larger one, so that huge weights do not overflow.
    let largest = left.max(right);
    if largest > 0.0 { (left / largest) / (left / largest + right / largest) } else { 0.5 }
}

/// Numbers a level keeps for all points, rows and outputs together; see [`Program::check_size`].
const MOST_KEPT: usize = 1 << 20;

enum Visit {
    Node { node: usize, level: u32, is_second: bool },
    Turn(u32),
    Leave(u32),
}

/// The splits above the place that is being compiled.
struct Above {
    /// Per feature the nearest split above on it.
    nearest: Vec<u32>,
    /// Per split: the nearest one before it, where its inverse factors are on either side, and which
    /// side is being compiled.
    before: Vec<u32>,
    inverse: Vec<[u32; 2]>,
    in_second: Vec<bool>,
    n_features: u32,
}

impl Program {
    /// Rewrites a tree that has passed its check.
    pub(super) fn new(tree: &Tree, n_features: usize, outputs: Outputs) -> Result<Self> {
        let mut program = Self {
            steps: Vec::new(),
            splits: Vec::new(),
            leaf_value: Vec::new(),
            inverse: Vec::new(),
            quadrature: Quadrature::new(1),
            levels: 0,
            most_features: 0,
            first_output: outputs.first_output,
            n_outputs: outputs.n,
            expectation: expectation(tree, outputs),
            single: tree.precision == Precision::Single,
            tree: None,
        };
        let mut above = Above {
            nearest: vec![NONE; n_features],
            before: Vec::new(),
            inverse: Vec::new(),
            in_second: Vec::new(),
            n_features: 0,
        };
        let mut to_visit = vec![Visit::Node { node: 0, level: 0, is_second: false }];
        while let Some(visit) = to_visit.pop() {
            match visit {
                Visit::Node { node, .. } if tree.is_leaf(node) => {}
                Visit::Node { node, level, is_second } => {
                    program.enter(tree, node, level, is_second, outputs, &mut above, &mut to_visit);
                }
                Visit::Turn(split) => {
                    above.in_second[split as usize] = true;
                    program.steps.push(Step::Turn(split));
                }
                Visit::Leave(split) => {
                    let of = &program.splits[split as usize];
                    above.nearest[of.feature as usize] = above.before[split as usize];
                    above.n_features -= u32::from(of.repeat.is_none());
                    program.steps.push(Step::Join(split));
                }
            }
        }
        program.quadrature = Quadrature::for_factors(program.most_features);
        program.check_size()?;
        program.fill_inverse();
        if program.splits.iter().any(|split| matches!(split.route, Route::AsTree(..))) {
            program.tree = Some(Box::new(Tree { in_bag: None, ..tree.clone() }));
        }
        Ok(program)
    }

    #[expect(clippy::too_many_arguments, reason = "one node and the state of the walk")]
    fn enter(
        &mut self,
        tree: &Tree,
        node: usize,
        level: u32,
        is_second: bool,
        outputs: Outputs,
        above: &mut Above,
        to_visit: &mut Vec<Visit>,
    ) {
        let index = self.splits.len() as u32;
        let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
        let first_is_left = !tree.is_leaf(left) || tree.is_leaf(right);
        let children = if first_is_left { [left, right] } else { [right, left] };
        let feature = tree.feature[node];
        let nearest = above.nearest[feature as usize];
        let repeat = (nearest != NONE).then(|| self.repeat_of(nearest as usize, above));
        let slot =
            if nearest == NONE { above.n_features } else { self.splits[nearest as usize].slot };
        let left_share = left_share(tree, node);
        let leaves = children.map(|child| {
            if !tree.is_leaf(child) {
                return NONE;
            }
            let values = &tree.value_of(child)[outputs.first_value..][..outputs.n];
            self.leaf_value.extend_from_slice(values);
            (self.leaf_value.len() - outputs.n) as u32
        });
        self.splits.push(Split {
            feature,
            slot,
            n_above: above.n_features,
            level,
            is_second,
            route: route(tree, node, first_is_left),
            share: if first_is_left { left_share } else { 1.0 - left_share },
            repeat,
            leaves,
        });
        above.before.push(nearest);
        above.inverse.push([NONE; 2]);
        above.in_second.push(false);
        self.levels = self.levels.max(level as usize + 1);
        self.most_features =
            self.most_features.max((above.n_features + u32::from(repeat.is_none())) as usize);
        if leaves[0] != NONE {
            self.steps.push(Step::Twig(index));
            return;
        }
        above.nearest[feature as usize] = index;
        above.n_features += u32::from(repeat.is_none());
        self.steps.push(Step::Enter(index));
        to_visit.push(Visit::Leave(index));
        if leaves[1] == NONE {
            to_visit.push(Visit::Node { node: children[1], level: level + 1, is_second: true });
            to_visit.push(Visit::Turn(index));
        }
        to_visit.push(Visit::Node { node: children[0], level: level + 1, is_second: false });
    }

    /// What a split needs to know of the nearest one above on its feature.
    fn repeat_of(&mut self, nearest: usize, above: &mut Above) -> Repeat {
        let second = above.in_second[nearest];
        let split = &self.splits[nearest];
        let of_side = if second { 1.0 - split.share } else { split.share };
        let share = split.repeat.map_or(1.0, |repeat| repeat.share) * of_side;
        let known = &mut above.inverse[nearest][usize::from(second)];
        if *known == NONE {
            // Holds the share until the number of points is known.
            *known = self.inverse.len() as u32;
            self.inverse.push(share);
        }
        Repeat { level: split.level, second, share, inverse: *known }
    }

    /// Replaces the shares gathered in `inverse` by their factors at every point.
    fn fill_inverse(&mut self) {
        let shares = std::mem::take(&mut self.inverse);
        let points = self.quadrature.s.iter().zip(&self.quadrature.t);
        self.inverse = shares
            .iter()
            .flat_map(|share| points.clone().map(move |(s, t)| 1.0 / (share * s + t)))
            .collect();
        for repeat in self.splits.iter_mut().filter_map(|split| split.repeat.as_mut()) {
            repeat.inverse *= self.quadrature.len() as u32;
        }
    }

    /// Refuses trees so deep that one walk would take hundreds of megabytes, or whose tables could not
    /// be counted in 32 bits. No training grows them; a file may hold them.
    fn check_size(&self) -> Result<()> {
        let points = self.quadrature.len();
        let kept = (self.levels + 1).saturating_mul(points).saturating_mul(2 * self.n_outputs + 2);
        let table = self.inverse.len().saturating_mul(points).max(self.leaf_value.len());
        if kept > MOST_KEPT || table >= NONE as usize {
            return Err(Error::Model(format!(
                "a tree with {} levels of splits on up to {} features is too deep for TreeSHAP",
                self.levels, self.most_features
            )));
        }
        Ok(())
    }
}

fn route(tree: &Tree, node: usize, first_is_left: bool) -> Route {
    let missing_left = match tree.missing[node] {
        // Nothing is below minus infinity, though something may be equal to it.
        _ if tree.categories(node).is_some() || tree.threshold[node] == f64::NEG_INFINITY => None,
        Missing::Left => Some(true),
        Missing::Right => Some(false),
        Missing::ZeroLeft | Missing::ZeroRight | Missing::AsZero => None,
    };
    let Some(missing_left) = missing_left else {
        return Route::AsTree(node as u32, first_is_left);
    };
    let threshold = match tree.comparison {
        Comparison::LessEqual => tree.threshold[node],
        Comparison::Less => tree.threshold[node].next_down(),
    };
    match (first_is_left, missing_left) {
        (true, false) => Route::AtMost(threshold),
        (true, true) => Route::AtMostOrMissing(threshold),
        (false, false) => Route::AboveOrMissing(threshold),
        (false, true) => Route::Above(threshold),
    }
}

/// The mean of the leaves' values under the tree's weights.
fn expectation(tree: &Tree, outputs: Outputs) -> Vec<f64> {
    let k = outputs.n;
    let mut mean = vec![0.0; tree.n_nodes() * k];
    for node in (0..tree.n_nodes()).rev() {
        for output in 0..k {
            mean[node * k + output] = if tree.is_leaf(node) {
                tree.value_of(node)[outputs.first_value + output]
            } else {
                let of = |child: u32| mean[child as usize * k + output];
                let share = left_share(tree, node);
                share * of(tree.left[node]) + (1.0 - share) * of(tree.right[node])
            };
        }
    }
    mean.truncate(k);
    mean
}
