//! A short rule that finds the rows of a group by their cells.
//!
//! A shallow tree is grown to separate the rows of the group from all others. Its leaves are taken
//! in order of the share of members, as long as F1 (the harmonic mean of precision and recall)
//! increases; leaves that make up a whole branch become that branch. Thresholds are then rounded to
//! the fewest digits that keep every row on its side, so that the printed rule finds exactly the
//! rows that its accuracy is stated for.

use super::super::columns::part_name;
use super::super::{CellMeaning, Columns, ExplainedRows};
use super::NO_GROUP;
use crate::forest::train::{Criterion, ForestParams, MaxFeatures, TrainingSet, train_forest};
use crate::forest::{Missing, NONE, Tree};
use crate::monitor::Monitor;
use crate::table::{MatrixView, Response, number_text};
use crate::{Error, Result};

/// What the cell of one matrix column must be: above one bound and at most another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// The matrix column.
    pub feature: usize,
    /// The cell is larger than this.
    pub above: Option<f64>,
    /// The cell is not larger than this.
    pub at_most: Option<f64>,
    /// Whether a missing cell is accepted.
    pub missing: bool,
}

impl Condition {
    /// Whether a cell satisfies it.
    pub fn holds(&self, cell: f64) -> bool {
        if cell.is_nan() {
            return self.missing;
        }
        self.above.is_none_or(|bound| cell > bound)
            && self.at_most.is_none_or(|bound| cell <= bound)
    }
}

/// Alternatives, each a list of conditions that must all hold; an empty list is satisfied by every
/// row.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRule {
    /// The alternatives.
    pub alternatives: Vec<Vec<Condition>>,
    /// Share of all grouped rows that the rule puts on the right side.
    pub accuracy: f64,
    /// Share of the rows it finds that are members.
    pub precision: f64,
    /// Share of the members that it finds.
    pub recall: f64,
}

impl GroupRule {
    /// Whether it finds a row.
    pub fn finds(&self, x: &MatrixView<'_>, row: usize) -> bool {
        self.alternatives.iter().any(|conditions| {
            conditions.iter().all(|condition| condition.holds(x.get(row, condition.feature)))
        })
    }

    /// The rule in words. Names and levels are as they are in the table; escape them where that
    /// matters.
    pub fn text(&self, columns: &Columns) -> String {
        let alternative = |conditions: &Vec<Condition>| {
            if conditions.is_empty() {
                return "every row".to_owned();
            }
            let texts: Vec<String> =
                conditions.iter().map(|c| condition_text(c, columns)).collect();
            texts.join(" and ")
        };
        let texts: Vec<String> = self.alternatives.iter().map(alternative).collect();
        match &texts[..] {
            [only] => only.clone(),
            _ => texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" or "),
        }
    }
}

fn condition_text(condition: &Condition, columns: &Columns) -> String {
    let column = columns.of_feature(condition.feature);
    let name = &column.name;
    let is_above = condition.above.is_some();
    let text = match &column.meaning {
        CellMeaning::Parts(parts) => {
            let level = part_name(&parts[condition.feature - column.features.start]);
            return format!("{name} {} {level}", if is_above { "is" } else { "is not" });
        }
        CellMeaning::Truth => format!("{name} is {}", if is_above { "true" } else { "false" }),
        CellMeaning::Codes(levels) => {
            const SHOWN: usize = 4;
            let fitting: Vec<&str> = (0..levels.len())
                .filter(|&code| condition.holds(code as f64))
                .map(|code| levels[code].as_str())
                .collect();
            let more = match fitting.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!(" or {more} more"),
            };
            format!("{name} is {}{more}", fitting[..fitting.len().min(SHOWN)].join(" or "))
        }
        CellMeaning::Number | CellMeaning::Time(_) => {
            let number = |x: f64| match column.meaning {
                CellMeaning::Time(unit) => unit.text(x).unwrap_or_else(|| number_text(x)),
                _ => number_text(x),
            };
            match (condition.above, condition.at_most) {
                (Some(above), Some(most)) => {
                    format!("{} < {name} <= {}", number(above), number(most))
                }
                (Some(above), None) => format!("{name} > {}", number(above)),
                (None, Some(most)) => format!("{name} <= {}", number(most)),
                (None, None) => return format!("{name} is missing"),
            }
        }
    };
    if condition.missing { format!("({text} or {name} is missing)") } else { text }
}

/// Finds the rule of a group.
pub(super) fn find(
    rows: &ExplainedRows<'_>,
    of_rows: &[u32],
    group: u32,
    depth: usize,
    monitor: &dyn Monitor,
) -> Result<GroupRule> {
    let grouped: Vec<usize> = (0..of_rows.len()).filter(|&row| of_rows[row] != NO_GROUP).collect();
    let codes: Vec<u32> = of_rows.iter().map(|&of_row| u32::from(of_row == group)).collect();
    // Rows of no group weigh nothing.
    let weights: Vec<f64> =
        of_rows.iter().map(|&of_row| f64::from(u8::from(of_row != NO_GROUP))).collect();
    let names = vec![String::new(); rows.x.cols()];
    let set = TrainingSet {
        x: rows.x,
        y: Response::Classes { codes: &codes, n_classes: 2 },
        weights: Some(&weights),
        feature_names: &names,
        labels: &["outside".to_owned(), "inside".to_owned()],
    };
    let params = ForestParams {
        n_trees: 1,
        criterion: Criterion::Gini,
        max_depth: Some(depth),
        max_features: MaxFeatures::All,
        bootstrap: false,
        ..ForestParams::classification()
    };
    let forest = train_forest(&set, &params, &Unhurried(monitor))?;
    let tree = forest.trees.first().ok_or_else(|| Error::Model("a forest has no tree".into()))?;
    let chosen = chosen_nodes(tree, rows, &grouped, &codes);
    let mut alternatives = Vec::new();
    conditions_of(tree, 0, &chosen, &mut Vec::new(), &mut alternatives);
    for condition in alternatives.iter_mut().flatten() {
        simplify(condition, rows, &grouped);
    }
    let mut rule = GroupRule { alternatives, accuracy: 0.0, precision: 0.0, recall: 0.0 };
    let mut counts = [[0.0_f64; 2]; 2];
    for &row in &grouped {
        counts[usize::from(rule.finds(&rows.x, row))][codes[row] as usize] += 1.0;
    }
    rule.accuracy = (counts[0][0] + counts[1][1]) / grouped.len() as f64;
    rule.precision = counts[1][1] / (counts[1][0] + counts[1][1]);
    rule.recall = counts[1][1] / (counts[0][1] + counts[1][1]);
    Ok(rule)
}

/// Passes on the wish to stop, but not the progress of the one tree.
struct Unhurried<'a>(&'a dyn Monitor);

impl Monitor for Unhurried<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// The nodes whose rows the rule finds: leaves in order of their share of members, as many as make
/// F1 largest, and nodes both of whose children are chosen.
fn chosen_nodes(
    tree: &Tree,
    rows: &ExplainedRows<'_>,
    grouped: &[usize],
    codes: &[u32],
) -> Vec<bool> {
    let mut counts = vec![[0.0_f64; 2]; tree.n_nodes()];
    let leaves = tree.leaves_of(&rows.x);
    for &row in grouped {
        counts[leaves[row] as usize][codes[row] as usize] += 1.0;
    }
    let members: f64 = counts.iter().map(|count| count[1]).sum();
    let mut leaves: Vec<usize> = (0..tree.n_nodes()).filter(|&node| tree.is_leaf(node)).collect();
    let share = |node: usize| counts[node][1] / (counts[node][0] + counts[node][1]).max(1.0);
    leaves.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
    let (mut found, mut right, mut best) = (0.0, 0.0, (0.0, 0));
    for (taken, &leaf) in leaves.iter().enumerate() {
        found += counts[leaf][0] + counts[leaf][1];
        right += counts[leaf][1];
        let f1 = 2.0 * right / (found + members);
        if f1 > best.0 {
            best = (f1, taken + 1);
        }
    }
    let mut chosen = vec![false; tree.n_nodes()];
    leaves[..best.1].iter().for_each(|&leaf| chosen[leaf] = true);
    // Children come after their parents.
    for node in (0..tree.n_nodes()).rev().filter(|&node| !tree.is_leaf(node)) {
        chosen[node] = chosen[tree.left[node] as usize] && chosen[tree.right[node] as usize];
    }
    chosen
}

/// Walks down to the chosen nodes, gathering one condition a matrix column on the way.
fn conditions_of(
    tree: &Tree,
    node: usize,
    chosen: &[bool],
    path: &mut Vec<Condition>,
    alternatives: &mut Vec<Vec<Condition>>,
) {
    if chosen[node] {
        alternatives.push(path.clone());
        return;
    }
    if tree.left[node] == NONE {
        return;
    }
    let feature = tree.feature[node] as usize;
    let threshold = tree.threshold[node];
    for goes_left in [true, false] {
        let before = path.clone();
        if !path.iter().any(|condition| condition.feature == feature) {
            path.push(Condition { feature, above: None, at_most: None, missing: true });
        }
        if let Some(condition) = path.iter_mut().find(|condition| condition.feature == feature) {
            // Deeper bounds are tighter.
            if goes_left {
                condition.at_most = Some(threshold);
            } else {
                condition.above = Some(threshold);
            }
            condition.missing &= goes_left == (tree.missing[node] == Missing::Left);
        }
        let child = if goes_left { tree.left[node] } else { tree.right[node] };
        conditions_of(tree, child as usize, chosen, path, alternatives);
        *path = before;
    }
}

/// Writes bounds with as few digits as leave every row on its side, and forgets missing cells where
/// there are none.
fn simplify(condition: &mut Condition, rows: &ExplainedRows<'_>, grouped: &[usize]) {
    let cells = || grouped.iter().map(|&row| rows.x.get(row, condition.feature));
    condition.missing &= cells().any(f64::is_nan);
    for bound in [&mut condition.above, &mut condition.at_most].into_iter().flatten() {
        let (mut below, mut beyond) = (f64::NEG_INFINITY, f64::INFINITY);
        for cell in grouped.iter().map(|&row| rows.x.get(row, condition.feature)) {
            // As trees compare: in 32 bits.
            if f64::from(cell as f32) <= *bound {
                below = below.max(cell);
            } else if !cell.is_nan() {
                beyond = beyond.min(cell);
            }
        }
        *bound = short_between(below, beyond).unwrap_or(*bound);
    }
}

/// A number of few digits that is at least `below` and less than `beyond`.
fn short_between(below: f64, beyond: f64) -> Option<f64> {
    if !(below.is_finite() && beyond.is_finite() && below < beyond) {
        return below.is_finite().then_some(below);
    }
    let middle = below + (beyond - below) / 2.0;
    let rounded = |digits: usize| format!("{middle:.digits$e}").parse::<f64>().ok();
    let fits = |value: &f64| (below..beyond).contains(value);
    (0..17).find_map(|digits| rounded(digits).filter(fits)).or(Some(below))
}
