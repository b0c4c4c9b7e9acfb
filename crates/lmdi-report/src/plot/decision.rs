//! Paths of many rows from the base to what is explained: one line per row, which gathers the scores
//! of the columns from the least to the most important one.

use super::drawing::axis::{Axis, short};
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, INK, Picture, RULE, TEXT};
use super::{LABEL, PlotData, label_room};
use crate::Result;

const WIDTH: f64 = 860.0;
const TOP: f64 = 70.0;
const STEP: f64 = 28.0;
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
    let left = label_room(shown.iter().map(|&column| data.name(column)));
    let bottom = TOP + STEP * shown.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 52.0, data.title);
    let others = match rest.len() {
        0 => String::new(),
        n => format!("; {n} other columns are in the start"),
    };
    canvas.heading(data.title, &format!("one line for each of {which}{others}"));
    let axis = Axis::covering(paths.iter().flatten().copied(), left, WIDTH - 40.0);
    axis.draw_below(&mut canvas, TOP - 6.0, bottom, &format!("base plus scores, {}", data.scale));
    for (at, &column) in shown.iter().enumerate() {
        let y = TOP + STEP * (at as f64 + 0.5);
        canvas.line((left, y), (WIDTH - 40.0, y), RULE);
        canvas.text((left - 10.0, y + 4.0), Anchor::End, TEXT, INK, data.name(column), LABEL);
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
    canvas.text((axis.place(mean), TOP - 10.0), Anchor::Middle, 11.0, INK, &text, 30);
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
