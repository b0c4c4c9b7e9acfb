//! Simulated data: responses whose signal features are known.
//!
//! | file | what |
//! |---|---|
//! | `normal` | normal random numbers |
//! | `response` | the paper's three response functions, on random signal features |
//! | `noise` | noise for a share of variance explained, classes and flipped labels |
//! | `correlated` | normal features with a block of pairwise correlation |

pub mod correlated;
pub mod noise;
pub mod normal;
pub mod response;

pub use correlated::correlated_features;
pub use noise::{classes, flip, probable_classes, with_noise};
pub use response::{Function, draw_signal};
