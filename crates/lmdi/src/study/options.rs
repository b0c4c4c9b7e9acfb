//! Which method explains, with its options.

use crate::forest::Ensemble;
use crate::forest::train::TrainingSet;
use crate::importance::lime::{Lime, LimeOptions};
use crate::importance::lmdi_plus::{LmdiPlus, LmdiPlusOptions};
use crate::importance::maple::{Maple, MapleOptions};
use crate::importance::{InterventionalTreeShap, LocalMethod, Method};
use crate::monitor::Stages;
use crate::named::Named;
use crate::table::{Matrix, MatrixView};
use crate::{Error, Result};

/// A local method and its options.
#[derive(Debug, Clone)]
pub enum ExplainerOptions {
    /// LMDI+, fitted to rows with their targets.
    LmdiPlus(LmdiPlusOptions),
    /// TreeSHAP. With background rows it is interventional: unknown cells are taken from them.
    TreeShap {
        /// The background rows.
        background: Option<Matrix>,
    },
    /// Saabas.
    Saabas,
    /// Local MDI.
    LocalMdi,
    /// LIME, which draws neighbours from background rows.
    Lime {
        /// Its options.
        options: LimeOptions,
        /// The background rows; without them those that an explainer is fitted to.
        background: Option<Matrix>,
    },
    /// MAPLE, fitted to rows with their targets.
    Maple(MapleOptions),
}

impl ExplainerOptions {
    /// The method.
    pub fn method(&self) -> Method {
        match self {
            Self::LmdiPlus(_) => Method::LmdiPlus,
            Self::TreeShap { .. } => Method::TreeShap,
            Self::Saabas => Method::Saabas,
            Self::LocalMdi => Method::LocalMdi,
            Self::Lime { .. } => Method::Lime,
            Self::Maple(_) => Method::Maple,
        }
    }

    /// Fails with the first option outside its range, before any work.
    pub fn check(&self, n_features: usize) -> Result<()> {
        match self {
            Self::Lime { options, .. } => options.check(n_features),
            Self::Maple(options) => options.check(n_features),
            // The options of LMDI+ are checked where they are made.
            Self::LmdiPlus(_) | Self::TreeShap { .. } | Self::Saabas | Self::LocalMdi => Ok(()),
        }
    }

    /// The explainer of a model. `set` has the rows to learn from, if the method learns;
    /// `background` is used if the options have no background rows.
    ///
    /// A [`Study`](super::Study) does more: it knows the relation of its rows to the model, and
    /// predicts the rows that it explains.
    pub fn explainer(
        &self,
        ensemble: &Ensemble,
        background: Option<MatrixView<'_>>,
        set: Option<&TrainingSet<'_>>,
        stages: &dyn Stages,
    ) -> Result<Box<dyn LocalMethod>> {
        let rows_with_target = || set.ok_or_else(|| self.needs("training rows with their target"));
        match self {
            Self::LmdiPlus(options) => {
                let set = rows_with_target()?;
                let monitor = stages.start("Fitting LMDI+", ensemble.trees.len());
                Ok(Box::new(LmdiPlus::fit(ensemble, set, options, &*monitor)?))
            }
            Self::TreeShap { background: Some(background) } => {
                let monitor = stages.start("Background", background.rows());
                let view = background.view();
                Ok(Box::new(InterventionalTreeShap::new(ensemble, &view, &*monitor)?))
            }
            Self::Lime { options, background: own } => {
                let Some(rows) = own.as_ref().map(Matrix::view).or(background) else {
                    return Err(self.needs("background rows to draw neighbours from"));
                };
                Ok(Box::new(Lime::new(ensemble, &rows, options.clone())?))
            }
            Self::Maple(options) => {
                let set = rows_with_target()?;
                let monitor = stages.start("Fitting maple", ensemble.trees.len());
                Ok(Box::new(Maple::fit(ensemble, set, None, options, &*monitor)?))
            }
            Self::TreeShap { background: None } | Self::Saabas | Self::LocalMdi => self
                .method()
                .of_trees(ensemble)
                .unwrap_or_else(|| Err(self.needs("training rows with their target"))),
        }
    }

    pub(super) fn needs(&self, what: &str) -> Error {
        Error::Data(format!("{} needs {what}; none were given", self.method().name()))
    }
}
