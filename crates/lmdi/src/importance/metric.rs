//! How well predictions fit responses, as a number for which larger is better.
//!
//! Global methods compare predictions by a metric. Errors and losses are negated, so that a drop is
//! always a loss of quality.

use crate::named::Named;
use crate::table::{Response, metrics};
use crate::{Error, Result};
use std::fmt;

/// A user's own metric: responses, predictions (a number per row, or the probability of every
/// class) and weights to a number for which larger is better.
pub type CustomMetric<'m> = dyn Fn(&Response<'_>, &[f64], Option<&[f64]>) -> f64 + Sync + 'm;

/// A metric.
#[derive(Clone, Copy)]
pub enum Metric<'m> {
    /// Share of the variance explained (numbers).
    R2,
    /// Minus the mean squared error (numbers).
    SquaredError,
    /// Minus the mean absolute error (numbers).
    AbsoluteError,
    /// Area under the ROC curve of the second class; with more classes the mean of each against the
    /// rest.
    Auroc,
    /// Minus the mean negative logarithm of the probability of the true class (classes).
    LogLoss,
    /// Share of the rows whose most probable class is the true one (classes).
    Accuracy,
    /// Any other.
    Custom(&'m CustomMetric<'m>),
}

impl fmt::Debug for Metric<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Named for Metric<'static> {
    const PARAMETER: &'static str = "metric";
    const ALL: &'static [Self] = &[
        Metric::R2,
        Metric::SquaredError,
        Metric::AbsoluteError,
        Metric::Auroc,
        Metric::LogLoss,
        Metric::Accuracy,
    ];

    fn name(self) -> &'static str {
        self.text()
    }
}

impl Metric<'_> {
    /// The name by which users choose the metric; `custom` for their own.
    pub fn text(&self) -> &'static str {
        match self {
            Metric::R2 => "r2",
            Metric::SquaredError => "squared-error",
            Metric::AbsoluteError => "absolute-error",
            Metric::Auroc => "auroc",
            Metric::LogLoss => "log-loss",
            Metric::Accuracy => "accuracy",
            Metric::Custom(_) => "custom",
        }
    }

    /// Fails if the metric does not apply to the response.
    pub fn check(&self, response: &Response<'_>) -> Result<()> {
        let for_numbers = matches!(self, Metric::R2 | Metric::SquaredError | Metric::AbsoluteError);
        let for_classes = matches!(self, Metric::Auroc | Metric::LogLoss | Metric::Accuracy);
        let expected = match response {
            Response::Numeric(_) if for_classes => "r2, squared-error or absolute-error",
            Response::Classes { .. } if for_numbers => "auroc, log-loss or accuracy",
            _ => return Ok(()),
        };
        Err(Error::Parameter {
            name: "metric",
            found: self.text().into(),
            expected: format!("{expected} for this response"),
        })
    }

    /// Measures predictions: a number per row, or the probability of every class, row by row.
    ///
    /// NaN if the responses do not vary, where the metric needs that.
    ///
    /// ```
    /// use lmdi::{importance::Metric, table::Response};
    /// let y = Response::Numeric(&[1.0, 2.0, 6.0]);
    /// assert_eq!(Metric::AbsoluteError.score(&y, &[1.0, 4.0, 5.0], None), -1.0);
    /// ```
    pub fn score(
        &self,
        response: &Response<'_>,
        prediction: &[f64],
        weights: Option<&[f64]>,
    ) -> f64 {
        match (self, response) {
            (Metric::Custom(score), _) => score(response, prediction, weights),
            (Metric::R2, Response::Numeric(y)) => metrics::r2(y, prediction, weights),
            (Metric::SquaredError, Response::Numeric(y)) => {
                let root = metrics::rmse(y, prediction, weights);
                -(root * root)
            }
            (Metric::AbsoluteError, Response::Numeric(y)) => {
                -metrics::mean_absolute_error(y, prediction, weights)
            }
            (Metric::Auroc, &Response::Classes { codes, n_classes }) => {
                let of = |class: usize| {
                    let scores: Vec<f64> =
                        prediction.iter().skip(class).step_by(n_classes).copied().collect();
                    metrics::auroc(codes, class as u32, &scores, weights)
                };
                if n_classes == 2 {
                    return of(1);
                }
                (0..n_classes).map(of).sum::<f64>() / n_classes as f64
            }
            (Metric::LogLoss, &Response::Classes { codes, n_classes }) => {
                -metrics::log_loss(codes, prediction, n_classes, weights)
            }
            (Metric::Accuracy, &Response::Classes { codes, n_classes }) => {
                metrics::accuracy(codes, prediction, n_classes, weights)
            }
            _ => f64::NAN,
        }
    }
}
