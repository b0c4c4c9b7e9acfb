//! An SVG as a PDF page: the same shapes as vectors, text as outlines of the fonts that
//! `letters` chooses.
//!
//! The drawing is read by the library that also draws pixels, which resolves fonts and transforms;
//! what is left are filled and stroked paths. A page has one content stream, and one graphics state
//! for each opacity. The same picture gives the same bytes: no date, no random id.

use super::png::parsed;
use super::{Drawn, Picture};
use crate::Result;
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{Group, Node, Paint, PaintOrder, Path};
use std::fmt::Write as _;

/// Points of PDF per pixel of SVG: 72 and 96 to the inch.
const POINTS: f64 = 72.0 / 96.0;

/// The plot as a PDF file.
pub fn pdf(picture: &Picture) -> Result<Drawn> {
    let (tree, missing) = parsed(picture)?;
    let (width, height) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
    let mut page = Page::default();
    // PDF counts from the lower left corner.
    page.line(format_args!("{POINTS} 0 0 {:.4} 0 {:.4} cm", -POINTS, height * POINTS));
    page.group(tree.root());
    Ok(Drawn { bytes: page.file(width * POINTS, height * POINTS), missing })
}

#[derive(Default)]
struct Page {
    content: String,
    /// Opacities of fills and strokes that occur, in thousandths.
    opacities: Vec<(u32, u32)>,
}

impl Page {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.content, "{text}");
    }

    fn group(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group),
                Node::Path(path) => self.path(path),
                Node::Text(text) => self.group(text.flattened()),
                // Our drawings have none.
                Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path) {
        if !path.is_visible() {
            return;
        }
        let colour = |paint: &Paint| match paint {
            Paint::Color(colour) => {
                [colour.red, colour.green, colour.blue].map(|part| f64::from(part) / 255.0)
            }
            _ => [0.5; 3],
        };
        let fill = path.fill().map(|fill| (colour(fill.paint()), fill.opacity().get()));
        let stroke = path
            .stroke()
            .map(|stroke| (colour(stroke.paint()), stroke.opacity().get(), stroke.width().get()));
        let thousandths = |opacity: Option<f32>| (opacity.unwrap_or(1.0) * 1000.0).round() as u32;
        let opacity = (thousandths(fill.map(|of| of.1)), thousandths(stroke.map(|of| of.1)));
        let state = match self.opacities.iter().position(|known| *known == opacity) {
            Some(at) => at,
            None => {
                self.opacities.push(opacity);
                self.opacities.len() - 1
            }
        };
        self.line(format_args!("q /G{state} gs"));
        if let Some(([r, g, b], _)) = fill {
            self.line(format_args!("{r:.4} {g:.4} {b:.4} rg"));
        }
        if let Some(([r, g, b], _, width)) = stroke {
            self.line(format_args!("{r:.4} {g:.4} {b:.4} RG {width:.3} w"));
        }
        let Transform { sx, kx, ky, sy, tx, ty } = path.abs_transform();
        self.line(format_args!("{sx:.5} {ky:.5} {kx:.5} {sy:.5} {tx:.3} {ty:.3} cm"));
        self.segments(path);
        let is_stroke_first = path.paint_order() == PaintOrder::StrokeAndFill;
        debug_assert!(!is_stroke_first, "our drawings fill first");
        let end = match (fill.is_some(), stroke.is_some()) {
            (true, true) => "B",
            (true, false) => "f",
            (false, true) => "S",
            (false, false) => "n",
        };
        self.line(format_args!("{end} Q"));
    }

    fn segments(&mut self, path: &Path) {
        let mut last = (0.0_f32, 0.0_f32);
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    self.line(format_args!("{:.3} {:.3} m", to.x, to.y));
                    last = (to.x, to.y);
                }
                PathSegment::LineTo(to) => {
                    self.line(format_args!("{:.3} {:.3} l", to.x, to.y));
                    last = (to.x, to.y);
                }
                // PDF has cubic curves only.
                PathSegment::QuadTo(c, to) => {
                    let towards = |from: f32, control: f32| from + (control - from) * 2.0 / 3.0;
                    self.line(format_args!(
                        "{:.3} {:.3} {:.3} {:.3} {:.3} {:.3} c",
                        towards(last.0, c.x),
                        towards(last.1, c.y),
                        towards(to.x, c.x),
                        towards(to.y, c.y),
                        to.x,
                        to.y
                    ));
                    last = (to.x, to.y);
                }
                PathSegment::CubicTo(a, b, to) => {
                    self.line(format_args!(
                        "{:.3} {:.3} {:.3} {:.3} {:.3} {:.3} c",
                        a.x, a.y, b.x, b.y, to.x, to.y
                    ));
                    last = (to.x, to.y);
                }
                PathSegment::Close => self.line(format_args!("h")),
            }
        }
    }

    /// The file: a catalogue, a list of pages, a page, its content and its graphics states.
    fn file(self, width: f64, height: f64) -> Vec<u8> {
        let states: String = self
            .opacities
            .iter()
            .enumerate()
            .map(|(at, (fill, stroke))| {
                let share = |thousandths: u32| f64::from(thousandths) / 1000.0;
                format!("/G{at} << /ca {:.3} /CA {:.3} >> ", share(*fill), share(*stroke))
            })
            .collect();
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2} {height:.2}] /Contents 4 0 R \
                 /Resources << /ExtGState << {states}>> >> >>"
            ),
            format!("<< /Length {} >>\nstream\n{}endstream", self.content.len(), self.content),
        ];
        let mut file = String::from("%PDF-1.7\n");
        let mut places = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            places.push(file.len());
            let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1);
        }
        let start = file.len();
        let _ = write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for place in places {
            let _ = writeln!(file, "{place:010} 00000 n ");
        }
        let _ = write!(
            file,
            "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
            objects.len() + 1
        );
        file.into_bytes()
    }
}
