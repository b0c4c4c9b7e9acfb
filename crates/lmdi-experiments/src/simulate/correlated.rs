//! Normal features, the first of which share a pairwise correlation.
//!
//! A feature of the block is `sqrt(rho) z_0 + sqrt(1 - rho) z_k` with a z_0 that all of them share:
//! variance 1, pairwise correlation rho. The other features are independent.

use super::normal::normal;
use lmdi::random::Generator;
use lmdi::table::Matrix;

/// `rows` rows of `n_features` features, the first `block` of them with correlation `rho`.
pub fn correlated_features(
    rows: usize,
    n_features: usize,
    block: usize,
    rho: f64,
    draws: &mut Generator,
) -> Matrix {
    let shared = normal(draws, rows);
    let mut cells = Vec::with_capacity(rows * n_features);
    for feature in 0..n_features {
        let own = normal(draws, rows);
        let weight = if feature < block { rho } else { 0.0 };
        let (of_shared, of_own) = (weight.sqrt(), (1.0 - weight).sqrt());
        cells.extend(shared.iter().zip(own).map(|(z, own)| of_shared * z + of_own * own));
    }
    Matrix::from_column_major(cells, rows, n_features).expect("a cell for every row and feature")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::prepare::mean_and_deviation;
    use crate::data::table::correlation;
    use lmdi::random::generator;

    #[test]
    fn the_block_correlates_as_asked_and_nothing_else_does() {
        let (rows, block) = (20_000, 4);
        for (index, rho) in [0.5, 0.9, 0.99].into_iter().enumerate() {
            let x = correlated_features(rows, 7, block, rho, &mut generator(8, index as u64));
            for a in 0..7 {
                let (mean, deviation) = mean_and_deviation(x.column(a));
                assert!(mean.abs() < 0.03 && (deviation - 1.0).abs() < 0.03, "{mean} {deviation}");
                for b in 0..a {
                    let asked = if a < block && b < block { rho } else { 0.0 };
                    let found = correlation(x.column(a), x.column(b));
                    // Five standard errors of a correlation: (1 - rho^2) / sqrt(n).
                    let error = 5.0 * (1.0 - asked * asked) / f64::sqrt(rows as f64);
                    assert!((found - asked).abs() < error, "{a} {b}: {found}, not {asked}");
                }
            }
        }
    }
}
