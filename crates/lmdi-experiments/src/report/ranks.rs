//! The rank of methods among each other, averaged over data sets.
//!
//! In every data set methods are ranked by their mean over repetitions, 1 for the best; equal means
//! share their ranks. A data set in which one of the methods was not measured does not count.

use crate::methods::Method;
use crate::run::Records;
use lmdi::table::rank_in_place;

/// Whether large values are good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    Larger,
    Smaller,
}

/// The mean rank of each method over data sets, and over how many.
pub struct AverageRanks {
    pub ranks: Vec<f64>,
    pub n_sets: usize,
}

/// Ranks some methods by one measure; `cells` picks the setting.
pub fn average_ranks(
    records: &Records,
    methods: &[Method],
    measure: &str,
    better: Better,
    cells: &[(&str, &str)],
) -> AverageRanks {
    let mut sum = vec![0.0; methods.len()];
    let mut n_sets = 0;
    for set in records.values("set") {
        let means: Vec<f64> = methods
            .iter()
            .map(|method| {
                records
                    .summary(|record| {
                        record.method == method.name()
                            && record.measure == measure
                            && records.has(record, cells)
                            && records.has(record, &[("set", &set)])
                    })
                    .mean
            })
            .collect();
        if means.iter().any(|mean| mean.is_nan()) {
            continue;
        }
        n_sets += 1;
        for (sum, rank) in sum.iter_mut().zip(ranks(&means, better)) {
            *sum += rank;
        }
    }
    AverageRanks {
        ranks: sum.iter().map(|sum| sum / f64::from(n_sets)).collect(),
        n_sets: n_sets as usize,
    }
}

/// Ranks of numbers, 1 for the best.
fn ranks(numbers: &[f64], better: Better) -> Vec<f64> {
    let sign = if better == Better::Larger { -1.0 } else { 1.0 };
    let mut sizes: Vec<(f64, u32)> =
        numbers.iter().enumerate().map(|(at, number)| (sign * number, at as u32)).collect();
    let mut ranks = vec![0.0; numbers.len()];
    rank_in_place(&mut sizes, |at, rank| ranks[at as usize] = rank);
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Record;

    #[test]
    fn the_best_has_rank_one_and_equals_share() {
        assert_eq!(ranks(&[0.3, 0.9, 0.3], Better::Larger), [2.5, 1.0, 2.5]);
        assert_eq!(ranks(&[0.3, 0.9, 0.1], Better::Smaller), [2.0, 3.0, 1.0]);
    }

    #[test]
    fn repetitions_are_averaged_before_ranking_and_incomplete_sets_left_out() {
        let record = |set: &str, repetition: &str, method: Method, value| Record {
            unit: vec![set.into(), repetition.into()],
            method: method.name().into(),
            measure: "r2".into(),
            value,
        };
        let (a, b) = (Method::Lime, Method::TreeShap);
        let all = vec![
            record("x", "0", a, 0.1),
            record("x", "1", a, 0.9),
            record("x", "0", b, 0.4),
            record("x", "1", b, 0.4),
            record("y", "0", a, 0.1),
        ];
        let records = Records { fields: vec!["set", "repetition"], all };
        let found = average_ranks(&records, &[a, b], "r2", Better::Larger, &[]);
        assert_eq!((found.ranks, found.n_sets), (vec![1.0, 2.0], 1));
    }
}
