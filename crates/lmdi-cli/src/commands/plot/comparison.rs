//! Two models on the rows of a table, as a picture.

use super::Options;
use crate::flags::invalid;
use crate::input::saved_study;
use crate::output::terminal::shortened;
use anyhow::{Context, Result};
use lmdi::study::ModelComparison;
use lmdi_io::printable::printable;
use lmdi_report::plot::{ComparisonData, Picture, comparison};
use std::path::Path;

impl Options {
    /// Draws what two models use, and their predictions against each other.
    pub(super) fn comparison(&self) -> Result<Picture> {
        let table = self.table()?;
        let other_path = self.compare_model.as_deref();
        let other_path = other_path.ok_or_else(|| {
            invalid("compare_model", "not given", "--compare-model FILE, the second model")
        })?;
        let files = saved_study::files(&self.model, table, &self.method)
            .reading("--compare-model", Some(other_path))
            .writing("out", Some(&self.out));
        let reader = self.running.start(&files)?;
        let study = saved_study::load(&self.model, &self.method, &reader)?;
        let other = saved_study::load(other_path, &self.method, &reader)?;
        let explained = saved_study::explain(&study, table, None, &reader)?;
        let others = saved_study::explain(&other, table, None, &reader)?;
        let found = ModelComparison::of((&study, &explained), (&other, &others));
        let found = found.with_context(|| name(other_path))?;
        let labels = study.labels();
        // Of two classes the second is explained.
        let class = match labels.len() {
            2 => 1,
            _ => self.output(&study, explained.scores.n_outputs)?,
        };
        let target = study.schema.target.as_ref().map_or("the prediction", |target| &*target.name);
        let predicted = match labels.get(class) {
            Some(label) => format!("probability of {}", shortened(label)),
            None => shortened(target),
        };
        let of_class = |predictions: &[f64]| -> Vec<f64> {
            predictions.iter().skip(class).step_by(labels.len().max(1)).copied().collect()
        };
        let (own, theirs) = (of_class(&explained.predictions), of_class(&others.predictions));
        let title = format!("Two models that predict {}", shortened(target));
        let data = ComparisonData {
            found: &found,
            names: [&name(&self.model), &name(other_path)],
            predictions: [&own, &theirs],
            predicted: &predicted,
            title: self.title.as_deref().unwrap_or(&title),
        };
        comparison(&data, self.columns(15)).context(explained.rows.table.name.clone())
    }
}

/// The name of a file, as a picture shows it.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    printable(&name.to_string_lossy()).into_owned()
}
