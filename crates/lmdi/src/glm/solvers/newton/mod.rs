//! Proximal Newton for families other than the gaussian: on rows in memory, and by passes over rows
//! that are not.

pub(crate) mod by_passes;
pub(crate) mod local_model;
pub(crate) mod proximal;
