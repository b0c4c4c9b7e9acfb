//! Pictures: well-formed whatever the names, complete, the same bytes each time, and pixels where
//! they belong.
#![cfg(feature = "png")]
#![allow(clippy::unwrap_used)]

use lmdi::explanation::{Columns, ExplainedRows};
use lmdi::importance::Scores;
use lmdi::study::{ComparedShare, ModelComparison};
use lmdi::table::{Encoding, InputColumn, MatrixView, Part, Schema};
use lmdi_report::plot::{
    ComparisonData, LineChart, Panel, Picture, PlotData, Point, Series, StabilityData, bar,
    beeswarm, comparison, decision, heatmap, lines, pdf, png, scatter, stability,
    strongest_interaction, waterfall,
};

const HOSTILE: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"quotes' & more",
    "\u{202e}right-to-left",
    "😀\u{0}\u{1b}[31m",
    "__proto__",
];

struct Case {
    columns: Columns,
    cells: Vec<f64>,
    scores: Scores,
    predictions: Vec<f64>,
}

impl Case {
    /// Rows with a missing cell, a category and names that try to break out.
    fn new(n: usize) -> Self {
        let mut schema = Schema::numeric(HOSTILE);
        schema.columns.push(InputColumn { name: "x".repeat(300), encoding: Encoding::Number });
        let parts = ["</text>", "b"].map(|level| Part::Level(level.into())).to_vec();
        schema
            .columns
            .push(InputColumn { name: "level".into(), encoding: Encoding::OneHot(parts) });
        let columns = Columns::of_schema(&schema);
        let mut cells = Vec::new();
        for row in 0..n {
            cells.extend((0..6).map(|at| ((row * (at + 3)) % 17) as f64));
            cells[row * 8 + 1] = if row % 5 == 0 { f64::NAN } else { row as f64 };
            cells.extend([f64::from(u8::from(row % 3 == 0)), f64::from(u8::from(row % 3 != 0))]);
        }
        let values = (0..n * 7).map(|at| ((at * 31) % 23) as f64 - 11.0).collect();
        let scores = Scores { values, ..Scores::zero(n, 7, &[100.0]) };
        Self { columns, cells, predictions: vec![1.0; n], scores }
    }

    fn names(&self) -> Vec<String> {
        self.columns.as_slice().iter().map(|column| column.name.clone()).collect()
    }

    fn stability(&self) -> Picture {
        let fit = |by: f64| (0..7).map(|at| f64::from(at) * by).collect();
        let data = StabilityData {
            columns: &self.names(),
            importance: &[fit(1.0), fit(1.5), fit(f64::NAN)],
            correlation: 0.5,
            title: "<b>title</b>",
        };
        stability(&data, 5).unwrap()
    }

    fn comparison(&self) -> Picture {
        let share = |(at, name): (usize, String)| ComparedShare {
            name,
            own: (at != 2).then_some(0.1),
            other: (at != 3).then_some(0.2),
        };
        let n = self.predictions.len();
        let found = ModelComparison {
            shares: self.names().into_iter().enumerate().map(share).collect(),
            measures: vec![],
            is_fair: Some(true),
            n_rows: n,
            differences: vec![0.0; n],
            mean_difference: 0.0,
            same_class: None,
        };
        let other: Vec<f64> = (0..n).map(|row| row as f64 / n as f64).collect();
        let data = ComparisonData {
            found: &found,
            names: ["<b>own</b>", HOSTILE[0]],
            predictions: [&self.predictions, &other],
            predicted: HOSTILE[2],
            title: "<b>title</b>",
        };
        comparison(&data, 5).unwrap()
    }

    fn pictures(&self) -> Vec<(&'static str, Picture)> {
        let n = self.scores.n_rows;
        let rows = ExplainedRows {
            x: MatrixView::from_rows(&self.cells, n, 8).unwrap(),
            scores: &self.scores,
            predictions: &self.predictions,
            truth: None,
            threshold: None,
        };
        let data = PlotData {
            rows,
            columns: &self.columns,
            account: None,
            errors: None,
            output: 0,
            title: "<b>title</b>",
            scale: "in <i>units</i>",
        };
        vec![
            ("bar", bar(&data, 5).unwrap()),
            ("beeswarm", beeswarm(&data, 10).unwrap()),
            ("waterfall", waterfall(&data, n - 1, 4).unwrap()),
            ("scatter of numbers", scatter(&data, 1, Some(0)).unwrap()),
            ("scatter of levels", scatter(&data, 6, None).unwrap()),
            ("scatter coloured by levels", scatter(&data, 1, Some(6)).unwrap()),
            ("heatmap", heatmap(&data, 10).unwrap()),
            ("decision", decision(&data, 5).unwrap()),
            ("stability", self.stability()),
            ("comparison", self.comparison()),
        ]
    }
}

#[test]
fn names_stay_text_and_documents_well_formed() {
    for (kind, picture) in Case::new(60).pictures() {
        for part in [
            "<script",
            "<b>",
            "<i>",
            "\u{202e}",
            "\u{1b}",
            "\u{0}",
            "</text></text>",
            "NaN",
            "inf\"",
        ] {
            assert!(!picture.svg.contains(part), "{kind}: {part:?}");
        }
        assert!(picture.svg.contains("&lt;b&gt;title"), "{kind}");
        let longest = picture.svg.split('>').map(str::len).max().unwrap();
        assert!(longest < 400, "{kind}: {longest}");
        // The parser that draws it refuses what is not XML.
        assert!(png(&picture, 1.0).unwrap().starts_with(b"\x89PNG"), "{kind}");
    }
}

#[test]
fn the_same_rows_give_the_same_bytes_and_many_rows_a_sample() {
    let case = Case::new(5_000);
    let (first, second) = (case.pictures(), case.pictures());
    assert_eq!(first, second);
    for (kind, picture) in first {
        assert!(picture.svg.len() < 4_000_000, "{kind}: {}", picture.svg.len());
        if !["bar", "waterfall", "stability", "comparison"].contains(&kind) {
            assert!(picture.svg.contains("of 5000 rows, drawn at random"), "{kind}");
        }
    }
}

#[test]
fn a_pdf_has_one_page_of_the_size_of_the_picture_and_valid_places() {
    for (kind, picture) in Case::new(60).pictures() {
        let file = pdf(&picture.clone().wide(430.0)).unwrap();
        let text = String::from_utf8(file.clone()).unwrap();
        assert!(text.starts_with("%PDF-1.7\n") && text.ends_with("%%EOF\n"), "{kind}");
        // 430 pixels of 1/96 inch are 322.5 points.
        assert!(text.contains("/MediaBox [0 0 322.50 "), "{kind}");
        assert!(text.matches(" c\n").count() > 50, "{kind}: letters are curves");
        let (_, rest) = text.rsplit_once("startxref\n").unwrap();
        let start: usize = rest.lines().next().unwrap().parse().unwrap();
        assert!(text[start..].starts_with("xref\n"), "{kind}");
        let places = text[start..].lines().filter(|line| line.ends_with(" n "));
        for (at, line) in places.enumerate() {
            let place: usize = line[..10].parse().unwrap();
            assert!(text[place..].starts_with(&format!("{} 0 obj", at + 1)), "{kind}: {line}");
        }
        let (_, content) = text.split_once("/Length ").unwrap();
        let length: usize = content.split(' ').next().unwrap().parse().unwrap();
        let (_, stream) = text.split_once("stream\n").unwrap();
        assert!(stream[length..].starts_with("endstream"), "{kind}");
        assert_eq!(file, pdf(&picture.wide(430.0)).unwrap());
    }
}

#[test]
fn a_dark_picture_is_dark_and_its_text_unchanged() {
    let (_, picture) = Case::new(20).pictures().swap_remove(0);
    let dark = picture.clone().dark();
    assert!(picture.svg.contains("fill=\"#ffffff\"") && !dark.svg.contains("\"#ffffff\""));
    assert!(dark.svg.contains("fill=\"#14181e\"") && !dark.svg.contains("\"#222222\""));
    let text = |svg: &str| {
        svg.split('>').map(|part| part.split('<').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(text(&picture.svg), text(&dark.svg));
}

#[test]
fn the_column_that_interacts_is_found() {
    let n = 600;
    let cells: Vec<f64> = (0..n)
        .flat_map(|row| [row * 7 % 100, row * 13 % 89, row * 29 % 97])
        .map(|x: usize| x as f64)
        .collect();
    // The slope of the first column depends on the third.
    let score =
        |row: usize| (cells[3 * row] - 50.0) * if cells[3 * row + 2] > 48.0 { 1.0 } else { 0.2 };
    let with = |row: usize| score(row) + 20.0 * cells[3 * row + 2] / 97.0;
    let values = (0..n).flat_map(|row| [with(row), 0.0, 0.0]).collect();
    let scores = Scores { values, ..Scores::zero(n, 3, &[0.0]) };
    let rows = ExplainedRows {
        x: MatrixView::from_rows(&cells, n, 3).unwrap(),
        scores: &scores,
        predictions: &vec![0.0; n],
        truth: None,
        threshold: None,
    };
    let columns = Columns::numeric(["a", "b", "c"]);
    let (title, scale) = ("t", "s");
    let data =
        PlotData { rows, columns: &columns, account: None, errors: None, output: 0, title, scale };
    assert_eq!(strongest_interaction(&data, 0).unwrap(), Some(2));
}

#[test]
fn a_waterfall_names_every_step_and_its_ends() {
    let case = Case::new(3);
    let (_, picture) = &case.pictures()[2];
    let total = case.scores.total(2, 0);
    assert!(picture.svg.contains("base 100, total "), "{}", picture.svg);
    assert!(picture.svg.contains(&format!(">{total}<")), "{total}");
    assert!(picture.svg.contains("3 other columns"));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let case = Case::new(4);
    let x = MatrixView::from_rows(&case.cells, 4, 8).unwrap();
    let rows = ExplainedRows {
        x,
        scores: &case.scores,
        predictions: &case.predictions,
        truth: None,
        threshold: None,
    };
    let (title, scale) = ("t", "s");
    let data = PlotData {
        rows,
        columns: &case.columns,
        account: None,
        errors: None,
        output: 0,
        title,
        scale,
    };
    assert!(waterfall(&data, 4, 5).unwrap_err().to_string().contains("row 5"));
    assert!(scatter(&data, 7, None).unwrap_err().to_string().contains("column to draw"));
    assert!(bar(&PlotData { output: 1, ..data }, 5).unwrap_err().to_string().contains("output"));
    let picture = bar(&data, 5).unwrap();
    assert!(png(&picture, 1e9).unwrap_err().to_string().contains("zoom"));
    assert!(png(&picture, f64::NAN).unwrap_err().to_string().contains("zoom"));
    let unknown = Scores { values: vec![f64::NAN; 28], ..case.scores.clone() };
    let rows = ExplainedRows { scores: &unknown, ..rows };
    assert!(bar(&PlotData { rows, ..data }, 5).unwrap_err().to_string().contains("no row"));
}

#[test]
fn lines_have_a_colour_by_name_and_leave_out_what_is_missing() {
    let point = |x, mean, error| Point { x, mean, error };
    let series = |name: &str, points| Series { name: name.into(), points };
    let first = vec![point(1.0, 0.2, 0.05), point(2.0, f64::NAN, 0.1), point(3.0, 0.4, f64::NAN)];
    let chart = LineChart {
        title: "<b>title</b>".into(),
        subtitle: "means".into(),
        x_title: "rows".into(),
        panels: vec![
            Panel {
                title: HOSTILE[0].into(),
                series: vec![series("a", first.clone()), series("b", first)],
            },
            Panel { title: "two".into(), series: vec![series("b", vec![point(1.0, 5.0, 0.0)])] },
            Panel { title: "empty".into(), series: vec![] },
        ],
        per_row: 2,
    };
    let picture = lines(&chart).unwrap();
    assert_eq!(picture, lines(&chart).unwrap());
    assert!(!picture.svg.contains("<script") && !picture.svg.contains("NaN"), "{}", picture.svg);
    let strokes: Vec<&str> = picture
        .svg
        .lines()
        .filter_map(|line| line.strip_prefix("<polyline")?.split("stroke=\"").nth(1)?.get(..7))
        .collect();
    assert_eq!((strokes.len(), strokes[1]), (3, strokes[2]));
    assert_ne!(strokes[0], strokes[1]);
    // The point whose mean is missing is left out.
    let places = |line: &str| {
        line.split("points=\"").nth(1).unwrap().split('"').next().unwrap().split(' ').count()
    };
    let line = picture.svg.lines().find(|line| line.starts_with("<polyline")).unwrap();
    assert_eq!(places(line), 2);
    assert!(png(&picture, 1.0).unwrap().starts_with(b"\x89PNG"));
    assert!(lines(&LineChart { panels: vec![], ..chart }).is_err());
}
