//! An SVG drawn as pixels.
//!
//! Text is drawn with the font that is part of this program and no other, so that a picture is the
//! same on every machine; characters that DejaVu Sans does not have are left out.

use super::Picture;
use crate::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::Arc;

/// More pixels than this along one side are a slip of the keyboard, and fill the memory.
const LARGEST: f64 = 16_384.0;

/// Fails if this build has no PNG, so that a caller can say so before long work.
pub fn check_png() -> Result<()> {
    Ok(())
}

/// The picture as a PNG file, enlarged by `zoom`.
///
/// ```
/// # use lmdi::explanation::{Columns, ExplainedRows};
/// # use lmdi::{importance::Scores, table::MatrixView};
/// use lmdi_report::plot::{PlotData, bar, png};
/// # fn main() -> lmdi_report::Result<()> {
/// # let scores = Scores { values: vec![-2.0, 0.5, 2.0], ..Scores::zero(3, 1, &[0.0]) };
/// # let cells = [10.0, 30.0, 50.0];
/// # let rows = ExplainedRows { x: MatrixView::from_rows(&cells, 3, 1)?, scores: &scores,
/// #     predictions: &[1.0, 2.0, 3.0], truth: None, threshold: None };
/// # let columns = Columns::numeric(["income"]);
/// let (title, scale) = ("Loans", "in log-odds");
/// let data =
///     PlotData { rows, columns: &columns, account: None, errors: None, output: 0, title, scale };
/// let picture = bar(&data, 10)?;
/// assert!(picture.svg.starts_with("<svg"));
/// assert!(png(&picture, 2.0)?.starts_with(b"\x89PNG"));
/// # Ok(())
/// # }
/// ```
pub fn png(picture: &Picture, zoom: f64) -> Result<Vec<u8>> {
    let drawing = |what: &dyn std::fmt::Display| Error::Drawing(what.to_string());
    let tree = parsed(picture)?;
    let size = tree.size();
    let (width, height) = (f64::from(size.width()) * zoom, f64::from(size.height()) * zoom);
    let fits = |side: f64| (1.0..=LARGEST).contains(&side);
    if !(fits(width) && fits(height)) {
        return Err(lmdi::Error::Parameter {
            name: "zoom",
            found: zoom.to_string(),
            expected: format!(
                "a factor that makes the picture at most {LARGEST} pixels wide and high"
            ),
        }
        .into());
    }
    let mut pixels = Pixmap::new(width.round() as u32, height.round() as u32)
        .ok_or_else(|| drawing(&"there is no memory for its pixels"))?;
    resvg::render(&tree, Transform::from_scale(zoom as f32, zoom as f32), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| drawing(&error))
}

/// The picture with its text laid out in the bundled font.
pub(in crate::plot) fn parsed(picture: &Picture) -> Result<Tree> {
    let mut options = Options { font_family: "DejaVu Sans".into(), ..Options::default() };
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(include_bytes!("../../../fonts/DejaVuSans.ttf").to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Tree::from_str(&picture.svg, &options).map_err(|error| Error::Drawing(error.to_string()))
}
