//! Real covariates with a simulated response: what `ranking` and `rules` work on.

use crate::data::prepare::THIRD;
use crate::data::{Answers, DataSet, Kind, Split, Table, prepare};
use crate::run::{Effort, Measurement, Protocol};
use crate::simulate::{Function, classes, draw_signal, flip, probable_classes, with_noise};
use lmdi::random::Generator;
use lmdi::table::metrics::auroc;

/// A setting and the repetition.
#[derive(Debug, Clone)]
pub struct Unit {
    pub set: &'static DataSet,
    pub function: Function,
    pub n: usize,
    /// Share of variance explained, or share of labels flipped.
    pub noise: f64,
    pub repetition: usize,
}

/// Names of the fields of a [`Unit`].
pub const FIELDS: &[&str] = &["set", "function", "n", "noise", "repetition"];

impl Unit {
    pub fn fields(&self) -> Vec<String> {
        vec![
            self.set.key.into(),
            self.function.name().into(),
            self.n.to_string(),
            self.noise.to_string(),
            self.repetition.to_string(),
        ]
    }

    /// All units, repetition by repetition.
    pub fn all(
        sets: &[&'static DataSet],
        sizes: &[usize],
        repetitions: usize,
        effort: Effort,
    ) -> Vec<Self> {
        let mut units = Vec::new();
        for repetition in 0..repetitions {
            for &n in sizes {
                for &set in sets {
                    for function in Function::ALL {
                        for &noise in noises(set.kind, effort) {
                            units.push(Self { set, function, n, noise, repetition });
                        }
                    }
                }
            }
        }
        units
    }
}

/// Shares of variance explained, or of labels flipped.
fn noises(kind: Kind, effort: Effort) -> &'static [f64] {
    match kind {
        Kind::Regression => effort.pick(&[0.4], &[0.1, 0.4], &[0.1, 0.2, 0.4, 0.8]),
        Kind::Classification => effort.pick(&[0.0], &[0.0, 0.1], &[0.0, 0.05, 0.1, 0.15]),
    }
}

/// Rows with a simulated response, and the features that it depends on.
pub struct Simulated {
    pub split: Split,
    /// 1 for every signal feature.
    pub is_signal: Vec<u32>,
}

/// Draws the rows, the signal features and the response of a unit. A table with fewer features than
/// the response needs gives all of them.
pub fn simulate(
    table: &Table,
    unit: &Unit,
    protocol: Protocol,
    draws: &mut Generator,
) -> Simulated {
    let mut split = prepare(table, unit.n, THIRD, draws);
    let n_features = table.x.cols();
    let signal = draw_signal(draws, n_features, unit.function.n_signal().min(n_features));
    let n_train = split.train.rows();
    let mut mean = unit.function.mean(&split.train.view(), &signal);
    mean.extend(unit.function.mean(&split.test.view(), &signal));
    (split.train.answers, split.test.answers) = match table.set.kind {
        Kind::Regression => {
            let mut train = with_noise(&mean, unit.noise, draws);
            let test = train.split_off(n_train);
            (Answers::Numbers(train), Answers::Numbers(test))
        }
        Kind::Classification => {
            let mut train = match protocol {
                Protocol::Paper => classes(&mean, draws),
                Protocol::Reference => probable_classes(&mean),
            };
            flip(&mut train, unit.noise, draws);
            let test = train.split_off(n_train);
            (Answers::Classes(train), Answers::Classes(test))
        }
    };
    let is_signal = (0..n_features).map(|feature| u32::from(signal.contains(&feature))).collect();
    Simulated { split, is_signal }
}

/// The mean over rows of the AUROC of sizes against the signal features.
pub fn mean_auroc<'s>(sizes: impl Iterator<Item = &'s [f64]>, is_signal: &[u32]) -> f64 {
    let (mut sum, mut rows) = (0.0, 0.0);
    for sizes in sizes {
        sum += auroc(is_signal, 1, sizes, None);
        rows += 1.0;
    }
    sum / rows
}

/// A measurement of the AUROC.
pub fn measured(method: &'static str, value: f64) -> Measurement {
    Measurement { method, measure: "auroc".into(), value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::catalogue::find;
    use lmdi::random::generator;
    use lmdi::table::Matrix;

    fn table(key: &str) -> Table {
        let (rows, cols) = (400, 12);
        let cells = crate::simulate::normal::normal(&mut generator(11, 0), rows * cols);
        Table {
            set: find(key).expect("known"),
            x: Matrix::from_column_major(cells, rows, cols).expect("a matrix"),
            answers: vec![0.0; rows],
        }
    }

    fn unit(key: &str, noise: f64) -> Unit {
        Unit {
            set: find(key).expect("known"),
            function: Function::Interaction,
            n: 300,
            noise,
            repetition: 0,
        }
    }

    #[test]
    fn the_response_depends_on_the_signal_features() {
        let (table, unit) = (table("sarcos"), unit("sarcos", 0.8));
        let simulated = simulate(&table, &unit, Protocol::Paper, &mut generator(1, 2));
        assert_eq!(simulated.is_signal.iter().sum::<u32>(), 10);
        assert_eq!(simulated.split.train.rows() + simulated.split.test.rows(), 300);
        let Answers::Numbers(y) = &simulated.split.train.answers else { panic!("numbers") };
        let size =
            |col| crate::data::table::correlation(simulated.split.train.x.column(col), y).abs();
        let largest = (0..12).max_by(|&a, &b| f64::total_cmp(&size(a), &size(b))).expect("columns");
        assert_eq!(simulated.is_signal[largest], 1);
    }

    #[test]
    fn the_seed_decides_everything() {
        let (table, unit) = (table("spam"), unit("spam", 0.1));
        let run = |index| simulate(&table, &unit, Protocol::Paper, &mut generator(1, index)).split;
        assert_eq!(run(0), run(0));
        assert_ne!(run(0), run(1));
    }

    #[test]
    fn auroc_is_averaged_over_rows() {
        let sizes = [0.9, 0.1, 0.5, 0.1, 0.9, 0.5];
        assert_eq!(mean_auroc(sizes.chunks(3), &[1, 0, 0]), 0.5);
    }
}
