//! What was explained, for the record: data, model, quality, options, versions, hashes.

use super::PageOptions;
use super::contract::{About, Comparison, FactGroup, Fidelity, Measure, Quality, RowsAre};
use lmdi::explanation::{LOW_FIDELITY, PredictedBy};
use lmdi::file::Metadata;
use lmdi::importance::LmdiPlus;
use lmdi::study::{
    Assessment, Baselines, Explained, Fitting, Predictor, Sample, SeenRows, Study, TrainingJob,
    TreeChoice, fit_warning, measure_title, sample_title,
};
use lmdi::table::{Reason, Schema};
use lmdi::text::{count, counted};
use std::path::Path;

/// What was explained.
pub(super) fn about(
    study: &Study,
    explained: &Explained,
    options: &PageOptions<'_>,
    has_stability: bool,
) -> About {
    let rows = &explained.rows;
    let target = study.schema.target.as_ref();
    let table = Path::new(&rows.table.name).file_name();
    About {
        table: table.map_or(rows.table.name.clone(), |name| name.to_string_lossy().into_owned()),
        target: target.map_or("the prediction".into(), |target| target.name.clone()),
        method: study.method().title().to_owned(),
        row_kind: rows.sample.title().to_owned(),
        rows_explained: explained.scores.n_rows,
        quality: quality(study, explained),
        comparison: comparison(study, explained),
        suspects: study.job().map_or(vec![], |job| {
            job.suspects().iter().map(|suspect| suspect.column.to_owned()).collect()
        }),
        training_rows: study.model.metadata.training_rows.map(|rows| rows as usize),
        rows_are: rows_are(explained),
        seen_by_all: match explained.predicted_by {
            PredictedBy::OutOfBag { seen_by_all, .. } => seen_by_all,
            PredictedBy::AllTrees => 0,
        },
        fidelity: explained.fidelity.map(|found| Fidelity {
            rows: found.rows().to_owned(),
            share: found.of.share,
            slope: found.of.slope,
            same_class: found.of.same_class,
            least: LOW_FIDELITY,
        }),
        warnings: warnings(study, explained),
        facts: vec![
            data_facts(study, explained, options),
            model_facts(study),
            explanation_facts(study, explained, has_stability),
        ],
    }
}

/// What the rows are to those trees that predict them.
pub(super) fn rows_are(explained: &Explained) -> RowsAre {
    match (explained.predicted_by, explained.rows.sample) {
        (PredictedBy::OutOfBag { .. }, _) => RowsAre::OutOfBag,
        (_, Sample::HoldOut | Sample::Test) => RowsAre::New,
        (_, Sample::Training | Sample::FittedOn) => RowsAre::TrainedOn,
        (_, Sample::Unspecified) => RowsAre::Unknown,
    }
}

/// What a reader must know before trusting the rest.
fn warnings(study: &Study, explained: &Explained) -> Vec<String> {
    let of_model = &study.model.metadata.quality;
    let assessment = explained.assessment.as_ref();
    let unfaithful = explained.fidelity.and_then(|fidelity| fidelity.warning(study));
    // Both say that LMDI+ is far from the model.
    let shortfall = assessment.and_then(|assessment| assessment.shortfall(of_model));
    let shortfall = shortfall.filter(|_| unfaithful.is_none());
    let models = study.explainer().linear_models();
    shortfall
        .map(|shortfall| shortfall.to_string())
        .into_iter()
        .chain(SeenRows::of(explained, of_model).map(|seen| seen.to_string()))
        .chain(models.and_then(unconverged))
        .chain(fit_warning(study))
        .chain(unfaithful)
        .collect()
}

fn unconverged(models: &LmdiPlus) -> Option<String> {
    let failed = models.n_unconverged();
    let fits = models.trees().iter().map(|tree| tree.fits.len()).sum();
    (failed > 0).then(|| {
        format!(
            "{} of {} did not converge, so scores may be off. Raise --max-iterations.",
            count(failed),
            counted(fits, "linear model")
        )
    })
}

/// Hold-out rows first: they tell most.
fn quality(study: &Study, explained: &Explained) -> Vec<Quality> {
    let metadata = &study.model.metadata;
    let rows = &explained.rows;
    let mut samples: Vec<&str> = metadata.quality.iter().map(|quality| &*quality.sample).collect();
    samples.dedup();
    samples.sort_by_key(|sample| *sample != "holdout");
    let of_model = samples.into_iter().map(|sample| Quality {
        sample: sample_title(sample).to_owned(),
        rows: match sample {
            "oob" => metadata.training_rows.map(|rows| rows as usize),
            "holdout" if rows.sample == Sample::HoldOut => Some(rows.len()),
            _ => None,
        },
        measures: metadata
            .quality
            .iter()
            .filter(|quality| quality.sample == sample)
            .map(|found| measure(&found.measure, found.value))
            .collect(),
    });
    let of_explainer = explained.assessment.as_ref().map(|found| Quality {
        sample: found.title().to_owned(),
        rows: Some(found.n_rows),
        measures: found.measures.iter().map(|&(name, value)| measure(name, value)).collect(),
    });
    of_model.chain(of_explainer).collect()
}

/// The model beside simple predictions: on the hold-out, else on out-of-bag rows, else on the
/// explained rows if they are new.
fn comparison(study: &Study, explained: &Explained) -> Option<Comparison> {
    let kept = |sample: &str| -> Vec<Measure> {
        let of_sample = study.model.metadata.quality.iter().filter(|found| found.sample == sample);
        of_sample.map(|found| measure(&found.measure, found.value)).collect()
    };
    let compared = |sample: &str, model: Vec<Measure>, found: Baselines| {
        let named = |measures: Vec<(&str, f64)>| {
            measures.into_iter().map(|(name, value)| measure(name, value)).collect()
        };
        (!model.is_empty()).then(|| Comparison {
            sample: sample.to_owned(),
            rows: found.n_rows,
            model,
            constant: named(found.constant),
            linear: found.linear.map(named),
        })
    };
    match study.job() {
        Some(TrainingJob { train, holdout: Some(holdout), .. }) => {
            compared("hold-out", kept("holdout"), Baselines::on_new_rows(train, holdout)?)
        }
        Some(job) if job.params.leaves_rows_out() => {
            compared("out-of-bag", kept("oob"), Baselines::cross_fitted(&job.train)?)
        }
        _ if rows_are(explained) != RowsAre::TrainedOn => {
            let rows = &explained.rows;
            let found = Assessment::measure(
                Predictor::Model,
                rows.sample,
                rows.target.as_ref()?,
                &explained.predictions,
                rows.weights.as_deref(),
                explained.threshold,
            );
            let model = found.measures.iter().map(|&(name, value)| measure(name, value)).collect();
            compared(found.title(), model, Baselines::cross_fitted(rows)?)
        }
        _ => None,
    }
}

fn data_facts(study: &Study, explained: &Explained, options: &PageOptions<'_>) -> FactGroup {
    let rows = &explained.rows;
    let mut entries = vec![
        ("Rows explained".into(), format!("{} {}", count(rows.len()), rows.sample.title())),
        ("Columns used".into(), count(study.schema.columns.len())),
    ];
    let dropped = dropped_text(&study.schema);
    if !dropped.is_empty() {
        entries.push(("Columns left out".into(), dropped));
    }
    for table in &options.tables {
        entries.push((format!("SHA-256 of {}", table.name), table.sha256.clone()));
    }
    if let Some(fingerprint) = &study.model.metadata.fingerprint {
        entries.push(("SHA-256 of the training matrix".into(), fingerprint.to_string()));
    }
    FactGroup { title: "Data".into(), entries }
}

fn model_facts(study: &Study) -> FactGroup {
    let Metadata { producer, training_options, seed, training_rows, .. } = &study.model.metadata;
    let mut entries = vec![("Trees".into(), trees_text(study))];
    entries.extend(training_rows.map(|rows| ("Training rows".into(), count(rows))));
    if !training_options.is_empty() {
        let options = training_options.lines().collect::<Vec<_>>().join(", ");
        entries.push(("Options".into(), options));
    }
    entries.extend(seed.map(|seed| ("Seed".into(), seed.to_string())));
    if !producer.is_empty() {
        entries.push(("Trained by".into(), producer.clone()));
    }
    FactGroup { title: "Model".into(), entries }
}

/// How many trees and leaves a model has.
pub(super) fn trees_text(study: &Study) -> String {
    let trees = &study.model.ensemble.trees;
    let leaves: usize = trees.iter().map(|tree| tree.n_leaves()).sum();
    let leaves = counted(leaves, "leaf").replace("leafs", "leaves");
    format!("{} with {leaves}", counted(trees.len(), "tree"))
}

fn explanation_facts(study: &Study, explained: &Explained, has_stability: bool) -> FactGroup {
    let mut entries = vec![("Method".into(), study.method().title().to_owned())];
    let fitting = study.fitting();
    entries.extend(fitting.linear_models().map(|text| ("Linear models".into(), text)));
    entries.extend(fitting.inputs().map(|text| ("Their inputs".into(), text)));
    if let Fitting::Kept(text) = fitting {
        entries.push(("Linear models".into(), text.clone()));
    }
    let trees = match explained.trees {
        TreeChoice::Predicting | TreeChoice::All => "all",
        TreeChoice::OutOfBag => "those that did not see the row",
        TreeChoice::InBag => "those that saw the row",
    };
    entries.push(("Trees of a score".into(), trees.into()));
    if !has_stability {
        entries.push(("Stability".into(), "not measured (--stability-runs)".into()));
    }
    entries.push(("Explained by".into(), Metadata::of_this_library().producer));
    FactGroup { title: "Explanation".into(), entries }
}

fn measure(name: &str, value: f64) -> Measure {
    Measure { name: measure_title(name).to_owned(), value }
}

fn dropped_text(schema: &Schema) -> String {
    let texts: Vec<String> = schema
        .dropped
        .iter()
        .map(|column| match column.reason {
            Reason::Kind(kind) => format!("{} ({})", column.name, kind.name()),
            Reason::Requested => format!("{} (requested)", column.name),
        })
        .collect();
    texts.join(", ")
}
