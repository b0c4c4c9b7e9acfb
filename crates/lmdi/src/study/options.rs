//! Which method explains, with its options.

use super::Rows;
use crate::forest::Ensemble;
use crate::importance::lime::{Lime, LimeOptions};
use crate::importance::lmdi_plus::LmdiPlusOptions;
use crate::importance::maple::{Maple, MapleOptions};
use crate::importance::{InterventionalTreeShap, LocalMethod, Method};
use crate::monitor::Stages;
use crate::named::Named;
use crate::table::Matrix;
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

    /// The explainer of any method but LMDI+, which [`fitting`](super::fitting) fits. `rows` are
    /// those to learn from, where the method does.
    pub(super) fn other(
        &self,
        ensemble: &Ensemble,
        rows: Option<&Rows>,
        stages: &dyn Stages,
    ) -> Result<Box<dyn LocalMethod>> {
        match self {
            Self::TreeShap { background: Some(background) } => {
                let monitor = stages.start("Background", background.rows());
                let view = background.view();
                Ok(Box::new(InterventionalTreeShap::new(ensemble, &view, &*monitor)?))
            }
            Self::Lime { options, background } => {
                let Some(background) = background.as_ref().or(rows.map(|rows| &rows.x)) else {
                    return Err(self.needs("background rows to draw neighbours from"));
                };
                Ok(Box::new(Lime::new(ensemble, &background.view(), options.clone())?))
            }
            Self::Maple(options) => {
                let Some(set) = rows.and_then(|rows| rows.training_set(&[], &[])) else {
                    return Err(self.needs("training rows with their target"));
                };
                let monitor = stages.start("Fitting maple", ensemble.trees.len());
                Ok(Box::new(Maple::fit(ensemble, &set, None, options, &*monitor)?))
            }
            Self::LmdiPlus(_) | Self::TreeShap { .. } | Self::Saabas | Self::LocalMdi => self
                .method()
                .of_trees(ensemble)
                .unwrap_or_else(|| Err(self.needs("training rows with their target"))),
        }
    }

    pub(super) fn needs(&self, what: &str) -> Error {
        Error::Data(format!("{} needs {what}; none were given", self.method().name()))
    }
}
