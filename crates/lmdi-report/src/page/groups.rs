//! Groups of the rows in the page.

use super::Packed;
use super::contract::{Group, Groups, Rule, Trait};
use crate::Result;
use lmdi::explanation::subgroup::description::{Subgroup, ValueSummary};
use lmdi::explanation::subgroup::{NO_GROUP, SubgroupOptions, subgroups};
use lmdi::explanation::{ColumnLayout, Columns};
use lmdi::forest::predict::most_probable;
use lmdi::monitor::Stages;
use lmdi::study::{Explained, Study};
use lmdi::text::short_cell;

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
    let groups = Groups {
        kept: 1.0 - found.inertia / found.inertia_of_all,
        stable: found.choice.as_ref().map(|choice| choice.stable),
        of_rows: Packed::numbers(&[]),
        list: found.groups.iter().map(|group| described(group, &columns, labels)).collect(),
    };
    Ok(Some((groups, of_rows)))
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
        class: (!labels.is_empty()).then_some(class),
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

/// Usual cells in a group and elsewhere: the median of numbers, the share of the level that differs
/// most.
fn cells(values: &ValueSummary, column: &ColumnLayout) -> (String, String) {
    match values {
        ValueSummary::Number { quartiles, quartiles_elsewhere, .. } => {
            let unit = column.time_unit();
            let text = |median: f64| match median {
                median if median.is_nan() => "missing".into(),
                median => short_cell(median, unit),
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
