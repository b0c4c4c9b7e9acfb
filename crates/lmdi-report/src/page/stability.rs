//! Whether a refit would say the same about the rows in the page.

use super::Packed;
use super::contract::Stability;
use crate::Result;
use lmdi::explanation::{stability as compare, sum_groups};
use lmdi::monitor::Stages;
use lmdi::study::{Explained, Study};

/// Share of the features that count as a row's most important ones, in percent.
const TOP: f64 = 20.0;

/// Stability over this study and its refits, and the rank correlation of each row; none without a
/// refit.
pub(super) fn stability(
    study: &Study,
    sample: &Explained,
    seed: u64,
    refits: u64,
    stages: &dyn Stages,
) -> Result<Option<(Stability, Vec<f64>)>> {
    let mut fits = vec![sample.scores.clone()];
    for run in 1..=refits {
        let Some(refit) = study.refit(seed.wrapping_add(run), stages) else { break };
        let monitor = stages.start("Scoring", sample.rows.len());
        let single = refit?.explainer().explain(&sample.rows.x.view(), &*monitor)?;
        fits.push(sum_groups(&single, &sample.grouping.groups)?);
    }
    if fits.len() < 2 {
        return Ok(None);
    }
    let monitor = stages.start("Comparing", sample.rows.len());
    let found = compare(&fits, &[TOP], &*monitor)?;
    let top = &found.tops[0];
    let page = Stability {
        runs: found.n_fits,
        correlation: found.mean_correlation,
        distinct: top.mean_unique,
        top: top.n_top,
        of_rows: Packed::numbers(&[]),
        importance: found.importance,
    };
    Ok(Some((page, found.correlation)))
}
