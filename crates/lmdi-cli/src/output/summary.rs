//! The summary of `explain`: how the fits went, which columns matter, and one row in detail.

use super::printer::Printer;
use super::terminal::{Align, Decimals, TextTable, shortened};
use lmdi::explanation::{PredictedBy, top_features};
use lmdi::glm::Strength;
use lmdi::importance::OutputScale;
use lmdi::importance::lmdi_plus::TreeFit;
use lmdi::named::Named;
use lmdi::study::{Explained, FidelityOn, Fitting, Study, TreeChoice, UnknownBags, fit_warning};
use lmdi::table::{TimeUnit, Values};
use lmdi::text::{count, counted, short_cell, short_number};
use lmdi_io::printable::printable;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Columns shown.
const SHOWN: usize = 15;
/// Length of the longest bar.
const BAR: usize = 30;

/// How the explainer was fitted. `model` names the model's file, where it is not trained here.
pub fn print_fitting(
    out: &mut dyn Write,
    study: &Study,
    table: &str,
    model: Option<&str>,
    seconds: f64,
) -> io::Result<()> {
    let method = study.method().name();
    let options = match study.fitting() {
        Fitting::None => return writeln!(out, "\n{method}: nothing is fitted."),
        Fitting::Neighbours(n) => {
            let rows = counted(*n, "row");
            return writeln!(out, "\n{method}: neighbours follow the distribution of {rows}.");
        }
        Fitting::AroundRows(n) => {
            let rows = counted(*n, "row");
            return writeln!(
                out,
                "\n{method}: linear models are fitted to {rows}, around each row."
            );
        }
        Fitting::Kept(_) => return print_fits(out, study, None),
        Fitting::LinearModels { options, n_rows, unknown_bags, .. } => {
            let n_fits = study
                .explainer()
                .linear_models()
                .map_or(0, |models| models.trees().iter().map(|tree| tree.fits.len()).sum());
            let rows = counted(*n_rows, "row");
            writeln!(
                out,
                "\nLMDI+: {} on {rows}, {seconds:.2} s",
                counted(n_fits, "linear model")
            )?;
            for line in [study.fitting().linear_models(), study.fitting().inputs()] {
                writeln!(out, "  {}", line.unwrap_or_default())?;
            }
            if let (Some(why), Some(model)) = (unknown_bags, model) {
                writeln!(out, "{}", unknown_bags_text(*why, table, model))?;
            }
            options
        }
    };
    print_fits(out, study, Some(options.tolerance))
}

fn unknown_bags_text(why: UnknownBags, table: &str, model: &str) -> String {
    match why {
        UnknownBags::Unsaid => format!(
            "{model} does not say which table it was trained on: all rows count alike. If {table} \
             holds its training rows in their order, add --validation oob."
        ),
        UnknownBags::OtherRows => format!(
            "{table} is not the table that {model} was trained on, so which rows each tree saw is \
             not known here: all rows count alike (--fit-on uniform --validation folds)."
        ),
    }
}

/// How the fits went; `tolerance` is what they were to reach, if that is known.
fn print_fits(out: &mut dyn Write, study: &Study, tolerance: Option<f64>) -> io::Result<()> {
    let Some(models) = study.explainer().linear_models() else { return Ok(()) };
    let fits: Vec<&TreeFit> = models.trees().iter().flat_map(|tree| &tree.fits).collect();
    let failed = models.n_unconverged();
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
            count(failed),
            counted(fits.len(), "fit"),
            short_number(worst)
        )?;
    }
    if let Some(warning) = fit_warning(study) {
        writeln!(out, "WARNING: {warning}")?;
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
                .map(|(ratio, n)| format!("{ratio} ({})", counted(*n, "time")))
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

/// What base plus scores is, how rows were predicted, and how much of that is explained.
pub fn print_account(out: &mut dyn Write, study: &Study, explained: &Explained) -> io::Result<()> {
    if let PredictedBy::OutOfBag { seen_by_all, .. } = explained.predicted_by {
        let same = explained.trees == TreeChoice::OutOfBag;
        let trees = if same { "the same trees" } else { "the trees that did not see them" };
        write!(out, "They are predicted out of bag, by {trees}")?;
        match seen_by_all {
            0 => writeln!(out, ".")?,
            n => writeln!(out, "; every tree saw {}, predicted by all.", counted(n, "row"))?,
        }
    }
    let total = study.meaning().total();
    match (explained.largest_residual(), &explained.fidelity) {
        (Some(residual), _) => {
            let what = match explained.predicted_by {
                PredictedBy::AllTrees => total.to_owned(),
                PredictedBy::OutOfBag { .. } => format!("{total} by all trees"),
            };
            writeln!(out, "Base plus scores is the {what} to within {}.", short_number(residual))
        }
        (None, Some(fidelity)) => {
            writeln!(out, "{}", fidelity.sentence(study.method().title()))?;
            match fidelity.warning(study) {
                Some(warning) => writeln!(out, "WARNING: {warning}"),
                None => Ok(()),
            }
        }
        (None, None) => match &explained.account {
            // One row, or rows that are all predicted alike, have no variation to explain.
            Some(account) => {
                let sizes = account.unexplained.iter().map(|left| left.abs());
                let largest = short_number(sizes.fold(0.0, f64::max));
                writeln!(out, "Base plus scores leaves up to {largest} of the {total} unexplained.")
            }
            None => writeln!(out, "Base plus scores is the {total}."),
        },
    }
}

/// How much of the model's predictions is explained, and how many fits there are, as facts. No
/// fidelity is null: base plus scores is then the prediction, or predictions do not vary.
pub fn add_facts(out: &mut Printer, study: &Study, fidelity: Option<&FidelityOn>) {
    let of_fidelity = |fidelity: &FidelityOn| {
        json!({
            "share": fidelity.of.share,
            "slope": fidelity.of.slope,
            "same_class": fidelity.of.same_class,
            "rows": fidelity.of.n_rows,
            "sample": fidelity.rows(),
            "is_low": fidelity.of.is_low() && fidelity.is_fair(),
        })
    };
    out.fact("fidelity", fidelity.map(of_fidelity));
    if let Some(models) = study.explainer().linear_models() {
        let n_fits: usize = models.trees().iter().map(|tree| tree.fits.len()).sum();
        out.fact("fits", json!({"count": n_fits, "not_converged": models.n_unconverged()}));
    }
}

/// Mean |score| of every column over rows that came at once or in batches.
#[derive(Default)]
pub struct Importance {
    names: Vec<String>,
    sums: Vec<f64>,
    n_rows: usize,
    n_outputs: usize,
}

impl Importance {
    /// Adds explained rows.
    pub fn add(&mut self, explained: &Explained) {
        let scores = &explained.scores;
        self.names.clone_from(&explained.grouping.names);
        self.n_outputs = scores.n_outputs;
        self.sums.resize(self.names.len(), 0.0);
        let n_known = scores.known_rows().count();
        for (sum, mean) in self.sums.iter_mut().zip(scores.mean_sizes(scores.known_rows())) {
            *sum += mean * n_known as f64;
        }
        self.n_rows += n_known;
    }

    /// Mean |score| of every column.
    pub fn means(&self) -> impl Iterator<Item = (&str, f64)> {
        let mean = |sum: &f64| if self.n_rows == 0 { 0.0 } else { sum / self.n_rows as f64 };
        self.names.iter().map(String::as_str).zip(self.sums.iter().map(mean))
    }

    /// As facts, in the order of the columns.
    pub fn facts(&self) -> Vec<Value> {
        self.means().map(|(name, mean)| json!({"column": name, "mean_size": mean})).collect()
    }

    /// Prints the columns, largest first.
    pub fn print(&self, out: &mut dyn Write, study: &Study) -> io::Result<()> {
        let mut means: Vec<(&str, f64)> = self.means().collect();
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        let classes = if self.n_outputs > 1 { ", summed over classes" } else { "" };
        writeln!(
            out,
            "\nWhat matters: mean |score| over {}, {}{classes}\n",
            counted(self.n_rows, "row"),
            printable(&study.meaning().scale(self.n_outputs))
        )?;
        let largest = means.first().map_or(0.0, |(_, mean)| *mean);
        let decimals = Decimals::for_largest(largest);
        let mut table = TextTable::new(&[
            ("column", Align::Left),
            ("mean |score|", Align::Right),
            ("", Align::Left),
        ]);
        for &(name, mean) in means.iter().take(SHOWN) {
            let length =
                if largest > 0.0 { (BAR as f64 * mean / largest).round() as usize } else { 0 };
            table.row([name.to_owned(), decimals.text(mean), "#".repeat(length.min(BAR))]);
        }
        write!(out, "{table}")?;
        if means.len() > SHOWN {
            writeln!(out, "  ... and {}", counted(means.len() - SHOWN, "more column"))?;
        }
        Ok(())
    }
}

/// The first row that has scores: base, contributions, the unexplained part, and prediction.
pub fn print_example(out: &mut dyn Write, study: &Study, explained: &Explained) -> io::Result<()> {
    let (scores, rows) = (&explained.scores, &explained.rows);
    let k = scores.n_outputs;
    let Some(row) = scores.known_rows().next() else {
        return writeln!(out, "\nNo row has a score: every chosen tree set is empty.");
    };
    let predicted = explained.prediction(row);
    let table_row = rows.places[row];
    let labels = study.labels();
    // Two classes share one linear predictor, which is that of the second.
    let class =
        if k > 1 { explained.class(row).unwrap_or(0) } else { labels.len().saturating_sub(1) };
    let output = if k > 1 { class } else { 0 };
    let meaning = match labels.get(class) {
        Some(label) if k > 1 => format!(", scores of class {}", shortened(label)),
        _ => String::new(),
    };
    writeln!(out, "\nExample: row {} of {}{meaning}\n", count(table_row + 1), rows.table.name)?;
    let order = top_features(scores, row, scores.n_features);
    let (sum, at) = (scores.total(row, output), row * k + output);
    let account = explained.account.as_ref();
    let total = account.map_or(sum, |account| account.prediction(row, output, k));
    let largest = order.iter().map(|&at| scores.get(row, at, output).abs()).fold(0.0, f64::max);
    let decimals = Decimals::for_largest(largest.max(sum.abs()).max(total.abs()));
    let mut table =
        TextTable::new(&[("", Align::Left), ("value", Align::Left), ("adds", Align::Right)]);
    table.row(["base".into(), String::new(), decimals.text(scores.base[row * k + output])]);
    const LISTED: usize = 8;
    let listed = if order.len() <= LISTED + 1 { order.len() } else { LISTED };
    for &at in &order[..listed] {
        let name = &explained.grouping.names[at];
        let time = study.schema.reading.time_unit(name);
        let cell =
            rows.column(name).map_or(String::new(), |cells| cell_text(cells, table_row, time));
        table.row([name.clone(), cell, decimals.signed(scores.get(row, at, output))]);
    }
    if order.len() > listed {
        let rest: f64 = order[listed..].iter().map(|&at| scores.get(row, at, output)).sum();
        let name = counted(order.len() - listed, "other column");
        table.row([name, String::new(), decimals.signed(rest)]);
    }
    let left = account.filter(|account| !account.is_exact).map(|account| account.unexplained[at]);
    let left_out = account.and_then(|account| account.out_of_bag.as_ref()).map(|cells| cells[at]);
    for (name, part) in [("not explained", left), ("trees that saw the row left out", left_out)] {
        if let Some(part) = part {
            table.row([name.into(), String::new(), decimals.signed(part)]);
        }
    }
    table.row([format!("= {}", study.meaning().total()), String::new(), decimals.text(total)]);
    write!(out, "{table}")?;
    let moved = printable(&study.meaning().moved(output, k)).into_owned();
    writeln!(out, "\nA score above 0 raises {moved}; one below 0 does the opposite.")?;
    match labels.get(class) {
        _ if account.is_none() => Ok(()),
        Some(label) => writeln!(
            out,
            "\nThe model gives {} a probability of {}{}{}.",
            shortened(label),
            probability(predicted[class]),
            bound_text(study, predicted[class]),
            explained.threshold.map_or(String::new(), |threshold| {
                let decided = explained.class(row).and_then(|class| labels.get(class));
                let decided = decided.map_or(String::new(), |label| shortened(label));
                format!(" and predicts {decided} (the threshold is {threshold})")
            })
        ),
        None if study.explainer().scale() == OutputScale::Log => {
            writeln!(out, "\nThe model predicts {}.", short_number(predicted[0]))
        }
        None => Ok(()),
    }
}

/// Why log-odds are finite where a forest is certain.
fn bound_text(study: &Study, share: f64) -> &'static str {
    let is_certain = share == 0.0 || share == 1.0;
    match study.explainer().scale() {
        OutputScale::LogOdds | OutputScale::Softmax if is_certain => {
            "; its log-odds are those of a share half a vote away"
        }
        _ => "",
    }
}

fn cell_text(values: &Values, row: usize, time: Option<TimeUnit>) -> String {
    match values {
        Values::Numbers(cells) if !cells[row].is_nan() => short_cell(cells[row], time),
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
