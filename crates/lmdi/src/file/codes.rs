//! The number (binary) and the word (JSON) that each choice is written as, in version 1.
//!
//! One list per choice, so that the two forms cannot drift apart; a variant that is added to an
//! in-memory enum without a code does not compile.

use crate::forest::{Aggregation, Comparison, Growth, Link, Loss, Missing, Precision};
use crate::glm::Strength;
use crate::importance::OutputScale;
use crate::table::{CellFormat, Encoding, Kind, Part, Reason, Task};
use crate::{Error, Result};

/// A choice between named variants.
pub(super) trait Coded: Copy + 'static {
    /// What is chosen, for messages.
    const WHAT: &'static str;
    /// Every variant.
    const ALL: &'static [Self];

    /// The number in the binary form.
    fn code(self) -> u8;

    /// The word in the JSON form.
    fn word(self) -> &'static str;

    fn from_code(code: u8) -> Result<Self> {
        Self::ALL.iter().copied().find(|choice| choice.code() == code).ok_or_else(|| {
            let codes = list(Self::ALL.iter().map(|choice| choice.code().to_string()));
            Error::Format(format!("{} has code {code}; expected {codes}", Self::WHAT))
        })
    }

    fn from_word(word: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|choice| choice.word() == word).ok_or_else(|| {
            let words = list(Self::ALL.iter().map(|choice| format!("{:?}", choice.word())));
            Error::Format(format!("{} is {word:?}; expected {words}", Self::WHAT))
        })
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(" or ")
}

macro_rules! coded {
    ($type:ty, $what:literal, $($variant:path = $code:literal $word:literal),+) => {
        impl Coded for $type {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[$($variant),+];

            fn code(self) -> u8 {
                match self {
                    $($variant => $code),+
                }
            }

            fn word(self) -> &'static str {
                match self {
                    $($variant => $word),+
                }
            }
        }
    };
}

/// [`Aggregation`] without its learning rate.
#[derive(Clone, Copy)]
pub(super) enum AggregationKind {
    Mean,
    Sum,
}

impl AggregationKind {
    pub(super) fn of(aggregation: Aggregation) -> Self {
        match aggregation {
            Aggregation::Mean => AggregationKind::Mean,
            Aggregation::Sum { .. } => AggregationKind::Sum,
        }
    }
}

/// [`Growth`] without its loss.
#[derive(Clone, Copy)]
pub(super) enum GrowthKind {
    Independent,
    FirstOrder,
    SecondOrder,
    Shrunk,
}

impl GrowthKind {
    pub(super) fn of(growth: Growth) -> Self {
        match growth {
            Growth::Independent => GrowthKind::Independent,
            Growth::FirstOrder(_) => GrowthKind::FirstOrder,
            Growth::SecondOrder(_) => GrowthKind::SecondOrder,
            Growth::Shrunk { .. } => GrowthKind::Shrunk,
        }
    }

    /// The growth with what belongs to it; `trees_per_round` counts for `Shrunk` only.
    pub(super) fn with(self, loss: Option<Loss>, trees_per_round: u32) -> Result<Growth> {
        match (self, loss) {
            (GrowthKind::Independent, None) => Ok(Growth::Independent),
            (GrowthKind::FirstOrder, Some(loss)) => Ok(Growth::FirstOrder(loss)),
            (GrowthKind::SecondOrder, Some(loss)) => Ok(Growth::SecondOrder(loss)),
            (GrowthKind::Shrunk, Some(loss)) => Ok(Growth::Shrunk { loss, trees_per_round }),
            (GrowthKind::Independent, Some(_)) => {
                Err(Error::Format("independent trees have a loss; expected none".into()))
            }
            (_, None) => Err(Error::Format("boosted trees have no loss; expected one".into())),
        }
    }
}

/// [`Loss`] without its power.
#[derive(Clone, Copy)]
pub(super) enum LossKind {
    SquaredError,
    Logistic,
    Multinomial,
    Poisson,
    Gamma,
    Tweedie,
    Other,
}

impl LossKind {
    pub(super) fn of(loss: Loss) -> Self {
        match loss {
            Loss::SquaredError => LossKind::SquaredError,
            Loss::Logistic => LossKind::Logistic,
            Loss::Multinomial => LossKind::Multinomial,
            Loss::Poisson => LossKind::Poisson,
            Loss::Gamma => LossKind::Gamma,
            Loss::Tweedie { .. } => LossKind::Tweedie,
            Loss::Other => LossKind::Other,
        }
    }

    /// The loss; `power` counts for `Tweedie` only.
    pub(super) fn with(self, power: f64) -> Loss {
        match self {
            LossKind::SquaredError => Loss::SquaredError,
            LossKind::Logistic => Loss::Logistic,
            LossKind::Multinomial => Loss::Multinomial,
            LossKind::Poisson => Loss::Poisson,
            LossKind::Gamma => Loss::Gamma,
            LossKind::Tweedie => Loss::Tweedie { power },
            LossKind::Other => Loss::Other,
        }
    }
}

/// [`Encoding`] without its parts.
#[derive(Clone, Copy)]
pub(super) enum EncodingKind {
    Number,
    Truth,
    OneHot,
    Codes,
}

impl EncodingKind {
    pub(super) fn of(encoding: &Encoding) -> Self {
        match encoding {
            Encoding::Number => EncodingKind::Number,
            Encoding::Truth => EncodingKind::Truth,
            Encoding::OneHot(_) => EncodingKind::OneHot,
            Encoding::Codes(_) => EncodingKind::Codes,
        }
    }
}

/// The parts of a categorical column, whose order is fixed: levels, pooled ones, missing.
pub(super) struct OneHotParts {
    pub(super) levels: Vec<String>,
    pub(super) pooled: Option<Vec<String>>,
    pub(super) missing: bool,
}

impl OneHotParts {
    pub(super) fn from_parts(parts: &[Part]) -> Self {
        let mut split = Self { levels: Vec::new(), pooled: None, missing: false };
        for part in parts {
            match part {
                Part::Level(level) => split.levels.push(level.clone()),
                Part::Other { pooled } => split.pooled = Some(pooled.clone()),
                Part::Missing => split.missing = true,
            }
        }
        split
    }

    pub(super) fn into_parts(self) -> Vec<Part> {
        let mut parts: Vec<Part> = self.levels.into_iter().map(Part::Level).collect();
        parts.extend(self.pooled.map(|pooled| Part::Other { pooled }));
        parts.extend(self.missing.then_some(Part::Missing));
        parts
    }
}

/// [`Reason`] with its kind on the same level.
#[derive(Clone, Copy)]
pub(super) enum ReasonKind {
    Requested,
    Numeric,
    Boolean,
    Categorical,
    Constant,
    Identifier,
}

impl ReasonKind {
    pub(super) fn of(reason: Reason) -> Self {
        match reason {
            Reason::Requested => ReasonKind::Requested,
            Reason::Kind(Kind::Numeric) => ReasonKind::Numeric,
            Reason::Kind(Kind::Boolean) => ReasonKind::Boolean,
            Reason::Kind(Kind::Categorical) => ReasonKind::Categorical,
            Reason::Kind(Kind::Constant) => ReasonKind::Constant,
            Reason::Kind(Kind::Identifier) => ReasonKind::Identifier,
        }
    }

    pub(super) fn reason(self) -> Reason {
        match self {
            ReasonKind::Requested => Reason::Requested,
            ReasonKind::Numeric => Reason::Kind(Kind::Numeric),
            ReasonKind::Boolean => Reason::Kind(Kind::Boolean),
            ReasonKind::Categorical => Reason::Kind(Kind::Categorical),
            ReasonKind::Constant => Reason::Kind(Kind::Constant),
            ReasonKind::Identifier => Reason::Kind(Kind::Identifier),
        }
    }
}

/// [`Strength`] without its number.
#[derive(Clone, Copy)]
pub(super) enum StrengthKind {
    Alpha,
    Inverse,
}

impl StrengthKind {
    pub(super) fn of(strength: Strength) -> (Self, f64) {
        match strength {
            Strength::Alpha(alpha) => (StrengthKind::Alpha, alpha),
            Strength::Inverse(c) => (StrengthKind::Inverse, c),
        }
    }

    pub(super) fn with(self, size: f64) -> Strength {
        match self {
            StrengthKind::Alpha => Strength::Alpha(size),
            StrengthKind::Inverse => Strength::Inverse(size),
        }
    }
}

coded!(
    OutputScale, "scale",
    OutputScale::Identity = 0 "identity",
    OutputScale::LogOdds = 1 "log_odds",
    OutputScale::Softmax = 2 "softmax",
    OutputScale::Log = 3 "log"
);

coded!(
    StrengthKind, "form of a penalty",
    StrengthKind::Alpha = 0 "alpha",
    StrengthKind::Inverse = 1 "c"
);

coded!(
    EncodingKind, "encoding",
    EncodingKind::Number = 0 "number",
    EncodingKind::Truth = 1 "truth",
    EncodingKind::OneHot = 2 "one_hot",
    EncodingKind::Codes = 3 "codes"
);

coded!(
    ReasonKind, "reason",
    ReasonKind::Requested = 0 "asked",
    ReasonKind::Numeric = 1 "numeric",
    ReasonKind::Boolean = 2 "boolean",
    ReasonKind::Categorical = 3 "categorical",
    ReasonKind::Constant = 4 "constant",
    ReasonKind::Identifier = 5 "identifier"
);

coded!(
    Task, "task",
    Task::Regression = 0 "regression",
    Task::Binary = 1 "binary",
    Task::Multiclass = 2 "multiclass"
);

coded!(
    AggregationKind, "aggregation",
    AggregationKind::Mean = 0 "mean",
    AggregationKind::Sum = 1 "sum"
);

coded!(
    GrowthKind, "growth",
    GrowthKind::Independent = 0 "independent",
    GrowthKind::FirstOrder = 1 "first_order",
    GrowthKind::SecondOrder = 2 "second_order",
    GrowthKind::Shrunk = 3 "shrunk"
);

coded!(
    LossKind, "loss",
    LossKind::SquaredError = 1 "squared_error",
    LossKind::Logistic = 2 "logistic",
    LossKind::Multinomial = 3 "multinomial",
    LossKind::Poisson = 4 "poisson",
    LossKind::Gamma = 5 "gamma",
    LossKind::Tweedie = 6 "tweedie",
    LossKind::Other = 7 "other"
);

coded!(
    Link, "link",
    Link::Identity = 0 "identity",
    Link::Logit = 1 "logit",
    Link::Softmax = 2 "softmax",
    Link::Log = 3 "log",
    Link::OneVsRest = 4 "one_vs_rest"
);

coded!(
    Comparison, "comparison",
    Comparison::LessEqual = 0 "less_equal",
    Comparison::Less = 1 "less"
);

coded!(
    Precision, "precision",
    Precision::Single = 0 "single",
    Precision::Double = 1 "double"
);

coded!(
    Missing, "missing",
    Missing::Left = 0 "left",
    Missing::Right = 1 "right",
    Missing::ZeroLeft = 2 "zero_left",
    Missing::ZeroRight = 3 "zero_right",
    Missing::AsZero = 4 "as_zero"
);

/// The format of cells that a file names.
pub(super) fn cell_format(name: &str) -> Result<CellFormat> {
    CellFormat::from_name(name).ok_or_else(|| {
        Error::Format(format!("this build does not know the format of cells {name:?}"))
    })
}
