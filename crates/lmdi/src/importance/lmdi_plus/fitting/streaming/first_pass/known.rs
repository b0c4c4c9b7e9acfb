//! The results of the first pass: weights and moments that the sums of later passes need.

use super::super::fit::StreamedFit;
use super::super::statistics::StreamedRows;
use super::search_rows::SearchRows;
use super::summary::{MeanAndDeviation, Summary};
use crate::importance::lmdi_plus::fitting::support::ResponseSupport;
use crate::importance::lmdi_plus::fitting::target::check_range;
use crate::importance::lmdi_plus::options::FitTo;
use crate::table::{Response, RowDeal};
use crate::{Error, Result};
use std::ops::Range;

/// What the first pass tells.
pub(in super::super) struct Known {
    pub(in super::super) factors: Option<Vec<f64>>,
    pub(in super::super) columns: Vec<MeanAndDeviation>,
    pub(in super::super) ranges: Vec<[f64; 2]>,
    pub(in super::super) mean_response: Vec<f64>,
    /// What the response says about columns, per output of boosted trees.
    pub(in super::super) supports: Vec<ResponseSupport>,
    /// Which rows each tree gets, where it does not get all.
    pub(in super::super) deal: Option<RowDeal>,
    /// What penalties are searched on, where that is not the sums of folds.
    pub(in super::super) search: Option<SearchRows>,
}

impl StreamedFit {
    /// Takes over the first pass.
    pub(in super::super) fn know(&mut self, mut summary: Summary) -> Result<()> {
        let columns = summary.classes.first().map_or(0, |class| class.columns.len());
        if columns != self.ensemble.n_features() {
            return Err(Error::Data("the statistics are of a model with other columns".into()));
        }
        if summary.rows() == 0 {
            return Err(Error::Data("there is no row to fit LMDI+ on".into()));
        }
        if self.ensemble.is_boosted() || self.options.fit_to == FitTo::Model {
            check_range(self.ensemble.growth.loss(), &Response::Numeric(&[summary.lowest]))?;
        }
        summary.trim_search(self.search_size.rows);
        let factors = summary.class_factors(&self.ensemble)?;
        let (columns, ranges) = summary.columns(factors.as_deref());
        let mean_response = summary.mean_response(factors.as_deref());
        let supported = if self.ensemble.is_boosted() { self.n_outputs } else { 0 };
        let supports = (0..supported)
            .map(|output| {
                let class = if self.n_outputs == 1 { 1 } else { output };
                summary.response_support(factors.as_deref(), class, self.options.include_raw)
            })
            .collect();
        let search = SearchRows::of(&summary, factors.as_deref(), self.glm.folds)?;
        let per_tree = self.options.rows_per_tree;
        let deal = per_tree.map(|per_tree| RowDeal::new(per_tree, summary.rows()));
        self.known =
            Some(Known { factors, columns, ranges, mean_response, supports, deal, search });
        self.progress.summary = Some(summary);
        Ok(())
    }

    /// A number near the responses of an output, whose sums keep more digits around it.
    pub(in super::super) fn centre(&self, output: usize) -> f64 {
        let means = self.known.as_ref().map_or(&[][..], |known| &known.mean_response);
        match means {
            [only] => *only,
            means => {
                let class = if self.n_outputs == 1 { 1 } else { output };
                means.get(class).copied().unwrap_or(0.0)
            }
        }
    }

    /// The weights of rows, with mean one over all rows.
    pub(in super::super) fn weights(
        &self,
        rows: &StreamedRows<'_>,
        range: Range<usize>,
    ) -> Vec<f64> {
        let factors = self.known.as_ref().and_then(|known| known.factors.as_deref());
        let factor = |row: usize| match (&rows.response, factors) {
            (_, None) => 1.0,
            (Response::Numeric(_), Some(factors)) => factors[0],
            (Response::Classes { codes, .. }, Some(factors)) => factors[codes[row] as usize],
        };
        range.map(|row| rows.weight(row) * factor(row)).collect()
    }
}
