//! What an experiment is: units that can be run in any order, and a page made of what they
//! measured.

use super::context::Context;
use super::options::Options;
use super::records::Records;
use crate::data::DataSet;
use crate::methods::Method;
use anyhow::Result;
use lmdi_report::plot::Picture;

/// A number that a unit measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The method it is about; empty for a number that belongs to none.
    pub method: &'static str,
    /// What was measured.
    pub measure: String,
    pub value: f64,
}

/// What is shown of an experiment's results.
pub struct Page {
    /// Markdown below the heading.
    pub text: String,
    /// Pictures with their names, without an ending.
    pub pictures: Vec<(String, Picture)>,
}

/// An experiment. A unit is one repetition of one setting.
pub trait Experiment: Sync {
    /// One repetition of one setting.
    type Unit: Sync;

    /// Its name on the command line and of its directory of results.
    const NAME: &'static str;
    /// The heading of its page.
    const TITLE: &'static str;
    /// Names of the columns that tell units apart; the last is the repetition.
    const FIELDS: &'static [&'static str];
    /// Whether units may run side by side; measurements of time may not.
    const SIDE_BY_SIDE: bool = true;

    /// All units, repetition by repetition, so that an unfinished run has whole repetitions.
    fn units(&self, options: &Options) -> Result<Vec<Self::Unit>>;

    /// The cells of [`Experiment::FIELDS`].
    fn fields(&self, unit: &Self::Unit) -> Vec<String>;

    /// The data sets that the units need.
    fn sets(&self, options: &Options) -> Result<Vec<&'static DataSet>>;

    /// The methods that are compared.
    fn methods(&self, options: &Options) -> Result<Vec<Method>>;

    /// Whether a method can be measured in a unit.
    fn applies(&self, _method: Method, _unit: &Self::Unit) -> bool {
        true
    }

    /// Runs a unit with some of its methods. What one method measures must not depend on the others.
    fn run(
        &self,
        unit: &Self::Unit,
        methods: &[Method],
        context: &Context,
    ) -> Result<Vec<Measurement>>;

    /// Puts results beside the paper's.
    fn page(&self, records: &Records) -> Result<Page>;
}
