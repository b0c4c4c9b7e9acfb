//! The target of a model: which column, and whether it is a number or one of several labels.
//!
//! The task follows from the column unless the user states it: text with two labels is binary, with
//! more it is multiclass; numbers are a regression unless there are exactly two distinct ones (such
//! as 0 and 1), which is binary. Integers with a few more values (ratings, counts) are a
//! regression, because classes would lose their order.
//!
//! Labels are ordered: false before true, numbers by size, other text by its bytes. In a binary
//! task the second label is the one whose probability is reported.

use super::kind::truth;
use crate::table::Response;
use crate::table::frame::{Frame, MISSING, Values, number_text, quoted_list};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// More labels than this are taken for a mistake (a name or an identifier as target).
pub const MAX_CLASSES: usize = 1000;

/// The kind of prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// A number.
    Regression,
    /// One of two labels.
    Binary,
    /// One of three or more labels.
    Multiclass,
}

impl Task {
    /// The name that users read and write.
    pub fn name(self) -> &'static str {
        match self {
            Task::Regression => "regression",
            Task::Binary => "binary",
            Task::Multiclass => "multiclass",
        }
    }
}

/// The target column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its name in the table.
    pub name: String,
    /// The task.
    pub task: Task,
    /// The labels in the order of their class index; empty for a regression.
    pub labels: Vec<String>,
}

/// Target cells of the rows that have one.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetCells {
    /// Numbers, all finite.
    Numbers(Vec<f64>),
    /// Class indices.
    Classes {
        /// The class index of each row.
        codes: Vec<u32>,
        /// How many classes there are.
        n_classes: usize,
    },
}

impl TargetCells {
    /// The cells as the algorithms read them.
    pub fn response(&self) -> Response<'_> {
        match self {
            TargetCells::Numbers(values) => Response::Numeric(values),
            TargetCells::Classes { codes, n_classes } => {
                Response::Classes { codes, n_classes: *n_classes }
            }
        }
    }

    /// The chosen cells, in the order given.
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            TargetCells::Numbers(values) => {
                TargetCells::Numbers(rows.iter().map(|&row| values[row]).collect())
            }
            TargetCells::Classes { codes, n_classes } => TargetCells::Classes {
                codes: rows.iter().map(|&row| codes[row]).collect(),
                n_classes: *n_classes,
            },
        }
    }
}

impl Target {
    /// Decides the task and the labels from the cells that are present.
    pub fn learn(frame: &Frame, name: &str, requested: Option<Task>) -> Result<Self> {
        let values = &frame.require(name)?.values;
        let labels = distinct_labels(values);
        match labels.len() {
            0 => return Err(Error::Data(format!("target {name:?} is missing in every row"))),
            1 => {
                return Err(Error::Data(format!(
                    "target {name:?} is constant (always {:?}); there is nothing to learn",
                    labels[0]
                )));
            }
            _ => {}
        }
        let numeric = matches!(values, Values::Numbers(_));
        let task = requested.unwrap_or(match labels.len() {
            2 => Task::Binary,
            _ if numeric => Task::Regression,
            _ => Task::Multiclass,
        });
        let invalid = |expected: &str| {
            Err(Error::Data(format!(
                "target {name:?} has {} distinct values ({}); {} needs {expected}",
                labels.len(),
                quoted_list(labels.iter().map(String::as_str)),
                task.name(),
            )))
        };
        match task {
            Task::Regression if !numeric => {
                return Err(Error::Data(format!(
                    "target {name:?} holds text such as {:?}; regression needs numbers",
                    labels[0]
                )));
            }
            Task::Binary if labels.len() != 2 => return invalid("exactly two"),
            Task::Multiclass if !(3..=MAX_CLASSES).contains(&labels.len()) => {
                return invalid(&format!("3 to {MAX_CLASSES}"));
            }
            Task::Multiclass => check_shared(name, values, &labels)?,
            _ => {}
        }
        let labels = if task == Task::Regression { Vec::new() } else { labels };
        Ok(Self { name: name.into(), task, labels })
    }

    /// The target with this one of its two labels as the second, whose probability is reported.
    pub fn with_positive(mut self, label: &str) -> Result<Self> {
        let invalid = |found: String, expected: String| {
            Err(Error::Parameter { name: "positive", found, expected })
        };
        if self.task != Task::Binary {
            let found = format!("{label:?} for target {:?} ({})", self.name, self.task.name());
            return invalid(found, "a target of two labels".into());
        }
        match self.labels.iter().position(|known| known == label) {
            Some(0) => self.labels.reverse(),
            Some(_) => {}
            None => {
                let known = quoted_list(self.labels.iter().map(String::as_str));
                let found = format!("{label:?}, which is no label of {:?}", self.name);
                return invalid(found, format!("one of {known}"));
            }
        }
        Ok(self)
    }

    /// The rows of `frame` in which column `name` is not missing: a row without a target must be
    /// left out before anything is learned.
    pub fn present_rows(frame: &Frame, name: &str) -> Result<Vec<usize>> {
        let present: Vec<usize> = match &frame.require(name)?.values {
            Values::Numbers(cells) => (0..cells.len()).filter(|&r| !cells[r].is_nan()).collect(),
            Values::Labels(labels) => {
                (0..labels.len()).filter(|&r| labels.codes()[r] != MISSING).collect()
            }
        };
        Ok(present)
    }

    /// The target cells of `frame`, none of which may be missing.
    pub fn cells(&self, frame: &Frame) -> Result<TargetCells> {
        let name = &self.name;
        let values = &frame.require(name)?.values;
        if self.task == Task::Regression {
            return match values {
                Values::Numbers(cells) => match cells.iter().position(|y| !y.is_finite()) {
                    None => Ok(TargetCells::Numbers(cells.clone())),
                    Some(row) => Err(self.unusable(row, number_text(cells[row]))),
                },
                Values::Labels(labels) => {
                    Err(self.unusable(0, labels.get(0).unwrap_or("missing").into()))
                }
            };
        }
        let class_of = |text: &str| self.labels.iter().position(|label| label == text);
        let codes: Vec<u32> = match values {
            Values::Numbers(cells) => {
                // Sorted distinct values first: formatting every cell would cost far more.
                let distinct = distinct_numbers(cells);
                let classes: Vec<Option<usize>> =
                    distinct.iter().map(|&x| class_of(&number_text(x))).collect();
                let code = |row: usize| {
                    let x = cells[row] + 0.0;
                    let at = distinct.binary_search_by(|other| other.total_cmp(&x)).ok()?;
                    classes[at]
                };
                self.codes(frame.rows(), code, |row| number_text(cells[row]))?
            }
            Values::Labels(labels) => {
                let classes: Vec<_> = labels.levels().iter().map(|level| class_of(level)).collect();
                let code = |row: usize| *classes.get(labels.codes()[row] as usize)?;
                self.codes(frame.rows(), code, |row| labels.get(row).unwrap_or("missing").into())?
            }
        };
        Ok(TargetCells::Classes { codes, n_classes: self.labels.len() })
    }

    fn codes(
        &self,
        rows: usize,
        code: impl Fn(usize) -> Option<usize>,
        text: impl Fn(usize) -> String,
    ) -> Result<Vec<u32>> {
        let code = |row| code(row).map(|c| c as u32).ok_or_else(|| self.unusable(row, text(row)));
        (0..rows).map(code).collect()
    }

    fn unusable(&self, row: usize, found: String) -> Error {
        let expected = match self.task {
            Task::Regression => "a finite number".to_owned(),
            _ => format!("one of {}", quoted_list(self.labels.iter().map(String::as_str))),
        };
        let labels = || self.labels.iter();
        let are_numbered =
            labels().len() > 0 && (0..).zip(labels()).all(|(at, label)| *label == at.to_string());
        let is_name = found != "missing" && found.parse::<f64>().is_err();
        let advice = if are_numbered && is_name {
            ". The model knows its classes by number: write each label as the number it had in training"
        } else {
            ""
        };
        Error::Data(format!(
            "data row {}: target {:?} is {found:?}; expected {expected}{advice}",
            row + 1,
            self.name
        ))
    }

    /// Checks that the number of labels fits the task.
    pub(super) fn check(&self) -> Result<()> {
        let fits = match self.task {
            Task::Regression => self.labels.is_empty(),
            Task::Binary => self.labels.len() == 2,
            Task::Multiclass => self.labels.len() >= 3,
        };
        if fits {
            return Ok(());
        }
        Err(Error::Model(format!("a {} model has {} labels", self.task.name(), self.labels.len())))
    }
}

/// Labels from which on a target may be an identifier.
const MANY_LABELS: usize = 20;

/// Fails if nearly every label occurs once: such a column names rows, and a model of hundreds of
/// classes would learn nothing from it, slowly.
fn check_shared(name: &str, values: &Values, labels: &[String]) -> Result<()> {
    let n_labels = labels.len();
    let n_cells = match values {
        Values::Numbers(cells) => cells.iter().filter(|x| !x.is_nan()).count(),
        Values::Labels(labels) => labels.codes().iter().filter(|&&code| code != MISSING).count(),
    };
    // Every further cell of a label is one that more than one row has.
    if n_labels <= MANY_LABELS || (n_cells - n_labels) * 10 > n_labels {
        return Ok(());
    }
    Err(Error::Data(format!(
        "target {name:?} looks like an identifier: it has {n_labels} different values in {n_cells} \
         rows, such as {:?}; expected classes that many rows share, or numbers. Choose another target",
        labels[0]
    )))
}

/// Distinct numbers by size, without NaN; -0 counts as 0.
fn distinct_numbers(cells: &[f64]) -> Vec<f64> {
    let mut distinct: Vec<f64> = cells.iter().filter(|x| !x.is_nan()).map(|&x| x + 0.0).collect();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    distinct
}

/// Distinct present values as text, in class order.
fn distinct_labels(values: &Values) -> Vec<String> {
    match values {
        Values::Numbers(cells) => distinct_numbers(cells).into_iter().map(number_text).collect(),
        Values::Labels(labels) => {
            let counts = labels.counts();
            let mut names: Vec<String> = (labels.levels().iter().zip(counts))
                .filter(|(_, count)| *count > 0)
                .map(|(level, _)| level.to_string())
                .collect();
            let all_truths = names.iter().all(|name| truth(name).is_some());
            names.sort_unstable_by(|a, b| {
                if all_truths { truth(a).cmp(&truth(b)).then(a.cmp(b)) } else { a.cmp(b) }
            });
            names
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    fn numbers(cells: &[f64]) -> Frame {
        let values = Values::Numbers(cells.to_vec());
        Frame::new(vec![Column { name: "y".into(), values }]).expect("one column")
    }

    fn text(cells: &[Option<&str>]) -> Frame {
        let values = Values::Labels(cells.iter().copied().collect());
        Frame::new(vec![Column { name: "y".into(), values }]).expect("one column")
    }

    fn learned(frame: &Frame, requested: Option<Task>) -> (Task, Vec<String>) {
        let target = Target::learn(frame, "y", requested).expect("a usable target");
        (target.task, target.labels)
    }

    #[test]
    fn an_identifier_is_no_target() {
        let names: Vec<String> = (0..60).map(|row| format!("c{row}")).collect();
        let cells: Vec<Option<&str>> =
            names.iter().map(|name| Some(name.as_str())).chain([Some("c1"), None]).collect();
        let error = Target::learn(&text(&cells), "y", None).expect_err("names").to_string();
        assert!(error.contains("identifier: it has 60 different values in 61 rows"), "{error}");
        // As numbers it is refused as classes, and may well be something to predict.
        let numbers = numbers(&(0..60).map(f64::from).collect::<Vec<_>>());
        assert!(Target::learn(&numbers, "y", Some(Task::Multiclass)).is_err());
        assert_eq!(learned(&numbers, None).0, Task::Regression);
        // Labels of two rows each are classes, and so are a few of one row each.
        let twice: Vec<Option<&str>> = cells[..60].iter().chain(&cells[..60]).copied().collect();
        assert_eq!(learned(&text(&twice), None).1.len(), 60);
        assert_eq!(learned(&text(&cells[..20]), None).1.len(), 20);
    }

    #[test]
    fn the_task_follows_from_the_cells() {
        assert_eq!(learned(&numbers(&[1.0, 2.5, 3.0]), None), (Task::Regression, vec![]));
        let binary = (Task::Binary, vec!["0".to_owned(), "1".to_owned()]);
        assert_eq!(learned(&numbers(&[1.0, 0.0, f64::NAN, -0.0]), None), binary);
        let labels = (Task::Binary, vec!["b".to_owned(), "m".to_owned()]);
        assert_eq!(learned(&text(&[Some("m"), Some("b"), None]), None), labels);
        let (task, labels) = learned(&text(&[Some("z"), Some("b"), Some("a")]), None);
        assert_eq!((task, labels.join(" ")), (Task::Multiclass, "a b z".to_owned()));
    }

    #[test]
    fn the_user_can_state_the_task() {
        assert_eq!(learned(&numbers(&[0.0, 1.0]), Some(Task::Regression)).0, Task::Regression);
        let (_, labels) = learned(&numbers(&[10.0, 9.0, 1.0]), Some(Task::Multiclass));
        assert_eq!(labels, ["1", "9", "10"], "by size, not by text");
        for (frame, task) in [
            (numbers(&[1.0, 2.0, 3.0]), Task::Binary),
            (numbers(&[1.0, 2.0]), Task::Multiclass),
            (text(&[Some("a"), Some("b")]), Task::Regression),
        ] {
            assert!(Target::learn(&frame, "y", Some(task)).is_err(), "{task:?}");
        }
    }

    #[test]
    fn false_comes_before_true_whatever_the_case() {
        let (_, labels) = learned(&text(&[Some("TRUE"), Some("false")]), None);
        assert_eq!(labels, ["false", "TRUE"]);
    }

    #[test]
    fn a_constant_or_missing_target_is_refused() {
        let constant = Target::learn(&numbers(&[2.0, 2.0]), "y", None).expect_err("constant");
        assert!(constant.to_string().contains("constant"), "{constant}");
        let missing = Target::learn(&text(&[None]), "y", None).expect_err("all missing");
        assert!(missing.to_string().contains("missing in every row"), "{missing}");
    }

    #[test]
    fn cells_become_numbers_or_class_indices() {
        let frame = numbers(&[1.0, 0.0, -0.0]);
        let target = Target::learn(&frame, "y", None).expect("binary");
        let expected = TargetCells::Classes { codes: vec![1, 0, 0], n_classes: 2 };
        assert_eq!(target.cells(&frame).expect("known labels"), expected);
        let as_text = text(&[Some("1"), Some("0"), Some("0")]);
        assert_eq!(target.cells(&as_text).expect("known labels"), expected);
        let error = target.cells(&numbers(&[0.0, 7.0])).expect_err("unknown").to_string();
        assert!(error.contains("data row 2") && error.contains("\"7\""), "{error}");
        assert!(!error.contains("by number"), "{error}");
        let names = target.cells(&text(&[Some("no")])).expect_err("unknown").to_string();
        assert!(names.contains("\"no\"") && names.contains("by number"), "{names}");
        let gap = numbers(&[0.0, f64::NAN, 1.0]);
        assert_eq!(Target::present_rows(&gap, "y").expect("there"), [0, 2]);
        assert!(target.cells(&gap).is_err());
    }
}
