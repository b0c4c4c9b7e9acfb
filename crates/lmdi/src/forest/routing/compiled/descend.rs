//! Many rows going down a compiled tree.
//!
//! Rows go down in two stages. First all of them take as many steps as most of them need, without
//! checking whether any has arrived; the first few of these are taken together ([`super::top`]).
//! Rows that have not arrived are then listed and take a few steps at a time, until the list is
//! empty. Rows that have arrived cost no more steps, and no branch depends on where a row goes.

use super::cell::Cell;
use super::gains::Gains;
use super::layout::{Compiled, Node};
use super::link::Link;
use super::top::{LEVELS, PassTop};
use crate::forest::routing::lanes::LANES;
use crate::vectorised::vectorised;

/// Rows that are walked down before the next ones are looked at.
const ROWS: usize = 32 * LANES;

/// Steps between two lists of the rows that have not arrived.
const STEPS: usize = 4;

impl<C: Cell, L: Link, A: Copy> Compiled<C, L, A> {
    /// The next position of the row whose cells begin at `start`, which gains what the node there
    /// brings. A row in a leaf stays, and gains it again, for the spare column. Without missing
    /// cells (`MISSING` false) one comparison decides.
    #[inline]
    pub(super) fn step<const MISSING: bool>(
        &self,
        position: u32,
        cells: &[C],
        start: usize,
        gains: &mut impl Gains<A>,
    ) -> u32 {
        let Node { threshold, link, .. } = self.nodes[position as usize];
        let cell = start + link.offset();
        let x = cells[cell];
        let mut right = x > threshold;
        if MISSING {
            right |= x.is_missing() & link.missing_right();
        }
        let next = link.left() + u32::from(right);
        gains.enter(cell, next, self.nodes[next as usize].amount);
        next
    }

    /// The positions of the leaves of all rows; groups of them have `columns` columns of cells.
    pub(super) fn descend<const MISSING: bool>(
        &self,
        cells: &[[C; LANES]],
        columns: usize,
        gains: &mut impl Gains<A>,
        out: &mut [u32],
    ) {
        if self.nodes.len() == 1 {
            out.fill(0);
            return;
        }
        let cells = cells.as_flattened();
        for (index, out) in out.chunks_mut(ROWS).enumerate() {
            let start = index * ROWS * columns;
            let range = start..start + out.len().next_multiple_of(LANES) * columns;
            let gains = &mut gains.part(range.clone());
            self.descend_some::<MISSING, _>(&cells[range], columns, gains, out);
        }
    }

    /// [`descend`](Self::descend) for at most [`ROWS`] rows.
    fn descend_some<const MISSING: bool, G: Gains<A>>(
        &self,
        cells: &[C],
        columns: usize,
        gains: &mut G,
        out: &mut [u32],
    ) {
        let mut positions = [0u32; ROWS];
        let (groups, _) = positions.as_chunks_mut::<LANES>();
        let size = LANES * columns;
        let mut steps = self.shared_steps;
        if G::NOTHING
            && let Some(top) = &self.top
        {
            let (cells, _) = cells.as_chunks::<LANES>();
            vectorised(PassTop::<C, MISSING> { top, cells, columns, positions: groups });
            steps = steps.saturating_sub(LEVELS);
        }
        for (index, (group, cells)) in groups.iter_mut().zip(cells.chunks_exact(size)).enumerate() {
            // A part as long as the cells, so that one check of an index serves both.
            let gains = &mut gains.part(index * size..index * size + cells.len());
            let mut at = *group;
            for _ in 0..steps {
                for (lane, at) in at.iter_mut().enumerate() {
                    *at = self.step::<MISSING>(*at, cells, lane, gains);
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
        let gains = &mut gains.part(0..cells.len());
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
                let starts = rows.map(|row| row / LANES * size + row % LANES);
                for _ in 0..STEPS {
                    for (at, &start) in at.iter_mut().zip(&starts) {
                        *at = self.step::<MISSING>(*at, cells, start, gains);
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
