//! Files of other libraries that are cut, changed or made to harm: an error, never a panic, a hang
//! or a large piece of memory.
#![allow(clippy::unwrap_used)]

use crate::support::imported::{model_bytes, names};
use lmdi::forest::import::{Rounds, detect, read};
use lmdi::forest::{Aggregation, Ensemble, Loss};
use proptest::prelude::*;

/// One file of every kind.
const SAMPLES: [&str; 8] = [
    "xgboost-3.2.0-categorical",
    "xgboost-3.2.0-categorical_multi",
    "xgboost-3.2.0-dart_binary",
    "xgboost-3.2.0-named_ubj",
    "lightgbm-4.7.0-categorical",
    "lightgbm-4.7.0-named",
    "catboost-1.2.10-categorical",
    "catboost-1.2.10-depthwise_categorical",
];

/// What was read can be used: a row reaches a leaf of every tree.
fn use_it(ensemble: &Ensemble) {
    let row = vec![0.5; ensemble.n_features()];
    for tree in &ensemble.trees {
        assert!(tree.is_leaf(tree.leaf_of(&row)));
    }
}

fn try_bytes(bytes: &[u8]) {
    if let Ok(model) = read(bytes, Rounds::All) {
        use_it(&model.ensemble);
        model.schema().columns.iter().for_each(drop);
    }
}

fn refused(bytes: &[u8], part: &str) {
    let message = read(bytes, Rounds::Best).expect_err(part).to_string();
    assert!(message.contains(part), "{message:?} does not hold {part:?}");
}

/// A sample with a piece of its text replaced.
fn changed(sample: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(model_bytes(sample)).unwrap();
    assert!(text.contains(from), "{sample} has no {from}");
    text.replacen(from, to, 1).into_bytes()
}

#[test]
fn files_that_end_early_are_refused() {
    for sample in SAMPLES {
        let bytes = model_bytes(sample);
        // A text file may end anywhere after its trees.
        let needed = bytes.windows(12).position(|w| w == b"end of trees").unwrap_or(bytes.len());
        for end in (0..needed).step_by(1 + needed / 500) {
            assert!(read(&bytes[..end], Rounds::All).is_err(), "{sample} up to byte {end}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn changed_bytes_never_panic(
        sample in 0..SAMPLES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = model_bytes(SAMPLES[sample]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        try_bytes(&bytes);
    }

    /// Numbers are what can point outside; every run of digits may become another number.
    #[test]
    fn changed_numbers_never_panic(
        sample in 0..SAMPLES.len(),
        place in any::<prop::sample::Index>(),
        number in prop::sample::select(vec![
            "-1", "0", "1", "7", "-2147483648", "4294967295", "18446744073709551615", "1e308", "nan", "[]", "null",
        ]),
    ) {
        let bytes = model_bytes(SAMPLES[sample]);
        let is_start = |at: usize| bytes[at].is_ascii_digit() && !bytes[at - 1].is_ascii_digit();
        let starts: Vec<usize> = (1..bytes.len()).filter(|&at| is_start(at)).collect();
        let start = starts[place.index(starts.len())];
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut changed = bytes[..start].to_vec();
        changed.extend(number.as_bytes());
        changed.extend(&bytes[start + length..]);
        try_bytes(&changed);
    }

    #[test]
    fn random_bytes_never_panic(start in 0..4_usize, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let starts: [&[u8]; 4] = [b"", b"tree\n", b"{L\0\0\0\0\0\0\0\x07learner", b"{\"learner\":"];
        try_bytes(&[starts[start], &bytes].concat());
    }
}

#[test]
fn trees_that_loop_or_point_outside_are_refused() {
    let xgboost = "xgboost-3.2.0-regression";
    refused(&changed(xgboost, "\"left_children\":[1,", "\"left_children\":[0,"), "reached twice");
    refused(&changed(xgboost, "\"left_children\":[1,", "\"left_children\":[999,"), "no node 999");
    refused(&changed(xgboost, "\"left_children\":[1,", "\"left_children\":[-2,"), "child -2");
    let count = "\"num_class\":\"0\",\"num_feature\":\"4\"";
    let with = |number: &str| count.replace('4', number);
    refused(&changed(xgboost, count, &with("1")), "splits on column");
    refused(&changed(xgboost, count, &with("18446744073709551615")), "features; expected");
    let lightgbm = "lightgbm-4.7.0-regression";
    refused(&changed(lightgbm, "left_child=1 ", "left_child=0 "), "reached twice");
    refused(&changed(lightgbm, "left_child=1 ", "left_child=-99 "), "no node");
    refused(&changed(lightgbm, "num_leaves=7", "num_leaves=18446744073709551615"), "leaf_value");
    refused(&changed(lightgbm, "num_leaves=7", "num_leaves=0"), "leaf");
    refused(&changed(lightgbm, "max_feature_idx=3", "max_feature_idx=4000000000"), "feature names");
}

/// Any objective has trees; LMDI+ says itself that it needs more.
#[test]
fn unknown_objectives_leave_the_trees() {
    for (sample, from, to) in [
        ("xgboost-3.2.0-regression", "reg:squarederror", "rank:ndcg"),
        ("lightgbm-4.7.0-regression", "objective=regression", "objective=lambdarank"),
        ("catboost-1.2.10-regression", "\"RMSE\"", "\"Quantile\""),
    ] {
        // CatBoost names its loss more than once.
        let text = String::from_utf8(model_bytes(sample)).unwrap();
        let model = read(text.replace(from, to).as_bytes(), Rounds::Best).unwrap();
        assert_eq!(model.ensemble.growth.loss(), Some(Loss::Other), "{sample}");
        use_it(&model.ensemble);
    }
}

#[test]
fn files_that_contradict_themselves_are_refused() {
    let lightgbm = "lightgbm-4.7.0-regression";
    refused(&changed(lightgbm, "\nleaf_value=", "\nleaf_value= "), "tree_sizes");
    refused(&changed(lightgbm, "tree_sizes=", "tree_sizes=1 "), "tree_sizes lists");
    refused(&changed(lightgbm, "\nTree=1\n", "\nTree=2\n"), "where 1 should be");
    let windows = String::from_utf8(model_bytes(lightgbm)).unwrap().replace('\n', "\r\n");
    assert!(read(windows.as_bytes(), Rounds::Best).is_ok(), "other line ends");
    let catboost = "catboost-1.2.10-regression";
    refused(&changed(catboost, "\"split_index\":", "\"split_index\":1"), "split");
    refused(&changed(catboost, "\"feature_index\":1", "\"feature_index\":0"), "not in their order");
    let twice = changed(catboost, "\"flat_feature_index\":1", "\"flat_feature_index\":0");
    refused(&twice, "two features are column 0");
    refused(&changed(catboost, "\"AsFalse\"", "\"AsNone\""), "nan_value_treatment");
}

#[test]
fn what_cannot_be_explained_is_refused_by_name() {
    let xgboost = "xgboost-3.2.0-regression";
    refused(&changed(xgboost, "\"name\":\"gbtree\"", "\"name\":\"gblinear\""), "gblinear");
    let vector = "\"size_leaf_vector\":\"3\"";
    refused(&changed(xgboost, "\"size_leaf_vector\":\"1\"", vector), "leaves of another length");
    refused(&changed(xgboost, "\"num_target\":\"1\"", "\"num_target\":\"2\""), "several targets");
    let lightgbm = "lightgbm-4.7.0-regression";
    refused(&changed(lightgbm, "is_linear=0", "is_linear=1"), "leaves are linear models");
    refused(&changed(lightgbm, "objective=regression", "objective=regression sqrt"), "sqrt");
    let catboost = "catboost-1.2.10-regression";
    refused(&changed(catboost, "\"FloatFeature\"", "\"OnlineCtr\""), "\"OnlineCtr\" is not read");
    let named = "catboost-1.2.10-categorical";
    refused(&changed(named, "\"cat_features_hash\"", "\"other\""), "pool=train_pool");
    for (bytes, advice) in [
        (&b"CBM1...."[..], "format=\"json\""),
        (b"binf....", "save_model"),
        (b"[{\"nodeid\": 0}]", "dump_model"),
        (b"{\"name\": \"tree\", \"tree_info\": []}", "save_model"),
    ] {
        let message = detect(bytes).unwrap_err().to_string();
        assert!(message.contains(advice), "{message}");
    }
    assert_eq!(detect(b"a,b\n1,2\n").unwrap(), None);
    assert_eq!(detect(b"{\"format\": \"lmdi-model\"}").unwrap(), None);
}

/// Every file of the collection is an ensemble whose raw output is a sum or a mean.
#[test]
fn every_sample_is_there() {
    let names = names();
    for sample in SAMPLES {
        assert!(names.iter().any(|name| name == sample), "{sample}");
        let model = read(&model_bytes(sample), Rounds::Best).unwrap();
        assert!(matches!(model.ensemble.aggregation, Aggregation::Sum { .. }), "{sample}");
    }
}
