//! Fits the linear model of a golden case and looks at it from outside the library's own numbering.

use super::golden::Case;
use crate::basis::{Basis, TreeRows};
use crate::glm::{Coefficients, GlmFit, GlmOptions, fit_glm};
use crate::table::Matrix;

/// A case with its columns, ready to be fitted.
pub struct Problem<'c, F, C> {
    case: &'c Case<F, C>,
    x: Matrix,
    pub basis: Basis,
    leaf: Vec<u32>,
    fold: Vec<u32>,
}

impl<'c, F, C> Problem<'c, F, C> {
    /// `fold` is the cross-validation fold of every row.
    pub fn new(case: &'c Case<F, C>, fold: Vec<u32>) -> Self {
        let (x, tree) = (case.x(), case.tree());
        let basis = Basis::of(&tree, &x.view(), case.raw);
        let leaf = tree.leaves_of(&x.view());
        Self { case, x, basis, leaf, fold }
    }

    /// The library's fit.
    pub fn fit(&self, options: &GlmOptions) -> GlmFit {
        options.check().expect("valid options");
        let x = self.x.view();
        let weights = &self.case.weights;
        let rows = TreeRows::new(&x, &self.basis, &self.leaf, weights, &self.fold, options.folds);
        fit_glm(&self.basis, &rows, &rows.gather(&self.case.y), options)
    }

    /// Slopes in the order of the golden columns.
    pub fn slopes(&self, model: &Coefficients) -> Vec<f64> {
        let of_node = |node: usize| {
            let split = self.basis.stumps.tree_node.iter().position(|&at| at as usize == node);
            model.stump[split.expect("a split")]
        };
        let of_feature = |feature: usize| {
            let raw = self.basis.raw.iter().position(|raw| raw.feature as usize == feature);
            model.raw[raw.expect("a raw column")]
        };
        let columns = self.case.columns.iter();
        columns.map(|c| c.node.map_or_else(|| of_feature(c.feature), of_node)).collect()
    }

    /// Linear predictors of the training rows, from the golden columns: nothing of the library but
    /// the slopes and the intercept enters.
    pub fn predictors(&self, intercept: f64, slopes: &[f64]) -> Vec<f64> {
        let tree = self.case.tree();
        let mut cells = vec![0.0; self.x.cols()];
        (0..self.x.rows())
            .map(|row| {
                self.x.view().rows_into(row..row + 1, &mut cells);
                let mut eta = intercept;
                let mut node = 0;
                let mut path = Vec::new();
                while !tree.is_leaf(node) {
                    let left = tree.goes_left(node, cells[tree.feature[node] as usize]);
                    path.push((node, left));
                    node = if left { tree.left[node] } else { tree.right[node] } as usize;
                }
                for (column, slope) in self.case.columns.iter().zip(slopes) {
                    let value = match (column.node, column.mean, column.scale) {
                        (None, Some(mean), Some(scale)) => (cells[column.feature] - mean) / scale,
                        (Some(node), ..) => match path.iter().find(|(at, _)| *at == node) {
                            None => 0.0,
                            Some((_, left)) => {
                                let n = |child: u32| tree.weight[child as usize];
                                let (nl, nr) = (n(tree.left[node]), n(tree.right[node]));
                                if *left { -(nr / nl).sqrt() } else { (nl / nr).sqrt() }
                            }
                        },
                        _ => panic!("a raw column without mean or scale"),
                    };
                    eta += slope * value;
                }
                eta
            })
            .collect()
    }
}

/// `l1 |b|_1 + (1 - l1)/2 |b|_2^2`.
pub fn elastic_net(slopes: &[f64], l1_ratio: f64) -> f64 {
    let absolute: f64 = slopes.iter().map(|b| b.abs()).sum();
    let squares: f64 = slopes.iter().map(|b| b * b).sum();
    l1_ratio * absolute + (1.0 - l1_ratio) / 2.0 * squares
}

/// Sum of `weight * loss(y, eta)`.
pub fn total_loss(weights: &[f64], y: &[f64], eta: &[f64], loss: impl Fn(f64, f64) -> f64) -> f64 {
    weights.iter().zip(y).zip(eta).map(|((w, y), eta)| w * loss(*y, *eta)).sum()
}
