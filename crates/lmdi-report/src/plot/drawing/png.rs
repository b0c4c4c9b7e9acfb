//! An SVG drawn as pixels.
//!
//! Text is drawn with the font that is part of this program, so that a picture is the same on every
//! machine; `letters` finds other fonts for letters that it does not have.

use super::letters::Lettered;
use super::{Drawn, Picture};
use crate::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::Tree;

/// More pixels than this along one side are a slip of the keyboard, and fill the memory.
const LARGEST: f64 = 16_384.0;

/// Fails if this build has no PNG, so that a caller can say so before long work.
pub fn check_png() -> Result<()> {
    Ok(())
}

/// Pixels of an SVG per inch.
const SVG_DPI: f64 = 96.0;

/// The plot as a PNG file with this many pixels per inch, which the file states.
///
/// ```
/// # use lmdi::explanation::{Columns, ExplainedRows};
/// # use lmdi::{importance::Scores, table::MatrixView};
/// use lmdi_report::plot::{Look, PlotData, bar, png};
/// # fn main() -> lmdi_report::Result<()> {
/// # let scores = Scores { values: vec![-2.0, 0.5, 2.0], ..Scores::zero(3, 1, &[0.0]) };
/// # let cells = [10.0, 30.0, 50.0];
/// # let rows = ExplainedRows { x: MatrixView::from_rows(&cells, 3, 1)?, scores: &scores,
/// #     predictions: &[1.0, 2.0, 3.0], truth: None, threshold: None };
/// # let columns = Columns::numeric(["income"]);
/// let (title, scale) = ("Loans", "in log-odds");
/// let data =
///     PlotData { scale, ..PlotData::new(rows, &columns, Look { title, width: None }) };
/// let picture = bar(&data, 10)?;
/// assert!(picture.svg.starts_with("<svg"));
/// assert!(png(&picture, 192.0)?.bytes.starts_with(b"\x89PNG"));
/// # Ok(())
/// # }
/// ```
pub fn png(picture: &Picture, dpi: f64) -> Result<Drawn> {
    let zoom = dpi / SVG_DPI;
    let drawing = |what: &dyn std::fmt::Display| Error::Drawing(what.to_string());
    let (tree, missing) = parsed(picture)?;
    let size = tree.size();
    let (width, height) = (f64::from(size.width()) * zoom, f64::from(size.height()) * zoom);
    let fits = |side: f64| (1.0..=LARGEST).contains(&side);
    if !(fits(width) && fits(height)) {
        return Err(lmdi::Error::Parameter {
            name: "dpi",
            found: dpi.to_string(),
            expected: format!(
                "a number that makes the picture at most {LARGEST} pixels wide and high"
            ),
        }
        .into());
    }
    let mut pixels = Pixmap::new(width.round() as u32, height.round() as u32)
        .ok_or_else(|| drawing(&"there is no memory for its pixels"))?;
    resvg::render(&tree, Transform::from_scale(zoom as f32, zoom as f32), &mut pixels.as_mut());
    let file = pixels.encode_png().map_err(|error| drawing(&error))?;
    Ok(Drawn { bytes: with_resolution(file, dpi), missing })
}

/// Puts the chunk `pHYs`, the pixels per metre, behind the header of a PNG file.
fn with_resolution(mut file: Vec<u8>, dpi: f64) -> Vec<u8> {
    /// The signature, and the header with its length, name and checksum.
    const HEADER: usize = 8 + 25;
    let per_metre = ((dpi / 0.0254).round() as u32).to_be_bytes();
    // The unit is the metre.
    let content: Vec<u8> = [b"pHYs", &per_metre[..], &per_metre, &[1]].concat();
    let length = (content.len() as u32 - 4).to_be_bytes();
    let chunk = [&length[..], &content, &checksum(&content).to_be_bytes()].concat();
    file.splice(HEADER..HEADER, chunk);
    file
}

/// The checksum of a chunk: CRC-32 with the polynomial of ISO 3309.
fn checksum(bytes: &[u8]) -> u32 {
    let of_byte = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    };
    !bytes.iter().fold(u32::MAX, of_byte)
}

/// The picture with its text laid out, and the letters that no font has.
pub(in crate::plot) fn parsed(picture: &Picture) -> Result<(Tree, Vec<char>)> {
    let lettered = Lettered::new(&picture.svg);
    let tree = Tree::from_str(&lettered.svg, &lettered.options())
        .map_err(|error| Error::Drawing(error.to_string()))?;
    Ok((tree, lettered.missing))
}
