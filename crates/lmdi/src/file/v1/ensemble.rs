//! Section `ENSM`: the ensemble around its trees.

use super::tree;
use crate::file::bytes::{Reader, Writer};
use crate::file::codes::{AggregationKind, Coded, GrowthKind, LossKind};
use crate::forest::{Aggregation, ClassWeights, Ensemble, Growth, Link, Loss, Outcome};
use crate::{Error, Result};

/// In place of a loss: the trees are independent.
const NO_LOSS: u8 = 0;

pub(super) fn write(ensemble: &Ensemble, writer: &mut Writer) -> Result<()> {
    writer.strings(&ensemble.feature_names, "feature names")?;
    let labels: &[String] = match &ensemble.outcome {
        Outcome::Number => &[],
        Outcome::Classes(labels) => labels,
    };
    writer.strings(labels, "class labels")?;
    writer.u8(ensemble.link.code());
    writer.u8(GrowthKind::of(ensemble.growth).code());
    if let Growth::Shrunk { trees_per_round, .. } = ensemble.growth {
        writer.u32(trees_per_round);
    }
    let loss = ensemble.growth.loss();
    writer.u8(loss.map_or(NO_LOSS, |loss| LossKind::of(loss).code()));
    if let Some(Loss::Tweedie { power }) = loss {
        writer.f64(power);
    }
    writer.u8(AggregationKind::of(ensemble.aggregation).code());
    if let Aggregation::Sum { learning_rate } = ensemble.aggregation {
        writer.f64(learning_rate);
    }
    writer.count(ensemble.base_score.len(), "number of outputs")?;
    writer.f64s(&ensemble.base_score);
    writer.count(ensemble.trees.len(), "number of trees")?;
    writer.u8(u8::from(!ensemble.output_of_tree.is_empty()));
    writer.u32s(&ensemble.output_of_tree);
    ensemble.trees.iter().try_for_each(|tree| tree::write(tree, writer))
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Ensemble> {
    let feature_names = reader.strings("feature names")?;
    let labels = reader.strings("class labels")?;
    let outcome = if labels.is_empty() { Outcome::Number } else { Outcome::Classes(labels) };
    let link = Link::from_code(reader.u8("link")?)?;
    let growth = GrowthKind::from_code(reader.u8("growth")?)?;
    let trees_per_round = match growth {
        GrowthKind::Shrunk => reader.u32("trees per round")?,
        _ => 1,
    };
    let loss = match reader.u8("loss")? {
        NO_LOSS => None,
        code => Some(match LossKind::from_code(code)? {
            LossKind::Tweedie => LossKind::Tweedie.with(reader.f64("tweedie power")?),
            kind => kind.with(f64::NAN),
        }),
    };
    let growth = growth.with(loss, trees_per_round)?;
    let aggregation = match AggregationKind::from_code(reader.u8("aggregation")?)? {
        AggregationKind::Mean => Aggregation::Mean,
        AggregationKind::Sum => Aggregation::Sum { learning_rate: reader.f64("learning rate")? },
    };
    let n_outputs = reader.count(8, "number of outputs")?;
    let base_score = reader.f64s(n_outputs, "base scores")?;
    let n_trees = reader.count(tree::SMALLEST, "number of trees")?;
    let output_of_tree = if reader.flag("outputs of trees")? {
        reader.u32s(n_trees, "outputs of trees")?
    } else {
        Vec::new()
    };
    let mut trees = Vec::with_capacity(n_trees);
    for index in 0..n_trees {
        trees.push(tree::read(reader).map_err(|error| match error {
            Error::Format(what) => Error::Format(format!("tree {index}: {what}")),
            other => other,
        })?);
    }
    Ok(Ensemble {
        feature_names,
        trees,
        output_of_tree,
        n_outputs,
        aggregation,
        base_score,
        link,
        growth,
        outcome,
        class_weights: ClassWeights::Equal,
    })
}
