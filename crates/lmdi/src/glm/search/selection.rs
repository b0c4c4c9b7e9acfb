//! Candidates of a penalty search, their errors per fold, and the rule that picks one.

use crate::glm::model::options::{Grid, Rule, Strength};

/// One penalty of the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Strength of the penalty.
    pub strength: Strength,
    /// 0 is ridge, 1 is lasso.
    pub l1_ratio: f64,
}

/// The errors of all candidates, and what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// All candidates in the order that breaks ties.
    pub candidates: Vec<Candidate>,
    /// Mean error per row of each candidate in each fold, fold by fold for one candidate.
    pub fold_error: Vec<f64>,
    /// Weight of each fold in the mean: one, since scikit-learn averages folds plainly whatever
    /// their rows weigh; zero for a fold that could not be used.
    pub fold_weight: Vec<f64>,
    /// Whether every fit that was compared met the search's tolerance.
    pub converged: bool,
}

impl Search {
    /// All candidates, with no error known. `largest_gradient` is the largest absolute gradient at
    /// zero slopes and `total` the weight of all rows.
    ///
    /// Alphas are tried ratio by ratio from the strongest, values of C from the smallest with all
    /// ratios of each: the orders in which scikit-learn breaks ties.
    pub fn new(
        grid: &Grid,
        l1_ratios: &[f64],
        largest_gradient: f64,
        total: f64,
        n_folds: usize,
    ) -> Self {
        let mut candidates = Vec::new();
        match grid {
            Grid::Alphas { count, smallest } => {
                for &l1_ratio in l1_ratios {
                    // Ridge has no alpha that sets slopes to zero; a thousandth of lasso's share of
                    // the penalty gives it a range of comparable strength.
                    let first = largest_gradient / (total * l1_ratio.max(1e-3));
                    candidates.extend(
                        log_spaced(first, first * smallest, *count)
                            .map(|alpha| Candidate { strength: Strength::Alpha(alpha), l1_ratio }),
                    );
                }
            }
            Grid::Inverse { count, low, high } => {
                for c in log_spaced(*low, *high, *count) {
                    candidates.extend(
                        l1_ratios.iter().map(|&l1_ratio| Candidate {
                            strength: Strength::Inverse(c),
                            l1_ratio,
                        }),
                    );
                }
            }
            Grid::Given(strengths) => {
                for &l1_ratio in l1_ratios {
                    candidates
                        .extend(strengths.iter().map(|&strength| Candidate { strength, l1_ratio }));
                }
            }
        }
        let fold_error = vec![0.0; candidates.len() * n_folds];
        Self { candidates, fold_error, fold_weight: vec![0.0; n_folds], converged: true }
    }

    /// Takes over the errors that a copy of this search found for some candidates in some folds.
    pub(crate) fn take_over(
        &mut self,
        other: &Self,
        candidates: impl Iterator<Item = usize>,
        folds: impl Iterator<Item = usize> + Clone,
    ) {
        let n_folds = self.fold_weight.len();
        for candidate in candidates {
            for fold in folds.clone() {
                let at = candidate * n_folds + fold;
                self.fold_error[at] = other.fold_error[at];
            }
        }
        self.converged &= other.converged;
    }

    /// Candidates of one ratio from the strongest penalty to the weakest: the order in which they
    /// are fitted, each from the solution before it.
    pub fn path(&self, l1_ratio: f64) -> Vec<usize> {
        let mut path: Vec<usize> = (0..self.candidates.len())
            .filter(|&index| self.candidates[index].l1_ratio == l1_ratio)
            .collect();
        path.sort_by(|&i, &j| {
            let shrinkage = |index: usize| self.candidates[index].strength.shrinkage();
            shrinkage(j).total_cmp(&shrinkage(i)).then(i.cmp(&j))
        });
        path
    }

    /// Records the mean error per row of a candidate in a fold.
    pub fn record(&mut self, candidate: usize, fold: usize, error: f64) {
        let n_folds = self.fold_weight.len();
        self.fold_error[candidate * n_folds + fold] = error;
    }

    /// Mean error of a candidate over folds.
    pub fn mean_error(&self, candidate: usize) -> f64 {
        let n_folds = self.fold_weight.len();
        let errors = &self.fold_error[candidate * n_folds..(candidate + 1) * n_folds];
        let (mut sum, mut weight) = (0.0, 0.0);
        for (error, w) in errors.iter().zip(&self.fold_weight) {
            if *w > 0.0 {
                sum += w * error;
                weight += w;
            }
        }
        sum / weight
    }

    /// Standard error of a candidate's mean error, from its spread over the usable folds.
    pub fn standard_error(&self, candidate: usize) -> f64 {
        let n_folds = self.fold_weight.len();
        let errors: Vec<f64> = self.fold_error[candidate * n_folds..(candidate + 1) * n_folds]
            .iter()
            .zip(&self.fold_weight)
            .filter(|(_, w)| **w > 0.0)
            .map(|(error, _)| *error)
            .collect();
        let n = errors.len() as f64;
        if n < 2.0 {
            return 0.0;
        }
        let mean = errors.iter().sum::<f64>() / n;
        let variance = errors.iter().map(|e| (e - mean) * (e - mean)).sum::<f64>() / (n - 1.0);
        (variance / n).sqrt()
    }

    /// The winner; the strongest candidate when no fold could be used.
    pub fn choose(&self, rule: Rule) -> usize {
        if self.fold_weight.iter().all(|&w| w <= 0.0) {
            return self.path(self.candidates[0].l1_ratio)[0];
        }
        // Errors of candidates that were never solved are not numbers.
        let mut best = 0;
        let mut smallest = f64::INFINITY;
        for candidate in 0..self.candidates.len() {
            let error = self.mean_error(candidate);
            if error < smallest {
                smallest = error;
                best = candidate;
            }
        }
        match rule {
            Rule::Minimum => best,
            Rule::OneStandardError => {
                let limit = smallest + self.standard_error(best);
                self.path(self.candidates[best].l1_ratio)
                    .into_iter()
                    .find(|&candidate| self.mean_error(candidate) <= limit)
                    .unwrap_or(best)
            }
        }
    }
}

/// `count` numbers from `first` to `last` at equal ratios.
fn log_spaced(first: f64, last: f64, count: usize) -> impl Iterator<Item = f64> {
    let (start, end) = (libm::log10(first), libm::log10(last));
    (0..count).map(move |index| {
        if index == 0 {
            first
        } else if index + 1 == count {
            last
        } else {
            let exponent = start + (end - start) * index as f64 / (count - 1) as f64;
            libm::pow(10.0, exponent)
        }
    })
}
