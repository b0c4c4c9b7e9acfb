//! Tests of the `lmdi` command from the outside: files, standard streams and exit codes. The folders
//! are those of `src`.

mod commands;
mod input;
mod output;
mod process;
mod support;
