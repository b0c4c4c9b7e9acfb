//! Groups of the rows in the page.

use super::Run;
use crate::prediction::most_probable;
use crate::progress::Progress;
use crate::terminal::{count, short_number};
use anyhow::Result;
use lmdi::explanation::subgroup::description::{Subgroup, ValueSummary};
use lmdi::explanation::subgroup::{NO_GROUP, SubgroupOptions, Subgroups, subgroups};
use lmdi::explanation::{ColumnLayout, Columns, ExplainedRows};
use lmdi::importance::Scores;
use lmdi_report::page::Packed;
use lmdi_report::page::contract::{Group, Groups, Rule, Trait};

/// Fewer rows than this are no groups.
const FEWEST_ROWS: usize = 50;
/// Columns that describe a group.
const TRAITS: usize = 6;

impl Run<'_> {
    /// The groups, and the group of each chosen row; none where columns have no scores of their own, or rows
    /// are few.
    pub(super) fn groups(
        &self,
        chosen: &[usize],
        scores: &Scores,
    ) -> Result<Option<(Groups, Vec<f64>)>> {
        let columns = Columns::of_schema(self.subject.schema);
        let own = columns.as_slice().iter().map(|column| &column.name);
        let known = scores.base.iter().filter(|base| !base.is_nan()).count();
        if !own.eq(&self.scored.names) || known < FEWEST_ROWS * scores.n_outputs {
            return Ok(None);
        }
        let width = self.scored.predictions.len() / self.scored.scores.n_rows.max(1);
        let predictions: Vec<f64> = chosen
            .iter()
            .flat_map(|&row| &self.scored.predictions[row * width..(row + 1) * width])
            .copied()
            .collect();
        let x = self.asked.x.take_rows(chosen);
        let truth = self.rows.truth.as_ref().map(|(truth, _)| truth.take(chosen));
        let rows = ExplainedRows {
            x: x.view(),
            scores,
            predictions: &predictions,
            truth: truth.as_ref().map(|truth| truth.response()),
        };
        let options = SubgroupOptions { seed: self.seed(), ..SubgroupOptions::default() };
        let progress = Progress::new("Grouping", options.units());
        let found = subgroups(&rows, &columns, &options, &progress)?;
        let of_rows = found
            .of_rows
            .iter()
            .map(|&group| if group == NO_GROUP { f64::NAN } else { f64::from(group) })
            .collect();
        let labels = self.labels();
        let error_name =
            if labels.is_empty() { "root mean squared error" } else { "share predicted wrong" };
        let groups = Groups {
            how: how(&found),
            error_name: truth.map(|_| {
                let trained =
                    if self.rows.are_training_rows { " on these training rows" } else { "" };
                format!("{error_name}{trained}")
            }),
            of_rows: Packed::numbers(&[]),
            list: found.groups.iter().map(|group| described(group, &columns, labels)).collect(),
        };
        Ok(Some((groups, of_rows)))
    }
}

fn how(found: &Subgroups) -> String {
    let explained = 100.0 * (1.0 - found.inertia / found.inertia_of_all);
    let choice = found.choice.as_ref().map_or(String::new(), |choice| {
        if choice.stable {
            " This number of groups comes back when parts of the rows are grouped anew.".into()
        } else {
            " No number of groups came back reliably when parts of the rows were grouped anew, so take the borders \
             between them as rough."
                .into()
        }
    });
    format!(
        "k-means on the scores found {} groups, which hold {explained:.0} % of the differences between rows' scores.{choice}",
        count(found.groups.len())
    )
}

fn described(group: &Subgroup, columns: &Columns, labels: &[String]) -> Group {
    let class = if labels.len() > 2 {
        most_probable(&group.mean_prediction).unwrap_or(0)
    } else {
        labels.len().saturating_sub(1)
    };
    let traits = group.traits.iter().filter(|one| one.score_effect() > 0.0).take(TRAITS);
    // Of several classes that which is most probable here.
    let output = |of: &[f64]| of[if of.len() > 1 { class } else { 0 }];
    Group {
        size: group.size,
        prediction: group.mean_prediction[class],
        prediction_name: match labels.get(class) {
            Some(label) => format!("mean probability of {label}"),
            None => "mean prediction".into(),
        },
        error: group.error,
        rule: Rule {
            text: group.rule.text(columns),
            accuracy: group.rule.accuracy,
            precision: group.rule.precision,
            recall: group.rule.recall,
        },
        traits: traits
            .map(|one| {
                let (cell, cell_elsewhere) = cells(&one.values, &columns.as_slice()[one.column]);
                Trait {
                    feature: one.column,
                    score: output(&one.mean_score),
                    score_elsewhere: output(&one.mean_score_elsewhere),
                    cell,
                    cell_elsewhere,
                }
            })
            .collect(),
    }
}

/// Usual cells in a group and elsewhere: the median of numbers, the share of the level that differs most.
fn cells(values: &ValueSummary, column: &ColumnLayout) -> (String, String) {
    match values {
        ValueSummary::Number { quartiles, quartiles_elsewhere, .. } => {
            let text = |median: f64| match median {
                median if median.is_nan() => "missing".into(),
                median => short_number(median),
            };
            (text(quartiles[1]), text(quartiles_elsewhere[1]))
        }
        ValueSummary::Category { level, share, share_elsewhere } => {
            let level = level.and_then(|code| column.level(f64::from(code))).unwrap_or("missing");
            let text = |share: f64| format!("{:.0} % {level}", 100.0 * share);
            (text(*share), text(*share_elsewhere))
        }
    }
}
