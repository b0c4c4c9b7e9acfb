//! From measurements to tables and figures.
//!
//! | file | what |
//! |---|---|
//! | `summary` | means and standard errors over repetitions |
//! | `ranks` | the rank of methods among each other, averaged over data sets |
//! | `markdown` | tables as text |
//! | `figure` | panels of lines with bands |
//! | `paper` | the numbers that the paper prints |

pub mod figure;
pub mod markdown;
pub mod paper;
pub mod ranks;
pub mod summary;
