//! Section `EXPL`: the linear model of every tree.

use crate::file::Explainer;
use crate::file::bytes::{Reader, Writer};
use crate::file::codes::{Coded, StrengthKind};
use crate::glm::Candidate;
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::{RawTerm, TreeFit, TreeModel};
use crate::{Error, Result};

/// Bytes of the model of a tree with a single leaf and one output: no model has fewer.
const SMALLEST: usize = 50;

pub(super) fn write(explainer: &Explainer, writer: &mut Writer) -> Result<()> {
    writer.string(&explainer.options, "options of the explainer")?;
    writer.u8(explainer.scale.code());
    writer.count(explainer.trees.len(), "number of linear models")?;
    explainer.trees.iter().try_for_each(|tree| write_tree(tree, writer))
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Explainer> {
    let options = reader.string("options of the explainer")?;
    let scale = OutputScale::from_code(reader.u8("scale")?)?;
    let n_trees = reader.count(SMALLEST, "number of linear models")?;
    let mut trees = Vec::with_capacity(n_trees);
    for index in 0..n_trees {
        trees.push(read_tree(reader).map_err(|error| match error {
            Error::Format(what) => Error::Format(format!("linear model {index}: {what}")),
            other => other,
        })?);
    }
    let (ranges, tree_sizes, kept) = (Vec::new(), Vec::new(), Vec::new());
    Ok(Explainer { options, scale, trees, ranges, tree_sizes, kept })
}

pub(in crate::file) fn write_tree(tree: &TreeModel, writer: &mut Writer) -> Result<()> {
    writer.u32(tree.first_output);
    writer.u32(tree.n_outputs);
    writer.f64s(&tree.intercept);
    writer.count(tree.step.len(), "number of steps")?;
    writer.f64s(&tree.step.to_vec());
    writer.count(tree.raw.len(), "number of raw columns")?;
    for term in &tree.raw {
        writer.u32(term.feature);
        writer.f64(term.mean);
        writer.f64s(&term.slope);
    }
    for fit in &tree.fits {
        write_penalty(fit.chosen, writer);
        writer.u64(fit.iterations as u64);
        writer.f64(fit.gap);
        writer.u8(u8::from(fit.converged));
    }
    Ok(())
}

pub(in crate::file) fn write_penalty(chosen: Option<Candidate>, writer: &mut Writer) {
    writer.u8(u8::from(chosen.is_some()));
    if let Some(chosen) = chosen {
        let (kind, size) = StrengthKind::of(chosen.strength);
        writer.u8(kind.code());
        writer.f64(size);
        writer.f64(chosen.l1_ratio);
    }
}

pub(in crate::file) fn read_tree(reader: &mut Reader<'_>) -> Result<TreeModel> {
    let first_output = reader.u32("first output")?;
    let n_outputs = reader.u32("number of outputs")?;
    let k = n_outputs as usize;
    let intercept = reader.f64s(k, "intercepts")?;
    let n_steps = reader.count(8, "number of steps")?;
    let step = reader.f64s(n_steps, "steps")?.into();
    let n_raw = reader.count(12, "number of raw columns")?;
    let mut raw = Vec::with_capacity(n_raw);
    for _ in 0..n_raw {
        raw.push(RawTerm {
            feature: reader.u32("feature of a raw column")?,
            mean: reader.f64("mean of a raw column")?,
            slope: reader.f64s(k, "slopes of a raw column")?,
        });
    }
    let mut fits = Vec::with_capacity(k);
    for _ in 0..k {
        fits.push(read_fit(reader)?);
    }
    Ok(TreeModel { first_output, n_outputs, intercept, step, raw, fits })
}

pub(in crate::file) fn read_penalty(reader: &mut Reader<'_>) -> Result<Option<Candidate>> {
    if !reader.flag("penalty known")? {
        return Ok(None);
    }
    let kind = StrengthKind::from_code(reader.u8("form of a penalty")?)?;
    let strength = kind.with(reader.f64("strength of a penalty")?);
    Ok(Some(Candidate { strength, l1_ratio: reader.f64("l1 ratio")? }))
}

fn read_fit(reader: &mut Reader<'_>) -> Result<TreeFit> {
    let chosen = read_penalty(reader)?;
    let iterations = usize::try_from(reader.u64("iterations")?)
        .map_err(|_| reader.error("the number of iterations is too large"))?;
    Ok(TreeFit {
        chosen,
        iterations,
        gap: reader.f64("gap")?,
        converged: reader.flag("converged")?,
    })
}
