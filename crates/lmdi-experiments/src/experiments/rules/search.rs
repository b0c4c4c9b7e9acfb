//! The errors of all penalties, tree by tree, judged on several kinds of rows.

use super::rule::{Judges, Rule};
use crate::data::{Answers, Part};
use lmdi::basis::{Basis, TreeRows, leaf_nodes};
use lmdi::forest::Ensemble;
use lmdi::forest::routing::Router;
use lmdi::glm::{
    Candidate, Family, GlmFit, GlmOptions, Measure, PenaltyChoice, Rule as Winner, Search,
    Strength, fit_glm,
};
use lmdi::table::{MatrixView, contiguous_folds, stratified_folds};

const FOLDS: usize = 3;

/// Every tree's basis and rows.
pub struct Trees<'t> {
    pub x: MatrixView<'t>,
    pub all: Vec<TreeData>,
    response: Vec<f64>,
    /// The paper's folds.
    fold: Vec<u32>,
}

/// One tree's basis and rows.
pub struct TreeData {
    pub basis: Basis,
    leaves: Vec<u32>,
    /// In-bag rows as often as they were drawn, out-of-bag rows once.
    weight: Vec<f64>,
    in_bag: Vec<bool>,
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
                in_bag: drawn.iter().map(|&drawn| drawn > 0.0).collect(),
                weight: drawn.iter().map(|&drawn| drawn.max(1.0)).collect(),
            }
        });
        let (response, fold) = match &train.answers {
            Answers::Numbers(y) => (y.clone(), contiguous_folds(y.len(), FOLDS)),
            Answers::Classes(codes) => (
                codes.iter().map(|&code| f64::from(code)).collect(),
                stratified_folds(codes, FOLDS),
            ),
        };
        Self { x, all: all.collect(), response, fold }
    }

    /// Fits a tree to all rows, which belong to these folds.
    pub fn fit(
        &self,
        tree: &TreeData,
        fold: &[u32],
        n_folds: usize,
        options: &GlmOptions,
    ) -> GlmFit {
        let rows = TreeRows::new(&self.x, &tree.basis, &tree.leaves, &tree.weight, fold, n_folds)
            .keep_raw();
        fit_glm(&tree.basis, &rows, &rows.gather(&self.response), options)
    }

    /// The fold of every row; the number of folds for rows that are never held out.
    fn folds(&self, tree: &TreeData, judges: Judges) -> (Vec<u32>, usize) {
        let dealt = |n_folds: usize, of: &dyn Fn(usize) -> u32| {
            let fold =
                |(row, &in_bag): (usize, &bool)| if in_bag { n_folds as u32 } else { of(row) };
            (tree.in_bag.iter().enumerate().map(fold).collect(), n_folds)
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
    judges: Judges,
    family: Family,
    measure: Measure,
    searches: Vec<Search>,
}

impl Judged {
    /// Judges every penalty of the reference's grid.
    pub fn new(trees: &Trees<'_>, rule: &Rule) -> Self {
        let options = GlmOptions {
            measure: rule.measure,
            // With this rule every candidate is solved, not only those near the minimum.
            rule: Winner::OneStandardError,
            // Only the errors are read.
            tolerance: 1e-2,
            ..GlmOptions::reference(rule.family)
        };
        let search = |tree: &TreeData| {
            let (fold, n_folds) = trees.folds(tree, rule.judges);
            trees.fit(tree, &fold, n_folds, &options).search
        };
        let searches = trees.all.iter().filter_map(search).collect();
        Self { judges: rule.judges, family: rule.family, measure: rule.measure, searches }
    }

    /// Whether these errors serve a rule.
    pub fn is_for(&self, rule: &Rule) -> bool {
        (self.judges, self.family, self.measure) == (rule.judges, rule.family, rule.measure)
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

    /// The errors of each place on the grid, added over trees. Folds that a tree could not use are left out of its sum.
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
    GlmOptions {
        penalty: PenaltyChoice::Fixed { strength, l1_ratio },
        ..GlmOptions::reference(family)
    }
}
