//! Raw cells as departures from the usual value of their column.
//!
//! The parts of a category and counts that are mostly zero have one value in most rows. With
//! `x = usual + e` and e = 0 in most rows, sums over rows need to visit the departures e only; what the usual
//! values add follows from sums over all rows:
//!
//! ```text
//! sum w x_j x_k = sum w e_j e_k + u_j sum w e_k + u_k sum w e_j + u_j u_k sum w
//! ```
//!
//! Columns without a usual value are handed out cell by cell, in front of the others.

/// A column has a usual value if at most this share of the rows departs from it.
const RARE: f64 = 0.25;

/// Which raw columns have a usual value, and where rows depart from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Departures {
    /// The raw columns by position: those without a usual value, then the others.
    pub order: Vec<usize>,
    /// How many have no usual value.
    pub n_dense: usize,
    /// The usual value by position; zero for columns without one.
    pub usual: Vec<f64>,
    /// Where the departures of each row begin; one more entry than rows. Empty if no column has a usual value.
    start: Vec<usize>,
    departures: Vec<Departure>,
}

/// A cell that departs from its column's usual value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Departure {
    /// The column's position.
    pub position: u32,
    /// By how much.
    pub by: f64,
}

impl Departures {
    /// No column has a usual value.
    pub(super) fn none(n_columns: usize) -> Self {
        Self {
            order: (0..n_columns).collect(),
            n_dense: n_columns,
            usual: vec![0.0; n_columns],
            start: Vec::new(),
            departures: Vec::new(),
        }
    }

    /// Finds usual values; `column_into` gives the cells of a column, one a row. Columns beyond `most`
    /// departures in all are left without one.
    pub(super) fn find(
        n_rows: usize,
        n_columns: usize,
        most: usize,
        mut column_into: impl FnMut(usize, &mut Vec<f64>),
    ) -> Self {
        let mut cells = Vec::new();
        let (mut dense, mut sparse, mut total) = (Vec::new(), Vec::new(), 0);
        for column in 0..n_columns {
            column_into(column, &mut cells);
            let usual = majority(&cells);
            let n_departing = cells.iter().filter(|&&cell| cell != usual).count();
            if n_departing as f64 <= RARE * n_rows as f64 && total + n_departing <= most {
                sparse.push((column, usual));
                total += n_departing;
            } else {
                dense.push(column);
            }
        }
        if sparse.is_empty() {
            return Self::none(n_columns);
        }
        let mut counts = vec![0_usize; n_rows + 1];
        for &(column, usual) in &sparse {
            column_into(column, &mut cells);
            for (count, &cell) in counts[1..].iter_mut().zip(&cells) {
                *count += usize::from(cell != usual);
            }
        }
        for row in 0..n_rows {
            counts[row + 1] += counts[row];
        }
        let start = counts.clone();
        let mut departures = vec![Departure { position: 0, by: 0.0 }; total];
        for (at, &(column, usual)) in sparse.iter().enumerate() {
            column_into(column, &mut cells);
            let position = (dense.len() + at) as u32;
            for (next, &cell) in counts.iter_mut().zip(&cells) {
                if cell != usual {
                    departures[*next] = Departure { position, by: cell - usual };
                    *next += 1;
                }
            }
        }
        let n_dense = dense.len();
        let mut usual = vec![0.0; n_dense];
        usual.extend(sparse.iter().map(|(_, usual)| usual));
        dense.extend(sparse.iter().map(|(column, _)| column));
        Self { order: dense, n_dense, usual, start, departures }
    }

    /// The departures of a row, by rising position.
    #[inline]
    pub fn of_row(&self, row: usize) -> &[Departure] {
        if self.start.is_empty() {
            return &[];
        }
        &self.departures[self.start[row]..self.start[row + 1]]
    }
}

/// The value of more than half of the cells, if there is one; any value otherwise.
fn majority(cells: &[f64]) -> f64 {
    let (mut value, mut lead) = (0.0, 0_usize);
    for &cell in cells {
        if lead == 0 {
            value = cell;
        }
        lead = if cell == value { lead + 1 } else { lead - 1 };
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows() -> impl Strategy<Value = Vec<Vec<f64>>> {
        let cell = prop_oneof![4 => Just(1.5), 1 => -2.0..2.0f64, 1 => Just(0.0)];
        (1usize..30, 1usize..8).prop_flat_map(move |(n, columns)| {
            prop::collection::vec(prop::collection::vec(cell.clone(), n), columns)
        })
    }

    proptest! {
        #[test]
        fn cells_are_usual_values_and_departures(columns in rows(), most in 0usize..200) {
            let n_rows = columns[0].len();
            let into = |column: usize, out: &mut Vec<f64>| out.clone_from(&columns[column]);
            let found = Departures::find(n_rows, columns.len(), most, into);
            let mut seen = found.order.clone();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..columns.len()).collect::<Vec<_>>());
            let mut total = 0;
            for row in 0..n_rows {
                let mut cells = found.usual.clone();
                let departures = found.of_row(row);
                total += departures.len();
                prop_assert!(departures.is_sorted_by(|a, b| a.position < b.position));
                for departure in departures {
                    prop_assert!(departure.position as usize >= found.n_dense && departure.by != 0.0);
                    cells[departure.position as usize] += departure.by;
                }
                for position in found.n_dense..columns.len() {
                    let expected = columns[found.order[position]][row];
                    prop_assert!((cells[position] - expected).abs() <= 1e-15 * expected.abs().max(4.0));
                }
            }
            prop_assert!(total <= most);
            for position in found.n_dense..columns.len() {
                let column = &columns[found.order[position]];
                let departing = column.iter().filter(|&&cell| cell != found.usual[position]).count();
                prop_assert!(departing as f64 <= RARE * n_rows as f64);
            }
        }
    }
}
