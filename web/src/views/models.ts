// Another model on the same rows: quality, predictions against each other, what each uses, and the rows where they differ.

import { extent } from "d3-array";
import { spaced } from "../charts/dots";
import { roomy, Scatter } from "../charts/scatter";
import type { OtherModel, RowsAre } from "../contract";
import type { Data } from "../data/data";
import { brushed } from "../page/brush";
import { exact, h, name, section, svg, table } from "../page/dom";
import { decimalsFor, number, percent, shortened, signed } from "../page/format";
import type { Selection } from "../page/selection";
import { about, models as words } from "../words";
import { markRows } from "./marking";
import { openRow } from "./row/sheet";

const DOTS = 2500;
/** Features in the picture. */
const SHOWN = 15;
/** Rows in the table. */
const ROWS = 10;

export function models(data: Data, selection: Selection): HTMLElement | null {
  const other = data.report.other_model;
  if (!other) return null;
  const isNumber = data.width === 1;
  const apart = isNumber ? number(other.mean_difference) : percent(other.mean_difference);
  return section(
    "models",
    words.title,
    h("p", {}, ...words.how(name(other.name), other.trees, other.trained_by)),
    h(
      "p",
      {},
      words.apart(apart, other.same_class),
      told(data.report.about.rows_are, words.Own, words.own),
      told(other.rows_are, words.Other, words.other),
    ),
    other.measures.length > 0 && measures(other, data.report.about.rows_are),
    against(data, selection, other),
    shares(other),
    rows(data, selection, other),
  );
}

/** What is to be known about a model's measures of these rows. */
function told(are: RowsAre, start: string, within: string): string {
  if (are === "trained_on") return words.trainedOn(start);
  return are === "unknown" ? words.unknown(within) : "";
}

function measures(
  { measures, rows, name: other, rows_are: otherRows }: OtherModel,
  ownRows: RowsAre,
): HTMLElement {
  // What a model says about rows that it was trained on would be read as its quality.
  const cell = (value: number | null, are: RowsAre) =>
    are === "trained_on" || value === null
      ? h("span", { class: "no-number" }, words.notMeasured)
      : exact(value, number(value));
  return table(
    words.quality(rows),
    [words.measure, words.own, name(other)],
    measures.map(({ name, own, other }) => [
      about.measure(name),
      cell(own, ownRows),
      cell(other, otherRows),
    ]),
  );
}

/** What is drawn of a prediction: the number, or the probability of the second of two classes or the chosen one. */
function drawn(data: Data, prediction: number[], output: number): number {
  return prediction[data.width <= 2 ? data.width - 1 : output];
}

function against(data: Data, selection: Selection, model: OtherModel): HTMLElement {
  const scatter = new Scatter(380);
  const rows = spaced(data.n, DOTS);
  const text = data.width === 1 ? number : (share: number) => percent(share);
  const draw = () => {
    const { output, marked } = selection.now;
    const own = (row: number) => drawn(data, data.prediction(row), output);
    const other = (row: number) => drawn(data, data.otherPrediction(row)!, output);
    const known = rows.filter((row) => Number.isFinite(own(row)) && Number.isFinite(other(row)));
    const [low, high] = extent(known.flatMap((row) => [own(row), other(row)]));
    const ends: [number, number] = [low ?? 0, high ?? 1];
    const label = data.report.labels[data.width === 2 ? 1 : output];
    const what = data.width === 1 ? words.predicted : words.probabilityOf(shortened(label, 30));
    scatter.draw({
      label: words.label(known.length),
      rows: known,
      brushable: Array.from({ length: data.n }, (_, row) => row),
      x: own,
      y: other,
      kind: brushed(marked, () => "plain-dot"),
      xTitle: words.axis(what, words.own),
      yTitle: words.axis(what, shortened(model.name, 30)),
      xRange: roomy(...ends),
      yRange: roomy(...ends),
      line: [
        [ends[0], ends[0]],
        [ends[1], ends[1]],
      ],
      describe: (row) => words.point(data.number[row], text(own(row)), text(other(row))),
      pick: (row) => selection.set({ row }),
      brush: (chosen) => markRows(selection, words.brushed, chosen),
    });
    scatter.mark(selection.now.row);
  };
  selection.watch(["output", "marked"], draw);
  selection.watch(["row"], (now) => scatter.mark(now.row));
  return h(
    "figure",
    { id: "two-models" },
    scatter.element,
    h("figcaption", { class: "quiet" }, words.against),
  );
}

function shares({ shares, name: other }: OtherModel): HTMLElement {
  const shown = shares.slice(0, SHOWN);
  const largest = Math.max(...shown.flatMap(({ own, other }) => [own ?? 0, other ?? 0])) || 1;
  const bar = (share: number | null) =>
    h(
      "td",
      {},
      share === null
        ? h("span", { class: "quiet" }, words.notRead)
        : h(
            "div",
            { class: "shared" },
            svg(
              "svg",
              { class: "bar", "aria-hidden": "true" },
              svg("rect", { width: `${(100 * share) / largest}%`, height: "100%", rx: 2 }),
            ),
            exact(share, percent(share)),
          ),
    );
  return h(
    "table",
    { class: "overall methods", id: "model-shares" },
    h("caption", {}, words.shares),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, words.feature),
        h("th", { scope: "col" }, words.own),
        h("th", { scope: "col" }, name(other)),
      ),
    ),
    h(
      "tbody",
      {},
      ...shown.map(({ name: feature, own, other }) =>
        h("tr", {}, h("th", { scope: "row" }, name(feature)), bar(own), bar(other)),
      ),
    ),
  );
}

function rows(data: Data, selection: Selection, model: OtherModel): HTMLElement {
  const place = h("div", { id: "model-rows" });
  const { labels } = data.report;
  const size = (row: number) => Math.abs(data.modelDifference(row)) || 0;
  const order = Array.from({ length: data.n }, (_, row) => row)
    .sort((a, b) => size(b) - size(a) || a - b)
    .slice(0, ROWS);
  selection.watch(["output"], ({ output }) => {
    const values = order.flatMap((row) => [
      drawn(data, data.prediction(row), output),
      drawn(data, data.otherPrediction(row)!, output),
    ]);
    const decimals = decimalsFor(Math.max(...values.map(Math.abs), 0));
    const text = labels.length > 0 ? (share: number) => percent(share) : decimals;
    const lines = order.map((row) => {
      const own = drawn(data, data.prediction(row), output);
      const other = drawn(data, data.otherPrediction(row)!, output);
      const truth = data.truth ? data.truth[row] : NaN;
      return [
        h(
          "button",
          { class: "link", onclick: () => openRow(selection, row) },
          words.row(data.number[row]),
        ),
        exact(own, text(own)),
        exact(other, text(other)),
        exact(other - own, signed(text(other - own))),
        Number.isNaN(truth)
          ? ""
          : labels.length > 0
            ? name(labels[truth], "cell")
            : exact(truth, decimals(truth)),
      ];
    });
    place.replaceChildren(table(words.rows, words.rowHeads(shortened(model.name, 40)), lines));
  });
  return place;
}
