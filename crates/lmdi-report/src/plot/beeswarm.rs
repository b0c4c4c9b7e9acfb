//! Every score of the most important columns as a dot, coloured by the value of the cell.
//!
//! Dots of nearly the same score are stacked around the line of their column, so that thickness
//! shows how many rows have such a score. Outlying scores are triangles at the end of the axis.

use super::drawing::axis::{Axis, Beyond, beyond_text};
use super::drawing::colour::{self, Levels};
use super::drawing::heading::Heading;
use super::drawing::legend::{Entry, Legend};
use super::drawing::svg::{Canvas, FAINT, Picture, RULE};
use super::{PlotData, has_levels, label, label_room};
use crate::Result;

const WIDTH: f64 = 860.0;
const STEP: f64 = 34.0;
const RADIUS: f64 = 2.2;
/// Most dots of one column.
const MOST: usize = 1_500;
const RIGHT: f64 = 24.0;

/// Draws the `top` most important columns.
pub fn beeswarm(data: &PlotData<'_>, top: usize) -> Result<Picture> {
    data.check()?;
    let order = data.by_importance();
    let shown: Vec<usize> = order.iter().take(top.max(1)).map(|&(column, _)| column).collect();
    let (rows, which) = data.sample(MOST);
    let width = data.look.width(WIDTH);
    let left = label_room(shown.iter().map(|&column| data.name(column)), width);
    let scores: Vec<f64> = shown
        .iter()
        .flat_map(|&column| rows.iter().map(move |&row| data.score(row, column)))
        .collect();
    let axis = Axis::robust(&scores, Some(0.0), left, width - RIGHT);
    let beyond = scores.iter().filter(|score| axis.beyond(**score).is_some()).count();
    let line = format!("one dot for each of {which}{}", beyond_text(beyond, "score"));
    let heading = Heading::new(data.look.title, &line, width);
    let legend = Legend::new(entries(data, &shown, &rows), 16.0, width - 16.0);
    let top = heading.bottom() + 16.0;
    let bottom = top + STEP * shown.len() as f64;
    let mut canvas = Canvas::new(width, bottom + 64.0 + legend.height(), data.look.title);
    heading.draw(&mut canvas);
    legend.draw(&mut canvas, bottom + 54.0);
    axis.draw_below(&mut canvas, top - 4.0, bottom, &format!("score, {}", data.scale));
    let zero = axis.place(0.0);
    canvas.line((zero, top - 4.0), (zero, bottom), FAINT);
    for (at, &column) in shown.iter().enumerate() {
        let middle = top + STEP * (at as f64 + 0.5);
        canvas.line((left, middle), (width - RIGHT, middle), RULE);
        label(&mut canvas, left, middle + 4.0, data.name(column));
        let layout = &data.columns.as_slice()[column];
        let cells: Vec<f64> = rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect();
        let fills = colour::fills(layout, &cells);
        let scores = &scores[at * rows.len()..(at + 1) * rows.len()];
        let places: Vec<f64> = scores.iter().map(|&score| axis.place(score)).collect();
        for (dot, offset) in stacked(&places).into_iter().enumerate() {
            let place = (places[dot], middle + offset);
            match axis.beyond(scores[dot]) {
                None => canvas.dot(place, RADIUS, &fills[dot]),
                Some(Beyond::Below) => canvas.triangle(place, (-1.0, 0.0), &fills[dot]),
                Some(Beyond::Above) => canvas.triangle(place, (1.0, 0.0), &fills[dot]),
            }
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

/// What the colours mean: one scale for all numbers, and the levels of every category.
fn entries(data: &PlotData<'_>, shown: &[usize], rows: &[usize]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut numbers = None;
    for &column in shown {
        let layout = &data.columns.as_slice()[column];
        let cells: Vec<f64> = rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect();
        if has_levels(layout) {
            entries.push(Entry::Head(format!("{}:", layout.name)));
            let levels = Levels::of(layout, &cells).entries(layout);
            entries.extend(levels.into_iter().map(|(name, fill)| Entry::Dot(name, fill)));
        } else {
            let is_missing = cells.iter().any(|cell| cell.is_nan());
            numbers = Some(numbers.unwrap_or(false) || is_missing);
        }
    }
    if let Some(is_missing) = numbers {
        let mut first = vec![Entry::Values("low value".into(), "high value".into())];
        if is_missing {
            first.push(Entry::Dot("missing".into(), colour::MISSING));
        }
        entries.splice(0..0, first);
    }
    entries
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
