//! A table that does not fit into memory, without a model: one is trained on a sample of the rows,
//! and explained on all rows.

use super::flags::Options;
use super::memory::{BYTES_PER_CELL, left};
use crate::flags::invalid;
use crate::flags::model::ModelKind;
use crate::flags::training::{JobOptions, facts, train};
use crate::input::tables::TableReader;
use crate::output::printer::Printer;
use crate::output::terminal::size;
use crate::process::progress::Progress;
use anyhow::Result;
use lmdi::text::count;
use lmdi_io::printable::printable;
use lmdi_io::read::{Input, ReadOptions};
use lmdi_io::sample::SampledTable;
use lmdi_io::write::Output;
use std::io::Write;

/// Fewer rows make no model, whatever the memory.
const FEWEST_ROWS: u64 = 1000;

impl Options {
    /// Trains a model on rows drawn from DATA, and explains all rows.
    pub(super) fn train_on_sample(
        &self,
        kind: ModelKind,
        output: Option<&Output>,
        reader: &TableReader,
        out: &mut Printer,
    ) -> Result<()> {
        self.check_streams()?;
        if self.training.holdout > 0.0 {
            return Err(invalid(
                "holdout",
                format!("given for a table in batches ({})", self.data.display()),
                "no --holdout: rows that are not drawn for training are held out anyway",
            ));
        }
        let target = self.needed_target()?;
        let left = left();
        // Trees are held several times over while LMDI+ is fitted.
        let per_row =
            self.training.memory_per_row(kind)? + self.columns_of_table() as u64 * BYTES_PER_CELL;
        let most = left / 6 / per_row;
        let options = ReadOptions::default().with_dropped(self.training.drop.clone());
        let sample = SampledTable::draw(
            &Input::from_argument(&self.data),
            &reader.options(options),
            most.max(FEWEST_ROWS),
            self.training.model.seed,
            &Progress::endless("Drawing rows", "rows"),
        )?;
        writeln!(
            out,
            "{} may take more memory than {}. The model is trained on {} of its {} rows, drawn at random; LMDI+ \
             is fitted to all rows, in batches.\n",
            printable(&self.data.display().to_string()),
            size(left),
            count(sample.rows() as usize),
            count(sample.of() as usize)
        )?;
        let key = self.result.key.as_deref();
        let job_options =
            JobOptions { decision: Some(&self.decision), kept: vec![], key, names_rows: false };
        let stand_in = reader.reading_instead(&self.data, &sample);
        let job = self.training.job(&self.data, target, kind, &job_options, &stand_in, out)?;
        let model = train(&job, out)?;
        out.fact("training", facts(&job, &model));
        drop((job, sample));
        self.explain_all(model, "the model", output, reader, out)
    }
}
