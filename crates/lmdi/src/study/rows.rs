//! Rows of a table as a model reads them, with their target, weights and sample.

use crate::file::Metadata;
use crate::forest::train::TrainingSet;
use crate::table::{
    Fingerprint, Frame, Matrix, Response, Schema, Target, TargetCells, Unseen, Values,
};
use crate::{Error, Result};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A table with the name that messages call it by.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedFrame {
    /// The name.
    pub name: String,
    /// The columns.
    pub frame: Frame,
}

/// The relation of rows to the model and its explainer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// The rows that the model was trained on, and the explainer fitted to if it is fitted. The
    /// model's quality is measured on them out of bag: each row by the trees that did not see it.
    Training,
    /// Rows of the training table that neither the model nor the explainer saw.
    HoldOut,
    /// The rows that the explainer was fitted to, which the model was not trained on as far as is
    /// known.
    FittedOn,
    /// Rows of another table, only to be explained.
    Test,
    /// Rows about which nothing is known.
    Unspecified,
}

impl Sample {
    /// What the rows are called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Training => "training rows",
            Self::HoldOut => "hold-out rows",
            Self::FittedOn => "rows that the explainer was fitted to",
            Self::Test => "test rows",
            Self::Unspecified => "rows",
        }
    }
}

/// Rows of a table: encoded cells, and the target and weights where they are known.
#[derive(Debug, Clone)]
pub struct Rows {
    /// The table they come from.
    pub table: Arc<NamedFrame>,
    /// The place of each row in the table, from 0.
    pub places: Vec<usize>,
    /// The cells that the trees read.
    pub x: Matrix,
    /// The actual outcomes.
    pub target: Option<TargetCells>,
    /// Weights of the rows.
    pub weights: Option<Vec<f64>>,
    /// The relation of the rows to the model.
    pub sample: Sample,
    /// The key that identifies them, if there is one.
    pub key: Option<RowKey>,
}

/// Names of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowKey {
    /// The column of the table that names them.
    pub name: String,
    /// The text of each row, as the table has it.
    pub texts: Vec<String>,
}

impl Rows {
    /// Encodes every row of a table, and reports cells that the model does not know.
    pub fn encode(
        table: impl Into<Arc<NamedFrame>>,
        schema: &Schema,
        sample: Sample,
    ) -> Result<(Self, Vec<Unseen>)> {
        let table = table.into();
        let encoded = schema.encode(&table.frame)?;
        let places = (0..table.frame.rows()).collect();
        let x = encoded.matrix;
        let rows = Self { table, places, x, target: None, weights: None, sample, key: None };
        Ok((rows, encoded.unseen))
    }

    /// The rows that have a target, with it and their weights.
    pub fn with_target(self, schema: &Schema, target: &Target) -> Result<Self> {
        let present = Target::present_rows(&self.table.frame, &target.name)?;
        if present.len() == self.len() {
            let (cells, weights) = truth(&self.table.frame, schema, target)?;
            return Ok(Self { target: Some(cells), weights, ..self });
        }
        let (cells, weights) = truth(&self.table.frame.take_rows(&present), schema, target)?;
        let x = self.x.take_rows(&present);
        Ok(Self { x, target: Some(cells), weights, places: present, ..self })
    }

    /// All rows, with the target if each has one, and with the weights of training if the table has
    /// them. The second value counts the rows without a target, if the table has the column at all.
    pub fn with_complete_target(self, schema: &Schema, target: &Target) -> Result<(Self, usize)> {
        let frame = &self.table.frame;
        if frame.column(&target.name).is_none() {
            return Ok((self, 0));
        }
        let missing = frame.rows() - Target::present_rows(frame, &target.name)?.len();
        if missing > 0 {
            return Ok((self, missing));
        }
        let cells = target.cells(frame)?;
        let has_weights = schema.weight.as_ref().is_some_and(|name| frame.column(name).is_some());
        let weights = if has_weights { schema.weights(frame)? } else { None };
        Ok((Self { target: Some(cells), weights, ..self }, 0))
    }

    /// Marks the rows as the training rows of a model if they are.
    pub fn recognised(self, model: &Metadata) -> Self {
        let is_training = model.fingerprint.is_some() && model.fingerprint == self.fingerprint();
        let sample = if is_training { Sample::Training } else { self.sample };
        Self { sample, ..self }
    }

    /// Marks the rows as the training rows of a model if they are, else as what an explainer is
    /// fitted to.
    pub fn identified(self, model: &Metadata) -> Self {
        Self { sample: Sample::FittedOn, ..self }.recognised(model)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.x.rows()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The actual outcomes, if known.
    pub fn response(&self) -> Option<Response<'_>> {
        self.target.as_ref().map(TargetCells::response)
    }

    /// The cells of a column of the table; those of a row are at its place.
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.table.frame.input(name).map(|column| &column.values)
    }

    /// The fingerprint of these rows as training data; `None` without a target.
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        let response = self.response()?;
        Some(Fingerprint::of(&self.x.view(), &response, self.weights.as_deref()))
    }

    /// The chosen rows, in the given order.
    pub fn take(&self, rows: &[usize]) -> Self {
        let weights = self.weights.as_ref();
        Self {
            table: self.table.clone(),
            places: rows.iter().map(|&row| self.places[row]).collect(),
            x: self.x.take_rows(rows),
            target: self.target.as_ref().map(|target| target.take(rows)),
            weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            sample: self.sample,
            key: self.key.as_ref().map(|key| RowKey {
                name: key.name.clone(),
                texts: rows.iter().map(|&row| key.texts[row].clone()).collect(),
            }),
        }
    }

    /// The rows, identified by the texts of a column, which must all be present and unique.
    pub fn with_key(self, name: &str, texts: Vec<String>) -> Result<Self> {
        let (what, found) = ("keys".into(), texts.len());
        if found != self.len() {
            return Err(Error::Shape { what, found, expected: self.len() });
        }
        let mut seen = KeysSeen::default();
        for (text, place) in texts.iter().zip(&self.places) {
            seen.add(name, text, place + 1)?;
        }
        Ok(Self { key: Some(RowKey { name: name.to_owned(), texts }), ..self })
    }

    /// The key of a row; none without keys.
    pub fn key_of(&self, row: usize) -> Option<String> {
        self.key.as_ref().map(|key| key.texts[row].clone())
    }

    /// The rows as a model is trained on them and an explainer is fitted to them; none without a
    /// target. An explainer needs no names.
    pub fn training_set<'a>(
        &'a self,
        feature_names: &'a [String],
        labels: &'a [String],
    ) -> Option<TrainingSet<'a>> {
        let (x, weights) = (self.x.view(), self.weights.as_deref());
        self.response().map(|y| TrainingSet { x, y, weights, feature_names, labels })
    }
}

/// The keys of rows so far, each of which must be present and unique. Memory: about 40 bytes per
/// key, whatever its length.
#[derive(Debug, Clone, Default)]
pub struct KeysSeen {
    /// The first row of each key, by a hash of 128 bits.
    row_of: HashMap<[u64; 2], usize>,
}

impl KeysSeen {
    /// Takes the key of a row, counted from 1, of the column of that name.
    pub fn add(&mut self, name: &str, text: &str, row: usize) -> Result<()> {
        if text.trim().is_empty() {
            return Err(Error::Data(format!(
                "key {name:?} is missing in row {row}; expected a text that names the row"
            )));
        }
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, text).hash(&mut hasher);
            hasher.finish()
        };
        if let Some(other) = self.row_of.insert([half(0), half(1)], row) {
            return Err(Error::Data(format!(
                "key {name:?} is {text:?} in row {other} and in row {row}; expected another text in every row"
            )));
        }
        Ok(())
    }
}

fn truth(
    frame: &Frame,
    schema: &Schema,
    target: &Target,
) -> Result<(TargetCells, Option<Vec<f64>>)> {
    Ok((target.cells(frame)?, schema.weights(frame)?))
}
