//! Choices between a few named variants, as users write them.
//!
//! The command line and the Python package parse these names with the same functions, so that a
//! name means the same everywhere and an error lists the same names. Hyphens and underscores are
//! equivalent: `elastic-net` and `elastic_net` are the same name.

use crate::{Error, Result};

/// An enum whose variants have names.
///
/// ```
/// use lmdi::glm::Rule;
/// use lmdi::named::Named;
///
/// assert_eq!(Rule::from_name("1se"), Ok(Rule::OneStandardError));
/// assert_eq!(Rule::Minimum.name(), "min");
/// let error = Rule::from_name("best").unwrap_err();
/// assert_eq!(error.to_string(), "parameter `rule` is best; expected min or 1se");
/// ```
pub trait Named: Copy + Send + Sync + 'static {
    /// The parameter that makes this choice.
    const PARAMETER: &'static str;
    /// Every variant, in the order of the documentation.
    const ALL: &'static [Self];

    /// The name that a user writes.
    fn name(self) -> &'static str;

    /// What it means, in a few words; empty where the name says it.
    fn meaning(self) -> &'static str {
        ""
    }

    /// The variant of a name.
    fn from_name(name: &str) -> Result<Self> {
        let found =
            Self::ALL.iter().copied().find(|choice| choice.name() == name.replace('_', "-"));
        found.ok_or_else(|| Error::Parameter {
            name: Self::PARAMETER,
            found: name.into(),
            expected: names::<Self>(),
        })
    }
}

/// All names of a choice as part of a sentence: `a, b or c`.
fn names<T: Named>() -> String {
    let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => (*only).into(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}
