//! Signals: work ends soon, with the code of the signal; what is ignored stays ignored.
#![cfg(unix)]

use crate::support::{Place, ended_by, send};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn lmdi() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
}

/// Waits until the command has printed something.
fn wait_for_output(child: &mut Child) {
    let stdout = child.stdout.as_mut().expect("piped");
    stdout.read_exact(&mut [0]).expect("the first byte of the summary");
}

/// A table whose model takes minutes: a thousand classes.
fn many_classes() -> String {
    let mut csv = String::from("a,b,c,y\n");
    for row in 0u64..20_000 {
        let x = row.wrapping_mul(2_654_435_761) % 100_003;
        csv.push_str(&format!("{x},{},{},class {}\n", x % 977, x % 89, row % 1000));
    }
    csv
}

#[test]
fn one_signal_ends_a_wait_for_standard_input() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let start = || {
            lmdi()
                .args(["train", "-", "--target", "y"])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("started")
        };
        assert_eq!(ended_by(signal, start), code);
    }
}

#[test]
fn one_signal_ends_long_work_soon() {
    let place = Place::new();
    place.file("t.csv", many_classes());
    let mut child = lmdi()
        .current_dir(place.directory.path())
        .args(["train", "t.csv", "--target", "y", "--save", "m.lmdi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    wait_for_output(&mut child);
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    send(&child, "-TERM");
    assert_eq!(child.wait().expect("ended").code(), Some(143));
    // Far less than the work itself takes, on a machine that is busy too.
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
    assert_eq!(place.names(), ["t.csv"]);
}

#[test]
fn nohup_protects() {
    let place = Place::new();
    let mut csv = String::from("a,y\n");
    (0..5000).for_each(|row| csv.push_str(&format!("{},{}\n", row * 7 % 4999, row % 911)));
    place.file("t.csv", csv);
    let command = assert_cmd::cargo::cargo_bin("lmdi");
    let train = "t.csv --target y --trees 20 --save m.lmdi";
    let mut child = Command::new("sh")
        .current_dir(place.directory.path())
        .args(["-c", &format!("trap '' HUP; exec '{}' train {train}", command.display())])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    wait_for_output(&mut child);
    send(&child, "-HUP");
    assert_eq!(child.wait().expect("ended").code(), Some(0));
    assert!(place.path("m.lmdi").exists());
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let place = Place::new();
    place.file("t.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
    place.file(".m.lmdi.abcdefghij.tmp", "half a model");
    place.run(&["train", "t.csv", "--target", "y", "--trees", "2", "--save", "m.lmdi"]).good();
    assert_eq!(place.names(), ["m.lmdi", "t.csv"]);
}
