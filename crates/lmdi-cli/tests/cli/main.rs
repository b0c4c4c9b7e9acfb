//! Tests of the `lmdi` command from the outside: files, standard streams and exit codes.

mod account;
mod analyses;
mod bad_input;
mod commands;
mod decision;
mod explain;
mod explain_bad_input;
mod import;
mod importance;
mod limits;
mod methods;
mod odd_tables;
mod report;
mod results;
mod signals;
mod support;
