//! What the machines of a streamed fit exchange, as bytes: the sums of a pass, their solutions, and
//! the progress of the fit.
//!
//! ```text
//! 0    magic               8 bytes
//! 8    version             u32
//! 12   what follows        u8: 1 sums, 2 what they came to, 3 how far the fit is
//! 13   CRC-32 of the body  u32
//! 17   body
//! ```
//!
//! Bytes are read by the machine that made the fit, which knows the model. Every length is compared
//! with the bytes that are left before anything is allocated, and every part with the model before
//! it is used. Unlike a model file, this is not a stable format: both ends must have the same
//! version.

mod newton;

use super::bytes::{Reader, Writer};
use super::v1::explainer::{read_tree, write_tree};
use crate::glm::Statistics;
use crate::importance::lmdi_plus::TreeModel;
use crate::importance::lmdi_plus::streaming::{
    ClassSummary, Moments, PassStatistics, Product, Progress, RowSample, SolvedTrees, StreamedFit,
    Summary, Sums, TreeStatistics,
};
use crate::{Error, Result};
use newton::{read_newton, write_newton};

const MAGIC: [u8; 8] = *b"\x89LMDS\r\n\x1a";
const VERSION: u32 = 2;
const HEADER: usize = 17;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Statistics = 1,
    Solved = 2,
    Progress = 3,
}

impl PassStatistics {
    /// The sums as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        packed(Kind::Statistics, |writer| {
            writer.u8s(&self.mark);
            writer.u64(self.rows);
            match &self.sums {
                Sums::Summary(summary) => {
                    writer.u8(0);
                    write_summary(summary, writer)
                }
                Sums::Trees { first, trees } => {
                    writer.u8(1);
                    writer.u64(*first as u64);
                    writer.count(trees.len(), "number of trees")?;
                    for tree in trees {
                        writer.count(tree.len(), "number of outputs")?;
                        tree.iter().try_for_each(|sums| write_sums(sums, writer))?;
                    }
                    Ok(())
                }
            }
        })
    }

    /// Reads the sums of a pass.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        unpacked(Kind::Statistics, bytes, |reader| {
            let mark = read_mark(reader)?;
            let rows = reader.u64("number of rows")?;
            let sums = if reader.flag("kind of sums")? {
                let first = place(reader, "first tree")?;
                let n_trees = reader.count(4, "number of trees")?;
                let mut trees = Vec::with_capacity(n_trees);
                for _ in 0..n_trees {
                    let n_outputs = reader.count(SMALLEST_SUMS, "number of outputs")?;
                    trees.push((0..n_outputs).map(|_| read_sums(reader)).collect::<Result<_>>()?);
                }
                Sums::Trees { first, trees }
            } else {
                Sums::Summary(read_summary(reader)?)
            };
            Ok(Self { mark, rows, sums })
        })
    }
}

impl SolvedTrees {
    /// The result of a pass, as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        packed(Kind::Solved, |writer| {
            writer.u8s(&self.mark);
            writer.u64(self.first as u64);
            write_optional(self.summary.as_ref(), writer)?;
            write_models(&self.models, &self.evidence, &self.kept, writer)?;
            write_newton(&self.newton, writer)
        })
    }

    /// Reads the result of a pass.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        unpacked(Kind::Solved, bytes, |reader| {
            let mark = read_mark(reader)?;
            let first = place(reader, "first tree")?;
            let summary = read_optional(reader)?;
            let Models { models, evidence, kept } = read_models(reader)?;
            let newton = read_newton(reader)?;
            Ok(Self { mark, summary, first, models, evidence, kept, newton })
        })
    }
}

impl StreamedFit {
    /// How far the fit is, as bytes: a fit of the same model and options elsewhere can resume from
    /// there.
    pub fn progress_to_bytes(&self) -> Result<Vec<u8>> {
        let Progress { passes, groups, summary, models, evidence, kept, newton } = self.progress();
        packed(Kind::Progress, |writer| {
            writer.u64(*passes as u64);
            writer.u64(*groups as u64);
            write_optional(summary.as_ref(), writer)?;
            write_models(models, evidence, kept, writer)?;
            write_newton(newton, writer)
        })
    }

    /// Resumes from the progress of a fit of the same model and options.
    pub fn restore_from_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let progress = unpacked(Kind::Progress, bytes, |reader| {
            let passes = place(reader, "number of passes")?;
            let groups = place(reader, "number of groups of trees")?;
            let summary = read_optional(reader)?;
            let Models { models, evidence, kept } = read_models(reader)?;
            let newton = read_newton(reader)?;
            Ok(Progress { passes, groups, summary, models, evidence, kept, newton })
        })?;
        self.restore(progress)
    }
}

fn packed(kind: Kind, write: impl FnOnce(&mut Writer) -> Result<()>) -> Result<Vec<u8>> {
    let mut writer = Writer::starting_with(vec![0; HEADER]);
    write(&mut writer)?;
    let checksum = crc32fast::hash(&writer.bytes[HEADER..]);
    let mut header = Writer::default();
    header.u8s(&MAGIC);
    header.u32(VERSION);
    header.u8(kind as u8);
    header.u32(checksum);
    writer.bytes[..HEADER].copy_from_slice(&header.bytes);
    Ok(writer.bytes)
}

fn unpacked<T>(
    kind: Kind,
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<T>,
) -> Result<T> {
    let fail = |what: String| Err(Error::Format(format!("statistics of a fit: {what}")));
    if bytes.len() < HEADER || !bytes.starts_with(&MAGIC) {
        return fail("these bytes are none; expected what `to_bytes` gave".into());
    }
    let mut header = Reader::new("header", &bytes[8..HEADER]);
    let version = header.u32("version")?;
    if version != VERSION {
        return fail(format!(
            "they have version {version}; expected {VERSION}: use the same lmdi everywhere"
        ));
    }
    let found = header.u8("kind")?;
    if found != kind as u8 {
        return fail(format!("they are of kind {found}; expected {}", kind as u8));
    }
    if header.u32("checksum")? != crc32fast::hash(&bytes[HEADER..]) {
        return fail("the checksum does not match; the bytes are damaged".into());
    }
    let mut reader = Reader::new("statistics", &bytes[HEADER..]);
    let content = read(&mut reader)?;
    reader.finish()?;
    Ok(content)
}

fn read_mark(reader: &mut Reader<'_>) -> Result<[u8; 16]> {
    let mut mark = [0; 16];
    mark.copy_from_slice(reader.u8s(16, "mark")?);
    Ok(mark)
}

fn place(reader: &mut Reader<'_>, what: &str) -> Result<usize> {
    let place = reader.u64(what)?;
    u32::try_from(place)
        .map(|place| place as usize)
        .map_err(|_| reader.error(&format!("{what} is {place}; expected at most {}", u32::MAX)))
}

/// Sums of a tree with one leaf and without raw columns and folds.
const SMALLEST_SUMS: usize = 20;

fn write_sums(sums: &TreeStatistics, writer: &mut Writer) -> Result<()> {
    let n_raw = sums.folds.first().map_or(0, Statistics::n_raw);
    writer.count(sums.grown.len(), "number of leaves")?;
    writer.count(n_raw, "number of raw columns")?;
    writer.count(sums.folds.len(), "number of folds")?;
    writer.f64(sums.excess_loss);
    writer.f64s(sums.grown.as_flattened());
    writer.u8(u8::from(!sums.response.is_empty()));
    writer.f64s(sums.response.as_flattened());
    for fold in &sums.folds {
        writer.u64(fold.rows);
        writer.f64(fold.response_square);
        writer.f64s(&fold.leaf_weight);
        writer.f64s(&fold.leaf_response);
        writer.f64s(&fold.leaf_raw);
        writer.f64s(&fold.raw_response);
        // The upper triangle is zero.
        for line in 0..n_raw {
            writer.f64s(&fold.raw_gram[line * n_raw..line * n_raw + line + 1]);
        }
    }
    Ok(())
}

fn read_sums(reader: &mut Reader<'_>) -> Result<TreeStatistics> {
    let n_leaves = reader.count(16, "number of leaves")?;
    let n_raw = reader.count(0, "number of raw columns")?;
    let n_folds = reader.count(16, "number of folds")?;
    let excess_loss = reader.f64("loss")?;
    let grown = reader.f64s(2 * n_leaves, "sums of leaves")?.as_chunks().0.to_vec();
    let n_responses = if reader.flag("responses known")? { n_leaves } else { 0 };
    let response = reader.f64s(2 * n_responses, "responses of leaves")?.as_chunks().0.to_vec();
    let cells = n_leaves.checked_mul(n_raw);
    let Some(cells) = cells else { return Err(reader.error("the tree is too large")) };
    let mut folds = Vec::with_capacity(n_folds);
    for _ in 0..n_folds {
        let rows = reader.u64("number of rows")?;
        let response_square = reader.f64("squares")?;
        let leaf_weight = reader.f64s(n_leaves, "weights of leaves")?;
        let leaf_response = reader.f64s(n_leaves, "responses of leaves")?;
        let leaf_raw = reader.f64s(cells, "raw columns of leaves")?;
        let raw_response = reader.f64s(n_raw, "raw columns")?;
        let triangle = n_raw * (n_raw + 1) / 2;
        let lower = reader.f64s(triangle, "products of raw columns")?;
        let mut raw_gram = vec![0.0; n_raw * n_raw];
        let mut at = 0;
        for line in 0..n_raw {
            raw_gram[line * n_raw..line * n_raw + line + 1]
                .copy_from_slice(&lower[at..at + line + 1]);
            at += line + 1;
        }
        folds.push(Statistics::from_sums(
            n_raw,
            rows,
            [leaf_weight, leaf_response, leaf_raw, raw_response, raw_gram],
            response_square,
        ));
    }
    Ok(TreeStatistics { folds, grown, response, excess_loss })
}

fn write_optional(summary: Option<&Summary>, writer: &mut Writer) -> Result<()> {
    writer.u8(u8::from(summary.is_some()));
    summary.map_or(Ok(()), |summary| write_summary(summary, writer))
}

fn read_optional(reader: &mut Reader<'_>) -> Result<Option<Summary>> {
    reader.flag("first pass known")?.then(|| read_summary(reader)).transpose()
}

fn write_moments(moments: &Moments, writer: &mut Writer) {
    writer.f64s(&[moments.weight, moments.mean, moments.squares]);
}

fn read_moments(reader: &mut Reader<'_>) -> Result<Moments> {
    Ok(Moments {
        weight: reader.f64("weight")?,
        mean: reader.f64("mean")?,
        squares: reader.f64("squares")?,
    })
}

fn read_product(reader: &mut Reader<'_>) -> Result<Product> {
    Ok(Product { mean: reader.f64("mean")?, products: reader.f64("products")? })
}

fn write_summary(summary: &Summary, writer: &mut Writer) -> Result<()> {
    let n_features = summary.classes.first().map_or(0, |class| class.columns.len());
    writer.count(summary.classes.len(), "number of classes")?;
    writer.count(n_features, "number of columns")?;
    for class in &summary.classes {
        writer.u64(class.rows);
        writer.f64(class.weight);
        write_moments(&class.response, writer);
        class.columns.iter().for_each(|column| write_moments(column, writer));
        for product in &class.products {
            writer.f64s(&[product.mean, product.products]);
        }
        writer.f64s(class.ranges.as_flattened());
        write_sample(&class.search, writer)?;
    }
    writer.count(summary.predicted.len(), "number of predicted classes")?;
    writer.f64s(&summary.predicted);
    writer.f64(summary.lowest);
    write_sample(&summary.sample, writer)
}

fn write_sample(sample: &RowSample, writer: &mut Writer) -> Result<()> {
    writer.count(sample.most, "size of the sample")?;
    writer.count(sample.rows.len(), "rows of the sample")?;
    for (hash, cells) in &sample.rows {
        writer.u64(*hash);
        writer.f64s(cells);
    }
    Ok(())
}

fn read_sample(width: usize, reader: &mut Reader<'_>) -> Result<RowSample> {
    let most = reader.count(0, "size of the sample")?;
    let n_rows = reader.count(8, "rows of the sample")?;
    let mut rows = Vec::with_capacity(n_rows);
    for _ in 0..n_rows {
        rows.push((reader.u64("hash of a row")?, reader.f64s(width, "cells of a row")?));
    }
    Ok(RowSample { rows, most })
}

fn read_summary(reader: &mut Reader<'_>) -> Result<Summary> {
    let n_classes = reader.count(40, "number of classes")?;
    let n_features = reader.count(if n_classes > 0 { 40 } else { 0 }, "number of columns")?;
    let mut classes = Vec::with_capacity(n_classes);
    for _ in 0..n_classes {
        classes.push(ClassSummary {
            rows: reader.u64("rows of a class")?,
            weight: reader.f64("weight of a class")?,
            response: read_moments(reader)?,
            columns: (0..n_features).map(|_| read_moments(reader)).collect::<Result<_>>()?,
            products: (0..if n_classes == 1 { n_features } else { 0 })
                .map(|_| read_product(reader))
                .collect::<Result<_>>()?,
            ranges: reader.f64s(2 * n_features, "ranges of cells")?.as_chunks().0.to_vec(),
            // Response and weight follow the cells.
            search: read_sample(n_features + 2, reader)?,
        });
    }
    let n_predicted = reader.count(8, "number of predicted classes")?;
    let predicted = reader.f64s(n_predicted, "predicted shares")?;
    let lowest = reader.f64("lowest response")?;
    let sample = read_sample(n_features, reader)?;
    Ok(Summary { classes, predicted, lowest, sample })
}

fn write_models(
    models: &[TreeModel],
    evidence: &[Vec<[f64; 2]>],
    kept: &[Vec<f64>],
    writer: &mut Writer,
) -> Result<()> {
    writer.count(models.len(), "number of linear models")?;
    for ((model, evidence), kept) in models.iter().zip(evidence).zip(kept) {
        write_tree(model, writer)?;
        writer.count(kept.len(), "number of kept shares")?;
        writer.f64s(kept);
        writer.count(evidence.len(), "number of rates")?;
        writer.f64s(evidence.as_flattened());
    }
    Ok(())
}

/// What is known of trees whose linear models are found.
#[derive(Default)]
struct Models {
    models: Vec<TreeModel>,
    evidence: Vec<Vec<[f64; 2]>>,
    kept: Vec<Vec<f64>>,
}

fn read_models(reader: &mut Reader<'_>) -> Result<Models> {
    let n_models = reader.count(50, "number of linear models")?;
    let mut known = Models::default();
    for _ in 0..n_models {
        known.models.push(read_tree(reader)?);
        let n_kept = reader.count(8, "number of kept shares")?;
        known.kept.push(reader.f64s(n_kept, "kept shares")?);
        let n_rates = reader.count(16, "number of rates")?;
        known.evidence.push(reader.f64s(2 * n_rates, "rates")?.as_chunks().0.to_vec());
    }
    Ok(known)
}
