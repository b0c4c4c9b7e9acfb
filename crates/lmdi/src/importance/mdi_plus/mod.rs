//! MDI+: how well each feature's part of the trees' linear models predicts on its own (Agarwal and
//! others, 2023).
//!
//! Each tree is rewritten as a linear model over its stumps and raw columns ([`crate::basis`]) and
//! fitted to all rows. For every row i, the model fitted without it gives a partial prediction for
//! each feature k, with all other features at their mean:
//!
//! ```text
//! yhat_i^(k) = link^-1( intercept_-i + means of all blocks + (block k at x_i - its mean) . b_-i )
//! MDI+_k     = mean over trees of  metric(y, yhat^(k)) - metric(y, constant)
//! ```
//!
//! Leaving rows out is exact for least squares and one Newton step for other losses
//! (`glm::leave_one_out`). The constant is the prediction with all features at their mean: a
//! feature that a tree does not split on predicts just that, so its importance there is exactly zero. With
//! [`MdiPlusOptions::above_constant`] off, importances are the plain values of the metric, as in imodels.
//!
//! The part of a group is the sum of its members' parts. Trees are fitted in parallel, and trees without a
//! split are left out. Memory per thread: the partial predictions of one tree, rows x features it uses.

mod fit;
mod options;

pub use options::{MdiPlusGlm, MdiPlusModel, MdiPlusOptions, MdiPlusPenalty};

use super::{Groups, Importances, check_cells, check_response, check_weights};
use crate::basis::{Basis, TreeRows, leaf_nodes};
use crate::forest::routing::Router;
use crate::forest::train::TrainingSet;
use crate::forest::{Ensemble, NONE};
use crate::monitor::Monitor;
use crate::table::{MatrixView, Response, contiguous_folds, stratified_folds};
use crate::text::counted;
use crate::{Error, Result};
use fit::Partial;
use rayon::prelude::*;

/// MDI+ of every group, on the rows that the forest was trained on. The deviation is over trees.
///
/// The monitor advances by one per tree.
///
/// ```
/// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
/// # use lmdi::{monitor::Silent, table::Matrix};
/// use lmdi::importance::{Groups, mdi_plus::{MdiPlusOptions, mdi_plus}};
/// # fn main() -> lmdi::Result<()> {
/// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
/// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
/// # let names = ["age".to_string()];
/// let set = TrainingSet::regression(x.view(), &y, &names);
/// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
/// let options = MdiPlusOptions::for_response(&set.y);
/// let found = mdi_plus(&forest, &set, &Groups::singles(1), &options, &Silent)?;
/// assert!(found.values[0] > 0.9);
/// # Ok(())
/// # }
/// ```
pub fn mdi_plus(
    ensemble: &Ensemble,
    set: &TrainingSet<'_>,
    groups: &Groups,
    options: &MdiPlusOptions<'_>,
    monitor: &dyn Monitor,
) -> Result<Importances> {
    let (x, response, weights) = (&set.x, &set.y, set.weights);
    ensemble.check()?;
    if ensemble.is_boosted() || !ensemble.output_of_tree.is_empty() {
        return Err(Error::Data(
            "MDI+ is defined for forests, whose trees all predict the response itself".into(),
        ));
    }
    if x.cols() != ensemble.n_features() {
        return Err(Error::Shape {
            what: "columns of the training table".into(),
            found: x.cols(),
            expected: ensemble.n_features(),
        });
    }
    if x.rows() < 2 {
        return Err(Error::Data(format!(
            "{} cannot be left out one by one; give the training rows, at least two",
            counted(x.rows(), "row")
        )));
    }
    groups.check(x.cols())?;
    check_response(ensemble, response, x.rows())?;
    check_weights(weights, x.rows())?;
    check_cells(x, &ensemble.feature_names)?;
    options.check(response)?;
    let folds = options.folds;
    let shared = Shared {
        ensemble,
        router: Router::new(ensemble),
        x,
        response,
        weight: weights.map_or_else(|| vec![1.0; x.rows()], <[f64]>::to_vec),
        groups,
        options,
        fold: match (options.penalty.searches_by_folds(), response) {
            (false, _) => vec![0; x.rows()],
            (true, Response::Numeric(_)) => contiguous_folds(x.rows(), folds),
            (true, Response::Classes { codes, .. }) => stratified_folds(codes, folds),
        },
    };
    let trees: Vec<Option<Vec<f64>>> = (0..ensemble.trees.len())
        .into_par_iter()
        .map(|tree| {
            monitor.check()?;
            let found = shared.measure(tree);
            monitor.advance(1);
            Ok(found)
        })
        .collect::<Result<_>>()?;
    let mut trees: Vec<Vec<f64>> = trees.into_iter().flatten().collect();
    if trees.is_empty() {
        trees.push(vec![0.0; groups.n_groups()]);
    }
    Importances::over_units(&trees)
}

/// What the fits of all trees share.
struct Shared<'s> {
    ensemble: &'s Ensemble,
    router: Router,
    x: &'s MatrixView<'s>,
    response: &'s Response<'s>,
    weight: Vec<f64>,
    groups: &'s Groups,
    options: &'s MdiPlusOptions<'s>,
    fold: Vec<u32>,
}

impl Shared<'_> {
    /// The importance of every group in one tree; `None` for a tree without a split.
    fn measure(&self, index: usize) -> Option<Vec<f64>> {
        let tree = &self.ensemble.trees[index];
        if tree.left[0] == NONE {
            return None;
        }
        let leaves = leaf_nodes(&self.router, index, self.x);
        let mut basis = Basis::of(tree, self.x, self.options.include_raw);
        basis.scale_on_rows(self.x, &leaves, &self.weight);
        let n_folds = if self.options.penalty.searches_by_folds() { self.options.folds } else { 1 };
        let rows =
            TreeRows::new(self.x, &basis, &leaves, &self.weight, &self.fold, n_folds).keep_raw();
        let blocks = basis.stumps.used_features();
        let mut place = vec![usize::MAX; self.groups.n_groups()];
        let mut used = Vec::new();
        let group_of_block: Vec<usize> = blocks
            .iter()
            .map(|&feature| {
                let group = self.groups.of_features()[feature as usize] as usize;
                if place[group] == usize::MAX {
                    place[group] = used.len();
                    used.push(group);
                }
                place[group]
            })
            .collect();
        let n_outputs = match self.response {
            Response::Classes { n_classes, .. } if *n_classes > 2 => *n_classes,
            _ => 1,
        };
        let parts: Vec<Partial> = (0..n_outputs)
            .map(|output| {
                let target = rows.gather(&self.target(output));
                Partial::new(&basis, &rows, &target, &group_of_block, used.len(), self.options)
            })
            .collect();

        let order = rows.table_rows();
        let codes: Vec<u32> = match self.response {
            Response::Numeric(_) => Vec::new(),
            Response::Classes { codes, .. } => {
                order.iter().map(|&row| codes[row as usize]).collect()
            }
        };
        let numbers: Vec<f64> = match self.response {
            Response::Numeric(y) => order.iter().map(|&row| y[row as usize]).collect(),
            Response::Classes { .. } => Vec::new(),
        };
        let response = match self.response {
            Response::Numeric(_) => Response::Numeric(&numbers),
            Response::Classes { n_classes, .. } => {
                Response::Classes { codes: &codes, n_classes: *n_classes }
            }
        };
        let score = |prediction: &[f64]| {
            self.options.metric.score(&response, prediction, Some(&rows.weight))
        };
        let of = |predictors: Vec<&[f64]>| score(&self.predict(&predictors));
        let constants: Vec<Vec<f64>> =
            parts.iter().map(|part| vec![part.constant; rows.len()]).collect();
        let constant = of(constants.iter().map(Vec::as_slice).collect());
        let start = if self.options.above_constant { constant } else { 0.0 };
        let mut found = vec![constant - start; self.groups.n_groups()];
        for (at, &group) in used.iter().enumerate() {
            let range = at * rows.len()..(at + 1) * rows.len();
            let predictors = parts.iter().map(|part| &part.predictor[range.clone()]).collect();
            found[group] = of(predictors) - start;
        }
        Some(found)
    }

    /// The numbers that one output is fitted to.
    fn target(&self, output: usize) -> Vec<f64> {
        match self.response {
            Response::Numeric(y) => y.to_vec(),
            Response::Classes { codes, n_classes } => {
                let class = if *n_classes == 2 { 1 } else { output as u32 };
                codes.iter().map(|&code| f64::from(u8::from(code == class))).collect()
            }
        }
    }

    /// The predictions of all rows, row by row, from the linear predictors of every output.
    fn predict(&self, predictors: &[&[f64]]) -> Vec<f64> {
        if matches!(self.response, Response::Numeric(_)) {
            return predictors.concat();
        }
        let family = self.options.glm.family();
        let trim = self.options.trim;
        let shares = |eta: &&[f64]| {
            let (mut shares, mut variances) = (Vec::new(), Vec::new());
            family.add_means_and_variances(eta, &mut shares, &mut variances);
            shares.iter_mut().for_each(|share| *share = share.clamp(trim, 1.0 - trim));
            shares
        };
        let shares: Vec<Vec<f64>> = predictors.iter().map(shares).collect();
        if let [shares] = shares.as_slice() {
            return shares.iter().flat_map(|share| [1.0 - share, *share]).collect();
        }
        let n = shares.first().map_or(0, Vec::len);
        let of_row = |row| {
            let total: f64 = shares.iter().map(|of_output| of_output[row]).sum();
            shares.iter().map(move |of_output| of_output[row] / total)
        };
        (0..n).flat_map(of_row).collect()
    }
}
