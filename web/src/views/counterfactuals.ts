// Rows that are similar to the chosen one but have another decision, and what differs.

import { Counterfactuals, type Found, sideOf, type Wish } from "../counterfactual";
import type { Data } from "../data";
import { choice, exact, h, labelled, name, table } from "../dom";
import { count, number, percent, shortened, signed } from "../format";
import type { Selection } from "../selection";

const SHOWN = 4;
/** Differences listed. */
const CHANGES = 6;

export function counterfactuals(data: Data, selection: Selection): HTMLElement {
  const search = new Counterfactuals(data);
  const wish: Wish = {
    space: "scores",
    threshold: data.report.middle ?? 0,
    limits: new Map(),
    k: SHOWN,
  };
  const place = h("div", { id: "counterfactuals" });
  const limits = h("ul", { class: "chips", "aria-label": "Limits" });

  const draw = () => {
    const { row, output } = selection.now;
    const found = search.of(row, wish);
    place.replaceChildren(
      ...(found.length === 0
        ? [h("p", {}, "No row in this page is on the other side and fits.")]
        : found.map((one, at) => compared(data, row, one, at, output))),
    );
  };
  const listLimits = () => {
    limits.replaceChildren(
      ...[...wish.limits].map(([feature, limit]) =>
        h(
          "li",
          {},
          name(data.report.features[feature].name),
          { fixed: " must stay as it is ", up: " may only rise ", down: " may only fall " }[limit],
          h(
            "button",
            {
              class: "link",
              "aria-label": `Remove the limit of ${shortened(data.report.features[feature].name, 60)}`,
              onclick: () => setLimit(feature, null),
            },
            "remove",
          ),
        ),
      ),
    );
  };
  const setLimit = (feature: number, limit: "fixed" | "up" | "down" | null) => {
    if (limit) wish.limits.set(feature, limit);
    else wish.limits.delete(feature);
    listLimits();
    draw();
  };
  const options = data.columns.flatMap(({ at, feature, cells, levels }) => {
    const text = shortened(feature.name, 50);
    const fixed = { value: `fixed ${at}`, text: `${text} must stay as it is` };
    if (!cells || levels) return [fixed];
    return [
      fixed,
      { value: `up ${at}`, text: `${text} may only rise` },
      { value: `down ${at}`, text: `${text} may only fall` },
    ];
  });
  const adding: HTMLSelectElement = choice(
    [{ value: "", text: "add a limit …" }, ...options],
    "",
    (value) => {
      const [limit, at] = value.split(" ");
      if (limit === "fixed" || limit === "up" || limit === "down") setLimit(Number(at), limit);
      adding.value = "";
    },
  );
  const line = h("input", {
    type: "number",
    step: "any",
    value: String(Number(wish.threshold.toPrecision(6))),
  });
  line.addEventListener("change", () => {
    if (!Number.isFinite(line.valueAsNumber)) return;
    wish.threshold = line.valueAsNumber;
    draw();
  });
  const space = choice(
    [
      { value: "scores", text: "scores: the same reasons" },
      { value: "cells", text: "values: the same facts" },
    ],
    "scores",
    (value) => {
      wish.space = value === "cells" ? "cells" : "scores";
      draw();
    },
  );
  selection.watch(["row", "output"], draw);
  return h(
    "div",
    { class: "counterfactuals" },
    h("h3", {}, "Similar rows with another decision"),
    h(
      "p",
      {},
      data.width === 1
        ? "The nearest rows whose prediction is on the other side of the line you draw, and what differs, by importance."
        : "The nearest rows that get another class, and what differs, by importance.",
      " They are real rows of the data, ",
      data.n === data.report.about.rows_explained
        ? "looked up among all explained rows."
        : `looked up among the ${count(data.n)} rows in this page.`,
    ),
    h(
      "div",
      { class: "controls" },
      data.width === 1 && labelled("Draw the line at", line),
      labelled("Similar by", space),
      labelled("What may change", adding),
    ),
    limits,
    place,
  );
}

function compared(data: Data, row: number, found: Found, at: number, output: number): HTMLElement {
  const { labels } = data.report;
  const prediction = data.prediction(found.row);
  const decided =
    labels.length === 0
      ? exact(prediction[0], number(prediction[0]))
      : h(
          "span",
          {},
          name(labels[sideOf(data, found.row, NaN)], "cell"),
          ` (${percent(prediction[sideOf(data, found.row, NaN)])})`,
        );
  const listed = found.changes.slice(0, CHANGES);
  const ofClass = data.k > 1 ? `, class ${shortened(data.report.outputs[output], 30)}` : "";
  const more = found.changes.length - listed.length;
  return h(
    "div",
    { class: "compared", "data-row": found.row },
    h(
      "h4",
      {},
      `${at + 1}. Row ${count(data.number[found.row])}`,
      ...(data.key(found.row) === null ? [] : [" (", name(data.key(found.row)!, "cell"), ")"]),
      ": ",
      decided,
    ),
    table(
      `What differs, at a distance of ${number(found.distance)}${more > 0 ? `; ${count(more)} smaller differences are not listed` : ""}`,
      ["feature", "here", "there", `score here${ofClass}`, `score there${ofClass}`],
      listed.map(({ feature }) => {
        const score = (of: number) =>
          exact(data.score(of, feature, output), signed(number(data.score(of, feature, output))));
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
