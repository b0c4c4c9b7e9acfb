// Rows that are similar to the chosen one but have another decision, and what differs.

import { Counterfactuals, type Found, type Wish } from "../../analysis/counterfactual";
import type { Data } from "../../data/data";
import { choice, exact, h, labelled, name, table } from "../../page/dom";
import { decimalsFor, number, percent, shortened, signed } from "../../page/format";
import type { Selection } from "../../page/selection";
import { threshold as thresholdWords, counterfactuals as words } from "../../words";
import { limitsOf } from "./limits";

const SHOWN = 4;
/** Differences listed. */
const CHANGES = 6;

export function counterfactuals(data: Data, selection: Selection): HTMLElement {
  const search = new Counterfactuals(data);
  let near: Wish["space"] = "scores";
  const place = h("div", { id: "counterfactuals" });

  const draw = () => {
    const { row, output, threshold } = selection.now;
    const found = search.of(row, { space: near, threshold, limits: limits.now(), k: SHOWN });
    place.replaceChildren(
      ...(found.length === 0
        ? [h("p", {}, limits.now().length > 0 ? words.noneFits : words.none)]
        : found.map((one, at) => compared(data, row, one, at, output, threshold))),
    );
  };
  const limits = limitsOf(data, draw);
  const line = h("input", { type: "number", step: "any" });
  line.addEventListener("change", () => {
    if (Number.isFinite(line.valueAsNumber)) selection.set({ threshold: line.valueAsNumber });
  });
  selection.watch(["threshold"], ({ threshold }) => {
    line.value = threshold === null ? "" : String(Number(threshold.toPrecision(6)));
  });
  const space = choice(
    [
      { value: "scores", text: words.byScores },
      { value: "cells", text: words.byCells },
    ],
    "scores",
    (value) => {
      near = value === "cells" ? "cells" : "scores";
      draw();
    },
  );
  selection.watch(["row", "output", "threshold"], draw);
  return h(
    "div",
    { class: "counterfactuals" },
    h("h3", {}, words.title),
    h(
      "p",
      {},
      data.width === 1 ? words.ofNumber : words.ofClass,
      words.real(data.n, data.n === data.report.about.rows_explained),
    ),
    h(
      "div",
      { class: "controls" },
      data.width === 1 && labelled(thresholdWords.label, line),
      labelled(words.similarBy, space),
      ...limits.controls,
    ),
    limits.list,
    place,
  );
}

function compared(
  data: Data,
  row: number,
  found: Found,
  at: number,
  output: number,
  threshold: number | null,
): HTMLElement {
  const { labels } = data.report;
  const prediction = data.prediction(found.row);
  const decided =
    labels.length === 0
      ? exact(prediction[0], number(prediction[0]))
      : h(
          "span",
          {},
          name(labels[data.classOf(found.row, threshold)], "cell"),
          ` (${percent(prediction[data.classOf(found.row, threshold)])})`,
        );
  const listed = found.changes.slice(0, CHANGES);
  const more = found.changes.length - listed.length;
  const sizes = listed.flatMap(({ feature }) =>
    [row, found.row].map((of) => Math.abs(data.score(of, feature, output))),
  );
  const text = decimalsFor(Math.max(...sizes, 0));
  return h(
    "div",
    { class: "compared", "data-row": found.row },
    h(
      "h4",
      {},
      ...words.heading(
        at + 1,
        data.number[found.row],
        data.key(found.row) === null ? null : name(data.key(found.row)!, "cell"),
        decided,
      ),
    ),
    table(
      words.differs(data.number[found.row], found.distance, more),
      words.heads(data.k > 1 ? shortened(data.report.outputs[output], 30) : null),
      listed.map(({ feature }) => {
        const score = (of: number) =>
          exact(data.score(of, feature, output), signed(text(data.score(of, feature, output))));
        return [
          name(data.report.features[feature].name),
          name(data.cell(row, feature), "cell"),
          name(data.cell(found.row, feature), "cell"),
          score(row),
          score(found.row),
        ];
      }),
    ),
  );
}
