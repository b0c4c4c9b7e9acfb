//! Proximal Newton for families other than the gaussian: on rows that are at hand, and by passes over
//! rows that are not.

pub(crate) mod by_passes;
pub(crate) mod local_model;
pub(crate) mod proximal;
