//! When boosting stops: the loss on held-out rows decides.
//!
//! The ensemble keeps the rounds up to the best one; rounds after it were only patience.

use crate::forest::train::params::EarlyStopping;
use crate::random::{Generator, below};
use crate::table::Response;
use crate::{Error, Result};

/// Splits `rows` into those to train on and those held out, both ascending. With classes, the same
/// share of each class is held out.
pub(super) fn hold_out(
    y: &Response,
    rows: &[u32],
    fraction: f64,
    random: &mut Generator,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut groups: Vec<Vec<u32>> = match y {
        Response::Numeric(_) => vec![rows.to_vec()],
        Response::Classes { codes, n_classes } => {
            let mut groups = vec![Vec::new(); *n_classes];
            for &row in rows {
                groups[codes[row as usize] as usize].push(row);
            }
            groups
        }
    };
    let (mut kept, mut held) = (Vec::new(), Vec::new());
    for group in &mut groups {
        for at in (1..group.len()).rev() {
            group.swap(at, below(random, at + 1));
        }
        let n_held = (fraction * group.len() as f64).round() as usize;
        held.extend_from_slice(&group[..n_held]);
        kept.extend_from_slice(&group[n_held..]);
    }
    if held.is_empty() || kept.is_empty() {
        return Err(Error::Parameter {
            name: "validation_fraction",
            found: fraction.to_string(),
            expected: format!(
                "a share that leaves rows on both sides of the {} rows with weight",
                rows.len()
            ),
        });
    }
    kept.sort_unstable();
    held.sort_unstable();
    Ok((kept, held))
}

/// Watches the loss on the rows held out.
pub(super) struct Watch {
    rule: EarlyStopping,
    best: f64,
    best_round: usize,
    rounds: usize,
}

impl Watch {
    /// Starts with the loss before any round.
    pub(super) fn new(rule: EarlyStopping, loss: f64) -> Self {
        Self { rule, best: loss, best_round: 0, rounds: 0 }
    }

    /// Takes the loss after another round; whether to stop.
    pub(super) fn stops(&mut self, loss: f64) -> bool {
        self.rounds += 1;
        if loss < self.best - self.rule.tolerance {
            self.best = loss;
            self.best_round = self.rounds;
        }
        self.rounds - self.best_round >= self.rule.patience
    }

    /// Rounds to keep, at least one.
    pub(super) fn best_round(&self) -> usize {
        self.best_round.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::generator;

    #[test]
    fn stops_after_patience_and_keeps_the_best_round() {
        let rule = EarlyStopping { patience: 2, tolerance: 0.1, ..EarlyStopping::default() };
        let mut watch = Watch::new(rule, 5.0);
        assert!(!watch.stops(4.0));
        assert!(!watch.stops(3.95));
        assert!(watch.stops(4.5));
        assert_eq!(watch.best_round(), 1);
    }

    #[test]
    fn holds_out_the_same_share_of_each_class() {
        let codes: Vec<u32> = (0..100).map(|row| u32::from(row % 5 == 0)).collect();
        let y = Response::Classes { codes: &codes, n_classes: 2 };
        let rows: Vec<u32> = (0..100).collect();
        let (kept, held) = hold_out(&y, &rows, 0.1, &mut generator(0, 0)).expect("enough rows");
        assert_eq!((kept.len(), held.len()), (90, 10));
        assert_eq!(held.iter().filter(|&&row| codes[row as usize] == 1).count(), 2);
        assert!(hold_out(&y, &rows, 0.001, &mut generator(0, 0)).is_err());
    }
}
