//! `--report`: what the command knows about a run, gathered for the page.

mod facts;
mod groups;
mod methods;
mod stability;

use crate::explainer::Explainer;
use crate::preparation::ScoreRows;
use crate::progress::Progress;
use crate::quality::Sample;
use crate::scoring::{Asked, ScoreFlags, Scored, Subject};
use crate::summary;
use crate::terminal::size;
use anyhow::Result;
use lmdi::file::Model;
use lmdi::forest::{Aggregation, Outcome};
use lmdi::importance::lmdi_plus::{OutputScale, TreeSubset};
use lmdi::importance::{Method, Scores};
use lmdi::table::{Matrix, Values};
use lmdi_io::printable::printable;
use lmdi_report::page::contract::{Scale, ScaleKind};
use lmdi_report::page::{Column, Contents, page, sample_rows};
use std::io::Write;
use std::path::Path;

/// Scores of rows by a model that is trained and explained again with another seed.
pub type ExplainAgain<'a> = &'a dyn Fn(u64, &Matrix) -> Result<Scores>;

/// A run of `explain` up to its scores.
pub struct Run<'a> {
    pub model: &'a Model,
    pub subject: &'a Subject<'a>,
    pub asked: &'a Asked<'a>,
    pub scored: &'a Scored,
    pub flags: &'a ScoreFlags,
    pub rows: &'a ScoreRows,
    /// How the explainer was fitted, in words.
    pub how: &'a str,
    pub method: Method,
    /// Methods to compare with.
    pub compare: &'a [Method],
    /// How often to explain again, and how.
    pub runs: u8,
    pub again: Option<ExplainAgain<'a>>,
    /// Quality of LMDI+ itself, if measured.
    pub of_explainer: Option<&'a Sample>,
    /// What a reader must know.
    pub warnings: Vec<String>,
    /// The tables that were read.
    pub tables: &'a [Option<&'a Path>],
}

/// Writes the page, whole or not at all, and says where it is.
pub fn write_and_tell(run: &Run<'_>, path: &Path, out: &mut dyn Write) -> Result<()> {
    let bytes = run.page()?.into_bytes();
    lmdi_io::atomic::write(path, &bytes)?;
    let name = path.display().to_string();
    let length = size(bytes.len() as u64);
    Ok(writeln!(out, "\nWrote {} ({length}); open it in a browser.", printable(&name))?)
}

impl Run<'_> {
    fn page(&self) -> Result<String> {
        let Self { model, subject, asked, scored, rows, .. } = self;
        let scores = &scored.scores;
        let per_row = scores.n_features * scores.n_outputs;
        let chosen = sample_rows(scores.n_rows, per_row, self.seed());
        let of_chosen = take_rows(scores, &chosen);
        let errors = self.standard_errors(&chosen)?;
        let of_model = match subject.explainer {
            Explainer::LmdiPlus(_) => {
                let progress = Progress::new("Predicting", scores.n_rows as u64);
                Some(model.ensemble.predict(&asked.x.view(), &progress)?)
            }
            // Its scores stand beside the model's own predictions already.
            Explainer::Other(_) => None,
        };
        let members = self.flags.members(subject.schema)?;
        let columns = scored.names.iter().zip(&members).map(|(name, members)| {
            let is_column = members.len() == 1 && members[0] == *name;
            Column {
                name,
                members: if is_column { vec![] } else { members.clone() },
                cells: asked.frame.column(name).filter(|_| is_column).map(|column| &column.values),
            }
        });
        let contents = Contents {
            about: self.about(of_model.as_deref())?,
            scale: self.scale(),
            labels: self.labels(),
            columns: columns.collect(),
            rows: &chosen,
            of_table: asked.of_table,
            scores,
            errors: errors.as_deref(),
            predictions: &scored.predictions,
            model_predictions: of_model.as_deref(),
            truth: rows.truth.as_ref().map(|(truth, _)| truth.response()),
            residuals: scored.residuals.clone(),
            map: self.places(),
            groups: self.groups(&chosen, &of_chosen)?,
            stability: self.stability(&chosen, &of_chosen)?,
            methods: self.methods(&chosen, &of_chosen)?,
        };
        Ok(page(&contents))
    }

    fn seed(&self) -> u64 {
        self.model.metadata.seed.unwrap_or(0)
    }

    /// Names of the classes, if classes are predicted.
    fn labels(&self) -> &[String] {
        match &self.subject.ensemble.outcome {
            Outcome::Classes(labels) => labels,
            Outcome::Number => &[],
        }
    }

    /// Standard errors over the trees of the chosen rows, where trees are repeated measurements.
    fn standard_errors(&self, chosen: &[usize]) -> Result<Option<Vec<f64>>> {
        let boosted = matches!(self.subject.ensemble.aggregation, Aggregation::Sum { .. });
        let (Explainer::LmdiPlus(explainer), false) = (self.subject.explainer, boosted) else {
            return Ok(None);
        };
        let groups = self.flags.grouping(self.subject.schema)?.1;
        let progress = Progress::new("Standard errors", chosen.len() as u64);
        let errors = |x: &Matrix| {
            explainer.group_standard_errors(&x.view(), &groups, self.asked.trees, &progress)
        };
        if let TreeSubset::All = self.asked.trees {
            return Ok(Some(errors(&self.asked.x.take_rows(chosen))?));
        }
        // Which trees saw a row is known by its place among all.
        let all = errors(self.asked.x)?;
        let width = self.scored.scores.n_features * self.scored.scores.n_outputs;
        let of_row = |&row: &usize| all[row * width..(row + 1) * width].iter().copied();
        Ok(Some(chosen.iter().flat_map(of_row).collect()))
    }

    /// The columns of latitudes and longitudes, known by their names.
    fn places(&self) -> Option<[(&str, &[f64]); 2]> {
        let find = |names: &[&str]| {
            self.asked.frame.columns().iter().find_map(|column| match &column.values {
                Values::Numbers(cells) if names.contains(&&*column.name.to_lowercase()) => {
                    Some((column.name.as_str(), cells.as_slice()))
                }
                _ => None,
            })
        };
        let latitude = find(&["latitude", "lat"])?;
        Some([latitude, find(&["longitude", "long", "lon", "lng"])?])
    }

    fn scale(&self) -> Scale {
        let subject = self.subject;
        let kind = match (subject.explainer.adds_up_to(), subject.explainer.scale()) {
            (Some(_), _) => ScaleKind::Other,
            (None, OutputScale::Identity) => match &subject.ensemble.outcome {
                Outcome::Number => ScaleKind::Units,
                Outcome::Classes(_) => ScaleKind::Probability,
            },
            (None, OutputScale::LogOdds | OutputScale::Softmax) => ScaleKind::LogOdds,
            (None, OutputScale::Log) => ScaleKind::Log,
        };
        Scale {
            kind,
            text: summary::scale_text(subject, self.scored.scores.n_outputs),
            total: summary::total_text(subject).to_owned(),
        }
    }
}

/// Scores of some of the rows.
fn take_rows(scores: &Scores, rows: &[usize]) -> Scores {
    let k = scores.n_outputs;
    let base = rows.iter().flat_map(|&row| &scores.base[row * k..(row + 1) * k]).copied();
    Scores {
        n_rows: rows.len(),
        values: rows.iter().flat_map(|&row| scores.row(row)).copied().collect(),
        base: base.collect(),
        standard_error: None,
        ..*scores
    }
}
