//! Rows with scores and predictions: what `counterfactual`, `subgroups` and `plot` start from.
//!
//! Scores are those of the explainer in the model file, or of a method that fits nothing. Predictions are
//! the model's own: they are what was decided.

use crate::explainer::{Explainer, ExplainerFlags};
use crate::options::{ReadFlags, wrong};
use crate::prediction::most_probable;
use crate::progress::Progress;
use crate::scoring::{Asked, ScoreFlags, Subject};
use crate::terminal::{counted, short_number, shortened};
use crate::{model_file, rows};
use anyhow::{Context, Result, bail};
use lmdi::explanation::{Columns, ExplainedRows};
use lmdi::file::Model;
use lmdi::forest::Outcome;
use lmdi::importance::lmdi_plus::TreeSubset;
use lmdi::importance::{Method, Scores};
use lmdi::table::{Frame, Matrix, Schema, Target, TargetCells, Task};
use lmdi_io::printable::printable;
use lmdi_io::read::CellType;
use std::path::Path;

/// A model that is ready to explain.
pub struct ReadyModel {
    pub model: Model,
    pub schema: Schema,
    pub columns: Columns,
    pub explainer: Explainer,
}

/// Explained rows of a table.
pub struct ExplainedTable {
    /// The name of the table, safe to print.
    pub name: String,
    pub frame: Frame,
    x: Matrix,
    pub scores: Scores,
    /// Per row a number, or the probability of every class.
    pub predictions: Vec<f64>,
    truth: Option<TargetCells>,
}

impl ReadyModel {
    /// Reads a model and its explainer, unless a method is chosen that needs none.
    pub fn load(path: &Path, method: &ExplainerFlags, reading: &ReadFlags) -> Result<Self> {
        if method.method == Method::Maple {
            return Err(wrong(
                "method",
                "maple, which learns from training rows",
                "lmdi explain TRAINING_ROWS --model MODEL --method maple --test DATA",
            ));
        }
        let mut model = model_file::load(path)?;
        let schema = rows::schema_of(&model);
        let explainer = if method.is_lmdi_plus() {
            let Some(kept) = model.explainer.take() else {
                bail!(
                    "{}: the model has no explainer; make one with `lmdi explain DATA --model MODEL --save \
                     MODEL`, or choose a method that fits nothing, such as --method tree-shap",
                    printable(&path.display().to_string())
                );
            };
            Explainer::LmdiPlus(Box::new(kept.ready(&model.ensemble)?))
        } else {
            let local = &method.local;
            Explainer::Other(local.ready(method.method, &model.ensemble, &schema, None, reading)?)
        };
        let columns = Columns::of_schema(&schema);
        Ok(Self { model, schema, columns, explainer })
    }

    /// The model as the parts that score need it.
    pub fn subject(&self) -> Subject<'_> {
        Subject { ensemble: &self.model.ensemble, schema: &self.schema, explainer: &self.explainer }
    }

    /// Reads a table and explains its rows. The target is read where the table has it.
    pub fn explain(&self, data: &Path, reading: &ReadFlags) -> Result<ExplainedTable> {
        let target = self.schema.target.as_ref();
        let more: Vec<_> = target
            .map(|target| {
                let cells = (target.task == Task::Regression).then_some(CellType::Number);
                (target.name.as_str(), cells)
            })
            .into_iter()
            .collect();
        let read = rows::read(data, &self.schema, &[], &more, reading)?;
        let truth = target.map(|target| truth(target, &read.frame, &read.name)).transpose()?;
        let of_table: Vec<usize> = (0..read.frame.rows()).collect();
        let asked = Asked {
            x: &read.x,
            frame: &read.frame,
            table: &read.name,
            of_table: &of_table,
            trees: TreeSubset::All,
        };
        let scores = ScoreFlags::plain().score(&self.subject(), &asked)?.scores;
        let progress = Progress::new("Predicting", read.x.rows() as u64);
        let predictions = self.model.ensemble.predict(&read.x.view(), &progress)?;
        drop(progress);
        let rows::ModelRows { name, frame, x } = read;
        Ok(ExplainedTable { name, frame, x, scores, predictions, truth: truth.flatten() })
    }

    /// The labels of the classes; none for numbers.
    pub fn labels(&self) -> &[String] {
        match &self.model.ensemble.outcome {
            Outcome::Classes(labels) => labels,
            Outcome::Number => &[],
        }
    }

    /// A prediction in words: a number, or the label and its probability.
    pub fn prediction_text(&self, prediction: &[f64]) -> String {
        match most_probable(prediction).and_then(|class| Some((class, self.labels().get(class)?))) {
            Some((class, label)) => format!("{} ({:.2})", shortened(label), prediction[class]),
            None => short_number(prediction[0]),
        }
    }
}

/// The target of every row; none if a row or the whole column is missing.
fn truth(target: &Target, frame: &Frame, table: &str) -> Result<Option<TargetCells>> {
    if frame.column(&target.name).is_none() {
        return Ok(None);
    }
    let present = Target::present_rows(frame, &target.name).with_context(|| table.to_owned())?;
    let without = frame.rows() - present.len();
    if without > 0 {
        eprintln!(
            "note: {table}: {} without a value of {}; errors are not measured",
            counted(without, "row"),
            printable(&target.name)
        );
        return Ok(None);
    }
    Ok(Some(target.cells(frame).with_context(|| table.to_owned())?))
}

impl ExplainedTable {
    /// All rows, as the library reads them.
    pub fn rows(&self) -> ExplainedRows<'_> {
        ExplainedRows {
            x: self.x.view(),
            scores: &self.scores,
            predictions: &self.predictions,
            truth: self.truth.as_ref().map(TargetCells::response),
        }
    }

    /// The prediction of one row.
    pub fn prediction(&self, row: usize) -> &[f64] {
        let width = self.predictions.len() / self.frame.rows().max(1);
        &self.predictions[row * width..(row + 1) * width]
    }

    /// The chosen rows alone.
    pub fn take(&self, rows: &[usize]) -> Self {
        let width = self.predictions.len() / self.frame.rows().max(1);
        let pick = |cells: &[f64], width: usize| -> Vec<f64> {
            rows.iter().flat_map(|&row| &cells[row * width..(row + 1) * width]).copied().collect()
        };
        let Scores { n_features, n_outputs, .. } = self.scores;
        Self {
            name: self.name.clone(),
            frame: self.frame.take_rows(rows),
            x: self.x.take_rows(rows),
            scores: Scores {
                n_rows: rows.len(),
                n_features,
                n_outputs,
                values: pick(&self.scores.values, n_features * n_outputs),
                base: pick(&self.scores.base, n_outputs),
                standard_error: None,
            },
            predictions: pick(&self.predictions, width),
            truth: self.truth.as_ref().map(|truth| truth.take(rows)),
        }
    }
}

/// Rows that a user names: `all`, or places from 1 and ranges of them, such as `3,8,20-29`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowChoice {
    All,
    Places(Vec<(usize, usize)>),
}

/// Reads what a user writes after `--rows`.
pub fn parse_rows(text: &str) -> Result<RowChoice> {
    if text == "all" {
        return Ok(RowChoice::All);
    }
    let place = |text: &str| -> Result<usize> {
        let place: usize =
            text.trim().parse().ok().filter(|&place| place > 0).with_context(|| {
                format!("{text:?} is no row; expected all, or rows from 1 such as 3,8,20-29")
            })?;
        Ok(place)
    };
    let ranges = text.split(',').map(|part| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let range = (place(from)?, place(to)?);
        if range.0 > range.1 {
            bail!("{part:?} ends before it starts");
        }
        Ok(range)
    });
    Ok(RowChoice::Places(ranges.collect::<Result<_>>()?))
}

impl RowChoice {
    /// The chosen rows of a table, from 0, in the order given.
    pub fn of(&self, n_rows: usize, table: &str) -> Result<Vec<usize>> {
        let RowChoice::Places(ranges) = self else { return Ok((0..n_rows).collect()) };
        if let Some((_, beyond)) = ranges.iter().find(|(_, to)| *to > n_rows) {
            bail!("{table} has {}; there is no row {beyond}", counted(n_rows, "row"));
        }
        Ok(ranges.iter().flat_map(|&(from, to)| from - 1..to).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_places_and_ranges() {
        let chosen = parse_rows("3,5-7").expect("valid").of(9, "t").expect("there");
        assert_eq!(chosen, [2, 4, 5, 6]);
        assert_eq!(parse_rows("all").expect("valid").of(2, "t").expect("there"), [0, 1]);
        for wrong in ["0", "", "2-1", "a", "1-", "-3"] {
            assert!(parse_rows(wrong).is_err(), "{wrong}");
        }
        let error = parse_rows("3").expect("valid").of(2, "t").expect_err("too far").to_string();
        assert!(error.contains("t has 2 rows; there is no row 3"), "{error}");
    }
}
