// The report with its arrays unpacked, and questions about its rows.

import type { Feature, Packed, Report } from "../contract";
import { cellNumber, timeText } from "../page/format";
import { page } from "../words";
import { type Numbers, unpack, unpackAsDoubles } from "./unpack";

export interface Column {
  feature: Feature;
  at: number;
  /** Numbers, or codes of levels from 1 (0 is missing); null for a group of columns. */
  cells: Float64Array | null;
  levels: string[] | null;
  /** How many texts the last level stands for; 0 where it is one. */
  rest: number;
  /** Codes of the levels that the model does not tell apart. */
  pooled: ReadonlySet<number>;
}

export class Data {
  readonly n: number;
  readonly p: number;
  readonly k: number;
  /** Numbers in a row's prediction. */
  readonly width: number;
  /** Features from the most important to the least. */
  readonly order: readonly number[];
  private readonly placeOfNumber = new Map<number, number>();
  private readonly placeOfKey = new Map<string, number>();

  private constructor(
    readonly report: Report,
    readonly columns: Column[],
    readonly number: Numbers,
    private readonly bases: Float64Array,
    private readonly scores: Float64Array,
    private readonly errors: Numbers | null,
    private readonly predictions: Float64Array,
    private readonly explainedPredictions: Float64Array | null,
    private readonly unexplainedParts: Float64Array | null,
    private readonly outOfBagParts: Float64Array | null,
    readonly truth: Float64Array | null,
    readonly groupOf: Float64Array | null,
    readonly places: { latitudes: Float64Array; longitudes: Float64Array } | null,
    readonly steadiness: Numbers | null,
    private readonly otherPredictions: Float64Array | null,
  ) {
    this.n = report.rows.n;
    this.p = report.features.length;
    this.k = report.outputs.length;
    this.width = Math.max(1, report.labels.length);
    const sizes = columns.map(({ at }) => this.importance(at));
    this.order = columns.map(({ at }) => at).sort((a, b) => sizes[b] - sizes[a] || a - b);
    for (const [row, number] of this.number.entries()) this.placeOfNumber.set(number, row);
    for (const [row, key] of (report.rows.key?.texts ?? []).entries())
      this.placeOfKey.set(key, row);
  }

  static async open(report: Report): Promise<Data> {
    const { rows, map } = report;
    const [blocks, number, errors, steadiness] = await Promise.all([
      Promise.all(rows.cells.map(unpackAsDoubles)),
      unpack(rows.number),
      rows.errors && unpack(rows.errors),
      report.stability && unpack(report.stability.of_rows),
    ]);
    const columns = report.features.map((feature, at) => columnOf(feature, at, rows.n, blocks));
    const doubles = (packed: Packed | null | undefined) =>
      packed ? unpackAsDoubles(packed) : Promise.resolve(null);
    const [predictions, explained, unexplained, outOfBag, truth, groups, other] = await Promise.all(
      [
        doubles(rows.predictions),
        doubles(rows.explained_predictions),
        doubles(rows.unexplained),
        doubles(rows.out_of_bag),
        doubles(rows.truth),
        doubles(report.groups?.of_rows),
        doubles(report.other_model?.predictions),
      ],
    );
    const [bases, scores, latitudes, longitudes] = await Promise.all([
      unpackAsDoubles(rows.base),
      unpackAsDoubles(rows.scores),
      doubles(map?.latitudes),
      doubles(map?.longitudes),
    ]);
    return new Data(
      report,
      columns,
      number,
      bases,
      scores,
      errors,
      predictions!,
      explained,
      unexplained,
      outOfBag,
      truth,
      groups,
      latitudes && longitudes && { latitudes, longitudes },
      steadiness,
      other,
    );
  }

  score(row: number, feature: number, output: number): number {
    return this.scores[(feature * this.k + output) * this.n + row];
  }

  /** Scores of a feature, row by row. */
  scoresOf(feature: number, output: number): Float64Array {
    const from = (feature * this.k + output) * this.n;
    return this.scores.subarray(from, from + this.n);
  }

  base(row: number, output: number): number {
    return this.bases[output * this.n + row];
  }

  /** Standard error over the trees; NaN where there is none. */
  error(row: number, feature: number, output: number): number {
    return this.errors ? this.errors[(feature * this.k + output) * this.n + row] : NaN;
  }

  get hasErrors(): boolean {
    return this.errors !== null;
  }

  /** Base plus scores. */
  explained(row: number, output: number): number {
    let sum = 0;
    for (let feature = 0; feature < this.p; feature++) sum += this.score(row, feature, output);
    return this.base(row, output) + sum;
  }

  /** Base plus scores as a prediction; null where that is the same. */
  explainedPrediction(row: number): number[] | null {
    const cells = this.explainedPredictions;
    return cells && Array.from({ length: this.width }, (_, at) => cells[at * this.n + row]);
  }

  /** What base plus scores leaves of the prediction; null where scores explain something else. */
  unexplained(row: number, output: number): number | null {
    return this.unexplainedParts?.[output * this.n + row] ?? null;
  }

  /** What leaving out the trees that saw the row changes; null where that is not told apart. */
  outOfBag(row: number, output: number): number | null {
    return this.outOfBagParts?.[output * this.n + row] ?? null;
  }

  /** Whether base plus scores is the model's output by definition. */
  get isExact(): boolean {
    return this.report.additivity !== null;
  }

  /** What the model predicts. */
  prediction(row: number): number[] {
    return Array.from({ length: this.width }, (_, at) => this.predictions[at * this.n + row]);
  }

  /** The probability of a class. */
  probability(row: number, label: number): number {
    return this.predictions[label * this.n + row];
  }

  /** One number that orders rows by their prediction: the number, or the probability of the explained class. */
  predicted(row: number, output: number): number {
    if (this.width === 1) return this.predictions[row];
    return this.predictions[(this.k > 1 ? output : this.width - 1) * this.n + row];
  }

  /** What the other model predicts; null without one. */
  otherPrediction(row: number): number[] | null {
    const cells = this.otherPredictions;
    return cells && Array.from({ length: this.width }, (_, at) => cells[at * this.n + row]);
  }

  /** How far apart two models are: numbers and probabilities of the second of two classes with a sign, of more classes
   * the share of probability that goes to another one. NaN without another model. */
  modelDifference(row: number): number {
    const [own, other] = [this.prediction(row), this.otherPrediction(row)];
    if (!other) return NaN;
    if (this.width <= 2) return other[this.width - 1] - own[this.width - 1];
    return own.reduce((sum, share, at) => sum + Math.abs(other[at] - share), 0) / 2;
  }

  /** The class that is predicted: by the threshold of two classes, else the most probable, the first of equals. */
  classOf(row: number, threshold: number | null): number {
    return this.decided(this.prediction(row), threshold);
  }

  /** The class that these probabilities decide for. */
  decided(shares: number[], threshold: number | null): number {
    if (threshold !== null && this.width === 2) return Number(shares[1] >= threshold);
    return shares.reduce((best, share, at) => (share > shares[best] ? at : best), 0);
  }

  /** The side of a decision: of a number, whether it reaches the threshold; else the class. */
  sideOf(row: number, threshold: number | null): number {
    if (this.width === 1) return Number(this.predictions[row] >= (threshold ?? NaN));
    return this.classOf(row, threshold);
  }

  /** How wrong the prediction is; NaN where the truth is not known. A wrong class is more than a right one. */
  wrongness(row: number, threshold: number | null): number {
    const truth = this.truth ? this.truth[row] : NaN;
    if (Number.isNaN(truth)) return NaN;
    if (this.width === 1) return Math.abs(this.predictions[row] - truth);
    return (
      Number(this.classOf(row, threshold) !== truth) + 1 - this.predictions[truth * this.n + row]
    );
  }

  /** What names a row in the table; null without such a column. */
  key(row: number): string | null {
    return this.report.rows.key?.texts[row] ?? null;
  }

  isMissing(row: number, feature: number): boolean {
    const { cells, levels } = this.columns[feature];
    return cells !== null && (levels ? cells[row] === 0 : Number.isNaN(cells[row]));
  }

  /** The cell as text; empty for a group of columns. */
  cell(row: number, feature: number): string {
    const { cells, levels } = this.columns[feature];
    if (!cells) return "";
    if (this.isMissing(row, feature)) return page.missing;
    return levels ? this.levelText(feature, cells[row]) : this.cellText(feature, cells[row]);
  }

  /** A level by its code, which is not 0. */
  levelText(feature: number, code: number): string {
    const { levels, rest } = this.columns[feature];
    return rest > 0 && code === levels!.length ? page.rest(rest) : levels![code - 1];
  }

  /** Whether the model does not tell a level from others, because each was rare in training. */
  isRare(feature: number, code: number): boolean {
    return this.columns[feature].pooled.has(code);
  }

  /** A number of a column as its cells are written. */
  cellText(feature: number, x: number): string {
    const { time } = this.columns[feature].feature;
    return time ? timeText(x, time) : cellNumber(x);
  }

  /** The row of the page with this key. */
  rowOfKey(key: string): number | undefined {
    return this.placeOfKey.get(key);
  }

  /** The row of the page with this number in the table. */
  rowOfNumber(number: number): number | undefined {
    return this.placeOfNumber.get(number);
  }

  /** Mean size of a feature's scores; of several classes their sum, as in the command and in Python. */
  importance(feature: number): number {
    return this.report.features[feature].importance.reduce((sum, size) => sum + size, 0);
  }
}

function columnOf(feature: Feature, at: number, n: number, blocks: Float64Array[]): Column {
  const { cells } = feature;
  const isText = cells?.kind === "levels";
  return {
    feature,
    at,
    cells: cells && blocks[cells.block].subarray(cells.at * n, (cells.at + 1) * n),
    levels: isText ? cells.levels : null,
    rest: isText ? cells.rest : 0,
    pooled: new Set(isText ? cells.pooled.map((place) => place + 1) : []),
  };
}
