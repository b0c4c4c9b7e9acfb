//! What was explained, for the record: data, model, quality, options, versions, hashes.

use super::PageOptions;
use super::contract::{About, FactGroup, Measure, Quality};
use lmdi::file::Metadata;
use lmdi::importance::LmdiPlus;
use lmdi::study::{Explained, Fitting, Sample, Study, TreeChoice, measure_title, sample_title};
use lmdi::table::metrics::r2;
use lmdi::table::{Reason, Schema};
use lmdi::text::{count, counted};
use std::path::Path;

/// Below this R2 between explained and own predictions the reader is warned, on rows that are new
/// to the model.
const FAITHFUL: f64 = 0.8;

/// The same on its training rows, of which a model also knows noise that LMDI+ is fitted to leave
/// out.
const FAITHFUL_IN_TRAINING: f64 = 0.5;

/// What was explained.
pub(super) fn about(
    study: &Study,
    explained: &Explained,
    options: &PageOptions<'_>,
    has_stability: bool,
) -> About {
    let rows = &explained.rows;
    let fidelity = explained.model_predictions.as_ref().map(|own| fidelity(explained, own));
    let target = study.schema.target.as_ref();
    let table = Path::new(&rows.table.name).file_name();
    About {
        table: table.map_or(rows.table.name.clone(), |name| name.to_string_lossy().into_owned()),
        target: target.map_or("the prediction".into(), |target| target.name.clone()),
        method: study.method().title().to_owned(),
        row_kind: rows.sample.title().to_owned(),
        rows_explained: explained.scores.n_rows,
        quality: quality(study, explained),
        fidelity,
        warnings: warnings(study, explained, fidelity),
        facts: vec![
            data_facts(study, explained, options),
            model_facts(study),
            explanation_facts(study, explained, has_stability),
        ],
    }
}

/// R2 of the explained predictions as predictions of the model's own; of classes over all
/// probabilities.
fn fidelity(explained: &Explained, of_model: &[f64]) -> f64 {
    let pairs = of_model.iter().zip(&explained.predictions);
    let (model, explained): (Vec<f64>, Vec<f64>) =
        pairs.filter(|(_, explained)| !explained.is_nan()).unzip();
    r2(&model, &explained, None)
}

/// What a reader must know before trusting the rest.
fn warnings(study: &Study, explained: &Explained, fidelity: Option<f64>) -> Vec<String> {
    let of_model = &study.model.metadata.quality;
    let assessment = explained.assessment.as_ref();
    let shortfall = assessment.and_then(|assessment| assessment.shortfall(of_model));
    let is_training = explained.rows.sample == Sample::Training;
    let least = if is_training { FAITHFUL_IN_TRAINING } else { FAITHFUL };
    shortfall
        .map(|shortfall| shortfall.to_string())
        .into_iter()
        .chain(study.explainer().linear_models().and_then(unconverged))
        .chain(fidelity.filter(|&fidelity| fidelity < least).map(unfaithful))
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
    let trees = &study.model.ensemble.trees;
    let leaves: usize = trees.iter().map(|tree| tree.n_leaves()).sum();
    let Metadata { producer, training_options, seed, training_rows, .. } = &study.model.metadata;
    let mut entries = vec![(
        "Trees".into(),
        format!(
            "{} with {}",
            counted(trees.len(), "tree"),
            counted(leaves, "leaf").replace("leafs", "leaves")
        ),
    )];
    entries.extend(training_rows.map(|rows| ("Training rows".into(), count(rows))));
    if !training_options.is_empty() {
        let options = training_options.lines().collect::<Vec<_>>().join(", ");
        entries.push(("Options".into(), options));
    }
    entries.extend(seed.map(|seed| ("seed".into(), seed.to_string())));
    if !producer.is_empty() {
        entries.push(("Trained by".into(), producer.clone()));
    }
    FactGroup { title: "Model".into(), entries }
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
        TreeChoice::All => "all",
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

fn unfaithful(fidelity: f64) -> String {
    format!(
        "LMDI+ shows only {:.0} % of the differences between the model's predictions, so its scores understate them. \
         Another penalty may come closer: try --glm lasso or --glm ridge.",
        100.0 * fidelity.max(0.0)
    )
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
            Reason::Asked => format!("{} (requested)", column.name),
        })
        .collect();
    texts.join(", ")
}
