//! One tree compiled for walking: the arrays behind [`Router`](crate::forest::routing::Router).
//!
//! A compiled tree is one array of small nodes in which the two children of a node are neighbours,
//! the left one first, so a step is `left + (goes right as 0 or 1)`. A leaf is its own left child
//! and sends everything left, which lets several rows step together until none of them moves.
//!
//! Walking waits for memory most of the time, so nodes are as small as they can be: where column
//! and child fit one 32-bit word ([`Packed`]) a node of a tree that compares 32-bit cells takes 8
//! bytes. Trees with more columns or nodes than that take the [`Wide`] form.
//!
//! What a row gains by entering a node stands in the node (8 bytes more), where it arrives together
//! with what the next step needs. A row that waits in its leaf enters it again and again; a leaf
//! looks at the spare column after the last one, so what is gained there falls on a sum that nobody
//! reads.

mod cell;
mod descend;
mod gains;
mod layout;
mod link;
mod top;

use super::lanes::LANES;
use super::path_amounts::{NodeAmounts, PathAmounts};
use crate::forest::{Missing, Tree};
use crate::sparse_numbers::SparseNumbers;
pub(super) use cell::Cell;
use gains::{Gains, Held, Listed, Nothing};
use layout::{Compiled, Part};
use link::{Link, Packed, Wide};
use std::fmt::Debug;

/// A compiled tree that compares cells of type `C`. Cells lie as in a
/// [`Block`](crate::forest::routing::Block), with `columns` columns a group of rows; `has_missing`
/// if any cell is missing.
pub(super) trait Walk<C>: Debug + Send + Sync {
    /// The positions of the leaves that rows reach.
    fn leaves(&self, cells: &[[C; LANES]], columns: usize, has_missing: bool, out: &mut [u32]);

    /// The same, while what the nodes on the way bring is added to `sums`: what they hold, or what
    /// is listed.
    fn add_along(
        &self,
        cells: &[[C; LANES]],
        columns: usize,
        has_missing: bool,
        listed: &PathAmounts,
        sums: &mut [f64],
        out: &mut [u32],
    );

    /// Follows the row whose cells begin at `start`; see
    /// [`Router::walk`](crate::forest::routing::Router::walk).
    fn follow(&self, cells: &[C], start: usize, visit: &mut dyn FnMut(u32, bool)) -> u32;

    /// The node index of each position.
    fn original(&self) -> &[u32];
}

/// Compiles a tree over `n_features` columns, down to the last nodes with amounts if there are any;
/// amounts of one output are held by the nodes. `None`
/// unless every split is numeric, with NaN the only missing value and with a cell that is not above
/// its threshold.
pub(super) fn compile<C: Cell + 'static>(
    tree: &Tree,
    n_features: usize,
    amounts: Option<&NodeAmounts<'_>>,
) -> Option<Box<dyn Walk<C>>> {
    let plain = (0..tree.n_nodes()).filter(|&node| !tree.is_leaf(node)).all(|node| {
        tree.categories(node).is_none()
            && matches!(tree.missing[node], Missing::Left | Missing::Right)
            && tree.threshold[node] > f64::NEG_INFINITY
    });
    if !plain {
        return None;
    }
    let goes_on = match amounts {
        Some(amounts) => amounts.any_below(tree),
        None => (0..tree.n_nodes()).map(|node| !tree.is_leaf(node)).collect(),
    };
    let held = amounts.and_then(NodeAmounts::of_one_output);
    let n_nodes = 1 + 2 * goes_on.iter().filter(|&&goes_on| goes_on).count();
    let fits = |columns, nodes| n_features < columns && n_nodes <= nodes;
    let part = Part { tree, goes_on: &goes_on, n_nodes };
    if fits(Packed::MAX_COLUMNS, Packed::MAX_NODES) {
        Some(with_links::<C, Packed>(&part, n_features as u32, held))
    } else if fits(Wide::MAX_COLUMNS, Wide::MAX_NODES) {
        Some(with_links::<C, Wide>(&part, n_features as u32, held))
    } else {
        None
    }
}

fn with_links<C: Cell + 'static, L: Link + 'static>(
    part: &Part<'_>,
    spare: u32,
    held: Option<&SparseNumbers>,
) -> Box<dyn Walk<C>> {
    match held {
        Some(amounts) => {
            Box::new(Compiled::<C, L, f64>::new(part, spare, |node| amounts.get(node)))
        }
        None => Box::new(Compiled::<C, L, ()>::new(part, spare, |_| ())),
    }
}

/// What the nodes of a compiled tree hold.
trait Amount: Copy + Debug + Send + Sync {
    type Gains<'s>: Gains<Self>;
    /// The sums to which rows add: what nodes hold, or what is listed if they hold nothing.
    fn gains<'s>(listed: &'s PathAmounts, sums: &'s mut [f64]) -> Self::Gains<'s>;
}

impl Amount for f64 {
    type Gains<'s> = Held<'s>;

    fn gains<'s>(_: &'s PathAmounts, sums: &'s mut [f64]) -> Held<'s> {
        Held { sums }
    }
}

impl Amount for () {
    type Gains<'s> = Listed<'s>;

    fn gains<'s>(amounts: &'s PathAmounts, sums: &'s mut [f64]) -> Listed<'s> {
        Listed { amounts, sums }
    }
}

impl<C: Cell, L: Link, A: Amount> Walk<C> for Compiled<C, L, A> {
    fn leaves(&self, cells: &[[C; LANES]], columns: usize, has_missing: bool, out: &mut [u32]) {
        if has_missing {
            self.descend::<true>(cells, columns, &mut Nothing, out);
        } else {
            self.descend::<false>(cells, columns, &mut Nothing, out);
        }
    }

    fn add_along(
        &self,
        cells: &[[C; LANES]],
        columns: usize,
        has_missing: bool,
        listed: &PathAmounts,
        sums: &mut [f64],
        out: &mut [u32],
    ) {
        let gains = &mut A::gains(listed, sums);
        if has_missing {
            self.descend::<true>(cells, columns, gains, out);
        } else {
            self.descend::<false>(cells, columns, gains, out);
        }
    }

    fn follow(&self, cells: &[C], start: usize, visit: &mut dyn FnMut(u32, bool)) -> u32 {
        let mut at = 0;
        while !self.is_leaf(at) {
            let next = self.step::<true>(at, cells, start, &mut Nothing);
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
