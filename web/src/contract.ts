// What the page is given: the same structure as crates/lmdi-report/src/page/contract.rs, which documents it.

/** Numbers as base64 of raw deflate of little-endian bytes, all first bytes first, then all second ones. */
export interface Packed {
  type: "u8" | "u16" | "u32" | "i16" | "i32" | "f32" | "f64";
  data: string;
}

export interface Report {
  format: string;
  version: number;
  about: About;
  scale: Scale;
  /** Names of the classes; empty if a number is predicted. */
  labels: string[];
  /** What has scores: one nameless output, or every class. */
  outputs: string[];
  additivity: Additivity | null;
  features: Feature[];
  rows: Rows;
  map: MapColumns | null;
  groups: Groups | null;
  stability: Stability | null;
  methods: MethodResult[];
}

export interface About {
  table: string;
  target: string;
  method: string;
  /** What the explained rows are, such as `training rows`. */
  row_kind: string;
  /** How many rows were explained; the page holds `rows.n` of them. */
  rows_explained: number;
  quality: Quality[];
  /** Share of the differences between the model's own predictions that the explained ones show; null if they are the same. */
  fidelity: number | null;
  warnings: string[];
  facts: FactGroup[];
}

export interface Quality {
  sample: string;
  rows: number | null;
  measures: { name: string; value: number | null }[];
}

export interface FactGroup {
  title: string;
  entries: [string, string][];
}

export interface Scale {
  kind: "units" | "probability" | "log_odds" | "log" | "other";
  /** The scale in words, such as `in units of price`. */
  text: string;
  /** What base plus scores is, such as `prediction`. */
  total: string;
}

/** How far base plus scores is from what it is to add up to. */
export interface Additivity {
  median: number;
  high: number;
  largest: number;
}

export interface Feature {
  name: string;
  /** The columns of a group; empty for a column of the table. */
  members: string[];
  /** Mean |score| over all explained rows, one number per output. */
  importance: number[];
  cells: Cells | null;
}

export type Cells =
  | { kind: "number"; data: Packed }
  /** Codes are places in `levels`, from 1; 0 is missing. */
  | { kind: "levels"; levels: string[]; data: Packed };

/** Arrays over the rows of the page; with several numbers per row, all rows of the first come first. */
export interface Rows {
  n: number;
  number: Packed;
  base: Packed;
  scores: Packed;
  errors: Packed | null;
  /** Of what the scores add up to: a number, or the probability of every class. */
  predictions: Packed;
  /** The model's own predictions, where they are not the same. */
  model_predictions: Packed | null;
  /** What really happened: a number, or the place of the class; NaN is unknown. */
  truth: Packed | null;
}

export interface MapColumns {
  latitude: string;
  longitude: string;
  latitudes: Packed;
  longitudes: Packed;
}

export interface Groups {
  how: string;
  /** What errors are, such as `root mean squared error`; null if the truth is not known. */
  error_name: string | null;
  /** The group of every row of the page; NaN is none. */
  of_rows: Packed;
  list: Group[];
}

export interface Group {
  size: number;
  prediction: number;
  /** What the prediction is, such as `mean prediction`. */
  prediction_name: string;
  error: number | null;
  rule: Rule;
  traits: Trait[];
}

/** A short rule that finds a group. */
export interface Rule {
  text: string;
  /** Share of all rows that it puts on the right side. */
  accuracy: number;
  /** Share of the rows it finds that are members, and of the members that it finds. */
  precision: number;
  recall: number;
}

/** What sets a group apart. */
export interface Trait {
  feature: number;
  /** Mean score in the group, and of all other rows. */
  score: number;
  score_elsewhere: number;
  /** Usual cell in the group, and of all other rows. */
  cell: string;
  cell_elsewhere: string;
}

export interface Stability {
  how: string;
  runs: number;
  /** Mean rank correlation of a row's scores between two runs. */
  correlation: number;
  /** Mean number of different features among a row's `top` in all runs. */
  distinct: number;
  top: number;
  /** Of every row of the page the mean rank correlation between runs. */
  of_rows: Packed;
  /** Importance of every feature in every run. */
  importance: number[][];
}

export interface MethodResult {
  name: string;
  scale: string;
  /** Share of each feature in the sum of mean |score|. */
  share: number[];
  /** Mean rank correlation of a row's scores with those of the report; null for the report's own. */
  agreement: number | null;
  /** Mean share of a row's five largest that are the same. */
  top_shared: number | null;
}
