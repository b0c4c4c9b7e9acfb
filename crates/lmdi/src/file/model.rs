//! The bundle that is saved: an ensemble with what is known about it.

use super::{container, json, v1};
use crate::forest::decision::check_threshold;
use crate::forest::import::Imported;
use crate::forest::{Ensemble, Outcome};
use crate::importance::LmdiPlus;
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::{
    TreeModel, check_kept, check_parts, check_ranges, check_sizes, used_features,
};
use crate::table::{Fingerprint, Schema, Task};
use crate::{Error, Result};
use std::io;

/// A model as it is saved and loaded.
///
/// ```
/// use lmdi::file::Model;
/// # fn main() -> lmdi::Result<()> {
/// // A stump, as a script would write it: below 2.5 the prediction is 1, above it is 4.
/// let json = br#"{
///     "format": "lmdi-model", "version": 1,
///     "ensemble": {
///         "feature_names": ["age"],
///         "trees": [{
///             "feature": [0, -1, -1], "threshold": [2.5, 0, 0],
///             "left": [1, -1, -1], "right": [2, -1, -1],
///             "value": [2, 1, 4], "weight": [3, 2, 1]
///         }]
///     }
/// }"#;
/// let model = Model::from_bytes(json)?;
/// assert_eq!(model.ensemble.trees[0].leaf_of(&[3.0]), 2);
///
/// let saved = model.to_bytes()?;
/// assert_eq!(Model::from_bytes(&saved)?.to_bytes()?, saved);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The trees.
    pub ensemble: Ensemble,
    /// How a table becomes the matrix of the trees; `None` when the model is used on matrices only.
    pub schema: Option<Schema>,
    /// With two classes, the probability from which the second is predicted. Without it, the most
    /// probable class is predicted.
    pub threshold: Option<f64>,
    /// The fitted explainer, when there is one.
    pub explainer: Option<Explainer>,
    /// Where the model comes from and how good it is.
    pub metadata: Metadata,
}

/// A fitted [`LmdiPlus`] without what can be derived from its ensemble.
#[derive(Debug, Clone, PartialEq)]
pub struct Explainer {
    /// How it was fitted, as text for people.
    pub options: String,
    /// The scale on which scores add up.
    pub scale: OutputScale,
    /// The linear model of every tree.
    pub trees: Vec<TreeModel>,
    /// Smallest and largest training cell per column of the matrix; empty when raw terms are not bounded.
    pub ranges: Vec<[f64; 2]>,
    /// Weight of each tree in a ranking by rank; empty if all are equal.
    pub tree_sizes: Vec<f64>,
    /// The share of its scores that a ranking by rank keeps, tree by tree; empty if it keeps all.
    /// See [`LmdiPlus::keeping`].
    pub kept: Vec<Vec<f64>>,
}

impl Explainer {
    /// The parts of a fitted explainer that a file stores.
    pub fn of(fitted: &LmdiPlus, options: impl Into<String>) -> Self {
        let trees = fitted.trees().to_vec();
        let ranges = fitted.ranges().to_vec();
        let tree_sizes = fitted.tree_sizes().to_vec();
        let kept = fitted.kept().to_vec();
        Self { options: options.into(), scale: fitted.scale(), trees, ranges, tree_sizes, kept }
    }

    /// The explainer, ready to score rows: the same scores, bit for bit, as before it was saved.
    pub fn ready(self, ensemble: &Ensemble) -> Result<LmdiPlus> {
        LmdiPlus::new(ensemble, self.scale, self.trees)?
            .within(self.ranges)?
            .weighing_trees(self.tree_sizes)?
            .keeping(self.kept)
    }

    /// Whether anything is kept of the rows it was fitted on.
    pub(super) fn knows_rows(&self) -> bool {
        !self.ranges.is_empty() || !self.tree_sizes.is_empty()
    }
}

/// Where a model comes from and how good it is. All of it is optional.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// The program that trained the model, with its version; empty when unknown.
    pub producer: String,
    /// The training options, as text for people.
    pub training_options: String,
    /// Seed of the random choices in training.
    pub seed: Option<u64>,
    /// Number of training rows.
    pub training_rows: Option<u64>,
    /// Fingerprint of the encoded training matrix, response and weights.
    pub fingerprint: Option<Fingerprint>,
    /// Measured quality.
    pub quality: Vec<Quality>,
}

impl Metadata {
    /// Metadata of a model that this version of the library trained.
    pub fn of_this_library() -> Self {
        let producer = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { producer, ..Self::default() }
    }
}

/// One measured number.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// The rows it was measured on, such as `oob` or `holdout`.
    pub sample: String,
    /// What was measured, such as `r2` or `auroc`.
    pub measure: String,
    /// The value; NaN when it is not defined.
    pub value: f64,
}

impl From<Imported> for Model {
    /// The model with the columns it reads, and where it comes from as metadata.
    fn from(imported: Imported) -> Self {
        let producer = format!("{} {}", imported.library, imported.version).trim_end().to_owned();
        let training_options = format!(
            "objective = {}\nrounds = {} of {}",
            imported.objective, imported.rounds_used, imported.rounds
        );
        let schema = Some(imported.schema());
        let metadata = Metadata { producer, training_options, ..Metadata::default() };
        Self { schema, metadata, ..Self::new(imported.ensemble) }
    }
}

impl Model {
    /// A model without any further information.
    pub fn new(ensemble: Ensemble) -> Self {
        Self {
            ensemble,
            schema: None,
            threshold: None,
            explainer: None,
            metadata: Metadata::default(),
        }
    }

    /// Checks the ensemble, and that the parts match.
    pub fn check(&self) -> Result<()> {
        self.ensemble.check()?;
        let in_bag_rows = self.ensemble.trees.iter().find_map(|tree| tree.in_bag.as_ref());
        if let (Some(in_bag), Some(rows)) = (in_bag_rows, self.metadata.training_rows)
            && in_bag.len() as u64 != rows
        {
            return Err(Error::Model(format!(
                "the in-bag counts are of {} training rows, the metadata says {rows}",
                in_bag.len()
            )));
        }
        if let Some(threshold) = self.threshold {
            let n_classes = match &self.ensemble.outcome {
                Outcome::Number => 0,
                Outcome::Classes(labels) => labels.len(),
            };
            check_threshold(threshold, n_classes)
                .map_err(|error| Error::Model(error.to_string()))?;
        }
        if let Some(explainer) = &self.explainer {
            check_parts(&self.ensemble, explainer.scale, &explainer.trees)?;
            check_ranges(self.ensemble.n_features(), &explainer.ranges)?;
            check_sizes(self.ensemble.trees.len(), &explainer.tree_sizes)?;
            let trees = explainer.trees.iter().zip(&self.ensemble.trees);
            let lengths =
                trees.map(|(model, tree)| used_features(tree).len() * model.n_outputs as usize);
            check_kept(lengths, &explainer.kept)?;
        }
        match &self.schema {
            Some(schema) => check_fit(schema, &self.ensemble),
            None => Ok(()),
        }
    }

    /// The model in the binary form. Fails on a model that could not be read back.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the binary form some bytes at a time, and gives its size: of a large model the bytes
    /// take as much memory as the model itself. Fails as [`Model::to_bytes`] does, before anything
    /// is written, or where writing fails.
    pub fn write_to(&self, out: &mut dyn io::Write) -> Result<u64> {
        self.check()?;
        v1::encode(self, out)
    }

    /// The model in the JSON form: one line, the same content as the binary form.
    ///
    /// In-bag counts have one form only in JSON, so counts that were needlessly held as
    /// [`InBag::Wide`](crate::forest::InBag::Wide) come back narrow. All else is kept bit for bit.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        self.check()?;
        json::encode(self)
    }

    /// Whether a file that starts with these bytes is meant to be a model, in either form.
    pub fn is_start_of_model(bytes: &[u8]) -> bool {
        bytes.starts_with(&container::MAGIC) || starts_json(bytes) || is_pickle(bytes)
    }

    /// Reads a model in either form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let model = if bytes.starts_with(&container::MAGIC) {
            v1::decode(bytes)?
        } else if starts_json(bytes) {
            let model = json::decode(bytes)?;
            model.ensemble.check_shares()?;
            model
        } else {
            return Err(unknown_start(bytes));
        };
        model.check()?;
        Ok(model)
    }
}

fn starts_json(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// Checks a schema, and that what it makes of a table is what the trees were grown on.
fn check_fit(schema: &Schema, ensemble: &Ensemble) -> Result<()> {
    schema.check()?;
    let fail = |what: String| Err(Error::Model(what));
    if schema.n_encoded() != ensemble.n_features() {
        return fail(format!(
            "the schema gives {} matrix columns; the trees were grown on {}",
            schema.n_encoded(),
            ensemble.n_features()
        ));
    }
    // One name at a time: a long column name with many levels is a short file but, all names
    // together, a lot of memory.
    for (given, known) in schema.encoded_name_iter().zip(&ensemble.feature_names) {
        if given != *known {
            return fail(format!(
                "the schema gives matrix column {given:?} where the trees have {known:?}"
            ));
        }
    }
    let Some(target) = &schema.target else { return Ok(()) };
    let fits = match &ensemble.outcome {
        Outcome::Number => target.task == Task::Regression,
        Outcome::Classes(labels) => *labels == target.labels,
    };
    if fits {
        Ok(())
    } else {
        fail(format!("target {:?} of the schema is not what the trees predict", target.name))
    }
}

/// Whether a file starts as Python's pickles do since protocol 2, those of joblib included. They
/// are told by name, being what many people keep models in; only Python can read them.
fn is_pickle(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80, 2..=5, ..])
}

fn unknown_start(bytes: &[u8]) -> Error {
    if bytes.is_empty() {
        return Error::Format("it is empty".into());
    }
    if container::MAGIC.starts_with(bytes) {
        return Error::Format(format!(
            "it ends after {} bytes, inside its header; the file is truncated",
            bytes.len()
        ));
    }
    if is_pickle(bytes) {
        return Error::Format(
            "it is a Python pickle, which only Python can read; in Python, write the model with \
             lmdi.export(model, FILE), or an explainer with explainer.save(FILE)"
                .into(),
        );
    }
    let start = container::tag_text(&bytes[..bytes.len().min(8)]);
    Error::Format(format!(
        "it starts with \"{start}\"; expected a binary model file (\"{}\") or JSON (\"{{\")",
        container::tag_text(&container::MAGIC)
    ))
}
