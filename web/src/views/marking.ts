// Marking rows in the whole page, from the parts that show them.

import { extent } from "d3-array";
import type { Place } from "../charts/strip";
import type { Data } from "../data/data";
import { h } from "../page/dom";
import { number, shortened } from "../page/format";
import type { Selection } from "../page/selection";
import { marking as words } from "../words";

/** Marks rows everywhere; nothing where there are none. */
export function markRows(selection: Selection, name: string, rows: number[]): void {
  if (rows.length > 0) selection.set({ marked: { name, rows: new Set(rows) } });
}

/** Marks the rows whose score of a feature lies within a part of a strip's axis. */
export function markScores(
  data: Data,
  selection: Selection,
  feature: number,
  place: Place,
  among: readonly number[] | null = null,
): (from: number, to: number) => void {
  return (from, to) => {
    const scores = data.scoresOf(feature, selection.now.output);
    const rows = (among ?? [...scores.keys()]).filter((row) => {
      const at = place(scores[row]);
      return at >= from && at <= to;
    });
    const [low, high] = extent(rows, (row) => scores[row]);
    const title = shortened(data.report.features[feature].name, 60);
    markRows(selection, words.scores(title, number(low ?? NaN), number(high ?? NaN)), rows);
  };
}

/** Marks rows everywhere, or takes the marks away. */
export function markButton(
  selection: Selection,
  marked: Selection["now"]["marked"],
  title: string,
  rows: number[],
): HTMLElement {
  const isMarked = marked?.name === title;
  return h(
    "button",
    {
      class: "link press",
      "aria-pressed": String(isMarked),
      onclick: () =>
        selection.set({ marked: isMarked ? null : { name: title, rows: new Set(rows) } }),
    },
    isMarked ? words.unmark : words.mark,
  );
}
