//! Scores of one column against its values, with how many rows have each value.
//!
//! Numbers lie along the axis, missing cells at its right end; levels of a category side by side,
//! the most frequent first. Dots may be coloured by another column.

use super::PlotData;
use super::drawing::axis::{Axis, short};
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL};
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
/// Rows of similar cells, for interactions.
const PARTS: usize = 20;

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
    let by_layout = by.map(|by| &data.columns.as_slice()[by]);
    let coloured = match by_layout {
        Some(other) if other.is_category() => format!("; coloured by {}", other.name),
        Some(other) => format!("; coloured by {}, purple low to yellow high", other.name),
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
    let fills = match by_layout {
        Some(other) => {
            let values: Vec<f64> = rows.iter().map(|&row| other.cell(&data.rows.x, row)).collect();
            if other.is_category() {
                level_legend(&mut canvas, &values, |code| other.level(code).unwrap_or("missing"));
            }
            colour::fills(&values, other.is_category())
        }
        None => vec![colour::DOWN.to_owned(); rows.len()],
    };
    let places = if layout.is_category() {
        level_places(&mut canvas, &cells, |code| layout.level(code).unwrap_or("missing"))
    } else {
        number_places(&mut canvas, &cells)
    };
    for ((place, score), fill) in places.iter().zip(&scores).zip(&fills) {
        canvas.dot((*place, upright.place(*score)), 2.4, fill);
    }
    let middle = (LEFT + RIGHT) / 2.0;
    canvas.text((middle, HEIGHT - 14.0), Anchor::Middle, 13.0, INK, data.name(column), 80);
    Ok(canvas.finish())
}

/// Which colour is which level.
fn level_legend<'a>(canvas: &mut Canvas, cells: &[f64], name: impl Fn(f64) -> &'a str) {
    let (levels, _) = colour::level_places(cells);
    let width = (RIGHT - LEFT) / levels.len().max(1) as f64;
    for (at, level) in levels.iter().enumerate() {
        let x = LEFT + at as f64 * width;
        canvas.dot((x, HEIGHT - 36.0), 4.0, colour::LEVELS[at]);
        let letters = ((width / 7.5) as usize).saturating_sub(2).max(3);
        let place = (x + 8.0, HEIGHT - 32.0);
        canvas.text(place, Anchor::Start, SMALL, FAINT, name(*level), letters);
    }
}

/// The column whose values say most about what a column's scores still differ by among rows with
/// similar cells: the largest rank correlation with their distance from the mean of those rows.
pub fn strongest_interaction(data: &PlotData<'_>, column: usize) -> Result<Option<usize>> {
    data.check()?;
    let (rows, _) = data.sample(MOST);
    let cells = |at: usize| -> Vec<f64> {
        let layout = &data.columns.as_slice()[at];
        rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect()
    };
    let own = colour::shares(&cells(column));
    let bin = |share: f64| if share.is_nan() { PARTS } else { (share * PARTS as f64) as usize };
    let scores: Vec<f64> = rows.iter().map(|&row| data.score(row, column)).collect();
    let mut sums = vec![(0.0, 0.0); PARTS + 2];
    for (share, score) in own.iter().zip(&scores) {
        let (sum, n) = &mut sums[bin(*share)];
        *sum += score;
        *n += 1.0;
    }
    let left: Vec<f64> = own
        .iter()
        .zip(&scores)
        .map(|(share, score)| {
            let (sum, n) = sums[bin(*share)];
            score - sum / n
        })
        .collect();
    let strength = |at: usize| correlation(&colour::shares(&cells(at)), &left).abs();
    let others = (0..data.columns.len()).filter(|at| *at != column);
    let found = others.map(|at| (at, strength(at))).filter(|(_, size)| *size > 0.0);
    Ok(found.reduce(|best, one| if one.1 > best.1 { one } else { best }).map(|(at, _)| at))
}

/// Pearson's correlation over the pairs that are known; zero where one does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let pairs: Vec<(f64, f64)> = a
        .iter()
        .zip(b)
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .map(|(a, b)| (*a, *b))
        .collect();
    let n = pairs.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
    let (ma, mb) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in &pairs {
        ab += (a - ma) * (b - mb);
        aa += (a - ma) * (a - ma);
        bb += (b - mb) * (b - mb);
    }
    if aa > 0.0 && bb > 0.0 { ab / (aa * bb).sqrt() } else { 0.0 }
}

/// Places of numbers, with ticks and a histogram.
fn number_places(canvas: &mut Canvas, cells: &[f64]) -> Vec<f64> {
    let has_missing = cells.iter().any(|cell| cell.is_nan());
    let right = if has_missing { RIGHT - 60.0 } else { RIGHT };
    let axis = Axis::covering(cells.iter().copied(), LEFT, right);
    for tick in axis.ticks() {
        let x = axis.place(tick);
        canvas.line((x, TOP), (x, BOTTOM), RULE);
        canvas.text((x, BOTTOM + BARS + 34.0), Anchor::Middle, SMALL, FAINT, &short(tick), 16);
    }
    if has_missing {
        let place = (RIGHT - 24.0, BOTTOM + BARS + 34.0);
        canvas.text(place, Anchor::Middle, SMALL, FAINT, "missing", 16);
    }
    let present: Vec<f64> = cells.iter().copied().filter(|cell| !cell.is_nan()).collect();
    let (low, high) = present
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    // Of whole numbers every bin holds as many different ones; bins that hold now one, now two would
    // look like a comb.
    let is_whole = present.iter().all(|cell| cell.fract() == 0.0 && cell.abs() < 1e15);
    let step = if is_whole {
        ((high - low + 1.0) / BINS as f64).ceil().max(1.0)
    } else {
        ((high - low) / BINS as f64).max(f64::MIN_POSITIVE)
    };
    let start = if is_whole { low - 0.5 } else { low };
    let bins =
        if present.is_empty() { 0 } else { (((high - start) / step) as usize).min(BINS) + 1 };
    let mut counts = vec![0.0_f64; bins];
    for cell in &present {
        counts[(((cell - start) / step) as usize).min(bins - 1)] += 1.0;
    }
    let missing = cells.iter().filter(|cell| cell.is_nan()).count() as f64;
    let most = counts.iter().copied().fold(missing, f64::max).max(1.0);
    let base = BOTTOM + BARS + 16.0;
    for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let from = axis.place(start + bin as f64 * step).max(LEFT);
        let to = axis.place(start + (bin + 1) as f64 * step).min(right);
        let gap = if to - from > 3.0 { 1.0 } else { 0.0 };
        canvas.rectangle((from, base), (to - gap, base - BARS * count / most), colour::NEUTRAL);
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
