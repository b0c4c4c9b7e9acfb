//! What may change between a row and its counterfactual.

use super::super::Columns;
use crate::{Error, Result};

/// How a column may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restriction {
    /// Anything.
    #[default]
    Free,
    /// It must not change.
    Fixed,
    /// It may stay or increase.
    OnlyUp,
    /// It may stay or decrease.
    OnlyDown,
}

impl Restriction {
    /// Whether a cell may become another. A missing cell may only stay missing, and no cell may
    /// become missing, unless the column is free.
    pub(super) fn allows(self, from: f64, to: f64) -> bool {
        match self {
            Self::Free => true,
            _ if same(from, to) => true,
            Self::Fixed => false,
            // False where one of the two is missing.
            Self::OnlyUp => to > from,
            Self::OnlyDown => to < from,
        }
    }
}

/// Whether two cells are equal; missing cells are.
pub(super) fn same(a: f64, b: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

/// The columns that are not free.
pub(super) fn limits(restrictions: &[Restriction]) -> Vec<(usize, Restriction)> {
    let all = restrictions.iter().copied().enumerate();
    all.filter(|(_, restriction)| *restriction != Restriction::Free).collect()
}

/// Fails on a restriction that a column cannot have.
pub(super) fn check(restrictions: &[Restriction], columns: &Columns) -> Result<()> {
    if !restrictions.is_empty() && restrictions.len() != columns.len() {
        return Err(Error::Shape {
            what: "restrictions of columns".into(),
            found: restrictions.len(),
            expected: columns.len(),
        });
    }
    for (column, restriction) in columns.as_slice().iter().zip(restrictions) {
        let directed = matches!(restriction, Restriction::OnlyUp | Restriction::OnlyDown);
        if directed && column.is_category() {
            return Err(Error::Data(format!(
                "column {:?} is categorical, so it can neither rise nor fall; leave it free or fix it",
                column.name
            )));
        }
    }
    Ok(())
}
