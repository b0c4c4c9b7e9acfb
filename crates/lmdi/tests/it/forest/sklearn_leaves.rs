//! Rows, among them cells at and next to thresholds, reach the leaf scikit-learn sends them to.

mod golden;

use lmdi::monitor::Silent;
use serde::de::IgnoredAny;

#[test]
fn rows_reach_the_leaf_of_scikit_learn() {
    for case in golden::cases::<IgnoredAny, IgnoredAny>("glm_gaussian.json") {
        let rows = case.rows();
        let found = case.ensemble().apply(&rows.view(), &Silent).expect("routing");
        let found: Vec<usize> = found.iter().map(|&leaf| leaf as usize).collect();
        assert_eq!(found, case.leaves, "{}", case.name);

        let tree = case.tree();
        let mut cells = vec![0.0; rows.cols()];
        for (row, &expected) in case.leaves.iter().enumerate() {
            rows.view().rows_into(row..row + 1, &mut cells);
            assert_eq!(tree.leaf_of(&cells), expected, "{}, row {row}", case.name);
        }
    }
}
