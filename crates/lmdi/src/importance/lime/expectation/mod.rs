//! Sums over neighbours replaced by their expected values: LIME without sampling.
//!
//! Neighbours are drawn unit by unit, independently (a unit is a column, or columns drawn
//! together). The weight of a neighbour that differs from the row in d units is `r^d`, with
//! `r = exp(-1 / (2 width^2))`: a product over units. So the weighted neighbours are a distribution
//! Q in which units are independent as well. With p_k the share of the row's own code in unit k:
//!
//! ```text
//! total weight of n neighbours   W   = n prod_k (p_k + r (1 - p_k))
//! mean of z_k                    m_k = p_k / (p_k + r (1 - p_k))
//! covariance of z_j and z_k      0;   variance of z_k   m_k (1 - m_k)
//! ```
//!
//! What remains are E f and Cov(z_k, f) under Q of the model's prediction f. For a sum of trees
//! they are sums over trees. In a tree, the splits on unit k above a node leave a share T of its
//! distribution, and a share O of it with the row's own code. Then `q = r T + (1 - r) O` is the
//! mass of the unit there, a row at a split with mass q goes left with probability `q_left / q`,
//! and with V the mean prediction below a node and P the probability to reach it
//!
//! ```text
//! V           = (q_left V_left + q_right V_right) / q
//! Cov(z_k, f) = sum over splits on k of  (P / q) (O_left V_left + O_right V_right - O V)
//! ```
//!
//! The second formula: z_k has mean O / q at a node, independently of the other units, so the
//! covariance is the sum of the changes of that mean along all paths.
//!
//! T of numeric columns follows from the distribution function of their bins ([`bin_shares`]), T of
//! categories from counts ([`level_sets`]). Both are the same for all rows and part of the compiled
//! trees ([`splits`]), whose splits [`walk`] puts in order. [`lanes`] evaluates the formulas, eight rows at a time.
//!
//! Cost: the compiled trees take about as long as one prediction of each of their splits; then
//! about 40 instructions per split and eight rows. Memory: 56 bytes per split.

mod bin_shares;
mod lanes;
mod level_sets;
mod splits;
#[cfg(test)]
mod tests;
mod walk;

use super::background::Background;
use crate::forest::{Ensemble, Link, Tree};
use crate::importance::moments::Moments;
pub(super) use lanes::{LANES, Scratch};
use lanes::{Lanes, OwnCodes};
use rayon::prelude::*;
use splits::{TreeSplits, Unit};
use std::ops::Range;

/// Above this number of splits a row costs more than a comparison with 5,000 shared neighbours.
const MOST_SPLITS: usize = 400_000;

/// A sum of trees, compiled for expected values over neighbours.
#[derive(Debug)]
pub(super) struct Expectation {
    trees: Vec<TreeSplits>,
    /// Output by output, what the sum starts from.
    base: Vec<f64>,
    /// On the sum over trees.
    factor: f64,
}

/// What the local model of a row needs, beside the prediction of the row itself.
pub(super) struct Expected {
    n_units: usize,
    /// Unit by unit: the share of the row's own code.
    share: Vec<f64>,
    /// Output by output.
    mean: Vec<f64>,
    /// Output by output, unit by unit.
    covariance: Vec<f64>,
    /// What one more differing unit multiplies a weight by.
    ratio: f64,
}

impl Expectation {
    /// Compiles a model. `None` if its predictions are not a sum over trees, if it has so many
    /// splits that drawing is faster, or if it splits a numeric column other than by a threshold.
    pub(super) fn new(
        ensemble: &Ensemble,
        background: &Background,
        explained: Range<usize>,
    ) -> Option<Self> {
        let n_splits: usize = ensemble.trees.iter().map(|tree| tree.n_nodes() / 2).sum();
        if ensemble.link != Link::Identity || n_splits > MOST_SPLITS {
            return None;
        }
        let units: Vec<Unit<'_>> =
            background.units.iter().map(|(columns, draw)| Unit::new(columns, draw)).collect();
        // Per column its unit, and its place among the unit's columns.
        let mut places = vec![(0, 0); background.n_features()];
        for unit in 0..background.n_units() {
            for (at, &column) in background.columns_of(unit).iter().enumerate() {
                places[column] = (unit as u32, at);
            }
        }
        let compile = |(index, tree): (usize, &Tree)| {
            let outputs = match ensemble.output_of_tree.get(index) {
                Some(&output) => output as usize..output as usize + 1,
                None => 0..ensemble.n_outputs,
            };
            TreeSplits::new(tree, &units, &places, outputs, &explained)
        };
        let trees =
            ensemble.trees.par_iter().enumerate().map(compile).collect::<Option<Vec<_>>>()?;
        let base = ensemble.base_score[explained].to_vec();
        Some(Self { trees, base, factor: ensemble.factor() })
    }

    /// The expected values around up to `N` rows of cells, for a kernel of this width.
    pub(super) fn around<const N: usize>(
        &self,
        background: &Background,
        rows: &[&[f64]],
        kernel_width: f64,
        scratch: &mut Scratch,
    ) -> Vec<Expected> {
        let ratio = libm::exp(-0.5 / (kernel_width * kernel_width));
        let own = OwnCodes::<N>::of(background, rows);
        let n_units = background.n_units();
        let mut mean = vec![[0.0; N]; self.base.len()];
        let mut covariance = vec![[0.0; N]; self.base.len() * n_units];
        for tree in &self.trees {
            tree.add(&own, ratio, &mut mean, &mut covariance, scratch);
        }
        for (mean, base) in mean.iter_mut().zip(&self.base) {
            mean.iter_mut().for_each(|mean| *mean = base + self.factor * *mean);
        }
        covariance.as_flattened_mut().iter_mut().for_each(|sum| *sum *= self.factor);
        let of_lane = |lane: usize| {
            let pick = |lanes: &[Lanes<N>]| lanes.iter().map(|lanes| lanes[lane]).collect();
            Expected {
                n_units,
                share: pick(&own.share),
                mean: pick(&mean),
                covariance: pick(&covariance),
                ratio,
            }
        };
        (0..rows.len()).map(of_lane).collect()
    }
}

impl Expected {
    /// The moments of `n` expected neighbours of the row and the row itself, whose predictions are
    /// given, over some units.
    ///
    /// The row is a population of weight one with all z at one, beside the neighbours. The products
    /// of a mixture are those within both, and W / (W + 1) times those of the difference of means.
    pub(super) fn moments(&self, units: &[usize], n: f64, prediction: &[f64]) -> Moments {
        let mass = |share: f64| share + self.ratio * (1.0 - share);
        let weight = n * self.share.iter().map(|share| mass(*share)).product::<f64>();
        let between = weight / (weight + 1.0);
        let q = units.len();
        let own_mean: Vec<f64> = units
            .iter()
            .map(|&unit| {
                let share = self.share[unit];
                if share > 0.0 { share / mass(share) } else { 0.0 }
            })
            .collect();
        let mut gram = vec![0.0; q * q];
        for (a, mean_a) in own_mean.iter().enumerate() {
            for (b, mean_b) in own_mean.iter().enumerate() {
                gram[a * q + b] = between * (1.0 - mean_a) * (1.0 - mean_b);
            }
            gram[a * q + a] += weight * mean_a * (1.0 - mean_a);
        }
        let mut cross = Vec::with_capacity(q * prediction.len());
        let mut response_mean = Vec::with_capacity(prediction.len());
        for (output, prediction) in prediction.iter().enumerate() {
            let difference = prediction - self.mean[output];
            cross.extend(units.iter().zip(&own_mean).map(|(&unit, mean)| {
                let within = self.covariance[output * self.n_units + unit];
                weight * within + between * (1.0 - mean) * difference
            }));
            response_mean.push(self.mean[output] + difference / (weight + 1.0));
        }
        Moments {
            mean: own_mean.iter().map(|mean| (weight * mean + 1.0) / (weight + 1.0)).collect(),
            gram,
            response_mean,
            cross,
            // Of pairs of trees; no local model needs it.
            response_square: vec![f64::NAN; prediction.len()],
        }
    }
}
