//! Which candidates of a search are solved, and how accurately.
//!
//! Candidates are solved roughly or exactly. Rough errors only tell where to look; exact errors
//! decide.
//!
//! 1. One path, the guide, is solved roughly at every [`STRIDE`]th step, until errors have been rising
//!    for long. (If lanes are free, all paths are.)
//! 2. The other paths are solved roughly where the guide is best: the l1 part of the penalty is the
//!    same at the same step of all paths. A path that does not come close to the best is followed
//!    roughly, in both directions, until it comes close, its errors have risen, or it is so far
//!    behind that the rest of it cannot make up for that.
//! 3. A path that comes close is solved exactly where its rough errors are smallest, and followed
//!    from there in the same way.
//! 4. A candidate between two exact errors can win if a lower estimate of its error is not above the
//!    smallest error. The one with the lowest estimate is solved, until none can win.
//!
//! The estimate lies below the straight line between the two errors by the bend of the errors there,
//! taken as that of a parabola, and by an allowance for kinks: errors have one wherever a column
//! enters. With a and b the solved steps, k between them and w = (k - a)(b - k),
//!
//! ```text
//! estimate = line(k) - w bend / 2 - w kinks null / (b - a)
//! ```
//!
//! These are estimates, not proofs; `./bench penalties` measures how well they work. Rough errors
//! cannot decide. With G the duality gap, E the validation error and k the largest ratio of
//! validation to training curvature (penalty included), the bound
//!
//! ```text
//! |sqrt(E) - sqrt(E at the optimum)| <= sqrt(2 k G)
//! ```
//!
//! is far too pessimistic, and in practice errors move by up to 0.7 % of the null model's, while those
//! of neighbouring candidates differ by less than a hundredth of that. Exact errors cost little more,
//! because each fit starts between its neighbours' solutions.

/// How a candidate is solved: for a first look, or as an exhaustive search would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Solved {
    Roughly,
    Exactly,
}

impl Solved {
    /// Duality gap as a share of the null loss.
    pub(crate) fn tolerance(self) -> f64 {
        match self {
            Self::Roughly => 1e-2,
            Self::Exactly => 1e-9,
        }
    }

    /// Steps of a path for which the same columns take part.
    pub(crate) fn span(self) -> usize {
        match self {
            Self::Roughly => 3,
            Self::Exactly => 1,
        }
    }
}

/// Every how many steps of a path are solved at first.
const STRIDE: usize = 8;

/// By how much two rough errors of one path may be off from one another, as a share of the null
/// model's; between paths it is twice that.
const DOUBT: f64 = 7e-3;

/// A path is followed in a direction until its error, rough or exact, has risen by this share of the
/// null model's.
const RISEN_ROUGHLY: f64 = 0.01;
const RISEN_EXACTLY: f64 = 2e-3;

/// A path that is behind is followed as long as it could catch up at this multiple of its last
/// progress per step, give or take a share of the null model's error.
const SPEED: f64 = 2.0;
const BEHIND: f64 = 0.01;

/// Allowance for kinks of one fold's error as a share of the null model's: two steps away from one
/// solved step and far from the next, an error may be lower by twice this for them. In the mean over
/// folds they are smaller; how much was measured with three folds.
const KINKS: f64 = 2.4e-3;
const MOST_FOLDS: usize = 3;

/// A path has nothing more to hope for once its error has risen from its smallest by this share of
/// what that one explains, and by this share of the null model's error.
const RISEN: f64 = 0.15;
const RISEN_OF_NULL: f64 = 0.03;

/// Steps for which errors must have been rising.
const RISING: usize = 4;

/// Whether the errors of a path, from its strongest penalty on, have risen so far and so long that
/// weaker penalties are not worth a look. Unknown errors never are.
pub(crate) fn is_hopeless(errors: &[f64]) -> bool {
    let [null, .., last] = errors else { return false };
    let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let rises = errors.windows(2).rev().take_while(|pair| pair[1] > pair[0]).count();
    rises >= RISING && last - smallest > (RISEN * (null - smallest)).max(RISEN_OF_NULL * null)
}

/// What is known of every candidate.
pub(crate) struct Contest {
    /// Candidates of each path, from the strongest penalty.
    paths: Vec<Vec<usize>>,
    /// The path that others without errors follow, once it is known.
    guide: Option<usize>,
    /// How many candidates are best solved at once. Unless it is one, all paths are guides.
    at_once: usize,
    /// Allowance for kinks as a share of the null model's error.
    kinks: f64,
    /// Of each path the steps that were solved roughly, rising, with their errors, and those that were
    /// solved exactly.
    rough: Vec<Vec<(usize, f64)>>,
    exact: Vec<Vec<(usize, f64)>>,
    n_candidates: usize,
    /// Error of the strongest penalty.
    null: f64,
}

impl Contest {
    /// A contest in which nothing is known.
    pub(crate) fn new(
        paths: Vec<Vec<usize>>,
        n_candidates: usize,
        n_folds: usize,
        at_once: usize,
    ) -> Self {
        let (rough, exact) = (vec![Vec::new(); paths.len()], vec![Vec::new(); paths.len()]);
        let kinks = KINKS / n_folds.clamp(1, MOST_FOLDS) as f64;
        Self { paths, guide: None, at_once, kinks, rough, exact, n_candidates, null: 0.0 }
    }

    /// Takes note of errors.
    pub(crate) fn note(
        &mut self,
        candidates: &[usize],
        solved: Solved,
        error: impl Fn(usize) -> f64,
    ) {
        let known = match solved {
            Solved::Roughly => &mut self.rough,
            Solved::Exactly => &mut self.exact,
        };
        for (path, known) in self.paths.iter().zip(known) {
            for &candidate in candidates {
                let Some(step) = path.iter().position(|&at| at == candidate) else { continue };
                match known.binary_search_by_key(&step, |known| known.0) {
                    Ok(at) => known[at].1 = error(candidate),
                    Err(at) => known.insert(at, (step, error(candidate))),
                }
            }
        }
        for first in self.paths.iter().map(|path| path[0]).filter(|at| candidates.contains(at)) {
            self.null = self.null.max(error(first));
        }
    }

    /// The candidates to solve next, and how; `None` when the winner is certain.
    pub(crate) fn next(&mut self) -> Option<(Vec<usize>, Solved)> {
        type Stage = fn(&Contest) -> Vec<usize>;
        const STAGES: [(Stage, Solved); 4] = [
            (Contest::approach, Solved::Roughly),
            (Contest::starts, Solved::Exactly),
            (Contest::further, Solved::Exactly),
            (Contest::between, Solved::Exactly),
        ];
        let scan = self.scan();
        if !scan.is_empty() {
            return Some((scan, Solved::Roughly));
        }
        if self.n_candidates == 1 {
            return None;
        }
        let wanted = STAGES.iter().map(|(stage, solved)| (stage(self), *solved));
        wanted.into_iter().find(|(wanted, _)| !wanted.is_empty())
    }

    /// Some steps of the guides, once.
    fn scan(&mut self) -> Vec<usize> {
        let is_unseen = |path: &usize| self.rough[*path].is_empty() && self.exact[*path].is_empty();
        let unseen: Vec<usize> = (0..self.paths.len()).filter(is_unseen).collect();
        if self.guide.is_some() || unseen.is_empty() {
            return Vec::new();
        }
        let guide = unseen[unseen.len() / 2];
        self.guide = Some(guide);
        let guides = if self.at_once > 1 { unseen } else { vec![guide] };
        let of_path =
            |path: usize| strided(self.paths[path].len()).into_iter().map(move |step| (path, step));
        let steps = guides.into_iter().flat_map(of_path);
        steps.map(|(path, step)| self.paths[path][step]).collect()
    }

    /// The next rough steps of paths that are not yet known to come close to the best.
    fn approach(&self) -> Vec<usize> {
        let Some(guide) = self.guide else { return Vec::new() };
        let best = self.smallest();
        let mut wanted = Vec::new();
        for (number, path) in self.paths.iter().enumerate() {
            match smallest_of(&self.rough[number]) {
                _ if !self.exact[number].is_empty() => {}
                Some((_, own)) if own <= best + 2.0 * DOUBT * self.null => {}
                Some(_) if number == guide || self.at_once > 1 => {}
                Some(_) => wanted.extend(self.beside(path, &self.rough[number], RISEN_ROUGHLY)),
                None => {
                    let step = smallest_of(&self.rough[guide]).map_or(0, |(step, _)| step);
                    wanted.push(path[step.min(path.len() - 1)]);
                }
            }
        }
        wanted
    }

    /// Where paths that come close are begun: in every valley that may hold their smallest error. The
    /// best path comes first.
    fn starts(&self) -> Vec<usize> {
        let best = self.smallest();
        let is_first = self.exact.iter().all(Vec::is_empty);
        let mut wanted = Vec::new();
        for (number, path) in self.paths.iter().enumerate() {
            let errors = &self.rough[number];
            let Some((_, own)) = smallest_of(errors) else { continue };
            let limit = if is_first { best } else { best + 2.0 * DOUBT * self.null };
            if !self.exact[number].is_empty() || own > limit {
                continue;
            }
            let is_valley = |at: usize| {
                let error = errors[at].1;
                let before = at.checked_sub(1).map_or(f64::INFINITY, |before| errors[before].1);
                let after = errors.get(at + 1).map_or(f64::INFINITY, |after| after.1);
                error <= own + DOUBT * self.null && !(before < error || after < error)
            };
            wanted
                .extend((0..errors.len()).filter(|&at| is_valley(at)).map(|at| path[errors[at].0]));
        }
        wanted
    }

    /// The next steps of paths that were begun.
    fn further(&self) -> Vec<usize> {
        let paths = self.paths.iter().zip(&self.exact);
        paths.flat_map(|(path, known)| self.beside(path, known, RISEN_EXACTLY)).collect()
    }

    /// The steps beside those with known errors in which a path has not risen yet by a share of the
    /// null model's error, and is not too far behind.
    fn beside(&self, path: &[usize], known: &[(usize, f64)], risen: f64) -> Vec<usize> {
        let Some((_, least)) = smallest_of(known) else { return Vec::new() };
        let (best, steps) = (self.smallest(), strided(path.len()));
        let error_at = |at: usize| {
            let step = steps.get(at)?;
            known.binary_search_by_key(step, |known| known.0).ok().map(|at| known[at].1)
        };
        let mut wanted = Vec::new();
        for at in 0..steps.len() {
            let Some(error) = error_at(at).filter(|error| *error <= least + risen * self.null)
            else {
                continue;
            };
            let (before, after) = (at.checked_sub(1), Some(at + 1));
            for (from, to, left) in
                [(after, before, steps[at]), (before, after, path.len() - 1 - steps[at])]
            {
                let Some(to) = to.filter(|&to| to < steps.len() && error_at(to).is_none()) else {
                    continue;
                };
                let last = from.and_then(|from| Some((from, error_at(from)?)));
                let catches_up = last.is_none_or(|(from, last)| {
                    let speed = (last - error).max(0.0) / steps[at].abs_diff(steps[from]) as f64;
                    error - SPEED * speed * left as f64 <= best + BEHIND * self.null
                });
                if catches_up {
                    wanted.push(path[steps[to]]);
                }
            }
        }
        wanted.dedup();
        wanted
    }

    /// The candidates between solved ones that are most likely to win, one per interval.
    fn between(&self) -> Vec<usize> {
        let best = self.smallest();
        let mut able: Vec<(f64, usize)> = Vec::new();
        for (number, path) in self.paths.iter().enumerate() {
            let known = &self.exact[number];
            // How far errors bend at each solved step, per step squared.
            let bend = |at: usize| {
                if at == 0 || at + 1 >= known.len() {
                    return 0.0;
                }
                let ((s0, e0), (s1, e1), (s2, e2)) = (known[at - 1], known[at], known[at + 1]);
                let (before, after) = ((s1 - s0) as f64, (s2 - s1) as f64);
                let turn = (e2 - e1) / after - (e1 - e0) / before;
                (2.0 * turn / (before + after)).max(0.0)
            };
            for (at, pair) in known.windows(2).enumerate() {
                let ((first, before), (last, after)) = (pair[0], pair[1]);
                let (gap, bend) = ((last - first) as f64, bend(at).max(bend(at + 1)));
                let estimate = |step: usize| {
                    let (past, left) = ((step - first) as f64, (last - step) as f64);
                    let line = (before * left + after * past) / gap;
                    line - past * left * (0.5 * bend + self.kinks * self.null / gap)
                };
                let lowest = (first + 1..last)
                    .map(|step| (estimate(step), path[step]))
                    .filter(|(estimate, _)| *estimate <= best)
                    .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                able.extend(lowest);
            }
        }
        able.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        able.into_iter().take(self.at_once).map(|(_, candidate)| candidate).collect()
    }

    /// The smallest exact error, or the smallest of all where none is.
    fn smallest(&self) -> f64 {
        let of = |known: &[Vec<(usize, f64)>]| {
            let errors = known.iter().flatten().map(|(_, error)| *error);
            errors.reduce(f64::min).filter(|error| !error.is_nan())
        };
        of(&self.exact).or_else(|| of(&self.rough)).unwrap_or(f64::INFINITY)
    }
}

/// The step with the smallest error; of equals the first.
fn smallest_of(errors: &[(usize, f64)]) -> Option<(usize, f64)> {
    errors.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
}

/// The steps of a path that are solved first: every [`STRIDE`]th and the last.
fn strided(len: usize) -> Vec<usize> {
    (0..len - 1).step_by(STRIDE).chain([len - 1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, generator, unit};

    /// Errors along three paths of 40 steps: bowls of random depth and place.
    fn bowls(seed: u64) -> Vec<f64> {
        let mut random = generator(seed, 0);
        let mut errors = Vec::new();
        for _ in 0..3 {
            let (lowest, at) = (0.3 + 0.02 * unit(&mut random), 10 + below(&mut random, 20));
            let wide = 60.0 + 40.0 * unit(&mut random);
            errors.extend((0..40).map(|step| {
                let away = (step as f64 - at as f64) / wide;
                lowest + away * away
            }));
        }
        errors
    }

    fn paths() -> Vec<Vec<usize>> {
        (0..3).map(|path| (40 * path..40 * (path + 1)).collect()).collect()
    }

    /// Runs a contest in which the rough error of a fit is off by less than its doubt, neighbours by
    /// much the same. Returns the winner and how many candidates were solved roughly and exactly.
    fn winner(seed: u64, errors: &[f64], at_once: usize) -> (usize, [usize; 2]) {
        let mut random = generator(seed, 1);
        let mut contest = Contest::new(paths(), errors.len(), 3, at_once);
        let mut count = [0; 2];
        let mut found = vec![f64::INFINITY; errors.len()];
        let null = errors[0].max(errors[40]).max(errors[80]);
        let off_by_path: Vec<f64> = (0..3).map(|_| 0.8 * unit(&mut random) - 0.4).collect();
        while let Some((wanted, solved)) = contest.next() {
            count[usize::from(solved == Solved::Exactly)] += wanted.len();
            for &candidate in &wanted {
                let off = off_by_path[candidate / 40] + 0.2 * unit(&mut random) - 0.1;
                let doubt = if solved == Solved::Roughly { DOUBT * null } else { 0.0 };
                found[candidate] = errors[candidate] + doubt * off;
            }
            contest.note(&wanted, solved, |candidate| found[candidate]);
        }
        let smallest = found.iter().copied().fold(f64::INFINITY, f64::min);
        (found.iter().position(|&error| error == smallest).unwrap_or(usize::MAX), count)
    }

    #[test]
    fn the_winner_is_that_of_the_true_errors() {
        let mut counts = [[0; 2]; 2];
        for seed in 0..500 {
            let errors = bowls(seed);
            let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
            for (at_once, counts) in [1, 4].into_iter().zip(&mut counts) {
                let (found, count) = winner(seed, &errors, at_once);
                assert_eq!(errors[found], smallest, "seed {seed}, {at_once} at once");
                (0..2).for_each(|at| counts[at] += count[at]);
            }
        }
        let [apart, together] = counts;
        assert_eq!(together[0], 500 * 18, "a first look at every path");
        assert!(apart[0] < together[0], "the guide saves first looks: {apart:?} {together:?}");
        assert!(together[1] < 500 * 120 / 4 && apart[1] < 500 * 120 / 4, "{apart:?} {together:?}");
    }

    /// A contest over the three paths after the guide's first look.
    fn after_the_look(errors: [f64; 6]) -> Contest {
        let mut contest = Contest::new(paths(), 120, 3, 1);
        let look = contest.next();
        assert_eq!(look, Some((vec![40, 48, 56, 64, 72, 79], Solved::Roughly)));
        contest
            .note(&[40, 48, 56, 64, 72, 79], Solved::Roughly, |at| errors[(at - 40).div_ceil(8)]);
        contest
    }

    #[test]
    fn paths_that_come_close_are_followed_exactly() {
        let mut contest = after_the_look([1.0, 0.6, 0.5, 0.4, 0.5, 0.6]);
        assert_eq!(contest.next(), Some((vec![24, 104], Solved::Roughly)), "at the fourth step");
        contest.note(&[24, 104], Solved::Roughly, |at| if at == 24 { 0.405 } else { 0.6 });
        assert_eq!(contest.next(), Some((vec![96, 112], Solved::Roughly)), "too far to be exact");
        contest.note(&[96, 112], Solved::Roughly, |at| if at == 112 { 0.58 } else { 0.7 });
        // The third path falls by 0.02 in eight steps, and cannot make up for 0.18 in seven.
        assert_eq!(contest.next(), Some((vec![64], Solved::Exactly)), "the best of all first");
        contest.note(&[64], Solved::Exactly, |_| 0.4);
        assert_eq!(contest.next(), Some((vec![24], Solved::Exactly)));
        contest.note(&[24], Solved::Exactly, |_| 0.39);
        let beside = vec![16, 32, 56, 72];
        assert_eq!(contest.next(), Some((beside.clone(), Solved::Exactly)));
        // The first path falls towards stronger penalties, the guide has risen on both sides.
        contest.note(&beside, Solved::Exactly, |at| if at == 16 { 0.35 } else { 0.5 });
        assert_eq!(contest.next(), Some((vec![8], Solved::Exactly)));
    }

    #[test]
    fn a_path_that_may_catch_up_is_followed() {
        let mut contest = after_the_look([1.0, 0.6, 0.5, 0.4, 0.5, 0.6]);
        contest.note(&[24, 104], Solved::Roughly, |at| if at == 24 { 0.405 } else { 0.6 });
        contest.note(&[96, 112], Solved::Roughly, |at| if at == 112 { 0.5 } else { 0.7 });
        assert_eq!(contest.next(), Some((vec![119], Solved::Roughly)));
    }

    #[test]
    fn every_valley_of_a_path_is_looked_at() {
        let starts = |second: f64| {
            let contest = after_the_look([1.0, second, 0.5, 0.4, 0.405, 0.404]);
            contest.starts()
        };
        assert_eq!(starts(0.401), vec![48, 64, 79]);
        assert_eq!(starts(0.41), vec![64, 79], "the first is too high");
    }

    #[test]
    fn what_lies_between_is_solved_as_far_as_bends_and_kinks_reach() {
        let between = |errors: [f64; 3], at_once: usize| {
            let mut contest = Contest::new(vec![(0..17).collect()], 17, 3, at_once);
            contest.note(&[0, 8, 16], Solved::Exactly, |at| errors[at / 8]);
            contest.between()
        };
        assert_eq!(between([1.0, 0.5, 0.6], 1), vec![11], "errors bend a lot at the second");
        assert_eq!(between([0.5, 0.5, 0.5], 1), vec![4], "kinks alone");
        assert_eq!(between([0.5, 0.5, 0.5], 2), vec![4, 12], "one of each interval");
        let beside = between([0.5, 0.5, 0.499], 2);
        assert_eq!(beside, [13], "kinks do not reach the others");
        assert_eq!(between([0.5, 0.5, 0.4], 2), Vec::<usize>::new());
    }

    #[test]
    fn one_candidate_needs_no_more_than_a_look() {
        let mut contest = Contest::new(vec![vec![0]], 1, 3, 1);
        assert_eq!(contest.next(), Some((vec![0], Solved::Roughly)));
        contest.note(&[0], Solved::Roughly, |_| 0.7);
        assert_eq!(contest.next(), None);
    }

    #[test]
    fn a_path_ends_where_errors_have_long_been_rising() {
        let rising = [1.0, 0.6, 0.4, 0.5, 0.6, 0.7, 0.8];
        assert!(is_hopeless(&rising));
        assert!(!is_hopeless(&rising[..6]), "three rises may be a bump");
        assert!(!is_hopeless(&[1.0, 0.6, 0.4, 0.41, 0.42, 0.43, 0.44]), "a slow rise may turn");
        assert!(!is_hopeless(&[1.0, 0.6, 0.4, 0.5, f64::NAN, 0.7, 0.8]), "unknown");
        assert!(!is_hopeless(&[1.0]));
    }

    #[test]
    fn exact_ties_are_solved_exactly() {
        let mut contest = Contest::new(vec![(0..5).collect()], 5, 3, 1);
        let mut last = Solved::Roughly;
        while let Some((wanted, solved)) = contest.next() {
            contest.note(&wanted, solved, |_| 0.5);
            last = solved;
        }
        assert_eq!(last, Solved::Exactly);
        assert_eq!(contest.exact, [(0..5).map(|step| (step, 0.5)).collect::<Vec<_>>()]);
    }
}
