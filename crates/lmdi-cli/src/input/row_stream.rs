//! Rows of a table of any length, as a model reads them, in batches.
//!
//! Memory depends on the rows of a batch. Two things need more: keys, which must be unique and are
//! kept as hashes, and the training rows of a forest, which are recognised by a fingerprint of the
//! whole table. A table is therefore held in memory up to the number of rows that the forest was
//! trained on.

use super::tables::{TableReader, columns_to_read, target_and_weight};
use crate::process::console;
use crate::process::progress::Progress;
use anyhow::{Context, Result, bail};
use lmdi::file::Model;
use lmdi::monitor::Monitor;
use lmdi::study::{KeysSeen, NamedFrame, Rows, Sample};
use lmdi::table::{Schema, Target, Unseen};
use lmdi::text::unseen_text;
use lmdi_io::copies::CopiedColumn;
use lmdi_io::printable::printable;
use lmdi_io::read::{BatchReader, Input, TableBatch};
use std::path::Path;

/// Numbers in the columns of a batch, read and written.
const BATCH_CELLS: usize = 1 << 22;
/// What a cell of a batch may take of the memory that `--memory` allows, on its way through.
const BYTES_PER_CELL: usize = 256;
const FEWEST_ROWS: usize = 256;
const MOST_ROWS: usize = 1 << 16;

/// What is read of a table.
pub struct Streamed<'a> {
    /// The table.
    pub data: &'a Path,
    /// The columns that the model reads.
    pub schema: &'a Schema,
    /// The model, if its training rows are to be known again. The first rows then have their target,
    /// where the table has one for each of them.
    pub recognised_by: Option<&'a Model>,
    /// What the rows must have, if those without it are left out.
    pub target: Option<&'a Target>,
    /// Whether to tell which cells the model does not know: once is enough for rows that are read again.
    pub tells_unseen: bool,
    /// The columns to copy, the key first if there is one.
    pub kept: &'a [String],
    /// The column whose cells must be there and differ.
    pub key: Option<&'a str>,
    /// Numbers that come out of a row.
    pub written: usize,
}

/// Rows of a batch, with the columns to copy.
pub struct RowBatch {
    /// The rows.
    pub rows: Rows,
    /// Copies of their kept columns, in the order requested.
    pub copies: Vec<CopiedColumn>,
    /// Whether they are all rows of the table.
    pub is_whole_table: bool,
}

/// Reads the table and calls `visit` with every batch until it wants no more (false).
pub fn for_each_batch(
    reader: &TableReader,
    label: &str,
    what: &Streamed<'_>,
    mut visit: impl FnMut(RowBatch, &dyn Monitor) -> Result<bool>,
) -> Result<()> {
    let Streamed { schema, kept, .. } = *what;
    // The target tells training rows.
    let recognised = what
        .recognised_by
        .and_then(|model| Some((model, model.metadata.fingerprint.and(schema.target.as_ref())?)));
    let of_rows = what.target.or(recognised.map(|(_, target)| target));
    let more = of_rows.map_or(vec![], |target| target_and_weight(schema, Some(target)));
    let options = reader.options(columns_to_read(schema, kept, &more));
    let mut batches = BatchReader::open(&Input::from_argument(what.data), &options)?;
    let name = printable(batches.name()).into_owned();
    let progress = Progress::through(label, batches.total());
    let per_row = schema.columns.len() + kept.len() + what.written;
    let cells = BATCH_CELLS.min(lmdi_memory::limit() / BYTES_PER_CELL);
    let at_once = (cells / per_row.max(1)).clamp(FEWEST_ROWS, MOST_ROWS);
    let held = recognised.map_or(0, |(model, _)| drawn_from(model) + 1);
    let (mut keys, mut unseen) = (KeysSeen::default(), Vec::new());
    let (mut start, mut told) = (0, 0);
    while let Some(batch) = batches.next(if start == 0 { held.max(at_once) } else { at_once })? {
        let TableBatch { frame, copies, rows: n, is_last } = batch;
        let table = NamedFrame { name: name.clone(), frame };
        let sample = if what.target.is_some() { Sample::FittedOn } else { Sample::Unspecified };
        let encoded = Rows::encode(table, schema, sample).with_context(|| name.clone());
        let (mut rows, new) = encoded?;
        add_unseen(&mut unseen, new);
        let (is_first, is_whole_table) = (start == 0, start == 0 && is_last);
        if let (true, Some((model, target))) = (is_first, recognised) {
            let complete = rows.with_complete_target(schema, target);
            rows = complete.with_context(|| name.clone())?.0;
            if is_whole_table {
                rows = rows.recognised(&model.metadata);
            }
        }
        let mut copies = in_order(copies, kept);
        if let Some(target) = what.target {
            if Target::present_rows(&rows.table.frame, &target.name)?.is_empty() {
                start += n;
                continue;
            }
            rows = rows.with_target(schema, target).with_context(|| name.clone())?;
            if rows.len() < n {
                copies = copies.iter().map(|column| column.take(&rows.places)).collect();
            }
        }
        rows.places.iter_mut().for_each(|place| *place += start);
        if let Some(key) = what.key {
            let Some(column) = copies.iter().find(|column| column.name == key) else {
                bail!("{name} has no column {key:?}");
            };
            for (row, place) in rows.places.iter().enumerate() {
                let text = column.text(row).unwrap_or_default();
                keys.add(key, &text, place + 1).with_context(|| name.clone())?;
            }
        }
        start += n;
        if !visit(RowBatch { rows, copies, is_whole_table }, &progress)? {
            return Ok(());
        }
        progress.advance(batches.done() - told);
        told = batches.done();
        progress.check()?;
    }
    drop(progress);
    if !what.tells_unseen {
        return Ok(());
    }
    unseen.iter().for_each(|unseen| console::note(printable(&unseen_text(unseen))));
    Ok(())
}

/// Number of rows that the trees of a forest were drawn from; zero if they do not tell.
fn drawn_from(model: &Model) -> usize {
    let counts = model.ensemble.trees.first().and_then(|tree| tree.in_bag.as_ref());
    counts.map_or(0, |counts| counts.len())
}

/// A copy per name, in the order requested.
fn in_order(copies: Vec<CopiedColumn>, names: &[String]) -> Vec<CopiedColumn> {
    let find = |name: &String| copies.iter().find(|column| column.name == *name).cloned();
    names.iter().filter_map(find).collect()
}

/// Adds the unknown cells of further rows; the first example stays.
fn add_unseen(all: &mut Vec<Unseen>, more: Vec<Unseen>) {
    for unseen in more {
        let is_same = |other: &&mut Unseen| {
            other.column == unseen.column && other.example.is_some() == unseen.example.is_some()
        };
        match all.iter_mut().find(is_same) {
            Some(known) => known.cells += unseen.cells,
            None => all.push(unseen),
        }
    }
}
