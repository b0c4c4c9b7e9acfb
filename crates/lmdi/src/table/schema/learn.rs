//! From a training table to its [`Schema`]: which columns are used, and how.
//!
//! A categorical column keeps its most frequent levels, at most `max_levels` of them (ties go to
//! the name that sorts first), and pools the others into one part. A [`ColumnReport`] per column
//! tells what was dropped or pooled, so that nothing happens silently.

use super::{
    DroppedColumn, Encoding, InputColumn, Kind, MergedCells, Part, Reason, Schema, Target, Task,
};
use crate::setters::setters;
use crate::table::frame::{Column, Frame, Labels, Reading, Values, number_text};
use crate::{Error, Result};

/// How many levels of a categorical column get their own matrix column by default.
pub const DEFAULT_MAX_LEVELS: usize = 32;

/// The user's statements about a table.
///
/// ```
/// use lmdi::table::{SchemaOptions, Task};
/// let options = SchemaOptions::new("churn").with_task(Task::Binary).with_weight("weight".to_string());
/// assert_eq!(options.weight.as_deref(), Some("weight"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaOptions {
    /// The column to predict.
    pub target: String,
    /// The task, if it is not to be detected from the target.
    pub task: Option<Task>,
    /// With two labels, the one whose probability is reported and explained; by default the second
    /// in order.
    pub positive: Option<String>,
    /// The column of row weights.
    pub weight: Option<String>,
    /// Columns not to use.
    pub drop: Vec<String>,
    /// Columns whose kind is set instead of detected.
    pub kinds: Vec<(String, Kind)>,
    /// Maximum number of levels of a categorical column with their own matrix column, at least 1.
    pub max_levels: usize,
    /// How the cells of the table are written; kept for later tables.
    pub reading: Reading,
}

impl SchemaOptions {
    setters! {
        with_drop(drop: Vec<String>),
        with_kinds(kinds: Vec<(String, Kind)>),
        with_max_levels(max_levels: usize),
        with_reading(reading: Reading);
        optional:
        with_task(task: Task),
        with_positive(positive: String),
        with_weight(weight: String),
    }
}

impl SchemaOptions {
    /// Everything detected, and all columns except the target used.
    pub fn new(target: impl Into<String>) -> Self {
        Self {
            target: target.into(),
            task: None,
            positive: None,
            weight: None,
            drop: Vec::new(),
            kinds: Vec::new(),
            max_levels: DEFAULT_MAX_LEVELS,
            reading: Reading::default(),
        }
    }
}

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The model reads it.
    Input,
    /// The model does not read it.
    Dropped(Reason),
    /// It is predicted.
    Target,
    /// It weights the rows.
    Weight,
}

/// What was found in a column, and how it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// Its kind, detected or set.
    pub kind: Kind,
    /// Its role.
    pub role: Role,
    /// Cells without a value.
    pub missing: usize,
    /// Distinct values of a text column; `None` for numbers.
    pub levels: Option<usize>,
    /// How many levels were pooled, and how many cells they have.
    pub pooled: Option<(usize, usize)>,
    /// For a numeric input with many values that are equal to our trees.
    pub merged: Option<MergedCells>,
}

impl ColumnReport {
    /// What a column of a table that was read this way holds, before anything is decided about its
    /// use.
    pub fn of(column: &Column, reading: &Reading) -> Self {
        let (missing, levels) = match &column.values {
            Values::Numbers(cells) => (cells.iter().filter(|x| x.is_nan()).count(), None),
            Values::Labels(labels) => {
                let counts = labels.counts();
                let present: usize = counts.iter().sum();
                (labels.len() - present, Some(counts.iter().filter(|&&count| count > 0).count()))
            }
        };
        Self {
            name: column.name.clone(),
            kind: Kind::of(column, reading.format_of(&column.name).map(|known| known.format)),
            role: Role::Input,
            missing,
            levels,
            pooled: None,
            merged: None,
        }
    }
}

impl Schema {
    /// Learns the schema of a training table; the reports are in the order of its columns.
    ///
    /// ```
    /// use lmdi::table::{Column, Frame, Labels, Schema, SchemaOptions, Values};
    /// let labels = |cells: &[&str]| -> Labels { cells.iter().map(|&cell| Some(cell)).collect() };
    /// let frame = Frame::new(vec![
    ///     Column { name: "cut".into(), values: Values::Labels(labels(&["fair", "ideal", "fair"])) },
    ///     Column { name: "price".into(), values: Values::Numbers(vec![326.0, 415.0, 327.0]) },
    /// ])?;
    /// let (schema, _) = Schema::learn(&frame, &SchemaOptions::new("price"))?;
    /// assert_eq!(schema.encoded_names(), ["cut=fair", "cut=ideal"]);
    /// # Ok::<(), lmdi::Error>(())
    /// ```
    pub fn learn(frame: &Frame, options: &SchemaOptions) -> Result<(Self, Vec<ColumnReport>)> {
        check_options(frame, options)?;
        let mut target = Target::learn(frame, &options.target, options.task)?;
        if let Some(positive) = &options.positive {
            target = target.with_positive(positive)?;
        }
        let mut columns = Vec::new();
        let mut dropped = Vec::new();
        let mut reports = Vec::with_capacity(frame.columns().len());
        for column in frame.columns() {
            let mut report = ColumnReport::of(column, &options.reading);
            if let Some((_, kind)) = options.kinds.iter().find(|(name, _)| *name == column.name) {
                report.kind = *kind;
            }
            report.role = role(&report, options);
            match report.role {
                Role::Input => {
                    let (encoding, pooled) = encoding(column, report.kind, options.max_levels)?;
                    report.pooled = pooled;
                    report.merged = match (&encoding, &column.values) {
                        (Encoding::Number, Values::Numbers(cells)) => MergedCells::of(cells),
                        _ => None,
                    };
                    columns.push(InputColumn { name: column.name.clone(), encoding });
                }
                Role::Dropped(reason) => {
                    dropped.push(DroppedColumn { name: column.name.clone(), reason });
                }
                Role::Target | Role::Weight => {}
            }
            reports.push(report);
        }
        if columns.is_empty() {
            return Err(Error::Data(format!(
                "no column is left to learn from: of {} columns besides the target, all are constant, identifier-like, dropped or the weight",
                frame.columns().len() - 1
            )));
        }
        let weight = options.weight.clone();
        let mut reading = options.reading.clone();
        // What is not read again needs no format.
        reading.formats.retain(|format| {
            let name = &format.name;
            *name == target.name
                || weight.as_ref() == Some(name)
                || columns.iter().any(|column| column.name == *name)
        });
        Ok((Self { columns, dropped, target: Some(target), weight, reading }, reports))
    }
}

fn check_options(frame: &Frame, options: &SchemaOptions) -> Result<()> {
    if options.max_levels == 0 {
        return Err(Error::Parameter {
            name: "max_levels",
            found: "0".into(),
            expected: "at least 1".into(),
        });
    }
    frame.require(&options.target)?;
    let stated = options.kinds.iter().map(|(name, _)| name);
    for name in options.weight.iter().chain(&options.drop).chain(stated) {
        frame.require(name)?;
    }
    if options.weight.as_ref() == Some(&options.target) || options.drop.contains(&options.target) {
        return Err(Error::Data(format!(
            "the target {:?} cannot also be dropped or be the weight",
            options.target
        )));
    }
    Ok(())
}

fn role(report: &ColumnReport, options: &SchemaOptions) -> Role {
    if report.name == options.target {
        Role::Target
    } else if options.weight.as_ref() == Some(&report.name) {
        Role::Weight
    } else if options.drop.contains(&report.name) {
        Role::Dropped(Reason::Requested)
    } else if matches!(report.kind, Kind::Constant | Kind::Identifier) {
        Role::Dropped(Reason::Kind(report.kind))
    } else {
        Role::Input
    }
}

fn encoding(
    column: &Column,
    kind: Kind,
    max_levels: usize,
) -> Result<(Encoding, Option<(usize, usize)>)> {
    match (kind, &column.values) {
        (Kind::Boolean, _) => Ok((Encoding::Truth, None)),
        (Kind::Categorical, Values::Labels(labels)) => Ok(one_hot(labels, max_levels)),
        (Kind::Categorical, Values::Numbers(cells)) => {
            let text: Vec<Option<String>> =
                cells.iter().map(|&x| (!x.is_nan()).then(|| number_text(x))).collect();
            Ok(one_hot(&text.iter().map(Option::as_deref).collect(), max_levels))
        }
        (_, Values::Numbers(_)) => Ok((Encoding::Number, None)),
        (_, Values::Labels(labels)) => Err(Error::Data(format!(
            "column {:?} is stated to be numeric but holds text such as {:?}",
            column.name,
            labels.levels().first().map_or("", |level| level)
        ))),
    }
}

fn one_hot(labels: &Labels, max_levels: usize) -> (Encoding, Option<(usize, usize)>) {
    let counts = labels.counts();
    let mut levels: Vec<(usize, &str)> = (counts.iter().zip(labels.levels()))
        .filter(|(count, _)| **count > 0)
        .map(|(&count, level)| (count, level.as_ref()))
        .collect();
    levels.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let rare = levels.split_off(levels.len().min(max_levels));
    levels.sort_unstable_by_key(|&(_, level)| level);
    let mut parts: Vec<Part> =
        levels.into_iter().map(|(_, level)| Part::Level(level.into())).collect();
    let pooled = (!rare.is_empty())
        .then(|| (rare.len(), rare.iter().map(|(count, _)| count).sum::<usize>()));
    if pooled.is_some() {
        let mut names: Vec<String> = rare.into_iter().map(|(_, level)| level.into()).collect();
        names.sort_unstable();
        parts.push(Part::Other { pooled: names });
    }
    if counts.iter().sum::<usize>() < labels.len() {
        parts.push(Part::Missing);
    }
    (Encoding::OneHot(parts), pooled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, values: Values) -> Column {
        Column { name: name.into(), values }
    }

    fn text(cells: &[Option<&str>]) -> Values {
        Values::Labels(cells.iter().copied().collect())
    }

    fn frame() -> Frame {
        let city = [Some("b"), Some("c"), Some("b"), Some("a"), None, Some("a")];
        let flag = [Some("no"), Some("yes"), Some("no"), None, Some("no"), Some("yes")];
        Frame::new(vec![
            column("size", Values::Numbers(vec![1.0, 2.0, 4.0, f64::NAN, 3.0, 1.0])),
            column("city", text(&city)),
            column("flag", text(&flag)),
            column("same", Values::Numbers(vec![1.0; 6])),
            column("y", Values::Numbers(vec![1.0, 2.0, 3.0, 4.0, 5.0, 7.0])),
        ])
        .expect("a frame")
    }

    #[test]
    fn columns_are_encoded_by_their_kind() {
        let (schema, reports) = Schema::learn(&frame(), &SchemaOptions::new("y")).expect("usable");
        let names = ["size", "city=a", "city=b", "city=c", "city=(missing)", "flag"];
        assert_eq!(schema.encoded_names(), names);
        assert_eq!(schema.dropped[0].reason, Reason::Kind(Kind::Constant));
        assert_eq!(reports[1].levels, Some(3));
        assert_eq!(reports.iter().map(|r| r.missing).collect::<Vec<_>>(), [1, 1, 1, 0, 0]);
        assert!(schema.check().is_ok());
    }

    #[test]
    fn rare_levels_are_pooled_and_reported() {
        let options = SchemaOptions { max_levels: 1, ..SchemaOptions::new("y") };
        let (schema, reports) = Schema::learn(&frame(), &options).expect("usable");
        let names = ["size", "city=a", "city=(other)", "city=(missing)", "flag"];
        assert_eq!(schema.encoded_names(), names, "a and b are as frequent; a sorts first");
        assert_eq!(reports[1].pooled, Some((2, 3)));
    }

    #[test]
    fn the_user_can_state_kinds_and_drop_columns() {
        let mut options = SchemaOptions::new("y");
        options.kinds = vec![("size".into(), Kind::Categorical), ("same".into(), Kind::Numeric)];
        options.drop = vec!["city".into(), "flag".into()];
        let (schema, _) = Schema::learn(&frame(), &options).expect("usable");
        let names = ["size=1", "size=2", "size=3", "size=4", "size=(missing)", "same"];
        assert_eq!(schema.encoded_names(), names);
        assert!(schema.dropped.iter().all(|column| column.reason == Reason::Requested));
    }

    #[test]
    fn impossible_wishes_are_refused() {
        let cases: [fn(&mut SchemaOptions); 6] = [
            |o| o.target = "z".into(),
            |o| o.weight = Some("z".into()),
            |o| o.drop = vec!["z".into()],
            |o| o.kinds = vec![("city".into(), Kind::Numeric)],
            |o| o.max_levels = 0,
            |o| o.drop = vec!["size".into(), "city".into(), "flag".into()],
        ];
        for (case, change) in cases.iter().enumerate() {
            let mut options = SchemaOptions::new("y");
            change(&mut options);
            assert!(Schema::learn(&frame(), &options).is_err(), "case {case}");
        }
    }
}
