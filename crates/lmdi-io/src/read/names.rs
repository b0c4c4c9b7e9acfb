//! Column names: trimmed, an empty name replaced by the position, no duplicates.

use crate::error::excerpt;
use std::collections::HashMap;

/// The names of a header, or why they cannot be used.
pub(super) fn column_names<'a>(
    header: impl Iterator<Item = &'a str>,
) -> Result<Vec<String>, String> {
    let mut first_at: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    for (at, name) in header.enumerate() {
        let name = match name.trim() {
            "" => format!("column {}", at + 1),
            name => name.to_owned(),
        };
        if let Some(first) = first_at.insert(name.clone(), at) {
            return Err(format!(
                "columns {} and {} are both named {}; rename one of them",
                first + 1,
                at + 1,
                excerpt(&name)
            ));
        }
        names.push(name);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_filled_and_unique() {
        let names = column_names(["", " a ", "b,c"].into_iter());
        assert_eq!(names, Ok(vec!["column 1".into(), "a".into(), "b,c".into()]));
        let error = column_names(["a", "b", "a "].into_iter()).expect_err("twice");
        assert!(error.contains("columns 1 and 3"), "{error}");
    }
}
