//! Every score of the most important columns as a dot, coloured by the value of the cell.
//!
//! Dots of nearly the same score are stacked around the line of their column, so that thickness
//! shows how many rows have such a score.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL, TEXT};
use super::{LABEL, PlotData, label_room};
use crate::Result;

const WIDTH: f64 = 860.0;
const TOP: f64 = 70.0;
const STEP: f64 = 34.0;
const RADIUS: f64 = 2.2;
/// Most dots of one column.
const MOST: usize = 1_500;

/// Draws the `top` most important columns.
pub fn beeswarm(data: &PlotData<'_>, top: usize) -> Result<Picture> {
    data.check()?;
    let order = data.by_importance();
    let shown: Vec<usize> = order.iter().take(top.max(1)).map(|&(column, _)| column).collect();
    let (rows, which) = data.sample(MOST);
    let left = label_room(shown.iter().map(|&column| data.name(column)));
    let bottom = TOP + STEP * shown.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 52.0, data.title);
    canvas.heading(data.title, &format!("one dot for each of {which}"));
    legend(&mut canvas);
    let scores = || shown.iter().flat_map(|&at| rows.iter().map(move |&row| (row, at)));
    let numbers = scores().map(|(row, column)| data.score(row, column)).chain([0.0]);
    let axis = Axis::covering(numbers, left, WIDTH - 24.0);
    axis.draw_below(&mut canvas, TOP - 4.0, bottom, &format!("score, {}", data.scale));
    let zero = axis.place(0.0);
    canvas.line((zero, TOP - 4.0), (zero, bottom), FAINT);
    for (at, &column) in shown.iter().enumerate() {
        let middle = TOP + STEP * (at as f64 + 0.5);
        canvas.line((left, middle), (WIDTH - 24.0, middle), RULE);
        let name = data.name(column);
        canvas.text((left - 10.0, middle + 4.0), Anchor::End, TEXT, INK, name, LABEL);
        let layout = &data.columns.as_slice()[column];
        let cells: Vec<f64> = rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect();
        let fills = colour::fills(&cells, layout.is_category());
        let places: Vec<f64> =
            rows.iter().map(|&row| axis.place(data.score(row, column))).collect();
        for (dot, offset) in stacked(&places).into_iter().enumerate() {
            canvas.dot((places[dot], middle + offset), RADIUS, &fills[dot]);
        }
    }
    Ok(canvas.finish())
}

/// How far each dot lies above or below its line, so that dots do not hide one another.
fn stacked(places: &[f64]) -> Vec<f64> {
    const BIN: f64 = 3.0;
    const HALF: f64 = STEP / 2.0 - 3.0;
    let bin = |place: f64| (place / BIN) as usize;
    let mut counts = vec![0_usize; places.iter().map(|&place| bin(place) + 1).max().unwrap_or(0)];
    let order: Vec<usize> = places
        .iter()
        .map(|&place| {
            let count = &mut counts[bin(place)];
            *count += 1;
            *count - 1
        })
        .collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let step = (HALF * 2.0 / most.max(1) as f64).min(2.0 * RADIUS);
    order
        .into_iter()
        .map(|nth| {
            let away = nth.div_ceil(2) as f64 * step;
            if nth % 2 == 0 { away } else { -away }
        })
        .collect()
}

/// What the colours mean.
fn legend(canvas: &mut Canvas) {
    let (left, y) = (WIDTH - 400.0, 42.0);
    canvas.text((left - 6.0, y + 8.0), Anchor::End, SMALL, FAINT, "low value", 20);
    for at in 0..40 {
        let x = left + f64::from(at) * 2.0;
        canvas.rectangle((x, y), (x + 2.0, y + 8.0), &colour::of_share(f64::from(at) / 39.0));
    }
    canvas.text((left + 86.0, y + 8.0), Anchor::Start, SMALL, FAINT, "high value", 20);
    canvas.dot((left + 164.0, y + 4.0), 4.0, colour::NEUTRAL);
    let text = "missing; categories: a colour each";
    canvas.text((left + 174.0, y + 8.0), Anchor::Start, SMALL, FAINT, text, 40);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_of_one_place_are_spread_and_stay_in_their_lane() {
        let places = vec![100.0; 500];
        let offsets = stacked(&places);
        assert!(offsets.iter().all(|offset| offset.abs() <= STEP / 2.0));
        let mut different = offsets.clone();
        different.sort_by(f64::total_cmp);
        different.dedup();
        assert_eq!(different.len(), 500);
        assert_eq!(stacked(&[10.0, 50.0]), [0.0, 0.0]);
    }
}
