//! Global importance from a local method: the mean |score| over the rows of a table.

use crate::local::LocalFlags;
use crate::options::ReadFlags;
use crate::preparation::{rows_with_target, target_of};
use crate::progress::Progress;
use crate::rows;
use anyhow::{Result, bail};
use lmdi::explanation::sum_groups;
use lmdi::file::Model;
use lmdi::importance::lmdi_plus::ScoreOptions;
use lmdi::importance::{Groups, Importances, Method, Scores};
use lmdi::named::Named;
use lmdi::table::{Matrix, Schema};
use std::io::Write;
use std::path::Path;

/// What the mean is taken of.
pub struct MeanScore<'a> {
    pub method: Method,
    pub local: &'a LocalFlags,
    pub model: Model,
    /// The name of the model's file, safe to print.
    pub name: &'a str,
    pub schema: Schema,
    pub target: Option<&'a String>,
    pub data: &'a Path,
    pub reading: &'a ReadFlags,
}

impl MeanScore<'_> {
    /// The importances, and in words what they are.
    pub fn measure(
        mut self,
        groups: &Groups,
        out: &mut dyn Write,
    ) -> Result<(Importances, String)> {
        let scores = match self.method {
            Method::LmdiPlus => self.lmdi_plus()?,
            Method::Maple => self.maple(out)?,
            method => {
                let x = self.read()?;
                let (ensemble, reading) = (&self.model.ensemble, self.reading);
                let ready = self.local.ready(method, ensemble, &self.schema, Some(&x), reading)?;
                ready.explain(&x.view(), &Progress::new("Scoring", x.rows() as u64))?
            }
        };
        let found = Importances::of_scores(&sum_groups(&scores, groups)?)?;
        Ok((found, format!("mean |score| of {} over rows", self.method.name())))
    }

    fn read(&self) -> Result<Matrix> {
        Ok(rows::read(self.data, &self.schema, &[], &[], self.reading)?.x)
    }

    fn lmdi_plus(&mut self) -> Result<Scores> {
        let Some(kept) = self.model.explainer.take() else {
            bail!(
                "{}: the model has no explainer; make one with `lmdi explain DATA --model MODEL --save MODEL`",
                self.name
            );
        };
        let (explainer, x) = (kept.ready(&self.model.ensemble)?, self.read()?);
        let progress = Progress::new("Scoring", x.rows() as u64);
        Ok(explainer.score(&x.view(), &ScoreOptions::default(), &progress)?)
    }

    fn maple(&mut self, out: &mut dyn Write) -> Result<Scores> {
        self.schema.target = Some(target_of(&self.model, &self.schema, self.target, self.name)?);
        let (rows, ..) =
            rows_with_target(self.data, &self.schema, &[], self.reading, |_, _| Ok(()), out)?;
        let explainer = self.local.maple(&self.model.ensemble, &rows)?;
        let progress = Progress::new("Scoring", rows.x.rows() as u64);
        Ok(explainer.explain(&rows.x.view(), &progress)?)
    }
}
