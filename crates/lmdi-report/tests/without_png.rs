//! A build without the feature `png`, which PDF needs too, says so, and what to use instead.

#![cfg(not(feature = "png"))]

use lmdi_report::plot::{LineChart, Panel, Point, Series, check_png, lines, pdf, png};

#[test]
fn png_is_refused_with_what_to_do() {
    let points = vec![Point { x: 1.0, mean: 0.5, error: 0.1 }];
    let series = vec![Series { name: "a".into(), points }];
    let chart = LineChart {
        title: "t".into(),
        subtitle: "s".into(),
        x_title: "x".into(),
        panels: vec![Panel { title: "p".into(), series }],
        per_row: 1,
    };
    let picture = lines(&chart).expect("an SVG");
    for refused in [check_png(), png(&picture, 1.0).map(|_| ()), pdf(&picture).map(|_| ())] {
        let message = refused.expect_err("refused").to_string();
        assert!(message.contains("has no PNG and no PDF; use SVG"), "{message}");
    }
}
