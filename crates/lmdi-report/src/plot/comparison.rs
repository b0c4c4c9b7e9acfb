//! Two models on the same rows: the columns that each uses, and their predictions against each
//! other.

use super::drawing::axis::Axis;
use super::drawing::colour;
use super::drawing::heading::Heading;
use super::drawing::legend::{Entry, Legend};
use super::drawing::number::short;
use super::drawing::svg::{Anchor, Canvas, FAINT, Picture, RULE, SMALL};
use super::{Look, label, label_room};
use crate::Result;
use lmdi::Error;
use lmdi::random::{generator, subset};
use lmdi::study::ModelComparison;

const WIDTH: f64 = 980.0;
const STEP: f64 = 26.0;
/// Longest side of the square of predictions.
const SQUARE: f64 = 330.0;
/// Narrower pictures have the square below the columns.
const BESIDE: f64 = 760.0;
/// More dots would hide one another.
const DOTS: usize = 1000;

/// Two models on the same rows.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonData<'a> {
    /// What was compared.
    pub found: &'a ModelComparison,
    /// The names of the models.
    pub names: [&'a str; 2],
    /// The predictions of each model: a number, or the probability of a class.
    pub predictions: [&'a [f64]; 2],
    /// What that is, such as `price`.
    pub predicted: &'a str,
    /// A note about the method, if any.
    pub note: &'a str,
    /// Title and size.
    pub look: Look<'a>,
}

/// Draws the `top` columns with the largest share in either model, and predictions of rows.
pub fn comparison(data: &ComparisonData<'_>, top: usize) -> Result<Picture> {
    let [own, other] = data.predictions;
    if own.len() != other.len() || data.found.shares.is_empty() {
        let what = "two models must predict the same rows, and have columns";
        return Err(Error::Data(what.into()).into());
    }
    let shares = &data.found.shares[..top.clamp(1, data.found.shares.len())];
    let width = data.look.width(WIDTH);
    let is_beside = width >= BESIDE;
    let square = if is_beside { SQUARE } else { SQUARE.min(width - 100.0) };
    let columns_end = if is_beside { width - square - 110.0 } else { width - 30.0 };
    let names = shares.iter().map(|share| share.name.as_str());
    let left = label_room(names, width).min(0.6 * columns_end);
    let heading = Heading::new(data.look.title, &format!("{}{}", in_words(data), data.note), width);
    let dots = data.names.iter().zip([colour::DOWN, colour::UP]);
    let dots = dots.map(|(name, fill)| Entry::Dot((*name).to_owned(), fill)).collect();
    let legend = Legend::new(dots, 16.0, width - 16.0);
    let top = heading.bottom() + legend.height() + 32.0;
    let last = top + STEP * shares.len() as f64;
    let (x, y) = if is_beside { (width - square - 20.0, top) } else { (70.0, last + 90.0) };
    let mut canvas = Canvas::new(width, last.max(y + square) + 56.0, data.look.title);
    heading.draw(&mut canvas);
    legend.draw(&mut canvas, heading.bottom() + 4.0);
    let ends = shares.iter().flat_map(|share| [share.own, share.other]).flatten();
    let axis = Axis::covering(ends.map(|share| 100.0 * share).chain([0.0]), left, columns_end);
    axis.draw_below(&mut canvas, top - 6.0, last, "share of all mean sizes of scores, %");
    for (at, share) in shares.iter().enumerate() {
        let y = top + STEP * at as f64 + STEP / 2.0;
        label(&mut canvas, left, y + 4.0, &share.name);
        let places = [share.own, share.other].map(|of| of.map(|of| axis.place(100.0 * of)));
        match places {
            [Some(own), Some(other)] => canvas.line((own, y), (other, y), FAINT),
            [None, Some(x)] | [Some(x), None] => {
                let text = "not read by the other";
                let room = columns_end + 60.0 - x;
                canvas.text((x + 10.0, y + 4.0), Anchor::Start, SMALL, FAINT, text, room);
            }
            [None, None] => {}
        }
        for (place, fill) in places.into_iter().zip([colour::DOWN, colour::UP]) {
            if let Some(x) = place {
                canvas.dot((x, y), 5.0, fill);
            }
        }
    }
    predictions(data, &mut canvas, (x, y), square);
    Ok(canvas.finish())
}

/// How far apart the models are, in a line.
fn in_words(data: &ComparisonData<'_>) -> String {
    let found = data.found;
    let apart = match found.same_class {
        Some(share) => format!("the same class in {:.1} % of", 100.0 * share),
        None => format!("predictions differ by {} on average in", short(found.mean_difference)),
    };
    let measure = match found.measures.first() {
        None => String::new(),
        Some(_) if found.is_fair == Some(false) => {
            "; errors are not compared, because a model was trained on these rows".into()
        }
        Some(measure) => {
            let name = lmdi::study::measure_title(measure.name);
            let unless = match found.is_fair {
                None => ", unless a model was trained on these rows",
                Some(_) => "",
            };
            format!("; {name} {:.3} and {:.3}{unless}", measure.own, measure.other)
        }
    };
    format!("{apart} {} rows{measure}", short(found.n_rows as f64))
}

/// Predictions of one model against those of the other, with the line where they are equal.
fn predictions(data: &ComparisonData<'_>, canvas: &mut Canvas, (left, top): (f64, f64), side: f64) {
    let [own, other] = data.predictions;
    let known: Vec<usize> =
        (0..own.len()).filter(|&row| own[row].is_finite() && other[row].is_finite()).collect();
    let shown: Vec<usize> = match known.len() {
        n if n <= DOTS => known,
        n => subset(&mut generator(0, 0), n, DOTS).iter().map(|&at| known[at as usize]).collect(),
    };
    let all = || shown.iter().flat_map(|&row| [own[row], other[row]]);
    let x = Axis::covering(all(), left, left + side);
    let y = Axis::covering(all(), top + side, top);
    let title = format!("{} by {}", data.predicted, data.names[0]);
    x.draw_below(canvas, top, top + side, &title);
    y.draw_left(canvas, left, left + side);
    let title = format!("{} by {}", data.predicted, data.names[1]);
    canvas.text((left, top - 8.0), Anchor::Start, SMALL, FAINT, &title, side);
    canvas.line((left, top + side), (left + side, top), RULE);
    for &row in &shown {
        canvas.dot((x.place(own[row]), y.place(other[row])), 2.2, colour::NEUTRAL);
    }
}
