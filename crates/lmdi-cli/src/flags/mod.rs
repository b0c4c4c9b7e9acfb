//! Flags that commands share, and the library options they become.
//!
//! | file | flags |
//! |---|---|
//! | `reading`, `running` | how tables are read, and on how many threads |
//! | `decision` | how the decision between two classes is made |
//! | `training`, `model` | what to learn from a table, and the model with its parameters |
//! | `method`, `lmdi_plus`, `other_methods` | the method that explains, and its options |
//! | `result` | what is written about each row |
//! | `rows` | rows that a user names |

pub mod decision;
pub mod lmdi_plus;
pub mod method;
pub mod model;
pub mod other_methods;
pub mod reading;
pub mod result;
pub mod rows;
pub mod running;
pub mod training;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lmdi::named::Named;

/// Reads one of the names of a choice; `--help` lists them with their meaning.
pub fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    let value = |choice: &T| match choice.meaning() {
        "" => PossibleValue::new(choice.name()),
        meaning => PossibleValue::new(choice.name()).help(meaning),
    };
    PossibleValuesParser::new(T::ALL.iter().map(value)).try_map(|name| T::from_name(&name))
}

/// An error about a flag, or about flags that do not go together.
pub fn invalid(
    name: &'static str,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> anyhow::Error {
    lmdi::Error::Parameter { name, found: found.into(), expected: expected.into() }.into()
}

/// What the library says about parameters beside the one in question, in the words of flags.
pub fn with_flags(text: &str) -> String {
    let names =
        ["l1_ratio", "fit_on", "fit_to", "response_share", "rows_per_tree", "fold_by", "raw_scale"];
    names.iter().fold(text.to_owned(), |text, name| text.replace(name, &flag_of(name)))
}

/// A parameter of the library as the flag that sets it.
pub fn flag_of(parameter: &str) -> String {
    let flag = match parameter {
        "data" => return "DATA".into(),
        "n_trees" | "n_rounds" => "trees",
        "patience" => "early-stopping",
        "include_raw" => "no-raw",
        "bound_raw" => "no-bound-raw",
        "scale_target" => "no-scale-target",
        "C" => "c",
        "n_samples" => "lime-samples",
        "kernel_width" => "lime-kernel-width",
        "n_bins" => "lime-bins",
        "max_columns" => "lime-columns",
        "n_columns" => "maple-columns",
        other => return format!("--{}", other.replace('_', "-")),
    };
    format!("--{flag}")
}
