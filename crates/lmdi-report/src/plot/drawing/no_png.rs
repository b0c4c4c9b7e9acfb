//! PNG and PDF in a build without the feature `png`: an error.

use super::{Drawn, Picture};
use crate::{Error, Result};

/// Fails: this build has no PNG.
pub fn check_png() -> Result<()> {
    Err(Error::Drawing(
        "this build of lmdi has no PNG and no PDF; use SVG, or install lmdi with its default features".into(),
    ))
}

/// Fails: this build has no PNG.
pub fn png(_picture: &Picture, _dpi: f64) -> Result<Drawn> {
    check_png().map(|()| Drawn { bytes: vec![], missing: vec![] })
}

/// Fails: this build has no PDF either.
pub fn pdf(_picture: &Picture) -> Result<Drawn> {
    check_png().map(|()| Drawn { bytes: vec![], missing: vec![] })
}
