//! Feature importances: one folder or file per method.
//!
//! Local methods give [`Scores`]: for every row what each feature adds to the prediction. Global
//! methods give [`Importances`]: one number per feature or group of features.
//!
//! | method | kind | in a few words |
//! |---|---|---|
//! | [`lmdi_plus`] | local | regularised linear model of every tree |
//! | [`tree_shap`] | local | Shapley values of the trees' expected predictions |
//! | [`saabas`] | local | changes of node values along the path |
//! | [`local_mdi`] | local | decreases of impurity along the path |
//! | [`lime`] | local | weighted linear model around the row |
//! | [`maple`] | local | linear model weighted by shared leaves |
//! | [`mdi`] | global | decreases of impurity in training |
//! | [`mdi_plus`] | global | how well each feature's part of linear models of the trees predicts |
//! | [`permutation`] | global | loss of quality when a column is shuffled |
//! | [`Importances::of_scores`] | global | mean absolute score of any local method |

mod checks;
mod groups;
mod importances;
pub mod lime;
pub mod lmdi_plus;
pub mod local_mdi;
pub mod maple;
pub mod mdi;
pub mod mdi_plus;
mod method;
mod metric;
mod moments;
mod output_scale;
pub mod permutation;
pub mod saabas;
mod scores;
pub mod tree_shap;
mod tree_subset;

use checks::{check_cells, check_response, check_weights};

pub use crate::table::rank_in_place;
pub use groups::Groups;
pub use importances::Importances;
pub use lime::Lime;
pub use lmdi_plus::LmdiPlus;
pub use local_mdi::LocalMdi;
pub use maple::Maple;
pub use method::{LocalMethod, Method, Needs};
pub use metric::{CustomMetric, Metric};
pub use output_scale::OutputScale;
pub use saabas::Saabas;
pub use scores::Scores;
pub use tree_shap::{InterventionalTreeShap, TreeShap};
pub use tree_subset::TreeSubset;
