//! From the nodes of another library, in any order, to our arrays.
//!
//! Nodes are renumbered from the root down, left subtree first, so that a child comes after its
//! parent; every node may be reached once. Only leaves have a value and a weight of their own: a
//! split's weight is the sum of its leaves', its value their mean by weight. The libraries' own
//! values of splits are left out, for they are rounded, or without the learning rate.

use crate::forest::{CategorySet, Comparison, Missing, NONE, Precision, Tree};
use crate::{Error, Result};

/// A node, as the caller describes it.
pub(super) enum Node {
    Leaf { id: u32, weight: f64 },
    Split(Split),
}

/// A split; children are numbers of the caller's nodes.
pub(super) struct Split {
    pub id: u32,
    pub feature: u32,
    pub test: SplitTest,
    pub missing: Missing,
    pub left: usize,
    pub right: usize,
}

/// What a split asks of a cell.
pub(super) enum SplitTest {
    Threshold(f64),
    Categories(CategorySet),
}

/// How all numeric splits of a tree compare, and how many values a leaf has.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub comparison: Comparison,
    pub precision: Precision,
    pub n_values: usize,
}

/// The tree below the caller's node 0, and the caller's id of each of its nodes. `describe` appends
/// the values of a leaf to what it is given.
pub(super) fn lay_out(
    n_nodes: usize,
    form: Form,
    mut describe: impl FnMut(usize, &mut Vec<f64>) -> Result<Node>,
) -> Result<(Tree, Vec<u32>)> {
    let mut tree = Tree {
        feature: Vec::new(),
        threshold: Vec::new(),
        category_set: Vec::new(),
        missing: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        value: Vec::new(),
        n_values: form.n_values,
        weight: Vec::new(),
        impurity: Vec::new(),
        comparison: form.comparison,
        precision: form.precision,
        category_sets: Vec::new(),
        in_bag: None,
    };
    let mut ids = Vec::new();
    let mut reached = vec![false; n_nodes];
    // The caller's node, and our parent with the side it hangs on.
    let mut waiting: Vec<(usize, Option<(usize, bool)>)> = vec![(0, None)];
    while let Some((source, parent)) = waiting.pop() {
        match reached.get_mut(source) {
            Some(reached) if !*reached => *reached = true,
            Some(_) => return fail(format!("node {source} is reached twice")),
            None => return fail(format!("there is no node {source}, only {n_nodes} of them")),
        }
        let node = tree.feature.len();
        if node >= NONE as usize {
            return fail("it has too many nodes".into());
        }
        if let Some((parent, is_left)) = parent {
            let side = if is_left { &mut tree.left } else { &mut tree.right };
            side[parent] = node as u32;
        }
        let values = tree.value.len();
        let described = describe(source, &mut tree.value)?;
        tree.left.push(NONE);
        tree.right.push(NONE);
        tree.impurity.push(f64::NAN);
        match described {
            Node::Leaf { id, weight } => {
                if tree.value.len() != values + form.n_values {
                    return fail(format!("leaf {id} has not {} values", form.n_values));
                }
                ids.push(id);
                tree.feature.push(NONE);
                tree.threshold.push(0.0);
                tree.category_set.push(NONE);
                tree.missing.push(Missing::Right);
                tree.weight.push(weight);
            }
            Node::Split(split) => {
                ids.push(split.id);
                tree.value.resize(values + form.n_values, 0.0);
                tree.feature.push(split.feature);
                tree.missing.push(split.missing);
                tree.weight.push(0.0);
                match split.test {
                    SplitTest::Threshold(threshold) => {
                        tree.threshold.push(threshold);
                        tree.category_set.push(NONE);
                    }
                    SplitTest::Categories(set) => {
                        tree.threshold.push(0.0);
                        tree.category_set.push(tree.category_sets.len() as u32);
                        tree.category_sets.push(set);
                    }
                }
                waiting.push((split.right, Some((node, false))));
                waiting.push((split.left, Some((node, true))));
            }
        }
    }
    if tree.category_sets.is_empty() {
        tree.category_set = Vec::new();
    }
    fill_splits(&mut tree);
    Ok((tree, ids))
}

/// Weights and values of splits, from the leaves up.
fn fill_splits(tree: &mut Tree) {
    let k = tree.n_values;
    for node in (0..tree.n_nodes()).rev() {
        if tree.is_leaf(node) {
            continue;
        }
        let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
        let total = tree.weight[left] + tree.weight[right];
        tree.weight[node] = total;
        let share = if total > 0.0 { tree.weight[right] / total } else { 0.5 };
        for value in 0..k {
            let (a, b) = (tree.value[left * k + value], tree.value[right * k + value]);
            tree.value[node * k + value] = (1.0 - share) * a + share * b;
        }
    }
}

fn fail<T>(what: String) -> Result<T> {
    Err(Error::Format(what))
}

/// Adds which tree an error is about.
pub(super) fn in_tree<T>(index: usize, result: Result<T>) -> Result<T> {
    result.map_err(|error| match error {
        Error::Format(what) => Error::Format(format!("tree {index}: {what}")),
        other => other,
    })
}
