//! One tree: symmetric (one split per depth) or nested.

use super::file::{LeafValue, NestedNode, SplitIn, SymmetricTree};
use super::{Features, KnownSplit};
use crate::forest::import::category_words::CategoryWords;
use crate::forest::import::layout::{Form, Node, Split, SplitTest, lay_out};
use crate::forest::{CategorySet, Comparison, Missing, Precision, Tree};
use crate::{Error, Result};

/// Deeper symmetric trees are refused; CatBoost grows up to 16.
const MOST_DEPTH: usize = 24;

fn form(n_values: usize) -> Form {
    Form { comparison: Comparison::LessEqual, precision: Precision::Single, n_values }
}

pub(super) fn read_symmetric(
    tree: &SymmetricTree,
    features: &Features,
    n_values: usize,
    scale: f64,
    words: &mut CategoryWords,
) -> Result<(Tree, Vec<u32>)> {
    let splits = tree.splits.as_deref().unwrap_or_default();
    let depth = splits.len();
    if depth > MOST_DEPTH {
        return fail(format!("it is {depth} splits deep; expected at most {MOST_DEPTH}"));
    }
    let n_leaves = 1 << depth;
    if tree.leaf_weights.len() != n_leaves {
        return fail(format!(
            "it has {} leaf weights for {n_leaves} leaves",
            tree.leaf_weights.len()
        ));
    }
    if tree.leaf_values.len() != n_leaves * n_values {
        return fail(format!(
            "it has {} values for {n_leaves} leaves of {n_values}",
            tree.leaf_values.len()
        ));
    }
    let resolved: Vec<ResolvedSplit> =
        splits.iter().map(|split| ResolvedSplit::of(split, features)).collect::<Result<_>>()?;
    // The node at some depth whose answers so far make the number `path` comes after all nodes above.
    lay_out(2 * n_leaves - 1, form(n_values), |node, values| {
        let level = (node + 1).ilog2() as usize;
        let path = node + 1 - (1 << level);
        if level == depth {
            let own = &tree.leaf_values[path * n_values..(path + 1) * n_values];
            values.extend(own.iter().map(|value| scale * value));
            return Ok(Node::Leaf { id: path as u32, weight: tree.leaf_weights[path] });
        }
        let below = (1 << (level + 1)) - 1;
        resolved[level].split(node, below + path, below + (path | 1 << level), words)
    })
}

pub(super) fn read_nested(
    root: &NestedNode,
    features: &Features,
    n_values: usize,
    scale: f64,
    words: &mut CategoryWords,
) -> Result<(Tree, Vec<u32>)> {
    // Children come after their parent.
    let mut nodes = vec![root];
    let mut children = Vec::new();
    let mut at = 0;
    while let Some(&node) = nodes.get(at) {
        match (&node.left, &node.right) {
            (Some(left), Some(right)) => {
                children.push(Some((nodes.len(), nodes.len() + 1)));
                nodes.extend([&**left, &**right]);
            }
            (None, None) => children.push(None),
            _ => return fail("a node has one child only".into()),
        }
        at += 1;
    }
    let leaf_ids = leaf_ids(&children);
    lay_out(nodes.len(), form(n_values), |at, values| {
        let node = nodes[at];
        match (children[at], &node.split, &node.value) {
            (Some((left, right)), Some(split), _) => {
                ResolvedSplit::of(split, features)?.split(at, left, right, words)
            }
            (None, _, Some(value)) => {
                match value {
                    LeafValue::One(value) => values.push(scale * value),
                    LeafValue::Many(own) => values.extend(own.iter().map(|value| scale * value)),
                }
                let id = leaf_ids[at];
                let Some(weight) = node.weight else {
                    return fail(format!("leaf {id} has no weight"));
                };
                Ok(Node::Leaf { id, weight })
            }
            (Some(_), None, _) => fail("a node has children but no split".into()),
            (None, _, None) => fail("a leaf has no value".into()),
        }
    })
}

/// The library's numbers of leaves: it goes down the tree, left first, and numbers the leaves that hang
/// on a split before it goes on below.
fn leaf_ids(children: &[Option<(usize, usize)>]) -> Vec<u32> {
    let mut ids = vec![0; children.len()];
    let mut next = 0;
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        let Some((left, right)) = children[at] else { continue };
        for leaf in [left, right] {
            if children[leaf].is_none() {
                ids[leaf] = next;
                next += 1;
            }
        }
        waiting.extend([right, left]);
    }
    ids
}

/// A split, with its feature found.
struct ResolvedSplit {
    feature: u32,
    missing: Missing,
    what: What,
}

enum What {
    Border(f64),
    /// The category of this code, if any cell can have it.
    Category(Option<u32>),
}

impl ResolvedSplit {
    fn of(split: &SplitIn, features: &Features) -> Result<Self> {
        match (split.split_type.as_str(), split.border, split.value) {
            ("FloatFeature", Some(border), _) => {
                let index = split.float_feature_index.unwrap_or(usize::MAX);
                let Some(&(feature, missing)) = features.float.get(&index) else {
                    return fail("a split names a float feature that does not exist".into());
                };
                check_number(split, KnownSplit::Float { feature: index, border }, features)?;
                // Borders are 32-bit numbers, written with more digits.
                Ok(Self { feature, missing, what: What::Border(f64::from(border as f32)) })
            }
            ("OneHotFeature", _, Some(hash)) => {
                let index = split.cat_feature_index.unwrap_or(usize::MAX);
                let Some(&feature) = features.categorical.get(&index) else {
                    return fail("a split names a categorical feature that does not exist".into());
                };
                check_number(split, KnownSplit::OneHot { feature: index, hash }, features)?;
                if features.code_of_hash.is_empty() {
                    return fail(
                        "its categories have no names; save the model with save_model(path, \
                         format=\"json\", pool=train_pool)"
                            .into(),
                    );
                }
                let code = features.code_of_hash.get(&(hash as u32)).copied();
                Ok(Self { feature, missing: Missing::Left, what: What::Category(code) })
            }
            ("FloatFeature" | "OneHotFeature", ..) => fail("a split is not complete".into()),
            (other, ..) => fail(format!(
                "a split of type {other:?} is not read, only FloatFeature and OneHotFeature; train \
                 with one_hot_max_size above the number of categories, or encode them before"
            )),
        }
    }

    fn split(
        &self,
        node: usize,
        left: usize,
        right: usize,
        words: &mut CategoryWords,
    ) -> Result<Node> {
        let test = match self.what {
            What::Border(border) => SplitTest::Threshold(border),
            What::Category(code) => {
                let members = words.of(code.as_slice())?;
                SplitTest::Categories(CategorySet { members, members_go_left: false, known: None })
            }
        };
        let (id, feature, missing) = (node as u32, self.feature, self.missing);
        Ok(Node::Split(Split { id, feature, test, missing, left, right }))
    }
}

/// Fails if the number of a split means another one than its feature and border or category.
fn check_number(split: &SplitIn, meant: KnownSplit, features: &Features) -> Result<()> {
    match split.split_index {
        Some(number) if features.splits.get(number) != Some(&meant) => fail(format!(
            "split {number} is not the one of its feature and border or category; the file was \
             changed after it was written"
        )),
        _ => Ok(()),
    }
}

fn fail<T>(what: String) -> Result<T> {
    Err(Error::Format(what))
}
