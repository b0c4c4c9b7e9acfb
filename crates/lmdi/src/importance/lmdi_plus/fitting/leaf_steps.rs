//! From Newton steps to the values that a boosted tree gives its leaves.
//!
//! Libraries set leaf values v by a Newton step, but seldom by that alone: it is multiplied by a
//! learning rate, shrunk by a penalty, taken in several iterations, or computed from a sample of
//! the rows. The model does not always record how, but it records the result. With m the mean
//! Newton step of a leaf's rows at the margin the tree was grown at, the target of a row is
//!
//! ```text
//! target = v + rate * (z - m)
//! ```
//!
//! where z is the row's own step at the margin of the refit. If the two margins are the same, the
//! mean target of each leaf is v itself: an unpenalised fit of the stumps reproduces the tree, for
//! any library and loss.
//!
//! The rate is the overall ratio of leaf values to steps. If the learning rate is not inside the
//! values, it is one (scikit-learn's GradientBoosting: (K - 1) / K for K classes). Otherwise it is
//! estimated from the leaves of all trees so far, with W the weight of a leaf's rows:
//!
//! ```text
//! rate = sum W m v / sum W m^2,      from 0 to 1
//! ```

use crate::forest::{Growth, Loss, Tree};

/// The mean Newton step of the rows in each leaf of a tree, beside the leaf's value.
pub(super) struct LeafSteps {
    /// Value and mean step per node; zeros at splits and at leaves without rows.
    of_node: Vec<[f64; 2]>,
    evidence: RateEvidence,
}

/// Sums over leaves that tell a rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RateEvidence {
    pub(super) product: f64,
    pub(super) square: f64,
}

impl LeafSteps {
    /// Compares one output of a tree with the Newton steps it was grown on. `leaves` has the node of
    /// every row.
    pub(super) fn new(
        tree: &Tree,
        output: usize,
        leaves: &[u32],
        step: &[f64],
        weight: &[f64],
    ) -> Self {
        let mut sums = vec![[0.0; 2]; tree.n_nodes()];
        for ((&leaf, step), w) in leaves.iter().zip(step).zip(weight) {
            sums[leaf as usize][0] += w;
            sums[leaf as usize][1] += w * step;
        }
        Self::of_sums(tree, output, &sums)
    }

    /// The same from the sums of weights and of weighted steps at every node.
    pub(super) fn of_sums(tree: &Tree, output: usize, sums: &[[f64; 2]]) -> Self {
        let mut evidence = RateEvidence::default();
        let mut of_node = vec![[0.0; 2]; tree.n_nodes()];
        for (node, &[weight, sum]) in sums.iter().enumerate() {
            if weight > 0.0 {
                let (value, mean) = (tree.value_of(node)[output], sum / weight);
                of_node[node] = [value, mean];
                evidence.product += sum * value;
                evidence.square += sum * mean;
            }
        }
        Self { of_node, evidence }
    }

    /// What the leaves say about the rate.
    pub(super) fn evidence(&self) -> RateEvidence {
        self.evidence
    }

    /// Turns the step of a row in a leaf into its target.
    pub(super) fn target(&self, rate: f64, leaf: u32, step: f64) -> f64 {
        let [value, mean] = self.of_node[leaf as usize];
        value + rate * (step - mean)
    }
}

/// What the trees of a round take up of a step, the first to the last of an output. Each leaves
/// `1 - factor * rate` of it to the next, `factor` being that of the ensemble on its trees.
pub(super) fn rate_in_round(rate: f64, factor: f64, place: usize) -> f64 {
    let left = (1.0 - factor * rate).clamp(0.0, 1.0);
    rate * left.powi(i32::try_from(place).unwrap_or(i32::MAX))
}

impl RateEvidence {
    /// Adds the leaves of another tree.
    pub(super) fn add(&mut self, other: Self) {
        self.product += other.product;
        self.square += other.square;
    }

    /// The rate of an ensemble with this many outputs, from the evidence so far.
    pub(super) fn rate(self, growth: Growth, n_outputs: usize) -> f64 {
        match growth {
            Growth::FirstOrder(Loss::Multinomial) => 1.0 - 1.0 / n_outputs as f64,
            Growth::Independent | Growth::FirstOrder(_) | Growth::SecondOrder(_) => 1.0,
            Growth::Shrunk { .. } => {
                let rate = self.product / self.square;
                if rate.is_finite() { rate.clamp(0.0, 1.0) } else { 0.0 }
            }
        }
    }
}
