//! The paper's three response functions (section 4.1), on signal features drawn at random.
//!
//! ```text
//! linear                   E[Y|X] = sum_{m=1..5} X_m
//! polynomial interaction   E[Y|X] = sum_{m=1..5} X_{2m-1} + X_{2m-1} X_{2m}
//! linear + LSS             E[Y|X] = sum_{m=1..5} X_{2m-1} + 1(X_{2m-1} > 0) 1(X_{2m} > 0)
//! ```
//!
//! X_1, X_2, ... are the signal features, in the order in which they were drawn.

use lmdi::random::{Generator, below};
use lmdi::table::MatrixView;

/// A response function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Linear,
    Interaction,
    LinearLss,
}

impl Function {
    pub const ALL: [Self; 3] = [Self::Linear, Self::Interaction, Self::LinearLss];

    /// Its name in result files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Interaction => "interaction",
            Self::LinearLss => "linear_lss",
        }
    }

    /// Number of features that the paper's response has.
    pub fn n_signal(self) -> usize {
        match self {
            Self::Linear => 5,
            Self::Interaction | Self::LinearLss => 10,
        }
    }

    /// The mean response of every row; all of `signal` takes part, two features a term unless
    /// linear.
    pub fn mean(self, x: &MatrixView<'_>, signal: &[usize]) -> Vec<f64> {
        let term = |first: f64, second: f64| match self {
            Self::Linear => first + second,
            Self::Interaction => first + first * second,
            Self::LinearLss => first + f64::from(u8::from(first > 0.0 && second > 0.0)),
        };
        (0..x.rows())
            .map(|row| {
                let cell = |feature: usize| x.get(row, feature);
                signal
                    .chunks(2)
                    .map(|pair| match *pair {
                        [first, second] => term(cell(first), cell(second)),
                        _ => cell(pair[0]),
                    })
                    .sum()
            })
            .collect()
    }
}

/// Draws `count` of `n_features` features, every ordered choice equally likely.
pub fn draw_signal(draws: &mut Generator, n_features: usize, count: usize) -> Vec<usize> {
    let mut features: Vec<usize> = (0..n_features).collect();
    for at in 0..count {
        let other = at + below(draws, n_features - at);
        features.swap(at, other);
    }
    features.truncate(count);
    features
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmdi::random::generator;

    #[test]
    fn responses_by_hand() {
        let x = [[2.0, 3.0, -1.0, 4.0], [-2.0, 3.0, 1.0, 0.5]].concat();
        let x = MatrixView::from_rows(&x, 2, 4).expect("eight cells");
        let mean = |function: Function| function.mean(&x, &[0, 1, 2, 3]);
        assert_eq!(mean(Function::Linear), [8.0, 2.5]);
        assert_eq!(mean(Function::Interaction), [2.0 + 6.0 - 1.0 - 4.0, -2.0 - 6.0 + 1.0 + 0.5]);
        assert_eq!(mean(Function::LinearLss), [2.0 + 1.0 - 1.0, -2.0 + 1.0 + 1.0]);
        assert_eq!(Function::Linear.mean(&x, &[0, 2, 3]), [5.0, -0.5]);
    }

    #[test]
    fn every_feature_is_signal_equally_often_at_every_place() {
        let (n_features, count, runs) = (12, 5, 24_000);
        let mut at_place = vec![vec![0.0_f64; n_features]; count];
        let mut pairs = vec![0.0_f64; n_features * n_features];
        for run in 0..runs {
            let signal = draw_signal(&mut generator(7, run), n_features, count);
            let mut sorted = signal.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), count, "drawn twice");
            for (place, &feature) in signal.iter().enumerate() {
                at_place[place][feature] += 1.0;
            }
            pairs[sorted[0] * n_features + sorted[1]] += 1.0;
        }
        // Five standard errors of a share of 1/12 in `runs` draws.
        let share = 1.0 / n_features as f64;
        let error = 5.0 * (share * (1.0 - share) / runs as f64).sqrt();
        for counts in &at_place {
            for count in counts {
                assert!((count / runs as f64 - share).abs() < error, "{counts:?}");
            }
        }
        // The two smallest of a uniform 5-subset of 12 are {0, 1} with chance C(10,3) / C(12,5).
        let expected = 120.0 / 792.0;
        let error = 5.0 * f64::sqrt(expected * (1.0 - expected) / runs as f64);
        assert!((pairs[1] / runs as f64 - expected).abs() < error, "{}", pairs[1]);
    }
}
