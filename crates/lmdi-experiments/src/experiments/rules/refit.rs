//! Every tree at its chosen penalty, fitted to all rows, as an explainer.

use super::rule::Rule;
use super::search::{Trees, at_penalty};
use lmdi::Result;
use lmdi::forest::Ensemble;
use lmdi::glm::{Candidate, Family};
use lmdi::importance::LmdiPlus;
use lmdi::importance::OutputScale;
use lmdi::importance::lmdi_plus::{RawTerm, TreeFit, TreeModel};

/// Fits every tree and puts the explainer together.
pub fn refit(
    trees: &Trees<'_>,
    ensemble: &Ensemble,
    rule: &Rule,
    chosen: &[Candidate],
) -> Result<LmdiPlus> {
    let no_fold = vec![0; trees.x.rows()];
    let models =
        trees.all.iter().zip(chosen).zip(&ensemble.trees).map(|((data, &candidate), tree)| {
            let mut fit = trees.fit(data, rule, &no_fold, 1, &at_penalty(rule.family, candidate));
            if rule.unit_free {
                fit.coefficients.scale(trees.deviation);
            }
            let mut step = vec![0.0; tree.n_nodes()];
            let stumps = &data.basis.stumps;
            for (split, &coefficient) in fit.coefficients.stump.iter().enumerate() {
                for (child, value) in [
                    (stumps.left[split], stumps.left_value[split]),
                    (stumps.right[split], stumps.right_value[split]),
                ] {
                    step[stumps.tree_node[child as usize] as usize] = coefficient * value;
                }
            }
            let raw = data.basis.raw.iter().zip(&fit.coefficients.raw);
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
                    chosen: Some(candidate),
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

    /// The paper's rule and the rule of out-of-bag rows are those of the library, so that scores
    /// agree. Trees may settle on neighbours on the grid, since the library looks at most penalties
    /// from afar: 1 % of the sum of squares.
    #[test]
    fn rules_that_the_library_has_give_its_scores() {
        for kind in [Kind::Regression, Kind::Classification] {
            let part = part(kind);
            let ensemble = EnsembleKind::Trees(8).train(&part, 3, &Silent).expect("a forest");
            let trees = Trees::new(&ensemble, &part);
            let library = [
                ("paper", LmdiPlusOptions::paper()),
                ("oob_once_unit_free", LmdiPlusOptions::data()),
            ];
            for (name, options) in library {
                let rule = rules(kind).into_iter().find(|rule| rule.name == name).expect("a rule");
                let chosen = Judged::new(&trees, &rule).choose(&rule);
                let own = refit(&trees, &ensemble, &rule, &chosen).expect("fitted");
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
