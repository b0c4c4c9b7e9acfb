//! From mean responses to responses: noise, classes, flipped labels.

use super::normal::normal;
use crate::data::prepare::mean_and_deviation;
use lmdi::forest::predict::logistic;
use lmdi::random::{Generator, subset, unit};

/// Adds normal noise such that the mean response explains the share `pve` of the variance:
/// `Var(noise) = Var(mean) (1 - pve) / pve`.
pub fn with_noise(mean: &[f64], pve: f64, draws: &mut Generator) -> Vec<f64> {
    let (_, deviation) = mean_and_deviation(mean);
    let scale = deviation * ((1.0 - pve) / pve).sqrt();
    mean.iter().zip(normal(draws, mean.len())).map(|(mean, noise)| mean + scale * noise).collect()
}

/// Draws classes whose log-odds are the mean responses.
pub fn classes(mean: &[f64], draws: &mut Generator) -> Vec<u32> {
    mean.iter().map(|&mean| u32::from(unit(draws) < logistic(mean))).collect()
}

/// The more probable class of each mean response, which is its log-odds.
pub fn probable_classes(mean: &[f64]) -> Vec<u32> {
    mean.iter().map(|&mean| u32::from(mean > 0.0)).collect()
}

/// Flips exactly this share of the labels, rounded to a whole number of rows.
pub fn flip(classes: &mut [u32], share: f64, draws: &mut Generator) {
    let count = (share * classes.len() as f64).round() as usize;
    for row in subset(draws, classes.len(), count) {
        classes[row as usize] = 1 - classes[row as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmdi::random::generator;

    #[test]
    fn the_share_of_variance_is_reached_within_sampling_error() {
        let n = 20_000;
        for (index, pve) in [0.1, 0.2, 0.4, 0.8].into_iter().enumerate() {
            let draws = &mut generator(3, index as u64);
            let mean: Vec<f64> = normal(draws, n).iter().map(|z| 5.0 + 3.0 * z * z).collect();
            let response = with_noise(&mean, pve, draws);
            let noise: Vec<f64> = response.iter().zip(&mean).map(|(y, m)| y - m).collect();
            let variance = |numbers: &[f64]| mean_and_deviation(numbers).1.powi(2);
            // The noise's own variance has a relative standard error of sqrt(2 / n); four of them.
            let asked = variance(&mean) * (1.0 - pve) / pve;
            let relative = variance(&noise) / asked - 1.0;
            assert!(relative.abs() < 4.0 * f64::sqrt(2.0 / n as f64), "{pve}: {relative}");
            let reached = variance(&mean) / variance(&response);
            assert!((reached - pve).abs() < 0.02, "{pve}: {reached}");
        }
    }

    #[test]
    fn classes_have_the_chances_of_their_log_odds() {
        let n = 40_000;
        for (index, log_odds) in [-2.0, 0.0, 1.0].into_iter().enumerate() {
            let drawn = classes(&vec![log_odds; n], &mut generator(4, index as u64));
            let share = f64::from(drawn.iter().sum::<u32>()) / n as f64;
            let chance = 1.0 / (1.0 + f64::exp(-log_odds));
            let error = 4.0 * (chance * (1.0 - chance) / n as f64).sqrt();
            assert!((share - chance).abs() < error, "{log_odds}: {share}");
        }
    }

    #[test]
    fn exactly_the_share_of_labels_is_flipped() {
        let before = classes(&vec![0.3; 1_000], &mut generator(5, 0));
        for (share, expected) in [(0.0, 0), (0.05, 50), (0.1, 100), (0.1504, 150)] {
            let mut after = before.clone();
            flip(&mut after, share, &mut generator(6, 0));
            let flipped = before.iter().zip(&after).filter(|(a, b)| a != b).count();
            assert_eq!(flipped, expected);
        }
    }

    #[test]
    fn seeds_reproduce() {
        let mean = [0.5, -1.0, 2.0, 0.0];
        let run = |seed| with_noise(&mean, 0.4, &mut generator(seed, 0));
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
