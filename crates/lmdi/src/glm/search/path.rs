//! One l1 ratio's path of penalties through the folds, which are solved in batches.
//!
//! The error of a fold is a quadratic form in its statistics. Each point of a path starts where the
//! line through the last two points leads, because between changes of the active set solutions are
//! nearly linear in the penalty, and for a few penalties at a time only columns that are likely to
//! move take part. Solutions are kept without their zeros, so that a step can be solved again, more
//! accurately, from where it stood.

use crate::basis::{Basis, TreeRows};
use crate::forest::NONE;
use crate::glm::linalg::vector::Lanes;
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::GlmOptions;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::predictors::{squared_error_of_rows, squared_error_of_statistics};
use crate::glm::quadratic::reduction::Reduction;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::search::selection::{Candidate, Search};
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::solvers::descent::coordinate_descent::{Descent, Point};
use crate::glm::solvers::descent::schur_complement::RawSchurComplement;
use crate::glm::solvers::descent::working_set::WorkingSetIterate;
use crate::glm::solvers::direct::least_squares::least_squares;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Folds in one batch.
pub(super) const LANES: usize = 4;

/// Sweeps at one step at most, where it is solved beyond the accuracy that was asked for.
const MOST_BEYOND: usize = 1000;

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

/// Folds that are solved in one batch.
pub(super) struct Group<'t> {
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

/// How accurately steps are solved, and for how many of them the same columns take part.
#[derive(Clone, Copy)]
pub(super) struct Accuracy {
    pub(super) tolerance: f64,
    pub(super) span: usize,
}

impl<'t> Group<'t> {
    /// Spare lanes solve the problem of all rows, so that its solution is at hand when the penalty
    /// is chosen.
    pub(super) fn new(folds: &'t [Fold<'t>], whole: &'t GaussianProblem<'t>) -> Self {
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

    pub(super) fn fold_numbers(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.folds.iter().map(|fold| fold.number)
    }

    /// Memory that no path uses. What a panic left behind can be used again too.
    fn spares(&self) -> MutexGuard<'_, Vec<Parts>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One fold: the problem of the other rows and of its own.
pub(super) struct Fold<'t> {
    pub(super) number: usize,
    training: GaussianProblem<'t>,
    held_out: GaussianProblem<'t>,
}

impl<'t> Fold<'t> {
    /// `None` when there are no rows to train or to validate on.
    pub(super) fn new(folds: &Folds<'t>, number: usize) -> Option<Self> {
        let others = folds.statistics.iter().enumerate().filter(|(other, _)| *other != number);
        let training = Statistics::sum(folds.basis, others.map(|(_, statistics)| statistics));
        let training = GaussianProblem::new(folds.basis, &training);
        let held_out = GaussianProblem::new(folds.basis, &folds.statistics[number]);
        let usable = training.hessian.total > 0.0 && held_out.hessian.total > 0.0;
        usable.then_some(Self { number, training, held_out })
    }
}

/// The path of one l1 ratio through a group of folds.
pub(super) struct Path<'t> {
    pub(super) folds: &'t Folds<'t>,
    pub(super) group: &'t Group<'t>,
    /// The path's candidates, from the strongest penalty.
    pub(super) steps: Vec<usize>,
    pub(super) options: &'t GlmOptions,
}

/// A solution on a path: the slopes that are not zero.
pub(super) struct Mark {
    intercept: Lanes<LANES>,
    stump: Vec<(u32, Lanes<LANES>)>,
    raw: Vec<(u32, Lanes<LANES>)>,
}

/// Solutions of a path, step by step.
pub(super) type Marks = Vec<Option<Mark>>;

impl Mark {
    fn new(reduction: &Reduction, point: &Point<LANES>) -> Self {
        let is_slope = |b: &Lanes<LANES>| *b != [0.0; LANES];
        let stumps = reduction.split.iter().zip(&point.stump);
        let raw = reduction.raw.iter().zip(&point.raw);
        Self {
            intercept: point.intercept,
            stump: stumps
                .filter(|&(&split, b)| split != NONE && is_slope(b))
                .map(|(&split, &b)| (split, b))
                .collect(),
            raw: raw.filter(|(_, b)| is_slope(b)).map(|(&k, &b)| (k as u32, b)).collect(),
        }
    }
}

/// Takes a step of the path, its summed error and a function that gives its solution.
type Visit<'a> = dyn FnMut(usize, f64, &dyn Fn() -> Mark) + 'a;

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
    pub(super) fn solve_directly(&self, search: &mut Search) {
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

    /// Solves some steps of the path, rising, and keeps their solutions; without `keep_all` only that
    /// of the smallest error. Steps start from the solution of the last step that has one.
    pub(super) fn follow(
        &self,
        search: &mut Search,
        steps: &[usize],
        accuracy: Accuracy,
        marks: &mut Marks,
        keep_all: bool,
    ) {
        marks.resize_with(self.steps.len(), || None);
        let mut smallest = f64::INFINITY;
        // A solution of a step's own is nearer than that of a step before it, unless that is the last.
        let has_own: Vec<bool> = marks.iter().map(Option::is_some).collect();
        for run in steps.chunk_by(|before, after| after - before == 1 || !has_own[*after]) {
            let start = self.start_before(run[0], marks);
            self.trace(search, start, run, accuracy, &mut |step, error, mark| {
                if keep_all {
                    marks[step] = Some(mark());
                } else if error < smallest {
                    smallest = error;
                    marks.fill_with(|| None);
                    marks[step] = Some(mark());
                }
            });
        }
    }

    /// The last solution on the path at or before a step; zero slopes if there is none.
    fn start_before(&self, step: usize, marks: &Marks) -> WorkingSetIterate<'_, LANES> {
        let mut point = WorkingSetIterate::zero(&self.group.training);
        if let Some(mark) = marks[..=step].iter().rev().flatten().next() {
            let mut slopes = point.slopes();
            slopes.intercept = mark.intercept;
            mark.stump.iter().for_each(|&(split, b)| slopes.stump[split as usize] = b);
            mark.raw.iter().for_each(|&(k, b)| slopes.raw[k as usize] = b);
            point.move_to(slopes);
        }
        point
    }

    /// The solution of all rows at a step, where one was kept.
    pub(super) fn whole_at(&self, step: usize, marks: &Marks) -> Option<Coefficients> {
        let mark = marks[step].as_ref().filter(|_| self.group.folds.len() < LANES)?;
        let q = &self.group.training.hessians;
        let mut model = Coefficients::zero(q.n_splits(), q.n_raw());
        model.intercept = mark.intercept[LANES - 1];
        mark.stump.iter().for_each(|&(split, b)| model.stump[split as usize] = b[LANES - 1]);
        mark.raw.iter().for_each(|&(k, b)| model.raw[k as usize] = b[LANES - 1]);
        Some(model)
    }

    /// Solves some steps of the path, rising, from a point at or before the first. The same columns
    /// take part for some steps at a time. Calls `visit` with each step, its summed error and a function
    /// that gives its solution.
    fn trace(
        &self,
        search: &mut Search,
        start: WorkingSetIterate<'_, LANES>,
        steps: &[usize],
        Accuracy { tolerance, span }: Accuracy,
        visit: &mut Visit<'_>,
    ) {
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
                    // What goes beyond the accuracy that was asked for only tells near ties apart.
                    let beyond = tolerance < self.options.search_tolerance;
                    let most = if beyond { MOST_BEYOND } else { usize::MAX };
                    let limit = self.options.max_iterations.min(most);
                    let report = part.descend(&mut descent, &penalties, tolerance, limit);
                    search.converged &= report.converged || beyond;
                    first.get_or_insert_with(|| descent.point.clone());
                    let model = |lane| whole.expand_lane(&reduction, &descent.point, lane);
                    let step = steps[position];
                    let error = self.validate(search, step, &parts.held_out, &descent.point, model);
                    visit(step, error, &|| Mark::new(&reduction, &descent.point));
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
