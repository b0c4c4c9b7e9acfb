//! Everything that a page shows, and its conversion to the contract.

use super::cells::CellBlocks;
use super::contract::{
    About, Additivity, Feature, Groups, Key, MapColumns, MethodResult, OtherModel, Report, Rows,
    Scale, ScaleKind, Scorer, ServedScorer, Stability, TimeUnit, VERSION,
};
use super::pack::Packed;
use super::scorer::WhatIf;
use super::{PageOptions, facts, groups, methods, other_model, scorer, stability};
use crate::Result;
use lmdi::forest::Outcome;
use lmdi::importance::OutputScale;
use lmdi::monitor::Stages;
use lmdi::random::{generator, subset};
use lmdi::study::{Explained, Study};
use lmdi::table::{CellFormat, Response, Schema, TimeUnit as Counted, Values};

/// Scores in a page at most: with their cells and standard errors, these many take 5 to 8 MB.
const SCORES: usize = 300_000;

/// The rows of the page: all, or as many as leave it small, drawn by the seed, in ascending order.
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

/// Explained rows, and what a page shows about them.
pub(super) struct Gathered<'a> {
    /// All explained rows.
    pub explained: &'a Explained,
    /// How cells were read, and what the model makes of them.
    pub schema: &'a Schema,
    /// Names of the classes; empty if a number is predicted.
    pub labels: &'a [String],
    /// The rows that the page is to hold, in ascending order.
    pub chosen: Vec<usize>,
    /// What was explained.
    pub about: About,
    /// What scores mean.
    pub scale: Scale,
    /// Standard errors of the chosen rows, laid out like scores.
    pub errors: Option<Vec<f64>>,
    /// Groups of the chosen rows, with the group of each, from 0; NaN is none.
    pub groups: Option<(Groups, Vec<f64>)>,
    /// Stability of the chosen rows, with the mean rank correlation of each.
    pub stability: Option<(Stability, Vec<f64>)>,
    /// Several methods on the chosen rows.
    pub methods: Vec<MethodResult>,
    /// Another model, with its predictions of all explained rows.
    pub other_model: Option<(OtherModel, Vec<f64>)>,
    /// The model, if the page is to hold it.
    pub scorer: Option<Scorer>,
    /// What stands for the model in a page that does not hold it.
    pub served_scorer: Option<ServedScorer>,
}

impl<'a> Gathered<'a> {
    pub fn new(
        study: &'a Study,
        explained: &'a Explained,
        options: &PageOptions<'_>,
        stages: &dyn Stages,
    ) -> Result<Self> {
        let scores = &explained.scores;
        let seed = study.model.metadata.seed.unwrap_or(0);
        let chosen = sample_rows(scores.n_rows, scores.n_features * scores.n_outputs, seed);
        let sample = explained.take(&chosen);
        let stability = stability::stability(study, &sample, seed, options.refits, stages)?;
        let wants_scorer = options.what_if != WhatIf::Never;
        let scorer = wants_scorer.then(|| scorer::scorer(study, explained)).flatten();
        Ok(Self {
            explained,
            schema: &study.schema,
            labels: study.labels(),
            about: facts::about(study, explained, options, stability.is_some()),
            scale: scale(study, scores.n_outputs),
            errors: study.standard_errors(explained, &chosen, stages)?,
            groups: groups::groups(study, &sample, stages)?,
            stability,
            methods: methods::methods(study, &sample, options.compare, stages)?,
            other_model: (options.compare_model.as_ref())
                .map(|other| other_model::other_model((study, explained), other))
                .transpose()?,
            chosen,
            served_scorer: match &scorer {
                None => scorer::served(study, explained, false),
                Some(_) => None,
            },
            scorer,
        })
    }

    /// The report with those of its rows at these places.
    pub fn report(&self, kept: &[usize]) -> Report {
        let Explained { rows, scores, grouping, .. } = self.explained;
        let chosen: Vec<usize> = kept.iter().map(|&at| self.chosen[at]).collect();
        let cells: Vec<usize> = chosen.iter().map(|&row| rows.places[row]).collect();
        let (p, k) = (scores.n_features, scores.n_outputs);
        let outputs = if k > 1 { self.labels.to_vec() } else { vec![String::new()] };
        let importance: Vec<Vec<f64>> = (0..k).map(|output| scores.mean_absolute(output)).collect();
        let mut blocks = CellBlocks::default();
        let mut feature = |at: usize| {
            let is_column = grouping.is_column(at);
            let name = &grouping.names[at];
            let column = rows.column(name).filter(|_| is_column);
            Feature {
                name: name.clone(),
                members: if is_column { vec![] } else { grouping.members[at].clone() },
                importance: importance.iter().map(|sizes| sizes[at]).collect(),
                cells: column.map(|values| blocks.add(name, values, &cells, self.schema)),
                time: self.schema.reading.format_of(name).and_then(|of| time_unit(of.format)),
            }
        };
        let features = (0..p).map(&mut feature).collect();
        let width = self.explained.prediction_width();
        let account = self.explained.account.as_ref();
        let number: Vec<f64> = cells.iter().map(|&row| (row + 1) as f64).collect();
        let page_rows = Rows {
            n: chosen.len(),
            number: Packed::numbers(&number),
            key: rows.key.as_ref().map(|key| Key {
                name: key.name.clone(),
                texts: chosen.iter().map(|&row| key.texts[row].clone()).collect(),
            }),
            cells: blocks.packed(),
            base: by_part(&scores.base, k, &chosen),
            scores: by_part(&scores.values, p * k, &chosen),
            // Two digits are shown.
            errors: self
                .errors
                .as_ref()
                .map(|errors| Packed::rounded(&transposed(errors, p * k, kept))),
            predictions: by_part(&self.explained.predictions, width, &chosen),
            explained_predictions: account
                .filter(|account| account.is_transformed && !account.is_exact)
                .map(|account| by_part(&account.as_predictions, width, &chosen)),
            unexplained: account.map(|account| by_part(&account.unexplained, k, &chosen)),
            out_of_bag: account
                .and_then(|account| account.out_of_bag.as_ref())
                .map(|cells| by_part(cells, k, &chosen)),
            truth: rows.response().map(|truth| pack_truth(truth, &chosen)),
        };
        Report {
            format: "lmdi-report",
            version: VERSION,
            about: self.about.clone(),
            scale: self.scale.clone(),
            labels: self.labels.to_vec(),
            outputs,
            threshold: self.explained.threshold,
            middle: if self.labels.is_empty() { self.explained.median_prediction() } else { None },
            additivity: account.filter(|account| account.is_exact).and_then(|account| {
                let sizes = account.unexplained.iter().map(|off| off.abs());
                additivity(sizes.collect())
            }),
            features,
            rows: page_rows,
            map: map_columns(&self.explained.rows, &cells),
            groups: self.groups.as_ref().map(|(groups, of_rows)| Groups {
                of_rows: pack_taken(of_rows, kept),
                ..groups.clone()
            }),
            stability: self.stability.as_ref().map(|(stability, of_rows)| Stability {
                of_rows: Packed::rounded(&transposed(of_rows, 1, kept)),
                ..stability.clone()
            }),
            methods: self.methods.clone(),
            other_model: self.other_model.as_ref().map(|(model, predictions)| OtherModel {
                predictions: by_part(predictions, width, &chosen),
                ..model.clone()
            }),
            scorer: self.scorer.clone(),
            served_scorer: self.served_scorer.clone(),
        }
    }
}

/// What scores mean.
fn scale(study: &Study, n_outputs: usize) -> Scale {
    let (explainer, meaning) = (study.explainer(), study.meaning());
    let kind = match (explainer.explains_predictions(), explainer.scale()) {
        (false, _) => ScaleKind::Other,
        (true, OutputScale::Identity) => match &study.model.ensemble.outcome {
            Outcome::Number => ScaleKind::Units,
            Outcome::Classes(_) => ScaleKind::Probability,
        },
        (true, OutputScale::LogOdds | OutputScale::Softmax) => ScaleKind::LogOdds,
        (true, OutputScale::Log) => ScaleKind::Log,
    };
    Scale {
        kind,
        text: meaning.scale(n_outputs),
        total: meaning.total().to_owned(),
        moved: (0..n_outputs).map(|output| meaning.moved(output, n_outputs)).collect(),
    }
}

/// The columns of latitudes and longitudes, known by their names.
fn map_columns(rows: &lmdi::study::Rows, places: &[usize]) -> Option<MapColumns> {
    let find = |names: &[&str]| {
        rows.table.frame.columns().iter().find_map(|column| match &column.values {
            Values::Numbers(cells) if names.contains(&&*column.name.to_lowercase()) => {
                Some((column.name.clone(), pack_taken(cells, places)))
            }
            _ => None,
        })
    };
    let (latitude, latitudes) = find(&["latitude", "lat"])?;
    let (longitude, longitudes) = find(&["longitude", "long", "lon", "lng"])?;
    Some(MapColumns { latitude, longitude, latitudes, longitudes })
}

/// Those of the chosen rows, of which each has `width` numbers: all first numbers, then all second
/// ones.
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

fn additivity(mut sorted: Vec<f64>) -> Option<Additivity> {
    sorted.retain(|off| !off.is_nan());
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = |share: f64| sorted[(last as f64 * share).ceil() as usize];
    Some(Additivity { median: at(0.5), high: at(0.99), largest: sorted[last] })
}

/// What numbers of a column of this format count, if they are points in time.
fn time_unit(format: CellFormat) -> Option<TimeUnit> {
    Some(match format.time_unit()? {
        Counted::Days => TimeUnit::Days,
        Counted::Seconds => TimeUnit::Seconds,
    })
}
