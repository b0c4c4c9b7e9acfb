//! Permutation importance of the whole model on given rows.
//!
//! Rows are predicted in blocks, in parallel; a block is copied, its shuffled cells are put in, and it
//! goes through the model. Memory: the predictions of one repetition and one block per thread. Cost: one
//! prediction of the table per group and repetition.

use super::{PermutationOptions, check, groups_used, members, n_predictions, shuffled};
use crate::Result;
use crate::forest::train::TrainingSet;
use crate::forest::{Ensemble, Predictor};
use crate::importance::{Groups, Importances};
use crate::monitor::{Monitor, Silent};
use crate::table::MatrixView;
use rayon::prelude::*;

/// Rows that are shuffled and predicted at a time.
const BLOCK_ROWS: usize = 1024;

/// Permutation importance of every group on `rows`, ideally rows that the model was not trained on.
/// The deviation is over repetitions.
///
/// The monitor advances by the number of rows per group and repetition.
///
/// ```
/// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
/// # use lmdi::{monitor::Silent, table::Matrix};
/// use lmdi::importance::{Groups, permutation::{PermutationOptions, permutation}};
/// # fn main() -> lmdi::Result<()> {
/// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
/// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
/// # let names = ["age".to_string()];
/// let set = TrainingSet::regression(x.view(), &y, &names);
/// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
/// let options = PermutationOptions::for_response(&set.y);
/// let found = permutation(&forest, &set, &Groups::singles(1), &options, &Silent)?;
/// assert!(found.values[0] > 0.5);
/// # Ok(())
/// # }
/// ```
pub fn permutation(
    ensemble: &Ensemble,
    rows: &TrainingSet<'_>,
    groups: &Groups,
    options: &PermutationOptions<'_>,
    monitor: &dyn Monitor,
) -> Result<Importances> {
    let (x, response, weights) = (&rows.x, &rows.y, rows.weights);
    check(ensemble, rows, groups, options)?;
    let predictor = Predictor::new(ensemble);
    let width = n_predictions(ensemble);
    let n = x.rows();
    let mut predicted = vec![0.0; n * width];
    predict_shuffled(&predictor, x, &[], &[], width, &mut predicted, monitor)?;
    let whole = options.metric.score(response, &predicted, weights);
    let used = groups_used(ensemble.trees.iter(), groups);
    let members = members(groups);
    let mut drops = vec![vec![0.0; groups.n_groups()]; options.repeats];
    for group in 0..groups.n_groups() {
        for (repeat, drops) in drops.iter_mut().enumerate() {
            if used[group] {
                let unit = (group * options.repeats + repeat) as u64;
                let order = shuffled(n, options.seed, unit);
                let columns = &members[group];
                predict_shuffled(&predictor, x, columns, &order, width, &mut predicted, monitor)?;
                drops[group] = whole - options.metric.score(response, &predicted, weights);
            }
            monitor.advance(n as u64);
        }
    }
    Importances::over_units(&drops)
}

/// Predicts the rows of `x` with the cells of `columns` taken from row `order[row]`.
fn predict_shuffled(
    predictor: &Predictor,
    x: &MatrixView<'_>,
    columns: &[usize],
    order: &[u32],
    width: usize,
    out: &mut [f64],
    monitor: &dyn Monitor,
) -> Result<()> {
    let p = x.cols();
    out.par_chunks_mut(BLOCK_ROWS * width).enumerate().try_for_each_init(
        Vec::new,
        |cells, (index, out)| {
            monitor.check()?;
            let start = index * BLOCK_ROWS;
            let n = out.len() / width;
            cells.resize(n * p, 0.0);
            x.rows_into(start..start + n, cells);
            for &column in columns {
                for row in 0..n {
                    cells[row * p + column] = x.get(order[start + row] as usize, column);
                }
            }
            let block = MatrixView::from_rows(cells, n, p)?;
            out.copy_from_slice(&predictor.predict(&block, &Silent)?);
            Ok(())
        },
    )
}
