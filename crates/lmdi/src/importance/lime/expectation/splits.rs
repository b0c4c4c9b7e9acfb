//! A tree compiled for expected values: its splits from the root down, with the shares of each
//! split's unit that are the same for all rows.
//!
//! Splits are numbered from the root down, left before right, and leaves after all splits. A side
//! of split s has the number 2 s (left) or 2 s + 1 (right). The state of a unit at a split is that
//! of the side of the last split on the same unit above it.

use super::bin_shares::BinShares;
use super::lanes::{Lanes, OwnCodes, Scratch};
use super::level_sets::{Alive, LevelSets, LevelSetsOfTree};
use crate::forest::{NONE, Tree};
use crate::importance::lime::background::Draw;
use std::ops::Range;

/// One split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) unit: u32,
    /// The side of the last split on the same unit above; [`NONE`] if there is none.
    pub(super) above: u32,
    /// Numbers of the children.
    pub(super) left: u32,
    pub(super) right: u32,
    /// Share of the unit's distribution that is left here, and of it what goes left.
    pub(super) total: f64,
    pub(super) total_left: f64,
    pub(super) rule: Rule,
}

/// Which cells go left.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// Those of an interval up to a cut, and missing ones if `missing_left` is one instead of zero.
    Cut { from: f64, at: f64, missing_left: f64 },
    /// Those of a set of levels, by its first word.
    Levels { first: u32 },
}

/// A compiled tree.
#[derive(Debug)]
pub(super) struct TreeSplits {
    pub(super) splits: Vec<Split>,
    pub(super) sets: LevelSets,
    n_leaves: usize,
    /// Which explained outputs the tree adds to, and the values of its leaves, output by output.
    outputs: Range<usize>,
    values: Vec<f64>,
}

/// A unit: how its cells are distributed.
pub(super) struct Unit<'b> {
    shares: Shares<'b>,
}

enum Shares<'b> {
    Bins(BinShares<'b>),
    /// Background rows of each level, cells level by level, how many of them a level has, and all
    /// levels.
    Levels {
        counts: &'b [u64],
        cells: &'b [f64],
        width: usize,
        all: Alive,
    },
}

/// What is left of a unit's distribution after some splits.
#[derive(Debug, Clone, Copy)]
enum State {
    /// The interval of present cells, and the share of missing ones.
    Interval { from: f64, to: f64, missing: f64 },
    /// Levels, by their place among those of the tree.
    Levels(usize),
}

/// What splits on levels share while a tree is compiled.
struct LevelStates<'t> {
    sets: LevelSetsOfTree<'t>,
    alive: Vec<Alive>,
}

impl<'b> Unit<'b> {
    /// Of columns that are drawn together.
    pub(super) fn new(columns: &[usize], draw: &'b Draw) -> Self {
        match draw {
            Draw::Bins { ends, up_to, bins } => {
                Self { shares: Shares::Bins(BinShares::new(ends, up_to, bins)) }
            }
            Draw::Levels { cells, counts, .. } => {
                let (width, all) = (columns.len(), Alive::all(counts));
                Self { shares: Shares::Levels { counts, cells, width, all } }
            }
        }
    }

    /// The split of a node on the unit's column `at`, without its place in the tree, and the states
    /// of both sides, given that above. `None` if a column that is drawn by bins is split other
    /// than by a threshold.
    fn split(
        &self,
        above: Option<State>,
        at: usize,
        node: usize,
        tree: &Tree,
        levels: &mut LevelStates<'_>,
    ) -> Option<(Rule, [f64; 2], [State; 2])> {
        match &self.shares {
            Shares::Bins(bins) => {
                let (from, to, missing) = match above {
                    Some(State::Interval { from, to, missing }) => (from, to, missing),
                    _ => (0.0, bins.present(), 1.0 - bins.present()),
                };
                let (cut, missing_left) = bins.cut(tree, node)?;
                let cut = cut.clamp(from, to);
                let (left, right) = if missing_left { (missing, 0.0) } else { (0.0, missing) };
                let missing_left = f64::from(u8::from(missing_left));
                let states = [
                    State::Interval { from, to: cut, missing: left },
                    State::Interval { from: cut, to, missing: right },
                ];
                let totals = [to - from + missing, cut - from + left];
                Some((Rule::Cut { from, at: cut, missing_left }, totals, states))
            }
            Shares::Levels { counts, cells, width, all } => {
                let LevelStates { sets, alive } = levels;
                let first = sets.left_of(node, cells.iter().skip(at).step_by(*width).copied());
                let whole = match above {
                    Some(State::Levels(place)) => &alive[place],
                    _ => all,
                };
                let share = |alive: &Alive| alive.n_rows as f64 / all.n_rows as f64;
                let sides = sets.divide(whole, first, counts);
                let totals = [share(whole), share(&sides[0])];
                let place = alive.len();
                alive.extend(sides);
                let states = [State::Levels(place), State::Levels(place + 1)];
                Some((Rule::Levels { first }, totals, states))
            }
        }
    }
}

/// A step of the walk through a tree.
enum Step {
    /// Enters a node, by a side of a split (none for the root).
    Down { node: u32, side: u32 },
    /// Leaves what lies below a side: its unit's last side is again the one before.
    Up { unit: u32, before: u32 },
}

impl TreeSplits {
    /// Compiles a tree. Per column, `places` has its unit and its place among the unit's columns.
    /// The tree's values belong to the outputs `of`; those of the explained ones are kept.
    pub(super) fn new(
        tree: &Tree,
        units: &[Unit<'_>],
        places: &[(u32, usize)],
        of: Range<usize>,
        explained: &Range<usize>,
    ) -> Option<Self> {
        let n_leaves = tree.n_leaves();
        let n_splits = tree.n_nodes() - n_leaves;
        let kept = of.start.max(explained.start)..of.end.min(explained.end);
        let mut splits: Vec<Split> = Vec::with_capacity(n_splits);
        let mut states: Vec<State> = Vec::with_capacity(2 * n_splits);
        let mut values = vec![0.0; kept.len() * n_leaves];
        let mut levels = LevelStates { sets: LevelSetsOfTree::new(tree), alive: Vec::new() };
        let mut last = vec![NONE; units.len()];
        let mut steps = vec![Step::Down { node: 0, side: NONE }];
        let mut leaf = 0;
        while let Some(step) = steps.pop() {
            let (node, side) = match step {
                Step::Down { node, side } => (node as usize, side),
                Step::Up { unit, before } => {
                    last[unit as usize] = before;
                    continue;
                }
            };
            let is_leaf = tree.is_leaf(node);
            let number = if is_leaf { n_splits + leaf } else { splits.len() } as u32;
            if let Some(parent) = splits.get_mut(side as usize / 2) {
                *(if side % 2 == 0 { &mut parent.left } else { &mut parent.right }) = number;
            }
            if is_leaf {
                for (at, output) in kept.clone().enumerate() {
                    values[at * n_leaves + leaf] = tree.value_of(node)[output - of.start];
                }
                leaf += 1;
                continue;
            }
            if let Some(parent) = splits.get(side as usize / 2) {
                let unit = parent.unit;
                steps.push(Step::Up { unit, before: last[unit as usize] });
                last[unit as usize] = side;
            }
            let (unit, at) = places[tree.feature[node] as usize];
            let above = last[unit as usize];
            let state = states.get(above as usize).copied();
            let (rule, [total, total_left], sides) =
                units[unit as usize].split(state, at, node, tree, &mut levels)?;
            let own = 2 * splits.len() as u32;
            splits.push(Split { unit, above, left: NONE, right: NONE, total, total_left, rule });
            states.extend(sides);
            steps.push(Step::Down { node: tree.right[node], side: own + 1 });
            steps.push(Step::Down { node: tree.left[node], side: own });
        }
        let outputs = if kept.is_empty() {
            0..0
        } else {
            kept.start - explained.start..kept.end - explained.start
        };
        Some(Self { splits, sets: levels.sets.sets, n_leaves, outputs, values })
    }

    /// Adds the tree's expected value, and its covariances with all units, to those of each output.
    pub(super) fn add<const N: usize>(
        &self,
        own: &OwnCodes<N>,
        ratio: f64,
        mean: &mut [Lanes<N>],
        covariance: &mut [Lanes<N>],
        scratch: &mut Scratch,
    ) {
        if self.outputs.is_empty() {
            return;
        }
        scratch.go_down(self, own, ratio);
        let n_units = own.share.len();
        let values = self.values.chunks_exact(self.n_leaves);
        for (output, values) in self.outputs.clone().zip(values) {
            let covariance = &mut covariance[output * n_units..(output + 1) * n_units];
            let found = scratch.come_up(self, values, ratio, covariance);
            for (sum, found) in mean[output].iter_mut().zip(found) {
                *sum += found;
            }
        }
    }
}
