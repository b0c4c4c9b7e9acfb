//! The schema of a file must fit its trees.

use super::{encoded, refused, small_model};
use crate::file::Model;
use crate::forest::Outcome;
use crate::table::{Encoding, InputColumn, Part, Schema, Target, Task};

fn with_schema(change: impl FnOnce(&mut Schema)) -> Model {
    let mut schema = Schema::numeric(["age"]);
    schema.target =
        Some(Target { name: "price".into(), task: Task::Regression, labels: Vec::new() });
    change(&mut schema);
    Model { schema: Some(schema), ..small_model() }
}

#[track_caller]
fn refused_in_both_forms(change: impl FnOnce(&mut Schema), expected: &str) {
    let model = with_schema(change);
    refused(&encoded(&model), expected);
    refused(&crate::file::json::encode(&model).unwrap(), expected);
    assert!(model.to_bytes().is_err());
}

#[test]
fn a_schema_that_does_not_fit_is_refused() {
    assert!(with_schema(|_| {}).check().is_ok());
    let extra = || InputColumn { name: "height".into(), encoding: Encoding::Number };
    refused_in_both_forms(
        |schema| schema.columns.push(extra()),
        "the schema gives 2 matrix columns; the trees were grown on 1",
    );
    refused_in_both_forms(
        |schema| schema.columns[0].name = "a\u{1b}ge".into(),
        r#"the schema gives matrix column "a\u{1b}ge" where the trees have "age""#,
    );
    refused_in_both_forms(
        |schema| schema.columns[0].encoding = Encoding::OneHot(vec![]),
        "has no level",
    );
    refused_in_both_forms(
        |schema| {
            let target = Target {
                name: "price".into(),
                task: Task::Binary,
                labels: vec!["low".into(), "high".into()],
            };
            schema.target = Some(target);
        },
        "target \"price\" of the schema is not what the trees predict",
    );
}

#[test]
fn labels_of_target_and_trees_must_agree() {
    let labels = |second: &str| vec!["no".to_owned(), second.to_owned()];
    let mut model = with_schema(|schema| {
        let target = Target { name: "y".into(), task: Task::Binary, labels: labels("yes") };
        schema.target = Some(target);
    });
    model.ensemble.link = crate::forest::Link::Logit;
    model.ensemble.outcome = Outcome::Classes(labels("yes"));
    assert!(model.check().is_ok());
    model.ensemble.outcome = Outcome::Classes(labels("oui"));
    refused(&encoded(&model), "is not what the trees predict");
}

/// All names together would be 40 GB; they are compared one at a time.
#[test]
fn a_long_name_with_many_levels_takes_little_memory() {
    let n_levels = 200_000;
    let mut model = with_schema(|schema| {
        let levels = (0..n_levels).map(|at| Part::Level(format!("{at:06}"))).collect();
        let name = "n".repeat(200_000);
        schema.columns = vec![InputColumn { name, encoding: Encoding::OneHot(levels) }];
    });
    model.ensemble.feature_names = vec![String::new(); n_levels];
    refused(&encoded(&model), "the schema gives matrix column");
}

#[test]
fn json_levels_belong_to_categorical_columns() {
    let text = String::from_utf8(with_schema(|_| {}).to_json().unwrap()).unwrap();
    let changed = text.replace(r#""encoding":"number""#, r#""encoding":"number","levels":[]"#);
    assert_ne!(changed, text);
    refused(changed.as_bytes(), "has levels, but its encoding is not");
    let changed = text.replace(r#""encoding":"number""#, r#""encoding":"text""#);
    refused(changed.as_bytes(), r#"encoding is "text"; expected "number" or "truth" or "one_hot""#);
}
