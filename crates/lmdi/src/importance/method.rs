//! Local methods by name, and what they have in common.

use super::{
    Groups, InterventionalTreeShap, Lime, LmdiPlus, LocalMdi, Maple, OutputScale, Saabas, Scores,
    TreeShap, TreeSubset,
};
use crate::forest::Ensemble;
use crate::monitor::Monitor;
use crate::named::Named;
use crate::table::MatrixView;
use crate::{Error, Result};

/// A local method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`LmdiPlus`].
    LmdiPlus,
    /// [`TreeShap`].
    TreeShap,
    /// [`Saabas`].
    Saabas,
    /// [`LocalMdi`].
    LocalMdi,
    /// [`Lime`].
    Lime,
    /// [`Maple`].
    Maple,
}

/// What a method needs in addition to the trees before it can explain rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Trees,
    /// Background rows.
    Background,
    /// Rows with their responses, usually the training rows.
    Training,
}

impl Named for Method {
    const PARAMETER: &'static str = "method";
    const ALL: &'static [Self] =
        &[Self::LmdiPlus, Self::TreeShap, Self::Saabas, Self::LocalMdi, Self::Lime, Self::Maple];

    fn name(self) -> &'static str {
        match self {
            Self::LmdiPlus => "lmdi-plus",
            Self::TreeShap => "tree-shap",
            Self::Saabas => "saabas",
            Self::LocalMdi => "local-mdi",
            Self::Lime => "lime",
            Self::Maple => "maple",
        }
    }
}

impl Method {
    /// The name as written in prose.
    pub fn title(self) -> &'static str {
        match self {
            Self::LmdiPlus => "LMDI+",
            Self::TreeShap => "TreeSHAP",
            Self::Saabas => "Saabas",
            Self::LocalMdi => "Local MDI",
            Self::Lime => "LIME",
            Self::Maple => "MAPLE",
        }
    }

    /// What the method needs in addition to the trees.
    pub fn needs(self) -> Needs {
        match self {
            Self::TreeShap | Self::Saabas | Self::LocalMdi => Needs::Trees,
            Self::Lime => Needs::Background,
            Self::LmdiPlus | Self::Maple => Needs::Training,
        }
    }

    /// The explainer of a method that needs only the trees; `None` for a method that needs rows.
    ///
    /// ```
    /// # use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
    /// # use lmdi::{monitor::Silent, table::{Matrix, Response}};
    /// use lmdi::{importance::Method, named::Named};
    /// # fn main() -> lmdi::Result<()> {
    /// # let x = Matrix::from_column_major((0..40).map(f64::from).collect(), 40, 1)?;
    /// # let y: Vec<f64> = (0..40).map(|i| if i < 20 { 1.0 } else { 5.0 }).collect();
    /// # let set = TrainingSet { x: x.view(), y: Response::Numeric(&y), weights: None,
    /// #     feature_names: &["age".to_string()], labels: &[] };
    /// let forest = train_forest(&set, &ForestParams::regression(), &Silent)?;
    /// for &method in Method::ALL {
    ///     if let Some(explainer) = method.of_trees(&forest) {
    ///         let scores = explainer?.explain(&x.view(), &Silent)?;
    ///         assert_eq!((scores.n_rows, scores.n_features), (40, 1));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_trees(self, ensemble: &Ensemble) -> Option<Result<Box<dyn LocalMethod>>> {
        fn boxed<M: LocalMethod + 'static>(
            made: Result<M>,
        ) -> Option<Result<Box<dyn LocalMethod>>> {
            Some(made.map(|method| Box::new(method) as Box<dyn LocalMethod>))
        }
        match self {
            Self::LmdiPlus | Self::Lime | Self::Maple => None,
            Self::TreeShap => boxed(TreeShap::new(ensemble)),
            Self::Saabas => boxed(Saabas::new(ensemble)),
            Self::LocalMdi => boxed(LocalMdi::new(ensemble)),
        }
    }
}

/// An explainer that is ready to explain rows.
///
/// Every method explains rows and knows the scale of its scores. The other functions are for
/// methods that fit a linear model to every tree; elsewhere they are an error or `None`.
pub trait LocalMethod: Send + Sync {
    /// What each feature adds, row by row. The monitor advances by one per row.
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores>;

    /// The scale of the scores.
    fn scale(&self) -> OutputScale {
        OutputScale::Identity
    }

    /// What base plus scores is, in words, unless it is a prediction on the scale of the scores.
    fn adds_up_to(&self) -> Option<&'static str> {
        None
    }

    /// Whether base plus scores is the model's prediction, exactly or nearly.
    fn explains_predictions(&self) -> bool {
        true
    }

    /// Like [`explain`](Self::explain), with each row explained by some of the trees.
    fn explain_on(
        &self,
        x: &MatrixView<'_>,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        match trees {
            TreeSubset::All => self.explain(x, monitor),
            TreeSubset::OutOfBag(_) | TreeSubset::InBag(_) => {
                Err(only_lmdi_plus("some of the trees"))
            }
        }
    }

    /// Standard errors over the trees of the scores of groups, laid out like scores. The monitor
    /// advances by one per row.
    fn standard_errors(
        &self,
        _x: &MatrixView<'_>,
        _groups: &Groups,
        _trees: TreeSubset<'_>,
        _monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        Err(only_lmdi_plus("standard errors"))
    }

    /// The mean over trees of the rank of each group within a tree, row by row; larger is more
    /// important. The monitor advances by one per row.
    fn mean_tree_ranks(
        &self,
        _x: &MatrixView<'_>,
        _groups: &Groups,
        _monitor: &dyn Monitor,
    ) -> Result<Vec<f64>> {
        Err(only_lmdi_plus("ranks within trees"))
    }

    /// The linear models of the trees, if the method fits them: they predict, and a model file can
    /// store them. Scores of a method without them explain the model's own predictions.
    fn linear_models(&self) -> Option<&LmdiPlus> {
        None
    }
}

fn only_lmdi_plus(what: &str) -> Error {
    Error::Parameter {
        name: Method::PARAMETER,
        found: format!("one that has no {what}"),
        expected: format!("{}, which has {what}", Method::LmdiPlus.name()),
    }
}

impl LocalMethod for TreeShap {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain(x, monitor)
    }

    fn scale(&self) -> OutputScale {
        self.scale()
    }
}

impl LocalMethod for InterventionalTreeShap {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain(x, monitor)
    }

    fn scale(&self) -> OutputScale {
        self.scale()
    }
}

impl LocalMethod for Saabas {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain(x, monitor)
    }

    fn scale(&self) -> OutputScale {
        self.as_linear_model().scale()
    }

    fn explain_on(
        &self,
        x: &MatrixView<'_>,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        self.explain_on(x, trees, monitor)
    }
}

impl LocalMethod for LocalMdi {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain(x, monitor)
    }

    fn adds_up_to(&self) -> Option<&'static str> {
        Some("purity of the leaves")
    }

    fn explains_predictions(&self) -> bool {
        false
    }

    fn explain_on(
        &self,
        x: &MatrixView<'_>,
        trees: TreeSubset<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Scores> {
        self.explain_on(x, trees, monitor)
    }
}

impl LocalMethod for Lime {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain(x, monitor)
    }

    fn adds_up_to(&self) -> Option<&'static str> {
        Some("local model's prediction")
    }
}

impl LocalMethod for Maple {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.explain(x, monitor)
    }

    fn adds_up_to(&self) -> Option<&'static str> {
        Some("local model's prediction")
    }
}
