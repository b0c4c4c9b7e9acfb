//! The units that have a score: the columns of a table, or groups of them that a user names.
//!
//! The score of a group is the sum of its members' signed scores, so that scores still add up.
//! Standard errors of a sum depend on how the members vary together over the trees, which scores do
//! not tell. Groups of more than one feature therefore have none here;
//! [`LmdiPlus::group_standard_errors`] has them.
//!
//! [`LmdiPlus::group_standard_errors`]: crate::importance::LmdiPlus::group_standard_errors

use crate::importance::{Groups, Scores};
use crate::table::Schema;
use crate::{Error, Result};

/// Named groups of columns, in the order of the table. A column in no group is a group by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouping {
    /// The name of each group: that of its column, or the one given.
    pub names: Vec<String>,
    /// The columns of each group.
    pub members: Vec<Vec<String>>,
    /// The matrix columns of each group.
    pub groups: Groups,
}

impl Grouping {
    /// Every column in its own group.
    pub fn columns(schema: &Schema) -> Result<Self> {
        Self::new(schema, &[])
    }

    /// Takes pairs of a group and one of its columns. A group takes the place of its first column.
    ///
    /// ```
    /// use lmdi::{explanation::Grouping, table::Schema};
    /// let schema = Schema::numeric(["width", "age", "height"]);
    /// let pairs = [("size", "width"), ("size", "height")].map(|(a, b)| (a.into(), b.into()));
    /// let grouping = Grouping::new(&schema, &pairs)?;
    /// assert_eq!(grouping.names, ["size", "age"]);
    /// assert_eq!(grouping.members[0], ["width", "height"]);
    /// # Ok::<(), lmdi::Error>(())
    /// ```
    pub fn new(schema: &Schema, pairs: &[(String, String)]) -> Result<Self> {
        let mut group_of_column: Vec<Option<&str>> = vec![None; schema.columns.len()];
        for (group, name) in pairs {
            let Some(at) = schema.columns.iter().position(|column| column.name == *name) else {
                return Err(Error::Data(format!(
                    "group {group:?}: the model has no column {name:?}"
                )));
            };
            if let Some(other) = group_of_column[at].filter(|other| other != group) {
                return Err(Error::Data(format!(
                    "column {name:?} is in group {other:?} and in group {group:?}; expected one group"
                )));
            }
            group_of_column[at] = Some(group);
        }
        let mut names: Vec<String> = Vec::new();
        let mut members: Vec<Vec<String>> = Vec::new();
        let mut place: Vec<usize> = Vec::with_capacity(schema.columns.len());
        for (column, group) in schema.columns.iter().zip(&group_of_column) {
            let known = group
                .and_then(|group| (0..place.len()).find(|&at| group_of_column[at] == Some(group)));
            let at = known.map_or(names.len(), |at| place[at]);
            if at == names.len() {
                names.push(group.unwrap_or(&column.name).to_owned());
                members.push(Vec::new());
            }
            members[at].push(column.name.clone());
            place.push(at);
        }
        let clash = schema.columns.iter().zip(&group_of_column).find(|(column, group)| {
            group.is_none() && pairs.iter().any(|(name, _)| *name == column.name)
        });
        if let Some((column, _)) = clash {
            return Err(Error::Data(format!(
                "group {:?} has the name of a column that is not in it; choose another name",
                column.name
            )));
        }
        let of_features = schema.origins().into_iter().map(|at| place[at] as u32).collect();
        let groups = Groups::new(of_features, names.len())?;
        Ok(Self { names, members, groups })
    }

    /// Whether what has a score at this place is a column and not a group.
    pub fn is_column(&self, at: usize) -> bool {
        matches!(&self.members[at][..], [only] if *only == self.names[at])
    }

    /// Whether every column is in its own group.
    pub fn is_of_columns(&self) -> bool {
        (0..self.names.len()).all(|at| self.is_column(at))
    }
}

/// Scores of groups instead of features.
///
/// ```
/// use lmdi::{explanation::sum_groups, importance::{Groups, Scores}};
/// # fn main() -> lmdi::Result<()> {
/// let scores = Scores {
///     n_rows: 1, n_features: 3, n_outputs: 1,
///     values: vec![0.2, -0.9, 0.4], base: vec![1.0], standard_error: None,
/// };
/// // The last two features are the one-hot parts of one column.
/// let by_column = sum_groups(&scores, &Groups::new(vec![0, 1, 1], 2)?)?;
/// assert_eq!(by_column.values, [0.2, -0.5]);
/// # Ok(())
/// # }
/// ```
pub fn sum_groups(scores: &Scores, groups: &Groups) -> Result<Scores> {
    groups.check(scores.n_features)?;
    let k = scores.n_outputs;
    let width = groups.n_groups() * k;
    let mut size = vec![0_usize; groups.n_groups()];
    for &group in groups.of_features() {
        size[group as usize] += 1;
    }
    let add_up = |values: &[f64]| {
        let mut sums = vec![0.0; scores.n_rows * width];
        for row in 0..scores.n_rows {
            for (feature, &group) in groups.of_features().iter().enumerate() {
                for output in 0..k {
                    sums[row * width + group as usize * k + output] +=
                        values[(row * scores.n_features + feature) * k + output];
                }
            }
        }
        sums
    };
    let standard_error = scores.standard_error.as_ref().map(|errors| {
        let mut errors = add_up(errors);
        for (at, error) in errors.iter_mut().enumerate() {
            if size[at % width / k] != 1 {
                *error = f64::NAN;
            }
        }
        errors
    });
    Ok(Scores {
        n_rows: scores.n_rows,
        n_features: groups.n_groups(),
        n_outputs: k,
        values: add_up(&scores.values),
        base: scores.base.clone(),
        standard_error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouping(schema: &Schema, pairs: &[(&str, &str)]) -> Result<Grouping> {
        let own = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
        Grouping::new(schema, &pairs.iter().map(own).collect::<Vec<_>>())
    }

    #[test]
    fn groups_take_the_place_of_their_first_column() {
        let schema = Schema::numeric(["a", "b,c", "d", "e"]);
        let found = grouping(&schema, &[("size", "e"), ("size", "b,c")]).expect("valid");
        assert_eq!(found.names, ["a", "size", "d"]);
        assert_eq!(found.groups.of_features(), [0, 1, 2, 1]);
        assert!(found.is_column(0) && !found.is_column(1) && !found.is_of_columns());
        let found = grouping(&schema, &[("a", "a"), ("a", "d")]).expect("valid");
        assert_eq!(found.names, ["a", "b,c", "e"]);
        assert!(Grouping::columns(&schema).expect("valid").is_of_columns());
    }

    #[test]
    fn invalid_groups_are_named() {
        let schema = Schema::numeric(["a", "b"]);
        for (pairs, part) in [
            (&[("g", "z")][..], "no column \"z\""),
            (&[("g", "a"), ("h", "a")], "in group \"g\" and in group \"h\""),
            (&[("b", "a")], "the name of a column that is not in it"),
        ] {
            let error = grouping(&schema, pairs).expect_err("invalid").to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
