//! What the page is given, as JSON; `VERSION` changes with it.
//!
//! `web/src/contract.ts` is made from these types: after a change, run `npm --prefix web run contract`.
//!
//! Long arrays are [`Packed`]. Those over rows hold one number per row of the page; where a row has
//! several (a score for each feature and output), all rows of the first come before all rows of the
//! second. Numbers that are not defined are `null` in JSON and NaN in arrays.

use super::pack::Packed;
use serde::Serialize;

/// Version of the structure; a page only opens data of its own version.
pub const VERSION: u32 = 5;

/// All that the page shows.
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
    /// Names of the classes; empty if a number is predicted.
    pub labels: Vec<String>,
    /// What has scores: one nameless output, or every class.
    pub outputs: Vec<String>,
    /// Of two classes: the probability of the second from which on it is predicted; without it the
    /// most probable class is.
    pub threshold: Option<f64>,
    /// Where predicted numbers are decided at first: their median. None for classes.
    pub middle: Option<f64>,
    /// Whether scores add up; none where the method does not promise it.
    pub additivity: Option<Additivity>,
    /// What has a score in every row.
    pub features: Vec<Feature>,
    /// The rows of the page.
    pub rows: Rows,
    /// Where rows are, if the table tells.
    pub map: Option<MapColumns>,
    /// Groups of rows that behave alike.
    pub groups: Option<Groups>,
    /// How much explanations change from run to run.
    pub stability: Option<Stability>,
    /// Several methods side by side, the report's own first; empty if there is no other.
    pub methods: Vec<MethodResult>,
    /// Another model on the same rows.
    pub other_model: Option<OtherModel>,
    /// The model, to compute what changed cells would give.
    pub scorer: Option<Scorer>,
    /// What a server with the model needs to know, where the page does not hold the model.
    pub served_scorer: Option<ServedScorer>,
}

/// A model that the page does not hold: `lmdi serve` with the page computes what changed cells would
/// give.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ServedScorer {
    /// The columns, in the order of the features.
    pub columns: Vec<ScorerColumn>,
    /// The mark of the model with its explainer, which the server must have too.
    pub digest: String,
    /// Whether the model is left out because of its size only.
    pub is_large: bool,
}

/// The model as the what-if reads it. Arrays over nodes hold the nodes of the first tree, then those
/// of the second.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scorer {
    /// The columns, in the order of the features.
    pub columns: Vec<ScorerColumn>,
    /// How many nodes each tree has.
    pub sizes: Packed,
    /// The encoded column that a node splits on.
    pub feature: Packed,
    /// The threshold of a split.
    pub threshold: Packed,
    /// Left child, by its place in the tree; 0 at a leaf.
    pub left: Packed,
    /// Right child.
    pub right: Packed,
    /// Where missing cells go: 0 left, 1 right, 2 left as zeros do, 3 right as zeros do, 4 as zero.
    pub missing: Packed,
    /// Values of leaves, `n_values` per node.
    pub value: Packed,
    /// How many numbers a value has.
    pub n_values: usize,
    /// Whether a cell equal to the threshold goes left.
    pub less_equal: bool,
    /// Whether cells are compared in 32 bits.
    pub single: bool,
    /// The output of each tree's value; empty if each has one per output.
    pub output_of_tree: Vec<u32>,
    /// Length of the raw output.
    pub n_outputs: usize,
    /// Factor on the sum over trees.
    pub factor: f64,
    /// Raw output before any tree.
    pub base_score: Vec<f64>,
    /// From raw output to prediction.
    pub link: ScorerLink,
    /// What scores are made of; none for methods other than LMDI+.
    pub linear: Option<LinearParts>,
}

/// How the cells of a column become numbers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ScorerColumn {
    /// How many encoded columns it has.
    pub width: usize,
    /// The smallest and largest number in training, of a column of numbers.
    pub range: Option<[f64; 2]>,
    /// The texts of the explained rows; none for a column of numbers.
    pub levels: Option<Vec<ScorerLevel>>,
    /// What the model reads for a text that it does not know.
    pub unknown: Vec<f64>,
}

/// A text and what the model reads for it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ScorerLevel {
    /// The text; none for a missing cell.
    pub text: Option<String>,
    /// Its numbers.
    pub numbers: Vec<f64>,
    /// How the model knows it from training.
    pub familiarity: Familiarity,
}

/// How a model knows a text from training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Familiarity {
    /// By itself.
    Known,
    /// As one of several that were rare, which it does not tell apart.
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
    /// The logistic function, of the second of two classes.
    Logit,
    /// The share of each exponential.
    Softmax,
    /// The exponential.
    Log,
    /// The logistic function of each class.
    OneVsRest,
}

/// The linear models of LMDI+.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LinearParts {
    /// How many outputs have scores.
    pub n_outputs: usize,
    /// What a row gains for its parent's column when it enters a node, `outputs_of_tree` per node.
    pub step: Packed,
    /// The first output of each tree.
    pub first_output: Vec<u32>,
    /// How many outputs a tree has.
    pub outputs_of_tree: usize,
    /// Factor on the sum over trees.
    pub factor: f64,
    /// What scores are added to, per output.
    pub base: Vec<f64>,
    /// Where cells are counted from, per encoded column; NaN without a linear term.
    pub centre: Packed,
    /// Sum of slopes, per encoded column and output.
    pub slope: Packed,
    /// What is taken off, per encoded column and output.
    pub offset: Packed,
    /// Smallest and largest cell of each encoded column, which bound linear terms; may be empty.
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
    /// How many rows were explained; the page may hold fewer.
    pub rows_explained: usize,
    /// Measured on rows that were not trained on, the most telling first.
    pub quality: Vec<Quality>,
    /// The first of these beside predictions that need no trees; none where the truth of new rows
    /// is not known.
    pub comparison: Option<Comparison>,
    /// Columns that give the target away, such as a copy of it.
    pub suspects: Vec<String>,
    /// How many rows the model was trained on, if known.
    pub training_rows: Option<usize>,
    /// Whether errors of these rows say how well new rows are predicted.
    pub rows_are: RowsAre,
    /// Rows that every tree saw, which all trees predict although others are predicted out of bag.
    pub seen_by_all: usize,
    /// How much of the predictions scores explain; none if they do by definition.
    pub fidelity: Option<Fidelity>,
    /// What a reader must know before trusting the rest.
    pub warnings: Vec<String>,
    /// Everything else, for the record.
    pub facts: Vec<FactGroup>,
}

/// What the explained rows are to those trees of the model that predict them.
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
    /// Rows of which nothing is known.
    #[default]
    Unknown,
}

/// How much of the predictions scores explain.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Fidelity {
    /// The rows it was measured on, such as `hold-out rows`.
    pub rows: String,
    /// Share of the variation of the model's predictions that base plus scores reproduces (R2).
    pub share: f64,
    /// How much base plus scores moves where the model's prediction moves by one.
    pub slope: f64,
    /// Share of the rows that both put into the same class; none for numbers.
    pub same_class: Option<f64>,
    /// Below this share a reader is warned, on rows that are new to the model.
    pub least: f64,
}

/// Quality on one sample of rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Quality {
    /// What it was measured on, such as `hold-out`.
    pub sample: String,
    /// How many rows, if known.
    pub rows: Option<usize>,
    /// The measures.
    pub measures: Vec<Measure>,
}

/// The model's quality beside that of simple predictions, on the same rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Comparison {
    /// The rows, such as `hold-out`.
    pub sample: String,
    /// How many rows.
    pub rows: usize,
    /// The model.
    pub model: Vec<Measure>,
    /// The mean, or the share of each class.
    pub constant: Vec<Measure>,
    /// Least squares on the columns; none for very many.
    pub linear: Option<Vec<Measure>>,
}

/// One measured number.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Measure {
    /// What was measured, such as `R2`.
    pub name: String,
    /// The number; NaN if it is not defined.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub value: f64,
}

/// Facts about one thing.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FactGroup {
    /// The thing.
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
    /// Shares of a probability.
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
    /// What base, scores and what they leave unexplained add up to, such as `prediction`.
    pub total: String,
    /// What a score of each output raises or lowers, such as `the odds that churn is yes`.
    pub moved: Vec<String>,
}

/// How far base plus scores is from the model's output.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Additivity {
    /// Half of all rows are nearer.
    pub median: f64,
    /// 99 of 100 rows are nearer.
    pub high: f64,
    /// The largest difference.
    pub largest: f64,
}

/// What has a score in every row: a column, or several columns as one.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// The columns of a group; empty for a column.
    pub members: Vec<String>,
    /// Mean |score| over all explained rows, one number per output.
    pub importance: Vec<f64>,
    /// The cells of a column.
    pub cells: Option<Cells>,
    /// What its numbers count, if they are points in time.
    pub time: Option<TimeUnit>,
}

/// What the numbers of a column of dates count, from the start of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TimeUnit {
    /// Days: the column holds dates.
    Days,
    /// Seconds: the column holds dates with a time of the day.
    Seconds,
}

/// Cells of a column, one per row of the page: which of the blocks [`Rows::cells`] they are in, and
/// how many columns come before them there.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cells {
    /// Numbers; NaN is missing.
    Number {
        /// The block.
        block: usize,
        /// The place in it.
        at: usize,
    },
    /// Text: places in the list of levels, from 1; 0 is missing.
    Levels {
        /// The different texts.
        levels: Vec<String>,
        /// How many texts the last level stands for; 0 where it is a text of its own.
        rest: usize,
        /// Places, from 0, of the levels that the model does not tell apart, each being rare; that of
        /// the last too, if this holds for all it stands for.
        pooled: Vec<usize>,
        /// The block.
        block: usize,
        /// The place in it.
        at: usize,
    },
}

/// Arrays over the rows of the page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rows {
    /// How many rows the page holds.
    pub n: usize,
    /// The place of each in the table, from 1, rising.
    pub number: Packed,
    /// What names rows, if there is a column that does.
    pub key: Option<Key>,
    /// Cells of the columns, in one block per type of number.
    pub cells: Vec<Packed>,
    /// What scores are added to, by output.
    pub base: Packed,
    /// Scores, by feature and output.
    pub scores: Packed,
    /// Standard errors of the scores over the trees.
    pub errors: Option<Packed>,
    /// What the model predicts: a number, or the probability of every class.
    pub predictions: Packed,
    /// What base plus scores is as a prediction, where its scale is another.
    pub explained_predictions: Option<Packed>,
    /// What base plus scores leaves of what the scored trees say, on the scale of the scores, by
    /// output; none where scores do not explain predictions.
    pub unexplained: Option<Packed>,
    /// What leaving out the trees that saw the row changes, by output, where all trees are scored and
    /// the prediction is out of bag.
    pub out_of_bag: Option<Packed>,
    /// What really happened: a number, or the place of the class; NaN is unknown.
    pub truth: Option<Packed>,
}

/// A column that names rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its cell in each row, as it is written in the table.
    pub texts: Vec<String>,
}

/// Columns that say where rows are.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MapColumns {
    /// Name of the column of latitudes.
    pub latitude: String,
    /// Name of the column of longitudes.
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
    /// Share of the variation of scores that lies between groups.
    pub kept: f64,
    /// Whether as many groups are found in samples of the rows; none if their number was given.
    pub stable: Option<bool>,
    /// The group of each row of the page, from 0; NaN is none.
    pub of_rows: Packed,
    /// The groups.
    pub list: Vec<Group>,
}

/// One group.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Group {
    /// Its rows.
    pub size: usize,
    /// Their mean prediction: a number, or the probability of `class`.
    pub prediction: f64,
    /// The class that the prediction and the scores of traits are of; none for numbers.
    pub class: Option<usize>,
    /// Their error, if the truth is known: root mean squared, or the share of wrong classes.
    pub error: Option<f64>,
    /// A short rule that finds it.
    pub rule: Rule,
    /// What sets it apart, the most telling first.
    pub traits: Vec<Trait>,
}

/// A short rule that finds a group.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rule {
    /// The rule in words.
    pub text: String,
    /// Share of all rows that it puts on the right side.
    pub accuracy: f64,
    /// Share of the rows it finds that are members.
    pub precision: f64,
    /// Share of the members that it finds.
    pub recall: f64,
}

/// A feature that sets a group apart.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Trait {
    /// The feature.
    pub feature: usize,
    /// Mean score in the group.
    pub score: f64,
    /// Mean score of all other rows.
    pub score_elsewhere: f64,
    /// Usual cell in the group.
    pub cell: String,
    /// Usual cell of all other rows.
    pub cell_elsewhere: String,
}

/// How much explanations change from run to run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Stability {
    /// How many of the largest scores are looked at.
    pub top: usize,
    /// Of each row of the page the mean rank correlation between runs with other seeds.
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
    /// How many.
    pub runs: usize,
    /// Mean rank correlation of a row's scores between two runs; none where no row has an order, as
    /// with a single feature.
    pub correlation: Option<f64>,
    /// Mean number of different features among a row's largest over all runs.
    pub distinct: f64,
    /// Mean |score| of each feature in each run.
    pub importance: Vec<Vec<f64>>,
}

/// Another model on the same rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OtherModel {
    /// What it is called.
    pub name: String,
    /// How many trees and leaves it has.
    pub trees: String,
    /// What trained it; may be empty.
    pub trained_by: String,
    /// The method that explains it.
    pub method: String,
    /// Whether errors of the explained rows say how well it predicts new rows.
    pub rows_are: RowsAre,
    /// Measures of both models on all explained rows; empty where the truth is not known.
    pub measures: Vec<ComparedMeasure>,
    /// How many rows both predict.
    pub rows: usize,
    /// Mean size of the difference between the predictions: of numbers, of probabilities.
    pub mean_difference: f64,
    /// Share of the rows that both put into the same class; none for numbers.
    pub same_class: Option<f64>,
    /// What each model uses, the largest share first.
    pub shares: Vec<ComparedShare>,
    /// What it predicts, laid out like [`Rows::predictions`].
    pub predictions: Packed,
}

/// A measure of two models on the same rows.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ComparedMeasure {
    /// What was measured, such as `R2`.
    pub name: String,
    /// Of the report's model; NaN if it is not defined.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub own: f64,
    /// Of the other.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub other: f64,
}

/// The share of a column in the sum of mean |score|, by two models.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ComparedShare {
    /// The column or group.
    pub name: String,
    /// Of the report's model; none if that does not read it.
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
    /// Share of each feature in the sum of mean |score|.
    pub share: Vec<f64>,
    /// Mean rank correlation of a row's scores with the report's own; none for those.
    pub agreement: Option<f64>,
    /// Mean share of a row's five largest that are the report's five largest; none for those.
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
            "// Made by `npm run contract` from crates/lmdi-report/src/page/contract.rs.\n";
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
