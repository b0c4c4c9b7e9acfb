//! `lmdi explain` on tables that do not fit into the memory it may have.

use crate::support::{Place, numbers, table};
use lmdi::monitor::Silent;
use lmdi::table::{Column, Frame, Values};
use lmdi_io::write::{Output, write_table};
use std::fmt::Write as _;

const ROWS: usize = 260_000;
/// Less than the table takes, and more than a batch of it does.
const SMALL: [&str; 4] = ["--memory", "50M", "--threads", "2"];

fn cells(row: usize) -> [f64; 3] {
    let (x, z) = ((row * 37 % 1009) as f64 / 10.0, (row * 101 % 757) as f64 / 8.0);
    let noise = (row * 7919 % 1013) as f64 / 50.0;
    [x, z, x + if x > 40.0 { z } else { 0.0 } + noise]
}

/// Every thousandth row has no target.
fn csv(rows: std::ops::Range<usize>) -> String {
    let mut text = String::from("id,\"x, or so\",z z,kind,y\n");
    for row in rows {
        let [x, z, y] = cells(row);
        let kind = ["a", "b", "c"][row % 3];
        let y = if row % 1000 == 999 { String::new() } else { y.to_string() };
        let _ = writeln!(text, "k{row},{x},{z},{kind},{y}");
    }
    text
}

fn write_part(place: &Place, name: &str, rows: std::ops::Range<usize>) {
    let column = |name: &str, values| Column { name: name.into(), values };
    let of = |at: usize| Values::Numbers(rows.clone().map(|row| cells(row)[at]).collect());
    let kinds = rows.clone().map(|row| Some(["a", "b", "c"][row % 3])).collect();
    let y = |row: usize| if row % 1000 == 999 { f64::NAN } else { cells(row)[2] };
    let ids: Vec<String> = rows.clone().map(|row| format!("k{row}")).collect();
    let frame = Frame::new(vec![
        column("id", Values::Labels(ids.iter().map(|id| Some(id.as_str())).collect())),
        column("x, or so", of(0)),
        column("z z", of(1)),
        column("kind", Values::Labels(kinds)),
        column("y", Values::Numbers(rows.clone().map(y).collect())),
    ]);
    let output = Output::Parquet(place.path(name));
    write_table(&frame.expect("a table").into(), &output, &Silent).expect("written");
}

/// Models of a few rows, and many rows as CSV.
fn place_with_models() -> Place {
    let place = Place::new();
    place.file("train.csv", csv(0..700));
    place.file("t.csv", csv(0..ROWS));
    let train = ["train", "train.csv", "--target", "y", "--drop", "id", "--min-samples-leaf", "20"];
    place.run(&[&train[..], &["--trees", "6", "--save", "forest.lmdi"]].concat()).good();
    let boost = ["--model", "boosting", "--trees", "8", "--save", "boosted.lmdi"];
    place.run(&[&train[..], &boost[..]].concat()).good();
    place
}

fn same(place: &Place, found: &str, expected: &str) {
    same_to(place, found, expected, 1e-8);
}

/// The same, numbers to a share of the largest of their column.
fn same_to(place: &Place, found: &str, expected: &str, tolerance: f64) {
    let (found, expected) = (table(place, found), table(place, expected));
    assert_eq!(found.rows(), expected.rows());
    for column in expected.columns() {
        match &column.values {
            Values::Labels(_) => {
                assert_eq!(found.column(&column.name), Some(column), "{}", column.name);
            }
            Values::Numbers(cells) => {
                let largest = cells.iter().fold(0.0_f64, |most, cell| most.max(cell.abs()));
                let other = numbers(&found, &column.name);
                for (row, (a, b)) in other.iter().zip(cells).enumerate() {
                    let far = (a - b).abs() > tolerance * largest;
                    assert!(!far, "{} of row {row}: {a} is not {b}", column.name);
                }
            }
        }
    }
}

#[test]
fn batches_give_what_memory_gives() {
    let place = place_with_models();
    std::fs::create_dir_all(place.path("parts")).expect("made");
    write_part(&place, "parts/a.parquet", 0..100_000);
    write_part(&place, "parts/b.parquet", 100_000..ROWS);
    for (model, data) in [("forest.lmdi", "t.csv"), ("boosted.lmdi", "parts")] {
        let explain = |data, out| {
            ["explain", data, "--model", model, "--key", "id", "--rounds", "2", "--out", out]
        };
        let whole = [&explain("t.csv", "whole.csv")[..], &["--fold-by", "cells"]].concat();
        let text = place.run(&whole).good();
        assert!(!text.contains("in batches") && text.contains("Left out 260 rows"), "{text}");
        let text = place.run(&[&explain(data, "batches.csv")[..], &SMALL].concat()).good();
        assert!(text.contains("is read in batches") && text.contains("3 passes"), "{text}");
        assert!(text.contains("Example: row 1 of") && text.contains("mean |score|"), "{text}");
        same(&place, "batches.csv", "whole.csv");
    }
}

#[test]
fn explainers_that_are_there_only_score() {
    let place = place_with_models();
    let save = ["explain", "t.csv", "--model", "boosted.lmdi", "--save", "fitted.lmdi"];
    place.run(&[&save[..], &SMALL].concat()).good();
    for (model, flags) in
        [("fitted.lmdi", &[][..]), ("boosted.lmdi", &["--method", "tree-shap"][..])]
    {
        let explain = ["explain", "t.csv", "--model", model, "--out", "explained.csv"];
        let text = place.run(&[&explain[..], &SMALL, flags].concat()).good();
        assert!(text.contains("is read in batches") && !text.contains("passes"), "{text}");
        let score = ["score", model, "t.csv", "--out", "scored.csv"];
        place.run(&[&score[..], flags].concat()).good();
        assert!(place.read("explained.csv") == place.read("scored.csv"), "{model}");
    }
}

#[test]
fn what_needs_all_rows_is_refused() {
    let place = place_with_models();
    let refused = |flags: &[&str], parts: &[&str]| {
        let explain = ["explain", "t.csv", "--model", "forest.lmdi"];
        place.run(&[&explain[..], &SMALL, flags].concat()).fails(2, parts);
    };
    refused(&["--report", "r.html"], &["--report", "fits into memory"]);
    refused(&["--score-trees", "oob"], &["--score-trees", "place in a table"]);
    refused(&["--method", "maple"], &["--method", "tree-shap"]);
    refused(&["--method", "lime"], &["--background"]);
    refused(&["--validation", "oob"], &["--validation", "folds"]);
    refused(&["--fit-on", "inbag"], &["--fit-on", "uniform"]);
    refused(&["--target", "z z"], &["--target", "\"y\""]);
    assert!(!place.names().contains(&"r.html".to_owned()));
}

#[test]
fn damage_leaves_what_was_there() {
    let place = place_with_models();
    std::fs::create_dir_all(place.path("parts")).expect("made");
    write_part(&place, "parts/a.parquet", 0..100_000);
    write_part(&place, "parts/b.parquet", 100_000..ROWS);
    let mut damaged = std::fs::read(place.path("parts/b.parquet")).expect("a file");
    let middle = damaged.len() / 2;
    damaged[middle..middle + 400].fill(0xff);
    place.file("parts/b.parquet", &damaged);
    place.file("o.csv", "as it was");
    let explain = ["explain", "parts", "--model", "forest.lmdi", "--out", "o.csv", "--key", "id"];
    place.run(&[&explain[..], &SMALL].concat()).fails(1, &["b.parquet", "row group"]);
    let text = csv(0..ROWS).replace("k249000,", "k249000,oops");
    place.file("t.csv", text);
    let explain = ["explain", "t.csv", "--model", "forest.lmdi", "--out", "o.csv"];
    place.run(&[&explain[..], &SMALL].concat()).fails(1, &["t.csv, line 249002", "\"x, or so\""]);
    assert_eq!(place.read("o.csv"), "as it was");
    assert!(place.names().iter().all(|name| !name.starts_with('.')), "{:?}", place.names());
}

/// Without a model, one is trained on rows that fit; the explainer learns from all.
#[test]
fn a_model_is_trained_on_a_sample() {
    let place = Place::new();
    place.file("t.csv", csv(0..ROWS));
    std::fs::create_dir_all(place.path("parts")).expect("made");
    write_part(&place, "parts/a.parquet", 0..ROWS);
    let explain = |data, out| {
        ["explain", data, "--target", "y", "--key", "id", "--out", out, "--save", "m.lmdi"]
    };
    let flags = ["--trees", "5", "--min-samples-leaf", "20", "--rounds", "1"];
    for (data, out) in [("t.csv", "a.csv"), ("t.csv", "b.csv"), ("parts", "c.csv")] {
        let text = place.run(&[&explain(data, out)[..], &flags, &SMALL].concat()).good();
        assert!(text.contains("of its 260,000 rows, drawn at random"), "{text}");
        assert!(text.contains("5 linear models on 259,740 rows"), "{text}");
    }
    assert!(place.read("a.csv") == place.read("b.csv"));
    assert!(place.read("a.csv") == place.read("c.csv"), "the same rows are drawn of both");
    let found = table(&place, "a.csv");
    assert_eq!(found.rows(), 259_740);
    let prediction = numbers(&found, "prediction");
    let errors = prediction.iter().zip(numbers(&found, "row"));
    let errors = errors.map(|(found, row)| (found - cells(*row as usize - 1)[2]).abs());
    // Responses go from 0 to 200.
    assert!(errors.sum::<f64>() / 259_740.0 < 15.0);
    place.run(&["score", "m.lmdi", "t.csv", "--out", "scored.csv"]).good();
    let holdout = [&explain("t.csv", "a.csv")[..], &["--holdout", "0.2"], &SMALL].concat();
    place.run(&holdout).fails(2, &["--holdout"]);
}

/// Logistic fits go over the rows once per Newton step, and give what memory gives.
#[test]
fn logistic_fits_are_of_all_rows() {
    let place = place_with_models();
    let train = ["train", "train.csv", "--target", "kind", "--drop", "id", "--trees", "2"];
    let flags = ["--max-depth", "2", "--save", "classes.lmdi"];
    place.run(&[&train[..], &flags].concat()).good();
    let explain = |out| ["explain", "t.csv", "--model", "classes.lmdi", "--out", out];
    let flags = ["--fit-to", "response", "--c", "0.5", "--l1-ratio", "0.5", "--tolerance", "1e-12"];
    let folds = ["--fit-on", "uniform", "--fold-by", "cells"];
    place.run(&[&explain("whole.csv")[..], &flags, &folds].concat()).good();
    let text = place.run(&[&explain("batches.csv")[..], &flags, &SMALL].concat()).good();
    assert!(text.contains("one per Newton step") && !text.contains("at random"), "{text}");
    assert!(text.contains("logistic") && text.contains("Scored 260,000 rows"), "{text}");
    // A gap of 1e-12 leaves some 1e-6 of log-odds, and the scores of a column that says little are about 0.01.
    same_to(&place, "batches.csv", "whole.csv", 1e-4);
}

/// The size of a pipe is not known, and looking for it must not take from it.
#[cfg(unix)]
#[test]
fn a_table_may_come_through_a_named_pipe() {
    let place = Place::new();
    let path = place.path("pipe.csv");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo ran").success());
    let writing = std::thread::spawn(move || std::fs::write(path, csv(0..300)).expect("written"));
    let explain = ["explain", "pipe.csv", "--target", "y", "--drop", "id", "--trees", "3"];
    place.run(&[&explain[..], &["--out", "scores.csv"]].concat()).good();
    writing.join().expect("written");
    assert_eq!(table(&place, "scores.csv").rows(), 300);
}
