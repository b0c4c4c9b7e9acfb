//! Pictures: well-formed whatever the names, complete, the same bytes each time, and pixels where
//! they belong.
#![cfg(feature = "png")]
#![allow(clippy::unwrap_used)]

use lmdi::explanation::{Columns, ExplainedRows};
use lmdi::importance::{OutputScale, Scores};
use lmdi::study::{Account, ComparedShare, ModelComparison};
use lmdi::table::{
    CellFormat, ColumnFormat, DateOrder, Encoding, InputColumn, MatrixView, Part, Response, Schema,
};
use lmdi_report::plot::{
    ComparisonData, LineChart, Look, Panel, Picture, PlotData, Point, Series, StabilityData, bar,
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

    fn stability(&self, look: Look<'_>) -> Picture {
        let fit = |by: f64| (0..7).map(|at| f64::from(at) * by).collect();
        let data = StabilityData {
            columns: &self.names(),
            importance: &[fit(1.0), fit(1.5), fit(f64::NAN)],
            correlation: 0.5,
            look,
        };
        stability(&data, 5).unwrap()
    }

    fn comparison(&self, look: Look<'_>) -> Picture {
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
            note: "",
            look,
        };
        comparison(&data, 5).unwrap()
    }

    fn pictures(&self) -> Vec<(&'static str, Picture)> {
        self.pictures_with(Look { title: "<b>title</b>", width: None })
    }

    fn pictures_with(&self, look: Look<'_>) -> Vec<(&'static str, Picture)> {
        let n = self.scores.n_rows;
        let rows = ExplainedRows {
            x: MatrixView::from_rows(&self.cells, n, 8).unwrap(),
            scores: &self.scores,
            predictions: &self.predictions,
            truth: None,
            threshold: None,
        };
        let scale = "in <i>units</i>";
        let data = PlotData { scale, ..PlotData::new(rows, &self.columns, look) };
        vec![
            ("bar", bar(&data, 5).unwrap()),
            ("beeswarm", beeswarm(&data, 10).unwrap()),
            ("waterfall", waterfall(&data, n - 1, 4).unwrap()),
            ("scatter of numbers", scatter(&data, 1, Some(0)).unwrap()),
            ("scatter of levels", scatter(&data, 6, None).unwrap()),
            ("scatter coloured by levels", scatter(&data, 1, Some(6)).unwrap()),
            ("heatmap", heatmap(&data, 10).unwrap()),
            ("decision", decision(&data, 5).unwrap()),
            ("stability", self.stability(look)),
            ("comparison", self.comparison(look)),
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
        assert!(png(&picture, 96.0).unwrap().bytes.starts_with(b"\x89PNG"), "{kind}");
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
    for (kind, picture) in Case::new(60).pictures_with(Look { title: "title", width: Some(430.0) })
    {
        let file = pdf(&picture).unwrap().bytes;
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
        assert_eq!(file, pdf(&picture).unwrap().bytes);
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
    let data = PlotData::new(rows, &columns, Look { title: "t", width: None });
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
    let data = PlotData::new(rows, &case.columns, Look { title: "t", width: None });
    assert!(waterfall(&data, 4, 5).unwrap_err().to_string().contains("row 5"));
    assert!(scatter(&data, 7, None).unwrap_err().to_string().contains("column to draw"));
    assert!(bar(&PlotData { output: 1, ..data }, 5).unwrap_err().to_string().contains("output"));
    let picture = bar(&data, 5).unwrap();
    assert!(png(&picture, 1e9).unwrap_err().to_string().contains("dpi"));
    assert!(png(&picture, f64::NAN).unwrap_err().to_string().contains("dpi"));
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
    assert!(png(&picture, 96.0).unwrap().bytes.starts_with(b"\x89PNG"));
    assert!(lines(&LineChart { panels: vec![], ..chart }).is_err());
}

/// Texts of a picture with their sizes.
fn texts(picture: &Picture) -> Vec<(String, String)> {
    let of_line = |line: &str| {
        let size = line.split("font-size=\"").nth(1)?.split('"').next()?;
        let text = line.split('>').nth(1)?.split('<').next()?;
        Some((size.to_owned(), text.to_owned()))
    };
    picture.svg.lines().filter(|line| line.starts_with("<text")).filter_map(of_line).collect()
}

#[test]
fn a_wider_picture_has_more_room_and_text_of_the_same_size() {
    let case = Case::new(60);
    let long = "x".repeat(300);
    let look = |width| Look { title: "A title", width: Some(width) };
    for ((kind, narrow), (_, wide)) in
        case.pictures_with(look(500.0)).into_iter().zip(case.pictures_with(look(2600.0)))
    {
        let sizes = |picture: &Picture| {
            let mut sizes: Vec<String> = texts(picture).into_iter().map(|(size, _)| size).collect();
            sizes.sort();
            sizes.dedup();
            sizes
        };
        assert!(
            wide.svg.contains("width=\"2600\"") && narrow.svg.contains("width=\"500\""),
            "{kind}"
        );
        assert_eq!(sizes(&narrow), sizes(&wide), "{kind}");
        let longest = |picture: &Picture| {
            let cut = texts(picture).into_iter().filter(|(_, text)| text.starts_with("xxx"));
            cut.map(|(_, text)| text.len()).max().unwrap_or(0)
        };
        if longest(&narrow) > 0 {
            assert!(longest(&wide) > 2 * longest(&narrow), "{kind}");
            assert!(longest(&wide) <= long.len());
        }
    }
}

#[test]
fn long_titles_are_wrapped() {
    let title =
        "Why some houses of the county are sold for far more than all the others ".repeat(3);
    for (kind, picture) in Case::new(30).pictures_with(Look { title: &title, width: Some(600.0) }) {
        let lines: Vec<String> = texts(&picture)
            .into_iter()
            .filter(|(size, _)| size == "16")
            .map(|(_, text)| text)
            .collect();
        assert!(lines.len() > 2, "{kind}");
        assert_eq!(lines.join(" "), title.trim(), "{kind}");
    }
}

#[test]
fn a_png_says_how_many_pixels_an_inch_has() {
    let (_, picture) = Case::new(20).pictures().swap_remove(0);
    let file = png(&picture, 300.0).unwrap().bytes;
    let at = file.windows(4).position(|name| name == b"pHYs").unwrap();
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    // Behind the header and before the pixels; 300 per inch are 11,811 per metre.
    assert_eq!((at, number(at - 4)), (8 + 25 + 4, 9));
    assert_eq!((number(at + 4), number(at + 8), file[at + 12]), (11_811, 11_811, 1));
    // By Python: zlib.crc32(b"pHYs" + struct.pack(">IIB", 11811, 11811, 1)).
    assert_eq!(number(at + 13), 0x78a53f76);
    assert!(resvg::tiny_skia::Pixmap::decode_png(&file).is_ok());
}

/// Rows of one column of dates, from 2020-01-01 on.
fn dated(n: usize) -> (Columns, Vec<f64>, Scores) {
    let mut schema = Schema::numeric(["sold"]);
    schema.reading.formats.push(ColumnFormat {
        name: "sold".into(),
        format: CellFormat::Date(DateOrder::YearMonthDay),
        missing: vec![],
    });
    let cells = (0..n).map(|row| 18_262.0 + (row * 11) as f64).collect();
    let values = (0..n).map(|row| row as f64 - 50.0).collect();
    (Columns::of_schema(&schema), cells, Scores { values, ..Scores::zero(n, 1, &[0.0]) })
}

#[test]
fn dates_are_written_as_dates() {
    let (columns, cells, scores) = dated(100);
    let rows = ExplainedRows {
        x: MatrixView::from_rows(&cells, 100, 1).unwrap(),
        scores: &scores,
        predictions: &vec![0.0; 100],
        truth: None,
        threshold: None,
    };
    let data = PlotData::new(rows, &columns, Look { title: "t", width: None });
    let found = texts(&scatter(&data, 0, Some(0)).unwrap());
    let has = |wanted: &str| found.iter().any(|(_, text)| text == wanted);
    assert!(has("2021") && has("2023"), "{found:?}");
    assert!(has("2020-01-01") && has("2022-12-25 (by rank)"), "{found:?}");
    let found = texts(&waterfall(&data, 1, 5).unwrap());
    assert!(found.iter().any(|(_, text)| text == "sold = 2020-01-12"), "{found:?}");
}

#[test]
fn a_waterfall_of_log_odds_shows_probabilities_and_the_actual_class() {
    let scores = Scores { values: vec![1.5, -0.25], ..Scores::zero(1, 2, &[-1.0]) };
    let account = Account {
        is_exact: true,
        explained: vec![0.25],
        unexplained: vec![0.0],
        out_of_bag: None,
        as_predictions: vec![0.4378, 0.5622],
        is_transformed: true,
    };
    let rows = ExplainedRows {
        x: MatrixView::from_rows(&[1.0, 2.0], 1, 2).unwrap(),
        scores: &scores,
        predictions: &[0.4378, 0.5622],
        truth: Some(Response::Classes { codes: &[0], n_classes: 2 }),
        threshold: None,
    };
    let columns = Columns::numeric(["a", "b"]);
    let labels = ["<no>".to_owned(), "yes".to_owned()];
    let data = PlotData {
        account: Some(&account),
        labels: &labels,
        output_scale: OutputScale::LogOdds,
        ..PlotData::new(rows, &columns, Look { title: "t", width: None })
    };
    let picture = waterfall(&data, 0, 5).unwrap();
    let found = texts(&picture);
    let has = |wanted: &str| found.iter().any(|(_, text)| text == wanted);
    assert!(has("probability") && has("50 %") && has("0.25 (56 %)"), "{found:?}");
    assert!(has("actual class = &lt;no&gt;") && has("the model gives it 44 %"), "{found:?}");
    // Half lies where the axis has zero.
    let place = |wanted: &str| -> f64 {
        let line = picture.svg.lines().find(|line| line.ends_with(&format!(">{wanted}</text>")));
        line.unwrap().split("x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!((place("50 %") - place("0")).abs() < 0.02);
    let identity = PlotData { output_scale: OutputScale::Identity, ..data };
    assert!(!texts(&waterfall(&identity, 0, 5).unwrap()).iter().any(|(_, text)| text == "50 %"));
}

#[test]
fn few_outliers_are_triangles_and_do_not_squeeze_the_others() {
    let n = 400;
    let mut cells: Vec<f64> = (0..n).map(|row| row as f64).collect();
    let mut values: Vec<f64> = (0..n).map(|row| ((row * 37) % 101) as f64).collect();
    cells[7] = 1e9;
    values[8] = -1e6;
    let scores = Scores { values, ..Scores::zero(n, 1, &[0.0]) };
    let rows = ExplainedRows {
        x: MatrixView::from_rows(&cells, n, 1).unwrap(),
        scores: &scores,
        predictions: &vec![0.0; n],
        truth: None,
        threshold: None,
    };
    let columns = Columns::numeric(["a"]);
    let data = PlotData::new(rows, &columns, Look { title: "t", width: None });
    let triangles = |picture: &Picture| picture.svg.matches("<polygon").count();
    let drawn = scatter(&data, 0, None).unwrap();
    assert!(drawn.svg.contains("2 rows beyond the axis"), "{:?}", texts(&drawn));
    assert_eq!(triangles(&drawn), 2);
    assert!(texts(&drawn).iter().any(|(_, text)| text == "300"), "{:?}", texts(&drawn));
    let drawn = beeswarm(&data, 5).unwrap();
    assert!(drawn.svg.contains("1 score beyond the axis") && triangles(&drawn) == 1);
}

#[test]
fn a_dark_picture_has_dark_shades_of_every_scale() {
    for (kind, picture) in Case::new(60).pictures() {
        let light = ["#46165f", "#f7f7f7", "#0072b2", "#222222", "#6b6b6b"];
        let dark = picture.dark();
        for colour in light {
            assert!(!dark.svg.contains(&format!("\"{colour}\"")), "{kind}: {colour}");
        }
    }
}

#[test]
fn true_and_false_are_levels_and_one_row_is_no_plural() {
    let mut schema = Schema::numeric([] as [&str; 0]);
    schema.columns.push(InputColumn { name: "flag".into(), encoding: Encoding::Truth });
    let columns = Columns::of_schema(&schema);
    let scores = Scores { values: vec![1.0, -1.0, 0.5], ..Scores::zero(3, 1, &[0.0]) };
    let rows = ExplainedRows {
        x: MatrixView::from_rows(&[1.0, 0.0, f64::NAN], 3, 1).unwrap(),
        scores: &scores,
        predictions: &[0.0; 3],
        truth: None,
        threshold: None,
    };
    let data = PlotData::new(rows, &columns, Look { title: "t", width: None });
    for picture in [scatter(&data, 0, None).unwrap(), beeswarm(&data, 5).unwrap()] {
        let found: Vec<String> = texts(&picture).into_iter().map(|(_, text)| text).collect();
        for level in ["true", "false", "missing"] {
            assert!(found.iter().any(|text| text == level), "{level} is not in {found:?}");
        }
    }
    let scores = Scores { values: vec![1.0], ..Scores::zero(1, 1, &[0.0]) };
    let x = MatrixView::from_rows(&[1.0], 1, 1).unwrap();
    let rows = ExplainedRows { x, scores: &scores, predictions: &[0.0], ..rows };
    let one = bar(&PlotData { rows, ..data }, 5).unwrap();
    assert!(one.svg.contains("mean |score| over 1 row<"));
}
