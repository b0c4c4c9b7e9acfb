//! Bad input: a clear message on standard error and the right exit code, never a panic.

use crate::support::{Place, example, send, shared};

fn train(place: &Place, csv: impl AsRef<[u8]>) -> crate::support::Run {
    place.file("t.csv", csv);
    place.run(&["train", "t.csv", "--target", "y", "--trees", "5", "--save", "m.lmdi"])
}

#[test]
fn tables_that_cannot_be_learned_from() {
    let place = Place::new();
    let cases: [(&[u8], &[&str]); 13] = [
        (b"", &["t.csv", "empty"]),
        (b"x,y\n", &["no data row"]),
        (b"x,y\n1,2\n", &["constant"]),
        (b"x,y\n1,5\n2,5\n3,5\n", &["\"y\" is constant", "\"5\""]),
        (b"x,y\n1,\n2,NA\n", &["missing in every row"]),
        (b"x,z\n1,5\n", &["t.csv", "no column \"y\"", "\"x\", \"z\""]),
        (b"x,x,y\n1,2,3\n", &["columns 1 and 2", "\"x\""]),
        (b"x,y\n1,inf\n2,3\n", &["line 2", "\"y\"", "finite"]),
        (b"x,y\n-inf,1\n2,3\n", &["line 2", "\"x\"", "finite"]),
        (b"x,y\n1e300,1\n2,3\n", &["data row 1", "\"x\"", "1e300", "32 bits"]),
        (b"x,y\n\xe9,1\n2,3\n", &["line 2", "UTF-8"]),
        (b"x,y\n1,2,3\n", &["line 2", "found 3"]),
        (b"x,y\n4,1\n4,3\n", &["no column is left"]),
    ];
    for (csv, parts) in cases {
        train(&place, csv).fails(1, &[&["error: "], parts].concat());
        assert_eq!(place.names(), ["t.csv"], "no model of {parts:?}");
    }
}

#[test]
fn an_all_missing_column_is_dropped_and_named() {
    let place = Place::new();
    let out = train(&place, "x,gone,y\n1,NA,1\n2,,2\n3,?,4\n5,null,3\n").good();
    assert!(out.contains("Not used: gone (constant)"), "{out}");
}

#[test]
fn rows_without_a_target_are_left_out_and_counted() {
    let place = Place::new();
    let out = train(&place, "x,y\n1,1\n2,\n3,4\n5,3\n6,NaN\n").good();
    assert!(out.contains("Left out 2 rows without a value of y"), "{out}");
    assert!(out.contains("on 3 rows"), "{out}");
}

#[test]
fn a_hundred_thousand_columns_are_shown_in_part() {
    let place = Place::new();
    let names: Vec<String> = (0..100_000).map(|i| format!("c{i}")).collect();
    let mut csv = format!("{},y\n", names.join(","));
    for row in 0..4 {
        csv.push_str(&format!("{}{row}\n", format!("{row},").repeat(100_000)));
    }
    let out = train(&place, csv).good();
    assert!(out.contains("more columns") && out.lines().count() < 100, "{}", out.len());
    assert!(out.contains("target (regression)"), "the last column is the one that matters");
}

#[test]
fn wrong_usage_is_code_two() {
    let place = Place::new();
    let data = example("wine.csv");
    let base = ["train", &data, "--target", "cultivar"];
    let cases: [(&[&str], &str); 10] = [
        (&["--no-such-flag"], "--no-such-flag"),
        (&["--kind", "hue=colour"], "\"colour\" is no kind"),
        (&["--holdout", "1.5"], "share"),
        (&["--trees", "0"], "--trees is 0"),
        (&["--max-features", "0.0"], "share"),
        (&["--model", "boosting", "--criterion", "gini"], "--criterion"),
        (&["--learning-rate", "0.5"], "--learning-rate"),
        (&["--bootstrap", "off", "--max-samples", "0.5"], "--max-samples"),
        (&["--delimiter", "ab"], "ASCII"),
        (&["--max-levels", "0"], "--max-levels is 0"),
    ];
    for (flags, part) in cases {
        place.run(&[&base[..], flags].concat()).fails(2, &[part]);
    }
    place.run(&["train", &data]).fails(2, &["--target"]);
    place.run(&["no-such-command"]).fails(2, &["no-such-command"]);
}

#[test]
fn unknown_columns_and_impossible_tasks_are_named() {
    let place = Place::new();
    let data = example("wine.csv");
    let base = ["train", &data, "--target", "cultivar"];
    let cases: [(&[&str], &str); 6] = [
        (&["--drop", "no, such"], "\"no, such\""),
        (&["--weight", "w"], "\"w\""),
        (&["--kind", "zip=categorical"], "\"zip\""),
        (&["--task", "binary"], "exactly two"),
        (
            &["--task", "regression"],
            "line 2, column \"cultivar\": found \"first\"; expected a number",
        ),
        (&["--drop", "cultivar"], "target"),
    ];
    for (flags, part) in cases {
        place.run(&[&base[..], flags].concat()).fails(1, &["wine.csv", part]);
    }
}

#[test]
fn outputs_that_cannot_be_written_are_named_and_leave_nothing() {
    let place = Place::new();
    let data = example("wine.csv");
    let base = ["train", &data, "--target", "cultivar", "--trees", "3", "--save"];
    let run = place.run(&[&base[..], &["no/such/m.lmdi"]].concat());
    assert!(run.out.is_empty(), "told before the work starts: {}", run.out);
    run.fails(1, &["no/such/m.lmdi"]);
    place.run(&[&base[..], &["m.lmdi"]].concat()).good();
    let predict = ["predict", "m.lmdi", &data, "--out"];
    place.run(&[&predict[..], &["no/such/p.csv"]].concat()).fails(1, &["no/such/p.csv"]);
    place.run(&[&predict[..], &["p.xlsx"]].concat()).fails(2, &["--out", ".csv or .parquet"]);
    place
        .run(&[&predict[..], &["p.csv", "--keep", "hue", "--keep", "hue"]].concat())
        .fails(1, &["--keep", "both named \"hue\""]);
    assert_eq!(place.names(), ["m.lmdi"]);
}

#[test]
fn damaged_model_files_are_refused() {
    let place = Place::new();
    let data = example("wine.csv");
    place.run(&["train", &data, "--target", "cultivar", "--trees", "3", "--save", "m.lmdi"]).good();
    let bytes = std::fs::read(place.path("m.lmdi")).expect("a model");
    for keep in [0, 3, 8, 40, bytes.len() / 2, bytes.len() - 1] {
        place.file("cut.lmdi", &bytes[..keep]);
        place
            .run(&["predict", "cut.lmdi", &data, "--out", "-"])
            .fails(1, &["cut.lmdi", "model file"]);
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 12) {
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        place.file("flip.lmdi", flipped);
        place.run(&["predict", "flip.lmdi", &data, "--out", "-"]).fails(1, &["flip.lmdi"]);
    }
    place.run(&["predict", &data, &data, "--out", "-"]).fails(1, &["wine.csv", "model file"]);
    place.run(&["predict", "none.lmdi", &data, "--out", "-"]).fails(1, &["none.lmdi"]);
    place.run(&["inspect", "none.lmdi"]).fails(1, &["none.lmdi"]);
}

#[test]
fn damaged_parquet_files_are_refused_without_a_word_of_the_decoder() {
    let place = Place::new();
    let bytes = std::fs::read(shared("testdata/tables/types_none.parquet")).expect("a table");
    let refused = |damaged: &[u8]| {
        place.file("t.parquet", damaged);
        let parts = ["error: t.parquet: the Parquet file is truncated or damaged", "again"];
        let run = place.run(&["inspect", "t.parquet"]);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        run.fails(1, &parts);
    };
    for keep in [4, 10, bytes.len() / 2, bytes.len() - 1] {
        refused(&bytes[..keep]);
    }
    // Each of these turns a length of the footer negative, which trips an assertion of the decoder.
    for at in [2547, 2553, 2627, 2632] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        refused(&flipped);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_with_130_and_leaves_no_file() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    let mut csv = String::from("a,b,c,y\n");
    for row in 0u64..20_000 {
        let x = row.wrapping_mul(2_654_435_761) % 100_003;
        csv.push_str(&format!("{x},{},{},{}\n", x % 977, x % 89, x % 1009));
    }
    place.file("t.csv", csv);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(["train", "t.csv", "--target", "y", "--trees", "3000", "--save", "m.lmdi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    // The table of columns is printed before training starts, which takes long enough to be
    // stopped.
    let mut first = [0u8; 1];
    let stdout = child.stdout.as_mut().expect("piped");
    std::io::Read::read_exact(stdout, &mut first).expect("the report");
    send(&child, "-INT");
    let status = child.wait().expect("ended");
    assert_eq!(status.code(), Some(130));
    assert_eq!(place.names(), ["t.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_told() {
    use std::process::Command;
    let place = Place::new();
    let data = example("wine.csv");
    place.run(&["train", &data, "--target", "cultivar", "--trees", "3", "--save", "m.lmdi"]).good();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(["predict", "m.lmdi", &data, "--out", "-"])
        .stdout(full)
        .output()
        .expect("ran");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("cannot write to standard output"), "{message}");
}

#[test]
fn a_message_never_fills_the_screen() {
    let place = Place::new();
    let names: Vec<String> = (0..20).map(|at| format!("{}{at}", "n".repeat(50_000))).collect();
    place.file("t.csv", format!("{}\n{}\n", names.join(","), vec!["1"; 20].join(",")));
    let run = place.run(&["train", "t.csv", "--target", "y"]);
    assert!(run.err.len() < 3000, "{} bytes", run.err.len());
    run.fails(1, &["t.csv", "no column \"y\""]);
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    use std::process::{Command, Stdio};
    let place = Place::new();
    let header: Vec<String> = (0..20_000).map(|i| format!("column number {i}")).collect();
    place.file("t.csv", format!("{}\n{}\n", header.join(","), vec!["1"; 20_000].join(",")));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(["inspect", "t.csv", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Values of flags that are none, told in words and as flags.
#[test]
fn values_of_flags_are_told_in_words_and_as_flags() {
    let place = Place::new();
    place.file("t.csv", "x,y\n1,1\n2,2\n3,4\n5,3\n");
    let train = |flags: &[&str]| {
        place.run(&[&["explain", "t.csv", "--target", "y", "--trees", "3"], flags].concat())
    };
    train(&["--memory", "-1"]).fails(2, &["--memory", "'-1'", "500M"]);
    train(&["--seed", "-1"]).fails(2, &["--seed", "'-1'", "expected a whole number"]);
    train(&["--max-depth", "1e9"]).fails(2, &["--max-depth", "expected a whole number"]);
    train(&["--tolerance", "x"]).fails(2, &["--tolerance", "expected a number"]);
    let run = train(&["--alpha", "0.1"]);
    assert!(!run.err.contains("l1_ratio"), "{}", run.err);
    run.fails(2, &["--alpha is 0.1 without --l1-ratio", "expected one --l1-ratio"]);
}
