//! Fits that are between two Newton steps, as bytes.

use super::super::bytes::{Reader, Writer};
use super::super::v1::explainer::{read_penalty, write_penalty};
use super::place;
use crate::Result;
use crate::glm::{Coefficients, FitByPasses, NullModel, Step};
use crate::importance::lmdi_plus::streaming::OutputFit;

pub(super) fn write_newton(trees: &[Vec<OutputFit>], writer: &mut Writer) -> Result<()> {
    writer.count(trees.len(), "number of trees")?;
    for outputs in trees {
        writer.count(outputs.len(), "number of outputs")?;
        for OutputFit { chosen, search_converged, fit } in outputs {
            write_penalty(*chosen, writer);
            writer.u8(u8::from(*search_converged));
            write_coefficients(&fit.at, writer)?;
            writer.u8(u8::from(fit.null.is_some()));
            if let Some(null) = &fit.null {
                writer.f64s(&[null.excess_loss, null.largest_gradient, null.total]);
            }
            writer.u8(u8::from(fit.step.is_some()));
            if let Some(step) = &fit.step {
                write_coefficients(&step.from, writer)?;
                write_coefficients(&step.whole, writer)?;
                writer.f64s(&[step.share, step.objective, step.decrease]);
            }
            writer.u64(fit.passes as u64);
            writer.u64(fit.iterations as u64);
            writer.f64(fit.gap);
            writer.u8(u8::from(fit.converged));
            writer.u8(u8::from(fit.is_finished));
        }
    }
    Ok(())
}

/// A fit between two passes whose tree has no split.
const SMALLEST_FIT: usize = 46;

pub(super) fn read_newton(reader: &mut Reader<'_>) -> Result<Vec<Vec<OutputFit>>> {
    let n_trees = reader.count(4, "number of trees")?;
    let mut trees = Vec::with_capacity(n_trees);
    for _ in 0..n_trees {
        let n_outputs = reader.count(SMALLEST_FIT, "number of outputs")?;
        trees.push((0..n_outputs).map(|_| read_output_fit(reader)).collect::<Result<_>>()?);
    }
    Ok(trees)
}

fn read_output_fit(reader: &mut Reader<'_>) -> Result<OutputFit> {
    let chosen = read_penalty(reader)?;
    let search_converged = reader.flag("search converged")?;
    let at = read_coefficients(reader)?;
    let null = match reader.flag("null model known")? {
        false => None,
        true => Some(NullModel {
            excess_loss: reader.f64("loss of the null model")?,
            largest_gradient: reader.f64("gradient of the null model")?,
            total: reader.f64("weight of all rows")?,
        }),
    };
    let step = match reader.flag("step known")? {
        false => None,
        true => Some(Step {
            from: read_coefficients(reader)?,
            whole: read_coefficients(reader)?,
            share: reader.f64("share of a step")?,
            objective: reader.f64("objective")?,
            decrease: reader.f64("decrease")?,
        }),
    };
    let fit = FitByPasses {
        at,
        null,
        step,
        passes: place(reader, "passes of a fit")?,
        iterations: place(reader, "Newton steps")?,
        gap: reader.f64("gap")?,
        converged: reader.flag("converged")?,
        is_finished: reader.flag("finished")?,
    };
    Ok(OutputFit { chosen, search_converged, fit })
}

fn write_coefficients(model: &Coefficients, writer: &mut Writer) -> Result<()> {
    writer.f64(model.intercept);
    writer.count(model.stump.len(), "number of slopes")?;
    writer.f64s(&model.stump);
    writer.count(model.raw.len(), "number of raw slopes")?;
    writer.f64s(&model.raw);
    Ok(())
}

fn read_coefficients(reader: &mut Reader<'_>) -> Result<Coefficients> {
    let intercept = reader.f64("intercept")?;
    let n_splits = reader.count(8, "number of slopes")?;
    let stump = reader.f64s(n_splits, "slopes")?;
    let n_raw = reader.count(8, "number of raw slopes")?;
    Ok(Coefficients { intercept, stump, raw: reader.f64s(n_raw, "raw slopes")? })
}
