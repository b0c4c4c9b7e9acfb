//! Partitioning the rows of a node between its children: one pass over the rows, on all threads.

use rayon::prelude::*;

/// Rows that one thread takes at a time.
pub(crate) const CHUNK: usize = 1 << 11;

/// Moves the rows that go left before the others, both in the order they had, and counts them.
/// Chunks are partitioned in parallel and then put together.
pub(crate) fn partition_rows(
    rows: &mut [u32],
    spare: &mut Vec<u32>,
    goes_left: impl Fn(u32) -> bool + Sync,
) -> usize {
    spare.resize(rows.len(), 0);
    let part = |(rows, spare): (&mut [u32], &mut [u32])| {
        let (mut n_left, mut n_right) = (0, 0);
        for at in 0..rows.len() {
            let row = rows[at];
            let left = goes_left(row);
            // Both are written and one is kept: the side is too random to be predicted.
            rows[n_left] = row;
            spare[n_right] = row;
            n_left += usize::from(left);
            n_right += usize::from(!left);
        }
        n_left
    };
    let lefts: Vec<usize> = if rows.len() <= CHUNK {
        vec![part((rows, spare))]
    } else {
        rows.par_chunks_mut(CHUNK).zip(spare.par_chunks_mut(CHUNK)).map(part).collect()
    };
    let mut n_left = 0;
    for (chunk, &left) in lefts.iter().enumerate() {
        let start = chunk * CHUNK;
        rows.copy_within(start..start + left, n_left);
        n_left += left;
    }
    let mut end = n_left;
    for (spare, &left) in spare.chunks(CHUNK).zip(&lefts) {
        let n_right = spare.len() - left;
        rows[end..end + n_right].copy_from_slice(&spare[..n_right]);
        end += n_right;
    }
    n_left
}

/// Whether a split leaves rows on both sides. The searches propose no other. Should one ever do so,
/// its node stays a leaf: a child with all rows of its parent would be split the same way forever.
pub(crate) fn separates(n_left: usize, n_right: usize) -> bool {
    let both = n_left > 0 && n_right > 0;
    debug_assert!(both, "a split into {n_left} and {n_right} rows");
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_sides_keep_their_order(n in 0usize..4 * CHUNK, factor in 1u32..10_000, limit in 0u32..100) {
            let goes_left = |row: u32| row.wrapping_mul(factor) % 100 < limit;
            let mut rows: Vec<u32> = (0..n as u32).map(|row| row * 3).collect();
            let (mut expected, right): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| goes_left(row));
            let n_left = expected.len();
            expected.extend(right);
            prop_assert_eq!(partition_rows(&mut rows, &mut vec![7; 5], goes_left), n_left);
            prop_assert_eq!(rows, expected);
        }
    }
}
