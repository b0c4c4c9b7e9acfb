// Counterfactuals: the nearest rows on the other side of the decision.
//
// The rule is that of `lmdi counterfactual`, looked up among the rows of the page so that it can follow what is fixed and
// where the line is drawn: the sum of absolute differences, between scores or between cells. Among cells a number counts in
// standard deviations, a category one where it differs, and so does a cell that is missing on one side only.

import type { Data } from "../data/data";

/** What the other row's cell of a feature must be; a feature may have several limits. */
export type Limit = { feature: number } & (
  | { kind: "fixed" | "up" | "down" }
  /** Null is no bound. */
  | { kind: "range"; from: number | null; to: number | null }
  /** Codes of levels; 0 is missing. */
  | { kind: "levels"; allowed: ReadonlySet<number> }
);

export interface Wish {
  space: "scores" | "cells";
  /** Where decisions change, as in the page's choice. */
  threshold: number | null;
  /** All of them hold. */
  limits: readonly Limit[];
  k: number;
}

export interface Found {
  row: number;
  distance: number;
  /** Features whose cells differ, by how much their scores differ, the largest first. */
  changes: { feature: number; scoreChange: number }[];
}

/** One where cells do not vary. */
function deviation(cells: Float64Array): number {
  const present = cells.filter((x) => !Number.isNaN(x));
  const mean = present.reduce((sum, x) => sum + x, 0) / Math.max(1, present.length);
  const variance =
    present.reduce((sum, x) => sum + (x - mean) * (x - mean), 0) / Math.max(1, present.length);
  const root = Math.sqrt(variance);
  return root > 0 && Number.isFinite(root) ? root : 1;
}

export class Counterfactuals {
  private readonly deviations: number[];
  private readonly known: boolean[];

  constructor(private readonly data: Data) {
    this.deviations = data.columns.map(({ cells, levels }) =>
      cells && !levels ? deviation(cells) : 1,
    );
    this.known = Array.from({ length: data.n }, (_, row) => {
      for (let feature = 0; feature < data.p; feature++) {
        for (let output = 0; output < data.k; output++)
          if (!Number.isFinite(data.score(row, feature, output))) return false;
      }
      return data.prediction(row).every(Number.isFinite);
    });
  }

  /** The nearest rows that fit, the earlier first of equals. */
  of(row: number, wish: Wish): Found[] {
    const { data } = this;
    if (!this.known[row]) return [];
    const own = data.sideOf(row, wish.threshold);
    const best: { row: number; distance: number }[] = [];
    for (let other = 0; other < data.n; other++) {
      if (
        !this.known[other] ||
        data.sideOf(other, wish.threshold) === own ||
        !wish.limits.every((limit) => this.allowed(row, other, limit))
      )
        continue;
      const distance =
        wish.space === "scores" ? this.betweenScores(row, other) : this.betweenCells(row, other);
      if (best.length === wish.k && distance >= best[wish.k - 1].distance) continue;
      let place = best.length;
      while (place > 0 && best[place - 1].distance > distance) place--;
      best.splice(place, 0, { row: other, distance });
      best.length = Math.min(best.length, wish.k);
    }
    return best.map((found) => ({ ...found, changes: this.changes(row, found.row) }));
  }

  private allowed(row: number, other: number, limit: Limit): boolean {
    const { cells } = this.data.columns[limit.feature];
    if (limit.kind === "levels") return cells !== null && limit.allowed.has(cells[other]);
    if (limit.kind === "range") {
      // False where the cell is missing.
      const [from, to] = [limit.from ?? -Infinity, limit.to ?? Infinity];
      return cells !== null && cells[other] >= from && cells[other] <= to;
    }
    if (this.same(row, other, limit.feature)) return true;
    if (!cells || limit.kind === "fixed") return false;
    return limit.kind === "up" ? cells[other] > cells[row] : cells[other] < cells[row];
  }

  /** Whether two cells are equal; of a group of columns, whether their scores are. */
  private same(row: number, other: number, feature: number): boolean {
    const { cells } = this.data.columns[feature];
    if (!cells) return this.scoreChange(row, other, feature) === 0;
    return cells[row] === cells[other] || (Number.isNaN(cells[row]) && Number.isNaN(cells[other]));
  }

  private scoreChange(row: number, other: number, feature: number): number {
    let sum = 0;
    for (let output = 0; output < this.data.k; output++) {
      sum += Math.abs(
        this.data.score(row, feature, output) - this.data.score(other, feature, output),
      );
    }
    return sum;
  }

  private betweenScores(row: number, other: number): number {
    let sum = 0;
    for (let feature = 0; feature < this.data.p; feature++)
      sum += this.scoreChange(row, other, feature);
    return sum;
  }

  private betweenCells(row: number, other: number): number {
    let sum = 0;
    for (const { at, cells, levels } of this.data.columns) {
      if (!cells || this.same(row, other, at)) continue;
      const oneMissing = this.data.isMissing(row, at) || this.data.isMissing(other, at);
      sum += oneMissing || levels ? 1 : Math.abs(cells[row] - cells[other]) / this.deviations[at];
    }
    return sum;
  }

  private changes(row: number, other: number): Found["changes"] {
    const differ = this.data.columns.filter(({ at }) => !this.same(row, other, at));
    const changes = differ.map(({ at }) => ({
      feature: at,
      scoreChange: this.scoreChange(row, other, at),
    }));
    return changes.sort((a, b) => b.scoreChange - a.scoreChange || a.feature - b.feature);
  }
}
