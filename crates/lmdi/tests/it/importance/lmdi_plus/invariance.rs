//! What must not change a score: threads, batches, the order of rows, the layout of the table. And
//! what must: cells that differ once they are rounded to 32 bits.

use crate::support::random_models::{Kind, Table, cases, close, kind, preset};
use lmdi::forest::train::TrainingSet;
use lmdi::forest::{Ensemble, InBag};
use lmdi::glm::{Family, PenaltyChoice, Strength};
use lmdi::importance::LmdiPlus;
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
use lmdi::monitor::Silent;
use lmdi::random::{below, generator};
use lmdi::table::{Cells, Matrix, MatrixView};
use proptest::prelude::*;

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool").install(work)
}

fn bytes(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn scores_of(explainer: &LmdiPlus, x: &MatrixView<'_>) -> Vec<f64> {
    explainer.score(x, &ScoreOptions::default(), &Silent).expect("scores").values
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn threads_change_no_byte(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let [one, four] = [1, 4].map(|threads| with_threads(threads, || {
            let explainer = table.explain(&model, &preset(seed));
            let scores = table.score(&explainer, TreeSubset::All, true);
            let ranks = explainer.rank_by_rank(&table.x.view(), &Silent).expect("ranks");
            let errors = scores.standard_error.unwrap_or_default();
            (format!("{:?}", explainer.trees()), [scores.values, scores.base, errors, ranks].map(|v| bytes(&v)))
        }));
        prop_assert!(one == four);
    }

    /// With the default options scores take the unit of the response: for a power of two to the byte, since then nothing is rounded
    /// differently. With the penalties of the paper they do not.
    #[test]
    fn the_unit_of_the_response_does_not_matter(kind in kind(), seed in any::<u64>(), power in -30_i32..30) {
        prop_assume!(kind.classes() == 0);
        let table = Table::random(seed, 0);
        let factor = 2.0_f64.powi(power);
        let other = Table { y: table.y.iter().map(|y| y * factor).collect(), ..table.clone() };
        let [scores, scaled] = [&table, &other].map(|table| {
            let model = table.train(kind, seed);
            table.score(&table.explain(&model, &LmdiPlusOptions::default()), TreeSubset::All, false)
        });
        for (score, scaled) in [(&scores.values, &scaled.values), (&scores.base, &scaled.base)] {
            let scaled: Vec<f64> = scaled.iter().map(|score| score / factor).collect();
            prop_assert_eq!(bytes(score), bytes(&scaled));
        }
    }

    /// A row's scores do not depend on the rows scored with it.
    #[test]
    fn batches_and_the_order_of_scored_rows_change_no_byte(kind in kind(), seed in any::<u64>()) {
        let table = Table::random(seed, kind.classes());
        let model = table.train(kind, seed);
        let explainer = table.explain(&model, &preset(seed));
        let together = table.score(&explainer, TreeSubset::All, false);
        let ranks = explainer.rank_by_rank(&table.x.view(), &Silent).expect("ranks");
        let p = table.x.cols();
        for row in 0..table.rows() {
            let alone = table.x.take_rows(&[row]);
            prop_assert_eq!(bytes(&scores_of(&explainer, &alone.view())), bytes(together.row(row)));
            let rank = explainer.rank_by_rank(&alone.view(), &Silent).expect("ranks");
            prop_assert_eq!(bytes(&rank), bytes(&ranks[row * p..(row + 1) * p]));
        }
        // Many copies, in reverse: several blocks of rows.
        let order: Vec<usize> = (0..40 * table.rows()).rev().map(|at| at % table.rows()).collect();
        let many = scores_of(&explainer, &table.x.take_rows(&order).view());
        for (line, &row) in many.chunks_exact(p * together.n_outputs).zip(&order) {
            prop_assert_eq!(bytes(line), bytes(together.row(row)));
        }
    }

    /// With a given penalty there are no folds, so that the order of training rows only rounds
    /// differently: 1e-6 of the largest score, since unsettled fits may differ within their tolerance.
    #[test]
    fn the_order_of_training_rows_hardly_matters(seed in any::<u64>(), classes in prop_oneof![Just(0_usize), Just(2)]) {
        let table = Table::random(seed, classes);
        let model = table.train(Kind::Forest { classes, bootstrap: true }, seed);
        let options = LmdiPlusOptions::paper().with_penalty(Some(PenaltyChoice::Fixed { strength: Strength::Alpha(0.05), l1_ratio: 0.5 })).with_tolerance(1e-13);
        let n = table.rows();
        let mut random = generator(seed, 8);
        let mut order: Vec<usize> = (0..n).collect();
        for at in (1..n).rev() {
            order.swap(at, below(&mut random, at + 1));
        }
        let mut moved = table.clone();
        moved.x = table.x.take_rows(&order);
        moved.y = if classes == 0 { order.iter().map(|&row| table.y[row]).collect() } else { Vec::new() };
        moved.codes = if classes > 0 { order.iter().map(|&row| table.codes[row]).collect() } else { Vec::new() };
        moved.weights = table.weights.as_ref().map(|weights| order.iter().map(|&row| weights[row]).collect());
        let mut moved_model: Ensemble = model.clone();
        for tree in &mut moved_model.trees {
            let bag = tree.in_bag.take().expect("counts");
            tree.in_bag = Some(InBag::from_counts(order.iter().map(|&row| bag.count(row)).collect()));
        }
        let before = scores_of(&table.explain(&model, &options), &table.x.view());
        let after = scores_of(&moved.explain(&moved_model, &options), &table.x.view());
        let scale = before.iter().fold(1e-3_f64, |scale, score| scale.max(score.abs()));
        for (before, after) in before.iter().zip(&after) {
            prop_assert!(close(*before, *after, scale, 1e-6), "{before} {after}");
        }
    }

    /// 32- and 64-bit cells, by rows, by columns or with gaps, give the same bytes where cells are equal.
    #[test]
    fn the_layout_of_the_table_changes_no_byte(kind in kind(), seed in any::<u64>()) {
        let mut table = Table::random(seed, kind.classes());
        let (n, p) = (table.rows(), table.x.cols());
        let single: Vec<f32> = (0..p).flat_map(|col| table.x.column(col).to_vec()).map(|cell| cell as f32).collect();
        table.x = Matrix::from_column_major(single.iter().map(|&cell| f64::from(cell)).collect(), n, p).expect("a matrix");
        let model = table.train(kind, seed);
        let by_rows: Vec<f64> = (0..n).flat_map(|row| table.row(row)).collect();
        let gaps: Vec<f64> = by_rows.iter().flat_map(|&cell| [cell, -1e9]).collect();
        let views = [
            MatrixView::strided(Cells::F32(&single), n, p, 1, n).expect("a view"),
            MatrixView::from_rows(&by_rows, n, p).expect("a view"),
            MatrixView::strided(Cells::F64(&gaps), n, p, 2 * p, 2).expect("a view"),
        ];
        let options = LmdiPlusOptions::paper().with_bound_raw(true);
        let explainer = table.explain(&model, &options);
        let scores = bytes(&scores_of(&explainer, &table.x.view()));
        for view in views {
            prop_assert_eq!(&bytes(&scores_of(&explainer, &view)), &scores);
            let set = TrainingSet { x: view, ..table.set() };
            let other = LmdiPlus::fit(&model, &set, &options, &Silent).expect("an explainer");
            prop_assert_eq!(&bytes(&scores_of(&other, &view)), &scores);
        }
    }

    /// Cells at a threshold, and a hair beside it, take the side the model takes.
    #[test]
    fn cells_are_rounded_to_single_precision_at_thresholds(seed in any::<u64>()) {
        let table = Table::random(seed, 0);
        let model = table.train(Kind::Forest { classes: 0, bootstrap: true }, seed);
        let options = LmdiPlusOptions::ablation(1).expect("a step").with_family(Some(Family::Gaussian));
        let explainer = table.explain(&model, &options);
        let p = table.x.cols();
        let mut cells = Vec::new();
        for tree in &model.trees {
            for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node) && tree.threshold[node].is_finite()) {
                let t = tree.threshold[node];
                let near = f64::from(t as f32);
                for cell in [t, near, t + 1e-9 * t.abs(), t - 1e-9 * t.abs(), f64::from((t as f32).next_up())] {
                    let mut row = table.row(node % table.rows());
                    row[tree.feature[node] as usize] = cell;
                    cells.extend(row);
                }
            }
        }
        let x = MatrixView::from_rows(&cells, cells.len() / p, p).expect("rows");
        let predicted = model.predict(&x, &Silent).expect("predictions");
        let totals = explainer.predict_raw(&x, &Silent).expect("predictors");
        for (total, predicted) in totals.iter().zip(&predicted) {
            prop_assert!(close(*total, *predicted, 1.0, 1e-9), "{total} {predicted}");
        }
    }
}
