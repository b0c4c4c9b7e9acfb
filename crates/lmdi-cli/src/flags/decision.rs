//! How the decision between two classes is made.

use super::invalid;
use anyhow::{Context, Result, bail};
use clap::Args;
use lmdi::file::Model;
use lmdi::forest::Outcome;
use lmdi::forest::decision::{check_threshold, threshold_of_costs};

/// How the decision between two classes is made.
#[derive(Args)]
pub struct DecisionFlags {
    /// With two labels, the one whose probability is reported and explained [default: the second in
    /// order]
    #[arg(long, value_name = "LABEL", help_heading = "Decision")]
    pub positive: Option<String>,
    /// Predict the positive label if its probability is at least P [default: the more probable
    /// label]
    #[arg(long, value_name = "P", value_parser = parse_probability, allow_negative_numbers = true,
        conflicts_with = "costs", help_heading = "Decision")]
    threshold: Option<f64>,
    /// Costs of a false positive and a false negative: the threshold is FP / (FP + FN)
    #[arg(long, value_name = "FP,FN", value_parser = parse_costs, allow_hyphen_values = true,
        help_heading = "Decision")]
    costs: Option<f64>,
}

/// Reads a probability.
pub fn parse_probability(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => bail!("expected a probability from 0 to 1, such as 0.3"),
    }
}

/// Reads two costs, and gives the threshold they mean.
fn parse_costs(text: &str) -> Result<f64> {
    let expected = "expected two numbers of at least 0, not both 0, such as 1,4";
    let (positive, negative) = text.split_once(',').context(expected)?;
    let number = |text: &str| text.trim().parse::<f64>().ok().context(expected);
    threshold_of_costs(number(positive)?, number(negative)?).ok().context(expected)
}

impl DecisionFlags {
    /// The threshold that was asked for.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold.or(self.costs)
    }

    /// Decides in a model that is trained already as the flags say.
    pub fn apply(&self, model: &mut Model) -> Result<()> {
        let labels: &[String] = match &model.ensemble.outcome {
            Outcome::Number => &[],
            Outcome::Classes(labels) => labels,
        };
        if let Some(label) = &self.positive {
            let [_, positive] = labels else {
                return Err(invalid("positive", format!("{label:?}"), "a model of two classes"));
            };
            if label != positive {
                let expected = format!(
                    "{positive:?}: probabilities and scores of a trained model are of its second label; \
                     train with --positive to turn it around"
                );
                return Err(invalid("positive", format!("{label:?}"), expected));
            }
        }
        if let Some(threshold) = self.threshold() {
            check_threshold(threshold, labels.len())?;
            model.threshold = Some(threshold);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_and_costs_are_parsed() {
        assert_eq!(parse_probability("0.3").expect("valid"), 0.3);
        assert_eq!(parse_costs("1, 4").expect("valid"), 0.2);
        for text in ["1.5", "-0.1", "nan", ""] {
            assert!(parse_probability(text).is_err(), "{text}");
        }
        for text in ["1", "0,0", "-1,2", "a,b", "1,2,3", "inf,1"] {
            assert!(parse_costs(text).is_err(), "{text}");
        }
    }
}
