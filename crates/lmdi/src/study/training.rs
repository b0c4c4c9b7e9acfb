//! From a table to a trained and measured model.

use super::{Assessment, NamedFrame, Predictor, Rows, Sample};
use crate::file::{Metadata, Model};
use crate::forest::decision::check_threshold;
use crate::forest::train::EnsembleParams;
use crate::forest::{Ensemble, oob_prediction};
use crate::monitor::Stages;
use crate::random::{generator, subset};
use crate::table::{ColumnReport, Leak, Schema, SchemaOptions, Target, leaks};
use crate::text::counted;
use crate::{Error, Result};
use std::sync::Arc;

/// Correlation with the target from which on a column is suspect: sizes of the same thing in two
/// units, or a code that follows from the outcome, lie above, honest measurements far below.
const SUSPECT: f64 = 0.999;

/// The rows of a table that have a target, and the schema learned from them.
#[derive(Debug, Clone)]
pub struct TrainingData {
    /// How the table becomes a matrix.
    pub schema: Schema,
    /// What is predicted.
    pub target: Target,
    /// What was found in every column.
    pub reports: Vec<ColumnReport>,
    /// The rows that have a target.
    pub rows: Rows,
}

/// A column that gives the target away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect<'a> {
    /// Its name.
    pub column: &'a str,
    /// Its correlation with the target.
    pub strength: f64,
}

/// What to train, and on which rows.
#[derive(Debug, Clone)]
pub struct TrainingJob {
    /// How the table becomes a matrix.
    pub schema: Schema,
    /// What is predicted.
    pub target: Target,
    /// What to train, and how.
    pub params: EnsembleParams,
    /// With two classes, the probability from which the second is predicted.
    pub threshold: Option<f64>,
    /// The rows to train on.
    pub train: Arc<Rows>,
    /// The held-out rows.
    pub holdout: Option<Arc<Rows>>,
}

/// A trained model, and its measures.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The model, whose metadata hold the measures.
    pub model: Model,
    /// The measures; empty if no row was left out of training.
    pub assessments: Vec<Assessment>,
}

impl TrainingData {
    /// Learns the schema of a table from its rows that have a target, and encodes them.
    pub fn learn(table: NamedFrame, options: &SchemaOptions) -> Result<Self> {
        let present = Target::present_rows(&table.frame, &options.target)?;
        // Without a single target the next step says so.
        let all_or_none = present.len() == table.frame.rows() || present.is_empty();
        let kept = (!all_or_none).then(|| table.frame.take_rows(&present));
        let frame = kept.as_ref().unwrap_or(&table.frame);
        let (schema, reports) = Schema::learn(frame, options)?;
        let x = schema.encode(frame)?.matrix;
        let Some(target) = schema.target.clone() else {
            return Err(Error::Data("the table has no target to learn".into()));
        };
        let cells = target.cells(frame)?;
        let weights = schema.weights(frame)?;
        drop(kept);
        let rows = Rows {
            table: Arc::new(table),
            places: present,
            x,
            target: Some(cells),
            weights,
            sample: Sample::Training,
            key: None,
        };
        Ok(Self { schema, target, reports, rows })
    }

    /// Number of rows of the table without a target.
    pub fn n_without_target(&self) -> usize {
        self.rows.table.frame.rows() - self.rows.len()
    }

    /// The job of training on these rows, except for a random share of them.
    pub fn job(self, params: EnsembleParams, holdout: f64) -> Result<TrainingJob> {
        params.check(self.schema.n_encoded())?;
        let Self { schema, target, rows, .. } = self;
        let (train, holdout) = split(rows, holdout, params.seed())?;
        let holdout = holdout.map(Arc::new);
        let train = Arc::new(train);
        Ok(TrainingJob { schema, target, params, threshold: None, train, holdout })
    }
}

/// Splits off the hold-out rows, drawn by the seed.
fn split(rows: Rows, share: f64, seed: u64) -> Result<(Rows, Option<Rows>)> {
    let n = rows.len();
    if n < 2 {
        let rows = counted(n, "row");
        return Err(Error::Data(format!("there is {rows} to learn from; expected at least 2")));
    }
    if share == 0.0 {
        return Ok((rows, None));
    }
    let held_out = (n as f64 * share).round() as usize;
    if held_out == 0 || n - held_out < 2 {
        return Err(Error::Data(format!(
            "a hold-out of {share} keeps {} of {n} out of training; expected at least 1 there and 2 for training",
            counted(held_out, "row")
        )));
    }
    // Trees draw from the generators 0, 1, 2, ...; the last one is free for the split.
    let held: Vec<usize> = subset(&mut generator(seed, u64::MAX), n, held_out)
        .iter()
        .map(|&row| row as usize)
        .collect();
    let mut is_held = vec![false; n];
    held.iter().for_each(|&row| is_held[row] = true);
    let kept: Vec<usize> = (0..n).filter(|&row| !is_held[row]).collect();
    let holdout = Rows { sample: Sample::HoldOut, ..rows.take(&held) };
    Ok((rows.take(&kept), Some(holdout)))
}

impl TrainingJob {
    /// The same job with a decision threshold between two classes.
    pub fn deciding_at(self, threshold: Option<f64>) -> Result<Self> {
        if let Some(threshold) = threshold {
            check_threshold(threshold, self.target.labels.len())?;
        }
        Ok(Self { threshold, ..self })
    }

    /// The maximum number of bytes of the trained model in memory.
    pub fn model_memory(&self) -> u64 {
        let n_outputs = self.target.labels.len().max(1);
        self.params.memory(self.train.len(), self.train.weights.is_some(), n_outputs)
    }

    /// The columns that give the target away, each once.
    pub fn suspects(&self) -> Vec<Suspect<'_>> {
        let Some(response) = self.train.response() else { return vec![] };
        let found = leaks(&self.train.x.view(), &self.schema.origins(), &response, SUSPECT);
        let named = |leak: Leak| Suspect {
            column: self.schema.columns[leak.column].name.as_str(),
            strength: leak.strength,
        };
        found.into_iter().map(named).collect()
    }

    /// Trains the model, and measures it on the rows that its trees did not see.
    pub fn train(&self, stages: &dyn Stages) -> Result<Trained> {
        let ensemble = self.ensemble(&self.params, &self.train, stages)?;
        let assessments = self.assess(&ensemble, stages)?;
        let metadata = Metadata {
            seed: Some(self.params.seed()),
            training_rows: Some(self.train.len() as u64),
            fingerprint: self.train.fingerprint(),
            quality: assessments.iter().flat_map(Assessment::records).collect(),
            ..Metadata::of_this_library()
        };
        let schema = Some(self.schema.clone());
        let threshold = self.threshold;
        let model = Model { ensemble, schema, threshold, explainer: None, metadata };
        Ok(Trained { model, assessments })
    }

    /// Trains on some rows, and measures nothing.
    pub(super) fn ensemble(
        &self,
        params: &EnsembleParams,
        rows: &Rows,
        stages: &dyn Stages,
    ) -> Result<Ensemble> {
        let names = self.schema.encoded_names();
        let Some(set) = rows.training_set(&names, &self.target.labels) else {
            return Err(Error::Data("the rows to train on have no target".into()));
        };
        params.train(&set, &*stages.start("Training", params.units()))
    }

    fn assess(&self, ensemble: &Ensemble, stages: &dyn Stages) -> Result<Vec<Assessment>> {
        let mut found = Vec::new();
        let mut measure = |rows: &Rows, predictions: &[f64]| {
            let weights = rows.weights.as_deref();
            found.extend(rows.target.as_ref().map(|truth| {
                let of_model = Predictor::Model;
                let threshold = self.threshold;
                Assessment::measure(of_model, rows.sample, truth, predictions, weights, threshold)
            }));
        };
        if self.params.leaves_rows_out() {
            let monitor = stages.start("Out-of-bag", self.train.len());
            let oob = oob_prediction(ensemble, &self.train.x.view(), &*monitor)?;
            measure(&self.train, &oob.prediction);
        }
        if let Some(rows) = &self.holdout {
            let monitor = stages.start("Hold-out", rows.len());
            measure(rows, &ensemble.predict(&rows.x.view(), &*monitor)?);
        }
        Ok(found)
    }
}
