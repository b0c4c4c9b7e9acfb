//! What a compiled node says beside its threshold, in one word or two.

use crate::forest::routing::lanes::LANES;
use std::fmt::Debug;

/// The column of a node, its left child, and whether missing cells go right.
pub(super) trait Link: Copy + Debug + Send + Sync {
    /// Columns and nodes that fit.
    const MAX_COLUMNS: usize;
    const MAX_NODES: usize;
    fn new(column: u32, left: u32, missing_right: bool) -> Self;
    /// Where the column's cells begin in a group of [`LANES`] rows.
    fn offset(self) -> usize;
    fn left(self) -> u32;
    fn missing_right(self) -> bool;
}

/// From the low bits up: whether missing cells go right, column, left child. The column stands
/// where masking it gives its offset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed(u32);

const COLUMN_BITS: u32 = 10;
const COLUMN_SHIFT: u32 = LANES.ilog2();
const LEFT_SHIFT: u32 = COLUMN_SHIFT + COLUMN_BITS;

impl Link for Packed {
    const MAX_COLUMNS: usize = 1 << COLUMN_BITS;
    const MAX_NODES: usize = 1 << (u32::BITS - LEFT_SHIFT);

    fn new(column: u32, left: u32, missing_right: bool) -> Self {
        Self(left << LEFT_SHIFT | column << COLUMN_SHIFT | u32::from(missing_right))
    }

    #[inline]
    fn offset(self) -> usize {
        (self.0 & (((1 << COLUMN_BITS) - 1) << COLUMN_SHIFT)) as usize
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

/// Two words; the highest bit of `column` tells that missing cells go right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wide {
    column: u32,
    left: u32,
}

const WIDE_MISSING_RIGHT: u32 = 1 << 31;

impl Link for Wide {
    const MAX_COLUMNS: usize = 1 << 31;
    const MAX_NODES: usize = u32::MAX as usize;

    fn new(column: u32, left: u32, missing_right: bool) -> Self {
        let flag = if missing_right { WIDE_MISSING_RIGHT } else { 0 };
        Self { column: column | flag, left }
    }

    #[inline]
    fn offset(self) -> usize {
        (self.column & !WIDE_MISSING_RIGHT) as usize * LANES
    }

    #[inline]
    fn left(self) -> u32 {
        self.left
    }

    #[inline]
    fn missing_right(self) -> bool {
        self.column & WIDE_MISSING_RIGHT != 0
    }
}
