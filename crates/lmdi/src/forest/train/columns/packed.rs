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

/// Where the ranks of a column are: in which bytes or words.
#[derive(Debug, Clone, Copy)]
enum Source {
    Bytes(usize),
    Words(usize),
    /// The level that stands for rank 1; any other stands for rank 0.
    Level(usize, u8),
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
    /// Their values; the ranks are below.
    columns: Vec<RankedColumn>,
    sources: Vec<Source>,
    bytes: Vec<Vec<u8>>,
    words: Vec<Vec<u32>>,
}

impl PackedColumns {
    /// Packs ranks column by column and gives back their memory.
    pub(crate) fn new(columns: Vec<RankedColumn>) -> Self {
        let sources = Vec::with_capacity(columns.len());
        let mut packed = Self { columns, sources, bytes: Vec::new(), words: Vec::new() };
        for column in 0..packed.columns.len() {
            let source = packed.pack(column);
            packed.sources.push(source);
        }
        packed
    }

    /// Packs the ranks of the next column.
    fn pack(&mut self, column: usize) -> Source {
        let Self { columns, sources, bytes, words } = self;
        let column = &mut columns[column];
        let ranks = std::mem::take(&mut column.codes);
        if column.missing_code() > u32::from(u8::MAX) {
            words.push(ranks);
            return Source::Words(words.len() - 1);
        }
        let two_values = !column.has_missing && column.missing_code() == 2;
        if two_values
            && let Some(&Source::Level(at, level)) = sources.last()
            && level < MAX_LEVELS
            && add_level(&mut bytes[at], &ranks, level + 1)
        {
            return Source::Level(at, level + 1);
        }
        bytes.push(ranks.iter().map(|&rank| rank as u8).collect());
        let at = bytes.len() - 1;
        if two_values { Source::Level(at, 1) } else { Source::Bytes(at) }
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
    #[inline]
    pub(crate) fn ranks(&self, column: usize) -> Ranks<'_> {
        match self.sources[column] {
            Source::Bytes(at) => Ranks::Bytes(&self.bytes[at]),
            Source::Words(at) => Ranks::Words(&self.words[at]),
            Source::Level(at, level) => Ranks::Level(&self.bytes[at], level),
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

/// Packed ranks of the rows of one node beside each other, reused from node to node.
#[derive(Debug, Default)]
pub(crate) struct CopiedRanks {
    n_rows: usize,
    bytes: Vec<u8>,
    words: Vec<u32>,
}

impl CopiedRanks {
    /// Bytes that a row takes.
    pub(crate) fn bytes_per_row(columns: &PackedColumns) -> usize {
        columns.bytes.len() + 4 * columns.words.len()
    }

    /// Copies the ranks of these rows.
    pub(crate) fn copy(&mut self, columns: &PackedColumns, rows: &[u32]) {
        self.n_rows = rows.len();
        self.bytes.clear();
        self.words.clear();
        for bytes in &columns.bytes {
            self.bytes.extend(rows.iter().map(|&row| bytes[row as usize]));
        }
        for words in &columns.words {
            self.words.extend(rows.iter().map(|&row| words[row as usize]));
        }
    }

    /// The ranks of a column, in the order of the copied rows.
    #[inline]
    pub(crate) fn ranks(&self, columns: &PackedColumns, column: usize) -> Ranks<'_> {
        let range = |at: usize| at * self.n_rows..(at + 1) * self.n_rows;
        match columns.sources[column] {
            Source::Bytes(at) => Ranks::Bytes(&self.bytes[range(at)]),
            Source::Words(at) => Ranks::Words(&self.words[range(at)]),
            Source::Level(at, level) => Ranks::Level(&self.bytes[range(at)], level),
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
            let mut copied = CopiedRanks::default();
            copied.copy(&packed, &rows);
            assert_eq!(
                copied.bytes.len() + 4 * copied.words.len(),
                rows.len() * CopiedRanks::bytes_per_row(&packed)
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
        assert_eq!(PackedColumns::new(columns).bytes.len(), 1);
        // A row with two of them.
        columns = cells.iter().map(|cells| column(cells)).collect();
        columns.insert(2, column(&cells[1]));
        assert_eq!(PackedColumns::new(columns).bytes.len(), 2);
    }
}
