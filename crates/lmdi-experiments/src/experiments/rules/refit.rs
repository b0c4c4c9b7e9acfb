//! Every tree, fitted to all rows at a penalty that was chosen or is searched here, as an explainer.

use super::columns::keep_chosen;
use super::rule::Rule;
use super::search::{Trees, at_penalty};
use lmdi::Result;
use lmdi::basis::Basis;
use lmdi::forest::Ensemble;
use lmdi::glm::{Candidate, Family, GlmFit};
use lmdi::importance::LmdiPlus;
use lmdi::importance::OutputScale;
use lmdi::importance::lmdi_plus::{RawTerm, TreeFit, TreeModel};

/// Fits every tree at its chosen penalty and puts the explainer together.
pub fn refit(
    trees: &Trees<'_>,
    ensemble: &Ensemble,
    rule: &Rule,
    chosen: &[Candidate],
) -> Result<LmdiPlus> {
    let no_fold = vec![0; trees.x.rows()];
    let fits = trees.all.iter().zip(chosen).map(|(tree, &candidate)| {
        let basis = trees.basis(tree, rule);
        let options = at_penalty(rule.family, candidate);
        let fit = trees.fit(tree, &basis, rule, (&no_fold, 1), &options);
        (basis, fit)
    });
    explainer(ensemble, rule, fits)
}

/// Searches the penalty of every tree by itself, as the library does, and puts the explainer together.
pub fn search_and_fit(trees: &Trees<'_>, ensemble: &Ensemble, rule: &Rule) -> Result<LmdiPlus> {
    let options = rule.search();
    let fits = trees.all.iter().map(|tree| {
        let mut basis = trees.basis(tree, rule);
        let (fold, n_folds) = trees.folds(tree, rule.judges);
        let mut fit = trees.fit(tree, &basis, rule, (&fold, n_folds), &options);
        if rule.relaxed {
            keep_chosen(&mut basis, &fit.coefficients);
            fit = trees.fit(tree, &basis, rule, (&fold, n_folds), &options);
        }
        (basis, fit)
    });
    explainer(ensemble, rule, fits)
}

/// The linear models of all trees as an explainer.
fn explainer(
    ensemble: &Ensemble,
    rule: &Rule,
    fits: impl Iterator<Item = (Basis, GlmFit)>,
) -> Result<LmdiPlus> {
    let models = fits.zip(&ensemble.trees).map(|((basis, fit), tree)| {
        let mut step = vec![0.0; tree.n_nodes()];
        let stumps = &basis.stumps;
        for (split, &coefficient) in fit.coefficients.stump.iter().enumerate() {
            for (child, value) in [
                (stumps.left[split], stumps.left_value[split]),
                (stumps.right[split], stumps.right_value[split]),
            ] {
                step[stumps.tree_node[child as usize] as usize] = coefficient * value;
            }
        }
        let raw = basis.raw.iter().zip(&fit.coefficients.raw);
        TreeModel {
            first_output: 0,
            n_outputs: 1,
            intercept: vec![fit.coefficients.intercept],
            step: step.into(),
            raw: raw
                .map(|(column, slope)| RawTerm {
                    feature: column.feature,
                    mean: column.mean,
                    slope: vec![slope * column.factor],
                })
                .collect(),
            fits: vec![TreeFit {
                chosen: fit.chosen,
                iterations: fit.iterations,
                gap: fit.gap,
                converged: fit.converged,
            }],
        }
    });
    let scale = match rule.family {
        Family::Binomial => OutputScale::LogOdds,
        _ => OutputScale::Identity,
    };
    LmdiPlus::new(ensemble, scale, models.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Answers, Kind, Part};
    use crate::ensemble::EnsembleKind;
    use crate::experiments::rules::rule::rules;
    use crate::experiments::rules::search::Judged;
    use crate::experiments::rules::trials::TRIALS;
    use crate::simulate::normal::normal;
    use lmdi::importance::lmdi_plus::{LmdiPlusOptions, ScoreOptions};
    use lmdi::monitor::Silent;
    use lmdi::random::generator;
    use lmdi::table::Matrix;

    fn part(kind: Kind) -> Part {
        let (rows, cols) = (70, 4);
        let cells = normal(&mut generator(5, 0), rows * cols);
        let noise = normal(&mut generator(5, 1), rows);
        let y = (0..rows).map(|row| cells[row] - cells[rows + row] + noise[row]);
        let answers = match kind {
            Kind::Regression => Answers::Numbers(y.collect()),
            Kind::Classification => Answers::Classes(y.map(|y| u32::from(y > 0.0)).collect()),
        };
        Part { x: Matrix::from_column_major(cells, rows, cols).expect("a matrix"), answers }
    }

    /// The paper's rule and the rule of out-of-bag rows are those of the library, and the preset `data`
    /// is one of the trials, so that scores agree. Trees may settle on neighbours on the grid, since
    /// the library looks at most penalties from afar: 1 % of the sum of squares.
    #[test]
    fn rules_that_the_library_has_give_its_scores() {
        for kind in [Kind::Regression, Kind::Classification] {
            let part = part(kind);
            let ensemble = EnsembleKind::Trees(8).train(&part, 3, &Silent).expect("a forest");
            let trees = Trees::new(&ensemble, &part);
            let data = LmdiPlusOptions::data();
            let as_stumps = data.clone().with_raw_scale(1.0);
            let library = [
                ("paper", LmdiPlusOptions::paper()),
                ("oob_once_unit_free", as_stumps.clone()),
                ("trial_none_by_rank", as_stumps),
                ("trial_x4_by_rank", data),
            ];
            for (name, options) in library {
                let trial = TRIALS.iter().find(|trial| trial.names[0] == name);
                let own = match trial {
                    Some(trial) => trial.fit(&ensemble, &part),
                    None => {
                        let mut rules = rules(kind).into_iter();
                        let rule = rules.find(|rule| rule.name == name).expect("a rule");
                        let chosen = Judged::new(&trees, &rule).choose(&rule);
                        refit(&trees, &ensemble, &rule, &chosen)
                    }
                };
                let own = own.expect("fitted");
                let theirs =
                    LmdiPlus::fit(&ensemble, &part.set(), &options, &Silent).expect("fitted");
                let score = |explainer: &LmdiPlus| {
                    explainer
                        .score(&part.view(), &ScoreOptions::default(), &Silent)
                        .expect("scores")
                };
                let (own, theirs) = (score(&own), score(&theirs));
                let size: f64 = theirs.values.iter().map(|v| v * v).sum();
                let apart: f64 =
                    own.values.iter().zip(&theirs.values).map(|(a, b)| (a - b) * (a - b)).sum();
                assert!(apart <= 0.01 * size, "{kind:?}, {name}: {apart} of {size}");
            }
        }
    }
}
