//! How far importances move when the model is refitted: one dot per fit, and a line from the
//! smallest to the largest of each column.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::heading::Heading;
use super::drawing::number::short;
use super::drawing::svg::{Anchor, Canvas, FAINT, Picture, SMALL};
use super::{Look, label, label_room};
use crate::Result;
use lmdi::Error;

const WIDTH: f64 = 860.0;
const STEP: f64 = 26.0;
/// Room for the range of each column, at the right.
const RANGE: f64 = 150.0;

/// Importances of the same columns by several fits.
#[derive(Debug, Clone, Copy)]
pub struct StabilityData<'a> {
    /// Names of the columns.
    pub columns: &'a [String],
    /// Mean |score| of every column, fit by fit.
    pub importance: &'a [Vec<f64>],
    /// Mean rank correlation of a row's scores between two fits.
    pub correlation: f64,
    /// Title and size.
    pub look: Look<'a>,
}

/// Draws the `top` columns with the largest mean over the fits.
pub fn stability(data: &StabilityData<'_>, top: usize) -> Result<Picture> {
    let (p, fits) = (data.columns.len(), data.importance.len());
    if p == 0 || fits == 0 || data.importance.iter().any(|fit| fit.len() != p) {
        let what = "every fit must have one importance per column, of at least one column";
        return Err(Error::Data(what.into()).into());
    }
    let of_column = |column: usize| {
        data.importance.iter().map(move |fit| fit[column]).filter(|size| size.is_finite())
    };
    let mean =
        |column: usize| of_column(column).sum::<f64>() / of_column(column).count().max(1) as f64;
    let mut order: Vec<usize> = (0..p).collect();
    order.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)).then(a.cmp(&b)));
    order.truncate(top.max(1));
    let width = data.look.width(WIDTH);
    let left = label_room(order.iter().map(|&column| data.columns[column].as_str()), width);
    let shown =
        if order.len() < p { format!(", {} of {p} columns", order.len()) } else { "".into() };
    let line = format!(
        "mean |score| in {fits} fits{shown}; rank correlation of a row's scores between two fits {}",
        short(data.correlation)
    );
    let heading = Heading::new(data.look.title, &line, width);
    let top = heading.bottom() + 18.0;
    let bottom = top + STEP * order.len() as f64;
    let mut canvas = Canvas::new(width, bottom + 52.0, data.look.title);
    heading.draw(&mut canvas);
    let all = order.iter().flat_map(|&column| of_column(column));
    let axis = Axis::covering(all.chain([0.0]), left, width - RANGE);
    axis.draw_below(&mut canvas, top - 6.0, bottom, "mean |score|");
    for (at, &column) in order.iter().enumerate() {
        let y = top + STEP * at as f64 + STEP / 2.0;
        label(&mut canvas, left, y + 4.0, &data.columns[column]);
        let low = of_column(column).fold(f64::INFINITY, f64::min);
        let high = of_column(column).fold(f64::NEG_INFINITY, f64::max);
        if !(low.is_finite() && high.is_finite()) {
            continue;
        }
        canvas.line((axis.place(low), y), (axis.place(high), y), FAINT);
        for size in of_column(column) {
            canvas.dot((axis.place(size), y), 4.0, colour::DOWN);
        }
        let text = format!("{} to {}", short(low), short(high));
        canvas.text((width - 16.0, y + 4.0), Anchor::End, SMALL, FAINT, &text, RANGE);
    }
    Ok(canvas.finish())
}
