//! What the linear models are fitted to: responses and extra weights, per tree and output.
//!
//! The response of a forest's tree is the response itself (classes: indicator of the class). A boosted
//! tree is fitted to the Newton step `-g/h` with weight h, where g and h are the first and the second derivative of
//! the loss at a margin; for squared errors that is the residual with weight one.
//!
//! [`super::leaf_steps`] brings both to the scale of the tree's own leaf values.

use crate::forest::predict::{logistic, softmax};
use crate::forest::{Ensemble, Link, Loss, Outcome};
use crate::glm::Family;
use crate::importance::OutputScale;
use crate::importance::lmdi_plus::model::outputs_of;
use crate::importance::lmdi_plus::options::{FitTo, LmdiPlusOptions};
use crate::named::Named;
use crate::table::Response;
use crate::{Error, Result};

/// Curvature below this is as good as none; it bounds working responses.
const LEAST_CURVATURE: f64 = 1e-6;

/// Exponents are kept below this, so that no mean is infinite.
const LARGEST_LOGARITHM: f64 = 700.0;

/// The family, scale and outputs of the fits.
pub(super) struct Plan {
    pub family: Family,
    pub scale: OutputScale,
    pub n_outputs: usize,
    /// Class of every row for stratified folds; empty where least squares needs none.
    pub strata: Vec<u32>,
}

impl Plan {
    pub(super) fn new(
        ensemble: &Ensemble,
        response: &Response<'_>,
        options: &LmdiPlusOptions,
    ) -> Result<Self> {
        let family = options.family;
        match (&ensemble.outcome, response) {
            (Outcome::Number, Response::Numeric(_)) => {}
            (Outcome::Classes(labels), Response::Classes { n_classes, .. })
                if labels.len() == *n_classes => {}
            _ => {
                return Err(Error::Data(
                    "the response does not fit the model: a model of numbers needs numbers, a model of \
                     classes needs its own classes"
                        .into(),
                ));
            }
        }
        if ensemble.growth.loss() == Some(Loss::Other) {
            return Err(Error::Data(
                "LMDI+ refits every tree to what it was grown on, and that is not known for the objective \
                 of this model (it is for squared error, log-loss, Poisson, gamma and Tweedie). TreeSHAP \
                 and Saabas need the trees alone"
                    .into(),
            ));
        }
        if ensemble.is_boosted() || options.fit_to == FitTo::Model {
            check_range(ensemble.growth.loss(), response)?;
            if let Some(family) = family.filter(|family| *family != Family::Gaussian) {
                return Err(Error::Parameter {
                    name: "family",
                    found: family.name().into(),
                    expected: if ensemble.is_boosted() {
                        "gaussian: the trees of a boosted model are fitted to gradients"
                    } else {
                        "gaussian, unless fit_to is response: leaf values are fitted by least squares"
                    }
                    .into(),
                });
            }
            return Ok(Self {
                family: Family::Gaussian,
                scale: match ensemble.link {
                    Link::Identity => OutputScale::Identity,
                    Link::Logit | Link::OneVsRest => OutputScale::LogOdds,
                    Link::Softmax => OutputScale::Softmax,
                    Link::Log => OutputScale::Log,
                },
                n_outputs: outputs_of(ensemble),
                strata: Vec::new(),
            });
        }
        match response {
            Response::Numeric(values) => {
                let family = family.unwrap_or(Family::Gaussian);
                let lowest = values.iter().fold(f64::INFINITY, |low, &y| low.min(y));
                let scale = match family {
                    Family::Gaussian => OutputScale::Identity,
                    Family::Poisson if lowest >= 0.0 => OutputScale::Log,
                    Family::Poisson => {
                        return Err(Error::Data(format!(
                            "the smallest response is {lowest}; the poisson family needs numbers that are \
                             not negative"
                        )));
                    }
                    Family::Binomial => {
                        return Err(Error::Parameter {
                            name: "family",
                            found: "binomial".into(),
                            expected: "gaussian or poisson for a response of numbers".into(),
                        });
                    }
                };
                Ok(Self { family, scale, n_outputs: 1, strata: Vec::new() })
            }
            Response::Classes { codes, n_classes } => {
                let family = family.unwrap_or(Family::Binomial);
                let scale = match family {
                    Family::Binomial => OutputScale::LogOdds,
                    // Class indicators by least squares: scores are shares of probability.
                    Family::Gaussian => OutputScale::Identity,
                    Family::Poisson => {
                        return Err(Error::Parameter {
                            name: "family",
                            found: "poisson".into(),
                            expected: "binomial or gaussian for a response of classes".into(),
                        });
                    }
                };
                let by_class = !ensemble.output_of_tree.is_empty();
                let n_outputs = if *n_classes == 2 && !by_class { 1 } else { *n_classes };
                Ok(Self { family, scale, n_outputs, strata: codes.to_vec() })
            }
        }
    }
}

/// Fails on a response that the loss of boosted trees is not defined for.
pub(super) fn check_range(loss: Option<Loss>, response: &Response<'_>) -> Result<()> {
    let Response::Numeric(values) = response else { return Ok(()) };
    let lowest = values.iter().fold(f64::INFINITY, |low, &y| low.min(y));
    let expected = match loss {
        Some(Loss::Poisson | Loss::Tweedie { .. }) if lowest < 0.0 => "not negative",
        Some(Loss::Gamma) if lowest <= 0.0 => "above zero",
        _ => return Ok(()),
    };
    Err(Error::Data(format!(
        "the smallest response is {lowest}; the loss of this model needs numbers that are {expected}"
    )))
}

/// The response of one of `n_outputs` outputs of independent trees.
pub(super) fn independent_response(
    response: &Response<'_>,
    n_outputs: usize,
    output: usize,
) -> Vec<f64> {
    (0..response.len()).map(|row| response_at(response, n_outputs, output, row)).collect()
}

/// The response of a row for one of `n_outputs` outputs: the number, or whether the row is of the
/// output's class.
#[inline]
pub(super) fn response_at(
    response: &Response<'_>,
    n_outputs: usize,
    output: usize,
    row: usize,
) -> f64 {
    match response {
        Response::Numeric(values) => values[row],
        Response::Classes { codes, .. } => {
            let class = if n_outputs == 1 { 1 } else { output as u32 };
            f64::from(u8::from(codes[row] == class))
        }
    }
}

/// Working responses of one output of a boosted ensemble at margins `margin` (rows x outputs), and the
/// weights that go with them (`None` where all are one).
pub(super) fn working_response(
    ensemble: &Ensemble,
    response: &Response<'_>,
    margin: &[f64],
    output: usize,
) -> (Vec<f64>, Option<Vec<f64>>) {
    let n_outputs = ensemble.n_outputs;
    let loss = ensemble.growth.loss().unwrap_or(Loss::SquaredError);
    let weighted = loss != Loss::SquaredError;
    let mut target = Vec::with_capacity(response.len());
    let mut weight = Vec::new();
    let mut row = vec![0.0; n_outputs];
    for (index, margins) in margin.chunks_exact(n_outputs).enumerate() {
        let y = match response {
            Response::Numeric(values) => values[index],
            Response::Classes { codes, .. } if n_outputs == 1 => f64::from(codes[index]),
            Response::Classes { codes, .. } => f64::from(u8::from(codes[index] as usize == output)),
        };
        let mean = || libm::exp(margins[output].min(LARGEST_LOGARITHM));
        let (residual, curvature) = match loss {
            // No plan is made for other losses.
            Loss::SquaredError | Loss::Other => (y - margins[output], 1.0),
            Loss::Logistic => {
                let p = logistic(margins[output]);
                (y - p, p * (1.0 - p))
            }
            Loss::Multinomial => {
                row.copy_from_slice(margins);
                softmax(&mut row);
                (y - row[output], row[output] * (1.0 - row[output]))
            }
            Loss::Poisson => (y - mean(), mean()),
            Loss::Gamma => {
                let ratio = y / mean();
                (ratio - 1.0, ratio)
            }
            Loss::Tweedie { power } => {
                let margin = margins[output].clamp(-LARGEST_LOGARITHM, LARGEST_LOGARITHM);
                let a = y * libm::exp((1.0 - power) * margin);
                let b = libm::exp((2.0 - power) * margin);
                (a - b, (power - 1.0) * a + (2.0 - power) * b)
            }
        };
        if weighted {
            let curvature = curvature.max(LEAST_CURVATURE);
            target.push(residual / curvature);
            weight.push(curvature);
        } else {
            target.push(residual);
        }
    }
    (target, weighted.then_some(weight))
}
