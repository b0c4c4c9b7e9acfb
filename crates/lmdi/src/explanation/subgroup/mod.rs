//! Subgroups: rows that are predicted for the same reasons.
//!
//! Rows are grouped by k-means on their scores ([`k_means`]), so that two rows share a group when
//! the same columns push their predictions the same way. The number of groups is given or chosen
//! ([`choice`]). Each group is described ([`description`]) by its size, prediction and error, by
//! the columns whose scores and values distinguish it, and by a short rule that finds its rows
//! ([`rule`]).
//!
//! Groups are ordered by size, the largest first. Rows without a score belong to none.

pub mod choice;
pub mod description;
mod k_means;
pub mod rule;

use super::{Columns, ExplainedRows};
use crate::monitor::{Monitor, Silent};
use crate::setters::setters;
use crate::text::counted;
use crate::{Error, Result};
use choice::Choice;
use description::Subgroup;
use rayon::prelude::*;

pub use k_means::{KMeans, KMeansOptions, k_means};

/// The group of a row that belongs to none.
pub const NO_GROUP: u32 = u32::MAX;

/// How many groups to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupCount {
    /// This many.
    Given(usize),
    /// The largest stable number, from 2 to this many.
    Stable(usize),
}

/// How groups are found and described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubgroupOptions {
    /// How many groups to make.
    pub count: GroupCount,
    /// Restarts of k-means.
    pub restarts: usize,
    /// Pairs of samples per number of groups.
    pub pairs: usize,
    /// Maximum number of conditions of a rule.
    pub rule_depth: usize,
    /// Same seed, same groups.
    pub seed: u64,
}

impl SubgroupOptions {
    setters! {
        with_count(count: GroupCount),
        with_restarts(restarts: usize),
        with_pairs(pairs: usize),
        with_rule_depth(rule_depth: usize),
        with_seed(seed: u64),
    }
}

impl Default for SubgroupOptions {
    fn default() -> Self {
        Self { count: GroupCount::Stable(10), restarts: 10, pairs: 20, rule_depth: 3, seed: 0 }
    }
}

impl SubgroupOptions {
    /// How far the monitor of [`subgroups`] advances.
    pub fn units(&self) -> u64 {
        let (of_choice, groups) = match self.count {
            GroupCount::Given(k) => (0, k),
            GroupCount::Stable(most) => (most.saturating_sub(1) * self.pairs, 0),
        };
        (of_choice + groups + self.restarts) as u64
    }

    fn check(&self, rows: usize) -> Result<()> {
        let whole_number = |name, found: usize, least: usize, most: usize| {
            if (least..=most).contains(&found) {
                return Ok(());
            }
            let expected = format!("a whole number from {least} to {most}");
            Err(Error::Parameter { name, found: found.to_string(), expected })
        };
        let (GroupCount::Given(k) | GroupCount::Stable(k)) = self.count;
        whole_number("groups", k, 2, MOST_GROUPS)?;
        if let GroupCount::Given(k) = self.count
            && k > rows
        {
            let found = k.to_string();
            let expected = format!("at most {rows}, the number of rows with scores");
            return Err(Error::Parameter { name: "groups", found, expected });
        }
        whole_number("pairs", self.pairs, 1, 10_000)?;
        whole_number("rule_depth", self.rule_depth, 1, 16)
    }
}

/// More groups than this nobody reads.
const MOST_GROUPS: usize = 1_000;

/// Rows in groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Subgroups {
    /// The group of every row, or [`NO_GROUP`].
    pub of_rows: Vec<u32>,
    /// The groups, the largest first.
    pub groups: Vec<Subgroup>,
    /// Sum of the squared distances of scores to the mean of their group.
    pub inertia: f64,
    /// Sum of the squared distances of scores to the mean of all.
    pub inertia_of_all: f64,
    /// How the number of groups was chosen, if it was.
    pub choice: Option<Choice>,
}

/// Finds and describes groups. The monitor advances by [`SubgroupOptions::units`], or less where
/// the number of groups is chosen.
///
/// ```
/// use lmdi::explanation::subgroup::{GroupCount, SubgroupOptions, subgroups};
/// use lmdi::explanation::{Columns, ExplainedRows};
/// use lmdi::{importance::Scores, monitor::Silent, table::MatrixView};
/// # fn main() -> lmdi::Result<()> {
/// let sizes = [40.0, 45.0, 50.0, 200.0, 210.0];
/// let scores = Scores { values: vec![-9.0, -8.0, -8.0, 12.0, 13.0], ..Scores::zero(5, 1, &[20.0]) };
/// let rows = ExplainedRows {
///     x: MatrixView::from_rows(&sizes, 5, 1)?,
///     scores: &scores,
///     predictions: &[11.0, 12.0, 12.0, 32.0, 33.0],
///     truth: None, threshold: None,
/// };
/// let columns = Columns::numeric(["size"]);
/// let options = SubgroupOptions::default().with_count(GroupCount::Given(2));
/// let found = subgroups(&rows, &columns, &options, &Silent)?;
/// assert_eq!(found.of_rows, [0, 0, 0, 1, 1]);
/// assert_eq!(found.groups[0].rule.text(&columns), "size <= 100");
/// assert_eq!(found.groups[0].rule.accuracy, 1.0);
/// # Ok(())
/// # }
/// ```
pub fn subgroups(
    rows: &ExplainedRows<'_>,
    columns: &Columns,
    options: &SubgroupOptions,
    monitor: &dyn Monitor,
) -> Result<Subgroups> {
    rows.check(columns)?;
    let known: Vec<usize> = (0..rows.n_rows()).filter(|&row| rows.is_known(row)).collect();
    if known.len() < 2 {
        return Err(Error::Data(format!(
            "found {} with scores; groups need at least 2",
            counted(known.len(), "row")
        )));
    }
    options.check(known.len())?;
    let width = rows.scores.n_features * rows.scores.n_outputs;
    if width == 0 {
        return Err(Error::Data("there is no column to group by".into()));
    }
    let points: Vec<f64> = known.iter().flat_map(|&row| rows.scores.row(row)).copied().collect();
    let (k, choice) = match options.count {
        GroupCount::Given(k) => (k, None),
        GroupCount::Stable(most) => {
            let choice =
                choice::choose(&points, width, most, options.pairs, options.seed, monitor)?;
            (choice.k, Some(choice))
        }
    };
    let settings =
        KMeansOptions { restarts: options.restarts, seed: options.seed, ..KMeansOptions::new(k) };
    let found = k_means(&points, width, &settings, monitor)?;
    let one_group = KMeansOptions { k: 1, restarts: 1, ..settings };
    let inertia_of_all = k_means(&points, width, &one_group, &Silent)?.inertia;
    let (labels, n_groups) = by_size(&found.labels, k);
    let mut of_rows = vec![NO_GROUP; rows.n_rows()];
    known.iter().zip(&labels).for_each(|(&row, &label)| of_rows[row] = label);
    let view = description::Described::new(rows, columns, &of_rows);
    let groups = (0..n_groups as u32)
        .into_par_iter()
        .map(|group| {
            monitor.check()?;
            let rule = rule::find(rows, &of_rows, group, options.rule_depth, monitor)?;
            let described = view.describe(group, rule);
            monitor.advance(1);
            Ok(described)
        })
        .collect::<Result<Vec<Subgroup>>>()?;
    Ok(Subgroups { of_rows, groups, inertia: found.inertia, inertia_of_all, choice })
}

/// Labels numbered by the size of their group, the largest first, the earlier first of equals; and
/// how many groups have a row at all.
fn by_size(labels: &[u32], k: usize) -> (Vec<u32>, usize) {
    let mut sizes = vec![0_usize; k];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let mut first = vec![usize::MAX; k];
    for (row, &label) in labels.iter().enumerate().rev() {
        first[label as usize] = row;
    }
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by_key(|&group| (std::cmp::Reverse(sizes[group]), first[group]));
    let mut place = vec![0_u32; k];
    order.iter().enumerate().for_each(|(at, &group)| place[group] = at as u32);
    let n_groups = sizes.iter().filter(|&&size| size > 0).count();
    (labels.iter().map(|&label| place[label as usize]).collect(), n_groups)
}
