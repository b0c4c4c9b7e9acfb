//! A plot of the output of `lmdi stability`.

use super::Options;
use crate::output::destination::Files;
use anyhow::{Context, Result};
use lmdi_io::printable::printable;
use lmdi_report::plot::{Picture, StabilityData, stability};
use serde::Deserialize;

/// What is drawn of the file.
#[derive(Deserialize)]
struct Fits {
    columns: Vec<String>,
    importance: Vec<Vec<f64>>,
    mean_correlation: Option<f64>,
}

impl Options {
    /// Draws the importances of every fit.
    pub(super) fn stability(&self) -> Result<Picture> {
        let files =
            Files::default().reading("FILE", Some(&self.model)).writing("out", Some(&self.out));
        self.running.start(&files)?;
        let name = printable(&self.model.display().to_string()).into_owned();
        let bytes = std::fs::read(&self.model).with_context(|| format!("cannot read {name}"))?;
        let fits: Fits = serde_json::from_slice(&bytes).map_err(|error| {
            anyhow::anyhow!(
                "{name} is not what `lmdi stability --out FILE.json` writes ({error}); write it with that command"
            )
        })?;
        let title = "Would fitting again give the same importances?";
        let data = StabilityData {
            columns: &fits.columns,
            importance: &fits.importance,
            correlation: fits.mean_correlation.unwrap_or(f64::NAN),
            look: self.look(title),
        };
        stability(&data, self.columns(15)).context(name)
    }
}
