//! From explained rows to what the page is given.

use super::contract::{
    About, Additivity, Cells, Feature, Groups, MapColumns, MethodResult, Report, Rows, Scale,
    Stability, VERSION,
};
use super::pack::Packed;
use lmdi::importance::Scores;
use lmdi::random::{generator, subset};
use lmdi::table::{Response, Values};

/// Scores in a page at most: with their cells and standard errors, these many take 5 to 8 MB.
const SCORES: usize = 300_000;
/// Different texts of a column at most; others are called [`OTHER`].
const LEVELS: usize = 1000;
/// Letters of a text at most.
const LETTERS: usize = 1000;
const OTHER: &str = "(other)";

/// The rows of the page: all, or as many as leave it small, drawn by the seed, in rising order.
///
/// ```
/// use lmdi_report::page::sample_rows;
/// assert_eq!(sample_rows(3, 10, 0), [0, 1, 2]);
/// assert_eq!(sample_rows(100_000, 50, 0).len(), 6000);
/// ```
pub fn sample_rows(n_rows: usize, scores_per_row: usize, seed: u64) -> Vec<usize> {
    let most = (SCORES / scores_per_row.max(1)).max(1);
    if n_rows <= most {
        return (0..n_rows).collect();
    }
    // Trees draw from generators counted from zero, a hold-out from the last one.
    let drawn = subset(&mut generator(seed, u64::MAX - 1), n_rows, most);
    drawn.into_iter().map(|row| row as usize).collect()
}

/// What a feature is in the table.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// The name of the feature.
    pub name: &'a str,
    /// The columns of a group; empty for a column.
    pub members: Vec<String>,
    /// The cells of the whole table.
    pub cells: Option<&'a Values>,
}

/// Explained rows and what is known about them.
#[derive(Debug, Clone)]
pub struct Contents<'a> {
    /// What was explained.
    pub about: About,
    /// What scores mean.
    pub scale: Scale,
    /// Names of the classes; empty if a number is predicted.
    pub labels: &'a [String],
    /// What each feature is.
    pub columns: Vec<Column<'a>>,
    /// The explained rows that the page is to hold, in rising order.
    pub rows: &'a [usize],
    /// The place of every explained row in the table.
    pub of_table: &'a [usize],
    /// Scores of every explained row.
    pub scores: &'a Scores,
    /// Standard errors of `rows` alone, laid out like scores.
    pub errors: Option<&'a [f64]>,
    /// Per explained row a number, or the probability of every class: what the scores add up to.
    pub predictions: &'a [f64],
    /// The same by the model itself, where that differs.
    pub model_predictions: Option<&'a [f64]>,
    /// What really happened.
    pub truth: Option<Response<'a>>,
    /// Per explained row how far base plus scores is from what it is to add up to.
    pub residuals: Option<Vec<f64>>,
    /// Names and cells of the columns of latitudes and longitudes.
    pub map: Option<[(&'a str, &'a [f64]); 2]>,
    /// Groups of `rows`, with the group of each, from 0; NaN is none.
    pub groups: Option<(Groups, Vec<f64>)>,
    /// Stability of `rows`, with the mean rank correlation of each.
    pub stability: Option<(Stability, Vec<f64>)>,
    /// Several methods side by side.
    pub methods: Vec<MethodResult>,
}

impl Contents<'_> {
    /// The report with those of its rows at these places.
    pub(super) fn report(&self, kept: &[usize]) -> Report {
        let chosen: Vec<usize> = kept.iter().map(|&at| self.rows[at]).collect();
        let cells: Vec<usize> = chosen.iter().map(|&row| self.of_table[row]).collect();
        let scores = self.scores;
        let (p, k) = (scores.n_features, scores.n_outputs);
        let outputs = if k > 1 { self.labels.to_vec() } else { vec![String::new()] };
        let importance: Vec<Vec<f64>> = (0..k).map(|output| mean_sizes(scores, output)).collect();
        let feature = |(at, column): (usize, &Column<'_>)| Feature {
            name: column.name.to_owned(),
            members: column.members.clone(),
            importance: importance.iter().map(|sizes| sizes[at]).collect(),
            cells: column.cells.map(|values| pack_cells(values, &cells)),
        };
        let width = self.predictions.len() / scores.n_rows.max(1);
        let rows = Rows {
            n: chosen.len(),
            number: Packed::numbers(&cells.iter().map(|&row| (row + 1) as f64).collect::<Vec<_>>()),
            base: by_part(&scores.base, k, &chosen),
            scores: by_part(&scores.values, p * k, &chosen),
            // Two digits are shown.
            errors: self.errors.map(|errors| Packed::rounded(&transposed(errors, p * k, kept))),
            predictions: by_part(self.predictions, width, &chosen),
            model_predictions: self
                .model_predictions
                .map(|predictions| Packed::rounded(&transposed(predictions, width, &chosen))),
            truth: self.truth.map(|truth| pack_truth(truth, &chosen)),
        };
        Report {
            format: "lmdi-report",
            version: VERSION,
            about: About { rows_explained: scores.n_rows, ..self.about.clone() },
            scale: self.scale.clone(),
            labels: self.labels.to_vec(),
            outputs,
            additivity: self.residuals.as_deref().and_then(additivity),
            features: self.columns.iter().enumerate().map(feature).collect(),
            rows,
            map: self.map.map(|[latitude, longitude]| MapColumns {
                latitude: latitude.0.to_owned(),
                longitude: longitude.0.to_owned(),
                latitudes: pack_taken(latitude.1, &cells),
                longitudes: pack_taken(longitude.1, &cells),
            }),
            groups: self.groups.as_ref().map(|(groups, of_rows)| Groups {
                of_rows: pack_taken(of_rows, kept),
                ..groups.clone()
            }),
            stability: self.stability.as_ref().map(|(stability, of_rows)| Stability {
                of_rows: Packed::rounded(&transposed(of_rows, 1, kept)),
                ..stability.clone()
            }),
            methods: self.methods.clone(),
        }
    }
}

/// Mean |score| of every feature over the rows that have scores.
fn mean_sizes(scores: &Scores, output: usize) -> Vec<f64> {
    let mut sums = vec![0.0; scores.n_features];
    let mut known = 0_usize;
    for row in 0..scores.n_rows {
        if scores.base[row * scores.n_outputs].is_nan() {
            continue;
        }
        known += 1;
        for (feature, sum) in sums.iter_mut().enumerate() {
            *sum += scores.get(row, feature, output).abs();
        }
    }
    sums.iter_mut().for_each(|sum| *sum /= known.max(1) as f64);
    sums
}

/// Those of the chosen rows, of which each has `width` numbers: all first numbers, then all second ones.
fn transposed(numbers: &[f64], width: usize, chosen: &[usize]) -> Vec<f64> {
    (0..width).flat_map(|at| chosen.iter().map(move |&row| numbers[row * width + at])).collect()
}

fn by_part(numbers: &[f64], width: usize, chosen: &[usize]) -> Packed {
    Packed::numbers(&transposed(numbers, width, chosen))
}

fn pack_taken(cells: &[f64], rows: &[usize]) -> Packed {
    Packed::numbers(&rows.iter().map(|&row| cells[row]).collect::<Vec<_>>())
}

fn pack_truth(truth: Response<'_>, chosen: &[usize]) -> Packed {
    match truth {
        Response::Numeric(values) => pack_taken(values, chosen),
        Response::Classes { codes, .. } => {
            let codes: Vec<f64> = chosen.iter().map(|&row| f64::from(codes[row])).collect();
            Packed::numbers(&codes)
        }
    }
}

/// Cells of these rows. Of very many different texts the most frequent keep their names.
fn pack_cells(values: &Values, rows: &[usize]) -> Cells {
    let labels = match values {
        Values::Numbers(cells) => return Cells::Number { data: pack_taken(cells, rows) },
        Values::Labels(labels) => labels.take(rows),
    };
    let counts = labels.counts();
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(a.cmp(&b)));
    let named = if order.len() > LEVELS { LEVELS - 1 } else { order.len() };
    let mut levels: Vec<String> =
        order[..named].iter().map(|&at| shortened(&labels.levels()[at])).collect();
    if named < order.len() {
        levels.push(OTHER.to_owned());
    }
    let mut code_of = vec![named + 1; order.len()];
    order[..named].iter().enumerate().for_each(|(place, &level)| code_of[level] = place + 1);
    let code = |&at: &u32| code_of.get(at as usize).map_or(0.0, |&code| code as f64);
    Cells::Levels {
        levels,
        data: Packed::numbers(&labels.codes().iter().map(code).collect::<Vec<_>>()),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn additivity(residuals: &[f64]) -> Option<Additivity> {
    let mut sorted: Vec<f64> = residuals.iter().copied().filter(|off| !off.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = |share: f64| sorted[(last as f64 * share).ceil() as usize];
    Some(Additivity { median: at(0.5), high: at(0.99), largest: sorted[last] })
}
