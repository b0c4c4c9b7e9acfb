//! TreeSHAP: exact Shapley values of tree ensembles.
//!
//! A prediction is divided among the features like the gain of a game among its players: the score
//! of a feature is what it adds to the expected prediction when it becomes known, averaged over all
//! orders in which features can become known (Lundberg et al. 2020). While a feature is unknown,
//!
//! - [`TreeShap`] follows both children of a split on it, each by its share of the training weight (the
//!   *path-dependent* variant), and also gives [`Interactions`] of pairs of features;
//! - [`InterventionalTreeShap`] takes its cell from background rows.
//!
//! ## Method
//!
//! Let a leaf of value v have the features F on its path. For feature i let z_i be the share of the weight
//! that the path's splits on i let through, and o_i = 1 if the row follows all of them, else 0. The leaf adds
//! to the score of i
//!
//! ```text
//! v (o_i - z_i) integral over t in [0, 1] of the product over j in F without i of (z_j (1 - t) + o_j t)
//! ```
//!
//! for the integral of t^a (1 - t)^b is a! b! / (a + b + 1)!, the share of orders in which a given features come
//! first. The integrand is a polynomial of degree |F| - 1, so Gauss-Legendre quadrature with |F| / 2 points
//! (rounded up) is exact, and every factor lies in \[0, 1\], so nothing is lost to cancellation at any depth.
//! One walk through the tree gives the products of all leaves and features together (`values.rs`), for
//! eight rows at a time: nodes x points steps per row, where the classical algorithm takes
//! leaves x depth^2 and loses digits as it divides.
//!
//! ## Conventions
//!
//! Weights are those the ensemble keeps for its nodes; children without any weight count equally.
//! Missing cells and categories go where the tree sends them. Scores are on the scale of the raw
//! output (log-odds of boosted classifiers, class shares of forests); with two class shares, the
//! second is explained. Base plus scores is the raw output. A feature that no tree splits on scores
//! exactly 0.

mod explainer;
mod interactions;
mod interventional;
mod program;
mod quadrature;
mod rows;
mod values;

pub use explainer::TreeShap;
pub use interactions::Interactions;
pub use interventional::InterventionalTreeShap;
