//! Coordinate descent for elastic nets: one sweep, a direct step of the active columns and the raw
//! columns in it, several problems at once, and the working set.

pub(crate) mod active_step;
pub(crate) mod batched;
pub(crate) mod coordinate_descent;
pub(crate) mod raw_system;
pub(crate) mod working_set;
