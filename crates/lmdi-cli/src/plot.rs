//! `lmdi plot`: pictures of scores as SVG or PNG.

use crate::explained::ReadyModel;
use crate::explainer::ExplainerFlags;
use crate::options::{ReadFlags, ThreadFlags, check_writable, wrong};
use crate::scoring::ScoreFlags;
use crate::summary::scale_text;
use crate::terminal::{shortened, size};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use lmdi::named::Named;
use lmdi_io::printable::printable;
use lmdi_report::plot::{
    Picture, Subject, bar, beeswarm, check_png, heatmap, png, scatter, waterfall,
};
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Every score of the most important columns, coloured by value
    Beeswarm,
    /// Mean absolute score of every column
    Bar,
    /// One row, from the base over its scores to the total
    Waterfall,
    /// Scores of one column against its values
    Scatter,
    /// Rows beside columns, coloured by score
    Heatmap,
}

/// Draw the scores of the rows of a table.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi plot beeswarm houses.lmdi houses.csv --out beeswarm.svg
  lmdi plot bar houses.lmdi houses.csv --out bar.png --top 20
  lmdi plot waterfall houses.lmdi houses.csv --row 7 --out row7.svg
  lmdi plot scatter houses.lmdi houses.csv --column size --color-by age --out size.png
  lmdi plot heatmap houses.lmdi houses.csv --out heatmap.svg --method tree-shap

Pictures of many rows show a sample of them and say so. PNG is drawn with a font of its own, so that it looks the same everywhere.")]
pub struct Options {
    /// What to draw
    #[arg(value_enum)]
    kind: Kind,
    /// Model file; for LMDI+ with an explainer, as `lmdi explain --save` writes it
    model: PathBuf,
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// Where to write: a name ending in .svg or .png
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The row that waterfall draws, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    row: Option<u64>,
    /// The column that scatter draws [default: the one with the largest mean |score|]
    #[arg(long, value_name = "COL")]
    column: Option<String>,
    /// A column that scatter colours dots by
    #[arg(long, value_name = "COL")]
    color_by: Option<String>,
    /// Most columns to draw [default: 15; waterfall: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: Option<u32>,
    /// The class whose scores are drawn, of three or more [default: the first]
    #[arg(long, value_name = "LABEL")]
    class: Option<String>,
    /// Pixels of a PNG for each one of the SVG
    #[arg(long, value_name = "X", default_value_t = 2.0)]
    zoom: f64,
    #[command(flatten)]
    explainer: ExplainerFlags,
    #[command(flatten)]
    reading: ReadFlags,
    #[command(flatten)]
    threads: ThreadFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.threads.apply()?;
    options.check()?;
    check_writable(None, Some(&options.out))?;
    let ready = ReadyModel::load(&options.model, &options.explainer, &options.reading)?;
    let column =
        |name: &Option<String>| name.as_ref().map(|name| ready.columns.position(name)).transpose();
    let chosen = column(&options.column).context("--column")?;
    let by = column(&options.color_by).context("--color-by")?;
    let table = ready.explain(&options.data, &options.reading)?;
    let output = options.output(&ready, table.scores.n_outputs)?;
    let scale = scale_text(&ready.subject(), table.scores.n_outputs);
    let class = match ready.labels().get(output) {
        Some(label) if table.scores.n_outputs > 1 => format!(", class {}", shortened(label)),
        _ => String::new(),
    };
    let method = options.explainer.method.name();
    let file = options.data.file_name().unwrap_or(options.data.as_os_str());
    let title = format!("{method} scores of {}{class}", file.to_string_lossy());
    let subject = Subject {
        rows: table.rows(),
        columns: &ready.columns,
        output,
        title: &title,
        scale: &scale,
    };
    let top = |usual: usize| options.top.map_or(usual, |top| top as usize);
    let picture = match options.kind {
        Kind::Beeswarm => beeswarm(&subject, top(15)),
        Kind::Bar => bar(&subject, top(15)),
        Kind::Heatmap => heatmap(&subject, top(15)),
        Kind::Waterfall => {
            let row = options.row.unwrap_or(1) as usize - 1;
            if row >= table.frame.rows() {
                let rows = table.frame.rows();
                anyhow::bail!("{} has {rows} rows; there is no row {}", table.name, row + 1);
            }
            waterfall(&subject, row, top(10))
        }
        Kind::Scatter => {
            let importance = table.scores.mean_absolute(output);
            let largest = || {
                let size = |at: usize| if importance[at].is_nan() { 0.0 } else { importance[at] };
                (0..importance.len())
                    .fold(0, |best, at| if size(at) > size(best) { at } else { best })
            };
            scatter(&subject, chosen.unwrap_or_else(largest), by)
        }
    };
    let picture = picture.with_context(|| table.name.clone())?;
    let bytes = options.bytes(picture)?;
    lmdi_io::atomic::write(&options.out, &bytes)?;
    let name = options.out.display().to_string();
    let mut out = io::stdout().lock();
    Ok(writeln!(out, "Wrote {} ({}).", printable(&name), size(bytes.len() as u64))?)
}

impl Options {
    /// Fails on flags that the picture does not have, before any work.
    fn check(&self) -> Result<()> {
        self.explainer.check(None, &ScoreFlags::plain())?;
        let misplaced = [
            ("row", self.row.is_some() && self.kind != Kind::Waterfall, "plot waterfall"),
            ("column", self.column.is_some() && self.kind != Kind::Scatter, "plot scatter"),
            ("color_by", self.color_by.is_some() && self.kind != Kind::Scatter, "plot scatter"),
            (
                "top",
                self.top.is_some() && self.kind == Kind::Scatter,
                "another picture than scatter",
            ),
        ];
        if let Some((name, _, expected)) = misplaced.iter().find(|(_, wrong, _)| *wrong) {
            return Err(wrong(name, "given", *expected));
        }
        self.ending().map(|_| ())
    }

    /// Whether the picture is to be a PNG.
    fn ending(&self) -> Result<bool> {
        let ending = self.out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "svg" => Ok(false),
            "png" => Ok(check_png().map(|()| true)?),
            _ => Err(wrong("out", format!("{:?}", self.out), "a name that ends in .svg or .png")),
        }
    }

    fn output(&self, ready: &ReadyModel, n_outputs: usize) -> Result<usize> {
        let Some(class) = &self.class else { return Ok(0) };
        let labels: Vec<String> =
            ready.labels().iter().take(10).map(|label| format!("{label:?}")).collect();
        if n_outputs < 2 {
            return Err(wrong("class", "given", "no class: there is one list of scores only"));
        }
        let place = ready.labels().iter().position(|label| label == class);
        place.ok_or_else(|| wrong("class", format!("{class:?}"), labels.join(" or ")))
    }

    fn bytes(&self, picture: Picture) -> Result<Vec<u8>> {
        Ok(if self.ending()? { png(&picture, self.zoom)? } else { picture.svg.into_bytes() })
    }
}
