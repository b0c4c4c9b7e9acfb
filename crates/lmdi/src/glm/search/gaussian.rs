//! Penalty search for least squares: every path from per-fold statistics.
//!
//! The statistics of each fold are collected once. Training statistics of a fold are the sum of the
//! others, its validation error a quadratic form, the final fit uses the sum of all. Folds are
//! solved in batches. Each point of a path starts where the line through the last two points
//! leads, because between changes of the active set solutions are nearly linear in the penalty, and
//! for a few penalties at a time only columns that are likely to move take part.
//!
//! Unless accuracy is asked for, a path is first solved roughly at every fourth penalty; accurate
//! solutions follow around the penalties that look best.

use crate::basis::{Basis, TreeRows};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::{GlmOptions, Rule};
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::predictors::{squared_error_of_rows, squared_error_of_statistics};
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::search::selection::{Candidate, Search};
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::solvers::descent::coordinate_descent::{Descent, Point};
use crate::glm::solvers::descent::schur_complement::RawSchurComplement;
use crate::glm::solvers::descent::working_set::{Slopes, WorkingSetIterate};
use crate::glm::solvers::direct::least_squares::least_squares;
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Folds in one batch.
const LANES: usize = 4;

/// Accuracy from which the whole path is first looked at from afar.
const ROUGH: f64 = 1e-4;

/// Every how many penalties are solved for that look, and how accurately.
const STRIDE: usize = 4;
const ROUGHLY: f64 = 2e-2;

/// Few penalties are left after that look, so they can be solved this much more accurately than
/// asked.
const CLOSER: f64 = 0.5;

/// How much worse than the best a candidate may look from afar and still be solved accurately, and
/// how much worse the best of an l1 ratio.
const NEAR_BEST: f64 = 2e-3;
const NEAR_BEST_RATIO: f64 = 5e-3;

/// What the search works on.
pub(crate) struct Folds<'t> {
    pub(crate) basis: &'t Basis,
    pub(crate) rows: &'t TreeRows<'t>,
    pub(crate) response: &'t [f64],
    /// Of every fold, and after them those of the rows that are never held out, if there are any.
    pub(crate) statistics: &'t [Statistics],
    /// The problem of all rows.
    pub(crate) whole: &'t GaussianProblem<'t>,
}

/// The smallest error so far and the model of all rows that goes with it.
type Best = Option<(f64, Coefficients)>;

/// Fills in the errors of every candidate of `search`. Returns coefficients near those that the
/// best candidate has on all rows, if any fold could be used.
pub(crate) fn search_gaussian(
    search: &mut Search,
    l1_ratios: &[f64],
    folds: &Folds<'_>,
    options: &GlmOptions,
) -> Option<Coefficients> {
    // Candidates that are not solved stay without an error.
    search.fold_error.fill(f64::NAN);
    let usable: Vec<Fold<'_>> =
        (0..folds.rows.n_folds()).filter_map(|fold| Fold::new(folds, fold)).collect();
    for fold in &usable {
        search.fold_weight[fold.number] = 1.0;
    }
    let groups: Vec<Group<'_>> =
        usable.chunks(LANES).map(|part| Group::new(part, folds.whole)).collect();
    let mut best: Best = None;
    let mut marks = Vec::new();
    let from_afar = options.search_tolerance >= ROUGH && options.rule == Rule::Minimum;
    for group in &groups {
        for &l1_ratio in l1_ratios.iter().filter(|&&l1_ratio| l1_ratio <= 0.0 || !from_afar) {
            let path = Path { folds, group, steps: search.path(l1_ratio), options };
            if l1_ratio <= 0.0 {
                path.solve_directly(search);
            } else {
                let all: Vec<usize> = (0..path.steps.len()).collect();
                path.follow(search, WorkingSetIterate::zero(&group.training), &all, &mut best);
            }
        }
        if from_afar {
            marks.extend(look_from_afar(search, l1_ratios, folds, group, options));
        }
    }
    // Which steps are promising is decided for all paths before any is followed, so that the paths can be
    // followed in parallel.
    let looked_at = groups.iter().filter(|_| from_afar).flat_map(|group| {
        let ratios = l1_ratios.iter().filter(|&&l1_ratio| l1_ratio > 0.0);
        ratios.map(move |&l1_ratio| (group, l1_ratio))
    });
    let promising: Vec<(Path<'_>, Vec<usize>, Vec<Mark>)> = looked_at
        .zip(marks)
        .filter_map(|((group, l1_ratio), marks)| {
            let path = Path { folds, group, steps: search.path(l1_ratio), options };
            let steps = path.promising(search)?;
            Some((path, steps, marks))
        })
        .collect();
    let followed: Vec<(Search, Path<'_>, Best)> = promising
        .into_par_iter()
        .map(|(path, steps, marks)| {
            let mut own = search.clone();
            let mut best = None;
            let start = path.start_before(steps[0], marks);
            path.follow(&mut own, start, &steps, &mut best);
            (own, path, best)
        })
        .collect();
    for (own, path, found) in followed {
        search.take_over(&own, &path.steps, path.group.fold_numbers());
        if let Some((error, model)) = found
            && best.as_ref().is_none_or(|(smallest, _)| error < *smallest)
        {
            best = Some((error, model));
        }
    }
    best.map(|(_, coefficients)| coefficients)
}

/// Solves the paths of all l1 ratios roughly, in parallel: boosted trees follow one another, so that
/// threads find work only within a tree. Returns points that were passed, path by path.
fn look_from_afar(
    search: &mut Search,
    l1_ratios: &[f64],
    folds: &Folds<'_>,
    group: &Group<'_>,
    options: &GlmOptions,
) -> Vec<Vec<Mark>> {
    let ratios: Vec<f64> = l1_ratios.iter().copied().filter(|&l1_ratio| l1_ratio > 0.0).collect();
    let looks: Vec<(Search, Vec<usize>, Vec<Mark>)> = ratios
        .into_par_iter()
        .map(|l1_ratio| {
            let path = Path { folds, group, steps: search.path(l1_ratio), options };
            let last = path.steps.len() - 1;
            let steps: Vec<usize> = (0..last).step_by(STRIDE).chain([last]).collect();
            // Each path knows the errors of its own candidates alone.
            let mut own = search.clone();
            let marks = path.look_from_afar(&mut own, &steps);
            (own, path.steps, marks)
        })
        .collect();
    looks
        .into_iter()
        .map(|(own, candidates, marks)| {
            search.take_over(&own, &candidates, group.fold_numbers());
            marks
        })
        .collect()
}

/// Folds that are solved in one batch.
struct Group<'t> {
    folds: &'t [Fold<'t>],
    training: BatchedProblem<LANES>,
    held_out: BatchedProblem<LANES>,
    spare: Mutex<Vec<Parts>>,
}

/// What is left of a group's problems for a while. Its memory is used again: fresh memory would
/// cost about as much as filling it.
struct Parts {
    training: BatchedProblem<LANES>,
    held_out: BatchedProblem<LANES>,
    schur_complement: RawSchurComplement<LANES>,
}

impl<'t> Group<'t> {
    /// Spare lanes solve the problem of all rows, so that its solution is at hand when the penalty
    /// is chosen.
    fn new(folds: &'t [Fold<'t>], whole: &'t GaussianProblem<'t>) -> Self {
        let lane = |lane: usize, of: fn(&'t Fold<'t>) -> &'t GaussianProblem<'t>| {
            folds.get(lane).map_or(whole, of)
        };
        Self {
            folds,
            training: BatchedProblem::new(std::array::from_fn(|i| lane(i, |fold| &fold.training))),
            held_out: BatchedProblem::new(std::array::from_fn(|i| lane(i, |fold| &fold.held_out))),
            spare: Mutex::new(Vec::new()),
        }
    }

    fn parts(&self) -> Parts {
        self.spares().pop().unwrap_or_else(|| Parts {
            training: BatchedProblem::empty(),
            held_out: BatchedProblem::empty(),
            schur_complement: RawSchurComplement::default(),
        })
    }

    fn fold_numbers(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.folds.iter().map(|fold| fold.number)
    }

    /// Memory that no path uses. What a panic left behind can be used again too.
    fn spares(&self) -> MutexGuard<'_, Vec<Parts>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One fold: the problem of the other rows and of its own.
struct Fold<'t> {
    number: usize,
    training: GaussianProblem<'t>,
    held_out: GaussianProblem<'t>,
}

impl<'t> Fold<'t> {
    /// `None` when there are no rows to train or to validate on.
    fn new(folds: &Folds<'t>, number: usize) -> Option<Self> {
        let others = folds.statistics.iter().enumerate().filter(|(other, _)| *other != number);
        let training = Statistics::sum(folds.basis, others.map(|(_, statistics)| statistics));
        let training = GaussianProblem::new(folds.basis, &training);
        let held_out = GaussianProblem::new(folds.basis, &folds.statistics[number]);
        let usable = training.hessian.total > 0.0 && held_out.hessian.total > 0.0;
        usable.then_some(Self { number, training, held_out })
    }
}

/// The path of one l1 ratio through a group of folds.
struct Path<'t> {
    folds: &'t Folds<'t>,
    group: &'t Group<'t>,
    /// The path's candidates, from the strongest penalty.
    steps: Vec<usize>,
    options: &'t GlmOptions,
}

/// A point that was passed on a path.
struct Mark {
    step: usize,
    slopes: Slopes<LANES>,
}

impl Path<'_> {
    fn penalties(&self, search: &Search, step: usize) -> [Penalty; LANES] {
        let candidate = search.candidates[self.steps[step]];
        self.group
            .training
            .hessians
            .total
            .map(|total| candidate.strength.penalty(candidate.l1_ratio, total))
    }

    /// Without an l1 part the duality gap says nothing; the solution is direct.
    fn solve_directly(&self, search: &mut Search) {
        for &candidate in &self.steps {
            let Candidate { strength, l1_ratio } = search.candidates[candidate];
            for fold in self.group.folds {
                let penalty = strength.penalty(l1_ratio, fold.training.hessian.total);
                let (model, _) = least_squares(&fold.training, penalty.l2);
                let spread = |values: &[f64]| values.iter().map(|&b| [b]).collect::<Vec<_>>();
                let [error] = BatchedProblem::new([&fold.held_out]).squared_error(
                    [model.intercept],
                    &spread(&model.stump),
                    &spread(&model.raw),
                );
                let error = error.unwrap_or_else(|| self.error_of_rows(fold.number, &model));
                search.record(candidate, fold.number, error / fold.held_out.hessian.total);
            }
        }
    }

    fn error_of_rows(&self, fold: usize, model: &Coefficients) -> f64 {
        let Folds { basis, rows, response, statistics, .. } = *self.folds;
        if rows.is_empty() {
            return squared_error_of_statistics(basis, &statistics[fold], model);
        }
        squared_error_of_rows(basis, rows, rows.fold(fold), response, model)
    }

    /// Solves some steps of the path accurately, from a point near the first of them.
    fn follow(
        &self,
        search: &mut Search,
        start: WorkingSetIterate<'_, LANES>,
        steps: &[usize],
        best: &mut Best,
    ) {
        let requested = self.options.search_tolerance;
        let (tolerance, span) =
            if requested >= ROUGH { (CLOSER * requested, 5) } else { (requested, 1) };
        self.trace(search, start, steps, tolerance, span, &mut |error, model| {
            if best.as_ref().is_none_or(|(smallest, _)| error < *smallest) {
                *best = Some((error, model()));
            }
        });
    }

    /// Solves some steps of the path roughly; returns points that were passed.
    fn look_from_afar(&self, search: &mut Search, steps: &[usize]) -> Vec<Mark> {
        let start = WorkingSetIterate::zero(&self.group.training);
        self.trace(search, start, steps, ROUGHLY, 5, &mut |_, _| ())
    }

    /// The steps that may be best after a look from afar: those around the ones that look best.
    fn promising(&self, search: &Search) -> Option<Vec<usize>> {
        let error = |step: usize| search.mean_error(self.steps[step]);
        let smallest = |errors: &mut dyn Iterator<Item = f64>| errors.fold(f64::INFINITY, f64::min);
        let overall = smallest(&mut (0..search.candidates.len()).map(|c| search.mean_error(c)));
        let here = smallest(&mut (0..self.steps.len()).map(error));
        if here > overall * (1.0 + NEAR_BEST_RATIO) {
            return None;
        }
        let near: Vec<usize> =
            (0..self.steps.len()).filter(|&s| error(s) <= here * (1.0 + NEAR_BEST)).collect();
        let (first, last) = (*near.first()?, *near.last()?);
        let end = (last + STRIDE).min(self.steps.len());
        Some((first.saturating_sub(STRIDE - 1)..end).collect())
    }

    /// A point on the path at or before a step.
    fn start_before(&self, step: usize, marks: Vec<Mark>) -> WorkingSetIterate<'_, LANES> {
        let mut point = WorkingSetIterate::zero(&self.group.training);
        if let Some(mark) = marks.into_iter().rev().find(|mark| mark.step <= step) {
            point.move_to(mark.slopes);
        }
        point
    }

    /// Solves some steps of the path, rising, from a point at or before the first. The same columns
    /// take part for `span` steps at a time. Calls `visit` with the summed error of each step and a
    /// function that gives the model of the last lane.
    fn trace(
        &self,
        search: &mut Search,
        start: WorkingSetIterate<'_, LANES>,
        steps: &[usize],
        tolerance: f64,
        span: usize,
        visit: &mut dyn FnMut(f64, &dyn Fn() -> Coefficients),
    ) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut whole = start;
        let end_of = |at: usize| (at + span).min(steps.len());
        let weakest = |search: &Search, at: usize| self.penalties(search, steps[end_of(at) - 1]);
        let mut at = 0;
        let mut working = whole.working_set(&weakest(search, at));
        let mut parts = self.group.parts();
        while at < steps.len() {
            let reduction = working.reduce(&self.group.training);
            self.group.training.reduce_into(&reduction, &mut parts.training);
            self.group.held_out.reduce_into(&reduction, &mut parts.held_out);
            let part = &parts.training;
            let mut descent = Descent::reusing(
                std::mem::take(&mut parts.schur_complement),
                &part.hessians,
                whole.restrict(&reduction),
            );
            let mut before = whole.restrict_before(part, &reduction, &descent.point);
            loop {
                let end = end_of(at);
                let mut first = None;
                for position in at..end {
                    let factor = self.continuation(search, steps, position);
                    descent.point.extrapolate(&mut before, factor);
                    let penalties = self.penalties(search, steps[position]);
                    let limit = self.options.max_iterations;
                    search.converged &=
                        part.descend(&mut descent, &penalties, tolerance, limit).converged;
                    first.get_or_insert_with(|| descent.point.clone());
                    let model = |lane| whole.expand_lane(&reduction, &descent.point, lane);
                    let step = steps[position];
                    let error = self.validate(search, step, &parts.held_out, &descent.point, model);
                    visit(error, &|| model(LANES - 1));
                }
                let mut next = whole.clone();
                next.follow(&reduction, &descent.point, &before);
                let penalties = weakest(search, at);
                let gap = next.gap(part, &descent.point, &working, &penalties);
                if gap > tolerance && next.admit(&mut working, &penalties) {
                    // A column that was left out is missed: these steps once more, with it, from
                    // where the first of them ended.
                    if let Some(first) = first {
                        whole.follow(&reduction, &first, &first);
                    }
                    break;
                }
                whole = next;
                marks.push(Mark { step: steps[end - 1], slopes: whole.slopes() });
                at = end;
                if at == steps.len() {
                    break;
                }
                let needed = whole.working_set(&weakest(search, at));
                if !working.serves(&needed) {
                    working = needed;
                    break;
                }
            }
            parts.schur_complement = descent.into_schur_complement();
        }
        self.group.spares().push(parts);
        marks
    }

    /// How far the line through the last two points is continued: the ratio of penalty steps.
    fn continuation(&self, search: &Search, steps: &[usize], position: usize) -> f64 {
        if position < 2 {
            return 0.0;
        }
        let shrinkage =
            |position: usize| search.candidates[self.steps[steps[position]]].strength.shrinkage();
        let last = shrinkage(position - 2) - shrinkage(position - 1);
        let next = shrinkage(position - 1) - shrinkage(position);
        if last > 0.0 { (next / last).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Records the errors of the held-out rows at one step, and returns their sum over folds.
    fn validate(
        &self,
        search: &mut Search,
        step: usize,
        held_out: &BatchedProblem<LANES>,
        point: &Point<LANES>,
        model: impl Fn(usize) -> Coefficients,
    ) -> f64 {
        let errors = held_out.squared_error(point.intercept, &point.stump, &point.raw);
        let mut sum = 0.0;
        for (lane, fold) in self.group.folds.iter().enumerate() {
            let error =
                errors[lane].unwrap_or_else(|| self.error_of_rows(fold.number, &model(lane)));
            let error = error / fold.held_out.hessian.total;
            search.record(self.steps[step], fold.number, error);
            sum += error;
        }
        sum
    }
}
