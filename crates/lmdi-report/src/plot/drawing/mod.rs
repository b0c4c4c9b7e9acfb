//! How plots are written: SVG piece by piece, and that SVG as PNG or PDF.
//!
//! | file | what |
//! |---|---|
//! | `svg` | a plot as text, with everything from data escaped |
//! | `text`, `number` | the width of text, shortened and wrapped; short numbers |
//! | `axis`, `time` | from numbers and dates to positions, with round ticks |
//! | `heading`, `legend` | the title of a plot, and the meaning of its colours |
//! | `colour` | the scales of values, scores and categories |
//! | `letters` | which font draws which letter of a PNG or PDF |
//! | `png`, `pdf`, `no_png` | the plot as PNG or PDF, or an error in a build without them |

pub(in crate::plot) mod axis;
pub(in crate::plot) mod colour;
pub(in crate::plot) mod heading;
pub(in crate::plot) mod legend;
#[cfg(feature = "png")]
mod letters;
#[cfg(not(feature = "png"))]
mod no_png;
pub(in crate::plot) mod number;
#[cfg(feature = "png")]
mod pdf;
#[cfg(feature = "png")]
mod png;
pub(in crate::plot) mod svg;
pub(in crate::plot) mod text;
mod time;

#[cfg(not(feature = "png"))]
pub use no_png::{check_png, pdf, png};
#[cfg(feature = "png")]
pub use pdf::pdf;
#[cfg(feature = "png")]
pub use png::{check_png, png};
pub use svg::Picture;

/// A plot as PNG or PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// The file.
    pub bytes: Vec<u8>,
    /// Letters that neither the bundled font nor a system font has, each once: they are boxes in
    /// the file. The SVG keeps them.
    pub missing: Vec<char>,
}
