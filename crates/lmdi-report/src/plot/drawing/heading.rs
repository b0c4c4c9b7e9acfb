//! Title and subtitle above a plot, in as many lines as they need.

use super::svg::{Anchor, Canvas, FAINT, INK, SMALL};
use super::text::wrapped;

const TITLE: f64 = 16.0;
const MARGIN: f64 = 16.0;

/// What stands above a plot.
pub(in crate::plot) struct Heading {
    title: Vec<String>,
    subtitle: Vec<String>,
}

impl Heading {
    /// A heading of a picture of this width.
    pub fn new(title: &str, subtitle: &str, width: f64) -> Self {
        let room = width - 2.0 * MARGIN;
        Self { title: wrapped(title, TITLE, room, 5), subtitle: wrapped(subtitle, SMALL, room, 5) }
    }

    /// Where it ends.
    pub fn bottom(&self) -> f64 {
        10.0 + 20.0 * self.title.len() as f64 + 15.0 * self.subtitle.len() as f64 + 5.0
    }

    pub fn draw(&self, canvas: &mut Canvas) {
        let mut y = 6.0;
        for line in &self.title {
            y += 20.0;
            canvas.text((MARGIN, y), Anchor::Start, TITLE, INK, line, f64::INFINITY);
        }
        y += 5.0;
        for line in &self.subtitle {
            y += 15.0;
            canvas.text((MARGIN, y), Anchor::Start, SMALL, FAINT, line, f64::INFINITY);
        }
    }
}
