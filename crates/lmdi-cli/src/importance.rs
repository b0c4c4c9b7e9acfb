//! `lmdi importance`: one number a column for a whole model.

use crate::local::LocalFlags;
use crate::mean_score::MeanScore;
use crate::options::{ReadFlags, ThreadFlags, check_writable, named, wrong};
use crate::preparation::{rows_with_target, target_of};
use crate::progress::Progress;
use crate::scoring::{grouping, parse_group};
use crate::terminal::{Align, Decimals, TextTable, counted};
use crate::{model_file, rows};
use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lmdi::file::Model;
use lmdi::importance::mdi::{MdiScale, mdi};
use lmdi::importance::mdi_plus::{MdiPlusModel, MdiPlusOptions, mdi_plus};
use lmdi::importance::permutation::{PermutationOptions, permutation, permutation_out_of_bag};
use lmdi::importance::{Groups, Importances, Method, Metric};
use lmdi::named::Named;
use lmdi::table::{Column, Frame, Response, Schema, Values};
use lmdi_io::printable::printable;
use lmdi_io::write::{Output, write_table};
use std::io::{self, Write};
use std::path::PathBuf;

/// How importance is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlobalMethod {
    /// Decrease in impurity that a column's splits brought in training.
    Mdi,
    /// How well a column's part of linear models of the trees predicts rows left out.
    MdiPlus,
    /// How much worse predictions get when a column is shuffled.
    Permutation,
    /// Mean |score| of a local method.
    MeanScore(Method),
}

impl GlobalMethod {
    const BY_NAME: [(&str, Self); 3] =
        [("mdi", Self::Mdi), ("mdi-plus", Self::MdiPlus), ("permutation", Self::Permutation)];

    fn named(name: &str) -> Option<Self> {
        let global = Self::BY_NAME.into_iter().find(|(known, _)| *known == name);
        global
            .map(|(_, method)| method)
            .or_else(|| Method::from_name(name).ok().map(Self::MeanScore))
    }
}

fn method_parser() -> impl TypedValueParser<Value = GlobalMethod> {
    let names = GlobalMethod::BY_NAME.map(|(name, _)| name).into_iter();
    PossibleValuesParser::new(names.chain(Method::ALL.iter().map(|method| method.name())))
        .try_map(|name| GlobalMethod::named(&name).ok_or("no such method"))
}

/// Say how much each column matters to a model as a whole.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi importance houses.lmdi
  lmdi importance houses.lmdi houses.csv --method mdi-plus --out importance.csv
  lmdi importance houses.lmdi new.csv --method permutation --metric absolute-error
  lmdi importance houses.lmdi houses.csv --method permutation --oob
  lmdi importance houses.lmdi new.csv --method tree-shap

The result has a row for each column, the most important first: `column`, `importance` and `deviation`, its standard deviation over trees, repetitions or rows. 0/1 columns of one categorical column count together.")]
pub struct Options {
    /// Model file
    model: PathBuf,
    /// CSV or Parquet file, which all methods but mdi need, most of them with the target; - is standard
    /// input
    data: Option<PathBuf>,
    /// How importance is measured; a method of `lmdi explain` gives the mean size of its scores
    #[arg(long, value_name = "METHOD", default_value = "mdi", value_parser = method_parser())]
    method: GlobalMethod,
    /// Where to write the importances: a name ending in .csv or .parquet, or - for standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The target column, where the model does not name it
    #[arg(long, value_name = "COL")]
    target: Option<String>,
    /// What predictions are measured by [default: r2; classes: log-loss]
    #[arg(long, value_parser = named::<Metric<'static>>())]
    metric: Option<Metric<'static>>,
    /// Linear model of mdi-plus [default: ridge; classes: logistic]
    #[arg(long, value_parser = named::<MdiPlusModel>())]
    glm: Option<MdiPlusModel>,
    /// How often permutation shuffles each column [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// Shuffle, tree by tree, the rows a tree did not see; DATA is the table the model was trained on
    #[arg(long)]
    oob: bool,
    /// Seed of the shuffles [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Takes columns together under one name; once for each column
    #[arg(long = "group", value_name = "NAME=COL", value_parser = parse_group)]
    groups: Vec<(String, String)>,
    #[command(flatten)]
    local: LocalFlags,
    #[command(flatten)]
    reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.threads.apply()?;
    options.check()?;
    let output = options.out.as_deref().map(Output::from_argument).transpose()?;
    check_writable(output.as_ref(), None)?;
    let mut report: Box<dyn Write> = match output {
        Some(Output::Stdout) => Box::new(io::stderr().lock()),
        _ => Box::new(io::stdout().lock()),
    };
    let model = model_file::load(&options.model)?;
    let schema = rows::schema_of(&model);
    let (names, groups) = grouping(&options.groups, &schema)?;
    let (found, what) = options.measure(model, schema, &groups, &mut *report)?;
    print(&mut *report, &names, &found, &what)?;
    if let Some(output) = output {
        let table = table(&names, &found)?;
        write_table(&table, &output, &Progress::new("Writing", table.rows() as u64))?;
    }
    Ok(())
}

impl Options {
    /// Fails on flags that the method does not have, before any work.
    fn check(&self) -> Result<()> {
        let (mdi, plus, shuffles) = (
            self.method == GlobalMethod::Mdi,
            self.method == GlobalMethod::MdiPlus,
            self.method == GlobalMethod::Permutation,
        );
        let local = match self.method {
            GlobalMethod::MeanScore(method) => Some(method),
            _ => None,
        };
        self.local.check(local)?;
        let misplaced = [
            ("data", self.data.is_some() && mdi, "no table for mdi, which follows from the trees"),
            ("data", self.data.is_none() && local.is_some(), "a table with rows to explain"),
            ("data", self.data.is_none() && !mdi, "a table with the target"),
            (
                "metric",
                self.metric.is_some() && !plus && !shuffles,
                "--method mdi-plus or permutation",
            ),
            ("glm", self.glm.is_some() && !plus, "--method mdi-plus"),
            ("repeats", self.repeats.is_some() && !shuffles, "--method permutation"),
            ("oob", self.oob && !shuffles, "--method permutation"),
            ("seed", self.seed.is_some() && !shuffles, "--method permutation"),
        ];
        match misplaced.iter().find(|(_, wrong, _)| *wrong) {
            Some((name, _, expected)) => {
                let found =
                    if self.data.is_none() && *name == "data" { "not given" } else { "given" };
                Err(wrong(name, found, *expected))
            }
            None => Ok(()),
        }
    }

    /// The importances, and in words what they are.
    fn measure(
        &self,
        model: Model,
        mut schema: Schema,
        groups: &Groups,
        out: &mut dyn Write,
    ) -> Result<(Importances, String)> {
        let Some(data) = &self.data else {
            let found = mdi(&model.ensemble, groups, MdiScale::Share)?;
            return Ok((found, "share of the decrease in impurity".into()));
        };
        let name = printable(&self.model.display().to_string()).into_owned();
        if let GlobalMethod::MeanScore(method) = self.method {
            let (local, reading, target) = (&self.local, &self.reading, self.target.as_ref());
            let name = &name;
            return MeanScore { method, local, model, name, schema, target, data, reading }
                .measure(groups, out);
        }
        schema.target = Some(target_of(&model, &schema, self.target.as_ref(), &name)?);
        let (read, _, table) =
            rows_with_target(data, &schema, &[], &self.reading, |_, _| Ok(()), out)?;
        let is_training_table = model.metadata.fingerprint == Some(read.fingerprint());
        let (x, y, weights) = (read.x.view(), read.y.response(), read.weights.as_deref());
        if self.method == GlobalMethod::MdiPlus {
            let options = self.mdi_plus(&y);
            options.check(&y)?;
            let progress = Progress::new("Measuring", model.ensemble.trees.len() as u64);
            let found = mdi_plus(&model.ensemble, &x, &y, weights, groups, &options, &progress)?;
            let metric = options.metric.text();
            return Ok((found, format!("MDI+: what a column alone adds to {metric}")));
        }
        let usual = PermutationOptions::for_response(&y);
        let options = PermutationOptions {
            metric: self.metric.unwrap_or(usual.metric),
            repeats: self.repeats.map_or(usual.repeats, |repeats| repeats as usize),
            seed: self.seed.unwrap_or(usual.seed),
        };
        let metric = options.metric.text();
        if self.oob {
            if !is_training_table {
                anyhow::bail!(
                    "{table} is not the table that {name} was trained on; --oob needs it"
                );
            }
            let progress = Progress::new("Shuffling", model.ensemble.trees.len() as u64);
            let ensemble = &model.ensemble;
            let found =
                permutation_out_of_bag(ensemble, &x, &y, weights, groups, &options, &progress)?;
            return Ok((found, format!("drop of {metric} out of bag when a column is shuffled")));
        }
        if is_training_table {
            writeln!(
                out,
                "These are the rows the model was trained on; rows it has not seen, or --oob, tell more."
            )?;
        }
        let units = x.rows() * groups.n_groups() * options.repeats;
        let progress = Progress::new("Shuffling", units as u64);
        let found = permutation(&model.ensemble, &x, &y, weights, groups, &options, &progress)?;
        Ok((found, format!("drop of {metric} when a column is shuffled")))
    }

    fn mdi_plus(&self, response: &Response<'_>) -> MdiPlusOptions<'static> {
        let usual = MdiPlusOptions::for_response(response);
        let metric = self.metric.unwrap_or(usual.metric);
        let options = MdiPlusOptions { metric, ..usual };
        match self.glm {
            Some(model) => options.with_model(model),
            None => options,
        }
    }
}

fn print(out: &mut dyn Write, names: &[String], found: &Importances, what: &str) -> Result<()> {
    let largest = found.values.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let decimals = Decimals::for_largest(largest);
    writeln!(out, "\nImportance: {what}, mean of {}\n", counted(found.n_units, "measurement"))?;
    let mut table = TextTable::new(&[
        ("column", Align::Left),
        ("importance", Align::Right),
        ("deviation", Align::Right),
    ]);
    for at in found.order() {
        table.row([
            names[at].clone(),
            decimals.text(found.values[at]),
            decimals.text(found.deviation[at]),
        ]);
    }
    write!(out, "{table}")?;
    Ok(())
}

fn table(names: &[String], found: &Importances) -> Result<Frame> {
    let order = found.order();
    let pick = |values: &[f64]| Values::Numbers(order.iter().map(|&at| values[at]).collect());
    let labels = order.iter().map(|&at| Some(names[at].as_str())).collect();
    let column = |name: &str, values| Column { name: name.into(), values };
    Frame::new(vec![
        column("column", Values::Labels(labels)),
        column("importance", pick(&found.values)),
        column("deviation", pick(&found.deviation)),
    ])
    .context("the result")
}
