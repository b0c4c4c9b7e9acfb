//! Mean decrease in accuracy: permutation importance on the rows that each tree did not see.
//!
//! For every tree of a forest, the columns of its out-of-bag rows are shuffled among these rows and the
//! drop of the metric is taken; importances are means over trees (Breiman, 2001). Trees are measured in
//! parallel. Trees without at least two out-of-bag rows, or on whose rows the metric is not defined, are
//! left out. Cost: a tree's out-of-bag rows once per group the tree uses and repetition.

use super::{PermutationOptions, check, groups_used, members, n_predictions, shuffled};
use crate::forest::predict::apply_link;
use crate::forest::routing::Router;
use crate::forest::train::TrainingSet;
use crate::forest::{Aggregation, Ensemble, InBag};
use crate::importance::{Groups, Importances};
use crate::monitor::Monitor;
use crate::table::{MatrixView, Response};
use crate::{Error, Result};
use rayon::prelude::*;

/// Permutation importance of every group on out-of-bag rows. `set` must be the rows the forest was
/// trained on, in their order. The deviation is over trees.
///
/// Fails if the model is not a forest with known bootstrap samples. The monitor advances by one per
/// tree.
pub fn permutation_out_of_bag(
    ensemble: &Ensemble,
    set: &TrainingSet<'_>,
    groups: &Groups,
    options: &PermutationOptions<'_>,
    monitor: &dyn Monitor,
) -> Result<Importances> {
    let (x, response, weights) = (&set.x, &set.y, set.weights);
    check(ensemble, set, groups, options)?;
    if ensemble.aggregation != Aggregation::Mean || !ensemble.output_of_tree.is_empty() {
        return Err(Error::Data(
            "out-of-bag importance is defined for forests; use rows that were kept out of training"
                .into(),
        ));
    }
    let in_bag = ensemble.trees.iter().map(|tree| tree.in_bag.as_ref());
    let in_bag: Vec<&InBag> = in_bag.collect::<Option<_>>().ok_or_else(|| {
        Error::Data(
            "the model does not tell which rows each tree saw; train it with bootstrap, or use rows that \
             were kept out of training"
                .into(),
        )
    })?;
    if in_bag[0].len() != x.rows() {
        return Err(Error::Shape {
            what: "rows of the training table".into(),
            found: x.rows(),
            expected: in_bag[0].len(),
        });
    }
    let shared = Shared {
        ensemble,
        router: Router::new(ensemble),
        x,
        response,
        weights,
        groups,
        members: members(groups),
        options,
    };
    let trees: Vec<Option<Vec<f64>>> = (0..ensemble.trees.len())
        .into_par_iter()
        .map(|tree| {
            monitor.check()?;
            let drops = shared.drops_of_tree(tree, in_bag[tree])?;
            monitor.advance(1);
            Ok(drops)
        })
        .collect::<Result<_>>()?;
    let trees: Vec<Vec<f64>> = trees.into_iter().flatten().collect();
    if trees.is_empty() {
        return Err(Error::Data(format!(
            "no tree has out-of-bag rows on which {} is defined",
            options.metric.text()
        )));
    }
    Importances::over_units(&trees)
}

struct Shared<'s> {
    ensemble: &'s Ensemble,
    router: Router,
    x: &'s MatrixView<'s>,
    response: &'s Response<'s>,
    weights: Option<&'s [f64]>,
    groups: &'s Groups,
    members: Vec<Vec<usize>>,
    options: &'s PermutationOptions<'s>,
}

/// The responses of some rows.
enum Picked {
    Numbers(Vec<f64>),
    Classes(Vec<u32>, usize),
}

impl Picked {
    fn new(response: &Response<'_>, rows: &[usize]) -> Self {
        match response {
            Response::Numeric(y) => Picked::Numbers(rows.iter().map(|&row| y[row]).collect()),
            Response::Classes { codes, n_classes } => {
                Picked::Classes(rows.iter().map(|&row| codes[row]).collect(), *n_classes)
            }
        }
    }

    fn response(&self) -> Response<'_> {
        match self {
            Picked::Numbers(y) => Response::Numeric(y),
            Picked::Classes(codes, n_classes) => Response::Classes { codes, n_classes: *n_classes },
        }
    }
}

impl Shared<'_> {
    /// The drop of the metric for every group, mean over repetitions; `None` if it is not defined.
    fn drops_of_tree(&self, tree: usize, in_bag: &InBag) -> Result<Option<Vec<f64>>> {
        let rows: Vec<usize> = (0..self.x.rows()).filter(|&row| in_bag.count(row) == 0).collect();
        let (n, p) = (rows.len(), self.x.cols());
        if n < 2 {
            return Ok(None);
        }
        let mut cells = vec![0.0; n * p];
        for (&row, line) in rows.iter().zip(cells.chunks_exact_mut(p)) {
            self.x.rows_into(row..row + 1, line);
        }
        let picked = Picked::new(self.response, &rows);
        let weights: Option<Vec<f64>> =
            self.weights.map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let measure = |cells: &[f64]| -> Result<f64> {
            let predicted = self.predict(tree, &MatrixView::from_rows(cells, n, p)?);
            Ok(self.options.metric.score(&picked.response(), &predicted, weights.as_deref()))
        };
        let whole = measure(&cells)?;
        if whole.is_nan() {
            return Ok(None);
        }
        let used = groups_used(std::iter::once(&self.ensemble.trees[tree]), self.groups);
        let mut drops = vec![0.0; self.groups.n_groups()];
        let repeats = self.options.repeats;
        for group in (0..used.len()).filter(|&group| used[group]) {
            let columns = &self.members[group];
            let original: Vec<f64> = (0..n)
                .flat_map(|row| columns.iter().map(move |&column| (row, column)))
                .map(|(row, column)| cells[row * p + column])
                .collect();
            let put = |cells: &mut [f64], from: &dyn Fn(usize) -> usize| {
                for row in 0..n {
                    for (at, &column) in columns.iter().enumerate() {
                        cells[row * p + column] = original[from(row) * columns.len() + at];
                    }
                }
            };
            for repeat in 0..repeats {
                let unit = (tree * used.len() + group) * repeats + repeat;
                let order = shuffled(n, self.options.seed, unit as u64);
                put(&mut cells, &|row| order[row] as usize);
                drops[group] += whole - measure(&cells)?;
            }
            put(&mut cells, &|row| row);
            drops[group] /= repeats as f64;
        }
        Ok(Some(drops))
    }

    /// The predictions of one tree.
    fn predict(&self, tree: usize, x: &MatrixView<'_>) -> Vec<f64> {
        let leaves = crate::basis::leaf_nodes(&self.router, tree, x);
        let width = self.ensemble.n_outputs;
        let mut raw = Vec::with_capacity(leaves.len() * width);
        for leaf in leaves {
            let value = self.ensemble.trees[tree].value_of(leaf as usize);
            raw.extend(
                value.iter().zip(&self.ensemble.base_score).map(|(value, base)| value + base),
            );
        }
        let predicted = apply_link(self.ensemble.link, width, raw);
        debug_assert_eq!(predicted.len(), x.rows() * n_predictions(self.ensemble));
        predicted
    }
}
