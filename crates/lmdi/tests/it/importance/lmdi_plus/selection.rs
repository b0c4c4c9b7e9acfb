//! The penalty search: fold errors recomputed fit by fit, rules recomputed from the errors, and the
//! folds that LMDI+ deals.

use crate::support::random_models::{Kind, Table, cases, close};
use lmdi::basis::{Basis, TreeRows};
use lmdi::forest::Tree;
use lmdi::glm::{
    Candidate, Family, GlmOptions, Grid, Measure, PenaltyChoice, Rule, Search, Strength, fit_glm,
};
use lmdi::importance::lmdi_plus::{FitOn, LmdiPlusOptions, Validation};
use lmdi::random::{below, generator, unit};
use proptest::prelude::*;

/// A search with made-up errors, some of them equal, some folds unusable.
fn random_search(seed: u64) -> Search {
    let mut random = generator(seed, 0);
    let n_folds = 2 + below(&mut random, 3);
    let grid = if below(&mut random, 2) == 0 {
        Grid::Alphas { count: 5, smallest: 1e-2 }
    } else {
        Grid::Inverse { count: 4, low: 1e-2, high: 1e2 }
    };
    let mut search = Search::new(&grid, &[0.1, 0.5, 0.9], 3.0, 10.0, n_folds);
    for weight in &mut search.fold_weight {
        *weight = f64::from(u8::from(below(&mut random, 5) > 0));
    }
    for candidate in 0..search.candidates.len() {
        for fold in 0..n_folds {
            search.record(candidate, fold, below(&mut random, 6) as f64 / 4.0);
        }
    }
    search
}

fn shrinkage(candidate: &Candidate) -> f64 {
    match candidate.strength {
        Strength::Alpha(alpha) => alpha,
        Strength::Inverse(c) => 1.0 / c,
    }
}

/// Mean over the usable folds, and its standard error.
fn mean_and_error(search: &Search, candidate: usize) -> (f64, f64) {
    let n_folds = search.fold_weight.len();
    let errors: Vec<f64> = (0..n_folds)
        .filter(|&fold| search.fold_weight[fold] > 0.0)
        .map(|fold| search.fold_error[candidate * n_folds + fold])
        .collect();
    let n = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / n;
    let spread = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>();
    (mean, if n < 2.0 { 0.0 } else { (spread / (n - 1.0) / n).sqrt() })
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn rules_pick_what_they_say(seed in any::<u64>()) {
        let search = random_search(seed);
        let all = 0..search.candidates.len();
        if search.fold_weight.iter().all(|&w| w == 0.0) {
            for rule in [Rule::Minimum, Rule::OneStandardError] {
                let chosen = search.candidates[search.choose(rule)];
                let strongest = search.candidates.iter()
                    .filter(|c| c.l1_ratio == chosen.l1_ratio).map(shrinkage).fold(0.0, f64::max);
                prop_assert_eq!(shrinkage(&chosen), strongest);
            }
            return Ok(());
        }
        let mean: Vec<f64> = all.clone().map(|c| mean_and_error(&search, c).0).collect();
        let smallest = mean.iter().copied().fold(f64::INFINITY, f64::min);
        let best = mean.iter().position(|&m| m == smallest).expect("a minimum");
        prop_assert_eq!(search.choose(Rule::Minimum), best);
        let limit = smallest + mean_and_error(&search, best).1;
        let chosen = search.choose(Rule::OneStandardError);
        prop_assert_eq!(search.candidates[chosen].l1_ratio, search.candidates[best].l1_ratio);
        prop_assert!(mean[chosen] <= limit + 1e-12);
        for other in all.filter(|&c| search.candidates[c].l1_ratio == search.candidates[best].l1_ratio) {
            if mean[other] <= limit - 1e-12 {
                prop_assert!(shrinkage(&search.candidates[other]) <= shrinkage(&search.candidates[chosen]));
            }
        }
    }
}

/// A table, a tree on it, weights and folds.
struct Problem {
    table: Table,
    tree: Tree,
    weight: Vec<f64>,
    fold: Vec<u32>,
    response: Vec<f64>,
}

impl Problem {
    fn new(seed: u64, family: Family) -> Self {
        let classes = if family == Family::Binomial { 2 } else { 0 };
        let table = Table::random(seed, classes);
        let tree = table.train(Kind::Forest { classes, bootstrap: true }, seed).trees.remove(0);
        let mut random = generator(seed, 9);
        let weight =
            (0..table.rows()).map(|_| [0.0, 1.0, 2.0, 0.3][below(&mut random, 4)]).collect();
        let fold = (0..table.rows()).map(|_| below(&mut random, 3) as u32).collect();
        let response = match family {
            Family::Gaussian => table.y.clone(),
            Family::Binomial => table.codes.iter().map(|&code| f64::from(code)).collect(),
            Family::Poisson => table.y.iter().map(|y| (2.0 * y.abs().min(4.0)).floor()).collect(),
        };
        Self { table, tree, weight, fold, response }
    }

    /// Fits, and gives what was fitted and the linear predictor of every row of the table.
    fn fit(&self, weight: &[f64], options: &GlmOptions) -> (lmdi::glm::GlmFit, Vec<f64>) {
        let x = self.table.x.view();
        let basis = Basis::of(&self.tree, &x, true);
        let leaves = self.tree.leaves_of(&x);
        let rows = TreeRows::new(&x, &basis, &leaves, weight, &self.fold, 3);
        let fit = fit_glm(&basis, &rows, &rows.gather(&self.response), options);
        let mut offset = Vec::new();
        basis.stumps.leaf_offsets(&fit.coefficients.stump, &mut offset);
        let eta = (0..self.table.rows())
            .map(|row| {
                let leaf = basis.stumps.leaf_of_tree_node[leaves[row] as usize] as usize;
                let raw = basis.raw.iter().zip(&fit.coefficients.raw).map(|(column, b)| {
                    b * column.value(self.table.x.column(column.feature as usize)[row])
                });
                fit.coefficients.intercept + offset[leaf] + raw.sum::<f64>()
            })
            .collect();
        (fit, eta)
    }
}

fn deviance(family: Family, y: f64, eta: f64) -> f64 {
    match family {
        Family::Gaussian => (y - eta).powi(2),
        Family::Binomial => 2.0 * ((1.0 + eta.exp()).ln() - y * eta),
        Family::Poisson => {
            let saturated = if y > 0.0 { y - y * y.ln() } else { 0.0 };
            2.0 * (eta.exp() - y * eta - saturated)
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// Each candidate fitted on its own, without the fold, gives the recorded error: to 5 %, since fits of
    /// nearly equal objective may still differ on held-out rows. Labels may differ where the predictor
    /// is near 0.
    #[test]
    fn fold_errors_are_those_of_separate_fits(
        seed in any::<u64>(),
        family in prop_oneof![Just(Family::Gaussian), Just(Family::Binomial), Just(Family::Poisson)],
        accuracy in any::<bool>(),
    ) {
        let problem = Problem::new(seed, family);
        let mut random = generator(seed, 5);
        let strengths = (0..4).map(|_| {
            // Not so weak that the loss is flat to rounding along columns that are nearly alike.
            let size = 10_f64.powf(2.5 * unit(&mut random) - 1.5);
            if family == Family::Binomial { Strength::Inverse(1.0 / size) } else { Strength::Alpha(size) }
        });
        let accuracy = accuracy && family == Family::Binomial;
        let options = GlmOptions::reference(family)
            .with_penalty(PenaltyChoice::CrossValidated {
                l1_ratios: vec![0.2, 0.9],
                grid: Grid::Given(strengths.collect()),
            })
            .with_measure(if accuracy { Measure::Accuracy } else { Measure::Deviance })
            .with_search_tolerance(1e-9)
            .with_tolerance(1e-11);
        let (fit, _) = problem.fit(&problem.weight, &options);
        let Some(search) = fit.search else { return Ok(()) };
        let usable: Vec<usize> = (0..3).filter(|&fold| search.fold_weight[fold] > 0.0).collect();
        for &fold in &usable {
            let held_out = |row: &usize| problem.fold[*row] as usize == fold && problem.weight[*row] > 0.0;
            let rows: Vec<usize> = (0..problem.table.rows()).filter(held_out).collect();
            let weight: f64 = rows.iter().map(|&row| problem.weight[row]).sum();
            prop_assert!(weight > 0.0);
            let training: Vec<f64> = (0..problem.table.rows())
                .map(|row| if held_out(&row) { 0.0 } else { problem.weight[row] }).collect();
            for (index, candidate) in search.candidates.iter().enumerate() {
                let &Candidate { strength, l1_ratio } = candidate;
                let alone = options.clone().with_penalty(PenaltyChoice::Fixed { strength, l1_ratio });
                let (_, eta) = problem.fit(&training, &alone);
                let found = search.fold_error[index * 3 + fold];
                let mean_of = |error: &dyn Fn(usize) -> f64| {
                    rows.iter().map(|&row| problem.weight[row] * error(row)).sum::<f64>() / weight
                };
                if accuracy {
                    let want = mean_of(&|row| f64::from(u8::from((eta[row] > 0.0) != (problem.response[row] > 0.5))));
                    let unsure = mean_of(&|row| f64::from(u8::from(eta[row].abs() < 1e-2)));
                    prop_assert!((found - want).abs() <= unsure + 1e-12, "{candidate:?}, fold {fold}: {found} {want}");
                } else {
                    let want = mean_of(&|row| deviance(family, problem.response[row], eta[row]));
                    prop_assert!(close(found, want, 0.05, 0.05), "{candidate:?}, fold {fold}: {found} {want}");
                }
            }
        }
        if !usable.is_empty() {
            let chosen = fit.chosen.expect("a penalty");
            prop_assert_eq!(chosen, search.candidates[search.choose(Rule::Minimum)]);
        }
    }

    /// With out-of-bag validation the penalty of a tree is the one whose fit to the in-bag rows alone predicts the
    /// out-of-bag rows best: no other candidate's separate fit is better by more than 5 %, since fits of nearly equal
    /// objective may still differ on those rows.
    #[test]
    fn out_of_bag_rows_judge_penalties(
        seed in any::<u64>(), classes in prop_oneof![Just(0_usize), Just(2)], once in any::<bool>(),
    ) {
        let mut table = Table::random(seed, classes);
        table.weights = None;
        let n = table.rows();
        let family = if classes == 0 { Family::Gaussian } else { Family::Binomial };
        let model = table.train(Kind::Forest { classes, bootstrap: true }, seed);
        let strengths = [3.0, 1.0, 0.3, 0.1]
            .map(|size| if classes == 0 { Strength::Alpha(size) } else { Strength::Inverse(1.0 / size) });
        let penalty = PenaltyChoice::CrossValidated { l1_ratios: vec![0.2, 0.9], grid: Grid::Given(strengths.to_vec()) };
        let fit_on = if once { FitOn::Uniform } else { FitOn::All };
        let accurate = LmdiPlusOptions::data().with_fit_on(Some(fit_on)).with_raw_scale(1.0).with_scale_target(false).with_search_tolerance(1e-9).with_tolerance(1e-11);
        let explainer = table.explain(&model, &accurate.clone().with_penalty(Some(penalty.clone())).with_validation(Some(Validation::OutOfBag)));
        let left_to_it = table.explain(&model, &accurate.with_penalty(Some(penalty)));
        let response: Vec<f64> =
            if classes == 0 { table.y.clone() } else { table.codes.iter().map(|&c| f64::from(c)).collect() };
        for ((tree, fitted), again) in model.trees.iter().zip(explainer.trees()).zip(left_to_it.trees()) {
            prop_assert_eq!(fitted.fits[0].chosen, again.fits[0].chosen);
            let in_bag = tree.in_bag.as_ref().expect("a bootstrap");
            let out_of_bag: Vec<usize> = (0..n).filter(|&row| in_bag.count(row) == 0).collect();
            let most = if once { 1 } else { u32::MAX };
            let trained: Vec<f64> = (0..n).map(|row| f64::from(in_bag.count(row).min(most))).collect();
            let one_class = (0..n).filter(|&row| trained[row] > 0.0).map(|row| response[row]);
            let (low, high) = one_class.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
            if out_of_bag.is_empty() || low == high {
                continue;
            }
            let problem = Problem {
                table: table.clone(), tree: tree.clone(), weight: trained.clone(), fold: vec![0; n], response: response.clone(),
            };
            let error = |strength: Strength, l1_ratio: f64| {
                let alone = GlmOptions::reference(family)
                    .with_penalty(PenaltyChoice::Fixed { strength, l1_ratio })
                    .with_tolerance(1e-11);
                let (_, eta) = problem.fit(&trained, &alone);
                out_of_bag.iter().map(|&row| deviance(family, response[row], eta[row])).sum::<f64>()
            };
            let chosen = fitted.fits[0].chosen.expect("a penalty");
            let own = error(chosen.strength, chosen.l1_ratio);
            for strength in strengths {
                for l1_ratio in [0.2, 0.9] {
                    let other = error(strength, l1_ratio);
                    prop_assert!(own <= 1.05 * other + 1e-9, "{chosen:?} {own}, {strength:?} {l1_ratio} {other}");
                }
            }
        }
    }

    /// LMDI+ cuts rows in order into three blocks, the first ones longer; rows of each class likewise,
    /// dealt so that folds have nearly equal sizes.
    #[test]
    fn folds_are_blocks_of_rows(seed in any::<u64>(), classes in prop_oneof![Just(0_usize), Just(2)]) {
        let mut table = Table::random(seed, classes);
        table.weights = None;
        let n = table.rows();
        let model = table.train(Kind::Forest { classes, bootstrap: true }, seed);
        let explainer = table.explain(&model, &LmdiPlusOptions::paper().with_fit_on(Some(FitOn::Uniform)));
        let mut fold = vec![0_u32; n];
        if classes == 0 {
            let longer = n % 3 * (n / 3 + 1);
            for (row, fold) in fold.iter_mut().enumerate() {
                *fold = if row < longer { row / (n / 3 + 1) } else { n % 3 + (row - longer) / (n / 3) } as u32;
            }
        } else {
            // Rows sorted by class, in order of appearance, are dealt like cards: how many of a class
            // each fold gets. The first rows of the class go to the first fold, and so on.
            let first = table.codes[0];
            let mut position = 0;
            for class in [first, 1 - first] {
                let members: Vec<usize> = (0..n).filter(|&row| table.codes[row] == class).collect();
                let mut folds: Vec<u32> = (position..position + members.len()).map(|at| (at % 3) as u32).collect();
                position += members.len();
                folds.sort_unstable();
                for (row, of) in members.into_iter().zip(folds) {
                    fold[row] = of;
                }
            }
        }
        let family = if classes == 0 { Family::Gaussian } else { Family::Binomial };
        let response = if classes == 0 { table.y.clone() } else { table.codes.iter().map(|&c| f64::from(c)).collect() };
        for (tree, fitted) in model.trees.iter().zip(explainer.trees()) {
            let problem = Problem {
                table: table.clone(), tree: tree.clone(), weight: vec![1.0; n], fold: fold.clone(), response: response.clone(),
            };
            let (fit, _) = problem.fit(&problem.weight, &GlmOptions::reference(family));
            let [own, theirs] = [fit.chosen, fitted.fits[0].chosen].map(|chosen| chosen.expect("a penalty"));
            // Their grids begin at the largest of several sums, which were added in another order.
            let [strength, same] = [own, theirs].map(|chosen| match chosen.strength {
                Strength::Alpha(strength) | Strength::Inverse(strength) => strength,
            });
            prop_assert_eq!(own.l1_ratio, theirs.l1_ratio);
            prop_assert!((strength - same).abs() <= 1e-12 * same, "{own:?}, {theirs:?}");
        }
    }
}
