//! Model files that must stay readable: `testdata/model`, made by its `make.py`.
#![allow(clippy::unwrap_used)]

use lmdi::file::Model;
use lmdi::forest::{
    Aggregation, ClassWeights, Comparison, Growth, InBag, Link, Loss, Missing, NONE, Outcome,
    Precision,
};
use lmdi::glm::Strength;
use lmdi::importance::OutputScale;
use lmdi::table::Encoding;
use std::fs;
use std::path::PathBuf;

const NAMES: [&str; 11] = [
    "stump",
    "forest",
    "boosting",
    "forest_explained",
    "boosting_explained",
    "imported",
    "one_vs_rest",
    "weighted",
    "balanced",
    "formatted",
    "decided",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn bytes(file: &str) -> Vec<u8> {
    fs::read(root().join("testdata/model").join(file)).unwrap()
}

fn binary(name: &str) -> Model {
    Model::from_bytes(&bytes(&format!("{name}.lmdi"))).unwrap()
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn files_of_version_1_hold_what_the_json_beside_them_says() {
    for name in NAMES {
        let found = binary(name);
        let expected = Model::from_bytes(&bytes(&format!("{name}.json"))).unwrap();
        assert_eq!(found.schema, expected.schema, "{name}");
        let bits_of = |model: &Model| {
            let trees = model.explainer.iter().flat_map(|explainer| &explainer.trees);
            trees
                .flat_map(|tree| bits(&tree.intercept).into_iter().chain(bits(&tree.step.to_vec())))
                .collect()
        };
        let (a, b): (Vec<u64>, Vec<u64>) = (bits_of(&found), bits_of(&expected));
        assert_eq!(a, b, "{name}");
        assert_eq!(format!("{:?}", found.explainer), format!("{:?}", expected.explainer), "{name}");
        let (a, b) = (&found.metadata, &expected.metadata);
        assert_eq!(a.producer, b.producer, "{name}");
        assert_eq!(a.training_options, b.training_options, "{name}");
        assert_eq!(a.seed, b.seed, "{name}");
        assert_eq!(a.training_rows, b.training_rows, "{name}");
        assert_eq!(a.fingerprint, b.fingerprint, "{name}");
        assert_eq!(a.quality.len(), b.quality.len(), "{name}");
        for (a, b) in a.quality.iter().zip(&b.quality) {
            assert_eq!((&a.sample, &a.measure), (&b.sample, &b.measure), "{name}");
            assert_eq!(a.value.to_bits(), b.value.to_bits(), "{name}");
        }
        let (a, b) = (&found.ensemble, &expected.ensemble);
        assert_eq!(a.feature_names, b.feature_names, "{name}");
        assert_eq!(a.output_of_tree, b.output_of_tree, "{name}");
        assert_eq!(a.n_outputs, b.n_outputs, "{name}");
        assert_eq!(a.aggregation, b.aggregation, "{name}");
        assert_eq!(bits(&a.base_score), bits(&b.base_score), "{name}");
        assert_eq!((a.link, a.growth), (b.link, b.growth), "{name}");
        assert_eq!(a.outcome, b.outcome, "{name}");
        assert_eq!(a.trees.len(), b.trees.len(), "{name}");
        for (a, b) in a.trees.iter().zip(&b.trees) {
            assert_eq!(a.feature, b.feature, "{name}");
            assert_eq!(bits(&a.threshold), bits(&b.threshold), "{name}");
            assert_eq!(a.category_set, b.category_set, "{name}");
            assert_eq!(a.missing, b.missing, "{name}");
            assert_eq!((&a.left, &a.right), (&b.left, &b.right), "{name}");
            assert_eq!((bits(&a.value), a.n_values), (bits(&b.value), b.n_values), "{name}");
            assert_eq!(bits(&a.weight), bits(&b.weight), "{name}");
            assert_eq!(bits(&a.impurity), bits(&b.impurity), "{name}");
            assert_eq!((a.comparison, a.precision), (b.comparison, b.precision), "{name}");
            assert_eq!(a.category_sets, b.category_sets, "{name}");
            assert_eq!(a.in_bag, b.in_bag, "{name}");
        }
    }
}

/// Both readers could share a mistake; these values are read off `make.py`.
#[test]
fn some_values_are_where_they_belong() {
    let forest = binary("forest");
    assert_eq!(forest.metadata.seed, Some(u64::MAX));
    assert_eq!(forest.metadata.fingerprint.unwrap().0[31], 31);
    assert_eq!(forest.metadata.quality[0].value, 0.625);
    let tree = &forest.ensemble.trees[0];
    assert_eq!(tree.feature, [0, NONE, 3, NONE, NONE]);
    assert_eq!(tree.missing[..2], [Missing::Left, Missing::Right]);
    assert_eq!(tree.value[1], 0.30000000000000004);
    assert_eq!(tree.impurity[3].to_bits(), 0x7FF8_0000_0000_0001);
    assert_eq!(tree.weight, [4.0, 1.0, 3.0, 2.5, 0.5]);
    assert_eq!(tree.in_bag, Some(InBag::Narrow(vec![2, 0, 1, 1])));
    let counts = vec![300, 0, 255, u32::MAX];
    assert_eq!(forest.ensemble.trees[1].in_bag, Some(InBag::Wide(counts)));

    let boosting = binary("boosting").ensemble;
    assert_eq!(boosting.link, Link::Softmax);
    assert_eq!(boosting.growth, Growth::SecondOrder(Loss::Multinomial));
    assert_eq!(boosting.aggregation, Aggregation::Sum { learning_rate: 0.1 });
    let labels = ["red", "green", ""].map(String::from).to_vec();
    assert_eq!(boosting.outcome, Outcome::Classes(labels));
    assert_eq!(boosting.output_of_tree, [0, 1, 2]);
    let tree = &boosting.trees[0];
    assert_eq!((tree.comparison, tree.precision), (Comparison::Less, Precision::Double));
    assert_eq!(tree.category_set[0], 1);
    let codes = [Missing::ZeroLeft, Missing::ZeroRight, Missing::AsZero];
    assert_eq!(tree.missing[..3], codes);
    // Members of the set are 0, 63 and 65; 66 is not known and follows the missing rule, left.
    for (colour, left) in [(1.0, false), (63.0, true), (64.0, false), (65.0, true), (66.0, true)] {
        assert_eq!(tree.goes_left(0, colour), left, "{colour}");
    }
}

/// As above, of models from other libraries.
#[test]
fn values_of_imported_models_are_where_they_belong() {
    let imported = binary("imported");
    let loss = Loss::Tweedie { power: 1.25 };
    assert_eq!(imported.ensemble.growth, Growth::Shrunk { loss, trees_per_round: 2 });
    assert_eq!(imported.ensemble.aggregation, Aggregation::Sum { learning_rate: 1.0 });
    let levels = ["Zürich", "Bern", "7"].map(String::from).to_vec();
    assert_eq!(imported.schema.unwrap().columns[0].encoding, Encoding::Codes(levels));
    // Members 0 and 2 go right; to this kind of set -0.5 is no category.
    for (code, left) in [(0.0, false), (1.0, true), (2.5, false), (-0.5, true), (1e300, true)] {
        assert_eq!(imported.ensemble.trees[0].goes_left(0, code), left, "{code}");
    }
    let model = binary("one_vs_rest").ensemble;
    assert_eq!(model.growth, Growth::Shrunk { loss: Loss::Gamma, trees_per_round: 1 });
    assert_eq!((model.link, model.n_outputs), (Link::OneVsRest, 2));
}

/// As above, of the linear models.
#[test]
fn values_of_explainers_are_where_they_belong() {
    assert_eq!(binary("forest").explainer, None);
    let explainer = binary("forest_explained").explainer.unwrap();
    assert_eq!((&*explainer.options, explainer.scale), ("LMDI+ (é)", OutputScale::Identity));
    let tree = &explainer.trees[0];
    assert_eq!((tree.first_output, tree.n_outputs), (0, 1));
    assert_eq!(tree.intercept, [0.30000000000000004]);
    assert_eq!(bits(&tree.step.to_vec())[..3], [0.0_f64, -0.0, 1.5].map(f64::to_bits));
    assert_eq!((tree.raw[1].feature, tree.raw[1].mean), (3, 0.5));
    assert_eq!(tree.raw[0].slope, [-0.125]);
    let chosen = tree.fits[0].chosen.unwrap();
    assert_eq!((chosen.strength, chosen.l1_ratio), (Strength::Alpha(0.1), 0.99));
    assert_eq!((tree.fits[0].iterations, tree.fits[0].gap), (17, 1e-10));
    assert!(tree.fits[0].converged && !explainer.trees[1].fits[0].converged);
    assert_eq!(explainer.trees[1].fits[0].iterations, 1 << 32);

    let explainer = binary("boosting_explained").explainer.unwrap();
    assert_eq!(explainer.scale, OutputScale::Softmax);
    assert_eq!(explainer.trees[2].first_output, 2);
    let chosen = explainer.trees[0].fits[0].chosen.unwrap();
    assert_eq!((chosen.strength, chosen.l1_ratio), (Strength::Inverse(1e4), 0.0));
}

#[test]
fn this_version_writes_the_same_bytes() {
    for name in NAMES {
        let kept = bytes(&format!("{name}.lmdi"));
        assert!(Model::from_bytes(&kept).unwrap().to_bytes().unwrap() == kept, "{name}");
        let from_json = Model::from_bytes(&bytes(&format!("{name}.json"))).unwrap();
        assert!(from_json.to_bytes().unwrap() == kept, "{name}");
    }
}

#[test]
fn the_documented_examples_are_real() {
    let text = fs::read_to_string(root().join("docs/model-format.md")).unwrap();
    let block = |start: &str| {
        let from = text.find(start).unwrap() + start.len();
        &text[from..from + text[from..].find("```").unwrap()]
    };
    let mut dump = Vec::new();
    for line in block("```hex\n").lines() {
        let (offset, numbers) = line.split_once("  ").unwrap();
        assert_eq!(usize::from_str_radix(offset, 16).unwrap(), dump.len());
        dump.extend(numbers.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    let kept = bytes("stump.lmdi");
    assert!(dump == kept);
    let json = Model::from_bytes(block("```json\n").as_bytes()).unwrap();
    assert!(json.to_bytes().unwrap() == kept);
}

#[test]
fn a_threshold_is_read_and_checked() {
    assert_eq!(binary("decided").threshold, Some(0.3));
    assert_eq!(binary("one_vs_rest").threshold, None, "files without one are as before");
    for (threshold, part) in [(1.5, "from 0 to 1"), (f64::NAN, "from 0 to 1")] {
        let model = Model { threshold: Some(threshold), ..binary("decided") };
        assert!(model.to_bytes().unwrap_err().to_string().contains(part));
    }
    let three = Model { threshold: Some(0.5), ..binary("boosting") };
    assert!(three.to_bytes().unwrap_err().to_string().contains("two classes"));
}

#[test]
fn class_weights_and_training_rows_are_read() {
    let model = binary("weighted");
    assert_eq!(model.ensemble.class_weights, ClassWeights::Given(vec![1.0, 2.5, 0.0]));
    let explainer = model.explainer.unwrap();
    assert!(explainer.ranges.iter().all(|range| *range == [-1.5, 1e300]));
    assert_eq!(explainer.ranges.len(), model.ensemble.n_features());
    assert_eq!(explainer.tree_sizes, [0.5, 0.0, 0.125]);
    assert!(explainer.kept.is_empty(), "files without kept shares are as before");
    let kept = binary("kept").explainer.unwrap().kept;
    assert_eq!(kept, [vec![0.25, 1.0], vec![0.0], Vec::new()]);
    assert_eq!(binary("balanced").ensemble.class_weights, ClassWeights::Balanced);
    let plain = binary("boosting_explained");
    assert_eq!(plain.ensemble.class_weights, ClassWeights::Equal);
    assert!(plain.explainer.unwrap().ranges.is_empty());
}
