//! Results reach their files whatever happens to standard output, and nothing else is touched.

use crate::support::{Place, example};
use std::process::{Command, Stdio};

/// Runs the command with a standard output that nobody reads any more.
fn run_unread(place: &Place, arguments: &[&str]) -> Option<i32> {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    child.wait().expect("ended").code()
}

/// A model with an explainer of a small table.
fn trained() -> Place {
    let place = Place::new();
    let data = example("diabetes.csv");
    std::fs::copy(data, place.path("d.csv")).expect("copied");
    let flags = ["--target", "progression", "--trees", "5", "--save", "m.lmdi", "--quiet"];
    let out = place.run(&[&["explain", "d.csv"][..], &flags].concat()).good();
    assert!(out.is_empty(), "quiet: {out}");
    place
}

#[test]
fn a_reader_that_goes_away_costs_no_file() {
    let place = trained();
    let cases: [(&[&str], &[&str]); 9] = [
        (
            &["train", "d.csv", "--target", "progression", "--trees", "3", "--save", "t.lmdi"],
            &["t.lmdi"],
        ),
        (
            &[
                "explain",
                "d.csv",
                "--target",
                "progression",
                "--trees",
                "3",
                "--out",
                "e.csv",
                "--save",
                "e.lmdi",
                "--report",
                "e.html",
                "--stability-runs",
                "0",
            ],
            &["e.csv", "e.lmdi", "e.html"],
        ),
        (&["score", "m.lmdi", "d.csv", "--out", "s.csv"], &["s.csv"]),
        (&["predict", "m.lmdi", "d.csv", "--out", "p.csv"], &["p.csv"]),
        (&["importance", "m.lmdi", "--out", "i.csv"], &["i.csv"]),
        (&["counterfactual", "m.lmdi", "d.csv", "--rows", "1", "--out", "c.csv"], &["c.csv"]),
        (&["subgroups", "m.lmdi", "d.csv", "--groups", "2", "--out", "g.json"], &["g.json"]),
        (&["plot", "bar", "m.lmdi", "d.csv", "--out", "b.svg"], &["b.svg"]),
        (&["convert", "m.lmdi", "--save", "m.json"], &["m.json"]),
    ];
    for (arguments, files) in cases {
        assert_eq!(run_unread(&place, arguments), Some(0), "{arguments:?}");
        for file in files {
            assert!(place.path(file).exists(), "{arguments:?} left no {file}");
        }
    }
    let flags = ["--target", "progression", "--trees", "2", "--fits", "2", "--out", "st.csv"];
    assert_eq!(run_unread(&place, &[&["stability", "d.csv"][..], &flags].concat()), Some(0));
    assert!(place.path("st.csv").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_the_summary_costs_no_file_and_is_told() {
    let place = trained();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(["train", "d.csv", "--target", "progression", "--trees", "3", "--save", "t.lmdi"])
        .stdout(full)
        .output()
        .expect("ran");
    assert_eq!(output.status.code(), Some(1));
    assert!(place.path("t.lmdi").exists());
}

#[test]
fn one_result_that_fails_does_not_keep_the_others() {
    let place = trained();
    // The directory goes away while the model is trained: nothing before could have told.
    std::fs::create_dir(place.path("gone")).expect("made");
    let mut csv = String::from("a,b,y\n");
    for row in 0u64..20_000 {
        let x = row.wrapping_mul(2_654_435_761) % 100_003;
        csv.push_str(&format!("{x},{},{}\n", x % 977, x % 1009));
    }
    place.file("t.csv", csv);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
        .current_dir(place.directory.path())
        .args(["explain", "t.csv", "--target", "y", "--trees", "10", "--method", "saabas"])
        .args(["--out", "gone/s.csv", "--save", "kept.lmdi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let mut first = [0u8; 1];
    std::io::Read::read_exact(child.stdout.as_mut().expect("piped"), &mut first).expect("started");
    std::fs::remove_dir(place.path("gone")).expect("removed");
    let output = child.wait_with_output().expect("ended");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("gone/s.csv"), "{message}");
    assert!(place.path("kept.lmdi").exists());
}

#[test]
fn a_result_never_replaces_what_is_read_or_another_result() {
    let place = trained();
    let before = std::fs::read(place.path("d.csv")).expect("data");
    let model = std::fs::read(place.path("m.lmdi")).expect("a model");
    #[cfg(unix)]
    std::os::unix::fs::symlink("d.csv", place.path("link.csv")).expect("linked");
    #[cfg(not(unix))]
    std::fs::hard_link(place.path("d.csv"), place.path("link.csv")).expect("linked");
    let explain = ["explain", "d.csv", "--target", "progression", "--trees", "2"];
    let cases: [(&[&str], &[&str], &str); 8] = [
        (
            &["predict", "m.lmdi", "d.csv"],
            &["--out", "d.csv"],
            "--out is \"d.csv\", which is also DATA",
        ),
        (&["predict", "m.lmdi", "d.csv"], &["--out", "./link.csv"], "which is also DATA"),
        (&["score", "m.lmdi", "link.csv"], &["--out", "d.csv"], "which is also DATA"),
        (&explain, &["--out", "x.csv", "--save", "x.csv"], "--save is \"x.csv\""),
        (&explain, &["--out", "x.json.csv", "--report", "./x.json.csv"], "--report is"),
        (&explain, &["--report", "same.html", "--save", "same.html"], "--save is"),
        (&["convert", "m.lmdi"], &["--save", "m.lmdi"], "which is also MODEL"),
        (&["explain", "d.csv", "--model", "m.lmdi"], &["--out", "link.csv"], "which is also DATA"),
    ];
    for (command, flags, message) in cases {
        place.run(&[command, flags].concat()).fails(2, &[message]);
    }
    assert_eq!(std::fs::read(place.path("d.csv")).expect("data"), before);
    assert_eq!(std::fs::read(place.path("m.lmdi")).expect("a model"), model);
    // The documented way to add an explainer to a model of ours stays open.
    let refit = ["explain", "d.csv", "--model", "m.lmdi", "--preset", "paper", "--save", "m.lmdi"];
    place.run(&refit).good();
}

#[test]
fn names_that_promise_something_else_are_refused() {
    let place = trained();
    let explain = ["explain", "d.csv", "--target", "progression", "--trees", "2"];
    let cases: [(&[&str], &str); 4] = [
        (&["--save", "-"], "--save is -; expected the name of a file"),
        (&["--report", "-"], "--report is -"),
        (&["--report", "r.pdf"], "ends in .html"),
        (&["--out", "scores.xlsx"], ".csv or .parquet"),
    ];
    for (flags, message) in cases {
        place.run(&[&explain[..], flags].concat()).fails(2, &[message]);
    }
    assert!(!place.path("-").exists() && !place.path("r.pdf").exists());
}

#[cfg(unix)]
#[test]
fn a_named_pipe_takes_a_result_once_it_is_read() {
    let place = trained();
    let made = Command::new("mkfifo").arg(place.path("p.csv")).status();
    assert!(made.expect("mkfifo ran").success());
    let path = place.path("p.csv");
    let reading = std::thread::spawn(move || std::fs::read_to_string(path).expect("read"));
    place.run(&["predict", "m.lmdi", "d.csv", "--out", "p.csv"]).good();
    assert_eq!(reading.join().expect("read").lines().count(), 443);
    // Without a reader the wait has an end.
    let run = place.run(&["predict", "m.lmdi", "d.csv", "--out", "p.csv"]);
    run.fails(1, &["p.csv", "no process reads from this pipe"]);
}

#[test]
fn kept_columns_are_copied_byte_for_byte() {
    let place = Place::new();
    let ids: Vec<String> = (0..40).map(|row| format!("123456789012345678{row}")).collect();
    let codes = ["00001", "+49", "NA", "?", " spaced ", "a,b", "q\"q", "1e5", "", "two\nlines"];
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let mut csv = String::from("id,code,x,y\n");
    for (row, id) in ids.iter().enumerate() {
        let x = row * 7 % 40;
        csv.push_str(&format!("{id},{},{x},{}\n", quoted(codes[row % 10]), x * 2));
    }
    place.file("t.csv", csv);
    let explain = ["explain", "t.csv", "--target", "y", "--trees", "3", "--save", "m.lmdi"];
    let kept = ["--keep", "id", "--keep", "code", "--keep", "x"];
    place.run(&[&explain[..], &["--out", "e.csv"], &kept].concat()).good();
    place.run(&[&["predict", "m.lmdi", "t.csv", "--out", "p.csv"][..], &kept].concat()).good();
    place.run(&[&["score", "m.lmdi", "t.csv", "--out", "s.csv"][..], &kept].concat()).good();
    for result in ["e.csv", "p.csv", "s.csv"] {
        let mut reader = csv::Reader::from_path(place.path(result)).expect("a table");
        let header = reader.headers().expect("a header").clone();
        let at = |name: &str| header.iter().position(|column| column == name).expect("kept");
        let (id, code, x) = (at("id"), at("code"), at("x"));
        for (row, record) in reader.records().enumerate() {
            let record = record.expect("a row");
            assert_eq!(record[id], ids[row], "{result}");
            assert_eq!(record[code], *codes[row % 10], "{result}");
            assert_eq!(record[x], (row * 7 % 40).to_string(), "{result}");
        }
    }
    let missing = ["predict", "m.lmdi", "t.csv", "--out", "p.csv", "--keep", "Id"];
    place.run(&missing).fails(1, &["t.csv", "no column \"Id\"", "did you mean \"id\""]);
}
