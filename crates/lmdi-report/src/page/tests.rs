//! The size of a page.

use super::contract::{About, Scale, ScaleKind};
use super::gathered::Gathered;
use super::{SIZE_LIMIT, fitting_page, sample_rows};
use lmdi::explanation::{Grouping, PredictedBy};
use lmdi::importance::Scores;
use lmdi::study::{Explained, NamedFrame, Rows, Sample, TreeChoice};
use lmdi::table::{Column, Frame, Labels, Matrix, Schema, Values};
use std::sync::Arc;

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
    let names: Vec<String> = (0..p).map(|at| format!("column {at}")).collect();
    let columns = names.iter().zip(cells);
    let columns = columns.map(|(name, cells)| Column { name: name.clone(), values: cells.clone() });
    let frame = Frame::new(columns.collect()).expect("a table");
    let rows = Rows {
        table: Arc::new(NamedFrame { name: "t".into(), frame }),
        places: (0..n).collect(),
        x: Matrix::from_column_major(vec![0.0; n], n, 1).expect("a matrix"),
        target: None,
        weights: None,
        sample: Sample::Unspecified,
        key: None,
    };
    let schema = Schema::numeric(names);
    let explained = Explained {
        rows: Arc::new(rows),
        grouping: Grouping::columns(&schema).expect("columns"),
        trees: TreeChoice::All,
        scores: Scores { values: noise(n * p), ..Scores::zero(n, p, &[0.5]) },
        errors: None,
        ranks: None,
        predictions: noise(n),
        threshold: None,
        predicted_by: PredictedBy::AllTrees,
        account: None,
        fidelity: None,
        assessment: None,
    };
    let chosen = sample_rows(n, p, 7);
    let gathered = Gathered {
        explained: &explained,
        schema: &schema,
        labels: &[],
        about: About::default(),
        scale: Scale {
            kind: ScaleKind::Units,
            text: "in units".into(),
            total: "sum".into(),
            moved: vec!["the sum".into()],
        },
        errors: Some(noise(n * p)[..chosen.len() * p].to_vec()),
        chosen,
        groups: None,
        stability: None,
        methods: vec![],
        other_model: None,
        scorer: None,
        served_scorer: None,
    };
    fitting_page(&gathered, SIZE_LIMIT)
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
