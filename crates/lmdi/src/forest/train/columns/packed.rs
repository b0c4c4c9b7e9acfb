//! Ranked columns as trees read them: as few bytes as possible, for reading them takes most of the
//! time of large tables.
//!
//! | column | its ranks |
//! |---|---|
//! | at most 255 values | bytes |
//! | more | words of 32 bits |
//! | two values, and neighbours in which no row has the upper value twice | a level shared by all of them |
//!
//! The last ones are mostly the 0/1 columns of one category. A row's level says in which of them it has
//! the upper value, so a column's rank is whether the level is its own. Which columns share a level
//! follows from the ranks alone, and no tree depends on it.

use super::RankedColumn;

/// Levels of bytes: those of columns, and zero for rows that have the upper value in none.
const MAX_LEVELS: u8 = u8::MAX;

/// Codes of all rows.
#[derive(Debug)]
pub(crate) enum Codes {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

/// Where the ranks of a column are.
#[derive(Debug, Clone, Copy)]
struct Source {
    codes: usize,
    /// The level that stands for rank 1; any other stands for rank 0. `None` if codes are ranks.
    level: Option<u8>,
}

/// Ranks of some rows in one column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ranks<'c> {
    Bytes(&'c [u8]),
    Words(&'c [u32]),
    /// Whether a level is this one.
    Level(&'c [u8], u8),
}

impl Ranks<'_> {
    /// Reads the ranks at some places.
    #[inline]
    pub(crate) fn gather(self, places: &[u32], ranks: &mut Vec<u32>) {
        let places = places.iter().map(|&place| place as usize);
        ranks.clear();
        match self {
            Ranks::Bytes(codes) => ranks.extend(places.map(|place| u32::from(codes[place]))),
            Ranks::Words(codes) => ranks.extend(places.map(|place| codes[place])),
            Ranks::Level(levels, own) => {
                ranks.extend(places.map(|place| u32::from(levels[place] == own)));
            }
        }
    }
}

/// The columns of a table, packed.
#[derive(Debug)]
pub(crate) struct PackedColumns {
    /// Their values; the ranks are in `codes`.
    columns: Vec<RankedColumn>,
    sources: Vec<Source>,
    codes: Vec<Codes>,
}

impl PackedColumns {
    /// Packs ranks column by column and gives back their memory.
    pub(crate) fn new(mut columns: Vec<RankedColumn>) -> Self {
        let (mut sources, mut codes) = (Vec::with_capacity(columns.len()), Vec::new());
        // How many columns share the last codes, if these are levels.
        let mut shared = 0;
        for column in &mut columns {
            let ranks = std::mem::take(&mut column.codes);
            let two_values = !column.has_missing && column.missing_code() == 2;
            if two_values
                && (1..MAX_LEVELS).contains(&shared)
                && let Some(Codes::Bytes(levels)) = codes.last_mut()
                && add_level(levels, &ranks, shared + 1)
            {
                shared += 1;
            } else {
                let is_narrow = column.missing_code() <= u32::from(u8::MAX);
                codes.push(if is_narrow {
                    Codes::Bytes(ranks.iter().map(|&rank| rank as u8).collect())
                } else {
                    Codes::Words(ranks)
                });
                shared = u8::from(two_values);
            }
            let level = (shared > 0).then_some(shared);
            sources.push(Source { codes: codes.len() - 1, level });
        }
        Self { columns, sources, codes }
    }

    /// Number of columns.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// One column's values.
    pub(crate) fn column(&self, column: usize) -> &RankedColumn {
        &self.columns[column]
    }

    /// The ranks of a column.
    pub(crate) fn ranks(&self, column: usize) -> Ranks<'_> {
        let Source { codes, level } = self.sources[column];
        match (&self.codes[codes], level) {
            (Codes::Words(codes), _) => Ranks::Words(codes),
            (Codes::Bytes(codes), None) => Ranks::Bytes(codes),
            (Codes::Bytes(codes), Some(level)) => Ranks::Level(codes, level),
        }
    }
}

/// Gives a level to the rows with rank 1, unless one of them has a level already.
fn add_level(levels: &mut [u8], ranks: &[u32], level: u8) -> bool {
    let overlaps = levels.iter().zip(ranks).any(|(&level, &rank)| (level > 0) & (rank == 1));
    if !overlaps {
        for (own, &rank) in levels.iter_mut().zip(ranks) {
            *own += level * rank as u8;
        }
    }
    !overlaps
}

/// Codes of the rows of one node beside each other, reused from node to node.
#[derive(Debug, Default)]
pub(crate) struct CopiedCodes {
    n_rows: usize,
    bytes: Vec<u8>,
    words: Vec<u32>,
    /// By codes of the table, where the copy begins among bytes or words.
    starts: Vec<usize>,
}

impl CopiedCodes {
    /// Bytes that a row takes.
    pub(crate) fn bytes_per_row(columns: &PackedColumns) -> usize {
        let of = |codes: &Codes| if matches!(codes, Codes::Bytes(_)) { 1 } else { 4 };
        columns.codes.iter().map(of).sum()
    }

    /// Copies the codes of these rows.
    pub(crate) fn copy(&mut self, columns: &PackedColumns, rows: &[u32]) {
        let Self { n_rows, bytes, words, starts } = self;
        *n_rows = rows.len();
        bytes.clear();
        words.clear();
        starts.clear();
        for codes in &columns.codes {
            match codes {
                Codes::Bytes(codes) => {
                    starts.push(bytes.len());
                    bytes.extend(rows.iter().map(|&row| codes[row as usize]));
                }
                Codes::Words(codes) => {
                    starts.push(words.len());
                    words.extend(rows.iter().map(|&row| codes[row as usize]));
                }
            }
        }
    }

    /// The ranks of a column, in the order of the copied rows.
    pub(crate) fn ranks(&self, columns: &PackedColumns, column: usize) -> Ranks<'_> {
        let Source { codes, level } = columns.sources[column];
        let range = self.starts[codes]..self.starts[codes] + self.n_rows;
        match (&columns.codes[codes], level) {
            (Codes::Words(_), _) => Ranks::Words(&self.words[range]),
            (Codes::Bytes(_), None) => Ranks::Bytes(&self.bytes[range]),
            (Codes::Bytes(_), Some(level)) => Ranks::Level(&self.bytes[range], level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rank;
    use super::*;
    use crate::random::{Generator, below, generator};

    fn column(cells: &[f64]) -> RankedColumn {
        rank(cells, None).expect("finite cells")
    }

    /// A table of categories as 0/1 columns, and of columns of other kinds between them.
    fn random_columns(random: &mut Generator, n_rows: usize) -> Vec<Vec<f64>> {
        let mut columns = Vec::new();
        for _ in 0..1 + below(random, 4) {
            match below(random, 4) {
                0 => {
                    let n_levels = 1 + below(random, 300);
                    let levels: Vec<usize> =
                        (0..n_rows).map(|_| below(random, n_levels + 1)).collect();
                    let of =
                        |own| levels.iter().map(move |&level| f64::from(u8::from(level == own)));
                    columns.extend((0..n_levels).map(|own| of(own).collect()));
                }
                1 => columns.push((0..n_rows).map(|_| 7.0 * below(random, 2) as f64).collect()),
                2 => columns
                    .push((0..n_rows).map(|_| [0.0, 1.0, f64::NAN][below(random, 3)]).collect()),
                _ => {
                    let n_values = [1, 254, 255, 256, 257, 5000][below(random, 6)];
                    columns.push((0..n_rows).map(|row| (row % n_values) as f64).collect());
                }
            }
        }
        columns
    }

    #[test]
    fn packed_ranks_are_the_ranks() {
        for seed in 0..60 {
            let random = &mut generator(seed, 0);
            let n_rows = 1 + below(random, 800);
            let cells = random_columns(random, n_rows);
            let packed = PackedColumns::new(cells.iter().map(|cells| column(cells)).collect());
            let rows: Vec<u32> = (0..n_rows as u32).filter(|_| below(random, 3) > 0).collect();
            let mut copied = CopiedCodes::default();
            copied.copy(&packed, &rows);
            assert_eq!(
                copied.bytes.len() + 4 * copied.words.len(),
                rows.len() * CopiedCodes::bytes_per_row(&packed)
            );
            let places: Vec<u32> = (0..rows.len() as u32).collect();
            let mut found = Vec::new();
            for (at, cells) in cells.iter().enumerate() {
                let ranks = column(cells).codes;
                let expected: Vec<u32> = rows.iter().map(|&row| ranks[row as usize]).collect();
                packed.ranks(at).gather(&rows, &mut found);
                assert_eq!(found, expected, "seed {seed}, column {at}");
                copied.ranks(&packed, at).gather(&places, &mut found);
                assert_eq!(found, expected, "seed {seed}, column {at} copied");
            }
        }
    }

    #[test]
    fn columns_of_a_category_share_their_codes() {
        let of = |own: usize| (0..30).map(|row| f64::from(u8::from(row % 5 == own))).collect();
        let cells: Vec<Vec<f64>> = (0..4).map(of).collect();
        let mut columns: Vec<RankedColumn> = cells.iter().map(|cells| column(cells)).collect();
        assert_eq!(PackedColumns::new(columns).codes.len(), 1);
        // A row with two of them.
        columns = cells.iter().map(|cells| column(cells)).collect();
        columns.insert(2, column(&cells[1]));
        assert_eq!(PackedColumns::new(columns).codes.len(), 2);
    }
}
