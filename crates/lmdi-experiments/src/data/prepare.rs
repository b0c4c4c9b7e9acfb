//! The rows of one repetition: drawn, split, standardised.
//!
//! Rows are drawn without replacement, dealt to the training and the test part in random order, and
//! each column is standardised by the mean and standard deviation (over n) of the training part.
//! Cells are rounded to 32 bits, as scikit-learn's trees do.

use super::catalogue::Kind;
use super::table::Table;
use lmdi::forest::train::TrainingSet;
use lmdi::random::{Generator, below};
use lmdi::table::{Matrix, MatrixView, Response};

/// What is predicted, one number or class a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    Numbers(Vec<f64>),
    /// 0 or 1.
    Classes(Vec<u32>),
}

impl Answers {
    /// The classes or numbers of a data set.
    pub fn new(kind: Kind, values: Vec<f64>) -> Self {
        match kind {
            Kind::Regression => Answers::Numbers(values),
            Kind::Classification => {
                Answers::Classes(values.iter().map(|&value| u32::from(value > 0.5)).collect())
            }
        }
    }

    pub fn response(&self) -> Response<'_> {
        match self {
            Answers::Numbers(values) => Response::Numeric(values),
            Answers::Classes(codes) => Response::Classes { codes, n_classes: 2 },
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Answers::Numbers(_) => Kind::Regression,
            Answers::Classes(_) => Kind::Classification,
        }
    }
}

/// Rows with their answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub x: Matrix,
    pub answers: Answers,
}

impl Part {
    pub fn view(&self) -> MatrixView<'_> {
        self.x.view()
    }

    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    /// The rows as an explainer is fitted to them.
    pub fn set(&self) -> TrainingSet<'_> {
        TrainingSet::new(self.view(), self.answers.response())
    }
}

/// A training and a test part.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    pub train: Part,
    pub test: Part,
}

/// Share of the rows that are tested on, in most experiments.
pub const THIRD: f64 = 0.33;

/// Draws at most `n` rows of a table and splits them; `test_share` of them, rounded up, are the
/// test part.
pub fn prepare(table: &Table, n: usize, test_share: f64, draws: &mut Generator) -> Split {
    let total = table.x.rows();
    let n = n.min(total);
    // The order of the draws decides, so that the parts are random too.
    let mut rows: Vec<usize> = (0..total).collect();
    for at in 0..n {
        let other = at + below(draws, total - at);
        rows.swap(at, other);
    }
    let n_test = (test_share * n as f64).ceil() as usize;
    let (test, train) = rows[..n].split_at(n_test);
    let part = |rows: &[usize]| {
        let answers = rows.iter().map(|&row| table.answers[row]).collect();
        Part { x: table.x.take_rows(rows), answers: Answers::new(table.set.kind, answers) }
    };
    standardise(part(train), part(test))
}

/// Standardises both parts by the first.
pub fn standardise(train: Part, test: Part) -> Split {
    let scales: Vec<(f64, f64)> =
        (0..train.x.cols()).map(|col| mean_and_deviation(train.x.column(col))).collect();
    let scaled = |part: Part| {
        let mut cells = Vec::with_capacity(part.x.rows() * part.x.cols());
        for (col, &(mean, deviation)) in scales.iter().enumerate() {
            let scale = if deviation > 0.0 { deviation } else { 1.0 };
            let standard = |cell: &f64| f64::from(((cell - mean) / scale) as f32);
            cells.extend(part.x.column(col).iter().map(standard));
        }
        let x = Matrix::from_column_major(cells, part.x.rows(), part.x.cols());
        Part { x: x.expect("as many cells as before"), answers: part.answers }
    };
    Split { train: scaled(train), test: scaled(test) }
}

/// Mean and standard deviation over n.
pub fn mean_and_deviation(cells: &[f64]) -> (f64, f64) {
    let n = cells.len().max(1) as f64;
    let mean = cells.iter().sum::<f64>() / n;
    let variance = cells.iter().map(|cell| (cell - mean) * (cell - mean)).sum::<f64>() / n;
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::catalogue::find;
    use lmdi::random::generator;

    fn table() -> Table {
        let rows = 90;
        let cells: Vec<f64> = (0..2 * rows).map(|i| ((i * 37) % 101) as f64).collect();
        Table {
            set: find("puma_robot").expect("known"),
            x: Matrix::from_column_major(cells, rows, 2).expect("a matrix"),
            answers: (0..rows).map(|row| row as f64).collect(),
        }
    }

    #[test]
    fn parts_share_no_row_and_training_columns_are_standard() {
        let split = prepare(&table(), 60, THIRD, &mut generator(1, 0));
        assert_eq!((split.train.rows(), split.test.rows()), (40, 20));
        let (Answers::Numbers(train), Answers::Numbers(test)) =
            (&split.train.answers, &split.test.answers)
        else {
            panic!("numbers");
        };
        let mut rows: Vec<f64> = train.iter().chain(test).copied().collect();
        rows.sort_by(f64::total_cmp);
        rows.dedup();
        assert_eq!(rows.len(), 60);
        for col in 0..2 {
            let (mean, deviation) = mean_and_deviation(split.train.x.column(col));
            // Cells are rounded to 32 bits.
            assert!(mean.abs() < 1e-6 && (deviation - 1.0).abs() < 1e-6, "{mean} {deviation}");
        }
        // The test part is scaled by the training part: the same raw cell gives the same number.
        let raw = table();
        let (mean, deviation) = mean_and_deviation(
            &train.iter().map(|&row| raw.x.column(0)[row as usize]).collect::<Vec<_>>(),
        );
        let expected = ((raw.x.column(0)[test[0] as usize] - mean) / deviation) as f32;
        assert_eq!(split.test.x.column(0)[0], f64::from(expected));
    }

    #[test]
    fn the_seed_decides_the_split() {
        let split = |seed| prepare(&table(), 60, THIRD, &mut generator(seed, 0));
        assert_eq!(split(1), split(1));
        assert_ne!(split(1), split(2));
    }

    #[test]
    fn more_rows_than_there_are_means_all() {
        assert_eq!(prepare(&table(), 2000, 0.5, &mut generator(1, 0)).train.rows(), 45);
    }
}
