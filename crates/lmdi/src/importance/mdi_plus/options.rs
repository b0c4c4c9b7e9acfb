//! Options of MDI+.

use crate::glm::Family;
use crate::importance::Metric;
use crate::named::Named;
use crate::setters::setters;
use crate::table::Response;
use crate::{Error, Result};

/// The loss of the linear models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MdiPlusGlm {
    /// Least squares; classes by their 0/1 indicator.
    Gaussian,
    /// Logistic regression (classes; one model per class where there are three or more).
    Logistic,
    /// Huber's robust loss (numbers), linear beyond `epsilon` times the scale of the residuals.
    Huber {
        /// Where the loss becomes linear; above 1, usually 1.35.
        epsilon: f64,
    },
}

impl MdiPlusGlm {
    /// The family whose link the model has.
    pub(super) fn family(self) -> Family {
        match self {
            MdiPlusGlm::Logistic => Family::Binomial,
            MdiPlusGlm::Gaussian | MdiPlusGlm::Huber { .. } => Family::Gaussian,
        }
    }
}

/// The penalty of the linear models, and how its strength is found.
#[derive(Debug, Clone, PartialEq)]
pub enum MdiPlusPenalty {
    /// None: ordinary least squares, plain logistic or robust regression.
    None,
    /// L2, with the one of these strengths (relative to the summed loss) that predicts left-out
    /// rows best.
    Ridge {
        /// Strengths to try; ties go to the first.
        alphas: Vec<f64>,
    },
    /// Elastic net, with mixture and strength by cross-validation over scikit-learn's grids.
    ElasticNet {
        /// Mixtures to try, from 0 (ridge) to 1 (lasso).
        l1_ratios: Vec<f64>,
    },
}

impl MdiPlusPenalty {
    /// Ridge with the strengths that imodels tries: 100 from 1e-5 to 1e5 for numbers, 25 from 1e-2 to 1e3
    /// for logistic and robust regression.
    pub fn ridge(glm: MdiPlusGlm) -> Self {
        let (low, high, count) = match glm {
            MdiPlusGlm::Gaussian => (-5.0, 5.0, 100),
            MdiPlusGlm::Logistic | MdiPlusGlm::Huber { .. } => (-2.0, 3.0, 25),
        };
        let step = (high - low) / f64::from(count - 1);
        let alphas = (0..count).map(|at| libm::pow(10.0, low + step * f64::from(at))).collect();
        Self::Ridge { alphas }
    }

    pub(super) fn searches_by_folds(&self) -> bool {
        matches!(self, Self::ElasticNet { .. })
    }
}

/// The common pairs of loss and penalty, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MdiPlusModel {
    /// Least squares with an L2 penalty.
    Ridge,
    /// L1 and L2 penalties; logistic for classes.
    ElasticNet,
    /// Least squares without a penalty.
    Ols,
    /// Logistic with an L2 penalty.
    Logistic,
    /// Huber's robust loss with an L2 penalty.
    Huber,
}

impl Named for MdiPlusModel {
    const PARAMETER: &'static str = "glm";
    const ALL: &'static [Self] =
        &[Self::Ridge, Self::ElasticNet, Self::Ols, Self::Logistic, Self::Huber];

    fn name(self) -> &'static str {
        match self {
            Self::Ridge => "ridge",
            Self::ElasticNet => "elastic-net",
            Self::Ols => "ols",
            Self::Logistic => "logistic",
            Self::Huber => "huber",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Ridge => "Least squares with an L2 penalty",
            Self::ElasticNet => "L1 and L2 penalties; logistic for classes",
            Self::Ols => "Least squares without a penalty",
            Self::Logistic => "Logistic with an L2 penalty (classes)",
            Self::Huber => "Huber's robust loss with an L2 penalty (regression)",
        }
    }
}

impl MdiPlusModel {
    /// Loss and penalty, for a response that `usual` is the loss of.
    fn parts(self, usual: MdiPlusGlm) -> (MdiPlusGlm, MdiPlusPenalty) {
        let with_ridge = |glm| (glm, MdiPlusPenalty::ridge(glm));
        match self {
            Self::Ridge => with_ridge(MdiPlusGlm::Gaussian),
            Self::ElasticNet => {
                (usual, MdiPlusPenalty::ElasticNet { l1_ratios: vec![0.1, 0.5, 0.99] })
            }
            Self::Ols => (MdiPlusGlm::Gaussian, MdiPlusPenalty::None),
            Self::Logistic => with_ridge(MdiPlusGlm::Logistic),
            Self::Huber => with_ridge(MdiPlusGlm::Huber { epsilon: 1.35 }),
        }
    }
}

/// Options of MDI+.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MdiPlusOptions<'m> {
    /// Loss of the linear models.
    pub glm: MdiPlusGlm,
    /// Penalty of the linear models.
    pub penalty: MdiPlusPenalty,
    /// Whether the raw columns of the features a tree uses are inputs beside its stumps.
    pub include_raw: bool,
    /// The metric for partial predictions.
    pub metric: Metric<'m>,
    /// Whether the metric of the constant prediction is subtracted from importances.
    pub above_constant: bool,
    /// Probabilities are kept this far from 0 and 1.
    pub trim: f64,
    /// Folds of the cross-validation of elastic nets.
    pub folds: usize,
    /// Accuracy of the fits, as a share of the loss without any column.
    pub tolerance: f64,
    /// Maximum number of iterations of one fit.
    pub max_iterations: usize,
}

impl<'m> MdiPlusOptions<'m> {
    setters! {
        with_glm(glm: MdiPlusGlm),
        with_penalty(penalty: MdiPlusPenalty),
        with_include_raw(include_raw: bool),
        with_metric(metric: Metric<'m>),
        with_above_constant(above_constant: bool),
        with_trim(trim: f64),
        with_folds(folds: usize),
        with_tolerance(tolerance: f64),
        with_max_iterations(max_iterations: usize),
    }
}

impl MdiPlusOptions<'_> {
    /// The defaults of the method's authors: ridge and R2 for numbers, logistic ridge and log-loss
    /// for classes.
    pub fn for_response(response: &Response<'_>) -> Self {
        let (glm, metric) = match response {
            Response::Numeric(_) => (MdiPlusGlm::Gaussian, Metric::R2),
            Response::Classes { .. } => (MdiPlusGlm::Logistic, Metric::LogLoss),
        };
        Self {
            glm,
            penalty: MdiPlusPenalty::ridge(glm),
            include_raw: true,
            metric,
            above_constant: true,
            trim: 0.01,
            folds: 3,
            tolerance: 1e-12,
            max_iterations: 1000,
        }
    }

    /// The same with another linear model, and its default penalty.
    ///
    /// ```
    /// use lmdi::importance::mdi_plus::{MdiPlusModel, MdiPlusOptions, MdiPlusPenalty};
    /// use lmdi::table::Response;
    /// let options = MdiPlusOptions::for_response(&Response::Numeric(&[]));
    /// assert_eq!(options.with_model(MdiPlusModel::Ols).penalty, MdiPlusPenalty::None);
    /// ```
    pub fn with_model(self, model: MdiPlusModel) -> Self {
        let (glm, penalty) = model.parts(self.glm);
        Self { glm, penalty, ..self }
    }

    /// Checks every option before any work.
    pub fn check(&self, response: &Response<'_>) -> Result<()> {
        let fail = |name: &'static str, found: String, expected: &str| {
            Err(Error::Parameter { name, found, expected: expected.into() })
        };
        match (self.glm, response) {
            (MdiPlusGlm::Logistic, Response::Numeric(_)) => {
                return fail(
                    "glm",
                    "logistic".into(),
                    "ridge, elastic-net, ols or huber for numbers",
                );
            }
            (MdiPlusGlm::Huber { .. }, Response::Classes { .. }) => {
                return fail(
                    "glm",
                    "huber".into(),
                    "logistic, ridge, elastic-net or ols for classes",
                );
            }
            (MdiPlusGlm::Huber { epsilon }, _) if !(epsilon.is_finite() && epsilon > 1.0) => {
                return fail("epsilon", epsilon.to_string(), "a number above 1");
            }
            _ => {}
        }
        match &self.penalty {
            MdiPlusPenalty::None => {}
            MdiPlusPenalty::Ridge { alphas } => {
                let fine = |alpha: &f64| alpha.is_finite() && *alpha > 0.0;
                if alphas.is_empty() || !alphas.iter().all(fine) {
                    return fail("alphas", format!("{alphas:?}"), "at least one positive number");
                }
            }
            MdiPlusPenalty::ElasticNet { l1_ratios } => {
                if l1_ratios.is_empty() || !l1_ratios.iter().all(|r| (0.0..=1.0).contains(r)) {
                    return fail("l1_ratio", format!("{l1_ratios:?}"), "numbers from 0 to 1");
                }
                if matches!(self.glm, MdiPlusGlm::Huber { .. }) {
                    return fail("penalty", "elastic-net".into(), "ridge or none for huber");
                }
                if self.folds < 2 {
                    return fail("folds", self.folds.to_string(), "at least 2");
                }
            }
        }
        if !(0.0..0.5).contains(&self.trim) {
            return fail("trim", self.trim.to_string(), "a number from 0 to below 0.5");
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return fail("tolerance", self.tolerance.to_string(), "a number between 0 and 1");
        }
        if self.max_iterations == 0 {
            return fail("max_iterations", "0".into(), "at least 1");
        }
        self.metric.check(response)
    }
}
