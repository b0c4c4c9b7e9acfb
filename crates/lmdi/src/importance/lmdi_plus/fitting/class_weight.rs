//! The weight of each row's class in the fit.
//!
//! Boosting multiplies gradients by class weights, and a forest that draws rows by them predicts
//! shares of what it drew: there the weights are used as they are. Weights *inside* the trees of a
//! forest show in its predictions only in impure leaves: a pure leaf predicts its class with any
//! weights. There each class gets the weight that makes the mean response equal the forest's own
//! mean prediction, of out-of-bag rows if they are known:
//!
//! ```text
//! weight_c = mean predicted share of c / share of c among the rows
//! ```

use crate::Result;
use crate::forest::{ClassWeights, Ensemble, Growth, Tree, oob_prediction};
use crate::monitor::Silent;
use crate::table::{MatrixView, Response};

/// The class weight of every row, with mean one; `None` if all classes have the same weight.
pub(super) fn row_class_weights(
    ensemble: &Ensemble,
    x: &MatrixView<'_>,
    response: &Response<'_>,
    bags_known: bool,
) -> Result<Option<Vec<f64>>> {
    let Response::Classes { codes, n_classes } = response else { return Ok(None) };
    let given = &ensemble.class_weights;
    let inside_trees =
        matches!(ensemble.growth, Growth::Independent) && !ensemble.trees.iter().all(counts_draws);
    if *given == ClassWeights::Equal || !inside_trees {
        return Ok(given.of_rows(codes, *n_classes));
    }
    let predicted = if bags_known {
        oob_prediction(ensemble, x, &Silent)?.prediction
    } else {
        ensemble.predict(x, &Silent)?
    };
    let mut factors = vec![0.0; *n_classes];
    let known = predicted.chunks_exact(*n_classes).filter(|row| row.iter().all(|p| !p.is_nan()));
    known.for_each(|row| factors.iter_mut().zip(row).for_each(|(sum, p)| *sum += p));
    let mut counts = vec![0.0; *n_classes];
    codes.iter().for_each(|&code| counts[code as usize] += 1.0);
    for (factor, count) in factors.iter_mut().zip(counts) {
        *factor = if count > 0.0 { *factor / count } else { 0.0 };
    }
    Ok(ClassWeights::Given(factors).of_rows(codes, *n_classes))
}

/// Whether the nodes of a tree weigh whole numbers of rows: then class weights decided at most which rows were
/// drawn, not what a draw counts.
pub(super) fn counts_draws(tree: &Tree) -> bool {
    tree.weight.iter().all(|weight| (weight - weight.round()).abs() <= 1e-9 * weight.max(1.0))
}
