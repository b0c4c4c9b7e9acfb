//! Other methods on the rows in the page.

use super::Run;
use crate::explainer::Explainer;
use crate::progress::Progress;
use crate::scoring::Subject;
use crate::summary;
use anyhow::{Context, Result};
use lmdi::explanation::{stability, sum_groups, top_features};
use lmdi::importance::{Importances, Method, Scores};
use lmdi::monitor::Silent;
use lmdi_report::page::contract::MethodResult;

/// Largest scores of a row that are compared.
const TOP: usize = 5;

impl Run<'_> {
    /// This report's method and those to compare it with, on the chosen rows; empty if there is none.
    pub(super) fn methods(&self, chosen: &[usize], own: &Scores) -> Result<Vec<MethodResult>> {
        if self.compare.is_empty() {
            return Ok(vec![]);
        }
        let groups = self.flags.grouping(self.subject.schema)?.1;
        let x = self.asked.x.take_rows(chosen);
        let mut results = vec![MethodResult {
            name: title(self.method).to_owned(),
            scale: summary::scale_text(self.subject, own.n_outputs),
            share: shares(own)?,
            agreement: None,
            top_shared: None,
        }];
        for &method in self.compare.iter().filter(|&&method| method != self.method) {
            let explainer = method.of_trees(self.subject.ensemble);
            let explainer = explainer.context("a method that follows from the trees")??;
            let progress = Progress::new("Comparing", x.rows() as u64);
            let scores = sum_groups(&explainer.explain(&x.view(), &progress)?, &groups)?;
            let share = shares(&scores)?;
            let explainer = Explainer::Other(explainer);
            let subject = Subject { explainer: &explainer, ..*self.subject };
            let scale = summary::scale_text(&subject, scores.n_outputs);
            results.push(MethodResult {
                name: title(method).to_owned(),
                scale,
                share,
                agreement: Some(agreement(own, scores.clone())?),
                top_shared: Some(top_shared(own, &scores)),
            });
        }
        Ok(results)
    }
}

/// A method as people write it.
pub fn title(method: Method) -> &'static str {
    match method {
        Method::LmdiPlus => "LMDI+",
        Method::TreeShap => "TreeSHAP",
        Method::Saabas => "Saabas",
        Method::LocalMdi => "Local MDI",
        Method::Lime => "LIME",
        Method::Maple => "MAPLE",
    }
}

fn shares(scores: &Scores) -> Result<Vec<f64>> {
    let mean = Importances::of_scores(scores)?.values;
    let sum: f64 = mean.iter().sum();
    Ok(mean.into_iter().map(|size| if sum > 0.0 { size / sum } else { 0.0 }).collect())
}

/// Sizes alone, added over outputs, which methods may have different numbers of.
fn sizes(scores: &Scores) -> Scores {
    let values = scores.values.chunks_exact(scores.n_outputs);
    Scores {
        values: values.map(|outputs| outputs.iter().map(|score| score.abs()).sum()).collect(),
        ..Scores::zero(scores.n_rows, scores.n_features, &[0.0])
    }
}

/// Mean rank correlation of rows.
fn agreement(own: &Scores, other: Scores) -> Result<f64> {
    let both = [sizes(own), sizes(&other)];
    Ok(stability(&both, &[], &Silent)?.mean_correlation)
}

/// Mean share of the largest scores that both have.
fn top_shared(own: &Scores, other: &Scores) -> f64 {
    let top = TOP.min(own.n_features).max(1);
    let known = |row: &usize| !own.base[row * own.n_outputs].is_nan();
    let rows: Vec<usize> = (0..own.n_rows).filter(known).collect();
    let shared = |&row: &usize| {
        let others = top_features(other, row, top);
        top_features(own, row, top).iter().filter(|at| others.contains(at)).count()
    };
    let sum: usize = rows.iter().map(shared).sum();
    sum as f64 / (rows.len() * top).max(1) as f64
}
