//! A plot as SVG text, written piece by piece.
//!
//! Everything that comes from data passes through [`escaped`]: markup becomes text, characters that
//! XML does not allow and those that turn the direction of text become a replacement mark, and long
//! text is shortened. Coordinates are written with two decimals, so that the same plot is the same
//! bytes everywhere.

use super::text::fitted;
use std::fmt::Write;

/// A finished plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The SVG document.
    pub svg: String,
}

impl Picture {
    /// The same for a dark page. Only colours of attributes are changed: text from data has no
    /// quotation marks, because they are escaped.
    pub fn dark(self) -> Self {
        const COLOUR: usize = "#rrggbb".len();
        let dark = super::colour::dark_of_light();
        let mut svg = String::with_capacity(self.svg.len());
        let mut parts = self.svg.split("=\"#");
        svg.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let known = part.get(..COLOUR - 1).and_then(|digits| dark.get(&format!("#{digits}")));
            svg.push_str("=\"");
            match known {
                Some(colour) => svg.extend([colour.as_str(), &part[COLOUR - 1..]]),
                None => svg.extend(["#", part]),
            }
        }
        Self { svg }
    }
}

/// Where text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plot) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// Size of text in pixels.
pub(in crate::plot) const TEXT: f64 = 13.0;
/// Size of small text.
pub(in crate::plot) const SMALL: f64 = 11.0;
pub(in crate::plot) const INK: &str = "#222222";
pub(in crate::plot) const FAINT: &str = "#6b6b6b";
pub(in crate::plot) const RULE: &str = "#dddddd";

/// A picture being drawn.
pub(in crate::plot) struct Canvas {
    svg: String,
    width: f64,
}

impl Canvas {
    /// An empty picture of this size; `title` is what a screen reader says.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = String::new();
        let title = escaped(&fitted(title, 1.0, 200.0));
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"DejaVu Sans, Verdana, Arial, \
             sans-serif\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Self { svg, width }
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.width
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.piece(format_args!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{colour}\"/>"
        ));
    }

    /// A rectangle between two corners.
    pub fn rectangle(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        self.piece(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{colour}\"/>"
        ));
    }

    /// A rectangle between two corners, outlined and filled with slanted lines.
    pub fn hatched(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        const GAP: f64 = 7.0;
        let mut path = String::new();
        // Each line rises to the right, and is cut at the sides of the rectangle.
        let mut start = GAP / 2.0 - height;
        while start < width {
            let (low, high) = (start.max(0.0), (start + height).min(width));
            let _ = write!(
                path,
                "M{:.2} {:.2}L{:.2} {:.2}",
                x + low,
                y + height - (low - start),
                x + high,
                y + height - (high - start)
            );
            start += GAP;
        }
        self.piece(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"none\" \
             stroke=\"{FAINT}\"/>"
        ));
        self.piece(format_args!("<path d=\"{path}\" stroke=\"{FAINT}\" fill=\"none\"/>"));
    }

    pub fn dot(&mut self, at: (f64, f64), radius: f64, colour: &str) {
        let (x, y) = at;
        self.piece(format_args!(
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius:.2}\" fill=\"{colour}\" fill-opacity=\"0.75\"/>"
        ));
    }

    /// A triangle that points away from a place, by (-1, 0), (1, 0), (0, -1) or (0, 1).
    pub fn triangle(&mut self, at: (f64, f64), towards: (f64, f64), colour: &str) {
        const SIZE: f64 = 4.5;
        let ((x, y), (dx, dy)) = (at, towards);
        let corners = listed(&[
            (x + dx * SIZE, y + dy * SIZE),
            (x - dy * SIZE, y + dx * SIZE),
            (x + dy * SIZE, y - dx * SIZE),
        ]);
        self.piece(format_args!("<polygon points=\"{corners}\" fill=\"{colour}\"/>"));
    }

    /// A line through several places.
    pub fn polyline(&mut self, places: &[(f64, f64)], colour: &str) {
        let places = listed(places);
        self.piece(format_args!(
            "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>"
        ));
    }

    /// A faint area within an outline.
    pub fn band(&mut self, outline: &[(f64, f64)], colour: &str) {
        let outline = listed(outline);
        self.piece(format_args!(
            "<polygon points=\"{outline}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>"
        ));
    }

    /// Text of any origin; the middle of what is longer than its room is left out.
    pub fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: f64,
        colour: &str,
        text: &str,
        room: f64,
    ) {
        let (x, y) = at;
        let (anchor, text) = (anchor.name(), escaped(&fitted(text, size, room)));
        self.piece(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.0}\" text-anchor=\"{anchor}\" fill=\"{colour}\">\
             {text}</text>"
        ));
    }

    /// Small text that rises to its end.
    pub fn slanted(&mut self, at: (f64, f64), colour: &str, text: &str, room: f64) {
        let ((x, y), text) = (at, escaped(&fitted(text, SMALL, room)));
        self.piece(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{SMALL:.0}\" text-anchor=\"end\" fill=\"{colour}\" \
             transform=\"rotate(-40 {x:.2} {y:.2})\">{text}</text>"
        ));
    }

    fn piece(&mut self, piece: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.svg, "{piece}");
    }

    pub fn finish(mut self) -> Picture {
        self.svg.push_str("</svg>\n");
        Picture { svg: self.svg }
    }
}

/// Places as the points of a line or an outline.
fn listed(places: &[(f64, f64)]) -> String {
    places.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

/// Text that is only text.
pub(in crate::plot) fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                safe.push('\u{fffd}');
            }
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(escaped("<script>'\"&"), "&lt;script&gt;&#39;&quot;&amp;");
        assert_eq!(escaped("a\u{1b}[31m\u{202e}b\0"), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
    }
}
