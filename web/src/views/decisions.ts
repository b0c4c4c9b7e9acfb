// The decision threshold of two classes, for the whole page, and how decisions fare at it.

import type { Data } from "../data/data";
import { exact, h, labelled, name, section, table } from "../page/dom";
import { count, percent, shortened } from "../page/format";
import type { Selection } from "../page/selection";
import { threshold as words } from "../words";
import { markRows } from "./marking";

/** Steps of the slider from 0 to 1. */
const STEP = 0.01;
/** Where the most probable of two classes changes. */
const HALF = 0.5;

/** Rows by actual class and decision: the first row of cells is of the first class. */
export function confusion(data: Data, threshold: number | null): number[][][] {
  const cells = data.report.labels.map(() => data.report.labels.map((): number[] => []));
  for (const [row, truth] of data.truth?.entries() ?? []) {
    if (Number.isNaN(truth) || Number.isNaN(data.predicted(row, 0))) continue;
    cells[truth][data.classOf(row, threshold)].push(row);
  }
  return cells;
}

export function decisions(data: Data, selection: Selection): HTMLElement | null {
  if (data.width !== 2) return null;
  const { labels, about, threshold: own } = data.report;
  const slider = h("input", { type: "range", min: 0, max: 1, step: STEP, id: "threshold-slider" });
  const exactly = h("input", {
    type: "number",
    min: 0,
    max: 1,
    step: "any",
    id: "threshold-number",
  });
  const told = h("p", { id: "threshold", role: "status" });
  const place = h("div", { id: "confusion" });
  const set = (typed: number) => {
    if (!(typed >= 0 && typed <= 1)) return;
    // One half is the most probable class, in which ties go to the first, unless the model says otherwise.
    selection.set({ threshold: own === null && typed === HALF ? null : typed });
  };
  slider.addEventListener("input", () => set(slider.valueAsNumber));
  exactly.addEventListener("change", () => set(exactly.valueAsNumber));
  const models = percent(own ?? HALF, Number.isInteger((own ?? HALF) * 100) ? 0 : 1);
  selection.watch(["threshold"], ({ threshold }) => {
    const now = threshold ?? HALF;
    slider.value = String(now);
    slider.setAttribute("aria-valuetext", percent(now));
    exactly.value = String(now);
    told.replaceChildren(
      ...words.ofClass(name(labels[1], "cell"), exact(now, percent(now))),
      " ",
      words.models(models),
    );
  });
  selection.watch(["threshold", "marked"], ({ threshold }) =>
    place.replaceChildren(...fared(data, threshold, selection)),
  );
  return section(
    "decisions",
    words.title,
    h(
      "div",
      { class: "controls" },
      labelled(words.label, slider),
      labelled(words.exactly, exactly),
      h("button", { id: "threshold-reset", onclick: () => set(own ?? HALF) }, words.reset(models)),
    ),
    told,
    about.rows_are === "trained_on" && data.truth ? h("p", {}, words.trainedOn) : place,
  );
}

/** The number of rows in a cell, which can be marked. */
export function confusedCell(
  data: Data,
  selection: Selection,
  rows: number[],
  actual: number,
  decided: number,
): HTMLElement {
  const { labels } = data.report;
  const shown = exact(rows.length, count(rows.length));
  if (rows.length === 0) return shown;
  const { marked } = selection.now;
  const title = words.cell(shortened(labels[actual], 40), shortened(labels[decided], 40));
  const chosen = marked ? rows.filter((row) => marked.rows.has(row)).length : 0;
  return h(
    "button",
    {
      class: "link number",
      title: words.markCell,
      "aria-label": words.cellLabel(rows.length, title),
      "aria-pressed": String(marked?.name === title),
      onclick: () => markRows(selection, title, rows),
    },
    shown,
    marked && h("span", { class: "quiet" }, words.markedInCell(chosen)),
  );
}

/** What the rows are to the trees that decide about them, after their number. */
export function decidedHow(data: Data): string {
  const how = {
    new: words.unseen,
    out_of_bag: words.outOfBag,
    unknown: words.perhaps,
    trained_on: "",
  };
  return how[data.report.about.rows_are];
}

/** How decisions fare, on rows that the model was not trained on. */
export function fared(data: Data, threshold: number | null, selection: Selection): Node[] {
  const { labels } = data.report;
  const rowsOf = confusion(data, threshold);
  const counts = rowsOf.map((cells) => cells.map(({ length }) => length));
  const known = counts.flat().reduce((sum, n) => sum + n, 0);
  if (known === 0) return [];
  const right = counts.reduce((sum, cells, at) => sum + cells[at], 0);
  return [
    table(
      (labels.length === 2 ? words.confusion : words.mostProbable)(known, decidedHow(data)),
      [
        words.actual,
        ...labels.map((label) => h("span", {}, words.decided, name(label, "cell"))),
        words.found,
      ],
      counts.map((cells, at) => {
        const all = cells.reduce((sum, n) => sum + n, 0);
        return [
          name(shortened(labels[at], 60), "cell"),
          ...rowsOf[at].map((rows, decided) => confusedCell(data, selection, rows, at, decided)),
          all > 0 ? percent(cells[at] / all) : "",
        ];
      }),
    ),
    h("p", {}, ...words.correct(h("strong", {}, percent(right / known)))),
  ];
}
