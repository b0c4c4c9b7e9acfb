//! Random tables with awkward columns, and small models trained on them.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod dense_tree;

use lmdi::forest::Ensemble;
use lmdi::forest::train::{
    BoostingParams, ForestParams, MaxFeatures, SplitFinder, TrainingSet, train_boosting,
    train_forest,
};
use lmdi::importance::LmdiPlus;
use lmdi::importance::Scores;
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::random::{Generator, below, generator, unit};
use lmdi::table::{Matrix, Response};
use proptest::prelude::*;

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A forest; zero classes is a numeric response.
    Forest { classes: usize, bootstrap: bool },
    /// A boosted ensemble of first or second order.
    Boosted { classes: usize, second_order: bool },
}

impl Kind {
    pub fn classes(self) -> usize {
        match self {
            Kind::Forest { classes, .. } | Kind::Boosted { classes, .. } => classes,
        }
    }
}

/// Every kind.
pub fn kind() -> impl Strategy<Value = Kind> {
    let classes = prop_oneof![Just(0_usize), Just(2), Just(3)];
    (classes, any::<bool>(), any::<bool>()).prop_map(|(classes, forest, flag)| {
        if forest {
            Kind::Forest { classes, bootstrap: flag }
        } else {
            Kind::Boosted { classes, second_order: flag }
        }
    })
}

/// A forest with known bootstrap counts.
pub fn bagged() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(0_usize), Just(2), Just(3)]
        .prop_map(|classes| Kind::Forest { classes, bootstrap: true })
}

/// A table, its response and weights.
#[derive(Debug, Clone)]
pub struct Table {
    pub x: Matrix,
    pub y: Vec<f64>,
    pub codes: Vec<u32>,
    pub n_classes: usize,
    pub weights: Option<Vec<f64>>,
    pub names: Vec<String>,
    pub labels: Vec<String>,
}

impl Table {
    /// A table from columns, with a numeric response.
    pub fn numeric(columns: Vec<Vec<f64>>, y: Vec<f64>) -> Self {
        Self::build(columns, y, Vec::new(), 0)
    }

    /// A table from columns, with a response of classes.
    pub fn classes(columns: Vec<Vec<f64>>, codes: Vec<u32>, n_classes: usize) -> Self {
        Self::build(columns, Vec::new(), codes, n_classes)
    }

    fn build(columns: Vec<Vec<f64>>, y: Vec<f64>, codes: Vec<u32>, n_classes: usize) -> Self {
        let (rows, cols) = (columns[0].len(), columns.len());
        Self {
            x: Matrix::from_column_major(columns.concat(), rows, cols).expect("a full matrix"),
            y,
            codes,
            n_classes,
            weights: None,
            names: (0..cols).map(|col| format!("x{col}")).collect(),
            labels: (0..n_classes).map(|class| class.to_string()).collect(),
        }
    }

    /// A random table of 5 to 60 rows and 1 to 6 columns.
    pub fn random(seed: u64, n_classes: usize) -> Self {
        let mut random = generator(seed, 0);
        let n = 5 + below(&mut random, 56);
        let p = 1 + below(&mut random, 6);
        let columns = random_columns(&mut random, n, p);
        let signal: Vec<f64> = (0..n)
            .map(|row| {
                let cell =
                    |col: usize| if columns[col][row].is_nan() { 0.3 } else { columns[col][row] };
                cell(0) + if cell(p - 1) > 0.2 { 1.5 } else { 0.0 } + 0.5 * unit(&mut random)
            })
            .collect();
        let mut table = if n_classes == 0 {
            Self::numeric(columns, signal)
        } else {
            let mut sorted = signal.clone();
            sorted.sort_by(f64::total_cmp);
            let code = |value: &f64| {
                (1..n_classes).filter(|class| *value > sorted[class * n / n_classes]).count() as u32
            };
            let mut codes: Vec<u32> = signal.iter().map(code).collect();
            // Some wrong labels, so that classes overlap.
            for code in &mut codes {
                if below(&mut random, 5) == 0 {
                    *code = below(&mut random, n_classes) as u32;
                }
            }
            Self::classes(columns, codes, n_classes)
        };
        if below(&mut random, 2) == 0 {
            let weights = (0..n).map(|_| [0.0, 0.5, 1.0, 3.0][below(&mut random, 4)]);
            let mut weights: Vec<f64> = weights.collect();
            weights[0] = 1.0;
            table.weights = Some(weights);
        }
        table
    }

    pub fn response(&self) -> Response<'_> {
        if self.n_classes == 0 {
            Response::Numeric(&self.y)
        } else {
            Response::Classes { codes: &self.codes, n_classes: self.n_classes }
        }
    }

    pub fn set(&self) -> TrainingSet<'_> {
        TrainingSet {
            x: self.x.view(),
            y: self.response(),
            weights: self.weights.as_deref(),
            feature_names: &self.names,
            labels: &self.labels,
        }
    }

    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Sample weight as a share of the mean.
    pub fn relative_weight(&self, row: usize) -> f64 {
        let total: f64 = (0..self.rows()).map(|row| self.weight(row)).sum();
        self.weight(row) * self.rows() as f64 / total
    }

    /// The smallest and the largest cell of a column, over rows that weigh anything.
    pub fn range(&self, col: usize) -> [f64; 2] {
        let counts = |row: &usize| self.weight(*row) > 0.0 && !self.x.column(col)[*row].is_nan();
        let cells = || (0..self.rows()).filter(counts).map(|row| self.x.column(col)[row]);
        match cells().next() {
            Some(first) => [cells().fold(first, f64::min), cells().fold(first, f64::max)],
            None => [0.0, 0.0],
        }
    }

    pub fn rows(&self) -> usize {
        self.x.rows()
    }

    pub fn row(&self, row: usize) -> Vec<f64> {
        (0..self.x.cols()).map(|col| self.x.column(col)[row]).collect()
    }

    /// A small model of this kind.
    pub fn train(&self, kind: Kind, seed: u64) -> Ensemble {
        let mut random = generator(seed, 1);
        let min_samples_leaf = 1 + below(&mut random, 4);
        match kind {
            Kind::Forest { bootstrap, .. } => {
                let preset = if self.n_classes == 0 {
                    ForestParams::regression()
                } else {
                    ForestParams::classification()
                };
                let params = preset
                    .with_n_trees(1 + below(&mut random, 5))
                    .with_min_samples_leaf(min_samples_leaf)
                    .with_bootstrap(bootstrap)
                    .with_max_features(MaxFeatures::Fraction(0.7))
                    .with_seed(seed);
                train_forest(&self.set(), &params, &Silent).expect("a forest")
            }
            Kind::Boosted { second_order, .. } => {
                let params = BoostingParams::default()
                    .with_n_rounds(1 + below(&mut random, 4))
                    .with_learning_rate(0.3)
                    .with_min_samples_leaf(min_samples_leaf)
                    .with_max_depth(Some(3))
                    .with_subsample([1.0, 0.7][below(&mut random, 2)])
                    .with_split_finder(if second_order {
                        SplitFinder::Histogram
                    } else {
                        SplitFinder::Exact
                    })
                    .with_seed(seed);
                train_boosting(&self.set(), &params, &Silent).expect("a boosted model")
            }
        }
    }

    pub fn explain(&self, model: &Ensemble, options: &LmdiPlusOptions) -> LmdiPlus {
        // As the columns of `DenseTree` are.
        let options = &options.clone().with_bound_raw(true);
        LmdiPlus::fit(model, &self.set(), options, &Silent).expect("an explainer")
    }

    pub fn score(
        &self,
        explainer: &LmdiPlus,
        trees: TreeSubset<'_>,
        standard_error: bool,
    ) -> Scores {
        explainer
            .score(
                &self.x.view(),
                &ScoreOptions::default().with_trees(trees).with_standard_error(standard_error),
                &Silent,
            )
            .expect("scores")
    }
}

/// Continuous, coarse, constant, repeated, one-hot-like and shifted columns, some cells missing.
fn random_columns(random: &mut Generator, n: usize, p: usize) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(p);
    for column in 0..p {
        let cells: Vec<f64> = match below(random, 10) {
            0 => (0..n).map(|_| below(random, 3) as f64).collect(),
            1 if column > 0 => columns[column - 1].clone(),
            2 => vec![1.5; n],
            3 => (0..n).map(|_| f64::from(u8::from(below(random, 3) == 0))).collect(),
            4 if column > 0 => {
                columns[column - 1].iter().map(|&cell| if cell > 0.5 { 0.0 } else { 1.0 }).collect()
            }
            5 => (0..n).map(|_| 2000.0 + 30.0 * unit(random)).collect(),
            6 => (0..n)
                .map(|_| if below(random, 4) == 0 { f64::NAN } else { unit(random) - 0.5 })
                .collect(),
            _ => (0..n).map(|_| unit(random) - 0.5).collect(),
        };
        columns.push(cells);
    }
    columns
}

/// Whether two numbers agree to `tolerance`, relative to the larger of them and `scale`.
pub fn close(a: f64, b: f64, scale: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(scale)
}

/// A configuration without a file of past failures, which a read-only checkout could not hold.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// One of the two presets of LMDI+.
pub fn preset(seed: u64) -> LmdiPlusOptions {
    if seed.is_multiple_of(2) { LmdiPlusOptions::paper() } else { LmdiPlusOptions::default() }
}
