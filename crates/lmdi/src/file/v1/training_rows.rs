//! Section `ROWS`: what the explainer keeps of the rows it was fitted on: the range of their cells,
//! which bounds raw terms, and the contribution of each tree, which weights it in rankings.

use crate::Result;
use crate::file::Explainer;
use crate::file::bytes::{Reader, Writer};

pub(super) struct TrainingRows {
    pub(super) ranges: Vec<[f64; 2]>,
    pub(super) tree_sizes: Vec<f64>,
}

pub(super) fn write(explainer: &Explainer, writer: &mut Writer) -> Result<()> {
    writer.count(explainer.ranges.len(), "number of ranges")?;
    writer.f64s(explainer.ranges.as_flattened());
    writer.count(explainer.tree_sizes.len(), "number of tree sizes")?;
    writer.f64s(&explainer.tree_sizes);
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<TrainingRows> {
    let count = reader.count(16, "number of ranges")?;
    let ranges = reader.f64s(2 * count, "ranges of cells")?.as_chunks().0.to_vec();
    let count = reader.count(8, "number of tree sizes")?;
    let tree_sizes = reader.f64s(count, "tree sizes")?;
    Ok(TrainingRows { ranges, tree_sizes })
}
