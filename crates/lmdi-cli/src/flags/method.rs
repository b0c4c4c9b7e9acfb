//! The method that explains, chosen by name.

use super::lmdi_plus::LmdiPlusFlags;
use super::other_methods::OtherMethodFlags;
use super::result::ResultFlags;
use super::{invalid, named};
use crate::input::tables::TableReader;
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lmdi::importance::lmdi_plus::LmdiPlusOptions;
use lmdi::importance::{Method, Needs};
use lmdi::named::Named;
use lmdi::study::{ExplainerOptions, Sample};
use lmdi::table::Schema;

/// Methods that follow from the trees and fit nothing.
pub fn tree_method_parser() -> impl TypedValueParser<Value = Method> {
    let of_trees = Method::ALL.iter().filter(|method| method.needs() == Needs::Trees);
    PossibleValuesParser::new(of_trees.map(|method| method.name()))
        .try_map(|name| Method::from_name(&name))
}

/// Which method explains.
#[derive(Args, Clone)]
pub struct MethodFlags {
    /// The explanation method; lmdi-plus and maple learn from training rows, lime from background
    /// rows, and the others need only the trees
    #[arg(long, value_name = "METHOD", default_value = "lmdi-plus", value_parser = named::<Method>())]
    pub method: Method,
    #[command(flatten)]
    pub others: OtherMethodFlags,
}

impl MethodFlags {
    /// Whether LMDI+ explains.
    pub fn is_lmdi_plus(&self) -> bool {
        self.method == Method::LmdiPlus
    }

    /// Fails on flags that the method does not have, before any work.
    pub fn check(
        &self,
        lmdi_plus: Option<&LmdiPlusFlags>,
        result: Option<&ResultFlags>,
    ) -> Result<()> {
        self.others.check(Some(self.method))?;
        let of_lmdi_plus = lmdi_plus
            .and_then(LmdiPlusFlags::first_given)
            .or_else(|| result.and_then(ResultFlags::first_of_lmdi_plus).map(Into::into));
        match of_lmdi_plus.filter(|_| !self.is_lmdi_plus()) {
            Some(flag) => Err(invalid(
                "method",
                format!("{}, with {flag}", self.method.name()),
                format!("lmdi-plus, which alone has {flag}"),
            )),
            None => Ok(()),
        }
    }

    /// Fails if the method needs background rows and no flag names their table.
    pub fn check_background(&self) -> Result<()> {
        if self.method.needs() == Needs::Background && self.others.background.is_none() {
            let expected = "--background FILE: lime draws neighbours from its rows";
            return Err(invalid("background", "not given", expected));
        }
        Ok(())
    }

    /// The method with its options, for a model that reads this schema. Background rows are read
    /// here.
    pub fn options(
        &self,
        schema: &Schema,
        lmdi_plus: LmdiPlusOptions,
        reader: &TableReader,
    ) -> Result<ExplainerOptions> {
        let background = match &self.others.background {
            Some(path) => Some(reader.rows(path, schema, &[], &[], Sample::Unspecified)?.x),
            None => None,
        };
        let options = match self.method {
            Method::LmdiPlus => ExplainerOptions::LmdiPlus(lmdi_plus),
            Method::TreeShap => ExplainerOptions::TreeShap { background },
            Method::Saabas => ExplainerOptions::Saabas,
            Method::LocalMdi => ExplainerOptions::LocalMdi,
            Method::Lime => {
                ExplainerOptions::Lime { options: self.others.lime(schema), background }
            }
            Method::Maple => ExplainerOptions::Maple(self.others.maple()),
        };
        options.check(schema.n_encoded()).map_err(|error| match (error, self.method) {
            (lmdi::Error::Parameter { name: "alpha", found, expected }, Method::Lime) => {
                invalid("lime_alpha", found, expected)
            }
            (lmdi::Error::Parameter { name: "alpha", found, expected }, Method::Maple) => {
                invalid("maple_alpha", found, expected)
            }
            (other, _) => other.into(),
        })?;
        Ok(options)
    }
}
