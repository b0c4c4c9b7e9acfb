//! `--method`: every method explains, sums are what they should be, and flags of other methods are refused.

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
            for part in ["nothing is fitted", "in units of progression", "the prediction to within"]
            {
                assert!(out.contains(part), "{part:?} is not in\n{out}");
            }
            let scores = table(&place, "s.csv");
            assert_close(&totals(&scores, ""), numbers(&scores, "prediction"));
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
    let expected = numbers(&scores, "probability:malignant");
    assert_close(&totals(&scores, ""), expected);
    assert_close(numbers(&table(&place, "p.csv"), "probability:malignant"), expected);
    let explain =
        ["explain", &data, "--model", "m.lmdi", "--method", "tree-shap", "--out", "b.csv"];
    let out = place.run(&explain).good();
    assert!(out.contains("the probability to within"), "{out}");
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
    assert!(
        out.contains("= purity of the leaves") && !out.contains("That is a probability"),
        "{out}"
    );
    let boosted = [&["explain", &data][..], &flags, &["--model", "boosting"]].concat();
    place.run(&boosted).fails(1, &["local MDI is defined for forests"]);
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
        (&["--background", "b.csv"], "--method tree-shap"),
    ] {
        place.run(&[&start[..], flags].concat()).fails(2, &[part]);
    }
}
