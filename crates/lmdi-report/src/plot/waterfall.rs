//! One row: from the base over its scores, the largest first, to the model's prediction. What scores
//! leave of it is the last step, hatched. Where standard errors are known, a thin line at the end of a bar
//! is two of them to either side.

use super::drawing::axis::{Axis, short, signed};
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL, TEXT};
use super::{LABEL, PlotData, label_room};
use crate::Result;
use lmdi::Error;

const WIDTH: f64 = 860.0;
const TOP: f64 = 66.0;
const STEP: f64 = 28.0;

/// A step of the way.
struct Step {
    label: String,
    size: f64,
    is_score: bool,
    /// Standard error of the score, where it is known.
    error: Option<f64>,
}

/// Draws the `top` largest scores of a row (from 0) and, as one step, the others.
pub fn waterfall(data: &PlotData<'_>, row: usize, top: usize) -> Result<Picture> {
    data.check()?;
    if row >= data.rows.n_rows() || !data.rows.is_known(row) {
        let what = format!("row {} has no scores to draw", row.saturating_add(1));
        return Err(Error::Data(what).into());
    }
    let (p, n_outputs) = (data.columns.len(), data.rows.scores.n_outputs);
    let mut order: Vec<usize> = (0..p).collect();
    let size = |column: usize| data.score(row, column).abs();
    order.sort_by(|&a, &b| size(b).total_cmp(&size(a)).then(a.cmp(&b)));
    // One column more is no longer than a line that says so.
    let shown = if p <= top.max(1) + 1 { p } else { top.max(1) };
    let mut steps: Vec<Step> = order[..shown]
        .iter()
        .map(|&column| {
            let label = format!("{} = {}", data.name(column), data.value(row, column));
            let error = data.errors.map(|errors| errors[column * n_outputs + data.output]);
            let error = error.filter(|error| error.is_finite());
            Step { label, size: data.score(row, column), is_score: true, error }
        })
        .collect();
    if p > shown {
        let rest = order[shown..].iter().map(|&column| data.score(row, column)).sum();
        let label = format!("{} other columns", p - shown);
        steps.push(Step { label, size: rest, is_score: true, error: None });
    }
    let at = row * n_outputs + data.output;
    let base = data.rows.scores.base[at];
    let explained = data.rows.scores.total(row, data.output);
    let account = data.account.filter(|account| account.unexplained[at].is_finite());
    let total = account.map_or(explained, |of| of.prediction(row, data.output, n_outputs));
    let left = account.filter(|account| !account.is_exact).map(|account| account.unexplained[at]);
    let left_out = account.and_then(|account| account.out_of_bag.as_ref()).map(|cells| cells[at]);
    for (label, part) in [("not explained", left), ("trees that saw the row left out", left_out)] {
        steps.extend(part.map(|size| Step {
            label: label.into(),
            size,
            is_score: false,
            error: None,
        }));
    }
    let mut levels = vec![base];
    for step in &steps {
        levels.push(levels.last().copied().unwrap_or(base) + step.size);
    }
    let actual = data.actual(row);
    let left = label_room(steps.iter().map(|step| step.label.as_str()));
    let lines = steps.len() + 2 + usize::from(actual.is_some());
    let bottom = TOP + STEP * lines as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 52.0, data.title);
    let name = if account.is_some() { "prediction" } else { "total" };
    let explained = match account {
        Some(account) if !account.is_exact => format!(", explained {}", short(explained)),
        _ => String::new(),
    };
    let has_errors = steps.iter().any(|step| step.error.is_some());
    let thin = if has_errors { "; thin lines: ± two standard errors over the trees" } else { "" };
    let (base_text, total_text) = (short(base), short(total));
    let line = format!("row {}: base {base_text}{explained}, {name} {total_text}{thin}", row + 1);
    canvas.heading(data.title, &line);
    // Where the thin line of a step starts and ends.
    let whisker = |at: usize| {
        steps[at].error.map(|error| [levels[at + 1] - 2.0 * error, levels[at + 1] + 2.0 * error])
    };
    let whiskers = (0..steps.len()).filter_map(whisker).flatten();
    let ends = levels.iter().copied().chain(actual).chain(whiskers);
    let axis = Axis::covering(ends, left, WIDTH - 90.0);
    axis.draw_below(&mut canvas, TOP - 6.0, bottom, data.scale);
    let mut mark = |y: f64, name: &str, value: f64| {
        canvas.text((left - 10.0, y + 17.0), Anchor::End, TEXT, INK, name, LABEL);
        canvas.rectangle(
            (axis.place(value) - 1.5, y + 4.0),
            (axis.place(value) + 1.5, y + 24.0),
            INK,
        );
        canvas.text(
            (axis.place(value) + 8.0, y + 17.0),
            Anchor::Start,
            SMALL,
            INK,
            &short(value),
            16,
        );
    };
    mark(TOP, "base", base);
    let end = TOP + STEP * (steps.len() + 1) as f64;
    mark(end, name, total);
    if let Some(actual) = actual {
        mark(end + STEP, "actual", actual);
    }
    for (at, Step { label, size, is_score, .. }) in steps.iter().enumerate() {
        let y = TOP + STEP * (at + 1) as f64;
        let (from, to) = (axis.place(levels[at]), axis.place(levels[at + 1]));
        canvas.line((from, y - 4.0), (from, y + 4.0), RULE);
        canvas.text((left - 10.0, y + 17.0), Anchor::End, TEXT, INK, label, LABEL);
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
        canvas.text(place, Anchor::Start, SMALL, FAINT, &signed(*size), 16);
    }
    Ok(canvas.finish())
}
