//! The errors of all penalties, tree by tree, judged on several kinds of rows.

use super::rule::{Judges, Rule, Weights};
use crate::data::{Answers, Part};
use lmdi::basis::{Basis, TreeRows, leaf_nodes};
use lmdi::forest::Ensemble;
use lmdi::forest::routing::Router;
use lmdi::glm::{
    Candidate, Family, GlmFit, GlmOptions, PenaltyChoice, Rule as Winner, Search, Strength, fit_glm,
};
use lmdi::table::{MatrixView, contiguous_folds, stratified_folds};

const FOLDS: usize = 3;

/// Every tree's basis and rows.
pub struct Trees<'t> {
    pub x: MatrixView<'t>,
    pub all: Vec<TreeData>,
    response: Vec<f64>,
    /// Its standard deviation.
    pub deviation: f64,
    /// The paper's folds.
    fold: Vec<u32>,
}

/// One tree's basis and rows.
pub struct TreeData {
    pub basis: Basis,
    leaves: Vec<u32>,
    /// How often each row was drawn.
    drawn: Vec<f64>,
}

impl TreeData {
    /// How much each row counts.
    fn weights(&self, weights: Weights) -> Vec<f64> {
        let weight = |&drawn: &f64| match weights {
            Weights::Drawn => drawn.max(1.0),
            Weights::Once => 1.0,
            Weights::OutOfBag => f64::from(u8::from(drawn == 0.0)),
        };
        self.drawn.iter().map(weight).collect()
    }
}

impl<'t> Trees<'t> {
    pub fn new(ensemble: &Ensemble, train: &'t Part) -> Self {
        let x = train.view();
        let router = Router::new(ensemble);
        let all = ensemble.trees.iter().enumerate().map(|(index, tree)| {
            let drawn: Vec<f64> = (0..x.rows())
                .map(|row| tree.in_bag.as_ref().map_or(1.0, |in_bag| f64::from(in_bag.count(row))))
                .collect();
            TreeData {
                basis: Basis::on_sample(tree, &x, true, |row| drawn[row]),
                leaves: leaf_nodes(&router, index, &x),
                drawn,
            }
        });
        let (response, fold) = match &train.answers {
            Answers::Numbers(y) => (y.clone(), contiguous_folds(y.len(), FOLDS)),
            Answers::Classes(codes) => (
                codes.iter().map(|&code| f64::from(code)).collect(),
                stratified_folds(codes, FOLDS),
            ),
        };
        let n = response.len() as f64;
        let mean = response.iter().sum::<f64>() / n;
        let deviation = (response.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / n).sqrt();
        Self { x, all: all.collect(), response, deviation, fold }
    }

    /// Fits a tree to all rows, which belong to these folds.
    pub fn fit(
        &self,
        tree: &TreeData,
        rule: &Rule,
        fold: &[u32],
        n_folds: usize,
        options: &GlmOptions,
    ) -> GlmFit {
        let weight = tree.weights(rule.weights);
        let rows =
            TreeRows::new(&self.x, &tree.basis, &tree.leaves, &weight, fold, n_folds).keep_raw();
        let mut response = rows.gather(&self.response);
        if rule.unit_free {
            response.iter_mut().for_each(|y| *y /= self.deviation);
        }
        fit_glm(&tree.basis, &rows, &response, options)
    }

    /// The fold of every row; the number of folds for rows that are never held out.
    fn folds(&self, tree: &TreeData, judges: Judges) -> (Vec<u32>, usize) {
        let dealt = |n_folds: usize, of: &dyn Fn(usize) -> u32| {
            let fold =
                |(row, &drawn): (usize, &f64)| if drawn > 0.0 { n_folds as u32 } else { of(row) };
            (tree.drawn.iter().enumerate().map(fold).collect(), n_folds)
        };
        match judges {
            Judges::Folds => (self.fold.clone(), FOLDS),
            Judges::OutOfBag => dealt(1, &|_| 0),
            Judges::OutOfBagFolds => dealt(FOLDS, &|row| self.fold[row]),
        }
    }
}

/// The errors of all penalties of all trees.
pub struct Judged {
    of: Rule,
    searches: Vec<Search>,
}

impl Judged {
    /// Judges every penalty of the reference's grid.
    pub fn new(trees: &Trees<'_>, rule: &Rule) -> Self {
        let options = GlmOptions::reference(rule.family)
            .with_measure(rule.measure)
            // With this rule every candidate is solved, not only those near the minimum.
            .with_rule(Winner::OneStandardError)
            // Only the errors are read.
            .with_tolerance(1e-2);
        let search = |tree: &TreeData| {
            let (fold, n_folds) = trees.folds(tree, rule.judges);
            trees.fit(tree, rule, &fold, n_folds, &options).search
        };
        let searches = trees.all.iter().filter_map(search).collect();
        Self { of: *rule, searches }
    }

    /// Whether these errors serve a rule.
    pub fn is_for(&self, rule: &Rule) -> bool {
        let fitted =
            |rule: &Rule| (rule.judges, rule.weights, rule.unit_free, rule.family, rule.measure);
        fitted(&self.of) == fitted(rule)
    }

    /// The penalty of every tree under a rule.
    pub fn choose(&self, rule: &Rule) -> Vec<Candidate> {
        let of_forest = rule.whole_forest.then(|| self.summed().choose(rule.winner));
        let own = |search: &Search| {
            let chosen = search.candidates[of_forest.unwrap_or_else(|| search.choose(rule.winner))];
            let strength = match chosen.strength {
                Strength::Alpha(alpha) => Strength::Alpha(alpha * rule.factor),
                Strength::Inverse(c) => Strength::Inverse(c / rule.factor),
            };
            Candidate { strength, ..chosen }
        };
        self.searches.iter().map(own).collect()
    }

    /// The errors of each place on the grid, added over trees. Folds that a tree could not use are
    /// left out of its sum.
    fn summed(&self) -> Search {
        let mut sum = self.searches[0].clone();
        sum.fold_error.fill(0.0);
        sum.fold_weight.fill(0.0);
        for search in &self.searches {
            let n_folds = search.fold_weight.len();
            for (at, (sum, error)) in sum.fold_error.iter_mut().zip(&search.fold_error).enumerate()
            {
                if search.fold_weight[at % n_folds] > 0.0 {
                    *sum += error;
                }
            }
            for (sum, weight) in sum.fold_weight.iter_mut().zip(&search.fold_weight) {
                *sum = sum.max(*weight);
            }
        }
        sum
    }
}

/// The options of a fit at one penalty.
pub fn at_penalty(family: Family, candidate: Candidate) -> GlmOptions {
    let Candidate { strength, l1_ratio } = candidate;
    GlmOptions::reference(family).with_penalty(PenaltyChoice::Fixed { strength, l1_ratio })
}
