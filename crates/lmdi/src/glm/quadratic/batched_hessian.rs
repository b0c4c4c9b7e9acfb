//! The Hessians of several problems over the same columns, in one batch.
//!
//! Lane `i` holds a [`Hessian`] of its own rows, such as the training rows of one fold. The columns
//! may be all of a basis or, after [`BatchedHessian::reduce_into`], what a [`Reduction`] left of
//! them. Lanes of the same rows, under other penalties, share one Hessian of all columns.

use crate::basis::Stumps;
use crate::forest::NONE;
use crate::glm::linalg::vector::{Lanes, of_lane, per_lane, spread};
use crate::glm::quadratic::hessian::Hessian;
use crate::glm::quadratic::leaf_sums::{LeafSums, Parts};
use crate::glm::quadratic::reduction::{Nesting, Reduction};
use crate::vectorised::{Vectorised, vectorised};

/// What coordinate descent reads of `N` quadratics.
#[derive(Debug, Clone)]
pub struct BatchedHessian<const N: usize> {
    pub(crate) nesting: Nesting,
    /// Total weights.
    pub(crate) total: Lanes<N>,
    /// Sum of weights of every node, splits first, then leaves.
    pub(crate) node_weight: Vec<Lanes<N>>,
    /// Sum of each stump column.
    pub(crate) stump_sum: Vec<Lanes<N>>,
    /// Sum of squares of each stump column.
    pub(crate) stump_square: Vec<Lanes<N>>,
    /// Sum of w x_k per leaf, raw column by raw column.
    pub(crate) raw_leaf: LeafSums<N>,
    /// Mean of each raw column.
    pub(crate) raw_mean: Vec<Lanes<N>>,
    /// Centred raw Gram matrix, row-major, both triangles.
    pub(crate) raw_gram: Vec<Lanes<N>>,
}

impl<const N: usize> BatchedHessian<N> {
    /// All columns of problems over the same basis.
    pub fn new(each: [&Hessian<'_>; N]) -> Self {
        let first = each[0];
        let gather = |len: usize, of: &dyn Fn(usize, usize) -> f64| -> Vec<Lanes<N>> {
            (0..len).map(|i| per_lane(|lane| of(lane, i))).collect()
        };
        let mut node_weight = vec![[0.0; N]; first.stumps.left.len()];
        node_weight.extend(gather(first.leaf_weight().len(), &|lane, leaf| {
            each[lane].leaf_weight()[leaf]
        }));
        let mut hessians = Self {
            nesting: Nesting::of(first.stumps),
            total: per_lane(|lane| each[lane].total),
            node_weight,
            raw_leaf: LeafSums::gather(each.map(|hessian| &hessian.raw_leaf)),
            raw_mean: gather(first.raw_mean.len(), &|lane, k| each[lane].raw_mean[k]),
            raw_gram: gather(first.raw_gram.len(), &|lane, i| each[lane].raw_gram[i]),
            ..Self::empty()
        };
        hessians.sum_upwards();
        hessians
    }

    /// No columns.
    pub(crate) fn empty() -> Self {
        Self {
            nesting: Nesting::default(),
            total: [0.0; N],
            node_weight: Vec::new(),
            stump_sum: Vec::new(),
            stump_square: Vec::new(),
            raw_leaf: LeafSums::default(),
            raw_mean: Vec::new(),
            raw_gram: Vec::new(),
        }
    }

    /// From the weights of the leaves to those of the splits and the sums of the stumps.
    fn sum_upwards(&mut self) {
        let Self { nesting, node_weight, stump_sum, stump_square, .. } = self;
        let m = nesting.n_splits();
        refill(stump_sum, m);
        refill(stump_square, m);
        for split in (0..m).rev() {
            let left = node_weight[nesting.left[split] as usize];
            let right = node_weight[nesting.right[split] as usize];
            let (a, b) = (nesting.left_value[split], nesting.right_value[split]);
            node_weight[split] = per_lane(|lane| left[lane] + right[lane]);
            stump_sum[split] = per_lane(|lane| a * left[lane] + b * right[lane]);
            stump_square[split] = per_lane(|lane| a * a * left[lane] + b * b * right[lane]);
        }
    }

    /// Puts the columns that are left into `out`, whose memory is used again. A Hessian that lanes
    /// share is spread to all of them. Cost: leaves x raw columns left.
    pub(crate) fn reduce_into<const M: usize>(
        &self,
        reduction: &Reduction,
        out: &mut BatchedHessian<M>,
    ) {
        let (r, n_leaves) = (self.n_raw(), reduction.nesting.n_leaves());
        let raw = &reduction.raw;
        let BatchedHessian { nesting, total, node_weight, raw_leaf, raw_mean, raw_gram, .. } = out;
        nesting.clone_from(&reduction.nesting);
        *total = spread(&self.total);
        let m = nesting.n_splits();
        refill(node_weight, m + n_leaves);
        reduction.add_leaves([self.leaf_weight()], [&mut node_weight[m..]]);
        let sums = raw_leaf.refill(raw.len(), n_leaves);
        self.add_raw(reduction, &node_weight[m..], sums);
        raw_mean.clear();
        raw_mean.extend(raw.iter().map(|&k| spread::<N, M>(&self.raw_mean[k])));
        raw_gram.clear();
        for &j in raw {
            raw_gram.extend(raw.iter().map(|&k| spread::<N, M>(&self.raw_gram[j * r + k])));
        }
        out.sum_upwards();
    }

    /// Adds the sums of the raw columns that are left, whose leaves have these weights.
    fn add_raw<const M: usize>(
        &self,
        reduction: &Reduction,
        weight: &[Lanes<M>],
        sums: &mut [Lanes<M>],
    ) {
        let mut waiting: Vec<(&[Lanes<N>], &mut [Lanes<M>])> = Vec::new();
        for (sums, &k) in sums.chunks_exact_mut(weight.len()).zip(&reduction.raw) {
            match self.raw_leaf.parts(k) {
                Parts::Dense(whole) => waiting.push((whole, sums)),
                Parts::Sparse { mode, leaves, sums: added } => {
                    for (sum, weight) in sums.iter_mut().zip(weight) {
                        *sum = weight.map(|weight| mode * weight);
                    }
                    for (&leaf, added) in leaves.iter().zip(added) {
                        let into = &mut sums[reduction.leaf[leaf as usize] as usize];
                        for lane in 0..M {
                            into[lane] += of_lane(added, lane);
                        }
                    }
                }
            }
        }
        let (fours, rest) = waiting.as_chunks_mut::<ADDED_TOGETHER>();
        for [a, b, c, d] in fours {
            let whole = [a.0, b.0, c.0, d.0];
            reduction.add_leaves(whole, [&mut *a.1, &mut *b.1, &mut *c.1, &mut *d.1]);
        }
        for (whole, sums) in rest {
            reduction.add_leaves([whole], [sums]);
        }
    }

    /// Number of stump columns.
    pub fn n_splits(&self) -> usize {
        self.nesting.n_splits()
    }

    /// Number of raw columns.
    pub fn n_raw(&self) -> usize {
        self.raw_mean.len()
    }

    pub(crate) fn leaf_weight(&self) -> &[Lanes<N>] {
        &self.node_weight[self.n_splits()..]
    }

    /// Sums of `constant[l] * w_l` over leaves.
    #[inline(always)]
    pub(crate) fn along_weight<const M: usize>(&self, constant: &[Lanes<M>]) -> Lanes<M> {
        let mut sum = [0.0; M];
        for (constant, weight) in constant.iter().zip(self.leaf_weight()) {
            for lane in 0..M {
                sum[lane] += constant[lane] * of_lane(weight, lane);
            }
        }
        sum
    }

    /// The part of the linear predictor that is constant on each leaf: `intercept` and the stumps.
    pub(crate) fn leaf_offsets<const M: usize>(
        &self,
        intercept: Lanes<M>,
        stump: &[Lanes<M>],
    ) -> Vec<Lanes<M>> {
        let m = self.n_splits();
        let mut node = vec![intercept; m + self.nesting.n_leaves()];
        for split in 0..m {
            let (above, slope) = (node[split], stump[split]);
            let (a, b) = (self.nesting.left_value[split], self.nesting.right_value[split]);
            node[self.nesting.left[split] as usize] =
                per_lane(|lane| above[lane] + slope[lane] * a);
            node[self.nesting.right[split] as usize] =
                per_lane(|lane| above[lane] + slope[lane] * b);
        }
        node.drain(..m);
        node
    }
}

impl BatchedHessian<1> {
    /// The Hessian alone, over the same columns.
    pub(crate) fn into_single(self, stumps: &Stumps) -> Hessian<'_> {
        Hessian {
            stumps,
            total: self.total[0],
            node_weight: self.node_weight.into_flattened(),
            stump_square: self.stump_square.into_flattened(),
            raw_leaf: self.raw_leaf,
            raw_mean: self.raw_mean.into_flattened(),
            raw_gram: self.raw_gram.into_flattened(),
        }
    }
}

/// Zeros, in the memory that is there.
fn refill<const N: usize>(lanes: &mut Vec<Lanes<N>>, len: usize) {
    lanes.clear();
    lanes.resize(len, [0.0; N]);
}

impl Reduction {
    /// Sums per leaf of the whole tree, as sums per leaf that is left.
    pub(crate) fn sum_leaves<const H: usize, const N: usize>(
        &self,
        whole: &[Lanes<H>],
    ) -> Vec<Lanes<N>> {
        let mut sums = vec![[0.0; N]; self.nesting.n_leaves()];
        self.add_leaves([whole], [&mut sums]);
        sums
    }

    /// Adds several columns at a time.
    fn add_leaves<const H: usize, const N: usize, const K: usize>(
        &self,
        whole: [&[Lanes<H>]; K],
        sums: [&mut [Lanes<N>]; K],
    ) {
        vectorised(AddLeaves { into: &self.leaf, whole, sums });
    }

    /// Values per stump of the whole tree, as values per stump that is left; zero for joints.
    pub(crate) fn choose_stumps<const H: usize, const N: usize>(
        &self,
        whole: &[Lanes<H>],
    ) -> Vec<Lanes<N>> {
        let of =
            |&split: &u32| if split == NONE { [0.0; N] } else { spread(&whole[split as usize]) };
        self.split.iter().map(of).collect()
    }

    /// Values per raw column, as values per raw column that is left.
    pub(crate) fn choose_raw<const H: usize, const N: usize>(
        &self,
        whole: &[Lanes<H>],
    ) -> Vec<Lanes<N>> {
        self.raw.iter().map(|&k| spread(&whole[k])).collect()
    }
}

/// Columns added together. Leaves that fall together often follow one another, so that each
/// addition waits for the one before; additions of other columns fill the wait.
const ADDED_TOGETHER: usize = 4;

/// `sums[k][into[i]] += whole[k][i]` for every column k.
struct AddLeaves<'t, const H: usize, const N: usize, const K: usize> {
    into: &'t [u32],
    whole: [&'t [Lanes<H>]; K],
    sums: [&'t mut [Lanes<N>]; K],
}

impl<const H: usize, const N: usize, const K: usize> Vectorised for AddLeaves<'_, H, N, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { into, whole, sums } = self;
        for (leaf, &into) in into.iter().enumerate() {
            for k in 0..K {
                let value = whole[k][leaf];
                let sum = &mut sums[k][into as usize];
                for lane in 0..N {
                    sum[lane] += of_lane(&value, lane);
                }
            }
        }
    }
}
