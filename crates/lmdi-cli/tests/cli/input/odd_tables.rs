//! Tables as people write them: numbers with commas, signs and odd cells, dates, spellings.

use crate::support::{Place, numbers, table};

/// Sixty rows of a column as it is written, another one, and a target that follows from the first.
fn rows(cell: impl Fn(u32) -> String, delimiter: &str, decimal: &str) -> String {
    let mut csv = ["x", "z", "y"].join(delimiter) + "\n";
    for row in 0..60 {
        let y = format!("{}.5", 3 * (row * 7 % 60)).replace('.', decimal);
        csv += &[cell(row * 7 % 60), (row % 5).to_string(), y].join(delimiter);
        csv += "\n";
    }
    csv
}

/// Trains on a table and returns what was said.
fn train(place: &Place, csv: String, flags: &[&str]) -> crate::support::Run {
    place.file("t.csv", csv);
    let train = ["train", "t.csv", "--target", "y", "--trees", "20", "--save", "m.lmdi"];
    place.run(&[&train[..], flags].concat())
}

fn out_of_bag_r2(place: &Place) -> f64 {
    let json = place.run(&["inspect", "m.lmdi", "--json"]).good();
    let model: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let r2 = model["quality"].as_array().expect("measures").iter();
    let r2 = r2.filter(|one| one["measure"] == "r2").find_map(|one| one["value"].as_f64());
    r2.expect("measured")
}

/// The cell of a row.
type Cell = Box<dyn Fn(u32) -> String>;

#[test]
fn numbers_are_recognised_as_people_write_them() {
    let place = Place::new();
    let cases: [(&str, Cell, &str, &str); 9] = [
        ("a decimal comma", Box::new(|x| format!("{x},25")), ";", ","),
        ("thousands", Box::new(|x| format!("\"{},250.5\"", x + 1)), ",", "."),
        ("both, in other words", Box::new(|x| format!("{}.250,5", x + 1)), ";", ","),
        ("dollars", Box::new(|x| format!("\"${},000\"", x + 1)), ",", "."),
        ("euros", Box::new(|x| format!("{x},50 €")), ";", ","),
        ("per cent", Box::new(|x| format!("{x}.5 %")), ",", "."),
        (
            "one None",
            Box::new(|x| if x == 30 { "None".into() } else { format!("{x}.5") }),
            ",",
            ".",
        ),
        ("one dash", Box::new(|x| if x == 30 { "-".into() } else { format!("{x}") }), ",", "."),
        ("dates", Box::new(|x| format!("2024-{:02}-{:02}", x / 28 + 1, x % 28 + 1)), ",", "."),
    ];
    for (what, cell, delimiter, decimal) in cases {
        let run = train(&place, rows(cell, delimiter, decimal), &[]);
        assert!(run.err.contains("column x is read as"), "{what}: {}", run.err);
        let out = run.good();
        assert!(out.contains("target (regression)"), "{what}: {out}");
        assert!(out_of_bag_r2(&place) > 0.9, "{what}: {}", out_of_bag_r2(&place));
        // The model remembers how the table was written.
        let predicted = place.run(&["predict", "m.lmdi", "t.csv", "--out", "p.csv"]);
        predicted.good();
        let predictions = table(&place, "p.csv");
        let cells = numbers(&predictions, "prediction");
        let truth = (0..60).map(|row| 3.0 * f64::from(row * 7 % 60) + 0.5);
        let error: f64 = cells.iter().zip(truth).map(|(a, b)| (a - b).abs()).sum::<f64>() / 60.0;
        assert!(error < 6.0, "{what}: {error}");
    }
}

/// A sign at some of the numbers is told, with the first of them; zero needs none.
#[test]
fn units_of_some_numbers_are_told() {
    let place = Place::new();
    let told = "of 59 numbers have a unit, first";
    let some = |x: u32| if x % 20 == 7 { format!("{x}%") } else { format!("{x}") };
    let run = train(&place, rows(some, ",", "."), &[]);
    assert!(run.err.contains(&format!("3 {told} \"7%\" in line 3;")), "{}", run.err);
    run.good();
    let most = |x: u32| if x % 20 == 7 { format!("{x}") } else { format!("${x}") };
    let run = train(&place, rows(most, ",", "."), &[]);
    assert!(run.err.contains(&format!("56 {told} \"$0\" in line 2;")), "{}", run.err);
    let all = |x: u32| if x == 0 { "0".into() } else { format!("{x} %") };
    let run = train(&place, rows(all, ",", "."), &[]);
    assert!(!run.err.contains("have a unit"), "{}", run.err);
    run.good();
}

#[test]
fn a_column_that_is_nearly_numbers_is_refused_with_the_way_out() {
    let place = Place::new();
    let odd = |x: u32| if x == 30 { "12a".into() } else { format!("{x}.5") };
    let csv = rows(odd, ",", ".");
    let message = "column \"x\": 59 of 60 cells are numbers; the first other one is \"12a\"";
    train(&place, csv.clone(), &[]).fails(1, &[message, "--missing", "--kind x=categorical"]);
    train(&place, csv.clone(), &["--missing", "12a"]).good();
    assert!(out_of_bag_r2(&place) > 0.9);
    // The word is missing in later tables too.
    place.run(&["predict", "m.lmdi", "t.csv", "--out", "p.csv"]).good();
    train(&place, csv.clone(), &["--drop", "x"]).good();
    train(&place, csv.clone(), &["--kind", "x=categorical"]).good();
    let stated = train(&place, csv, &["--kind", "x=numeric"]);
    stated.fails(1, &["line", "column \"x\": found \"12a\"; expected a number"]);
}

#[test]
fn marks_can_be_stated() {
    let place = Place::new();
    // Three digits after every comma could be thousands.
    let csv = rows(|x| format!("\"{},250\"", x + 1), ",", ".");
    let run = train(&place, csv.clone(), &[]);
    assert!(run.err.contains("--decimal and --thousands state what is meant"), "{}", run.err);
    // With that mark the target is text, and every one different.
    train(&place, csv.clone(), &["--decimal", ","]).fails(1, &["\"y\" looks like an identifier"]);
    let commas = rows(|x| format!("{},250", x + 1), ";", ",");
    let out = train(&place, commas, &["--decimal", ","]).good();
    assert!(out.contains("1.25 to 60.25"), "{out}");
    let out = train(&place, csv.clone(), &["--thousands", ","]).good();
    assert!(out.contains("1250 to 60250"), "{out}");
    train(&place, csv, &["--decimal", ",", "--thousands", ","]).fails(2, &["--thousands"]);
}

#[test]
fn truths_and_levels_in_several_spellings() {
    let place = Place::new();
    let words = ["yes", "Yes", "no", "NO", "YES"];
    let out = train(&place, rows(|x| words[x as usize % 5].into(), ",", "."), &[]).good();
    assert!(out.contains("boolean"), "{out}");
    let cities = ["Bonn", "bonn", "Ulm"];
    let run = train(&place, rows(|x| cities[x as usize % 3].into(), ",", "."), &[]);
    assert!(run.err.contains("differ in case or spaces only"), "{}", run.err);
    run.good();
}

#[test]
fn a_column_that_is_nearly_dates_is_refused_with_the_line() {
    let place = Place::new();
    // Row 30 has x = 30; the header and a blank line before it make that line 33.
    let day = |x: u32| match x {
        30 => "2022-02-30".to_owned(),
        x => format!("2022-{:02}-{:02}", x / 28 + 1, x % 28 + 1),
    };
    let csv = rows(day, ",", ".").replacen('\n', "\n\n", 1);
    let message = "column \"x\": 59 of 60 cells are dates; the first other one is \"2022-02-30\" in \
                   line 33.";
    train(&place, csv.clone(), &[]).fails(1, &[message, "not one of dates"]);
    let inspected = place.run(&["inspect", "t.csv"]);
    assert!(inspected.err.contains(message), "{}", inspected.err);
    // A model that knows the column says what it expects.
    train(&place, csv.clone(), &["--missing", "2022-02-30"]).good();
    place.file("later.csv", csv.replace("2022-02-30", "soon"));
    let later = place.run(&["predict", "m.lmdi", "later.csv", "--out", "p.csv"]);
    later.fails(1, &["line 33", "found \"soon\"; expected a date such as 2024-01-31"]);
}

/// One row per step of a series, whose target follows from the step.
fn series(cell: impl Fn(u32) -> String) -> String {
    let line = |step: u32| format!("{},{},{}\n", cell(step), step * 13 % 7, 3 * step);
    String::from("when,z,y\n") + &(0..120).map(line).collect::<String>()
}

#[test]
fn consecutive_days_and_seconds_are_no_identifiers() {
    let place = Place::new();
    let day = |step: u32| match step {
        0..31 => format!("2024-01-{:02}", step + 1),
        31..60 => format!("2024-02-{:02}", step - 30),
        60..91 => format!("2024-03-{:02}", step - 59),
        _ => format!("2024-04-{:02}", step - 90),
    };
    let out = train(&place, series(day), &[]).good();
    assert!(!out.contains("identifier"), "{out}");
    assert!(out_of_bag_r2(&place) > 0.95, "{}", out_of_bag_r2(&place));
    let time = |step: u32| format!("08:{:02}:{:02}", step / 60, step % 60);
    let out = train(&place, series(time), &[]).good();
    assert!(!out.contains("identifier") && out_of_bag_r2(&place) > 0.95, "{out}");
    // Numbers that count rows still are.
    let out = train(&place, series(|step| step.to_string()), &[]).good();
    assert!(out.contains("when (identifier-like)"), "{out}");
}

#[test]
fn numbers_that_fall_together_in_32_bits_are_told() {
    let place = Place::new();
    let time = |step: u32| format!("2024-01-01 00:{:02}:{:02}", step / 30, step % 30 * 2);
    let run = train(&place, series(time), &[]);
    let message = "column when: only 3 of its 120 different values remain apart in 32 bits";
    assert!(run.err.contains(message), "{}", run.err);
    let run = train(&place, series(|step| (1_000_000_000 + 3 * step).to_string()), &[]);
    assert!(run.err.contains("of its 120 different values remain apart"), "{}", run.err);
    let run = train(&place, series(|step| format!("{}.1", step)), &[]);
    assert!(!run.err.contains("32 bits"), "{}", run.err);
}
