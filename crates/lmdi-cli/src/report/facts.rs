//! What was explained, for the record: data, model, quality, options, versions, hashes.

use super::{Run, methods};
use crate::quality;
use crate::terminal::{count, counted};
use anyhow::{Context, Result};
use lmdi::file::Metadata;
use lmdi::importance::lmdi_plus::TreeSubset;
use lmdi::table::metrics::r2;
use lmdi::table::{Reason, Schema};
use lmdi_io::printable::printable;
use lmdi_report::page::contract::{About, FactGroup, Measure, Quality};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::Path;

/// Below this R2 between explained and own predictions the reader is warned, on rows that are new to the model.
const FAITHFUL: f64 = 0.8;

/// The same on its training rows, of which a model also knows noise that LMDI+ is fitted to leave out.
const FAITHFUL_IN_TRAINING: f64 = 0.5;

impl Run<'_> {
    /// What was explained; `of_model` are the model's own predictions, where they differ.
    pub(super) fn about(&self, of_model: Option<&[f64]>) -> Result<About> {
        let fidelity = of_model.map(|of_model| self.fidelity(of_model));
        let mut warnings = self.warnings.clone();
        let least = if self.rows.are_training_rows { FAITHFUL_IN_TRAINING } else { FAITHFUL };
        if let Some(fidelity) = fidelity.filter(|&fidelity| fidelity < least) {
            warnings.push(unfaithful(fidelity));
        }
        let target = self.subject.schema.target.as_ref();
        Ok(About {
            table: Path::new(self.asked.table)
                .file_name()
                .map_or(self.asked.table.into(), |name| name.to_string_lossy().into_owned()),
            target: target.map_or("the prediction".into(), |target| target.name.clone()),
            method: methods::title(self.method).to_owned(),
            row_kind: self.rows.what.to_owned(),
            rows_explained: self.scored.scores.n_rows,
            quality: self.quality(),
            fidelity,
            warnings,
            facts: vec![self.data_facts()?, self.model_facts(), self.explanation_facts()],
        })
    }

    /// R2 of the explained predictions as predictions of the model's own; of classes over all probabilities.
    fn fidelity(&self, of_model: &[f64]) -> f64 {
        let pairs = of_model.iter().zip(&self.scored.predictions);
        let (model, explained): (Vec<f64>, Vec<f64>) =
            pairs.filter(|(_, explained)| !explained.is_nan()).unzip();
        r2(&model, &explained, None)
    }

    /// Hold-out rows first: they tell most.
    fn quality(&self) -> Vec<Quality> {
        let measured = &self.model.metadata.quality;
        let mut samples: Vec<&str> = measured.iter().map(|quality| &*quality.sample).collect();
        samples.dedup();
        samples.sort_by_key(|sample| *sample != "holdout");
        let of_model = samples.into_iter().map(|sample| Quality {
            sample: quality::sample_title(sample).to_owned(),
            rows: match sample {
                "oob" => self.model.metadata.training_rows.map(|rows| rows as usize),
                "holdout" if !self.rows.are_training_rows => {
                    self.rows.truth.as_ref().map(|(truth, _)| truth.response().len())
                }
                _ => None,
            },
            measures: measured
                .iter()
                .filter(|quality| quality.sample == sample)
                .map(|found| measure(&found.measure, found.value))
                .collect(),
        });
        let of_explainer = self.of_explainer.map(|sample| Quality {
            sample: quality::sample_title(sample.name).to_owned(),
            rows: Some(sample.rows),
            measures: sample.measures.iter().map(|&(name, value)| measure(name, value)).collect(),
        });
        of_model.chain(of_explainer).collect()
    }

    fn data_facts(&self) -> Result<FactGroup> {
        let mut entries = vec![
            (
                "Rows explained".into(),
                format!("{} {}", count(self.asked.of_table.len()), self.rows.what),
            ),
            ("Columns used".into(), count(self.subject.schema.columns.len())),
        ];
        let dropped = dropped_text(self.subject.schema);
        if !dropped.is_empty() {
            entries.push(("Columns left out".into(), dropped));
        }
        for path in self.tables.iter().copied().flatten() {
            let name = path.display().to_string();
            // Standard input and pipes cannot be read twice.
            if path.is_file() {
                let sum =
                    file_hash(path).with_context(|| format!("cannot read {}", printable(&name)))?;
                let short = path.file_name().unwrap_or_default().to_string_lossy();
                entries.push((format!("SHA-256 of {}", printable(&short)), sum));
            }
        }
        if let Some(fingerprint) = &self.model.metadata.fingerprint {
            entries.push(("SHA-256 of the training matrix".into(), fingerprint.to_string()));
        }
        Ok(FactGroup { title: "Data".into(), entries })
    }

    fn model_facts(&self) -> FactGroup {
        let ensemble = self.subject.ensemble;
        let leaves: usize = ensemble.trees.iter().map(|tree| tree.n_leaves()).sum();
        let Metadata { producer, training_options, seed, training_rows, .. } = &self.model.metadata;
        let mut entries = vec![(
            "Trees".into(),
            format!(
                "{} with {}",
                counted(ensemble.trees.len(), "tree"),
                counted(leaves, "leaf").replace("leafs", "leaves")
            ),
        )];
        entries.extend(training_rows.map(|rows| ("Training rows".into(), count(rows))));
        for line in training_options.lines() {
            let (name, value) = line.split_once(" = ").unwrap_or(("Options", line));
            entries.push((name.to_owned(), value.to_owned()));
        }
        entries.extend(seed.map(|seed| ("seed".into(), seed.to_string())));
        if !producer.is_empty() {
            entries.push(("Trained by".into(), producer.clone()));
        }
        FactGroup { title: "Model".into(), entries }
    }

    fn explanation_facts(&self) -> FactGroup {
        let mut entries = vec![("Method".into(), methods::title(self.method).to_owned())];
        for (at, part) in self.how.split("; ").filter(|part| !part.is_empty()).enumerate() {
            let name = if at == 0 { "Linear models" } else { "Their inputs" };
            entries.push((name.into(), part.to_owned()));
        }
        let trees = match self.asked.trees {
            TreeSubset::All => "all",
            TreeSubset::OutOfBag(_) => "those that did not see the row",
            TreeSubset::InBag(_) => "those that saw the row",
        };
        entries.push(("Trees of a score".into(), trees.into()));
        if self.again.is_none() {
            entries.push(("Stability".into(), "not measured (--stability-runs)".into()));
        }
        entries.push(("Explained by".into(), Metadata::of_this_library().producer));
        FactGroup { title: "Explanation".into(), entries }
    }
}

fn unfaithful(fidelity: f64) -> String {
    format!(
        "LMDI+ shows only {:.0} % of the differences between the model's predictions, so its scores understate them. \
         Another penalty may come closer: try --glm lasso or --glm ridge.",
        100.0 * fidelity.max(0.0)
    )
}

fn measure(name: &str, value: f64) -> Measure {
    Measure { name: quality::title(name).to_owned(), value }
}

fn dropped_text(schema: &Schema) -> String {
    let texts: Vec<String> = schema
        .dropped
        .iter()
        .map(|column| match column.reason {
            Reason::Kind(kind) => format!("{} ({})", column.name, kind.name()),
            Reason::Asked => format!("{} (asked)", column.name),
        })
        .collect();
    texts.join(", ")
}

fn file_hash(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut std::fs::File::open(path)?, &mut Hashing(&mut hasher))?;
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Takes what is written into a hash.
struct Hashing<'a>(&'a mut Sha256);

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
