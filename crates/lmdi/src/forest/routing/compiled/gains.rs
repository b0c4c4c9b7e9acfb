//! What rows gain on their way down: nothing, an amount held by the nodes, or several looked up.

use crate::forest::routing::path_amounts::PathAmounts;
use std::ops::Range;

/// The sums of some rows, which lie as their cells do. `A` is what a node holds.
pub(super) trait Gains<A> {
    /// Whether nothing is ever gained, so that only the end of the way matters.
    const NOTHING: bool = false;

    type Part<'p>: Gains<A>
    where
        Self: 'p;

    /// The sums that belong to a range of the cells, which begins and ends with a group of rows.
    fn part(&mut self, cells: Range<usize>) -> Self::Part<'_>;

    /// Adds what the row of a cell gains when the cell sends it to the node at `position`, which
    /// holds `amount`.
    fn enter(&mut self, cell: usize, position: u32, amount: A);
}

/// Rows gain nothing.
pub(super) struct Nothing;

impl<A> Gains<A> for Nothing {
    const NOTHING: bool = true;

    type Part<'p> = Nothing;

    #[inline]
    fn part(&mut self, _: Range<usize>) -> Nothing {
        Nothing
    }

    #[inline]
    fn enter(&mut self, _: usize, _: u32, _: A) {}
}

/// One sum per cell: rows gain what the nodes hold.
pub(super) struct Held<'s> {
    pub(super) sums: &'s mut [f64],
}

impl Gains<f64> for Held<'_> {
    type Part<'p>
        = Held<'p>
    where
        Self: 'p;

    #[inline]
    fn part(&mut self, cells: Range<usize>) -> Held<'_> {
        Held { sums: &mut self.sums[cells] }
    }

    #[inline]
    fn enter(&mut self, cell: usize, _: u32, amount: f64) {
        self.sums[cell] += amount;
    }
}

/// Several sums per cell: rows gain what is listed by position.
pub(super) struct Listed<'s> {
    pub(super) amounts: &'s PathAmounts,
    pub(super) sums: &'s mut [f64],
}

impl<A> Gains<A> for Listed<'_> {
    type Part<'p>
        = Listed<'p>
    where
        Self: 'p;

    #[inline]
    fn part(&mut self, cells: Range<usize>) -> Listed<'_> {
        let outputs = self.amounts.all_outputs;
        Listed {
            amounts: self.amounts,
            sums: &mut self.sums[cells.start * outputs..cells.end * outputs],
        }
    }

    #[inline]
    fn enter(&mut self, cell: usize, position: u32, _: A) {
        self.amounts.add(cell, position, self.sums);
    }
}
