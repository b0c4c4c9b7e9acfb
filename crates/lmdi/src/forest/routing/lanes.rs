//! How many rows step together.

/// Rows that step together.
pub(crate) const LANES: usize = 8;
