//! A plot of two models on the rows of a table.

use super::Options;
use crate::flags::invalid;
use crate::flags::method::MethodFlags;
use crate::input::{model_file, saved_study};
use crate::output::terminal::shortened;
use crate::process::console::note;
use anyhow::{Context, Result};
use lmdi::importance::Method;
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
        saved_study::check(&self.method)?;
        let models = (model_file::load(&self.model)?, model_file::load(other_path)?);
        let (flags, note) = self.shared_method([
            (&self.model, models.0.explainer.is_some()),
            (other_path, models.1.explainer.is_some()),
        ]);
        let study = saved_study::study_of(models.0, &self.model, &flags, &reader)?;
        let other = saved_study::study_of(models.1, other_path, &flags, &reader)?;
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
            note: &note,
            look: self.look(&title),
        };
        comparison(&data, self.columns(15)).context(explained.rows.table.name.clone())
    }
}

impl Options {
    /// The method that explains both models, and what the picture says about it. Models that keep no
    /// LMDI+ explainer, such as those of other libraries, are explained by TreeSHAP, and so is the
    /// other one: shares of two methods cannot be compared.
    fn shared_method(&self, models: [(&Path, bool); 2]) -> (MethodFlags, String) {
        let without = models.iter().find(|(_, has_explainer)| !has_explainer);
        match without.filter(|_| self.method.is_lmdi_plus()) {
            None => (self.method.clone(), String::new()),
            Some((path, _)) => {
                let name = name(path);
                note(format_args!(
                    "{name} keeps no explainer, so TreeSHAP explains both models; for LMDI+ fit one with {}",
                    model_file::explainer_command(path)
                ));
                let flags = MethodFlags { method: Method::TreeShap, ..self.method.clone() };
                (flags, format!("; both explained by TreeSHAP, since {name} keeps no explainer"))
            }
        }
    }
}

/// The name of a file, as a picture shows it.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    printable(&name.to_string_lossy()).into_owned()
}
