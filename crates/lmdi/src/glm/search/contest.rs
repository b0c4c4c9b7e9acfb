//! Which candidates of a search can still win, and how accurately each has to be solved.
//!
//! A fit that stops early has a validation error that is off by an unknown amount, its doubt. A
//! candidate is out once its error less its doubt exceeds the error plus the doubt of another. Those
//! that are left are solved more accurately, level by level, until one is left or all are at the
//! last level. Near ties cost more, other candidates nothing.
//!
//! The duality gap bounds the doubt: with G the gap, E the validation error and k the largest ratio
//! of validation to training curvature (penalty included),
//!
//! ```text
//! |sqrt(E) - sqrt(E at the optimum)| <= sqrt(2 k G)
//! ```
//!
//! Worst cases are far from what happens: errors move in proportion to the gap, not to its root. So a
//! level's doubt is a multiple of its tolerance, and more where the errors of this very search moved
//! more as they were solved from one level to the next. `./bench penalties` measures what comes of it.
//!
//! Paths are first solved at a few steps. A candidate between two of them is taken for as good as
//! the better one, less what the errors around bend, with the same doubt.

/// An accuracy, and how far from the truth errors may be there.
pub(crate) struct Level {
    /// Duality gap as a share of the null loss.
    pub(crate) tolerance: f64,
    /// Doubt of an error as a share of the null model's.
    doubt: f64,
    /// Doubt as a share of the farthest that an error moved on the way to this level.
    of_move: f64,
    /// Steps of a path for which the same columns take part.
    pub(crate) span: usize,
}

/// From a first look to what an exhaustive search would solve to.
pub(crate) const LEVELS: [Level; 4] = [
    Level { tolerance: 1e-2, doubt: 7e-3, of_move: 0.0, span: 5 },
    Level { tolerance: 1e-3, doubt: 3e-4, of_move: 0.1, span: 5 },
    Level { tolerance: 1e-5, doubt: 5e-6, of_move: 0.03, span: 1 },
    Level { tolerance: 1e-9, doubt: 0.0, of_move: 0.0, span: 1 },
];

/// Every how many steps of a path are solved at first.
const STRIDE: usize = 4;

/// A level's doubt as a share of the farthest that an error moved when it was solved beyond the level.
const OF_MOVE_BEYOND: f64 = 1.5;

/// How far behind the best, as a share of the null model's error, candidates are that are solved first
/// after the first look.
const CLOSE: f64 = 1e-3;

/// Between two steps an error may dip below both by this share of how much the errors bend there: twice
/// that of a parabola.
const OF_BEND: f64 = 0.25;

/// What is known of every candidate.
pub(crate) struct Contest {
    /// Candidates of each path, from the strongest penalty.
    paths: Vec<Vec<usize>>,
    /// Error and level of each candidate that was solved.
    known: Vec<Option<(f64, usize)>>,
    /// Error of the strongest penalty.
    null: f64,
    /// The farthest that an error moved on the way to each level.
    moved: [f64; LEVELS.len()],
}

impl Contest {
    /// A contest in which nothing is known.
    pub(crate) fn new(paths: Vec<Vec<usize>>, n_candidates: usize) -> Self {
        Self { paths, known: vec![None; n_candidates], null: 0.0, moved: [0.0; LEVELS.len()] }
    }

    /// Takes note of errors that were found at a level.
    pub(crate) fn note(
        &mut self,
        candidates: &[usize],
        level: usize,
        error: impl Fn(usize) -> f64,
    ) {
        for &candidate in candidates {
            let new = error(candidate);
            if let Some((old, _)) = self.known[candidate].replace((new, level)) {
                self.moved[level] = self.moved[level].max((new - old).abs());
            }
            if self.paths.iter().any(|path| path[0] == candidate) {
                self.null = self.null.max(new);
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
        // Neighbours are cheaper in one go, so what lies between the steps seen first joins them at once.
        let level = able.iter().map(|&candidate| level_of(candidate).unwrap_or(0)).min()?;
        if level + 1 == LEVELS.len() {
            return None;
        }
        // The best come first: once they are known better, fewer of the others can win.
        let (best, level_of_best) = self.best()?;
        let able = match level_of_best {
            0 => self.not_above(best - self.doubt(0) + CLOSE * self.null),
            _ => able,
        };
        let at_level = |&candidate: &usize| level_of(candidate).unwrap_or(0) == level;
        let wanted: Vec<usize> = able.into_iter().filter(at_level).collect();
        (!wanted.is_empty()).then_some((wanted, level + 1))
    }

    /// The smallest error and its level.
    fn best(&self) -> Option<(f64, usize)> {
        self.known.iter().flatten().copied().min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The candidates that can still win.
    fn able_to_win(&self) -> Vec<usize> {
        let solved = self.known.iter().flatten();
        let highest = solved.map(|&(error, level)| error + self.doubt(level));
        self.not_above(highest.fold(f64::INFINITY, f64::min))
    }

    /// The candidates whose error may be as small as a limit.
    fn not_above(&self, limit: f64) -> Vec<usize> {
        let mut able = Vec::new();
        for path in &self.paths {
            let solved: Vec<(usize, f64, f64)> = (path.iter().enumerate())
                .filter_map(|(step, &candidate)| {
                    let (error, level) = self.known[candidate]?;
                    Some((step, error, error - self.doubt(level)))
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
                let gap = (pair[1].0 - pair[0].0) as f64;
                let dip = OF_BEND * gap * gap * bend(at).max(bend(at + 1));
                if pair[0].2.min(pair[1].2) - dip <= limit {
                    able.extend(&path[pair[0].0 + 1..pair[1].0]);
                }
            }
        }
        able
    }

    /// What is known of a level's doubt: from its tolerance, from how far errors moved on the way to
    /// it, and from how far those moved that went beyond it.
    fn doubt(&self, level: usize) -> f64 {
        let Level { doubt, of_move, .. } = LEVELS[level];
        let beyond = self.moved.get(level + 1).copied().unwrap_or(0.0);
        (doubt * self.null).max(of_move * self.moved[level]).max(OF_MOVE_BEYOND * beyond)
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
        let errors = |candidate: usize| [1.0, 0.5, 0.504, 0.6][candidate / 4];
        let mut contest = Contest::new(vec![(0..13).collect()], 13);
        assert_eq!(contest.next(), Some((vec![0, 4, 8, 12], 0)));
        contest.note(&[0, 4, 8, 12], 0, errors);
        assert_eq!(contest.next().map(|(_, level)| level), Some(1));
        let mut other = Contest::new(vec![(0..13).collect()], 13);
        other.note(&[0, 4, 8, 12], 0, errors);
        // By how little and how much the errors moved.
        contest.note(&[4, 8], 1, |candidate| errors(candidate) + 0.0001);
        other.note(&[4, 8], 1, |candidate| errors(candidate) + 0.05);
        assert!(!contest.able_to_win().contains(&8));
        assert!(other.able_to_win().contains(&8));
    }

    #[test]
    fn one_candidate_needs_no_more_than_a_look() {
        let mut contest = Contest::new(vec![vec![0]], 1);
        assert_eq!(contest.next(), Some((vec![0], 0)));
        contest.note(&[0], 0, |_| 0.7);
        assert_eq!(contest.next(), None);
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
