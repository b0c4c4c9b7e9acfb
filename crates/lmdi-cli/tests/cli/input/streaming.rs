//! `lmdi score` and `lmdi predict` on tables of any length: from files, pipes and directories, in memory
//! that does not grow, with the results of a table that is read at once.

use crate::support::Place;
use lmdi::monitor::Silent;
use lmdi::table::{Column, Frame, Values};
use lmdi_io::write::{Output, write_table};
use std::fmt::Write as _;
use std::path::Path;

/// A model of three columns, and its training rows as CSV.
fn place_with_model() -> Place {
    let place = Place::new();
    place.file("train.csv", table(600, 0));
    let train =
        ["explain", "train.csv", "--target", "y", "--trees", "5", "--min-samples-leaf", "20"];
    place.run(&[&train[..], &["--save", "m.lmdi"]].concat()).good();
    place
}

fn cells(row: usize) -> (f64, f64, &'static str) {
    let x = (row * 37 % 1009) as f64 / 10.0;
    let z = (row * 101 % 757) as f64 / 8.0;
    (x, z, ["a", "b", "c"][row % 3])
}

fn table(rows: usize, start: usize) -> String {
    let mut text = String::from("id,x,z,kind,y\n");
    for row in start..start + rows {
        let (x, z, kind) = cells(row);
        let y = x + if kind == "a" { z } else { 0.0 };
        let _ = writeln!(text, "k{row},{x},{z},{kind},{y}");
    }
    text
}

fn write_part(path: &Path, rows: std::ops::Range<usize>) {
    let of = |pick: fn((f64, f64, &'static str)) -> f64| {
        Values::Numbers(rows.clone().map(|row| pick(cells(row))).collect())
    };
    let kinds = rows.clone().map(|row| Some(cells(row).2)).collect();
    let ids: Vec<String> = rows.clone().map(|row| format!("k{row}")).collect();
    let ids = ids.iter().map(|id| Some(id.as_str())).collect();
    let column = |name: &str, values| Column { name: name.into(), values };
    let frame = Frame::new(vec![
        column("id", Values::Labels(ids)),
        column("x", of(|cells| cells.0)),
        column("z", of(|cells| cells.1)),
        column("kind", Values::Labels(kinds)),
    ]);
    let output = Output::Parquet(path.to_owned());
    write_table(&frame.expect("a table").into(), &output, &Silent).expect("written");
}

/// More rows than two batches, from everywhere a table can come from: the same bytes.
#[test]
fn every_way_in_gives_the_same_rows() {
    let place = place_with_model();
    let rows = 140_000;
    place.file("t.csv", table(rows, 0));
    for (command, flags) in [
        ("predict", &["--keep", "id"][..]),
        ("score", &["--keep", "id"]),
        ("score", &["--method", "saabas", "--key", "id"]),
    ] {
        let run = |data: &str, out: &str| {
            place.run(&[&[command, "m.lmdi", data, "--out", out], flags].concat()).good();
            place.read(out)
        };
        let whole = run("t.csv", "whole.csv");
        assert_eq!(whole.lines().count(), rows + 1);
        // Single rows are explained as in the middle of the table.
        place.file("few.csv", table(3, 99_998));
        let few = run("few.csv", "few_out.csv");
        let without_number = |line: &str| match command {
            "score" => line.split_once(',').map(|(_, rest)| rest.to_owned()),
            _ => Some(line.to_owned()),
        };
        for (at, line) in few.lines().skip(1).enumerate() {
            let there = whole.lines().nth(99_998 + at + 1).expect("as many rows");
            assert_eq!(without_number(line), without_number(there), "{command} row {at}");
        }
        let arguments = [&[command, "m.lmdi", "-", "--out", "-"], flags].concat();
        assert_eq!(place.run_with(&arguments, table(rows, 0)).good(), whole, "{command}");
        std::fs::create_dir_all(place.path("parts/more")).expect("made");
        write_part(&place.path("parts/a.parquet"), 0..70_000);
        write_part(&place.path("parts/more/b.parquet"), 70_000..70_000);
        write_part(&place.path("parts/more/c.parquet"), 70_000..rows);
        place.file("parts/_SUCCESS", "");
        assert_eq!(run("parts", "parts.csv"), whole, "{command}");
        let bytes = std::fs::read(place.path("parts/a.parquet")).expect("a file");
        let piped = place.run_with(&arguments, bytes).good();
        let first: Vec<&str> = whole.lines().take(70_001).collect();
        assert_eq!(piped.lines().collect::<Vec<_>>(), first, "{command}");
    }
}

/// Rows of the training table are still known as such, and scored out of bag.
#[test]
fn training_rows_are_recognised() {
    let place = place_with_model();
    let explain =
        ["explain", "train.csv", "--target", "y", "--trees", "5", "--min-samples-leaf", "20"];
    place.run(&[&explain[..], &["--out", "e.csv"]].concat()).good();
    place.run(&["score", "m.lmdi", "train.csv", "--out", "s.csv"]).good();
    assert_eq!(place.read("e.csv"), place.read("s.csv"));
    let longer = table(601, 0);
    let piped = place.run_with(&["score", "m.lmdi", "-", "--out", "-"], longer).good();
    assert_ne!(piped.lines().nth(1), place.read("s.csv").lines().nth(1));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_rows() {
    let place = place_with_model();
    place.file("t.csv", table(600_000, 0));
    for command in ["predict", "score"] {
        // The table as columns, with its scores, takes 64 MB and more.
        let flags = ["--memory", "60M", "--threads", "2", "--quiet"];
        for out in ["o.csv", "o.parquet"] {
            place.run(&[&[command, "m.lmdi", "t.csv", "--out", out], &flags[..]].concat()).good();
        }
    }
    assert_eq!(place.read("o.csv").lines().count(), 600_001);
}

#[test]
fn bad_rows_are_named_wherever_they_are() {
    let place = place_with_model();
    let mut text = table(100_000, 0);
    text.push_str("last,oops,1,a,2\n");
    place.file("t.csv", &text);
    place.file("o.csv", "as it was");
    let parts = ["t.csv, line 100002", "column \"x\"", "\"oops\""];
    place.run(&["predict", "m.lmdi", "t.csv", "--out", "o.csv"]).fails(1, &parts);
    assert_eq!(place.read("o.csv"), "as it was");
    let parts = ["standard input, line 100002", "column \"x\"", "\"oops\""];
    place.run_with(&["predict", "m.lmdi", "-", "--out", "o.csv"], text).fails(1, &parts);
    let mut text = table(70_000, 0);
    text.push_str(&table(1, 5).split_once('\n').expect("a header").1.replace('\n', "\r\n\r\n"));
    let parts = ["key \"id\" is \"k5\" in row 6 and in row 70001"];
    let key = ["predict", "m.lmdi", "-", "--out", "-", "--key", "id"];
    place.run_with(&key, text).fails(1, &parts);
    place.run_with(&key[..5], "id,x,z,kind\n").fails(1, &["no data row"]);
    place.run_with(&key[..5], "id,x\n1,2\n").fails(1, &["\"z\"", "\"kind\""]);
}

#[test]
fn damaged_and_foreign_parts_are_named() {
    let place = place_with_model();
    std::fs::create_dir_all(place.path("parts")).expect("made");
    // All columns are read, so that damage to any of them is found.
    let predict = ["predict", "m.lmdi", "parts", "--out", "o.csv", "--keep", "id"];
    place.run(&predict).fails(1, &["parts", "without a Parquet file"]);
    for (name, rows) in [("parts/a.parquet", 0..5_000), ("parts/b.parquet", 5_000..9_000)] {
        write_part(&place.path(name), rows);
    }
    place.run(&predict).good();
    let whole = std::fs::read(place.path("parts/b.parquet")).expect("a file");
    // In the middle of the pages: found when the row group is decoded.
    let mut damaged = whole.clone();
    let middle = damaged.len() / 3;
    damaged[middle..middle + 400].fill(0xff);
    place.file("parts/b.parquet", &damaged);
    place.run(&predict).fails(1, &["b.parquet", "row group 1", "fetch or write it again"]);
    // At its end: found before any row is read.
    place.file("parts/b.parquet", &whole[..whole.len() - 10]);
    place.run(&predict).fails(1, &["b.parquet", "truncated or damaged"]);
    place.file("parts/b.parquet", &whole);
    place.file("parts/notes.txt", "not data");
    place.run(&predict).fails(1, &["notes.txt", "move it"]);
    std::fs::remove_file(place.path("parts/notes.txt")).expect("removed");
    std::fs::create_dir_all(place.path("parts/year=2020")).expect("made");
    place.run(&predict).fails(1, &["year=2020", "partition"]);
    std::fs::remove_dir(place.path("parts/year=2020")).expect("removed");
    let other = Frame::new(vec![Column { name: "x".into(), values: Values::Numbers(vec![1.0]) }]);
    let output = Output::Parquet(place.path("parts/c.parquet"));
    write_table(&other.expect("a table").into(), &output, &Silent).expect("written");
    place.run(&predict).fails(1, &["c.parquet", "no column \"id\"", "a.parquet has"]);
}

/// A reader that has seen enough ends the run.
#[test]
fn a_reader_may_go_away() {
    let place = place_with_model();
    place.file("t.csv", table(200_000, 0));
    let lmdi = assert_cmd::cargo::cargo_bin("lmdi");
    let line = format!("{} predict m.lmdi t.csv --out - | head -2", lmdi.display());
    let run = std::process::Command::new("sh")
        .args(["-c", &line])
        .current_dir(place.directory.path())
        .output()
        .expect("a shell");
    assert!(run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8_lossy(&run.stdout).lines().count(), 2);
}

#[test]
fn rows_can_be_given_to_other_commands_as_a_directory() {
    let place = place_with_model();
    std::fs::create_dir_all(place.path("parts")).expect("made");
    write_part(&place.path("parts/a.parquet"), 0..300);
    write_part(&place.path("parts/b.parquet"), 300..400);
    let out = place.run(&["inspect", "parts"]).good();
    assert!(out.contains("400 rows"), "{out}");
}
