//! `lmdi importance`: one number per column for a whole model.

use crate::flags::method::MethodFlags;
use crate::flags::other_methods::OtherMethodFlags;
use crate::flags::result::parse_group;
use crate::flags::running::RunFlags;
use crate::flags::{invalid, named};
use crate::input::model_file;
use crate::input::tables::TableReader;
use crate::output::destination::{Files, table_output, write_result};
use crate::output::printer::Printer;
use crate::output::terminal::{Align, Decimals, TextTable};
use crate::output::training_log;
use crate::process::progress::{Bars, Progress};
use anyhow::{Context, Result, bail};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lmdi::explanation::Grouping;
use lmdi::file::Model;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::mdi::{MdiScale, mdi};
use lmdi::importance::mdi_plus::{MdiPlusModel, MdiPlusOptions, mdi_plus};
use lmdi::importance::permutation::{PermutationOptions, permutation, permutation_out_of_bag};
use lmdi::importance::{Importances, Method, Metric, Needs};
use lmdi::named::Named;
use lmdi::study::{ExplainOptions, Rows, Sample, Study, schema_of, target_of};
use lmdi::table::{Column, Frame, Response, Schema, Values};
use lmdi::text::counted;
use lmdi_io::printable::printable;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How importance is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlobalMethod {
    /// Decrease in impurity from a column's splits in training.
    Mdi,
    /// How well a column's part of the trees' linear models predicts left-out rows.
    MdiPlus,
    /// How much worse predictions become when a column is shuffled.
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

/// Measure how much each column matters to a model overall.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi importance houses.lmdi
  lmdi importance houses.lmdi houses.csv --method mdi-plus --out importance.csv
  lmdi importance houses.lmdi new.csv --method permutation --metric absolute-error
  lmdi importance houses.lmdi houses.csv --method permutation --oob
  lmdi importance houses.lmdi new.csv --method tree-shap

The result has one row per column, the most important first: `column`, `importance` and `deviation`, its standard deviation over trees, repetitions or rows. The 0/1 columns of a categorical column count as one.")]
pub struct Options {
    /// Model file
    model: PathBuf,
    /// CSV or Parquet file, needed by all methods except mdi, by most of them with the target; - is
    /// standard input
    data: Option<PathBuf>,
    /// How importance is measured; a method of `lmdi explain` gives its mean |score|
    #[arg(long, value_name = "METHOD", default_value = "mdi", value_parser = method_parser())]
    method: GlobalMethod,
    /// Where to write the importances: a name ending in .csv or .parquet, or - for standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The target column, if the model does not name it
    #[arg(long, value_name = "COL")]
    target: Option<String>,
    /// The metric for predictions [default: r2; classes: log-loss]
    #[arg(long, value_parser = named::<Metric<'static>>())]
    metric: Option<Metric<'static>>,
    /// Linear model of mdi-plus [default: ridge; classes: logistic]
    #[arg(long, value_parser = named::<MdiPlusModel>())]
    glm: Option<MdiPlusModel>,
    /// How often permutation shuffles each column [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// Shuffle, tree by tree, the rows a tree did not see; DATA must be the table the model was
    /// trained on
    #[arg(long)]
    oob: bool,
    /// Seed of the shuffles [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Add a column to a group; repeat for each column
    #[arg(long = "group", value_name = "NAME=COL", value_parser = parse_group)]
    groups: Vec<(String, String)>,
    #[command(flatten)]
    others: OtherMethodFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.check()?;
    let output = options.out.as_deref().map(table_output).transpose()?;
    let files = Files::default()
        .reading("DATA", options.data.as_deref())
        .reading("MODEL", Some(&options.model))
        .reading("--background", options.others.background.as_deref())
        .writing("out", options.out.as_deref());
    let reader = options.running.start(&files)?;
    let mut out = Printer::beside(output.as_ref());
    let model = model_file::load(&options.model)?;
    let grouping = Grouping::new(&schema_of(&model), &options.groups)?;
    let (found, what) = options.measure(model, &grouping, &reader, &mut out)?;
    if let Some(output) = output {
        write_result(table(&grouping.names, &found)?.into(), &output, &mut out)?;
    }
    print(&mut out, &grouping.names, &found, &what)?;
    let importances = found.order().into_iter().map(|at| {
        let (importance, deviation) = (found.values[at], found.deviation[at]);
        json!({"column": grouping.names[at], "importance": importance, "deviation": deviation})
    });
    out.fact("measure", what);
    out.fact("importances", importances.collect::<Vec<_>>());
    out.finish()
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
        self.others.check(local)?;
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
        match misplaced.iter().find(|(_, misplaced, _)| *misplaced) {
            Some((name, _, expected)) => {
                let found =
                    if self.data.is_none() && *name == "data" { "not given" } else { "given" };
                Err(invalid(name, found, *expected))
            }
            None => Ok(()),
        }
    }

    /// The importances, and in words what they are.
    fn measure(
        &self,
        model: Model,
        grouping: &Grouping,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<(Importances, String)> {
        let groups = &grouping.groups;
        let Some(data) = &self.data else {
            let found = mdi(&model.ensemble, groups, MdiScale::Share)?;
            return Ok((found, "share of the decrease in impurity".into()));
        };
        if let GlobalMethod::MeanScore(method) = self.method {
            return self.mean_score(method, model, grouping, data, reader, out);
        }
        let mut schema = schema_of(&model);
        let rows = self.rows_with_target(&model, &mut schema, data, reader, out)?;
        let set = rows.training_set(&[], &[]).context("the rows have a target")?;
        if self.method == GlobalMethod::MdiPlus {
            let options = self.mdi_plus(&set.y);
            options.check(&set.y)?;
            let progress = Progress::new("Measuring", model.ensemble.trees.len());
            let found = mdi_plus(&model.ensemble, &set, groups, &options, &progress)?;
            let metric = options.metric.text();
            return Ok((found, format!("MDI+: what a column alone adds to {metric}")));
        }
        let default = PermutationOptions::for_response(&set.y);
        let options = PermutationOptions::new(self.metric.unwrap_or(default.metric))
            .with_repeats(self.repeats.map_or(default.repeats, |repeats| repeats as usize))
            .with_seed(self.seed.unwrap_or(default.seed));
        let metric = options.metric.text();
        if self.oob {
            if rows.sample != Sample::Training {
                bail!(
                    "{} is not the table that {} was trained on; --oob needs it",
                    rows.table.name,
                    self.model_name()
                );
            }
            let progress = Progress::new("Shuffling", model.ensemble.trees.len());
            let found = permutation_out_of_bag(&model.ensemble, &set, groups, &options, &progress)?;
            return Ok((found, format!("drop of {metric} out of bag when a column is shuffled")));
        }
        if rows.sample == Sample::Training {
            writeln!(
                out,
                "These are the rows the model was trained on; rows it has not seen, or --oob, tell more."
            )?;
        }
        let units = rows.len() * groups.n_groups() * options.repeats;
        let progress = Progress::new("Shuffling", units);
        let found = permutation(&model.ensemble, &set, groups, &options, &progress)?;
        Ok((found, format!("drop of {metric} when a column is shuffled")))
    }

    /// Mean |score| of a local method over the rows of the table.
    fn mean_score(
        &self,
        method: Method,
        model: Model,
        grouping: &Grouping,
        data: &Path,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<(Importances, String)> {
        let mut schema = schema_of(&model);
        let rows = if method == Method::Maple {
            self.rows_with_target(&model, &mut schema, data, reader, out)?
        } else {
            reader.rows(data, &schema, &[], &[], Sample::Unspecified)?
        };
        let study = if method == Method::LmdiPlus {
            Study::kept(model, schema).with_context(|| {
                format!(
                    "{}: the model has no explainer; make one with {}",
                    self.model_name(),
                    model_file::explainer_command(&self.model)
                )
            })??
        } else {
            let flags = MethodFlags { method, others: self.others.clone() };
            let options = flags.options(&schema, LmdiPlusOptions::default(), reader)?;
            let learns = method.needs() != Needs::Trees;
            Study::fit(model, schema, &options, learns.then_some(&rows), &Bars)?
        };
        let options = ExplainOptions::scores_of(grouping.clone());
        let explained = study.explain(Arc::new(rows), &options, &Bars)?;
        let found = Importances::of_scores(&explained.scores)?;
        Ok((found, format!("mean |score| of {} over rows", method.name())))
    }

    /// Reads the rows of the table that have a target, and tells whether the model was trained on
    /// them.
    fn rows_with_target(
        &self,
        model: &Model,
        schema: &mut Schema,
        data: &Path,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<Rows> {
        let target =
            target_of(model, schema, self.target.as_deref()).with_context(|| self.model_name())?;
        schema.target = Some(target.clone());
        let rows = reader.rows_with_target(data, schema, &target, &[])?;
        training_log::print_rows(out, &rows, &target)?;
        Ok(rows.identified(&model.metadata))
    }

    /// The name of the model's file, safe to print.
    fn model_name(&self) -> String {
        printable(&self.model.display().to_string()).into_owned()
    }

    fn mdi_plus(&self, response: &Response<'_>) -> MdiPlusOptions<'static> {
        let default = MdiPlusOptions::for_response(response);
        let metric = self.metric.unwrap_or(default.metric);
        let options = default.with_metric(metric);
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
