// One row from the base to the prediction: its scores, the largest first, and what they leave unexplained.

import type { Data } from "../data/data";
import { waterfall as words } from "../words";

export interface Step {
  kind: "score" | "left";
  label: string;
  /** The cell as text; null where the step is of no single column. */
  cell: string | null;
  score: number;
  /** Standard error over the trees; NaN where there is none. */
  error: number;
  feature: number | null;
}

export interface Account {
  base: number;
  steps: Step[];
  total: number;
  /** The outcome on the scale of the scores, where it has a place there. */
  actual: number | null;
}

/** Features listed one by one. */
export const FEW = 12;

/** Features of a row by the size of their scores. */
export function bySize(data: Data, row: number, output: number): number[] {
  const size = (at: number) => Math.abs(data.score(row, at, output));
  return data.columns.map(({ at }) => at).sort((a, b) => size(b) - size(a) || a - b);
}

export function accountOf(data: Data, row: number, output: number, all: boolean): Account {
  const order = bySize(data, row, output);
  const few = all || order.length <= FEW + 1 ? order.length : FEW;
  const steps: Step[] = order.slice(0, few).map((at) => ({
    kind: "score",
    label: data.report.features[at].name,
    cell: data.columns[at].cells ? data.cell(row, at) : null,
    score: data.score(row, at, output),
    error: data.error(row, at, output),
    feature: at,
  }));
  const push = (kind: Step["kind"], label: string, score: number | null) => {
    if (score !== null && Number.isFinite(score))
      steps.push({ kind, label, cell: null, score, error: NaN, feature: null });
  };
  if (few < order.length) {
    const rest = order.slice(few).reduce((sum, at) => sum + data.score(row, at, output), 0);
    push("score", words.others(order.length - few), rest);
  }
  if (!data.isExact) push("left", words.notExplained, data.unexplained(row, output));
  push("left", words.leftOut, data.outOfBag(row, output));
  const left = steps.reduce((sum, { kind, score }) => sum + (kind === "left" ? score : 0), 0);
  const truth = data.truth ? data.truth[row] : NaN;
  return {
    base: data.base(row, output),
    steps,
    total: data.explained(row, output) + left,
    actual: data.report.scale.kind === "units" && Number.isFinite(truth) ? truth : null,
  };
}

/** Standard errors to each side: about 95 %. */
export const SPREAD = 2;

/** From where to where steps lead, with their errors and the outcome. */
export function extentOf({ base, steps, total, actual }: Account): [number, number] {
  const ends = [base, total, ...(actual === null ? [] : [actual])];
  let at = base;
  for (const { score, error } of steps) {
    at += score;
    const spread = Number.isFinite(error) ? SPREAD * error : 0;
    ends.push(at - spread, at + spread);
  }
  const known = ends.filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const margin = (high - low || 1) * 0.03;
  return [low - margin, high + margin];
}

/** Probabilities that people know, the fewest first. */
const CHANCES = [
  [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999],
  [0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999],
  Array.from({ length: 19 }, (_, at) => (at + 1) / 20),
  Array.from({ length: 99 }, (_, at) => (at + 1) / 100),
];
/** An axis has at least so many marks, where there are as many. */
const FEWEST_CHANCES = 3;

/** Probabilities that an axis beside log-odds shows, and their log-odds. */
export function chancesWithin(low: number, high: number): { chance: number; at: number }[] {
  const inside = CHANCES.map((chances) =>
    chances
      .map((chance) => ({ chance, at: Math.log(chance / (1 - chance)) }))
      .filter(({ at }) => at >= low && at <= high),
  );
  return inside.find((found) => found.length >= FEWEST_CHANCES) ?? inside[inside.length - 1];
}
