// What matters overall: for every feature a bar of its mean |score| and a strip of its scores.

import { scaleLinear } from "d3-scale";
import { robustRange } from "../analysis/robust";
import { topAxis } from "../charts/axis";
import { cellSteps, frequentLevels, STEPS, spaced, swatch } from "../charts/dots";
import { type Strip, strip } from "../charts/strip";
import type { Data } from "../data/data";
import { brushed } from "../page/brush";
import { behind, columns, exact, h, name, section, svg, table } from "../page/dom";
import { decimalsFor, percent, shortened } from "../page/format";
import type { Selection } from "../page/selection";
import { page, overall as words } from "../words";
import { markScores } from "./marking";

const FEW = 15;
/** Dots in a strip. */
const DOTS = 1200;

export function overall(data: Data, selection: Selection): HTMLElement {
  const place = h("div", {});
  let all = false;
  let strips: { feature: number; strip: Strip }[] = [];

  const draw = () => {
    const { output, marked } = selection.now;
    const order = data.order;
    const shown = all ? order : order.slice(0, FEW);
    const largest = data.importance(order[0]) || 1;
    const total = order.reduce((sum, at) => sum + data.importance(at), 0) || 1;
    const text = decimalsFor(largest);
    const rows = spaced(data.n, DOTS);
    const { low, high, outside } = robustRange(
      shown.flatMap((at) => rows.map((row) => data.score(row, at, output))),
    );
    const room = (high - low || 1) * 0.02;
    const axis = scaleLinear([low - room, high + room], [0, 1]).clamp(true);
    strips = shown.map((feature) => ({
      feature,
      strip: strip(
        rows,
        (row) => data.score(row, feature, output),
        brushed(marked, cellSteps(data, feature)),
        axis,
        markScores(data, selection, feature, axis),
      ),
    }));
    const lines = strips.map(({ feature, strip: { element } }, at) => {
      const size = data.importance(feature);
      const width = `${(100 * size) / largest}%`;
      return h(
        "tr",
        { "data-feature": feature },
        h(
          "th",
          { scope: "row" },
          h("span", { class: "rank" }, String(at + 1)),
          h(
            "button",
            { class: "link", onclick: () => openFeature(feature, selection) },
            name(data.report.features[feature].name),
          ),
        ),
        h(
          "td",
          { class: "bar" },
          svg(
            "svg",
            { class: "bar", "aria-hidden": "true" },
            svg("rect", { width, height: "100%", rx: 2 }),
          ),
        ),
        h("td", { class: "right" }, exact(size, text(size))),
        h("td", { class: "swarm" }, ...withLevels(data, feature, element)),
      );
    });
    place.replaceChildren(
      h(
        "table",
        { class: "overall" },
        h("caption", {}, words.caption(data.report.scale.text, data.k > 1)),
        columns("names", "bars", "numbers", "rest"),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, words.feature),
            h("td", { class: "bar" }),
            h("th", { scope: "col", class: "right" }, words.meanSize),
            h(
              "th",
              { scope: "col", class: "swarm" },
              words.single,
              ...(data.k > 1 ? words.ofClass(name(data.report.outputs[output], "cell")) : []),
              topAxis(low - room, high + room),
            ),
          ),
        ),
        h("tbody", {}, ...lines),
      ),
      legend(words.valueOfFeature, `${words.line}${outside > 0 ? words.outside(outside) : ""}`),
      (order.length > FEW &&
        h(
          "button",
          {
            class: "plain",
            onclick: () => {
              all = !all;
              draw();
            },
          },
          all ? page.showFirst(FEW) : page.showAll(order.length),
        )) ||
        "",
      behind(page.asNumbers, () =>
        table(
          words.tableCaption(data.k > 1),
          words.tableHeads,
          order.map((at) => {
            const size = data.importance(at);
            return [
              name(data.report.features[at].name),
              exact(size, text(size)),
              percent(size / total),
            ];
          }),
        ),
      ),
    );
    mark();
  };
  const mark = () => {
    const { row, output } = selection.now;
    for (const { feature, strip } of strips) strip.mark(data.score(row, feature, output));
  };
  selection.watch(["output", "marked"], draw);
  selection.watch(["row"], mark);
  const dotRows = Math.min(data.n, DOTS);
  return section(
    "overall",
    words.title,
    h(
      "p",
      {},
      words.how(
        data.report.about.rows_explained,
        dotRows,
        data.k > 1 ? words.movedInClass : data.report.scale.moved[0],
      ),
    ),
    place,
  );
}

export function openFeature(feature: number, selection: Selection): void {
  selection.set({ feature });
  const title = document.getElementById("feature-title");
  title?.scrollIntoView();
  title?.focus({ preventScroll: true });
}

export function legend(what = words.valueOfFeature, mark = ""): HTMLElement {
  return h(
    "p",
    { class: "legend quiet" },
    words.legend(what),
    h(
      "span",
      { class: "swatches", "aria-hidden": "true" },
      ...Array.from({ length: STEPS }, (_, at) => swatch(`step-${at}`)),
    ),
    words.high,
    what === words.valueOfFeature ? words.ofValues : "",
    mark,
  );
}

/** Which colour is which level of a feature of texts; empty for numbers. */
export function levelKey(data: Data, feature: number, isStretched: boolean): Node[] {
  const coloured = frequentLevels(data, feature);
  if (!coloured) return [];
  const { levels, cells, rest } = data.columns[feature];
  const others = levels!.length - coloured.length + Math.max(0, rest - 1);
  const entry = (kind: string, text: Node | string) =>
    h("span", { class: "entry" }, swatch(kind, isStretched), text);
  return [
    ...coloured.map((code, place) =>
      entry(`group-${place}`, name(shortened(data.levelText(feature, code), 40), "cell")),
    ),
    ...(others > 0 ? [entry("plain-dot", words.otherLevels(others))] : []),
    ...(cells!.includes(0) ? [entry("missing", page.missing)] : []),
  ];
}

/** Which colour is which level, where dots are painted by a feature of texts (`cell 3`). */
export function levelLegend(data: Data, paint: string, mark = ""): HTMLElement | null {
  const [what, at] = paint.split(" ");
  const entries = what === "cell" ? levelKey(data, Number(at), false) : [];
  return entries.length === 0 ? null : h("p", { class: "legend quiet" }, ...entries, mark);
}

/** A strip, with its levels where it is painted by them. */
export function withLevels(data: Data, feature: number, strip: SVGElement): Node[] {
  const entries = levelKey(data, feature, true);
  return entries.length === 0
    ? [strip]
    : [strip, h("div", { class: "levels-of quiet" }, ...entries)];
}
