//! The trees that a training row is explained by.

use crate::forest::Ensemble;

/// Which trees a training row is scored on.
#[derive(Debug, Clone, Copy, Default)]
pub enum TreeSubset<'e> {
    /// All of them; the only choice for rows the model was not trained on.
    #[default]
    All,
    /// Those that did not see the row. The rows must be the training rows of this ensemble.
    OutOfBag(&'e Ensemble),
    /// Those that saw the row. The rows must be the training rows of this ensemble.
    InBag(&'e Ensemble),
}
