//! Forests: trees grown independently, each on its own bootstrap sample.
//!
//! Tree t draws its sample and its columns from the generator of (seed, t), so neither the number
//! of threads nor the order in which trees finish changes the forest.
//!
//! With a bootstrap sample, row weights decide what is drawn (see `bagging`) and a tree weights a
//! row by how often it was drawn; without one, the weights are used as they are. Rows of weight
//! zero are ignored.

use super::bagging::Bagging;
use super::columns::{PackedColumns, rank_columns};
use super::params::{Criterion, ForestParams, MAX_BINS, SplitFinder};
use super::training_set::TrainingSet;
use super::tree::criterion::{
    ClassTarget, EPSILON, NodeTarget, PairRule, PairTarget, indicators, n_outputs,
};
use super::tree::grower::grow;
use super::tree::limits::{Limits, Ties};
use super::tree::splitter::{Splitter, TreeScratch};
use crate::forest::{Aggregation, Ensemble, Growth, InBag, Link, Tree};
use crate::monitor::Monitor;
use crate::random::{Generator, generator};
use crate::table::Response;
use crate::{Error, Result};
use rayon::prelude::*;

/// Trains a forest on rayon's current threads. Reports one unit of progress per tree.
///
/// With a bootstrap, whole-number weights of at most four on average are numbers of equal rows: a
/// weight of three gives the forest that the row gives when it is repeated three times, whatever the
/// order of rows. Other weights are chances of being drawn, and as many rows are drawn as have one.
///
/// ```
/// use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
/// use lmdi::monitor::Silent;
/// use lmdi::table::{Matrix, Response};
/// # fn main() -> lmdi::Result<()> {
/// let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
/// let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
/// let set = TrainingSet {
///     x: x.view(),
///     y: Response::Numeric(&y),
///     weights: None,
///     feature_names: &["age".to_string()],
///     labels: &[],
/// };
/// let params = ForestParams::regression().with_n_trees(10);
/// let forest = train_forest(&set, &params, &Silent)?;
/// assert_eq!(forest.trees.len(), 10);
/// # Ok(())
/// # }
/// ```
pub fn train_forest(
    set: &TrainingSet,
    params: &ForestParams,
    monitor: &dyn Monitor,
) -> Result<Ensemble> {
    set.check()?;
    params.check(set.x.cols())?;
    check_criterion(&set.y, params.criterion)?;
    monitor.check()?;
    let bins = (params.split_finder == SplitFinder::Histogram).then_some(MAX_BINS);
    let bagging = Bagging::new(set, params);
    let places = bagging.as_ref().and_then(Bagging::rows);
    let columns = PackedColumns::new(rank_columns(&set.x, places, set.feature_names, bins)?);
    let weights = set.row_weights();
    let limits = Limits {
        max_depth: params.max_depth.unwrap_or(usize::MAX),
        min_samples_split: params.min_samples_split,
        min_samples_leaf: params.min_samples_leaf,
        min_impurity_decrease: params.min_impurity_decrease,
        max_leaf_nodes: params.max_leaf_nodes,
        max_features: params.max_features.count(columns.len()),
        random_thresholds: params.extra_trees,
        ties: if params.extra_trees { Ties::ToRounding } else { Ties::Exact },
    };
    let (y, codes);
    let response = match (places, set.y) {
        (None, response) => response,
        (Some(places), Response::Numeric(of_rows)) => {
            y = at(places, of_rows);
            Response::Numeric(&y)
        }
        (Some(places), Response::Classes { codes: of_rows, n_classes }) => {
            codes = at(places, of_rows);
            Response::Classes { codes: &codes, n_classes }
        }
    };
    let indicator;
    let (rule, y, classes) = match (params.criterion, response) {
        (Criterion::SquaredError, Response::Numeric(y)) => (PairRule::Squares, y, None),
        (Criterion::Poisson, Response::Numeric(y)) => (PairRule::Poisson, y, None),
        (criterion, Response::Classes { codes, n_classes }) => {
            indicator = indicators(codes);
            let entropy = criterion == Criterion::Entropy;
            let rule = if entropy { PairRule::Entropy } else { PairRule::Squares };
            (rule, &indicator[..], Some((codes, n_classes)))
        }
        (Criterion::Gini | Criterion::Entropy, Response::Numeric(_)) => {
            unreachable!("the criterion was checked against the response")
        }
    };
    let trees: Result<Vec<Tree>> = (0..params.n_trees)
        .into_par_iter()
        .map(|index| {
            monitor.check()?;
            let mut random = generator(params.seed, index as u64);
            let bag = bagging.as_ref().map(|bagging| bagging.draw(&mut random));
            let weights = bag.as_ref().map_or(&weights, |bag| &bag.weights);
            let mut tree = match classes {
                Some((codes, n_classes)) if n_classes > 2 => {
                    let entropy = rule == PairRule::Entropy;
                    let target = ClassTarget { codes, n_classes, weights, entropy };
                    grow_one(&columns, &target, weights, &limits, random)
                }
                _ => {
                    let target = PairTarget { y, weights, rule, classes: classes.is_some() };
                    grow_one(&columns, &target, weights, &limits, random)
                }
            };
            tree.in_bag = bag.map(|bag| InBag::from_counts(bag.counts));
            monitor.advance(1);
            Ok(tree)
        })
        .collect();
    let n_outputs = n_outputs(&set.y);
    Ok(Ensemble {
        feature_names: set.feature_names.to_vec(),
        trees: trees?,
        output_of_tree: Vec::new(),
        n_outputs,
        aggregation: Aggregation::Mean,
        base_score: vec![0.0; n_outputs],
        link: Link::Identity,
        growth: Growth::Independent,
        outcome: set.outcome(),
        class_weights: Default::default(),
    })
}

/// What the rows at these places have.
fn at<T: Copy>(places: &[u32], of_rows: &[T]) -> Vec<T> {
    places.iter().map(|&row| of_rows[row as usize]).collect()
}

fn grow_one<T: NodeTarget>(
    columns: &PackedColumns,
    target: &T,
    weights: &[f64],
    limits: &Limits,
    random: Generator,
) -> Tree {
    let mut scratch = TreeScratch::new();
    scratch.rows.extend((0..weights.len() as u32).filter(|&row| weights[row as usize] > 0.0));
    let (mut splitter, root) = Splitter::new(columns, target, limits, random, &mut scratch);
    grow(&mut splitter, root, target.n_values(), limits.max_leaf_nodes).tree
}

fn check_criterion(y: &Response, criterion: Criterion) -> Result<()> {
    match (criterion, y) {
        (Criterion::SquaredError, Response::Numeric(_))
        | (Criterion::Gini | Criterion::Entropy, Response::Classes { .. }) => Ok(()),
        (Criterion::Poisson, Response::Numeric(y)) => {
            if let Some(row) = y.iter().position(|y| *y < 0.0) {
                return Err(Error::Data(format!(
                    "the response of row {row} is {}; the Poisson criterion needs responses not \
                     below 0",
                    y[row]
                )));
            }
            if y.iter().sum::<f64>() <= EPSILON {
                return Err(Error::Data(
                    "all responses are 0; the Poisson criterion needs one above 0".into(),
                ));
            }
            Ok(())
        }
        (criterion, _) => Err(Error::Parameter {
            name: "criterion",
            found: format!("{criterion:?}"),
            expected: "SquaredError or Poisson for a number, Gini or Entropy for classes".into(),
        }),
    }
}
