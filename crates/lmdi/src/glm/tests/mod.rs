//! The linear models and their solvers: against dense algebra on random trees, and against
//! scikit-learn.

#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod by_passes;
mod direct;
mod direct_golden;
mod gaussian;
mod golden;
mod golden_problem;
mod leave_one_out;
mod logistic;
mod poisson;
mod sample;
mod statistics;
