//! A linear scale from numbers to positions, with round ticks, and marks for numbers beyond it.

use super::number::texts_of;
use super::svg::{Anchor, Canvas, FAINT, RULE, SMALL};
use super::text::{width_of, wrapped};
use super::time;
use lmdi::table::TimeUnit;

/// The share of numbers that a scale always shows, and how much longer the whole may be before it is
/// cut.
const KEPT: f64 = 0.99;
const LONGEST: f64 = 2.5;
/// Of fewer numbers none is an exception.
const FEWEST: usize = 20;

/// A linear scale from a range of numbers to a range of pixels.
#[derive(Debug, Clone, Copy)]
pub(in crate::plot) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    time: Option<TimeUnit>,
    /// The range of what is shown, where some numbers are not.
    cut: Option<(f64, f64)>,
}

/// Where a number lies that a scale does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plot) enum Beyond {
    Below,
    Above,
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
        Self { low: low - margin, high: high + margin, from, to, time: None, cut: None }
    }

    /// A scale that a few numbers far away from all others do not stretch: they lie beyond it.
    /// `zero` is always shown if it is given.
    pub fn robust(numbers: &[f64], zero: Option<f64>, from: f64, to: f64) -> Self {
        let mut sorted: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let whole = Self::covering(sorted.iter().copied().chain(zero), from, to);
        if sorted.len() < FEWEST {
            return whole;
        }
        let last = sorted.len() - 1;
        let edge = ((1.0 - KEPT) / 2.0 * last as f64).ceil() as usize;
        let with_zero = |low: f64, high: f64| match zero {
            Some(zero) => (low.min(zero), high.max(zero)),
            None => (low, high),
        };
        let (low, high) = with_zero(sorted[edge], sorted[last - edge]);
        let span = high - low;
        let ends = with_zero(sorted[0], sorted[last]);
        if !(span > 0.0 && ends.1 - ends.0 > LONGEST * span) {
            return whole;
        }
        // What lies a little further out is no exception.
        let near = |x: &f64| (low - span / 2.0..=high + span / 2.0).contains(x);
        let kept = sorted.iter().copied().filter(near).chain([low, high]);
        let (low, high) = kept.fold((low, high), |(low, high), x| (low.min(x), high.max(x)));
        let shown = Self::covering([low, high].into_iter(), from, to);
        Self { cut: Some((low, high)), ..shown }
    }

    /// The same for points in time, if the numbers are that.
    pub fn of_time(self, time: Option<TimeUnit>) -> Self {
        Self { time, ..self }
    }

    /// The place of a number; of one beyond the scale the end of the scale.
    pub fn place(&self, x: f64) -> f64 {
        let x = if self.cut.is_some() { x.clamp(self.low, self.high) } else { x };
        let span = self.high - self.low;
        self.from + (x - self.low) / span * (self.to - self.from)
    }

    /// Whether a number lies beyond the scale.
    pub fn beyond(&self, x: f64) -> Option<Beyond> {
        match self.cut? {
            (low, _) if x < low => Some(Beyond::Below),
            (_, high) if x > high => Some(Beyond::Above),
            _ => None,
        }
    }

    /// Four to six round numbers within the range, where it has any length, with their text.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        self.ticks_within(4, 6)
    }

    fn ticks_within(&self, fewest: usize, most: usize) -> Vec<(f64, String)> {
        match self.time {
            Some(unit) => time::ticks(self.low, self.high, unit, fewest, most),
            None => {
                let ticks = round_ticks(self.low, self.high, fewest, most);
                let texts = texts_of(&ticks);
                ticks.into_iter().zip(texts).collect()
            }
        }
    }

    /// Ticks with as many texts as find room beside one another.
    pub fn spaced_ticks(&self) -> Vec<(f64, String)> {
        const GAP: f64 = 14.0;
        let room = (self.to - self.from).abs();
        for most in [6, 5, 4, 3] {
            let ticks = self.ticks_within(most.min(4), most);
            let widest = ticks.iter().map(|(_, text)| width_of(text, SMALL)).fold(0.0, f64::max);
            if (widest + GAP) * ticks.len() as f64 <= room {
                return ticks;
            }
        }
        self.ticks_within(2, 2)
    }

    /// Draws the axis below a plot: lines up to `top` and numbers under `bottom`.
    pub fn draw_below(&self, canvas: &mut Canvas, top: f64, bottom: f64, title: &str) {
        for (tick, text) in self.spaced_ticks() {
            let x = self.place(tick);
            canvas.line((x, top), (x, bottom), RULE);
            canvas.text((x, bottom + 16.0), Anchor::Middle, SMALL, FAINT, &text, 200.0);
        }
        let middle = (self.from + self.to) / 2.0;
        let room = 2.0 * middle.min(canvas.width() - middle) - 8.0;
        for (at, line) in wrapped(title, SMALL, room, 2).iter().enumerate() {
            let y = bottom + 34.0 + 13.0 * at as f64;
            canvas.text((middle, y), Anchor::Middle, SMALL, FAINT, line, f64::INFINITY);
        }
    }

    /// Draws the axis at the left of a plot: lines from `left` to `right` and numbers beside them.
    pub fn draw_left(&self, canvas: &mut Canvas, left: f64, right: f64) {
        for (tick, text) in self.ticks() {
            let y = self.place(tick);
            canvas.line((left, y), (right, y), RULE);
            canvas.text((left - 6.0, y + 4.0), Anchor::End, SMALL, FAINT, &text, left - 10.0);
        }
    }
}

/// How many numbers lie beyond a scale, in words for a heading.
pub(in crate::plot) fn beyond_text(count: usize, what: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("; 1 {what} beyond the axis, a triangle at its end"),
        _ => format!("; {count} {what}s beyond the axis, triangles at its ends"),
    }
}

/// Round numbers between two ends: multiples of the roundest step that gives as many as wanted.
fn round_ticks(low: f64, high: f64, fewest: usize, most: usize) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    if !(rough > 0.0 && rough.is_finite()) {
        return vec![];
    }
    let power = 10_f64.powi(rough.log10().floor() as i32);
    let within = |factor: f64| -> Vec<f64> {
        let step = factor * power;
        let first = (low / step).ceil();
        (0..32)
            .map(|at| (first + f64::from(at)) * step)
            .take_while(|tick| *tick <= high)
            .map(|tick| if tick == 0.0 { 0.0 } else { tick })
            .collect()
    };
    const FACTORS: [f64; 14] =
        [1.0, 10.0, 5.0, 2.0, 2.5, 20.0, 25.0, 50.0, 4.0, 3.0, 6.0, 8.0, 1.5, 0.5];
    let candidates = FACTORS.map(within);
    let is_good = |ticks: &&Vec<f64>| (fewest..=most).contains(&ticks.len());
    let nearest = || {
        let few = candidates.iter().filter(|ticks| ticks.len() <= most);
        few.min_by_key(|ticks| ticks.len().abs_diff(most))
    };
    candidates.iter().find(is_good).or_else(nearest).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let values =
            |axis: Axis| axis.ticks().into_iter().map(|(tick, _)| tick).collect::<Vec<_>>();
        let axis = Axis::covering([-3.2, 7.9].into_iter(), 0.0, 100.0);
        assert_eq!(values(axis), [-2.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        for start in [0.0, -0.37, 0.81, -123.4] {
            for step in 0..60 {
                let high = start + 10_f64.powf(f64::from(step) / 60.0);
                let ticks = values(Axis::covering([start, high].into_iter(), 0.0, 100.0));
                assert!((4..=6).contains(&ticks.len()), "{start} to {high}: {ticks:?}");
            }
        }
        for numbers in [&[][..], &[5.0], &[f64::NAN], &[1e300, -1e300], &[1e-300, 2e-300]] {
            let axis = Axis::covering(numbers.iter().copied(), 0.0, 100.0);
            assert!(axis.ticks().len() <= 7, "{numbers:?}");
            assert!(numbers.iter().all(|&x| x.is_nan() || axis.place(x).is_finite()));
        }
    }

    #[test]
    fn few_numbers_far_away_lie_beyond_the_scale() {
        let mut numbers: Vec<f64> = (0..200).map(f64::from).collect();
        numbers.extend([1e6, -1e7]);
        let axis = Axis::robust(&numbers, Some(0.0), 0.0, 100.0);
        assert_eq!(axis.beyond(1e6), Some(Beyond::Above));
        assert_eq!(axis.beyond(-1e7), Some(Beyond::Below));
        assert_eq!(numbers.iter().filter(|x| axis.beyond(**x).is_some()).count(), 2);
        assert!(axis.place(100.0) > 40.0 && axis.place(100.0) < 60.0);
        assert_eq!((axis.place(1e6), axis.place(-1e7)), (100.0, 0.0));
        // A long tail is no exception.
        let tail: Vec<f64> = (0..200).map(|x| f64::from(x) / 10.0).map(f64::exp2).collect();
        let axis = Axis::robust(&tail[..100], None, 0.0, 100.0);
        assert!(tail[..100].iter().all(|x| axis.beyond(*x).is_none()));
        assert!(Axis::robust(&[1.0, 2.0, 1e9], None, 0.0, 100.0).beyond(1e9).is_none());
    }

    #[test]
    fn narrow_axes_have_fewer_ticks() {
        let wide = Axis::covering([0.0, 1e6].into_iter(), 0.0, 600.0).spaced_ticks().len();
        let narrow = Axis::covering([0.0, 1e6].into_iter(), 0.0, 150.0).spaced_ticks().len();
        assert!((4..=6).contains(&wide) && narrow < 4, "{wide} {narrow}");
    }
}
