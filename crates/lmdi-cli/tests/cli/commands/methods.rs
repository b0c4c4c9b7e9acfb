//! `--method`: every method explains, sums are what they should be, and flags of other methods are
//! refused.

use crate::support::{Place, assert_close, example, numbers, table, totals};

#[test]
fn methods_that_explain_the_prediction_add_up_to_it() {
    let place = Place::new();
    let data = example("diabetes.csv");
    for method in ["tree-shap", "saabas"] {
        for model in ["forest", "boosting"] {
            let flags = ["--target", "progression", "--trees", "10", "--model", model];
            let more = ["--method", method, "--out", "s.csv", "--rank", "score"];
            let out = place.run(&[&["explain", &data][..], &flags, &more].concat()).good();
            let sum = if model == "forest" { "by all trees to within" } else { "to within" };
            let sum = format!("Base plus scores is the prediction {sum}");
            for part in ["nothing is fitted", "in units of progression", &sum] {
                assert!(out.contains(part), "{part:?} is not in\n{out}");
            }
            let scores = table(&place, "s.csv");
            assert_close(&totals(&scores, ""), numbers(&scores, "explained"));
            assert_close(numbers(&scores, "unexplained"), &vec![0.0; 442]);
            assert!(scores.column("rank:body_mass_index").is_some());
        }
    }
}

#[test]
fn a_saved_model_is_explained_without_fitting_as_explain_does() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let train = ["--target", "diagnosis", "--trees", "10", "--save", "m.lmdi"];
    place.run(&[&["train", &data][..], &train].concat()).good();
    place.run(&["score", "m.lmdi", &data, "--out", "x.csv"]).fails(1, &["--method tree-shap"]);
    place.run(&["score", "m.lmdi", &data, "--out", "a.csv", "--method", "tree-shap"]).good();
    place.run(&["predict", "m.lmdi", &data, "--out", "p.csv"]).good();
    let scores = table(&place, "a.csv");
    // All trees, those included that saw a row in training.
    let expected = numbers(&scores, "explained");
    assert_close(&totals(&scores, ""), expected);
    assert_close(numbers(&table(&place, "p.csv"), "probability:malignant"), expected);
    let explain =
        ["explain", &data, "--model", "m.lmdi", "--method", "tree-shap", "--out", "b.csv"];
    let out = place.run(&explain).good();
    assert!(out.contains("the probability by all trees to within"), "{out}");
    assert_eq!(place.read("a.csv"), place.read("b.csv"));
}

#[test]
fn a_background_is_what_the_base_is_the_mean_of() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let model = ["--target", "diagnosis", "--trees", "5", "--model", "boosting"];
    let method = ["--method", "tree-shap", "--background", &data, "--out", "s.csv"];
    place.run(&[&["explain", &data][..], &model, &method].concat()).good();
    let scores = table(&place, "s.csv");
    let totals = totals(&scores, "");
    let mean = totals.iter().sum::<f64>() / totals.len() as f64;
    assert_close(&[numbers(&scores, "base")[0]], &[mean]);
    let probability: Vec<f64> = totals.iter().map(|x| 1.0 / (1.0 + (-x).exp())).collect();
    assert_close(&probability, numbers(&scores, "probability:malignant"));
}

#[test]
fn local_mdi_says_what_its_scores_add_up_to() {
    let place = Place::new();
    let data = example("breast_cancer.csv");
    let flags = ["--target", "diagnosis", "--trees", "5", "--method", "local-mdi"];
    let out = place.run(&[&["explain", &data, "--out", "s.csv"][..], &flags].concat()).good();
    assert!(out.contains("= purity of the leaves") && !out.contains("The model gives"), "{out}");
    let boosted = [&["explain", &data][..], &flags, &["--model", "boosting"]].concat();
    place.run(&boosted).fails(1, &["local MDI is defined for forests"]);
}

/// Rows of a table whose target follows the column `x` and the category `c` and not `noise`.
fn two_signals() -> String {
    let mut text = String::from("x,c,noise,y\n");
    for row in 0..120 {
        let (place, c) = (row * 37 % 120, ["red", "blue", "green"][row % 3]);
        let y = if place < 60 { 0.0 } else { 8.0 } + if c == "red" { 4.0 } else { 0.0 };
        // Not whole numbers side by side, which would be taken for identifiers.
        text += &format!("{}.5,{c},{}.5,{y}\n", place * 3, row * 53 % 120 * 2);
    }
    text
}

#[test]
fn lime_and_maple_explain_by_local_models() {
    let place = Place::new();
    place.file("t.csv", two_signals());
    let train = ["--target", "y", "--trees", "20", "--save", "m.lmdi"];
    place.run(&[&["train", "t.csv"][..], &train].concat()).good();
    for (method, what) in [
        (&["--method", "lime"][..], "neighbours follow the distribution of 120 rows"),
        (
            &["--method", "lime", "--lime-samples", "500"],
            "neighbours follow the distribution of 120 rows",
        ),
        (&["--method", "maple"], "linear models are fitted to 120 rows"),
    ] {
        let flags = ["--target", "y", "--trees", "20", "--out", "a.csv"];
        let out = place.run(&[&["explain", "t.csv"][..], &flags, method].concat()).good();
        let title = if method[1] == "lime" { "LIME" } else { "MAPLE" };
        for part in [what, &format!("{title} reproduces ")] {
            assert!(out.contains(part), "{part:?} is not in\n{out}");
        }
        let scores = table(&place, "a.csv");
        assert_eq!(numbers(&scores, "score:x").len(), 120);
        // Close to the model itself, on average far closer than the spread of the target (about
        // 4.4).
        let pairs = totals(&scores, "").into_iter().zip(numbers(&scores, "prediction"));
        let off: f64 = pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 120.0;
        assert!(off < 1.5, "{method:?}: {off}");
        // The model file gives the same, to the byte, as training it anew did; so do the scores of a
        // test table, whose rows are predicted by all trees.
        let model = ["explain", "t.csv", "--model", "m.lmdi", "--out", "b.csv"];
        place.run(&[&model[..], method].concat()).good();
        assert_eq!(place.read("a.csv"), place.read("b.csv"), "{method:?}");
        place.run(&[&model[..], &["--test", "t.csv"], method].concat()).good();
        for column in ["explained", "score:x", "score:c", "score:noise"] {
            let test = table(&place, "b.csv");
            assert_eq!(numbers(&scores, column), numbers(&test, column), "{method:?} {column}");
        }
    }
}

#[test]
fn lime_takes_its_neighbours_from_a_background_and_its_choices_from_flags() {
    let place = Place::new();
    place.file("t.csv", two_signals());
    let train = ["--target", "y", "--trees", "10", "--save", "m.lmdi"];
    place.run(&[&["train", "t.csv"][..], &train].concat()).good();
    let score = |more: &[&str]| {
        let start = ["score", "m.lmdi", "t.csv", "--method", "lime", "--out", "-"];
        place.run(&[&start[..], &["--background", "t.csv", "--lime-samples", "300"], more].concat())
    };
    let usual = score(&[]).good();
    assert_eq!(usual, score(&["--threads", "1"]).good(), "threads change nothing");
    for choice in [
        ["--lime-kernel-width", "0.5"],
        ["--lime-alpha", "100"],
        ["--lime-bins", "10"],
        ["--lime-seed", "1"],
        ["--lime-columns", "1"],
    ] {
        assert!(usual != score(&choice).good(), "{choice:?} changes nothing");
    }
    for how in ["highest-weights", "forward-selection", "lasso-path"] {
        let csv = score(&["--lime-columns", "1", "--lime-selection", how]).good();
        place.file("one.csv", csv);
        let scores = table(&place, "one.csv");
        let columns = ["score:x", "score:c", "score:noise"].map(|name| numbers(&scores, name));
        for row in 0..120 {
            let chosen = columns.iter().filter(|column| column[row] != 0.0).count();
            assert!(chosen <= 1, "{how}, row {}", row + 1);
        }
    }
    let grouped = score(&["--group", "both=x", "--group", "both=c"]).good();
    let names = "row,prediction,explained,unexplained,out_of_bag,base,score:both,score:noise\n";
    assert!(grouped.starts_with(names), "{grouped}");
    let start = ["score", "m.lmdi", "t.csv", "--method", "lime", "--out", "-"];
    place.run(&start).fails(2, &["--background FILE"]);
    score(&["--lime-samples", "1"]).fails(2, &["cannot be used multiple times"]);
    place
        .run(&[&start[..], &["--background", "t.csv", "--lime-samples", "1"]].concat())
        .fails(2, &["--lime-samples is 1; expected 2 to 1,000,000"]);
    place
        .run(&["score", "m.lmdi", "t.csv", "--method", "maple", "--out", "-"])
        .fails(2, &["lmdi explain TRAINING_ROWS --model MODEL --method maple"]);
}

#[test]
fn flags_of_another_method_are_refused_before_any_work() {
    let place = Place::new();
    let data = example("diabetes.csv");
    for (flags, part) in [
        (&["--glm", "ridge"][..], "which alone has --glm"),
        (&["--standard-error"], "which alone has --standard-error"),
        (&["--rank", "rank"], "which alone has --rank rank"),
        (&["--score-trees", "oob"], "--method lmdi-plus"),
    ] {
        let run = [&["explain", &data, "--target", "progression", "--method", "tree-shap"], flags];
        place.run(&run.concat()).fails(2, &[part]);
    }
    let start = ["explain", &data, "--target", "progression"];
    for (flags, part) in [
        (&["--method", "shap"][..], "possible values: lmdi-plus, tree-shap"),
        (&["--background", "b.csv"], "--method tree-shap or lime"),
        (&["--lime-bins", "4"], "--method lime"),
        (&["--method", "lime", "--maple-alpha", "1"], "--method maple"),
    ] {
        place.run(&[&start[..], flags].concat()).fails(2, &[part]);
    }
}
