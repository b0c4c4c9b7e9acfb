//! One tree of section `ENSM`.

use crate::Result;
use crate::file::bytes::{Reader, Writer};
use crate::file::codes::Coded;
use crate::forest::{CategorySet, Comparison, InBag, Missing, NONE, Precision, Tree};

/// Bytes of a tree with a single leaf of one value: no tree has fewer.
pub(super) const SMALLEST: usize = 61;

const IN_BAG_UNKNOWN: u8 = 0;
const IN_BAG_NARROW: u8 = 1;
const IN_BAG_WIDE: u8 = 2;

pub(super) fn write(tree: &Tree, writer: &mut Writer) -> Result<()> {
    writer.count(tree.n_nodes(), "number of nodes")?;
    writer.count(tree.n_values, "number of values a node")?;
    writer.u8(tree.comparison.code());
    writer.u8(tree.precision.code());
    writer.u32s(&tree.feature);
    writer.u32s(&tree.left);
    writer.u32s(&tree.right);
    writer.bytes.extend(tree.missing.iter().map(|missing| missing.code()));
    writer.f64s(&tree.threshold);
    writer.f64s(&tree.value);
    writer.f64s(&tree.weight);
    writer.f64s(&tree.impurity);
    write_categories(tree, writer)?;
    write_in_bag(tree.in_bag.as_ref(), writer);
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Tree> {
    let n = reader.u32("number of nodes")? as usize;
    let n_values = reader.u32("number of values a node")? as usize;
    if n == 0 || n_values == 0 {
        return Err(reader.error(&format!("{n} nodes of {n_values} values; expected at least one")));
    }
    let comparison = Comparison::from_code(reader.u8("comparison")?)?;
    let precision = Precision::from_code(reader.u8("precision")?)?;
    let feature = reader.u32s(n, "array `feature`")?;
    let left = reader.u32s(n, "array `left`")?;
    let right = reader.u32s(n, "array `right`")?;
    let missing = reader
        .u8s(n, "array `missing`")?
        .iter()
        .map(|&code| Missing::from_code(code))
        .collect::<Result<Vec<_>>>()?;
    let threshold = reader.f64s(n, "array `threshold`")?;
    // Saturated, the number is refused like any other that the section cannot hold.
    let value = reader.f64s(n.saturating_mul(n_values), "array `value`")?;
    let weight = reader.f64s(n, "array `weight`")?;
    let impurity = reader.f64s(n, "array `impurity`")?;
    let (category_sets, category_set) = read_categories(n, reader)?;
    let in_bag = read_in_bag(reader)?;
    Ok(Tree {
        feature,
        threshold,
        category_set,
        missing,
        left,
        right,
        value,
        n_values,
        weight,
        impurity,
        comparison,
        precision,
        category_sets,
        in_bag,
    })
}

/// The sets, and the set of each node unless no node has one.
fn write_categories(tree: &Tree, writer: &mut Writer) -> Result<()> {
    let any = tree.category_set.iter().any(|&set| set != NONE);
    writer.u8(u8::from(any));
    if any {
        writer.u32s(&tree.category_set);
    }
    writer.count(tree.category_sets.len(), "number of category sets")?;
    for set in &tree.category_sets {
        writer.u8(u8::from(set.members_go_left));
        writer.count(set.members.len(), "words of a category set")?;
        writer.u64s(&set.members);
        writer.u8(u8::from(set.known.is_some()));
        if let Some(known) = &set.known {
            writer.count(known.len(), "words of a category set")?;
            writer.u64s(known);
        }
    }
    Ok(())
}

fn read_categories(n: usize, reader: &mut Reader<'_>) -> Result<(Vec<CategorySet>, Vec<u32>)> {
    let category_set = if reader.flag("categorical splits")? {
        reader.u32s(n, "array `category_set`")?
    } else {
        Vec::new()
    };
    let n_sets = reader.count(6, "number of category sets")?;
    let mut sets = Vec::new();
    for _ in 0..n_sets {
        let members_go_left = reader.flag("side of a category set")?;
        let n_words = reader.count(8, "words of a category set")?;
        let members = reader.u64s(n_words, "members of a category set")?;
        let known = if reader.flag("known categories")? {
            let n_words = reader.count(8, "words of a category set")?;
            Some(reader.u64s(n_words, "known categories")?)
        } else {
            None
        };
        sets.push(CategorySet { members, members_go_left, known });
    }
    Ok((sets, category_set))
}

fn write_in_bag(in_bag: Option<&InBag>, writer: &mut Writer) {
    match in_bag {
        None => writer.u8(IN_BAG_UNKNOWN),
        Some(InBag::Narrow(counts)) => {
            writer.u8(IN_BAG_NARROW);
            writer.u64(counts.len() as u64);
            writer.u8s(counts);
        }
        Some(InBag::Wide(counts)) => {
            writer.u8(IN_BAG_WIDE);
            writer.u64(counts.len() as u64);
            writer.u32s(counts);
        }
    }
}

fn read_in_bag(reader: &mut Reader<'_>) -> Result<Option<InBag>> {
    let form = reader.u8("in-bag form")?;
    if form == IN_BAG_UNKNOWN {
        return Ok(None);
    }
    let rows = usize::try_from(reader.u64("in-bag rows")?)
        .map_err(|_| reader.error("the in-bag counts are larger than the memory"))?;
    match form {
        IN_BAG_NARROW => Ok(Some(InBag::Narrow(reader.u8s(rows, "in-bag counts")?.to_vec()))),
        IN_BAG_WIDE => Ok(Some(InBag::Wide(reader.u32s(rows, "in-bag counts")?))),
        other => Err(reader.error(&format!("in-bag form is {other}; expected 0, 1 or 2"))),
    }
}
