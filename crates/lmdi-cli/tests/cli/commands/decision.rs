//! Which of two labels is positive, from which probability on it is predicted, and what names rows.

use crate::support::{Place, example, numbers, table};
use lmdi::table::{Frame, Values};

fn texts(frame: &Frame, name: &str) -> Vec<String> {
    let values = &frame.column(name).unwrap_or_else(|| panic!("no column {name}")).values;
    (0..frame.rows()).map(|row| values.text(row).unwrap_or_default()).collect()
}

/// The share of a label among predictions.
fn share(frame: &Frame, label: &str) -> f64 {
    let all = texts(frame, "prediction");
    all.iter().filter(|one| *one == label).count() as f64 / all.len() as f64
}

#[test]
fn the_positive_label_is_the_one_that_is_explained() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let base = ["explain", &data, "--target", "diagnosis", "--trees", "10", "--seed", "3"];
    let out = place.run(&[&base[..], &["--out", "a.csv"]].concat()).good();
    assert!(out.contains("the probability that diagnosis is malignant"), "{out}");
    let out = place.run(&[&base[..], &["--positive", "benign", "--out", "b.csv"]].concat()).good();
    assert!(out.contains("the probability that diagnosis is benign"), "{out}");
    let (a, b) = (table(&place, "a.csv"), table(&place, "b.csv"));
    // Sums of the other label round otherwise, so that trees differ where splits are equally good.
    let mean = |name: &str, of: &dyn Fn(f64, f64) -> f64| {
        let pairs = numbers(&a, name).iter().zip(numbers(&b, name));
        pairs.map(|(a, b)| of(*a, *b)).sum::<f64>() / a.rows() as f64
    };
    assert!(mean("probability:benign", &|a, b| (a - b).abs()) < 0.05);
    let name = "score:worst_perimeter";
    let turned = mean(name, &|a, b| (a + b).abs());
    assert!(turned < 0.3 * mean(name, &|a, _| a.abs()), "scores of the other label are turned");
}

#[test]
fn a_threshold_is_kept_and_respected_by_every_command() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let base = ["explain", &data, "--target", "diagnosis", "--trees", "20"];
    let plain = place.run(&[&base[..], &["--out", "plain.csv"]].concat()).good();
    let flags = ["--costs", "1,4", "--out", "s.csv", "--save", "m.lmdi", "--report", "r.html"];
    let out = place.run(&[&base[..], &flags[..], &["--stability-runs", "0"]].concat()).good();
    assert!(out.contains("the threshold is 0.2"), "{out}");
    let (scores, without) = (table(&place, "s.csv"), table(&place, "plain.csv"));
    assert!(share(&scores, "malignant") > share(&without, "malignant"));
    let decided = |frame: &Frame, threshold: f64| -> Vec<String> {
        let of = |p: &f64| if *p >= threshold { "malignant" } else { "benign" };
        numbers(frame, "probability:malignant").iter().map(|p| of(p).to_owned()).collect()
    };
    assert_eq!(texts(&scores, "prediction"), decided(&scores, 0.2));
    // Accuracy is that of the decision; what the scores say does not change.
    assert_eq!(numbers(&scores, "score:mean_radius"), numbers(&without, "score:mean_radius"));
    let accuracy = |out: &str| -> f64 {
        let line = out.lines().find(|line| line.trim_start().starts_with("out-of-bag"));
        let cell = line.and_then(|line| line.split_whitespace().last());
        cell.and_then(|cell| cell.parse().ok()).expect("an accuracy")
    };
    let truth = texts(&table(&place, &data), "diagnosis");
    let own = texts(&scores, "prediction");
    let hits = own.iter().zip(&truth).filter(|(a, b)| a == b).count() as f64 / 569.0;
    assert!((accuracy(&out) - hits).abs() < 1e-6 && accuracy(&plain) != accuracy(&out), "{out}");
    // Every command that reads the file decides alike.
    place.run(&["predict", "m.lmdi", &data, "--out", "p.csv"]).good();
    let predicted = table(&place, "p.csv");
    assert_eq!(texts(&predicted, "prediction"), decided(&predicted, 0.2));
    place.run(&["counterfactual", "m.lmdi", &data, "--rows", "all", "--out", "c.csv"]).good();
    let found = table(&place, "c.csv");
    for (row, own) in numbers(&found, "row").iter().zip(texts(&found, "prediction")) {
        assert_eq!(own, texts(&scores, "prediction")[*row as usize - 1]);
    }
    assert!(texts(&found, "prediction") != texts(&found, "other_prediction"));
    place.run(&["subgroups", "m.lmdi", &data, "--groups", "2", "--out", "g.csv"]).good();
    assert_eq!(texts(&table(&place, "g.csv"), "prediction"), texts(&scores, "prediction"));
    assert!(place.read("r.html").contains("\"threshold\":0.2"));
    assert!(
        place.run(&["inspect", "m.lmdi"]).good().contains("malignant from a probability of 0.2")
    );
    // Both forms of the file keep it, and a flag beside the file changes it.
    place.run(&["convert", "m.lmdi", "--save", "m.json"]).good();
    place.run(&["predict", "m.json", &data, "--out", "q.csv"]).good();
    assert_eq!(place.read("p.csv"), place.read("q.csv"));
    let other = ["explain", &data, "--model", "m.lmdi", "--threshold", "0.9", "--out", "t.csv"];
    place.run(&other).good();
    let stricter = table(&place, "t.csv");
    assert_eq!(texts(&stricter, "prediction"), decided(&stricter, 0.9));
}

#[test]
fn decisions_that_cannot_be_made_are_refused() {
    let place = Place::new();
    let (two, three) = (example("breast_cancer.csv"), example("wine.csv"));
    let numbers = example("diabetes.csv");
    let base = ["explain", &two, "--target", "diagnosis", "--trees", "3"];
    for (flags, code, part) in [
        (&["--threshold", "1.5"][..], 2, "expected a probability from 0 to 1"),
        (&["--threshold", "-0.1"], 2, "expected a probability from 0 to 1"),
        (&["--costs", "1"], 2, "expected two numbers of at least 0"),
        (&["--costs", "0,0"], 2, "not both 0"),
        (&["--costs", "1,2", "--threshold", "0.3"], 2, "cannot be used with"),
        (&["--positive", "ill"], 2, "\"ill\", which is no label of \"diagnosis\""),
    ] {
        place.run(&[&base[..], flags].concat()).fails(code, &[part]);
    }
    for (data, target, part) in
        [(&three, "cultivar", "3 classes"), (&numbers, "progression", "a model of numbers")]
    {
        let run = ["train", data, "--target", target, "--trees", "3", "--threshold", "0.3"];
        place.run(&run).fails(2, &["threshold", part]);
        let run = ["train", data, "--target", target, "--trees", "3", "--positive", "first"];
        place.run(&run).fails(2, &["a target of two labels"]);
    }
    let train = ["train", &two, "--target", "diagnosis", "--trees", "3", "--save", "m.lmdi"];
    place.run(&train).good();
    let run = ["explain", &two, "--model", "m.lmdi", "--positive", "benign"];
    place.run(&run).fails(2, &["of its second label", "train with --positive"]);
}

/// A table whose key looks like numbers and dates, and must come back as it is written.
fn keyed() -> String {
    let mut text = String::from("id,x,y\n");
    for row in 0..60 {
        text += &format!("00{row}.50,{}.5,{}\n", row * 7 % 60, row * 7 % 60 / 2);
    }
    text
}

#[test]
fn a_key_travels_through_every_result() {
    let place = Place::new();
    place.file("t.csv", keyed());
    let keys: Vec<String> = (0..60).map(|row| format!("00{row}.50")).collect();
    let base = ["explain", "t.csv", "--target", "y", "--trees", "10", "--key", "id"];
    let files = ["--out", "s.csv", "--save", "m.lmdi", "--report", "r.html"];
    let out = place.run(&[&base[..], &files, &["--stability-runs", "0"]].concat()).good();
    assert!(out.contains("Not used: id (requested)"), "{out}");
    let written = |file: &str, name: &str| -> Vec<String> {
        let text = place.read(file);
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().expect("a header");
        let at = header.iter().position(|cell| *cell == name).expect("the column");
        lines.map(|cells| cells[at].to_owned()).collect()
    };
    assert_eq!(written("s.csv", "id"), keys, "as it is written in the table");
    assert!(place.read("s.csv").starts_with("row,id,prediction,"));
    let frame = table(&place, "s.csv");
    assert!(frame.column("score:id").is_none() && frame.column("score:x").is_some());
    let with_key = ["--key", "id"];
    place.run(&[&["score", "m.lmdi", "t.csv", "--out", "b.csv"], &with_key[..]].concat()).good();
    assert_eq!(place.read("s.csv"), place.read("b.csv"));
    place.run(&[&["predict", "m.lmdi", "t.csv", "--out", "p.csv"], &with_key[..]].concat()).good();
    assert_eq!(written("p.csv", "id"), keys);
    place
        .run(&[&["subgroups", "m.lmdi", "t.csv", "--out", "g.csv"], &with_key[..]].concat())
        .good();
    assert_eq!(written("g.csv", "id"), keys);
    let search = ["counterfactual", "m.lmdi", "t.csv", "--rows", "all", "--out", "c.csv"];
    let out = place.run(&[&search[..], &with_key].concat()).good();
    assert!(out.contains("Row 1 (000.50) of t.csv"), "{out}");
    let found = table(&place, "c.csv");
    for (number, key) in [("row", "key"), ("other_row", "other_key")] {
        for (row, key) in numbers(&found, number).iter().zip(written("c.csv", key)) {
            assert_eq!(keys[*row as usize - 1], key);
        }
    }
    let page = place.read("r.html");
    assert!(page.contains("\"key\":{\"name\":\"id\",\"texts\":[\"000.50\","), "the page has keys");
}

#[test]
fn keys_that_name_nothing_are_refused() {
    let place = Place::new();
    place.file("t.csv", keyed());
    place.file("twice.csv", keyed().replace("007.50", "003.50"));
    place.file("gap.csv", keyed().replace("\n009.50,", "\n,"));
    let run = |file: &str, key: &str| {
        place.run(&["explain", file, "--target", "y", "--trees", "3", "--key", key])
    };
    run("twice.csv", "id").fails(1, &["\"003.50\" in row 4 and in row 8"]);
    run("gap.csv", "id").fails(1, &["key \"id\" is missing in row 10"]);
    run("t.csv", "name").fails(1, &["name"]);
    run("t.csv", "y").fails(2, &["the target"]);
    let values = &table(&place, "t.csv").column("id").expect("keys").values.clone();
    assert!(matches!(values, Values::Numbers(_)), "numbers, unless they are a key");
}
