//! Analyses of scores: of rows, of groups of rows, and of how far to trust them.
//!
//! | file | what |
//! |---|---|
//! | `order` | the order of the columns, the most important ones |
//! | `grouping` | groups of columns, and their scores |
//! | `columns`, `explained` | the columns of a table, and rows with scores, predictions and outcomes |
//! | `predicted`, `fidelity` | the model's predictions, and how much of them scores reproduce |
//! | [`counterfactual`] | similar rows with another decision |
//! | [`subgroup`] | rows that are predicted for the same reasons |
//! | `stability` | whether another fit of the model would give the same explanation |

mod columns;
pub mod counterfactual;
mod explained;
mod fidelity;
mod grouping;
mod order;
mod predicted;
mod stability;
pub mod subgroup;

pub use columns::{CellMeaning, ColumnLayout, Columns};
pub use counterfactual::{
    Change, Counterfactual, CounterfactualOptions, Distance, Restriction, Space, counterfactuals,
};
pub use explained::ExplainedRows;
pub use fidelity::{Fidelity, FidelitySums, LOW_FIDELITY};
pub use grouping::{Grouping, sum_groups};
pub use order::{rank_by_score, top_features};
pub use predicted::{
    ModelPredictions, PredictedBy, is_predicted_out_of_bag, score_rows_seen_by_all,
};
pub use stability::{Stability, TopStability, bootstrap_rows, stability};
pub use subgroup::{SubgroupOptions, Subgroups, subgroups};
