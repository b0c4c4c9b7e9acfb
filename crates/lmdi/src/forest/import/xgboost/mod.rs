//! XGBoost's JSON and UBJSON models, since version 1.7.
//!
//! - A cell is rounded to 32 bits; `x < split_condition` goes left, NaN as `default_left` says.
//! - Members of a set of categories go right; nothing else does, not even a negative cell.
//! - The raw output is `base + sum of leaf values`; DART multiplies each tree by its `weight_drop`.
//! - `base_score` is kept in units of the response: its logarithm or log-odds is the base where the link
//!   is one, except for `binary:logitraw`. Several numbers (`[a,b,c]`, one per class) are raw outputs already.
//! - A tree whose leaves hold vectors (`multi_strategy="multi_output_tree"`) is read as one tree per
//!   output, all with the same splits.
//! - One round of many parallel trees is a random forest: values are those of trees that stand alone,
//!   divided by their number, so they are multiplied by it and averaged.

mod file;
mod tree;

use super::layout::in_tree;
use super::objective::Meaning;
use super::{
    Categories, Imported, Library, Rounds, category_words, detect, numbered_labels, refuse,
    rounds_used, ubjson,
};
use crate::forest::{Aggregation, ClassWeights, Ensemble, Link, Loss};
use crate::table::number_text;
use crate::{Error, Result};
use file::{BoosterModel, File, Learner};

const LIBRARY: Library = Library::XgBoost;

pub(super) fn read(bytes: &[u8], wish: Rounds) -> Result<Imported> {
    let file: File = if detect::is_ubjson(bytes) {
        ubjson::from_slice(bytes)?
    } else {
        let parsed = serde_json::from_slice(&file::without_nan(bytes));
        parsed.map_err(|error| Error::Format(format!("XGBoost: {error}")))?
    };
    let learner = file.learner;
    let (model, weight_drop) = booster(&learner)?;
    let n_features = learner.learner_model_param.num_feature.0;
    if n_features > MOST_UNNAMED.max(learner.feature_names.len()) {
        return refuse(
            LIBRARY,
            format!("{n_features} features; expected at most {MOST_UNNAMED} without names"),
        );
    }
    let (meaning, objective) = meaning_of(&learner)?;
    let k = meaning.n_outputs();
    let best_iteration = match learner.attributes.get("best_iteration") {
        Some(text) => Some(text.parse().or_else(|_| {
            refuse(LIBRARY, format!("attribute best_iteration is {text:?}; expected a number"))
        })?),
        None => None,
    };
    let width = leaf_width(model, k)?;
    let written_per_round = trees_per_round(model, k / width)?;
    let rounds = model.trees.len() / written_per_round;
    let used = rounds_used(rounds, wish, best_iteration)?;
    let n_written = used * written_per_round;
    let trees_per_round = written_per_round * width;
    let n_trees = n_written * width;
    let parallel = trees_per_round / k;
    let is_forest = rounds == 1 && parallel > 1;

    let mut base_score = base_score(&learner, &meaning)?;
    let mut sets = category_words::CategoryWords::for_file(bytes.len());
    let mut by_category = vec![false; n_features];
    let mut trees = Vec::with_capacity(n_trees);
    let mut node_ids = Vec::with_capacity(n_trees);
    let mut output_of_tree = Vec::new();
    let parts = (0..n_written).flat_map(|index| (0..width).map(move |part| (index, part)));
    for (index, part) in parts {
        let tree = &model.trees[index];
        let named = usize::try_from(model.tree_info[index]).ok().filter(|&output| output < k);
        let Some(output) = (if width > 1 { Some(part) } else { named }) else {
            return refuse(
                LIBRARY,
                format!("tree {index} belongs to an output that does not exist"),
            );
        };
        let factor = weight_drop.map_or(1.0, |weights| weights[index]);
        let value = |leaf: f64| match is_forest {
            true => base_score[output] + parallel as f64 * factor * leaf,
            false => factor * leaf,
        };
        let (tree, ids) =
            in_tree(index, tree::read(tree, part, value, &mut sets, &mut by_category))?;
        trees.push(tree);
        node_ids.push(ids);
        if k > 1 {
            output_of_tree.push(output as u32);
        }
    }
    let (growth, aggregation) = if is_forest {
        base_score.fill(0.0);
        let mean = Aggregation::Sum { learning_rate: 1.0 / parallel as f64 };
        let growth = meaning.independent(trees_per_round as u32);
        (growth, if k == 1 { Aggregation::Mean } else { mean })
    } else {
        (meaning.shrunk(trees_per_round as u32), Aggregation::Sum { learning_rate: 1.0 })
    };
    Ok(Imported {
        ensemble: Ensemble {
            feature_names: feature_names(&learner, n_features)?,
            trees,
            output_of_tree,
            n_outputs: k,
            aggregation,
            base_score,
            link: meaning.link,
            growth,
            class_weights: class_weights(&learner, &meaning),
            outcome: meaning.outcome,
        },
        library: LIBRARY,
        version: file.version.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
        objective,
        categories: categories(&learner, model, &by_category)?,
        best_iteration,
        rounds,
        rounds_used: used,
        node_ids,
    })
}

/// The trees, and what DART multiplies each of them by.
fn booster(learner: &Learner) -> Result<(&BoosterModel, Option<&[f64]>)> {
    let booster = &learner.gradient_booster;
    let (model, weights) = match (booster.name.as_str(), &booster.model, &booster.gbtree) {
        ("gbtree", Some(model), _) => (model, None),
        ("dart", _, Some(gbtree)) => match &gbtree.model {
            Some(model) => (model, Some(booster.weight_drop.as_slice())),
            None => return refuse(LIBRARY, "booster dart has no trees"),
        },
        (name @ ("gbtree" | "dart"), ..) => {
            return refuse(LIBRARY, format!("booster {name} has no trees"));
        }
        (name, ..) => {
            return refuse(
                LIBRARY,
                format!("booster {name:?} has no trees to explain; expected gbtree or dart"),
            );
        }
    };
    if model.trees.is_empty() {
        return refuse(LIBRARY, "it has no trees; it was saved before training");
    }
    if model.tree_info.len() != model.trees.len() {
        return refuse(LIBRARY, "tree_info does not have one entry per tree");
    }
    if weights.is_some_and(|weights| weights.len() != model.trees.len()) {
        return refuse(LIBRARY, "weight_drop does not have one entry per tree");
    }
    Ok((model, weights))
}

/// How many outputs a leaf has: one, or all of them.
fn leaf_width(model: &BoosterModel, n_outputs: usize) -> Result<usize> {
    let width = |tree: &file::TreeIn| tree.tree_param.size_leaf_vector.0.max(1);
    let first = model.trees.first().map_or(1, width);
    match model.trees.iter().position(|tree| width(tree) != first) {
        None if first == 1 || first == n_outputs => Ok(first),
        None => refuse(LIBRARY, format!("leaves hold {first} values; expected 1 or {n_outputs}")),
        Some(index) => refuse(LIBRARY, format!("tree {index} has leaves of another length")),
    }
}

/// Number of trees per round, the same in all rounds.
fn trees_per_round(model: &BoosterModel, n_outputs: usize) -> Result<usize> {
    let parallel = model.gbtree_model_param.num_parallel_tree.0.max(1);
    let claimed = parallel.saturating_mul(n_outputs);
    let starts = &model.iteration_indptr;
    let per_round = if starts.len() > 1 {
        let first = starts[1].saturating_sub(starts[0]);
        let even = starts.iter().enumerate().all(|(round, &start)| {
            first.checked_mul(round).is_some_and(|expected| start == expected)
        });
        let n_trees = starts.last().copied().unwrap_or_default();
        if !even || first == 0 || n_trees != model.trees.len() {
            return refuse(
                LIBRARY,
                "its rounds do not have the same number of trees; train it in one go, with one \
                 num_parallel_tree",
            );
        }
        first
    } else {
        claimed
    };
    if !per_round.is_multiple_of(n_outputs)
        || !model.trees.len().is_multiple_of(per_round)
        || per_round > u32::MAX as usize
    {
        return refuse(
            LIBRARY,
            format!("{} trees do not make rounds of {per_round}", model.trees.len()),
        );
    }
    Ok(per_round)
}

/// What the objective means.
fn meaning_of(learner: &Learner) -> Result<(Meaning, String)> {
    let name = learner.objective.name.clone();
    let param = &learner.learner_model_param;
    if param.num_target.as_ref().is_some_and(|count| count.0 > 1) {
        return refuse(
            LIBRARY,
            "a model of several targets is not read; train one model per target",
        );
    }
    let classes = param.num_class.0;
    let meaning = match name.as_str() {
        "reg:squarederror" | "reg:linear" => Meaning::squared_error(),
        "binary:logistic" | "binary:logitraw" | "reg:logistic" => {
            Meaning::binary(numbered_labels(2))
        }
        "multi:softmax" | "multi:softprob" if (2..=MOST_CLASSES).contains(&classes) => {
            Meaning::multinomial(numbered_labels(classes))
        }
        "multi:softmax" | "multi:softprob" => {
            return refuse(LIBRARY, format!("{classes} classes; expected 2 to {MOST_CLASSES}"));
        }
        "count:poisson" => Meaning::log(Loss::Poisson),
        "reg:gamma" => Meaning::log(Loss::Gamma),
        "reg:tweedie" => {
            let power = learner.objective.tweedie_regression_param.as_ref();
            let power = power.map_or(1.5, |param| param.tweedie_variance_power.0);
            Meaning::log(Loss::Tweedie { power })
        }
        // The hazard and the time are powers of e.
        "survival:cox" | "survival:aft" => Meaning::other(Link::Log),
        _ if classes > 1 => {
            return refuse(
                LIBRARY,
                format!(
                    "objective {name:?} has {classes} classes; expected multi:softprob or multi:softmax"
                ),
            );
        }
        // Ranking, quantiles, absolute errors and the like: the raw output is the prediction.
        _ => Meaning::other(Link::Identity),
    };
    Ok((meaning, name))
}

/// `scale_pos_weight` multiplies the gradients of the rows of the second class.
fn class_weights(learner: &Learner, meaning: &Meaning) -> ClassWeights {
    let second = learner.objective.reg_loss_param.as_ref().map_or(1.0, |p| p.scale_pos_weight.0);
    match meaning.link {
        Link::Logit if second != 1.0 => ClassWeights::Given(vec![1.0, second]),
        _ => ClassWeights::Equal,
    }
}

/// Features that a file may have without naming them.
const MOST_UNNAMED: usize = 1 << 20;

/// More classes than any model has trees for.
const MOST_CLASSES: usize = 1 << 20;

/// The raw output before any tree.
fn base_score(learner: &Learner, meaning: &Meaning) -> Result<Vec<f64>> {
    let text = learner.learner_model_param.base_score.trim();
    let k = meaning.n_outputs();
    let list = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let numbers: Option<Vec<f64>> = list
        .unwrap_or(text)
        .split(',')
        .map(|number| number.trim().parse::<f32>().ok().map(f64::from))
        .collect();
    let Some(numbers) = numbers.filter(|numbers| numbers.len() == 1 || numbers.len() == k) else {
        return refuse(LIBRARY, format!("base_score is {text:?}; expected 1 or {k} numbers"));
    };
    let is_raw = learner.objective.name == "binary:logitraw";
    let raw = |score: f64| match meaning.link {
        _ if is_raw => score,
        Link::Logit => libm::log(score / (1.0 - score)),
        Link::Log => libm::log(score),
        _ => score,
    };
    let raw: Vec<f64> = (0..k).map(|at| raw(numbers[at.min(numbers.len() - 1)])).collect();
    if raw.iter().any(|score| !score.is_finite()) {
        return refuse(LIBRARY, format!("base_score {text:?} is impossible for this objective"));
    }
    Ok(raw)
}

fn feature_names(learner: &Learner, n_features: usize) -> Result<Vec<String>> {
    match learner.feature_names.len() {
        0 => Ok((0..n_features).map(|at| format!("f{at}")).collect()),
        count if count == n_features => Ok(learner.feature_names.clone()),
        count => refuse(LIBRARY, format!("{count} names for {n_features} features")),
    }
}

/// Names of categories, which files have since version 3.1; before that, codes.
fn categories(
    learner: &Learner,
    model: &BoosterModel,
    by_category: &[bool],
) -> Result<Vec<Option<Categories>>> {
    let named = |feature: usize| -> Result<Option<Vec<String>>> {
        let levels = model.cats.as_ref().and_then(|cats| cats.enc.get(feature));
        Ok(match levels {
            Some(levels) if !levels.values.is_empty() => Some(level_names(feature, levels)?),
            _ => None,
        })
    };
    (0..by_category.len())
        .map(|feature| {
            let marked = learner.feature_types.get(feature).is_some_and(|kind| kind == "c");
            Ok(match named(feature)? {
                Some(levels) => Some(Categories::Levels(levels)),
                None => (marked || by_category[feature]).then_some(Categories::Codes),
            })
        })
        .collect()
}

fn level_names(feature: usize, levels: &file::Levels) -> Result<Vec<String>> {
    if levels.offsets.is_empty() {
        return Ok(levels.values.iter().map(|&number| number_text(number)).collect());
    }
    // The bytes of all names in a row, as signed or unsigned numbers.
    let bytes: Vec<u8> = levels.values.iter().map(|&byte| byte as i64 as u8).collect();
    let names = levels.offsets.windows(2).map(|ends| {
        let name = bytes.get(ends[0]..ends[1])?;
        std::str::from_utf8(name).ok().map(str::to_owned)
    });
    match names.collect() {
        Some(names) => Ok(names),
        None => refuse(
            LIBRARY,
            format!(
                "the names of the categories of feature {feature} are damaged, as XGBoost writes those with \
                 letters beyond ASCII; rename them and train again"
            ),
        ),
    }
}
