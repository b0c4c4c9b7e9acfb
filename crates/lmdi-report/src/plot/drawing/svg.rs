//! A picture as SVG text, written piece by piece.
//!
//! Everything that comes from data passes through [`escaped`]: markup becomes text, characters that
//! XML does not allow and those that turn the direction of text become a replacement mark, and long
//! text is cut. Coordinates are written with two decimals, so that the same picture is the same
//! bytes everywhere.

use std::fmt::Write;

/// A finished picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The SVG document.
    pub svg: String,
}

impl Picture {
    /// The same for a dark page. Only attributes are changed: text from data has no quotation marks,
    /// because they are escaped.
    pub fn dark(self) -> Self {
        const PAIRS: [(&str, &str); 7] = [
            ("#ffffff", "#14181e"),
            (INK, "#e7ebf1"),
            (FAINT, "#a3afbf"),
            (RULE, "#343d4a"),
            (super::colour::UP, "#ff9d5c"),
            (super::colour::DOWN, "#6cb6ff"),
            ("#f7f7f7", "#232a34"),
        ];
        let quoted = |colour: &str| format!("\"{colour}\"");
        let svg = PAIRS
            .iter()
            .fold(self.svg, |svg, (light, dark)| svg.replace(&quoted(light), &quoted(dark)));
        Self { svg }
    }

    /// The same so wide, in pixels of 1/96 inch; it keeps its shape.
    pub fn wide(self, width: f64) -> Self {
        let Some((old_width, old_height)) = self.size() else { return self };
        let from = format!("width=\"{old_width:.0}\" height=\"{old_height:.0}\" viewBox");
        let height = width * old_height / old_width;
        let to = format!("width=\"{width:.2}\" height=\"{height:.2}\" viewBox");
        Self { svg: self.svg.replacen(&from, &to, 1) }
    }

    /// Width and height as they are written at the top.
    fn size(&self) -> Option<(f64, f64)> {
        let number = |name: &str| -> Option<f64> {
            let (_, rest) = self.svg.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()?.parse().ok()
        };
        Some((number("width")?, number("height")?))
    }
}

/// Where text is anchored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plot) enum Anchor {
    Start,
    Middle,
    End,
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
}

impl Canvas {
    /// An empty picture of this size; `title` is what a screen reader says.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = String::new();
        let title = escaped(title, 300);
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"DejaVu Sans, Verdana, Arial, \
             sans-serif\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Self { svg }
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

    /// Text of any origin, at most `letters` long.
    pub fn text(
        &mut self,
        at: (f64, f64),
        anchor: Anchor,
        size: f64,
        colour: &str,
        text: &str,
        letters: usize,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = at;
        let text = escaped(text, letters);
        self.piece(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.0}\" text-anchor=\"{anchor}\" fill=\"{colour}\">\
             {text}</text>"
        ));
    }

    /// Heading and line below it.
    pub fn heading(&mut self, title: &str, subtitle: &str) {
        self.text((16.0, 26.0), Anchor::Start, 16.0, INK, title, 90);
        self.text((16.0, 46.0), Anchor::Start, SMALL, FAINT, subtitle, 130);
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

/// Text that is only text, cut with an ellipsis after this many characters.
pub(in crate::plot) fn escaped(text: &str, letters: usize) -> String {
    let mut safe = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == letters {
            safe.push('…');
            break;
        }
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

/// About how wide text is, in pixels.
pub(in crate::plot) fn width_of(text: &str, size: f64) -> f64 {
    let wide = |c: char| if c.is_ascii() { 0.61 } else { 1.0 };
    text.chars().map(wide).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(escaped("<script>'\"&", 99), "&lt;script&gt;&#39;&quot;&amp;");
        assert_eq!(escaped("a\u{1b}[31m\u{202e}b\0", 99), "a\u{fffd}[31m\u{fffd}b\u{fffd}");
        assert_eq!(escaped(&"x".repeat(300), 5), "xxxxx…");
    }
}
