//! Paths of penalties through the folds, which are solved in batches.
//!
//! The error of a fold is a quadratic form in its statistics. Each point of a path is warm-started
//! by linear extrapolation of the last two, or between its neighbours where both are known, because
//! solutions are nearly linear in the penalty between changes of the active set. For a few penalties
//! at a time, only columns that are likely to move take part; all do where most are likely to.
//! Solutions are stored without their zeros, so that a step can later be solved more accurately from
//! where it stopped. Where the residual sums of all columns are known, they are kept too: they are
//! linear in the slopes, so that a start between two solutions needs no pass over the leaves.
//!
//! A batch has a lane for every fold. If folds leave lanes free, as a single one does, several
//! sequences of steps are solved in the same batch: first one l1 ratio each, then equal shares of
//! the remaining steps.

use crate::basis::{Basis, TreeRows};
use crate::glm::linalg::vector::{Lanes, of_lane};
use crate::glm::model::coefficients::Coefficients;
use crate::glm::model::options::GlmOptions;
use crate::glm::model::penalty::Penalty;
use crate::glm::quadratic::gaussian::GaussianProblem;
use crate::glm::quadratic::predictors::{squared_error_of_rows, squared_error_of_statistics};
use crate::glm::quadratic::reduction::Reduction;
use crate::glm::quadratic::statistics::Statistics;
use crate::glm::search::contest::is_hopeless;
use crate::glm::search::selection::{Candidate, Search};
use crate::glm::solvers::descent::active_step::ActiveStep;
use crate::glm::solvers::descent::batched::BatchedProblem;
use crate::glm::solvers::descent::coordinate_descent::Descent;
use crate::glm::solvers::descent::working_set::{
    ResidualSums, Slopes, WorkingSet, WorkingSetIterate,
};
use crate::glm::solvers::direct::least_squares::least_squares;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Problems in one batch.
pub(super) const LANES: usize = 4;

/// Sweeps at one step at most, where it is solved beyond the accuracy that was asked for.
const MOST_BEYOND: usize = 1000;

/// What the search works on.
pub(crate) struct Folds<'t> {
    pub(crate) basis: &'t Basis,
    pub(crate) rows: &'t TreeRows<'t>,
    pub(crate) response: &'t [f64],
    /// Of every fold, where there are no rows.
    pub(crate) statistics: &'t [Statistics],
    /// The problem of all rows.
    pub(crate) whole: &'t GaussianProblem<'t>,
}

/// Folds that are solved in one batch. All lanes share the problem of a single fold (`H` is 1).
pub(super) struct Group<'t, const H: usize> {
    folds: &'t [Fold<'t>],
    /// Sequences of steps that are solved in one batch; lanes go sequence by sequence.
    pub(super) n_sequences: usize,
    training: BatchedProblem<H>,
    held_out: BatchedProblem<H>,
    /// All columns as if they were what a reduction left, once they are needed.
    complete: OnceLock<Complete>,
    spare: Mutex<Vec<Parts>>,
}

/// All columns of a group's training problems, with a lane for each.
struct Complete {
    reduction: Reduction,
    training: BatchedProblem<LANES>,
}

/// What is left of a group's training problems for a while. Its memory is used again: fresh memory
/// would cost about as much as filling it.
struct Parts {
    training: BatchedProblem<LANES>,
    memory: ActiveStep<LANES>,
}

/// How accurately steps are solved, and for how many of them the same columns take part.
#[derive(Clone, Copy)]
pub(super) struct Accuracy {
    pub(super) tolerance: f64,
    pub(super) span: usize,
}

impl<'t, const H: usize> Group<'t, H> {
    /// A lane that is left over solves the problem of all rows, so that its solution is at hand when
    /// the penalty is chosen.
    pub(super) fn new(folds: &'t [Fold<'t>], whole: &'t GaussianProblem<'t>) -> Self {
        let n_folds = folds.len();
        let n_sequences = LANES / n_folds;
        let lane = |lane: usize, of: fn(&'t Fold<'t>) -> &'t GaussianProblem<'t>| {
            if lane < n_sequences * n_folds { of(&folds[lane % n_folds]) } else { whole }
        };
        Self {
            folds,
            n_sequences,
            training: BatchedProblem::new(std::array::from_fn(|i| lane(i, |fold| &fold.training))),
            held_out: BatchedProblem::new(std::array::from_fn(|i| lane(i, |fold| &fold.held_out))),
            complete: OnceLock::new(),
            spare: Mutex::new(Vec::new()),
        }
    }

    fn complete(&self) -> &Complete {
        self.complete.get_or_init(|| {
            let reduction = WorkingSet::all(&self.training).reduce(&self.training);
            let mut training = BatchedProblem::empty();
            self.training.reduce_into(&reduction, &mut training);
            Complete { reduction, training }
        })
    }

    /// The sequence that a lane belongs to.
    fn sequence_of(&self, lane: usize) -> usize {
        (lane / self.folds.len()).min(self.n_sequences - 1)
    }

    /// The lanes of a sequence: its folds and, after them, the problem of all rows if a lane is left.
    fn lanes_of(&self, sequence: usize) -> Range<usize> {
        let n_folds = self.folds.len();
        let end = if sequence + 1 == self.n_sequences { LANES } else { (sequence + 1) * n_folds };
        sequence * n_folds..end
    }

    fn parts(&self) -> Parts {
        self.spares().pop().unwrap_or_else(|| Parts {
            training: BatchedProblem::empty(),
            memory: ActiveStep::default(),
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
pub(crate) struct Fold<'t> {
    pub(super) number: usize,
    training: GaussianProblem<'t>,
    held_out: GaussianProblem<'t>,
}

impl<'t> Fold<'t> {
    /// The folds with rows to train and to validate on, from the statistics of every fold and, after
    /// them, those of the rows that are never held out.
    pub(crate) fn usable(basis: &'t Basis, statistics: &[Statistics], n_folds: usize) -> Vec<Self> {
        (0..n_folds).filter_map(|fold| Self::new(basis, statistics, fold)).collect()
    }

    /// `None` when there are no rows to train or to validate on.
    fn new(basis: &'t Basis, statistics: &[Statistics], number: usize) -> Option<Self> {
        let training = match (number, statistics) {
            (0, [_, others]) | (1, [others, _]) => GaussianProblem::new(basis, others),
            _ => {
                let others = statistics.iter().enumerate().filter(|(other, _)| *other != number);
                let sum = Statistics::sum(basis, others.map(|(_, statistics)| statistics));
                GaussianProblem::new(basis, &sum)
            }
        };
        let held_out = GaussianProblem::new(basis, &statistics[number]);
        let usable = training.hessian.total > 0.0 && held_out.hessian.total > 0.0;
        usable.then_some(Self { number, training, held_out })
    }
}

/// The paths of some l1 ratios through a group of folds.
pub(super) struct Paths<'t, const H: usize> {
    pub(super) folds: &'t Folds<'t>,
    pub(super) group: &'t Group<'t, H>,
    /// The candidates of each ratio, from the strongest penalty.
    pub(super) ratios: Vec<Vec<usize>>,
    pub(super) options: &'t GlmOptions,
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Which of the ratios.
    pub(super) ratio: usize,
    /// How many penalties are stronger.
    pub(super) at: usize,
}

/// The solution of a step: some lanes of what was solved in one batch.
#[derive(Clone)]
pub(super) struct Mark {
    lanes: Range<usize>,
    of: Arc<Solutions>,
}

/// The solutions of a batch: slopes that are not zero in every lane.
struct Solutions {
    intercept: Lanes<LANES>,
    stump: Vec<(u32, Lanes<LANES>)>,
    raw: Vec<(u32, Lanes<LANES>)>,
    /// The residual sums of all columns, where they are known.
    sums: Option<ResidualSums<LANES>>,
}

/// Solutions of every step, ratio by ratio: those of its folds and, after them, of all rows where a
/// lane is left.
pub(super) type Marks = Vec<Vec<Option<Mark>>>;

impl Solutions {
    fn new(slopes: &Slopes<LANES>, sums: Option<ResidualSums<LANES>>) -> Arc<Self> {
        let nonzero = |slopes: &[Lanes<LANES>]| {
            let columns = (0_u32..).zip(slopes.iter().copied());
            columns.filter(|(_, b)| *b != [0.0; LANES]).collect()
        };
        let (stump, raw) = (nonzero(&slopes.stump), nonzero(&slopes.raw));
        Arc::new(Self { intercept: slopes.intercept, stump, raw, sums })
    }
}

/// Steps that are solved one after another, those of all sequences in one batch.
type Schedule = Vec<Vec<Step>>;

/// Takes one step per sequence, their errors summed over folds, their slopes, and their residual
/// sums where they are known.
type Visit<'a> = dyn FnMut(&[Step], &[f64], &Slopes<LANES>, Option<ResidualSums<LANES>>) + 'a;

impl<const H: usize> Paths<'_, H> {
    /// No solution of any step.
    pub(super) fn no_marks(&self) -> Marks {
        self.ratios.iter().map(|path| path.iter().map(|_| None).collect()).collect()
    }

    /// The first wanted step of a single path that has no solution at or before it.
    pub(super) fn first_without_start(&self, wanted: &[usize], marks: &Marks) -> Option<usize> {
        let ([path], [marks]) = (&self.ratios[..], &marks[..]) else { return None };
        let at = path.iter().position(|candidate| wanted.contains(candidate))?;
        marks[..=at].iter().all(Option::is_none).then_some(at)
    }

    fn candidate(&self, step: Step) -> usize {
        self.ratios[step.ratio][step.at]
    }

    /// All candidates.
    pub(super) fn candidates(&self) -> impl Iterator<Item = usize> + '_ {
        self.ratios.iter().flatten().copied()
    }

    /// The penalties of all lanes, one step per sequence.
    fn penalties(&self, search: &Search, steps: &[Step]) -> [Penalty; LANES] {
        std::array::from_fn(|lane| {
            let step = steps[self.group.sequence_of(lane)];
            let Candidate { strength, l1_ratio } = search.candidates[self.candidate(step)];
            strength.penalty(l1_ratio, of_lane(&self.group.training.hessians.total, lane))
        })
    }

    /// Without an l1 part the duality gap says nothing; the solution is direct.
    pub(super) fn solve_directly(&self, search: &mut Search) {
        for candidate in self.candidates() {
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

    /// Solves some steps, given by their candidates, and keeps their solutions; without `keep_all`
    /// only that of the smallest error. Steps start from the solution of the last step of their path
    /// that has one. With `until_hopeless`, paths end where their errors have long been rising.
    pub(super) fn follow(
        &self,
        search: &mut Search,
        wanted: &[bool],
        accuracy: Accuracy,
        marks: &mut Marks,
        [keep_all, until_hopeless]: [bool; 2],
    ) {
        let mut smallest = f64::INFINITY;
        let steps: Vec<Vec<Step>> = (self.ratios.iter().enumerate())
            .map(|(ratio, path)| {
                let is_wanted = |&at: &usize| wanted[path[at]];
                (0..path.len()).filter(is_wanted).map(|at| Step { ratio, at }).collect()
            })
            .collect();
        for schedule in self.schedules(steps, marks) {
            // What was solved between two steps is nearer to the second than the first is.
            let continues = |before: &Step, after: &Step| {
                let between = || &marks[before.ratio][before.at + 1..=after.at];
                before.ratio == after.ratio
                    && (after.at <= before.at + 1 || between().iter().all(Option::is_none))
            };
            let ends: Vec<usize> = (1..schedule.len())
                .filter(|&at| {
                    !schedule[at - 1].iter().zip(&schedule[at]).all(|(a, b)| continues(a, b))
                })
                .chain([schedule.len()])
                .collect();
            let mut begin = 0;
            for end in ends {
                let start = self.start_near(search, &schedule[begin], marks);
                let run = &schedule[begin..end];
                begin = end;
                self.trace(
                    search,
                    start,
                    run,
                    accuracy,
                    until_hopeless,
                    &mut |steps, errors, slopes, sums| {
                        if !keep_all && errors.iter().all(|&error| error >= smallest) {
                            return;
                        }
                        let solutions = Solutions::new(slopes, sums);
                        for (sequence, (step, &error)) in steps.iter().zip(errors).enumerate() {
                            if !keep_all {
                                if error >= smallest {
                                    continue;
                                }
                                smallest = error;
                                *marks = self.no_marks();
                            }
                            marks[step.ratio][step.at] = Some(Mark {
                                lanes: self.group.lanes_of(sequence),
                                of: Arc::clone(&solutions),
                            });
                        }
                    },
                );
            }
        }
    }

    /// How the steps are shared out to sequences.
    fn schedules(&self, steps: Vec<Vec<Step>>, marks: &Marks) -> Vec<Schedule> {
        let n_sequences = self.group.n_sequences;
        let is_first = |path: &Vec<Option<Mark>>| path.iter().all(Option::is_none);
        let parts: Vec<Vec<Step>> = if marks.iter().all(is_first) {
            // Nothing to start from: each path from its strongest penalty.
            steps.into_iter().filter(|steps| !steps.is_empty()).collect()
        } else {
            let all = steps.concat();
            let share = all.len().div_ceil(n_sequences).max(1);
            all.chunks(share).map(<[Step]>::to_vec).collect()
        };
        parts
            .chunks(n_sequences)
            .map(|parts| {
                let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
                // Sequences that end early stay at their last step, and lanes without one do what
                // the last sequence does.
                (0..longest)
                    .map(|at| {
                        (0..n_sequences)
                            .map(|sequence| {
                                let part = &parts[sequence.min(parts.len() - 1)];
                                part[at.min(part.len() - 1)]
                            })
                            .collect()
                    })
                    .collect()
            })
            .collect()
    }

    /// Where steps start: their own solutions where they have some, else between those of the nearest
    /// steps on both sides, else from the last before; zero slopes where there is none.
    fn start_near(
        &self,
        search: &Search,
        steps: &[Step],
        marks: &Marks,
    ) -> WorkingSetIterate<'_, H, LANES> {
        let mut point = WorkingSetIterate::zero(&self.group.training);
        let mut slopes = point.slopes();
        let mut sums = Some(point.residual_sums());
        let mut any = false;
        for (sequence, &step) in steps.iter().enumerate() {
            let marks = &marks[step.ratio];
            let Some(before) = (0..=step.at).rev().find(|&at| marks[at].is_some()) else {
                continue;
            };
            any = true;
            let after = (step.at + 1..marks.len()).find(|&at| marks[at].is_some());
            let shrinkage = |at: usize| {
                search.candidates[self.candidate(Step { at, ..step })].strength.shrinkage()
            };
            let share = match after {
                Some(after) if before < step.at => {
                    let [a, b, c] = [before, step.at, after].map(shrinkage);
                    if a > c { ((a - b) / (a - c)).clamp(0.0, 1.0) } else { 0.0 }
                }
                _ => 0.0,
            };
            let lanes = self.group.lanes_of(sequence);
            // Both start from zero, not from the null model.
            slopes.intercept[lanes.clone()].fill(0.0);
            sums.iter_mut().for_each(|sums| sums.clear(lanes.clone()));
            let parts = [(Some(before), 1.0 - share), (after, share)];
            for (at, part) in parts.into_iter().filter(|(_, part)| *part > 0.0) {
                let Some(mark) = at.and_then(|at| marks[at].as_ref()) else { continue };
                let solutions = &mark.of;
                let add = |into: &mut Lanes<LANES>, from: &Lanes<LANES>| {
                    for (lane, from_lane) in lanes.clone().zip(mark.lanes.clone()) {
                        into[lane] += part * from[from_lane];
                    }
                };
                add(&mut slopes.intercept, &solutions.intercept);
                for (split, b) in &solutions.stump {
                    add(&mut slopes.stump[*split as usize], b);
                }
                solutions.raw.iter().for_each(|(k, b)| add(&mut slopes.raw[*k as usize], b));
                // Residuals are linear in the slopes, and the parts of a step add up to one.
                sums = sums.zip(solutions.sums.as_ref()).map(|(mut sums, of_mark)| {
                    sums.leaf.iter_mut().zip(&of_mark.leaf).for_each(|(to, from)| add(to, from));
                    sums.raw.iter_mut().zip(&of_mark.raw).for_each(|(to, from)| add(to, from));
                    sums
                });
            }
        }
        if any {
            point.start_at(slopes, sums);
        }
        point
    }

    /// A solution near that of all rows at a candidate, where one was kept: their own or that of a
    /// fold.
    pub(super) fn near(&self, candidate: usize, marks: &Marks) -> Option<Coefficients> {
        let mut steps =
            self.ratios.iter().zip(marks).flat_map(|(path, marks)| path.iter().zip(marks));
        let (_, solutions) = steps.find(|&(&at, _)| at == candidate)?;
        let mark = solutions.as_ref()?;
        let (lane, solutions) = (mark.lanes.end - 1, &mark.of);
        let q = &self.group.training.hessians;
        let mut model = Coefficients::zero(q.n_splits(), q.n_raw());
        model.intercept = solutions.intercept[lane];
        solutions.stump.iter().for_each(|&(split, b)| model.stump[split as usize] = b[lane]);
        solutions.raw.iter().for_each(|&(k, b)| model.raw[k as usize] = b[lane]);
        Some(model)
    }

    /// Solves the steps of a schedule from points at or before the first. The same columns take part
    /// for some steps at a time. Calls `visit` with the steps and their solutions.
    fn trace(
        &self,
        search: &mut Search,
        start: WorkingSetIterate<'_, H, LANES>,
        schedule: &[Vec<Step>],
        Accuracy { tolerance, span }: Accuracy,
        until_hopeless: bool,
        visit: &mut Visit<'_>,
    ) {
        let mut whole = start;
        let end_of = |at: usize| (at + span).min(schedule.len());
        let weakest =
            |search: &Search, at: usize| self.penalties(search, &schedule[end_of(at) - 1]);
        let mut at = 0;
        let mut working = whole.working_set(&weakest(search, at));
        let mut parts = self.group.parts();
        while at < schedule.len() {
            let reduced;
            let is_complete = working.is_nearly_complete();
            let (reduction, part) = if is_complete {
                working = WorkingSet::all(&self.group.training);
                let Complete { reduction, training } = self.group.complete();
                (reduction, training)
            } else {
                reduced = working.reduce(&self.group.training);
                self.group.training.reduce_into(&reduced, &mut parts.training);
                (&reduced, &parts.training)
            };
            let mut descent = Descent::reusing(
                std::mem::take(&mut parts.memory),
                &part.hessians,
                whole.restrict(reduction),
            );
            let mut before = whole.restrict_before(part, reduction, &descent.point);
            loop {
                let end = end_of(at);
                let mut first = None;
                for position in at..end {
                    let factor = self.continuation(search, &schedule[..=position]);
                    descent.point.extrapolate(&mut before, factor);
                    let penalties = self.penalties(search, &schedule[position]);
                    // What goes beyond the accuracy that was asked for only tells near ties apart.
                    let beyond = tolerance < self.options.search_tolerance;
                    let most = if beyond { MOST_BEYOND } else { usize::MAX };
                    let limit = self.options.max_iterations.min(most);
                    let report = part.descend(&mut descent, &penalties, tolerance, limit);
                    search.converged &= report.converged || beyond;
                    if position + 1 < end {
                        first.get_or_insert_with(|| descent.point.clone());
                        let slopes = whole.expand(reduction, &descent.point);
                        let errors = self.validate(search, &schedule[position], &slopes);
                        visit(&schedule[position], &errors, &slopes, None);
                    }
                }
                if is_complete {
                    whole.arrive(reduction, &descent.point, &before);
                } else {
                    let mut next = whole.clone();
                    next.follow(reduction, &descent.point, &before);
                    let penalties = weakest(search, at);
                    let gap = next.gap(part, &descent.point, &working, &penalties);
                    if gap > tolerance && next.admit(&mut working, &penalties) {
                        // A column that was left out is missed: these steps once more, with it, from
                        // where the first of them ended.
                        let first = first.as_ref().unwrap_or(&descent.point);
                        whole.follow(reduction, first, first);
                        break;
                    }
                    whole = next;
                }
                at = end;
                let (steps, slopes) = (&schedule[end - 1], whole.slopes());
                let errors = self.validate(search, steps, &slopes);
                visit(steps, &errors, &slopes, Some(whole.residual_sums()));
                if at == schedule.len() {
                    break;
                }
                if until_hopeless && self.are_hopeless(search, &schedule[..at]) {
                    at = schedule.len();
                    break;
                }
                let needed = whole.working_set(&weakest(search, at));
                let serves =
                    if is_complete { needed.is_nearly_complete() } else { working.serves(&needed) };
                if !serves {
                    working = needed;
                    break;
                }
            }
            parts.memory = descent.into_memory();
        }
        self.group.spares().push(parts);
    }

    /// Whether no sequence has anything to hope for from weaker penalties.
    fn are_hopeless(&self, search: &Search, solved: &[Vec<Step>]) -> bool {
        (0..self.group.n_sequences).all(|sequence| {
            let errors: Vec<f64> = solved
                .iter()
                .map(|steps| search.mean_error(self.candidate(steps[sequence])))
                .collect();
            is_hopeless(&errors)
        })
    }

    /// How far the line through the last two points is continued to the last of some steps: the ratio
    /// of penalty steps, per lane.
    fn continuation(&self, search: &Search, steps: &[Vec<Step>]) -> Lanes<LANES> {
        let [.., before, last, next] = steps else { return [0.0; LANES] };
        std::array::from_fn(|lane| {
            let sequence = self.group.sequence_of(lane);
            let [a, b, c] = [before, last, next].map(|steps| {
                search.candidates[self.candidate(steps[sequence])].strength.shrinkage()
            });
            if a > b { ((b - c) / (a - b)).clamp(0.0, 1.0) } else { 0.0 }
        })
    }

    /// Records the errors of the held-out rows at one step per sequence, and returns their sums over
    /// folds.
    fn validate(&self, search: &mut Search, steps: &[Step], slopes: &Slopes<LANES>) -> Vec<f64> {
        let held_out = &self.group.held_out;
        let errors = held_out.squared_error(slopes.intercept, &slopes.stump, &slopes.raw);
        let n_folds = self.group.folds.len();
        let of_sequence = |(sequence, &step): (usize, &Step)| {
            let mut sum = 0.0;
            for (at, fold) in self.group.folds.iter().enumerate() {
                let lane = sequence * n_folds + at;
                let error = errors[lane]
                    .unwrap_or_else(|| self.error_of_rows(fold.number, &slopes.of_lane(lane)));
                let error = error / fold.held_out.hessian.total;
                search.record(self.candidate(step), fold.number, error);
                sum += error;
            }
            sum
        };
        steps.iter().enumerate().map(of_sequence).collect()
    }
}
