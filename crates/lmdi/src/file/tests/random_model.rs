//! Random valid models that use every part of the format.

use crate::file::{Explainer, Metadata, Model, Quality};
use crate::forest::{
    Aggregation, CategorySet, ClassWeights, Comparison, Ensemble, Growth, InBag, Link, Loss,
    Missing, NONE, Outcome, Precision, Tree,
};
use crate::glm::{Candidate, Strength};
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::{RawTerm, SparseNumbers, TreeFit, TreeModel, used_features};
use crate::random::{Generator, generator};
use crate::table::{
    CellFormat, ColumnFormat, DroppedColumn, Encoding, Fingerprint, InputColumn, Kind, Part,
    Reading, Reason, Schema, Target, Task,
};
use proptest::prelude::*;
use rand::RngExt;

/// What to draw; small numbers are the simple cases that proptest shrinks towards.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    seed: u64,
    trees: usize,
    splits: usize,
    /// Always split the newest leaf, so that the tree is a chain.
    deep: bool,
    features: usize,
    /// 0 is regression, otherwise the number of classes.
    classes: usize,
    boosted: bool,
    categorical: bool,
    in_bag_rows: usize,
    wide: bool,
    table: bool,
    explained: bool,
}

pub(super) fn recipe() -> impl Strategy<Value = Recipe> {
    (
        (any::<u64>(), 1..6_usize, prop_oneof![0..8_usize, 0..400_usize], any::<bool>()),
        (1..40_usize, prop_oneof![Just(0), 2..7_usize], any::<bool>(), any::<bool>()),
        (prop_oneof![Just(0), 1..50_usize], any::<bool>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(|(shape, model, (in_bag_rows, wide, table, explained))| {
            let (seed, trees, splits, deep) = shape;
            let (features, classes, boosted, categorical) = model;
            Recipe {
                seed,
                trees,
                splits,
                deep,
                features,
                classes,
                boosted,
                categorical,
                in_bag_rows,
                wide,
                table,
                explained,
            }
        })
}

impl Recipe {
    pub(super) fn model(&self) -> Model {
        let mut random = generator(self.seed, 0);
        let link = match (self.classes, self.boosted) {
            (0, false) => Link::Identity,
            (0, true) => [Link::Identity, Link::Log][random.random_range(0..2)],
            (2, true) => Link::Logit,
            (_, true) => [Link::Softmax, Link::OneVsRest][random.random_range(0..2)],
            (_, false) => Link::Identity,
        };
        let n_outputs = if self.classes == 0 || link == Link::Logit { 1 } else { self.classes };
        let one_output_trees = self.boosted && n_outputs > 1;
        let n_values = if one_output_trees { 1 } else { n_outputs };
        let losses = [
            Loss::SquaredError,
            Loss::Logistic,
            Loss::Multinomial,
            Loss::Poisson,
            Loss::Gamma,
            Loss::Tweedie { power: random.random_range(1.0..2.0) },
        ];
        let loss = losses[random.random_range(0..losses.len())];
        let trees_per_round = random.random_range(1..=u32::MAX);
        let mut ensemble = Ensemble {
            feature_names: (0..self.features).map(|_| text(&mut random)).collect(),
            trees: (0..self.trees).map(|_| self.tree(n_values, &mut random)).collect(),
            output_of_tree: if one_output_trees {
                (0..self.trees).map(|_| random.random_range(0..n_outputs as u32)).collect()
            } else {
                vec![]
            },
            n_outputs,
            aggregation: if self.boosted {
                Aggregation::Sum { learning_rate: finite(&mut random) }
            } else {
                Aggregation::Mean
            },
            base_score: (0..n_outputs).map(|_| finite(&mut random)).collect(),
            link,
            growth: match (self.boosted, random.random_range(0..3)) {
                (false, _) => Growth::Independent,
                (true, 0) => Growth::FirstOrder(loss),
                (true, 1) => Growth::SecondOrder(loss),
                (true, _) => Growth::Shrunk { loss, trees_per_round },
            },
            outcome: if self.classes == 0 {
                Outcome::Number
            } else {
                let labels = (0..self.classes).map(|at| format!("{at}{}", text(&mut random)));
                Outcome::Classes(labels.collect())
            },
            class_weights: match (self.classes, random.random_range(0..3)) {
                (0, _) | (_, 0) => ClassWeights::Equal,
                (_, 1) => ClassWeights::Balanced,
                (n, _) => ClassWeights::Given((0..n).map(|_| finite(&mut random).abs()).collect()),
            },
        };
        // Without a base, values of leaves would have to be shares of classes.
        if ensemble.base_score.iter().all(|score| *score == 0.0) {
            ensemble.base_score[0] = 0.5;
        }
        let schema = self.table.then(|| schema(&mut ensemble, &mut random));
        let explainer = self.explained.then(|| explainer(&ensemble, &mut random));
        let two_classes =
            matches!(&ensemble.outcome, Outcome::Classes(labels) if labels.len() == 2);
        let threshold = two_classes.then(|| (random.next_u32() % 1025) as f64 / 1024.0);
        Model { ensemble, schema, threshold, explainer, metadata: self.metadata(&mut random) }
    }

    fn metadata(&self, random: &mut Generator) -> Metadata {
        let rows = if self.in_bag_rows > 0 { self.in_bag_rows as u64 } else { random.random() };
        Metadata {
            producer: text(random),
            training_options: text(random),
            seed: random.random::<bool>().then(|| random.random()),
            training_rows: random.random::<bool>().then_some(rows),
            fingerprint: random.random::<bool>().then(|| Fingerprint(random.random())),
            quality: (0..random.random_range(0..3))
                .map(|_| Quality {
                    sample: text(random),
                    measure: text(random),
                    value: f64::from_bits(random.random()),
                })
                .collect(),
        }
    }

    fn tree(&self, n_values: usize, random: &mut Generator) -> Tree {
        let n = 2 * self.splits + 1;
        let n_sets = if self.categorical { random.random_range(1..4) } else { 0 };
        let missing =
            [Missing::Left, Missing::Right, Missing::ZeroLeft, Missing::ZeroRight, Missing::AsZero];
        let mut tree = Tree {
            feature: vec![NONE; n],
            // Leaves hold numbers too; what is in them is kept.
            threshold: (0..n).map(|_| f64::from_bits(random.random())).collect(),
            category_set: vec![NONE; n],
            missing: (0..n).map(|_| missing[random.random_range(0..5)]).collect(),
            left: vec![NONE; n],
            right: vec![NONE; n],
            value: (0..n * n_values).map(|_| finite(random)).collect(),
            n_values,
            weight: (0..n).map(|_| finite(random).abs()).collect(),
            impurity: (0..n).map(|_| f64::from_bits(random.random())).collect(),
            comparison: [Comparison::LessEqual, Comparison::Less][random.random_range(0..2)],
            precision: [Precision::Single, Precision::Double][random.random_range(0..2)],
            category_sets: (0..n_sets).map(|_| category_set(random)).collect(),
            in_bag: (self.in_bag_rows > 0).then(|| self.in_bag(random)),
        };
        tree.impurity[0] = f64::from_bits(0x7FF8_0000_0000_0001);
        let mut leaves = vec![0];
        for split in 0..self.splits {
            let at =
                if self.deep { leaves.len() - 1 } else { random.random_range(0..leaves.len()) };
            let node = leaves.swap_remove(at);
            let left = 2 * split + 1;
            tree.feature[node] = random.random_range(0..self.features as u32);
            (tree.left[node], tree.right[node]) = (left as u32, left as u32 + 1);
            if n_sets > 0 && random.random() {
                tree.category_set[node] = random.random_range(0..n_sets);
            } else if tree.threshold[node].is_nan() {
                tree.threshold[node] = f64::NEG_INFINITY;
            }
            leaves.extend([left, left + 1]);
        }
        if tree.category_set.iter().all(|&set| set == NONE) {
            tree.category_set.clear();
        }
        tree
    }

    fn in_bag(&self, random: &mut Generator) -> InBag {
        let largest = if self.wide { u32::MAX } else { 255 };
        let counts = (0..self.in_bag_rows).map(|_| random.random_range(0..=largest)).collect();
        InBag::from_counts(counts)
    }
}

/// Linear models that fit the trees.
fn explainer(ensemble: &Ensemble, random: &mut Generator) -> Explainer {
    let one_output = matches!((&ensemble.outcome, ensemble.growth),
        (Outcome::Classes(labels), Growth::Independent) if labels.len() == 2);
    let all_outputs = if one_output { 1 } else { ensemble.n_outputs };
    let scales: &[OutputScale] = match (&ensemble.outcome, all_outputs) {
        (Outcome::Number, _) => &[OutputScale::Identity, OutputScale::Log],
        (_, 1) => &[OutputScale::Identity, OutputScale::LogOdds],
        _ => &[OutputScale::Identity, OutputScale::LogOdds, OutputScale::Softmax],
    };
    let trees = ensemble.trees.iter().enumerate().map(|(index, tree)| {
        let (first_output, k) = match ensemble.output_of_tree.get(index) {
            Some(&output) => (output, 1),
            None => (0, all_outputs),
        };
        let numbers = |n: usize, random: &mut Generator| (0..n).map(|_| finite(random)).collect();
        let raw = (0..ensemble.n_features() as u32).filter(|_| random.random()).collect::<Vec<_>>();
        TreeModel {
            first_output,
            n_outputs: k as u32,
            intercept: numbers(k, random),
            step: SparseNumbers::from(numbers(k * tree.n_nodes(), random)),
            raw: raw
                .into_iter()
                .map(|feature| RawTerm { feature, mean: finite(random), slope: numbers(k, random) })
                .collect(),
            fits: (0..k)
                .map(|_| TreeFit {
                    chosen: random.random::<bool>().then(|| Candidate {
                        strength: if random.random() {
                            Strength::Alpha(finite(random))
                        } else {
                            Strength::Inverse(finite(random))
                        },
                        l1_ratio: finite(random),
                    }),
                    iterations: random.random_range(0..usize::MAX),
                    gap: finite(random),
                    converged: random.random(),
                })
                .collect(),
        }
    });
    let trees: Vec<TreeModel> = trees.collect();
    let range = |random: &mut Generator| {
        let [a, b] = [finite(random), finite(random)];
        [a.min(b), a.max(b)]
    };
    let bounded = random.random::<bool>();
    let keeps = random.random::<bool>();
    let kept = ensemble.trees.iter().zip(&trees).filter(|_| keeps).map(|(tree, model)| {
        let n = used_features(tree).len() * model.n_outputs as usize;
        (0..n).map(|_| random.random_range(0.0..=1.0)).collect()
    });
    let kept = kept.collect();
    let n_ranges = if bounded { ensemble.n_features() } else { 0 };
    Explainer {
        options: text(random),
        scale: scales[random.random_range(0..scales.len())],
        trees,
        ranges: (0..n_ranges).map(|_| range(random)).collect(),
        tree_sizes: (0..if random.random() { ensemble.trees.len() } else { 0 })
            .map(|_| finite(random).abs())
            .collect(),
        kept,
    }
}

/// A schema for the columns of the ensemble, which are renamed to fit.
fn schema(ensemble: &mut Ensemble, random: &mut Generator) -> Schema {
    let mut columns: Vec<InputColumn> = Vec::new();
    let mut left = ensemble.n_features();
    while left > 0 {
        let name = format!("{}{}", columns.len(), text(random));
        let encoding = match random.random_range(0..4) {
            0 => Encoding::Number,
            1 => Encoding::Truth,
            2 => Encoding::Codes((0..3).map(|at| format!("{}{at}", text(random))).collect()),
            _ => Encoding::OneHot(parts(random.random_range(1..=left), random)),
        };
        left -= encoding.width();
        columns.push(InputColumn { name, encoding });
    }
    let kinds = Kind::ALL.into_iter().map(Reason::Kind).chain([Reason::Requested]);
    let dropped = kinds
        .enumerate()
        .filter(|_| random.random())
        .map(|(at, reason)| DroppedColumn { name: format!("dropped {at}"), reason })
        .collect();
    let (task, labels) = match &ensemble.outcome {
        Outcome::Number => (Task::Regression, vec![]),
        Outcome::Classes(labels) if labels.len() == 2 => (Task::Binary, labels.clone()),
        Outcome::Classes(labels) => (Task::Multiclass, labels.clone()),
    };
    let target = Target { name: text(random), task, labels };
    let schema = Schema {
        columns,
        dropped,
        target: random.random::<bool>().then_some(target),
        weight: random.random::<bool>().then(|| text(random)),
        reading: reading(random),
    };
    ensemble.feature_names = schema.encoded_names();
    schema
}

/// Formats of cells, of two columns that need not be there.
fn reading(random: &mut Generator) -> Reading {
    if random.random() {
        return Reading::default();
    }
    let names = ["number comma point", "date day-month-year", "time", "datetime year-month-day"];
    let formats = (0..random.random_range(0..3)).map(|at| ColumnFormat {
        name: format!("{at}{}", text(random)),
        format: CellFormat::from_name(names[random.random_range(0..4)]).expect("a known name"),
        missing: vec![text(random)],
    });
    Reading { formats: formats.collect(), missing: vec![text(random), text(random)] }
}

/// `width` parts of a categorical column.
fn parts(width: usize, random: &mut Generator) -> Vec<Part> {
    let mut tail = Vec::new();
    if random.random() {
        tail.push(Part::Other { pooled: vec!["p".into(), "q\n".into()] });
    }
    if random.random() {
        tail.push(Part::Missing);
    }
    tail.truncate(width);
    let levels = (0..width - tail.len()).map(|at| Part::Level(format!("{at:03}{}", text(random))));
    levels.collect::<Vec<_>>().into_iter().chain(tail).collect()
}

fn category_set(random: &mut Generator) -> CategorySet {
    let words = random.random_range(0..4);
    CategorySet {
        members: (0..words).map(|_| random.random()).collect(),
        members_go_left: random.random(),
        known: random.random::<bool>().then(|| (0..words + 1).map(|_| random.random()).collect()),
    }
}

/// Any number that does not overflow in sums and products, among them -0 and subnormal ones.
fn finite(random: &mut Generator) -> f64 {
    match random.random_range(0..8) {
        0 => -0.0,
        1 => f64::from_bits(random.random_range(1..1 << 52)),
        _ => Some(f64::from_bits(random.random())).filter(|x| x.abs() < 1e100).unwrap_or(0.1),
    }
}

fn text(random: &mut Generator) -> String {
    let letters = ['a', 'Z', '"', '\\', '\n', '\0', '\u{1b}', 'é', '\u{2028}', '\u{1F333}'];
    (0..random.random_range(0..6)).map(|_| letters[random.random_range(0..letters.len())]).collect()
}
