//! One tree: what a split improves, the best split of a column and of a node, and the nodes that
//! follow.

pub(crate) mod criterion;
pub(crate) mod draw;
pub(crate) mod grower;
pub(crate) mod limits;
pub(crate) mod partition;
pub(crate) mod search;
pub(crate) mod splitter;
