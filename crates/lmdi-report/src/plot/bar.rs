//! Mean absolute score of every column, the largest first.

use super::drawing::axis::{Axis, short};
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, SMALL, TEXT};
use super::{LABEL, PlotData, label_room};
use crate::Result;

const WIDTH: f64 = 860.0;
const TOP: f64 = 66.0;
const STEP: f64 = 26.0;

/// Draws the `top` most important columns and, as one bar, the others.
pub fn bar(data: &PlotData<'_>, top: usize) -> Result<Picture> {
    data.check()?;
    let order = data.by_importance();
    let shown = &order[..top.clamp(1, order.len().max(1)).min(order.len())];
    let rest: f64 = order[shown.len()..].iter().map(|(_, mean)| mean).sum();
    let more = order.len() - shown.len();
    let mut bars: Vec<(String, f64)> =
        shown.iter().map(|&(column, mean)| (data.name(column).to_owned(), mean)).collect();
    if more > 0 {
        bars.push((format!("{more} other columns"), rest));
    }
    let left = label_room(bars.iter().map(|(name, _)| name.as_str()));
    let bottom = TOP + STEP * bars.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 52.0, data.title);
    let n_rows = data.known().count() as f64;
    canvas.heading(data.title, &format!("mean |score| over {} rows", short(n_rows)));
    let numbers = bars.iter().map(|(_, mean)| *mean).chain([0.0]);
    let axis = Axis::covering(numbers, left, WIDTH - 80.0);
    axis.draw_below(&mut canvas, TOP - 6.0, bottom, data.scale);
    for (at, (name, mean)) in bars.iter().enumerate() {
        let y = TOP + STEP * at as f64;
        let is_rest = more > 0 && at + 1 == bars.len();
        let fill = if is_rest { colour::NEUTRAL } else { colour::DOWN };
        canvas.text((left - 10.0, y + 15.0), Anchor::End, TEXT, INK, name, LABEL);
        canvas.rectangle((axis.place(0.0), y + 3.0), (axis.place(*mean), y + STEP - 5.0), fill);
        let place = (axis.place(*mean) + 6.0, y + 15.0);
        canvas.text(place, Anchor::Start, SMALL, FAINT, &short(*mean), 16);
    }
    Ok(canvas.finish())
}
