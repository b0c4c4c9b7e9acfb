//! The local methods beside LMDI+: their flags, and how each is made ready.

use crate::learning::Rows;
use crate::options::{ReadFlags, named, wrong};
use crate::progress::Progress;
use crate::rows;
use anyhow::Result;
use clap::Args;
use lmdi::forest::Ensemble;
use lmdi::importance::lime::{Lime, LimeOptions, Selection};
use lmdi::importance::maple::{Maple, MapleOptions};
use lmdi::importance::{InterventionalTreeShap, LocalMethod, Method};
use lmdi::named::Named;
use lmdi::table::{Matrix, Schema};
use std::path::PathBuf;

/// What the methods beside LMDI+ need and let a user choose.
#[derive(Args)]
pub struct LocalFlags {
    /// Rows that stand for the data: tree-shap takes unknown cells from them (it is then interventional),
    /// lime draws neighbours from them [default for lime: the training rows, or DATA]
    #[arg(long, value_name = "FILE", help_heading = "Other methods")]
    background: Option<PathBuf>,
    /// Neighbours that lime draws, at most a million [default: 5000]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_samples: Option<usize>,
    /// Width of lime's kernel [default: 0.75 times the root of the number of columns]
    #[arg(long, value_name = "X", help_heading = "Other methods")]
    lime_kernel_width: Option<f64>,
    /// Strength of lime's penalty [default: 1]
    #[arg(long, value_name = "X", help_heading = "Other methods")]
    lime_alpha: Option<f64>,
    /// Most columns with a score in a row [default: all]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_columns: Option<usize>,
    /// How lime chooses them [default: auto]
    #[arg(long, value_parser = named::<Selection>(), value_name = "HOW", help_heading = "Other methods")]
    lime_selection: Option<Selection>,
    /// Bins that lime cuts a numeric column into: 4 are quartiles, 10 deciles [default: 4]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_bins: Option<usize>,
    /// Seed of lime's draws [default: 0]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    lime_seed: Option<u64>,
    /// Strength of maple's penalty [default: 0.001]
    #[arg(long, value_name = "X", help_heading = "Other methods")]
    maple_alpha: Option<f64>,
    /// Columns of maple's linear models [default: as many as predict best]
    #[arg(long, value_name = "N", help_heading = "Other methods")]
    maple_columns: Option<usize>,
}

impl LocalFlags {
    /// Whether the rows that stand for the data have a table of their own.
    pub fn has_background(&self) -> bool {
        self.background.is_some()
    }

    /// Fails on flags that the method does not have, before any work; `None` is a method that has none.
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
                Err(wrong(name, "given with another method", expected))
            }
        }
    }

    /// The explainer of a method that needs no responses. `data` stands for the data where a method needs
    /// that and `--background` does not tell it.
    pub fn ready(
        &self,
        method: Method,
        ensemble: &Ensemble,
        schema: &Schema,
        data: Option<&Matrix>,
        reading: &ReadFlags,
    ) -> Result<Box<dyn LocalMethod>> {
        let background = match &self.background {
            Some(path) => Some(rows::read(path, schema, &[], &[], reading)?.x),
            None => None,
        };
        match (method, background.as_ref(), method.of_trees(ensemble)) {
            (Method::TreeShap, Some(rows), _) => {
                let progress = Progress::new("Background", rows.rows() as u64);
                Ok(Box::new(InterventionalTreeShap::new(ensemble, &rows.view(), &progress)?))
            }
            (Method::Lime, rows, _) => {
                let Some(rows) = rows.or(data) else {
                    let expected = "--background FILE: lime draws neighbours from its rows";
                    return Err(wrong("background", "not given", expected));
                };
                Ok(Box::new(Lime::new(ensemble, &rows.view(), self.lime_options(schema))?))
            }
            (_, _, Some(explainer)) => explainer.map_err(Into::into),
            (_, _, None) => {
                let expected = "a method that needs no responses";
                Err(wrong("method", method.name(), expected))
            }
        }
    }

    /// MAPLE of training rows.
    pub fn maple(&self, ensemble: &Ensemble, rows: &Rows) -> Result<Box<dyn LocalMethod>> {
        let usual = MapleOptions::default();
        let options = MapleOptions {
            alpha: self.maple_alpha.unwrap_or(usual.alpha),
            n_columns: self.maple_columns,
        };
        let progress = Progress::new("Fitting maple", ensemble.trees.len() as u64);
        let (x, y) = (rows.x.view(), rows.y.response());
        Ok(Box::new(Maple::fit(ensemble, &x, &y, None, &options, &progress)?))
    }

    fn lime_options(&self, schema: &Schema) -> LimeOptions {
        let usual = LimeOptions::for_schema(schema);
        LimeOptions {
            n_samples: self.lime_samples.unwrap_or(usual.n_samples),
            kernel_width: self.lime_kernel_width,
            alpha: self.lime_alpha.unwrap_or(usual.alpha),
            selection: self.lime_selection.unwrap_or(usual.selection),
            max_columns: self.lime_columns,
            n_bins: self.lime_bins.unwrap_or(usual.n_bins),
            seed: self.lime_seed.unwrap_or(usual.seed),
            ..usual
        }
    }
}
