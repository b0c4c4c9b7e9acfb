//! The quadratic that least squares and every Newton step minimise: sufficient statistics of rows,
//! the Hessian and the gradient over the stump basis.

pub(crate) mod batched_hessian;
pub(crate) mod gaussian;
pub(crate) mod gradient;
pub(crate) mod hessian;
pub(crate) mod leaf_sums;
pub(crate) mod predictors;
pub(crate) mod reduction;
pub(crate) mod sparse_sums;
pub(crate) mod statistics;
