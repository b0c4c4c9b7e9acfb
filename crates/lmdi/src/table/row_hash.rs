//! A hash that identifies a row by its cells, whatever its position in a table.
//!
//! Folds and samples that are assigned by the hash do not depend on the order of rows, on batches
//! or on machines. Equal rows have equal hashes, and so the same fold. The result of a fit depends
//! on the hash, so it is implemented here and not left to a library: SplitMix64's finaliser over
//! the bits of the cells, one after another. Every missing cell counts as the same NaN and -0 as 0.

use super::{MatrixView, Response};

const START: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(state: u64, word: u64) -> u64 {
    let mut z = (state ^ word).wrapping_add(START);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The bits that a number counts by.
fn bits(cell: f64) -> u64 {
    if cell.is_nan() { f64::NAN.to_bits() } else { (cell + 0.0).to_bits() }
}

/// The hash of every row's cells.
pub fn hash_rows(x: &MatrixView<'_>) -> Vec<u64> {
    let mut hashes = vec![START; x.rows()];
    let mut column = Vec::new();
    for col in 0..x.cols() {
        x.column_into(col, &mut column);
        for (hash, &cell) in hashes.iter_mut().zip(&column) {
            *hash = mix(*hash, bits(cell));
        }
    }
    hashes
}

/// The hash of every row's cells and response.
pub(crate) fn hash_training_rows(x: &MatrixView<'_>, y: &Response<'_>) -> Vec<u64> {
    let mut hashes = hash_rows(x);
    match y {
        Response::Numeric(y) => {
            hashes.iter_mut().zip(*y).for_each(|(hash, &y)| *hash = mix(*hash, bits(y)));
        }
        Response::Classes { codes, .. } => {
            hashes.iter_mut().zip(*codes).for_each(|(hash, &y)| *hash = mix(*hash, u64::from(y)));
        }
    }
    hashes
}

/// The hash of a key that identifies a row.
///
/// ```
/// use lmdi::table::hash_key;
/// assert_ne!(hash_key(b"customer 1"), hash_key(b"customer 2"));
/// ```
pub fn hash_key(key: &[u8]) -> u64 {
    let (words, rest) = key.as_chunks::<8>();
    let hash = words.iter().fold(START, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), key.len() as u64)
}

/// The fold of each row, by its hash.
pub fn hashed_folds(hashes: &[u64], n_folds: usize) -> Vec<u32> {
    let folds = n_folds.max(1) as u64;
    hashes.iter().map(|hash| (hash % folds) as u32).collect()
}

/// Rows dealt to trees by their hashes: every tree gets about as many, and every row goes to as many
/// trees as any other, give or take one.
///
/// A row has a place on a circle, and every tree takes an arc of it, next to that of the tree before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowDeal {
    /// The length of an arc; `None` where it is the whole circle.
    arc: Option<u64>,
}

impl RowDeal {
    /// Assigns about this many of `rows` rows to each tree.
    pub(crate) fn new(per_tree: usize, rows: u64) -> Self {
        let arc = ((per_tree as u128) << 64) / u128::from(rows.max(1));
        Self { arc: u64::try_from(arc).ok() }
    }

    /// Whether a tree gets the row with this hash.
    pub(crate) fn gives(self, tree: usize, hash: u64) -> bool {
        // Folds go by the hash itself.
        let place = || mix(hash, START);
        self.arc.is_none_or(|arc| place().wrapping_sub((tree as u64).wrapping_mul(arc)) < arc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Matrix;

    #[test]
    fn a_row_has_the_same_hash_everywhere() {
        let cells = vec![1.0, 2.0, 1.0, f64::NAN, -0.0, f64::NAN];
        let x = Matrix::from_column_major(cells, 3, 2).expect("3x2");
        let all = hash_rows(&x.view());
        let other_nan = f64::from_bits(0xFFF8_0000_0000_0001);
        let rows = [[1.0, other_nan], [2.0, 0.0]];
        for (row, cells) in rows.iter().enumerate() {
            let one = MatrixView::from_rows(cells, 1, 2).expect("1x2");
            assert_eq!(hash_rows(&one), [all[row]]);
        }
        assert_eq!(all[0], all[2]);
        assert_ne!(all[0], all[1]);
    }

    #[test]
    fn every_row_goes_to_as_many_trees() {
        let (rows, trees) = (20_000, 30);
        let hashes: Vec<u64> = (0..rows).map(|row| hash_key(&u64::to_le_bytes(row))).collect();
        for per_tree in [100, 1_000, 3_000, 19_000] {
            let deal = RowDeal::new(per_tree, rows);
            let times = |hash: u64| (0..trees).filter(|&tree| deal.gives(tree, hash)).count();
            let expected = trees as f64 * per_tree as f64 / rows as f64;
            for &hash in &hashes {
                assert!(
                    (times(hash) as f64 - expected).abs() <= 1.0,
                    "{} of {expected}",
                    times(hash)
                );
            }
            for tree in 0..trees {
                let size = hashes.iter().filter(|&&hash| deal.gives(tree, hash)).count() as f64;
                let spread = 5.0 * (per_tree as f64).sqrt();
                assert!((size - per_tree as f64).abs() <= spread, "{size} of {per_tree}");
                // The rows of a tree are in all folds.
                let in_fold = |fold| {
                    let own = hashes.iter().filter(|&&hash| deal.gives(tree, hash));
                    own.filter(|&&hash| hash % 3 == fold).count() as f64
                };
                assert!((0..3).all(|fold| (in_fold(fold) - size / 3.0).abs() <= spread));
            }
        }
        assert!(hashes.iter().all(|&hash| RowDeal::new(20_000, rows).gives(7, hash)));
        assert!(hashes.iter().all(|&hash| RowDeal::new(usize::MAX, rows).gives(7, hash)));
    }

    #[test]
    fn folds_are_of_about_the_same_size() {
        let cells: Vec<f64> = (0..30_000).map(f64::from).collect();
        let x = Matrix::from_column_major(cells, 30_000, 1).expect("a column");
        let folds = hashed_folds(&hash_rows(&x.view()), 3);
        for fold in 0..3 {
            let size = folds.iter().filter(|&&other| other == fold).count();
            assert!((9_600..10_400).contains(&size), "{size}");
        }
    }
}
