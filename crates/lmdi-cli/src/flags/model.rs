//! The kind of model to train and its parameters, as flags.
//!
//! A parameter that the chosen model does not have is an error, not silently ignored.

use super::{invalid, named};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lmdi::forest::train::{
    BoostingParams, Criterion, EarlyStopping, EnsembleParams, ForestParams, MaxFeatures,
    MaxSamples, SplitFinder,
};
use lmdi::table::Task;

/// The models that can be trained.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelKind {
    /// Bagged trees, each on its own bootstrap sample
    Forest,
    /// Like forest, with random thresholds and all rows
    ExtraTrees,
    /// Gradient boosting: each tree corrects those before it
    Boosting,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

/// How to train a model. Which one is a flag of the command.
#[derive(Args)]
pub struct ModelFlags {
    /// Number of trees, or of rounds for boosting [default: 100]
    #[arg(long, value_name = "N", help_heading = "Model")]
    trees: Option<usize>,
    /// Maximum depth of a tree [default: unlimited]
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_depth: Option<usize>,
    /// Minimum number of rows in a leaf [default: 1; boosting: 20]
    #[arg(long, value_name = "N", help_heading = "Model")]
    min_samples_leaf: Option<usize>,
    /// Minimum number of rows in a node to split it [default: 2]
    #[arg(long, value_name = "N", help_heading = "Model")]
    min_samples_split: Option<usize>,
    /// Maximum number of leaves of a tree, 0 for no limit [default: 0; boosting: 31]
    #[arg(long, value_name = "N", help_heading = "Model")]
    max_leaf_nodes: Option<usize>,
    /// Columns tried at each split: all, sqrt, a count (5) or a share (0.3) [default: all;
    /// forests of classes: sqrt]
    #[arg(long, value_name = "HOW", value_parser = parse_max_features, help_heading = "Model")]
    max_features: Option<MaxFeatures>,
    /// How candidate splits are found [default: auto, which is exact, but histogram for boosting on
    /// more than 10,000 rows]
    #[arg(long, value_parser = named::<SplitFinder>(), value_name = "HOW", help_heading = "Model")]
    split_finder: Option<SplitFinder>,
    /// The criterion that a split reduces [default: squared-error; classes: gini]
    #[arg(long, value_parser = named::<Criterion>(), value_name = "WHAT", help_heading = "Forests only")]
    criterion: Option<Criterion>,
    /// Minimum decrease of impurity for a split [default: 0]
    #[arg(long, value_name = "X", help_heading = "Forests only")]
    min_impurity_decrease: Option<f64>,
    /// Whether each tree draws its rows with replacement [default: on; extra-trees: off]
    #[arg(long, value_enum, value_name = "ON/OFF", help_heading = "Forests only")]
    bootstrap: Option<Switch>,
    /// Rows that a tree draws: a count (500) or a share (0.5) [default: as many as the table has]
    #[arg(long, value_name = "N", value_parser = parse_max_samples, help_heading = "Forests only")]
    max_samples: Option<MaxSamples>,
    /// Learning rate: a factor on every tree [default: 0.1]
    #[arg(long, value_name = "X", help_heading = "Boosting only")]
    learning_rate: Option<f64>,
    /// Share of the rows that each round uses [default: 1]
    #[arg(long, value_name = "SHARE", help_heading = "Boosting only")]
    subsample: Option<f64>,
    /// L2 penalty on leaf values, histogram finder only [default: 0]
    #[arg(long, value_name = "X", help_heading = "Boosting only")]
    l2: Option<f64>,
    /// Number of bins, histogram finder only [default: 255]
    #[arg(long, value_name = "N", help_heading = "Boosting only")]
    max_bins: Option<usize>,
    /// Stop after this many rounds without improvement on held-out rows
    #[arg(long, value_name = "ROUNDS", help_heading = "Boosting only")]
    early_stopping: Option<usize>,
    /// Share of the rows held out for early stopping [default: 0.1]
    #[arg(long, value_name = "SHARE", requires = "early_stopping", help_heading = "Boosting only")]
    validation_fraction: Option<f64>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Running")]
    pub seed: u64,
}

impl ModelFlags {
    /// The parameters that these flags and the task give.
    pub fn params(&self, model: ModelKind, task: Task) -> Result<EnsembleParams> {
        match model {
            ModelKind::Boosting => {
                refuse(
                    model,
                    &[
                        ("--criterion", self.criterion.is_some()),
                        ("--min-impurity-decrease", self.min_impurity_decrease.is_some()),
                        ("--bootstrap", self.bootstrap.is_some()),
                        ("--max-samples", self.max_samples.is_some()),
                    ],
                )?;
                Ok(EnsembleParams::Boosting(self.boosting()))
            }
            ModelKind::Forest | ModelKind::ExtraTrees => {
                refuse(
                    model,
                    &[
                        ("--learning-rate", self.learning_rate.is_some()),
                        ("--subsample", self.subsample.is_some()),
                        ("--l2", self.l2.is_some()),
                        ("--max-bins", self.max_bins.is_some()),
                        ("--early-stopping", self.early_stopping.is_some()),
                    ],
                )?;
                Ok(EnsembleParams::Forest(self.forest(model, task)))
            }
        }
    }

    /// The first flag that was given and says how to train.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--trees", self.trees.is_some()),
            ("--max-depth", self.max_depth.is_some()),
            ("--min-samples-leaf", self.min_samples_leaf.is_some()),
            ("--min-samples-split", self.min_samples_split.is_some()),
            ("--max-leaf-nodes", self.max_leaf_nodes.is_some()),
            ("--max-features", self.max_features.is_some()),
            ("--split-finder", self.split_finder.is_some()),
            ("--criterion", self.criterion.is_some()),
            ("--min-impurity-decrease", self.min_impurity_decrease.is_some()),
            ("--bootstrap", self.bootstrap.is_some()),
            ("--max-samples", self.max_samples.is_some()),
            ("--learning-rate", self.learning_rate.is_some()),
            ("--subsample", self.subsample.is_some()),
            ("--l2", self.l2.is_some()),
            ("--max-bins", self.max_bins.is_some()),
            ("--early-stopping", self.early_stopping.is_some()),
        ];
        given.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }

    fn forest(&self, model: ModelKind, task: Task) -> ForestParams {
        let default = match task {
            Task::Regression => ForestParams::regression(),
            Task::Binary | Task::Multiclass => ForestParams::classification(),
        };
        let extra_trees = model == ModelKind::ExtraTrees;
        default
            .clone()
            .with_n_trees(self.trees.unwrap_or(default.n_trees))
            .with_criterion(self.criterion.unwrap_or(default.criterion))
            .with_max_depth(self.max_depth)
            .with_min_samples_split(self.min_samples_split.unwrap_or(default.min_samples_split))
            .with_min_samples_leaf(self.min_samples_leaf.unwrap_or(default.min_samples_leaf))
            .with_max_leaf_nodes(self.max_leaf_nodes.map_or(default.max_leaf_nodes, limit))
            .with_min_impurity_decrease(
                self.min_impurity_decrease.unwrap_or(default.min_impurity_decrease),
            )
            .with_max_features(self.max_features.unwrap_or(default.max_features))
            .with_bootstrap(self.bootstrap.map_or(!extra_trees, |switch| switch == Switch::On))
            .with_max_samples(self.max_samples)
            .with_extra_trees(extra_trees)
            .with_seed(self.seed)
            .with_split_finder(self.split_finder())
    }

    fn boosting(&self) -> BoostingParams {
        let default = BoostingParams::default();
        default
            .clone()
            .with_n_rounds(self.trees.unwrap_or(default.n_rounds))
            .with_learning_rate(self.learning_rate.unwrap_or(default.learning_rate))
            .with_max_depth(self.max_depth)
            .with_min_samples_split(self.min_samples_split.unwrap_or(default.min_samples_split))
            .with_min_samples_leaf(self.min_samples_leaf.unwrap_or(default.min_samples_leaf))
            .with_max_leaf_nodes(self.max_leaf_nodes.map_or(default.max_leaf_nodes, limit))
            .with_max_features(self.max_features.unwrap_or(default.max_features))
            .with_subsample(self.subsample.unwrap_or(default.subsample))
            .with_l2(self.l2.unwrap_or(default.l2))
            .with_max_bins(self.max_bins.unwrap_or(default.max_bins))
            .with_early_stopping(self.early_stopping.map(|patience| {
                let default = EarlyStopping::default();
                let share = self.validation_fraction.unwrap_or(default.validation_fraction);
                default.with_patience(patience).with_validation_fraction(share)
            }))
            .with_seed(self.seed)
            .with_split_finder(self.split_finder())
    }

    fn split_finder(&self) -> SplitFinder {
        self.split_finder.unwrap_or(SplitFinder::Auto)
    }
}

fn refuse(model: ModelKind, flags: &[(&str, bool)]) -> Result<()> {
    let Some((flag, _)) = flags.iter().find(|(_, given)| *given) else { return Ok(()) };
    let found = match model {
        ModelKind::Boosting => format!("boosting, with {flag}"),
        ModelKind::Forest | ModelKind::ExtraTrees => format!("a forest, with {flag}"),
    };
    Err(invalid("model", found, "no flag that the model does not have"))
}

fn limit(leaves: usize) -> Option<usize> {
    (leaves > 0).then_some(leaves)
}

fn parse_max_features(text: &str) -> Result<MaxFeatures> {
    match text {
        "all" => Ok(MaxFeatures::All),
        "sqrt" => Ok(MaxFeatures::Sqrt),
        _ => match count_or_share(text).context("expected all, sqrt, a count or a share")? {
            CountOrShare::Count(count) => Ok(MaxFeatures::Count(count)),
            CountOrShare::Share(share) => Ok(MaxFeatures::Fraction(share)),
        },
    }
}

fn parse_max_samples(text: &str) -> Result<MaxSamples> {
    match count_or_share(text)? {
        CountOrShare::Count(count) => Ok(MaxSamples::Count(count)),
        CountOrShare::Share(share) => Ok(MaxSamples::Fraction(share)),
    }
}

enum CountOrShare {
    Count(usize),
    Share(f64),
}

/// Digits are a count, a number with a point is a share: `1` is one, `1.0` is all.
fn count_or_share(text: &str) -> Result<CountOrShare> {
    if let Ok(count) = text.parse() {
        return Ok(CountOrShare::Count(count));
    }
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(CountOrShare::Share(share)),
        _ => bail!("expected a count such as 5, or a share above 0 and at most 1 such as 0.3"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_shares_are_told_apart() {
        assert_eq!(parse_max_features("1").expect("a count"), MaxFeatures::Count(1));
        assert_eq!(parse_max_features("1.0").expect("a share"), MaxFeatures::Fraction(1.0));
        assert_eq!(parse_max_features("sqrt").expect("a word"), MaxFeatures::Sqrt);
        assert_eq!(parse_max_samples("0.5").expect("a share"), MaxSamples::Fraction(0.5));
        for wrong in ["0.0", "1.5", "-3", "nan", "half"] {
            assert!(parse_max_features(wrong).is_err(), "{wrong}");
        }
    }
}
