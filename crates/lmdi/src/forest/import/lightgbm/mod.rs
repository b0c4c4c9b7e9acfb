//! LightGBM's text models, since version 3.3.
//!
//! - Cells are compared in 64 bits; `x <= threshold` goes left.
//! - Missing cells as the node's type says. *None*: NaN counts as 0. *Zero*: NaN and zeros (up to 1e-35 in
//!   size) go the default way. *NaN*: NaN goes the default way.
//! - Reading a row, LightGBM takes a cell up to 1e-35 in size for 0, so a threshold in that range moves
//!   to its end: up to 1e-35 from 0 on, just below -1e-35 from below 0.
//! - Members of a set of categories go left, after the cell is truncated to an integer; everything
//!   else, including NaN, goes right.
//! - The raw output is the sum of leaf values; with `average_output` (random forests) their mean. A
//!   `sigmoid` other than 1 multiplies the raw output, so that it becomes log-odds.
//! - The average that boosting starts from is inside the values of the first tree (one per class); it is
//!   taken out of them and becomes the base score.

mod file;
mod tree;

use super::layout::in_tree;
use super::objective::Meaning;
use super::{Categories, Imported, Library, Rounds, numbered_labels, refuse, rounds_used};
use crate::forest::{Aggregation, ClassWeights, Ensemble, Link, Loss, Outcome, Tree};
use crate::{Error, Result};
use file::File;

const LIBRARY: Library = Library::LightGbm;

pub(super) fn read(bytes: &[u8], wish: Rounds) -> Result<Imported> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::Format("LightGBM: the file is not UTF-8 text".into()))?;
    let file = File::parse(text)?;
    let (meaning, sigmoid, objective) = meaning_of(&file)?;
    let k = meaning.n_outputs();
    let per_round: usize = file.number("num_tree_per_iteration")?;
    if per_round != k || file.trees.is_empty() || !file.trees.len().is_multiple_of(k) {
        return refuse(
            LIBRARY,
            format!("{} trees, {per_round} a round, for {k} outputs", file.trees.len()),
        );
    }
    let rounds = file.trees.len() / k;
    let used = rounds_used(rounds, wish, None)?;
    let average = file.header.contains_key("average_output");
    let feature_names = file.feature_names()?;
    let mut by_category = vec![false; feature_names.len()];
    let mut trees = Vec::with_capacity(used * k);
    let mut node_ids = Vec::with_capacity(used * k);
    let mut base_score = vec![0.0; k];
    for (index, lines) in file.trees.iter().take(used * k).enumerate() {
        let (mut tree, ids, shrinkage) =
            in_tree(index, tree::read(lines, sigmoid, &mut by_category))?;
        // Boosting that starts from an average marks the trees that hold it by this shrinkage.
        if index < k && !average && shrinkage == 1.0 {
            base_score[index] = take_out_average(&mut tree);
        }
        trees.push(tree);
        node_ids.push(ids);
    }
    let (growth, aggregation) = match (average, k) {
        (true, 1) => (meaning.independent(1), Aggregation::Mean),
        (true, _) => {
            (meaning.independent(k as u32), Aggregation::Sum { learning_rate: 1.0 / used as f64 })
        }
        (false, _) => (meaning.shrunk(k as u32), Aggregation::Sum { learning_rate: 1.0 }),
    };
    file.check_sizes()?;
    let categories = categories(&file, &by_category)?;
    let class_weights = class_weights(&file, &meaning)?;
    Ok(Imported {
        ensemble: Ensemble {
            feature_names,
            output_of_tree: match k {
                1 => Vec::new(),
                _ => (0..trees.len()).map(|tree| (tree % k) as u32).collect(),
            },
            trees,
            n_outputs: k,
            aggregation,
            base_score,
            link: meaning.link,
            growth,
            outcome: meaning.outcome,
            class_weights,
        },
        library: LIBRARY,
        version: file.header.get("version").map_or(String::new(), |text| format!("format {text}")),
        objective,
        categories,
        best_iteration: None,
        rounds,
        rounds_used: used,
        node_ids,
    })
}

/// Moves the mean of a tree's values by weight to the base score. Where boosting starts from the
/// average the first step has mean zero, so that this is the average.
fn take_out_average(tree: &mut Tree) -> f64 {
    let average = tree.value[0];
    tree.value.iter_mut().for_each(|value| *value -= average);
    average
}

/// The weights of two classes: `is_unbalance` balances them, `scale_pos_weight` weights the second.
fn class_weights(file: &File, meaning: &Meaning) -> Result<ClassWeights> {
    let two = matches!(&meaning.outcome, Outcome::Classes(labels) if labels.len() == 2);
    let given = |key: &str| file.parameter(key).filter(|_| two);
    if given("is_unbalance").is_some_and(|text| text == "1") {
        return Ok(ClassWeights::Balanced);
    }
    let second = given("scale_pos_weight")
        .map_or(Ok(1.0), |text| file::parse::<f64>(text, "scale_pos_weight"))?;
    Ok(if second == 1.0 { ClassWeights::Equal } else { ClassWeights::Given(vec![1.0, second]) })
}

/// What the objective means, and the factor from its raw output to log-odds.
fn meaning_of(file: &File) -> Result<(Meaning, f64, String)> {
    // Models of custom objectives name none.
    let objective = file.header.get("objective").copied().unwrap_or("custom");
    let mut words = objective.split_ascii_whitespace();
    let name = words.next().unwrap_or_default();
    let mut sigmoid = 1.0;
    let mut power = 1.5;
    for word in words {
        let (key, value) = word.split_once(':').unwrap_or((word, ""));
        match key {
            "sigmoid" => sigmoid = file::parse(value, "sigmoid")?,
            "tweedie_variance_power" => power = file::parse(value, "tweedie_variance_power")?,
            "sqrt" => {
                return refuse(
                    LIBRARY,
                    "objective \"regression sqrt\" is not read; train on the square root of the \
                     target instead",
                );
            }
            _ => {}
        }
    }
    let classes: usize = file.number("num_class")?;
    let labels = || match classes {
        2..=MOST_CLASSES => Ok(numbered_labels(classes)),
        _ => refuse(LIBRARY, format!("{classes} classes; expected 2 to {MOST_CLASSES}")),
    };
    let meaning = match name {
        "regression" => Meaning::squared_error(),
        "binary" | "cross_entropy" => Meaning::binary(numbered_labels(2)),
        "multiclass" => Meaning::multinomial(labels()?),
        "multiclassova" => Meaning::one_vs_rest(labels()?),
        "poisson" => Meaning::log(Loss::Poisson),
        "gamma" => Meaning::log(Loss::Gamma),
        "tweedie" => {
            let named = file.parameter("tweedie_variance_power");
            let power =
                named.map_or(Ok(power), |text| file::parse(text, "tweedie_variance_power"))?;
            Meaning::log(Loss::Tweedie { power })
        }
        "cross_entropy_lambda" => {
            return refuse(
                LIBRARY,
                "objective \"cross_entropy_lambda\" is not read; use cross_entropy",
            );
        }
        _ if classes > 1 => {
            return refuse(
                LIBRARY,
                format!(
                    "objective {name:?} has {classes} classes; expected multiclass or multiclassova"
                ),
            );
        }
        // Ranking, quantiles, absolute errors and the like: the raw output is the prediction.
        _ => Meaning::other(Link::Identity),
    };
    let in_log_odds = matches!(meaning.loss, Loss::Logistic);
    Ok((meaning, if in_log_odds { sigmoid } else { 1.0 }, objective.to_string()))
}

/// More classes than any model has trees for.
const MOST_CLASSES: usize = 1 << 20;

/// Levels of the columns that pandas held as categories. The file lists them for these columns in
/// their order, but names the columns only in the parameters, beside others that hold codes.
fn categories(file: &File, by_category: &[bool]) -> Result<Vec<Option<Categories>>> {
    let mut categories: Vec<Option<Categories>> =
        by_category.iter().map(|&split| split.then_some(Categories::Codes)).collect();
    let levels = file.pandas_categorical()?;
    if levels.is_empty() {
        return Ok(categories);
    }
    let columns = file.categorical_columns(by_category.len())?;
    if columns.len() != levels.len() {
        return refuse(
            LIBRARY,
            format!(
                "it has the levels of {} pandas columns, but {} categorical columns; which are which is \
                 not said. Make all of them pandas categories, and train with \
                 categorical_feature=\"auto\"",
                levels.len(),
                columns.len()
            ),
        );
    }
    for (column, levels) in columns.into_iter().zip(levels) {
        categories[column] = Some(Categories::Levels(levels));
    }
    Ok(categories)
}
