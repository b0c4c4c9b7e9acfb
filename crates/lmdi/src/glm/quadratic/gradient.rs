//! Gradients over the stump basis, in a form that is cheap to update.
//!
//! The gradient along a stump is `a * (sum over its left leaves) + b * (sum over its right leaves)`
//! for any quantity that lives on rows; only the penalty acts on a stump directly. So a gradient is
//! held as sums per leaf, a number per split for the penalty's part, and a number per raw column.
//! The same form is the right-hand side of a linear system.

use crate::glm::linalg::vector::{add_scaled, dot};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::quadratic::hessian::Hessian;

/// The gradient of minus an objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradient {
    /// Weighted residual sums of the leaves; their sum is the gradient along the intercept.
    pub leaf: Vec<f64>,
    /// What is added along each stump beyond the sums of its leaves.
    pub stump: Vec<f64>,
    /// Along each raw column.
    pub raw: Vec<f64>,
}

impl Gradient {
    /// A gradient without a penalty's part, from residual sums per leaf and along raw columns.
    pub fn of_residuals(leaf: &[f64], raw: &[f64]) -> Self {
        Self { leaf: leaf.to_vec(), stump: vec![0.0; leaf.len() - 1], raw: raw.to_vec() }
    }

    /// All zero.
    pub fn zero(hessian: &Hessian<'_>) -> Self {
        Self {
            leaf: vec![0.0; hessian.stumps.n_leaves()],
            stump: vec![0.0; hessian.stumps.n_splits()],
            raw: vec![0.0; hessian.n_raw()],
        }
    }

    /// Follows a move by `step`: subtracts `(H + l2) step`, the intercept's part of l2 left out.
    ///
    /// Cost: leaves x raw columns.
    pub fn follow(&mut self, hessian: &Hessian<'_>, step: &Coefficients, l2: f64) {
        let r = hessian.n_raw();
        let mut constant = Vec::new();
        hessian.stumps.leaf_offsets(&step.stump, &mut constant);
        for c in &mut constant {
            *c += step.intercept;
        }
        for ((sum, c), w) in self.leaf.iter_mut().zip(&constant).zip(hessian.leaf_weight()) {
            *sum -= c * w;
        }
        for (sum, b) in self.stump.iter_mut().zip(&step.stump) {
            *sum -= l2 * b;
        }
        // The raw Gram matrix is centred; the rest is a shift common to all leaves.
        let at_mean = dot(&step.raw, &hessian.raw_mean);
        for c in &mut constant {
            *c += at_mean;
        }
        let along_weight = dot(&constant, hessian.leaf_weight());
        for k in 0..r {
            let crossed = hessian.raw_leaf.product(k, &constant, along_weight);
            let line = &hessian.raw_gram[k * r..(k + 1) * r];
            self.raw[k] -= crossed + dot(line, &step.raw) + l2 * step.raw[k];
        }
        hessian.raw_leaf.take_off(&mut self.leaf, &step.raw, hessian.leaf_weight());
    }

    /// Adds a multiple of another gradient.
    pub fn add(&mut self, factor: f64, other: &Self) {
        add_scaled(&mut self.leaf, factor, &other.leaf);
        add_scaled(&mut self.stump, factor, &other.stump);
        add_scaled(&mut self.raw, factor, &other.raw);
    }

    /// Inner product with a step: how fast minus the objective rises along it.
    pub fn along(&self, hessian: &Hessian<'_>, step: &Coefficients) -> f64 {
        let mut constant = Vec::new();
        hessian.stumps.leaf_offsets(&step.stump, &mut constant);
        for c in &mut constant {
            *c += step.intercept;
        }
        dot(&self.leaf, &constant) + dot(&self.stump, &step.stump) + dot(&self.raw, &step.raw)
    }

    /// The gradient along every stump, written out.
    pub fn along_stumps(&self, hessian: &Hessian<'_>) -> Vec<f64> {
        let stumps = hessian.stumps;
        let mut node = vec![0.0; stumps.n_splits()];
        node.extend_from_slice(&self.leaf);
        stumps.sum_upwards(&mut node);
        (0..stumps.n_splits())
            .map(|split| {
                let left = node[stumps.left[split] as usize];
                let right = node[stumps.right[split] as usize];
                stumps.left_value[split] * left
                    + stumps.right_value[split] * right
                    + self.stump[split]
            })
            .collect()
    }
}
