//! Paths of many rows from the base to `explained`: one line per row, which adds up the scores of
//! the columns from the least to the most important.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::heading::Heading;
use super::drawing::number::short;
use super::drawing::svg::{Anchor, Canvas, INK, Picture, RULE, SMALL};
use super::{PlotData, label, label_room};
use crate::Result;

const WIDTH: f64 = 860.0;
const STEP: f64 = 28.0;
const RIGHT: f64 = 40.0;
/// More lines would hide one another.
const MOST: usize = 200;

/// Draws the paths over the `top` most important columns; what the others add is in the start.
pub fn decision(data: &PlotData<'_>, top: usize) -> Result<Picture> {
    data.check()?;
    let order = data.by_importance();
    let shown: Vec<usize> = order.iter().take(top.max(1)).map(|&(column, _)| column).collect();
    let rest: Vec<usize> = order.iter().skip(top.max(1)).map(|&(column, _)| column).collect();
    let (rows, which) = data.sample(MOST);
    let paths: Vec<Vec<f64>> = rows.iter().map(|&row| path(data, row, &shown, &rest)).collect();
    let width = data.look.width(WIDTH);
    let left = label_room(shown.iter().map(|&column| data.name(column)), width);
    let others = match rest.len() {
        0 => String::new(),
        1 => "; 1 other column is in the start".into(),
        n => format!("; {n} other columns are in the start"),
    };
    let line = format!(
        "one line for each of {which}, from the base below to what is explained above{others}"
    );
    let heading = Heading::new(data.look.title, &line, width);
    let top = heading.bottom() + 24.0;
    let bottom = top + STEP * shown.len() as f64;
    let mut canvas = Canvas::new(width, bottom + 52.0, data.look.title);
    heading.draw(&mut canvas);
    let axis = Axis::covering(paths.iter().flatten().copied(), left, width - RIGHT);
    axis.draw_below(&mut canvas, top - 6.0, bottom, &format!("base plus scores, {}", data.scale));
    for (at, &column) in shown.iter().enumerate() {
        let y = top + STEP * (at as f64 + 0.5);
        canvas.line((left, y), (width - RIGHT, y), RULE);
        label(&mut canvas, left, y + 4.0, data.name(column));
    }
    let ends: Vec<f64> = paths.iter().map(|path| path[path.len() - 1]).collect();
    let shares = colour::shares(&ends);
    for (path, share) in paths.iter().zip(shares) {
        // A path starts at the bottom and ends above the most important column.
        let place =
            |(step, level): (usize, &f64)| (axis.place(*level), bottom - STEP * step as f64);
        let places: Vec<(f64, f64)> = path.iter().enumerate().map(place).collect();
        canvas.polyline(&places, &colour::of_share(share));
    }
    let mean = ends.iter().sum::<f64>() / ends.len().max(1) as f64;
    let text = format!("mean {}", short(mean));
    canvas.text((axis.place(mean), top - 10.0), Anchor::Middle, SMALL, INK, &text, 120.0);
    Ok(canvas.finish())
}

/// The levels of a row: the base with all columns that are not shown, then one column after the
/// other, the most important last.
fn path(data: &PlotData<'_>, row: usize, shown: &[usize], rest: &[usize]) -> Vec<f64> {
    let base = data.rows.scores.base[row * data.rows.scores.n_outputs + data.output];
    let start = base + rest.iter().map(|&column| data.score(row, column)).sum::<f64>();
    let mut levels = vec![start];
    let mut level = start;
    for &column in shown.iter().rev() {
        level += data.score(row, column);
        levels.push(level);
    }
    levels
}
