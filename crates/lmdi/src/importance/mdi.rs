//! MDI: the mean decrease in impurity from each feature's splits in training.
//!
//! ```text
//! MDI_k(tree) = sum over splits v on k of [N(v) i(v) - N(L) i(L) - N(R) i(R)] / N(root)
//! ```
//!
//! with N the in-bag weight of a node and i its impurity, by the criterion that the trees were
//! grown with (squared error, poisson deviance, gini, entropy). As in scikit-learn, the importances
//! of each tree of a forest are normalised to sum to one before they are averaged; those of boosted
//! trees are not. The result is normalised to sum to one.
//!
//! The importance of a group is the sum of its members. Cost: one pass over the nodes.

use super::{Groups, Importances};
use crate::forest::{Aggregation, Ensemble, NONE, Tree};
use crate::named::Named;
use crate::{Error, Result};

/// Whether importances are shares or keep the unit of the impurity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MdiScale {
    /// Shares that add up to one (zero if no tree has a split).
    #[default]
    Share,
    /// Decrease in impurity, averaged over all trees.
    Impurity,
}

impl Named for MdiScale {
    const PARAMETER: &'static str = "scale";
    const ALL: &'static [Self] = &[Self::Share, Self::Impurity];

    fn name(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Impurity => "impurity",
        }
    }
}

/// MDI of every group; [`Groups::singles`] gives that of every feature.
///
/// Fails if the model does not keep the impurity of its nodes.
///
/// ```
/// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
/// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
/// use lmdi::importance::{Groups, mdi::{MdiScale, mdi}};
/// # fn main() -> lmdi::Result<()> {
/// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
/// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
/// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
/// #     feature_names: &["age".to_string()], labels: &[] };
/// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
/// let found = mdi(&forest, &Groups::singles(1), MdiScale::Share)?;
/// assert_eq!(found.values, [1.0]);
/// # Ok(())
/// # }
/// ```
pub fn mdi(ensemble: &Ensemble, groups: &Groups, scale: MdiScale) -> Result<Importances> {
    ensemble.check()?;
    groups.check(ensemble.n_features())?;
    let averaged = matches!(ensemble.aggregation, Aggregation::Mean);
    let mut trees = Vec::with_capacity(ensemble.trees.len());
    for (index, tree) in ensemble.trees.iter().enumerate() {
        let mut decrease = tree_mdi(tree, groups, index)?;
        if scale == MdiScale::Share {
            if tree.n_nodes() == 1 {
                continue;
            }
            if averaged {
                to_shares(&mut decrease);
            }
        }
        trees.push(decrease);
    }
    if trees.is_empty() {
        trees.push(vec![0.0; groups.n_groups()]);
    }
    let mut found = Importances::over_units(&trees)?;
    if scale == MdiScale::Share {
        let total = found.values.iter().sum::<f64>();
        to_shares(&mut found.values);
        if total > 0.0 {
            found.deviation.iter_mut().for_each(|deviation| *deviation /= total);
        }
    }
    Ok(found)
}

/// Decrease in impurity of every group in one tree, as a share of the tree's weight.
fn tree_mdi(tree: &Tree, groups: &Groups, index: usize) -> Result<Vec<f64>> {
    let mut decrease = vec![0.0; groups.n_groups()];
    let held = |node: usize| tree.weight[node] * tree.impurity[node];
    for node in 0..tree.n_nodes() {
        if tree.left[node] == NONE {
            continue;
        }
        let gain = held(node) - held(tree.left[node] as usize) - held(tree.right[node] as usize);
        if gain.is_nan() {
            return Err(unknown_impurity(index));
        }
        decrease[groups.of_features()[tree.feature[node] as usize] as usize] += gain;
    }
    if tree.weight[0] > 0.0 {
        decrease.iter_mut().for_each(|decrease| *decrease /= tree.weight[0]);
    }
    Ok(decrease)
}

/// What is said where a model does not tell impurities.
pub(super) fn unknown_impurity(tree: usize) -> Error {
    Error::Data(format!(
        "tree {tree} does not tell the impurity of its nodes; this method needs a model that keeps it \
         (one trained here or taken over from scikit-learn)"
    ))
}

fn to_shares(numbers: &mut [f64]) {
    let sum: f64 = numbers.iter().sum();
    if sum > 0.0 {
        numbers.iter_mut().for_each(|number| *number /= sum);
    }
}
