//! The method that explains, chosen by name, and what the commands need of it.

use crate::learning::Rows;
use crate::local::LocalFlags;
use crate::method::MethodFlags;
use crate::options::{ReadFlags, named, wrong};
use crate::scoring::ScoreFlags;
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lmdi::forest::Ensemble;
use lmdi::importance::lmdi_plus::{LmdiPlusOptions, OutputScale};
use lmdi::importance::{LmdiPlus, LocalMethod, Method, Needs};
use lmdi::monitor::Monitor;
use lmdi::named::Named;
use lmdi::table::Schema;

/// Methods that follow from the trees and fit nothing.
pub fn tree_method_parser() -> impl TypedValueParser<Value = Method> {
    let of_trees = Method::ALL.iter().filter(|method| method.needs() == Needs::Trees);
    PossibleValuesParser::new(of_trees.map(|method| method.name()))
        .try_map(|name| Method::from_name(&name))
}

/// Which method explains.
#[derive(Args)]
pub struct ExplainerFlags {
    /// The method that explains; lmdi-plus and maple learn from training rows, lime from background rows,
    /// the others follow from the trees
    #[arg(long, value_name = "METHOD", default_value = "lmdi-plus", value_parser = named::<Method>())]
    pub method: Method,
    #[command(flatten)]
    pub local: LocalFlags,
}

impl ExplainerFlags {
    /// Whether LMDI+ explains.
    pub fn is_lmdi_plus(&self) -> bool {
        self.method == Method::LmdiPlus
    }

    /// Fails on flags that the method does not have, before any work.
    pub fn check(&self, fitting: Option<&MethodFlags>, result: &ScoreFlags) -> Result<()> {
        self.local.check(Some(self.method))?;
        let of_lmdi_plus = fitting
            .and_then(MethodFlags::first_given)
            .or_else(|| result.first_of_lmdi_plus().map(Into::into));
        match of_lmdi_plus.filter(|_| !self.is_lmdi_plus()) {
            Some(flag) => Err(wrong(
                "method",
                format!("{}, with {flag}", self.method.name()),
                format!("lmdi-plus, which alone has {flag}"),
            )),
            None => Ok(()),
        }
    }

    /// The explainer of a model, from its training rows. `fitting` and `monitor` are for LMDI+.
    pub fn teach(
        &self,
        taught: &Taught<'_>,
        fitting: &LmdiPlusOptions,
        monitor: &dyn Monitor,
    ) -> Result<Explainer> {
        let Taught { ensemble, schema, rows, reading } = *taught;
        Ok(match self.method {
            Method::LmdiPlus => {
                let (y, weights) = (rows.y.response(), rows.weights.as_deref());
                let fitted =
                    LmdiPlus::fit(ensemble, &rows.x.view(), &y, weights, fitting, monitor)?;
                Explainer::LmdiPlus(Box::new(fitted))
            }
            Method::Maple => Explainer::Other(self.local.maple(ensemble, rows)?),
            method => {
                let data = Some(&rows.x);
                Explainer::Other(self.local.ready(method, ensemble, schema, data, reading)?)
            }
        })
    }
}

/// A model, and what an explainer may learn from.
pub struct Taught<'t> {
    pub ensemble: &'t Ensemble,
    pub schema: &'t Schema,
    /// The training rows.
    pub rows: &'t Rows,
    pub reading: &'t ReadFlags,
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
