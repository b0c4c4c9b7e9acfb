//! Proximal Newton for families other than the gaussian.

pub(crate) mod local_model;
pub(crate) mod proximal;
