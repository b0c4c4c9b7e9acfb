//! Scores of one column against its values, with how many rows have each value.
//!
//! Numbers and dates are along the axis, with missing cells at its right end; levels of a category
//! are side by side, the most frequent first. Dots may be coloured by another column. Outliers are
//! triangles at the end of their axis.

use super::drawing::axis::{Axis, Beyond, beyond_text};
use super::drawing::colour::{self, Levels, others_text};
use super::drawing::heading::Heading;
use super::drawing::legend::{Entry, Legend};
use super::drawing::number::short;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL, TEXT};
use super::drawing::text::width_of;
use super::histogram::Histogram;
use super::{MARGIN, PlotData, has_levels, level_name};
use crate::Result;
use lmdi::Error;
use lmdi::explanation::{CellMeaning, ColumnLayout};
use lmdi::random::{generator, unit};
use lmdi::table::Part;

const WIDTH: f64 = 860.0;
/// Height of the dots.
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 88.0;
const RIGHT: f64 = 28.0;
/// Height of the distribution below the dots.
const BARS: f64 = 44.0;
/// Room for missing cells at the right of numbers.
const MISSING: f64 = 60.0;
const MOST: usize = 4_000;
const LEVELS: usize = 12;
/// Longest name of a level below its place.
const LEVEL_ROOM: f64 = 130.0;

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
    let cells_of = |column: usize| -> Vec<f64> {
        let layout = &data.columns.as_slice()[column];
        rows.iter().map(|&row| layout.cell(&data.rows.x, row)).collect()
    };
    let layout = &data.columns.as_slice()[column];
    let cells = cells_of(column);
    let scores: Vec<f64> = rows.iter().map(|&row| data.score(row, column)).collect();
    let width = data.look.width(WIDTH);
    let right = width - RIGHT;
    let across = if has_levels(layout) {
        Across::Levels(Slots::new(layout, &cells, right))
    } else {
        Across::Numbers(numbers_across(layout, &cells, right))
    };
    let probe = Axis::robust(&scores, Some(0.0), 0.0, 1.0);
    let beyond = cells
        .iter()
        .zip(&scores)
        .filter(|(cell, score)| probe.beyond(**score).is_some() || across.beyond(**cell).is_some());
    let line = format!("one dot for each of {which}{}", beyond_text(beyond.count(), "row"));
    let heading = Heading::new(data.look.title, &line, width);
    let colours = by.map(|by| (&data.columns.as_slice()[by], cells_of(by)));
    let legend = colours.as_ref().map_or(vec![], |(layout, cells)| entries(layout, cells));
    let legend = Legend::new(legend, LEFT, right);
    let top = heading.bottom() + 26.0;
    let (bottom, base) = (top + HEIGHT, top + HEIGHT + BARS + 10.0);
    let name = base + across.height() + 24.0;
    let mut canvas = Canvas::new(width, name + 16.0 + legend.height(), data.look.title);
    heading.draw(&mut canvas);
    legend.draw(&mut canvas, name + 8.0);
    let middle = (LEFT + right) / 2.0;
    let room = right - LEFT;
    canvas.text((middle, name), Anchor::Middle, TEXT, INK, data.name(column), room);
    let upright = Axis::robust(&scores, Some(0.0), bottom, top);
    upright.draw_left(&mut canvas, LEFT, right);
    canvas.line((LEFT, upright.place(0.0)), (right, upright.place(0.0)), FAINT);
    let title = format!("score, {}", data.scale);
    canvas.text((LEFT, top - 8.0), Anchor::Start, SMALL, FAINT, &title, room);
    let places = match &across {
        Across::Levels(slots) => slots.draw(&mut canvas, &cells, base),
        Across::Numbers(axis) => draw_numbers(&mut canvas, axis, &cells, (top, base), right),
    };
    let fills = match &colours {
        Some((layout, cells)) => colour::fills(layout, cells),
        None => vec![colour::DOWN.to_owned(); rows.len()],
    };
    for (at, fill) in fills.iter().enumerate() {
        let place = (places[at], upright.place(scores[at]));
        let towards = match (upright.beyond(scores[at]), across.beyond(cells[at])) {
            (Some(Beyond::Above), _) => Some((0.0, -1.0)),
            (Some(Beyond::Below), _) => Some((0.0, 1.0)),
            (None, Some(Beyond::Above)) => Some((1.0, 0.0)),
            (None, Some(Beyond::Below)) => Some((-1.0, 0.0)),
            (None, None) => None,
        };
        match towards {
            Some(towards) => canvas.triangle(place, towards, fill),
            None => canvas.dot(place, 2.4, fill),
        }
    }
    Ok(canvas.finish())
}

/// What lies along the horizontal axis.
enum Across {
    Numbers(Axis),
    Levels(Slots),
}

impl Across {
    fn beyond(&self, cell: f64) -> Option<Beyond> {
        match self {
            Self::Numbers(axis) => axis.beyond(cell),
            Self::Levels(_) => None,
        }
    }

    /// How much room its texts take.
    fn height(&self) -> f64 {
        match self {
            Self::Numbers(_) => 18.0,
            Self::Levels(slots) => slots.text_height(),
        }
    }
}

/// What the colours mean.
fn entries(layout: &ColumnLayout, cells: &[f64]) -> Vec<Entry> {
    let mut entries = vec![Entry::Head(format!("{}:", layout.name))];
    if has_levels(layout) {
        let levels = Levels::of(layout, cells).entries(layout);
        entries.extend(levels.into_iter().map(|(name, fill)| Entry::Dot(name, fill)));
        return entries;
    }
    let known = || cells.iter().copied().filter(|cell| cell.is_finite());
    let ends = [known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max)];
    if ends[0] <= ends[1] {
        let [low, high] = ends.map(|end| number_text(layout, end));
        // Colours go by rank, so that one huge cell does not make all others alike.
        entries.push(Entry::Values(low, format!("{high} (by rank)")));
    }
    if cells.iter().any(|cell| cell.is_nan()) {
        entries.push(Entry::Dot("missing".into(), colour::MISSING));
    }
    entries
}

fn number_text(layout: &ColumnLayout, x: f64) -> String {
    match layout.meaning {
        CellMeaning::Time(unit) => unit.text(x).unwrap_or_else(|| short(x)),
        _ => short(x),
    }
}

/// The scale of numbers.
fn numbers_across(layout: &ColumnLayout, cells: &[f64], right: f64) -> Axis {
    let has_missing = cells.iter().any(|cell| cell.is_nan());
    let right = if has_missing { right - MISSING } else { right };
    let time = match layout.meaning {
        CellMeaning::Time(unit) => Some(unit),
        _ => None,
    };
    Axis::robust(cells, None, LEFT, right).of_time(time)
}

/// Places of numbers, with ticks and a histogram.
fn draw_numbers(
    canvas: &mut Canvas,
    axis: &Axis,
    cells: &[f64],
    (top, base): (f64, f64),
    right: f64,
) -> Vec<f64> {
    let bottom = top + HEIGHT;
    for (tick, text) in axis.spaced_ticks() {
        let x = axis.place(tick);
        canvas.line((x, top), (x, bottom), RULE);
        canvas.text((x, base + 16.0), Anchor::Middle, SMALL, FAINT, &text, 200.0);
    }
    let missing = cells.iter().filter(|cell| cell.is_nan()).count();
    let inside: Vec<f64> =
        cells.iter().copied().filter(|cell| axis.beyond(*cell).is_none()).collect();
    let end = if missing > 0 { right - MISSING } else { right };
    // More bins than rows can fill show chance only.
    let most = ((end - LEFT) / 8.0).min(10.0 + 2.0 * (inside.len() as f64).sqrt());
    let Histogram { start, length, counts } = Histogram::new(&inside, most as usize);
    let most = counts.iter().copied().max().unwrap_or(0).max(missing).max(1) as f64;
    for (bin, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let from = axis.place(start + bin as f64 * length).max(LEFT);
        let to = axis.place(start + (bin + 1) as f64 * length).min(end).max(from + 1.0);
        let gap = if to - from > 3.0 { 1.0 } else { 0.0 };
        let height = BARS * *count as f64 / most;
        canvas.rectangle((from, base), (to - gap, base - height), colour::NEUTRAL);
    }
    let slot = right - MISSING / 2.0;
    if missing > 0 {
        canvas.text((slot, base + 16.0), Anchor::Middle, SMALL, FAINT, "missing", MISSING);
        let height = BARS * missing as f64 / most;
        canvas.rectangle((slot - 8.0, base), (slot + 8.0, base - height), colour::MISSING);
    }
    let draws = &mut generator(0, 1);
    let mut place = |cell: f64| {
        if cell.is_nan() { slot - 12.0 + 24.0 * unit(draws) } else { axis.place(cell) }
    };
    cells.iter().map(|&cell| place(cell)).collect()
}

/// Levels side by side: the most frequent ones, the others together, missing cells last.
struct Slots {
    /// The codes of each place with its name and count.
    slots: Vec<(Vec<f64>, String, usize)>,
    width: f64,
    is_slanted: bool,
}

impl Slots {
    fn new(layout: &ColumnLayout, cells: &[f64], right: f64) -> Self {
        let mut sorted = cells.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut levels: Vec<(f64, usize)> = sorted
            .chunk_by(|a, b| a == b || (a.is_nan() && b.is_nan()))
            .map(|same| (same[0], same.len()))
            .collect();
        levels.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
        let mut slots: Vec<(Vec<f64>, String, usize)> = Vec::new();
        let mut others: (Vec<f64>, usize, usize) = (vec![], 0, 0);
        let mut missing: (Vec<f64>, usize) = (vec![], 0);
        for (code, count) in levels {
            match (layout.part(code), level_name(layout, code)) {
                (Some(Part::Missing), _) | (_, None) => {
                    missing.0.push(code);
                    missing.1 += count;
                }
                (Some(Part::Other { pooled }), _) => {
                    others.0.push(code);
                    others.1 += count;
                    others.2 += pooled.len().max(1);
                }
                (_, Some(name)) if slots.len() < LEVELS => {
                    slots.push((vec![code], name.to_owned(), count));
                }
                (_, Some(_)) => {
                    others.0.push(code);
                    others.1 += count;
                    others.2 += 1;
                }
            }
        }
        if !others.0.is_empty() {
            slots.push((others.0, others_text(others.2), others.1));
        }
        if !missing.0.is_empty() {
            slots.push((missing.0, "missing".into(), missing.1));
        }
        let width = (right - LEFT) / slots.len().max(1) as f64;
        let is_slanted = slots.iter().any(|(_, name, _)| width_of(name, SMALL) > width - 6.0);
        Self { slots, width, is_slanted }
    }

    fn text_height(&self) -> f64 {
        if !self.is_slanted {
            return 18.0;
        }
        let names = self.slots.iter().map(|(_, name, _)| width_of(name, SMALL));
        14.0 + 0.65 * names.fold(0.0, f64::max).min(LEVEL_ROOM)
    }

    /// Draws names and counts, and returns the places of cells.
    fn draw(&self, canvas: &mut Canvas, cells: &[f64], base: f64) -> Vec<f64> {
        let most = self.slots.iter().map(|(_, _, count)| *count).max().unwrap_or(1).max(1) as f64;
        for (at, (_, name, count)) in self.slots.iter().enumerate() {
            let x = LEFT + at as f64 * self.width;
            let height = BARS * *count as f64 / most;
            let (from, to) = ((x + 0.2 * self.width, base), (x + 0.8 * self.width, base - height));
            canvas.rectangle(from, to, colour::NEUTRAL);
            let middle = x + 0.5 * self.width;
            if self.is_slanted {
                // Names at the left edge have less room.
                let room = LEVEL_ROOM.min((middle - MARGIN / 2.0) / 0.77);
                canvas.slanted((middle + 4.0, base + 14.0), FAINT, name, room);
            } else {
                let place = (middle, base + 16.0);
                canvas.text(place, Anchor::Middle, SMALL, FAINT, name, self.width);
            }
        }
        let draws = &mut generator(0, 1);
        let mut place = |cell: f64| {
            let same = |code: &f64| *code == cell || (code.is_nan() && cell.is_nan());
            let slot = self.slots.iter().position(|(codes, ..)| codes.iter().any(same));
            LEFT + (slot.unwrap_or(0) as f64 + 0.2 + 0.6 * unit(draws)) * self.width
        };
        cells.iter().map(|&cell| place(cell)).collect()
    }
}
