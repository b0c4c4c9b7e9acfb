//! `lmdi importance` as a user runs it.

use crate::support::{Place, assert_close, example, numbers, table};

/// The lines of the result as column and importance.
fn importances(text: &str) -> Vec<(String, f64)> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("column,importance,deviation"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[0].to_owned(), cells[1].parse().expect("a number"))
        })
        .collect()
}

fn train(place: &Place, data: &str, target: &str) {
    let flags = ["--target", target, "--trees", "12", "--save", "m.lmdi"];
    place.run(&[&["train", data][..], &flags].concat()).good();
}

#[test]
fn every_method_finds_the_strong_columns() {
    let place = Place::new();
    let data = example("diabetes.csv");
    train(&place, &data, "progression");
    let methods: [&[&str]; 6] = [
        &["--method", "mdi"],
        &[&data, "--method", "mdi-plus"],
        &[&data, "--method", "mdi-plus", "--glm", "huber", "--metric", "absolute-error"],
        &[&data, "--method", "mdi-plus", "--glm", "elastic-net"],
        &[&data, "--method", "permutation", "--repeats", "2"],
        &[&data, "--method", "permutation", "--oob", "--repeats", "2"],
    ];
    for flags in methods {
        let out =
            place.run(&[&["importance", "m.lmdi"][..], flags, &["--out", "i.csv"]].concat()).good();
        assert!(out.contains("importance  deviation"), "{out}");
        let found = importances(&place.read("i.csv"));
        assert_eq!(found.len(), 10, "{flags:?}");
        assert!(found.is_sorted_by(|a, b| a.1 >= b.1), "{flags:?}");
        let strong: Vec<&str> = found[..3].iter().map(|(name, _)| name.as_str()).collect();
        assert!(strong.contains(&"body_mass_index"), "{flags:?}: {strong:?}");
    }
    let csv = place.run(&["importance", "m.lmdi", "--out", "-"]).good();
    let total: f64 = importances(&csv).iter().map(|(_, value)| value).sum();
    assert!((total - 1.0).abs() < 1e-9);
}

#[test]
fn every_local_method_gives_its_mean_score() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let flags = ["--target", "progression", "--trees", "12", "--save", "m.lmdi"];
    place.run(&[&["explain", &data, "--out", "s.csv"][..], &flags].concat()).good();
    let group = ["--group", "lipids=ldl", "--group", "lipids=hdl"];
    let methods: [&[&str]; 7] = [
        &["--method", "lmdi-plus"],
        &["--method", "tree-shap"],
        &["--method", "tree-shap", "--background", &data],
        &["--method", "saabas"],
        &["--method", "local-mdi"],
        &["--method", "lime", "--lime-samples", "200"],
        &["--method", "maple"],
    ];
    for method in methods {
        let run = [&["importance", "m.lmdi", &data, "--out", "-"][..], method, &group].concat();
        let found = importances(&place.run(&run).good());
        assert_eq!(found.len(), 9, "{method:?}");
        assert!(found.is_sorted_by(|a, b| a.1 >= b.1) && found[8].1 >= 0.0, "{method:?}");
        // MAPLE is not a method of `lmdi score`, and its slopes are noisy around fully grown
        // leaves.
        if method[1] != "maple" {
            let strong: Vec<&str> = found[..3].iter().map(|(name, _)| name.as_str()).collect();
            assert!(strong.contains(&"body_mass_index"), "{method:?}: {strong:?}");
            // The same rows explained, and the mean taken here.
            let more = ["--out", "rows.csv"];
            let score = if method[1] == "lime" { &["--background", &data][..] } else { &[] };
            let run = ["score", "m.lmdi", &data];
            place.run(&[&run[..], &more, method, &group, score].concat()).good();
            let rows = table(&place, "rows.csv");
            for (name, importance) in &found {
                let scores = numbers(&rows, &format!("score:{name}"));
                let mean = scores.iter().map(|s| s.abs()).sum::<f64>() / scores.len() as f64;
                assert_close(&[*importance], &[mean]);
            }
        }
    }
    place.run(&["importance", "m.lmdi", "--method", "tree-shap"]).fails(2, &["rows to explain"]);
    place
        .run(&["importance", "m.lmdi", "--lime-bins", "4"])
        .fails(2, &["--lime-bins", "--method lime"]);
    train(&place, &data, "progression");
    place
        .run(&["importance", "m.lmdi", &data, "--method", "lmdi-plus"])
        .fails(1, &["m.lmdi: the model has no explainer"]);
}

#[test]
fn groups_and_classes() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let header = std::fs::read_to_string(&data).expect("an example");
    let names: Vec<&str> = header.lines().next().expect("a header").split(',').collect();
    let target = names[names.len() - 1];
    train(&place, &data, target);
    let group = [format!("pair={}", names[0]), format!("pair={}", names[1])];
    for method in ["mdi-plus", "permutation"] {
        let flags =
            ["--method", method, "--metric", "auroc", "--group", &group[0], "--group", &group[1]];
        let csv = place
            .run(&[&["importance", "m.lmdi", &data, "--out", "-"][..], &flags].concat())
            .good();
        let found = importances(&csv);
        assert_eq!(found.len(), names.len() - 2);
        assert_eq!(found.iter().filter(|(name, _)| name == "pair").count(), 1);
        // The same seed, the same bytes.
        let again =
            [&["importance", "m.lmdi", &data, "--out", "-", "--threads", "1"][..], &flags].concat();
        assert_eq!(place.run(&again).good(), csv);
    }
}

#[test]
fn wrong_usage_is_code_two() {
    let place = Place::new();
    let data = example("diabetes.csv");
    train(&place, &data, "progression");
    let cases: [(&[&str], &str); 7] = [
        (&["--method", "permutation"], "a table with the target"),
        (&[&data], "no table for mdi"),
        (&["--metric", "r2"], "mdi-plus or permutation"),
        (&[&data, "--method", "permutation", "--glm", "ols"], "--method mdi-plus"),
        (&[&data, "--method", "mdi-plus", "--oob"], "--method permutation"),
        (&[&data, "--method", "mdi-plus", "--glm", "logistic"], "for numbers"),
        (&[&data, "--method", "permutation", "--metric", "auroc"], "r2"),
    ];
    for (flags, part) in cases {
        place.run(&[&["importance", "m.lmdi"][..], flags].concat()).fails(2, &[part]);
    }
    place.run(&["importance", "none.lmdi"]).fails(1, &["none.lmdi"]);
    let other = place.file("other.csv", "progression,age\n1,2\n");
    place.run(&["importance", "m.lmdi", other, "--method", "mdi-plus"]).fails(1, &["other.csv"]);
}
