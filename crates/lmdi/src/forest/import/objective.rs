//! What an objective means for the neutral ensemble.

use crate::forest::{Growth, Link, Loss, Outcome};

/// Loss, link and outcome of an objective.
pub(super) struct Meaning {
    pub loss: Loss,
    pub link: Link,
    pub outcome: Outcome,
}

impl Meaning {
    /// A number with the identity as link.
    pub(super) fn squared_error() -> Self {
        Self { loss: Loss::SquaredError, link: Link::Identity, outcome: Outcome::Number }
    }

    /// A number by an objective of which only the trees are of use.
    pub(super) fn other(link: Link) -> Self {
        Self { loss: Loss::Other, link, outcome: Outcome::Number }
    }

    /// A number whose logarithm is the raw output.
    pub(super) fn log(loss: Loss) -> Self {
        Self { loss, link: Link::Log, outcome: Outcome::Number }
    }

    /// Two classes by the log-odds of the second.
    pub(super) fn binary(labels: Vec<String>) -> Self {
        Self { loss: Loss::Logistic, link: Link::Logit, outcome: Outcome::Classes(labels) }
    }

    /// Classes by softmax.
    pub(super) fn multinomial(labels: Vec<String>) -> Self {
        Self { loss: Loss::Multinomial, link: Link::Softmax, outcome: Outcome::Classes(labels) }
    }

    /// Each class against the rest.
    pub(super) fn one_vs_rest(labels: Vec<String>) -> Self {
        Self { loss: Loss::Logistic, link: Link::OneVsRest, outcome: Outcome::Classes(labels) }
    }

    /// Length of the raw output.
    pub(super) fn n_outputs(&self) -> usize {
        match (&self.outcome, self.link) {
            (Outcome::Classes(labels), Link::Softmax | Link::OneVsRest) => labels.len(),
            _ => 1,
        }
    }

    /// A forest by this objective, whose trees were grown on the response itself where that is known.
    pub(super) fn independent(&self, trees_per_round: u32) -> Growth {
        match self.loss {
            Loss::Other => self.shrunk(trees_per_round),
            _ => Growth::Independent,
        }
    }

    /// Boosting by this objective with learning rates inside the values.
    pub(super) fn shrunk(&self, trees_per_round: u32) -> Growth {
        Growth::Shrunk { loss: self.loss, trees_per_round }
    }
}
