//! A tree compiled for expected values: its splits from the root down, with the shares of each
//! split's unit that are the same for all rows.
//!
//! Splits are numbered from the root down, left before right, and leaves after all splits. A side
//! of split s has the number 2 s (left) or 2 s + 1 (right). The state of a unit at a split is that
//! of the side of the last split on the same unit above it.

use super::bin_shares::{BinShares, Threshold};
use super::lanes::{Lanes, OwnCodes, Scratch};
use super::level_sets::{Alive, LevelSets, LevelSetsOfTree};
use super::walk::{Place, Walk};
use crate::elementary::erf_of_all;
use crate::forest::Tree;
use crate::importance::lime::background::Draw;
use std::ops::Range;

/// One split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Split {
    pub(super) unit: u32,
    /// The side of the last split on the same unit above, if there is one.
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
    /// of both sides, given that above. `cut` is where it cuts a unit that is drawn by bins.
    fn split(
        &self,
        above: Option<State>,
        at: usize,
        node: usize,
        tree: &Tree,
        cut: f64,
        levels: &mut LevelStates<'_>,
    ) -> (Rule, [f64; 2], [State; 2]) {
        match &self.shares {
            Shares::Bins(bins) => {
                let (from, to, missing) = match above {
                    Some(State::Interval { from, to, missing }) => (from, to, missing),
                    _ => (0.0, bins.present(), 1.0 - bins.present()),
                };
                let missing_left = bins.missing_left(tree, node);
                let cut = cut.clamp(from, to);
                let (left, right) = if missing_left { (missing, 0.0) } else { (0.0, missing) };
                let missing_left = f64::from(u8::from(missing_left));
                let states = [
                    State::Interval { from, to: cut, missing: left },
                    State::Interval { from: cut, to, missing: right },
                ];
                let totals = [to - from + missing, cut - from + left];
                (Rule::Cut { from, at: cut, missing_left }, totals, states)
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
                (Rule::Levels { first }, totals, states)
            }
        }
    }
}

/// Where splits cut units that are drawn by bins, of all splits at once: the error function of many
/// numbers takes a fraction of the time of one. Zero for other units. `None` if a column that is
/// drawn by bins is split other than by a threshold.
fn cuts_of(walk: &Walk, tree: &Tree, units: &[Unit<'_>]) -> Option<Vec<f64>> {
    let threshold = |place: &Place| match &units[place.unit as usize].shares {
        Shares::Bins(bins) => bins.threshold(tree, place.node as usize),
        Shares::Levels { .. } => Some(Threshold::default()),
    };
    let mut thresholds = Vec::with_capacity(walk.splits.len());
    for place in &walk.splits {
        thresholds.push(threshold(place)?);
    }
    let mut cuts: Vec<f64> = thresholds.iter().map(|threshold| threshold.argument()).collect();
    erf_of_all(&mut cuts);
    for ((cut, place), threshold) in cuts.iter_mut().zip(&walk.splits).zip(thresholds) {
        *cut = match &units[place.unit as usize].shares {
            Shares::Bins(bins) => bins.cut(tree, place.node as usize, threshold, *cut),
            Shares::Levels { .. } => 0.0,
        };
    }
    Some(cuts)
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
        let walk = Walk::through(tree, places, units.len());
        let cuts = cuts_of(&walk, tree, units)?;
        let mut splits: Vec<Split> = Vec::with_capacity(walk.splits.len());
        let mut states: Vec<State> = Vec::with_capacity(2 * walk.splits.len());
        let mut levels = LevelStates { sets: LevelSetsOfTree::new(tree), alive: Vec::new() };
        for (&Place { node, unit, above, left, right }, cut) in walk.splits.iter().zip(cuts) {
            let state = states.get(above as usize).copied();
            let at = places[tree.feature[node as usize] as usize].1;
            let (rule, [total, total_left], sides) =
                units[unit as usize].split(state, at, node as usize, tree, cut, &mut levels);
            states.extend(sides);
            splits.push(Split { unit, above, left, right, total, total_left, rule });
        }
        let kept = of.start.max(explained.start)..of.end.min(explained.end);
        let mut values = Vec::with_capacity(kept.len() * walk.leaves.len());
        for output in kept.clone() {
            let of_leaf = |&leaf: &u32| tree.value_of(leaf as usize)[output - of.start];
            values.extend(walk.leaves.iter().map(of_leaf));
        }
        let outputs = if kept.is_empty() {
            0..0
        } else {
            kept.start - explained.start..kept.end - explained.start
        };
        Some(Self { splits, sets: levels.sets.sets, n_leaves: walk.leaves.len(), outputs, values })
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
