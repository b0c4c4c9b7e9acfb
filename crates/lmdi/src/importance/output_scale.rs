//! The scale on which the scores of a local method add up.

/// The scale on which scores add up, and how the sum becomes a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputScale {
    /// The sum is the prediction.
    Identity,
    /// The sum is a log-odds. With several outputs there is one per class against the rest, and
    /// the probabilities are these shares scaled to add up to one.
    LogOdds,
    /// The sums of all outputs become probabilities by softmax.
    Softmax,
    /// The sum is the logarithm of the prediction.
    Log,
}
