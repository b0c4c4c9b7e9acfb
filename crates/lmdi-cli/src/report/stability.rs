//! Whether another run would tell the same about the rows in the page.

use super::Run;
use crate::progress::Progress;
use crate::terminal::counted;
use anyhow::Result;
use lmdi::explanation::{stability, sum_groups};
use lmdi::importance::Scores;
use lmdi_report::page::Packed;
use lmdi_report::page::contract::Stability;

/// Share of the features that count as a row's most important ones, in percent.
const TOP: f64 = 20.0;

impl Run<'_> {
    /// Stability over this run and those that repeat it, and the rank correlation of each chosen row; none for
    /// a model that cannot be trained again.
    pub(super) fn stability(
        &self,
        chosen: &[usize],
        own: &Scores,
    ) -> Result<Option<(Stability, Vec<f64>)>> {
        let Some(again) = self.again else { return Ok(None) };
        let groups = self.flags.grouping(self.subject.schema)?.1;
        let x = self.asked.x.take_rows(chosen);
        let mut fits = vec![own.clone()];
        for run in 1..=u64::from(self.runs) {
            let single = again(self.seed().wrapping_add(run), &x)?;
            fits.push(sum_groups(&single, &groups)?);
        }
        let progress = Progress::new("Comparing", chosen.len() as u64);
        let found = stability(&fits, &[TOP], &progress)?;
        let top = &found.tops[0];
        let page = Stability {
            how: format!(
                "The model was trained and explained {} with other seeds, and each run explained the same rows.",
                counted(usize::from(self.runs), "more time")
            ),
            runs: found.n_fits,
            correlation: found.mean_correlation,
            distinct: top.mean_unique,
            top: top.n_top,
            of_rows: Packed::numbers(&[]),
            importance: found.importance,
        };
        Ok(Some((page, found.correlation)))
    }
}
