//! The table of scores that `explain` and `score` write.
//!
//! The result has one row per explained row and these columns:
//!
//! | column | content |
//! |---|---|
//! | `row` | which data row of the table it is, from 1 |
//! | kept columns | copied from the table unchanged |
//! | `prediction`, `probability:LABEL` | the model's prediction; training rows out of bag |
//! | `explained` | base plus scores |
//! | `unexplained` | the prediction of the scored trees minus that, on the scale of the scores |
//! | `out_of_bag` | for training rows: what changes when the trees that saw the row are left out |
//! | `explained_prediction`, `explained_probability:LABEL` | `explained` as a prediction, if it has another scale |
//! | `base` | the base that the scores are added to |
//! | `score:COL` | what the column adds |
//! | `error:COL` | standard error of that over the trees, if requested |
//! | `rank:COL` | rank of the column, if requested |
//!
//! With three or more classes there is one `base`, `explained`, `unexplained`, `score` and `error` per
//! class: `score:LABEL:COL`, where `:` and `\` in a label are written `\:` and `\\`, so that no two names
//! are equal.

use super::predictions;
use anyhow::{Context, Result};
use lmdi::explanation::top_features;
use lmdi::forest::Outcome;
use lmdi::study::Explained;
use lmdi::table::{Column, Labels, Values};
use lmdi_io::copies::CopiedColumn;
use lmdi_io::write::{OutputColumn, OutputTable};

/// The table of explained rows with copies of the kept columns; only the `top` largest scores of
/// each row if that is given.
pub fn score_table(
    outcome: &Outcome,
    explained: Explained,
    kept: Vec<CopiedColumn>,
    top: Option<u32>,
) -> Result<OutputTable> {
    let Explained {
        rows, grouping, scores, errors, ranks, predictions, account, threshold, ..
    } = explained;
    let names = grouping.names;
    let numbers = rows.places.iter().map(|&row| (row + 1) as f64).collect();
    let mut columns = predictions::columns(outcome, predictions, threshold);
    let outputs = output_prefixes(outcome, scores.n_outputs);
    let (p, k) = (scores.n_features, scores.n_outputs);
    let of_outputs = |name: &str, cells: &[f64]| -> Vec<Column> {
        let named = |(output, prefix): (usize, &String)| {
            let name = match prefix.strip_suffix(':') {
                Some(label) => format!("{name}:{label}"),
                None => name.to_owned(),
            };
            column(name, cells.iter().skip(output).step_by(k).copied().collect())
        };
        outputs.iter().enumerate().map(named).collect()
    };
    if let Some(account) = &account {
        columns.extend(of_outputs("explained", &account.explained));
        columns.extend(of_outputs("unexplained", &account.unexplained));
        if let Some(out_of_bag) = &account.out_of_bag {
            columns.extend(of_outputs("out_of_bag", out_of_bag));
        }
        if account.is_transformed && !account.is_exact {
            columns.extend(predictions::explained_columns(outcome, &account.as_predictions));
        }
    }
    columns.extend(of_outputs("base", &scores.base));
    let pick = |values: &[f64], at: &dyn Fn(usize) -> usize| -> Vec<f64> {
        (0..scores.n_rows).map(|row| values[row * p * k + at(row)]).collect()
    };
    let kinds = [("score", Some(&scores.values)), ("error", errors.as_ref())];
    match top {
        None => {
            for (kind, values) in kinds {
                let Some(values) = values else { continue };
                for (output, prefix) in outputs.iter().enumerate() {
                    for (at, name) in names.iter().enumerate() {
                        let cells = pick(values, &|_| at * k + output);
                        columns.push(column(format!("{kind}:{prefix}{name}"), cells));
                    }
                }
            }
        }
        Some(top) => {
            let top = (top as usize).min(p);
            let order: Vec<Vec<usize>> =
                (0..scores.n_rows).map(|row| top_features(&scores, row, top)).collect();
            for place in 0..top {
                let chosen = |row: usize| {
                    let known = scores.is_known(row);
                    known.then(|| names[order[row][place]].as_str())
                };
                let chosen: Labels = (0..scores.n_rows).map(chosen).collect();
                let name = format!("top:{}", place + 1);
                columns.push(Column { name, values: Values::Labels(chosen) });
                for (kind, values) in kinds {
                    let Some(values) = values else { continue };
                    for (output, prefix) in outputs.iter().enumerate() {
                        let cells = pick(values, &|row| order[row][place] * k + output);
                        let name = format!("{kind}:{prefix}top:{}", place + 1);
                        columns.push(column(name, cells));
                    }
                }
            }
            for (output, prefix) in outputs.iter().enumerate() {
                let rest = |row: usize| -> f64 {
                    let others = (0..p).filter(|at| !order[row].contains(at));
                    others.map(|at| scores.get(row, at, output)).sum()
                };
                let cells = (0..scores.n_rows).map(rest).collect();
                columns.push(column(format!("score:{prefix}rest"), cells));
            }
        }
    }
    if let Some(ranks) = ranks {
        for (at, name) in names.iter().enumerate() {
            let cells = ranks.iter().skip(at).step_by(p).copied().collect();
            columns.push(column(format!("rank:{name}"), cells));
        }
    }
    let first = OutputColumn::Computed(column("row".into(), numbers));
    let all = std::iter::once(first)
        .chain(kept.into_iter().map(OutputColumn::Copied))
        .chain(columns.into_iter().map(OutputColumn::Computed));
    OutputTable::new(all.collect()).context(SAME_NAME)
}

/// What to do about a copied column whose name the result has already.
pub const SAME_NAME: &str = "the result: leave out a --keep, or rename it";

fn column(name: String, cells: Vec<f64>) -> Column {
    Column { name, values: Values::Numbers(cells) }
}

/// What stands before a column's name for each output: nothing, or the label.
fn output_prefixes(outcome: &Outcome, n_outputs: usize) -> Vec<String> {
    match outcome {
        Outcome::Classes(labels) if n_outputs > 1 => labels
            .iter()
            .map(|label| format!("{}:", label.replace('\\', "\\\\").replace(':', "\\:")))
            .collect(),
        _ => vec![String::new()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_labels_and_columns_give_the_same_name() {
        let outcome = Outcome::Classes(["a:b", "a", "a\\"].map(String::from).to_vec());
        assert_eq!(output_prefixes(&outcome, 3), ["a\\:b:", "a:", "a\\\\:"]);
        assert_eq!(output_prefixes(&Outcome::Number, 1), [""]);
    }
}
