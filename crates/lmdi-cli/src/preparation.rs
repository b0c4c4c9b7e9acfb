//! What has to be there before rows can be explained: a model, its explainer and the rows.
//!
//! Each may be given instead of made: a model by its file, the explainer kept in that file, and the rows by
//! a table of their own. The bootstrap of a model counts only for the very rows it was trained on, which are
//! known by their fingerprint; for other rows all count alike, and that is said.

use crate::explain::{Options, ScoreTrees};
use crate::explainer::{Explainer, Taught};
use crate::learning::{Learned, Rows};
use crate::options::{ReadFlags, wrong};
use crate::progress::Progress;
use crate::terminal::counted;
use crate::training::{ModelKind, Plan};
use crate::{learning, method, model_file, rows, summary};
use anyhow::{Context, Result, bail};
use lmdi::file::Model;
use lmdi::forest::{Aggregation, Growth, Outcome};
use lmdi::importance::lmdi_plus::{FitOn, ScoreOptions, Validation, usual_family};
use lmdi::importance::{LmdiPlus, Method, Needs, Scores};
use lmdi::named::Named;
use lmdi::table::{Frame, Matrix, Schema, Target, TargetCells, Task};
use lmdi_io::printable::printable;
use lmdi_io::read::{CellType, Input};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Everything that scoring needs.
pub struct Prepared {
    pub model: Model,
    pub schema: Schema,
    pub explainer: Explainer,
    /// How the explainer was fitted, in words; empty if nothing was.
    pub how: String,
    pub rows: ScoreRows,
    /// What it takes to train the model again; none for a model from a file, or if nobody asks.
    pub again: Option<Again>,
}

/// What a model was trained by and on.
pub struct Again {
    /// How often that is asked for.
    pub runs: u8,
    plan: Plan,
    rows: Rows,
}

/// Rows to score.
pub struct ScoreRows {
    /// What they are, in words.
    pub what: &'static str,
    pub x: Matrix,
    pub frame: Frame,
    pub table: String,
    pub of_table: Vec<usize>,
    pub are_training_rows: bool,
    /// Target and weights, where they are known.
    pub truth: Option<(TargetCells, Option<Vec<f64>>)>,
}

impl ScoreRows {
    /// The rows of a table that an explainer was made with.
    fn of_table(what: &'static str, rows: Rows, frame: Frame, table: String) -> Self {
        let Rows { x, y, weights, of_table } = rows;
        let truth = Some((y, weights));
        Self { what, x, frame, table, of_table, are_training_rows: false, truth }
    }
}

impl Options {
    /// Trains a model and fits its explainer.
    pub fn train(&self, kind: ModelKind, out: &mut dyn Write) -> Result<Prepared> {
        let target = self.target.as_ref().ok_or_else(|| {
            wrong("target", "not given", "--target COL, unless --model names the file of a model")
        })?;
        let table = printable(&Input::from_argument(&self.data).name()).into_owned();
        let check = |frame: &Frame, schema: &Schema, plan: &Plan| {
            let boosted = matches!(plan, Plan::Boosting(_));
            let task = schema.target.as_ref().map_or(Task::Regression, |target| target.task);
            self.method.choices().options(usual_family(task != Task::Regression, boosted))?;
            self.result.check(schema, boosted)?;
            match self.test {
                None => self.result.check_kept(frame, &table),
                Some(_) => Ok(()),
            }
        };
        let learned = self.learning.learn(&self.data, target, kind, &self.reading, out, check)?;
        let Learned { model, plan, frame, train, holdout } = learned;
        let schema = rows::schema_of(&model);
        let (explainer, how) = match self.explainer.method {
            Method::LmdiPlus => self.fit(&model, &train, None, out)?,
            Method::Maple => self.fit_maple(&model, &train, out)?,
            _ => self.ready(&model, &schema, Some(&train.x), out)?,
        };
        let runs = self.repeats(train.x.rows() * train.x.cols());
        let again = (runs > 0).then(|| Again { runs, plan, rows: train.clone() });
        let rows = match (&self.test, holdout) {
            (Some(test), _) => self.test_rows(test, &schema)?,
            (None, Some(held)) => ScoreRows {
                what: "hold-out rows",
                x: held.x,
                frame,
                table,
                of_table: held.of_table,
                are_training_rows: false,
                truth: Some((held.y, held.weights)),
            },
            (None, None) => {
                let rows = ScoreRows::of_table("training rows", train, frame, table);
                ScoreRows { are_training_rows: true, ..rows }
            }
        };
        Ok(Prepared { model, schema, explainer, how, rows, again })
    }

    /// Takes a trained model, and its explainer if it has one and no other is asked for.
    pub fn with_model(&self, path: &Path, out: &mut dyn Write) -> Result<Prepared> {
        if let Some(flag) = self.learning.first_given() {
            return Err(wrong(
                "model",
                format!("a file, with {flag}"),
                "no flag of training: the model is trained already",
            ));
        }
        let mut model = model_file::load(path)
            .context("--model is forest, extra-trees, boosting or the file of a model")?;
        let name = printable(&path.display().to_string()).into_owned();
        let mut schema = rows::schema_of(&model);
        self.result
            .check(&schema, matches!(model.ensemble.aggregation, Aggregation::Sum { .. }))?;
        match self.explainer.method {
            Method::LmdiPlus => {}
            Method::Maple => {
                schema.target = Some(target_of(&model, &schema, self.target.as_ref(), &name)?);
                let (train, frame, table) = self.training_rows(&schema, out)?;
                let (explainer, how) = self.fit_maple(&model, &train, out)?;
                let rows = match &self.test {
                    Some(test) => self.test_rows(test, &schema)?,
                    None => ScoreRows::of_table("rows", train, frame, table),
                };
                return Ok(Prepared { model, schema, explainer, how, rows, again: None });
            }
            method => {
                let from_data =
                    method.needs() == Needs::Background && !self.explainer.local.has_background();
                if self.test.is_some() && !from_data {
                    let method = method.name();
                    return Err(wrong(
                        "test",
                        format!("given, but {method} needs no other rows of DATA"),
                        "the rows to explain as DATA",
                    ));
                }
                let mut rows = self.test_rows(&self.data, &schema)?;
                rows.what = "rows";
                let (explainer, how) = self.ready(&model, &schema, Some(&rows.x), out)?;
                if let Some(test) = &self.test {
                    rows = self.test_rows(test, &schema)?;
                }
                return Ok(Prepared { model, schema, explainer, how, rows, again: None });
            }
        }
        let kept = model.explainer.take().filter(|_| self.method.first_given().is_none());
        if let (Some(kept), ScoreTrees::All) = (&kept, self.score_trees) {
            if self.test.is_some() {
                return Err(wrong(
                    "test",
                    "given, but the model holds its explainer and needs no training rows",
                    "the rows to explain as DATA, or an option of LMDI+ (--preset paper) to fit it anew",
                ));
            }
            writeln!(
                out,
                "{name} holds an explainer; the rows of the table are scored, nothing is fitted."
            )?;
            let explainer = kept.clone().ready(&model.ensemble)?;
            summary::print_fits(out, &explainer, None)?;
            let mut rows = self.test_rows(&self.data, &schema)?;
            rows.what = "rows";
            let explainer = Explainer::LmdiPlus(Box::new(explainer));
            let how = kept.options.clone();
            return Ok(Prepared { model, schema, explainer, how, rows, again: None });
        }
        schema.target = Some(target_of(&model, &schema, self.target.as_ref(), &name)?);
        let (train, frame, table) = self.training_rows(&schema, out)?;
        let is_training_table = model.metadata.fingerprint == Some(train.fingerprint());
        if self.score_trees != ScoreTrees::All && !is_training_table {
            bail!(
                "{table} is not the table that {name} was trained on; --score-trees oob and inbag need it"
            );
        }
        let (explainer, how) = match kept {
            Some(kept) => {
                writeln!(
                    out,
                    "{name} holds an explainer; the rows of the table are scored, nothing is fitted."
                )?;
                let explainer = kept.clone().ready(&model.ensemble)?;
                (Explainer::LmdiPlus(Box::new(explainer)), kept.options)
            }
            None => {
                // That was of the explainer which is now replaced.
                model.metadata.quality.retain(|quality| quality.sample != "lmdi_plus");
                let other = (!is_training_table).then_some((&*table, &*name));
                self.fit(&model, &train, other, out)?
            }
        };
        let rows = match &self.test {
            Some(test) => self.test_rows(test, &schema)?,
            None => {
                let what = if is_training_table { "training rows" } else { "rows" };
                let rows = ScoreRows::of_table(what, train, frame, table);
                ScoreRows { are_training_rows: is_training_table, ..rows }
            }
        };
        Ok(Prepared { model, schema, explainer, how, rows, again: None })
    }

    /// Scores of rows by a model that is trained and explained again with another seed, matrix column by
    /// matrix column.
    pub fn explain_again(
        &self,
        again: &Again,
        schema: &Schema,
        seed: u64,
        x: &Matrix,
    ) -> Result<Scores> {
        let target = schema.target.as_ref().context("a learned schema has a target")?;
        let Again { plan, rows, .. } = again;
        let ensemble = learning::grow(&plan.with_seed(seed), schema, target, rows)?;
        let of_classes = target.task != Task::Regression;
        let usual = usual_family(of_classes, matches!(plan, Plan::Boosting(_)));
        let fitting = self.method.choices().options(usual)?;
        let taught = Taught { ensemble: &ensemble, schema, rows, reading: &self.reading };
        let progress = Progress::new("Fitting", ensemble.trees.len() as u64);
        let explainer = self.explainer.teach(&taught, &fitting, &progress)?;
        drop(progress);
        let progress = Progress::new("Scoring", x.rows() as u64);
        Ok(match &explainer {
            Explainer::LmdiPlus(fitted) => {
                fitted.score(&x.view(), &ScoreOptions::default(), &progress)?
            }
            Explainer::Other(explainer) => explainer.explain(&x.view(), &progress)?,
        })
    }

    /// Reads the table as the training rows of a model: those that have a target.
    fn training_rows(&self, schema: &Schema, out: &mut dyn Write) -> Result<(Rows, Frame, String)> {
        let check = |frame: &Frame, name: &str| match self.test {
            None => self.result.check_kept(frame, name),
            Some(_) => Ok(()),
        };
        rows_with_target(&self.data, schema, &self.result.keep, &self.reading, check, out)
    }

    /// Fits LMDI+. `other` names table and model if the rows are not the model's training rows.
    fn fit(
        &self,
        model: &Model,
        rows: &Rows,
        other: Option<(&str, &str)>,
        out: &mut dyn Write,
    ) -> Result<(Explainer, String)> {
        let ensemble = &model.ensemble;
        let boosted = !matches!(ensemble.growth, Growth::Independent);
        let usual = usual_family(matches!(ensemble.outcome, Outcome::Classes(_)), boosted);
        let mut options = self.method.choices().options(usual)?;
        let known = ensemble.trees.iter().all(|tree| tree.in_bag.is_some());
        let mut reason = None;
        if let Some((table, name)) = other.filter(|_| known) {
            // A model of another program does not say which table that was: then the user may.
            let unsaid = model.metadata.fingerprint.is_none();
            let by_tree = [
                ("fit_on", options.fit_on.is_some_and(|fit_on| fit_on != FitOn::Uniform)),
                ("validation", options.validation == Some(Validation::OutOfBag)),
            ];
            let by_tree = by_tree.iter().find(|(_, asked)| *asked).map(|(name, _)| *name);
            if let (Some(choice), false) = (by_tree, unsaid) {
                return Err(wrong(
                    choice,
                    "a choice by which rows each tree saw",
                    format!(
                        "--fit-on uniform and --validation folds: {table} is not the table that {name} was trained on"
                    ),
                ));
            }
            if by_tree.is_none() {
                options.fit_on = Some(FitOn::Uniform);
                options.validation = Some(Validation::Folds);
                reason = Some(if unsaid {
                    format!(
                        "{name} does not say which table it was trained on: all rows count alike. If {table} \
                         holds its training rows in their order, add --validation oob."
                    )
                } else {
                    format!(
                        "{table} is not the table that {name} was trained on, so which rows each tree saw is \
                         not known here: all rows count alike (--fit-on uniform --validation folds)."
                    )
                });
            }
        }
        let chosen = options.rows(ensemble, rows.x.rows())?;
        let started = Instant::now();
        let progress = Progress::new("Fitting LMDI+", ensemble.trees.len() as u64);
        let (x, y) = (rows.x.view(), rows.y.response());
        let explainer =
            LmdiPlus::fit(ensemble, &x, &y, rows.weights.as_deref(), &options, &progress)?;
        drop(progress);
        let how = method::text(&options, options.family.unwrap_or(usual), chosen);
        let seconds = started.elapsed().as_secs_f64();
        let n_fits = explainer.trees().iter().map(|tree| tree.fits.len()).sum();
        writeln!(
            out,
            "\nLMDI+: {} on {}, {seconds:.2} s\n  {}",
            counted(n_fits, "linear model"),
            counted(rows.x.rows(), "row"),
            how.replace("; ", "\n  ")
        )?;
        if let Some(reason) = reason {
            writeln!(out, "{reason}")?;
        }
        summary::print_fits(out, &explainer, Some(options.tolerance))?;
        Ok((Explainer::LmdiPlus(Box::new(explainer)), how))
    }

    /// The explainer of a method that needs no responses; `data` may stand for the data.
    fn ready(
        &self,
        model: &Model,
        schema: &Schema,
        data: Option<&Matrix>,
        out: &mut dyn Write,
    ) -> Result<(Explainer, String)> {
        let method = self.explainer.method;
        let local = &self.explainer.local;
        let explainer = local.ready(method, &model.ensemble, schema, data, &self.reading)?;
        let what = match (method.needs(), data) {
            (Needs::Background, Some(data)) if !local.has_background() => {
                format!("neighbours are drawn from {}.", counted(data.rows(), "row"))
            }
            _ => "nothing is fitted.".into(),
        };
        writeln!(out, "\n{}: {what}", method.name())?;
        Ok((Explainer::Other(explainer), String::new()))
    }

    /// MAPLE of training rows.
    fn fit_maple(
        &self,
        model: &Model,
        rows: &Rows,
        out: &mut dyn Write,
    ) -> Result<(Explainer, String)> {
        let explainer = self.explainer.local.maple(&model.ensemble, rows)?;
        let n_rows = counted(rows.x.rows(), "row");
        writeln!(out, "\nmaple: linear models are fitted to {n_rows}, around each row.")?;
        Ok((Explainer::Other(explainer), String::new()))
    }

    /// Reads rows to score that need no target.
    fn test_rows(&self, path: &Path, schema: &Schema) -> Result<ScoreRows> {
        let read = rows::read(path, schema, &self.result.keep, &[], &self.reading)?;
        self.result.check_kept(&read.frame, &read.name)?;
        let of_table = (0..read.frame.rows()).collect();
        Ok(ScoreRows {
            what: "test rows",
            x: read.x,
            frame: read.frame,
            table: read.name,
            of_table,
            are_training_rows: false,
            truth: None,
        })
    }
}

/// The target of a model, which `--target` must name if the file does not.
pub fn target_of(
    model: &Model,
    schema: &Schema,
    asked: Option<&String>,
    name: &str,
) -> Result<Target> {
    match (&schema.target, asked) {
        (Some(known), Some(asked)) if known.name != *asked => Err(wrong(
            "target",
            format!("{asked:?}"),
            format!("{:?}, which {name} was trained for", known.name),
        )),
        (Some(known), _) => Ok(known.clone()),
        (None, None) => Err(wrong(
            "target",
            "not given",
            format!("--target COL: {name} does not name its target"),
        )),
        (None, Some(asked)) => {
            let (task, labels) = match &model.ensemble.outcome {
                Outcome::Number => (Task::Regression, vec![]),
                Outcome::Classes(labels) if labels.len() == 2 => (Task::Binary, labels.clone()),
                Outcome::Classes(labels) => (Task::Multiclass, labels.clone()),
            };
            Ok(Target { name: asked.clone(), task, labels })
        }
    }
}

/// Reads those rows of a table that have a target, and the columns to keep. `check` sees the table before
/// it is encoded further.
pub fn rows_with_target(
    data: &Path,
    schema: &Schema,
    kept: &[String],
    reading: &ReadFlags,
    check: impl FnOnce(&Frame, &str) -> Result<()>,
    out: &mut dyn Write,
) -> Result<(Rows, Frame, String)> {
    let target = schema.target.as_ref().context("the target is known")?;
    let cells = (target.task == Task::Regression).then_some(CellType::Number);
    let mut more = vec![(target.name.as_str(), cells)];
    more.extend(schema.weight.as_deref().map(|weight| (weight, Some(CellType::Number))));
    let read = rows::read(data, schema, kept, &more, reading)?;
    let name = read.name;
    check(&read.frame, &name)?;
    let present = Target::present_rows(&read.frame, &target.name).with_context(|| name.clone())?;
    let without = read.frame.rows() - present.len();
    let chosen = read.frame.take_rows(&present);
    let y = target.cells(&chosen).with_context(|| name.clone())?;
    let weights = schema.weights(&chosen).with_context(|| name.clone())?;
    writeln!(out, "{name}: {}", counted(read.frame.rows(), "row"))?;
    if without > 0 {
        let missing = counted(without, "row");
        writeln!(out, "Left out {missing} without a value of {}.", printable(&target.name))?;
    }
    let x = if without == 0 { read.x } else { read.x.take_rows(&present) };
    Ok((Rows { x, y, weights, of_table: present }, read.frame, name))
}
