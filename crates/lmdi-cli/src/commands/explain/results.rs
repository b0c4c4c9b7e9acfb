//! What `lmdi explain` writes: the report, the scores and the model.

use super::flags::{Options, WhatIfFlag};
use super::saved_model::ModelFile;
use crate::input::model_file;
use crate::input::tables::TableReader;
use crate::output::destination::{write_file, write_result};
use crate::output::printer::Printer;
use crate::output::score_table::score_table;
use crate::output::summary;
use crate::process::progress::Bars;
use anyhow::Result;
use lmdi::study::{Assessment, Explained, Study, TreeChoice};
use lmdi::text::count;
use lmdi_io::write::Output;
use lmdi_report::page::{ComparedModel, PageOptions, WhatIf, page};
use std::io::Write;

/// Prints how many rows were scored, and by which trees.
pub(super) fn print_scored(
    out: &mut dyn Write,
    study: &Study,
    explained: &Explained,
    seconds: f64,
) -> Result<()> {
    let which = match explained.trees {
        TreeChoice::Predicting | TreeChoice::All => "",
        TreeChoice::OutOfBag => ", each on the trees that did not see it",
        TreeChoice::InBag => ", each on the trees that saw it",
    };
    writeln!(
        out,
        "Scored {} {}{which}, {seconds:.2} s.",
        count(explained.rows.len()),
        explained.rows.sample.title()
    )?;
    summary::print_account(out, study, explained)?;
    Ok(())
}

impl Options {
    /// Writes the report.
    pub(super) fn write_page(
        &self,
        study: &Study,
        explained: &Explained,
        refits: u8,
        compared: Option<ModelFile>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        let Some(path) = &self.report else { return Ok(()) };
        let tables = reader.sources();
        let what_if = match self.what_if {
            WhatIfFlag::Auto => WhatIf::Auto,
            WhatIfFlag::Always => WhatIf::Always,
            WhatIfFlag::Never => WhatIf::Never,
        };
        let other = compared.map(|file| self.compared(file, study, explained)).transpose()?;
        let compare_model =
            other.as_ref().map(|(name, study, explained)| ComparedModel { name, study, explained });
        let options = PageOptions::default()
            .with_compare(&self.compare)
            .with_compare_model(compare_model)
            .with_refits(refits.into())
            .with_what_if(what_if)
            .with_tables(tables);
        let bytes = page(study, explained, &options, &Bars)?.into_bytes();
        write_file(path, &bytes, "; open it in a browser", out)
    }

    /// Writes the scores.
    pub(super) fn write(
        &self,
        study: &Study,
        explained: Explained,
        output: Option<&Output>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        let Some(output) = output else {
            if self.report.is_none() {
                writeln!(out, "\nThe scores were not written; add --out FILE or --report FILE.")?;
            }
            return Ok(());
        };
        let outcome = &study.model.ensemble.outcome;
        let kept = reader.copies(&explained.rows, &self.result.read());
        let table = score_table(outcome, explained, kept, self.result.top)?;
        write_result(table, output, out)
    }

    /// Saves the model with its explainer.
    pub(super) fn save(
        &self,
        study: Study,
        assessment: Option<&Assessment>,
        out: &mut Printer,
    ) -> Result<()> {
        match &self.save {
            Some(path) => model_file::save_and_tell(&study.into_model(assessment), path, out),
            None => Ok(()),
        }
    }
}
