//! One tree. Nodes that pruning deleted are still in the arrays; no path reaches them.

use super::file::TreeIn;
use crate::forest::import::category_words::CategoryWords;
use crate::forest::import::layout::{Form, Node, Split, SplitTest, lay_out};
use crate::forest::{CategorySet, Comparison, Missing, Precision, Tree};
use crate::{Error, Result};
use std::ops::Range;

const FORM: Form = Form { comparison: Comparison::Less, precision: Precision::Single, n_values: 1 };

/// Codes from here on are no categories to XGBoost: they have no exact 32-bit number each.
const MOST_CATEGORIES: i64 = 1 << 24;

/// Marks in `by_category` the features that are split by categories. `part` is what is read of leaves
/// that hold vectors.
pub(super) fn read(
    tree: &TreeIn,
    part: usize,
    value: impl Fn(f64) -> f64,
    sets: &mut CategoryWords,
    by_category: &mut [bool],
) -> Result<(Tree, Vec<u32>)> {
    let n = tree.left_children.len();
    let lengths = [
        tree.right_children.len(),
        tree.split_indices.len(),
        tree.split_conditions.len(),
        tree.default_left.len(),
        tree.sum_hessian.len(),
    ];
    let typed = tree.split_type.is_empty() || tree.split_type.len() == n;
    if lengths.iter().any(|&length| length != n) || !typed {
        return fail("its arrays have different lengths");
    }
    // Every leaf has values of its own: a small file cannot stand for large trees.
    let width = tree.tree_param.size_leaf_vector.0;
    let leaves = tree.left_children.iter().filter(|&&left| left == -1).count();
    let (held, vectors) = match tree.leaf_weights.len() {
        0 => (tree.base_weights.len(), n),
        held => (held, leaves),
    };
    if width > 1 && vectors.checked_mul(width) != Some(held) {
        return fail(&format!("{held} values in leaves of {width}; expected {vectors} leaves"));
    }
    let (members, ranges) = members(tree, n)?;
    lay_out(n, FORM, |node, values| {
        let id = node as u32;
        let (left, right) = (tree.left_children[node], tree.right_children[node]);
        if left == -1 {
            values.push(value(single(leaf_value(tree, node, part)?)));
            return Ok(Node::Leaf { id, weight: tree.sum_hessian[node] });
        }
        let child = |child: i64| {
            usize::try_from(child)
                .map_err(|_| Error::Format(format!("node {node} has child {child}")))
        };
        let feature = tree.split_indices[node];
        let test = if tree.split_type.get(node) == Some(&1) {
            if let Some(by_category) = by_category.get_mut(feature as usize) {
                *by_category = true;
            }
            let members = sets.of(&members[ranges[node].clone()])?;
            SplitTest::Categories(CategorySet { members, members_go_left: false, known: None })
        } else {
            SplitTest::Threshold(single(tree.split_conditions[node]))
        };
        let missing = if tree.default_left[node].0 { Missing::Left } else { Missing::Right };
        let (left, right) = (child(left)?, child(right)?);
        Ok(Node::Split(Split { id, feature, test, missing, left, right }))
    })
}

/// The value of a leaf, or a part of it.
fn leaf_value(tree: &TreeIn, node: usize, part: usize) -> Result<f64> {
    let width = tree.tree_param.size_leaf_vector.0;
    if width <= 1 {
        return Ok(tree.split_conditions[node]);
    }
    let found = if tree.leaf_weights.is_empty() {
        tree.base_weights.get(node * width + part)
    } else {
        let leaf = usize::try_from(tree.right_children[node]).ok();
        let at = leaf.and_then(|leaf| leaf.checked_mul(width)?.checked_add(part));
        at.and_then(|at| tree.leaf_weights.get(at))
    };
    match found {
        Some(&value) => Ok(value),
        None => fail(&format!("leaf {node} has no vector of {width} values")),
    }
}

/// The 32-bit number that is meant; JSON has only as many digits as tell it from its neighbours.
fn single(number: f64) -> f64 {
    f64::from(number as f32)
}

/// All members of all sets, and which of them belong to each node.
fn members(tree: &TreeIn, n_nodes: usize) -> Result<(Vec<u32>, Vec<Range<usize>>)> {
    let mut ranges = vec![0..0; if tree.split_type.is_empty() { 0 } else { n_nodes }];
    let sets = tree.categories_nodes.len();
    if tree.categories_segments.len() != sets || tree.categories_sizes.len() != sets {
        return fail("its arrays of categories have different lengths");
    }
    for (set, &node) in tree.categories_nodes.iter().enumerate() {
        let start = tree.categories_segments[set];
        let end = start.checked_add(tree.categories_sizes[set]);
        match (ranges.get_mut(node), end.filter(|&end| end <= tree.categories.len())) {
            (Some(range), Some(end)) => *range = start..end,
            _ => return fail("a set of categories is outside the file's list"),
        }
    }
    let members = tree.categories.iter().map(|&code| {
        if (0..MOST_CATEGORIES).contains(&code) {
            return Ok(code as u32);
        }
        fail(&format!("category {code}; expected 0 to {}", MOST_CATEGORIES - 1))
    });
    Ok((members.collect::<Result<_>>()?, ranges))
}

fn fail<T>(what: &str) -> Result<T> {
    Err(Error::Format(what.into()))
}
