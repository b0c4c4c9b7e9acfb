//! The output of commands.
//!
//! | file | what |
//! |---|---|
//! | `terminal` | aligned tables, short numbers, names that cannot harm a terminal |
//! | `printer` | the summary of a command, as text or JSON |
//! | `destination` | where results go |
//! | `column_list`, `training_log`, `quality`, `params_text` | what was read and trained |
//! | `summary` | how fits went, which columns matter, one row in detail |
//! | `score_table`, `predictions` | results as tables |

pub mod column_list;
pub mod destination;
pub mod params_text;
pub mod predictions;
pub mod printer;
pub mod quality;
pub mod score_table;
pub mod summary;
pub mod terminal;
pub mod training_log;
