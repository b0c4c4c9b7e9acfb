//! Binary files with right checksums and wrong content.

use super::damage::reseal;
use super::{encoded, refused, small_model};
use crate::file::Model;
use crate::forest::{CategorySet, Ensemble, InBag, NONE, Outcome};

/// The file of a model that `to_bytes` would refuse to write.
fn unchecked(change: impl FnOnce(&mut Ensemble)) -> Vec<u8> {
    let mut model = small_model();
    change(&mut model.ensemble);
    encoded(&model)
}

/// Where the only tree starts in the file of [`small_model`].
fn tree_start(bytes: &[u8]) -> usize {
    // Three nodes of one value: no other field holds these eight bytes.
    let start = [3, 0, 0, 0, 1, 0, 0, 0];
    bytes.windows(8).rposition(|window| window == start).unwrap()
}

#[test]
fn structure_is_checked() {
    refused(&unchecked(|e| e.trees[0].left[0] = 0), "tree 0: node 0 has child 0");
    refused(&unchecked(|e| e.trees[0].right[0] = 1), "tree 0: node 0 has child 1");
    refused(&unchecked(|e| e.trees[0].right[0] = 3), "tree 0: node 0 has child 3");
    refused(&unchecked(|e| e.trees[0].right[1] = 2), "node 1 has no left child but a right child");
    refused(&unchecked(|e| e.trees[0].feature[0] = 1), "splits on column 1; there are 1 columns");
    refused(&unchecked(|e| e.trees[0].feature[0] = NONE), "splits on column 4294967295");
    refused(&unchecked(|e| e.trees[0].feature[2] = 0), "node 2 has no left child");
    refused(&unchecked(|e| e.trees[0].threshold[0] = f64::NAN), "node 0 has threshold NaN");
    refused(&unchecked(|e| e.trees[0].value[1] = f64::INFINITY), "a value that is not finite");
    refused(&unchecked(|e| e.trees[0].weight[1] = -1.0), "node 1 has weight -1");
    refused(&unchecked(|e| e.trees[0].category_set = vec![0, NONE, NONE]), "names category set 0");
    refused(&unchecked(|e| e.trees.clear()), "no tree");
    refused(&unchecked(|e| e.base_score[0] = f64::NAN), "base score is not finite");
    refused(&unchecked(|e| e.base_score.push(0.0)), "found 2 outputs; expected 1");
    refused(&unchecked(|e| e.output_of_tree = vec![1]), "an output that does not exist");
    refused(&unchecked(|e| e.outcome = Outcome::Classes(vec!["a".into(); 3])), "expected 3");
    refused(
        &unchecked(|e| {
            let tree = &mut e.trees[0];
            (tree.feature[0], tree.left[0], tree.right[0]) = (NONE, NONE, NONE);
        }),
        "has no parent",
    );
}

#[test]
fn a_cycle_does_not_hang() {
    // 0 -> 1 -> 3 -> 1: child indices must grow, so that no walk can come back.
    let bytes = unchecked(|e| {
        let tree = &mut e.trees[0];
        tree.feature = vec![0, 0, NONE, 0, NONE];
        tree.left = vec![1, 3, NONE, 1, NONE];
        tree.right = vec![2, 4, NONE, 2, NONE];
        tree.missing = vec![tree.missing[0]; 5];
        for numbers in [&mut tree.threshold, &mut tree.value, &mut tree.weight, &mut tree.impurity]
        {
            *numbers = vec![1.0; 5];
        }
    });
    refused(&bytes, "tree 0: node 3 has child 1");
}

/// Lengths far beyond the file are refused by comparing them with the bytes that are left; were
/// memory taken first, these tests would ask for up to 2^64 bytes and abort.
#[test]
fn lengths_are_compared_before_memory_is_taken() {
    let valid = small_model().to_bytes().unwrap();
    let start = tree_start(&valid);
    let huge = |at: usize, width: usize| {
        let mut bytes = valid.clone();
        bytes[at..at + width].fill(0xFF);
        reseal(&mut bytes);
        bytes
    };
    refused(&huge(start, 4), "tree 0: section ENSM, byte 46: array `feature` needs 4294967295 x 4");
    refused(&huge(start + 4, 4), "array `value` needs 12884901885 x 8 bytes");
    refused(&huge(start, 8), "array `feature` needs 4294967295 x 4");
    // The number of trees and the flag of `output_of_tree` are before the tree.
    refused(&huge(start - 5, 4), "number of trees is 4294967295, at least 61 bytes each");
    refused(&huge(start - 5 - 8 - 4, 4), "number of outputs is 4294967295");
    let names = valid[..start].windows(3).rposition(|window| window == b"age").unwrap() - 8;
    refused(&huge(names, 4), "feature names is 4294967295, at least 4 bytes each");
    refused(&huge(names + 4, 4), "feature names needs 4294967295 x 1 bytes");

    let mut with_bag = small_model();
    with_bag.ensemble.trees[0].in_bag = Some(InBag::Narrow(vec![1, 0]));
    let mut bytes = with_bag.to_bytes().unwrap();
    let rows = bytes.len() - 2 - 8;
    bytes[rows..rows + 8].fill(0xFF);
    reseal(&mut bytes);
    refused(&bytes, "in-bag counts needs 18446744073709551615 x 1 bytes");

    let mut with_set = small_model();
    let tree = &mut with_set.ensemble.trees[0];
    tree.category_set = vec![0, NONE, NONE];
    tree.category_sets = vec![CategorySet { members: vec![5], members_go_left: true, known: None }];
    let valid = with_set.to_bytes().unwrap();
    // From the end: in-bag form, known flag, one word, its count, side, number of sets.
    for (before_end, expected) in
        [(1 + 1 + 8 + 4, "words of a category set is"), (1 + 1 + 8 + 4 + 1 + 4, "category sets is")]
    {
        let mut bytes = valid.clone();
        let at = bytes.len() - before_end;
        bytes[at..at + 4].fill(0xFF);
        reseal(&mut bytes);
        refused(&bytes, expected);
    }
}

#[test]
fn codes_and_flags_are_checked() {
    let valid = small_model().to_bytes().unwrap();
    let start = tree_start(&valid);
    let change = |at: usize, value: u8| {
        let mut bytes = valid.clone();
        bytes[at] = value;
        reseal(&mut bytes);
        bytes
    };
    refused(&change(start + 8, 9), "tree 0: comparison has code 9; expected 0 or 1");
    refused(&change(start + 9, 9), "precision has code 9; expected 0 or 1");
    refused(&change(start + 10 + 36, 5), "missing has code 5; expected 0 or 1 or 2 or 3 or 4");
    refused(&change(valid.len() - 1, 3), "in-bag");
    refused(&change(start - 1, 2), "outputs of trees is 2; expected 0 or 1");
    // Before the number of outputs: link, growth, loss, aggregation.
    let choices = start - 5 - 8 - 4 - 4;
    refused(&change(choices, 5), "link has code 5");
    refused(&change(choices + 1, 4), "growth has code 4");
    refused(&change(choices + 1, 1), "boosted trees have no loss");
    refused(&change(choices + 2, 8), "loss has code 8");
    refused(&change(choices + 2, 1), "independent trees have a loss");
    refused(&change(choices + 3, 2), "aggregation has code 2");
    refused(&change(start, 0), "0 nodes of 1 values");
    let name = valid[..start].windows(3).rposition(|window| window == b"age").unwrap();
    refused(&change(name, 0xFF), "feature names is not UTF-8 text");
    assert!(Model::from_bytes(&change(name, b'A')).is_ok());
}
