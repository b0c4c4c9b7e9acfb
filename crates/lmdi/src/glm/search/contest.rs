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
//! the better one, with the same doubt.

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
pub(crate) const LEVELS: [Level; 5] = [
    Level { tolerance: 1e-2, doubt: 5e-3, of_move: 1.0, span: 5 },
    Level { tolerance: 1e-3, doubt: 4e-4, of_move: 0.25, span: 5 },
    Level { tolerance: 1e-5, doubt: 5e-6, of_move: 0.05, span: 1 },
    Level { tolerance: 1e-7, doubt: 1e-7, of_move: 0.05, span: 1 },
    Level { tolerance: 1e-9, doubt: 0.0, of_move: 0.0, span: 1 },
];

/// Every how many steps of a path are solved at first.
const STRIDE: usize = 4;

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

    /// The candidates to look at first.
    pub(crate) fn first_look(&self) -> Vec<usize> {
        let of_path = |path: &Vec<usize>| -> Vec<usize> {
            let last = path.len() - 1;
            (0..last).step_by(STRIDE).chain([last]).map(|step| path[step]).collect()
        };
        self.paths.iter().flat_map(of_path).collect()
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

    /// The candidates that have to be solved at a level: those that can still win and are known less
    /// accurately. None when the winner is certain.
    pub(crate) fn undecided(&self, level: usize) -> Vec<usize> {
        let able = self.able_to_win();
        if able.len() <= 1 {
            return Vec::new();
        }
        let less_known = |&candidate: &usize| self.known[candidate].is_none_or(|(_, at)| at < level);
        able.into_iter().filter(less_known).collect()
    }

    /// The candidates that can still win, rising.
    fn able_to_win(&self) -> Vec<usize> {
        let solved = self.known.iter().flatten();
        let limit = solved.map(|&(error, level)| error + self.doubt(level));
        let limit = limit.fold(f64::INFINITY, f64::min);
        let mut able = Vec::new();
        for path in &self.paths {
            let mut at = 0;
            while at < path.len() {
                // From one solved step to the next.
                let next = (at + 1..path.len()).find(|&step| self.known[path[step]].is_some());
                let lowest = |step: usize| {
                    let (error, level) = self.known[path[step]]?;
                    Some(error - self.doubt(level))
                };
                let here = lowest(at).unwrap_or(f64::INFINITY);
                if here <= limit {
                    able.push(path[at]);
                }
                let Some(next) = next else { break };
                if here.min(lowest(next).unwrap_or(f64::INFINITY)) <= limit {
                    able.extend(&path[at + 1..next]);
                }
                at = next;
            }
        }
        able.sort_unstable();
        able
    }

    fn doubt(&self, level: usize) -> f64 {
        let Level { doubt, of_move, .. } = LEVELS[level];
        (doubt * self.null).max(of_move * self.moved[level])
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

    /// Runs a contest in which the error of a fit is off by less than its level's doubt.
    fn winner(seed: u64, errors: &[f64]) -> (usize, [usize; LEVELS.len()]) {
        let mut random = generator(seed, 1);
        let mut contest = Contest::new(paths(), errors.len());
        let mut solved = [0; LEVELS.len()];
        let mut found = vec![f64::INFINITY; errors.len()];
        let mut wanted = contest.first_look();
        for level in 0..LEVELS.len() {
            solved[level] = wanted.len();
            for &candidate in &wanted {
                let off = 0.8 * LEVELS[level].doubt * (2.0 * unit(&mut random) - 1.0);
                found[candidate] = errors[candidate] + off;
            }
            contest.note(&wanted, level, |candidate| found[candidate]);
            wanted = contest.undecided((level + 1).min(LEVELS.len() - 1));
        }
        assert!(wanted.is_empty());
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
            assert!(solved[2] <= solved[1] && solved[4] <= solved[3], "{solved:?}");
        }
    }

    #[test]
    fn errors_that_move_more_raise_the_doubt() {
        let mut contest = Contest::new(vec![(0..9).collect()], 9);
        let errors = [1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.51];
        contest.note(&contest.first_look(), 0, |candidate| errors[candidate]);
        // Step 8 is behind by twice the doubt; what lies between it and the best is not.
        assert_eq!(contest.undecided(1), [1, 2, 3, 4, 5, 6, 7, 8]);
        contest.note(&[4, 8], 1, |candidate| errors[candidate] + 0.002);
        assert!(!contest.able_to_win().contains(&8));
        contest.note(&[4, 8], 1, |candidate| errors[candidate] - 0.1);
        assert!(contest.able_to_win().contains(&8));
    }

    #[test]
    fn one_candidate_needs_no_more_than_a_look() {
        let mut contest = Contest::new(vec![vec![0]], 1);
        assert_eq!(contest.first_look(), [0]);
        contest.note(&[0], 0, |_| 0.7);
        assert!(contest.undecided(1).is_empty());
    }
}
