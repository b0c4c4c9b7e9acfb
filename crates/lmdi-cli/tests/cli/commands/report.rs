//! `lmdi explain --report`: what is in the file; what the page makes of it is tested in a browser,
//! in `web/test`.

use crate::support::{Place, example, shared};
use serde_json::Value;

const MARK: &str = r#"<script id="report" type="application/json">"#;

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once(MARK).expect("the page has data");
    let (json, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("the data is JSON")
}

fn explain(place: &Place, flags: &[&str]) {
    let data = example("diabetes.csv");
    let base = ["explain", &data, "--target", "progression", "--trees", "8"];
    place.run(&[&base[..], flags].concat()).good();
}

#[test]
fn a_report_tells_what_was_done() {
    let place = Place::new();
    explain(&place, &["--holdout", "0.3", "--compare", "tree-shap", "--report", "r.html"]);
    assert_eq!(place.names(), ["r.html"]);
    let report = data(&place.read("r.html"));
    let about = &report["about"];
    assert_eq!(about["target"], "progression");
    assert_eq!(about["method"], "LMDI+");
    assert_eq!(about["row_kind"], "hold-out rows");
    assert_eq!(about["rows_explained"], 133);
    assert_eq!(about["quality"][0]["sample"], "hold-out");
    assert_eq!(report["rows"]["n"], 133);
    assert_eq!(report["features"].as_array().map(Vec::len), Some(10));
    assert!(report["rows"]["errors"].is_object() && report["rows"]["truth"].is_object());
    assert!(report["additivity"].is_null() && report["rows"]["unexplained"].is_object());
    assert_eq!(about["fidelity"]["rows"], "hold-out rows");
    assert!(about["fidelity"]["share"].as_f64().expect("a number") > 0.5);
    assert_eq!(report["stability"]["seeds"]["runs"], 3);
    assert_eq!(report["stability"]["resampled"]["runs"], 3);
    assert!(report["other_model"].is_null());
    assert_eq!(report["methods"][1]["name"], "TreeSHAP");
    assert!(report["groups"]["list"].as_array().expect("groups").len() > 1);
    let facts = about["facts"].to_string();
    for part in ["SHA-256 of", "Seed", concat!("lmdi ", env!("CARGO_PKG_VERSION"))] {
        assert!(facts.contains(part), "{part} is not in {facts}");
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let place = Place::new();
    explain(&place, &["--report", "a.html", "--threads", "1"]);
    explain(&place, &["--report", "b.html", "--threads", "3"]);
    assert!(place.read("a.html") == place.read("b.html"), "the pages differ");
    explain(&place, &["--report", "c.html", "--seed", "1"]);
    assert!(place.read("a.html") != place.read("c.html"), "the seed changes nothing");
}

#[test]
fn what_a_model_does_not_have_is_left_out() {
    let place = Place::new();
    explain(&place, &["--model", "boosting", "--stability-runs", "0", "--report", "r.html"]);
    let report = data(&place.read("r.html"));
    assert!(report["rows"]["errors"].is_null() && report["stability"].is_null());
    assert!(report["map"].is_null());
    explain(
        &place,
        &[
            "--method",
            "tree-shap",
            "--group",
            "blood=hdl",
            "--group",
            "blood=ldl",
            "--report",
            "r.html",
        ],
    );
    let report = data(&place.read("r.html"));
    assert_eq!(report["about"]["method"], "TreeSHAP");
    assert!(report["additivity"]["largest"].as_f64().expect("a number") < 1e-9);
    assert!(report["about"]["fidelity"].is_null() && report["groups"].is_null());
    let features = report["features"].as_array().expect("features");
    let group = features.iter().find(|feature| feature["name"] == "blood").expect("the group");
    assert_eq!(group["members"], serde_json::json!(["ldl", "hdl"]));
    assert!(group["cells"].is_null());
}

/// Whatever the second model is, the rows it is measured on are those of the page.
#[test]
fn a_second_model_is_compared_on_the_same_rows() {
    let place = Place::new();
    let none = ["--stability-runs", "0", "--what-if", "never"];
    let with = |flags: &[&'static str]| [flags, &none[..], &["--report", "r.html"][..]].concat();
    explain(&place, &["--holdout", "0.3", "--seed", "3", "--save", "other.lmdi"]);
    let compared = |flags: &[&'static str]| {
        explain(&place, &with(flags));
        data(&place.read("r.html"))["other_model"].clone()
    };
    // The same hold-out: new rows to both.
    let same = compared(&["--holdout", "0.3", "--seed", "3", "--compare-model", "other.lmdi"]);
    assert_eq!((&same["rows_are"], &same["rows"]), (&"new".into(), &133.into()));
    assert_eq!(same["mean_difference"], 0.0, "the same model");
    assert_eq!(same["measures"][0]["own"], same["measures"][0]["other"]);
    let other = compared(&["--holdout", "0.3", "--compare-model", "other.lmdi"]);
    assert_eq!(other["rows_are"], "unknown", "another hold-out");
    assert!(other["mean_difference"].as_f64().expect("a number") > 0.0);
    // The training rows of both: out of bag.
    explain(&place, &["--seed", "3", "--save", "all.lmdi"]);
    assert_eq!(compared(&["--compare-model", "all.lmdi"])["rows_are"], "out_of_bag");
    // A method of its own for the second model too.
    let shap = compared(&["--method", "tree-shap", "--compare-model", "all.lmdi"]);
    assert_eq!(shap["method"], "TreeSHAP");

    let table = example("diabetes.csv");
    let base = ["explain", &table, "--target", "progression", "--trees", "3", "--report", "x.html"];
    let fails = |flags: &[&str], code, parts: &[&str]| {
        place.run(&[&base[..], flags].concat()).fails(code, parts);
        assert!(!place.names().contains(&"x.html".to_owned()));
    };
    fails(&["--compare-model", "none.lmdi"], 1, &["cannot read model none.lmdi"]);
    let cancer = example("breast_cancer.csv");
    place
        .run(&["explain", &cancer, "--target", "diagnosis", "--trees", "2", "--save", "c.lmdi"])
        .good();
    fails(&["--compare-model", "c.lmdi"], 2, &["c.lmdi", "\"diagnosis\", which the model was"]);
    let piped = ["explain", "-", "--target", "y", "--report", "x.html"];
    place
        .run_with(&[&piped[..], &["--compare-model", "all.lmdi"]].concat(), "x,y\n1,2\n")
        .fails(2, &["--compare-model is given, with a table from standard input"]);
    place.run(&["explain", &table, "--compare-model", "all.lmdi"]).fails(2, &["--report"]);
}

#[test]
fn names_and_cells_cannot_end_the_data() {
    let place = Place::new();
    let hostile = "</script><script>alert(1)</script><!--";
    let mut table = format!("\"{hostile}\",x,y\n");
    for row in 0..40 {
        table += &format!("\"{hostile}{}\",{},{}\n", row % 2, row % 7, row * row % 11);
    }
    place.file("t.csv", table);
    place.run(&["explain", "t.csv", "--target", "y", "--trees", "3", "--report", "r.html"]).good();
    let page = place.read("r.html");
    // That of the data and that of the code.
    assert_eq!(page.matches("</script>").count(), 2);
    let report = data(&page);
    assert_eq!(report["features"][0]["name"], hostile);
    assert_eq!(report["features"][0]["cells"]["levels"][1], format!("{hostile}1"));
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_the_work() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let base = ["explain", &data, "--target", "progression", "--trees", "3", "--report"];
    let run = place.run(&[&base[..], &["no/such/r.html"]].concat());
    assert!(run.out.is_empty(), "{}", run.out);
    run.fails(1, &["no/such/r.html"]);
    let folder = shared("examples");
    place.run(&[&base[..], &[&folder]].concat()).fails(1, &["this is a directory"]);
    place.run(&["explain", &data, "--compare", "tree-shap"]).fails(2, &["--report"]);
    assert!(place.names().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let place = Place::new();
    let data = example("diabetes.csv");
    place
        .run(&[
            "explain",
            &data,
            "--target",
            "progression",
            "--trees",
            "3",
            "--report",
            "/dev/full",
        ])
        .fails(1, &["/dev/full", "No space left"]);
}
