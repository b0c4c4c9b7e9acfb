//! Dense kernels with a fixed order of additions.

pub(crate) mod cholesky;
pub(crate) mod vector;
