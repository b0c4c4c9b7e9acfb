//! The search for a penalty: candidates and their errors, and how each family goes through them.

pub(crate) mod contest;
pub(crate) mod gaussian;
pub(crate) mod newton;
pub(crate) mod path;
pub(crate) mod ridge_grid;
pub(crate) mod selection;
