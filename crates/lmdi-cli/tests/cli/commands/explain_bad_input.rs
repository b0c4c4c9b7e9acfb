//! Bad input to `lmdi explain` and `lmdi score`: a clear message, the right exit code, no file
//! left.

use crate::support::{Place, example, send};

#[test]
fn wrong_usage_is_code_two() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let base = ["explain", &data, "--target", "progression", "--trees", "3"];
    let cases: [(&[&str], &str); 31] = [
        (&["--ablation", "5"], "5 is not in 1..=4"),
        (&["--ablation", "0"], "0 is not in 1..=4"),
        (&["--preset", "fast"], "possible values: model, data, paper"),
        (&["--validation", "oob", "--folds", "5"], "validation folds"),
        (&["--validation", "oob", "--rule", "1se"], "validation folds"),
        (&["--preset", "paper", "--ablation", "1"], "cannot be used with"),
        (&["--preset", "paper", "--glm", "ridge"], "fixes every choice"),
        (&["--ablation", "2", "--no-raw"], "--no-raw is given with a step of the ablation"),
        (&["--preset", "data", "--c", "1"], "--c is given with a preset"),
        (&["--preset", "data", "--fit-to", "model"], "fixes every choice"),
        (&["--response-share", "1.5"], "from 0 to 1"),
        (&["--raw-scale", "0"], "--raw-scale is 0; expected a number from 1e-6 to 1e6"),
        (&["--raw-scale", "nan"], "--raw-scale is NaN; expected a number from 1e-6 to 1e6"),
        (&["--raw-scale", "2", "--no-raw"], "cannot be used with"),
        (&["--preset", "data", "--raw-scale", "2"], "--raw-scale is given with a preset"),
        (&["--fit-to", "model", "--family", "poisson"], "--fit-to is response"),
        (&["--fit-on", "some"], "possible values: all, inbag, oob, uniform"),
        (&["--glm", "probit"], "possible values"),
        (&["--l1-ratio", "1.5"], "from 0 to 1"),
        (&["--l1-ratio", "0.5", "--glm", "ridge"], "elastic-net"),
        (&["--alpha", "-1", "--l1-ratio", "0.5"], "-1"),
        (&["--alpha", "0.1"], "0.1 without --l1-ratio"),
        (&["--alpha", "1", "--glm", "ols"], "ols, with alpha"),
        (&["--alpha", "1", "--c", "1"], "cannot be used with"),
        (&["--folds", "1"], "folds"),
        (&["--selection", "accuracy"], "deviance"),
        (&["--family", "binomial"], "gaussian or poisson"),
        (&["--tolerance", "0"], "tolerance"),
        (&["--top", "0"], "0 is not in 1.."),
        (&["--group", "size"], "expected NAME=COL"),
        (&["--holdout", "0.2", "--score-trees", "oob"], "every tree is out-of-bag"),
    ];
    for (flags, part) in cases {
        place.run(&[&base[..], flags].concat()).fails(2, &[part]);
    }
    place
        .run(&[&base[..], &["--test", &data, "--score-trees", "oob"]].concat())
        .fails(2, &["--score-trees"]);
    place
        .run(&[&base[..], &["--test", &data, "--holdout", "0.2"]].concat())
        .fails(2, &["--holdout"]);
    place.run(&["explain", &data]).fails(2, &["--target COL"]);
    let boosting = ["--model", "boosting", "--standard-error"];
    place.run(&[&base[..], &boosting[..]].concat()).fails(2, &["--standard-error", "forest"]);
    let boosting = ["--model", "boosting", "--family", "poisson"];
    place.run(&[&base[..], &boosting[..]].concat()).fails(2, &["family", "gaussian"]);
    assert!(place.names().is_empty());
}

#[test]
fn columns_and_files_that_do_not_fit_are_named() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let base = ["explain", &data, "--target", "progression", "--trees", "3"];
    place.file("few.csv", "age,sex\n50,group 1\n");
    place.file("one.csv", "x,y\n1,same\n2,same\n3,same\n");
    let cases: [(&[&str], &[&str]); 6] = [
        (&["--test", "few.csv"], &["few.csv", "no column \"body_mass_index\""]),
        (&["--test", "gone.csv"], &["gone.csv"]),
        (&["--group", "g=weight"], &["no column \"weight\""]),
        (&["--keep", "name"], &["diabetes.csv", "no column \"name\""]),
        (&["--out", "no/such/s.csv"], &["no/such/s.csv"]),
        (&["--save", "no/such/m.lmdi"], &["no/such/m.lmdi"]),
    ];
    for (flags, parts) in cases {
        place.run(&[&base[..], flags].concat()).fails(1, parts);
    }
    place.run(&["explain", &data, "--target", "height"]).fails(1, &["no column \"height\""]);
    place.run(&["explain", "one.csv", "--target", "y"]).fails(1, &["\"y\" is constant"]);
    assert_eq!(place.names(), ["few.csv", "one.csv"]);
}

#[test]
fn model_files_that_do_not_fit_are_named() {
    let place = Place::new();
    let data = example("diabetes.csv");
    place
        .run(&["train", &data, "--target", "progression", "--trees", "3", "--save", "m.lmdi"])
        .good();
    let explain = ["explain", &data, "--model", "m.lmdi"];
    place
        .run(&["score", "m.lmdi", &data, "--out", "s.csv"])
        .fails(1, &["m.lmdi", "no explainer", "lmdi explain"]);
    place
        .run(&[&explain[..], &["--trees", "5"]].concat())
        .fails(2, &["--trees", "trained already"]);
    place.run(&[&explain[..], &["--holdout", "0.2"]].concat()).fails(2, &["--holdout"]);
    place.run(&[&explain[..], &["--target", "age"]].concat()).fails(2, &["\"progression\""]);
    place
        .run(&["explain", &data, "--model", "forrest"])
        .fails(1, &["forrest", "forest, extra-trees, boosting"]);
    // A file that is there is not taken for a misspelt kind of model.
    place.file("w.csv", "age\n1\n");
    place.run(&["explain", &data, "--model", "w.csv"]).fails(1, &["error: w.csv: "]);
    place.run(&["explain", "w.csv", "--model", "m.lmdi"]).fails(1, &["w.csv", "no column"]);

    place.run(&[&explain[..], &["--save", "e.lmdi"]].concat()).good();
    place
        .run(&["explain", &data, "--model", "e.lmdi", "--test", &data])
        .fails(2, &["holds its explainer"]);
    let bytes = std::fs::read(place.path("e.lmdi")).expect("a model");
    for at in (0..bytes.len()).step_by(bytes.len() / 9) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        place.file("flip.lmdi", flipped);
        place.run(&["score", "flip.lmdi", &data, "--out", "-"]).fails(1, &["flip.lmdi"]);
    }
    assert_eq!(place.names(), ["e.lmdi", "flip.lmdi", "m.lmdi", "w.csv"]);
}

#[cfg(unix)]
#[test]
fn an_interrupted_fit_ends_with_130_and_leaves_no_file() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let place = Place::new();
    let mut csv = String::from("a,b,c,y\n");
    for row in 0u64..20_000 {
        let x = row.wrapping_mul(2_654_435_761) % 100_003;
        csv.push_str(&format!("{x},{},{},{}\n", x % 977, x % 89, x % 1009));
    }
    place.file("t.csv", csv);
    place.run(&["train", "t.csv", "--target", "y", "--trees", "20", "--save", "m.lmdi"]).good();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(["explain", "t.csv", "--model", "m.lmdi", "--validation", "folds", "--folds", "200"])
        .args(["--out", "s.csv", "--save", "e.lmdi", "--report", "r.html"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    // The size of the table is printed before the fits start, which take minutes with so many folds.
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    BufReader::new(stdout).read_line(&mut line).expect("the report");
    send(&child, "-INT");
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    assert_eq!(place.names(), ["m.lmdi", "t.csv"]);
}
