//! The report: one HTML page that holds everything it shows and opens from disk.
//!
//! The page's code is TypeScript under `web/`, bundled into `bundle/report.html`, which is part of this crate; here
//! its data is gathered ([`Contents`]), put into the structure that the page reads ([`contract`]) and written into
//! it. Names and cells of a table may hold anything: the data is JSON in which `<` never occurs, the page only ever
//! makes text nodes of it, and its content policy runs no other code than its own.
//!
//! A page stays under [`SIZE_LIMIT`] by holding a sample of the rows ([`sample_rows`]); averages are of all rows.
//! The same contents give the same bytes.

mod contents;
pub mod contract;
mod pack;

pub use contents::{Column, Contents, sample_rows};
pub use pack::Packed;

/// Most bytes of a page.
pub const SIZE_LIMIT: usize = 10_000_000;

const PAGE: &str = include_str!("bundle/report.html");
/// Where the data goes.
const PLACE: &str = "REPORT</script>";

/// The page of these contents.
///
/// Where it would exceed [`SIZE_LIMIT`], rows are left out, evenly, until it fits.
pub fn page(contents: &Contents<'_>) -> String {
    let mut kept: Vec<usize> = (0..contents.rows.len()).collect();
    loop {
        let page = with_data(&contents.report(&kept));
        if page.len() <= SIZE_LIMIT || kept.len() <= 1 {
            return page;
        }
        // A little fewer than would fit if all bytes were rows', so that the loop ends soon.
        let share = (0.9 * SIZE_LIMIT as f64 / page.len() as f64).min(0.9);
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
