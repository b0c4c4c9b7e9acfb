//! The method that explains, chosen by name, and what the commands need of it.

use crate::method::MethodFlags;
use crate::options::{ReadFlags, wrong};
use crate::progress::Progress;
use crate::rows;
use crate::scoring::ScoreFlags;
use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, value_parser};
use lmdi::forest::Ensemble;
use lmdi::importance::lmdi_plus::OutputScale;
use lmdi::importance::{InterventionalTreeShap, LmdiPlus, LocalMethod, Method};
use lmdi::table::Schema;
use std::path::PathBuf;

fn method_parser() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .try_map(|name| Method::from_name(&name).ok_or("no such method"))
}

/// Methods that follow from the trees and fit nothing.
pub fn tree_method_parser() -> impl TypedValueParser<Value = Method> {
    let of_trees = Method::ALL.into_iter().filter(|&method| method != Method::LmdiPlus);
    PossibleValuesParser::new(of_trees.map(Method::name))
        .try_map(|name| Method::from_name(&name).ok_or("no such method"))
}

/// Which method explains.
#[derive(Args)]
pub struct ExplainerFlags {
    /// The method that explains; all but lmdi-plus follow from the trees and fit nothing
    #[arg(long, value_name = "METHOD", default_value = "lmdi-plus", value_parser = method_parser())]
    pub method: Method,
    /// Rows whose cells stand in for unknown ones, which makes tree-shap interventional
    #[arg(long, value_name = "FILE", value_parser = value_parser!(PathBuf))]
    background: Option<PathBuf>,
}

impl ExplainerFlags {
    /// Whether the method follows from the trees alone.
    pub fn fits_nothing(&self) -> bool {
        self.method != Method::LmdiPlus
    }

    /// Fails on flags that the method does not have, before any work.
    pub fn check(&self, fitting: Option<&MethodFlags>, result: &ScoreFlags) -> Result<()> {
        let name = self.method.name();
        if self.background.is_some() && self.method != Method::TreeShap {
            return Err(wrong("background", format!("given with {name}"), "--method tree-shap"));
        }
        let of_lmdi_plus = fitting
            .and_then(MethodFlags::first_given)
            .or_else(|| result.first_of_lmdi_plus().map(Into::into));
        match of_lmdi_plus.filter(|_| self.fits_nothing()) {
            Some(flag) => Err(wrong(
                "method",
                format!("{name}, with {flag}"),
                format!("lmdi-plus, which alone has {flag}"),
            )),
            None => Ok(()),
        }
    }

    /// The explainer of a method that fits nothing.
    pub fn ready(
        &self,
        ensemble: &Ensemble,
        schema: &Schema,
        reading: &ReadFlags,
    ) -> Result<Explainer> {
        let explainer: Box<dyn LocalMethod> =
            match (&self.background, self.method.of_trees(ensemble)) {
                (Some(background), _) => {
                    let x = rows::read(background, schema, &[], &[], reading)?.x;
                    let progress = Progress::new("Background", x.rows() as u64);
                    Box::new(InterventionalTreeShap::new(ensemble, &x.view(), &progress)?)
                }
                (None, Some(explainer)) => explainer?,
                (None, None) => {
                    let name = self.method.name();
                    return Err(wrong("method", name, "a method that fits nothing"));
                }
            };
        Ok(Explainer::Other(explainer))
    }
}

/// An explainer that is ready to score.
pub enum Explainer {
    /// LMDI+, which can do more than the others: some of the trees, standard errors, ranks by rank.
    LmdiPlus(Box<LmdiPlus>),
    Other(Box<dyn LocalMethod>),
}

impl Explainer {
    /// The scale of the scores.
    pub fn scale(&self) -> OutputScale {
        match self {
            Self::LmdiPlus(explainer) => explainer.scale(),
            Self::Other(explainer) => explainer.scale(),
        }
    }

    /// What base plus scores is, in words, unless it is a prediction on the scale.
    pub fn adds_up_to(&self) -> Option<&'static str> {
        match self {
            Self::LmdiPlus(_) => None,
            Self::Other(explainer) => explainer.adds_up_to(),
        }
    }
}
