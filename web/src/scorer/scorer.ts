// Predictions and scores of rows by the packed model, as `lmdi score` computes them for new rows: every tree answers.
//
// The other side is crates/lmdi-report/src/page/scorer.rs. Everything is kept in typed arrays; one row costs one walk down
// each tree.

import type { Scorer as Packed } from "../contract";
import { type Numbers, unpack, unpackAsDoubles } from "../data/unpack";

/** A cell: a number, a text, or nothing. */
export type Cell = number | string | null;

export interface Scored {
  /** A number, or the probability of every class. */
  prediction: number[];
  /** Per feature and output; null where the method has no linear models. */
  scores: Float64Array | null;
  base: number[];
}

/** What answers for rows: the model in the page, or a server. */
export interface RowScorer {
  score(rows: Cell[][]): Promise<Scored[]>;
  /** The same without scores, where that is less work. */
  predict(rows: Cell[][]): Promise<Scored[]>;
}

/** |x| up to this is zero where zeros count as missing. */
const ZERO = Math.fround(1e-35);

/** JSON has no NaN. */
function withNaN(numbers: (number | null)[]): number[] {
  return numbers.map((cell) => cell ?? NaN);
}

interface Linear {
  k: number;
  perTree: number;
  first: number[];
  factor: number;
  base: number[];
  step: Numbers;
  centre: Float64Array;
  slope: Float64Array;
  offset: Float64Array;
  ranges: Float64Array;
}

export class Scorer {
  private readonly starts: number[] = [];
  /** The feature of each encoded column. */
  private readonly origin: number[] = [];
  private readonly encodings: (Map<string | null, number[]> | null)[];

  private constructor(
    private readonly packed: Packed,
    sizes: Numbers,
    private readonly feature: Numbers,
    private readonly threshold: Float64Array,
    private readonly left: Numbers,
    private readonly right: Numbers,
    private readonly missing: Numbers,
    private readonly value: Numbers,
    private readonly linear: Linear | null,
  ) {
    let start = 0;
    for (const size of sizes) {
      this.starts.push(start);
      start += size;
    }
    for (const [at, { width }] of packed.columns.entries())
      for (let part = 0; part < width; part++) this.origin.push(at);
    this.encodings = packed.columns.map(
      ({ levels }) =>
        levels && new Map(levels.map(({ text, numbers }) => [text, withNaN(numbers)])),
    );
  }

  static async open(packed: Packed): Promise<Scorer> {
    const { linear } = packed;
    return new Scorer(
      packed,
      await unpack(packed.sizes),
      await unpack(packed.feature),
      await unpackAsDoubles(packed.threshold),
      await unpack(packed.left),
      await unpack(packed.right),
      await unpack(packed.missing),
      await unpack(packed.value),
      linear && {
        k: linear.n_outputs,
        perTree: linear.outputs_of_tree,
        first: linear.first_output,
        factor: linear.factor,
        base: linear.base,
        step: await unpack(linear.step),
        centre: await unpackAsDoubles(linear.centre),
        slope: await unpackAsDoubles(linear.slope),
        offset: await unpackAsDoubles(linear.offset),
        ranges: await unpackAsDoubles(linear.ranges),
      },
    );
  }

  /** Cells as the trees read them. */
  encode(cells: Cell[]): Float64Array {
    const encoded: number[] = [];
    for (const [at, cell] of cells.entries()) {
      const levels = this.encodings[at];
      if (!levels) {
        encoded.push(typeof cell === "number" ? cell : NaN);
        continue;
      }
      const known = levels.get(typeof cell === "number" ? String(cell) : cell);
      encoded.push(...(known ?? withNaN(this.packed.columns[at].unknown)));
    }
    return Float64Array.from(encoded);
  }

  private goesLeft(node: number, cell: number): boolean {
    let x = this.packed.single ? Math.fround(cell) : cell;
    const rule = this.missing[node];
    const isMissing = Number.isNaN(x);
    if (rule === 0 && isMissing) return true;
    if (rule === 1 && isMissing) return false;
    if ((rule === 2 || rule === 3) && (isMissing || Math.abs(x) <= ZERO)) return rule === 2;
    if (rule === 4 && isMissing) x = 0;
    return this.packed.less_equal ? x <= this.threshold[node] : x < this.threshold[node];
  }

  score(cells: Cell[]): Scored {
    const x = this.encode(cells);
    const { packed, linear } = this;
    const raw = new Float64Array(packed.n_outputs);
    const p = packed.columns.length;
    const k = linear?.k ?? 0;
    const sums = linear ? new Float64Array(p * k) : null;
    for (const [tree, start] of this.starts.entries()) {
      let node = start;
      // Inner nodes have a left child, which is never the root.
      while (this.left[node] !== 0) {
        const feature = this.feature[node];
        node = start + (this.goesLeft(node, x[feature]) ? this.left[node] : this.right[node]);
        if (!linear || !sums) continue;
        const at = this.origin[feature] * k + linear.first[tree];
        for (let output = 0; output < linear.perTree; output++)
          sums[at + output] += linear.step[node * linear.perTree + output];
      }
      if (packed.output_of_tree.length > 0) raw[packed.output_of_tree[tree]] += this.value[node];
      else
        for (let output = 0; output < packed.n_outputs; output++)
          raw[output] += this.value[node * packed.n_values + output];
    }
    for (let output = 0; output < raw.length; output++)
      raw[output] = packed.base_score[output] + raw[output] * packed.factor;
    if (linear && sums) this.addLinearTerms(linear, x, sums);
    return { prediction: this.predictionOf(raw), scores: sums, base: linear?.base ?? [] };
  }

  private addLinearTerms(linear: Linear, x: Float64Array, sums: Float64Array): void {
    const { k, ranges } = linear;
    for (const [feature, cell] of x.entries()) {
      const bounded =
        ranges.length > 0
          ? Math.min(Math.max(cell, ranges[2 * feature]), ranges[2 * feature + 1])
          : cell;
      const away = bounded - linear.centre[feature];
      if (Number.isNaN(away)) continue;
      for (let output = 0; output < k; output++) {
        const at = feature * k + output;
        sums[this.origin[feature] * k + output] += linear.slope[at] * away - linear.offset[at];
      }
    }
    for (let at = 0; at < sums.length; at++) sums[at] *= linear.factor;
  }

  private predictionOf(raw: Float64Array): number[] {
    const logistic = (x: number) => 1 / (1 + Math.exp(-x));
    switch (this.packed.link) {
      case "identity":
        return [...raw];
      case "log":
        return [...raw].map(Math.exp);
      case "one_vs_rest":
        return [...raw].map(logistic);
      case "logit":
        return [logistic(-raw[0]), logistic(raw[0])];
      case "softmax": {
        const largest = Math.max(...raw);
        const parts = [...raw].map((x) => Math.exp(x - largest));
        const sum = parts.reduce((a, b) => a + b, 0);
        return parts.map((part) => part / sum);
      }
    }
  }
}
