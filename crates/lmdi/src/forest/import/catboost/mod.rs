//! CatBoost's JSON models: symmetric and other trees, numbers and one-hot categories.
//!
//! - A cell is rounded to 32 bits; `x > border` goes right. NaN goes right where the feature's
//!   `nan_value_treatment` is `AsTrue`, otherwise left.
//! - A one-hot split sends one category right. The file knows categories by the hash of their text;
//!   their names are in it if it was saved with a pool.
//! - A split says twice what it is: by feature and border, and by its place among all borders and
//!   categories, which is what CatBoost reads. A file in which the two differ is refused.
//! - Split i of a symmetric tree is asked at depth i and gives bit i of the leaf's number.
//! - The raw output is `bias + scale * sum of leaf values`. With several classes a leaf has a value
//!   for each.

mod file;
mod tree;

use super::layout::in_tree;
use super::objective::Meaning;
use super::{
    Categories, Imported, Library, Rounds, category_words::CategoryWords, numbered_labels, refuse,
    rounds_used,
};
use crate::forest::{Aggregation, ClassWeights, Ensemble, Link, Loss, Missing, Outcome};
use crate::{Error, Result};
use file::{Bias, FeaturesInfo, File, ModelInfo, Names};
use std::collections::{BTreeMap, BTreeSet};

const LIBRARY: Library = Library::CatBoost;

/// Features that a file may have without listing them.
const MOST_FEATURES: usize = 1 << 20;

pub(super) fn read(bytes: &[u8], wish: Rounds) -> Result<Imported> {
    let file: File = serde_json::from_slice(bytes)
        .map_err(|error| Error::Format(format!("CatBoost: {error}")))?;
    let (meaning, objective) = meaning_of(&file.model_info)?;
    let k = meaning.n_outputs();
    let features = Features::of(&file.features_info, bytes.len())?;
    let scale = file.scale_and_bias.0;
    let base_score = match file.scale_and_bias.1 {
        Bias::One(bias) => vec![bias; k],
        Bias::Many(biases) if biases.len() == k => biases,
        Bias::Many(biases) if biases.is_empty() => vec![0.0; k],
        Bias::Many(biases) => {
            return refuse(LIBRARY, format!("{} biases for {k} outputs", biases.len()));
        }
    };
    let rounds = file.oblivious_trees.len() + file.trees.len();
    if rounds == 0 {
        return refuse(LIBRARY, "it has no trees");
    }
    let used = rounds_used(rounds, wish, None)?;
    let mut words = CategoryWords::for_file(bytes.len());
    let mut trees = Vec::with_capacity(used);
    let mut node_ids = Vec::with_capacity(used);
    for index in 0..used {
        let read = match file.oblivious_trees.get(index) {
            Some(tree) => tree::read_symmetric(tree, &features, k, scale, &mut words),
            None => {
                let tree = &file.trees[index - file.oblivious_trees.len()];
                tree::read_nested(tree, &features, k, scale, &mut words)
            }
        };
        let (tree, ids) = in_tree(index, read)?;
        trees.push(tree);
        node_ids.push(ids);
    }
    Ok(Imported {
        ensemble: Ensemble {
            feature_names: features.names,
            trees,
            output_of_tree: Vec::new(),
            n_outputs: k,
            aggregation: Aggregation::Sum { learning_rate: 1.0 },
            base_score,
            link: meaning.link,
            growth: meaning.shrunk(1),
            class_weights: class_weights(&file.model_info, &meaning.outcome),
            outcome: meaning.outcome,
        },
        library: LIBRARY,
        version: version(&file.model_info),
        objective,
        categories: features.categories,
        best_iteration: None,
        rounds,
        rounds_used: used,
        node_ids,
    })
}

/// What the loss function means.
fn meaning_of(info: &ModelInfo) -> Result<(Meaning, String)> {
    let loss = &info.params().loss_function;
    let labels = |fallback: usize| -> Result<Vec<String>> {
        let names = match &info.class_params {
            Some(Names { class_names }) => {
                class_names.iter().map(file::label).collect::<Vec<String>>()
            }
            None => Vec::new(),
        };
        match names.len() {
            0 => Ok(numbered_labels(fallback)),
            count if count >= 2 => Ok(names),
            count => refuse(LIBRARY, format!("{count} class names; expected at least 2")),
        }
    };
    let meaning = match loss.kind.as_str() {
        "RMSE" => Meaning::squared_error(),
        "Logloss" | "CrossEntropy" => Meaning::binary(labels(2)?),
        "MultiClass" => Meaning::multinomial(labels(0)?),
        "MultiClassOneVsAll" => Meaning::one_vs_rest(labels(0)?),
        "Poisson" => Meaning::log(Loss::Poisson),
        "Tweedie" => {
            let power = loss.params.get("variance_power").map(file::label);
            match power.and_then(|text| text.parse().ok()) {
                Some(power) => Meaning::log(Loss::Tweedie { power }),
                None => return refuse(LIBRARY, "loss Tweedie has no variance_power"),
            }
        }
        "" => {
            return refuse(LIBRARY, "it does not name its loss function (model_info.params)");
        }
        other @ ("MultiRMSE"
        | "MultiRMSEWithMissingValues"
        | "RMSEWithUncertainty"
        | "MultiLogloss"
        | "MultiCrossEntropy"
        | "MultiQuantile"
        | "SurvivalAft") => {
            return refuse(
                LIBRARY,
                format!("loss function {other:?} is not read; train one model per output"),
            );
        }
        // Ranking, quantiles, absolute errors and the like: the raw output is the prediction.
        _ => Meaning::other(Link::Identity),
    };
    Ok((meaning, loss.kind.clone()))
}

/// The file has a number per class, also where the library balanced the classes itself.
fn class_weights(info: &ModelInfo, outcome: &Outcome) -> ClassWeights {
    let weights = info.params().data_processing_options.class_weights;
    match outcome {
        Outcome::Classes(_) if !weights.is_empty() => ClassWeights::Given(weights),
        _ => ClassWeights::Equal,
    }
}

/// The version, from a text about the build that has it as `tags/v1.2.10` or `release 1.2.10`.
fn version(info: &ModelInfo) -> String {
    let after = |mark: &str| {
        let text = info.catboost_version_info.split_once(mark)?.1;
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        Some(text[..end].trim_end_matches('.').to_owned())
    };
    after("tags/v").or_else(|| after("release ")).unwrap_or_default()
}

/// Columns of the matrix, found by the numbers that splits name them by.
struct Features {
    names: Vec<String>,
    categories: Vec<Option<Categories>>,
    /// By number among the float features: column, and where NaN goes.
    float: BTreeMap<usize, (u32, Missing)>,
    /// By number among the categorical features: column.
    categorical: BTreeMap<usize, u32>,
    /// The code of each hashed category.
    code_of_hash: BTreeMap<u32, u32>,
    /// Every border of a float feature and every hash of a categorical one, in the order that splits
    /// name them by.
    splits: Vec<KnownSplit>,
}

/// What a split can ask.
#[derive(Debug, Clone, Copy, PartialEq)]
enum KnownSplit {
    Float { feature: usize, border: f64 },
    OneHot { feature: usize, hash: i64 },
}

impl Features {
    fn of(info: &FeaturesInfo, file_size: usize) -> Result<Self> {
        let used = |what: &str, list: &[serde::de::IgnoredAny]| match list.is_empty() {
            true => Ok(()),
            false => refuse(LIBRARY, format!("{what} features are not read")),
        };
        used("text", &info.text_features)?;
        used("embedding", &info.embedding_features)?;
        let flat = info.float_features.iter().map(|feature| feature.index.flat_feature_index);
        let flat = flat.chain(info.categorical_features.iter().map(|f| f.index.flat_feature_index));
        let count = flat.max().map_or(0, |last| last.saturating_add(1));
        if count > MOST_FEATURES {
            return refuse(LIBRARY, format!("{count} features; expected at most {MOST_FEATURES}"));
        }
        check_indices(info)?;
        let mut names: Vec<String> = (0..count).map(|at| at.to_string()).collect();
        let mut categories = vec![None; count];
        let mut float = BTreeMap::new();
        for feature in &info.float_features {
            let column = feature.index.flat_feature_index;
            feature.index.name(&mut names[column]);
            let missing = match feature.nan_value_treatment.as_str() {
                "AsTrue" => Missing::Right,
                "AsFalse" | "AsIs" | "" => Missing::Left,
                other => return refuse(LIBRARY, format!("nan_value_treatment is {other:?}")),
            };
            float.insert(feature.index.feature_index, (column as u32, missing));
        }
        // One list of hashes for all columns: a level that another column has does no harm.
        let mut code_of_hash = BTreeMap::new();
        let mut levels = Vec::new();
        for entry in &info.cat_features_hash {
            let code = *code_of_hash.entry(entry.hash).or_insert_with(|| {
                levels.push(entry.value.clone());
                levels.len() as u32 - 1
            });
            if levels[code as usize] != entry.value {
                return refuse(LIBRARY, format!("hash {} stands for two categories", entry.hash));
            }
        }
        // Every categorical column gets a copy; a small file must not ask for very many.
        let copies = levels.len().saturating_mul(info.categorical_features.len());
        if copies > file_size.saturating_add(MOST_FEATURES) {
            return refuse(LIBRARY, "it has too many categories for so many categorical features");
        }
        let mut categorical = BTreeMap::new();
        for feature in &info.categorical_features {
            let column = feature.index.flat_feature_index;
            feature.index.name(&mut names[column]);
            categories[column] = Some(Categories::Levels(levels.clone()));
            categorical.insert(feature.index.feature_index, column as u32);
        }
        let splits = known_splits(info)?;
        Ok(Self { names, categories, float, categorical, code_of_hash, splits })
    }
}

/// Fails if two features have the same index.
fn check_indices(info: &FeaturesInfo) -> Result<()> {
    let float: Vec<_> = info.float_features.iter().map(|feature| &feature.index).collect();
    let categorical: Vec<_> = info.categorical_features.iter().map(|f| &f.index).collect();
    let mut flat = BTreeSet::new();
    for indices in [float, categorical] {
        if !indices.is_sorted_by(|a, b| a.feature_index < b.feature_index) {
            return refuse(LIBRARY, "features of one kind are not in their order");
        }
        for index in indices {
            if !flat.insert(index.flat_feature_index) {
                let column = index.flat_feature_index;
                return refuse(LIBRARY, format!("two features are column {column}"));
            }
        }
    }
    Ok(())
}

/// All that splits can ask, in the order of their numbers.
fn known_splits(info: &FeaturesInfo) -> Result<Vec<KnownSplit>> {
    let mut splits = Vec::new();
    for float in &info.float_features {
        let borders = float.borders.as_deref().unwrap_or_default();
        if !borders.is_sorted_by(|a, b| a < b) {
            let feature = float.index.feature_index;
            return refuse(LIBRARY, format!("the borders of float feature {feature} do not rise"));
        }
        let feature = float.index.feature_index;
        splits.extend(borders.iter().map(|&border| KnownSplit::Float { feature, border }));
    }
    for category in &info.categorical_features {
        let feature = category.index.feature_index;
        let hashes = category.values.as_deref().unwrap_or_default();
        splits.extend(hashes.iter().map(|&hash| KnownSplit::OneHot { feature, hash }));
    }
    Ok(splits)
}
