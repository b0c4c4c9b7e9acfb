//! What cannot be explained is refused with words, and an interrupt ends the work.

use super::random_trees::{KINDS, ensemble, rows};
use lmdi::Error;
use lmdi::forest::{Ensemble, Tree};
use lmdi::importance::tree_shap::{InterventionalTreeShap, TreeShap};
use lmdi::monitor::{Monitor, Silent};
use lmdi::table::Matrix;

struct Stop;

impl Monitor for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn wrong_tables_are_refused() {
    let ensemble = ensemble(1, KINDS[0], 4);
    let shap = TreeShap::new(&ensemble).expect("an explainer");
    let narrow = rows(1, 3, 3);
    let shape = |error: Error| assert!(matches!(error, Error::Shape { .. }), "{error}");
    shape(shap.explain(&narrow.view(), &Silent).expect_err("narrow"));
    shape(shap.interactions(&narrow.view(), &Silent).expect_err("narrow"));
    let of = |x: &Matrix| InterventionalTreeShap::new(&ensemble, &x.view(), &Silent);
    shape(of(&narrow).expect_err("narrow"));
    let error = of(&rows(1, 0, 4)).expect_err("no rows").to_string();
    assert!(error.contains("no background row"), "{error}");
    let four = rows(1, 3, 4);
    shape(of(&four).expect("one").explain(&narrow.view(), &Silent).expect_err("narrow"));
}

#[test]
fn no_rows_have_no_scores() {
    let ensemble = ensemble(1, KINDS[0], 4);
    let shap = TreeShap::new(&ensemble).expect("an explainer");
    let scores = shap.explain(&rows(1, 0, 4).view(), &Silent).expect("nothing to do");
    assert!(scores.values.is_empty() && scores.base.is_empty());
}

#[test]
fn an_interrupt_ends_the_work() {
    let ensemble = ensemble(1, KINDS[0], 4);
    let x = rows(1, 3, 4);
    let shap = TreeShap::new(&ensemble).expect("an explainer");
    assert_eq!(shap.explain(&x.view(), &Stop), Err(Error::Interrupted));
    assert_eq!(shap.interactions(&x.view(), &Stop), Err(Error::Interrupted));
    let shap = InterventionalTreeShap::new(&ensemble, &x.view(), &Silent).expect("an explainer");
    assert_eq!(shap.explain(&x.view(), &Stop), Err(Error::Interrupted));
}

/// A chain that no training would grow, but a file may hold.
#[test]
fn absurdly_deep_trees_are_refused() {
    let small = ensemble(3, KINDS[0], 2);
    let template = &small.trees[0];
    let levels = 600_000_u32;
    let n = 2 * levels as usize + 1;
    let child = |node: usize, offset: u32| {
        if node.is_multiple_of(2) && node + 1 < n { node as u32 + offset } else { u32::MAX }
    };
    let tree = Tree {
        feature: (0..n).map(|node| if child(node, 1) == u32::MAX { u32::MAX } else { 0 }).collect(),
        threshold: vec![0.5; n],
        category_set: vec![u32::MAX; n],
        missing: vec![lmdi::forest::Missing::Left; n],
        left: (0..n).map(|node| child(node, 1)).collect(),
        right: (0..n).map(|node| child(node, 2)).collect(),
        value: vec![1.0; n],
        weight: vec![1.0; n],
        impurity: vec![f64::NAN; n],
        ..template.clone()
    };
    let ensemble = Ensemble { trees: vec![tree], ..small };
    ensemble.check().expect("a valid ensemble");
    let error = TreeShap::new(&ensemble).expect_err("too deep").to_string();
    assert!(error.contains("too deep"), "{error}");
}
