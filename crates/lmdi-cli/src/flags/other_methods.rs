//! Options of the local methods other than LMDI+.

use super::{invalid, named};
use anyhow::Result;
use clap::Args;
use lmdi::importance::Method;
use lmdi::importance::lime::{LimeOptions, Selection};
use lmdi::importance::maple::MapleOptions;
use lmdi::named::Named;
use lmdi::table::Schema;
use std::path::PathBuf;

/// What the methods beside LMDI+ need and let a user choose.
#[derive(Args, Clone)]
pub struct OtherMethodFlags {
    /// Background rows: tree-shap takes unknown cells from them and is then interventional; lime
    /// draws neighbours from them [default for lime: the training rows, or DATA]
    #[arg(long, value_name = "FILE", help_heading = "Other methods")]
    pub background: Option<PathBuf>,
    /// Number of neighbours that lime draws, at most a million [default: none where expected values
    /// over neighbours can be computed, else 5000]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_samples: Option<usize>,
    /// Width of lime's kernel [default: 0.75 times the root of the number of columns]
    #[arg(long, value_name = "X", help_heading = "Other methods")]
    lime_kernel_width: Option<f64>,
    /// Strength of lime's ridge penalty [default: 1]
    #[arg(long, value_name = "X", help_heading = "Other methods")]
    lime_alpha: Option<f64>,
    /// Maximum number of columns with a score per row [default: all]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_columns: Option<usize>,
    /// How lime chooses columns [default: auto]
    #[arg(long, value_parser = named::<Selection>(), value_name = "HOW", help_heading = "Other methods")]
    lime_selection: Option<Selection>,
    /// Number of bins of a numeric column: 4 are quartiles, 10 deciles [default: 4]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_bins: Option<usize>,
    /// Random seed of the neighbours that lime draws [default: 0]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_seed: Option<u64>,
    /// Strength of maple's ridge penalty [default: 0.001]
    #[arg(long, value_name = "X", help_heading = "Other methods")]
    maple_alpha: Option<f64>,
    /// Number of columns in maple's linear models [default: the number that predicts best]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    maple_columns: Option<usize>,
}

impl OtherMethodFlags {
    /// Fails on flags that the method does not have, before any work; `None` is a method that has
    /// none.
    pub fn check(&self, method: Option<Method>) -> Result<()> {
        let lime = &[Method::Lime][..];
        let maple = &[Method::Maple][..];
        let given = [
            ("background", self.background.is_some(), &[Method::TreeShap, Method::Lime][..]),
            ("lime_samples", self.lime_samples.is_some(), lime),
            ("lime_kernel_width", self.lime_kernel_width.is_some(), lime),
            ("lime_alpha", self.lime_alpha.is_some(), lime),
            ("lime_columns", self.lime_columns.is_some(), lime),
            ("lime_selection", self.lime_selection.is_some(), lime),
            ("lime_bins", self.lime_bins.is_some(), lime),
            ("lime_seed", self.lime_seed.is_some(), lime),
            ("maple_alpha", self.maple_alpha.is_some(), maple),
            ("maple_columns", self.maple_columns.is_some(), maple),
        ];
        let refused = |methods: &[Method]| !method.is_some_and(|method| methods.contains(&method));
        match given.into_iter().find(|(_, given, methods)| *given && refused(methods)) {
            None => Ok(()),
            Some((name, _, methods)) => {
                let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
                let expected = format!("--method {}", names.join(" or "));
                Err(invalid(name, "given with another method", expected))
            }
        }
    }

    /// The options of MAPLE.
    pub fn maple(&self) -> MapleOptions {
        let default = MapleOptions::default();
        MapleOptions::default()
            .with_alpha(self.maple_alpha.unwrap_or(default.alpha))
            .with_n_columns(self.maple_columns)
    }

    /// The options of LIME.
    pub fn lime(&self, schema: &Schema) -> LimeOptions {
        let default = LimeOptions::for_schema(schema);
        default
            .clone()
            .with_n_samples(self.lime_samples)
            .with_kernel_width(self.lime_kernel_width)
            .with_alpha(self.lime_alpha.unwrap_or(default.alpha))
            .with_selection(self.lime_selection.unwrap_or(default.selection))
            .with_max_columns(self.lime_columns)
            .with_n_bins(self.lime_bins.unwrap_or(default.n_bins))
            .with_seed(self.lime_seed.unwrap_or(default.seed))
    }
}
