//! Two models on the same rows: what each uses, and their predictions against each other.

use super::drawing::axis::{Axis, short};
use super::drawing::colour;
use super::drawing::svg::{Anchor, Canvas, FAINT, INK, Picture, RULE, SMALL, TEXT, width_of};
use super::{LABEL, label_room};
use crate::Result;
use lmdi::Error;
use lmdi::random::{generator, subset};
use lmdi::study::ModelComparison;

const WIDTH: f64 = 980.0;
const TOP: f64 = 92.0;
const STEP: f64 = 26.0;
/// Side of the square of predictions.
const SQUARE: f64 = 330.0;
/// More dots would hide one another.
const DOTS: usize = 1000;

/// Two models on the same rows.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonData<'a> {
    /// What was compared.
    pub found: &'a ModelComparison,
    /// What the models are called.
    pub names: [&'a str; 2],
    /// What each predicts of every row: a number, or the probability of a class.
    pub predictions: [&'a [f64]; 2],
    /// What that is, such as `price`.
    pub predicted: &'a str,
    /// The heading.
    pub title: &'a str,
}

/// Draws the `top` columns with the largest share in either model, and predictions of rows.
pub fn comparison(data: &ComparisonData<'_>, top: usize) -> Result<Picture> {
    let [own, other] = data.predictions;
    if own.len() != other.len() || data.found.shares.is_empty() {
        let what = "two models must predict the same rows, and have columns";
        return Err(Error::Data(what.into()).into());
    }
    let shares = &data.found.shares[..top.clamp(1, data.found.shares.len())];
    let left = label_room(shares.iter().map(|share| share.name.as_str())).min(300.0);
    let bottom = (TOP + STEP * shares.len() as f64).max(TOP + SQUARE);
    let mut canvas = Canvas::new(WIDTH, bottom + 56.0, data.title);
    canvas.heading(data.title, &in_words(data));
    let mut x = 16.0;
    for (name, fill) in data.names.iter().zip([colour::DOWN, colour::UP]) {
        canvas.dot((x + 4.0, 66.0), 5.0, fill);
        canvas.text((x + 14.0, 70.0), Anchor::Start, SMALL, INK, name, LABEL);
        let cut: String = name.chars().take(LABEL).collect();
        x += width_of(&cut, SMALL) + 40.0;
    }
    let square = WIDTH - SQUARE - 20.0;
    let ends = shares.iter().flat_map(|share| [share.own, share.other]).flatten();
    let axis = Axis::covering(ends.map(|share| 100.0 * share).chain([0.0]), left, square - 90.0);
    let last = TOP + STEP * shares.len() as f64;
    axis.draw_below(&mut canvas, TOP - 6.0, last, "share of all mean sizes of scores, %");
    for (at, share) in shares.iter().enumerate() {
        let y = TOP + STEP * at as f64 + STEP / 2.0;
        canvas.text((left - 10.0, y + 4.0), Anchor::End, TEXT, INK, &share.name, LABEL);
        let places = [share.own, share.other].map(|of| of.map(|of| axis.place(100.0 * of)));
        match places {
            [Some(own), Some(other)] => canvas.line((own, y), (other, y), FAINT),
            [None, Some(x)] | [Some(x), None] => {
                let text = "not read by the other";
                canvas.text((x + 10.0, y + 4.0), Anchor::Start, SMALL, FAINT, text, 30);
            }
            [None, None] => {}
        }
        for (place, fill) in places.into_iter().zip([colour::DOWN, colour::UP]) {
            if let Some(x) = place {
                canvas.dot((x, y), 5.0, fill);
            }
        }
    }
    predictions(data, &mut canvas, square);
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
fn predictions(data: &ComparisonData<'_>, canvas: &mut Canvas, left: f64) {
    let [own, other] = data.predictions;
    let known: Vec<usize> =
        (0..own.len()).filter(|&row| own[row].is_finite() && other[row].is_finite()).collect();
    let shown: Vec<usize> = match known.len() {
        n if n <= DOTS => known,
        n => subset(&mut generator(0, 0), n, DOTS).iter().map(|&at| known[at as usize]).collect(),
    };
    let all = || shown.iter().flat_map(|&row| [own[row], other[row]]);
    let x = Axis::covering(all(), left, left + SQUARE);
    let y = Axis::covering(all(), TOP + SQUARE, TOP);
    let title = format!("{} by {}", data.predicted, data.names[0]);
    x.draw_below(canvas, TOP, TOP + SQUARE, &title);
    y.draw_left(canvas, left, left + SQUARE);
    let title = format!("{} by {}", data.predicted, data.names[1]);
    canvas.text((left, TOP - 8.0), Anchor::Start, SMALL, FAINT, &title, 50);
    canvas.line((left, TOP + SQUARE), (left + SQUARE, TOP), RULE);
    for &row in &shown {
        canvas.dot((x.place(own[row]), y.place(other[row])), 2.2, colour::NEUTRAL);
    }
}
