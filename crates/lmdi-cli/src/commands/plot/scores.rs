//! Plots of the scores of the rows of a table.

use super::Options;
use crate::flags::invalid;
use crate::input::saved_study;
use crate::output::terminal::shortened;
use crate::process::progress::Bars;
use anyhow::{Context, Result};
use lmdi::study::{Explained, Study};
use lmdi_report::plot::{
    Picture, PlotData, bar, beeswarm, decision, heatmap, scatter, strongest_interaction, waterfall,
};

/// Pictures of the scores of one model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScorePlot {
    Beeswarm,
    Bar,
    Waterfall,
    Scatter,
    Heatmap,
    Decision,
}

impl ScorePlot {
    /// The heading, unless somebody writes another; `row` is the one that a waterfall shows, `column`
    /// that of a scatter plot.
    fn title(self, target: &str, row: usize, column: &str) -> String {
        match self {
            Self::Beeswarm | Self::Bar => format!("What the model uses to predict {target}"),
            Self::Waterfall => format!("Row {}: why this prediction of {target}?", row + 1),
            Self::Scatter => format!("How {column} moves the prediction of {target}"),
            Self::Heatmap => format!("What moves each prediction of {target}"),
            Self::Decision => format!("How predictions of {target} come about"),
        }
    }
}

impl Options {
    /// Draws the scores of the rows of a table.
    pub(super) fn scores(&self, plot: ScorePlot) -> Result<Picture> {
        let table = self.table()?;
        let files =
            saved_study::files(&self.model, table, &self.method).writing("out", Some(&self.out));
        let reader = self.running.start(&files)?;
        let study = saved_study::load(&self.model, &self.method, &reader)?;
        let columns = study.columns();
        let column =
            |name: &Option<String>| name.as_ref().map(|name| columns.position(name)).transpose();
        let chosen = column(&self.column).context("--column")?;
        let is_auto = self.color_by.as_deref() == Some("auto") && columns.position("auto").is_err();
        let by = if is_auto { None } else { column(&self.color_by).context("--color-by")? };
        let explained = saved_study::explain(&study, table, None, &reader)?;
        let (scores, rows) = (&explained.scores, &explained.rows);
        let row = self.row.unwrap_or(1) as usize - 1;
        let output = match explained_class(&explained, row) {
            Some(class) if plot == ScorePlot::Waterfall && self.class.is_none() => class,
            _ => self.output(&study, scores.n_outputs)?,
        };
        let scale = study.meaning().scale(scores.n_outputs);
        let class = match study.labels().get(output) {
            Some(label) if scores.n_outputs > 1 => format!(" = {}", shortened(label)),
            _ => String::new(),
        };
        let target = study.schema.target.as_ref().map_or("the prediction", |target| &*target.name);
        let importance = scores.mean_absolute(output);
        let larger =
            |best: usize, at: usize| if importance[at] > importance[best] { at } else { best };
        let column = chosen.unwrap_or_else(|| (0..importance.len()).fold(0, larger));
        let name = columns.as_slice().get(column).map_or("", |column| &column.name);
        let predicted = format!("{}{class}", shortened(target));
        let title = plot.title(&predicted, row, &shortened(name));
        let errors = if plot == ScorePlot::Waterfall && row < rows.len() {
            study.standard_errors(&explained, &[row], &Bars)?
        } else {
            None
        };
        let data = PlotData {
            rows: explained.view(),
            columns: &columns,
            account: explained.account.as_ref(),
            errors: errors.as_deref(),
            output,
            labels: study.labels(),
            output_scale: study.explainer().scale(),
            scale: &scale,
            look: self.look(&title),
        };
        let picture = match plot {
            ScorePlot::Beeswarm => beeswarm(&data, self.columns(15)),
            ScorePlot::Bar => bar(&data, self.columns(15)),
            ScorePlot::Heatmap => heatmap(&data, self.columns(15)),
            ScorePlot::Decision => decision(&data, self.columns(15)),
            ScorePlot::Waterfall => {
                if row >= rows.len() {
                    let (name, rows) = (&rows.table.name, rows.len());
                    anyhow::bail!("{name} has {rows} rows; there is no row {}", row + 1);
                }
                waterfall(&data, row, self.columns(10))
            }
            ScorePlot::Scatter => {
                let by = if is_auto { strongest_interaction(&data, column)? } else { by };
                scatter(&data, column, by)
            }
        };
        picture.with_context(|| rows.table.name.clone())
    }

    /// The output whose scores are drawn.
    pub(super) fn output(&self, study: &Study, n_outputs: usize) -> Result<usize> {
        let Some(class) = &self.class else { return Ok(0) };
        let labels: Vec<String> =
            study.labels().iter().take(10).map(|label| format!("{label:?}")).collect();
        if n_outputs < 2 {
            return Err(invalid("class", "given", "no class: there is one list of scores only"));
        }
        let place = study.labels().iter().position(|label| label == class);
        place.ok_or_else(|| invalid("class", format!("{class:?}"), labels.join(" or ")))
    }
}

/// The predicted class of a row, where each class has scores of its own.
fn explained_class(explained: &Explained, row: usize) -> Option<usize> {
    let has_classes = explained.scores.n_outputs > 1 && row < explained.rows.len();
    if has_classes { explained.class(row) } else { None }
}
