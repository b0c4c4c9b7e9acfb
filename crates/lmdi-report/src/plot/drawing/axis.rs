//! From numbers to places: a linear scale, round ticks and short numbers.

use super::svg::{Anchor, Canvas, FAINT, RULE, SMALL};

/// A linear scale from a range of numbers to a range of pixels.
#[derive(Debug, Clone, Copy)]
pub(in crate::plot) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// A scale that shows all finite numbers, and a little more than them.
    pub fn covering(numbers: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in numbers.filter(|x| x.is_finite()) {
            low = low.min(x);
            high = high.max(x);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let span = high - low;
        // Halves of huge numbers are still finite.
        let margin =
            if span > 0.0 && span.is_finite() { 0.03 * span } else { low.abs().max(1.0) * 0.1 };
        Self { low: low - margin, high: high + margin, from, to }
    }

    /// The place of a number.
    pub fn place(&self, x: f64) -> f64 {
        let span = self.high - self.low;
        self.from + (x - self.low) / span * (self.to - self.from)
    }

    /// Four to six round numbers within the range, where it has any length.
    pub fn ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 5.0;
        if !(rough > 0.0 && rough.is_finite()) {
            return vec![];
        }
        let power = 10_f64.powi(rough.log10().floor() as i32);
        let within = |step: f64| -> Vec<f64> {
            let first = (self.low / step).ceil();
            (0..12)
                .map(|at| (first + f64::from(at)) * step)
                .take_while(|tick| *tick <= self.high)
                .map(|tick| if tick == 0.0 { 0.0 } else { tick })
                .collect()
        };
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| within(factor * power));
        // The roundest step that gives four to six; else the one that comes nearest to five.
        let is_good = |ticks: &&Vec<f64>| (4..=6).contains(&ticks.len());
        let roundest = [0, 4, 3, 1, 2].into_iter().map(|at| &steps[at]).find(is_good);
        let nearest = || steps.iter().min_by_key(|ticks| ticks.len().abs_diff(5));
        roundest.or_else(nearest).cloned().unwrap_or_default()
    }

    /// Draws the axis below a plot: lines up to `top` and numbers under `bottom`.
    pub fn draw_below(&self, canvas: &mut Canvas, top: f64, bottom: f64, title: &str) {
        for tick in self.ticks() {
            let x = self.place(tick);
            canvas.line((x, top), (x, bottom), RULE);
            canvas.text((x, bottom + 16.0), Anchor::Middle, SMALL, FAINT, &short(tick), 16);
        }
        let middle = (self.from + self.to) / 2.0;
        canvas.text((middle, bottom + 36.0), Anchor::Middle, SMALL, FAINT, title, 110);
    }

    /// Draws the axis at the left of a plot: lines from `left` to `right` and numbers beside them.
    pub fn draw_left(&self, canvas: &mut Canvas, left: f64, right: f64) {
        for tick in self.ticks() {
            let y = self.place(tick);
            canvas.line((left, y), (right, y), RULE);
            canvas.text((left - 6.0, y + 4.0), Anchor::End, SMALL, FAINT, &short(tick), 16);
        }
    }
}

/// A number for people: four digits, thousands separated, with a true minus.
pub(in crate::plot) fn short(x: f64) -> String {
    if !x.is_finite() {
        return "missing".into();
    }
    let text = digits_of(x.abs());
    let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    if x < 0.0 && !is_zero { format!("\u{2212}{text}") } else { text }
}

fn digits_of(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        return format!("{x:.2e}").replace(".00e", "e").replace("e-", "e\u{2212}");
    }
    let digits = if size >= 1.0 { size.log10().floor() as i32 } else { -1 };
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    if digits >= 3 {
        let whole = format!("{:.0}", rounded.abs());
        let mut text = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at) % 3 == 0 {
                text.push(',');
            }
            text.push(digit);
        }
        return text;
    }
    lmdi::table::number_text(if rounded == 0.0 { 0.0 } else { rounded })
}

/// The same with a sign.
pub(in crate::plot) fn signed(x: f64) -> String {
    if x >= 0.0 { format!("+{}", short(x)) } else { short(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::covering([-3.2, 7.9].into_iter(), 0.0, 100.0);
        assert_eq!(axis.ticks(), [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (3.0, 997.0), (0.11, 0.13), (-7e5, 2e6)] {
            let ticks = Axis::covering([low, high].into_iter(), 0.0, 100.0).ticks();
            assert!((4..=6).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
        }
        for numbers in [&[][..], &[5.0], &[f64::NAN], &[1e300, -1e300], &[1e-300, 2e-300]] {
            let axis = Axis::covering(numbers.iter().copied(), 0.0, 100.0);
            assert!(axis.ticks().len() <= 7, "{numbers:?}");
            assert!(numbers.iter().all(|&x| x.is_nan() || axis.place(x).is_finite()));
        }
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, -0.0, 1234567.0, -1234.5, 0.12345, 12.0, 1e-9, f64::NAN].map(short);
        assert_eq!(
            texts,
            ["0", "0", "1,235,000", "\u{2212}1,234", "0.1235", "12", "1e\u{2212}9", "missing"]
        );
        assert_eq!((signed(2.0), signed(-2.0)), ("+2".into(), "\u{2212}2".into()));
    }
}
