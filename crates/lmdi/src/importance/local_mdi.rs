//! Local MDI: how much purer the nodes become along a row's path, credited to the features split on
//! (Sutera and others, 2021).
//!
//! ```text
//! score_k(x) = mean over trees of  sum over splits v on k above x's leaf of
//!              i(v) - i(child of v towards x)
//! ```
//!
//! with i the impurity of a node. Averaged over the in-bag rows of a tree this is its MDI, which it
//! splits up over rows. A score is negative where a split leads a row into a less pure node. Scores
//! say how much a feature mattered, not in which direction: base plus scores is minus the impurity
//! of the row's leaves, the base minus that of the roots.
//!
//! In other words it is [`Saabas`] of an ensemble whose node values are minus its impurities, and
//! is computed so. For forests only: the impurities of boosted trees are about gradients.

use super::mdi::unknown_impurity;
use super::{Saabas, Scores, TreeSubset};
use crate::forest::{Aggregation, Ensemble, Growth, Link, Outcome, Tree};
use crate::monitor::Monitor;
use crate::table::MatrixView;
use crate::{Error, Result};

/// A forest prepared to be explained by the impurities along paths.
#[derive(Debug)]
pub struct LocalMdi {
    paths: Saabas,
}

impl LocalMdi {
    /// Prepares a forest. Fails for boosted models, and for models without impurities.
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
    /// use lmdi::importance::LocalMdi;
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
    /// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
    /// #     feature_names: &["age".to_string()], labels: &[] };
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// let scores = LocalMdi::new(&forest)?.explain(&x.view(), &Silent)?;
    /// assert!(scores.get(0, 0, 0) > 0.0); // the leaf of the row is purer than the root
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(ensemble: &Ensemble) -> Result<Self> {
        ensemble.check()?;
        if ensemble.is_boosted() {
            return Err(Error::Data(
                "local MDI is defined for forests; the impurities of boosted trees are about gradients"
                    .into(),
            ));
        }
        let mut trees = Vec::with_capacity(ensemble.trees.len());
        for (index, tree) in ensemble.trees.iter().enumerate() {
            if tree.impurity.iter().any(|impurity| !impurity.is_finite()) {
                return Err(unknown_impurity(index));
            }
            let value = tree.impurity.iter().map(|impurity| -impurity).collect();
            trees.push(Tree { value, n_values: 1, ..tree.clone() });
        }
        let impurities = Ensemble {
            feature_names: ensemble.feature_names.clone(),
            trees,
            output_of_tree: Vec::new(),
            n_outputs: 1,
            aggregation: Aggregation::Mean,
            base_score: vec![0.0],
            link: Link::Identity,
            growth: Growth::Independent,
            outcome: Outcome::Number,
            class_weights: Default::default(),
        };
        Ok(Self { paths: Saabas::new(&impurities)? })
    }

    /// Explains rows, with one output, whatever the forest predicts. The monitor advances by one
    /// per row.
    pub fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.paths.explain(x, monitor)
    }

    /// Explains each row by some of the trees. The monitor advances by one per row.
    pub fn explain_on(
        &self,
        x: &MatrixView<'_>,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        self.paths.explain_on(x, trees, monitor)
    }
}
