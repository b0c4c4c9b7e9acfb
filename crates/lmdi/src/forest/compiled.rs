//! One tree compiled for walking: the arrays behind [`Router`](super::routing::Router).
//!
//! A compiled tree is one array of small nodes in which the two children of a node are neighbours,
//! the left one first, so a step is `left + (goes right as 0 or 1)`. A leaf is its own left child
//! and sends everything left, which lets several rows step together until none of them moves.
//!
//! Walking waits for memory most of the time, so nodes are as small as they can be: where column
//! and child fit one 32-bit word ([`Packed`]) a node of a tree that compares 32-bit cells takes 8
//! bytes. Trees with more columns or nodes than that take the [`Wide`] form.
//!
//! Rows go down in two stages. First all of them take as many steps as most of them need, without
//! a look at whether any has arrived. Those that have not are then listed and take a few steps at
//! a time, until the list is empty: rows that have arrived cost no more steps, and no branch depends on
//! where a row goes.

use super::path_amounts::PathAmounts;
use super::{Comparison, Missing, NONE, Tree};
use std::fmt::Debug;

/// Rows that step together.
pub(crate) const LANES: usize = 8;

/// Rows that are walked down before the next ones are looked at.
const ROWS: usize = 32 * LANES;

/// Share of the training weight that may reach its leaf within the steps that all rows take.
const EARLY: f64 = 0.1;

/// Steps between two lists of the rows that have not arrived.
const STEPS: usize = 4;

/// A cell in the width in which a tree compares it.
pub(super) trait Cell: Copy + Debug + PartialOrd + Send + Sync {
    const HIGHEST: Self;
    /// The largest cell that is not above the threshold.
    fn at_most(threshold: f64) -> Self;
    /// The largest cell below the threshold.
    fn below(threshold: f64) -> Self;
    fn is_missing(self) -> bool;
}

impl Cell for f32 {
    const HIGHEST: f32 = f32::INFINITY;

    fn at_most(threshold: f64) -> f32 {
        let nearest = threshold as f32;
        if f64::from(nearest) > threshold { nearest.next_down() } else { nearest }
    }

    fn below(threshold: f64) -> f32 {
        let nearest = threshold as f32;
        if f64::from(nearest) >= threshold { nearest.next_down() } else { nearest }
    }

    fn is_missing(self) -> bool {
        self.is_nan()
    }
}

impl Cell for f64 {
    const HIGHEST: f64 = f64::INFINITY;

    fn at_most(threshold: f64) -> f64 {
        threshold
    }

    fn below(threshold: f64) -> f64 {
        threshold.next_down()
    }

    fn is_missing(self) -> bool {
        self.is_nan()
    }
}

/// What a node says beside its threshold: its column, its left child, and whether missing cells go
/// right.
trait Link: Copy + Debug + Send + Sync {
    /// Columns and nodes that fit.
    const MAX_FEATURES: usize;
    const MAX_NODES: usize;
    fn new(feature: u32, left: u32, missing_right: bool) -> Self;
    /// Where the column's cells begin in a group of [`LANES`] rows.
    fn offset(self) -> usize;
    fn left(self) -> u32;
    fn missing_right(self) -> bool;
}

/// From the low bits up: whether missing cells go right, column, left child. The column stands where masking it gives
/// its offset.
#[derive(Debug, Clone, Copy)]
struct Packed(u32);

const FEATURE_BITS: u32 = 10;
const FEATURE_SHIFT: u32 = LANES.ilog2();
const LEFT_SHIFT: u32 = FEATURE_SHIFT + FEATURE_BITS;

impl Link for Packed {
    const MAX_FEATURES: usize = 1 << FEATURE_BITS;
    const MAX_NODES: usize = 1 << (u32::BITS - LEFT_SHIFT);

    fn new(feature: u32, left: u32, missing_right: bool) -> Self {
        Self(left << LEFT_SHIFT | feature << FEATURE_SHIFT | u32::from(missing_right))
    }

    #[inline]
    fn offset(self) -> usize {
        (self.0 & (((1 << FEATURE_BITS) - 1) << FEATURE_SHIFT)) as usize
    }

    #[inline]
    fn left(self) -> u32 {
        self.0 >> LEFT_SHIFT
    }

    #[inline]
    fn missing_right(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Two words; the highest bit of `feature` tells that missing cells go right.
#[derive(Debug, Clone, Copy)]
struct Wide {
    feature: u32,
    left: u32,
}

const WIDE_MISSING_RIGHT: u32 = 1 << 31;

impl Link for Wide {
    const MAX_FEATURES: usize = 1 << 31;
    const MAX_NODES: usize = u32::MAX as usize;

    fn new(feature: u32, left: u32, missing_right: bool) -> Self {
        let flag = if missing_right { WIDE_MISSING_RIGHT } else { 0 };
        Self { feature: feature | flag, left }
    }

    #[inline]
    fn offset(self) -> usize {
        (self.feature & !WIDE_MISSING_RIGHT) as usize * LANES
    }

    #[inline]
    fn left(self) -> u32 {
        self.left
    }

    #[inline]
    fn missing_right(self) -> bool {
        self.feature & WIDE_MISSING_RIGHT != 0
    }
}

/// A compiled tree that compares cells of type `C`. Cells lie as in a [`Block`](super::routing::Block).
pub(super) trait Walk<C>: Debug + Send + Sync {
    /// The positions of the leaves that rows of `width` cells reach; `has_missing` if any cell is
    /// missing.
    fn leaves(&self, cells: &[[C; LANES]], width: usize, has_missing: bool, out: &mut [u32]);

    /// The same, while the amounts of the nodes on the way are added to `sums`.
    fn add_along(
        &self,
        cells: &[[C; LANES]],
        width: usize,
        has_missing: bool,
        amounts: &PathAmounts,
        sums: &mut [f64],
        out: &mut [u32],
    );

    /// Follows the row whose cells begin at `start`; see [`Router::walk`](super::routing::Router::walk).
    fn follow(&self, cells: &[C], start: usize, visit: &mut dyn FnMut(u32, bool)) -> u32;

    /// The node index of each position.
    fn original(&self) -> &[u32];
}

/// Compiles a tree; `None` unless every split is numeric, with NaN the only missing value and with
/// a cell that is not above its threshold.
pub(super) fn compile<C: Cell + 'static>(tree: &Tree) -> Option<Box<dyn Walk<C>>> {
    let splits = || (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node));
    let plain = splits().all(|node| {
        tree.category_set[node] == NONE
            && matches!(tree.missing[node], Missing::Left | Missing::Right)
            && tree.threshold[node] > f64::NEG_INFINITY
    });
    let n_features = splits().map(|node| tree.feature[node] as usize + 1).max().unwrap_or(0);
    if plain && n_features <= Packed::MAX_FEATURES && tree.n_nodes() <= Packed::MAX_NODES {
        Some(Box::new(Compiled::<C, Packed>::new(tree)))
    } else if plain && n_features <= Wide::MAX_FEATURES && tree.n_nodes() <= Wide::MAX_NODES {
        Some(Box::new(Compiled::<C, Wide>::new(tree)))
    } else {
        None
    }
}

#[derive(Debug, Clone, Copy)]
struct Node<C, L> {
    threshold: C,
    link: L,
}

#[derive(Debug)]
struct Compiled<C, L> {
    nodes: Vec<Node<C, L>>,
    original: Vec<u32>,
    /// Steps that all rows take.
    shared_steps: usize,
}

impl<C: Cell, L: Link> Compiled<C, L> {
    fn new(tree: &Tree) -> Self {
        let blank = Node { threshold: C::HIGHEST, link: L::new(0, 0, false) };
        let mut nodes = vec![blank; tree.n_nodes()];
        let mut original = vec![0; tree.n_nodes()];
        let mut arrived = Arrivals::default();
        let mut next = 1;
        let mut waiting = vec![(0u32, 0usize, 0usize)];
        while let Some((position, node, depth)) = waiting.pop() {
            original[position as usize] = node as u32;
            let at = &mut nodes[position as usize];
            if tree.is_leaf(node) {
                at.link = L::new(0, position, false);
                arrived.count(depth, tree.weight[node]);
                continue;
            }
            at.threshold = match tree.comparison {
                Comparison::LessEqual => C::at_most(tree.threshold[node]),
                Comparison::Less => C::below(tree.threshold[node]),
            };
            at.link = L::new(tree.feature[node], next, tree.missing[node] == Missing::Right);
            // The child with more training rows is placed first, near its parent.
            let (left, right) = (tree.left[node] as usize, tree.right[node] as usize);
            let children = [(next, left, depth + 1), (next + 1, right, depth + 1)];
            let heavy = usize::from(tree.weight[right] > tree.weight[left]);
            waiting.push(children[1 - heavy]);
            waiting.push(children[heavy]);
            next += 2;
        }
        Self { nodes, original, shared_steps: arrived.shared_steps() }
    }

    /// The next position of the row whose cells begin at `start`, and a call of `enter` with the
    /// index of the cell that decided and the position entered: that of the root, which no row
    /// enters, if the row stays in its leaf. Without missing cells (`MISSING` false) one
    /// comparison decides.
    #[inline]
    fn step<const MISSING: bool>(
        &self,
        position: u32,
        cells: &[C],
        start: usize,
        enter: &mut impl FnMut(usize, u32),
    ) -> u32 {
        let Node { threshold, link } = self.nodes[position as usize];
        let cell = start + link.offset();
        let x = cells[cell];
        let mut right = x > threshold;
        if MISSING {
            right |= x.is_missing() & link.missing_right();
        }
        let next = link.left() + u32::from(right);
        enter(cell, if next == position { 0 } else { next });
        next
    }

    fn is_leaf(&self, position: u32) -> bool {
        self.nodes[position as usize].link.left() == position
    }

    fn descend<const MISSING: bool>(
        &self,
        cells: &[[C; LANES]],
        width: usize,
        out: &mut [u32],
        mut enter: impl FnMut(usize, u32),
    ) {
        if self.nodes.len() == 1 {
            out.fill(0);
            return;
        }
        let cells = cells.as_flattened();
        for (index, out) in out.chunks_mut(ROWS).enumerate() {
            let start = index * ROWS * width;
            let end = start + out.len().next_multiple_of(LANES) * width;
            let enter = |cell, position| enter(start + cell, position);
            self.descend_some::<MISSING>(&cells[start..end], width, out, enter);
        }
    }

    /// [`descend`](Self::descend) for at most [`ROWS`] rows.
    fn descend_some<const MISSING: bool>(
        &self,
        cells: &[C],
        width: usize,
        out: &mut [u32],
        mut enter: impl FnMut(usize, u32),
    ) {
        let mut positions = [0u32; ROWS];
        let (groups, _) = positions.as_chunks_mut::<LANES>();
        for (index, (group, cells)) in
            groups.iter_mut().zip(cells.chunks_exact(LANES * width)).enumerate()
        {
            let start = index * LANES * width;
            let mut enter = |cell, position| enter(start + cell, position);
            let mut at = [0u32; LANES];
            for _ in 0..self.shared_steps {
                for (lane, at) in at.iter_mut().enumerate() {
                    *at = self.step::<MISSING>(*at, cells, lane, &mut enter);
                }
            }
            *group = at;
        }

        let mut open = [0u16; ROWS];
        let mut n_open = 0;
        for (row, &position) in positions[..out.len()].iter().enumerate() {
            open[n_open] = row as u16;
            n_open += usize::from(!self.is_leaf(position));
        }
        // The last pair of children has no children of its own. Lanes without a row rest there.
        let resting = self.nodes.len() as u32 - 1;
        while n_open > 0 {
            let mut still_open = 0;
            for first in (0..n_open).step_by(LANES) {
                let n = LANES.min(n_open - first);
                let mut rows = [0usize; LANES];
                let mut at = [resting; LANES];
                for lane in 0..n {
                    rows[lane] = usize::from(open[first + lane]);
                    at[lane] = positions[rows[lane]];
                }
                let starts = rows.map(|row| row / LANES * LANES * width + row % LANES);
                for _ in 0..STEPS {
                    for (at, &start) in at.iter_mut().zip(&starts) {
                        *at = self.step::<MISSING>(*at, cells, start, &mut enter);
                    }
                }
                for (&row, &at) in rows.iter().zip(&at).take(n) {
                    positions[row] = at;
                    open[still_open] = row as u16;
                    still_open += usize::from(!self.is_leaf(at));
                }
            }
            n_open = still_open;
        }
        out.copy_from_slice(&positions[..out.len()]);
    }
}

/// How much training weight arrives at leaves after how many steps.
#[derive(Default)]
struct Arrivals {
    weight: Vec<f64>,
}

impl Arrivals {
    fn count(&mut self, steps: usize, weight: f64) {
        if self.weight.len() <= steps {
            self.weight.resize(steps + 1, 0.0);
        }
        // Trees of other libraries may not tell weights.
        self.weight[steps] += if weight > 0.0 { weight } else { f64::MIN_POSITIVE };
    }

    /// The most steps before which no more than the share [`EARLY`] has arrived.
    fn shared_steps(&self) -> usize {
        let allowed = EARLY * self.weight.iter().sum::<f64>();
        let mut arrived = 0.0;
        let early = self.weight.iter().take_while(|&&weight| {
            arrived += weight;
            arrived <= allowed
        });
        early.count()
    }
}

impl<C: Cell, L: Link> Walk<C> for Compiled<C, L> {
    fn leaves(&self, cells: &[[C; LANES]], width: usize, has_missing: bool, out: &mut [u32]) {
        if has_missing {
            self.descend::<true>(cells, width, out, |_, _| {});
        } else {
            self.descend::<false>(cells, width, out, |_, _| {});
        }
    }

    fn add_along(
        &self,
        cells: &[[C; LANES]],
        width: usize,
        has_missing: bool,
        amounts: &PathAmounts,
        sums: &mut [f64],
        out: &mut [u32],
    ) {
        match (amounts.of_one_output(), has_missing) {
            (Some(amounts), false) => self.descend::<false>(cells, width, out, |cell, position| {
                sums[cell] += amounts[position as usize];
            }),
            (Some(amounts), true) => self.descend::<true>(cells, width, out, |cell, position| {
                sums[cell] += amounts[position as usize];
            }),
            (None, _) => self.descend::<true>(cells, width, out, |cell, position| {
                amounts.add(cell, position, sums);
            }),
        }
    }

    fn follow(&self, cells: &[C], start: usize, visit: &mut dyn FnMut(u32, bool)) -> u32 {
        let mut at = 0;
        while !self.is_leaf(at) {
            let next = self.step::<true>(at, cells, start, &mut |_, _| {});
            let left = self.nodes[at as usize].link.left();
            visit(self.original[at as usize], next == left);
            at = next;
        }
        self.original[at as usize]
    }

    fn original(&self) -> &[u32] {
        &self.original
    }
}
