//! What is fitted: families of responses, the elastic-net penalty, coefficients, and what a user
//! can choose.

pub(crate) mod coefficients;
pub(crate) mod family;
pub(crate) mod options;
pub(crate) mod penalty;
