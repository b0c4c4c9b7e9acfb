//! The parameters of a model as flags, for people to read and paste into a command.

use lmdi::forest::train::{
    BoostingParams, EarlyStopping, EnsembleParams, ForestParams, MaxFeatures, MaxSamples,
};
use lmdi::named::Named;
use std::fmt::Display;

/// Flags, one after another.
#[derive(Default)]
struct Flags(String);

impl Flags {
    fn add(&mut self, flag: &str, value: impl Display) {
        let space = if self.0.is_empty() { "" } else { " " };
        self.0.push_str(&format!("{space}--{flag} {value}"));
    }

    fn add_given(&mut self, flag: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.add(flag, value);
        }
    }
}

/// All parameters; limits that are not set are left out.
pub fn as_flags(params: &EnsembleParams) -> String {
    let mut flags = Flags::default();
    match params {
        EnsembleParams::Forest(params) => forest(params, &mut flags),
        EnsembleParams::Boosting(params) => boosting(params, &mut flags),
    }
    flags.0
}

fn forest(params: &ForestParams, flags: &mut Flags) {
    flags.add("model", if params.extra_trees { "extra-trees" } else { "forest" });
    flags.add("trees", params.n_trees);
    flags.add("criterion", params.criterion.name());
    flags.add("max-features", max_features(params.max_features));
    flags.add_given("max-depth", params.max_depth);
    flags.add("min-samples-leaf", params.min_samples_leaf);
    flags.add("min-samples-split", params.min_samples_split);
    flags.add_given("max-leaf-nodes", params.max_leaf_nodes);
    flags.add("min-impurity-decrease", params.min_impurity_decrease);
    flags.add("bootstrap", if params.bootstrap { "on" } else { "off" });
    flags.add_given(
        "max-samples",
        params.max_samples.map(|samples| match samples {
            MaxSamples::Count(count) => count.to_string(),
            MaxSamples::Fraction(share) => format!("{share:?}"),
        }),
    );
    flags.add("split-finder", params.split_finder.name());
    flags.add("seed", params.seed);
}

fn boosting(params: &BoostingParams, flags: &mut Flags) {
    flags.add("model", "boosting");
    flags.add("trees", params.n_rounds);
    flags.add("learning-rate", params.learning_rate);
    flags.add("max-features", max_features(params.max_features));
    flags.add_given("max-depth", params.max_depth);
    flags.add("min-samples-leaf", params.min_samples_leaf);
    flags.add("min-samples-split", params.min_samples_split);
    flags.add("max-leaf-nodes", params.max_leaf_nodes.unwrap_or(0));
    flags.add("subsample", params.subsample);
    flags.add("l2", params.l2);
    flags.add("max-bins", params.max_bins);
    if let Some(EarlyStopping { patience, validation_fraction, .. }) = params.early_stopping {
        flags.add("early-stopping", patience);
        flags.add("validation-fraction", validation_fraction);
    }
    flags.add("split-finder", params.split_finder.name());
    flags.add("seed", params.seed);
}

fn max_features(how: MaxFeatures) -> String {
    match how {
        MaxFeatures::All => "all".into(),
        MaxFeatures::Sqrt => "sqrt".into(),
        MaxFeatures::Count(count) => count.to_string(),
        // With its point, which tells a share from a count.
        MaxFeatures::Fraction(share) => format!("{share:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::model::{ModelFlags, ModelKind};
    use clap::Parser;
    use lmdi::table::Task;

    #[derive(Parser)]
    struct Line {
        #[arg(long, value_enum)]
        model: ModelKind,
        #[command(flatten)]
        flags: ModelFlags,
    }

    /// The parameters that these flags ask for, and their text.
    fn params(flags: &str) -> (EnsembleParams, String) {
        let line = Line::try_parse_from(["test"].into_iter().chain(flags.split(' ')));
        let line = line.unwrap_or_else(|error| panic!("{error}"));
        let params = line.flags.params(line.model, Task::Regression).expect("flags of the model");
        let text = as_flags(&params);
        (params, text)
    }

    #[test]
    fn the_text_asks_for_the_same_model_again() {
        for flags in [
            "--model forest",
            "--model forest --trees 7 --criterion poisson --max-features 1.0 --max-depth 3",
            "--model forest --max-leaf-nodes 9 --min-impurity-decrease 0.25 --max-samples 1.0",
            "--model extra-trees --bootstrap on --max-samples 5 --max-features 1 --seed 12",
            "--model extra-trees --min-samples-leaf 4 --min-samples-split 9 --criterion entropy",
            "--model boosting",
            "--model boosting --trees 9 --learning-rate 0.3 --subsample 0.5 --max-leaf-nodes 0",
            "--model boosting --l2 0.1 --max-bins 16 --split-finder histogram --max-depth 2",
            "--model boosting --early-stopping 4 --validation-fraction 0.2 --split-finder exact",
        ] {
            let (wanted, text) = params(flags);
            assert_eq!(format!("{:?}", params(&text).0), format!("{wanted:?}"), "{text}");
        }
    }
}
