// Made by `npm run contract` from crates/lmdi-report/src/page/contract.rs.

/** A page only opens data of its own version. */
export const VERSION = 5;

/**
 * All that the page shows.
 */
export type Report = {
  /**
   * Always `lmdi-report`.
   */
  format: string;
  /**
   * [`VERSION`].
   */
  version: number;
  /**
   * What was explained.
   */
  about: About;
  /**
   * What scores mean.
   */
  scale: Scale;
  /**
   * Names of the classes; empty if a number is predicted.
   */
  labels: Array<string>;
  /**
   * What has scores: one nameless output, or every class.
   */
  outputs: Array<string>;
  /**
   * Of two classes: the probability of the second from which on it is predicted; without it the
   * most probable class is.
   */
  threshold: number | null;
  /**
   * Where predicted numbers are decided at first: their median. None for classes.
   */
  middle: number | null;
  /**
   * Whether scores add up; none where the method does not promise it.
   */
  additivity: Additivity | null;
  /**
   * What has a score in every row.
   */
  features: Array<Feature>;
  /**
   * The rows of the page.
   */
  rows: Rows;
  /**
   * Where rows are, if the table tells.
   */
  map: MapColumns | null;
  /**
   * Groups of rows that behave alike.
   */
  groups: Groups | null;
  /**
   * How much explanations change from run to run.
   */
  stability: Stability | null;
  /**
   * Several methods side by side, the report's own first; empty if there is no other.
   */
  methods: Array<MethodResult>;
  /**
   * Another model on the same rows.
   */
  other_model: OtherModel | null;
  /**
   * The model, to compute what changed cells would give.
   */
  scorer: Scorer | null;
  /**
   * What a server with the model needs to know, where the page does not hold the model.
   */
  served_scorer: ServedScorer | null;
};

/**
 * The model as the what-if reads it. Arrays over nodes hold the nodes of the first tree, then those
 * of the second.
 */
export type Scorer = {
  /**
   * The columns, in the order of the features.
   */
  columns: Array<ScorerColumn>;
  /**
   * How many nodes each tree has.
   */
  sizes: Packed;
  /**
   * The encoded column that a node splits on.
   */
  feature: Packed;
  /**
   * The threshold of a split.
   */
  threshold: Packed;
  /**
   * Left child, by its place in the tree; 0 at a leaf.
   */
  left: Packed;
  /**
   * Right child.
   */
  right: Packed;
  /**
   * Where missing cells go: 0 left, 1 right, 2 left as zeros do, 3 right as zeros do, 4 as zero.
   */
  missing: Packed;
  /**
   * Values of leaves, `n_values` per node.
   */
  value: Packed;
  /**
   * How many numbers a value has.
   */
  n_values: number;
  /**
   * Whether a cell equal to the threshold goes left.
   */
  less_equal: boolean;
  /**
   * Whether cells are compared in 32 bits.
   */
  single: boolean;
  /**
   * The output of each tree's value; empty if each has one per output.
   */
  output_of_tree: Array<number>;
  /**
   * Length of the raw output.
   */
  n_outputs: number;
  /**
   * Factor on the sum over trees.
   */
  factor: number;
  /**
   * Raw output before any tree.
   */
  base_score: Array<number>;
  /**
   * From raw output to prediction.
   */
  link: ScorerLink;
  /**
   * What scores are made of; none for methods other than LMDI+.
   */
  linear: LinearParts | null;
};

/**
 * How the cells of a column become numbers.
 */
export type ScorerColumn = {
  /**
   * How many encoded columns it has.
   */
  width: number;
  /**
   * The smallest and largest number in training, of a column of numbers.
   */
  range: [number, number] | null;
  /**
   * The texts of the explained rows; none for a column of numbers.
   */
  levels: Array<ScorerLevel> | null;
  /**
   * What the model reads for a text that it does not know.
   */
  unknown: Array<number>;
};

/**
 * A text and what the model reads for it.
 */
export type ScorerLevel = {
  /**
   * The text; none for a missing cell.
   */
  text: string | null;
  /**
   * Its numbers.
   */
  numbers: Array<number>;
  /**
   * How the model knows it from training.
   */
  familiarity: Familiarity;
};

/**
 * How a model knows a text from training.
 */
export type Familiarity = "known" | "rare" | "new";

/**
 * From raw output to prediction.
 */
export type ScorerLink = "identity" | "logit" | "softmax" | "log" | "one_vs_rest";

/**
 * A model that the page does not hold: `lmdi serve` with the page computes what changed cells would
 * give.
 */
export type ServedScorer = {
  /**
   * The columns, in the order of the features.
   */
  columns: Array<ScorerColumn>;
  /**
   * The mark of the model with its explainer, which the server must have too.
   */
  digest: string;
  /**
   * Whether the model is left out because of its size only.
   */
  is_large: boolean;
};

/**
 * The linear models of LMDI+.
 */
export type LinearParts = {
  /**
   * How many outputs have scores.
   */
  n_outputs: number;
  /**
   * What a row gains for its parent's column when it enters a node, `outputs_of_tree` per node.
   */
  step: Packed;
  /**
   * The first output of each tree.
   */
  first_output: Array<number>;
  /**
   * How many outputs a tree has.
   */
  outputs_of_tree: number;
  /**
   * Factor on the sum over trees.
   */
  factor: number;
  /**
   * What scores are added to, per output.
   */
  base: Array<number>;
  /**
   * Where cells are counted from, per encoded column; NaN without a linear term.
   */
  centre: Packed;
  /**
   * Sum of slopes, per encoded column and output.
   */
  slope: Packed;
  /**
   * What is taken off, per encoded column and output.
   */
  offset: Packed;
  /**
   * Smallest and largest cell of each encoded column, which bound linear terms; may be empty.
   */
  ranges: Packed;
};

/**
 * What was explained.
 */
export type About = {
  /**
   * Name of the table.
   */
  table: string;
  /**
   * Name of the target.
   */
  target: string;
  /**
   * Name of the method.
   */
  method: string;
  /**
   * What the explained rows are, such as `training rows`.
   */
  row_kind: string;
  /**
   * How many rows were explained; the page may hold fewer.
   */
  rows_explained: number;
  /**
   * Measured on rows that were not trained on, the most telling first.
   */
  quality: Array<Quality>;
  /**
   * The first of these beside predictions that need no trees; none where the truth of new rows
   * is not known.
   */
  comparison: Comparison | null;
  /**
   * Columns that give the target away, such as a copy of it.
   */
  suspects: Array<string>;
  /**
   * How many rows the model was trained on, if known.
   */
  training_rows: number | null;
  /**
   * Whether errors of these rows say how well new rows are predicted.
   */
  rows_are: RowsAre;
  /**
   * Rows that every tree saw, which all trees predict although others are predicted out of bag.
   */
  seen_by_all: number;
  /**
   * How much of the predictions scores explain; none if they do by definition.
   */
  fidelity: Fidelity | null;
  /**
   * What a reader must know before trusting the rest.
   */
  warnings: Array<string>;
  /**
   * Everything else, for the record.
   */
  facts: Array<FactGroup>;
};

/**
 * What the explained rows are to those trees of the model that predict them.
 */
export type RowsAre = "new" | "out_of_bag" | "trained_on" | "unknown";

/**
 * How much of the predictions scores explain.
 */
export type Fidelity = {
  /**
   * The rows it was measured on, such as `hold-out rows`.
   */
  rows: string;
  /**
   * Share of the variation of the model's predictions that base plus scores reproduces (R2).
   */
  share: number;
  /**
   * How much base plus scores moves where the model's prediction moves by one.
   */
  slope: number;
  /**
   * Share of the rows that both put into the same class; none for numbers.
   */
  same_class: number | null;
  /**
   * Below this share a reader is warned, on rows that are new to the model.
   */
  least: number;
};

/**
 * Quality on one sample of rows.
 */
export type Quality = {
  /**
   * What it was measured on, such as `hold-out`.
   */
  sample: string;
  /**
   * How many rows, if known.
   */
  rows: number | null;
  /**
   * The measures.
   */
  measures: Array<Measure>;
};

/**
 * The model's quality beside that of simple predictions, on the same rows.
 */
export type Comparison = {
  /**
   * The rows, such as `hold-out`.
   */
  sample: string;
  /**
   * How many rows.
   */
  rows: number;
  /**
   * The model.
   */
  model: Array<Measure>;
  /**
   * The mean, or the share of each class.
   */
  constant: Array<Measure>;
  /**
   * Least squares on the columns; none for very many.
   */
  linear: Array<Measure> | null;
};

/**
 * One measured number.
 */
export type Measure = {
  /**
   * What was measured, such as `R2`.
   */
  name: string;
  /**
   * The number; NaN if it is not defined.
   */
  value: number | null;
};

/**
 * Facts about one thing.
 */
export type FactGroup = {
  /**
   * The thing.
   */
  title: string;
  /**
   * Name and value of each fact.
   */
  entries: Array<[string, string]>;
};

/**
 * What scores are measured in.
 */
export type ScaleKind = "units" | "probability" | "log_odds" | "log" | "other";

/**
 * What scores mean.
 */
export type Scale = {
  /**
   * What they are measured in.
   */
  kind: ScaleKind;
  /**
   * The same in words, such as `in units of price`.
   */
  text: string;
  /**
   * What base, scores and what they leave unexplained add up to, such as `prediction`.
   */
  total: string;
  /**
   * What a score of each output raises or lowers, such as `the odds that churn is yes`.
   */
  moved: Array<string>;
};

/**
 * How far base plus scores is from the model's output.
 */
export type Additivity = {
  /**
   * Half of all rows are nearer.
   */
  median: number;
  /**
   * 99 of 100 rows are nearer.
   */
  high: number;
  /**
   * The largest difference.
   */
  largest: number;
};

/**
 * What has a score in every row: a column, or several columns as one.
 */
export type Feature = {
  /**
   * Its name.
   */
  name: string;
  /**
   * The columns of a group; empty for a column.
   */
  members: Array<string>;
  /**
   * Mean |score| over all explained rows, one number per output.
   */
  importance: Array<number>;
  /**
   * The cells of a column.
   */
  cells: Cells | null;
  /**
   * What its numbers count, if they are points in time.
   */
  time: TimeUnit | null;
};

/**
 * What the numbers of a column of dates count, from the start of 1970.
 */
export type TimeUnit = "days" | "seconds";

/**
 * Cells of a column, one per row of the page: which of the blocks [`Rows::cells`] they are in, and
 * how many columns come before them there.
 */
export type Cells =
  | {
      kind: "number";
      /**
       * The block.
       */
      block: number;
      /**
       * The place in it.
       */
      at: number;
    }
  | {
      kind: "levels";
      /**
       * The different texts.
       */
      levels: Array<string>;
      /**
       * How many texts the last level stands for; 0 where it is a text of its own.
       */
      rest: number;
      /**
       * Places, from 0, of the levels that the model does not tell apart, each being rare; that of
       * the last too, if this holds for all it stands for.
       */
      pooled: Array<number>;
      /**
       * The block.
       */
      block: number;
      /**
       * The place in it.
       */
      at: number;
    };

/**
 * Arrays over the rows of the page.
 */
export type Rows = {
  /**
   * How many rows the page holds.
   */
  n: number;
  /**
   * The place of each in the table, from 1, rising.
   */
  number: Packed;
  /**
   * What names rows, if there is a column that does.
   */
  key: Key | null;
  /**
   * Cells of the columns, in one block per type of number.
   */
  cells: Array<Packed>;
  /**
   * What scores are added to, by output.
   */
  base: Packed;
  /**
   * Scores, by feature and output.
   */
  scores: Packed;
  /**
   * Standard errors of the scores over the trees.
   */
  errors: Packed | null;
  /**
   * What the model predicts: a number, or the probability of every class.
   */
  predictions: Packed;
  /**
   * What base plus scores is as a prediction, where its scale is another.
   */
  explained_predictions: Packed | null;
  /**
   * What base plus scores leaves of what the scored trees say, on the scale of the scores, by
   * output; none where scores do not explain predictions.
   */
  unexplained: Packed | null;
  /**
   * What leaving out the trees that saw the row changes, by output, where all trees are scored and
   * the prediction is out of bag.
   */
  out_of_bag: Packed | null;
  /**
   * What really happened: a number, or the place of the class; NaN is unknown.
   */
  truth: Packed | null;
};

/**
 * A column that names rows.
 */
export type Key = {
  /**
   * Its name.
   */
  name: string;
  /**
   * Its cell in each row, as it is written in the table.
   */
  texts: Array<string>;
};

/**
 * Columns that say where rows are.
 */
export type MapColumns = {
  /**
   * Name of the column of latitudes.
   */
  latitude: string;
  /**
   * Name of the column of longitudes.
   */
  longitude: string;
  /**
   * Degrees north.
   */
  latitudes: Packed;
  /**
   * Degrees east.
   */
  longitudes: Packed;
};

/**
 * Groups of rows that behave alike.
 */
export type Groups = {
  /**
   * Share of the variation of scores that lies between groups.
   */
  kept: number;
  /**
   * Whether as many groups are found in samples of the rows; none if their number was given.
   */
  stable: boolean | null;
  /**
   * The group of each row of the page, from 0; NaN is none.
   */
  of_rows: Packed;
  /**
   * The groups.
   */
  list: Array<Group>;
};

/**
 * One group.
 */
export type Group = {
  /**
   * Its rows.
   */
  size: number;
  /**
   * Their mean prediction: a number, or the probability of `class`.
   */
  prediction: number;
  /**
   * The class that the prediction and the scores of traits are of; none for numbers.
   */
  class: number | null;
  /**
   * Their error, if the truth is known: root mean squared, or the share of wrong classes.
   */
  error: number | null;
  /**
   * A short rule that finds it.
   */
  rule: Rule;
  /**
   * What sets it apart, the most telling first.
   */
  traits: Array<Trait>;
};

/**
 * A short rule that finds a group.
 */
export type Rule = {
  /**
   * The rule in words.
   */
  text: string;
  /**
   * Share of all rows that it puts on the right side.
   */
  accuracy: number;
  /**
   * Share of the rows it finds that are members.
   */
  precision: number;
  /**
   * Share of the members that it finds.
   */
  recall: number;
};

/**
 * A feature that sets a group apart.
 */
export type Trait = {
  /**
   * The feature.
   */
  feature: number;
  /**
   * Mean score in the group.
   */
  score: number;
  /**
   * Mean score of all other rows.
   */
  score_elsewhere: number;
  /**
   * Usual cell in the group.
   */
  cell: string;
  /**
   * Usual cell of all other rows.
   */
  cell_elsewhere: string;
};

/**
 * How much explanations change from run to run.
 */
export type Stability = {
  /**
   * How many of the largest scores are looked at.
   */
  top: number;
  /**
   * Of each row of the page the mean rank correlation between runs with other seeds.
   */
  of_rows: Packed;
  /**
   * Runs on the same rows, each with another seed.
   */
  seeds: Runs;
  /**
   * Runs on rows drawn with replacement, each with another seed.
   */
  resampled: Runs;
};

/**
 * Fits of the same model; the report's own is the first.
 */
export type Runs = {
  /**
   * How many.
   */
  runs: number;
  /**
   * Mean rank correlation of a row's scores between two runs; none where no row has an order, as
   * with a single feature.
   */
  correlation: number | null;
  /**
   * Mean number of different features among a row's largest over all runs.
   */
  distinct: number;
  /**
   * Mean |score| of each feature in each run.
   */
  importance: Array<Array<number>>;
};

/**
 * Another model on the same rows.
 */
export type OtherModel = {
  /**
   * What it is called.
   */
  name: string;
  /**
   * How many trees and leaves it has.
   */
  trees: string;
  /**
   * What trained it; may be empty.
   */
  trained_by: string;
  /**
   * The method that explains it.
   */
  method: string;
  /**
   * Whether errors of the explained rows say how well it predicts new rows.
   */
  rows_are: RowsAre;
  /**
   * Measures of both models on all explained rows; empty where the truth is not known.
   */
  measures: Array<ComparedMeasure>;
  /**
   * How many rows both predict.
   */
  rows: number;
  /**
   * Mean size of the difference between the predictions: of numbers, of probabilities.
   */
  mean_difference: number;
  /**
   * Share of the rows that both put into the same class; none for numbers.
   */
  same_class: number | null;
  /**
   * What each model uses, the largest share first.
   */
  shares: Array<ComparedShare>;
  /**
   * What it predicts, laid out like [`Rows::predictions`].
   */
  predictions: Packed;
};

/**
 * A measure of two models on the same rows.
 */
export type ComparedMeasure = {
  /**
   * What was measured, such as `R2`.
   */
  name: string;
  /**
   * Of the report's model; NaN if it is not defined.
   */
  own: number | null;
  /**
   * Of the other.
   */
  other: number | null;
};

/**
 * The share of a column in the sum of mean |score|, by two models.
 */
export type ComparedShare = {
  /**
   * The column or group.
   */
  name: string;
  /**
   * Of the report's model; none if that does not read it.
   */
  own: number | null;
  /**
   * Of the other.
   */
  other: number | null;
};

/**
 * One of several methods.
 */
export type MethodResult = {
  /**
   * Its name.
   */
  name: string;
  /**
   * What its scores are measured in.
   */
  scale: string;
  /**
   * Share of each feature in the sum of mean |score|.
   */
  share: Array<number>;
  /**
   * Mean rank correlation of a row's scores with the report's own; none for those.
   */
  agreement: number | null;
  /**
   * Mean share of a row's five largest that are the report's five largest; none for those.
   */
  top_shared: number | null;
};

/**
 * An array of numbers.
 */
export type Packed = {
  /**
   * Their type: `u8`, `u16`, `i16`, `i32`, `u32`, `f32` or `f64`.
   */
  type: "u8" | "u16" | "u32" | "i16" | "i32" | "f32" | "f64";
  /**
   * Base64 of raw deflate of their bytes.
   */
  data: string;
};
