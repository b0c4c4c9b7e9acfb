//! Other methods on the rows in the page.

use super::contract::MethodResult;
use crate::Result;
use lmdi::explanation::{stability, sum_groups, top_features};
use lmdi::importance::{Importances, Method, Scores};
use lmdi::monitor::{Silent, Stages};
use lmdi::study::{Explained, Meaning, Study};

/// Largest scores of a row that are compared.
const TOP: usize = 5;

/// The study's method and those to compare it with; empty if there is none. Methods that need rows
/// to learn from are left out.
pub(super) fn methods(
    study: &Study,
    sample: &Explained,
    compare: &[Method],
    stages: &dyn Stages,
) -> Result<Vec<MethodResult>> {
    if compare.is_empty() {
        return Ok(vec![]);
    }
    let own = &sample.scores;
    let mut results = vec![MethodResult {
        name: study.method().title().to_owned(),
        scale: study.meaning().scale(own.n_outputs),
        share: shares(own)?,
        agreement: None,
        top_shared: None,
    }];
    for &method in compare.iter().filter(|&&method| method != study.method()) {
        let Some(explainer) = method.of_trees(&study.model.ensemble) else { continue };
        let explainer = explainer?;
        let monitor = stages.start("Comparing", sample.rows.len());
        let single = explainer.explain(&sample.rows.x.view(), &*monitor)?;
        let scores = sum_groups(&single, &sample.grouping.groups)?;
        let meaning = Meaning { explainer: &*explainer, ..study.meaning() };
        results.push(MethodResult {
            name: method.title().to_owned(),
            scale: meaning.scale(scores.n_outputs),
            share: shares(&scores)?,
            agreement: Some(agreement(own, &scores)?),
            top_shared: Some(top_shared(own, &scores)),
        });
    }
    Ok(results)
}

fn shares(scores: &Scores) -> Result<Vec<f64>> {
    let mean = Importances::of_scores(scores)?.values;
    let sum: f64 = mean.iter().sum();
    Ok(mean.into_iter().map(|size| if sum > 0.0 { size / sum } else { 0.0 }).collect())
}

/// Sizes alone, added over outputs, which methods may have different numbers of.
fn sizes(scores: &Scores) -> Scores {
    let of_row = |row| (0..scores.n_features).map(move |feature| scores.size(row, feature));
    Scores {
        values: (0..scores.n_rows).flat_map(of_row).collect(),
        ..Scores::zero(scores.n_rows, scores.n_features, &[0.0])
    }
}

/// Mean rank correlation of rows.
fn agreement(own: &Scores, other: &Scores) -> Result<f64> {
    let both = [sizes(own), sizes(other)];
    Ok(stability(&both, &[], &Silent)?.mean_correlation)
}

/// Mean share of the largest scores that both have.
fn top_shared(own: &Scores, other: &Scores) -> f64 {
    let top = TOP.min(own.n_features).max(1);
    let rows: Vec<usize> = own.known_rows().collect();
    let shared = |&row: &usize| {
        let others = top_features(other, row, top);
        top_features(own, row, top).iter().filter(|at| others.contains(at)).count()
    };
    let sum: usize = rows.iter().map(shared).sum();
    sum as f64 / (rows.len() * top).max(1) as f64
}
