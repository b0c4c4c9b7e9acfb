//! The columns that were read, one line each, and what was dropped or pooled.

use super::terminal::{Align, TextTable, shortened};
use lmdi::table::{ColumnReport, Frame, Kind, Reading, Reason, Role, Task, TimeUnit, Values};
use lmdi::text::{count, counted, short_cell};
use std::io::{self, Write};

/// Of wider tables the first columns are shown, and as many others again that are not plain inputs;
/// `inspect --json` has it all.
const SHOWN: usize = 60;

fn is_plain_input(report: &ColumnReport) -> bool {
    report.role == Role::Input && report.pooled.is_none()
}

/// Prints the columns of a table that was read this way; `task` is what is learned from the target. Without a task nothing
/// is decided about the use of columns, and none is shown.
pub fn print(
    out: &mut dyn Write,
    frame: &Frame,
    reading: &Reading,
    reports: &[ColumnReport],
    task: Option<Task>,
) -> io::Result<()> {
    let mut titles = vec![
        ("column", Align::Left),
        ("kind", Align::Left),
        ("missing", Align::Right),
        ("values", Align::Left),
    ];
    titles.extend(task.map(|_| ("use", Align::Left)));
    let mut table = TextTable::new(&titles);
    let (first, rest) = reports.split_at(reports.len().min(SHOWN));
    let special = (SHOWN..).zip(rest).filter(|(_, report)| !is_plain_input(report)).take(SHOWN);
    let mut shown = 0;
    for (at, report) in first.iter().enumerate().chain(special) {
        let column = &frame.columns()[at];
        shown += 1;
        let found = [
            column.name.clone(),
            report.kind.name().into(),
            count(report.missing as u64),
            values(&column.values, report, reading.time_unit(&column.name)),
        ];
        table.row(found.into_iter().chain(task.map(|task| usage(report, task))));
    }
    write!(out, "{table}")?;
    if reports.len() > shown {
        let more = reports.len() - shown;
        writeln!(
            out,
            "  ... and {} (lmdi inspect --json lists all)",
            counted(more, "more column")
        )?;
    }
    Ok(())
}

/// What a column holds, in a few words.
fn values(values: &Values, report: &ColumnReport, time: Option<TimeUnit>) -> String {
    let text = |x| short_cell(x, time);
    match values {
        Values::Numbers(cells) => match range(cells) {
            Some((low, high)) if low == high => text(low),
            Some((low, high)) => format!("{} to {}", text(low), text(high)),
            None => "none".into(),
        },
        Values::Labels(labels) => match report.levels {
            Some(0) => "none".into(),
            Some(1) => labels.levels()[0].to_string(),
            Some(2) if report.kind == Kind::Boolean => {
                format!("{}, {}", labels.levels()[0], labels.levels()[1])
            }
            levels => counted(levels.unwrap_or(0), "level"),
        },
    }
}

/// Smallest and largest number that is not missing.
pub fn range(cells: &[f64]) -> Option<(f64, f64)> {
    let present = cells.iter().copied().filter(|x| !x.is_nan());
    present.fold(None, |range, x| match range {
        None => Some((x, x)),
        Some((low, high)) => Some((low.min(x), high.max(x))),
    })
}

fn usage(report: &ColumnReport, task: Task) -> String {
    match report.role {
        Role::Target => format!("target ({})", task.name()),
        Role::Weight => "weight".into(),
        Role::Dropped(reason) => format!("dropped: {}", reason_text(reason)),
        Role::Input => match report.pooled {
            Some((levels, cells)) => {
                format!("{} pooled ({})", counted(levels, "rare level"), counted(cells, "cell"))
            }
            None => "input".into(),
        },
    }
}

/// Why a column is not used.
pub fn reason_text(reason: Reason) -> &'static str {
    match reason {
        Reason::Requested => "requested",
        Reason::Kind(Kind::Identifier) => "identifier-like",
        Reason::Kind(_) => "constant",
    }
}

/// Prints which columns are not used and why, so that nothing disappears silently.
pub fn print_dropped(out: &mut dyn Write, reports: &[ColumnReport]) -> io::Result<()> {
    let dropped: Vec<String> = reports
        .iter()
        .filter_map(|report| match report.role {
            Role::Dropped(reason) => {
                Some(format!("{} ({})", shortened(&report.name), reason_text(reason)))
            }
            _ => None,
        })
        .collect();
    if dropped.is_empty() {
        return Ok(());
    }
    const NAMED: usize = 10;
    let named = dropped[..dropped.len().min(NAMED)].join(", ");
    let more = match dropped.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    writeln!(out, "\nNot used: {named}{more}. Keep one with --kind COL=KIND.")
}
