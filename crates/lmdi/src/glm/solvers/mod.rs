//! Solvers: direct ones without an l1 penalty, coordinate descent for the elastic net, and proximal
//! Newton and Huber on top of them.

pub(crate) mod descent;
pub(crate) mod direct;
pub(crate) mod huber;
pub(crate) mod newton;
