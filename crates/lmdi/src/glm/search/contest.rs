//! Which candidates of a search can still win, and how accurately each has to be solved.
//!
//! A fit that stops early has a validation error that is off by an unknown amount; its doubt is an
//! estimate of that. A candidate is out once its error minus its doubt exceeds the error plus the
//! doubt of another. The remaining candidates are solved more accurately, level by level, until one
//! is left or all are at the last level. Only near ties cost more.
//!
//! The duality gap bounds the doubt: with G the gap, E the validation error and k the largest ratio
//! of validation to training curvature (penalty included),
//!
//! ```text
//! |sqrt(E) - sqrt(E at the optimum)| <= sqrt(2 k G)
//! ```
//!
//! The bound is far too pessimistic: in practice, errors move in proportion to the gap, not to its
//! root. So a level's doubt is a multiple of its tolerance until the best few candidates of a path
//! have been solved beyond the level. From then on it is a multiple of the moves of their errors.
//! Paths are treated separately, because errors within one l1 ratio are off by similar amounts, but
//! not across ratios. `./bench penalties` measures how well this works.
//!
//! Paths are first solved at a few steps, until errors have been rising for long. A candidate
//! between two of them is assumed to be as good as the better one, minus the bend of the errors
//! around it, with the same doubt. If it may win, the candidate in the middle is solved; those on
//! both sides of it may then be out.

/// An accuracy, and how far from the truth errors may be there.
pub(crate) struct Level {
    /// Duality gap as a share of the null loss.
    pub(crate) tolerance: f64,
    /// Doubt of an error as a share of the null model's, before any was solved beyond this level.
    doubt: f64,
    /// The least doubt afterwards.
    least: f64,
    /// Doubt as a share of the farthest that an error moved on the way to this level.
    of_move: f64,
    /// Steps of a path for which the same columns take part.
    pub(crate) span: usize,
}

/// From a first look to what an exhaustive search would solve to.
pub(crate) const LEVELS: [Level; 4] = [
    Level { tolerance: 1e-2, doubt: 7e-3, least: 2e-3, of_move: 0.0, span: 3 },
    Level { tolerance: 1e-3, doubt: 1e-3, least: 1e-4, of_move: 0.2, span: 5 },
    Level { tolerance: 1e-5, doubt: 1e-5, least: 3e-6, of_move: 0.1, span: 1 },
    Level { tolerance: 1e-9, doubt: 0.0, least: 0.0, of_move: 0.0, span: 1 },
];

/// Every how many steps of a path are solved at first.
const STRIDE: usize = 8;

/// A level's doubt as a share of the farthest that an error moved when it was solved beyond the
/// level: at least, and as long as that is less than the doubt before.
const OF_MOVE_BEYOND: f64 = 1.5;
const OF_SMALL_MOVE_BEYOND: f64 = 5.0;

/// How many candidates of each path, its best, are first solved beyond a level.
const FIRST: usize = 2;

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
    /// Error and level of each candidate that was solved.
    known: Vec<Option<(f64, usize)>>,
    /// Error of the strongest penalty.
    null: f64,
    /// The farthest that an error of each path moved on the way to each level, where any was solved
    /// to it from another.
    moved: Vec<[Option<f64>; LEVELS.len()]>,
}

impl Contest {
    /// A contest in which nothing is known.
    pub(crate) fn new(paths: Vec<Vec<usize>>, n_candidates: usize) -> Self {
        let moved = vec![[None; LEVELS.len()]; paths.len()];
        Self { paths, known: vec![None; n_candidates], null: 0.0, moved }
    }

    /// Takes note of errors that were found at a level.
    pub(crate) fn note(
        &mut self,
        candidates: &[usize],
        level: usize,
        error: impl Fn(usize) -> f64,
    ) {
        for (path, moved) in self.paths.iter().zip(&mut self.moved) {
            for &candidate in path.iter().filter(|candidate| candidates.contains(candidate)) {
                let new = error(candidate);
                if let Some((old, _)) = self.known[candidate].replace((new, level)) {
                    let before = moved[level].unwrap_or(0.0);
                    moved[level] = Some(before.max((new - old).abs()));
                }
                if path[0] == candidate {
                    self.null = self.null.max(new);
                }
            }
        }
    }

    /// The candidates to solve next, and the level to solve them to; `None` when the winner is certain.
    pub(crate) fn next(&self) -> Option<(Vec<usize>, usize)> {
        let level_of = |candidate: usize| self.known[candidate].map(|(_, level)| level);
        let unseen: Vec<usize> = (self.paths.iter())
            .filter(|path| path.iter().all(|&candidate| level_of(candidate).is_none()))
            .flat_map(|path| {
                let last = path.len() - 1;
                (0..last).step_by(STRIDE).chain([last]).map(|step| path[step])
            })
            .collect();
        if !unseen.is_empty() {
            return Some((unseen, 0));
        }
        let able = self.able_to_win();
        if able.len() <= 1 {
            return None;
        }
        let level = able.iter().map(|&candidate| level_of(candidate).unwrap_or(0)).min()?;
        if level + 1 == LEVELS.len() {
            return None;
        }
        let at_level = |candidate: usize| level_of(candidate).unwrap_or(0) == level;
        let mut wanted = Vec::new();
        for (path, moved) in self.paths.iter().zip(&self.moved) {
            let here = |&candidate: &usize| at_level(candidate) && path.contains(&candidate);
            let of_path: Vec<usize> = able.iter().copied().filter(here).collect();
            // The best come first: once they are known better, fewer of the others can win.
            let mut best: Vec<(f64, usize)> = (of_path.iter())
                .filter_map(|&candidate| self.known[candidate].map(|(error, _)| (error, candidate)))
                .collect();
            if moved[level + 1].is_none() && !best.is_empty() {
                best.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                wanted.extend(best.into_iter().take(FIRST).map(|(_, candidate)| candidate));
            } else {
                wanted.extend(of_path);
            }
        }
        (!wanted.is_empty()).then_some((wanted, level + 1))
    }

    /// The candidates that can still win.
    fn able_to_win(&self) -> Vec<usize> {
        let mut limit = f64::INFINITY;
        for (number, path) in self.paths.iter().enumerate() {
            for (error, level) in path.iter().filter_map(|&candidate| self.known[candidate]) {
                limit = limit.min(error + self.doubt(number, level));
            }
        }
        let mut able = Vec::new();
        for (number, path) in self.paths.iter().enumerate() {
            let solved: Vec<(usize, f64, f64)> = (path.iter().enumerate())
                .filter_map(|(step, &candidate)| {
                    let (error, level) = self.known[candidate]?;
                    Some((step, error, error - self.doubt(number, level)))
                })
                .collect();
            // Errors have kinks where columns enter, so bends do not tell all of what lies between.
            let unseen = self.doubt(number, 1).max(LEVELS[1].doubt * self.null);
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
                let least = (pair[0].2.min(pair[1].2)).min(pair[0].1.min(pair[1].1) - unseen);
                if gap > 1 && least - dip <= limit {
                    able.push(path[pair[0].0 + gap / 2]);
                }
            }
        }
        able
    }

    /// What is known of a level's doubt on a path: from its tolerance, from how far errors moved on
    /// the way to it, and from how far those moved that went beyond it.
    fn doubt(&self, path: usize, level: usize) -> f64 {
        let Level { doubt, least, of_move, .. } = LEVELS[level];
        let farthest = |level: usize| {
            self.moved.iter().filter_map(|moved| moved.get(level).copied()?).fold(0.0, f64::max)
        };
        let mut own = doubt * self.null;
        if let Some(beyond) = self.moved[path].get(level + 1).copied().flatten() {
            own = own.min((OF_SMALL_MOVE_BEYOND * beyond).max(least * self.null));
        }
        own.max(of_move * farthest(level)).max(OF_MOVE_BEYOND * farthest(level + 1))
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

    /// Runs a contest in which the error of a fit is off by less than its level's doubt, neighbours by
    /// much the same.
    fn winner(seed: u64, errors: &[f64]) -> (usize, [usize; LEVELS.len()]) {
        let mut random = generator(seed, 1);
        let mut contest = Contest::new(paths(), errors.len());
        let mut solved = [0; LEVELS.len()];
        let mut found = vec![f64::INFINITY; errors.len()];
        let null = errors[0].max(errors[40]).max(errors[80]);
        while let Some((wanted, level)) = contest.next() {
            solved[level] += wanted.len();
            let off_by_path: Vec<f64> = (0..3).map(|_| 1.4 * unit(&mut random) - 0.7).collect();
            for &candidate in &wanted {
                let off = off_by_path[candidate / 40] + 0.2 * unit(&mut random) - 0.1;
                found[candidate] = errors[candidate] + LEVELS[level].doubt * null * off;
            }
            contest.note(&wanted, level, |candidate| found[candidate]);
        }
        let smallest = found.iter().copied().fold(f64::INFINITY, f64::min);
        (found.iter().position(|&error| error == smallest).unwrap_or(usize::MAX), solved)
    }

    #[test]
    fn the_winner_is_that_of_the_true_errors() {
        for seed in 0..500 {
            let errors = bowls(seed);
            let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
            let (found, solved) = winner(seed, &errors);
            assert_eq!(errors[found], smallest, "seed {seed}");
            assert!(solved[3] <= solved[2] && solved[2] <= solved[1], "{solved:?}");
        }
    }

    #[test]
    fn errors_that_move_more_raise_the_doubt() {
        let errors = |candidate: usize| [1.0, 0.5, 0.506, 0.6][candidate / 8];
        let mut contest = Contest::new(vec![(0..25).collect()], 25);
        assert_eq!(contest.next(), Some((vec![0, 8, 16, 24], 0)));
        contest.note(&[0, 8, 16, 24], 0, errors);
        assert_eq!(contest.next(), Some((vec![8, 16], 1)), "the best first");
        let mut other = Contest::new(vec![(0..25).collect()], 25);
        other.note(&[0, 8, 16, 24], 0, errors);
        // By how little and how much the errors moved.
        contest.note(&[8, 16], 1, |candidate| errors(candidate) + 0.0001);
        other.note(&[8, 16], 1, |candidate| errors(candidate) + 0.05);
        assert!(!contest.able_to_win().contains(&16));
        assert!(other.able_to_win().contains(&16));
    }

    #[test]
    fn one_candidate_needs_no_more_than_a_look() {
        let mut contest = Contest::new(vec![vec![0]], 1);
        assert_eq!(contest.next(), Some((vec![0], 0)));
        contest.note(&[0], 0, |_| 0.7);
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
    fn exact_ties_end_at_the_last_level() {
        let mut contest = Contest::new(vec![(0..5).collect()], 5);
        let mut last = 0;
        while let Some((wanted, level)) = contest.next() {
            contest.note(&wanted, level, |_| 0.5);
            last = level;
        }
        assert_eq!(last, LEVELS.len() - 1);
    }
}
