//! Lines with bands: means of repeated measurements and their standard errors, in panels side by
//! side.

use super::drawing::axis::Axis;
use super::drawing::heading::Heading;
use super::drawing::number::texts_of;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL};
use super::drawing::text::width_of;
use crate::Result;

/// A mean and its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where it stands.
    pub x: f64,
    /// The mean; a point that is not finite is left out.
    pub mean: f64,
    /// Half the height of the band; not finite is no band.
    pub error: f64,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend. The same name has the same colour in all panels.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// Lines over the same axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What it shows.
    pub title: String,
    /// Its lines.
    pub series: Vec<Series>,
}

/// Panels in rows under one heading.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// The heading.
    pub title: String,
    /// The line below it.
    pub subtitle: String,
    /// What runs to the right.
    pub x_title: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// How many panels are in a row.
    pub per_row: usize,
}

/// Colours that people with any colour vision can tell apart (Okabe and Ito), with black and a dark
/// violet for the last two.
const COLOURS: [&str; 9] = [
    "#d55e00", "#e69f00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#8a8a8a", "#222222",
    "#7a5195",
];

const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 52.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 30.0;
const LEGEND: f64 = 18.0;

/// Draws the chart.
///
/// ```
/// use lmdi_report::plot::{LineChart, Panel, Point, Series, lines};
/// let points = vec![Point { x: 1.0, mean: 0.6, error: 0.1 }, Point { x: 2.0, mean: 0.8, error: 0.05 }];
/// let panel = Panel { title: "houses".into(), series: vec![Series { name: "ours".into(), points }] };
/// let picture = lines(&LineChart {
///     title: "How well".into(),
///     subtitle: "mean and standard error".into(),
///     x_title: "rows".into(),
///     panels: vec![panel],
///     per_row: 3,
/// })?;
/// assert!(picture.svg.contains("polyline"));
/// # Ok::<(), lmdi_report::Error>(())
/// ```
pub fn lines(chart: &LineChart) -> Result<Picture> {
    if chart.panels.is_empty() || chart.per_row == 0 {
        return Err(lmdi::Error::Data("there is no panel to draw".into()).into());
    }
    let mut names: Vec<&str> = Vec::new();
    for series in chart.panels.iter().flat_map(|panel| &panel.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    let per_row = chart.per_row.min(chart.panels.len());
    let n_rows = chart.panels.len().div_ceil(per_row);
    let (cell_width, cell_height) = (LEFT + WIDTH + 14.0, ABOVE + HEIGHT + BELOW);
    let width = (16.0 + per_row as f64 * cell_width).max(620.0);
    let legend = legend_places(&names, width);
    let legend_height = legend.last().map_or(0.0, |(_, y)| y + LEGEND);
    let heading = Heading::new(&chart.title, &chart.subtitle, width);
    let below = heading.bottom() + 12.0;
    let bottom = below + legend_height + n_rows as f64 * cell_height;
    let mut canvas = Canvas::new(width, bottom + 30.0, &chart.title);
    heading.draw(&mut canvas);
    for (index, (name, (x, y))) in names.iter().zip(&legend).enumerate() {
        let (x, y) = (*x, below + y);
        canvas.rectangle((x, y), (x + 14.0, y + 4.0), colour(index));
        canvas.text((x + 20.0, y + 7.0), Anchor::Start, SMALL, INK, name, 300.0);
    }
    for (index, panel) in chart.panels.iter().enumerate() {
        let left = 16.0 + LEFT + (index % per_row) as f64 * cell_width;
        let top = below + legend_height + ABOVE + (index / per_row) as f64 * cell_height;
        draw_panel(&mut canvas, panel, &names, (left, top));
    }
    canvas.text((width / 2.0, bottom + 16.0), Anchor::Middle, SMALL, FAINT, &chart.x_title, width);
    Ok(canvas.finish())
}

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// The place of every name of the legend, in as many lines as they need.
fn legend_places(names: &[&str], width: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (16.0, 0.0);
    names
        .iter()
        .map(|name| {
            let room = 36.0 + width_of(name, SMALL);
            if x + room > width && x > 16.0 {
                (x, y) = (16.0, y + LEGEND);
            }
            let place = (x, y);
            x += room;
            place
        })
        .collect()
}

fn draw_panel(canvas: &mut Canvas, panel: &Panel, names: &[&str], (left, top): (f64, f64)) {
    let (right, bottom) = (left + WIDTH, top + HEIGHT);
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let ends = |point: &Point| {
        let error = if point.error.is_finite() { point.error } else { 0.0 };
        [point.mean - error, point.mean + error]
    };
    let across = Axis::covering(points().map(|point| point.x), left, right);
    let up = Axis::covering(points().flat_map(ends), bottom, top);
    canvas.text((left, top - 10.0), Anchor::Start, SMALL, INK, &panel.title, WIDTH);
    up.draw_left(canvas, left, right);
    let mut places: Vec<f64> = points().map(|point| point.x).filter(|x| x.is_finite()).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    // Few different places are shown as they are, many by round numbers.
    let ticks = if places.len() <= 6 {
        let texts = texts_of(&places);
        places.into_iter().zip(texts).collect()
    } else {
        across.ticks()
    };
    for (tick, text) in ticks {
        let x = across.place(tick);
        canvas.line((x, bottom), (x, bottom + 4.0), RULE);
        canvas.text((x, bottom + 17.0), Anchor::Middle, SMALL, FAINT, &text, 80.0);
    }
    for series in &panel.series {
        let index = names.iter().position(|name| *name == series.name).unwrap_or(0);
        let shown: Vec<&Point> =
            series.points.iter().filter(|p| p.x.is_finite() && p.mean.is_finite()).collect();
        let place = |x: f64, y: f64| (across.place(x), up.place(y));
        let mut band: Vec<(f64, f64)> = shown.iter().map(|p| place(p.x, ends(p)[1])).collect();
        band.extend(shown.iter().rev().map(|p| place(p.x, ends(p)[0])));
        canvas.band(&band, colour(index));
        let line: Vec<(f64, f64)> = shown.iter().map(|p| place(p.x, p.mean)).collect();
        canvas.polyline(&line, colour(index));
        for &at in &line {
            canvas.dot(at, 2.5, colour(index));
        }
    }
}
