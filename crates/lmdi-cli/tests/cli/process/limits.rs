//! Input that asks for more than there is: a message, never an abort.

use crate::support::Place;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn packed(pieces: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    pieces.for_each(|piece| writer.write_all(&piece).expect("in memory"));
    writer.finish().expect("in memory")
}

#[test]
fn bombs_are_refused_by_name() {
    let place = Place::new();
    // Forty kilobytes each, unpacked forty megabytes.
    let endless =
        packed(std::iter::once(b"x,y\n1,".to_vec()).chain((0..40).map(|_| vec![b'1'; 1_000_000])));
    place.file("t.csv.gz", endless);
    place.run(&["inspect", "t.csv.gz"]).fails(1, &["t.csv.gz", "a record is longer than 33 MB"]);
    let quoted = packed(
        std::iter::once(b"x,y\n1,\"".to_vec()).chain((0..40).map(|_| vec![b'\n'; 1_000_000])),
    );
    place.file("t.csv.gz", quoted);
    place.run(&["inspect", "t.csv.gz"]).fails(1, &["a quote is never closed"]);
    let wide = packed((0..3).map(|_| vec![b','; 1_000_000]).chain([b"\n1\n".to_vec()]));
    place.file("t.csv.gz", wide);
    place.run(&["inspect", "t.csv.gz"]).fails(1, &["3000001 columns; expected at most 1048576"]);
    let endless = packed((0..40).map(|_| vec![b','; 1_000_000]));
    place.file("t.csv.gz", endless);
    place.run(&["inspect", "t.csv.gz"]).fails(1, &["a record is longer than"]);
}

#[test]
fn a_limit_of_memory_is_kept() {
    let place = Place::new();
    let rows = (0..100).map(|_| b"1,2,3,4,5,6,7,8\n".repeat(10_000));
    place.file("t.csv.gz", packed(std::iter::once(b"a,b,c,d,e,f,g,y\n".to_vec()).chain(rows)));
    let train = ["train", "t.csv.gz", "--target", "y"];
    let run = place.run(&[&train[..], &["--memory", "50M"]].concat());
    run.fails(1, &["error: out of memory", "the limit is 50 MB"]);
    place.run(&[&train[..], &["--memory", "1"]].concat()).fails(2, &["at least 50M"]);
    // The same table fits into what the machine has, and only then is found to be useless.
    place.run(&train).fails(1, &["constant"]);
}

#[test]
fn trees_that_may_not_fit_are_told_before_they_are_trained() {
    let place = Place::new();
    let mut csv = String::from("a,y\n");
    (0..600).for_each(|row| csv.push_str(&format!("{},c{}\n", row * 7 % 599, row % 300)));
    place.file("t.csv", csv);
    let flags = ["--target", "y", "--trees", "100", "--memory", "100M"];
    let run = place.run(&[&["train", "t.csv"][..], &flags].concat());
    assert!(run.err.contains("note: the trees may take up to"), "{}", run.err);
}

#[test]
fn text_in_utf16_is_read() {
    let place = Place::new();
    let text = "größe;y\n1,5;a\n2,5;b\n3,5;a\n";
    for big in [false, true] {
        let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let bytes = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit);
        place.file("t.csv", bytes.collect::<Vec<u8>>());
        let out = place.run(&["inspect", "t.csv"]).good();
        assert!(out.contains("größe") && out.contains("1.5 to 3.5"), "{out}");
    }
}

#[test]
fn summaries_are_json_or_silent_on_request() {
    let place = Place::new();
    place.file("t.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n5,7\n6,6\n");
    let train = ["train", "t.csv", "--target", "y", "--trees", "3", "--save", "m.lmdi"];
    let json = place.run(&[&train[..], &["--json"]].concat()).good();
    let facts: serde_json::Value = serde_json::from_str(&json).expect("JSON alone");
    assert_eq!(facts["training"]["trees"], 3);
    assert_eq!(facts["files"][0], "m.lmdi");
    assert!(place.run(&[&train[..], &["--quiet"]].concat()).good().is_empty());
    let commands: [&[&str]; 4] = [
        &["predict", "m.lmdi", "t.csv", "--out", "p.csv"],
        &["score", "m.lmdi", "t.csv", "--out", "s.csv", "--method", "saabas"],
        &["importance", "m.lmdi"],
        &["explain", "t.csv", "--target", "y", "--trees", "2", "--out", "e.csv"],
    ];
    for command in commands {
        let json = place.run(&[command, &["--json"]].concat()).good();
        let facts: serde_json::Value = serde_json::from_str(&json).expect("JSON alone");
        assert!(facts.is_object(), "{command:?}");
        assert!(place.run(&[command, &["--quiet"]].concat()).good().is_empty(), "{command:?}");
    }
}

#[test]
fn formulas_are_guarded_on_request() {
    let place = Place::new();
    let mut csv = String::from("who,x,y\n");
    for row in 0..20 {
        csv.push_str(&format!("\"=HYPERLINK(\"\"a\"\")\",{},{}\n", row * 3 % 10, row * row % 7));
    }
    place.file("t.csv", csv);
    place.run(&["train", "t.csv", "--target", "y", "--trees", "2", "--save", "m.lmdi"]).good();
    let predict = ["predict", "m.lmdi", "t.csv", "--keep", "who", "--keep", "x", "--out", "-"];
    let plain = place.run(&predict).good();
    assert!(plain.contains("\n\"=HYPERLINK"), "as it stands: {plain}");
    let guarded = place.run(&[&predict[..], &["--guard-formulas"]].concat()).good();
    assert!(guarded.contains("\n\"'=HYPERLINK") && guarded.contains("\",7,"), "{guarded}");
}
