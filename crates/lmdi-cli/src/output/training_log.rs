//! The messages of training: what was read, which columns give the target away, and how good the
//! model is.

use super::column_list;
use super::quality;
use super::terminal::shortened;
use crate::input::tables::format_name;
use lmdi::study::{Assessment, Rows, Suspect, Trained, TrainingData, TrainingJob};
use lmdi::table::{Reading, Target};
use lmdi::text::{count, counted};
use lmdi_io::printable::printable;
use lmdi_io::read::Format;
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

/// The table as it was read, its columns, and what is not used of it.
pub fn print_data(
    out: &mut dyn Write,
    data: &TrainingData,
    reading: &Reading,
    format: Format,
    took: Duration,
) -> io::Result<()> {
    let table = &data.rows.table;
    writeln!(
        out,
        "{}: {}, {} ({}), {:.2} s\n",
        table.name,
        counted(table.frame.rows(), "row"),
        counted(table.frame.columns().len(), "column"),
        format_name(format),
        took.as_secs_f64()
    )?;
    let without = data.n_without_target();
    let used = match without {
        0 => Cow::Borrowed(&table.frame),
        _ => Cow::Owned(table.frame.take_rows(&data.rows.places)),
    };
    column_list::print(out, &used, reading, &data.reports, Some(data.target.task))?;
    column_list::print_dropped(out, &data.reports)?;
    if without > 0 {
        let missing = counted(without, "row");
        writeln!(out, "\nLeft out {missing} without a value of {}.", printable(&data.target.name))?;
    }
    Ok(())
}

/// The rows that an explainer is fitted to, and how many have no target.
pub fn print_rows(out: &mut dyn Write, rows: &Rows, target: &Target) -> io::Result<()> {
    let all = rows.table.frame.rows();
    writeln!(out, "{}: {}", rows.table.name, counted(all, "row"))?;
    if all > rows.len() {
        let missing = counted(all - rows.len(), "row");
        writeln!(out, "Left out {missing} without a value of {}.", printable(&target.name))?;
    }
    Ok(())
}

/// A warning for every column that gives the target away.
pub fn print_suspects(out: &mut dyn Write, job: &TrainingJob) -> io::Result<()> {
    let target = shortened(&job.target.name);
    for Suspect { column, strength } in job.suspects() {
        let name = shortened(column);
        writeln!(
            out,
            "\nWARNING: column {name} gives {target} away (correlation {strength:.4}). If it is known only \
             once {target} is,\nthe model will be useless on new rows: leave it out with --drop."
        )?;
    }
    Ok(())
}

/// The model and its quality.
pub fn print_trained(
    out: &mut dyn Write,
    job: &TrainingJob,
    trained: &Trained,
    took: Duration,
) -> io::Result<()> {
    let (title, trees) = (job.params.title(), &trained.model.ensemble.trees);
    writeln!(
        out,
        "\n{title}: {} with {} leaves on {} and {}, {:.2} s",
        counted(trees.len(), "tree"),
        count(trees.iter().map(|tree| tree.n_leaves()).sum::<usize>()),
        counted(job.train.len(), "row"),
        counted(job.train.x.cols(), "encoded column"),
        took.as_secs_f64()
    )?;
    if trained.assessments.is_empty() {
        return writeln!(
            out,
            "Quality was not measured: {title} has no out-of-bag rows; add --holdout 0.2."
        );
    }
    write!(out, "\n{}", quality::table(&trained.assessments))?;
    // The hold-out comes last and has the last word.
    if let Some(other) = trained.assessments.last().and_then(Assessment::matched_by) {
        writeln!(
            out,
            "\nWARNING: on rows it has not seen, the model predicts {} no better than {other} does.\nIts \
             explanations say nothing about reality.",
            shortened(&job.target.name)
        )?;
    }
    Ok(())
}
