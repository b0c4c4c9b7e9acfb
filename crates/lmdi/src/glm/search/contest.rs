//! Which candidates of a search can still win, and how accurately each has to be solved.
//!
//! Candidates are solved roughly or exactly. A rough fit has a validation error that is off by an
//! unknown amount; its doubt is an estimate of that. A candidate is out once its error minus its
//! doubt exceeds the error plus the doubt of another. The remaining candidates are solved exactly,
//! the best first, until one is left or all are exact. Only near ties cost more.
//!
//! The duality gap bounds the doubt: with G the gap, E the validation error and k the largest ratio
//! of validation to training curvature (penalty included),
//!
//! ```text
//! |sqrt(E) - sqrt(E at the optimum)| <= sqrt(2 k G)
//! ```
//!
//! The bound is far too pessimistic: in practice, errors move in proportion to the gap, not to its
//! root. So the doubt is a multiple of the tolerance until the best candidate of a path has been
//! solved exactly. From then on it is a multiple of the move of its error. Paths are treated
//! separately, because errors within one l1 ratio are off by similar amounts, but not across
//! ratios. `./bench penalties` measures how well this works.
//!
//! One path, the guide, is first solved roughly at a few steps, until errors have been rising for
//! long. Errors of the other paths are smallest near the guide's best step, so they are solved from
//! there, in both directions, until errors have risen. If lanes are free, all paths are solved like
//! the guide.
//!
//! A candidate between two solved steps is assumed to be as good as the better one, minus the bend
//! of the errors around it, with the same doubt. If it may win, the candidate in the middle is
//! solved; those on both sides of it may then be out.

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

/// Doubt of a rough error as a share of the null model's, before any of its path was solved exactly.
const DOUBT: f64 = 7e-3;

/// The least doubt afterwards, on the same scale.
const LEAST_DOUBT: f64 = 1.5e-3;

/// Doubt as a share of the farthest that a rough error moved when it was solved exactly: on the same
/// path, as long as that is less than the doubt before, and on any.
const OF_MOVE: f64 = 4.0;
const OF_ANY_MOVE: f64 = 1.5;

/// Every how many steps of a path are solved at first.
const STRIDE: usize = 8;

/// A path is followed in a direction until its error has risen by this share of the null model's.
const RISEN_ON_PATH: f64 = 0.01;

/// Errors have kinks where columns enter, so bends do not tell all of what lies between two steps:
/// how far below them an error may be for each step that lies between, as a share of the null model's.
const PER_UNSEEN_STEP: f64 = 1e-4;

/// Between two steps an error may dip below both by this share of how much the errors bend there: twice
/// that of a parabola.
const OF_BEND: f64 = 0.25;

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
    /// The path that the others follow, once it is known.
    guide: Option<usize>,
    /// Whether all paths are guides.
    together: bool,
    /// Error of each candidate that was solved, and how.
    known: Vec<Option<(f64, Solved)>>,
    /// Error of the strongest penalty.
    null: f64,
    /// The farthest that a rough error of each path moved when it was solved exactly, where any was.
    moved: Vec<Option<f64>>,
}

impl Contest {
    /// A contest in which nothing is known. Paths are solved side by side where that costs no more
    /// (`together`).
    pub(crate) fn new(paths: Vec<Vec<usize>>, n_candidates: usize, together: bool) -> Self {
        let moved = vec![None; paths.len()];
        let known = vec![None; n_candidates];
        Self { paths, guide: None, together, known, null: 0.0, moved }
    }

    /// Takes note of errors.
    pub(crate) fn note(
        &mut self,
        candidates: &[usize],
        solved: Solved,
        error: impl Fn(usize) -> f64,
    ) {
        for (path, moved) in self.paths.iter().zip(&mut self.moved) {
            for &candidate in path.iter().filter(|candidate| candidates.contains(candidate)) {
                let new = error(candidate);
                if let Some((old, _)) = self.known[candidate].replace((new, solved)) {
                    *moved = Some(moved.unwrap_or(0.0).max((new - old).abs()));
                }
                if path[0] == candidate {
                    self.null = self.null.max(new);
                }
            }
        }
    }

    /// The candidates to solve next, and how; `None` when the winner is certain.
    pub(crate) fn next(&mut self) -> Option<(Vec<usize>, Solved)> {
        let unseen = self.scan();
        if !unseen.is_empty() {
            return Some((unseen, Solved::Roughly));
        }
        let able = self.able_to_win();
        let is_rough =
            |candidate: &usize| !matches!(self.known[*candidate], Some((_, Solved::Exactly)));
        if able.len() <= 1 || !able.iter().any(is_rough) {
            return None;
        }
        // The best come first: once they are known better, fewer of the others can win.
        let mut best: Vec<(f64, usize)> = Vec::new();
        let mut wanted = Vec::new();
        for (path, moved) in self.paths.iter().zip(&self.moved) {
            let here = |candidate: &usize| path.contains(candidate) && is_rough(candidate);
            let of_path: Vec<usize> = able.iter().copied().filter(here).collect();
            let errors = of_path.iter().filter_map(|&at| Some((self.known[at]?.0, at)));
            match errors.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) {
                Some(smallest) if moved.is_none() => best.push(smallest),
                _ => wanted.extend(of_path),
            }
        }
        if !self.together && self.moved.iter().all(Option::is_none) {
            best.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            best.truncate(1);
        }
        wanted.extend(best.into_iter().map(|(_, candidate)| candidate));
        Some((wanted, Solved::Exactly))
    }

    /// The candidates that are still to be looked at roughly.
    fn scan(&mut self) -> Vec<usize> {
        let strided = |path: &[usize]| -> Vec<usize> {
            let last = path.len() - 1;
            (0..last).step_by(STRIDE).chain([last]).collect()
        };
        let is_unseen =
            |path: &Vec<usize>| path.iter().all(|&candidate| self.known[candidate].is_none());
        let unseen: Vec<usize> =
            (0..self.paths.len()).filter(|&path| is_unseen(&self.paths[path])).collect();
        let guide = match self.guide {
            None if unseen.is_empty() => return Vec::new(),
            None => {
                let guide = unseen[unseen.len() / 2];
                self.guide = Some(guide);
                let guides = if self.together { unseen } else { vec![guide] };
                let all = |&path: &usize| {
                    strided(&self.paths[path]).into_iter().map(move |at| (path, at))
                };
                return (guides.iter().flat_map(all))
                    .map(|(path, at)| self.paths[path][at])
                    .collect();
            }
            Some(guide) => guide,
        };
        if self.together {
            return Vec::new();
        }
        let error_at = |path: usize, at: usize| Some(self.known[self.paths[path][at]]?.0);
        let mut wanted = Vec::new();
        for (number, path) in self.paths.iter().enumerate() {
            if number == guide || path.iter().all(|&at| self.known[at].is_some()) {
                continue;
            }
            let steps = strided(path);
            let seen = |of: usize| -> Vec<(f64, usize)> {
                (0..steps.len())
                    .filter(|&at| steps[at] < self.paths[of].len())
                    .filter_map(|at| Some((error_at(of, steps[at])?, at)))
                    .collect()
            };
            let smallest = |errors: &[(f64, usize)]| {
                errors.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            };
            let own = seen(number);
            let (from, to) = match smallest(&own) {
                None => {
                    let at = smallest(&seen(guide)).map_or(0, |(_, at)| at);
                    (at.saturating_sub(1), at + 1)
                }
                Some((least, _)) => {
                    let limit = least + RISEN_ON_PATH * self.null;
                    let (first, last) = (own[0], own[own.len() - 1]);
                    let down = usize::from(first.0 <= limit);
                    let up = usize::from(last.0 <= limit);
                    (first.1.saturating_sub(down), last.1 + up)
                }
            };
            wanted.extend(
                (from..=to.min(steps.len() - 1))
                    .map(|at| path[steps[at]])
                    .filter(|&candidate| self.known[candidate].is_none()),
            );
        }
        wanted
    }

    /// The candidates that can still win.
    fn able_to_win(&self) -> Vec<usize> {
        let mut limit = f64::INFINITY;
        for (number, path) in self.paths.iter().enumerate() {
            for (error, solved) in path.iter().filter_map(|&candidate| self.known[candidate]) {
                limit = limit.min(error + self.doubt(number, solved));
            }
        }
        let mut able = Vec::new();
        for (number, path) in self.paths.iter().enumerate() {
            let solved: Vec<(usize, f64, f64)> = (path.iter().enumerate())
                .filter_map(|(step, &candidate)| {
                    let (error, solved) = self.known[candidate]?;
                    Some((step, error, error - self.doubt(number, solved)))
                })
                .collect();
            able.extend(solved.iter().filter(|at| at.2 <= limit).map(|at| path[at.0]));
            // How far errors bend at each solved step, per step squared.
            let bend = |at: usize| {
                if at == 0 || at + 1 >= solved.len() {
                    return 0.0;
                }
                let ((s0, e0, _), (s1, e1, _), (s2, e2, _)) =
                    (solved[at - 1], solved[at], solved[at + 1]);
                let (before, after) = ((s1 - s0) as f64, (s2 - s1) as f64);
                let turn = (e2 - e1) / after - (e1 - e0) / before;
                (2.0 * turn / (before + after)).max(0.0)
            };
            for (at, pair) in solved.windows(2).enumerate() {
                let gap = pair[1].0 - pair[0].0;
                let dip = OF_BEND * (gap * gap) as f64 * bend(at).max(bend(at + 1));
                let unseen = PER_UNSEEN_STEP * gap as f64 * self.null;
                if gap > 1 && pair[0].2.min(pair[1].2) - unseen - dip <= limit {
                    able.push(path[pair[0].0 + gap / 2]);
                }
            }
        }
        able
    }

    /// By how much an error of a path may be off.
    fn doubt(&self, path: usize, solved: Solved) -> f64 {
        if solved == Solved::Exactly {
            return 0.0;
        }
        let mut own = DOUBT * self.null;
        if let Some(moved) = self.moved[path] {
            own = own.min((OF_MOVE * moved).max(LEAST_DOUBT * self.null));
        }
        let farthest = self.moved.iter().flatten().copied().fold(0.0, f64::max);
        own.max(OF_ANY_MOVE * farthest)
    }
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
            let (lowest, at) = (0.3 + 0.02 * unit(&mut random), below(&mut random, 40) as f64);
            let wide = 10.0 + 40.0 * unit(&mut random);
            errors.extend((0..40).map(|step| {
                let away = (step as f64 - at) / wide;
                (lowest + away * away).min(1.0)
            }));
        }
        errors
    }

    fn paths() -> Vec<Vec<usize>> {
        (0..3).map(|path| (40 * path..40 * (path + 1)).collect()).collect()
    }

    /// Runs a contest in which the rough error of a fit is off by less than its doubt, neighbours by
    /// much the same. Returns the winner and how many candidates were solved roughly and exactly.
    fn winner(seed: u64, errors: &[f64], together: bool) -> (usize, [usize; 2]) {
        let mut random = generator(seed, 1);
        let mut contest = Contest::new(paths(), errors.len(), together);
        let mut count = [0; 2];
        let mut found = vec![f64::INFINITY; errors.len()];
        let null = errors[0].max(errors[40]).max(errors[80]);
        while let Some((wanted, solved)) = contest.next() {
            count[usize::from(solved == Solved::Exactly)] += wanted.len();
            let off_by_path: Vec<f64> = (0..3).map(|_| 1.4 * unit(&mut random) - 0.7).collect();
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
            for (together, counts) in [false, true].into_iter().zip(&mut counts) {
                let (found, count) = winner(seed, &errors, together);
                assert_eq!(errors[found], smallest, "seed {seed}, together {together}");
                (0..2).for_each(|at| counts[at] += count[at]);
            }
        }
        let [apart, together] = counts;
        assert!(apart[0] < together[0], "the guide saves first looks: {apart:?} {together:?}");
        assert!(apart[1] <= together[1], "{apart:?} {together:?}");
        assert!(together[0] + together[1] < 500 * 120 / 3, "{together:?}");
    }

    #[test]
    fn other_paths_are_followed_from_where_the_guide_is_best() {
        let mut contest = Contest::new(paths(), 120, false);
        let (guide, solved) = contest.next().unwrap_or((Vec::new(), Solved::Exactly));
        assert_eq!((guide.clone(), solved), (vec![40, 48, 56, 64, 72, 79], Solved::Roughly));
        contest.note(&guide, solved, |at| [1.0, 0.6, 0.5, 0.4, 0.5, 0.6][(at - 40).div_ceil(8)]);
        assert_eq!(
            contest.next(),
            Some((vec![16, 24, 32, 96, 104, 112], Solved::Roughly)),
            "beside the guide's third step"
        );
        // The first path falls towards stronger penalties, the third has risen on both sides.
        let error = |at: usize| match at {
            16 => 0.5,
            24 => 0.6,
            32 => 0.7,
            104 => 0.3,
            _ => 0.5,
        };
        contest.note(&[16, 24, 32, 96, 104, 112], Solved::Roughly, error);
        assert_eq!(contest.next(), Some((vec![8], Solved::Roughly)));
        contest.note(&[8], Solved::Roughly, |_| 0.6);
        assert_eq!(contest.next(), Some((vec![104], Solved::Exactly)), "the best of all first");
    }

    #[test]
    fn errors_that_move_more_raise_the_doubt() {
        let errors = |candidate: usize| [1.0, 0.5, 0.506, 0.6][candidate / 8];
        let contest_after = |moved: f64| {
            let mut contest = Contest::new(vec![(0..25).collect()], 25, false);
            assert_eq!(contest.next(), Some((vec![0, 8, 16, 24], Solved::Roughly)));
            contest.note(&[0, 8, 16, 24], Solved::Roughly, errors);
            assert_eq!(contest.next(), Some((vec![8], Solved::Exactly)), "the best first");
            contest.note(&[8], Solved::Exactly, |candidate| errors(candidate) + moved);
            contest
        };
        assert!(!contest_after(0.0001).able_to_win().contains(&16));
        assert!(contest_after(0.05).able_to_win().contains(&16));
    }

    #[test]
    fn one_candidate_needs_no_more_than_a_look() {
        let mut contest = Contest::new(vec![vec![0]], 1, false);
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
        let mut contest = Contest::new(vec![(0..5).collect()], 5, false);
        let mut last = Solved::Roughly;
        while let Some((wanted, solved)) = contest.next() {
            contest.note(&wanted, solved, |_| 0.5);
            last = solved;
        }
        assert_eq!(last, Solved::Exactly);
        assert_eq!(contest.known, [Some((0.5, Solved::Exactly)); 5]);
    }
}
