//! The losses that boosting descends: base score, residual and curvature.
//!
//! With f the raw output and p the predicted probability of a class:
//!
//! | loss | residual (minus the gradient) | curvature |
//! |---|---|---|
//! | squared error | y - f | 1 |
//! | logistic | y - p | p (1 - p) |
//! | multinomial, class k | (y = k) - p_k | p_k (1 - p_k) |

use crate::elementary::exp_of_all;
use crate::forest::predict::softmax;
use crate::forest::{Link, Loss};
use crate::table::Response;
use crate::vectorised::{Vectorised, vectorised};
use rayon::prelude::*;

/// Rows a thread takes at a time.
const ROWS: usize = 4096;

/// Rows whose exponentials are computed together.
const BLOCK: usize = 256;

/// The loss for a response.
pub(super) fn loss_of(y: &Response) -> Loss {
    match y {
        Response::Numeric(_) => Loss::SquaredError,
        Response::Classes { n_classes: 2, .. } => Loss::Logistic,
        Response::Classes { .. } => Loss::Multinomial,
    }
}

/// The link that goes with a loss.
pub(super) fn link_of(loss: Loss) -> Link {
    match loss {
        Loss::SquaredError | Loss::Other => Link::Identity,
        Loss::Logistic => Link::Logit,
        Loss::Multinomial => Link::Softmax,
        Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } => Link::Log,
    }
}

/// The best constant raw output for all rows. Classes absent from `rows` get a probability of the
/// smallest step of a 64-bit number.
pub(super) fn base_score(y: &Response, weights: &[f64], rows: &[u32]) -> Vec<f64> {
    let total: f64 = rows.iter().map(|&row| weights[row as usize]).sum();
    match y {
        Response::Numeric(y) => {
            let sum: f64 = rows.iter().map(|&row| weights[row as usize] * y[row as usize]).sum();
            vec![sum / total]
        }
        Response::Classes { codes, n_classes } => {
            let mut sums = vec![0.0; *n_classes];
            for &row in rows {
                sums[codes[row as usize] as usize] += weights[row as usize];
            }
            let log_share =
                |sum: &f64| libm::log((sum / total).clamp(f64::EPSILON, 1.0 - f64::EPSILON));
            let logs: Vec<f64> = sums.iter().map(log_share).collect();
            if *n_classes == 2 {
                return vec![logs[1] - logs[0]];
            }
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            logs.iter().map(|log| log - mean).collect()
        }
    }
}

/// Residual and curvature of every row, for each output.
pub(super) fn derivatives(y: &Response, raw: &[Vec<f64>], out: &mut [Vec<[f64; 2]>]) {
    match y {
        Response::Numeric(y) => {
            let rows = out[0].par_chunks_mut(ROWS).zip(y.par_chunks(ROWS));
            rows.zip(raw[0].par_chunks(ROWS)).for_each(|((out, y), raw)| {
                for ((out, y), raw) in out.iter_mut().zip(y).zip(raw) {
                    *out = [y - raw, 1.0];
                }
            });
        }
        Response::Classes { codes, n_classes: 2 } => {
            let rows = out[0].par_chunks_mut(ROWS).zip(codes.par_chunks(ROWS));
            rows.zip(raw[0].par_chunks(ROWS)).for_each(|((out, codes), raw)| {
                let mut powers = [0.0; BLOCK];
                let blocks = out.chunks_mut(BLOCK).zip(codes.chunks(BLOCK)).zip(raw.chunks(BLOCK));
                for ((out, codes), raw) in blocks {
                    let powers = &mut powers[..raw.len()];
                    powers.iter_mut().zip(raw).for_each(|(power, raw)| *power = -raw.abs());
                    exp_of_all(powers);
                    vectorised(OfTwoClasses { out, codes, raw, powers });
                }
            });
        }
        Response::Classes { codes, n_classes } => {
            let mut blocks: Vec<_> = out.iter_mut().map(|out| out.chunks_mut(ROWS)).collect();
            let blocks: Vec<Vec<&mut [[f64; 2]]>> = (0..codes.len().div_ceil(ROWS))
                .map(|_| blocks.iter_mut().filter_map(Iterator::next).collect())
                .collect();
            blocks.into_par_iter().enumerate().for_each(|(block, mut out)| {
                let mut shares = vec![0.0; *n_classes];
                let start = block * ROWS;
                for at in 0..out[0].len() {
                    let row = start + at;
                    shares.iter_mut().zip(raw).for_each(|(share, raw)| *share = raw[row]);
                    softmax(&mut shares);
                    for (class, (out, &p)) in out.iter_mut().zip(&shares).enumerate() {
                        let hit = f64::from(u8::from(codes[row] as usize == class));
                        out[at] = [hit - p, p * (1.0 - p)];
                    }
                }
            });
        }
    }
}

/// Residual and curvature of rows with one of two classes: [`logistic`](crate::forest::predict::logistic)
/// for many rows at once, to the bit.
struct OfTwoClasses<'r> {
    out: &'r mut [[f64; 2]],
    codes: &'r [u32],
    raw: &'r [f64],
    /// `exp(-|raw|)`
    powers: &'r [f64],
}

impl Vectorised for OfTwoClasses<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let rows = self.out.iter_mut().zip(self.codes).zip(self.raw.iter().zip(self.powers));
        for ((out, &code), (&raw, &power)) in rows {
            let numerator = if raw >= 0.0 { 1.0 } else { power };
            let p = numerator / (1.0 + power);
            *out = [f64::from(code) - p, p * (1.0 - p)];
        }
    }
}

/// Weighted mean loss of some rows.
pub(super) fn mean_loss(y: &Response, raw: &[Vec<f64>], weights: &[f64], rows: &[u32]) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    let mut shares = vec![0.0; raw.len()];
    for &row in rows {
        let row = row as usize;
        let loss = match y {
            Response::Numeric(y) => 0.5 * (y[row] - raw[0][row]) * (y[row] - raw[0][row]),
            Response::Classes { codes, n_classes: 2 } => {
                // ln(1 + exp(-margin)), with the exponent kept negative.
                let margin = if codes[row] == 1 { raw[0][row] } else { -raw[0][row] };
                libm::log1p(libm::exp(-margin.abs())) + (-margin).max(0.0)
            }
            Response::Classes { codes, .. } => {
                shares.iter_mut().zip(raw).for_each(|(share, raw)| *share = raw[row]);
                softmax(&mut shares);
                -libm::log(shares[codes[row] as usize].max(f64::MIN_POSITIVE))
            }
        };
        sum += weights[row] * loss;
        total += weights[row];
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::predict::logistic;
    use crate::random::{generator, unit};

    #[test]
    fn derivatives_of_two_classes_are_those_of_single_rows_to_the_bit() {
        let mut random = generator(1, 0);
        let mut raw: Vec<f64> = (0..3 * ROWS).map(|_| 80.0 * unit(&mut random) - 40.0).collect();
        raw.truncate(2 * ROWS + BLOCK + 3);
        raw[..9].copy_from_slice(&[0.0, -0.0, 1e-300, -1e-300, 1e-12, 0.3, -0.3, 30.0, -30.0]);
        // A block with numbers that are not for the quick exponential.
        raw[BLOCK..][..4].copy_from_slice(&[800.0, -800.0, 720.0, -720.0]);
        let codes: Vec<u32> = (0..raw.len() as u32).map(|row| row % 2).collect();
        let mut found = vec![vec![[0.0; 2]; raw.len()]];
        let raw = vec![raw];
        derivatives(&Response::Classes { codes: &codes, n_classes: 2 }, &raw, &mut found);
        for ((found, &raw), &code) in found[0].iter().zip(&raw[0]).zip(&codes) {
            let p = logistic(raw);
            let expected = [f64::from(code) - p, p * (1.0 - p)];
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "of {raw}");
        }
    }
}
