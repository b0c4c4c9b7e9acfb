//! The columns of one tree written out from their definition, sharing no code with the library.

use super::Table;
use lmdi::forest::{Ensemble, Growth, Tree};
use lmdi::importance::lmdi_plus::TreeModel;

/// What a column of the design is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column {
    /// The split at a node.
    Stump { node: usize },
    /// The centred cell times `factor`.
    Raw { mean: f64, factor: f64 },
}

/// The design matrix of one tree.
pub struct DenseTree {
    pub columns: Vec<Column>,
    /// Feature of each column: its block.
    pub feature: Vec<usize>,
    /// Row by row.
    pub cells: Vec<Vec<f64>>,
    /// Weight of each row in the tree's own sample.
    pub in_bag: Vec<f64>,
    /// Sum of the in-bag weights of every node.
    pub node_weight: Vec<f64>,
    pub tree: Tree,
}

impl DenseTree {
    /// All rows of the table, in-bag or not.
    pub fn new(table: &Table, model: &Ensemble, index: usize, with_raw: bool) -> Self {
        let n = table.rows();
        let tree = &model.trees[index];
        let in_bag: Vec<f64> = (0..n)
            .map(|row| match (&tree.in_bag, model.growth) {
                // A forest draws by the sample weights.
                (Some(bag), Growth::Independent) => f64::from(bag.count(row)),
                (Some(bag), _) => f64::from(bag.count(row)) * table.weight(row),
                (None, _) => table.weight(row),
            })
            .collect();
        let paths: Vec<Vec<usize>> = (0..n).map(|row| path_of(tree, &table.row(row))).collect();
        let mut node_weight = vec![0.0; tree.n_nodes()];
        for (path, weight) in paths.iter().zip(&in_bag) {
            for &node in path {
                node_weight[node] += weight;
            }
        }
        let mut columns = Vec::new();
        let mut feature = Vec::new();
        let mut cells = vec![Vec::new(); n];
        for node in (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)) {
            let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
            let (n_left, n_right) = (node_weight[left], node_weight[right]);
            columns.push(Column::Stump { node });
            feature.push(tree.feature[node] as usize);
            for (row, path) in paths.iter().enumerate() {
                cells[row].push(if path.contains(&left) {
                    -(n_right / n_left).sqrt()
                } else if path.contains(&right) {
                    (n_left / n_right).sqrt()
                } else {
                    0.0
                });
            }
        }
        if with_raw {
            let mut used = feature.clone();
            used.sort_unstable();
            used.dedup();
            for k in used {
                let of_block = (0..columns.len()).filter(|&j| feature[j] == k);
                let largest = of_block
                    .map(|j| {
                        let column: Vec<f64> = cells.iter().map(|row| row[j]).collect();
                        spread(&column, &in_bag).1
                    })
                    .fold(0.0, f64::max);
                let raw = table.x.column(k);
                let (mean, deviation) = spread(raw, &in_bag);
                let factor = if deviation > 0.0 { largest / deviation } else { 0.0 };
                let [low, high] = table.range(k);
                columns.push(Column::Raw { mean, factor });
                feature.push(k);
                for (row, &cell) in raw.iter().enumerate() {
                    let bounded = cell.clamp(low, high);
                    cells[row].push(if cell.is_nan() { 0.0 } else { (bounded - mean) * factor });
                }
            }
        }
        Self { columns, feature, cells, in_bag, node_weight, tree: tree.clone() }
    }

    /// The coefficients of a fitted model over these columns, read off what it adds per node and
    /// unit.
    pub fn coefficients(&self, model: &TreeModel, output: usize) -> Vec<f64> {
        let k = model.n_outputs as usize;
        self.columns
            .iter()
            .zip(&self.feature)
            .map(|(column, &feature)| match *column {
                Column::Stump { node } => {
                    let right = self.tree.right[node] as usize;
                    let left = self.tree.left[node] as usize;
                    let (n_left, n_right) = (self.node_weight[left], self.node_weight[right]);
                    model.step.get(right * k + output) / (n_left / n_right).sqrt()
                }
                Column::Raw { factor, .. } => {
                    let term = model.raw.iter().find(|term| term.feature as usize == feature);
                    let slope = term.expect("a raw column for every feature used").slope[output];
                    if factor > 0.0 { slope / factor } else { 0.0 }
                }
            })
            .collect()
    }

    /// What each block adds for one row, feature by feature.
    pub fn scores(&self, row: usize, coefficients: &[f64], n_features: usize) -> Vec<f64> {
        let mut scores = vec![0.0; n_features];
        for ((cell, b), &feature) in self.cells[row].iter().zip(coefficients).zip(&self.feature) {
            scores[feature] += cell * b;
        }
        scores
    }
}

/// The nodes that a row passes, root first.
pub fn path_of(tree: &Tree, cells: &[f64]) -> Vec<usize> {
    let mut path = vec![0];
    let mut node = 0;
    while !tree.is_leaf(node) {
        let left = tree.goes_left(node, cells[tree.feature[node] as usize]);
        node = if left { tree.left[node] } else { tree.right[node] } as usize;
        path.push(node);
    }
    path
}

/// Weighted mean and standard deviation of the cells that are not missing.
fn spread(cells: &[f64], weight: &[f64]) -> (f64, f64) {
    let known = || cells.iter().zip(weight).filter(|(cell, w)| !cell.is_nan() && **w > 0.0);
    let Some((&first, _)) = known().next() else { return (0.0, 0.0) };
    if known().all(|(&cell, _)| cell == first) {
        // The mean below would be off by rounding, and the deviation above zero.
        return (first, 0.0);
    }
    let total: f64 = known().map(|(_, w)| w).sum();
    let mean = known().map(|(cell, w)| cell * w).sum::<f64>() / total;
    let square = known().map(|(cell, w)| w * (cell - mean) * (cell - mean)).sum::<f64>();
    (mean, (square / total).sqrt())
}
