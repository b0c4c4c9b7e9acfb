//! Letters in pictures that the built-in font lacks, with the fonts that the system has, or has not.
//!
//! Only on Linux can a test choose the fonts of the system: fontconfig reads where they are from the
//! file that a variable names.
#![cfg(target_os = "linux")]

use crate::support::{Place, Run, shared};

/// A table with names in Chinese, Hindi, Hebrew and Thai letters, an accent on its own and an emoji,
/// its model, and settings of a system with no font and of one with the fonts of the tests.
fn place() -> Place {
    let place = Place::new();
    let mut rows = String::from("年齢,क\u{93f},גיל,ส\u{e48},e\u{301},🦀,sales\n");
    for at in 0..60 {
        let cells = [at % 7, at * 5 % 11, at * 3 % 13, at % 4, at * 7 % 5, at % 3];
        let sales: i32 = cells.iter().enumerate().map(|(by, cell)| (6 - by as i32) * cell).sum();
        rows.push_str(&cells.map(|cell| cell.to_string()).join(","));
        rows.push_str(&format!(",{sales}\n"));
    }
    let data = place.file("d.csv", rows);
    let train = ["explain", data, "--target", "sales", "--trees", "5", "--save", "m.lmdi"];
    place.run(&train).good();
    let config =
        |fonts: &str| format!("<?xml version=\"1.0\"?><fontconfig><dir>{fonts}</dir></fontconfig>");
    place.file("none.conf", config("/nonexistent"));
    place.file("some.conf", config(&shared("testdata/fonts")));
    place
}

fn plot(place: &Place, kind: &str, fonts: &str, out: &str) -> Run {
    let fonts = ("FONTCONFIG_FILE", place.path(fonts));
    place.run_under(&[fonts], &["plot", kind, "m.lmdi", "d.csv", "--out", out], "")
}

#[test]
fn letters_come_from_a_font_of_the_system_or_are_told() {
    let place = place();
    let bytes = |name: &str| std::fs::read(place.path(name)).expect("a picture");
    for ending in ["png", "pdf"] {
        let [none, some, again] = ["none", "some", "again"].map(|name| format!("{name}.{ending}"));
        let run = plot(&place, "beeswarm", "none.conf", &none);
        for part in
            ["no font on this computer", "年", "齢", "क", "ส", "🦀", "drawn as boxes", ".svg"]
        {
            assert!(run.err.contains(part), "{part:?} is not in {}", run.err);
        }
        assert!(!run.err.contains('ג') && !run.err.contains("e\u{301}"), "{}", run.err);
        run.good();
        let run = plot(&place, "beeswarm", "some.conf", &some);
        assert!(run.err.contains(": ส \u{e48} 🦀. "), "only what the fonts lack: {}", run.err);
        run.good();
        assert_ne!(bytes(&none), bytes(&some));
        plot(&place, "beeswarm", "some.conf", &again).good();
        assert_eq!(bytes(&some), bytes(&again));
    }
    let run = plot(&place, "beeswarm", "none.conf", "p.svg");
    assert_eq!(run.err, "", "an SVG keeps all letters");
    run.good();
    for name in ["年齢", "क\u{93f}", "גיל", "ส\u{e48}", "e\u{301}", "🦀"] {
        assert!(place.read("p.svg").contains(&format!(">{name}</text>")), "{name}");
    }
}

#[test]
fn pictures_of_every_kind_take_every_letter() {
    let place = place();
    for kind in ["bar", "heatmap", "waterfall", "scatter", "decision"] {
        for ending in ["png", "pdf"] {
            let run = plot(&place, kind, "some.conf", &format!("p.{ending}"));
            assert!(!run.err.contains("panicked"), "{kind}: {}", run.err);
            run.good();
        }
    }
}

#[test]
fn ordinary_pictures_are_the_same_with_any_fonts() {
    let place = place();
    let mut rows = String::from("größe,price\n");
    (0..40).for_each(|at| rows.push_str(&format!("{},{}\n", at % 13, at * 3 % 7)));
    place.file("d.csv", rows);
    let train = ["explain", "d.csv", "--target", "price", "--trees", "5", "--save", "m.lmdi"];
    place.run(&train).good();
    for ending in ["png", "pdf"] {
        let names = ["none", "some"].map(|fonts| {
            let name = format!("{fonts}.{ending}");
            let run = plot(&place, "waterfall", &format!("{fonts}.conf"), &name);
            assert_eq!(run.err, "");
            run.good();
            std::fs::read(place.path(&name)).expect("a picture")
        });
        assert_eq!(names[0], names[1]);
    }
}
