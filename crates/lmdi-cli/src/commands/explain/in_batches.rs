//! A table that does not fit into memory: LMDI+ is fitted to it in passes, and its rows are
//! explained and written in batches.

use super::flags::Options;
use super::memory::left;
use super::saved_model::ModelFile;
use crate::flags::invalid;
use crate::input::model_file;
use crate::input::row_stream::{RowBatch, Streamed, for_each_batch};
use crate::input::tables::TableReader;
use crate::output::destination::ResultWriter;
use crate::output::printer::Printer;
use crate::output::score_table::score_table;
use crate::output::summary::{self, Importance};
use crate::output::terminal::size;
use crate::process::progress::{Bars, NoBars, Quiet};
use anyhow::{Context, Result};
use lmdi::file::Model;
use lmdi::forest::Outcome;
use lmdi::importance::Needs;
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::lmdi_plus::streaming::DEFAULT_BUDGET;
use lmdi::named::Named;
use lmdi::study::{BatchFitting, StreamedFidelity, Study, TreeChoice, schema_of, target_of};
use lmdi::table::Schema;
use lmdi::text::{count, counted};
use lmdi_io::printable::printable;
use lmdi_io::write::Output;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

impl Options {
    /// Takes a model that is trained already, and explains all rows.
    pub(super) fn explain_in_batches(
        &self,
        file: ModelFile,
        output: Option<&Output>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        self.check_streams()?;
        let table = printable(&self.data.display().to_string()).into_owned();
        let left = size(left());
        writeln!(out, "{table} is read in batches: it may take more memory than {left}.")?;
        self.explain_all(file.model, &file.name, output, reader, out)
    }

    /// Explains the rows of DATA, or of `--test`, in batches.
    pub(super) fn explain_all(
        &self,
        model: Model,
        name: &str,
        output: Option<&Output>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        let (study, is_fitted) = self.study(model, name, reader, out)?;
        let explain = self.result.explain_options(
            &study.schema,
            study.model.ensemble.averages_trees(),
            TreeChoice::All,
        )?;
        let kept = self.result.read();
        let data = self.test.as_deref().unwrap_or(&self.data);
        let explains_fitted = is_fitted && self.test.is_none();
        let outcome = &study.model.ensemble.outcome;
        let what = Streamed {
            data,
            schema: &study.schema,
            recognised_by: None,
            // The same rows as in the fit.
            target: study.schema.target.as_ref().filter(|_| explains_fitted),
            tells_unseen: !explains_fitted,
            kept: &kept,
            key: self.result.key.as_deref(),
            written: explain.grouping.names.len() * study.model.ensemble.n_outputs.max(1) * 2,
        };
        let (mut fidelity, mut importance) = (StreamedFidelity::of(&study), Importance::default());
        let mut writer = output.map(ResultWriter::create).transpose()?;
        let (mut n_rows, mut is_read) = (0, true);
        let started = Instant::now();
        let mut example = Vec::new();
        for_each_batch(reader, "Scoring", &what, |RowBatch { rows, copies, .. }, monitor| {
            let explained = study.explain(Arc::new(rows), &explain, &NoBars)?;
            fidelity.add(&explained, false);
            importance.add(&explained);
            if n_rows == 0 {
                summary::print_example(&mut example, &study, &explained)?;
            }
            n_rows += explained.rows.len();
            if let Some(writer) = &mut writer {
                let table = score_table(outcome, explained, copies, self.result.top)?;
                is_read = writer.write(table, &Quiet(monitor))?;
            }
            Ok(is_read)
        })?;
        let seconds = started.elapsed().as_secs_f64();
        writeln!(
            out,
            "Scored {}, {seconds:.2} s. All trees predict them.",
            counted(n_rows, "row")
        )?;
        let fidelity = fidelity.finish();
        if let Some(fidelity) = &fidelity {
            writeln!(out, "{}", fidelity.sentence(study.method().title()))?;
            if let Some(warning) = fidelity.warning(&study) {
                writeln!(out, "WARNING: {warning}")?;
            }
        }
        importance.print(out, &study)?;
        out.write_all(&example)?;
        out.fact("explained_rows", n_rows);
        out.fact("method", study.method().name());
        out.fact("importance", importance.facts());
        summary::add_facts(out, &study, fidelity.as_ref());
        match writer {
            Some(writer) if is_read => writer.finish(out)?,
            Some(_) => {}
            None => writeln!(out, "\nThe scores were not written; add --out FILE.")?,
        }
        match &self.save {
            Some(path) => model_file::save_and_tell(&study.into_model(None), path, out),
            None => Ok(()),
        }
    }

    /// Fails on what needs all rows at once.
    pub(super) fn check_streams(&self) -> Result<()> {
        let table = format!("a table in batches ({})", self.data.display());
        if self.report.is_some() {
            return Err(invalid(
                "report",
                format!("requested for {table}"),
                "a table that fits into memory: --save the model, and explain a part of the rows with it",
            ));
        }
        if self.scores_some_trees() {
            return Err(invalid(
                "score_trees",
                format!("oob or inbag, for {table}"),
                "all: which rows each tree saw is known by their place in a table",
            ));
        }
        let needs = self.method.method.needs();
        if !self.method.is_lmdi_plus() && needs == Needs::Training {
            return Err(invalid(
                "method",
                format!("{}, for {table}", self.method.method.name()),
                "lmdi-plus, which sums up rows, or tree-shap",
            ));
        }
        self.method.check_background()
    }

    /// The model with its explainer, and whether that was fitted here.
    fn study(
        &self,
        model: Model,
        name: &str,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<(Study, bool)> {
        let mut schema = schema_of(&model);
        let of_classes = matches!(model.ensemble.outcome, Outcome::Classes(_));
        let options = self.lmdi_plus.options(of_classes, model.ensemble.is_boosted())?;
        if !self.method.is_lmdi_plus() {
            let method = self.method.options(&schema, options, reader)?;
            let study = Study::fit(model, schema, &method, None, &Bars)?;
            summary::print_fitting(out, &study, "", None, 0.0)?;
            return Ok((study, false));
        }
        if model.explainer.is_some() && self.lmdi_plus.first_given().is_none() {
            let study = Study::kept(model, schema);
            let study = study.with_context(|| format!("{name} holds no explainer"))??;
            writeln!(out, "{name} holds an explainer; the rows are scored, nothing is fitted.")?;
            summary::print_fitting(out, &study, "", None, 0.0)?;
            return Ok((study, false));
        }
        let target =
            target_of(&model, &schema, self.target.as_deref()).with_context(|| name.to_owned())?;
        schema.target = Some(target.clone());
        let started = Instant::now();
        let fitting = self.fit(&model, &schema, &options, reader, out)?;
        let study = Study::of_batches(model, schema, fitting)?;
        let seconds = started.elapsed().as_secs_f64();
        summary::print_fitting(out, &study, "", None, seconds)?;
        Ok((study, true))
    }

    /// Goes over the rows as often as a fit needs them.
    fn fit(
        &self,
        model: &Model,
        schema: &Schema,
        options: &LmdiPlusOptions,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<BatchFitting> {
        // The rest is for rows, and for what is made of sums.
        let budget = usize::try_from(left() / 3).unwrap_or(usize::MAX).min(DEFAULT_BUDGET);
        let mut fitting = BatchFitting::new(model, options, budget)?;
        match fitting.n_passes() {
            Some(passes) => {
                writeln!(out, "LMDI+ is fitted in {} passes over the rows.", count(passes))?;
            }
            None => writeln!(
                out,
                "LMDI+ is fitted in passes over the rows, one per Newton step, until every tree has converged."
            )?,
        }
        while !fitting.is_finished() {
            let what = Streamed {
                data: &self.data,
                schema,
                recognised_by: None,
                target: schema.target.as_ref(),
                tells_unseen: fitting.passes_done() == 0,
                kept: &[],
                key: None,
                written: 0,
            };
            let label = format!("Pass {}", count(fitting.passes_done() + 1));
            let label = match fitting.n_passes() {
                Some(passes) => format!("{label} of {}", count(passes)),
                None => label,
            };
            let mut sums = fitting.statistics();
            for_each_batch(reader, &label, &what, |RowBatch { rows, .. }, _| {
                fitting.accumulate(&mut sums, &rows)?;
                Ok(true)
            })?;
            fitting.finish_pass(&sums)?;
        }
        if fitting.n_passes().is_none() {
            writeln!(out, "That took {} passes.", count(fitting.passes_done()))?;
        }
        Ok(fitting)
    }
}
