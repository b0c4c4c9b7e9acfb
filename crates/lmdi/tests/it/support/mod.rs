//! What several tests need: expected values of other software, and random models.

pub mod golden;
pub mod imported;
pub mod random_models;
