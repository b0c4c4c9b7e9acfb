//! Small random problems, written out densely, and dense solvers that share nothing with the
//! library.

use crate::basis::{Basis, TreeRows};
use crate::forest::{Comparison, InBag, Missing, NONE, Precision, Tree};
use crate::glm::Coefficients;
use crate::glm::quadratic::statistics::Statistics;
use crate::random::{Generator, below, generator, unit};
use crate::table::Matrix;

/// A random table, a random tree on it, weights and responses.
pub struct Sample {
    /// The arguments of [`Sample::new`].
    pub made_by: String,
    pub x: Matrix,
    pub tree: Tree,
    pub basis: Basis,
    /// Weight of each row in the fit; some are zero unless in-bag counts were asked for.
    pub weight: Vec<f64>,
    pub y: Vec<f64>,
    /// Rows x columns of the basis, stumps first, for the rows of positive weight.
    pub design: Vec<Vec<f64>>,
    /// Weights and responses of those rows.
    pub fitted_weight: Vec<f64>,
    pub fitted_y: Vec<f64>,
}

/// What rows are fitted on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weights {
    InBag,
    Random,
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sample::new({})", self.made_by)
    }
}

impl Sample {
    pub fn new(seed: u64, n: usize, p: usize, raw: bool, weights: Weights) -> Self {
        let mut random = generator(seed, 0);
        let cells = random_cells(&mut random, n, p);
        let x = Matrix::from_column_major(cells, n, p).expect("a full matrix");
        let counts: Vec<u32> = (0..n).map(|_| below(&mut random, 4) as u32).collect();
        let tree = random_tree(&mut random, &x, counts.clone());
        let y: Vec<f64> = (0..n).map(|_| 10.0 * unit(&mut random) - 3.0).collect();
        let weight = match weights {
            Weights::InBag => counts.iter().map(|&count| f64::from(count)).collect(),
            Weights::Random => (0..n)
                .map(|_| [0.0, 1.0, 2.0, 0.1 + unit(&mut random)][below(&mut random, 4)])
                .collect::<Vec<f64>>(),
        };
        let basis = Basis::of(&tree, &x.view(), raw);
        let kept = (0..n).filter(|&row| weight[row] > 0.0);
        let design = kept.clone().map(|row| columns(&tree, &basis, &x, row)).collect();
        let fitted_weight = kept.clone().map(|row| weight[row]).collect();
        let fitted_y = kept.map(|row| y[row]).collect();
        let made_by = format!("{seed}, {n}, {p}, {raw}, {weights:?}");
        Self { made_by, x, tree, basis, weight, y, design, fitted_weight, fitted_y }
    }

    pub fn n_columns(&self) -> usize {
        self.basis.n_columns()
    }

    pub fn rows(&self) -> TreeRows<'_> {
        let leaves = self.tree.leaves_of(&self.x.view());
        let fold = vec![0; self.y.len()];
        TreeRows::new(&self.x.view(), &self.basis, &leaves, &self.weight, &fold, 1)
    }

    /// Statistics under any weights of the fitted rows.
    pub fn statistics_of(&self, weight: &[f64]) -> Statistics {
        let rows = self.rows();
        let mut statistics = Statistics::new(&self.basis);
        rows.for_blocks(0..rows.len(), |block| {
            let range = block.range.clone();
            statistics.update(
                &rows.leaf[range.clone()],
                &weight[range.clone()],
                &self.fitted_y[range],
                block.raw,
            );
        });
        statistics
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics_of(&self.fitted_weight)
    }

    pub fn predict(&self, fit: &Coefficients, row: usize) -> f64 {
        let slopes: f64 = self.design[row].iter().zip(fit.slopes()).map(|(x, b)| x * b).sum();
        fit.intercept + slopes
    }
}

/// Continuous, coarse, constant and repeated columns.
fn random_cells(random: &mut Generator, n: usize, p: usize) -> Vec<f64> {
    let mut cells: Vec<f64> = Vec::with_capacity(n * p);
    for column in 0..p {
        match below(random, 8) {
            0 => cells.extend((0..n).map(|_| below(random, 3) as f64)),
            1 if column > 0 => cells.extend_from_within((column - 1) * n..column * n),
            2 => cells.extend(std::iter::repeat_n(1.5, n)),
            3 => cells.extend((0..n).map(|_| 1e9 * unit(random))),
            _ => cells.extend((0..n).map(|_| unit(random) - 0.5)),
        }
    }
    // Thresholds are compared in 32 bits.
    cells.iter().map(|&cell| f64::from(cell as f32)).collect()
}

/// Splits in-bag rows at random until nothing is left to split, or luck ends it.
fn random_tree(random: &mut Generator, x: &Matrix, counts: Vec<u32>) -> Tree {
    let mut tree = Tree {
        feature: Vec::new(),
        threshold: Vec::new(),
        category_set: Vec::new(),
        missing: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        value: Vec::new(),
        n_values: 1,
        weight: Vec::new(),
        impurity: Vec::new(),
        comparison: Comparison::LessEqual,
        precision: Precision::Single,
        category_sets: Vec::new(),
        in_bag: None,
    };
    let weight = |rows: &[usize]| rows.iter().map(|&row| f64::from(counts[row])).sum::<f64>();
    let add = |tree: &mut Tree, rows: &[usize]| {
        tree.feature.push(NONE);
        tree.threshold.push(0.0);
        tree.category_set.push(NONE);
        tree.missing.push(Missing::Left);
        tree.left.push(NONE);
        tree.right.push(NONE);
        tree.value.push(0.0);
        tree.weight.push(weight(rows));
        tree.impurity.push(0.0);
        tree.n_nodes() - 1
    };
    let all: Vec<usize> = (0..x.rows()).filter(|&row| counts[row] > 0).collect();
    let mut open = vec![(add(&mut tree, &all), all)];
    while let Some((node, rows)) = open.pop() {
        if rows.len() < 2 || below(random, 6) == 0 {
            continue;
        }
        let feature = below(random, x.cols());
        let threshold = x.column(feature)[rows[below(random, rows.len())]];
        let (left, right): (Vec<usize>, Vec<usize>) =
            rows.iter().partition(|&&row| x.column(feature)[row] <= threshold);
        if right.is_empty() {
            continue;
        }
        tree.feature[node] = feature as u32;
        tree.threshold[node] = threshold;
        for (side, rows) in [(0, left), (1, right)] {
            let child = add(&mut tree, &rows);
            if side == 0 {
                tree.left[node] = child as u32
            } else {
                tree.right[node] = child as u32
            }
            open.push((child, rows));
        }
    }
    tree.in_bag = Some(InBag::from_counts(counts));
    tree.check(x.cols()).expect("a sound tree");
    tree
}

/// One row of the design matrix, from the definition of the columns.
fn columns(tree: &Tree, basis: &Basis, x: &Matrix, row: usize) -> Vec<f64> {
    let mut of_node = vec![0.0; tree.n_nodes()];
    let mut node = 0;
    while !tree.is_leaf(node) {
        let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
        let goes_left = tree.goes_left(node, x.column(tree.feature[node] as usize)[row]);
        let (n_left, n_right) = (tree.weight[left], tree.weight[right]);
        of_node[node] =
            if goes_left { -(n_right / n_left).sqrt() } else { (n_left / n_right).sqrt() };
        node = if goes_left { left } else { right };
    }
    let splits = (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node));
    let stumps = splits.map(|node| of_node[node]);
    let raw = basis.raw.iter().map(|raw| raw.value(x.column(raw.feature as usize)[row]));
    stumps.chain(raw).collect()
}

/// Solves a dense symmetric positive definite system (Gauss with the largest pivot).
pub fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for step in 0..n {
        let pivot = (step..n)
            .max_by(|&i, &j| matrix[i][step].abs().total_cmp(&matrix[j][step].abs()))
            .expect("a row");
        matrix.swap(step, pivot);
        right.swap(step, pivot);
        for row in step + 1..n {
            let factor = matrix[row][step] / matrix[step][step];
            for column in step..n {
                let above = matrix[step][column];
                matrix[row][column] -= factor * above;
            }
            right[row] -= factor * right[step];
        }
    }
    for row in (0..n).rev() {
        for column in row + 1..n {
            right[row] -= matrix[row][column] * right[column];
        }
        right[row] /= matrix[row][row];
    }
    right
}

/// The ridge fit on some columns: intercept first, then all slopes (zero where not active).
pub fn ridge(design: &[Vec<f64>], weight: &[f64], y: &[f64], l2: f64, active: &[bool]) -> Vec<f64> {
    let total: f64 = weight.iter().sum();
    let used: Vec<usize> = (0..active.len()).filter(|&column| active[column]).collect();
    let mean = |value: &dyn Fn(usize) -> f64| {
        weight.iter().enumerate().map(|(row, w)| w * value(row)).sum::<f64>() / total
    };
    let y_mean = mean(&|row| y[row]);
    let means: Vec<f64> = used.iter().map(|&column| mean(&|row| design[row][column])).collect();
    let centred = |row: usize, at: usize| design[row][used[at]] - means[at];
    let gram = |i: usize, j: usize| {
        let ridge = if i == j { l2 } else { 0.0 };
        total * mean(&|row| centred(row, i) * centred(row, j)) + ridge
    };
    let matrix = (0..used.len()).map(|i| (0..used.len()).map(|j| gram(i, j)).collect()).collect();
    let right =
        (0..used.len()).map(|i| total * mean(&|row| centred(row, i) * (y[row] - y_mean))).collect();
    let slopes = solve(matrix, right);
    let mut fit = vec![0.0; active.len() + 1];
    fit[0] = y_mean;
    for (at, &column) in used.iter().enumerate() {
        fit[column + 1] = slopes[at];
        fit[0] -= slopes[at] * means[at];
    }
    fit
}

/// Intercept and slopes as one list, like [`ridge`] returns.
pub fn listed(fit: &Coefficients) -> Vec<f64> {
    std::iter::once(fit.intercept).chain(fit.slopes()).collect()
}

/// |a - b| / |b| in the Euclidean norm.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(b).map(|(a, b)| a - b)) / norm(&mut b.iter().copied()).max(1e-300)
}

/// Minimum-norm least squares of centred columns by one-sided Jacobi rotations: slopes only.
pub fn minimum_norm(design: &[Vec<f64>], weight: &[f64], y: &[f64]) -> Vec<f64> {
    let (n, p) = (design.len(), design[0].len());
    let total: f64 = weight.iter().sum();
    let mean = |value: &dyn Fn(usize) -> f64| {
        weight.iter().enumerate().map(|(row, w)| w * value(row)).sum::<f64>() / total
    };
    let scaled = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let mean = mean(value);
        (0..n).map(|row| weight[row].sqrt() * (value(row) - mean)).collect()
    };
    // Columns of u become (left vectors x singular values), v collects the rotations.
    let mut u: Vec<Vec<f64>> = (0..p).map(|column| scaled(&|row| design[row][column])).collect();
    let response = scaled(&|row| y[row]);
    let mut v: Vec<Vec<f64>> =
        (0..p).map(|i| (0..p).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for _ in 0..60 {
        let mut largest = 0.0_f64;
        for i in 0..p {
            for j in i + 1..p {
                let (a, b, c) = (dot(&u[i], &u[i]), dot(&u[j], &u[j]), dot(&u[i], &u[j]));
                if c == 0.0 || c.abs() < 1e-300 {
                    continue;
                }
                largest = largest.max(c.abs() / (a * b).sqrt());
                let zeta = (b - a) / (2.0 * c);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let cosine = 1.0 / (1.0 + t * t).sqrt();
                let sine = cosine * t;
                for side in [&mut u, &mut v] {
                    let (head, tail) = side.split_at_mut(j);
                    for (x, y) in head[i].iter_mut().zip(tail[0].iter_mut()) {
                        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                    }
                }
            }
        }
        if largest < 1e-15 {
            break;
        }
    }
    let squares: Vec<f64> = u.iter().map(|column| dot(column, column)).collect();
    // Against the columns before centring: a constant column is left with rounding only.
    let before = |column: usize| {
        design.iter().zip(weight).map(|(x, w)| w * x[column] * x[column]).sum::<f64>()
    };
    let top = (0..p).map(before).fold(0.0, f64::max);
    let mut slopes = vec![0.0; p];
    for i in 0..p {
        if squares[i] > 1e-18 * top {
            let share = dot(&u[i], &response) / squares[i];
            for k in 0..p {
                slopes[k] += share * v[i][k];
            }
        }
    }
    slopes
}
