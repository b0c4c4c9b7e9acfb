//! The pipeline as a whole, on a small table.

use super::*;
use crate::explanation::Grouping;
use crate::forest::train::{EnsembleParams, ForestParams};
use crate::importance::lmdi_plus::{FitOn, LmdiPlusOptions};
use crate::monitor::Silent;
use crate::table::{Column, Frame, SchemaOptions, Values};

/// Numbers without a visible order, and a target that follows from two of three columns.
fn table(rows: u32, shift: u32) -> NamedFrame {
    let cell = |row: u32, by: u32| f64::from((row * by + shift) % 97);
    let column = |name: &str, of: &dyn Fn(u32) -> f64| Column {
        name: name.into(),
        values: Values::Numbers((0..rows).map(of).collect()),
    };
    let frame = Frame::new(vec![
        column("a", &|row| cell(row, 31)),
        column("b", &|row| cell(row, 57)),
        column("noise", &|row| cell(row, 71)),
        column("y", &|row| 2.0 * cell(row, 31) - cell(row, 57) + cell(row, 13) / 10.0),
    ]);
    NamedFrame { name: "t".into(), frame: frame.expect("a table") }
}

fn job(holdout: f64) -> Arc<TrainingJob> {
    let params = ForestParams { n_trees: 8, ..ForestParams::regression() };
    let data = TrainingData::learn(table(120, 0), &SchemaOptions::new("y")).expect("a schema");
    Arc::new(data.job(EnsembleParams::Forest(params), holdout).expect("a job"))
}

fn lmdi_plus() -> ExplainerOptions {
    ExplainerOptions::LmdiPlus(LmdiPlusOptions::default())
}

fn explained(study: &Study, rows: Arc<Rows>) -> Explained {
    let grouping = Grouping::columns(&study.schema).expect("columns");
    study.explain(rows, &ExplainOptions::scores_of(grouping), &Silent).expect("scores")
}

#[test]
fn a_refit_depends_on_its_seed_alone() {
    let study = Study::of_job(job(0.25), lmdi_plus(), &Silent).expect("a study");
    let rows = study.job().and_then(|job| job.holdout.clone()).expect("a hold-out");
    let own = explained(&study, rows.clone());
    let of_seed = |seed| {
        let refit = study.refit(seed, &Silent).expect("trained here").expect("a study");
        explained(&refit, rows.clone()).scores
    };
    assert_eq!(of_seed(0), own.scores);
    assert_ne!(of_seed(1), own.scores);
    assert_eq!(own.assessment.expect("a target").sample, Sample::HoldOut);
}

#[test]
fn a_kept_explainer_gives_the_same_scores_and_no_refit() {
    let job = job(0.0);
    let study = Study::of_job(job.clone(), lmdi_plus(), &Silent).expect("a study");
    let own = explained(&study, job.train.clone());
    assert_eq!(own.assessment, None, "training rows say nothing about quality");
    let description = study.fitting().description();
    assert!(description.contains("; stumps and raw columns"), "{description}");
    let model = study.into_model(None);
    let schema = schema_of(&model);
    let kept = Study::kept(model, schema).expect("an explainer").expect("a study");
    assert_eq!(explained(&kept, job.train.clone()).scores, own.scores);
    assert_eq!(kept.fitting().description(), description);
    assert!(kept.refit(1, &Silent).is_none());
}

#[test]
fn which_rows_a_tree_saw_counts_for_training_rows_alone() {
    let job = job(0.0);
    let model = job.train(&Silent).expect("a model").model;
    let rows = |shift| {
        let (rows, _) =
            Rows::encode(table(120, shift), &job.schema, Sample::Unspecified).expect("rows");
        let rows = rows.with_target(&job.schema, &job.target).expect("a target");
        rows.identified(&model.metadata)
    };
    let fit = |rows: &Rows, options: LmdiPlusOptions| {
        let options = ExplainerOptions::LmdiPlus(options);
        Study::fit(model.clone(), job.schema.clone(), &options, Some(rows), &Silent)
    };
    let unknown_bags = |study: &Study| match study.fitting() {
        Fitting::LinearModels { unknown_bags, .. } => *unknown_bags,
        other => panic!("{other:?}"),
    };
    let (own, other) = (rows(0), rows(5));
    assert_eq!((own.sample, other.sample), (Sample::Training, Sample::FittedOn));
    let study = fit(&own, LmdiPlusOptions::default()).expect("a study");
    assert_eq!(unknown_bags(&study), None);
    let study = fit(&other, LmdiPlusOptions::default()).expect("a study");
    assert_eq!(unknown_bags(&study), Some(UnknownBags::OtherRows));
    let found = explained(&study, Arc::new(other.clone())).assessment.expect("a target");
    assert_eq!(found.title(), "LMDI+ on the rows it was fitted to");
    let by_tree = LmdiPlusOptions { fit_on: Some(FitOn::OutOfBag), ..LmdiPlusOptions::default() };
    assert!(fit(&own, by_tree.clone()).is_ok());
    let Err(error) = fit(&other, by_tree) else { panic!("the choice needs the training rows") };
    assert!(error.to_string().contains("`fit_on`"), "{error}");
}

#[test]
fn a_method_says_which_rows_it_lacks() {
    let job = job(0.0);
    let model = job.train(&Silent).expect("a model").model;
    let maple = ExplainerOptions::Maple(Default::default());
    let lime = ExplainerOptions::Lime { options: Default::default(), background: None };
    for (options, part) in [(lmdi_plus(), "target"), (maple, "target"), (lime, "background rows")] {
        let made = Study::fit(model.clone(), job.schema.clone(), &options, None, &Silent);
        let Err(error) = made else { panic!("{part}") };
        assert!(error.to_string().contains(part), "{error}");
    }
}
