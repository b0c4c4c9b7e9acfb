//! The model as the page's what-if reads it: trees, the steps of LMDI+ and how cells become numbers.
//!
//! All trees are used, even for training rows, because a changed row is new to every tree. Values
//! and steps are kept to seven digits, and thresholds exactly, so that every row reaches the right
//! leaf. `web/src/scorer/scorer.ts` is the other side; a test compares it with `lmdi score`.

use super::contract::{
    Familiarity, LinearParts, Scorer, ScorerColumn, ScorerLevel, ScorerLink, ServedScorer,
};
use super::pack::Packed;
use lmdi::forest::{Comparison, Ensemble, Link, Missing, NONE, Precision, Tree};
use lmdi::importance::LmdiPlus;
use lmdi::study::{Explained, Study};
use lmdi::table::{Encoding, Matrix, Part, Values};

/// Maximum number of bytes of a scorer that is included by default.
pub const SCORER_LIMIT: usize = 8_000_000;

/// Whether a page can predict rows with changed cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WhatIf {
    /// If the model takes at most [`SCORER_LIMIT`] bytes and all rows still fit.
    #[default]
    Auto,
    /// Whatever its size.
    Always,
    /// Not at all.
    Never,
}

/// The scorer of a study; none where the page cannot hold it: trees with sets of categories, trees of
/// different libraries, groups of columns, categories that are written as numbers.
pub(super) fn scorer(study: &Study, explained: &Explained) -> Option<Scorer> {
    let ensemble = &study.model.ensemble;
    let first = ensemble.trees.first()?;
    let alike = |tree: &Tree| {
        let has_sets = (0..tree.n_nodes()).any(|node| tree.categories(node).is_some());
        !has_sets && tree.comparison == first.comparison && tree.precision == first.precision
    };
    if !explained.grouping.is_of_columns() || !ensemble.trees.iter().all(alike) {
        return None;
    }
    let trees = &ensemble.trees;
    let over_nodes = |cell: &dyn Fn(&Tree, usize) -> f64| -> Vec<f64> {
        trees
            .iter()
            .flat_map(|tree| (0..tree.n_nodes()).map(move |node| cell(tree, node)))
            .collect()
    };
    let child = |at: u32| if at == NONE { 0.0 } else { f64::from(at) };
    Some(Scorer {
        columns: columns(study, explained)?,
        sizes: Packed::numbers(&trees.iter().map(|tree| tree.n_nodes() as f64).collect::<Vec<_>>()),
        feature: Packed::numbers(&over_nodes(&|tree, node| child(tree.feature[node]))),
        threshold: Packed::numbers(&over_nodes(&|tree, node| {
            if tree.is_leaf(node) { 0.0 } else { tree.threshold[node] }
        })),
        left: Packed::numbers(&over_nodes(&|tree, node| child(tree.left[node]))),
        right: Packed::numbers(&over_nodes(&|tree, node| child(tree.right[node]))),
        missing: Packed::numbers(&over_nodes(&|tree, node| match tree.missing[node] {
            Missing::Left => 0.0,
            Missing::Right => 1.0,
            Missing::ZeroLeft => 2.0,
            Missing::ZeroRight => 3.0,
            Missing::AsZero => 4.0,
        })),
        value: Packed::rounded(&leaf_values(ensemble)),
        n_values: first.n_values,
        less_equal: first.comparison == Comparison::LessEqual,
        single: first.precision == Precision::Single,
        output_of_tree: ensemble.output_of_tree.clone(),
        n_outputs: ensemble.n_outputs,
        factor: ensemble.factor(),
        base_score: ensemble.base_score.clone(),
        link: match ensemble.link {
            Link::Identity => ScorerLink::Identity,
            Link::Logit => ScorerLink::Logit,
            Link::Softmax => ScorerLink::Softmax,
            Link::Log => ScorerLink::Log,
            Link::OneVsRest => ScorerLink::OneVsRest,
        },
        linear: study.explainer().linear_models().map(|models| linear(models, ensemble)),
    })
}

/// What stands for the model in a page that does not hold it; none for groups of columns and
/// categories that are written as numbers.
pub(super) fn served(study: &Study, explained: &Explained, is_large: bool) -> Option<ServedScorer> {
    let columns = explained.grouping.is_of_columns().then(|| columns(study, explained))??;
    Some(ServedScorer { columns, digest: study.digest(), is_large })
}

/// Values of leaves, node by node; those of inner nodes, which nobody reads, are zero.
fn leaf_values(ensemble: &Ensemble) -> Vec<f64> {
    let of_tree = |tree: &Tree| -> Vec<f64> {
        let value = |at: usize| {
            if tree.is_leaf(at / tree.n_values.max(1)) { tree.value[at] } else { 0.0 }
        };
        (0..tree.value.len()).map(value).collect()
    };
    ensemble.trees.iter().flat_map(of_tree).collect()
}

fn linear(models: &LmdiPlus, ensemble: &Ensemble) -> LinearParts {
    let (p, k) = (models.n_features(), models.n_outputs());
    let mut centre = vec![f64::NAN; p];
    let (mut slope, mut offset) = (vec![0.0; p * k], vec![0.0; p * k]);
    for tree in models.trees() {
        for term in &tree.raw {
            let feature = term.feature as usize;
            if centre[feature].is_nan() {
                centre[feature] = term.mean;
            }
            for (output, &by) in term.slope.iter().enumerate() {
                let at = feature * k + tree.first_output as usize + output;
                slope[at] += by;
                offset[at] += by * (term.mean - centre[feature]);
            }
        }
    }
    let steps = models.trees().iter().flat_map(|tree| tree.step.iter());
    LinearParts {
        n_outputs: k,
        step: Packed::rounded(&steps.collect::<Vec<_>>()),
        first_output: models.trees().iter().map(|tree| tree.first_output).collect(),
        outputs_of_tree: models.trees().first().map_or(k, |tree| tree.n_outputs as usize),
        factor: ensemble.factor(),
        base: models.base(),
        centre: Packed::numbers(&centre),
        slope: Packed::numbers(&slope),
        offset: Packed::numbers(&offset),
        ranges: Packed::numbers(&models.ranges().iter().flatten().copied().collect::<Vec<_>>()),
    }
}

/// How the cells of each column become numbers. Texts are looked up: each has the numbers of the first
/// row that holds it.
fn columns(study: &Study, explained: &Explained) -> Option<Vec<ScorerColumn>> {
    let rows = &explained.rows;
    let trained = study.job().map_or(&rows.x, |job| &job.train.x);
    let mut first = 0;
    let columns = &study.schema.columns;
    let found = columns.iter().map(|column| {
        let width = column.encoding.width();
        let encoded = first..first + width;
        first += width;
        match rows.column(&column.name)? {
            Values::Numbers(_) if width == 1 => {
                let range = range(trained, encoded.start);
                Some(ScorerColumn { width, range, levels: None, unknown: vec![f64::NAN] })
            }
            Values::Numbers(_) => None,
            Values::Labels(labels) => {
                let mut numbers = vec![vec![f64::NAN; width]; labels.levels().len() + 1];
                let mut is_known = vec![false; numbers.len()];
                for (row, &place) in rows.places.iter().enumerate() {
                    // A missing cell has no level.
                    let code = labels.codes()[place] as usize;
                    let at = if code < labels.levels().len() { code + 1 } else { 0 };
                    if !std::mem::replace(&mut is_known[at], true) {
                        numbers[at] = encoded.clone().map(|col| rows.x.column(col)[row]).collect();
                    }
                }
                let texts: Vec<Option<String>> = std::iter::once(None)
                    .chain(labels.levels().iter().map(|level| Some(level.to_string())))
                    .collect();
                let known =
                    texts.into_iter().zip(numbers).zip(is_known).filter(|(_, known)| *known);
                let level = |((text, numbers), _): ((Option<String>, _), _)| {
                    let familiarity = familiarity(&column.encoding, text.as_deref());
                    ScorerLevel { text, numbers, familiarity }
                };
                let levels = Some(known.map(level).collect());
                let unknown = unknown(&column.encoding);
                Some(ScorerColumn { width, range: None, levels, unknown })
            }
        }
    });
    found.collect()
}

/// How the model knows a text, or a missing cell, from training.
pub(super) fn familiarity(encoding: &Encoding, text: Option<&str>) -> Familiarity {
    let is_known = match (encoding, text) {
        (Encoding::OneHot(parts), None) => parts.contains(&Part::Missing),
        (Encoding::OneHot(parts), Some(text)) => {
            let is_pooled = |part: &Part| matches!(part, Part::Other { pooled } if pooled.iter().any(|name| name == text));
            if parts.iter().any(is_pooled) {
                return Familiarity::Rare;
            }
            parts.iter().any(|part| matches!(part, Part::Level(level) if level == text))
        }
        (Encoding::Codes(levels), Some(text)) => levels.iter().any(|level| level == text),
        _ => true,
    };
    if is_known { Familiarity::Known } else { Familiarity::New }
}

/// What the model reads for a text that it does not know.
fn unknown(encoding: &Encoding) -> Vec<f64> {
    match encoding {
        Encoding::OneHot(parts) => {
            let is_other = |part: &Part| matches!(part, Part::Other { .. });
            parts.iter().map(|part| f64::from(u8::from(is_other(part)))).collect()
        }
        _ => vec![f64::NAN; encoding.width()],
    }
}

/// The smallest and largest cell; none where all are missing.
fn range(x: &Matrix, column: usize) -> Option<[f64; 2]> {
    let present = x.column(column).iter().copied().filter(|cell| !cell.is_nan());
    let (low, high) = present.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), cell| {
        (low.min(cell), high.max(cell))
    });
    (low <= high).then_some([low, high])
}
