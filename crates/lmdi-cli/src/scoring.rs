//! From rows to a table of scores: what `explain` and `score` have in common.
//!
//! The result has a row for each explained row and these columns:
//!
//! | column | content |
//! |---|---|
//! | `row` | which data row of the table it is, from 1 |
//! | kept columns | copied from the table |
//! | `prediction`, `probability:LABEL` | what the scores add up to, as a prediction |
//! | `base` | what the scores are added to |
//! | `score:COL` | what the column adds |
//! | `error:COL` | standard error of that over the trees, if asked for |
//! | `rank:COL` | rank of the column, if asked for |
//!
//! With three or more classes there is one `base`, `score` and `error` a class: `score:LABEL:COL`, where
//! `:` and `\` in a label are written `\:` and `\\`, so that no two names are equal.

use crate::explainer::Explainer;
use crate::options::wrong;
use crate::prediction;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lmdi::explanation::{rank_by_score, sum_groups, top_features};
use lmdi::forest::predict::apply_link;
use lmdi::forest::{Ensemble, Outcome};
use lmdi::importance::lmdi_plus::{ScoreOptions, TreeSubset};
use lmdi::importance::{Groups, LmdiPlus, LocalMethod, Scores};
use lmdi::table::{Column, Frame, Labels, Matrix, Schema, Values};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RankBy {
    /// The size of the score
    Score,
    /// The mean of the ranks within each tree
    Rank,
}

/// What is written about each row.
#[derive(Args)]
pub struct ScoreFlags {
    /// A column of the table to copy into the result; repeatable
    #[arg(long, value_name = "COL", help_heading = "Result")]
    pub keep: Vec<String>,
    /// Adds a column's score to that of a group; repeat for each column of the group (the name ends
    /// at the first =)
    #[arg(long = "group", value_name = "NAME=COL", value_parser = parse_group, help_heading = "Result")]
    groups: Vec<(String, String)>,
    /// Also write the standard error of every score over the trees (forests only)
    #[arg(long, help_heading = "Result")]
    standard_error: bool,
    /// Also write the rank of every column in its row, by the size of its score or by its mean rank
    /// within the trees; larger is more important, equal ones share their ranks
    #[arg(long, value_enum, value_name = "BY", help_heading = "Result")]
    rank: Option<RankBy>,
    /// Write only the K columns with the largest scores of each row, and the sum of the rest
    #[arg(long, value_name = "K", conflicts_with = "rank", help_heading = "Result",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
}

pub fn parse_group(text: &str) -> Result<(String, String)> {
    match text.split_once('=') {
        Some((name, column)) if !name.is_empty() => Ok((name.to_owned(), column.to_owned())),
        _ => bail!("expected NAME=COL"),
    }
}

/// A model with its explainer.
pub struct Subject<'a> {
    pub ensemble: &'a Ensemble,
    pub schema: &'a Schema,
    pub explainer: &'a Explainer,
}

/// Rows to explain.
pub struct Asked<'a> {
    pub x: &'a Matrix,
    /// The table they come from.
    pub frame: &'a Frame,
    /// The name of that table, safe to print.
    pub table: &'a str,
    /// Which rows of the table these are.
    pub of_table: &'a [usize],
    pub trees: TreeSubset<'a>,
}

/// Explained rows.
pub struct Scored {
    /// Names of the columns and groups that have scores.
    pub names: Vec<String>,
    pub scores: Scores,
    errors: Option<Vec<f64>>,
    ranks: Option<Vec<f64>>,
    /// Per row a number, or the probability of every class.
    pub predictions: Vec<f64>,
    /// Per row the difference between base plus written scores and what they are to add up to; none where
    /// that is no prediction.
    pub residuals: Option<Vec<f64>>,
}

impl Scored {
    /// The largest difference between base plus scores and what they are to add up to.
    pub fn residual(&self) -> Option<f64> {
        // Rows without a score are NaN, which `max` passes over.
        self.residuals.as_ref().map(|residuals| residuals.iter().copied().fold(0.0, f64::max))
    }
}

impl ScoreFlags {
    /// Scores of columns and nothing else.
    pub fn plain() -> Self {
        Self { keep: vec![], groups: vec![], standard_error: false, rank: None, top: None }
    }

    /// Fails on what the model does not have, before any work.
    pub fn check(&self, schema: &Schema, boosted: bool) -> Result<()> {
        self.grouping(schema)?;
        if boosted && self.standard_error {
            return Err(wrong(
                "standard_error",
                "asked for of a boosted model",
                "a forest, whose trees are repeated measurements of the same",
            ));
        }
        Ok(())
    }

    /// The first given flag that only LMDI+ has.
    pub fn first_of_lmdi_plus(&self) -> Option<&'static str> {
        if self.standard_error {
            return Some("--standard-error");
        }
        (self.rank == Some(RankBy::Rank)).then_some("--rank rank")
    }

    /// Fails on columns to keep that the table does not have, before any work.
    pub fn check_kept(&self, frame: &Frame, table: &str) -> Result<()> {
        for name in &self.keep {
            frame.require(name).with_context(|| table.to_owned())?;
        }
        Ok(())
    }

    /// Names of what has a score, and which matrix columns make it up.
    pub fn grouping(&self, schema: &Schema) -> Result<(Vec<String>, Groups)> {
        grouping(&self.groups, schema)
    }

    /// The columns that make up each of what has a score.
    pub fn members(&self, schema: &Schema) -> Result<Vec<Vec<String>>> {
        let (names, groups) = self.grouping(schema)?;
        let mut members = vec![Vec::new(); names.len()];
        let mut feature = 0;
        for column in &schema.columns {
            members[groups.of_features()[feature] as usize].push(column.name.clone());
            feature += column.encoding.width();
        }
        Ok(members)
    }

    /// Explains rows.
    pub fn score(&self, subject: &Subject<'_>, asked: &Asked<'_>) -> Result<Scored> {
        let (names, groups) = self.grouping(subject.schema)?;
        match subject.explainer {
            Explainer::LmdiPlus(explainer) => self.score_fitted(explainer, names, &groups, asked),
            Explainer::Other(explainer) => {
                self.score_other(&**explainer, names, &groups, subject.ensemble, asked)
            }
        }
    }

    /// Scores, standard errors and ranks of LMDI+, which is a model and predicts.
    fn score_fitted(
        &self,
        explainer: &LmdiPlus,
        names: Vec<String>,
        groups: &Groups,
        asked: &Asked<'_>,
    ) -> Result<Scored> {
        let x = asked.x.view();
        let rows = x.rows() as u64;
        let options = ScoreOptions { trees: asked.trees, standard_error: false };
        let single = explainer.score(&x, &options, &Progress::new("Scoring", rows))?;
        let scores = sum_groups(&single, groups)?;
        let errors = if self.standard_error {
            let progress = Progress::new("Standard errors", rows);
            Some(explainer.group_standard_errors(&x, groups, asked.trees, &progress)?)
        } else {
            None
        };
        let ranks = match (self.rank, asked.trees) {
            (None, _) => None,
            (Some(RankBy::Score), _) => Some(rank_by_score(&scores)),
            (Some(RankBy::Rank), TreeSubset::All) => {
                Some(explainer.rank_groups_by_rank(&x, groups, &Progress::new("Ranking", rows))?)
            }
            (Some(RankBy::Rank), _) => {
                return Err(wrong(
                    "rank",
                    "rank, with some of the trees",
                    "score, or --score-trees all",
                ));
            }
        };
        let mut predictions = Vec::new();
        let mut residuals = Vec::with_capacity(single.n_rows);
        for row in 0..single.n_rows {
            let totals: Vec<f64> =
                (0..single.n_outputs).map(|output| single.total(row, output)).collect();
            let off = |(output, total): (usize, &f64)| (scores.total(row, output) - total).abs();
            residuals.push(totals.iter().enumerate().map(off).fold(f64::NAN, f64::max));
            predictions.extend(explainer.prediction_of(&totals));
        }
        Ok(Scored { names, scores, errors, ranks, predictions, residuals: Some(residuals) })
    }

    /// Scores of any other method, beside the model's own predictions.
    fn score_other(
        &self,
        explainer: &dyn LocalMethod,
        names: Vec<String>,
        groups: &Groups,
        ensemble: &Ensemble,
        asked: &Asked<'_>,
    ) -> Result<Scored> {
        let x = asked.x.view();
        let progress = Progress::new("Scoring", x.rows() as u64);
        let scores = sum_groups(&explainer.explain(&x, &progress)?, groups)?;
        drop(progress);
        let progress = Progress::new("Predicting", x.rows() as u64);
        let raw = ensemble.predict_raw(&x, &progress)?;
        let residuals = explainer.adds_up_to().is_none().then(|| {
            // Of two outputs that tell the same, the last is explained.
            let (all, k) = (ensemble.n_outputs, scores.n_outputs);
            let of_row = |(row, raw): (usize, &[f64])| {
                let off = |output| (scores.total(row, output) - raw[all - k + output]).abs();
                (0..k).map(off).fold(f64::NAN, f64::max)
            };
            raw.chunks_exact(all).enumerate().map(of_row).collect()
        });
        let ranks = self.rank.map(|_| rank_by_score(&scores));
        let predictions = apply_link(ensemble.link, ensemble.n_outputs, raw);
        Ok(Scored { names, scores, errors: None, ranks, predictions, residuals })
    }

    /// The table of the result.
    pub fn table(&self, subject: &Subject<'_>, asked: &Asked<'_>, scored: Scored) -> Result<Frame> {
        let numbers = asked.of_table.iter().map(|&row| (row + 1) as f64).collect();
        let mut columns = vec![column("row".into(), numbers)];
        for name in &self.keep {
            let found = asked.frame.require(name).with_context(|| asked.table.to_owned())?;
            let values = found.values.take(asked.of_table);
            columns.push(Column { name: found.name.clone(), values });
        }
        let Scored { names, scores, errors, ranks, predictions, .. } = scored;
        columns.extend(prediction::columns(&subject.ensemble.outcome, predictions));
        let outputs = output_prefixes(&subject.ensemble.outcome, scores.n_outputs);
        let (p, k) = (scores.n_features, scores.n_outputs);
        for (output, prefix) in outputs.iter().enumerate() {
            let name = format!("base:{prefix}");
            let base = scores.base.iter().skip(output).step_by(k).copied().collect();
            columns.push(column(name.trim_end_matches(':').to_owned(), base));
        }
        let pick = |values: &[f64], at: &dyn Fn(usize) -> usize| -> Vec<f64> {
            (0..scores.n_rows).map(|row| values[row * p * k + at(row)]).collect()
        };
        let kinds = [("score", Some(&scores.values)), ("error", errors.as_ref())];
        match self.top {
            None => {
                for (kind, values) in kinds {
                    let Some(values) = values else { continue };
                    for (output, prefix) in outputs.iter().enumerate() {
                        for (at, name) in names.iter().enumerate() {
                            let cells = pick(values, &|_| at * k + output);
                            columns.push(column(format!("{kind}:{prefix}{name}"), cells));
                        }
                    }
                }
            }
            Some(top) => {
                let top = (top as usize).min(p);
                let order: Vec<Vec<usize>> =
                    (0..scores.n_rows).map(|row| top_features(&scores, row, top)).collect();
                for place in 0..top {
                    let chosen = |row: usize| {
                        let known = !scores.base[row * k].is_nan();
                        known.then(|| names[order[row][place]].as_str())
                    };
                    let chosen: Labels = (0..scores.n_rows).map(chosen).collect();
                    let name = format!("top:{}", place + 1);
                    columns.push(Column { name, values: Values::Labels(chosen) });
                    for (kind, values) in kinds {
                        let Some(values) = values else { continue };
                        for (output, prefix) in outputs.iter().enumerate() {
                            let cells = pick(values, &|row| order[row][place] * k + output);
                            let name = format!("{kind}:{prefix}top:{}", place + 1);
                            columns.push(column(name, cells));
                        }
                    }
                }
                for (output, prefix) in outputs.iter().enumerate() {
                    let rest = |row: usize| -> f64 {
                        let others = (0..p).filter(|at| !order[row].contains(at));
                        others.map(|at| scores.get(row, at, output)).sum()
                    };
                    let cells = (0..scores.n_rows).map(rest).collect();
                    columns.push(column(format!("score:{prefix}rest"), cells));
                }
            }
        }
        if let Some(ranks) = ranks {
            for (at, name) in names.iter().enumerate() {
                let cells = ranks.iter().skip(at).step_by(p).copied().collect();
                columns.push(column(format!("rank:{name}"), cells));
            }
        }
        Frame::new(columns).context("the result: leave out a --keep, or rename it")
    }
}

/// Names of what has a score, and which matrix columns make it up.
pub fn grouping(groups: &[(String, String)], schema: &Schema) -> Result<(Vec<String>, Groups)> {
    let mut group_of_column: Vec<Option<&str>> = vec![None; schema.columns.len()];
    for (group, name) in groups {
        let Some(at) = schema.columns.iter().position(|column| column.name == *name) else {
            bail!("--group {group:?}: the model has no column {name:?}");
        };
        if let Some(other) = group_of_column[at].filter(|other| other != group) {
            bail!(
                "column {name:?} is in group {other:?} and in group {group:?}; expected one group"
            );
        }
        group_of_column[at] = Some(group);
    }
    let mut names: Vec<String> = Vec::new();
    let mut place = Vec::with_capacity(schema.columns.len());
    for (column, group) in schema.columns.iter().zip(&group_of_column) {
        let known =
            group.and_then(|group| (0..place.len()).find(|&at| group_of_column[at] == Some(group)));
        place.push(match known {
            Some(at) => place[at],
            None => {
                names.push(group.unwrap_or(&column.name).to_owned());
                names.len() - 1
            }
        });
    }
    if let Some(clash) = schema.columns.iter().zip(&group_of_column).find(|(column, group)| {
        group.is_none() && groups.iter().any(|(name, _)| *name == column.name)
    }) {
        let name = &clash.0.name;
        bail!("group {name:?} has the name of a column that is not in it; choose another name");
    }
    let of_features = schema.origins().into_iter().map(|at| place[at] as u32).collect();
    let n = names.len();
    Ok((names, Groups::new(of_features, n)?))
}

fn column(name: String, cells: Vec<f64>) -> Column {
    Column { name, values: Values::Numbers(cells) }
}

/// What stands before a column's name for each output: nothing, or the label.
fn output_prefixes(outcome: &Outcome, n_outputs: usize) -> Vec<String> {
    match outcome {
        Outcome::Classes(labels) if n_outputs > 1 => labels
            .iter()
            .map(|label| format!("{}:", label.replace('\\', "\\\\").replace(':', "\\:")))
            .collect(),
        _ => vec![String::new()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(groups: &[(&str, &str)]) -> ScoreFlags {
        let own = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
        let groups = groups.iter().map(own).collect();
        ScoreFlags { keep: vec![], groups, standard_error: false, rank: None, top: None }
    }

    #[test]
    fn groups_take_the_place_of_their_first_column() {
        let schema = Schema::numeric(["a", "b,c", "d", "e"]);
        let (names, groups) =
            flags(&[("size", "e"), ("size", "b,c")]).grouping(&schema).expect("valid");
        assert_eq!(names, ["a", "size", "d"]);
        assert_eq!(groups.of_features(), [0, 1, 2, 1]);
        let (names, _) = flags(&[("a", "a"), ("a", "d")]).grouping(&schema).expect("valid");
        assert_eq!(names, ["a", "b,c", "e"]);
    }

    #[test]
    fn wrong_groups_are_named() {
        let schema = Schema::numeric(["a", "b"]);
        for (groups, part) in [
            (&[("g", "z")][..], "no column \"z\""),
            (&[("g", "a"), ("h", "a")], "in group \"g\" and in group \"h\""),
            (&[("b", "a")], "the name of a column that is not in it"),
        ] {
            let error = flags(groups).grouping(&schema).expect_err("wrong").to_string();
            assert!(error.contains(part), "{error}");
        }
        assert!(parse_group("=a").is_err() && parse_group("a").is_err());
        assert_eq!(parse_group("g=a=b").expect("valid"), ("g".into(), "a=b".into()));
    }

    #[test]
    fn no_two_labels_and_columns_give_the_same_name() {
        let outcome = Outcome::Classes(["a:b", "a", "a\\"].map(String::from).to_vec());
        assert_eq!(output_prefixes(&outcome, 3), ["a\\:b:", "a:", "a\\\\:"]);
        assert_eq!(output_prefixes(&Outcome::Number, 1), [""]);
    }
}
