// Rows that are similar to the chosen one but have another decision, and what differs.

import { extent } from "d3-array";
import { Counterfactuals, type Found, type Limit, type Wish } from "../../analysis/counterfactual";
import type { Data } from "../../data/data";
import { choice, exact, h, labelled, name, table } from "../../page/dom";
import { decimalsFor, number, percent, shortened, signed } from "../../page/format";
import type { Selection } from "../../page/selection";
import { threshold as thresholdWords, counterfactuals as words } from "../../words";

const SHOWN = 4;
/** Differences listed. */
const CHANGES = 6;

export function counterfactuals(data: Data, selection: Selection): HTMLElement {
  const search = new Counterfactuals(data);
  const wish: Wish = {
    space: "scores",
    threshold: selection.now.threshold,
    limits: new Map(),
    k: SHOWN,
  };
  const place = h("div", { id: "counterfactuals" });
  const limits = h("ul", { class: "chips", "aria-label": words.limits });

  const draw = () => {
    const { row, output, threshold } = selection.now;
    const found = search.of(row, { ...wish, threshold });
    place.replaceChildren(
      ...(found.length === 0
        ? [h("p", {}, words.none)]
        : found.map((one, at) => compared(data, row, one, at, output, threshold))),
    );
  };
  const rangeInputs = (feature: number, limit: { kind: "range"; from: number; to: number }) => {
    const input = (end: "from" | "to") => {
      const control = h("input", {
        type: "number",
        step: "any",
        value: limit[end],
        "aria-label": `${shortened(data.report.features[feature].name, 60)} ${words[end]}`,
      });
      control.addEventListener("change", () => {
        if (!Number.isFinite(control.valueAsNumber)) return;
        limit[end] = control.valueAsNumber;
        draw();
      });
      return control;
    };
    return h(
      "span",
      { class: "range" },
      words.from,
      " ",
      input("from"),
      " ",
      words.to,
      " ",
      input("to"),
      " ",
    );
  };
  const listLimits = () => {
    limits.replaceChildren(
      ...[...wish.limits].map(([feature, limit]) =>
        h(
          "li",
          {},
          name(data.report.features[feature].name),
          ` ${words.limit[limit.kind]} `,
          limit.kind === "range" && rangeInputs(feature, limit),
          h(
            "button",
            {
              class: "link",
              "aria-label": words.removeLimit(shortened(data.report.features[feature].name, 60)),
              onclick: () => setLimit(feature, null),
            },
            words.remove,
          ),
        ),
      ),
    );
  };
  const setLimit = (feature: number, limit: Limit | null) => {
    if (limit) wish.limits.set(feature, limit);
    else wish.limits.delete(feature);
    listLimits();
    draw();
  };
  const options = data.columns.flatMap(({ at, feature, cells, levels }) => {
    const text = shortened(feature.name, 50);
    const fixed = { value: `fixed ${at}`, text: `${text} ${words.limit.fixed}` };
    if (!cells || levels) return [fixed];
    return [
      fixed,
      { value: `up ${at}`, text: `${text} ${words.limit.up}` },
      { value: `down ${at}`, text: `${text} ${words.limit.down}` },
      { value: `range ${at}`, text: `${text} ${words.limit.range}` },
    ];
  });
  const adding: HTMLSelectElement = choice(
    [{ value: "", text: words.addLimit }, ...options],
    "",
    (value) => {
      const [kind, at] = value.split(" ");
      if (kind === "fixed" || kind === "up" || kind === "down") setLimit(Number(at), { kind });
      // At first the range of the column.
      if (kind === "range") {
        const [from, to] = extent(data.columns[Number(at)].cells ?? []);
        setLimit(Number(at), { kind, from: from ?? 0, to: to ?? 0 });
      }
      adding.value = "";
    },
  );
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
      wish.space = value === "cells" ? "cells" : "scores";
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
      labelled(words.mayChange, adding),
    ),
    limits,
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
