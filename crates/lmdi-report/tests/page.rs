//! The size of a page.

use lmdi::importance::Scores;
use lmdi::table::{Labels, Values};
use lmdi_report::page::contract::{About, Scale, ScaleKind};
use lmdi_report::page::{Column, Contents, SIZE_LIMIT, page, sample_rows};

/// Numbers that do not compress.
fn noise(n: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

fn page_of(n: usize, cells: &[Values]) -> String {
    let p = cells.len();
    let scores = Scores { values: noise(n * p), ..Scores::zero(n, p, &[0.5]) };
    let errors = noise(n * p);
    let names: Vec<String> = (0..p).map(|at| format!("column {at}")).collect();
    let all: Vec<usize> = (0..n).collect();
    let rows = sample_rows(n, p, 7);
    let columns = names.iter().zip(cells);
    page(&Contents {
        about: About::default(),
        scale: Scale { kind: ScaleKind::Units, text: "in units".into(), total: "sum".into() },
        labels: &[],
        columns: columns
            .map(|(name, cells)| Column { name, members: vec![], cells: Some(cells) })
            .collect(),
        rows: &rows,
        of_table: &all,
        scores: &scores,
        errors: Some(&errors[..rows.len() * p]),
        predictions: &noise(n),
        model_predictions: None,
        truth: None,
        residuals: None,
        map: None,
        groups: None,
        stability: None,
        methods: vec![],
    })
}

/// How many rows a page says it holds.
fn rows_of(page: &str) -> usize {
    let (_, rest) = page.split_once(r#""rows":{"n":"#).expect("the page has rows");
    rest[..rest.find(',').expect("more follows")].parse().expect("a number")
}

#[test]
fn a_hundred_thousand_rows_of_fifty_numbers_fit() {
    let n = 100_000;
    let column = Values::Numbers(noise(n));
    let page = page_of(n, &vec![column; 50]);
    assert_eq!(rows_of(&page), 6000);
    assert!(page.len() <= SIZE_LIMIT, "{} bytes", page.len());
}

#[test]
fn rows_are_left_out_where_long_texts_would_make_it_large() {
    let n = 2000;
    let text = |row: usize| {
        format!(
            "{row:04}{}",
            noise(40 * row + 100)[40 * row..].iter().map(|x| x.to_string()).collect::<String>()
        )
    };
    let texts: Vec<String> = (0..n).map(|row| text(row % 900)).collect();
    let labels: Labels = texts.iter().map(|text| Some(text.as_str())).collect();
    let page = page_of(n, &vec![Values::Labels(labels); 20]);
    assert!(page.len() <= SIZE_LIMIT, "{} bytes", page.len());
    assert!((50..n).contains(&rows_of(&page)), "{} rows", rows_of(&page));
}
