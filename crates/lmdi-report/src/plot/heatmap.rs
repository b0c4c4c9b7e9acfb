//! Rows beside columns, coloured by score; above, what the scores add up to.
//!
//! Rows are ordered by that total, so that what drives low and high predictions lies at the two
//! ends.

use super::drawing::axis::{Axis, short};
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, SMALL, TEXT};
use super::{LABEL, PlotData, label_room};
use crate::Result;

const WIDTH: f64 = 900.0;
const TOP: f64 = 64.0;
/// Height of the line of totals.
const TOTALS: f64 = 60.0;
const STEP: f64 = 22.0;
const MOST: usize = 320;

/// Draws the `top` most important columns.
pub fn heatmap(data: &PlotData<'_>, top: usize) -> Result<Picture> {
    data.check()?;
    let order = data.by_importance();
    let shown: Vec<usize> = order.iter().take(top.max(1)).map(|&(column, _)| column).collect();
    let (mut rows, which) = data.sample(MOST);
    let total = |row: usize| data.rows.scores.total(row, data.output);
    rows.sort_by(|&a, &b| total(a).total_cmp(&total(b)).then(a.cmp(&b)));
    let left = label_room(shown.iter().map(|&column| data.name(column)));
    let right = WIDTH - 120.0;
    let from = TOP + TOTALS + 16.0;
    let bottom = from + STEP * shown.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 44.0, data.title);
    let line = format!("{which} from the smallest total to the largest; scores {}", data.scale);
    canvas.heading(data.title, &line);
    let width = (right - left) / rows.len() as f64;
    let axis = Axis::covering(rows.iter().map(|&row| total(row)), TOP + TOTALS, TOP + 4.0);
    canvas.text((left - 10.0, TOP + 36.0), Anchor::End, TEXT, INK, "total", LABEL);
    for (at, &row) in rows.iter().enumerate() {
        let x = left + at as f64 * width;
        let y = axis.place(total(row));
        canvas.rectangle((x, y - 1.0), (x + width, y + 1.0), INK);
    }
    for (y, row) in [(TOP + TOTALS, rows.first()), (TOP + 12.0, rows.last())] {
        let text = row.map_or(String::new(), |&row| short(total(row)));
        canvas.text((right + 8.0, y), Anchor::Start, SMALL, FAINT, &text, 16);
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
        let name = data.name(column);
        canvas.text((left - 10.0, y + 15.0), Anchor::End, TEXT, INK, name, LABEL);
        for (place, &row) in rows.iter().enumerate() {
            let x = left + place as f64 * width;
            let fill = colour::of_score(data.score(row, column) / largest);
            // A hair wider, so that no gap shows between neighbours.
            canvas.rectangle((x, y), (x + width + 0.3, y + STEP - 2.0), &fill);
        }
    }
    legend(&mut canvas, right + 24.0, from, largest);
    canvas.text((left, bottom + 20.0), Anchor::Start, SMALL, FAINT, "rows", 16);
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
        canvas.text((x + 20.0, top + offset), Anchor::Start, SMALL, FAINT, &text, 12);
    }
}
