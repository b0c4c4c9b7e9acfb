//! How good a model and its explanations are.
//!
//! | file | what |
//! |---|---|
//! | `assessment` | how well a model or an explainer predicts a sample |
//! | `baseline` | baselines: a constant, and a linear model |
//! | `comparison` | two models on the same rows |
//! | `fidelity` | how much of the predictions is explained, in words |

mod assessment;
mod baseline;
mod comparison;
mod fidelity;

pub use assessment::{Assessment, Predictor, Shortfall, measure_title, sample_title};
pub use baseline::Baselines;
pub use comparison::{ComparedMeasure, ComparedShare, ModelComparison};
pub use fidelity::{FidelityOn, StreamedFidelity, fit_warning};
