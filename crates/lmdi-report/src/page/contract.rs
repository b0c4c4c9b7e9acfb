//! The data that the page reads, as JSON; `VERSION` changes with its structure.
//!
//! `web/src/contract.ts` is generated from these types: after a change, run
//! `npm --prefix web run contract`.
//!
//! Long arrays are [`Packed`]. Those over rows hold one number per row on the page; if a row has
//! several (a score for each feature and output), all rows of the first come before all rows of the
//! second. Undefined numbers are `null` in JSON and NaN in arrays.

use super::pack::Packed;
use serde::Serialize;

/// Version of the structure; a page only opens data of its own version.
pub const VERSION: u32 = 5;

/// Everything the page shows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Report {
    /// Always `lmdi-report`.
    pub format: &'static str,
    /// [`VERSION`].
    pub version: u32,
    /// What was explained.
    pub about: About,
    /// What scores mean.
    pub scale: Scale,
    /// Class names; empty for regression.
    pub labels: Vec<String>,
    /// The outputs that have scores: one without a name, or every class.
    pub outputs: Vec<String>,
    /// With two classes: the lowest probability at which the second is predicted; without it, the
    /// most probable class is predicted.
    pub threshold: Option<f64>,
    /// Initial decision threshold of predicted numbers: their median. None for classes.
    pub middle: Option<f64>,
    /// How closely scores add up; none if the method does not promise that they do.
    pub additivity: Option<Additivity>,
    /// The features, each with a score in every row.
    pub features: Vec<Feature>,
    /// The rows on the page.
    pub rows: Rows,
    /// Where rows are located, if the table says so.
    pub map: Option<MapColumns>,
    /// Groups of rows that behave alike.
    pub groups: Option<Groups>,
    /// How much explanations change from run to run.
    pub stability: Option<Stability>,
    /// Several methods side by side, the report's own first; empty if there is only that one.
    pub methods: Vec<MethodResult>,
    /// Another model on the same rows.
    pub other_model: Option<OtherModel>,
    /// The model, to predict changed cells.
    pub scorer: Option<Scorer>,
    /// What a server with the model needs to know, if the page does not hold the model.
    pub served_scorer: Option<ServedScorer>,
}

/// A model that the page does not hold: `lmdi serve` with the page predicts changed cells.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ServedScorer {
    /// The columns, in the order of the features.
    pub columns: Vec<ScorerColumn>,
    /// Digest of the model with its explainer; the server's must be equal.
    pub digest: String,
    /// Whether the model is left out only because of its size.
    pub is_large: bool,
}

/// The model as the what-if reads it. Arrays over nodes hold the nodes of the first tree, then
/// those of the second, and so on.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scorer {
    /// The columns, in the order of the features.
    pub columns: Vec<ScorerColumn>,
    /// Number of nodes of each tree.
    pub sizes: Packed,
    /// The encoded column that a node splits on.
    pub feature: Packed,
    /// The threshold of a split.
    pub threshold: Packed,
    /// Index of the left child in its tree; 0 at a leaf.
    pub left: Packed,
    /// Index of the right child.
    pub right: Packed,
    /// Where missing cells go: 0 left, 1 right, 2 left with zeros, 3 right with zeros, 4 where zero
    /// goes.
    pub missing: Packed,
    /// Leaf values, `n_values` per node.
    pub value: Packed,
    /// Numbers per leaf value.
    pub n_values: usize,
    /// Whether a cell equal to the threshold goes left.
    pub less_equal: bool,
    /// Whether cells are compared as 32-bit numbers.
    pub single: bool,
    /// The output that each tree contributes to; empty if every tree contributes to all.
    pub output_of_tree: Vec<u32>,
    /// Length of the raw output.
    pub n_outputs: usize,
    /// Factor applied to the sum over trees.
    pub factor: f64,
    /// Raw output before any tree.
    pub base_score: Vec<f64>,
    /// From raw output to prediction.
    pub link: ScorerLink,
    /// What scores are computed from; none for methods other than LMDI+.
    pub linear: Option<LinearParts>,
}

/// How the cells of a column become numbers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ScorerColumn {
    /// Number of encoded columns.
    pub width: usize,
    /// Smallest and largest number in training; none for a text column.
    pub range: Option<[f64; 2]>,
    /// The texts in the explained rows; none for a numeric column.
    pub levels: Option<Vec<ScorerLevel>>,
    /// Encoding of a text that the model does not know.
    pub unknown: Vec<f64>,
}

/// A text and its encoding.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ScorerLevel {
    /// The text; none for a missing cell.
    pub text: Option<String>,
    /// Its encoding.
    pub numbers: Vec<f64>,
    /// How the model knows it from training.
    pub familiarity: Familiarity,
}

/// How a model knows a text from training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Familiarity {
    /// As a value of its own.
    Known,
    /// As one of several rare texts, which are pooled.
    Rare,
    /// Not at all.
    New,
}

/// From raw output to prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ScorerLink {
    /// The output itself.
    Identity,
    /// The logistic function, for the second of two classes.
    Logit,
    /// Exponentials divided by their sum.
    Softmax,
    /// The exponential.
    Log,
    /// The logistic function, for each class.
    OneVsRest,
}

/// The linear models of LMDI+.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LinearParts {
    /// Number of outputs that have scores.
    pub n_outputs: usize,
    /// What a row that enters a node adds to the score of the column its parent splits on,
    /// `outputs_of_tree` per node.
    pub step: Packed,
    /// The first output of each tree.
    pub first_output: Vec<u32>,
    /// Number of outputs per tree.
    pub outputs_of_tree: usize,
    /// Factor applied to the sum over trees.
    pub factor: f64,
    /// The base that scores are added to, per output.
    pub base: Vec<f64>,
    /// Centre of the cells, per encoded column; NaN without a linear term.
    pub centre: Packed,
    /// Sum of slopes, per encoded column and output.
    pub slope: Packed,
    /// What is subtracted, per encoded column and output.
    pub offset: Packed,
    /// Bounds of cells in linear terms, smallest and largest per encoded column; may be empty.
    pub ranges: Packed,
}

/// What was explained.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct About {
    /// Name of the table.
    pub table: String,
    /// Name of the target.
    pub target: String,
    /// Name of the method.
    pub method: String,
    /// What the explained rows are, such as `training rows`.
    pub row_kind: String,
    /// Number of explained rows; the page may hold fewer.
    pub rows_explained: usize,
    /// Quality on rows not used for training, the most informative first.
    pub quality: Vec<Quality>,
    /// The first of these compared with predictions that need no trees; none if the truth of new
    /// rows is unknown.
    pub comparison: Option<Comparison>,
    /// Columns that give the target away, such as a copy of it.
    pub suspects: Vec<String>,
    /// Number of training rows of the model, if known.
    pub training_rows: Option<usize>,
    /// Whether errors on these rows show how well new rows are predicted.
    pub rows_are: RowsAre,
    /// Number of rows that every tree saw; all trees predict them, while other rows are predicted
    /// out of bag.
    pub seen_by_all: usize,
    /// How much of the predictions the scores explain; none if all of it, by definition.
    pub fidelity: Option<Fidelity>,
    /// What a reader must know before trusting the rest.
    pub warnings: Vec<String>,
    /// Everything else, for the record.
    pub facts: Vec<FactGroup>,
}

/// How the explained rows relate to the trees that predict them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RowsAre {
    /// New.
    New,
    /// Training rows, each predicted by the trees that did not see it.
    OutOfBag,
    /// Rows that the trees were trained on, or most probably were.
    TrainedOn,
    /// Rows about which nothing is known.
    #[default]
    Unknown,
}

/// How much of the predictions the scores explain.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Fidelity {
    /// The rows it was measured on, such as `hold-out rows`.
    pub rows: String,
    /// Share of the variation in the model's predictions that base plus scores reproduces (R2).
    pub share: f64,
    /// How much base plus scores changes when the model's prediction changes by one.
    pub slope: f64,
    /// Share of rows that both assign to the same class; none for regression.
    pub same_class: Option<f64>,
    /// Below this share, on rows that are new to the model, the reader is warned.
    pub least: f64,
}

/// Quality on one sample of rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Quality {
    /// What it was measured on, such as `hold-out`.
    pub sample: String,
    /// Number of rows, if known.
    pub rows: Option<usize>,
    /// The measures.
    pub measures: Vec<Measure>,
}

/// The model's quality compared with that of simple predictions, on the same rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Comparison {
    /// The rows, such as `hold-out`.
    pub sample: String,
    /// Number of rows.
    pub rows: usize,
    /// The model.
    pub model: Vec<Measure>,
    /// The mean, or the share of each class.
    pub constant: Vec<Measure>,
    /// Least squares on the columns; none if there are very many.
    pub linear: Option<Vec<Measure>>,
}

/// One measured number.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Measure {
    /// What was measured, such as `R2`.
    pub name: String,
    /// The number; NaN if undefined.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub value: f64,
}

/// Facts about one topic.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FactGroup {
    /// The topic.
    pub title: String,
    /// Name and value of each fact.
    pub entries: Vec<(String, String)>,
}

/// What scores are measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ScaleKind {
    /// Units of the target.
    Units,
    /// Probabilities.
    Probability,
    /// Log-odds.
    LogOdds,
    /// The logarithm of the target.
    Log,
    /// Anything else.
    Other,
}

/// What scores mean.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scale {
    /// What they are measured in.
    pub kind: ScaleKind,
    /// The same in words, such as `in units of price`.
    pub text: String,
    /// What base, scores and the unexplained part add up to, such as `prediction`.
    pub total: String,
    /// What a score of each output raises or lowers, such as `the odds that churn is yes`.
    pub moved: Vec<String>,
}

/// How far base plus scores is from the model's output.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Additivity {
    /// The median difference.
    pub median: f64,
    /// The 99th percentile of the differences.
    pub high: f64,
    /// The largest difference.
    pub largest: f64,
}

/// A column, or a group of columns, with a score in every row.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// The columns of a group; empty for a single column.
    pub members: Vec<String>,
    /// Mean |score| over all explained rows, one number per output.
    pub importance: Vec<f64>,
    /// The cells of a column.
    pub cells: Option<Cells>,
    /// Unit of its numbers, if they are points in time.
    pub time: Option<TimeUnit>,
}

/// Unit of the numbers of a date column, counted from the start of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Days: the column holds dates.
    Days,
    /// Seconds: the column holds dates with a time of day.
    Seconds,
}

/// Cells of a column, one per row on the page: the block of [`Rows::cells`] that holds them, and
/// their position in it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cells {
    /// Numbers; NaN is missing.
    Number {
        /// The block.
        block: usize,
        /// Number of columns before it in the block.
        at: usize,
    },
    /// Text: positions in the list of levels, from 1; 0 is missing.
    Levels {
        /// The distinct texts.
        levels: Vec<String>,
        /// Number of texts that the last level stands for; 0 if it is a text of its own.
        rest: usize,
        /// Indices, from 0, of the rare levels that the model pools; the last level is among them
        /// if this holds for all texts it stands for.
        pooled: Vec<usize>,
        /// The block.
        block: usize,
        /// Number of columns before it in the block.
        at: usize,
    },
}

/// Arrays over the rows on the page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rows {
    /// Number of rows on the page.
    pub n: usize,
    /// Number of each row in the table, from 1, ascending.
    pub number: Packed,
    /// The column that names rows, if there is one.
    pub key: Option<Key>,
    /// Cells of the columns, in one block per number type.
    pub cells: Vec<Packed>,
    /// The base that scores are added to, by output.
    pub base: Packed,
    /// Scores, by feature and output.
    pub scores: Packed,
    /// Standard errors of the scores over the trees.
    pub errors: Option<Packed>,
    /// What the model predicts: a number, or the probability of every class.
    pub predictions: Packed,
    /// Base plus scores as a prediction, if that has another scale.
    pub explained_predictions: Option<Packed>,
    /// The part of the scored trees' output that base plus scores does not explain, on the scale of
    /// the scores, by output; none if scores do not explain predictions.
    pub unexplained: Option<Packed>,
    /// The change when the trees that saw the row are left out, by output, if all trees are scored
    /// and the prediction is out of bag.
    pub out_of_bag: Option<Packed>,
    /// The actual outcome: a number, or the index of the class; NaN if unknown.
    pub truth: Option<Packed>,
}

/// A column that names rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its cell in each row, as written in the table.
    pub texts: Vec<String>,
}

/// Columns with the locations of rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MapColumns {
    /// Name of the latitude column.
    pub latitude: String,
    /// Name of the longitude column.
    pub longitude: String,
    /// Degrees north.
    pub latitudes: Packed,
    /// Degrees east.
    pub longitudes: Packed,
}

/// Groups of rows that behave alike.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Groups {
    /// Share of the variation in scores that lies between groups.
    pub kept: f64,
    /// Whether samples of the rows give the same number of groups; none if the number was given.
    pub stable: Option<bool>,
    /// The group of each row on the page, from 0; NaN if none.
    pub of_rows: Packed,
    /// The groups.
    pub list: Vec<Group>,
}

/// One group.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Group {
    /// Number of its rows.
    pub size: usize,
    /// Their mean prediction: a number, or the probability of `class`.
    pub prediction: f64,
    /// The class that the prediction and the scores of traits refer to; none for regression.
    pub class: Option<usize>,
    /// Their error, if the truth is known: root mean squared error, or share predicted incorrectly.
    pub error: Option<f64>,
    /// A short rule that describes it.
    pub rule: Rule,
    /// What distinguishes it, the most informative first.
    pub traits: Vec<Trait>,
}

/// A short rule that describes a group.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rule {
    /// The rule in words.
    pub text: String,
    /// Share of all rows that it classifies correctly.
    pub accuracy: f64,
    /// Share of the rows it finds that are members.
    pub precision: f64,
    /// Share of the members that it finds.
    pub recall: f64,
}

/// A feature that distinguishes a group.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Trait {
    /// Index of the feature.
    pub feature: usize,
    /// Mean score in the group.
    pub score: f64,
    /// Mean score of all other rows.
    pub score_elsewhere: f64,
    /// Typical cell in the group.
    pub cell: String,
    /// Typical cell of all other rows.
    pub cell_elsewhere: String,
}

/// How much explanations change from run to run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stability {
    /// Number of largest scores that are compared.
    pub top: usize,
    /// Mean rank correlation between runs with other seeds, for each row on the page.
    pub of_rows: Packed,
    /// Runs on the same rows, each with another seed.
    pub seeds: Runs,
    /// Runs on rows drawn with replacement, each with another seed.
    pub resampled: Runs,
}

/// Fits of the same model; the report's own is the first.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Runs {
    /// Number of runs.
    pub runs: usize,
    /// Mean rank correlation of a row's scores between two runs; none if no row has an order, as
    /// with a single feature.
    pub correlation: Option<f64>,
    /// Mean number of different features among a row's largest scores over all runs.
    pub distinct: f64,
    /// Mean |score| of each feature in each run.
    pub importance: Vec<Vec<f64>>,
}

/// Another model on the same rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OtherModel {
    /// Its name.
    pub name: String,
    /// Its numbers of trees and leaves, in words.
    pub trees: String,
    /// What trained it; may be empty.
    pub trained_by: String,
    /// The method that explains it.
    pub method: String,
    /// Whether errors on the explained rows show how well it predicts new rows.
    pub rows_are: RowsAre,
    /// Measures of both models on all explained rows; empty if the truth is unknown.
    pub measures: Vec<ComparedMeasure>,
    /// Number of rows that both predict.
    pub rows: usize,
    /// Mean absolute difference between the predictions: of numbers, or of probabilities.
    pub mean_difference: f64,
    /// Share of rows that both assign to the same class; none for regression.
    pub same_class: Option<f64>,
    /// What each model uses, the largest share first.
    pub shares: Vec<ComparedShare>,
    /// Its predictions, laid out like [`Rows::predictions`].
    pub predictions: Packed,
}

/// A measure of two models on the same rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ComparedMeasure {
    /// What was measured, such as `R2`.
    pub name: String,
    /// Of the report's model; NaN if undefined.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub own: f64,
    /// Of the other.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub other: f64,
}

/// A feature's share of the total mean |score|, in two models.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ComparedShare {
    /// The column or group.
    pub name: String,
    /// Of the report's model; none if that does not use it.
    pub own: Option<f64>,
    /// Of the other.
    pub other: Option<f64>,
}

/// One of several methods.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MethodResult {
    /// Its name.
    pub name: String,
    /// What its scores are measured in.
    pub scale: String,
    /// Each feature's share of the total mean |score|.
    pub share: Vec<f64>,
    /// Mean rank correlation of a row's scores with those of the report's method; none for itself.
    pub agreement: Option<f64>,
    /// Mean share of a row's five largest scores that are also among the five largest of the
    /// report's method; none for itself.
    pub top_shared: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use ts_rs::{Config, TS};

    /// A type with its documentation, for `web/src/contract.ts`.
    fn declaration<T: TS>() -> String {
        let config = Config::default();
        format!("{}export {}\n", T::docs().unwrap_or_default(), T::decl(&config))
    }

    /// All types of the contract in TypeScript, not yet formatted.
    fn in_typescript() -> String {
        let header =
            "// Generated by `npm run contract` from crates/lmdi-report/src/page/contract.rs.\n";
        let version = format!(
            "/** A page only opens data of its own version. */\nexport const VERSION = {VERSION};\n"
        );
        let types = [
            declaration::<Report>(),
            declaration::<Scorer>(),
            declaration::<ScorerColumn>(),
            declaration::<ScorerLevel>(),
            declaration::<Familiarity>(),
            declaration::<ScorerLink>(),
            declaration::<ServedScorer>(),
            declaration::<LinearParts>(),
            declaration::<About>(),
            declaration::<RowsAre>(),
            declaration::<Fidelity>(),
            declaration::<Quality>(),
            declaration::<Comparison>(),
            declaration::<Measure>(),
            declaration::<FactGroup>(),
            declaration::<ScaleKind>(),
            declaration::<Scale>(),
            declaration::<Additivity>(),
            declaration::<Feature>(),
            declaration::<TimeUnit>(),
            declaration::<Cells>(),
            declaration::<Rows>(),
            declaration::<Key>(),
            declaration::<MapColumns>(),
            declaration::<Groups>(),
            declaration::<Group>(),
            declaration::<Rule>(),
            declaration::<Trait>(),
            declaration::<Stability>(),
            declaration::<Runs>(),
            declaration::<OtherModel>(),
            declaration::<ComparedMeasure>(),
            declaration::<ComparedShare>(),
            declaration::<MethodResult>(),
            declaration::<Packed>(),
        ];
        [header.into(), version].into_iter().chain(types).collect::<Vec<_>>().join("\n")
    }

    /// Written to the file that the variable names, for `npm run contract` and `./check`.
    #[test]
    fn contract_in_typescript() {
        let text = in_typescript();
        assert!(text.contains("export type Report = {"), "{text}");
        assert!(text.contains("export type Packed = {"), "{text}");
        if let Some(path) = std::env::var_os("LMDI_CONTRACT_TS") {
            std::fs::write(path, text).expect("the contract is written");
        }
    }
}
