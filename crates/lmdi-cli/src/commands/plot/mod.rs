//! `lmdi plot`: plots of scores as SVG, PNG or PDF.
//!
//! `scores` draws the scores of one model, `comparison` two models, and `stability` the output of
//! `lmdi stability`.

mod comparison;
mod scores;
mod stability;

use crate::flags::invalid;
use crate::flags::method::MethodFlags;
use crate::flags::running::RunFlags;
use crate::output::destination::write_file;
use crate::output::printer::Printer;
use crate::process::console;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use lmdi_io::printable::printable;
use lmdi_report::plot::{Drawn, Look, Picture, check_png, pdf, png};
use scores::ScorePlot;
use std::path::{Path, PathBuf};

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
    /// Paths of many rows, from the base over the scores to base plus scores
    Decision,
    /// Two models: what each uses, and their predictions against each other
    Comparison,
    /// How importances differ between fits, from the JSON file of `lmdi stability`
    Stability,
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
  lmdi plot comparison houses.lmdi houses.csv --compare-model other.lmdi --out models.svg
  lmdi stability houses.csv --target price --out fits.json && lmdi plot stability fits.json --out fits.svg

Plots of many rows show a sample and say so. \
PNG and PDF files use a built-in font, so they look the same everywhere; letters that it lacks, such as \
Chinese ones, come from a system font.")]
pub struct Options {
    /// What to draw
    #[arg(value_enum)]
    kind: Kind,
    /// Model file; LMDI+ needs one with an explainer, as written by `lmdi explain --save`. For
    /// stability, the JSON file of `lmdi stability`
    model: PathBuf,
    /// CSV or Parquet file; - is standard input. Not for stability
    data: Option<PathBuf>,
    /// Where to write: a name ending in .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The row of a waterfall, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    row: Option<u64>,
    /// The column of a scatter plot [default: the one with the largest mean |score|]
    #[arg(long, value_name = "COL")]
    column: Option<String>,
    /// The column that colours the dots of a scatter plot; auto takes the one that interacts most
    /// with the drawn one
    #[arg(long, value_name = "COL|auto")]
    color_by: Option<String>,
    /// The second model of a comparison
    #[arg(long, value_name = "FILE")]
    compare_model: Option<PathBuf>,
    /// Maximum number of columns to draw [default: 15; waterfall: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    top: Option<u32>,
    /// The class to draw, if there are three or more [default: the first; waterfall: the predicted
    /// one]
    #[arg(long, value_name = "LABEL")]
    class: Option<String>,
    /// The heading [default: a description of the plot]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Width in pixels of 1/96 inch; text keeps its size [default: 860, or what suits the plot]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(320..=10_000))]
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
    let picture = match options.kind {
        Kind::Beeswarm => options.scores(ScorePlot::Beeswarm),
        Kind::Bar => options.scores(ScorePlot::Bar),
        Kind::Waterfall => options.scores(ScorePlot::Waterfall),
        Kind::Scatter => options.scores(ScorePlot::Scatter),
        Kind::Heatmap => options.scores(ScorePlot::Heatmap),
        Kind::Decision => options.scores(ScorePlot::Decision),
        Kind::Comparison => options.comparison(),
        Kind::Stability => options.stability(),
    }?;
    let mut out = Printer::beside(None);
    let drawn = options.drawn(picture)?;
    write_file(&options.out, &drawn.bytes, "", &mut out)?;
    if let Some(told) = told_missing(&drawn.missing) {
        console::note(told);
    }
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
                "compare_model",
                self.compare_model.is_some() && self.kind != Kind::Comparison,
                "plot comparison",
            ),
            (
                "top",
                self.top.is_some() && self.kind == Kind::Scatter,
                "another picture than scatter",
            ),
        ];
        if self.kind == Kind::Stability && self.data.is_some() {
            anyhow::bail!("DATA is given; plot stability needs the file of `lmdi stability` alone");
        }
        if let Some((name, _, expected)) = misplaced.iter().find(|(_, misplaced, _)| *misplaced) {
            return Err(invalid(name, "given", *expected));
        }
        self.format().map(|_| ())
    }

    /// The table, which all pictures need but that of stability.
    fn table(&self) -> Result<&Path> {
        let table = self.data.as_deref();
        table.context("DATA is not given; expected the table whose rows are drawn")
    }

    /// What the picture looks like.
    fn look<'a>(&'a self, title: &'a str) -> Look<'a> {
        Look { title: self.title.as_deref().unwrap_or(title), width: self.width.map(f64::from) }
    }

    /// How many columns to draw.
    fn columns(&self, default: usize) -> usize {
        self.top.map_or(default, |top| top as usize)
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

    fn drawn(&self, picture: Picture) -> Result<Drawn> {
        let picture = if self.dark { picture.dark() } else { picture };
        Ok(match self.format()? {
            Format::Svg => Drawn { bytes: picture.svg.into_bytes(), missing: vec![] },
            Format::Png => png(&picture, f64::from(self.dpi))?,
            Format::Pdf => pdf(&picture)?,
        })
    }
}

/// What to do about letters that no font has.
fn told_missing(missing: &[char]) -> Option<String> {
    const SHOWN: usize = 10;
    let shown: Vec<String> = missing.iter().take(SHOWN).map(char::to_string).collect();
    let more = if missing.len() > SHOWN { " and others" } else { "" };
    (!missing.is_empty()).then(|| {
        format!(
            "letters that no font on this computer has are drawn as boxes: {}{more}. Write an .svg file, \
             which keeps them, or install a font that has them, such as Noto Sans CJK for Chinese, \
             Japanese and Korean",
            printable(&shown.join(" "))
        )
    })
}
