//! Reading scores: the order of the features, the most important ones, and features taken together.

mod groups;
mod order;

pub use groups::sum_groups;
pub use order::{rank_by_score, top_features};
