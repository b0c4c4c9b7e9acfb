// How well rows are predicted, read off predictions and outcomes: calibration, ROC and precision-recall curves, errors of
// slices. Rows without a prediction or an outcome do not count.

import type { Data } from "../data/data";

/** Rows with a prediction and an outcome. */
export function knownRows(data: Data): number[] {
  const { truth } = data;
  if (!truth) return [];
  return Array.from({ length: data.n }, (_, row) => row).filter(
    (row) => !Number.isNaN(truth[row]) && data.prediction(row).every(Number.isFinite),
  );
}

export interface Bin {
  rows: number[];
  predicted: number;
  happened: number;
  /** Wilson's interval of the share that happened, 95 %. */
  low: number;
  high: number;
}

/** Wilson's interval of a share of n, 95 %. */
export function wilson(share: number, n: number): [number, number] {
  const z = 1.959963984540054;
  const centre = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half =
    (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/** These rows by their predicted probability of a class, in bins of as many; equal probabilities stay together. */
export function calibration(
  data: Data,
  label: number,
  bins: number,
  known: readonly number[],
): Bin[] {
  const share = (row: number) => data.probability(row, label);
  const rows = [...known].sort((a, b) => share(a) - share(b) || a - b);
  const found: Bin[] = [];
  let from = 0;
  while (from < rows.length) {
    let to = Math.min(rows.length, from + Math.max(1, Math.ceil(rows.length / bins)));
    while (to < rows.length && share(rows[to]) === share(rows[to - 1])) to++;
    const part = rows.slice(from, to);
    const happened = part.filter((row) => data.truth![row] === label).length / part.length;
    const [low, high] = wilson(happened, part.length);
    const predicted = part.reduce((sum, row) => sum + share(row), 0) / part.length;
    found.push({ rows: part, predicted, happened, low, high });
    from = to;
  }
  return found;
}

export interface Operating {
  threshold: number;
  /** Share of the members of the class that are found. */
  recall: number;
  /** Share of the others that are taken for members. */
  falseAlarms: number;
  /** Share of the found ones that are members. */
  precision: number;
}

/** What each threshold of a class's probability gives for these rows, from the highest to the lowest; nothing where all
 * or none are of the class. */
export function operating(data: Data, label: number, known: readonly number[]): Operating[] {
  const share = (row: number) => data.probability(row, label);
  const rows = [...known].sort((a, b) => share(b) - share(a) || a - b);
  const members = rows.filter((row) => data.truth![row] === label).length;
  const others = rows.length - members;
  if (members === 0 || others === 0) return [];
  const found: Operating[] = [{ threshold: Infinity, recall: 0, falseAlarms: 0, precision: 1 }];
  let [hits, misses] = [0, 0];
  for (const [at, row] of rows.entries()) {
    if (data.truth![row] === label) hits++;
    else misses++;
    if (at + 1 < rows.length && share(rows[at + 1]) === share(row)) continue;
    found.push({
      threshold: share(row),
      recall: hits / members,
      falseAlarms: misses / others,
      precision: hits / (hits + misses),
    });
  }
  return found;
}

/** Area under the curve through these points, by trapezoids. */
export function area(points: [number, number][]): number {
  let sum = 0;
  for (let at = 1; at < points.length; at++) {
    const [[x0, y0], [x1, y1]] = [points[at - 1], points[at]];
    sum += ((x1 - x0) * (y0 + y1)) / 2;
  }
  return sum;
}

export interface Slice {
  name: string;
  rows: number[];
  /** Root mean squared error, or the share predicted wrong. */
  error: number;
  /** Mean prediction less mean outcome; of classes, of the second or chosen one. */
  bias: number;
}

/** Error and bias of some rows. */
export function errorOf(
  data: Data,
  rows: number[],
  threshold: number | null,
  label: number,
): { error: number; bias: number } {
  const truth = data.truth!;
  let [errors, bias] = [0, 0];
  for (const row of rows) {
    if (data.width === 1) {
      const off = data.predicted(row, 0) - truth[row];
      errors += off * off;
      bias += off;
    } else {
      errors += Number(data.classOf(row, threshold) !== truth[row]);
      bias += data.probability(row, label) - Number(truth[row] === label);
    }
  }
  const mean = errors / rows.length;
  return { error: data.width === 1 ? Math.sqrt(mean) : mean, bias: bias / rows.length };
}
