//! Quality as a table.

use super::terminal::{Align, TextTable};
use lmdi::study::{Assessment, measure_title};
use lmdi::text::{count, short_number};

/// The measures of several samples, one sample per line.
pub fn table(assessments: &[Assessment]) -> String {
    let mut titles = vec![("quality", Align::Left), ("rows", Align::Right)];
    if let Some(first) = assessments.first() {
        titles.extend(first.measures.iter().map(|&(name, _)| (measure_title(name), Align::Right)));
    }
    let mut table = TextTable::new(&titles);
    for one in assessments {
        let values = one.measures.iter().map(|&(_, value)| short_number(value));
        table.row([one.title().to_owned(), count(one.n_rows)].into_iter().chain(values));
    }
    table.to_string()
}
