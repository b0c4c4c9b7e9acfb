//! Section `KEPT`: how much of the scores of each tree a ranking by rank keeps.

use crate::Result;
use crate::file::bytes::{Reader, Writer};

pub(super) fn write(kept: &[Vec<f64>], writer: &mut Writer) -> Result<()> {
    writer.count(kept.len(), "number of trees")?;
    for tree in kept {
        writer.count(tree.len(), "number of kept shares")?;
        writer.f64s(tree);
    }
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Vec<Vec<f64>>> {
    let n_trees = reader.count(4, "number of trees")?;
    let mut kept = Vec::with_capacity(n_trees);
    for _ in 0..n_trees {
        let count = reader.count(8, "number of kept shares")?;
        kept.push(reader.f64s(count, "kept shares")?);
    }
    Ok(kept)
}
