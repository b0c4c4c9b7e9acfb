//! A sample that depends only on the rows: those with the smallest hashes.

/// Rows with the smallest hashes, and their cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RowSample {
    /// Rising by hash, then by cells.
    pub(crate) rows: Vec<(u64, Vec<f64>)>,
    pub(crate) most: usize,
}

impl RowSample {
    pub(crate) fn of_at_most(most: usize) -> Self {
        Self { rows: Vec::new(), most }
    }

    /// Takes rows into account: hash and cells of each.
    pub(crate) fn add(&mut self, rows: impl Iterator<Item = (u64, Vec<f64>)>) {
        if self.most == 0 {
            return;
        }
        self.rows.extend(rows);
        self.rows.sort_by(|(a, left), (b, right)| {
            let cells = left.iter().zip(right).map(|(x, y)| x.total_cmp(y));
            a.cmp(b).then(cells.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then))
        });
        self.rows.truncate(self.most);
    }

    /// The hash from which on a row is not taken.
    pub(crate) fn limit(&self) -> u64 {
        if self.rows.len() < self.most {
            return u64::MAX;
        }
        self.rows.last().map_or(0, |(hash, _)| *hash)
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.add(other.rows.iter().cloned());
    }
}
