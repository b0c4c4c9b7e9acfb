//! Coordinate descent for elastic nets: one sweep, several problems at once, Anderson acceleration,
//! and the working set.

pub(crate) mod anderson;
pub(crate) mod batched;
pub(crate) mod coordinate_descent;
pub(crate) mod schur_complement;
pub(crate) mod working_set;
