//! Penalty search for families other than the gaussian.
//!
//! Every candidate is first solved to the requested accuracy, along warm-started paths, fold by
//! fold. The error rate depends on single rows near the boundary, so that is not enough to separate
//! the best candidates. Those that may still win are solved further from where they stopped, fewer
//! and fewer of them more and more accurately. For nearly separable classes, the deviance changes a
//! lot as it is solved; the largest change then decides how many others may still win.

use crate::basis::{Basis, TreeRows};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::{GlmOptions, Measure, Rule};
use crate::glm::model::penalty::Penalty;
use crate::glm::search::selection::{Candidate, Search};
use crate::glm::solvers::newton::proximal::{NewtonPoint, NewtonProblem};
use std::ops::Range;

/// The rounds in which candidates are solved again.
const AGAIN: [Again; 2] =
    [Again { within: 4e-3, accuracy: 1e-5 }, Again { within: 1e-3, accuracy: 1e-8 }];

/// Rows whose label may change when a candidate is solved again, whatever the number of rows.
const ROWS_IN_DOUBT: f64 = 2.0;

/// Rows up to which doubt is a fixed share of them. Labels change to the better as often as to the
/// worse, so in larger tables doubt grows only as the square root of their number.
const ROWS_OF_FULL_DOUBT: f64 = 4000.0;

/// Doubt of a deviance as a multiple of that of a share of rows.
const DEVIANCE: f64 = 3.0;

/// Doubt of a deviance as a share of the farthest that one moved.
const OF_MOVE: f64 = 4.0;

struct Again {
    /// How far from deciding an error may be: as a share of the rows for accuracy, as a third of a
    /// share of the error of the strongest penalty for deviance. How accurately a fit is solved is a share of
    /// the null loss, and so is what its deviance moves when it is solved further. Where classes are
    /// nearly separable, the smallest error is only a small part of that.
    within: f64,
    /// Gap to solve to, as a share of the null loss.
    accuracy: f64,
}

/// Fills in the errors of every candidate of `search`.
pub(crate) fn search_newton(
    search: &mut Search,
    l1_ratios: &[f64],
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    options: &GlmOptions,
) {
    let mut folds: Vec<Fold<'_, '_>> = (0..rows.n_folds())
        .filter_map(|number| Fold::new(number, basis, rows, response, options))
        .collect();
    for fold in &mut folds {
        search.fold_weight[fold.number] = 1.0;
        fold.follow_paths(search, l1_ratios);
    }
    let strongest = (l1_ratios.iter())
        .map(|&l1_ratio| search.mean_error(search.path(l1_ratio)[0]))
        .fold(0.0, f64::max);
    for again in AGAIN.iter().filter(|again| again.accuracy < options.search_tolerance) {
        let mut solved = vec![false; search.candidates.len()];
        let mut moved = 0.0_f64;
        loop {
            let mut undecided =
                undecided(search, again.within, [strongest, moved], options, rows.len());
            undecided.retain(|&candidate| !solved[candidate]);
            if undecided.is_empty() {
                break;
            }
            for &candidate in &undecided {
                let before = search.mean_error(candidate);
                for fold in &mut folds {
                    fold.solve_again(search, candidate, again.accuracy);
                }
                moved = moved.max((search.mean_error(candidate) - before).abs());
                solved[candidate] = true;
            }
        }
    }
}

/// Candidates whose error is so close to what decides that a more accurate solution may change the
/// choice. Of deviances, these are the error of the strongest penalty, and the farthest that one moved
/// when it was solved as accurately.
fn undecided(
    search: &Search,
    within: f64,
    [strongest, moved]: [f64; 2],
    options: &GlmOptions,
    n_rows: usize,
) -> Vec<usize> {
    let all = 0..search.candidates.len();
    let Some(best) =
        all.clone().min_by(|&i, &j| search.mean_error(i).total_cmp(&search.mean_error(j)))
    else {
        return Vec::new();
    };
    let smallest = search.mean_error(best);
    let margin = match options.measure {
        Measure::Accuracy => {
            let n = n_rows as f64;
            within * (ROWS_OF_FULL_DOUBT / n).sqrt().min(1.0) + ROWS_IN_DOUBT / n
        }
        Measure::Deviance => (DEVIANCE * within * strongest).max(OF_MOVE * moved),
    };
    let limit = match options.rule {
        Rule::Minimum => smallest,
        Rule::OneStandardError => smallest + search.standard_error(best),
    };
    all.filter(|&candidate| {
        let error = search.mean_error(candidate);
        (error - smallest).abs() <= margin || (error - limit).abs() <= margin
    })
    .collect()
}

/// One fold: the problem of the other rows, and where each candidate's solution stands.
struct Fold<'p, 'x> {
    number: usize,
    problem: NewtonProblem<'p, 'x>,
    null: NewtonPoint<'p>,
    null_loss: f64,
    null_gradient: f64,
    /// Weight of the rows that are fitted, and of those that are held out.
    training_weight: f64,
    held_out_weight: f64,
    held_out: Range<usize>,
    options: &'p GlmOptions,
    /// Coefficients of every candidate that was solved.
    solution: Vec<Option<Coefficients>>,
}

impl<'p, 'x> Fold<'p, 'x> {
    /// `None` when there are no rows to train or to validate on, or only one class.
    fn new(
        number: usize,
        basis: &'p Basis,
        rows: &'p TreeRows<'x>,
        response: &'p [f64],
        options: &'p GlmOptions,
    ) -> Option<Self> {
        let ranges = rows.without_fold(Some(number));
        let weight_of = |range: &Range<usize>| rows.weight[range.clone()].iter().sum::<f64>();
        let training_weight = ranges.iter().map(weight_of).sum();
        let problem = NewtonProblem { basis, rows, response, family: options.family, ranges };
        let held_out = rows.fold(number);
        let held_out_weight = weight_of(&held_out);
        let null = problem.null()?;
        (held_out_weight > 0.0).then(|| Self {
            number,
            null_loss: problem.excess_loss(&null.eta),
            null_gradient: problem.largest_gradient(&null),
            problem,
            null,
            training_weight,
            held_out_weight,
            held_out,
            options,
            solution: Vec::new(),
        })
    }

    /// Solves every candidate, from the strongest penalty to the weakest.
    fn follow_paths(&mut self, search: &mut Search, l1_ratios: &[f64]) {
        self.solution = vec![None; search.candidates.len()];
        let paths: Vec<Vec<usize>> = l1_ratios.iter().map(|&ratio| search.path(ratio)).collect();
        let mut points = vec![self.null.clone(); l1_ratios.len()];
        for step in 0..paths[0].len() {
            for lane in 0..l1_ratios.len() {
                let candidate = paths[lane][step];
                let penalty = self.penalty(search.candidates[candidate]);
                // The better start of two: this ratio at the penalty before, or the ratio before at
                // this penalty, which is close when penalties are weak.
                if lane > 0
                    && self.problem.objective(&points[lane - 1], penalty)
                        < self.problem.objective(&points[lane], penalty)
                {
                    points[lane] = points[lane - 1].clone();
                }
                let point = &mut points[lane];
                if penalty.l1 < self.null_gradient || point.at.n_active() > 0 {
                    search.converged &= self.improve(point, penalty, self.options.search_tolerance);
                    self.solution[candidate] = Some(point.at.clone());
                }
                self.validate(search, candidate, &points[lane]);
            }
        }
    }

    /// Solves a candidate more accurately; one whose slopes are all zero stays as it is.
    fn solve_again(&mut self, search: &mut Search, candidate: usize, accuracy: f64) {
        if let Some(at) = self.solution[candidate].take() {
            let mut point = self.problem.at(at);
            let penalty = self.penalty(search.candidates[candidate]);
            search.converged &= self.improve(&mut point, penalty, accuracy);
            self.validate(search, candidate, &point);
            self.solution[candidate] = Some(point.at);
        }
    }

    fn penalty(&self, candidate: Candidate) -> Penalty {
        candidate.strength.penalty(candidate.l1_ratio, self.training_weight)
    }

    /// Improves a point; `false` when the iterations ran out before it was accurate enough.
    fn improve(&self, point: &mut NewtonPoint<'p>, penalty: Penalty, tolerance: f64) -> bool {
        let limit = self.options.max_iterations;
        let report = self.problem.solve(
            point,
            penalty,
            self.null_loss,
            self.null_gradient,
            tolerance,
            limit,
        );
        report.converged || report.iterations < limit
    }

    /// Records a candidate's error on the rows that are held out.
    fn validate(&self, search: &mut Search, candidate: usize, point: &NewtonPoint<'p>) {
        let NewtonProblem { rows, response, family, .. } = &self.problem;
        let error: f64 = self
            .held_out
            .clone()
            .map(|row| {
                let (w, y, eta) = (rows.weight[row], response[row], point.eta[row]);
                let error = match self.options.measure {
                    Measure::Deviance => 2.0 * (family.loss(y, eta) - family.smallest_loss(y)),
                    Measure::Accuracy => f64::from((eta > 0.0) != (y > 0.5)),
                };
                w * error
            })
            .sum();
        search.record(candidate, self.number, error / self.held_out_weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glm::model::family::Family;
    use crate::glm::model::options::{Grid, Strength};

    #[test]
    fn deviances_are_in_doubt_by_a_share_of_the_null_loss() {
        let strengths = [0.001, 0.1, 1.0, 10.0].map(Strength::Inverse).to_vec();
        let mut search = Search::new(&Grid::Given(strengths), &[0.5], 1.0, 100.0, 1);
        search.fold_weight[0] = 1.0;
        let errors = [1.0, 0.111, 0.1, 0.113];
        errors.iter().enumerate().for_each(|(at, &error)| search.record(at, 0, error));
        let options = GlmOptions::reference(Family::Binomial).with_measure(Measure::Deviance);
        let found = |strongest, moved| undecided(&search, 4e-3, [strongest, moved], &options, 100);
        assert_eq!(found(1.0, 0.0), vec![1, 2]);
        assert_eq!(found(0.1, 0.0), vec![2], "a share of the smallest would be too little");
        assert_eq!(found(0.1, 0.0033), vec![1, 2, 3], "as far as four times what one moved");
    }
}
