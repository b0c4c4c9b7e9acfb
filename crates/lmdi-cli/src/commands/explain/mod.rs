//! `lmdi explain`: from a table to the scores of its rows.
//!
//! Three things are needed, each of which may be given: a model (`--model FILE`), its explainer (in
//! that file), and the rows to explain (`--test`, `--holdout`, else the rows of the fit).

mod compared_model;
mod flags;
mod in_batches;
mod memory;
mod on_sample;
mod results;
mod saved_model;

pub use flags::Options;

use crate::flags::model::ModelKind;
use crate::flags::training::{JobOptions, facts, train};
use crate::input::tables::TableReader;
use crate::output::destination::{Outcomes, table_output};
use crate::output::printer::Printer;
use crate::output::quality;
use crate::output::summary::{self, Importance};
use crate::process::progress::Bars;
use anyhow::Result;
use flags::ModelSource;
use lmdi::named::Named;
use lmdi::study::{ExplainOptions, Rows, Sample, SeenRows, Study};
use lmdi::table::{Schema, Task};
use results::print_scored;
use saved_model::ModelFile;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A study, and the rows it is to explain.
struct Prepared {
    study: Study,
    rows: Arc<Rows>,
    options: ExplainOptions,
    /// How often the report refits the study.
    refits: u8,
}

/// What the command starts from, read once.
enum Start {
    /// A model of this kind is to be trained.
    Train(ModelKind),
    /// A model that is trained.
    Trained(Box<ModelFile>),
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.running.apply()?;
    let output = options.out.as_deref().map(table_output).transpose()?;
    options.check_files()?;
    options.check()?;
    let mut printer = Printer::beside(output.as_ref());
    let reader = match options.report {
        Some(_) => TableReader::recording(&options.running.reading),
        None => TableReader::new(&options.running.reading),
    };
    let reader = reader.copying_to(output.as_ref());
    let start = match &options.model {
        ModelSource::Train(kind) => Start::Train(*kind),
        ModelSource::File(path) => Start::Trained(Box::new(options.trained_model(path)?)),
    };
    if options.exceeds_memory(&start) {
        let (output, out) = (output.as_ref(), &mut printer);
        match start {
            Start::Train(kind) => options.train_on_sample(kind, output, &reader, out)?,
            Start::Trained(file) => options.explain_in_batches(*file, output, &reader, out)?,
        }
        return printer.finish();
    }
    let out = &mut printer;
    let compared = options.compare_model.as_deref().map(ModelFile::load).transpose()?;
    let prepared = match start {
        Start::Train(kind) => options.train(kind, &reader, out)?,
        Start::Trained(file) => options.with_model(*file, &reader, out)?,
    };
    let Prepared { study, rows, options: explain, refits } = prepared;
    let started = Instant::now();
    let explained = study.explain(rows, &explain, &Bars)?;
    print_scored(out, &study, &explained, started.elapsed().as_secs_f64())?;
    let assessment = explained.assessment.clone();
    if let Some(assessment) = &assessment {
        write!(out, "\n{}", quality::table(std::slice::from_ref(assessment)))?;
        if let Some(shortfall) = assessment.shortfall(&study.model.metadata.quality) {
            writeln!(out, "\nNOTE: {shortfall}")?;
        }
    }
    if let Some(seen) = SeenRows::of(&explained, &study.model.metadata.quality) {
        writeln!(out, "\nNOTE: {seen}")?;
    }
    let mut importance = Importance::default();
    importance.add(&explained);
    importance.print(out, &study)?;
    summary::print_example(out, &study, &explained)?;
    out.fact("explained_rows", explained.scores.n_rows);
    out.fact("method", study.method().name());
    out.fact("importance", importance.facts());
    summary::add_facts(out, &study, explained.fidelity.as_ref());
    if let Some(job) = study.job() {
        out.fact("training", facts(job, &study.model));
    }
    // Each result is written whatever becomes of the others.
    let mut outcomes = Outcomes::default();
    outcomes.add(options.write_page(&study, &explained, refits, compared, &reader, out))?;
    outcomes.add(options.write(&study, explained, output.as_ref(), &reader, out))?;
    outcomes.add(options.save(study, assessment.as_ref(), out))?;
    outcomes.add(printer.finish())?;
    outcomes.finish()
}

impl Options {
    /// Trains a model and fits its explainer.
    fn train(
        &self,
        kind: ModelKind,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<Prepared> {
        let target = self.needed_target()?;
        let names_rows = self.test.is_none();
        let kept = if names_rows { self.result.read() } else { vec![] };
        let key = self.result.key.as_deref();
        let job_options = JobOptions { decision: Some(&self.decision), kept, key, names_rows };
        let job =
            Arc::new(self.training.job(&self.data, target, kind, &job_options, reader, out)?);
        let boosted = job.params.is_boosted();
        let options = self.explain_options(&job.schema, !boosted)?;
        let of_classes = job.target.task != Task::Regression;
        let lmdi_plus = self.lmdi_plus.options(of_classes, boosted)?;
        let method = self.method.options(&job.schema, lmdi_plus, reader)?;
        // Whatever can be wrong with the rows to explain is told before the model is trained.
        let rows = match (&self.test, &job.holdout) {
            (Some(test), _) => self.rows(test, &job.schema, Sample::Test, reader)?,
            (None, Some(holdout)) => holdout.clone(),
            (None, None) => job.train.clone(),
        };
        let model = train(&job, out)?;
        let started = Instant::now();
        let study = Study::of_trained(job.clone(), model, method, &Bars)?;
        let seconds = started.elapsed().as_secs_f64();
        summary::print_fitting(out, &study, &job.train.table.name, None, seconds)?;
        let refits = self.refits(job.train.len() * job.train.x.cols());
        Ok(Prepared { study, rows, options, refits })
    }

    /// Reads rows to explain, which need no target.
    fn rows(
        &self,
        path: &Path,
        schema: &Schema,
        sample: Sample,
        reader: &TableReader,
    ) -> Result<Arc<Rows>> {
        let rows = reader.rows(path, schema, &self.result.read(), &[], sample)?;
        Ok(Arc::new(self.result.keyed(rows, reader)?))
    }
}
