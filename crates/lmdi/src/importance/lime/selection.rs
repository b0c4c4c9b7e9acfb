//! Choosing the columns of a local model if their number is limited, with lime's strategies.

use crate::importance::moments::Moments;
use crate::named::Named;

/// How the columns of a local model are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// Forward selection for up to 6 columns, else the highest weights.
    #[default]
    Auto,
    /// All columns, regardless of the limit.
    None,
    /// Those with the largest |slope| in a ridge regression (alpha 0.01) on all.
    HighestWeights,
    /// One after another, each time the one that explains most.
    ForwardSelection,
    /// Those of the largest model within the limit along the lasso path, from its end.
    LassoPath,
}

impl Named for Selection {
    const PARAMETER: &'static str = "feature_selection";
    const ALL: &'static [Self] =
        &[Self::Auto, Self::None, Self::HighestWeights, Self::ForwardSelection, Self::LassoPath];

    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::HighestWeights => "highest-weights",
            Self::ForwardSelection => "forward-selection",
            Self::LassoPath => "lasso-path",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Auto => "Forward selection for up to 6 columns, else the highest weights",
            Self::None => "All columns, regardless of the limit",
            Self::HighestWeights => "The largest slopes in a regression on all columns",
            Self::ForwardSelection => "One after another, each time the one that explains most",
            Self::LassoPath => "Those of the lasso path",
        }
    }
}

/// Penalty of the regression that ranks columns by weight.
const RANKING_ALPHA: f64 = 0.01;

/// Up to this many columns, [`Selection::Auto`] selects forward.
const FEW: usize = 6;

/// Spread that is left of a column, as a share of what it had, below which it depends on others.
const DEPENDENT: f64 = 1e-10;

/// The chosen columns, in the order in which they were chosen.
pub(super) fn choose(
    moments: &Moments,
    output: usize,
    selection: Selection,
    most: usize,
) -> Vec<usize> {
    let all: Vec<usize> = (0..moments.n_columns()).collect();
    match selection {
        Selection::None => all,
        Selection::Auto if most <= FEW => forward(moments, output, most),
        Selection::Auto | Selection::HighestWeights if most >= all.len() => all,
        Selection::Auto | Selection::HighestWeights => {
            let slopes = moments.ridge(&all, output, RANKING_ALPHA).slopes;
            let mut order = all;
            order.sort_by(|&a, &b| slopes[b].abs().total_cmp(&slopes[a].abs()).then(a.cmp(&b)));
            order.truncate(most);
            order
        }
        Selection::ForwardSelection => forward(moments, output, most),
        Selection::LassoPath => lasso_path(moments, output, most),
    }
}

/// Least squares, one column after the other. A chosen column is swept out of the rest, so that the gain
/// of column j is always (its product with what is left of the response)^2 / (what is left of it).
fn forward(moments: &Moments, output: usize, most: usize) -> Vec<usize> {
    let p = moments.n_columns();
    let mut gram = moments.gram.clone();
    let mut cross = moments.cross_of(output).to_vec();
    let mut chosen = Vec::new();
    let mut free: Vec<usize> = (0..p).collect();
    while chosen.len() < most && !free.is_empty() {
        let gain = |&j: &usize| {
            let left = gram[j * p + j];
            if left > DEPENDENT * moments.product(j, j) { cross[j] * cross[j] / left } else { 0.0 }
        };
        let mut best = 0;
        for at in 1..free.len() {
            if gain(&free[at]) > gain(&free[best]) {
                best = at;
            }
        }
        let j = free.remove(best);
        chosen.push(j);
        let pivot = gram[j * p + j];
        if pivot <= DEPENDENT * moments.product(j, j) {
            continue;
        }
        for &a in &free {
            let share = gram[a * p + j] / pivot;
            cross[a] -= share * cross[j];
            for &b in &free {
                gram[a * p + b] -= share * gram[j * p + b];
            }
        }
    }
    chosen
}

/// The columns with a slope at the last point of the lasso path that has at most `most` of them.
fn lasso_path(moments: &Moments, output: usize, most: usize) -> Vec<usize> {
    let path = lasso_active_sets(moments, output);
    let fits = path.iter().rev().find(|active| active.len() <= most);
    fits.cloned().unwrap_or_default()
}

/// The columns with a slope at every corner of the lasso path, by least-angle regression: all active
/// columns keep the same product with the residual, until another column reaches it or a slope of an
/// active one becomes zero.
fn lasso_active_sets(moments: &Moments, output: usize) -> Vec<Vec<usize>> {
    let p = moments.n_columns();
    let mut slope = vec![0.0; p];
    let mut product = moments.cross_of(output).to_vec();
    let mut active: Vec<usize> = Vec::new();
    let mut usable: Vec<bool> = (0..p).map(|j| moments.product(j, j) > 0.0).collect();
    let largest = product.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let mut level = largest;
    let mut dropped = None;
    let mut corners = Vec::new();
    for _ in 0..8 * p.max(1) {
        if level <= 1e-12 * largest || largest == 0.0 {
            break;
        }
        if dropped.is_none() {
            let next = (0..p)
                .filter(|j| usable[*j] && !active.contains(j))
                .max_by(|&a, &b| product[a].abs().total_cmp(&product[b].abs()).then(b.cmp(&a)));
            match next {
                Some(j) if independent(moments, &active, j) => active.push(j),
                Some(j) => {
                    usable[j] = false;
                    continue;
                }
                None if active.is_empty() => break,
                None => {}
            }
        }
        let signs: Vec<f64> = active.iter().map(|&j| product[j].signum()).collect();
        let direction = solve(moments, &active, &signs);
        // What a step of one takes off each product; off the active ones it takes their sign.
        let falls: Vec<f64> = (0..p)
            .map(|j| active.iter().zip(&direction).map(|(&a, d)| moments.product(j, a) * d).sum())
            .collect();
        let mut step = level;
        for j in (0..p).filter(|j| usable[*j] && !active.contains(j) && dropped != Some(*j)) {
            for (gap, closing) in
                [(level - product[j], 1.0 - falls[j]), (level + product[j], 1.0 + falls[j])]
            {
                if closing > 1e-12 && gap >= 0.0 {
                    step = step.min(gap / closing);
                }
            }
        }
        let mut leaving = None;
        for (at, (&j, d)) in active.iter().zip(&direction).enumerate() {
            let until_zero = -slope[j] / d;
            if slope[j] != 0.0 && until_zero > 0.0 && until_zero < step {
                step = until_zero;
                leaving = Some(at);
            }
        }
        for (&j, d) in active.iter().zip(&direction) {
            slope[j] += step * d;
        }
        for (product, fall) in product.iter_mut().zip(&falls) {
            *product -= step * fall;
        }
        level -= step;
        dropped = leaving.map(|at| active.remove(at));
        if let Some(j) = dropped {
            slope[j] = 0.0;
        }
        let mut corner = active.clone();
        corner.sort_unstable();
        corners.push(corner);
    }
    corners
}

/// Whether column `j` has spread of its own beside the active ones.
fn independent(moments: &Moments, active: &[usize], j: usize) -> bool {
    let products: Vec<f64> = active.iter().map(|&a| moments.product(a, j)).collect();
    let explained: f64 =
        solve(moments, active, &products).iter().zip(&products).map(|(s, g)| s * g).sum();
    moments.product(j, j) - explained > DEPENDENT * moments.product(j, j)
}

/// Solves the Gram matrix of the active columns for a right-hand side.
fn solve(moments: &Moments, active: &[usize], right_side: &[f64]) -> Vec<f64> {
    let q = active.len();
    let mut lower = vec![0.0; q * q];
    for (i, &a) in active.iter().enumerate() {
        for (j, &b) in active[..=i].iter().enumerate() {
            lower[i * q + j] = moments.product(a, b);
        }
    }
    let largest = active.iter().map(|&a| moments.product(a, a)).fold(0.0, f64::max);
    let factor = crate::glm::Cholesky::new(lower, q, 1e-14 * largest);
    let mut solution = right_side.to_vec();
    factor.solve_lower(&mut solution);
    factor.solve_upper(&mut solution);
    solution
}
