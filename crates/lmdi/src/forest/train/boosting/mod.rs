//! Gradient boosting: each round adds a tree (or one tree per class) that follows the residuals.
//!
//! - Exact finder: least-squares trees on the residuals; then every node's value becomes one Newton
//!   step, sum of w r over sum of w h (times (K - 1) / K with K classes, as scikit-learn's
//!   GradientBoosting does).
//! - Histogram finder: splits and values both by Newton steps, as scikit-learn's
//!   HistGradientBoosting does.
//!
//! Internal nodes hold the value they would have as leaves. A tree's impurities are the variance of
//! the residuals (exact) or of r / h weighted by h (histogram), so that weighted decreases are the
//! gains of the splits.

mod early_stopping;
mod histogram;
mod loss;

use super::columns::{PackedColumns, rank_columns};
use super::params::BoostingParams;
use super::training_set::TrainingSet;
use super::tree::criterion::{PairRule, PairScorer, PairTarget};
use super::tree::grower::grow;
use super::tree::limits::{Limits, Ties};
use super::tree::splitter::{Splitter, TreeScratch};
use crate::Result;
use crate::forest::{Aggregation, Ensemble, Growth, InBag, Loss, Tree};
use crate::monitor::Monitor;
use crate::random::{Generator, generator, subset};
use crate::table::MatrixView;
use early_stopping::{Watch, hold_out};
use histogram::{BinnedColumns, HistogramGrower};
use loss::{base_score, derivatives, link_of, loss_of, mean_loss};
use rayon::prelude::*;
use std::ops::Range;

/// Curvatures below this are no base for a Newton step.
const NO_CURVATURE: f64 = 1e-150;

/// Trains a boosted ensemble on rayon's current threads. Reports one unit of progress per round.
///
/// ```
/// use lmdi::forest::train::{BoostingParams, TrainingSet, train_boosting};
/// use lmdi::monitor::Silent;
/// use lmdi::table::{Matrix, Response};
/// # fn main() -> lmdi::Result<()> {
/// let x = Matrix::from_column_major((0..100).map(f64::from).collect(), 100, 1)?;
/// let codes: Vec<u32> = (0..100).map(|i| u32::from(i >= 50)).collect();
/// let set = TrainingSet {
///     x: x.view(),
///     y: Response::Classes { codes: &codes, n_classes: 2 },
///     weights: None,
///     feature_names: &["age".to_string()],
///     labels: &["no".to_string(), "yes".to_string()],
/// };
/// let model = train_boosting(&set, &BoostingParams::default(), &Silent)?;
/// let shares = model.predict(&x.view(), &Silent)?;
/// assert!(shares[0] > 0.99 && shares[2 * 99 + 1] > 0.99);
/// # Ok(())
/// # }
/// ```
pub fn train_boosting(
    set: &TrainingSet,
    params: &BoostingParams,
    monitor: &dyn Monitor,
) -> Result<Ensemble> {
    set.check()?;
    params.check(set.x.cols())?;
    // Rounds are many short parallel passes: from inside the pool each of them starts at once.
    rayon::scope(|_| boost(set, params, monitor))
}

fn boost(set: &TrainingSet, params: &BoostingParams, monitor: &dyn Monitor) -> Result<Ensemble> {
    monitor.check()?;
    let histograms = params.uses_histograms(set.x.rows());
    let bins = histograms.then_some(params.max_bins);
    let columns = rank_columns(&set.x, None, set.feature_names, bins)?;
    let loss = loss_of(&set.y);
    let weights = set.row_weights();
    let with_weight: Vec<u32> =
        (0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0).collect();
    let (train_rows, held_rows) = match params.early_stopping {
        None => (with_weight, Vec::new()),
        Some(stopping) => {
            // A stream that no round uses.
            let mut random = generator(params.seed, u64::MAX);
            hold_out(&set.y, &with_weight, stopping.validation_fraction, &mut random)?
        }
    };
    let base = base_score(&set.y, &weights, &train_rows);
    let mut raw: Vec<Vec<f64>> = base.iter().map(|&base| vec![base; weights.len()]).collect();
    let mut slopes = vec![vec![[0.0; 2]; weights.len()]; base.len()];
    let mut watch = params
        .early_stopping
        .map(|rule| Watch::new(rule, mean_loss(&set.y, &raw, &weights, &held_rows)));

    let (columns, binned) = if histograms {
        (PackedColumns::new(Vec::new()), BinnedColumns::new(columns))
    } else {
        (PackedColumns::new(columns), BinnedColumns::default())
    };
    let mut grower = if histograms {
        let grower = Box::new(HistogramGrower::new(&binned, params));
        Grower::Histogram { grower, l2: params.l2 }
    } else {
        Grower::exact(&columns, params, weights.len())
    };
    let mut trees: Vec<Tree> = Vec::new();
    for round in 0..params.n_rounds {
        monitor.check()?;
        let mut random = generator(params.seed, round as u64);
        let rows = sample(&train_rows, params.subsample, &mut random);
        derivatives(&set.y, &raw, &mut slopes);
        for (raw, slopes) in raw.iter_mut().zip(&mut slopes) {
            let mut rows = rows.clone();
            let (mut tree, ranges) =
                grower.grow(&mut rows, slopes, &weights, loss, base.len(), &mut random);
            update(&tree, &ranges, &rows, &set.x, params.learning_rate, raw);
            if params.subsample < 1.0 {
                let mut counts = vec![0; weights.len()];
                rows.iter().for_each(|&row| counts[row as usize] = 1);
                tree.in_bag = Some(InBag::from_counts(counts));
            }
            trees.push(tree);
        }
        monitor.advance(1);
        if let Some(watch) = &mut watch
            && watch.stops(mean_loss(&set.y, &raw, &weights, &held_rows))
        {
            break;
        }
    }
    if let Some(watch) = watch {
        trees.truncate(watch.best_round() * base.len());
    }
    let several = base.len() > 1;
    Ok(Ensemble {
        feature_names: set.feature_names.to_vec(),
        output_of_tree: if several {
            (0..trees.len()).map(|tree| (tree % base.len()) as u32).collect()
        } else {
            Vec::new()
        },
        trees,
        n_outputs: base.len(),
        aggregation: Aggregation::Sum { learning_rate: params.learning_rate },
        base_score: base,
        link: link_of(loss),
        growth: if histograms { Growth::SecondOrder(loss) } else { Growth::FirstOrder(loss) },
        outcome: set.outcome(),
        class_weights: Default::default(),
    })
}

/// The rows of one round, ascending.
fn sample(rows: &[u32], share: f64, random: &mut Generator) -> Vec<u32> {
    if share >= 1.0 {
        return rows.to_vec();
    }
    let count = ((share * rows.len() as f64) as usize).max(1);
    subset(random, rows.len(), count).into_iter().map(|at| rows[at as usize]).collect()
}

/// Adds a tree to the raw outputs. Rows that grew it are found by their leaf's range, the others
/// walk down the tree.
fn update(
    tree: &Tree,
    ranges: &[Range<usize>],
    rows: &[u32],
    x: &MatrixView,
    learning_rate: f64,
    raw: &mut [f64],
) {
    for (node, range) in ranges.iter().enumerate().filter(|(node, _)| tree.is_leaf(*node)) {
        let step = learning_rate * tree.value[node];
        rows[range.clone()].iter().for_each(|&row| raw[row as usize] += step);
    }
    if rows.len() == raw.len() {
        return;
    }
    let mut grew = vec![false; raw.len()];
    rows.iter().for_each(|&row| grew[row as usize] = true);
    raw.par_iter_mut().zip(&grew).enumerate().filter(|(_, (_, grew))| !**grew).for_each(
        |(row, (raw, _))| {
            let mut node = 0;
            while !tree.is_leaf(node) {
                let left = tree.goes_left(node, x.get(row, tree.feature[node] as usize));
                node = if left { tree.left[node] } else { tree.right[node] } as usize;
            }
            *raw += learning_rate * tree.value[node];
        },
    );
}

/// One of the two split finders, with its buffers.
enum Grower<'a> {
    Exact {
        columns: &'a PackedColumns,
        limits: Limits,
        scratch: Box<TreeScratch<PairScorer>>,
        residuals: Vec<f64>,
    },
    Histogram {
        grower: Box<HistogramGrower<'a>>,
        l2: f64,
    },
}

impl<'a> Grower<'a> {
    fn exact(columns: &'a PackedColumns, params: &BoostingParams, n_rows: usize) -> Self {
        Grower::Exact {
            columns,
            limits: Limits {
                max_depth: params.max_depth.unwrap_or(usize::MAX),
                min_samples_split: params.min_samples_split,
                min_samples_leaf: params.min_samples_leaf,
                min_impurity_decrease: 0.0,
                max_leaf_nodes: params.max_leaf_nodes,
                max_features: params.max_features.count(columns.len()),
                random_thresholds: false,
                ties: Ties::ToRounding,
            },
            scratch: Box::new(TreeScratch::new()),
            residuals: vec![0.0; n_rows],
        }
    }

    /// Grows a tree on `rows`, which it reorders; gives the tree and each node's range of rows.
    fn grow(
        &mut self,
        rows: &mut Vec<u32>,
        slopes: &mut [[f64; 2]],
        weights: &[f64],
        loss: Loss,
        n_outputs: usize,
        random: &mut Generator,
    ) -> (Tree, Vec<Range<usize>>) {
        match self {
            Grower::Exact { columns, limits, scratch, residuals } => {
                residuals.iter_mut().zip(slopes.iter()).for_each(|(r, slope)| *r = slope[0]);
                let rule = PairRule::Squares;
                let target = PairTarget { y: residuals, weights, rule, classes: false };
                scratch.rows.clone_from(rows);
                let random = generator_from(random);
                let (mut splitter, root) = Splitter::new(columns, &target, limits, random, scratch);
                let mut grown = grow(&mut splitter, root, 1, limits.max_leaf_nodes);
                rows.clone_from(&scratch.rows);
                if loss != Loss::SquaredError {
                    let k = n_outputs as f64;
                    let factor = if n_outputs > 1 { (k - 1.0) / k } else { 1.0 };
                    newton_steps(&mut grown.tree, &grown.ranges, rows, slopes, weights, factor);
                }
                (grown.tree, grown.ranges)
            }
            Grower::Histogram { grower, l2 } => {
                for (slope, &weight) in slopes.iter_mut().zip(weights) {
                    *slope = [slope[0] * weight, slope[1] * weight];
                }
                let (mut tree, ranges) = grower.grow(rows, slopes, random);
                weigh(&mut tree, &ranges, rows, slopes, weights, *l2);
                (tree, ranges)
            }
        }
    }
}

/// A generator for one tree, drawn from the round's.
fn generator_from(random: &mut Generator) -> Generator {
    let seed = (crate::random::unit(random) * (1u64 << 53) as f64) as u64;
    generator(seed, 0)
}

/// Sums over the rows of every node, `N` of them, from sums over the rows of the leaves.
fn node_sums<const N: usize>(
    tree: &Tree,
    ranges: &[Range<usize>],
    rows: &[u32],
    terms: impl Fn(usize) -> [f64; N],
) -> Vec<[f64; N]> {
    let mut sums = vec![[0.0; N]; tree.n_nodes()];
    // Children come after their parents.
    for node in (0..tree.n_nodes()).rev() {
        let add = |sum: &mut [f64; N], terms: [f64; N]| {
            sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        };
        let mut sum = [0.0; N];
        if tree.is_leaf(node) {
            rows[ranges[node].clone()].iter().for_each(|&row| add(&mut sum, terms(row as usize)));
        } else {
            add(&mut sum, sums[tree.left[node] as usize]);
            add(&mut sum, sums[tree.right[node] as usize]);
        }
        sums[node] = sum;
    }
    sums
}

/// Replaces every node's value by a Newton step.
fn newton_steps(
    tree: &mut Tree,
    ranges: &[Range<usize>],
    rows: &[u32],
    slopes: &[[f64; 2]],
    weights: &[f64],
    factor: f64,
) {
    let sums = node_sums(tree, ranges, rows, |row| {
        [weights[row] * slopes[row][0], weights[row] * slopes[row][1]]
    });
    for (value, [residual, curvature]) in tree.value.iter_mut().zip(sums) {
        let step = factor * residual / curvature;
        *value = if curvature.abs() < NO_CURVATURE || !step.is_finite() { 0.0 } else { step };
    }
}

/// Sets values, weights and impurities of a tree grown on weighted residuals and curvatures.
fn weigh(
    tree: &mut Tree,
    ranges: &[Range<usize>],
    rows: &[u32],
    slopes: &[[f64; 2]],
    weights: &[f64],
    l2: f64,
) {
    let sums = node_sums(tree, ranges, rows, |row| {
        let [residual, curvature] = slopes[row];
        let square = if curvature > 0.0 { residual * residual / curvature } else { 0.0 };
        [weights[row], square, residual, curvature]
    });
    for (node, [weight, squares, residual, curvature]) in sums.into_iter().enumerate() {
        let explained = if curvature > 0.0 { residual * residual / curvature } else { 0.0 };
        let denominator = curvature + l2;
        tree.value[node] = if denominator > 0.0 { residual / denominator } else { 0.0 };
        tree.weight[node] = weight;
        tree.impurity[node] = ((squares - explained) / weight).max(0.0);
    }
}
