//! The cells of columns as the page reads them.
//!
//! A browser takes longer to start unpacking an array than to unpack a short one, so columns are not
//! packed one by one: those whose cells need the same type follow each other in one block.

use super::contract::Cells;
use super::pack::{Kind, Packed};
use lmdi::table::{Encoding, Part, Schema, Values};
use std::collections::HashSet;

/// Different texts of a column at most; the last then stands for all others.
const LEVELS: usize = 1000;
/// Letters of a text at most.
const LETTERS: usize = 1000;
const OTHER: &str = "(other)";

/// Cells of columns by their type, in the order in which types came.
#[derive(Default)]
pub(super) struct CellBlocks {
    blocks: Vec<(Kind, Vec<f64>)>,
}

impl CellBlocks {
    /// Adds a column, and says where it is.
    pub fn add(&mut self, name: &str, values: &Values, rows: &[usize], schema: &Schema) -> Cells {
        let labels = match values {
            Values::Numbers(cells) => {
                let (block, at) = self.place(rows.iter().map(|&row| cells[row]).collect());
                return Cells::Number { block, at };
            }
            Values::Labels(labels) => labels.take(rows),
        };
        let counts = labels.counts();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(a.cmp(&b)));
        let named = if order.len() > LEVELS { LEVELS - 1 } else { order.len() };
        let texts: Vec<&str> = order[..named].iter().map(|&at| &*labels.levels()[at]).collect();
        let mut code_of = vec![named + 1; order.len()];
        order[..named].iter().enumerate().for_each(|(place, &level)| code_of[level] = place + 1);
        let code = |&at: &u32| code_of.get(at as usize).map_or(0.0, |&code| code as f64);
        let (block, at) = self.place(labels.codes().iter().map(code).collect());
        let rest = order.len() - named;
        let others = order[named..].iter().map(|&at| &*labels.levels()[at]).collect::<Vec<&str>>();
        let is_pooled = pooled_by(name, schema);
        let mut pooled: Vec<usize> = (0..named).filter(|&at| is_pooled(texts[at])).collect();
        pooled.extend((rest > 0 && others.iter().all(|text| is_pooled(text))).then_some(named));
        let other = (rest > 0).then(|| OTHER.to_owned());
        Cells::Levels {
            levels: texts.iter().map(|text| shortened(text)).chain(other).collect(),
            rest,
            pooled,
            block,
            at,
        }
    }

    /// The block of a column and its place there.
    fn place(&mut self, cells: Vec<f64>) -> (usize, usize) {
        let kind = Kind::of(&cells);
        let block = self.blocks.iter().position(|(of, _)| *of == kind).unwrap_or_else(|| {
            self.blocks.push((kind, vec![]));
            self.blocks.len() - 1
        });
        let column = &mut self.blocks[block].1;
        // A table without rows has one place.
        let at = column.len() / cells.len().max(1);
        column.extend(cells);
        (block, at)
    }

    /// The blocks, packed.
    pub fn packed(&self) -> Vec<Packed> {
        self.blocks.iter().map(|(kind, cells)| Packed::of_kind(*kind, cells)).collect()
    }
}

/// Whether the model does not tell a text of a column from others, because each was rare in training
/// or unknown then.
fn pooled_by<'a>(name: &str, schema: &'a Schema) -> impl Fn(&str) -> bool + use<'a> {
    let column = schema.columns.iter().find(|column| column.name == name);
    let parts: &[Part] = match column.map(|column| &column.encoding) {
        Some(Encoding::OneHot(parts)) => parts,
        _ => &[],
    };
    let has_other = parts.iter().any(|part| matches!(part, Part::Other { .. }));
    let levels: HashSet<&str> = parts
        .iter()
        .filter_map(|part| if let Part::Level(level) = part { Some(level.as_str()) } else { None })
        .collect();
    move |text| has_other && !levels.contains(text)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lmdi::table::{InputColumn, Labels};

    fn texts(cells: &[&str]) -> Values {
        Values::Labels(cells.iter().map(|&text| Some(text)).collect::<Labels>())
    }

    #[test]
    fn columns_of_one_type_share_a_block() {
        let schema = Schema::numeric(["a", "b", "c", "d"]);
        let columns = [
            Values::Numbers(vec![0.1, 0.2, 0.3]),
            Values::Numbers(vec![1.0, 2.0, 3.0]),
            Values::Numbers(vec![0.7, f64::NAN, 0.9]),
            texts(&["x", "y", "x"]),
        ];
        let mut blocks = CellBlocks::default();
        let places: Vec<(usize, usize)> = columns
            .iter()
            .map(|values| match blocks.add("a", values, &[2, 0], &schema) {
                Cells::Number { block, at } | Cells::Levels { block, at, .. } => (block, at),
            })
            .collect();
        assert_eq!(places, [(0, 0), (1, 0), (0, 1), (1, 1)]);
        let packed = blocks.packed();
        assert_eq!(packed[0], Packed::numbers(&[0.3, 0.1, 0.9, 0.7]));
        assert_eq!(packed[1], Packed::numbers(&[3.0, 1.0, 1.0, 1.0]), "x is the only text left");
    }

    #[test]
    fn rare_levels_are_marked_and_very_many_have_a_rest() {
        let mut schema = Schema::numeric(["city"]);
        let level = |name: &str| Part::Level(name.to_owned());
        let parts = vec![level("a"), Part::Other { pooled: vec!["b".into(), "c".into()] }];
        schema.columns =
            vec![InputColumn { name: "city".into(), encoding: Encoding::OneHot(parts) }];
        let of = |values: &Values, rows: usize, schema: &Schema| {
            let rows: Vec<usize> = (0..rows).collect();
            match CellBlocks::default().add("city", values, &rows, schema) {
                Cells::Levels { levels, rest, pooled, .. } => (levels, rest, pooled),
                Cells::Number { .. } => panic!("texts"),
            }
        };
        let (levels, rest, rare) = of(&texts(&["a", "a", "c", "b", "c", "c"]), 6, &schema);
        assert_eq!(levels, ["c", "a", "b"], "the most frequent first");
        assert_eq!((rest, rare), (0, vec![0, 2]));
        let many: Vec<String> = (0..1002).map(|at| format!("{at:04}")).collect();
        let many = texts(&many.iter().map(|text| &**text).collect::<Vec<_>>());
        let (levels, rest, rare) = of(&many, 1002, &Schema::numeric(["city"]));
        assert_eq!((levels.len(), rest, rare), (LEVELS, 3, vec![]));
        let (_, rest, rare) = of(&many, 1002, &schema);
        assert_eq!((rest, rare.len(), rare.last()), (3, LEVELS, Some(&(LEVELS - 1))));
        let part = level("1001");
        schema.columns[0].encoding =
            Encoding::OneHot(vec![part, Part::Other { pooled: vec!["b".into()] }]);
        let (_, _, rare) = of(&many, 1002, &schema);
        assert_eq!(rare.len(), LEVELS - 1, "one of the rest is told apart");
    }
}
