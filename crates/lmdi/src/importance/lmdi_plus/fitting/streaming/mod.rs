//! LMDI+ on rows that do not fit into memory, or are spread over several machines.
//!
//! Least squares needs only sums over rows, and sums can be merged. A fit is a few passes over the
//! rows. In each pass, every part of the rows is summed up separately ([`PassStatistics`]), the
//! sums are merged, and the next pass starts from their result:
//!
//! ```text
//! pass 1     weights, means and deviations of columns, a sample of rows
//! pass 2     sums for the trees of round 1     -> their linear models
//! pass 3     sums for the trees of round 2, aiming at what round 1 left over
//! ...
//! ```
//!
//! The rounds are those of [`LmdiPlus::fit`](crate::importance::lmdi_plus::LmdiPlus::fit) with
//! [`rounds`](crate::importance::lmdi_plus::LmdiPlusOptions::rounds) set: the same rows give the
//! same linear models as there (to 1e-9), however they are split, ordered and merged. Folds are
//! assigned by a hash of the row's cells or of a key. Memory depends on the trees and on the rows
//! of a batch; sums that exceed a budget are computed in groups of trees, one pass each.
//!
//! Every row counts once, and the penalty is chosen by cross-validation: a tree's rows are known by
//! their position in a table, and a stream has none.
//!
//! Logistic and Poisson fits take one pass per Newton step, for all trees together. Their penalties
//! are searched on a sample of the rows, and the fits at these penalties use all rows.
//!
//! | file | what |
//! |---|---|
//! | `plan` | what options allow, and which trees each pass covers |
//! | `fit` | the fit as a whole: the next pass, and the results so far |
//! | `first_pass` | the sums of the first pass, and what follows from them |
//! | `statistics` | the sums of one pass, which can be merged |
//! | `tree_statistics` | the sums of the other passes per tree, and the target that follows |
//! | `aims` | the target of a row in a pass, tree by tree |
//! | `solve` | from the sums of a tree to its linear model |
//! | `newton` | sums and steps of fits other than least squares |
//! | `progress` | the progress of a fit, for other machines to resume |
//! | `finish` | the explainer that the passes add up to |

mod aims;
mod finish;
mod first_pass;
mod fit;
mod newton;
mod plan;
mod progress;
mod solve;
mod statistics;
mod tree_statistics;

pub(crate) use first_pass::{ClassSummary, Moments, Product, RowSample, Summary};
pub use fit::{DEFAULT_BUDGET, StreamedFit};
pub(crate) use newton::OutputFit;
pub(crate) use progress::Progress;
pub use solve::SolvedTrees;
pub(crate) use statistics::Sums;
pub use statistics::{PassStatistics, StreamedRows};
pub(crate) use tree_statistics::TreeStatistics;
