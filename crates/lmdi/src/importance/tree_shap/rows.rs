//! Interleaved rows: the cells of eight rows by feature, and which way they go at a split.

use super::program::{Program, Route};
use crate::table::MatrixView;

/// Rows that are worked on together.
pub(super) const LANES: usize = 8;

/// One number for each of eight rows.
pub(super) type Lanes = [f64; LANES];

/// Applies `f` row by row.
#[inline(always)]
pub(super) fn lanes(mut f: impl FnMut(usize) -> f64) -> Lanes {
    let mut out = [0.0; LANES];
    for (lane, value) in out.iter_mut().enumerate() {
        *value = f(lane);
    }
    out
}

/// The cells of up to eight rows, feature by feature. Missing rows repeat the last one.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) n_rows: usize,
    cells: Vec<Lanes>,
    /// The same rounded to 32 bits.
    single: Vec<Lanes>,
}

impl Group {
    /// Reads the rows from `start` on; at least one.
    pub(super) fn read(&mut self, x: &MatrixView<'_>, start: usize) {
        self.n_rows = (x.rows() - start).min(LANES);
        let row = |lane: usize| start + lane.min(self.n_rows - 1);
        self.cells.clear();
        self.cells.extend((0..x.cols()).map(|col| lanes(|lane| x.get(row(lane), col))));
        self.single.clear();
        self.single.extend(self.cells.iter().map(|cells| cells.map(|x| f64::from(x as f32))));
    }

    /// 1 for rows that go to the first child of a split, 0 for the others.
    #[inline(always)]
    pub(super) fn go_first(&self, program: &Program, feature: u32, route: Route) -> Lanes {
        let cells = if program.single { &self.single } else { &self.cells };
        let x = &cells[feature as usize];
        let number = |goes: bool| if goes { 1.0 } else { 0.0 };
        match route {
            Route::AtMost(threshold) => lanes(|lane| number(x[lane] <= threshold)),
            Route::AtMostOrMissing(threshold) => lanes(|lane| 1.0 - number(x[lane] > threshold)),
            Route::Above(threshold) => lanes(|lane| number(x[lane] > threshold)),
            Route::AboveOrMissing(threshold) => lanes(|lane| 1.0 - number(x[lane] <= threshold)),
            Route::AsTree(node, first_is_left) => {
                let x = &self.cells[feature as usize];
                let tree = program.tree.as_deref();
                lanes(|lane| {
                    let left = tree.is_some_and(|tree| tree.goes_left(node as usize, x[lane]));
                    number(left == first_is_left)
                })
            }
        }
    }
}
