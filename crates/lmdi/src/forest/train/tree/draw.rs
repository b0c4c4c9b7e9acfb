//! Which columns a node tries, and in which order.
//!
//! Columns are drawn without replacement until `max_features` are drawn and at least one of them
//! varies in the node. A column that is constant in a node is constant below it too: it still
//! counts as drawn there, but is not read again.

use crate::random::{Generator, below};

/// The columns in some order, and those known to be constant in the current node.
pub(crate) struct FeatureDraw {
    order: Vec<u32>,
    is_constant: Vec<bool>,
    /// Columns found constant, the ancestors' before the node's own.
    constants: Vec<u32>,
    max_features: usize,
}

impl FeatureDraw {
    pub(crate) fn new(n_features: usize, max_features: usize) -> Self {
        Self {
            order: (0..n_features as u32).collect(),
            is_constant: vec![false; n_features],
            constants: Vec::new(),
            max_features,
        }
    }

    /// How many columns are known to be constant; give it back to [`forget`](Self::forget) when a
    /// node whose parent ended with this number begins.
    pub(crate) fn known(&self) -> usize {
        self.constants.len()
    }

    /// Forgets all but the first `known` constant columns.
    pub(crate) fn forget(&mut self, known: usize) {
        for feature in self.constants.drain(known..) {
            self.is_constant[feature as usize] = false;
        }
    }

    /// Draws columns for a node and hands each one not known to be constant to `varies`, which says
    /// whether it varies in the node and whether to stop.
    pub(crate) fn for_each(
        &mut self,
        random: &mut Generator,
        mut varies: impl FnMut(u32, &mut Generator) -> Visit,
    ) {
        let n = self.order.len();
        let mut n_varying = 0;
        for drawn in 0..n {
            let enough = drawn >= self.max_features && n_varying > 0;
            if enough || n_varying + self.constants.len() == n {
                return;
            }
            let other = drawn + below(random, n - drawn);
            self.order.swap(drawn, other);
            let feature = self.order[drawn];
            if self.is_constant[feature as usize] {
                continue;
            }
            match varies(feature, random) {
                Visit::Varies => n_varying += 1,
                Visit::Stop => return,
                Visit::Constant => {
                    self.is_constant[feature as usize] = true;
                    self.constants.push(feature);
                }
            }
        }
    }
}

/// What was found in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// The column has different values in the node.
    Varies,
    /// All its cells are the same in the node, or missing.
    Constant,
    /// No other column needs to be tried.
    Stop,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generator;

    #[test]
    fn draws_go_on_until_one_column_varies() {
        let mut draw = FeatureDraw::new(20, 3);
        let mut random = generator(3, 0);
        let mut seen = Vec::new();
        draw.for_each(&mut random, |feature, _| {
            seen.push(feature);
            if feature == 7 { Visit::Varies } else { Visit::Constant }
        });
        assert!(seen.len() >= 3 || seen.contains(&7));
        assert!(seen.contains(&7));
        let known = draw.known();
        assert_eq!(known, seen.len() - 1);
        let mut again = Vec::new();
        draw.for_each(&mut random, |feature, _| {
            again.push(feature);
            Visit::Varies
        });
        assert!(again.iter().all(|f| *f == 7 || !seen.contains(f)));
        draw.forget(0);
        assert_eq!(draw.known(), 0);
    }
}
