// How the score of a feature goes with its value, in a few words.

import { group, mean } from "d3-array";
import type { Data } from "../data/data";

export type Trend =
  | { kind: "raises" | "lowers" | "mixed" | "flat" }
  | { kind: "level"; level: string; lowers: boolean }
  /** Nearly all rows have one value; the others raise or lower the prediction beside it. */
  | { kind: "mostly"; value: number; share: number; others: "raise" | "lower" | "mixed" };

/** Rank correlation of values and scores from which on one goes with the other. */
const CLEAR = 0.6;
/** From this share of equal values on, their order says little. */
const MOSTLY = 0.75;
/** The share of the other values that must agree. */
const AGREED = 0.8;
/** Rows looked at. */
const ROWS = 2000;

/** Ranks from 0; equal numbers share the mean of their places. */
function ranks(numbers: number[]): number[] {
  const order = numbers.map((_, at) => at).sort((a, b) => numbers[a] - numbers[b]);
  const found = new Array<number>(numbers.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && numbers[order[to]] === numbers[order[from]]) to++;
    for (let at = from; at < to; at++) found[order[at]] = (from + to - 1) / 2;
    from = to;
  }
  return found;
}

function correlation(a: number[], b: number[]): number {
  const [ma, mb] = [mean(a) ?? 0, mean(b) ?? 0];
  let [ab, aa, bb] = [0, 0, 0];
  for (const [at, x] of a.entries()) {
    ab += (x - ma) * (b[at] - mb);
    aa += (x - ma) ** 2;
    bb += (b[at] - mb) ** 2;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
}

/** The most frequent number and its rows. */
function mostFrequent(rows: number[], cells: Float64Array): { value: number; rows: number[] } {
  const byValue = group(rows, (row) => cells[row]);
  const [value, of] = [...byValue].reduce((best, one) =>
    one[1].length > best[1].length ? one : best,
  );
  return { value, rows: of };
}

/** Null for a group of columns, and without rows. */
export function trend(data: Data, feature: number, output: number): Trend | null {
  const { cells, levels } = data.columns[feature];
  if (!cells) return null;
  const scores = data.scoresOf(feature, output);
  const step = Math.max(1, Math.floor(data.n / ROWS));
  const rows: number[] = [];
  for (let row = 0; row < data.n; row += step)
    if (!data.isMissing(row, feature) && Number.isFinite(scores[row])) rows.push(row);
  if (rows.length === 0) return null;
  if (levels) {
    const sums = new Map<number, { sum: number; n: number }>();
    for (const row of rows) {
      const of = sums.get(cells[row]) ?? { sum: 0, n: 0 };
      sums.set(cells[row], { sum: of.sum + scores[row], n: of.n + 1 });
    }
    // A level that moves predictions most has many rows or large scores.
    const [code, { sum }] = [...sums].sort(([, a], [, b]) => Math.abs(b.sum) - Math.abs(a.sum))[0];
    return { kind: "level", level: data.levelText(feature, code), lowers: sum < 0 };
  }
  if (rows.every((row) => scores[row] === 0)) return { kind: "flat" };
  const most = mostFrequent(rows, cells);
  const others = rows.filter((row) => cells[row] !== most.value);
  if (others.length > 0 && most.rows.length >= MOSTLY * rows.length) {
    const usual = mean(most.rows, (row) => scores[row]) ?? 0;
    const higher = others.filter((row) => scores[row] > usual).length / others.length;
    return {
      kind: "mostly",
      value: most.value,
      share: most.rows.length / rows.length,
      others: higher >= AGREED ? "raise" : higher <= 1 - AGREED ? "lower" : "mixed",
    };
  }
  const found = correlation(
    ranks(rows.map((row) => cells[row])),
    ranks(rows.map((row) => scores[row])),
  );
  if (Math.abs(found) < CLEAR) return { kind: "mixed" };
  return { kind: found > 0 ? "raises" : "lowers" };
}
