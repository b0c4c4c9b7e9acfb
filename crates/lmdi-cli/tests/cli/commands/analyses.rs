//! `lmdi counterfactual`, `subgroups`, `stability` and `plot` as a user runs them, and the warning
//! of leakage.

use crate::support::{Place, example, numbers, table};
use lmdi::table::{Frame, Values};

/// A model of the example with a few trees, and its explainer.
fn explain(place: &Place, data: &str, target: &str) {
    let flags = ["--target", target, "--trees", "12", "--ablation", "1", "--save", "m.lmdi"];
    place.run(&[&["explain", data][..], &flags].concat()).good();
}

fn cancer(place: &Place) -> (String, String) {
    let data = example("breast_cancer.csv");
    let header = std::fs::read_to_string(&data).expect("an example");
    let names: Vec<&str> = header.lines().next().expect("a header").split(',').collect();
    let target = names[names.len() - 1].to_owned();
    explain(place, &data, &target);
    (data, target)
}

fn texts<'f>(frame: &'f Frame, name: &str) -> Vec<Option<&'f str>> {
    match &frame.column(name).expect("a column").values {
        Values::Labels(labels) => (0..labels.len()).map(|row| labels.get(row)).collect(),
        Values::Numbers(_) => panic!("{name} is numbers"),
    }
}

#[test]
fn counterfactuals_are_decided_otherwise_and_keep_restrictions() {
    let place = Place::new();
    let (data, _) = cancer(&place);
    let run = ["counterfactual", "m.lmdi", &data, "--rows", "1-40"];
    let kept = ["-k", "2", "--only-down", "mean_radius", "--out", "c.csv"];
    let out = place.run(&[&run[..], &kept].concat()).good();
    assert!(out.contains("distance") && out.contains("score change"), "{out}");
    let found = table(&place, "c.csv");
    let (here, there) = (texts(&found, "prediction"), texts(&found, "other_prediction"));
    let changed = texts(&found, "column");
    let (from, to) = (numbers(&found, "from"), numbers(&found, "to"));
    let by = numbers(&found, "score_change");
    let (rows, places) = (numbers(&found, "row"), numbers(&found, "place"));
    for line in 0..found.rows() {
        if there[line].is_some() {
            assert_ne!(here[line], there[line]);
        }
        if changed[line] == Some("mean_radius") {
            assert!(to[line] < from[line]);
        }
        if line > 0 && rows[line] == rows[line - 1] && places[line] == places[line - 1] {
            assert!(by[line].abs() <= by[line - 1].abs());
        }
    }
    assert!(by.iter().any(|&change| change > 0.0) && by.iter().any(|&change| change < 0.0));
    // The same bytes on one thread, and the same content as JSON.
    let again = [&run[..], &kept[..4], &["--out", "again.csv", "--threads", "1"]].concat();
    place.run(&again).good();
    assert_eq!(place.read("c.csv"), place.read("again.csv"));
    place.run(&[&run[..], &["--out", "c.json"]].concat()).good();
    let json: serde_json::Value = serde_json::from_str(&place.read("c.json")).expect("JSON");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(40));
}

#[test]
fn numbers_are_decided_at_a_threshold() {
    let place = Place::new();
    let data = example("diabetes.csv");
    explain(&place, &data, "progression");
    let out = place.run(&["counterfactual", "m.lmdi", &data, "--rows", "7"]).good();
    assert!(out.contains("the median prediction"), "{out}");
    let flags =
        ["--threshold", "200", "--to", "above", "--space", "features", "--out", "c.parquet"];
    place.run(&[&["counterfactual", "m.lmdi", &data, "--rows", "all"][..], &flags].concat()).good();
    let found = table(&place, "c.parquet");
    let (here, there) = (numbers(&found, "prediction"), numbers(&found, "other_prediction"));
    assert!(
        here.iter()
            .zip(there)
            .all(|(here, there)| *here < 200.0 && *there >= 200.0 || there.is_nan())
    );
}

#[test]
fn groups_cover_all_rows_and_are_described() {
    let place = Place::new();
    let data = example("diabetes.csv");
    explain(&place, &data, "progression");
    let run = ["subgroups", "m.lmdi", &data, "--groups", "3", "--out", "g.csv"];
    let out = place.run(&run).good();
    for part in ["Group 1: ", "Group 3: ", "rule: ", "root mean squared error", "mean score"] {
        assert!(out.contains(part), "{part} is not in {out}");
    }
    let found = table(&place, "g.csv");
    let groups = numbers(&found, "group");
    assert_eq!(groups.len(), 442);
    let size = |group: f64| groups.iter().filter(|one| **one == group).count();
    assert!(size(1.0) >= size(2.0) && size(2.0) >= size(3.0) && size(3.0) > 0);
    assert_eq!(size(1.0) + size(2.0) + size(3.0), 442);
    let chosen = ["subgroups", "m.lmdi", &data, "--max-groups", "4", "--out", "g.json"];
    let out = place.run(&chosen).good();
    assert!(out.contains("<- chosen"), "{out}");
    let json: serde_json::Value = serde_json::from_str(&place.read("g.json")).expect("JSON");
    let described = json["groups"].as_array().map(Vec::len);
    assert_eq!(described.map(|n| n as u64), json["choice"]["groups"].as_u64());
}

#[test]
fn stability_compares_fits_of_the_same_rows() {
    let place = Place::new();
    let data = example("diabetes.csv");
    let run = ["stability", &data, "--target", "progression", "--trees", "6", "--ablation", "1"];
    for more in [&["--fits", "3"][..], &["--fits", "2", "--bootstrap-rows", "--holdout", "0.5"]] {
        let out = place.run(&[&run[..], more, &["--out", "s.csv"]].concat()).good();
        assert!(out.contains("Rank correlation between two fits"), "{out}");
        let found = table(&place, "s.csv");
        let unique = numbers(&found, "unique:10%");
        // At least one of ten columns is at the top, and at most one per fit.
        assert!(unique.iter().all(|unique| (1.0..=3.0).contains(unique)));
        assert!(numbers(&found, "correlation").iter().all(|r| (-1.0..=1.0).contains(r)));
    }
}

#[test]
fn every_picture_is_drawn() {
    let place = Place::new();
    let (data, _) = cancer(&place);
    for (kind, more) in [
        ("bar", &["--top", "5"][..]),
        ("beeswarm", &[]),
        ("waterfall", &["--row", "3"]),
        ("scatter", &["--column", "mean_radius", "--color-by", "mean_texture"]),
        ("scatter", &["--color-by", "auto", "--title", "One <b>column</b>"]),
        ("heatmap", &["--method", "saabas", "--dark"]),
        ("decision", &["--width", "500"]),
    ] {
        place.run(&[&["plot", kind, "m.lmdi", &data, "--out", "p.svg"][..], more].concat()).good();
        let svg = place.read("p.svg");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{kind}");
    }
    let waterfall = ["plot", "waterfall", "m.lmdi", &data, "--out", "p.svg"];
    place.run(&waterfall).good();
    assert!(place.read("p.svg").contains("two standard errors over the trees"));
    place.run(&[&waterfall[..], &["--method", "tree-shap"]].concat()).good();
    assert!(!place.read("p.svg").contains("standard errors"), "TreeSHAP has none");
    place.run(&["plot", "bar", "m.lmdi", &data, "--out", "p.png", "--dpi", "96"]).good();
    assert!(std::fs::read(place.path("p.png")).expect("a picture").starts_with(b"\x89PNG"));
    place.run(&["plot", "bar", "m.lmdi", &data, "--out", "p.pdf"]).good();
    assert!(std::fs::read(place.path("p.pdf")).expect("a picture").starts_with(b"%PDF"));
}

#[test]
fn two_models_and_fits_are_drawn() {
    let place = Place::new();
    let (data, target) = cancer(&place);
    let train = ["explain", &data, "--target", &target, "--trees", "4", "--save"];
    place.run(&[&train[..], &["other.lmdi", "--drop", "mean_radius"]].concat()).good();
    let compared = ["plot", "comparison", "m.lmdi", &data, "--out", "p.svg"];
    place.run(&[&compared[..], &["--compare-model", "other.lmdi"]].concat()).good();
    let svg = place.read("p.svg");
    for part in ["the same class in", "not read by the other", "probability of malignant by m.lmdi"]
    {
        assert!(svg.contains(part), "{part} is not in the picture");
    }
    place.run(&compared).fails(2, &["--compare-model is not given"]);
    // A model without an explainer, such as one of another library: TreeSHAP explains both.
    let plain = ["train", &data, "--target", &target, "--trees", "4", "--save", "plain.lmdi"];
    place.run(&plain).good();
    place.run(&[&compared[..], &["--compare-model", "plain.lmdi"]].concat()).good();
    assert!(place.read("p.svg").contains("both explained by TreeSHAP, since plain.lmdi keeps no"));
    let numbers = example("diabetes.csv");
    place
        .run(&["explain", &numbers, "--target", "progression", "--trees", "2", "--save", "n.lmdi"])
        .good();
    place.run(&[&compared[..], &["--compare-model", "n.lmdi"]].concat()).fails(1, &["no column"]);
    let fits = ["stability", &data, "--target", &target, "--trees", "3", "--fits", "2"];
    place.run(&[&fits[..], &["--out", "fits.json"]].concat()).good();
    place.run(&["plot", "stability", "fits.json", "--out", "s.svg", "--top", "4"]).good();
    let svg = place.read("s.svg");
    assert!(svg.contains("in 2 fits, 4 of 30 columns"), "{svg}");
    assert_eq!(svg.matches("<circle").count(), 8, "one dot per fit and column");
    place
        .run(&["plot", "stability", "m.lmdi", "--out", "s.svg"])
        .fails(1, &["m.lmdi is not what `lmdi stability --out FILE.json` writes"]);
    place
        .run(&["plot", "stability", "fits.json", &data, "--out", "s.svg"])
        .fails(1, &["needs the file of `lmdi stability` alone"]);
    place.run(&["plot", "bar", "m.lmdi", "--out", "s.svg"]).fails(1, &["DATA is not given"]);
}

#[test]
fn pictures_show_dates_probabilities_and_their_size() {
    let place = Place::new();
    let mut rows = String::from("sold,area,dear\n");
    for at in 0..120 {
        let (day, month) = (1 + at % 28, 1 + at * 7 % 12);
        let dear = if at * 13 % 40 > 20 { "yes" } else { "no" };
        rows.push_str(&format!("{}-{month:02}-{day:02},{},{dear}\n", 2018 + at % 5, at * 13 % 40));
    }
    let data = place.file("houses.csv", rows);
    let train = ["explain", data, "--target", "dear", "--model", "boosting", "--trees", "8"];
    place.run(&[&train[..], &["--save", "m.lmdi"]].concat()).good();
    let plot = |kind: &str, more: &[&str]| {
        place.run(&[&["plot", kind, "m.lmdi", data, "--out", "p.svg"][..], more].concat()).good();
        place.read("p.svg")
    };
    assert!(plot("scatter", &[]).contains(">How area moves the prediction of dear</text>"));
    let svg = plot("scatter", &["--column", "sold"]);
    for year in 2019..=2022 {
        assert!(svg.contains(&format!(">{year}</text>")), "{year} is no tick");
    }
    let svg = plot("waterfall", &["--row", "3"]);
    assert!(svg.contains(">sold = 2020-03-03</text>"), "{svg}");
    assert!(svg.contains(">Row 3: why this prediction of dear?</text>"), "{svg}");
    assert!(svg.contains(">actual class = yes</text>") && svg.contains(">probability</text>"));
    assert!(svg.contains(">50 %</text>") && svg.contains("the model gives it "), "{svg}");
    let svg = plot("waterfall", &["--width", "500"]);
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"500\" "), "{svg}");
    place.run(&["plot", "bar", "m.lmdi", data, "--out", "p.png", "--dpi", "300"]).good();
    let png = std::fs::read(place.path("p.png")).expect("a picture");
    let at = png.windows(4).position(|name| name == b"pHYs").expect("a resolution");
    // 300 pixels per inch are 11,811 per metre.
    assert_eq!(png[at + 4..at + 13], [0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1]);
}

#[test]
fn a_waterfall_of_several_classes_shows_the_predicted_one() {
    let place = Place::new();
    let mut rows = String::from("a,b,class\n");
    for at in 0..90 {
        rows.push_str(&format!("{},{},k{}\n", at % 30, at * 7 % 11, at % 30 / 10));
    }
    let data = place.file("d.csv", rows);
    let train = ["explain", data, "--target", "class", "--trees", "8", "--save", "m.lmdi"];
    place.run(&train).good();
    let plot = |more: &[&str]| {
        let flags = ["plot", "waterfall", "m.lmdi", data, "--out", "p.svg"];
        place.run(&[&flags[..], more].concat()).good();
        place.read("p.svg")
    };
    place.run(&["score", "m.lmdi", data, "--out", "s.csv"]).good();
    let scores = table(&place, "s.csv");
    let predicted = texts(&scores, "prediction");
    for row in [1, 15, 30] {
        let label = predicted[row - 1].expect("a label");
        let title = format!(">Row {row}: why this prediction of class = {label}?</text>");
        assert!(plot(&["--row", &row.to_string()]).contains(&title), "{title}");
    }
    assert_ne!(predicted[29], Some("k0"), "another one than the first");
    assert!(plot(&["--row", "30", "--class", "k0"]).contains("of class = k0?</text>"));
    let beyond = ["plot", "waterfall", "m.lmdi", data, "--out", "p.svg", "--row", "91"];
    place.run(&beyond).fails(1, &["there is no row 91"]);
}

#[test]
fn texts_show_dates_as_dates() {
    let place = Place::new();
    let mut rows = String::from("sold,at,dear\n");
    for step in 0..120 {
        let month = 1 + step * 7 % 12;
        let dear = if month > 6 { "yes" } else { "no" };
        let (day, hour) = (3 + step % 5, step % 24);
        rows.push_str(&format!("2020-{month:02}-{day:02},2021-05-06 {hour:02}:10:00,{dear}\n"));
    }
    let data = place.file("houses.csv", rows);
    let out = place.run(&["inspect", data]).good();
    assert!(out.contains("2020-01-03 to 2020-12-07"), "{out}");
    let explain = ["explain", data, "--target", "dear", "--trees", "8", "--save", "m.lmdi"];
    let out = place.run(&explain).good();
    assert!(out.contains("2020-01-03 to 2020-12-07"), "{out}");
    assert!(out.contains("2021-05-06 00:10:00 to 2021-05-06 23:10:00"), "{out}");
    let example = out.split("Example").nth(1).expect("an example");
    let cell = |name: &str| {
        let line = example.lines().find(|line| line.trim_start().starts_with(name));
        line.expect("a line of the column").to_owned()
    };
    assert!(cell("sold ").contains(" 2020-01-03 "), "{example}");
    assert!(cell("at ").contains(" 2021-05-06 00:10:00 "), "{example}");
    let out = place.run(&["subgroups", "m.lmdi", data, "--groups", "2"]).good();
    let line = out.lines().find(|line| line.trim_start().starts_with("sold ")).expect("a line");
    assert_eq!(line.matches(" (2020-").count(), 2, "{out}");
    assert!(!out.contains("12:00:00"), "a column of dates has no time of the day: {out}");
    let out = place.run(&["counterfactual", "m.lmdi", data, "--out", "c.csv"]).good();
    let line = out.lines().find(|line| line.trim_start().starts_with("sold ")).expect("a line");
    assert_eq!(line.matches(" 2020-").count(), 2, "{out}");
    assert!(place.read("c.csv").contains(",sold,2020-"), "{}", place.read("c.csv"));
}

#[test]
fn wrong_usage_is_said_before_any_file_is_written() {
    let place = Place::new();
    let (data, target) = cancer(&place);
    let before = place.names();
    let cases: [(&[&str], i32, &str); 13] = [
        (&["counterfactual", "m.lmdi", &data, "--fixed", "nothing"], 1, "no column \"nothing\""),
        (&["counterfactual", "m.lmdi", &data, "--to", "nothing"], 2, "\"nothing\""),
        (&["counterfactual", "m.lmdi", &data, "--threshold", "2"], 2, "a probability from 0 to 1"),
        (&["counterfactual", "m.lmdi", &data, "--rows", "600"], 1, "there is no row 600"),
        (&["counterfactual", "m.lmdi", &data, "-k", "0"], 2, "--k is 0"),
        (&["counterfactual", "m.lmdi", &data, "--out", "no/where.csv"], 1, "no/where.csv"),
        (&["subgroups", "m.lmdi", &data, "--groups", "1"], 2, "--groups is 1"),
        (&["subgroups", "m.lmdi", &data, "--out", "no/where.json"], 1, "no/where.json"),
        (&["stability", &data, "--target", &target, "--top", "0"], 2, "--top is 0"),
        (&["stability", &data, "--target", "nothing"], 1, "no column \"nothing\""),
        (&["plot", "bar", "m.lmdi", &data, "--out", "p.gif"], 2, ".svg, .png or .pdf"),
        (&["plot", "bar", "m.lmdi", &data, "--out", "no/where.svg"], 1, "no/where.svg"),
        (
            &["plot", "scatter", "m.lmdi", &data, "--out", "p.svg", "--column", "x"],
            1,
            "no column \"x\"",
        ),
    ];
    for (arguments, code, part) in cases {
        place.run(arguments).fails(code, &[part]);
    }
    assert_eq!(place.names(), before);
}

#[test]
fn a_column_that_gives_the_target_away_is_warned_about() {
    let place = Place::new();
    let mut csv = String::from("honest,in_cents,price\n");
    for row in 0..60 {
        let price = (row * 37 % 101) as f64 / 4.0;
        csv.push_str(&format!("{},{},{price}\n", row % 7, 100.0 * price));
    }
    let data = place.file("leak.csv", csv);
    for command in ["train", "explain"] {
        let out = place.run(&[command, data, "--target", "price", "--trees", "3"]).good();
        assert!(out.contains("WARNING: column in_cents gives price away"), "{out}");
        assert!(!out.contains("column honest gives"), "{out}");
        let dropped = [command, data, "--target", "price", "--trees", "3", "--drop", "in_cents"];
        assert!(!place.run(&dropped).good().contains("WARNING: column"));
    }
}

/// Work of minutes each.
#[cfg(unix)]
#[test]
fn interrupted_runs_end_with_130_and_leave_no_file() {
    let place = Place::new();
    let mut csv = String::from("a,b,c,y\n");
    for row in 0u64..100_000 {
        let x = row.wrapping_mul(2_654_435_761) % 100_003;
        csv.push_str(&format!("{x},{},{},{}\n", x % 977, x % 89, x % 1009));
    }
    place.file("t.csv", csv);
    let train = ["--trees", "2", "--max-leaf-nodes", "64", "--ablation", "1", "--save", "m.lmdi"];
    place.run(&[&["explain", "t.csv", "--target", "y"][..], &train].concat()).good();
    for arguments in [
        &["counterfactual", "m.lmdi", "t.csv", "--rows", "all", "--out", "c.csv"][..],
        &["subgroups", "m.lmdi", "t.csv", "--restarts", "1000000", "--out", "g.csv"],
        &["stability", "t.csv", "--target", "y", "--fits", "500", "--out", "s.csv"],
    ] {
        assert_eq!(place.run_interrupted(arguments), 130, "{arguments:?}");
        assert_eq!(place.names(), ["m.lmdi", "t.csv"]);
    }
}
