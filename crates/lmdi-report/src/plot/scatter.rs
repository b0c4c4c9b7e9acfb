//! Scores of one column against its values, with how many rows have each value.
//!
//! Numbers lie along the axis, missing cells at its right end; levels of a category side by side,
//! the most frequent first. Dots may be coloured by another column.

use super::axis::{Axis, short};
use super::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL};
use super::{PlotData, colour};
use crate::Result;
use lmdi::Error;
use lmdi::random::{generator, unit};

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 800.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 430.0;
/// Height of the distribution below the dots.
const BARS: f64 = 44.0;
const MOST: usize = 4_000;
const LEVELS: usize = 12;
const BINS: usize = 60;

/// Draws one column, coloured by the values of another one if that is given.
pub fn scatter(data: &PlotData<'_>, column: usize, by: Option<usize>) -> Result<Picture> {
    data.check()?;
    if let Some(unknown) =
        [Some(column), by].into_iter().flatten().find(|at| *at >= data.columns.len())
    {
        return Err(Error::Shape {
            what: "column to draw".into(),
            found: unknown,
            expected: data.columns.len().saturating_sub(1),
        }
        .into());
    }
    let (rows, which) = data.sample(MOST);
    let layout = &data.columns.as_slice()[column];
    let cells: Vec<f64> = rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect();
    let mut canvas = Canvas::new(WIDTH, HEIGHT, data.title);
    let coloured = match by {
        Some(by) => format!("; coloured by {}, blue low to orange high", data.name(by)),
        None => String::new(),
    };
    canvas.heading(data.title, &format!("one dot for each of {which}{coloured}"));
    let scores: Vec<f64> = rows.iter().map(|&row| data.score(row, column)).collect();
    let upright = Axis::covering(scores.iter().copied().chain([0.0]), BOTTOM, TOP);
    upright.draw_left(&mut canvas, LEFT, RIGHT);
    canvas.line((LEFT, upright.place(0.0)), (RIGHT, upright.place(0.0)), FAINT);
    canvas.text(
        (LEFT, TOP - 8.0),
        Anchor::Start,
        SMALL,
        FAINT,
        &format!("score, {}", data.scale),
        110,
    );
    let shares = match by.map(|by| &data.columns.as_slice()[by]) {
        Some(other) => {
            let values: Vec<f64> = rows.iter().map(|&row| other.cell(&data.rows.x, row)).collect();
            colour::shares(&values)
        }
        None => vec![0.0; rows.len()],
    };
    let places = if layout.is_category() {
        level_places(&mut canvas, &cells, |code| layout.level(code).unwrap_or("missing"))
    } else {
        number_places(&mut canvas, &cells)
    };
    for ((place, score), share) in places.iter().zip(&scores).zip(&shares) {
        let fill = if by.is_some() { colour::of_share(*share) } else { colour::DOWN.into() };
        canvas.dot((*place, upright.place(*score)), 2.4, &fill);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    canvas.text((middle, HEIGHT - 14.0), Anchor::Middle, 13.0, INK, data.name(column), 80);
    Ok(canvas.finish())
}

/// Places of numbers, with ticks and a histogram.
fn number_places(canvas: &mut Canvas, cells: &[f64]) -> Vec<f64> {
    let has_missing = cells.iter().any(|cell| cell.is_nan());
    let right = if has_missing { RIGHT - 60.0 } else { RIGHT };
    let axis = Axis::covering(cells.iter().copied(), LEFT, right);
    for tick in axis.ticks(7) {
        let x = axis.place(tick);
        canvas.line((x, TOP), (x, BOTTOM), RULE);
        canvas.text((x, BOTTOM + BARS + 34.0), Anchor::Middle, SMALL, FAINT, &short(tick), 16);
    }
    if has_missing {
        let place = (RIGHT - 24.0, BOTTOM + BARS + 34.0);
        canvas.text(place, Anchor::Middle, SMALL, FAINT, "missing", 16);
    }
    let width = (right - LEFT) / BINS as f64;
    let mut counts = vec![0.0_f64; BINS];
    for cell in cells.iter().filter(|cell| !cell.is_nan()) {
        counts[(((axis.place(*cell) - LEFT) / width) as usize).min(BINS - 1)] += 1.0;
    }
    let missing = cells.iter().filter(|cell| cell.is_nan()).count() as f64;
    let most = counts.iter().copied().fold(missing, f64::max).max(1.0);
    let base = BOTTOM + BARS + 16.0;
    for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let x = LEFT + bin as f64 * width;
        canvas.rectangle((x, base), (x + width - 1.0, base - BARS * count / most), colour::NEUTRAL);
    }
    if has_missing {
        let x = RIGHT - 30.0;
        canvas.rectangle((x, base), (x + 12.0, base - BARS * missing / most), colour::NEUTRAL);
    }
    let draws = &mut generator(0, 1);
    let mut place = |cell: f64| {
        if cell.is_nan() { RIGHT - 34.0 + 20.0 * unit(draws) } else { axis.place(cell) }
    };
    cells.iter().map(|&cell| place(cell)).collect()
}

/// Places of levels, with names and counts; rare levels share one place.
fn level_places<'a>(canvas: &mut Canvas, cells: &[f64], name: impl Fn(f64) -> &'a str) -> Vec<f64> {
    let mut levels: Vec<(f64, usize)> = Vec::new();
    let mut sorted = cells.to_vec();
    sorted.sort_by(f64::total_cmp);
    for same in sorted.chunk_by(|a, b| a == b || (a.is_nan() && b.is_nan())) {
        levels.push((same[0], same.len()));
    }
    levels.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    let shown = levels.len().min(LEVELS);
    let slots = shown + usize::from(levels.len() > shown);
    let width = (RIGHT - LEFT) / slots.max(1) as f64;
    let others: usize = levels[shown..].iter().map(|(_, count)| count).sum();
    let most = levels.first().map_or(1, |(_, count)| *count).max(others).max(1) as f64;
    let base = BOTTOM + BARS + 16.0;
    for slot in 0..slots {
        let (text, count) = match levels.get(slot).filter(|_| slot < shown) {
            Some((code, count)) => (name(*code), *count),
            None => ("others", others),
        };
        let x = LEFT + slot as f64 * width;
        let height = BARS * count as f64 / most;
        canvas.rectangle(
            (x + 0.2 * width, base),
            (x + 0.8 * width, base - height),
            colour::NEUTRAL,
        );
        let letters = (width / 7.0) as usize;
        canvas.text(
            (x + 0.5 * width, base + 18.0),
            Anchor::Middle,
            SMALL,
            FAINT,
            text,
            letters.max(3),
        );
    }
    let draws = &mut generator(0, 1);
    let mut place = |cell: f64| {
        let same = |code: f64| code == cell || (code.is_nan() && cell.is_nan());
        let slot = levels[..shown].iter().position(|(code, _)| same(*code)).unwrap_or(shown);
        LEFT + (slot as f64 + 0.2 + 0.6 * unit(draws)) * width
    };
    cells.iter().map(|&cell| place(cell)).collect()
}
