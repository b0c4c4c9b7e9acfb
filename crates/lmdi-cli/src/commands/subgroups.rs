//! `lmdi subgroups`: groups of rows that are predicted for the same reasons.

use crate::flags::method::MethodFlags;
use crate::flags::running::RunFlags;
use crate::input::saved_study;
use crate::output::destination::Destination;
use crate::output::predictions;
use crate::output::terminal::{Align, Decimals, TextTable, shortened};
use crate::process::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use lmdi::explanation::subgroup::choice::Choice;
use lmdi::explanation::subgroup::description::{Subgroup, Trait, ValueSummary};
use lmdi::explanation::subgroup::{GroupCount, NO_GROUP};
use lmdi::explanation::{ColumnLayout, Columns, SubgroupOptions, Subgroups, subgroups};
use lmdi::study::{Explained, Study};
use lmdi::table::{Column, Frame, Labels, Values};
use lmdi::text::{counted, short_cell, short_number};
use lmdi_io::printable::printable;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Columns that are printed of each group.
const COLUMNS: usize = 5;

/// Group rows that are predicted for the same reasons, and describe the groups.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi subgroups houses.lmdi houses.csv
  lmdi subgroups houses.lmdi houses.csv --groups 4 --out groups.csv
  lmdi subgroups houses.lmdi new.parquet --out groups.json

Rows are grouped by their scores (k-means). Without --groups, the number of groups is the largest stable one: other samples of the rows give the same groups (Ben-Hur et al. 2002). The table of similarities shows how clear the choice is.

The result has one row per row of DATA: `row`, `group` (1 is the largest) and `prediction`. JSON includes the descriptions. Errors are given if DATA has the target.")]
pub struct Options {
    /// Model file; LMDI+ needs one with an explainer, as written by `lmdi explain --save`
    model: PathBuf,
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// Where to write the groups: a name ending in .csv, .parquet or .json, or - for standard
    /// output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Number of groups [default: the largest stable number]
    #[arg(long, value_name = "N")]
    groups: Option<usize>,
    /// Largest number of groups to consider
    #[arg(long, value_name = "N", default_value_t = 10, conflicts_with = "groups")]
    max_groups: usize,
    /// Restarts of k-means; the best one is used
    #[arg(long, value_name = "N", default_value_t = 10)]
    restarts: usize,
    /// Maximum number of conditions in the rule that describes a group
    #[arg(long, value_name = "N", default_value_t = 3)]
    rule_depth: usize,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Running")]
    seed: u64,
    /// A column that identifies rows, to copy into the result; must be unique
    #[arg(long, value_name = "COL")]
    key: Option<String>,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let destination = Destination::from_argument(options.out.as_deref())?;
    options.method.check(None, None)?;
    let files = saved_study::files(&options.model, &options.data, &options.method)
        .writing("out", options.out.as_deref());
    let reader = options.running.start(&files)?;
    let mut printer = Destination::printer(destination.as_ref());
    let out = &mut printer;
    let study = saved_study::load(&options.model, &options.method, &reader)?;
    let explained = saved_study::explain(&study, &options.data, options.key.as_ref(), &reader)?;
    let search = SubgroupOptions::default()
        .with_count(
            options.groups.map_or(GroupCount::Stable(options.max_groups), GroupCount::Given),
        )
        .with_restarts(options.restarts)
        .with_rule_depth(options.rule_depth)
        .with_seed(options.seed);
    let columns = study.columns();
    let progress = Progress::new("Grouping", search.units() as usize);
    let found = subgroups(&explained.view(), &columns, &search, &progress)
        .with_context(|| explained.rows.table.name.clone())?;
    drop(progress);
    let result = Grouped { study: &study, columns, explained: &explained, found };
    if let Some(destination) = &destination {
        destination.write(|| Ok(result.assignment()?.into()), || result.json(), out)?;
    }
    result.print(out)?;
    out.fact("subgroups", result.json());
    printer.finish()
}

/// Explained rows and their groups.
struct Grouped<'a> {
    study: &'a Study,
    columns: Columns,
    explained: &'a Explained,
    found: Subgroups,
}

impl Grouped<'_> {
    fn print(&self, out: &mut dyn Write) -> Result<()> {
        let (rows, found) = (&self.explained.rows, &self.found);
        writeln!(out, "{}: {}", rows.table.name, counted(rows.len(), "row"))?;
        if let Some(choice) = &found.choice {
            print_choice(out, choice)?;
        }
        let explained = 1.0 - found.inertia / found.inertia_of_all;
        writeln!(
            out,
            "\n{} explain {:.0} % of how scores vary. Scores are {}.",
            counted(found.groups.len(), "group"),
            100.0 * explained,
            printable(&self.study.meaning().scale(self.explained.scores.n_outputs))
        )?;
        for (at, group) in found.groups.iter().enumerate() {
            print_group(out, self.study.labels(), &self.columns, at, group)?;
        }
        Ok(())
    }

    fn assignment(&self) -> Result<Frame> {
        let places = self.explained.rows.places.iter().map(|&row| (row + 1) as f64).collect();
        let groups = self.found.of_rows.iter().map(|&group| match group {
            NO_GROUP => f64::NAN,
            group => f64::from(group) + 1.0,
        });
        let rows = &self.explained.rows;
        let mut columns = vec![Column { name: "row".into(), values: Values::Numbers(places) }];
        columns.extend(rows.key.as_ref().map(|key| {
            let texts: Labels = key.texts.iter().map(|text| Some(text.as_str())).collect();
            Column { name: key.name.clone(), values: Values::Labels(texts) }
        }));
        columns.push(Column { name: "group".into(), values: Values::Numbers(groups.collect()) });
        let outcome = &self.study.model.ensemble.outcome;
        let Explained { predictions: predicted, threshold, .. } = self.explained;
        columns.extend(predictions::columns(outcome, predicted.clone(), *threshold));
        Ok(Frame::new(columns)?)
    }

    fn json(&self) -> Value {
        let found = &self.found;
        let columns = self.columns.as_slice();
        let values = |one: &Trait| match &one.values {
            ValueSummary::Number { quartiles, quartiles_elsewhere, missing, missing_elsewhere } => {
                json!({
                    "quartiles": quartiles,
                    "quartiles_elsewhere": quartiles_elsewhere,
                    "missing": missing,
                    "missing_elsewhere": missing_elsewhere,
                })
            }
            ValueSummary::Category { level, share, share_elsewhere } => json!({
                "level": level.and_then(|code| columns[one.column].level(f64::from(code))),
                "share": share,
                "share_elsewhere": share_elsewhere,
            }),
        };
        let group = |group: &Subgroup| {
            let traits: Vec<Value> = group
                .traits
                .iter()
                .map(|one| {
                    json!({
                        "column": columns[one.column].name,
                        "mean_score": one.mean_score,
                        "mean_score_elsewhere": one.mean_score_elsewhere,
                        "value_effect": one.value_effect,
                        "values": values(one),
                    })
                })
                .collect();
            json!({
                "size": group.size,
                "share": group.share,
                "mean_prediction": group.mean_prediction,
                "mean_truth": group.mean_truth,
                "error": group.error,
                "rule": {
                    "text": group.rule.text(&self.columns),
                    "accuracy": group.rule.accuracy,
                    "precision": group.rule.precision,
                    "recall": group.rule.recall,
                },
                "columns": traits,
            })
        };
        let of_rows: Vec<Option<u32>> =
            found.of_rows.iter().map(|&group| (group != NO_GROUP).then_some(group + 1)).collect();
        let choice = found.choice.as_ref().map(|choice| {
            let candidates: Vec<Value> = choice
                .candidates
                .iter()
                .map(|one| json!({ "groups": one.k, "mean_similarity": one.mean, "above_0.9": one.alike }))
                .collect();
            json!({ "groups": choice.k, "stable": choice.stable, "rows": choice.rows, "candidates": candidates })
        });
        json!({
            "table": self.explained.rows.table.name,
            "labels": self.study.labels(),
            "keys": self.explained.rows.key.as_ref().map(|key| &key.texts),
            "groups": found.groups.iter().map(group).collect::<Vec<_>>(),
            "group_of_row": of_rows,
            "inertia": found.inertia,
            "inertia_of_all": found.inertia_of_all,
            "choice": choice,
        })
    }
}

fn print_choice(out: &mut dyn Write, choice: &Choice) -> Result<()> {
    writeln!(
        out,
        "\nHow many groups come back when {} are drawn anew (1 is the same groups):\n",
        counted(choice.rows, "row")
    )?;
    let mut table = TextTable::new(&[
        ("groups", Align::Right),
        ("mean similarity", Align::Right),
        ("least", Align::Right),
        ("above 0.9", Align::Right),
        ("", Align::Left),
    ]);
    for candidate in &choice.candidates {
        let mark = if candidate.k == choice.k { "<- chosen" } else { "" };
        table.row([
            candidate.k.to_string(),
            format!("{:.3}", candidate.mean),
            format!("{:.3}", candidate.similarities.first().copied().unwrap_or(f64::NAN)),
            format!("{:.0} %", 100.0 * candidate.alike),
            mark.into(),
        ]);
    }
    write!(out, "{table}")?;
    if !choice.stable {
        writeln!(
            out,
            "\nNOTE: no number of groups comes back reliably; take the borders between them with care."
        )?;
    }
    Ok(())
}

fn print_group(
    out: &mut dyn Write,
    labels: &[String],
    columns: &Columns,
    at: usize,
    group: &Subgroup,
) -> Result<()> {
    let mean = |values: &[f64]| match labels {
        [] => short_number(values[0]),
        [_, second] => format!("{} {:.1} %", shortened(second), 100.0 * values[1]),
        labels => {
            let shares = labels.iter().zip(values).take(6);
            let texts =
                shares.map(|(label, share)| format!("{} {:.1} %", shortened(label), 100.0 * share));
            texts.collect::<Vec<_>>().join(", ")
        }
    };
    writeln!(
        out,
        "\nGroup {}: {} ({:.1} %), mean prediction {}",
        at + 1,
        counted(group.size, "row"),
        100.0 * group.share,
        mean(&group.mean_prediction)
    )?;
    if let (Some(truth), Some(error)) = (&group.mean_truth, group.error) {
        let error = if labels.is_empty() {
            format!("root mean squared error {}", short_number(error))
        } else {
            format!("{:.1} % predicted wrong", 100.0 * error)
        };
        writeln!(out, "  in truth {}; {error}", mean(truth))?;
    }
    let rule = &group.rule;
    writeln!(
        out,
        "  rule: {}\n  (right for {:.1} % of all rows; finds {:.1} % of the group; {:.1} % of what it finds belong)\n",
        printable(&rule.text(columns)),
        100.0 * rule.accuracy,
        100.0 * rule.recall,
        100.0 * rule.precision
    )?;
    let mut table = TextTable::new(&[
        ("column", Align::Left),
        ("mean score", Align::Right),
        ("elsewhere", Align::Right),
        ("values", Align::Left),
        ("elsewhere", Align::Left),
    ]);
    let largest = group.traits.first().map_or(0.0, Trait::score_effect);
    let decimals = Decimals::for_largest(largest);
    for one in group.traits.iter().take(COLUMNS) {
        let column = &columns.as_slice()[one.column];
        let score = |values: &[f64]| {
            let texts: Vec<String> = values.iter().map(|value| decimals.signed(*value)).collect();
            texts.join(" / ")
        };
        let [here, elsewhere] = values_text(&one.values, column);
        table.row([
            column.name.clone(),
            score(&one.mean_score),
            score(&one.mean_score_elsewhere),
            here,
            elsewhere,
        ]);
    }
    write!(out, "{table}")?;
    Ok(())
}

/// Values of the group and of the other rows: median and quartiles, or the share of a level.
fn values_text(values: &ValueSummary, column: &ColumnLayout) -> [String; 2] {
    match values {
        ValueSummary::Number { quartiles, quartiles_elsewhere, missing, missing_elsewhere } => {
            [(quartiles, missing), (quartiles_elsewhere, missing_elsewhere)].map(|(q, missing)| {
                let missing = match missing {
                    share if *share > 0.0 => format!(", {:.0} % missing", 100.0 * share),
                    _ => String::new(),
                };
                let [low, middle, high] = q.map(|x| short_cell(x, column.time_unit()));
                format!("{middle} ({low} to {high}){missing}")
            })
        }
        ValueSummary::Category { level, share, share_elsewhere } => {
            let name = level.and_then(|code| column.level(f64::from(code)));
            let name = name.map_or("no level".into(), shortened);
            [share, share_elsewhere].map(|share| format!("{name} {:.0} %", 100.0 * share))
        }
    }
}
