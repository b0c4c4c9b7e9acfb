//! The one error type of the library.
//!
//! Every variant says what was found and what the caller can do about it. File names, line numbers
//! and column positions belong to the crates that read files; here a column is named.

/// An error, with a message that tells the user what to do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range; nothing was computed.
    #[error("parameter `{name}` is {found}; expected {expected}")]
    Parameter {
        /// Name of the parameter as the user writes it.
        name: &'static str,
        /// The value given.
        found: String,
        /// The values allowed.
        expected: String,
    },
    /// Two inputs differ in size.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// What has the wrong size.
        what: String,
        /// The size found.
        found: usize,
        /// The size expected.
        expected: usize,
    },
    /// The data cannot be used as requested.
    #[error("{0}")]
    Data(String),
    /// A tree or ensemble breaks an invariant (a child out of range, a cycle, an unknown feature).
    #[error("invalid model: {0}")]
    Model(String),
    /// A model file cannot be read.
    #[error("model file: {0}")]
    Format(String),
    /// A model could not be written.
    #[error("{0}")]
    Write(String),
    /// The caller asked to stop.
    #[error("interrupted before the work was finished; nothing was written")]
    Interrupted,
}

/// Result with the library's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
