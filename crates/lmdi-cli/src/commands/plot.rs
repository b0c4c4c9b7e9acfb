//! `lmdi plot`: pictures of scores as SVG, PNG or PDF.

use crate::flags::invalid;
use crate::flags::method::MethodFlags;
use crate::flags::running::RunFlags;
use crate::input::saved_study;
use crate::output::destination::write_file;
use crate::output::printer::Printer;
use crate::output::terminal::shortened;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use lmdi::study::Study;
use lmdi_report::plot::{
    Picture, PlotData, bar, beeswarm, check_png, decision, heatmap, pdf, png, scatter,
    strongest_interaction, waterfall,
};
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Every score of the most important columns, coloured by value
    Beeswarm,
    /// Mean absolute score of every column
    Bar,
    /// One row, from the base to the prediction
    Waterfall,
    /// Scores of one column against its values
    Scatter,
    /// Rows by columns, coloured by score
    Heatmap,
    /// Paths of many rows from the base over the scores to what is explained
    Decision,
}

/// What a picture is written as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Svg,
    Png,
    Pdf,
}

/// Draw the scores of the rows of a table.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi plot beeswarm houses.lmdi houses.csv --out beeswarm.svg
  lmdi plot bar houses.lmdi houses.csv --out bar.png --top 20
  lmdi plot waterfall houses.lmdi houses.csv --row 7 --out row7.svg
  lmdi plot scatter houses.lmdi houses.csv --column size --color-by age --out size.png
  lmdi plot scatter houses.lmdi houses.csv --column size --color-by auto --out size.pdf
  lmdi plot heatmap houses.lmdi houses.csv --out heatmap.svg --method tree-shap
  lmdi plot decision houses.lmdi houses.csv --title 'How prices come about' --out decision.pdf --width 600

Plots of many rows show a sample and say so. PNG and PDF files are drawn with a built-in font, so they look the same everywhere.")]
pub struct Options {
    /// What to draw
    #[arg(value_enum)]
    kind: Kind,
    /// Model file; for LMDI+ with an explainer, as `lmdi explain --save` writes it
    model: PathBuf,
    /// CSV or Parquet file; - is standard input
    data: PathBuf,
    /// Where to write: a name ending in .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The row that waterfall draws, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    row: Option<u64>,
    /// The column that scatter draws [default: the one with the largest mean |score|]
    #[arg(long, value_name = "COL")]
    column: Option<String>,
    /// The column that colours the dots of a scatter plot; auto is the one that interacts most with
    /// the drawn one
    #[arg(long, value_name = "COL|auto")]
    color_by: Option<String>,
    /// Most columns to draw [default: 15; waterfall: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: Option<u32>,
    /// The class whose scores are drawn, of three or more [default: the first]
    #[arg(long, value_name = "LABEL")]
    class: Option<String>,
    /// The heading [default: says what is drawn]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Width in pixels of 1/96 inch; the height follows [default: 860]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(50..=10_000))]
    width: Option<u32>,
    /// Pixels per inch of a PNG
    #[arg(long, value_name = "N", default_value_t = 192, value_parser = clap::value_parser!(u32).range(24..=2400))]
    dpi: u32,
    /// Draw for a dark page
    #[arg(long)]
    dark: bool,
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
    let is_auto = options.color_by.as_deref() == Some("auto") && columns.position("auto").is_err();
    let by = if is_auto { None } else { column(&options.color_by).context("--color-by")? };
    let explained = saved_study::explain(&study, &options.data, None, &reader)?;
    let (scores, rows) = (&explained.scores, &explained.rows);
    let output = options.output(&study, scores.n_outputs)?;
    let scale = study.meaning().scale(scores.n_outputs);
    let class = match study.labels().get(output) {
        Some(label) if scores.n_outputs > 1 => format!(", class {}", shortened(label)),
        _ => String::new(),
    };
    let target = study.schema.target.as_ref().map_or("the prediction", |target| &*target.name);
    let target = format!("{}{class}", shortened(target));
    let title = match (&options.title, options.kind) {
        (Some(title), _) => title.clone(),
        (None, Kind::Beeswarm | Kind::Bar) => format!("What the model uses to predict {target}"),
        (None, Kind::Waterfall) => format!("Why this prediction of {target}?"),
        (None, Kind::Scatter) => format!("How one column moves the prediction of {target}"),
        (None, Kind::Heatmap) => format!("Scores of many rows, {target}"),
        (None, Kind::Decision) => format!("How predictions of {target} come about"),
    };
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
        Kind::Decision => decision(&data, top(15)),
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
            let column = chosen.unwrap_or_else(largest);
            let by = if is_auto { strongest_interaction(&data, column)? } else { by };
            scatter(&data, column, by)
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
        self.format().map(|_| ())
    }

    /// What the picture is to be written as.
    fn format(&self) -> Result<Format> {
        let ending = self.out.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "svg" => Ok(Format::Svg),
            "png" => Ok(check_png().map(|()| Format::Png)?),
            "pdf" => Ok(check_png().map(|()| Format::Pdf)?),
            _ => Err(invalid(
                "out",
                format!("{:?}", self.out),
                "a name that ends in .svg, .png or .pdf",
            )),
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
        let picture = if self.dark { picture.dark() } else { picture };
        let picture = match self.width {
            Some(width) => picture.wide(f64::from(width)),
            None => picture,
        };
        // An SVG has 96 pixels to the inch.
        Ok(match self.format()? {
            Format::Svg => picture.svg.into_bytes(),
            Format::Png => png(&picture, f64::from(self.dpi) / 96.0)?,
            Format::Pdf => pdf(&picture)?,
        })
    }
}
