//! The two passes over a compiled tree, for some rows at a time: from the root down the
//! probabilities to reach each split, from the leaves up the mean predictions and the covariances.
//!
//! The lanes of the rows do not touch each other: a row's result is the same, to the bit, whichever
//! rows it is explained with.

use super::splits::{Rule, Split, TreeSplits};
use crate::forest::NONE;
use crate::importance::lime::background::{Background, Draw};
use crate::vectorised::{Vectorised, vectorised};

/// Rows that are explained together, if there are as many.
pub(in crate::importance::lime) const LANES: usize = 8;

/// A number per row.
pub(super) type Lanes<const N: usize> = [f64; N];

/// The codes of some rows, unit by unit.
pub(super) struct OwnCodes<const N: usize> {
    /// The share of background rows with the code.
    pub(super) share: Vec<Lanes<N>>,
    /// Where the own bin begins among the cells from 0 to 1.
    start: Vec<Lanes<N>>,
    /// One if the cell is missing, else zero.
    missing: Vec<Lanes<N>>,
    /// The own level; zero if no background row has it.
    level: Vec<[u32; N]>,
}

impl<const N: usize> OwnCodes<N> {
    /// Of at most `N` rows of cells. Other lanes repeat the last row.
    pub(super) fn of(background: &Background, rows: &[&[f64]]) -> Self {
        let n = background.n_units();
        let mut codes = Self {
            share: vec![[0.0; N]; n],
            start: vec![[0.0; N]; n],
            missing: vec![[0.0; N]; n],
            level: vec![[0; N]; n],
        };
        let mut cells = Vec::new();
        for (unit, (columns, draw)) in background.units.iter().enumerate() {
            for lane in 0..N {
                let Some(row) = rows.get(lane).or(rows.last()) else { continue };
                cells.clear();
                cells.extend(columns.iter().map(|&column| row[column]));
                let code = draw.code(&cells);
                match draw {
                    Draw::Bins { up_to, bins, .. } => {
                        let start = match code {
                            0 => 0.0,
                            code => up_to[code as usize - 1],
                        };
                        codes.start[unit][lane] = start;
                        codes.share[unit][lane] = up_to[code as usize] - start;
                        codes.missing[unit][lane] =
                            f64::from(u8::from(code as usize == bins.len()));
                    }
                    Draw::Levels { of_rows, counts, .. } => {
                        if let Some(&count) = counts.get(code as usize) {
                            codes.level[unit][lane] = code;
                            codes.share[unit][lane] = count as f64 / of_rows.len() as f64;
                        }
                    }
                }
            }
        }
        codes
    }
}

/// What is known of every split or node of a tree while it is walked through, a number per lane.
#[derive(Debug, Default)]
pub(in crate::importance::lime) struct Scratch {
    /// By split: the probability to reach it over the mass of its unit, and one over that mass.
    reach_over_mass: Vec<f64>,
    inverse_mass: Vec<f64>,
    /// By side: the share of the unit's distribution that is left and has the row's code.
    own: Vec<f64>,
    /// By number of the node: the probability to reach it; then its mean prediction.
    of_node: Vec<f64>,
}

impl Scratch {
    /// Finds the probabilities to reach all splits.
    pub(super) fn go_down<const N: usize>(
        &mut self,
        tree: &TreeSplits,
        own: &OwnCodes<N>,
        ratio: f64,
    ) {
        let n = tree.splits.len();
        self.reach_over_mass.resize(n * N, 0.0);
        self.inverse_mass.resize(n * N, 0.0);
        self.own.resize(2 * n * N, 0.0);
        self.of_node.resize((2 * n + 1) * N, 0.0);
        self.of_node[..N].fill(1.0);
        vectorised(GoDown { scratch: self, tree, codes: own, ratio });
    }

    /// Adds the covariances with all units, given the values of the leaves, and returns the mean
    /// prediction.
    pub(super) fn come_up<const N: usize>(
        &mut self,
        tree: &TreeSplits,
        values: &[f64],
        ratio: f64,
        covariance: &mut [Lanes<N>],
    ) -> Lanes<N> {
        vectorised(ComeUp { scratch: self, splits: &tree.splits, values, ratio, covariance })
    }
}

/// The masses of both sides of a split: what is left of the distribution counts by `ratio`, and the
/// row's own code in full.
#[inline(always)]
fn masses<const N: usize>(
    split: &Split,
    ratio: f64,
    own_left: &Lanes<N>,
    own_right: &Lanes<N>,
) -> (Lanes<N>, Lanes<N>) {
    let (mut left, mut right) = ([0.0; N], [0.0; N]);
    let others_left = ratio * split.total_left;
    let others_right = ratio * (split.total - split.total_left);
    for lane in 0..N {
        left[lane] = others_left + (1.0 - ratio) * own_left[lane];
        right[lane] = others_right + (1.0 - ratio) * own_right[lane];
    }
    (left, right)
}

struct GoDown<'s, const N: usize> {
    scratch: &'s mut Scratch,
    tree: &'s TreeSplits,
    codes: &'s OwnCodes<N>,
    ratio: f64,
}

impl<const N: usize> Vectorised for GoDown<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { scratch, tree, codes, ratio } = self;
        let Scratch { reach_over_mass, inverse_mass, own, of_node } = scratch;
        let (reach_over_mass, _) = reach_over_mass.as_chunks_mut::<N>();
        let (inverse_mass, _) = inverse_mass.as_chunks_mut::<N>();
        let (own, _) = own.as_chunks_mut::<N>();
        let (of_node, _) = of_node.as_chunks_mut::<N>();
        for (index, split) in tree.splits.iter().enumerate() {
            let unit = split.unit as usize;
            let whole =
                if split.above == NONE { codes.share[unit] } else { own[split.above as usize] };
            let (mut own_left, mut own_right) = ([0.0; N], [0.0; N]);
            match split.rule {
                Rule::Cut { from, at, missing_left } => {
                    let (start, missing) = (&codes.start[unit], &codes.missing[unit]);
                    for lane in 0..N {
                        // Of the own bin's interval, from where both it and the state begin.
                        let begin = if start[lane] > from { start[lane] } else { from };
                        let inside = if at > begin { at - begin } else { 0.0 };
                        let inside = if inside < whole[lane] { inside } else { whole[lane] };
                        let present = 1.0 - missing[lane];
                        own_left[lane] =
                            present * inside + missing[lane] * missing_left * whole[lane];
                    }
                }
                Rule::Levels { first } => {
                    for lane in 0..N {
                        let left = tree.sets.contains(first, codes.level[unit][lane]);
                        own_left[lane] = if left { whole[lane] } else { 0.0 };
                    }
                }
            }
            for lane in 0..N {
                own_right[lane] = whole[lane] - own_left[lane];
            }
            let (left, right) = masses(split, ratio, &own_left, &own_right);
            let (mut over, mut inverse) = ([0.0; N], [0.0; N]);
            let reach = of_node[index];
            for lane in 0..N {
                let mass = left[lane] + right[lane];
                inverse[lane] = if mass > 0.0 { 1.0 / mass } else { 0.0 };
                over[lane] = reach[lane] * inverse[lane];
            }
            for (child, mass) in [(split.left, left), (split.right, right)] {
                let child = &mut of_node[child as usize];
                for lane in 0..N {
                    child[lane] = over[lane] * mass[lane];
                }
            }
            own[2 * index] = own_left;
            own[2 * index + 1] = own_right;
            inverse_mass[index] = inverse;
            reach_over_mass[index] = over;
        }
    }
}

struct ComeUp<'s, const N: usize> {
    scratch: &'s mut Scratch,
    splits: &'s [Split],
    values: &'s [f64],
    ratio: f64,
    covariance: &'s mut [Lanes<N>],
}

impl<const N: usize> Vectorised for ComeUp<'_, N> {
    type Output = Lanes<N>;

    #[inline(always)]
    fn run(self) -> Lanes<N> {
        let Self { scratch, splits, values, ratio, covariance } = self;
        let Scratch { reach_over_mass, inverse_mass, own, of_node } = scratch;
        let (reach_over_mass, _) = reach_over_mass.as_chunks_mut::<N>();
        let (inverse_mass, _) = inverse_mass.as_chunks_mut::<N>();
        let (own, _) = own.as_chunks_mut::<N>();
        let (of_node, _) = of_node.as_chunks_mut::<N>();
        for (node, &value) in of_node[splits.len()..].iter_mut().zip(values) {
            *node = [value; N];
        }
        for (index, split) in splits.iter().enumerate().rev() {
            let (own_left, own_right) = (own[2 * index], own[2 * index + 1]);
            let (left, right) = masses(split, ratio, &own_left, &own_right);
            let (of_left, of_right) = (of_node[split.left as usize], of_node[split.right as usize]);
            let (over, inverse) = (&reach_over_mass[index], &inverse_mass[index]);
            let mean = &mut of_node[index];
            let sum = &mut covariance[split.unit as usize];
            for lane in 0..N {
                mean[lane] =
                    (left[lane] * of_left[lane] + right[lane] * of_right[lane]) * inverse[lane];
                // As differences from the mean: parts that are equal cancel exactly.
                sum[lane] += over[lane]
                    * (own_left[lane] * (of_left[lane] - mean[lane])
                        + own_right[lane] * (of_right[lane] - mean[lane]));
            }
        }
        of_node[0]
    }
}
