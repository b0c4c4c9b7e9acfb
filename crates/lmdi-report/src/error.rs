//! The one error type of this crate.

/// An error, with a message that tells the user what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data to be shown is inconsistent.
    #[error(transparent)]
    Library(#[from] lmdi::Error),
    /// A picture cannot be drawn.
    #[error("cannot draw the picture: {0}")]
    Drawing(String),
}

/// Result with this crate's [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;
