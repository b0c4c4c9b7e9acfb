//! One tree: splits 0, 1, ... and leaves, which children name as -1, -2, ....

use super::file::{Lines, number, numbers};
use crate::forest::import::layout::{Form, Node, Split, SplitTest, lay_out};
use crate::forest::tree::ZERO;
use crate::forest::{CategorySet, Comparison, Missing, Precision, Tree};
use crate::{Error, Result};

const FORM: Form =
    Form { comparison: Comparison::LessEqual, precision: Precision::Double, n_values: 1 };

/// Bits of `decision_type`.
const CATEGORICAL: u8 = 1;
const DEFAULT_LEFT: u8 = 2;
const MISSING_SHIFT: u8 = 2;

/// The tree with its values multiplied by `factor`, the leaf numbers, and its shrinkage. Marks in
/// `by_category` the features that are split by categories.
pub(super) fn read(
    lines: &Lines<'_>,
    factor: f64,
    by_category: &mut [bool],
) -> Result<(Tree, Vec<u32>, f64)> {
    if lines.get("is_linear").is_some_and(|&flag| flag == "1") {
        return fail(
            "its leaves are linear models (linear_tree), and scores are sums of the values of leaves; \
             train with linear_tree=false, or explain a model without it that was trained on the \
             predictions of this one",
        );
    }
    let n_leaves: usize = number(lines, "num_leaves")?;
    let leaf_value: Vec<f64> = numbers(lines, "leaf_value", n_leaves)?;
    let shrinkage = if lines.contains_key("shrinkage") { number(lines, "shrinkage")? } else { 1.0 };
    let Some(n_splits) = n_leaves.checked_sub(1) else {
        return fail("it has no leaf");
    };
    // A tree that is a single leaf may leave out its count.
    let leaf_count: Vec<f64> = match lines.get("leaf_count") {
        None if n_splits == 0 => vec![0.0],
        _ => numbers(lines, "leaf_count", n_leaves)?,
    };
    let feature: Vec<u32> = numbers(lines, "split_feature", n_splits)?;
    let threshold: Vec<f64> = numbers(lines, "threshold", n_splits)?;
    let decision: Vec<u8> = numbers(lines, "decision_type", n_splits)?;
    let left: Vec<i64> = numbers(lines, "left_child", n_splits)?;
    let right: Vec<i64> = numbers(lines, "right_child", n_splits)?;
    let sets = Sets::read(lines)?;

    // Splits come first in our numbering of nodes, then leaves.
    let position = |child: i64| match usize::try_from(child) {
        Ok(split) => split,
        Err(_) => usize::try_from(!child).map_or(usize::MAX, |leaf| n_splits.saturating_add(leaf)),
    };
    let (tree, ids) = lay_out(n_splits + n_leaves, FORM, |node, values| {
        if let Some(leaf) = node.checked_sub(n_splits) {
            values.push(factor * leaf_value[leaf]);
            return Ok(Node::Leaf { id: leaf as u32, weight: leaf_count[leaf] });
        }
        let is_categorical = decision[node] & CATEGORICAL != 0;
        let default_left = decision[node] & DEFAULT_LEFT != 0;
        let (test, missing) = if is_categorical {
            if let Some(by_category) = by_category.get_mut(feature[node] as usize) {
                *by_category = true;
            }
            (SplitTest::Categories(sets.get(threshold[node])?), Missing::Right)
        } else {
            let missing = match (decision[node] >> MISSING_SHIFT & 3, default_left) {
                (0, _) => Missing::AsZero,
                (1, true) => Missing::ZeroLeft,
                (1, false) => Missing::ZeroRight,
                (2, true) => Missing::Left,
                (2, false) => Missing::Right,
                _ => return fail("a decision_type has an unknown type of missing cells"),
            };
            (SplitTest::Threshold(beyond_zero(threshold[node])), missing)
        };
        let (left, right) = (position(left[node]), position(right[node]));
        let (id, feature) = (node as u32, feature[node]);
        Ok(Node::Split(Split { id, feature, test, missing, left, right }))
    })?;
    Ok((tree, ids, shrinkage))
}

/// The threshold that parts the same cells when those close to zero have been taken for zero.
fn beyond_zero(threshold: f64) -> f64 {
    if (0.0..ZERO).contains(&threshold) {
        ZERO
    } else if (-ZERO..0.0).contains(&threshold) {
        (-ZERO).next_down()
    } else {
        threshold
    }
}

/// The sets of categories of a tree: 32-bit words, and where each set begins.
struct Sets {
    start: Vec<usize>,
    words: Vec<u32>,
}

impl Sets {
    fn read(lines: &Lines<'_>) -> Result<Self> {
        let count: usize = match lines.get("num_cat") {
            Some(_) => number(lines, "num_cat")?,
            None => 0,
        };
        if count == 0 {
            return Ok(Self { start: Vec::new(), words: Vec::new() });
        }
        let start: Vec<usize> = numbers(lines, "cat_boundaries", count.saturating_add(1))?;
        let n_words = start.last().copied().unwrap_or_default();
        if !start.is_sorted() {
            return fail("cat_boundaries do not rise");
        }
        Ok(Self { start, words: numbers(lines, "cat_threshold", n_words)? })
    }

    /// The set that a categorical split names by its threshold.
    fn get(&self, threshold: f64) -> Result<CategorySet> {
        let set = threshold as usize;
        let known = threshold >= 0.0 && set < self.start.len().saturating_sub(1);
        if !known {
            return fail("a split names a set of categories that does not exist");
        }
        let words = &self.words[self.start[set]..self.start[set + 1]];
        let members = words
            .chunks(2)
            .map(|pair| u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32))
            .collect();
        Ok(CategorySet { members, members_go_left: true, known: None })
    }
}

fn fail<T>(what: &str) -> Result<T> {
    Err(Error::Format(what.into()))
}
