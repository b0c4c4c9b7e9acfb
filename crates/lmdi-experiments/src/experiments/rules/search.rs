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
    deviation: f64,
    /// The paper's folds.
    fold: Vec<u32>,
}

/// One tree's basis and rows.
pub struct TreeData {
    basis: Basis,
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

    /// The columns of a tree under a rule.
    pub fn basis(&self, tree: &TreeData, rule: &Rule) -> Basis {
        let weight = tree.weights(rule.weights);
        rule.columns.scale(&tree.basis, &self.x, &tree.leaves, &weight)
    }

    /// Fits a tree with these columns to all rows, which belong to these folds.
    pub fn fit(
        &self,
        tree: &TreeData,
        basis: &Basis,
        rule: &Rule,
        (fold, n_folds): (&[u32], usize),
        options: &GlmOptions,
    ) -> GlmFit {
        let weight = tree.weights(rule.weights);
        let rows = TreeRows::new(&self.x, basis, &tree.leaves, &weight, fold, n_folds).keep_raw();
        let mut response = rows.gather(&self.response);
        if rule.unit_free {
            response.iter_mut().for_each(|y| *y /= self.deviation);
        }
        let mut fit = fit_glm(basis, &rows, &response, options);
        if rule.unit_free {
            fit.coefficients.scale(self.deviation);
        }
        fit
    }

    /// The fold of every row; the number of folds for rows that are never held out.
    pub fn folds(&self, tree: &TreeData, judges: Judges) -> (Vec<u32>, usize) {
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
        let options = rule
            .search()
            // With this rule every candidate is solved, not only those near the minimum.
            .with_rule(Winner::OneStandardError)
            // Only the errors are read.
            .with_tolerance(1e-2);
        let search = |tree: &TreeData| {
            let (fold, n_folds) = trees.folds(tree, rule.judges);
            trees.fit(tree, &trees.basis(tree, rule), rule, (&fold, n_folds), &options).search
        };
        let searches = trees.all.iter().filter_map(search).collect();
        Self { of: *rule, searches }
    }

    /// Whether these errors serve a rule.
    pub fn is_for(&self, rule: &Rule) -> bool {
        let fitted =
            |rule: &Rule| (rule.judges, rule.weights, rule.unit_free, rule.family, rule.measure);
        let searched = |rule: &Rule| (rule.columns, rule.l1_ratios, rule.n_inverse);
        fitted(&self.of) == fitted(rule) && searched(&self.of) == searched(rule)
    }

    /// The penalty of every tree under a rule.
    pub fn choose(&self, rule: &Rule) -> Vec<Candidate> {
        let forest = (rule.forest_share > 0.0).then(|| self.mean());
        let own = |search: &Search| {
            let at = match &forest {
                None => search.choose(rule.winner),
                Some(forest) => blend(search, forest, rule.forest_share).choose(rule.winner),
            };
            let chosen = search.candidates[at];
            let strength = match chosen.strength {
                Strength::Alpha(alpha) => Strength::Alpha(alpha * rule.factor),
                Strength::Inverse(c) => Strength::Inverse(c / rule.factor),
            };
            Candidate { strength, ..chosen }
        };
        self.searches.iter().map(own).collect()
    }

    /// The mean error of each place on the grid over trees, fold by fold. Folds that a tree could not use
    /// are left out of its mean.
    fn mean(&self) -> Search {
        let mut mean = self.searches[0].clone();
        mean.fold_error.fill(0.0);
        let mut trees = vec![0.0; mean.fold_weight.len()];
        for search in &self.searches {
            for (at, (sum, error)) in mean.fold_error.iter_mut().zip(&search.fold_error).enumerate()
            {
                if search.fold_weight[at % trees.len()] > 0.0 {
                    *sum += error;
                }
            }
            for (trees, weight) in trees.iter_mut().zip(&search.fold_weight) {
                *trees += f64::from(u8::from(*weight > 0.0));
            }
        }
        for (at, sum) in mean.fold_error.iter_mut().enumerate() {
            *sum /= f64::max(trees[at % trees.len()], 1.0);
        }
        mean.fold_weight = trees.iter().map(|&trees| f64::min(trees, 1.0)).collect();
        mean
    }
}

/// The errors of a tree with a share of those of the forest. Where the tree has none, those of the forest
/// count alone.
fn blend(own: &Search, forest: &Search, share: f64) -> Search {
    let mut blend = forest.clone();
    let n_folds = own.fold_weight.len();
    for (at, (error, own_error)) in blend.fold_error.iter_mut().zip(&own.fold_error).enumerate() {
        if own.fold_weight[at % n_folds] > 0.0 {
            *error = share * *error + (1.0 - share) * own_error;
        }
    }
    blend
}

/// The options of a fit at one penalty.
pub fn at_penalty(family: Family, candidate: Candidate) -> GlmOptions {
    let Candidate { strength, l1_ratio } = candidate;
    GlmOptions::reference(family).with_penalty(PenaltyChoice::Fixed { strength, l1_ratio })
}
