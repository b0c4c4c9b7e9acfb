//! `lmdi train`: from a table to a model file.

use crate::flags::decision::DecisionFlags;
use crate::flags::model::ModelKind;
use crate::flags::running::RunFlags;
use crate::flags::training::{self, JobOptions, TrainingFlags};
use crate::input::model_file;
use crate::output::destination::Files;
use crate::output::printer::Printer;
use anyhow::Result;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Train a model on a table and report its quality.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi train examples/diabetes.csv --target progression --save diabetes.lmdi
  lmdi train data.csv.gz --target label --model boosting --holdout 0.3 --save model.lmdi
  lmdi train data.parquet --target y --drop id --kind zip=categorical --weight w --save model.lmdi
  zcat data.csv.gz | lmdi train - --target y --save model.lmdi

The target decides the task: numbers are a regression, unless there are exactly two distinct ones; \
two labels are binary, more are multiclass. With two labels, the second in \
order is the positive one, unless --positive names it; --threshold or --costs set when it is predicted, \
and the model file keeps them. Rows without a target are left out and counted. \
Categorical columns become one 0/1 column per level.")]
pub struct Options {
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// The column to predict
    #[arg(long, value_name = "COL")]
    target: String,
    /// Where to save the model; a name ending in .json gives JSON
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// The model to train
    #[arg(long, value_enum, default_value = "forest", help_heading = "Model")]
    model: ModelKind,
    #[command(flatten)]
    decision: DecisionFlags,
    #[command(flatten)]
    training: TrainingFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let files = Files::default()
        .reading("DATA", Some(&options.data))
        .writing("save", options.save.as_deref());
    let reader = options.running.start(&files)?;
    let mut out = Printer::beside(None);
    let Options { data, target, model, .. } = options;
    let job_options = JobOptions { decision: Some(&options.decision), ..JobOptions::default() };
    let job = options.training.job(data, target, *model, &job_options, &reader, &mut out)?;
    let model = training::train(&job, &mut out)?;
    out.fact("training", training::facts(&job, &model));
    match &options.save {
        Some(path) => model_file::save_and_tell(&model, path, &mut out)?,
        None => writeln!(out, "\nThe model was not kept; add --save FILE.")?,
    }
    out.finish()
}
