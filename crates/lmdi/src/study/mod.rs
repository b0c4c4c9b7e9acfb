//! From a table to explained rows: the pipeline that the command, the report and other programs
//! share.
//!
//! ```text
//! frame --TrainingData--> schema, rows --TrainingJob--> model --Study--> explainer --> Explained rows
//! ```
//!
//! [`TrainingData`] learns the schema of a table, [`TrainingJob`] trains a model on its rows and
//! measures it, and [`Study`] is a model with the explainer of one method: it explains rows, and
//! refits both with another seed. A study can also start from an existing model, with the explainer
//! in its file or one fitted to rows. Options are stated once:
//! [`EnsembleParams`](crate::forest::train::EnsembleParams) for the model, [`ExplainerOptions`] for
//! the method, [`ExplainOptions`] for what to compute per row.
//!
//! Facts that pass between the parts are typed values. [`Rows`] know which [`Sample`] they are, an
//! [`Assessment`] records which model predicted which sample, and [`Fitting`] records how an
//! explainer was fitted. Their wording in a sentence is defined here once.
//!
//! Like the rest of the library, this module does not touch files or draw progress bars: it takes
//! frames, and each stage of the work reports to a monitor made by [`Stages`].
//!
//! | file | what |
//! |---|---|
//! | `rows` | rows of a table as a model reads them, and their relation to the model |
//! | `training` | training data, and the job that trains and measures a model |
//! | `quality` | how well models and explainers predict a sample, and against what |
//! | `options`, `fitting` | which method explains, and how its explainer was fitted |
//! | `batches` | LMDI+ fitted to rows that come in batches |
//! | `explained` | rows with scores, predictions, and the unexplained part |
//! | `digest` | a digest that identifies a model with its explainer |
//! | `seen_rows` | whether given rows look like those of training |
//! | `meaning` | what scores measure, in words |

mod batches;
mod digest;
mod explained;
mod fitting;
mod meaning;
mod options;
mod quality;
mod rows;
mod seen_rows;
#[cfg(test)]
mod tests;
mod training;

pub use batches::BatchFitting;
pub use explained::{Account, ExplainOptions, Explained, RankBy, TreeChoice};
pub use fitting::{Fitting, UnknownBags};
pub use meaning::Meaning;
pub use options::ExplainerOptions;
pub use quality::{
    Assessment, Baselines, ComparedMeasure, ComparedShare, FidelityOn, ModelComparison, Predictor,
    Shortfall, StreamedFidelity, fit_warning, measure_title, sample_title,
};
pub use rows::{KeysSeen, NamedFrame, RowKey, Rows, Sample};
pub use seen_rows::SeenRows;
pub use training::{Suspect, Trained, TrainingData, TrainingJob};

use crate::explanation::{Columns, bootstrap_rows};
use crate::file::{self, Model};
use crate::forest::Outcome;
use crate::importance::{LocalMethod, Method};
use crate::monitor::Stages;
use crate::table::{Schema, Target, Task};
use crate::{Error, Result};
use std::sync::Arc;

/// A model with the explainer of one method.
///
/// ```
/// use lmdi::explanation::Grouping;
/// use lmdi::forest::train::{EnsembleParams, ForestParams};
/// use lmdi::importance::lmdi_plus::LmdiPlusOptions;
/// use lmdi::monitor::Silent;
/// use lmdi::study::{ExplainOptions, ExplainerOptions, NamedFrame, Study, TrainingData};
/// use lmdi::table::{Column, Frame, SchemaOptions, Values};
/// # fn main() -> lmdi::Result<()> {
/// let column = |name: &str, cell: fn(u32) -> f64| Column {
///     name: name.into(),
///     values: Values::Numbers((0..60).map(cell).collect()),
/// };
/// let frame = Frame::new(vec![
///     column("size", |row| f64::from(row * 7 % 60) / 8.0),
///     column("age", |row| f64::from(row % 5)),
///     column("price", |row| f64::from(row * 7 % 60) + 10.0),
/// ])?;
/// let table = NamedFrame { name: "houses".into(), frame };
/// let data = TrainingData::learn(table, &SchemaOptions::new("price"))?;
/// let job = data.job(EnsembleParams::Forest(ForestParams::regression()), 0.25)?;
/// let method = ExplainerOptions::LmdiPlus(LmdiPlusOptions::default());
/// let study = Study::of_job(job.into(), method, &Silent)?;
/// let options = ExplainOptions::scores_of(Grouping::columns(&study.schema)?);
/// let held_out = study.job().and_then(|job| job.holdout.clone()).expect("a quarter of the rows");
/// let explained = study.explain(held_out, &options, &Silent)?;
/// assert_eq!((explained.scores.n_rows, explained.scores.n_features), (15, 2));
/// let importance = explained.scores.mean_absolute(0);
/// assert!(importance[0] > importance[1]);
/// # Ok(())
/// # }
/// ```
pub struct Study {
    /// The model. Its explainer is that of the study.
    pub model: Model,
    /// The columns that the model reads, and what it predicts.
    pub schema: Schema,
    explainer: Box<dyn LocalMethod>,
    method: Method,
    fitting: Fitting,
    refitting: Option<Refitting>,
}

/// What it takes to train the model again, and to explain it.
struct Refitting {
    job: Arc<TrainingJob>,
    options: ExplainerOptions,
}

impl Study {
    /// Trains the model of a job and fits its explainer to the training rows.
    pub fn of_job(
        job: Arc<TrainingJob>,
        options: ExplainerOptions,
        stages: &dyn Stages,
    ) -> Result<Self> {
        let model = job.train(stages)?.model;
        Self::of_trained(job, model, options, stages)
    }

    /// Fits the explainer of a model that a job has trained.
    pub fn of_trained(
        job: Arc<TrainingJob>,
        model: Model,
        options: ExplainerOptions,
        stages: &dyn Stages,
    ) -> Result<Self> {
        let schema = job.schema.clone();
        let study = Self::fit(model, schema, &options, Some(&job.train), stages)?;
        Ok(Self { refitting: Some(Refitting { job, options }), ..study })
    }

    /// Fits an explainer of a model. `rows` are those to learn from, if the method learns.
    pub fn fit(
        model: Model,
        schema: Schema,
        options: &ExplainerOptions,
        rows: Option<&Rows>,
        stages: &dyn Stages,
    ) -> Result<Self> {
        let (explainer, fitting) = fitting::fit(&model, options, rows, stages)?;
        let method = options.method();
        let mut model = model;
        if method == Method::LmdiPlus {
            forget_explainer(&mut model);
        }
        Ok(Self { model, schema, explainer, method, fitting, refitting: None })
    }

    /// A study from a model file with an explainer; `None` if there is none.
    pub fn kept(mut model: Model, schema: Schema) -> Option<Result<Self>> {
        let kept = model.explainer.take()?;
        let fitting = Fitting::Kept(kept.options.clone());
        let explainer = match kept.ready(&model.ensemble) {
            Ok(explainer) => Box::new(explainer),
            Err(error) => return Some(Err(error)),
        };
        let method = Method::LmdiPlus;
        Some(Ok(Self { model, schema, explainer, method, fitting, refitting: None }))
    }

    /// The explainer.
    pub fn explainer(&self) -> &dyn LocalMethod {
        &*self.explainer
    }

    /// The method that explains.
    pub fn method(&self) -> Method {
        self.method
    }

    /// How the explainer was fitted.
    pub fn fitting(&self) -> &Fitting {
        &self.fitting
    }

    /// A digest that identifies the model with its explainer, in hexadecimal digits.
    pub fn digest(&self) -> String {
        digest::of(self)
    }

    /// How the model was trained, if it was trained here.
    pub fn job(&self) -> Option<&TrainingJob> {
        self.refitting.as_ref().map(|refitting| &*refitting.job)
    }

    /// The columns that the model reads, as explanations name them.
    pub fn columns(&self) -> Columns {
        Columns::of_schema(&self.schema)
    }

    /// The labels of the classes; none for numbers.
    pub fn labels(&self) -> &[String] {
        match &self.model.ensemble.outcome {
            Outcome::Classes(labels) => labels,
            Outcome::Number => &[],
        }
    }

    /// What the scores mean, in words.
    pub fn meaning(&self) -> Meaning<'_> {
        Meaning {
            ensemble: &self.model.ensemble,
            schema: &self.schema,
            explainer: self.explainer(),
        }
    }

    /// Explains rows.
    pub fn explain(
        &self,
        rows: Arc<Rows>,
        options: &ExplainOptions,
        stages: &dyn Stages,
    ) -> Result<Explained> {
        explained::explain(self, rows, options, stages)
    }

    /// The study with a model trained on the same rows with another seed; none if it was not
    /// trained here. Nothing is measured.
    pub fn refit(&self, seed: u64, stages: &dyn Stages) -> Option<Result<Self>> {
        let Refitting { job, options } = self.refitting.as_ref()?;
        Some(Self::refitted(job, options, &job.train, seed, stages))
    }

    /// The study with a model trained on as many of the same rows, drawn with replacement; none if
    /// it was not trained here. Different numbers of `draw` give different rows.
    pub fn refit_on_resampled_rows(&self, draw: u64, stages: &dyn Stages) -> Option<Result<Self>> {
        let Refitting { job, options } = self.refitting.as_ref()?;
        let seed = job.params.seed();
        let rows = job.train.take(&bootstrap_rows(job.train.len(), seed, draw));
        Some(Self::refitted(job, options, &rows, seed.wrapping_add(draw), stages))
    }

    /// Standard errors over the trees of the scores of some explained rows, laid out like scores;
    /// `None` if trees are not repeated measurements.
    pub fn standard_errors(
        &self,
        explained: &Explained,
        rows: &[usize],
        stages: &dyn Stages,
    ) -> Result<Option<Vec<f64>>> {
        explained::standard_errors(self, explained, rows, stages)
    }

    /// The study of a job, with a model trained on these rows and with this seed. Nothing is
    /// measured.
    pub fn refitted(
        job: &TrainingJob,
        options: &ExplainerOptions,
        rows: &Rows,
        seed: u64,
        stages: &dyn Stages,
    ) -> Result<Self> {
        let ensemble = job.ensemble(&job.params.with_seed(seed), rows, stages)?;
        let model = Model { threshold: job.threshold, ..Model::new(ensemble) };
        Self::fit(model, job.schema.clone(), options, Some(rows), stages)
    }

    /// The model with its explainer, as a file keeps them. `assessment` is that of the explainer.
    pub fn into_model(self, assessment: Option<&Assessment>) -> Model {
        let Self { mut model, explainer, fitting, .. } = self;
        if let Some(models) = explainer.linear_models() {
            model.explainer = Some(file::Explainer::of(models, fitting.description()));
        }
        model.metadata.quality.extend(assessment.into_iter().flat_map(Assessment::records));
        model
    }
}

/// Takes away the explainer of a model, which is replaced, and what was measured of it.
fn forget_explainer(model: &mut Model) {
    model.explainer = None;
    model.metadata.quality.retain(|quality| quality.sample != Assessment::LMDI_PLUS);
}

/// The columns that a model reads; numbers by name if it does not say more.
pub fn schema_of(model: &Model) -> Schema {
    let numeric = || Schema::numeric(model.ensemble.feature_names.iter().cloned());
    model.schema.clone().unwrap_or_else(numeric)
}

/// What a model predicts: the target of its schema, or the column that the caller names if there is
/// none.
pub fn target_of(model: &Model, schema: &Schema, named: Option<&str>) -> Result<Target> {
    match (&schema.target, named) {
        (Some(known), Some(named)) if known.name != *named => Err(Error::Parameter {
            name: "target",
            found: format!("{named:?}"),
            expected: format!("{:?}, which the model was trained for", known.name),
        }),
        (Some(known), _) => Ok(known.clone()),
        (None, None) => Err(Error::Parameter {
            name: "target",
            found: "not given".into(),
            expected: "the name of a column: the model does not name its target".into(),
        }),
        (None, Some(named)) => {
            let (task, labels) = match &model.ensemble.outcome {
                Outcome::Number => (Task::Regression, vec![]),
                Outcome::Classes(labels) if labels.len() == 2 => (Task::Binary, labels.clone()),
                Outcome::Classes(labels) => (Task::Multiclass, labels.clone()),
            };
            Ok(Target { name: named.to_owned(), task, labels })
        }
    }
}
