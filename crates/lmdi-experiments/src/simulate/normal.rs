//! Normal random numbers, the same on every platform.
//!
//! They come in pairs (Box and Muller), unlike those of `lmdi::random::normal`: the recorded results
//! of the simulations were drawn this way.

use lmdi::random::{Generator, unit};

/// Two independent standard normal numbers (Box and Muller, 1958).
fn pair(draws: &mut Generator) -> [f64; 2] {
    // One minus a number below one is never zero.
    let radius = (-2.0 * libm::log(1.0 - unit(draws))).sqrt();
    let angle = std::f64::consts::TAU * unit(draws);
    [radius * libm::cos(angle), radius * libm::sin(angle)]
}

/// `count` independent standard normal numbers.
pub fn normal(draws: &mut Generator, count: usize) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(count + 1);
    while numbers.len() < count {
        numbers.extend(pair(draws));
    }
    numbers.truncate(count);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmdi::random::generator;

    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let numbers = normal(&mut generator(1, 0), 200_001);
        assert_eq!(numbers.len(), 200_001);
        let moment =
            |power| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / numbers.len() as f64;
        // Four standard errors of each moment: sqrt(1, 2, 15, 96) / sqrt(n).
        for (power, expected, spread) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let error = 4.0 * f64::sqrt(spread / numbers.len() as f64);
            assert!((moment(power) - expected).abs() < error, "moment {power}: {}", moment(power));
        }
    }
}
