//! `lmdi explain` and `lmdi score` as a user runs them: what is in the files, and what is printed.

use crate::support::{Place, assert_close, example, numbers, table, totals};
use lmdi::table::Frame;

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[test]
fn scores_of_numbers_add_up_to_what_they_explain() {
    let place = Place::new();
    let data = example("diabetes.csv");
    for model in ["forest", "boosting"] {
        let flags = ["--target", "progression", "--trees", "20", "--model", model];
        let out = place.run(&[&["explain", &data, "--out", "s.csv"], &flags[..]].concat()).good();
        for part in ["mean |score|", "in units of progression", "Example: row 1", "Wrote s.csv"] {
            assert!(out.contains(part), "{part:?} is not in\n{out}");
        }
        let scores = table(&place, "s.csv");
        assert_eq!(scores.rows(), 442);
        assert_eq!(numbers(&scores, "row")[441], 442.0);
        assert!(scores.column("score:sex").is_some(), "the parts of a text column are one column");
        assert_close(&totals(&scores, ""), numbers(&scores, "explained"));
    }
    assert_eq!(place.names(), ["s.csv"]);
}

#[test]
fn scores_of_two_classes_add_up_to_the_log_odds_of_the_second() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    for (model, preset) in [("forest", "data"), ("boosting", "model")] {
        let flags =
            ["--target", "diagnosis", "--trees", "10", "--model", model, "--preset", preset];
        let out = place.run(&[&["explain", &data, "--out", "s.csv"], &flags[..]].concat()).good();
        assert!(out.contains("in log-odds that diagnosis is malignant"), "{out}");
        let scores = table(&place, "s.csv");
        let expected: Vec<f64> = totals(&scores, "").into_iter().map(logistic).collect();
        assert_close(&expected, numbers(&scores, "explained_probability:malignant"));
    }
}

#[test]
fn scores_of_several_classes_add_up_class_by_class() {
    let place = Place::new();
    let data = example("wine.csv");
    for (model, preset) in [("forest", "data"), ("boosting", "model")] {
        let flags = ["--target", "cultivar", "--trees", "10", "--model", model, "--preset", preset];
        place.run(&[&["explain", &data, "--out", "s.csv"], &flags[..]].concat()).good();
        let scores = table(&place, "s.csv");
        let labels = ["first", "second", "third"];
        let turned: Vec<Vec<f64>> = labels
            .iter()
            .map(|label| {
                let share = |x: f64| if model == "forest" { logistic(x) } else { x.exp() };
                totals(&scores, &format!("{label}:")).into_iter().map(share).collect()
            })
            .collect();
        for (class, label) in labels.iter().enumerate() {
            let expected: Vec<f64> = (0..scores.rows())
                .map(|row| turned[class][row] / turned.iter().map(|of| of[row]).sum::<f64>())
                .collect();
            assert_close(&expected, numbers(&scores, &format!("explained_probability:{label}")));
        }
    }
}

#[test]
fn csv_parquet_and_any_number_of_threads_hold_the_same() {
    let place = Place::new();
    let data = example("wine.csv");
    let base = [
        "explain",
        &data,
        "--target",
        "cultivar",
        "--trees",
        "40",
        "--standard-error",
        "--rank",
        "score",
    ];
    for (name, model, threads) in
        [("a.csv", "a.lmdi", "1"), ("b.csv", "b.lmdi", "4"), ("c.parquet", "c.lmdi", "4")]
    {
        let flags = ["--out", name, "--save", model, "--threads", threads];
        place.run(&[&base[..], &flags[..]].concat()).good();
    }
    assert!(place.read("a.csv") == place.read("b.csv"), "threads change the scores");
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("a model");
    assert!(bytes("a.lmdi") == bytes("b.lmdi"), "threads change the explainer");
    assert_eq!(table(&place, "a.csv"), table(&place, "c.parquet"));
}

#[test]
fn a_saved_explainer_gives_the_same_bytes() {
    let place = Place::new();
    for (file, target) in [("diabetes.csv", "progression"), ("wine.csv", "cultivar")] {
        let data = example(file);
        let flags = ["--standard-error", "--rank", "rank", "--keep", target];
        for model in ["m.lmdi", "m.json"] {
            let explain = [
                "explain", &data, "--target", target, "--trees", "8", "--save", model, "--out",
                "a.csv",
            ];
            place.run(&[&explain[..], &flags[..]].concat()).good();
            let score = ["score", model, &data, "--out", "b.csv"];
            let out = place.run(&[&score[..], &flags[..]].concat()).good();
            assert!(out.starts_with("\nWrote b.csv ("), "{out}");
            assert!(place.read("a.csv") == place.read("b.csv"), "{file} {model}");
            let again = ["explain", &data, "--model", model, "--out", "c.csv"];
            let out = place.run(&[&again[..], &flags[..]].concat()).good();
            assert!(out.contains("holds an explainer"), "{out}");
            assert!(place.read("a.csv") == place.read("c.csv"), "{file} {model}");
        }
    }
    let out = place.run(&["inspect", "m.lmdi"]).good();
    assert!(
        out.contains(
            "Explainer: LMDI+, 24 linear models (least squares, fitted to the model, elastic net"
        ),
        "{out}"
    );
    let json = place.run(&["inspect", "m.json", "--json"]).good();
    assert!(json.contains("\"linear_models\": 24"), "{json}");
}

#[test]
fn a_model_file_is_explained_as_if_it_were_trained_here() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let train = ["--target", "progression", "--trees", "8", "--seed", "3"];
    place.run(&[&["train", &data, "--save", "m.lmdi"], &train[..]].concat()).good();
    let out = place.run(&["inspect", "m.lmdi"]).good();
    assert!(out.contains("Explainer: none"), "{out}");
    place.run(&[&["explain", &data, "--out", "a.csv"], &train[..]].concat()).good();
    let out = place.run(&["explain", &data, "--model", "m.lmdi", "--out", "b.csv"]).good();
    assert!(
        out.contains(
            "by deviance in out-of-bag rows
"
        ),
        "{out}"
    );
    assert!(out.contains("fitted on all rows, each counted once"), "{out}");
    assert!(place.read("a.csv") == place.read("b.csv"));

    // Other rows: the bootstrap says nothing about them, and that is said.
    let text = std::fs::read_to_string(&data).expect("an example");
    let part: Vec<&str> = text.lines().take(300).collect();
    place.file("part.csv", part.join("\n"));
    let out = place.run(&["explain", "part.csv", "--model", "m.lmdi"]).good();
    assert!(out.contains("part.csv is not the table that m.lmdi was trained on"), "{out}");
    assert!(
        out.contains(
            "by deviance in 3-fold cross-validation
"
        ),
        "{out}"
    );
    for flag in ["--fit-on", "--validation"] {
        let parts = [flag, "part.csv is not the table"];
        place.run(&["explain", "part.csv", "--model", "m.lmdi", flag, "oob"]).fails(2, &parts);
    }
    let parts = ["part.csv is not the table", "--score-trees"];
    place
        .run(&["explain", "part.csv", "--model", "m.lmdi", "--score-trees", "oob"])
        .fails(1, &parts);
}

#[test]
fn the_explained_rows_are_those_asked_for() {
    let place = Place::new();
    let mut csv = String::from("x,colour,y\n");
    for row in 0..80 {
        let y = if row == 1 { String::new() } else { (row * 7 % 80 / 2).to_string() };
        csv.push_str(&format!("{}.5,{},{y}\n", row * 7 % 80, ["red", "blue"][row % 2]));
    }
    place.file("t.csv", csv);
    let base = ["explain", "t.csv", "--target", "y", "--trees", "10", "--out", "s.csv"];
    let out = place.run(&base).good();
    assert!(out.contains("Left out 1 row") && out.contains("Scored 79 training rows"), "{out}");
    assert_eq!(numbers(&table(&place, "s.csv"), "row")[..3], [1.0, 3.0, 4.0], "rows of the file");

    let out = place.run(&[&base[..], &["--holdout", "0.25"]].concat()).good();
    assert!(out.contains("Scored 20 hold-out rows"), "{out}");
    assert_eq!(
        r2_of(&out, "LMDI+ on the hold-out"),
        r2(&table(&place, "s.csv"), &table(&place, "t.csv")),
        "the quality shown is that of the explained predictions written:\n{out}"
    );
    place.run(&[&base[..], &["--score-trees", "oob"]].concat()).good();
    let oob = place.read("s.csv");
    place.run(&[&base[..], &["--score-trees", "inbag"]].concat()).good();
    assert!(oob != place.read("s.csv"));
    assert_close(
        &totals(&table(&place, "s.csv"), ""),
        numbers(&table(&place, "s.csv"), "explained"),
    );

    place.file("new.csv", "id,colour,x\na,red,5\nb,green,50\n");
    let run = place.run(&[&base[..], &["--test", "new.csv", "--keep", "id"]].concat());
    assert!(
        run.err.contains("1 cell with a level that training did not know, such as green"),
        "{}",
        run.err
    );
    assert!(run.good().contains("Scored 2 test rows"));
    let names = "row,id,prediction,explained,unexplained,base,score:x,score:colour";
    assert!(place.read("s.csv").starts_with(&format!("{names}\n1,a,")));
}

/// The R2 that a report shows in the line of this sample, to its four leading decimals.
fn r2_of(report: &str, sample: &str) -> String {
    let line = report.lines().find(|line| line.contains(sample)).expect("a line of quality");
    let cells: Vec<&str> = line.split_whitespace().collect();
    format!("{:.4}", cells[cells.len() - 2].parse::<f64>().expect("a number"))
}

/// R2 of what is explained against the column `y` of the table they explain.
fn r2(scores: &Frame, data: &Frame) -> String {
    let y: Vec<f64> =
        numbers(scores, "row").iter().map(|&row| numbers(data, "y")[row as usize - 1]).collect();
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let around = |center: &dyn Fn(usize) -> f64| -> f64 {
        y.iter().enumerate().map(|(row, y)| (y - center(row)) * (y - center(row))).sum()
    };
    let predicted = numbers(scores, "explained");
    format!("{:.4}", 1.0 - around(&|row| predicted[row]) / around(&|_| mean))
}

#[test]
fn an_explainer_far_below_its_model_is_said_to_be() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let base = ["explain", &data, "--target", "progression", "--trees", "5", "--holdout", "0.3"];
    let out = place.run(&[&base[..], &["--save", "m.lmdi"]].concat()).good();
    assert!(!out.contains("NOTE"), "{out}");
    let shown = place.run(&["inspect", "m.lmdi"]).good();
    assert!(shown.contains("LMDI+ on the hold-out R2: "), "{shown}");
    // A penalty this strong leaves nothing but the base.
    let flags = ["--glm", "lasso", "--alpha", "1e6"];
    let out = place.run(&[&base[..], &flags[..]].concat()).good();
    assert!(out.contains("NOTE: LMDI+ predicts these rows far worse than the model (R2 "), "{out}");
    let warning =
        "WARNING: LMDI+ reproduces only 0.0 % of the variation in the model's predictions";
    assert!(out.contains(warning), "{out}");
    assert!(out.contains("(hold-out rows)") && out.contains("understate"), "{out}");
    let advice = "--preset model follows the model more closely, and --method tree-shap";
    assert!(!out.contains(advice), "{out}");
    let out = place.run(&[&base[..], &flags[..], &["--fit-to", "response"]].concat()).good();
    assert!(out.contains(advice), "{out}");
}

/// Where the command trained the model itself, nobody is asked whether these are its rows.
#[test]
fn a_poor_fit_of_the_own_model_does_not_blame_the_rows() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let own = ["explain", &data, "--target", "diagnosis", "--model", "boosting"];
    let files = ["--report", "r.html", "--stability-runs", "0"];
    let out = place.run(&[&own[..], &files].concat()).good();
    for text in [out, place.read("r.html")] {
        assert!(text.contains("reproduces only"), "{text}");
        assert!(text.contains("much of this model does not"));
        assert!(!text.contains("not the rows the model was trained on"));
    }
    place.run(&[&["train"], &own[1..], &["--save", "m.lmdi"]].concat()).good();
    let given = ["explain", &data, "--target", "diagnosis", "--model", "m.lmdi"];
    let out = place.run(&[&given[..], &["--report", "g.html"]].concat()).good();
    for text in [out, place.read("g.html")] {
        assert!(text.contains("not the rows the model was trained on"), "{text}");
    }
}

/// LMDI+ that is fitted to the explained rows must not be measured on them as if they were held
/// out.
#[test]
fn rows_that_lmdi_plus_was_fitted_to_are_no_hold_out() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let train = ["--target", "progression", "--trees", "8", "--holdout", "0.3"];
    place.run(&[&["train", &data, "--save", "m.lmdi"], &train[..]].concat()).good();
    let text = std::fs::read_to_string(&data).expect("an example");
    let part: Vec<&str> = text.lines().take(300).collect();
    place.file("other.csv", part.join("\n"));
    let explain = ["explain", "other.csv", "--model", "m.lmdi", "--target", "progression"];
    let files = ["--save", "e.lmdi", "--report", "r.html"];
    let out = place.run(&[&explain[..], &files].concat()).good();
    assert!(out.contains("Scored 299 rows that the explainer was fitted to"), "{out}");
    assert!(out.contains("LMDI+ on the rows it was fitted to"), "{out}");
    assert!(!out.contains("LMDI+ on the hold-out"), "{out}");
    // What the model reached on its own hold-out says nothing about these rows.
    assert!(!out.contains("NOTE"), "{out}");
    let shown = place.run(&["inspect", "e.lmdi"]).good();
    assert!(shown.contains("hold-out R2: ") && !shown.contains("LMDI+ on the hold-out"), "{shown}");
    let page = place.read("r.html");
    assert!(page.contains("LMDI+ on the rows it was fitted to"));
    assert!(!page.contains(r#""sample":"LMDI+ on the hold-out""#));

    // The same rows as the model was trained on are called so, whatever their file.
    place
        .run(&["train", "other.csv", "--target", "progression", "--trees", "8", "--save", "n.lmdi"])
        .good();
    let out = place.run(&["explain", "other.csv", "--model", "n.lmdi"]).good();
    assert!(out.contains("Scored 299 training rows"), "{out}");
    assert!(!out.contains("LMDI+ on"), "{out}");
}

#[test]
fn top_columns_and_groups_keep_the_sum() {
    let place = Place::new();
    let data = example("wine.csv");
    place
        .run(&[
            "explain", &data, "--target", "cultivar", "--trees", "5", "--save", "m.lmdi", "--out",
            "all.csv",
        ])
        .good();
    let score = ["score", "m.lmdi", &data, "--out"];
    place.run(&[&score[..], &["top.csv", "--top", "3"]].concat()).good();
    let groups = ["--group", "drink=alcohol", "--group", "drink=malic_acid"];
    place.run(&[&score[..], &["groups.csv"], &groups[..]].concat()).good();
    let (all, top, grouped) =
        (table(&place, "all.csv"), table(&place, "top.csv"), table(&place, "groups.csv"));
    assert_close(&totals(&top, "first:"), &totals(&all, "first:"));
    assert_close(&totals(&grouped, "first:"), &totals(&all, "first:"));
    let sum: Vec<f64> = numbers(&all, "score:first:alcohol")
        .iter()
        .zip(numbers(&all, "score:first:malic_acid"))
        .map(|(a, b)| a + b)
        .collect();
    assert_close(numbers(&grouped, "score:first:drink"), &sum);
    assert!(grouped.column("score:first:alcohol").is_none());
    let name = top.column("top:1").expect("the first").values.text(0).expect("a name");
    let first = numbers(&all, &format!("score:first:{name}"))[0];
    assert_close(&numbers(&top, "score:first:top:1")[..1], &[first]);
}

#[test]
fn every_choice_of_the_method_is_taken() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let base = ["explain", &data, "--target", "progression", "--trees", "4", "--out", "-"];
    let run = |flags: &[&str]| place.run(&[&base[..], flags].concat()).good();
    let usual = run(&[]);
    assert!(run(&["--preset", "model"]) == usual);
    assert!(
        run(&["--fit-on", "uniform", "--validation", "oob", "--selection", "deviance"]) == usual
    );
    assert!(run(&["--response-share", "0.5"]) == usual);
    let response = run(&["--preset", "data"]);
    assert!(run(&["--fit-to", "response"]) == response);
    let paper = run(&["--preset", "paper"]);
    assert!(run(&["--ablation", "4"]) == paper);
    assert!(
        run(&[
            "--fit-to",
            "response",
            "--fit-on",
            "all",
            "--folds",
            "3",
            "--raw-scale",
            "1",
            "--no-scale-target",
            "--no-bound-raw"
        ]) == paper
    );
    let mut seen = vec![usual, response, paper];
    for flags in [
        &["--response-share", "0"][..],
        &["--ablation", "1"],
        &["--ablation", "2"],
        &["--ablation", "3"],
        &["--fit-on", "inbag"],
        &["--fit-on", "oob"],
        &["--fit-on", "all"],
        &["--validation", "folds"],
        &["--no-raw"],
        &["--raw-scale", "2"],
        &["--no-scale-target"],
        &["--glm", "ridge"],
        &["--glm", "lasso"],
        &["--l1-ratio", "0.7"],
        &["--glm", "ridge", "--alpha", "0.1"],
        &["--glm", "lasso", "--c", "0.1"],
        &["--folds", "5"],
        &["--rule", "1se"],
        &["--family", "poisson"],
    ] {
        let scores = run(flags);
        assert!(!seen.contains(&scores), "{flags:?} changes nothing");
        seen.push(scores);
    }
    let wine = example("breast_cancer.csv");
    let base =
        ["explain", &wine, "--target", "diagnosis", "--trees", "4", "--out", "-", "--selection"];
    let by = ["deviance", "accuracy"].map(|by| place.run(&[&base[..], &[by]].concat()).good());
    assert!(by[0] != by[1], "the measure changes nothing");
}

#[test]
fn scores_on_standard_output_leave_the_report_to_standard_error() {
    let place = Place::new();
    let data = std::fs::read(example("diabetes.csv")).expect("an example");
    let run = place
        .run_with(&["explain", "-", "--target", "progression", "--trees", "3", "--out", "-"], data);
    assert!(run.err.contains("What matters") && run.err.contains("standard input"), "{}", run.err);
    let out = run.good();
    let names = "row,prediction,explained,unexplained,base,score:age,";
    assert!(out.starts_with(names), "{out}");
    assert_eq!(out.lines().count(), 443);
}

#[test]
fn hostile_names_are_kept_in_files_and_escaped_on_terminals() {
    let place = Place::new();
    let name = "a,\"b\"\n=\u{1b}[31m;c";
    let quoted = name.replace('"', "\"\"");
    let mut csv = format!("\"{quoted}\",x,row,base,y\n");
    for row in 0..60 {
        csv.push_str(&format!(
            "{},{},{}.5,{},{}\n",
            row % 7,
            row % 5,
            row * 7 % 11,
            row % 4,
            ["u:\\", "v"][row % 7 / 4]
        ));
    }
    place.file("t.csv", csv);
    let group = format!("g={name}");
    let base = ["explain", "t.csv", "--target", "y", "--trees", "3"];
    let out = place.run(&[&base[..], &["--out", "s.csv", "--save", "m.lmdi"]].concat()).good();
    assert!(!out.contains('\u{1b}') && out.contains("\\u{1b}[31m"), "{out}");
    assert!(place.read("s.csv").contains(&format!("\"score:{quoted}\"")));
    let frame = table(&place, "s.csv");
    assert!(frame.column("score:row").is_some() && frame.column("score:base").is_some());
    let out = place.run(&["score", "m.lmdi", "t.csv", "--out", "-", "--group", &group]).good();
    assert!(
        out.starts_with(
            "row,prediction,probability:u:\\,probability:v,explained,unexplained,base,score:g,"
        ),
        "{out}"
    );
    for flags in [["--group", "g=\u{1b}[2J"], ["--keep", "\u{1b}[2J"]] {
        let run = place.run(&[&["score", "m.lmdi", "t.csv", "--out", "-"], &flags[..]].concat());
        assert!(run.code == 1 && !run.err.contains('\u{1b}'), "{}", run.err);
    }
}

/// A part of the training table has another fingerprint than the whole, but the model's error gives it
/// away; new rows of the same kind are left in peace.
#[test]
fn a_part_of_the_training_table_is_noticed() {
    let place = Place::new();
    let table = |rows: std::ops::Range<u32>| {
        // Half signal, half noise, so that a forest knows its own rows far better than others.
        let noise = |i: u32| {
            let mixed = (i ^ (i >> 7)).wrapping_mul(0x45d9_f3b5);
            f64::from((mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d) >> 16) / 65_536.0
        };
        let line = |i: u32| {
            let (a, b) = (noise(i + 10_000), noise(i + 20_000));
            format!("{a},{b},{}\n", a + noise(i))
        };
        format!("a,b,y\n{}", rows.map(line).collect::<String>())
    };
    place.file("train.csv", table(0..200));
    place.file("part.csv", table(0..80));
    place.file("new.csv", table(200..280));
    place.run(&["train", "train.csv", "--target", "y", "--save", "m.lmdi"]).good();
    let explained = |file: &str| {
        let run = ["explain", file, "--target", "y", "--model", "m.lmdi", "--report", "r.html"];
        place.run(&run).good()
    };
    let told = "as if it had been trained on them";
    let page = || place.read("r.html");
    assert!(explained("part.csv").contains(told) && page().contains(told));
    assert!(!explained("new.csv").contains(told) && !page().contains(told));
    assert!(!explained("train.csv").contains(told) && !page().contains(told));
    let method = ["--method", "tree-shap", "--out", "s.csv"];
    let scored = |file: &str| place.run(&[&["score", "m.lmdi", file], &method[..]].concat());
    assert!(scored("part.csv").err.contains(told));
    assert!(!scored("new.csv").err.contains(told) && !scored("train.csv").err.contains(told));
    place.file("bare.csv", "a,b\n0.5,0.25\n0.125,0.75\n");
    assert_eq!(scored("bare.csv").err, "", "the target is not needed");
}
