//! The first levels of a compiled tree, walked by all rows at once.
//!
//! A step of one row waits for the node that the step before led to. In the first [`LEVELS`] levels
//! there are few nodes: there it is faster to compare all rows with every node, and to pick the
//! outcome from below:
//!
//! ```text
//! end(node) = if x[column of node] > threshold then end(right child) else end(left child)
//! ```
//!
//! Nothing depends on anything before, and eight rows are compared by one instruction. Where the tree
//! ends early, the nodes below a leaf end in it.
//!
//! Cost: 2^[`LEVELS`] comparisons per eight rows, instead of 8 x [`LEVELS`] steps that wait for one
//! another.

use super::cell::Cell;
use super::layout::Node;
use super::link::Link;
use crate::forest::routing::lanes::LANES;
use crate::vectorised::Vectorised;

/// Levels that all rows pass together.
pub(super) const LEVELS: usize = 5;

/// Splits on these levels.
const SPLITS: usize = (1 << LEVELS) - 1;

/// Splits on the last of these levels.
const LAST: usize = 1 << (LEVELS - 1);

/// One split.
#[derive(Debug, Clone, Copy)]
struct TopSplit<C> {
    threshold: C,
    column: u32,
    missing_right: bool,
}

/// The first levels of a tree: the splits of a level beside each other, level by level.
#[derive(Debug)]
pub(super) struct Top<C> {
    splits: [TopSplit<C>; SPLITS],
    /// Positions of the two children of every split on the last level.
    ends: [[u32; 2]; LAST],
}

impl<C: Cell> Top<C> {
    /// The first levels of a compiled tree.
    pub(super) fn of<L: Link, A: Copy>(nodes: &[Node<C, L, A>]) -> Self {
        let split_at = |position: u32| {
            let Node { threshold, link, .. } = nodes[position as usize];
            let missing_right = link.missing_right();
            TopSplit { threshold, column: (link.offset() / LANES) as u32, missing_right }
        };
        // A leaf is its own left child; both ways out of it lead back to it.
        let children = |position: u32| {
            let left = nodes[position as usize].link.left();
            [left, if left == position { left } else { left + 1 }]
        };
        let mut splits = [split_at(0); SPLITS];
        let mut ends = [[0; 2]; LAST];
        let mut level = vec![0];
        let mut at = 0;
        for depth in 0..LEVELS {
            let below: Vec<[u32; 2]> = level.iter().map(|&position| children(position)).collect();
            for &position in &level {
                splits[at] = split_at(position);
                at += 1;
            }
            if depth + 1 == LEVELS {
                ends.copy_from_slice(&below);
            }
            level = below.into_flattened();
        }
        Self { splits, ends }
    }
}

/// The positions of rows after [`LEVELS`] steps, group by group.
pub(super) struct PassTop<'w, C, const MISSING: bool> {
    pub(super) top: &'w Top<C>,
    pub(super) cells: &'w [[C; LANES]],
    /// Columns of a group of rows.
    pub(super) columns: usize,
    pub(super) positions: &'w mut [[u32; LANES]],
}

impl<C: Cell, const MISSING: bool> Vectorised for PassTop<'_, C, MISSING> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (position, cells) in
            self.positions.iter_mut().zip(self.cells.chunks_exact(self.columns))
        {
            *position = Group::<C, MISSING> { top: self.top, cells }.end();
        }
    }
}

/// The rows that are compared by one instruction.
struct Group<'w, C, const MISSING: bool> {
    top: &'w Top<C>,
    cells: &'w [[C; LANES]],
}

/// One function per level: unrolled, what is picked stays in registers.
impl<C: Cell, const MISSING: bool> Group<'_, C, MISSING> {
    #[inline(always)]
    fn end(&self) -> [u32; LANES] {
        self.pick(0, self.second(1), self.second(2))
    }

    #[inline(always)]
    fn second(&self, split: usize) -> [u32; LANES] {
        self.pick(split, self.third(2 * split + 1), self.third(2 * split + 2))
    }

    #[inline(always)]
    fn third(&self, split: usize) -> [u32; LANES] {
        self.pick(split, self.fourth(2 * split + 1), self.fourth(2 * split + 2))
    }

    #[inline(always)]
    fn fourth(&self, split: usize) -> [u32; LANES] {
        self.pick(split, self.last(2 * split + 1), self.last(2 * split + 2))
    }

    #[inline(always)]
    fn last(&self, split: usize) -> [u32; LANES] {
        let [left, right] = self.top.ends[split - (LAST - 1)];
        self.pick(split, [left; LANES], [right; LANES])
    }

    /// What each row finds on its side of a split.
    #[inline(always)]
    fn pick(&self, split: usize, left: [u32; LANES], right: [u32; LANES]) -> [u32; LANES] {
        let TopSplit { threshold, column, missing_right } = self.top.splits[split];
        let cells = &self.cells[column as usize];
        let mut picked = [0; LANES];
        for lane in 0..LANES {
            let x = cells[lane];
            let goes_right = (x > threshold) | (MISSING & missing_right & x.is_missing());
            // All ones or all zeros: written as a choice, it may become a branch.
            let mask = 0_u32.wrapping_sub(u32::from(goes_right));
            picked[lane] = (left[lane] & !mask) | (right[lane] & mask);
        }
        picked
    }
}
