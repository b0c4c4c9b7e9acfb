//! The scale of raw columns beside that of stumps.
//!
//! All columns of a tree share one penalty, so that a column on a larger scale is penalised less. In
//! the bag, the stump of a split has the standard deviation `sqrt(share)`, where `share` is the part
//! of the rows that reach the split: 1 at the root, and less further down.

use crate::{Error, Result};
use std::fmt;

/// The standard deviation that raw columns are scaled to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RawScale {
    /// That of the feature's largest stump, as in the paper. A feature that is split far down only
    /// has its trend penalised as much as its steps.
    LargestStump,
    /// The same for all features of all trees. Above 1, trends are penalised less than any step.
    Deviation(f64),
}

impl RawScale {
    /// The parameter that makes this choice.
    const PARAMETER: &'static str = "raw_scale";
    /// The name of [`RawScale::LargestStump`].
    const STUMP: &'static str = "stump";
    /// Beyond this factor, or below its inverse, a raw column costs nothing or never enters, and
    /// products of columns lose their digits.
    const MOST: f64 = 1e6;

    /// Reads the name `stump` or a number from 1e-6 to 1e6.
    ///
    /// ```
    /// use lmdi::basis::RawScale;
    /// assert_eq!(RawScale::parse("stump"), Ok(RawScale::LargestStump));
    /// assert_eq!(RawScale::parse("4"), Ok(RawScale::Deviation(4.0)));
    /// let error = RawScale::parse("-1").unwrap_err().to_string();
    /// assert_eq!(error, "parameter `raw_scale` is -1; expected a number from 1e-6 to 1e6, or stump");
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let scale = match text.parse() {
            _ if text == Self::STUMP => Self::LargestStump,
            Ok(deviation) => Self::Deviation(deviation),
            Err(_) => return Err(Self::invalid(text.into())),
        };
        scale.check().map(|()| scale)
    }

    /// Refuses a standard deviation that is none, or that no penalty suits.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Deviation(deviation) if !(1.0 / Self::MOST..=Self::MOST).contains(&deviation) => {
                Err(Self::invalid(deviation.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn invalid(found: String) -> Error {
        let expected =
            format!("a number from {:e} to {:e}, or {}", 1.0 / Self::MOST, Self::MOST, Self::STUMP);
        Error::Parameter { name: Self::PARAMETER, found, expected }
    }
}

impl fmt::Display for RawScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LargestStump => f.write_str(Self::STUMP),
            Self::Deviation(deviation) => deviation.fmt(f),
        }
    }
}
