//! A study that answers requests: JSON bytes in, JSON bytes out.

use crate::answer::{Answer, Explanation, Named, PerOutput, Prediction, Row};
use crate::request::Request;
use lmdi::explanation::{Grouping, top_features};
use lmdi::forest::decision::class_of;
use lmdi::monitor::Silent;
use lmdi::named::Named as _;
use lmdi::study::{ExplainOptions, Explained, NamedFrame, Rows, Sample, Study};
use lmdi::table::{CellFormat, ColumnFormat, Encoding, Frame, MatrixView, Part, quoted_list};
use lmdi::text::{counted, unseen_text};
use lmdi_io::read::{ReadOptions, read_json_rows};
use serde_json::json;
use std::sync::Arc;

/// Most numbers in one answer.
const MOST_NUMBERS: usize = 1 << 22;

/// What messages call the rows of a request.
const REQUEST: &str = "request";

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The request is at fault; the text says where, and what was expected.
    Invalid(String),
    /// The request asks for more than is allowed at once.
    TooLarge(String),
    /// The service is at fault.
    Internal(String),
}

impl From<lmdi::Error> for Failure {
    fn from(error: lmdi::Error) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<lmdi_io::Error> for Failure {
    fn from(error: lmdi_io::Error) -> Self {
        Self::Invalid(error.to_string())
    }
}

/// A model with its explainer, ready to answer.
///
/// ```
/// use lmdi::forest::train::{EnsembleParams, ForestParams};
/// use lmdi::importance::lmdi_plus::LmdiPlusOptions;
/// use lmdi::monitor::Silent;
/// use lmdi::study::{ExplainerOptions, NamedFrame, Study, TrainingData};
/// use lmdi::table::{Column, Frame, SchemaOptions, Values};
/// use lmdi_server::Service;
/// # fn main() -> lmdi::Result<()> {
/// let column = |name: &str, cell: fn(u32) -> f64| Column {
///     name: name.into(),
///     values: Values::Numbers((0..60).map(cell).collect()),
/// };
/// let frame = Frame::new(vec![
///     column("size", |row| f64::from(row * 7 % 60) / 8.0),
///     column("price", |row| f64::from(row * 7 % 60) + 10.0),
/// ])?;
/// let table = NamedFrame { name: "houses".into(), frame };
/// let data = TrainingData::learn(table, &SchemaOptions::new("price"))?;
/// let job = data.job(EnsembleParams::Forest(ForestParams::regression()), 0.0)?;
/// let method = ExplainerOptions::LmdiPlus(LmdiPlusOptions::default());
/// let service = Service::new(Study::of_job(job.into(), method, &Silent)?)?;
/// let answer = service.explain(br#"{"rows": [{"size": 4.5}]}"#).expect("a valid request");
/// assert!(answer.starts_with(br#"{"rows":[{"prediction":"#));
/// # Ok(())
/// # }
/// ```
pub struct Service {
    study: Study,
    grouping: Grouping,
    reading: ReadOptions,
    digest: String,
    n_outputs: usize,
}

impl Service {
    /// The service of a study. Scores are those of the columns.
    pub fn new(study: Study) -> lmdi::Result<Self> {
        let grouping = Grouping::columns(&study.schema)?;
        let reading = ReadOptions::for_schema(&study.schema);
        let digest = study.digest();
        let no_rows = MatrixView::from_rows(&[], 0, study.schema.n_encoded())?;
        let n_outputs = study.explainer().explain(&no_rows, &Silent)?.n_outputs;
        Ok(Self { study, grouping, reading, digest, n_outputs })
    }

    /// The digest of the model ([`Study::digest`]).
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// A description of the model as JSON: target, columns, and the meaning of scores.
    pub fn description(&self) -> serde_json::Value {
        let study = &self.study;
        let schema = &study.schema;
        let column = |column: &lmdi::table::InputColumn| {
            let (kind, levels) = match &column.encoding {
                Encoding::Number => match schema.reading.format_of(&column.name) {
                    Some(ColumnFormat { format: CellFormat::Date(_), .. }) => ("date", None),
                    Some(ColumnFormat { format: CellFormat::DateTime(_), .. }) => {
                        ("datetime", None)
                    }
                    Some(ColumnFormat { format: CellFormat::Time, .. }) => ("time", None),
                    _ => ("number", None),
                },
                Encoding::Truth => ("boolean", None),
                Encoding::Codes(levels) => ("category", Some(levels.clone())),
                Encoding::OneHot(parts) => ("category", Some(levels_of(parts))),
            };
            json!({"name": column.name, "type": kind, "levels": levels})
        };
        json!({
            "target": schema.target.as_ref().map(|target| &target.name),
            "labels": study.labels(),
            "threshold": study.model.threshold,
            "trees": study.model.ensemble.trees.len(),
            "method": study.method().name(),
            "scale": study.meaning().scale(self.n_outputs),
            "columns": schema.columns.iter().map(column).collect::<Vec<_>>(),
            "digest": self.digest,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// Predictions of the rows of a request.
    pub fn predict(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let request = parsed(body)?;
        if request.top.is_some() || request.standard_error {
            let what = "\"top\" and \"standard_error\" are about scores; send them to /explain";
            return Err(Failure::Invalid(what.into()));
        }
        let ensemble = &self.study.model.ensemble;
        let width = ensemble.n_predictions();
        self.check_size(&request, width)?;
        let (rows, notes) = self.rows(&request)?;
        let predictions = ensemble.predict(&rows.x.view(), &Silent)?;
        let row = |prediction: &[f64]| {
            let (prediction, probabilities) = self.prediction(prediction);
            Row { prediction, probabilities, explanation: None }
        };
        written(&Answer { rows: predictions.chunks_exact(width).map(row).collect(), notes })
    }

    /// Predictions and scores of the rows of a request.
    pub fn explain(&self, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let request = parsed(body)?;
        if request.standard_error {
            let has_errors = self.study.model.ensemble.averages_trees()
                && self.study.explainer().linear_models().is_some();
            if !has_errors {
                let what = "\"standard_error\" is true; only LMDI+ of a forest has standard errors, \
                            whose trees are repeated measurements";
                return Err(Failure::Invalid(what.into()));
            }
        }
        if request.top == Some(0) {
            return Err(Failure::Invalid("\"top\" is 0; expected at least 1".into()));
        }
        self.check_size(&request, self.grouping.names.len() * self.n_outputs)?;
        let (rows, notes) = self.rows(&request)?;
        let options = ExplainOptions::scores_of(self.grouping.clone())
            .with_standard_error(request.standard_error);
        let explained = self.study.explain(Arc::new(rows), &options, &Silent)?;
        let row = |at: usize| {
            let (prediction, probabilities) = self.prediction(explained.prediction(at));
            let explanation = Some(self.explanation(&explained, at, request.top));
            Row { prediction, probabilities, explanation }
        };
        written(&Answer { rows: (0..explained.scores.n_rows).map(row).collect(), notes })
    }

    fn check_size(&self, request: &Request, per_row: usize) -> Result<(), Failure> {
        let most = (MOST_NUMBERS / per_row.max(1)).max(1);
        if request.rows.len() > most {
            return Err(Failure::TooLarge(format!(
                "the request has {}; send at most {most} at a time, or use `lmdi score` for whole \
                 tables",
                counted(request.rows.len(), "row")
            )));
        }
        Ok(())
    }

    fn rows(&self, request: &Request) -> Result<(Rows, Vec<String>), Failure> {
        let columns = request.columns.as_deref();
        let frame = read_json_rows(REQUEST, columns, &request.rows, &self.reading)?;
        self.check_columns(&frame, columns.is_some())?;
        let table = NamedFrame { name: REQUEST.into(), frame };
        let (rows, unseen) = Rows::encode(table, &self.study.schema, Sample::Unspecified)?;
        Ok((rows, unseen.iter().map(unseen_text).collect()))
    }

    /// Fails if the model needs columns that the request does not have. `are_listed` says whether
    /// the request names its columns once, and not row by row.
    fn check_columns(&self, frame: &Frame, are_listed: bool) -> Result<(), Failure> {
        let inputs = self.study.schema.columns.iter().map(|column| column.name.as_str());
        let missing: Vec<&str> = inputs.filter(|name| frame.input(name).is_none()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let place = if are_listed { "\"columns\"" } else { "row 1" };
        Err(Failure::Invalid(format!(
            "{REQUEST}: {place} has no {}, which the model needs; give null where a value is missing",
            quoted_list(missing.into_iter())
        )))
    }

    fn prediction(&self, numbers: &[f64]) -> (Prediction<'_>, Option<Named<'_, f64>>) {
        let labels = self.study.labels();
        if labels.is_empty() {
            return (Prediction::Number(numbers[0]), None);
        }
        let class = class_of(numbers, self.study.model.threshold);
        let named = labels.iter().zip(numbers).map(|(label, &share)| (label.as_str(), share));
        let label = class.map(|class| labels[class].as_str());
        (Prediction::Label(label), Some(Named(named.collect())))
    }

    fn explanation(
        &self,
        explained: &Explained,
        row: usize,
        top: Option<usize>,
    ) -> Explanation<'_> {
        let scores = &explained.scores;
        let (p, k) = (scores.n_features, scores.n_outputs);
        let shown = match top {
            Some(top) => top_features(scores, row, top.min(p)),
            None => (0..p).collect(),
        };
        let of_row = |cells: &[f64]| self.per_output(k, |output| cells[row * k + output]);
        let named = |cells: &[f64]| {
            self.per_output(k, |output| {
                let cell = |&at: &usize| {
                    (self.grouping.names[at].as_str(), cells[(row * p + at) * k + output])
                };
                Named(shown.iter().map(cell).collect())
            })
        };
        let rest = |output: usize| -> f64 {
            let others = (0..p).filter(|at| !shown.contains(at));
            others.map(|at| scores.get(row, at, output)).sum()
        };
        let account = explained.account.as_ref();
        Explanation {
            base: of_row(&scores.base),
            explained: account.map(|account| of_row(&account.explained)),
            unexplained: account.map(|account| of_row(&account.unexplained)),
            scores: named(&scores.values),
            rest: top.map(|_| self.per_output(k, rest)),
            standard_errors: explained.errors.as_deref().map(named),
        }
    }

    /// One value, or one per class where each has its own scores.
    fn per_output<T>(&self, n_outputs: usize, value: impl Fn(usize) -> T) -> PerOutput<'_, T> {
        if n_outputs == 1 {
            return PerOutput::One(value(0));
        }
        let labels = self.study.labels().iter().enumerate();
        PerOutput::PerClass(Named(labels.map(|(at, label)| (label.as_str(), value(at))).collect()))
    }
}

fn parsed(body: &[u8]) -> Result<Request, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        Failure::Invalid(format!(
            "the body is not a request: {error}; expected {{\"rows\": [{{\"COLUMN\": VALUE, ...}}, ...]}}"
        ))
    })
}

fn written(answer: &Answer<'_>) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(answer).map_err(|error| Failure::Internal(error.to_string()))
}

fn levels_of(parts: &[Part]) -> Vec<String> {
    let level = |part: &Part| match part {
        Part::Level(level) => vec![level.clone()],
        Part::Other { pooled } => pooled.clone(),
        Part::Missing => vec![],
    };
    parts.iter().flat_map(level).collect()
}
