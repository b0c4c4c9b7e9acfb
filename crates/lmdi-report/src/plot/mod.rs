//! Static pictures of scores, as SVG and PNG.
