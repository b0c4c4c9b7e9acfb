//! Every command as a user runs it.

mod analyses;
mod decision;
mod explain;
mod explain_bad_input;
mod explain_in_batches;
mod importance;
mod letters;
mod methods;
mod report;
mod serve;
mod train_and_predict;
