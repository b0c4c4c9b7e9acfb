//! Whether a refit would give the same explanation of the rows in the page: with another seed, and
//! on resampled rows. All trees of every fit score the rows, as in `lmdi stability`: a fit that
//! scores a row by fewer trees would look less stable than it is.

use super::Packed;
use super::contract::{Runs, Stability};
use crate::Result;
use lmdi::explanation::{Stability as Compared, stability as compare, sum_groups};
use lmdi::importance::Scores;
use lmdi::monitor::Stages;
use lmdi::study::{Explained, Study, TreeChoice};

/// Share of the features that count as a row's most important ones, in percent.
const TOP: f64 = 20.0;

/// Stability over this study and its refits, and the rank correlation of each row between seeds; none
/// without a refit.
pub(super) fn stability(
    study: &Study,
    sample: &Explained,
    seed: u64,
    refits: u64,
    stages: &dyn Stages,
) -> Result<Option<(Stability, Vec<f64>)>> {
    let other_seed = |run: u64| study.refit(seed.wrapping_add(run), stages);
    let other_rows = |run: u64| study.refit_on_resampled_rows(run, stages);
    if refits == 0 || study.job().is_none() {
        return Ok(None);
    }
    let own = match sample.trees {
        TreeChoice::All => sample.scores.clone(),
        _ => scores(study, sample, stages)?,
    };
    let seeds = compared(&own, sample, refits, &other_seed, stages)?;
    let resampled = compared(&own, sample, refits, &other_rows, stages)?;
    let page = Stability {
        top: seeds.tops[0].n_top,
        of_rows: Packed::numbers(&[]),
        seeds: runs(&seeds),
        resampled: runs(&resampled),
    };
    Ok(Some((page, seeds.correlation)))
}

/// The scores of all trees of a study.
fn scores(study: &Study, sample: &Explained, stages: &dyn Stages) -> Result<Scores> {
    let monitor = stages.start("Scoring", sample.rows.len());
    let single = study.explainer().explain(&sample.rows.x.view(), &*monitor)?;
    Ok(sum_groups(&single, &sample.grouping.groups)?)
}

/// The scores of the study beside those of its refits.
fn compared(
    own: &Scores,
    sample: &Explained,
    refits: u64,
    refit: &dyn Fn(u64) -> Option<lmdi::Result<Study>>,
    stages: &dyn Stages,
) -> Result<Compared> {
    let mut fits = vec![own.clone()];
    for run in 1..=refits {
        let Some(study) = refit(run) else { break };
        fits.push(scores(&study?, sample, stages)?);
    }
    let monitor = stages.start("Comparing", sample.rows.len());
    Ok(compare(&fits, &[TOP], &*monitor)?)
}

fn runs(found: &Compared) -> Runs {
    Runs {
        runs: found.n_fits,
        correlation: Some(found.mean_correlation).filter(|correlation| correlation.is_finite()),
        distinct: found.tops[0].mean_unique,
        importance: found.importance.clone(),
    }
}
