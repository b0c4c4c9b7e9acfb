//! `lmdi counterfactual`: similar rows with another decision, and what differs.

use crate::flags::method::MethodFlags;
use crate::flags::rows::{RowChoice, parse_rows};
use crate::flags::running::RunFlags;
use crate::flags::{invalid, named};
use crate::input::saved_study;
use crate::output::destination::Destination;
use crate::output::predictions;
use crate::output::terminal::{Align, Decimals, TextTable, shortened};
use crate::process::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use lmdi::explanation::{
    ColumnLayout, Columns, Counterfactual, CounterfactualOptions, Distance, Restriction, Space,
    counterfactuals,
};
use lmdi::forest::decision::{check_threshold, class_of};
use lmdi::study::{Explained, Study};
use lmdi::table::{Column, Frame, Labels, Values};
use lmdi::text::{count, counted, short_number};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Rows of which the answer is printed.
const PRINTED: usize = 3;
/// Changes that are printed of each answer.
const CHANGES: usize = 8;

/// For each row, find the most similar rows with another decision, and say what differs.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi counterfactual adult.lmdi adult.csv --rows 7 --fixed sex --fixed race --only-up age
  lmdi counterfactual houses.lmdi new.csv --candidates houses.csv --threshold 300000 --out answers.csv
  lmdi counterfactual adult.lmdi adult.csv --rows all -k 3 --space features --out answers.json

Another decision is another predicted class, or a predicted number on the other side of --threshold. Every answer is a row of the candidates, so impossible combinations of values never occur. Rows are similar if their scores are close: the same columns matter in the same way. --space features compares cells instead. Both distances are always given.

The result has one row per column that differs, in order of importance: `row`, `prediction`, `place` (1 is nearest), `other_row`, `other_prediction`, `score_distance`, `feature_distance`, `column`, `from`, `to` and `score_change` (the other row's score minus this row's; for three or more classes, of the class predicted for this row). A row without an answer has one line with empty cells.")]
pub struct Options {
    /// Model file; LMDI+ needs one with an explainer, as written by `lmdi explain --save`
    model: PathBuf,
    /// CSV or Parquet file with the rows; - is standard input
    data: PathBuf,
    /// The rows to find answers for: all, or row numbers from 1, such as 3,8,20-29 [default: the
    /// first ten]
    #[arg(long, value_name = "ROWS", value_parser = parse_rows)]
    rows: Option<RowChoice>,
    /// Where to write the answers: a name ending in .csv, .parquet or .json, or - for standard
    /// output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Rows that may be answers, such as the training table [default: all rows of DATA]
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// Number of answers per row
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    k: usize,
    /// Where similarity is measured
    #[arg(long, value_parser = named::<Space>(), value_name = "SPACE", default_value = "scores")]
    space: Space,
    /// How distances are computed
    #[arg(long, value_parser = named::<Distance>(), value_name = "HOW", default_value = "l1")]
    distance: Distance,
    /// The number at which the decision changes; with two classes, the probability from which the
    /// second is predicted [default: the median prediction of the candidates; classes: the model's
    /// threshold]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// The wanted decision: a label, or for regression above or below [default: any other]
    #[arg(long, value_name = "LABEL")]
    to: Option<String>,
    /// A column of both tables that identifies rows: `key` and `other_key` in the result
    #[arg(long, value_name = "COL")]
    key: Option<String>,
    /// A column that must not change; repeatable
    #[arg(long, value_name = "COL", help_heading = "Restrictions")]
    fixed: Vec<String>,
    /// A column that may stay or increase; repeatable
    #[arg(long, value_name = "COL", help_heading = "Restrictions")]
    only_up: Vec<String>,
    /// A column that may stay or decrease; repeatable
    #[arg(long, value_name = "COL", help_heading = "Restrictions")]
    only_down: Vec<String>,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Rows, candidates and answers.
struct Answers<'a> {
    study: &'a Study,
    columns: Columns,
    queries: Explained,
    candidates: &'a Explained,
    found: Vec<Vec<Counterfactual>>,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let destination = Destination::from_argument(options.out.as_deref())?;
    options.method.check(None, None)?;
    let files = saved_study::files(&options.model, &options.data, &options.method)
        .reading("--candidates", options.candidates.as_deref())
        .writing("out", options.out.as_deref());
    let reader = options.running.start(&files)?;
    let mut printer = Destination::printer(destination.as_ref());
    let out = &mut printer;
    let mut study = saved_study::load(&options.model, &options.method, &reader)?;
    let columns = study.columns();
    let mut search = CounterfactualOptions::default()
        .with_k(options.k)
        .with_space(options.space)
        .with_distance(options.distance)
        .with_threshold(options.threshold.filter(|_| study.labels().is_empty()))
        .with_wanted(options.wanted(&study)?)
        .with_restrictions(options.restrictions(&columns)?);
    if let (Some(threshold), false) = (options.threshold, study.labels().is_empty()) {
        check_threshold(threshold, study.labels().len())?;
        study.model.threshold = Some(threshold);
    }
    let key = options.key.as_ref();
    let explained = saved_study::explain(&study, &options.data, key, &reader)?;
    let other = match &options.candidates {
        Some(path) => Some(saved_study::explain(&study, path, key, &reader)?),
        None => None,
    };
    let candidates = other.as_ref().unwrap_or(&explained);
    if study.labels().is_empty() && search.threshold.is_none() {
        let median = candidates.median_prediction().with_context(|| {
            format!("{}: there is no row to compare with", candidates.rows.table.name)
        })?;
        writeln!(
            out,
            "Decided at {}, the median prediction; --threshold sets another.",
            short_number(median)
        )?;
        search.threshold = Some(median);
    }
    let chosen = match &options.rows {
        None => (0..explained.rows.len().min(10)).collect(),
        Some(chosen) => chosen.of(explained.rows.len(), &explained.rows.table.name)?,
    };
    let queries = explained.take(&chosen);
    let progress = Progress::new("Comparing", chosen.len());
    let (asking, answering) = (queries.view(), candidates.view());
    let found = counterfactuals(&asking, &answering, &columns, &search, &progress)?;
    drop(progress);
    let answers = Answers { study: &study, columns, queries, candidates, found };
    if let Some(destination) = &destination {
        destination.write(|| Ok(answers.table()?.into()), || answers.json(), out)?;
    }
    answers.print(out)?;
    out.fact("counterfactuals", answers.json());
    printer.finish()
}

impl Options {
    fn wanted(&self, study: &Study) -> Result<Option<usize>> {
        let Some(to) = &self.to else { return Ok(None) };
        let labels: Vec<&str> = match study.labels() {
            [] => vec!["below", "above"],
            labels => labels.iter().map(String::as_str).collect(),
        };
        let place = labels.iter().position(|label| label == to);
        let names: Vec<String> = labels.iter().take(10).map(|label| format!("{label:?}")).collect();
        place.map(Some).ok_or_else(|| invalid("to", format!("{to:?}"), names.join(" or ")))
    }

    fn restrictions(&self, columns: &Columns) -> Result<Vec<Restriction>> {
        let mut all = vec![Restriction::Free; columns.len()];
        let given = [
            ("--fixed", &self.fixed, Restriction::Fixed),
            ("--only-up", &self.only_up, Restriction::OnlyUp),
            ("--only-down", &self.only_down, Restriction::OnlyDown),
        ];
        for (flag, names, restriction) in given {
            for name in names {
                let at = columns.position(name).context(flag)?;
                if all[at] != Restriction::Free && all[at] != restriction {
                    return Err(invalid(
                        "fixed",
                        format!("column {name:?} under two restrictions"),
                        "one of --fixed, --only-up and --only-down for a column",
                    ));
                }
                all[at] = restriction;
            }
        }
        Ok(all)
    }
}

impl Answers<'_> {
    fn print(&self, out: &mut dyn Write) -> Result<()> {
        let answered = self.found.iter().filter(|found| !found.is_empty()).count();
        let of = counted(self.candidates.rows.len(), "candidate");
        writeln!(
            out,
            "{} of {} have an answer among {of}.",
            count(answered),
            counted(self.queries.rows.len(), "row")
        )?;
        for (query, found) in self.found.iter().enumerate().take(PRINTED) {
            let row = named_row(self.place(query), self.queries.rows.key_of(query));
            let prediction = self.prediction_text(self.queries.prediction(query));
            writeln!(
                out,
                "\n{} of {}: predicted {prediction}",
                capitalised(&row),
                self.queries.rows.table.name
            )?;
            if found.is_empty() {
                writeln!(out, "  no candidate is decided otherwise and allowed")?;
            }
            for one in found {
                self.print_one(out, query, one)?;
            }
        }
        if self.found.len() > PRINTED {
            let more = counted(self.found.len() - PRINTED, "more row");
            writeln!(out, "\n... and {more}; --out FILE keeps all of them.")?;
        }
        Ok(())
    }

    fn print_one(&self, out: &mut dyn Write, query: usize, one: &Counterfactual) -> Result<()> {
        let prediction = self.prediction_text(self.candidates.prediction(one.row));
        writeln!(
            out,
            "  {} is predicted {prediction}; distance {} in scores, {} in cells\n",
            named_row(one.row + 1, self.candidates.rows.key_of(one.row)),
            short_number(one.score_distance),
            short_number(one.feature_distance)
        )?;
        let largest = one.changes.first().map_or(0.0, |change| change.size);
        let decimals = Decimals::for_largest(largest);
        let mut table = TextTable::new(&[
            ("column", Align::Left),
            ("here", Align::Left),
            ("there", Align::Left),
            ("score change", Align::Right),
        ]);
        for change in one.changes.iter().take(CHANGES) {
            let column = &self.columns.as_slice()[change.column];
            let [from, to] = self.cells(query, one.row, column);
            let text = |cell: Option<String>| cell.unwrap_or_else(|| "missing".into());
            let by = decimals.text(change.score_change);
            table.row([column.name.clone(), text(from), text(to), by]);
        }
        write!(out, "{table}")?;
        if one.changes.len() > CHANGES {
            writeln!(out, "  ... and {}", counted(one.changes.len() - CHANGES, "more column"))?;
        }
        Ok(())
    }

    /// The cells of a column in a query and in a candidate, dates as dates.
    fn cells(&self, query: usize, row: usize, column: &ColumnLayout) -> [Option<String>; 2] {
        let cell = |of: &Explained, row: usize| {
            let (values, place) = (of.rows.column(&column.name)?, of.rows.places[row]);
            let date = match (values, column.time_unit()) {
                (Values::Numbers(cells), Some(unit)) => unit.text(cells[place]),
                _ => None,
            };
            date.or_else(|| values.text(place))
        };
        [cell(&self.queries, query), cell(self.candidates, row)]
    }

    /// The place of a query in its table, from 1.
    fn place(&self, query: usize) -> usize {
        self.queries.rows.places[query] + 1
    }

    fn prediction_text(&self, prediction: &[f64]) -> String {
        predictions::text(self.study.labels(), prediction, self.queries.threshold)
    }

    fn label(&self, prediction: &[f64]) -> Option<String> {
        let class = class_of(prediction, self.queries.threshold)?;
        self.study.labels().get(class).cloned()
    }

    fn table(&self) -> Result<Frame> {
        // One line for each change; one without a change where there is no answer.
        let mut lines = Vec::new();
        for (query, found) in self.found.iter().enumerate() {
            if found.is_empty() {
                lines.push((query, None));
            }
            for (place, one) in found.iter().enumerate() {
                lines.extend(one.changes.iter().map(|change| (query, Some((place, one, change)))));
            }
        }
        let numbers = |name: &str, cell: &dyn Fn(usize) -> f64| {
            let cells = (0..lines.len()).map(cell).collect();
            Column { name: name.into(), values: Values::Numbers(cells) }
        };
        let texts = |name: &str, cell: &dyn Fn(usize) -> Option<String>| {
            let cells: Vec<Option<String>> = (0..lines.len()).map(cell).collect();
            let labels: Labels = cells.iter().map(Option::as_deref).collect();
            Column { name: name.into(), values: Values::Labels(labels) }
        };
        let of_answer = |value: &dyn Fn(usize, &Counterfactual) -> f64, line: usize| {
            lines[line].1.map_or(f64::NAN, |(place, one, _)| value(place, one))
        };
        let prediction = |name: &str, of: &dyn Fn(usize) -> Option<Vec<f64>>| {
            if self.study.labels().is_empty() {
                numbers(name, &|line| of(line).map_or(f64::NAN, |prediction| prediction[0]))
            } else {
                texts(name, &|line| self.label(&of(line)?))
            }
        };
        let layout = |column: usize| &self.columns.as_slice()[column];
        let cell = |line: usize, side: usize| {
            let (query, answer) = &lines[line];
            let (_, one, change) = answer.as_ref()?;
            let [from, to] = self.cells(*query, one.row, layout(change.column));
            if side == 0 { from } else { to }
        };
        let key = |name: &str, of: &dyn Fn(usize) -> Option<String>| {
            self.queries.rows.key.is_some().then(|| texts(name, of))
        };
        let own_key = key("key", &|line| self.queries.rows.key_of(lines[line].0));
        let other_key = key("other_key", &|line| self.candidates.rows.key_of(lines[line].1?.1.row));
        let mut columns = vec![
            numbers("row", &|line| self.place(lines[line].0) as f64),
            prediction("prediction", &|line| Some(self.queries.prediction(lines[line].0).to_vec())),
            numbers("place", &|line| of_answer(&|place, _| (place + 1) as f64, line)),
            numbers("other_row", &|line| of_answer(&|_, one| (one.row + 1) as f64, line)),
            prediction("other_prediction", &|line| {
                lines[line].1.map(|(_, one, _)| self.candidates.prediction(one.row).to_vec())
            }),
            numbers("score_distance", &|line| of_answer(&|_, one| one.score_distance, line)),
            numbers("feature_distance", &|line| of_answer(&|_, one| one.feature_distance, line)),
            texts("column", &|line| Some(layout(lines[line].1?.2.column).name.clone())),
            texts("from", &|line| cell(line, 0)),
            texts("to", &|line| cell(line, 1)),
            numbers("score_change", &|line| {
                lines[line].1.map_or(f64::NAN, |(.., change)| change.score_change)
            }),
        ];
        if let Some(other_key) = other_key {
            columns.insert(4, other_key);
        }
        columns.splice(1..1, own_key);
        Ok(Frame::new(columns)?)
    }

    fn json(&self) -> Value {
        let prediction = |prediction: &[f64]| match self.label(prediction) {
            Some(label) => json!({ "label": label, "probabilities": prediction }),
            None => json!(prediction[0]),
        };
        let answer = |query: usize, one: &Counterfactual| {
            let changes: Vec<Value> = one
                .changes
                .iter()
                .map(|change| {
                    let column = &self.columns.as_slice()[change.column];
                    let [from, to] = self.cells(query, one.row, column);
                    json!({ "column": column.name, "from": from, "to": to, "score_change": change.score_change })
                })
                .collect();
            json!({
                "row": one.row + 1,
                "key": self.candidates.rows.key_of(one.row),
                "prediction": prediction(self.candidates.prediction(one.row)),
                "score_distance": one.score_distance,
                "feature_distance": one.feature_distance,
                "changes": changes,
            })
        };
        let rows: Vec<Value> = self
            .found
            .iter()
            .enumerate()
            .map(|(query, found)| {
                json!({
                    "row": self.place(query),
                    "key": self.queries.rows.key_of(query),
                    "prediction": prediction(self.queries.prediction(query)),
                    "counterfactuals": found.iter().map(|one| answer(query, one)).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({ "table": self.queries.rows.table.name, "candidates": self.candidates.rows.table.name, "rows": rows })
    }
}

/// A row by its place, and by its key where it has one.
fn named_row(place: usize, key: Option<String>) -> String {
    match key {
        Some(key) => format!("row {} ({})", count(place), shortened(&key)),
        None => format!("row {}", count(place)),
    }
}

fn capitalised(text: &str) -> String {
    text.replacen("row", "Row", 1)
}
