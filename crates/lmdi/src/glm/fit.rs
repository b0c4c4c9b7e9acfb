//! One linear model over a tree's basis: find the penalty, fit, report.

use crate::basis::{Basis, TreeRows};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::family::Family;
use crate::glm::model::options::{GlmOptions, PenaltyChoice};
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::statistics::{ResponseSums, Statistics};
use crate::glm::search::gaussian::search_gaussian;
use crate::glm::search::newton::search_newton;
use crate::glm::search::path::{Fold, Folds};
use crate::glm::search::selection::{Candidate, Search};
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::solvers::descent::working_set::WorkingSetIterate;
use crate::glm::solvers::direct::least_squares::least_squares;
use crate::glm::solvers::direct::refine::refine_on;
use crate::glm::solvers::newton::proximal::NewtonProblem;
use crate::table::MatrixView;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// A fitted linear model and how its fit went.
#[derive(Debug, Clone, PartialEq)]
pub struct GlmFit {
    /// The model.
    pub coefficients: Coefficients,
    /// The penalty it was fitted with; `None` when there was none.
    pub chosen: Option<Candidate>,
    /// Sweeps (gaussian) or Newton steps of the final fit.
    pub iterations: usize,
    /// How far from the optimum: the duality gap or proximal Newton's estimate as a share of the
    /// null loss, or the largest relative violation of the optimality conditions of an exact
    /// solution.
    pub gap: f64,
    /// Whether the gap met the tolerance, and those of the fits that a search compared met theirs.
    pub converged: bool,
    /// Every candidate's errors, when the penalty was searched.
    pub search: Option<Search>,
}

/// Fits a linear model to the rows' responses (given per fitted row).
///
/// Without any row of positive weight, or with a binomial response of one class, the model is a
/// constant.
pub fn fit_glm(
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    options: &GlmOptions,
) -> GlmFit {
    match options.family {
        Family::Gaussian => {
            let mut fit = None;
            fit_gaussian(basis, rows, &[response], options, |found| fit = Some(found));
            fit.unwrap_or_else(|| constant(basis, rows, response, options.family))
        }
        Family::Binomial | Family::Poisson => fit_newton(basis, rows, response, options),
    }
}

/// Fits a linear model to each of several responses, and hands them over one after the other. Least
/// squares shares the sums over rows that do not depend on the response, and one pass over the
/// rows.
pub(crate) fn fit_glms(
    basis: &Basis,
    rows: &TreeRows<'_>,
    responses: &[&[f64]],
    options: &GlmOptions,
    mut take: impl FnMut(GlmFit),
) {
    match options.family {
        Family::Gaussian => fit_gaussian(basis, rows, responses, options, take),
        Family::Binomial | Family::Poisson => {
            responses.iter().for_each(|response| take(fit_newton(basis, rows, response, options)));
        }
    }
}

fn fit_gaussian(
    basis: &Basis,
    rows: &TreeRows<'_>,
    responses: &[&[f64]],
    options: &GlmOptions,
    mut take: impl FnMut(GlmFit),
) {
    // A common offset of the responses would only cost digits.
    let total: f64 = rows.weight.iter().sum();
    let mean = |response: &&[f64]| {
        if total > 0.0 {
            rows.weight.iter().zip(*response).map(|(w, y)| w * y).sum::<f64>() / total
        } else {
            0.0
        }
    };
    let offsets: Vec<f64> = responses.iter().map(mean).collect();
    let centred: Vec<Vec<f64>> = responses
        .iter()
        .zip(&offsets)
        .map(|(response, offset)| response.iter().map(|y| y - offset).collect())
        .collect();
    let never_held_out = rows.without_any_fold();
    let ranges: Vec<Range<usize>> = (0..rows.n_folds())
        .map(|fold| rows.fold(fold))
        .chain((!never_held_out.is_empty()).then_some(never_held_out))
        .collect();
    let of_rows = |range| Statistics::of_rows(basis, rows, range, &centred);
    let mut folds: Vec<(Statistics, Vec<ResponseSums>)> = if rows.stay_on_one_thread() {
        ranges.into_iter().map(of_rows).collect()
    } else {
        ranges.into_par_iter().map(of_rows).collect()
    };
    for (at, (response, offset)) in centred.iter().zip(offsets).enumerate() {
        let is_last = at + 1 == centred.len();
        let with_response = |(shared, sums): &mut (Statistics, Vec<ResponseSums>)| {
            let shared = if is_last { std::mem::take(shared) } else { shared.clone() };
            shared.with_response(std::mem::take(&mut sums[at]))
        };
        let statistics: Vec<Statistics> = folds.iter_mut().map(with_response).collect();
        take(shifted(fit_folds(basis, rows, response, statistics.into(), options), offset));
    }
}

/// Fits least squares to statistics of rows: those of every fold, and after them those of rows that
/// are never held out, if there are any.
pub fn fit_statistics(basis: &Basis, folds: &[Statistics], options: &GlmOptions) -> GlmFit {
    let n_folds = options.folds.min(folds.len());
    // Nothing is known of single rows.
    let x = MatrixView::empty();
    let rows = TreeRows::new(&x, basis, &[], &[], &[], n_folds);
    fit_folds(basis, &rows, &[], folds.into(), options)
}

/// The fit with its intercept moved.
fn shifted(mut fit: GlmFit, offset: f64) -> GlmFit {
    fit.coefficients.intercept += offset;
    fit
}

/// Finds the penalty and fits. `rows` with their responses tell errors that sums cannot.
fn fit_folds(
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    statistics: Cow<'_, [Statistics]>,
    options: &GlmOptions,
) -> GlmFit {
    let problem = GaussianProblem::new(basis, &Statistics::sum(basis, statistics.iter()));
    let usable = match options.penalty {
        PenaltyChoice::CrossValidated { .. } => Fold::usable(basis, &statistics, rows.n_folds()),
        _ => Vec::new(),
    };
    // The problems have all that is needed. On a fully grown tree, statistics take as much memory.
    let statistics = match statistics {
        Cow::Borrowed(statistics) => statistics,
        Cow::Owned(_) => &[],
    };
    let folds = Folds { basis, rows, response, statistics, whole: &problem };
    let mut near = None;
    let (chosen, search) = choose(
        options,
        problem.largest_gradient(),
        problem.hessian.total,
        rows.n_folds(),
        |search, l1_ratios| near = search_gaussian(search, l1_ratios, &folds, usable, options),
    );
    let penalty = penalty_for(chosen, problem.hessian.total);
    let solved = solve_gaussian(&problem, penalty, near.as_ref(), options);
    let converged = solved.converged && searched(&search);
    GlmFit { chosen, search, converged, ..solved }
}

/// Accuracies from which an exact solution on the active set is tried, one after another.
const NEAR: [f64; 3] = [1e-4, 1e-6, 1e-8];

/// Sweeps after which an exact solution is tried all the same: columns that are nearly alike, such
/// as the stump and the raw column of a feature of two values, need thousands.
const PATIENCE: usize = 200;

/// Multiples of the penalty that are solved on the way, so that few columns have to move at a time.
const STRONGER: [f64; 5] = [32.0, 16.0, 8.0, 4.0, 2.0];

/// Accuracy of the fits on the way.
const ROUGHLY: f64 = 1e-3;

/// The minimum at one penalty: directly without an l1 part, else by coordinate descent and an exact
/// solution on the active set it finds; by descent alone where that set does not settle.
fn solve_gaussian(
    problem: &GaussianProblem<'_>,
    penalty: Penalty,
    near: Option<&Coefficients>,
    options: &GlmOptions,
) -> GlmFit {
    let done = |coefficients, iterations, gap, converged| GlmFit {
        coefficients,
        chosen: None,
        iterations,
        gap,
        converged,
        search: None,
    };
    if penalty.l1 <= 0.0 {
        let (coefficients, convergence) = least_squares(problem, penalty.l2);
        return done(
            coefficients,
            convergence.iterations,
            convergence.violation,
            convergence.converged,
        );
    }
    let problems = BatchedProblem::new([problem]);
    let mut point = match near {
        Some(near) => WorkingSetIterate::new(&problems, near),
        None => {
            let mut point = WorkingSetIterate::zero(&problems);
            for factor in STRONGER {
                let stronger = Penalty { l1: factor * penalty.l1, l2: factor * penalty.l2 };
                if stronger.l1 < problem.largest_gradient() {
                    point.descend(&[stronger], ROUGHLY, options.max_iterations);
                }
            }
            point
        }
    };
    let mut iterations = 0;
    for near in NEAR {
        let near = options.tolerance.max(near);
        let sweeps = options.max_iterations.min(PATIENCE);
        let progress = point.descend(&[penalty], near, sweeps);
        iterations += progress.iterations;
        let working = point.working_set(&[penalty]);
        let at = point.coefficients(0);
        if let Some(exact) = refine_on(working, problem, &problems, &at, penalty) {
            let violation = problem.violation(&exact, penalty);
            return done(exact, iterations, violation, true);
        }
    }
    let end = point.descend(&[penalty], options.tolerance, options.max_iterations);
    done(point.coefficients(0), iterations + end.iterations, end.gap, end.converged)
}

fn fit_newton(
    basis: &Basis,
    rows: &TreeRows<'_>,
    response: &[f64],
    options: &GlmOptions,
) -> GlmFit {
    let problem = NewtonProblem {
        basis,
        rows,
        response,
        family: options.family,
        ranges: rows.without_fold(None),
    };
    let Some(mut point) = problem.null() else {
        return constant(basis, rows, response, options.family);
    };
    let null_loss = problem.excess_loss(&point.eta);
    let null_gradient = problem.largest_gradient(&point);
    let total: f64 = rows.weight.iter().sum();
    let (chosen, search) =
        choose(options, null_gradient, total, rows.n_folds(), |search, l1_ratios| {
            search_newton(search, l1_ratios, basis, rows, response, options)
        });
    let penalty = penalty_for(chosen, total);
    let report = problem.solve(
        &mut point,
        penalty,
        null_loss,
        null_gradient,
        options.tolerance,
        options.max_iterations,
    );
    GlmFit {
        coefficients: point.at,
        chosen,
        iterations: report.iterations,
        gap: report.gap,
        converged: report.converged && searched(&search),
        search,
    }
}

/// What a sample of rows tells about a fit of a binomial or poisson response to all of them.
pub(crate) struct Scouted {
    /// The penalty; `None` when there is none.
    pub(crate) chosen: Option<Candidate>,
    /// Whether the fits that the search compared met their tolerance.
    pub(crate) converged: bool,
    /// The fit of the sample at that penalty.
    pub(crate) near: Coefficients,
}

/// Finds the penalty, and coefficients that are near, on a sample of rows. The grid is that of all
/// rows: `null_gradient` is the largest gradient of their null model, `total` their weight.
///
/// The sampled rows have their own weight in the search. A penalty beside the summed loss, such as
/// `C`, says how large slopes are expected to be, and that does not depend on the number of rows.
pub(crate) fn scout(
    basis: &Basis,
    mut sample: TreeRows<'_>,
    response: &[f64],
    options: &GlmOptions,
    [null_gradient, total]: [f64; 2],
) -> Scouted {
    let (chosen, search) =
        choose(options, null_gradient, total, sample.n_folds(), |search, l1_ratios| {
            search_newton(search, l1_ratios, basis, &sample, response, options);
        });
    let times = total / sample.weight.iter().sum::<f64>();
    sample.weight.iter_mut().for_each(|weight| *weight *= times);
    let penalty = match chosen {
        None => PenaltyChoice::None,
        Some(Candidate { strength, l1_ratio }) => PenaltyChoice::Fixed { strength, l1_ratio },
    };
    let roughly = GlmOptions { penalty, tolerance: options.search_tolerance, ..options.clone() };
    let near = fit_newton(basis, &sample, response, &roughly).coefficients;
    Scouted { chosen, converged: searched(&search), near }
}

/// The penalty of a choice for rows of this weight.
pub(crate) fn penalty_for(chosen: Option<Candidate>, total: f64) -> Penalty {
    chosen.map_or(Penalty::NONE, |candidate| candidate.strength.penalty(candidate.l1_ratio, total))
}

/// Whether the fits that a search compared were all accurate enough; a penalty chosen among others
/// may be any.
fn searched(search: &Option<Search>) -> bool {
    search.as_ref().is_none_or(|search| search.converged)
}

/// The penalty to fit with, after a search if one is asked for.
fn choose(
    options: &GlmOptions,
    largest_gradient: f64,
    total: f64,
    n_folds: usize,
    run: impl FnOnce(&mut Search, &[f64]),
) -> (Option<Candidate>, Option<Search>) {
    match &options.penalty {
        PenaltyChoice::None => (None, None),
        &PenaltyChoice::Fixed { strength, l1_ratio } => {
            (Some(Candidate { strength, l1_ratio }), None)
        }
        PenaltyChoice::CrossValidated { l1_ratios, grid } => {
            let mut search = Search::new(grid, l1_ratios, largest_gradient, total, n_folds);
            if largest_gradient > 0.0 {
                run(&mut search, l1_ratios);
            }
            (Some(search.candidates[search.choose(options.rule)]), Some(search))
        }
    }
}

fn constant(basis: &Basis, rows: &TreeRows<'_>, response: &[f64], family: Family) -> GlmFit {
    let total: f64 = rows.weight.iter().sum();
    let sum: f64 = rows.weight.iter().zip(response).map(|(w, y)| w * y).sum();
    let mut coefficients = Coefficients::zero(basis.stumps.n_splits(), basis.raw.len());
    if total > 0.0 {
        coefficients.intercept = family.link(sum / total);
    }
    GlmFit { coefficients, chosen: None, iterations: 0, gap: 0.0, converged: true, search: None }
}
