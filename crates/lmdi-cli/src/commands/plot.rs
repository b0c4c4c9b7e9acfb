//! `lmdi plot`: pictures of scores as SVG or PNG.

use crate::flags::invalid;
use crate::flags::method::MethodFlags;
use crate::flags::running::RunFlags;
use crate::input::saved_study;
use crate::output::destination::write_file;
use crate::output::printer::Printer;
use crate::output::terminal::shortened;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use lmdi::named::Named;
use lmdi::study::Study;
use lmdi_report::plot::{
    Picture, PlotData, bar, beeswarm, check_png, heatmap, png, scatter, waterfall,
};
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
    method: MethodFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    options.check()?;
    let files = saved_study::files(&options.model, &options.data, &options.method)
        .writing("out", Some(&options.out));
    let reader = options.running.start(&files)?;
    let mut out = Printer::beside(None);
    let study = saved_study::load(&options.model, &options.method, &reader)?;
    let columns = study.columns();
    let column =
        |name: &Option<String>| name.as_ref().map(|name| columns.position(name)).transpose();
    let chosen = column(&options.column).context("--column")?;
    let by = column(&options.color_by).context("--color-by")?;
    let explained = saved_study::explain(&study, &options.data, None, &reader)?;
    let (scores, rows) = (&explained.scores, &explained.rows);
    let output = options.output(&study, scores.n_outputs)?;
    let scale = study.meaning().scale(scores.n_outputs);
    let class = match study.labels().get(output) {
        Some(label) if scores.n_outputs > 1 => format!(", class {}", shortened(label)),
        _ => String::new(),
    };
    let method = options.method.method.name();
    let file = options.data.file_name().unwrap_or(options.data.as_os_str());
    let title = format!("{method} scores of {}{class}", file.to_string_lossy());
    let data = PlotData {
        rows: explained.view(),
        columns: &columns,
        account: explained.account.as_ref(),
        output,
        title: &title,
        scale: &scale,
    };
    let top = |default: usize| options.top.map_or(default, |top| top as usize);
    let picture = match options.kind {
        Kind::Beeswarm => beeswarm(&data, top(15)),
        Kind::Bar => bar(&data, top(15)),
        Kind::Heatmap => heatmap(&data, top(15)),
        Kind::Waterfall => {
            let row = options.row.unwrap_or(1) as usize - 1;
            if row >= rows.len() {
                let (name, rows) = (&rows.table.name, rows.len());
                anyhow::bail!("{name} has {rows} rows; there is no row {}", row + 1);
            }
            waterfall(&data, row, top(10))
        }
        Kind::Scatter => {
            let importance = scores.mean_absolute(output);
            let larger = |best: usize, at: usize| {
                if importance[at] > importance[best] { at } else { best }
            };
            let largest = || (0..importance.len()).fold(0, larger);
            scatter(&data, chosen.unwrap_or_else(largest), by)
        }
    };
    let picture = picture.with_context(|| rows.table.name.clone())?;
    let bytes = options.bytes(picture)?;
    write_file(&options.out, &bytes, "", &mut out)?;
    out.finish()
}

impl Options {
    /// Fails on flags that the picture does not have, before any work.
    fn check(&self) -> Result<()> {
        self.method.check(None, None)?;
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
        if let Some((name, _, expected)) = misplaced.iter().find(|(_, misplaced, _)| *misplaced) {
            return Err(invalid(name, "given", *expected));
        }
        self.ending().map(|_| ())
    }

    /// Whether the picture is to be a PNG.
    fn ending(&self) -> Result<bool> {
        let ending = self.out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "svg" => Ok(false),
            "png" => Ok(check_png().map(|()| true)?),
            _ => Err(invalid("out", format!("{:?}", self.out), "a name that ends in .svg or .png")),
        }
    }

    fn output(&self, study: &Study, n_outputs: usize) -> Result<usize> {
        let Some(class) = &self.class else { return Ok(0) };
        let labels: Vec<String> =
            study.labels().iter().take(10).map(|label| format!("{label:?}")).collect();
        if n_outputs < 2 {
            return Err(invalid("class", "given", "no class: there is one list of scores only"));
        }
        let place = study.labels().iter().position(|label| label == class);
        place.ok_or_else(|| invalid("class", format!("{class:?}"), labels.join(" or ")))
    }

    fn bytes(&self, picture: Picture) -> Result<Vec<u8>> {
        Ok(if self.ending()? { png(&picture, self.zoom)? } else { picture.svg.into_bytes() })
    }
}
