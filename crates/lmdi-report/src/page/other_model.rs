//! Another model on the rows in the page.

use super::contract::{ComparedMeasure, ComparedShare, OtherModel};
use super::facts::{rows_are, trees_text};
use super::{ComparedModel, Packed};
use crate::Result;
use lmdi::study::{Explained, ModelComparison, Study, measure_title};

/// The comparison, and what the other model predicts of all explained rows.
pub(super) fn other_model(
    own: (&Study, &Explained),
    other: &ComparedModel<'_>,
) -> Result<(OtherModel, Vec<f64>)> {
    let found = ModelComparison::of(own, (other.study, other.explained))?;
    let measures = found.measures.iter().map(|measure| ComparedMeasure {
        name: measure_title(measure.name).to_owned(),
        own: measure.own,
        other: measure.other,
    });
    let shares = found.shares.into_iter().map(|share| ComparedShare {
        name: share.name,
        own: share.own,
        other: share.other,
    });
    let model = OtherModel {
        name: other.name.to_owned(),
        trees: trees_text(other.study),
        trained_by: other.study.model.metadata.producer.clone(),
        method: other.study.method().title().to_owned(),
        rows_are: rows_are(other.explained),
        measures: measures.collect(),
        rows: found.n_rows,
        mean_difference: found.mean_difference,
        same_class: found.same_class,
        shares: shares.collect(),
        predictions: Packed::numbers(&[]),
    };
    Ok((model, other.explained.predictions.clone()))
}
