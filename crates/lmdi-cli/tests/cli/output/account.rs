//! What the model predicts, what scores explain of it, and what they leave.

use crate::support::{Place, assert_close, example, numbers, table, totals};
use lmdi::table::Frame;

/// Rows `from` to `to` of a table, from 1, with its header.
fn part(text: &str, from: usize, to: usize) -> String {
    let mut lines = text.lines();
    let header = lines.next().expect("a header");
    let rows: Vec<&str> = lines.skip(from - 1).take(to + 1 - from).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

fn rmse(found: &[f64], truth: &[f64]) -> f64 {
    let squares: f64 = found.iter().zip(truth).map(|(a, b)| (a - b) * (a - b)).sum();
    (squares / found.len() as f64).sqrt()
}

fn sums(of: &Frame, parts: &[&str]) -> Vec<f64> {
    (0..of.rows()).map(|row| parts.iter().map(|part| numbers(of, part)[row]).sum()).collect()
}

#[test]
fn training_rows_are_predicted_by_the_trees_that_did_not_see_them() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let flags = ["--target", "progression", "--trees", "40", "--save", "m.lmdi"];
    let out = place.run(&[&["explain", &data, "--out", "s.csv"], &flags[..]].concat()).good();
    for part in ["predicted out of bag", "(training rows, out of bag)", "not explained"] {
        assert!(out.contains(part), "{part:?} is not in\n{out}");
    }
    let scores = table(&place, "s.csv");
    let truth = table(&place, &data);
    let error = rmse(numbers(&scores, "prediction"), numbers(&truth, "progression"));
    let line =
        out.lines().find(|line| line.trim_start().starts_with("out-of-bag")).expect("quality");
    let shown: f64 = line.split_whitespace().last().and_then(|x| x.parse().ok()).expect("RMSE");
    assert!((error - shown).abs() < 1e-4 * shown, "{error} written, {shown} measured");
    // The trees that predict a row are those that score it.
    assert!(scores.column("out_of_bag").is_none());
    assert_close(&sums(&scores, &["explained", "unexplained"]), numbers(&scores, "prediction"));
    assert_close(&totals(&scores, ""), numbers(&scores, "explained"));
    // Scored on all trees, a row has a part that those that saw it made up.
    let all = ["--score-trees", "all", "--out", "o.csv"];
    let explain = ["explain", &data, "--target", "progression", "--trees", "40"];
    place.run(&[&explain[..], &all[..]].concat()).good();
    let by_all = table(&place, "o.csv");
    let parts = ["explained", "unexplained", "out_of_bag"];
    assert_eq!(numbers(&by_all, "prediction"), numbers(&scores, "prediction"));
    assert_close(&sums(&by_all, &parts), numbers(&scores, "prediction"));
    // A saved model knows its training rows, whichever command reads them.
    place.run(&["score", "m.lmdi", &data, "--out", "again.csv"]).good();
    assert_eq!(place.read("s.csv"), place.read("again.csv"));
    // Rows on their own are not the training table: all trees predict them.
    place.file("part.csv", part(&std::fs::read_to_string(&data).expect("an example"), 1, 100));
    place.run(&["score", "m.lmdi", "part.csv", "--out", "part_scores.csv"]).good();
    place.run(&["predict", "m.lmdi", "part.csv", "--out", "p.csv"]).good();
    let (found, plain) = (table(&place, "part_scores.csv"), table(&place, "p.csv"));
    assert_eq!(numbers(&found, "prediction"), numbers(&plain, "prediction"));
    assert_close(numbers(&found, "explained"), &numbers(&by_all, "explained")[..100]);
}

/// With few trees some rows were seen by all of them, and are predicted and scored by all.
#[test]
fn a_row_that_every_tree_saw_keeps_its_scores() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let explain = ["explain", &data, "--target", "progression", "--trees", "3"];
    place.run(&[&explain[..], &["--out", "s.csv"]].concat()).good();
    place.run(&[&explain[..], &["--out", "o.csv", "--score-trees", "oob"]].concat()).good();
    let (scores, left_out) = (table(&place, "s.csv"), table(&place, "o.csv"));
    let unscored = numbers(&left_out, "explained").iter().filter(|sum| sum.is_nan()).count();
    assert!(unscored > 50, "three trees leave many rows to none: {unscored}");
    assert!(numbers(&scores, "explained").iter().all(|sum| sum.is_finite()));
    assert_close(&sums(&scores, &["explained", "unexplained"]), numbers(&scores, "prediction"));
}

#[test]
fn a_forest_that_is_certain_has_log_odds_half_a_vote_away() {
    let place = Place::new();
    let data = std::fs::read_to_string(example("breast_cancer.csv")).expect("an example");
    place.file("train.csv", part(&data, 1, 400));
    place.file("new.csv", part(&data, 401, 569));
    let flags = ["--target", "diagnosis", "--trees", "25", "--test", "new.csv", "--out", "s.csv"];
    let train = ["explain", "train.csv", "--preset", "data"];
    let out = place.run(&[&train[..], &flags[..]].concat()).good();
    assert!(out.contains("of the rows the same class."), "{out}");
    assert!(out.contains("raises the odds that diagnosis is malignant"), "{out}");
    let scores = table(&place, "s.csv");
    let shares = numbers(&scores, "probability:malignant");
    assert!(shares.contains(&0.0), "a certain row is what this is about");
    let log_odds = |share: &f64| {
        let share = share.clamp(1.0 / 50.0, 49.0 / 50.0);
        (share / (1.0 - share)).ln()
    };
    let expected: Vec<f64> = shares.iter().map(log_odds).collect();
    assert_close(&sums(&scores, &["explained", "unexplained"]), &expected);
    let explained: Vec<f64> =
        totals(&scores, "").iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
    assert_close(numbers(&scores, "explained_probability:malignant"), &explained);
}

#[test]
fn exact_methods_leave_nothing_but_the_trees_that_saw_a_row() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let train = ["--target", "diagnosis", "--trees", "12", "--save", "m.lmdi"];
    place.run(&[&["train", &data][..], &train].concat()).good();
    place.file("part.csv", part(&std::fs::read_to_string(&data).expect("an example"), 1, 50));
    for method in ["tree-shap", "saabas"] {
        let flags = ["--method", method, "--out", "s.csv"];
        let out =
            place.run(&[&["explain", &data, "--model", "m.lmdi"], &flags[..]].concat()).good();
        assert!(out.contains("trees that saw the row left out"), "{out}");
        let known = table(&place, "s.csv");
        assert_close(numbers(&known, "unexplained"), &vec![0.0; 569]);
        let parts = ["explained", "unexplained", "out_of_bag"];
        assert_close(&sums(&known, &parts), numbers(&known, "probability:malignant"));
        place.run(&[&["score", "m.lmdi", "part.csv"], &flags[..]].concat()).good();
        let new = table(&place, "s.csv");
        assert!(new.column("out_of_bag").is_none());
        assert_close(numbers(&new, "unexplained"), &[0.0; 50]);
        assert_close(numbers(&new, "explained"), numbers(&new, "probability:malignant"));
    }
}

#[test]
fn json_says_how_much_is_explained() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let run = ["explain", &data, "--target", "diagnosis", "--trees", "20"];
    let text = place.run(&run).good();
    assert!(text.contains(", in probability that diagnosis is malignant"), "{text}");
    let facts = |more: &[&str]| -> serde_json::Value {
        let out = place.run(&[&run[..], &["--json"], more].concat()).good();
        serde_json::from_str(&out).expect("JSON")
    };
    let json = facts(&[]);
    let fidelity = &json["fidelity"];
    let share = fidelity["share"].as_f64().expect("a share");
    // The same figure that people read.
    let percent = format!("reproduces {:.1} % of the variation", 100.0 * share);
    assert!(text.contains(&percent), "{percent}: {text}");
    assert_eq!(fidelity["sample"], "training rows, out of bag");
    assert_eq!(fidelity["is_low"], false);
    assert_eq!(json["fits"], serde_json::json!({"count": 20, "not_converged": 0}));
    let exact = facts(&["--method", "tree-shap"]);
    assert!(exact["fidelity"].is_null() && exact.get("fits").is_none(), "{exact}");
}

#[test]
fn decisions_and_errors_of_every_command_are_the_models() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let flags = ["--target", "progression", "--trees", "15", "--save", "m.lmdi", "--out", "s.csv"];
    place.run(&[&["explain", &data], &flags[..]].concat()).good();
    let scores = table(&place, "s.csv");
    let predicted = numbers(&scores, "prediction");
    place.run(&["counterfactual", "m.lmdi", &data, "--rows", "all", "--out", "c.csv"]).good();
    let found = table(&place, "c.csv");
    let at = |place: f64| predicted[place as usize - 1];
    for (row, own) in numbers(&found, "row").iter().zip(numbers(&found, "prediction")) {
        assert_eq!(at(*row), *own);
    }
    for (row, own) in numbers(&found, "other_row").iter().zip(numbers(&found, "other_prediction")) {
        assert_eq!(at(*row), *own);
    }
    place.run(&["subgroups", "m.lmdi", &data, "--groups", "2", "--out", "g.json"]).good();
    let groups: serde_json::Value = serde_json::from_str(&place.read("g.json")).expect("JSON");
    let truth = table(&place, &data);
    let of_row = groups["group_of_row"].as_array().expect("groups of rows");
    let first: Vec<usize> = (0..442).filter(|&row| of_row[row] == 1).collect();
    let take = |cells: &[f64]| first.iter().map(|&row| cells[row]).collect::<Vec<f64>>();
    let error = rmse(&take(predicted), &take(numbers(&truth, "progression")));
    assert_close(&[groups["groups"][0]["error"].as_f64().expect("a number")], &[error]);
}

#[test]
fn one_row_is_not_said_to_be_explained_exactly() {
    let place = Place::new();
    let data = std::fs::read_to_string(example("diabetes.csv")).expect("an example");
    place.file("train.csv", part(&data, 1, 200));
    place.file("one.csv", part(&data, 201, 201));
    let flags = ["--target", "progression", "--trees", "25", "--test", "one.csv", "--out", "s.csv"];
    let out = place.run(&[&["explain", "train.csv"], &flags[..]].concat()).good();
    let scores = table(&place, "s.csv");
    let left = numbers(&scores, "unexplained")[0].abs();
    assert!(left > 0.01);
    assert!(out.contains("Base plus scores leaves up to"), "{out}");
}
