// Every class at a glance: how frequent it is, how well it is found, and what the model uses to predict it.

import type { Data } from "../data/data";
import { knownRows } from "./quality";

export interface ClassSummary {
  label: number;
  /** Rows of the page that are of the class; of rows without an outcome, that are predicted so. */
  rows: number;
  /** Share of its rows that are predicted so; NaN without any. */
  recall: number;
  /** Share of the rows predicted so that are of the class; NaN without any. */
  precision: number;
  /** Features by the mean size of their scores for the class, the largest first. */
  features: number[];
}

/** Features named per class. */
const NAMED = 3;

export function classSummaries(data: Data): ClassSummary[] {
  const { labels, features } = data.report;
  const known = knownRows(data);
  const all = Array.from({ length: data.n }, (_, row) => row);
  const counts = labels.map(() => ({ actual: 0, decided: 0, both: 0 }));
  for (const row of known.length > 0 ? known : all) {
    const decided = data.classOf(row, null);
    const actual = known.length > 0 ? data.truth![row] : decided;
    counts[actual].actual++;
    counts[decided].decided++;
    if (actual === decided) counts[actual].both++;
  }
  return labels.map((_, label) => {
    const { actual, decided, both } = counts[label];
    const size = (at: number) => features[at].importance[label];
    const order = [...data.order].sort((a, b) => size(b) - size(a)).slice(0, NAMED);
    return {
      label,
      rows: actual,
      recall: known.length > 0 && actual > 0 ? both / actual : NaN,
      precision: known.length > 0 && decided > 0 ? both / decided : NaN,
      features: order.filter((at) => size(at) > 0),
    };
  });
}
