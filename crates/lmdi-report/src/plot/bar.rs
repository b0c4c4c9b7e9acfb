//! Mean absolute score of every column, the largest first.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::heading::Heading;
use super::drawing::number::short;
use super::drawing::svg::{Anchor, Canvas, FAINT, Picture, SMALL};
use super::{PlotData, label, label_room, rows_text};
use crate::Result;
use lmdi::text::counted;

const WIDTH: f64 = 860.0;
const STEP: f64 = 26.0;
/// Room for the number behind a bar.
const NUMBER: f64 = 80.0;

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
        bars.push((counted(more, "other column"), rest));
    }
    let width = data.look.width(WIDTH);
    let left = label_room(bars.iter().map(|(name, _)| name.as_str()), width);
    let line = format!("mean |score| over {}", rows_text(data.known().count()));
    let heading = Heading::new(data.look.title, &line, width);
    let top = heading.bottom() + 16.0;
    let bottom = top + STEP * bars.len() as f64;
    let mut canvas = Canvas::new(width, bottom + 52.0, data.look.title);
    heading.draw(&mut canvas);
    let numbers = bars.iter().map(|(_, mean)| *mean).chain([0.0]);
    let axis = Axis::covering(numbers, left, width - NUMBER);
    axis.draw_below(&mut canvas, top - 6.0, bottom, data.scale);
    for (at, (name, mean)) in bars.iter().enumerate() {
        let y = top + STEP * at as f64;
        let is_rest = more > 0 && at + 1 == bars.len();
        let fill = if is_rest { colour::NEUTRAL } else { colour::DOWN };
        label(&mut canvas, left, y + 15.0, name);
        canvas.rectangle((axis.place(0.0), y + 3.0), (axis.place(*mean), y + STEP - 5.0), fill);
        let place = (axis.place(*mean) + 6.0, y + 15.0);
        canvas.text(place, Anchor::Start, SMALL, FAINT, &short(*mean), NUMBER);
    }
    Ok(canvas.finish())
}
