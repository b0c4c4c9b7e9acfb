//! Whose steps an experiment follows: those of the paper's text, or those of its authors' public code
//! where the two differ.
//!
//! | experiment | the paper's text | the authors' code |
//! |---|---|---|
//! | ranking | classes are drawn by their probability | the more probable class |
//! | all, by rank | the mean over trees that use a feature | without trees whose linear model gives it no weight |
//! | correlation | linear + LSS response, three folds, three L1 ratios | linear response, five folds, six L1 ratios |
//! | selection, ablation | the paper's forest is retrained | scikit-learn's default forest is |
//! | stability, ablation | the top k % of features rounded up | rounded down |
//! | counterfactuals | leaves of 1; another predicted class | leaves of 3; another true class |
//! | subgroups | 2,000 rows, two halves of a cluster | all rows, 100 random halves of each cluster |

use clap::ValueEnum;

/// The steps that are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Protocol {
    /// The paper's text.
    #[default]
    Paper,
    /// The authors' public code.
    Reference,
}

impl Protocol {
    /// The one of two choices that belongs to this protocol.
    pub fn pick<T>(self, paper: T, reference: T) -> T {
        match self {
            Protocol::Paper => paper,
            Protocol::Reference => reference,
        }
    }

    /// The directory of an experiment's results.
    pub fn directory(self, experiment: &str) -> String {
        self.pick(experiment.to_owned(), format!("{experiment}-reference"))
    }

    /// The number of features that a share of them is, in percent, where top features of several
    /// fits are compared; at least one.
    pub fn compared_count(self, percent: usize, n_features: usize) -> usize {
        let product = percent * n_features;
        self.pick(product.div_ceil(100), product / 100).clamp(1, n_features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up_or_down() {
        let count = |protocol: Protocol| {
            [(10, 15), (20, 15), (10, 4)].map(|(k, p)| protocol.compared_count(k, p))
        };
        assert_eq!(count(Protocol::Paper), [2, 3, 1]);
        assert_eq!(count(Protocol::Reference), [1, 3, 1]);
    }
}
