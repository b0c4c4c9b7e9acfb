//! Rows by columns, coloured by score; above, base plus scores.
//!
//! Rows are ordered by that total, so that low and high predictions are at the two ends.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::heading::Heading;
use super::drawing::number::short;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, SMALL};
use super::{PlotData, label, label_room};
use crate::Result;

const WIDTH: f64 = 900.0;
/// Height of the line of totals.
const TOTALS: f64 = 60.0;
const STEP: f64 = 22.0;
const MOST: usize = 320;
/// Room for what the colours mean, at the right.
const LEGEND: f64 = 120.0;

/// Draws the `top` most important columns.
pub fn heatmap(data: &PlotData<'_>, top: usize) -> Result<Picture> {
    data.check()?;
    let order = data.by_importance();
    let shown: Vec<usize> = order.iter().take(top.max(1)).map(|&(column, _)| column).collect();
    let (mut rows, which) = data.sample(MOST);
    let total = |row: usize| data.rows.scores.total(row, data.output);
    rows.sort_by(|&a, &b| total(a).total_cmp(&total(b)).then(a.cmp(&b)));
    let picture_width = data.look.width(WIDTH);
    let left = label_room(shown.iter().map(|&column| data.name(column)), picture_width);
    let right = picture_width - LEGEND;
    let line = format!("{which}, ordered by their total; scores {}", data.scale);
    let heading = Heading::new(data.look.title, &line, picture_width);
    let top = heading.bottom() + 12.0;
    let from = top + TOTALS + 16.0;
    let bottom = (from + STEP * shown.len() as f64).max(from + 126.0);
    let mut canvas = Canvas::new(picture_width, bottom + 34.0, data.look.title);
    heading.draw(&mut canvas);
    let width = (right - left) / rows.len() as f64;
    let axis = Axis::covering(rows.iter().map(|&row| total(row)), top + TOTALS, top + 4.0);
    label(&mut canvas, left, top + 36.0, "total");
    for (at, &row) in rows.iter().enumerate() {
        let x = left + at as f64 * width;
        let y = axis.place(total(row));
        canvas.rectangle((x, y - 1.0), (x + width, y + 1.0), INK);
    }
    for (y, row) in [(top + TOTALS, rows.first()), (top + 12.0, rows.last())] {
        let text = row.map_or(String::new(), |&row| short(total(row)));
        canvas.text((right + 8.0, y), Anchor::Start, SMALL, FAINT, &text, LEGEND);
    }
    let mut sizes: Vec<f64> = shown
        .iter()
        .flat_map(|&column| rows.iter().map(move |&row| data.score(row, column).abs()))
        .collect();
    sizes.sort_by(f64::total_cmp);
    // The largest hundredth does not count, else a few rows would leave all others white.
    let largest = sizes[(sizes.len() - 1) * 99 / 100];
    let largest = if largest > 0.0 { largest } else { 1.0 };
    for (at, &column) in shown.iter().enumerate() {
        let y = from + STEP * at as f64;
        label(&mut canvas, left, y + 15.0, data.name(column));
        for (place, &row) in rows.iter().enumerate() {
            let x = left + place as f64 * width;
            let fill = colour::of_score(data.score(row, column) / largest);
            // A hair wider, so that no gap shows between neighbours.
            canvas.rectangle((x, y), (x + width + 0.3, y + STEP - 2.0), &fill);
        }
    }
    legend(&mut canvas, right + 24.0, from, largest);
    let under = from + STEP * shown.len() as f64 + 16.0;
    canvas.text((left, under), Anchor::Start, SMALL, FAINT, "rows", 60.0);
    Ok(canvas.finish())
}

/// What the colours mean.
fn legend(canvas: &mut Canvas, x: f64, top: f64, largest: f64) {
    for at in 0..41 {
        let share = 1.0 - f64::from(at) / 20.0;
        let y = top + f64::from(at) * 3.0;
        canvas.rectangle((x, y), (x + 14.0, y + 3.2), &colour::of_score(share));
    }
    for (share, offset) in [(1.0, 10.0), (0.0, 65.0), (-1.0, 122.0)] {
        let text = short(share * largest);
        canvas.text((x + 20.0, top + offset), Anchor::Start, SMALL, FAINT, &text, LEGEND);
    }
}
