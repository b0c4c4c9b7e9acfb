//! One row: from the base over its scores, the largest first, to the model's prediction. The
//! unexplained part is the last step, hatched. If standard errors are known, a thin line at the end
//! of a bar shows two of them to either side. For log-odds, a second axis shows probabilities.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::heading::Heading;
use super::drawing::number::{percent, short, signed};
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL, TEXT};
use super::drawing::text::{fitted, width_of};
use super::{GAP, MARGIN, PlotData, label, label_room};
use crate::Result;
use lmdi::Error;
use lmdi::importance::OutputScale;
use lmdi::text::counted;

const WIDTH: f64 = 860.0;
const STEP: f64 = 28.0;
/// Room for the number behind a bar.
const NUMBER: f64 = 70.0;
/// Probabilities that a scale of log-odds is marked with, the roundest first.
const CHANCES: [f64; 15] =
    [0.5, 0.1, 0.9, 0.01, 0.99, 0.25, 0.75, 0.001, 0.999, 0.02, 0.98, 0.05, 0.95, 0.0001, 0.9999];

/// A step of the way.
struct Step {
    name: String,
    /// The cell of the column, in words.
    cell: Option<String>,
    size: f64,
    is_score: bool,
    /// Standard error of the score, where it is known.
    error: Option<f64>,
}

impl Step {
    /// A step without a cell.
    fn plain(name: &str) -> Self {
        Self { name: name.into(), cell: None, size: 0.0, is_score: true, error: None }
    }

    /// Name and cell; where there is no room for both the name is cut.
    fn label(&self, room: f64) -> String {
        let Some(cell) = &self.cell else { return self.name.clone() };
        let cell = format!(" = {}", fitted(cell, TEXT, 0.7 * room));
        let left = room - width_of(&cell, TEXT);
        format!("{}{cell}", fitted(&self.name, TEXT, left.max(0.3 * room)))
    }
}

/// Something that is marked beside the steps.
struct Mark {
    label: String,
    /// Its place on the axis, if it has one.
    value: Option<f64>,
    text: String,
}

/// Draws the `top` largest scores of a row (from 0) and, as one step, the others.
pub fn waterfall(data: &PlotData<'_>, row: usize, top: usize) -> Result<Picture> {
    data.check()?;
    if row >= data.rows.n_rows() || !data.rows.is_known(row) {
        let what = format!("row {} has no scores to draw", row.saturating_add(1));
        return Err(Error::Data(what).into());
    }
    let n_outputs = data.rows.scores.n_outputs;
    let at = row * n_outputs + data.output;
    let base = data.rows.scores.base[at];
    let explained = data.rows.scores.total(row, data.output);
    let account = data.account.filter(|account| account.unexplained[at].is_finite());
    let total = account.map_or(explained, |of| of.prediction(row, data.output, n_outputs));
    let mut steps = score_steps(data, row, top);
    let left = account.filter(|account| !account.is_exact).map(|account| account.unexplained[at]);
    let left_out = account.and_then(|account| account.out_of_bag.as_ref()).map(|cells| cells[at]);
    for (label, part) in [("not explained", left), ("trees that saw the row left out", left_out)] {
        let step = |size| Step { size, is_score: false, ..Step::plain(label) };
        steps.extend(part.map(step));
    }
    let mut levels = vec![base];
    for step in &steps {
        levels.push(levels.last().copied().unwrap_or(base) + step.size);
    }
    let name = if account.is_some() { "prediction" } else { "total" };
    let mut ends = vec![Mark { label: name.into(), value: Some(total), text: String::new() }];
    ends[0].text = match predicted(data, row).filter(|_| account.is_some()) {
        Some(said) => format!("{} ({said})", short(total)),
        None => short(total),
    };
    ends.extend(actual(data, row).filter(|_| account.is_some()));
    let has_chances = account.is_some()
        && data.output_scale == OutputScale::LogOdds
        && n_outputs == 1
        && data.labels.len() == 2;
    let has_errors = steps.iter().any(|step| step.error.is_some());
    let line = subtitle(row, base, account.map(|of| (explained, of.is_exact)), &ends, has_errors);
    let width = data.look.width(WIDTH);
    let names: Vec<String> = steps.iter().map(|step| step.label(f64::INFINITY)).collect();
    let names = names.iter().map(String::as_str);
    let left = label_room(names.chain(ends.iter().map(|mark| mark.label.as_str())), width);
    let heading = Heading::new(data.look.title, &line, width);
    let top = heading.bottom() + if has_chances { 34.0 } else { 16.0 };
    let bottom = top + STEP * (steps.len() + 1 + ends.len()) as f64;
    let mut canvas = Canvas::new(width, bottom + 52.0, data.look.title);
    heading.draw(&mut canvas);
    // Where the thin line of a step starts and ends.
    let whisker = |at: usize| {
        steps[at].error.map(|error| [levels[at + 1] - 2.0 * error, levels[at + 1] + 2.0 * error])
    };
    let whiskers = (0..steps.len()).filter_map(whisker).flatten();
    let marked = ends.iter().filter_map(|mark| mark.value);
    let shown = levels.iter().copied().chain(marked).chain(whiskers);
    let axis = Axis::covering(shown, left, width - NUMBER);
    axis.draw_below(&mut canvas, top - 6.0, bottom, data.scale);
    if has_chances {
        draw_chances(&mut canvas, &axis, (left, width - NUMBER), top - 10.0);
    }
    let start = Mark { label: "base".into(), value: Some(base), text: short(base) };
    draw_mark(&mut canvas, &axis, (left, width), top, &start);
    for (at, mark) in ends.iter().enumerate() {
        let y = top + STEP * (steps.len() + 1 + at) as f64;
        draw_mark(&mut canvas, &axis, (left, width), y, mark);
    }
    for (at, step @ Step { size, is_score, .. }) in steps.iter().enumerate() {
        let y = top + STEP * (at + 1) as f64;
        let (from, to) = (axis.place(levels[at]), axis.place(levels[at + 1]));
        canvas.line((from, y - 4.0), (from, y + 4.0), RULE);
        label(&mut canvas, left, y + 17.0, &step.label(left - GAP - MARGIN / 2.0));
        let fill = if *size >= 0.0 { colour::UP } else { colour::DOWN };
        if *is_score {
            canvas.rectangle((from, y + 4.0), (to, y + 24.0), fill);
        } else {
            canvas.hatched((from, y + 4.0), (to, y + 24.0));
        }
        let mut right = from.max(to);
        if let Some(ends) = whisker(at) {
            let [low, high] = ends.map(|end| axis.place(end));
            canvas.line((low, y + 14.0), (high, y + 14.0), INK);
            right = right.max(high);
        }
        let place = (right + 8.0, y + 17.0);
        canvas.text(place, Anchor::Start, SMALL, FAINT, &signed(*size), NUMBER);
    }
    Ok(canvas.finish())
}

/// The largest scores, and the others as one.
fn score_steps(data: &PlotData<'_>, row: usize, top: usize) -> Vec<Step> {
    let (p, n_outputs) = (data.columns.len(), data.rows.scores.n_outputs);
    let mut order: Vec<usize> = (0..p).collect();
    let size = |column: usize| data.score(row, column).abs();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    // One column more is no longer than a line that says so.
    let shown = if p <= top.max(1) + 1 { p } else { top.max(1) };
    let mut steps: Vec<Step> = order[..shown]
        .iter()
        .map(|&column| {
            let error = data.errors.map(|errors| errors[column * n_outputs + data.output]);
            let error = error.filter(|error| error.is_finite());
            let cell = Some(data.value(row, column));
            let size = data.score(row, column);
            Step { name: data.name(column).to_owned(), cell, size, is_score: true, error }
        })
        .collect();
    if p > shown {
        let rest = order[shown..].iter().map(|&column| data.score(row, column)).sum();
        steps.push(Step { size: rest, ..Step::plain(&counted(p - shown, "other column")) });
    }
    steps
}

/// What the model predicts, where that is not on the scale of the scores.
fn predicted(data: &PlotData<'_>, row: usize) -> Option<String> {
    match (data.class(), data.output_scale) {
        (Some(_), OutputScale::Identity) | (None, OutputScale::Identity) => None,
        (Some(class), _) => data.chance(row, class).map(percent),
        (None, _) => data.rows.prediction(row).first().map(|&number| short(number)),
    }
}

/// What really happened, if it is known.
fn actual(data: &PlotData<'_>, row: usize) -> Option<Mark> {
    if let Some(class) = data.actual_class(row) {
        let given = data.chance(row, class).map(percent);
        let text = given.map_or(String::new(), |given| format!("the model gives it {given}"));
        let label = format!("actual class = {}", data.labels[class]);
        return Some(Mark { label, value: None, text });
    }
    let number = data.actual(row)?;
    let value = match data.output_scale {
        OutputScale::Identity => Some(number),
        OutputScale::Log if number > 0.0 => Some(number.ln()),
        _ => None,
    };
    Some(Mark { label: "actual".into(), value, text: short(number) })
}

/// The line below the title.
fn subtitle(
    row: usize,
    base: f64,
    explained: Option<(f64, bool)>,
    ends: &[Mark],
    has_errors: bool,
) -> String {
    let explained = match explained {
        Some((explained, false)) => format!(", explained {}", short(explained)),
        _ => String::new(),
    };
    let mut line = format!("row {}: base {}{explained}", row + 1, short(base));
    for mark in ends {
        match mark.value {
            Some(_) => line.push_str(&format!(", {} {}", mark.label, mark.text)),
            None => line.push_str(&format!(", {}", mark.label)),
        }
    }
    if has_errors {
        line.push_str("; thin lines: ± two standard errors over the trees");
    }
    line
}

/// A line with a mark instead of a step. Its text is where there is more room.
fn draw_mark(canvas: &mut Canvas, axis: &Axis, (left, width): (f64, f64), y: f64, mark: &Mark) {
    label(canvas, left, y + 17.0, &mark.label);
    let right = width - 16.0;
    let Some(value) = mark.value else {
        let room = right - left;
        canvas.text((left + 6.0, y + 17.0), Anchor::Start, SMALL, INK, &mark.text, room);
        return;
    };
    let x = axis.place(value);
    canvas.rectangle((x - 1.5, y + 4.0), (x + 1.5, y + 24.0), INK);
    if x > (left + right) / 2.0 {
        canvas.text((x - 8.0, y + 17.0), Anchor::End, SMALL, INK, &mark.text, x - left);
    } else {
        canvas.text((x + 8.0, y + 17.0), Anchor::Start, SMALL, INK, &mark.text, right - x);
    }
}

/// Probabilities above the log-odds that they are.
fn draw_chances(canvas: &mut Canvas, axis: &Axis, (left, right): (f64, f64), y: f64) {
    const APART: f64 = 46.0;
    let mut places: Vec<f64> = Vec::new();
    for chance in CHANCES {
        let x = axis.place((chance / (1.0 - chance)).ln());
        let is_free = places.iter().all(|place| (x - place).abs() >= APART);
        if (left..=right).contains(&x) && is_free && places.len() < 6 {
            places.push(x);
            canvas.text((x, y), Anchor::Middle, SMALL, FAINT, &percent(chance), 60.0);
            canvas.line((x, y + 3.0), (x, y + 7.0), FAINT);
        }
    }
    canvas.text((left - GAP, y), Anchor::End, SMALL, FAINT, "probability", left);
}
