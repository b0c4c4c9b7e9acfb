//! The sums of the first pass: everything about the rows that weights, raw columns and checks need.

use super::super::super::class_weight::counts_draws;
use super::super::super::fit::ROWS_FOR_A_MEAN;
use super::super::super::support::{ColumnSums, ResponseSupport};
use super::super::statistics::StreamedRows;
use super::moments::{Moments, Product};
use super::sample::RowSample;
use crate::forest::{ClassWeights, Ensemble, Growth, Outcome};
use crate::monitor::Silent;
use crate::table::Response;
use crate::{Error, Result};
use rayon::prelude::*;

/// Sums over the rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summary {
    /// Per class; one entry for numbers.
    pub(crate) classes: Vec<ClassSummary>,
    /// Sums of predicted shares per class, where class weights inside trees need them.
    pub(crate) predicted: Vec<f64>,
    /// Smallest response.
    pub(crate) lowest: f64,
    pub(crate) sample: RowSample,
}

/// Sums over the rows of one class.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassSummary {
    pub(crate) rows: u64,
    /// Sum of sample weights.
    pub(crate) weight: f64,
    pub(crate) response: Moments,
    pub(crate) columns: Vec<Moments>,
    /// Products of the columns with a response of numbers; empty for classes.
    pub(crate) products: Vec<Product>,
    /// Smallest and largest cell per column.
    pub(crate) ranges: Vec<[f64; 2]>,
    /// Rows that penalties are searched on: cells, response and sample weight. None for least squares.
    pub(crate) search: RowSample,
}

impl ClassSummary {
    fn new(n_features: usize, rows_for_search: usize, of_numbers: bool) -> Self {
        Self {
            rows: 0,
            weight: 0.0,
            response: Moments::default(),
            columns: vec![Moments::default(); n_features],
            products: vec![Product::default(); if of_numbers { n_features } else { 0 }],
            ranges: vec![NO_RANGE; n_features],
            search: RowSample::of_at_most(rows_for_search),
        }
    }
}

/// Mean and standard deviation of a column; `None` where no cell counts.
pub(in super::super) type MeanAndDeviation = Option<(f64, f64)>;

const NO_RANGE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn wider(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

impl Summary {
    /// Empty sums. Every class keeps at most this many rows for the penalty search.
    pub(crate) fn new(ensemble: &Ensemble, rows_for_search: usize) -> Self {
        let n_classes = match &ensemble.outcome {
            Outcome::Number => 1,
            Outcome::Classes(labels) => labels.len(),
        };
        let n_features = ensemble.n_features();
        let n_predicted = if weighs_inside_trees(ensemble) { n_classes } else { 0 };
        Self {
            classes: vec![
                ClassSummary::new(n_features, rows_for_search, n_classes == 1);
                n_classes
            ],
            predicted: vec![0.0; n_predicted],
            lowest: f64::INFINITY,
            sample: RowSample::of_at_most(ROWS_FOR_A_MEAN),
        }
    }

    pub(crate) fn accumulate(
        &mut self,
        ensemble: &Ensemble,
        rows: &StreamedRows<'_>,
    ) -> Result<()> {
        let n = rows.x.rows();
        let hashes = rows.hashes();
        let class = |row: usize| match &rows.response {
            Response::Numeric(_) => 0,
            Response::Classes { codes, .. } => codes[row] as usize,
        };
        let mut of_class = vec![Vec::new(); self.classes.len()];
        (0..n).for_each(|row| of_class[class(row)].push(row));
        for (summary, members) in self.classes.iter_mut().zip(&of_class) {
            let weight: Vec<f64> = members.iter().map(|&row| rows.weight(row)).collect();
            summary.rows += members.len() as u64;
            summary.weight += weight.iter().sum::<f64>();
            let responses: Vec<f64> = match &rows.response {
                Response::Numeric(values) => members.iter().map(|&row| values[row]).collect(),
                Response::Classes { .. } => Vec::new(),
            };
            summary.response.merge(&Moments::of(&responses, &weight));
            self.lowest = responses.iter().fold(self.lowest, |low, &y| low.min(y));
            let limit = summary.search.limit();
            let chosen = members.iter().zip(&weight);
            let chosen = chosen.filter(|(row, w)| **w > 0.0 && hashes[**row] <= limit);
            summary.search.add(chosen.map(|(&row, &w)| {
                let cells = (0..rows.x.cols()).map(|column| rows.x.get(row, column));
                (hashes[row], cells.chain([rows.response_of(row), w]).collect())
            }));
            let of_column = |column: usize| {
                let cells: Vec<f64> = members.iter().map(|&row| rows.x.get(row, column)).collect();
                let moments = Moments::of(&cells, &weight);
                let product = Product::of(&cells, &responses, &weight, &moments);
                let counting = cells.iter().zip(&weight).filter(|(_, w)| **w > 0.0);
                let range = counting.fold(NO_RANGE, |range, (&cell, _)| wider(range, [cell, cell]));
                (moments, product, range)
            };
            let columns: Vec<(Moments, Product, [f64; 2])> =
                (0..rows.x.cols()).into_par_iter().map(of_column).collect();
            for (column, (moments, product, range)) in columns.iter().enumerate() {
                if let Some(products) = summary.products.get_mut(column) {
                    products.merge(product, &summary.columns[column], moments);
                }
                summary.columns[column].merge(moments);
                summary.ranges[column] = wider(summary.ranges[column], *range);
            }
        }
        let limit = self.sample.limit();
        let chosen = (0..n).filter(|&row| rows.weight(row) > 0.0 && hashes[row] <= limit);
        let cells = |row: usize| (0..rows.x.cols()).map(|column| rows.x.get(row, column)).collect();
        self.sample.add(chosen.map(|row| (hashes[row], cells(row))));
        if !self.predicted.is_empty() {
            let predicted = ensemble.predict(&rows.x, &Silent)?;
            for row in predicted.chunks_exact(self.predicted.len()) {
                if row.iter().all(|share| !share.is_nan()) {
                    self.predicted.iter_mut().zip(row).for_each(|(sum, share)| *sum += share);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        let columns = |summary: &Self| summary.classes.first().map(|class| class.columns.len());
        if self.classes.len() != other.classes.len()
            || columns(self) != columns(other)
            || self.predicted.len() != other.predicted.len()
        {
            return Err(Error::Data("the statistics are of different models".into()));
        }
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            mine.rows += theirs.rows;
            mine.weight += theirs.weight;
            mine.response.merge(&theirs.response);
            mine.search.merge(&theirs.search);
            let products = mine.products.iter_mut().zip(&theirs.products);
            for (column, (product, other)) in products.enumerate() {
                product.merge(other, &mine.columns[column], &theirs.columns[column]);
            }
            mine.columns
                .iter_mut()
                .zip(&theirs.columns)
                .for_each(|(mine, theirs)| mine.merge(theirs));
            for (mine, theirs) in mine.ranges.iter_mut().zip(&theirs.ranges) {
                *mine = wider(*mine, *theirs);
            }
        }
        self.predicted.iter_mut().zip(&other.predicted).for_each(|(mine, theirs)| *mine += theirs);
        self.lowest = self.lowest.min(other.lowest);
        self.sample.merge(&other.sample);
        Ok(())
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.classes.iter().map(|class| class.rows).sum()
    }

    /// What a row of each class weighs beside its sample weight, so that the mean weight of all rows is
    /// one; `None` where every row weighs one.
    pub(crate) fn class_factors(&self, ensemble: &Ensemble) -> Result<Option<Vec<f64>>> {
        let rows: Vec<f64> = self.classes.iter().map(|class| class.rows as f64).collect();
        let given = match &ensemble.class_weights {
            ClassWeights::Equal => vec![1.0; self.classes.len()],
            _ if weighs_inside_trees(ensemble) => (self.predicted.iter().zip(&rows))
                .map(|(sum, rows)| if *rows > 0.0 { sum / rows } else { 0.0 })
                .collect(),
            ClassWeights::Given(factors) => factors.clone(),
            ClassWeights::Balanced => {
                rows.iter().map(|rows| if *rows > 0.0 { 1.0 / rows } else { 0.0 }).collect()
            }
        };
        let weights = self.classes.iter().zip(&given).map(|(class, factor)| class.weight * factor);
        let mean = weights.sum::<f64>() / self.rows() as f64;
        if mean.is_nan() || mean <= 0.0 {
            return Err(Error::Data(
                "no row has a positive weight once sample weights and class weights are multiplied"
                    .into(),
            ));
        }
        // Sums of ones are exact.
        let plain = self.classes.iter().zip(&given).all(|(class, factor)| {
            class.rows == 0 || (*factor == 1.0 && class.weight == class.rows as f64)
        });
        Ok((!plain).then(|| given.iter().map(|factor| factor / mean).collect()))
    }

    /// Mean and standard deviation of every column, and its range, over the rows that count.
    pub(crate) fn columns(
        &self,
        factors: Option<&[f64]>,
    ) -> (Vec<MeanAndDeviation>, Vec<[f64; 2]>) {
        let n_features = self.classes.first().map_or(0, |class| class.columns.len());
        let factor = |class: usize| factors.map_or(1.0, |factors| factors[class]);
        let counting = || self.classes.iter().enumerate().filter(|(class, _)| factor(*class) > 0.0);
        let of_column = |column: usize| {
            let (mut moments, mut range) = (Moments::default(), NO_RANGE);
            for (class, summary) in counting() {
                moments.merge(&summary.columns[column].times(factor(class)));
                range = wider(range, summary.ranges[column]);
            }
            (moments.mean_and_deviation(), if range[0] <= range[1] { range } else { [0.0; 2] })
        };
        (0..n_features).map(of_column).unzip()
    }

    /// What is known of the response of an output before any tree is looked at.
    pub(in super::super) fn response_support(
        &self,
        factors: Option<&[f64]>,
        class: usize,
        with_raw: bool,
    ) -> ResponseSupport {
        let means = self.mean_response(factors);
        let factor = |class: usize| factors.map_or(1.0, |factors| factors[class]);
        let of_numbers = self.classes.len() == 1;
        let class = if of_numbers { 0 } else { class };
        let n_features = self.classes.first().map_or(0, |class| class.columns.len());
        let sums = |column: usize| -> ColumnSums {
            let mut all = Moments::default();
            for (at, summary) in self.classes.iter().enumerate().filter(|(at, _)| factor(*at) > 0.0)
            {
                all.merge(&summary.columns[column].times(factor(at)));
            }
            let own = &self.classes[class];
            let product = match own.products.get(column) {
                Some(product) => product.products * factor(0),
                // Around the mean of all rows, deviations of the other classes take away as much.
                None => {
                    let moments = own.columns[column].times(factor(class));
                    moments.weight * (moments.mean - all.mean)
                }
            };
            [all.squares, product]
        };
        let variance = match of_numbers {
            true => self.classes[0].response.variance(),
            false => means[class] * (1.0 - means[class]),
        };
        let columns = with_raw.then(|| (0..n_features).map(sums));
        ResponseSupport::new(means[class], variance, columns)
    }

    /// The mean response: numbers, or the share of every class.
    pub(crate) fn mean_response(&self, factors: Option<&[f64]>) -> Vec<f64> {
        if let [only] = &self.classes[..] {
            return vec![only.response.mean];
        }
        let weights =
            self.classes.iter().enumerate().map(|(class, summary)| {
                summary.weight * factors.map_or(1.0, |factors| factors[class])
            });
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }
}

/// Whether the weights of classes are inside the trees of a forest, where they show only as far as leaves
/// are impure.
fn weighs_inside_trees(ensemble: &Ensemble) -> bool {
    ensemble.class_weights != ClassWeights::Equal
        && matches!(ensemble.growth, Growth::Independent)
        && !ensemble.trees.iter().all(counts_draws)
}
