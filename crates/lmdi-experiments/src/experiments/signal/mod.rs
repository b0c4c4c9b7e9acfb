//! Experiments on responses whose signal is known: whether methods find it.

pub mod correlation;
pub mod ranking;
pub mod semi_synthetic;
