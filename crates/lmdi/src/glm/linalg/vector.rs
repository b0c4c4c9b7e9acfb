//! Sums and updates over slices with a fixed order of additions, and lanes.
//!
//! A [`Lanes`] holds the same quantity of `N` problems over the same columns, such as the training
//! rows of several folds; every operation works on all of them at once. The compiler turns a loop
//! over lanes, or over the eight partial sums of [`dot`], into vector instructions of the
//! processor's width. The order of additions, and so every bit of the result, is the same for all
//! widths.

/// One number for each of `N` problems of a batch.
pub type Lanes<const N: usize> = [f64; N];

const PARTIAL_SUMS: usize = 8;

/// Sum of products.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let mut sums = [0.0_f64; PARTIAL_SUMS];
    let (a_chunks, a_rest) = a.as_chunks::<PARTIAL_SUMS>();
    let (b_chunks, b_rest) = b.as_chunks::<PARTIAL_SUMS>();
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for i in 0..PARTIAL_SUMS {
            sums[i] += x[i] * y[i];
        }
    }
    let mut rest = 0.0;
    for (x, y) in a_rest.iter().zip(b_rest) {
        rest += x * y;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    (((a + e) + (b + f)) + ((c + g) + (d + h))) + rest
}

/// The sum, in the order of [`dot`].
#[inline(always)]
pub(crate) fn sum(a: &[f64]) -> f64 {
    let mut sums = [0.0_f64; PARTIAL_SUMS];
    let (chunks, rest) = a.as_chunks::<PARTIAL_SUMS>();
    for x in chunks {
        for i in 0..PARTIAL_SUMS {
            sums[i] += x[i];
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    (((a + e) + (b + f)) + ((c + g) + (d + h))) + rest.iter().sum::<f64>()
}

/// `y += factor * x`.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    assert_eq!(y.len(), x.len());
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

/// Applies `f` lane by lane.
#[inline(always)]
pub(crate) fn per_lane<const N: usize>(mut f: impl FnMut(usize) -> f64) -> Lanes<N> {
    let mut out = [0.0; N];
    for (lane, value) in out.iter_mut().enumerate() {
        *value = f(lane);
    }
    out
}

/// The number of a lane: its own, or the one that all lanes share.
#[inline(always)]
pub(crate) fn of_lane<const H: usize>(numbers: &Lanes<H>, lane: usize) -> f64 {
    numbers[lane % H]
}

/// Numbers of `H` lanes, which the others share, as those of `N`.
#[inline(always)]
pub(crate) fn spread<const H: usize, const N: usize>(numbers: &Lanes<H>) -> Lanes<N> {
    per_lane(|lane| of_lane(numbers, lane))
}

/// Columns handled together by the products below, so that lanes are loaded once for all of them.
pub(crate) const COLUMNS: usize = 4;

/// Called in every turn of a loop over rows, keeps the compiler from taking several turns at once: it
/// would shuffle each lane of several rows into a vector, although the lanes of a row are one.
#[inline(always)]
pub(crate) fn row_by_row<const N: usize>() {
    if N > 1 {
        std::hint::black_box(());
    }
}

/// Rows handled together: those of four lanes fill the widest vectors.
const ROWS: usize = 2;

/// `out[k] -= sum_i lanes[i] * column_k[i]` for consecutive columns of length `lanes.len()`.
#[inline(always)]
pub(crate) fn subtract_products<const H: usize, const N: usize>(
    out: &mut [Lanes<N>],
    lanes: &[Lanes<N>],
    columns: &[Lanes<H>],
) {
    let n = lanes.len();
    let (blocks, rest) = out.as_chunks_mut::<COLUMNS>();
    let done = blocks.len() * COLUMNS;
    for (block, out) in blocks.iter_mut().enumerate() {
        let column = |at: usize| &columns[(block * COLUMNS + at) * n..][..n];
        subtract_block(out, lanes, std::array::from_fn(column));
    }
    for (k, out) in rest.iter_mut().enumerate() {
        let column = &columns[(done + k) * n..(done + k + 1) * n];
        subtract_block(std::array::from_mut(out), lanes, [column]);
    }
}

/// The same for `K` columns, so that lanes are loaded once for all of them.
#[inline(always)]
pub(crate) fn subtract_block<const H: usize, const N: usize, const K: usize>(
    out: &mut [Lanes<N>; K],
    lanes: &[Lanes<N>],
    columns: [&[Lanes<H>]; K],
) {
    let (pairs, rest) = lanes.as_chunks::<ROWS>();
    let block = columns.map(|column| column[..lanes.len()].as_chunks::<ROWS>());
    let mut sums = [[[0.0; N]; ROWS]; K];
    for (i, values) in pairs.iter().enumerate() {
        for j in 0..K {
            let x = &block[j].0[i];
            for row in 0..ROWS {
                for lane in 0..N {
                    sums[j][row][lane] += values[row][lane] * of_lane(&x[row], lane);
                }
            }
        }
    }
    if let [value] = rest {
        for j in 0..K {
            let x = &block[j].1[0];
            for lane in 0..N {
                sums[j][0][lane] += value[lane] * of_lane(x, lane);
            }
        }
    }
    for j in 0..K {
        let [even, odd] = sums[j];
        for lane in 0..N {
            out[j][lane] -= even[lane] + odd[lane];
        }
    }
}

/// `lanes[i] -= sum_k steps[k] * column_{index[k]}[i]` for columns of length `lanes.len()`.
#[inline(always)]
pub(crate) fn subtract_columns<const H: usize, const N: usize>(
    lanes: &mut [Lanes<N>],
    index: &[usize],
    steps: &[Lanes<N>],
    columns: &[Lanes<H>],
) {
    let n = lanes.len();
    let column = |k: usize| &columns[k * n..(k + 1) * n];
    let mut at = 0;
    while at + COLUMNS <= index.len() {
        let block: [&[Lanes<H>]; COLUMNS] = std::array::from_fn(|j| column(index[at + j]));
        let step: [Lanes<N>; COLUMNS] = std::array::from_fn(|j| steps[at + j]);
        for i in 0..n {
            let mut sum = [0.0; N];
            for j in 0..COLUMNS {
                let x = block[j][i];
                for lane in 0..N {
                    sum[lane] += step[j][lane] * of_lane(&x, lane);
                }
            }
            for lane in 0..N {
                lanes[i][lane] -= sum[lane];
            }
            row_by_row::<N>();
        }
        at += COLUMNS;
    }
    for at in at..index.len() {
        let x = column(index[at]);
        let step = steps[at];
        for i in 0..n {
            for lane in 0..N {
                lanes[i][lane] -= step[lane] * of_lane(&x[i], lane);
            }
            row_by_row::<N>();
        }
    }
}

/// Sums of products of every one of some columns with every one of others, over `n` numbers each.
#[inline(always)]
pub(crate) fn products<const N: usize>(
    by: [&[Lanes<N>]; COLUMNS],
    of: [&[Lanes<N>]; COLUMNS],
    n: usize,
) -> [[Lanes<N>; COLUMNS]; COLUMNS] {
    let (by, of) = (by.map(|column| &column[..n]), of.map(|column| &column[..n]));
    let [mut a, mut b, mut c, mut d] = [[[0.0; N]; COLUMNS]; COLUMNS];
    for i in 0..n {
        let x = of.map(|column| column[i]);
        add_products(&mut a, &by[0][i], &x);
        add_products(&mut b, &by[1][i], &x);
        add_products(&mut c, &by[2][i], &x);
        add_products(&mut d, &by[3][i], &x);
    }
    [a, b, c, d]
}

/// `sums[j] += by * x[j]`.
#[inline(always)]
pub(crate) fn add_products<const N: usize>(
    sums: &mut [Lanes<N>; COLUMNS],
    by: &Lanes<N>,
    x: &[Lanes<N>; COLUMNS],
) {
    for j in 0..COLUMNS {
        for lane in 0..N {
            sums[j][lane] += by[lane] * x[j][lane];
        }
    }
}
