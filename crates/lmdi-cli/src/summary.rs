//! What `explain` tells a person: how the fits went, which columns matter, and one row worked out.

use crate::prediction::most_probable;
use crate::scoring::{Asked, Scored, Subject};
use crate::terminal::{Align, Decimals, TextTable, count, counted, short_number, shortened};
use lmdi::explanation::top_features;
use lmdi::forest::Outcome;
use lmdi::glm::Strength;
use lmdi::importance::LmdiPlus;
use lmdi::importance::lmdi_plus::{OutputScale, TreeFit};
use lmdi::table::Values;
use std::io::{self, Write};

/// Columns shown.
const SHOWN: usize = 15;
/// Length of the longest bar.
const BAR: usize = 30;

/// How the fits went; `tolerance` is what they were to reach, if that is known.
pub fn print_fits(
    out: &mut dyn Write,
    explainer: &LmdiPlus,
    tolerance: Option<f64>,
) -> io::Result<()> {
    let fits: Vec<&TreeFit> = explainer.trees().iter().flat_map(|tree| &tree.fits).collect();
    let failed = explainer.n_unconverged();
    if failed == 0 {
        writeln!(out, "All {} converged.", counted(fits.len(), "fit"))?;
    } else {
        let expected =
            tolerance.map_or(String::new(), |tolerance| format!(", expected {tolerance:e}"));
        let worst = fits.iter().map(|fit| fit.gap).fold(0.0, f64::max);
        writeln!(
            out,
            "WARNING: {} of {} did not converge: the worst is {} from its optimum{expected}. \
             Raise --max-iterations, or accept it with --tolerance.",
            count(failed as u64),
            counted(fits.len(), "fit"),
            short_number(worst)
        )?;
    }
    let mut alphas = Vec::new();
    let mut inverses = Vec::new();
    let mut ratios: Vec<(f64, usize)> = Vec::new();
    for chosen in fits.iter().filter_map(|fit| fit.chosen) {
        match chosen.strength {
            Strength::Alpha(alpha) => alphas.push(alpha),
            Strength::Inverse(c) => inverses.push(c),
        }
        match ratios.iter_mut().find(|(ratio, _)| *ratio == chosen.l1_ratio) {
            Some((_, n)) => *n += 1,
            None => ratios.push((chosen.l1_ratio, 1)),
        }
    }
    for (name, mut strengths) in [("alpha", alphas), ("C", inverses)] {
        strengths.sort_by(f64::total_cmp);
        if let (Some(low), Some(high)) = (strengths.first(), strengths.last()) {
            ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
            let list: Vec<String> = ratios
                .iter()
                .map(|(ratio, n)| format!("{ratio} ({} times)", count(*n as u64)))
                .collect();
            writeln!(
                out,
                "Penalty: median {name} {} ({} to {}); L1 ratio {}.",
                short_number(strengths[strengths.len() / 2]),
                short_number(*low),
                short_number(*high),
                list.join(", ")
            )?;
        }
    }
    Ok(())
}

/// What a reader of scores must know about fits that did not converge.
pub fn unconverged(explainer: &LmdiPlus) -> Option<String> {
    let failed = explainer.n_unconverged();
    let fits = explainer.trees().iter().map(|tree| tree.fits.len()).sum();
    (failed > 0).then(|| {
        format!(
            "{} of {} did not converge, so scores may be off. Raise --max-iterations.",
            count(failed as u64),
            counted(fits, "linear model")
        )
    })
}

/// The scale of the scores in plain words.
pub fn scale_text(subject: &Subject<'_>, n_outputs: usize) -> String {
    if let Some(what) = subject.explainer.adds_up_to() {
        return format!("in units of the {what}");
    }
    let target = subject.schema.target.as_ref();
    let name = target.map_or("the target".into(), |target| shortened(&target.name));
    let second = match &subject.ensemble.outcome {
        Outcome::Classes(labels) => shortened(labels.last().map_or("", String::as_str)),
        Outcome::Number => String::new(),
    };
    match (subject.explainer.scale(), n_outputs, &subject.ensemble.outcome) {
        (OutputScale::Identity, _, Outcome::Number) => format!("in units of {name}"),
        (OutputScale::Identity, 1, _) => {
            format!("as a share of the probability that {name} is {second}")
        }
        (OutputScale::Identity, ..) => "as a share of the probability of each class".into(),
        (OutputScale::LogOdds, 1, _) => format!("in log-odds that {name} is {second}"),
        (OutputScale::LogOdds, ..) => "in log-odds of each class against the rest".into(),
        (OutputScale::Softmax, ..) => "in log-odds of each class (softmax)".into(),
        (OutputScale::Log, ..) => format!("in the logarithm of {name}"),
    }
}

/// What base plus scores is.
pub fn total_text(subject: &Subject<'_>) -> &'static str {
    if let Some(what) = subject.explainer.adds_up_to() {
        return what;
    }
    match (subject.explainer.scale(), &subject.ensemble.outcome) {
        (OutputScale::Identity, Outcome::Number) => "prediction",
        (OutputScale::Identity, Outcome::Classes(_)) => "probability",
        (OutputScale::LogOdds | OutputScale::Softmax, _) => "log-odds",
        (OutputScale::Log, _) => "logarithm of the prediction",
    }
}

/// Mean |score| of every column, largest first.
pub fn print_importance(
    out: &mut dyn Write,
    subject: &Subject<'_>,
    scored: &Scored,
) -> io::Result<()> {
    let scores = &scored.scores;
    let known = |row: usize| !scores.base[row * scores.n_outputs].is_nan();
    let n_known = (0..scores.n_rows).filter(|&row| known(row)).count();
    let mut mean: Vec<(usize, f64)> = (0..scores.n_features).map(|at| (at, 0.0)).collect();
    for row in (0..scores.n_rows).filter(|&row| known(row)) {
        for (at, sum) in &mut mean {
            *sum +=
                (0..scores.n_outputs).map(|output| scores.get(row, *at, output).abs()).sum::<f64>();
        }
    }
    mean.iter_mut().for_each(|(_, sum)| *sum /= n_known.max(1) as f64);
    mean.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let classes = if scores.n_outputs > 1 { ", summed over classes" } else { "" };
    writeln!(
        out,
        "\nWhat matters: mean |score| over {}, {}{classes}\n",
        counted(n_known, "row"),
        scale_text(subject, scores.n_outputs)
    )?;
    let largest = mean.first().map_or(0.0, |(_, mean)| *mean);
    let decimals = Decimals::for_largest(largest);
    let mut table = TextTable::new(&[
        ("column", Align::Left),
        ("mean |score|", Align::Right),
        ("", Align::Left),
    ]);
    for &(at, mean) in mean.iter().take(SHOWN) {
        let length = if largest > 0.0 { (BAR as f64 * mean / largest).round() as usize } else { 0 };
        table.row([scored.names[at].clone(), decimals.text(mean), "#".repeat(length.min(BAR))]);
    }
    write!(out, "{table}")?;
    if mean.len() > SHOWN {
        writeln!(out, "  ... and {}", counted(mean.len() - SHOWN, "more column"))?;
    }
    Ok(())
}

/// The first row that has scores: base, contributions and prediction.
pub fn print_example(
    out: &mut dyn Write,
    subject: &Subject<'_>,
    asked: &Asked<'_>,
    scored: &Scored,
) -> io::Result<()> {
    let scores = &scored.scores;
    let k = scores.n_outputs;
    let Some(row) = (0..scores.n_rows).find(|&row| !scores.base[row * k].is_nan()) else {
        return writeln!(out, "\nNo row has a score: every chosen tree set is empty.");
    };
    let width = scored.predictions.len() / scores.n_rows.max(1);
    let predicted = &scored.predictions[row * width..(row + 1) * width];
    let table_row = asked.of_table[row];
    let labels: &[String] = match &subject.ensemble.outcome {
        Outcome::Classes(labels) => labels,
        Outcome::Number => &[],
    };
    // Two classes share one linear predictor, which is that of the second.
    let class =
        if k > 1 { most_probable(predicted).unwrap_or(0) } else { labels.len().saturating_sub(1) };
    let output = if k > 1 { class } else { 0 };
    let meaning = match labels.get(class) {
        Some(label) if k > 1 => format!(", scores of class {}", shortened(label)),
        _ => String::new(),
    };
    writeln!(out, "\nExample: row {} of {}{meaning}\n", count(table_row as u64 + 1), asked.table)?;
    let order = top_features(scores, row, scores.n_features);
    let total = scores.total(row, output);
    let largest = order.iter().map(|&at| scores.get(row, at, output).abs()).fold(0.0, f64::max);
    let decimals = Decimals::for_largest(largest.max(total.abs()));
    let mut table =
        TextTable::new(&[("", Align::Left), ("value", Align::Left), ("adds", Align::Right)]);
    table.row(["base".into(), String::new(), decimals.text(scores.base[row * k + output])]);
    const LISTED: usize = 8;
    let listed = if order.len() <= LISTED + 1 { order.len() } else { LISTED };
    for &at in &order[..listed] {
        let cell = asked.frame.column(&scored.names[at]);
        let cell = cell.map_or(String::new(), |column| cell_text(&column.values, table_row));
        table.row([scored.names[at].clone(), cell, decimals.signed(scores.get(row, at, output))]);
    }
    if order.len() > listed {
        let rest: f64 = order[listed..].iter().map(|&at| scores.get(row, at, output)).sum();
        let name = counted(order.len() - listed, "other column");
        table.row([name, String::new(), decimals.signed(rest)]);
    }
    table.row([format!("= {}", total_text(subject)), String::new(), decimals.text(total)]);
    write!(out, "{table}")?;
    match labels.get(class) {
        _ if subject.explainer.adds_up_to().is_some() => Ok(()),
        Some(label) => writeln!(
            out,
            "\nThat is a probability of {} for {}.",
            probability(predicted[class]),
            shortened(label)
        ),
        None if subject.explainer.scale() == OutputScale::Log => {
            writeln!(out, "\nThat is a prediction of {}.", short_number(predicted[0]))
        }
        None => Ok(()),
    }
}

fn cell_text(values: &Values, row: usize) -> String {
    match values {
        Values::Numbers(cells) if !cells[row].is_nan() => short_number(cells[row]),
        _ => values.text(row).unwrap_or_else(|| "missing".into()),
    }
}

/// A probability, never rounded to a certainty.
fn probability(p: f64) -> String {
    if p < 1.0 && p > 0.9999 {
        "over 0.9999".into()
    } else if p > 0.0 && p < 0.0001 {
        "under 0.0001".into()
    } else {
        format!("{p:.4}")
    }
}
