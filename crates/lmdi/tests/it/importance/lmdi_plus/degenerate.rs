//! Cases at the edge, each with the answer that NUMERICS.md states for it. All scores are finite, all
//! scores add up, and no fit runs for long.

use crate::support::random_models::{Kind, Table};
use lmdi::forest::train::{ForestParams, TrainingSet, train_forest};
use lmdi::forest::{Ensemble, InBag};
use lmdi::glm::{Family, PenaltyChoice};
use lmdi::importance::Scores;
use lmdi::importance::TreeSubset;
use lmdi::importance::lmdi_plus::{FitOn, FitTo, LmdiPlus, LmdiPlusOptions, Validation};
use lmdi::monitor::Silent;
use lmdi::random::{generator, unit};

const BAGGED: Kind = Kind::Forest { classes: 0, bootstrap: true };

/// Sweeps or Newton steps that no fit of these small tables may reach.
const TOO_MANY: usize = 2000;

/// Uniform numbers.
fn noise(n: usize, stream: u64) -> Vec<f64> {
    let mut random = generator(17, stream);
    (0..n).map(|_| unit(&mut random) - 0.5).collect()
}

/// Fits, checks what must hold in every case, and gives the explainer and its scores.
fn explained(table: &Table, model: &Ensemble, options: &LmdiPlusOptions) -> (LmdiPlus, Scores) {
    let explainer = table.explain(model, options);
    let scores = table.score(&explainer, TreeSubset::All, false);
    assert!(scores.values.iter().chain(&scores.base).all(|score| score.is_finite()));
    let totals = explainer.predict_raw(&table.x.view(), &Silent).expect("predictors");
    for (at, total) in totals.iter().enumerate() {
        let (row, output) = (at / scores.n_outputs, at % scores.n_outputs);
        assert_eq!(*total, scores.total(row, output));
    }
    for fit in explainer.trees().iter().flat_map(|tree| &tree.fits) {
        assert!(fit.iterations < TOO_MANY, "{fit:?}");
        assert!(!fit.gap.is_nan());
    }
    (explainer, scores)
}

/// Those that fit trees to the response.
fn to_the_response() -> impl Iterator<Item = LmdiPlusOptions> {
    all_options().into_iter().filter(|options| options.fit_to == FitTo::Response)
}

/// All presets, the three steps before the paper's, out-of-bag rows alone, and a gaussian fit.
fn all_options() -> Vec<LmdiPlusOptions> {
    let mut options: Vec<LmdiPlusOptions> =
        (1..=4).map(|step| LmdiPlusOptions::ablation(step).expect("a step")).collect();
    options.push(LmdiPlusOptions::paper().with_fit_on(Some(FitOn::OutOfBag)));
    options.push(LmdiPlusOptions::paper().with_family(Some(Family::Gaussian)));
    options.push(LmdiPlusOptions::data());
    options.push(LmdiPlusOptions::model());
    options
}

fn assert_near(found: f64, want: f64, tolerance: f64) {
    assert!((found - want).abs() <= tolerance, "found {found}, expected {want}");
}

/// A constant response grows single leaves: no feature is used, the base is the mean.
#[test]
fn single_leaf_trees_score_nothing() {
    let table = Table::numeric(vec![noise(20, 0), noise(20, 1)], vec![3.25; 20]);
    let model = table.train(BAGGED, 1);
    assert!(model.trees.iter().all(|tree| tree.n_nodes() == 1));
    for options in all_options() {
        let (explainer, scores) = explained(&table, &model, &options);
        assert!(scores.values.iter().all(|&score| score == 0.0));
        assert!(scores.base.iter().all(|&base| (base - 3.25).abs() < 1e-12));
        assert_eq!(explainer.n_unconverged(), 0);
        let ranks = explainer.rank_by_rank(&table.x.view(), &Silent).expect("ranks");
        assert!(ranks.iter().all(|&rank| rank == 0.0));
    }
}

/// A response that is constant only now, beside trees that were grown on another: all slopes are zero.
#[test]
fn a_constant_response_moves_no_score() {
    let grown = Table::numeric(vec![noise(30, 0), noise(30, 1)], noise(30, 2));
    let model = grown.train(BAGGED, 1);
    for level in [0.0, 0.1, 1e12] {
        let table = Table { y: vec![level; 30], ..grown.clone() };
        for options in to_the_response() {
            let (_, scores) = explained(&table, &model, &options);
            for row in 0..30 {
                assert_near(scores.total(row, 0), level, 1e-9 * level);
            }
            assert!(scores.values.iter().all(|score| score.abs() <= 1e-9 * level));
        }
    }
}

/// A constant feature is never split on, a repeated one shares: together they score what one does.
#[test]
fn constant_and_repeated_columns() {
    let x = noise(40, 0);
    let y: Vec<f64> = x.iter().zip(noise(40, 3)).map(|(x, e)| 2.0 * x + 0.2 * e).collect();
    let table = Table::numeric(vec![x.clone(), vec![7.0; 40], x], y);
    let model = table.train(BAGGED, 3);
    for options in all_options() {
        let (_, scores) = explained(&table, &model, &options);
        for row in 0..40 {
            assert_eq!(scores.get(row, 1, 0), 0.0);
        }
        let mean = scores.mean_absolute(0);
        assert!(mean[0] + mean[2] > 0.1);
    }
}

#[test]
fn more_columns_than_rows() {
    let columns: Vec<Vec<f64>> = (0..60).map(|stream| noise(12, stream)).collect();
    let y = columns[0].iter().zip(&columns[5]).map(|(a, b)| a - b).collect();
    let table = Table::numeric(columns.clone(), y);
    let model = table.train(BAGGED, 3);
    let codes = columns[0].iter().map(|&x| u32::from(x > 0.0)).collect();
    let classes = Table::classes(columns, codes, 2);
    let forest = classes.train(Kind::Forest { classes: 2, bootstrap: true }, 3);
    for options in all_options() {
        explained(&table, &model, &options);
        explained(&classes, &forest, &options);
    }
}

#[test]
fn five_rows() {
    for seed in 0..20 {
        let table =
            Table::numeric(vec![noise(5, seed), noise(5, seed + 100)], noise(5, seed + 200));
        let model = table.train(BAGGED, seed);
        let classes = Table::classes(vec![noise(5, seed)], vec![0, 1, 0, 1, 1], 2);
        let forest = classes.train(Kind::Forest { classes: 2, bootstrap: true }, seed);
        for options in all_options() {
            explained(&table, &model, &options);
            explained(&classes, &forest, &options);
        }
    }
}

/// A class with one member is missing from the training rows of one fold, and from some bootstrap
/// samples altogether: the fold is left out, and a fit of one class alone is a constant.
#[test]
fn a_class_with_one_member() {
    let x = noise(30, 0);
    let codes: Vec<u32> =
        (0..30).map(|row| if row == 4 { 2 } else { u32::from(x[row] > 0.0) }).collect();
    let table = Table::classes(vec![x, noise(30, 1)], codes, 3);
    let model = table.train(Kind::Forest { classes: 3, bootstrap: true }, 5);
    for options in all_options() {
        explained(&table, &model, &options);
    }
    let mut random = generator(3, 0);
    let rare: Vec<u32> = (0..400).map(|row| u32::from(row == 7)).collect();
    let columns = vec![(0..400).map(|_| unit(&mut random)).collect(), noise(400, 1)];
    let table = Table::classes(columns, rare, 2);
    let model = table.train(Kind::Forest { classes: 2, bootstrap: true }, 5);
    for options in all_options() {
        explained(&table, &model, &options);
    }
}

/// Only one class among the rows that are fitted: log-odds of the class's share, kept within 1e-12 of
/// certainty, and no score.
#[test]
fn one_class_alone_is_a_constant() {
    let x: Vec<f64> = (0..20).map(f64::from).collect();
    let codes: Vec<u32> = (0..20).map(|row| u32::from(row >= 10)).collect();
    let mut table = Table::classes(vec![x], codes, 2);
    let model = table.train(Kind::Forest { classes: 2, bootstrap: false }, 0);
    table.weights = Some((0..20).map(|row| f64::from(u8::from(row >= 10))).collect());
    let (_, scores) = explained(&table, &model, &LmdiPlusOptions::paper());
    assert!(scores.values.iter().all(|&score| score == 0.0));
    assert_near(scores.base[0], (1e12_f64 - 1.0).ln(), 1e-3);
}

/// Without a penalty no minimum exists: the fit stops once next to nothing is left to gain, after a
/// few dozen steps, with finite scores that separate the classes.
#[test]
fn separable_classes_without_penalty() {
    for n in [6, 30, 200] {
        let x = noise(n, 0);
        let codes = x.iter().map(|&x| u32::from(x > 0.1)).collect();
        let table = Table::classes(vec![x.clone(), noise(n, 1)], codes, 2);
        let model = table.train(Kind::Forest { classes: 2, bootstrap: true }, 2);
        for options in all_options() {
            explained(&table, &model, &options);
        }
        for step in [2, 3] {
            let (explainer, scores) =
                explained(&table, &model, &LmdiPlusOptions::ablation(step).expect("a step"));
            let fits = || explainer.trees().iter().flat_map(|tree| &tree.fits);
            assert!(fits().all(|fit| fit.iterations < 100));
            if n == 200 {
                let right =
                    (0..n).filter(|&row| (scores.total(row, 0) > 0.0) == (x[row] > 0.1)).count();
                assert!(right > 190, "{right} of {n} rows");
            }
        }
    }
}

/// Multiplying a column by any factor changes no score, as long as 32 bits hold its cells.
#[test]
fn scales_of_features_do_not_matter() {
    let n = 60;
    let columns: Vec<Vec<f64>> = (0..4).map(|stream| noise(n, stream)).collect();
    let y: Vec<f64> =
        (0..n).map(|row| columns[0][row] - columns[1][row] + 0.5 * columns[2][row]).collect();
    let powers = [-40, 40, 0, 20];
    let scaled: Vec<Vec<f64>> = columns
        .iter()
        .zip(powers)
        .map(|(column, power)| column.iter().map(|x| x * 2.0_f64.powi(power)).collect())
        .collect();
    let codes: Vec<u32> = y.iter().map(|&y| u32::from(y > 0.0)).collect();
    // Values closer than 1e-7 count as equal to the trainer, so the trees are carried over.
    let plain = Table::numeric(columns.clone(), y.clone());
    let model = plain.train(BAGGED, 4);
    let classes = Table::classes(columns, codes.clone(), 2);
    let forest = classes.train(Kind::Forest { classes: 2, bootstrap: true }, 4);
    for (table, model, wide) in [
        (&plain, &model, Table::numeric(scaled.clone(), y)),
        (&classes, &forest, Table::classes(scaled.clone(), codes, 2)),
    ] {
        let mut carried = model.clone();
        for tree in &mut carried.trees {
            for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)).collect::<Vec<_>>()
            {
                tree.threshold[node] *= 2.0_f64.powi(powers[tree.feature[node] as usize]);
            }
        }
        for options in all_options() {
            let (_, before) = explained(table, model, &options);
            let (_, after) = explained(&wide, &carried, &options);
            let size = before.values.iter().fold(0.0_f64, |size, score| size.max(score.abs()));
            for (before, after) in before.values.iter().zip(&after.values) {
                assert_near(*after, *before, 1e-9 * size);
            }
        }
        // Trained on the scaled columns themselves.
        let own = wide.train(
            if wide.n_classes == 0 { BAGGED } else { Kind::Forest { classes: 2, bootstrap: true } },
            4,
        );
        for options in all_options() {
            explained(&wide, &own, &options);
        }
    }
}

/// An offset of the response goes to the base, to 1e-3 of the largest score at an offset of 1e9. Without
/// a penalty scores scale with the response. With one they do not, because the squared part of the
/// elastic net grows with the grid of alphas; they stay finite.
#[test]
fn scales_of_the_response() {
    let n = 60;
    let columns: Vec<Vec<f64>> = (0..3).map(|stream| noise(n, stream)).collect();
    let y: Vec<f64> = (0..n).map(|row| columns[0][row] - columns[1][row]).collect();
    let plain = Table::numeric(columns.clone(), y.clone());
    let model = plain.train(BAGGED, 4);
    for (factor, offset, tolerance) in [(1e-12, 0.0, 1e-7), (1e12, 0.0, 1e-7), (1.0, 1e9, 1e-3)] {
        let changed: Vec<f64> = y.iter().map(|y| offset + factor * y).collect();
        let table = Table::numeric(columns.clone(), changed);
        for options in all_options() {
            let (_, before) = explained(&plain, &model, &options);
            let (_, after) = explained(&table, &model, &options);
            if factor != 1.0 && options.penalty.is_none() {
                continue;
            }
            let size = before.values.iter().fold(0.0_f64, |size, score| size.max(score.abs()));
            for (before, after) in before.values.iter().zip(&after.values) {
                assert_near(after / factor, *before, tolerance * size);
            }
        }
    }
}

/// Rows of weight zero take no part, be they a leaf's, a fold's or scattered.
#[test]
fn weights_of_zero_are_rows_left_out() {
    let n = 48;
    let columns: Vec<Vec<f64>> = (0..3).map(|stream| noise(n, stream)).collect();
    let y: Vec<f64> = (0..n).map(|row| columns[0][row] - columns[1][row]).collect();
    let plain = Table::numeric(columns.clone(), y.clone());
    let model = plain.train(Kind::Forest { classes: 0, bootstrap: false }, 4);
    let leaf = model.trees[0].leaf_of(&plain.row(0));
    let in_leaf: Vec<bool> =
        (0..n).map(|row| model.trees[0].leaf_of(&plain.row(row)) == leaf).collect();
    let left_out: [&dyn Fn(usize) -> bool; 4] =
        [&|row| in_leaf[row], &|row| row < n / 3, &|row| row % 3 == 0, &|row| row > 0];
    for gone in left_out {
        let table = Table {
            weights: Some((0..n).map(|row| f64::from(u8::from(!gone(row)))).collect()),
            ..plain.clone()
        };
        // Whatever their response.
        let wild = Table {
            y: (0..n).map(|row| if gone(row) { 1e6 } else { y[row] }).collect(),
            ..table.clone()
        };
        for options in [
            LmdiPlusOptions::default(),
            LmdiPlusOptions::paper(),
            LmdiPlusOptions::paper().with_penalty(Some(PenaltyChoice::None)),
        ] {
            let (calm, before) = explained(&table, &model, &options);
            let (other, after) = explained(&wild, &model, &options);
            assert_eq!(calm.trees(), other.trees());
            assert_eq!(before, after);
        }
    }
    let none = Table { weights: Some(vec![0.0; n]), ..plain.clone() };
    let refused = LmdiPlus::fit(&model, &none.set(), &LmdiPlusOptions::paper(), &Silent);
    assert!(refused.is_err());
}

/// A column without any cell is never used. One whose cells are all missing in the bag, or constant
/// there, has no raw part: only the side that the tree sends its rows to counts.
#[test]
fn missing_columns() {
    let n = 40;
    let x = noise(n, 0);
    let y: Vec<f64> = x.iter().map(|x| if *x > 0.0 { 1.0 } else { -1.0 }).collect();
    let table = Table::numeric(vec![x.clone(), vec![f64::NAN; n]], y.clone());
    let model = table.train(BAGGED, 2);
    for options in all_options() {
        let (_, scores) = explained(&table, &model, &options);
        assert!((0..n).all(|row| scores.get(row, 1, 0) == 0.0));
    }
    // Cells missing for some rows, which are out of the bag of every tree.
    let counts: Vec<u32> = (0..n).map(|row| u32::from(row % 4 != 0)).collect();
    let weights: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
    for cells in [
        (0..n).map(|row| if row % 4 == 0 { f64::NAN } else { x[row] }).collect::<Vec<f64>>(),
        (0..n).map(|row| if row % 4 == 0 { x[row] } else { f64::NAN }).collect(),
    ] {
        let table = Table::numeric(vec![cells, noise(n, 1)], y.clone());
        let set = TrainingSet { weights: Some(&weights), ..table.set() };
        let params = ForestParams::regression().with_n_trees(3).with_bootstrap(false);
        let mut model = train_forest(&set, &params, &Silent).expect("a forest");
        for tree in &mut model.trees {
            tree.in_bag = Some(InBag::from_counts(counts.clone()));
        }
        for options in all_options() {
            explained(&table, &model, &options);
            let explainer = table.explain(&model, &options);
            let unseen = table.score(&explainer, TreeSubset::OutOfBag(&model), true);
            for row in 0..n {
                assert_eq!(unseen.row(row).iter().any(|score| score.is_nan()), row % 4 != 0);
            }
        }
    }
}

/// Out-of-bag rows may miss leaves; splits between rows that are not there get no slope. A model
/// without bootstrap has no out-of-bag row, and a bag of all rows leaves nothing to fit.
#[test]
fn few_or_no_out_of_bag_rows() {
    let n = 30;
    let table = Table::numeric(vec![noise(n, 0), noise(n, 1)], noise(n, 2));
    let model = table.train(Kind::Forest { classes: 0, bootstrap: false }, 2);
    let out_of_bag = LmdiPlusOptions::paper().with_fit_on(Some(FitOn::OutOfBag));
    let fit = |model: &Ensemble| LmdiPlus::fit(model, &table.set(), &out_of_bag, &Silent);
    assert!(fit(&model).expect_err("no counts").to_string().contains("fit_on"));
    let mut bagged = model.clone();
    for tree in &mut bagged.trees {
        tree.in_bag = Some(InBag::from_counts(vec![1; n]));
    }
    for penalty in [None, Some(PenaltyChoice::None)] {
        let options = out_of_bag.clone().with_penalty(penalty);
        let (_, scores) = explained(&table, &bagged, &options);
        assert!(scores.values.iter().all(|&score| score == 0.0));
        assert!(scores.base.iter().all(|&base| base == 0.0));
    }
    let explainer = table.explain(&bagged, &LmdiPlusOptions::paper());
    let unseen = table.score(&explainer, TreeSubset::OutOfBag(&bagged), false);
    assert!(unseen.values.iter().chain(&unseen.base).all(|score| score.is_nan()));
    for tree in &mut bagged.trees {
        tree.in_bag = Some(InBag::from_counts((0..n).map(|row| u32::from(row != 3)).collect()));
    }
    let (_, scores) = explained(&table, &bagged, &out_of_bag);
    assert!(scores.values.iter().all(|&score| score == 0.0), "one row has nothing to compare");
    assert_near(scores.base[0], table.y[3], 1e-12);
}

/// Rows that the model was not trained on, more than there are counts: every row counts once, and folds judge.
#[test]
fn other_rows_than_those_of_the_bags() {
    let of = |n| Table::numeric(vec![noise(n, 0), noise(n, 1)], noise(n, 0));
    let model = of(30).train(BAGGED, 2);
    let mut plain = model.clone();
    plain.trees.iter_mut().for_each(|tree| tree.in_bag = None);
    let options = LmdiPlusOptions::default().with_validation(Some(Validation::Folds));
    for n in [20, 50] {
        let (explainer, _) = explained(&of(n), &model, &options);
        assert_eq!(explainer.trees(), explained(&of(n), &plain, &options).0.trees());
    }
}

#[test]
fn counts_with_zeros() {
    let n = 60;
    let x = noise(n, 0);
    let counts = [
        x.iter().map(|x| (6.0 * x).max(0.0).floor()).collect::<Vec<f64>>(),
        vec![0.0; n],
        (0..n).map(|row| if row == 5 { 1000.0 } else { 0.0 }).collect(),
    ];
    for y in counts {
        let grown = Table::numeric(vec![x.clone(), noise(n, 1)], x.clone());
        let model = grown.train(BAGGED, 2);
        let table = Table { y, ..grown };
        for options in to_the_response() {
            let options = options.with_family(Some(Family::Poisson));
            explained(&table, &model, &options);
        }
    }
    let negative = Table::numeric(vec![x.clone()], x.clone());
    let model = negative.train(BAGGED, 2);
    let options = LmdiPlusOptions::paper().with_family(Some(Family::Poisson));
    let refused = LmdiPlus::fit(&model, &negative.set(), &options, &Silent);
    assert!(refused.expect_err("negative counts").to_string().contains("poisson"));
}

/// One tree has no spread over trees.
#[test]
fn one_tree() {
    let table = Table::numeric(vec![noise(30, 0)], noise(30, 1));
    let mut model = table.train(BAGGED, 2);
    model.trees.truncate(1);
    let (explainer, _) = explained(&table, &model, &LmdiPlusOptions::paper());
    let scores = table.score(&explainer, TreeSubset::All, true);
    assert!(scores.standard_error.expect("asked for").iter().all(|error| error.is_nan()));
}
