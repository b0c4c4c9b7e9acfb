//! The sums of one pass over rows.

use super::super::target::{independent_response, response_at};
use super::aims::{Aim, Aims, leaves_of};
use super::first_pass::Summary;
use super::fit::{Pass, StreamedFit};
use super::newton::NewtonRows;
use super::tree_statistics::TreeStatistics;
use crate::basis::Basis;
use crate::importance::{check_cells, check_weights};
use crate::table::{MatrixView, Response, hash_rows, hashed_folds};
use crate::{Error, Result};
use rayon::prelude::*;
use std::borrow::Cow;

/// Numbers that are held for the rows that are summed up at a time.
const NUMBERS_AT_ONCE: usize = 1 << 21;

/// Rows of a table, as a fit takes them.
#[derive(Debug, Clone, Copy)]
pub struct StreamedRows<'a> {
    /// The cells that the trees read.
    pub x: MatrixView<'a>,
    /// What is predicted.
    pub response: Response<'a>,
    /// Sample weights.
    pub weights: Option<&'a [f64]>,
    /// A hash of each row by which folds go ([`hash_key`](crate::table::hash_key) of a key); that of the
    /// row's cells if there is none.
    pub hashes: Option<&'a [u64]>,
}

impl StreamedRows<'_> {
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// The response of a row as a number: the code of a class.
    pub(super) fn response_of(&self, row: usize) -> f64 {
        match &self.response {
            Response::Numeric(values) => values[row],
            Response::Classes { codes, .. } => f64::from(codes[row]),
        }
    }

    pub(super) fn hashes(&self) -> Cow<'_, [u64]> {
        match self.hashes {
            Some(hashes) => hashes.into(),
            None => hash_rows(&self.x).into(),
        }
    }

    fn check(&self, fit: &StreamedFit) -> Result<()> {
        let n = self.x.rows();
        if self.x.cols() != fit.ensemble.n_features() {
            return Err(Error::Shape {
                what: "columns of the rows".into(),
                found: self.x.cols(),
                expected: fit.ensemble.n_features(),
            });
        }
        if let Some(hashes) = self.hashes
            && hashes.len() != n
        {
            let (what, found) = ("hashes of rows".into(), hashes.len());
            return Err(Error::Shape { what, found, expected: n });
        }
        fit.check_response(&self.response)?;
        self.response.check(n)?;
        if let Some(weights) = self.weights {
            // A batch may weigh nothing where others do.
            let any = weights.iter().any(|weight| *weight != 0.0);
            if any || weights.len() != n {
                check_weights(self.weights, n)?;
            }
        }
        check_cells(&self.x, &fit.ensemble.feature_names)
    }
}

/// The sums of a pass so far.
#[derive(Debug, Clone, PartialEq)]
pub struct PassStatistics {
    /// The mark of the fit and its pass: sums of other passes do not merge.
    pub(crate) mark: [u8; 16],
    pub(crate) rows: u64,
    pub(crate) sums: Sums,
}

/// The sums themselves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sums {
    Summary(Summary),
    Trees {
        /// The first tree.
        first: usize,
        /// Of this tree and those after it, output by output.
        trees: Vec<Vec<TreeStatistics>>,
    },
}

impl PassStatistics {
    pub(super) fn empty(fit: &StreamedFit) -> Self {
        let sums = match fit.pass() {
            Pass::Summary => Sums::Summary(Summary::new(&fit.ensemble, fit.search_size.per_class)),
            Pass::Trees(trees) if fit.is_newton() => Sums::Trees {
                first: trees.start,
                trees: trees.map(|tree| fit.newton_statistics(tree)).collect(),
            },
            Pass::Trees(trees) => {
                let n_folds = fit.glm.folds;
                let of_tree = |tree: usize| {
                    let basis = fit.basis(tree);
                    let outputs = fit.outputs().of_tree(tree);
                    let boosted = fit.ensemble.is_boosted();
                    outputs.map(|_| TreeStatistics::new(basis, n_folds, boosted)).collect()
                };
                Sums::Trees { first: trees.start, trees: trees.map(of_tree).collect() }
            }
        };
        Self { mark: fit.mark(), rows: 0, sums }
    }

    /// Number of rows summed up.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds the sums of other rows of the same pass.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.mark != other.mark {
            return Err(Error::Data(
                "these statistics are of another model, other options or another pass; expected those of \
                 the same"
                    .into(),
            ));
        }
        match (&mut self.sums, &other.sums) {
            (Sums::Summary(mine), Sums::Summary(theirs)) => mine.merge(theirs)?,
            (Sums::Trees { first, trees }, Sums::Trees { first: other, trees: theirs })
                if first == other && trees.len() == theirs.len() =>
            {
                for (mine, theirs) in trees.iter_mut().zip(theirs) {
                    if mine.len() != theirs.len() {
                        return Err(Error::Data("the statistics are of different trees".into()));
                    }
                    for (mine, theirs) in mine.iter_mut().zip(theirs) {
                        mine.merge(theirs)?;
                    }
                }
            }
            _ => return Err(Error::Data("the statistics are of different trees".into())),
        }
        self.rows += other.rows;
        Ok(())
    }

    /// The same sums, tree by tree: each part can be merged and solved on a different machine.
    pub fn split(self) -> Vec<Self> {
        let (mark, rows) = (self.mark, self.rows);
        match self.sums {
            Sums::Summary(_) => vec![self],
            Sums::Trees { first, trees } => (trees.into_iter().enumerate())
                .map(|(at, tree)| {
                    let sums = Sums::Trees { first: first + at, trees: vec![tree] };
                    Self { mark, rows, sums }
                })
                .collect(),
        }
    }

    /// The first tree that the sums are of; `None` in the first pass.
    pub fn first_tree(&self) -> Option<usize> {
        match &self.sums {
            Sums::Summary(_) => None,
            Sums::Trees { first, .. } => Some(*first),
        }
    }

    /// Sums up rows.
    pub(super) fn accumulate(&mut self, fit: &StreamedFit, rows: &StreamedRows<'_>) -> Result<()> {
        if self.mark != fit.mark() {
            return Err(Error::Data(
                "these statistics are of another pass of the fit; take new ones for every pass"
                    .into(),
            ));
        }
        rows.check(fit)?;
        self.rows += rows.x.rows() as u64;
        match &mut self.sums {
            Sums::Summary(summary) => summary.accumulate(&fit.ensemble, rows),
            Sums::Trees { first, trees } => {
                let per_row = rows.x.cols() + 4 * trees.len() * fit.n_outputs;
                let at_once = (NUMBERS_AT_ONCE / per_row.max(1)).clamp(256, 8192);
                let hashes = rows.hashes();
                let folds = hashed_folds(&hashes, fit.glm.folds);
                for start in (0..rows.x.rows()).step_by(at_once) {
                    let end = rows.x.rows().min(start + at_once);
                    let part = Part {
                        fit,
                        x: rows.x.slice_rows(start..end),
                        response: slice(&rows.response, start, end),
                        weight: fit.weights(rows, start..end),
                        fold: &folds[start..end],
                        hashes: &hashes[start..end],
                    };
                    part.add_to(*first, trees);
                }
                Ok(())
            }
        }
    }
}

fn slice<'a>(response: &Response<'a>, start: usize, end: usize) -> Response<'a> {
    match *response {
        Response::Numeric(values) => Response::Numeric(&values[start..end]),
        Response::Classes { codes, n_classes } => {
            Response::Classes { codes: &codes[start..end], n_classes }
        }
    }
}

/// Rows that are summed up at a time.
struct Part<'a> {
    fit: &'a StreamedFit,
    x: MatrixView<'a>,
    response: Response<'a>,
    weight: Vec<f64>,
    fold: &'a [u32],
    hashes: &'a [u64],
}

impl Part<'_> {
    fn add_to(&self, first: usize, trees: &mut [Vec<TreeStatistics>]) {
        let range = first..first + trees.len();
        let leaves = leaves_of(&self.fit.router, &self.x, range.clone());
        if self.fit.is_newton() {
            let order: Vec<usize> =
                (0..self.x.rows()).filter(|&row| self.weight[row] > 0.0).collect();
            trees.par_iter_mut().zip(&leaves).enumerate().for_each(|(at, (statistics, leaves))| {
                self.add_newton(first + at, statistics, leaves, &order);
            });
            return;
        }
        let aims = Aims::new(self.fit, &self.x, self.response, range, &leaves);
        // Rows fold by fold; those without weight do not count.
        let mut order: Vec<usize> =
            (0..self.x.rows()).filter(|&row| self.weight[row] > 0.0).collect();
        order.sort_by_key(|&row| self.fold[row]);
        trees.par_iter_mut().zip(&leaves).enumerate().for_each(|(at, (statistics, leaves))| {
            self.add_tree(first + at, statistics, leaves, &aims, &order);
        });
    }

    /// Adds rows to the derivatives at the present coefficients of a tree.
    fn add_newton(
        &self,
        tree: usize,
        statistics: &mut [TreeStatistics],
        leaves: &[u32],
        order: &[usize],
    ) {
        let order = &self.rows_of(tree, order)[..];
        let fits = self.fit.newton_fits(tree);
        if fits.iter().all(|output| output.fit.is_finished) {
            return;
        }
        let basis = self.fit.basis(tree);
        let (leaf, raw) = self.cells_of(basis, leaves, order);
        let weight: Vec<f64> = order.iter().map(|&row| self.weight[row]).collect();
        let outputs = self.fit.outputs().of_tree(tree);
        for ((sums, output), fit) in statistics.iter_mut().zip(outputs).zip(fits) {
            let y = independent_response(&self.response, self.fit.n_outputs, output);
            let response: Vec<f64> = order.iter().map(|&row| y[row]).collect();
            let rows = NewtonRows { leaf: &leaf, weight: &weight, response: &response, raw: &raw };
            fit.add(basis, self.fit.glm.family, &rows, sums);
        }
    }

    /// Those of some rows that a tree is fitted on.
    fn rows_of<'o>(&self, tree: usize, order: &'o [usize]) -> Cow<'o, [usize]> {
        match self.fit.known.as_ref().and_then(|known| known.deal) {
            None => order.into(),
            Some(deal) => {
                let gets = |row: &usize| deal.gives(tree, self.hashes[*row]);
                order.iter().copied().filter(gets).collect()
            }
        }
    }

    /// The leaves of some rows of a tree, and their raw cells row by row.
    fn cells_of(&self, basis: &Basis, leaves: &[u32], order: &[usize]) -> (Vec<u32>, Vec<f64>) {
        let leaf = (order.iter())
            .map(|&row| basis.stumps.leaf_of_tree_node[leaves[row] as usize])
            .collect();
        let width = basis.raw.len();
        let mut raw = vec![0.0; order.len() * width];
        for (cells, &row) in raw.chunks_exact_mut(width.max(1)).zip(order) {
            for (cell, column) in cells.iter_mut().zip(&basis.raw) {
                *cell = column.value(self.x.get(row, column.feature as usize));
            }
        }
        (leaf, raw)
    }

    fn add_tree(
        &self,
        tree: usize,
        statistics: &mut [TreeStatistics],
        leaves: &[u32],
        aims: &Aims<'_>,
        order: &[usize],
    ) {
        let order = &self.rows_of(tree, order)[..];
        let basis = self.fit.basis(tree);
        let (leaf, raw) = self.cells_of(basis, leaves, order);
        let width = basis.raw.len();
        for (statistics, output) in statistics.iter_mut().zip(self.fit.outputs().of_tree(tree)) {
            let Aim { z, weight, grown, grown_weight } = aims.of(tree, output);
            let times = |extra: &Option<Vec<f64>>, row: usize| {
                self.weight[row] * extra.as_ref().map_or(1.0, |extra| extra[row])
            };
            for (&row, &leaf) in order.iter().zip(&leaf) {
                let w = times(&grown_weight, row);
                let sums = &mut statistics.grown[leaf as usize];
                sums[0] += w;
                sums[1] += w * grown[row];
            }
            if !statistics.response.is_empty() {
                let centre = self.fit.centre(output);
                for (&row, &leaf) in order.iter().zip(&leaf) {
                    let y = response_at(&self.response, self.fit.n_outputs, output, row);
                    let sums = &mut statistics.response[leaf as usize];
                    sums[0] += self.weight[row];
                    sums[1] += self.weight[row] * (y - centre);
                }
            }
            let weights: Vec<f64> = order.iter().map(|&row| times(&weight, row)).collect();
            let targets: Vec<f64> = order.iter().map(|&row| z[row]).collect();
            let mut start = 0;
            for (fold, statistics) in statistics.folds.iter_mut().enumerate() {
                let n = order[start..].partition_point(|&row| self.fold[row] as usize <= fold);
                let rows = start..start + n;
                let cells = &raw[rows.start * width..rows.end * width];
                statistics.update(
                    &leaf[rows.clone()],
                    &weights[rows.clone()],
                    &targets[rows],
                    cells,
                );
                start += n;
            }
        }
    }
}
