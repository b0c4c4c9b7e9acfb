//! Saabas: the changes of the node values along a row's path, credited to the features split on.
//!
//! ```text
//! score_k(x) = mean over trees of  sum over splits v on k above x's leaf of
//!              value(child of v towards x) - value(v)
//! ```
//!
//! Forests average over trees, boosted models add up with their learning rate. Base plus scores is
//! the model's own raw output: the predicted number, the share of a class, or a log-odds for
//! boosted classes. For two classes of a forest the one output is the share of the second.
//!
//! This is the first step of LMDI+'s ablation: least squares on the stumps of the in-bag rows gives
//! the same scores (`tests/it/importance/path_methods.rs`). Cost: that of predicting, and one
//! addition per feature on the path. It needs node values only, no training rows.

use super::lmdi_plus::{LmdiPlus, ScoreOptions, TreeFit, TreeModel, outputs_of};
use super::{OutputScale, Scores, TreeSubset};
use crate::Result;
use crate::forest::{Aggregation, Ensemble, Link, Tree};
use crate::monitor::Monitor;
use crate::table::MatrixView;

/// An ensemble prepared to be explained by the changes of its node values.
#[derive(Debug)]
pub struct Saabas {
    explainer: LmdiPlus,
}

impl Saabas {
    /// Prepares an ensemble.
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
    /// use lmdi::importance::Saabas;
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
    /// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
    /// #     feature_names: &["age".to_string()], labels: &[] };
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// let scores = Saabas::new(&forest)?.explain(&x.view(), &Silent)?;
    /// assert!((scores.total(39, 0) - 5.0).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(ensemble: &Ensemble) -> Result<Self> {
        ensemble.check()?;
        let scale = match ensemble.link {
            Link::Identity => OutputScale::Identity,
            Link::Logit | Link::OneVsRest => OutputScale::LogOdds,
            Link::Softmax => OutputScale::Softmax,
            Link::Log => OutputScale::Log,
        };
        let trees = (0..ensemble.trees.len()).map(|index| path_model(ensemble, index)).collect();
        Ok(Self { explainer: LmdiPlus::new(ensemble, scale, trees)? })
    }

    /// Explains rows. The monitor advances by one per row.
    pub fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain_on(x, TreeSubset::All, monitor)
    }

    /// Explains each row by some of the trees. The monitor advances by one per row.
    pub fn explain_on(
        &self,
        x: &MatrixView<'_>,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        self.explainer.score(x, &ScoreOptions { trees, standard_error: false }, monitor)
    }

    /// The steps of the paths as a linear model over stumps, which is what LMDI+ scores, ranks and
    /// measures the spread of.
    pub fn as_linear_model(&self) -> &LmdiPlus {
        &self.explainer
    }
}

/// One tree as steps from node to node.
fn path_model(ensemble: &Ensemble, index: usize) -> TreeModel {
    let tree = &ensemble.trees[index];
    // Of two shares the second is explained.
    let two_shares = outputs_of(ensemble) < ensemble.n_outputs;
    let (first_output, of_tree): (u32, Vec<usize>) = match ensemble.output_of_tree.get(index) {
        Some(&output) => (output, vec![0]),
        None if two_shares => (0, vec![1]),
        None => (0, (0..tree.n_values).collect()),
    };
    let value = |node: usize, at: usize| tree.value_of(node)[at];
    // The mean over trees would drop what the raw output starts from.
    let start = |output: usize| match ensemble.aggregation {
        Aggregation::Mean if two_shares => ensemble.base_score[1],
        Aggregation::Mean => ensemble.base_score[first_output as usize + output],
        Aggregation::Sum { .. } => 0.0,
    };
    let fit = TreeFit { chosen: None, iterations: 0, gap: 0.0, converged: true };
    TreeModel {
        first_output,
        n_outputs: of_tree.len() as u32,
        intercept: of_tree.iter().enumerate().map(|(k, &at)| value(0, at) + start(k)).collect(),
        step: steps(tree, &of_tree).into(),
        raw: Vec::new(),
        fits: vec![fit; of_tree.len()],
    }
}

fn steps(tree: &Tree, outputs: &[usize]) -> Vec<f64> {
    let k = outputs.len();
    let mut step = vec![0.0; tree.n_nodes() * k];
    for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)) {
        for child in [tree.left[node] as usize, tree.right[node] as usize] {
            for (output, &at) in outputs.iter().enumerate() {
                step[child * k + output] = tree.value_of(child)[at] - tree.value_of(node)[at];
            }
        }
    }
    step
}
