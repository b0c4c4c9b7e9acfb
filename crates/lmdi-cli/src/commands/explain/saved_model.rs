//! A trained model, with the explainer in its file or one fitted to the table.

use super::Prepared;
use super::flags::{Options, ScoreTrees};
use crate::flags::invalid;
use crate::input::model_file;
use crate::input::tables::TableReader;
use crate::output::{summary, training_log};
use crate::process::progress::Bars;
use anyhow::{Context, Result, bail};
use lmdi::file::Model;
use lmdi::forest::Outcome;
use lmdi::importance::Needs;
use lmdi::named::Named;
use lmdi::study::{ExplainerOptions, Rows, Sample, Study, schema_of, target_of};
use lmdi::table::Schema;
use lmdi_io::printable::printable;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A trained model and the name of its file, safe to print.
pub(super) struct ModelFile {
    pub name: String,
    pub model: Model,
}

impl ModelFile {
    pub fn load(path: &Path) -> Result<Self> {
        let name = printable(&path.display().to_string()).into_owned();
        Ok(Self { name, model: model_file::load(path)? })
    }

    fn kept(self, schema: Schema, out: &mut dyn Write) -> Result<Study> {
        let name = self.name;
        let study = Study::kept(self.model, schema);
        let study = study.with_context(|| format!("{name} holds no explainer"))??;
        writeln!(
            out,
            "{name} holds an explainer; the rows of the table are scored, nothing is fitted."
        )?;
        Ok(study)
    }
}

impl Options {
    /// The model of `--model FILE`, which takes no flag of training.
    pub(super) fn trained_model(&self, path: &Path) -> Result<ModelFile> {
        if let Some(flag) = self.training.first_given() {
            return Err(invalid(
                "model",
                format!("a file, with {flag}"),
                "no flag of training: the model is trained already",
            ));
        }
        let mut file =
            match ModelFile::load(path) {
                // A misspelt kind of model looks like the name of a file.
                Err(error) if !path.exists() => Err(error
                    .context("--model is forest, extra-trees, boosting or the file of a model")),
                loaded => loaded,
            }?;
        self.decision.apply(&mut file.model)?;
        Ok(file)
    }

    /// Takes a trained model, with the explainer of its file or one that is fitted to the table.
    pub(super) fn with_model(
        &self,
        file: ModelFile,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<Prepared> {
        let ensemble = &file.model.ensemble;
        let schema = schema_of(&file.model);
        let options = self.explain_options(&schema, ensemble.averages_trees())?;
        let of_classes = matches!(ensemble.outcome, Outcome::Classes(_));
        let lmdi_plus = self.lmdi_plus.options(of_classes, ensemble.is_boosted())?;
        let (study, rows) = if self.method.method.needs() == Needs::Training {
            let is_kept = self.method.is_lmdi_plus()
                && file.model.explainer.is_some()
                && self.lmdi_plus.first_given().is_none();
            match (is_kept, self.score_trees) {
                (true, ScoreTrees::Auto | ScoreTrees::All) => {
                    self.with_kept(file, schema, reader, out)?
                }
                (true, _) => self.with_kept_on_training_rows(file, schema, reader, out)?,
                (false, _) => {
                    let method = self.method.options(&schema, lmdi_plus, reader)?;
                    self.with_fitted(file, schema, &method, reader, out)?
                }
            }
        } else {
            let method = self.method.options(&schema, lmdi_plus, reader)?;
            self.with_unfitted(file, schema, &method, reader, out)?
        };
        Ok(Prepared { study, rows, options, refits: 0 })
    }

    /// The explainer of the file, and any rows.
    fn with_kept(
        &self,
        file: ModelFile,
        schema: Schema,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<(Study, Arc<Rows>)> {
        if self.test.is_some() {
            return Err(invalid(
                "test",
                "given, but the model holds its explainer and needs no training rows",
                "the rows to explain as DATA, or an option of LMDI+ (--preset paper) to fit it anew",
            ));
        }
        let study = file.kept(schema, out)?;
        summary::print_fitting(out, &study, "", None, 0.0)?;
        let metadata = &study.model.metadata;
        let kept = self.result.read();
        let rows = reader.rows_of_model(&self.data, &study.schema, metadata, &kept)?;
        let rows = Arc::new(self.result.keyed(rows, reader)?);
        Ok((study, rows))
    }

    /// The explainer of the file, and the training rows, which trees are chosen by.
    fn with_kept_on_training_rows(
        &self,
        file: ModelFile,
        mut schema: Schema,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<(Study, Arc<Rows>)> {
        let rows = self.rows_with_target(&file, &mut schema, reader, out)?;
        self.check_training_rows(&rows, &file.name)?;
        Ok((file.kept(schema, out)?, Arc::new(rows)))
    }

    /// An explainer fitted to the rows of the table that have a target.
    fn with_fitted(
        &self,
        file: ModelFile,
        mut schema: Schema,
        method: &ExplainerOptions,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<(Study, Arc<Rows>)> {
        let rows = self.rows_with_target(&file, &mut schema, reader, out)?;
        self.check_training_rows(&rows, &file.name)?;
        let test = self.test.as_ref();
        let test = test.map(|test| self.rows(test, &schema, Sample::Test, reader)).transpose()?;
        let (name, table) = (file.name, rows.table.name.clone());
        let started = Instant::now();
        let is_other = rows.sample != Sample::Training && file.model.metadata.fingerprint.is_some();
        let mut fitted =
            Study::fit(file.model, schema, method, Some(&rows), &Bars).map_err(anyhow::Error::from);
        if is_other {
            fitted = fitted.map_err(|error| match error.downcast_ref() {
                Some(lmdi::Error::Parameter { .. }) => {
                    error.context(format!("{table} is not the table that {name} was trained on"))
                }
                _ => error,
            });
        }
        let study = fitted?;
        let seconds = started.elapsed().as_secs_f64();
        summary::print_fitting(out, &study, &table, Some(&name), seconds)?;
        Ok((study, test.unwrap_or_else(|| Arc::new(rows))))
    }

    /// The explainer of a method that needs no targets.
    fn with_unfitted(
        &self,
        file: ModelFile,
        schema: Schema,
        method: &ExplainerOptions,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<(Study, Arc<Rows>)> {
        let learns_from_data =
            method.method().needs() == Needs::Background && self.method.others.background.is_none();
        if self.test.is_some() && !learns_from_data {
            let method = method.method().name();
            return Err(invalid(
                "test",
                format!("given, but {method} needs no other rows of DATA"),
                "the rows to explain as DATA",
            ));
        }
        let is_explained = self.test.is_none();
        let kept = if is_explained { self.result.read() } else { vec![] };
        let rows = reader.rows_of_model(&self.data, &schema, &file.model.metadata, &kept)?;
        let rows = Arc::new(if is_explained { self.result.keyed(rows, reader)? } else { rows });
        let study = Study::fit(file.model, schema, method, Some(&rows), &Bars)?;
        summary::print_fitting(out, &study, &rows.table.name, None, 0.0)?;
        match &self.test {
            None => Ok((study, rows)),
            Some(test) => {
                let rows = self.rows(test, &study.schema, Sample::Test, reader)?;
                Ok((study, rows))
            }
        }
    }

    fn check_training_rows(&self, rows: &Rows, model: &str) -> Result<()> {
        if self.scores_some_trees() && rows.sample != Sample::Training {
            bail!(
                "{} is not the table that {model} was trained on; --score-trees oob and inbag need it",
                rows.table.name
            );
        }
        Ok(())
    }

    /// Reads the rows of DATA that have a target, and tells whether the model was trained on them.
    fn rows_with_target(
        &self,
        file: &ModelFile,
        schema: &mut Schema,
        reader: &TableReader,
        out: &mut dyn Write,
    ) -> Result<Rows> {
        let target = target_of(&file.model, schema, self.target.as_deref())
            .with_context(|| file.name.clone())?;
        schema.target = Some(target.clone());
        let is_explained = self.test.is_none();
        let kept = if is_explained { self.result.read() } else { vec![] };
        let mut rows = reader.rows_with_target(&self.data, schema, &target, &kept)?;
        if is_explained {
            rows = self.result.keyed(rows, reader)?;
        }
        training_log::print_rows(out, &rows, &target)?;
        Ok(rows.identified(&file.model.metadata))
    }
}
