//! Local methods by name, and what they have in common.

use super::{Lime, LocalMdi, Maple, Saabas, Scores, TreeShap};
use crate::Result;
use crate::forest::Ensemble;
use crate::importance::lmdi_plus::{OutputScale, ScoreOptions};
use crate::importance::tree_shap::InterventionalTreeShap;
use crate::monitor::Monitor;
use crate::named::Named;
use crate::table::MatrixView;

/// A local method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// [`LmdiPlus`](super::LmdiPlus).
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

/// What a method needs beside the trees before it can explain rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Trees,
    /// Rows that stand for the data.
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
    /// What the method needs beside the trees.
    pub fn needs(self) -> Needs {
        match self {
            Self::TreeShap | Self::Saabas | Self::LocalMdi => Needs::Trees,
            Self::Lime => Needs::Background,
            Self::LmdiPlus | Self::Maple => Needs::Training,
        }
    }

    /// The explainer of a method that follows from the trees alone; `None` for a method that needs rows.
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
pub trait LocalMethod: Send + Sync {
    /// What each feature adds, row by row. The monitor advances by one per row.
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores>;

    /// The scale of the scores.
    fn scale(&self) -> OutputScale;

    /// What base plus scores is, in words, unless it is the model's own raw output.
    fn adds_up_to(&self) -> Option<&'static str> {
        None
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
        self.score(x, &ScoreOptions::default(), monitor)
    }

    fn scale(&self) -> OutputScale {
        self.as_linear_model().scale()
    }
}

impl LocalMethod for LocalMdi {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.score(x, &ScoreOptions::default(), monitor)
    }

    fn scale(&self) -> OutputScale {
        OutputScale::Identity
    }

    fn adds_up_to(&self) -> Option<&'static str> {
        Some("purity of the leaves")
    }
}

impl LocalMethod for Lime {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.score(x, monitor)
    }

    fn scale(&self) -> OutputScale {
        OutputScale::Identity
    }

    fn adds_up_to(&self) -> Option<&'static str> {
        Some("local model's prediction")
    }
}

impl LocalMethod for Maple {
    fn explain(&self, x: &MatrixView<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        self.score(x, monitor)
    }

    fn scale(&self) -> OutputScale {
        OutputScale::Identity
    }

    fn adds_up_to(&self) -> Option<&'static str> {
        Some("local model's prediction")
    }
}
