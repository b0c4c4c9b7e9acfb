//! The explainer that the passes add up to.

use super::first_pass::RowSample;
use super::fit::StreamedFit;
use crate::forest::Ensemble;
use crate::importance::lmdi_plus::model::LmdiPlus;
use crate::importance::lmdi_plus::score::ScoreOptions;
use crate::monitor::Silent;
use crate::table::MatrixView;
use crate::{Error, Result};

impl StreamedFit {
    /// Says that passes over the rows are left to do.
    pub fn passes_left(&self) -> String {
        let done = self.passes_done();
        match self.n_passes() {
            Some(all) => format!("{done} of {all} passes over the rows are done"),
            None => {
                format!("{done} passes over the rows are done, and not all trees have converged")
            }
        }
    }

    /// The explainer, once all passes are done.
    pub fn finish(self) -> Result<LmdiPlus> {
        if !self.is_finished() {
            return Err(Error::Data(self.passes_left()));
        }
        let ranges = match &self.known {
            Some(known) if self.options.bound_raw => known.ranges.clone(),
            _ => Vec::new(),
        };
        let fitted =
            LmdiPlus::new(&self.ensemble, self.scale, self.progress.models)?.within(ranges)?;
        let Some(summary) = self.progress.summary.filter(|_| self.ensemble.is_boosted()) else {
            return Ok(fitted);
        };
        let RowSample { rows, .. } = summary.sample;
        let cells: Vec<f64> = rows.iter().flat_map(|(_, cells)| cells).copied().collect();
        let sample = MatrixView::from_rows(&cells, rows.len(), self.ensemble.n_features())?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let fitted = fitted.ranking_by(self.progress.kept, &sample, &all)?;
        let fidelity = fidelity(&self.ensemble, &fitted, &sample)?;
        Ok(LmdiPlus { fidelity: Some(fidelity), ..fitted })
    }
}

/// How much of the model's raw output the linear models reproduce on a sample of rows (R2).
fn fidelity(ensemble: &Ensemble, fitted: &LmdiPlus, sample: &MatrixView<'_>) -> Result<f64> {
    let model = ensemble.predict_raw(sample, &Silent)?;
    let scores = fitted.score(sample, &ScoreOptions::default(), &Silent)?;
    let (n, k) = (sample.rows(), ensemble.n_outputs);
    let (mut left, mut all) = (0.0, 0.0);
    for output in 0..k {
        let mean = (0..n).map(|row| model[row * k + output]).sum::<f64>() / n as f64;
        for row in 0..n {
            let own = model[row * k + output];
            left += (own - scores.total(row, output)).powi(2);
            all += (own - mean).powi(2);
        }
    }
    Ok(if all > 0.0 { 1.0 - left / all } else { f64::NAN })
}
