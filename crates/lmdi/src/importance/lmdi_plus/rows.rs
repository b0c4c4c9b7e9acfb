//! The rows that LMDI+ fits and validates on, once the model and the table are known.

use super::options::{FitOn, LmdiPlusOptions, Validation};
use crate::forest::Ensemble;
use crate::named::Named;
use crate::{Error, Result};

/// The options resolved for one model and table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowChoice {
    /// Rows that a tree's linear model is fitted on.
    pub fit_on: FitOn,
    /// Rows on which the error of penalties is measured.
    pub validation: Validation,
    /// Whether it is known which trees were grown on each row.
    pub bags_known: bool,
}

impl LmdiPlusOptions {
    /// Resolves the options for a model and a table with this many rows. Options that need to know
    /// the rows of each tree are an error if these are unknown.
    pub fn rows(&self, ensemble: &Ensemble, rows: usize) -> Result<RowChoice> {
        let known = ensemble.trees.iter().all(|tree| tree.in_bag.is_some());
        let boosted = ensemble.is_boosted();
        let default = if known && !boosted { FitOn::All } else { FitOn::Uniform };
        let fit_on = self.fit_on.unwrap_or(default);
        if fit_on != FitOn::Uniform && !known {
            return Err(Error::Parameter {
                name: FitOn::PARAMETER,
                found: fit_on.name().into(),
                expected: "uniform: this model does not tell which rows each tree was grown on"
                    .into(),
            });
        }
        let both = matches!(fit_on, FitOn::All | FitOn::Uniform);
        let validation = match self.validation {
            Some(Validation::OutOfBag) if !(known && both) => {
                return Err(Error::Parameter {
                    name: Validation::PARAMETER,
                    found: format!("oob, with fit_on {}", fit_on.name()),
                    expected: if known {
                        "folds, unless fit_on is all or uniform: in-bag rows are fitted, out-of-bag rows judge"
                    } else {
                        "folds: this model does not tell which rows each tree was grown on"
                    }
                    .into(),
                });
            }
            Some(asked) => asked,
            None if known && both => Validation::OutOfBag,
            None => Validation::Folds,
        };
        // The default number of folds was not asked for; with fewer rows some folds are empty.
        let chosen = self.folds > Self::default().folds;
        if validation == Validation::Folds && chosen && self.folds > rows {
            return Err(Error::Parameter {
                name: "folds",
                found: format!("{}, with {rows} rows", self.folds),
                expected: "at most one fold per row".into(),
            });
        }
        let lengths = ensemble.trees.iter().filter_map(|tree| tree.in_bag.as_ref());
        let other = lengths.map(|in_bag| in_bag.len()).find(|&len| len != rows);
        if let Some(found) = other
            && (fit_on != FitOn::Uniform || validation == Validation::OutOfBag)
        {
            return Err(Error::Data(format!(
                "the model was trained on {found} rows but {rows} were given; pass the training rows in their \
                 original order, or choose fit_on uniform with validation folds for other rows"
            )));
        }
        Ok(RowChoice { fit_on, validation, bags_known: known && other.is_none() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forest::InBag;
    use crate::forest::train::{ForestParams, TrainingSet, train_forest};
    use crate::monitor::Silent;
    use crate::table::{Matrix, Response};

    const ROWS: usize = 12;

    #[test]
    fn more_folds_than_rows_are_refused() {
        let options = |folds| LmdiPlusOptions {
            validation: Some(Validation::Folds),
            folds,
            ..LmdiPlusOptions::default()
        };
        assert!(options(ROWS).rows(&forest(), ROWS).is_ok());
        let error = options(ROWS + 1).rows(&forest(), ROWS).expect_err("too many");
        assert!(error.to_string().contains("13, with 12 rows"), "{error}");
    }

    fn forest() -> Ensemble {
        let x = Matrix::from_column_major((0..ROWS as u32).map(f64::from).collect(), ROWS, 1)
            .expect("a column");
        let names = ["a".to_owned()];
        let y = x.column(0).to_vec();
        let set = TrainingSet {
            x: x.view(),
            y: Response::Numeric(&y),
            weights: None,
            feature_names: &names,
            labels: &[],
        };
        let params = ForestParams { n_trees: 2, ..ForestParams::regression() };
        train_forest(&set, &params, &Silent).expect("a forest")
    }

    fn without_bags() -> Ensemble {
        let mut forest = forest();
        forest.trees.iter_mut().for_each(|tree| tree.in_bag = None);
        forest
    }

    fn choice(fit_on: FitOn, validation: Validation, bags_known: bool) -> RowChoice {
        RowChoice { fit_on, validation, bags_known }
    }

    #[test]
    fn presets_use_bags_where_they_are_known() {
        let [own, paper] = [LmdiPlusOptions::default(), LmdiPlusOptions::paper()];
        let of =
            |options: &LmdiPlusOptions, model: &Ensemble| options.rows(model, ROWS).expect("rows");
        let (bagged, plain) = (forest(), without_bags());
        assert_eq!(of(&own, &bagged), choice(FitOn::Uniform, Validation::OutOfBag, true));
        assert_eq!(of(&own, &plain), choice(FitOn::Uniform, Validation::Folds, false));
        assert_eq!(of(&paper, &bagged), choice(FitOn::All, Validation::Folds, true));
        assert_eq!(of(&paper, &plain), choice(FitOn::Uniform, Validation::Folds, false));
        for fit_on in [FitOn::InBag, FitOn::OutOfBag] {
            let options = LmdiPlusOptions { fit_on: Some(fit_on), ..own.clone() };
            assert_eq!(of(&options, &bagged), choice(fit_on, Validation::Folds, true));
        }
    }

    #[test]
    fn choices_that_need_bags_are_refused_without_them() {
        let own = LmdiPlusOptions::default();
        let judged = LmdiPlusOptions { validation: Some(Validation::OutOfBag), ..own.clone() };
        let says = |options: &LmdiPlusOptions, model: &Ensemble, rows: usize| {
            options.rows(model, rows).expect_err("refused").to_string()
        };
        assert!(says(&judged, &without_bags(), ROWS).contains("does not tell"));
        for fit_on in [FitOn::All, FitOn::InBag, FitOn::OutOfBag] {
            let options = LmdiPlusOptions { fit_on: Some(fit_on), ..own.clone() };
            assert!(says(&options, &without_bags(), ROWS).contains("does not tell"), "{fit_on:?}");
            assert!(says(&options, &forest(), ROWS + 1).contains("trained on 12 rows but 13"));
        }
        let half = LmdiPlusOptions { fit_on: Some(FitOn::InBag), ..judged };
        assert!(says(&half, &forest(), ROWS).contains("unless fit_on is all or uniform"));
    }

    /// Other rows than the model was trained on, fewer or more: every row counts once, with
    /// validation by folds.
    #[test]
    fn other_rows_need_folds() {
        let own = LmdiPlusOptions::default();
        let folds = LmdiPlusOptions { validation: Some(Validation::Folds), ..own.clone() };
        for rows in [ROWS - 1, ROWS + 1] {
            let error = own.rows(&forest(), rows).expect_err("refused").to_string();
            assert!(error.contains("validation folds"), "{error}");
            let found = folds.rows(&forest(), rows).expect("rows");
            assert_eq!(found, choice(FitOn::Uniform, Validation::Folds, false));
        }
        let mut wide = forest();
        for tree in &mut wide.trees {
            tree.in_bag = Some(InBag::from_counts(vec![1; 5]));
        }
        assert!(!folds.rows(&wide, ROWS).expect("rows").bags_known);
    }
}
