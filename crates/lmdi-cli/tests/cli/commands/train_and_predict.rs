//! The commands as a user runs them.

use crate::support::{Place, example};

#[test]
fn the_three_example_tables_are_learned_and_predicted() {
    let place = Place::new();
    for (table, target, task, model) in [
        ("diabetes.csv", "progression", "regression", "forest"),
        ("breast_cancer.csv", "diagnosis", "binary", "extra-trees"),
        ("wine.csv", "cultivar", "multiclass", "boosting"),
    ] {
        let data = example(table);
        let train = ["train", &data, "--target", target, "--model", model, "--trees", "30"];
        let flags = ["--holdout", "0.3", "--save", "m.lmdi"];
        let out = place.run(&[&train[..], &flags[..]].concat()).good();
        assert!(out.contains(&format!("target ({task})")), "{out}");
        assert!(out.contains("hold-out") && out.contains("Saved m.lmdi"), "{out}");
        place.run(&["predict", "m.lmdi", &data, "--out", "p.csv"]).good();
        let result = place.read("p.csv");
        let rows = std::fs::read_to_string(&data).expect("an example").lines().count();
        assert_eq!(result.lines().count(), rows);
        assert!(result.starts_with("prediction"), "{result}");
    }
    assert_eq!(place.names(), ["m.lmdi", "p.csv"], "no temporary file is left");
}

#[test]
fn a_model_that_the_mean_or_chance_beats_is_called_that() {
    let place = Place::new();
    // Targets that no column tells anything about: neighbours always differ, so that whoever learns from
    // them is wrong.
    let mut table = String::from("x,number,class\n");
    for i in 0..120 {
        let (number, class) = if i % 2 == 0 { ("1.5", "no") } else { ("7.25", "yes") };
        table += &format!("{}.5,{number}{},{class}\n", i, i % 5);
    }
    place.file("noise.csv", &table);
    let train = |target: &str| place.run(&["train", "noise.csv", "--target", target]).good();
    let drop = |target: &str, other: &str| {
        place.run(&["train", "noise.csv", "--target", target, "--drop", other]).good()
    };
    let number = drop("number", "class");
    assert!(number.contains("predicts number no better than the mean does"), "{number}");
    let class = drop("class", "number");
    assert!(class.contains("predicts class no better than chance does"), "{class}");
    assert!(!train("class").contains("no better than"), "with the number it is easy");
}

#[test]
fn out_of_bag_quality_is_shown_and_good_on_an_easy_table() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    place.run(&["train", &data, "--target", "diagnosis", "--save", "m.lmdi"]).good();
    let out = place.run(&["inspect", "m.lmdi", "--json"]).good();
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let measure = |name: &str| {
        let mut all = json["quality"].as_array().expect("a list").iter();
        let found = all.find(|q| q["sample"] == "oob" && q["measure"] == name);
        found.and_then(|q| q["value"].as_f64()).expect("measured")
    };
    assert!(measure("auroc") > 0.98 && measure("accuracy") > 0.94, "{json}");
    assert_eq!(json["classes"], serde_json::json!(["benign", "malignant"]));
    assert_eq!(json["training_rows"], 569);
    let options = json["training_options"].as_str().expect("text");
    assert!(options.starts_with("--model forest --trees 100 --criterion gini "), "{options}");
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let place = Place::new();
    let data = example("wine.csv");
    for (name, threads, seed) in [("a", "1", "7"), ("b", "4", "7"), ("c", "4", "8")] {
        let train = ["train", &data, "--target", "cultivar", "--trees", "20", "--holdout", "0.2"];
        let flags = ["--threads", threads, "--seed", seed, "--save", name];
        place.run(&[&train[..], &flags[..]].concat()).good();
    }
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("a model");
    assert!(bytes("a") == bytes("b"), "threads change the model");
    assert!(bytes("a") != bytes("c"), "the seed changes nothing");
}

#[test]
fn csv_parquet_and_standard_input_give_the_same_predictions() {
    let place = Place::new();
    let data = example("diabetes.csv");
    place
        .run(&["train", &data, "--target", "progression", "--trees", "10", "--save", "m.lmdi"])
        .good();
    place.run(&["predict", "m.lmdi", &data, "--out", "p.csv", "--keep", "sex"]).good();
    let from_stdin = place.run_with(
        &["predict", "m.lmdi", "-", "--out", "-", "--keep", "sex"],
        std::fs::read(&data).expect("an example"),
    );
    assert_eq!(from_stdin.good(), place.read("p.csv"));
    place.run(&["predict", "m.lmdi", &data, "--out", "p.parquet", "--keep", "sex"]).good();
    let from_parquet = place.run(&["inspect", "p.parquet", "--json"]).good();
    assert!(from_parquet.contains("\"rows\": 442"), "{from_parquet}");
}

#[test]
fn a_json_model_predicts_like_the_binary_one() {
    let place = Place::new();
    let data = example("wine.csv");
    for name in ["m.lmdi", "m.json"] {
        place.run(&["train", &data, "--target", "cultivar", "--trees", "5", "--save", name]).good();
    }
    assert!(place.read("m.json").starts_with('{'));
    let predictions = ["m.lmdi", "m.json"]
        .map(|model| place.run(&["predict", model, &data, "--out", "-"]).good());
    assert_eq!(predictions[0], predictions[1]);
}

#[test]
fn a_model_is_converted_to_json_and_back_to_the_byte() {
    let place = Place::new();
    // Only whether x is there tells rows apart: present cells go left of every number.
    let mut csv = String::from("x,y\n");
    for row in 0..120 {
        csv.push_str(["7,1.5\n", ",4\n", "7,2\n"][row % 3]);
    }
    place.file("t.csv", csv);
    for model in ["forest", "boosting"] {
        let explain = ["explain", "t.csv", "--target", "y", "--trees", "5", "--save", "m.lmdi"];
        let flags = ["--model", model, "--out", "s.csv"];
        place.run(&[&explain[..], &flags[..]].concat()).good();
        let out = place.run(&["convert", "m.lmdi", "--save", "m.json"]).good();
        assert!(out.contains("Saved m.json"), "{out}");
        let json: serde_json::Value = serde_json::from_str(&place.read("m.json")).expect("JSON");
        let tree = json.pointer("/ensemble/trees/0").expect("a tree");
        assert_eq!(tree["threshold"][0], "inf", "{tree}");
        place.run(&["convert", "m.json", "--save", "again.lmdi"]).good();
        let bytes = |name: &str| std::fs::read(place.path(name)).expect("a model");
        assert!(bytes("m.lmdi") == bytes("again.lmdi"), "JSON lost something");
        let scores = place.run(&["score", "m.json", "t.csv", "--out", "-"]).good();
        assert_eq!(scores, place.read("s.csv"));
    }
    place.run(&["convert", "t.csv", "--save", "m.json"]).fails(1, &["t.csv", "model file"]);
    place.run(&["convert", "m.lmdi", "--save", "no/such/m.json"]).fails(1, &["no/such/m.json"]);
}

/// Rows whose x decides y, with a text column of two levels.
fn small_table() -> String {
    let mut csv = String::from("x,colour,y\n");
    for row in 0..60 {
        let colour = if row % 3 == 0 { "red" } else { "blue" };
        csv.push_str(&format!("{}.5,{colour},{}\n", row * 7 % 60, (row * 7 % 60) / 2));
    }
    csv
}

#[test]
fn columns_are_matched_by_name_and_new_levels_counted() {
    let place = Place::new();
    place.file("t.csv", small_table());
    place.run(&["train", "t.csv", "--target", "y", "--save", "m.lmdi"]).good();
    place.file("n.csv", "other,colour,x\n1,red,5\n2,green,50\n3,green,7\n");
    let run = place.run(&["predict", "m.lmdi", "n.csv", "--out", "-", "--keep", "other"]);
    assert!(run.err.contains("colour") && run.err.contains("2 cells"), "{}", run.err);
    assert!(run.err.contains("green"), "{}", run.err);
    let out = run.good();
    assert!(out.starts_with("other,prediction\n1,"), "{out}");
    place.file("w.csv", "other\n1\n");
    let parts = ["w.csv", "no column \"x\", \"colour\""];
    place.run(&["predict", "m.lmdi", "w.csv", "--out", "-"]).fails(1, &parts);
    place.file("w.csv", "colour\nred\n");
    place
        .run(&["predict", "m.lmdi", "w.csv", "--out", "-"])
        .fails(1, &["w.csv", "no column \"x\""]);
    place.file("w.csv", "colour,x\nred,tall\n");
    let parts = ["w.csv", "line 2", "\"x\"", "\"tall\"", "a number"];
    place.run(&["predict", "m.lmdi", "w.csv", "--out", "-"]).fails(1, &parts);
}

#[test]
fn what_is_dropped_pooled_or_left_out_is_printed() {
    let place = Place::new();
    let mut csv = String::from("id,same,city,w,unused,y\n");
    for row in 0..60 {
        let y = if row == 5 { String::new() } else { (row % 10).to_string() };
        csv.push_str(&format!("n{row},1,city {},{},{row}.5,{y}\n", row % 6, 1 + row % 2));
    }
    place.file("t.csv", csv);
    let train = ["train", "t.csv", "--target", "y", "--max-levels", "4", "--trees", "5"];
    let flags = ["--weight", "w", "--drop", "unused", "--kind", "y=numeric"];
    let out = place.run(&[&train[..], &flags[..]].concat()).good();
    for part in [
        "dropped: identifier-like",
        "dropped: constant",
        "dropped: requested",
        "2 rare levels pooled",
        "weight",
        "Left out 1 row without a value of y",
        "Not used: id (identifier-like), same (constant), unused (requested)",
        "add --save",
    ] {
        assert!(out.contains(part), "{part:?} is not in\n{out}");
    }
}

#[test]
fn hostile_names_work_everywhere_and_never_reach_the_terminal() {
    let place = Place::new();
    let name = "a,\"b\"\n=\u{1b}[31m;c";
    let quoted = format!("\"{}\"", name.replace('"', "\"\""));
    let mut csv = format!("{quoted},x,y\n");
    for row in 0..40 {
        csv.push_str(&format!("{},{},{}\n", row % 7, row % 5, row % 3 + row % 7));
    }
    place.file("t.csv", csv);
    let kind = format!("{name}=categorical");
    let train = ["train", "t.csv", "--target", "y", "--trees", "3", "--save", "m.lmdi"];
    let out = place.run(&[&train[..], &["--kind", &kind]].concat()).good();
    assert!(!out.contains('\u{1b}') && out.contains("\\u{1b}[31m"), "{out}");
    let out = place.run(&["inspect", "m.lmdi"]).good();
    assert!(!out.contains('\u{1b}') && out.contains("7 levels"), "{out}");
    let out = place.run(&["predict", "m.lmdi", "t.csv", "--out", "-", "--keep", name]).good();
    assert!(out.starts_with(&quoted), "{out}");
    for flag in ["--drop", "--target", "--weight"] {
        let run = place.run(&["train", "t.csv", "--target", "y", flag, "\u{1b}[2J"]);
        assert!(run.code != 0 && !run.err.contains('\u{1b}'), "{}", run.err);
    }
}

#[test]
fn inspect_describes_a_table() {
    let place = Place::new();
    place.file("t.tsv", "n\tflag\ttown\n1\tyes\tUlm\n2\tno\t\n3\tyes\tBonn\n");
    let out = place.run(&["inspect", "t.tsv"]).good();
    for part in
        ["3 rows, 3 columns", "delimiter tab", "numeric", "boolean", "categorical", "1 to 3"]
    {
        assert!(out.contains(part), "{part:?} is not in\n{out}");
    }
    let out = place.run(&["inspect", "t.tsv", "--json", "--kind", "n=categorical"]).good();
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["columns"][0]["kind"], "categorical");
    assert_eq!(json["columns"][2]["missing"], 1);
}

#[test]
fn help_and_completions_are_there() {
    let place = Place::new();
    let help = place.run(&["train", "--help"]).good();
    assert!(help.contains("Examples:") && help.contains("--early-stopping"), "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&["completions", shell]).good();
        assert!(script.contains("inspect"), "{shell}");
    }
}
