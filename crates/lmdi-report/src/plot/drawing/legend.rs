//! The meaning of colours: entries one after another, in as many lines as they need.

use super::colour;
use super::svg::{Anchor, Canvas, FAINT, INK, SMALL};
use super::text::{fitted, width_of};

/// Height of a line.
const LINE: f64 = 18.0;
/// Longest text of an entry, in pixels.
const LONGEST: f64 = 180.0;
const BAR: f64 = 80.0;

/// One entry.
pub(in crate::plot) enum Entry {
    /// Words that head the entries after it, at the start of a line.
    Head(String),
    /// A dot of this colour.
    Dot(String, &'static str),
    /// The scale of values, between the texts of its ends.
    Values(String, String),
}

impl Entry {
    fn width(&self) -> f64 {
        let text = |text: &str| width_of(&fitted(text, SMALL, LONGEST), SMALL);
        match self {
            Self::Head(words) => text(words) + 12.0,
            Self::Dot(words, _) => 14.0 + text(words) + 16.0,
            Self::Values(low, high) => text(low) + BAR + text(high) + 12.0 + 18.0,
        }
    }
}

/// Entries of a legend with their places.
pub(in crate::plot) struct Legend {
    places: Vec<((f64, f64), Entry)>,
    lines: usize,
}

impl Legend {
    /// Entries between two sides of a picture.
    pub fn new(entries: Vec<Entry>, left: f64, right: f64) -> Self {
        let (mut x, mut line) = (left, 0);
        let mut places = Vec::new();
        for entry in entries {
            let starts = matches!(entry, Entry::Head(_));
            if x > left && (starts || x + entry.width() > right) {
                (x, line) = (left, line + 1);
            }
            let width = entry.width();
            places.push(((x, line as f64 * LINE), entry));
            x += width;
        }
        let lines = if places.is_empty() { 0 } else { line + 1 };
        Self { places, lines }
    }

    /// How high it is.
    pub fn height(&self) -> f64 {
        self.lines as f64 * LINE
    }

    pub fn draw(&self, canvas: &mut Canvas, top: f64) {
        for ((x, y), entry) in &self.places {
            let (x, y) = (*x, top + y + 12.0);
            let mut words = |x: f64, colour: &str, text: &str| {
                canvas.text((x, y), Anchor::Start, SMALL, colour, text, LONGEST);
                x + width_of(&fitted(text, SMALL, LONGEST), SMALL)
            };
            match entry {
                Entry::Head(text) => {
                    words(x, INK, text);
                }
                Entry::Dot(text, fill) => {
                    words(x + 14.0, FAINT, text);
                    canvas.dot((x + 5.0, y - 4.0), 4.5, fill);
                }
                Entry::Values(low, high) => {
                    let start = words(x, FAINT, low) + 6.0;
                    words(start + BAR + 6.0, FAINT, high);
                    for at in 0..40 {
                        let x = start + f64::from(at) * BAR / 40.0;
                        let fill = colour::of_share(f64::from(at) / 39.0);
                        canvas.rectangle((x, y - 8.0), (x + BAR / 40.0 + 0.2, y), &fill);
                    }
                }
            }
        }
    }
}
