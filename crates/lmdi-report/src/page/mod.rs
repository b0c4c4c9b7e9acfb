//! The report: one HTML page that holds everything it shows and opens from disk.
//!
//! The page's code is TypeScript under `web/`, bundled into `bundle/report.html`, which is part of
//! this crate. Here what the page shows is gathered from a study and the rows it explained, put
//! into the structure that the page reads ([`contract`]) and written into it. Names and cells of a
//! table may hold anything: the data is JSON in which `<` never occurs, the page only ever makes
//! text nodes of it, and its content policy runs no other code than its own.
//!
//! A page stays under [`SIZE_LIMIT`] by holding a sample of the rows ([`sample_rows`]); averages
//! are of all rows. The same study and rows give the same bytes.
//!
//! | file | what |
//! |---|---|
//! | `gathered` | everything that a page shows, and its conversion to the contract |
//! | `facts` | what was explained: quality, warnings, data, model, versions |
//! | `groups`, `stability`, `methods`, `other_model` | parts of the page that are computed for it |
//! | `scorer` | the model, for the what-if |
//! | `cells` | the cells of columns |
//! | `contract`, `pack` | the data as the page reads it |

mod cells;
pub mod contract;
mod facts;
mod gathered;
mod groups;
mod methods;
mod other_model;
mod pack;
mod scorer;
mod stability;
#[cfg(test)]
mod tests;

pub use gathered::sample_rows;
pub use pack::Packed;
pub use scorer::{SCORER_LIMIT, WhatIf};

use crate::Result;
use gathered::Gathered;
use lmdi::importance::Method;
use lmdi::monitor::Stages;
use lmdi::study::{Explained, Study};

/// Maximum number of bytes of a page.
pub const SIZE_LIMIT: usize = 10_000_000;

const PAGE: &str = include_str!("bundle/report.html");
/// Where the data goes.
const PLACE: &str = "REPORT</script>";

/// A table that was read, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSource {
    /// The name of its file.
    pub name: String,
    /// The SHA-256 of its file.
    pub sha256: String,
}

/// Another model on the same rows.
#[derive(Clone, Copy)]
pub struct ComparedModel<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The model with its explainer.
    pub study: &'a Study,
    /// The rows of the page as it explains them.
    pub explained: &'a Explained,
}

/// What a page shows in addition to the explained rows.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct PageOptions<'a> {
    /// Methods to compare with, of those that need only the trees.
    pub compare: &'a [Method],
    /// Another model on the same rows.
    pub compare_model: Option<ComparedModel<'a>>,
    /// Number of refits with other seeds, and of refits on resampled rows, to show how stable
    /// scores are. A model that was not trained by the study is never refitted.
    pub refits: u64,
    /// Whether the page can predict rows with changed cells.
    pub what_if: WhatIf,
    /// The tables that were read.
    pub tables: Vec<TableSource>,
}

impl<'a> PageOptions<'a> {
    lmdi::setters! {
        with_compare(compare: &'a [Method]),
        with_refits(refits: u64),
        with_what_if(what_if: WhatIf),
        with_tables(tables: Vec<TableSource>);
        optional:
        with_compare_model(compare_model: ComparedModel<'a>),
    }
}

/// The page of explained rows.
///
/// If it would exceed [`SIZE_LIMIT`], the model of the what-if is left out unless requested, and
/// then rows, evenly, until it fits.
pub fn page(
    study: &Study,
    explained: &Explained,
    options: &PageOptions<'_>,
    stages: &dyn Stages,
) -> Result<String> {
    let mut gathered = Gathered::new(study, explained, options, stages)?;
    let model = gathered.scorer.as_ref().map_or(0, json_size);
    if options.what_if == WhatIf::Always {
        return Ok(fitting_page(&gathered, SIZE_LIMIT + model));
    }
    let all: Vec<usize> = (0..gathered.chosen.len()).collect();
    let fits = || with_data(&gathered.report(&all)).len() <= SIZE_LIMIT;
    if model > 0 && (model > SCORER_LIMIT || !fits()) {
        gathered.scorer = None;
        gathered.served_scorer = scorer::served(study, explained, true);
    }
    Ok(fitting_page(&gathered, SIZE_LIMIT))
}

fn json_size(scorer: &contract::Scorer) -> usize {
    serde_json::to_string(scorer).map_or(0, |json| json.len())
}

fn fitting_page(gathered: &Gathered<'_>, limit: usize) -> String {
    let mut kept: Vec<usize> = (0..gathered.chosen.len()).collect();
    loop {
        let page = with_data(&gathered.report(&kept));
        if page.len() <= limit || kept.len() <= 1 {
            return page;
        }
        // A little fewer than would fit if all bytes were rows', so that the loop ends soon.
        let share = (0.9 * limit as f64 / page.len() as f64).min(0.9);
        let fewer = ((kept.len() as f64 * share) as usize).max(1);
        kept = (0..fewer).map(|at| kept[at * kept.len() / fewer]).collect();
    }
}

fn with_data(report: &contract::Report) -> String {
    let json = serde_json::to_string(report).expect("numbers, text and lists are valid JSON");
    let (before, after) = PAGE.split_once(PLACE).expect("the bundle has a place for the data");
    let mut page = String::with_capacity(PAGE.len() + json.len());
    page.push_str(before);
    for c in json.chars() {
        // Outside of strings JSON has none of these. `</script>` and `<!--` would end or change the
        // element; the separators end a line for some readers.
        match c {
            '<' => page.push_str("\\u003c"),
            '>' => page.push_str("\\u003e"),
            '&' => page.push_str("\\u0026"),
            '\u{2028}' => page.push_str("\\u2028"),
            '\u{2029}' => page.push_str("\\u2029"),
            other => page.push(other),
        }
    }
    page.push_str("</script>");
    page.push_str(after);
    page
}
