//! What is written about each row.

use super::invalid;
use crate::input::tables::TableReader;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lmdi::explanation::Grouping;
use lmdi::study::{ExplainOptions, RankBy, Rows, TreeChoice};
use lmdi::table::Schema;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RankFlag {
    /// The size of the score
    Score,
    /// The mean of the ranks within each tree
    Rank,
}

/// What is written about each row.
#[derive(Args)]
pub struct ResultFlags {
    /// A column of the table to copy into the result; repeatable
    #[arg(long, value_name = "COL", help_heading = "Result")]
    pub keep: Vec<String>,
    /// A column that identifies rows, such as a customer number: copied into the result, checked to
    /// be unique, and never an input
    #[arg(long, value_name = "COL", help_heading = "Result")]
    pub key: Option<String>,
    /// Add a column's score to that of a group; repeat for each column of the group (the name ends
    /// at the first =)
    #[arg(long = "group", value_name = "NAME=COL", value_parser = parse_group, help_heading = "Result")]
    groups: Vec<(String, String)>,
    /// Also write the standard error of every score over the trees (forests only)
    #[arg(long, help_heading = "Result")]
    standard_error: bool,
    /// Also write the rank of every column in its row, by |score| or by mean rank within the trees;
    /// larger is more important, and ties share their mean rank
    #[arg(long, value_enum, value_name = "BY", help_heading = "Result")]
    rank: Option<RankFlag>,
    /// Write only the K columns with the largest |score| of each row, and the sum of the rest
    #[arg(long, value_name = "K", conflicts_with = "rank", help_heading = "Result",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
}

/// The key and other columns, each once.
pub fn read_with(key: Option<&String>, keep: &[String]) -> Vec<String> {
    let others = keep.iter().filter(|name| Some(*name) != key);
    key.into_iter().chain(others).cloned().collect()
}

/// The rows, named by a key if there is one.
pub fn keyed(rows: Rows, key: Option<&str>, reader: &TableReader) -> Result<Rows> {
    let name = rows.table.name.clone();
    let Some(key) = key else { return Ok(rows) };
    let copied = reader.copies(&rows, &[key.to_owned()]);
    let Some(column) = copied.first() else { bail!("{name} has no column {key:?}") };
    let text = |row: usize| column.text(row).map_or(String::new(), |text| text.into_owned());
    let texts = (0..column.len()).map(text).collect();
    rows.with_key(key, texts).context(name)
}

/// Reads a group and one of its columns.
pub fn parse_group(text: &str) -> Result<(String, String)> {
    match text.split_once('=') {
        Some((name, column)) if !name.is_empty() => Ok((name.to_owned(), column.to_owned())),
        _ => bail!("expected NAME=COL"),
    }
}

impl ResultFlags {
    /// The columns to read beside those of the model: the key, then those to keep.
    pub fn read(&self) -> Vec<String> {
        read_with(self.key.as_ref(), &self.keep)
    }

    /// The rows, named by their key if there is one.
    pub fn keyed(&self, rows: Rows, reader: &TableReader) -> Result<Rows> {
        keyed(rows, self.key.as_deref(), reader)
    }

    /// What is to be computed of each row. `averages_trees` says whether the model is a forest,
    /// whose trees are repeated measurements.
    pub fn explain_options(
        &self,
        schema: &Schema,
        averages_trees: bool,
        trees: TreeChoice,
    ) -> Result<ExplainOptions> {
        if self.standard_error && !averages_trees {
            return Err(invalid(
                "standard_error",
                "requested for a boosted model",
                "a forest, whose trees are repeated measurements of the same",
            ));
        }
        let rank = match self.rank {
            None => None,
            Some(RankFlag::Score) => Some(RankBy::Score),
            Some(RankFlag::Rank) if matches!(trees, TreeChoice::Predicting | TreeChoice::All) => {
                Some(RankBy::TreeRank)
            }
            Some(RankFlag::Rank) => {
                return Err(invalid(
                    "rank",
                    "rank, with some of the trees",
                    "score, or --score-trees all",
                ));
            }
        };
        Ok(ExplainOptions::scores_of(Grouping::new(schema, &self.groups)?)
            .with_trees(trees)
            .with_standard_error(self.standard_error)
            .with_rank(rank))
    }

    /// The first given flag that only LMDI+ has.
    pub fn first_of_lmdi_plus(&self) -> Option<&'static str> {
        if self.standard_error {
            return Some("--standard-error");
        }
        (self.rank == Some(RankFlag::Rank)).then_some("--rank rank")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_ends_at_the_first_equals_sign() {
        assert!(parse_group("=a").is_err() && parse_group("a").is_err());
        assert_eq!(parse_group("g=a=b").expect("valid"), ("g".into(), "a=b".into()));
    }
}
