//! Groups of the rows in the page.

use super::Packed;
use super::contract::{Group, Groups, Rule, Trait};
use crate::Result;
use lmdi::explanation::subgroup::description::{Subgroup, ValueSummary};
use lmdi::explanation::subgroup::{NO_GROUP, SubgroupOptions, Subgroups, subgroups};
use lmdi::explanation::{ColumnLayout, Columns, PredictedBy};
use lmdi::forest::predict::most_probable;
use lmdi::monitor::Stages;
use lmdi::study::{Explained, Sample, Study};
use lmdi::text::{count, short_number};

/// Fewer rows than this are no groups.
const FEWEST_ROWS: usize = 50;
/// Columns that describe a group.
const TRAITS: usize = 6;

/// The groups, and the group of each row; none where columns have no scores of their own, or rows
/// are few.
pub(super) fn groups(
    study: &Study,
    sample: &Explained,
    stages: &dyn Stages,
) -> Result<Option<(Groups, Vec<f64>)>> {
    if !sample.grouping.is_of_columns() || sample.scores.known_rows().count() < FEWEST_ROWS {
        return Ok(None);
    }
    let columns = study.columns();
    // The options of `lmdi subgroups`, so that both tell of the same groups.
    let options = SubgroupOptions::default();
    let monitor = stages.start("Grouping", options.units() as usize);
    let found = subgroups(&sample.view(), &columns, &options, &*monitor)?;
    let of_rows = found
        .of_rows
        .iter()
        .map(|&group| if group == NO_GROUP { f64::NAN } else { f64::from(group) })
        .collect();
    let labels = study.labels();
    let error_name =
        if labels.is_empty() { "root mean squared error" } else { "share predicted wrong" };
    let known = match (sample.rows.sample, sample.predicted_by) {
        (Sample::Training, PredictedBy::AllTrees) => " on these training rows",
        (Sample::Training, PredictedBy::OutOfBag { .. }) => " (out-of-bag)",
        _ => "",
    };
    let groups = Groups {
        how: how(&found),
        error_name: sample.rows.target.as_ref().map(|_| format!("{error_name}{known}")),
        of_rows: Packed::numbers(&[]),
        list: found.groups.iter().map(|group| described(group, &columns, labels)).collect(),
    };
    Ok(Some((groups, of_rows)))
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
    let n_outputs = group.traits.first().map_or(1, |one| one.mean_score.len());
    let scores_of = if n_outputs > 1 { labels.get(class).cloned() } else { None };
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
        scores_of,
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

/// Usual cells in a group and elsewhere: the median of numbers, the share of the level that differs
/// most.
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
