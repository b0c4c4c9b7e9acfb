// How much explanations change when the model is trained again: with another seed, and on rows drawn anew.

import { scaleLinear } from "d3-scale";
import { topAxis } from "../charts/axis";
import type { Data } from "../data/data";
import { columns, h, name, section, svg } from "../page/dom";
import { decimalsFor } from "../page/format";
import { stability as words } from "../words";

const SHOWN = 15;

export function stability(data: Data): HTMLElement | null {
  const found = data.report.stability;
  if (!found) return null;
  const { seeds, resampled } = found;
  // The report's own run is the first of both.
  const runs = [...seeds.importance, ...resampled.importance.slice(1)];
  const means = data.columns.map(
    ({ at }) => runs.reduce((sum, run) => sum + run[at], 0) / runs.length,
  );
  const order = data.columns
    .map(({ at }) => at)
    .sort((a, b) => means[b] - means[a] || a - b)
    .slice(0, SHOWN);
  const largest = Math.max(...runs.flatMap((run) => order.map((at) => run[at]))) || 1;
  const text = decimalsFor(largest);
  const x = scaleLinear([0, largest * 1.03], [0, 100]);
  return section(
    "stability",
    words.title,
    h("p", {}, words.how(seeds.runs - 1)),
    ...[
      { title: words.seeds, of: seeds, id: "stability-seeds" },
      { title: words.resampled, of: resampled, id: "stability-rows" },
    ].map(({ title, of, id }) =>
      h(
        "div",
        { id },
        h("h3", {}, title),
        h(
          "div",
          { class: "cards" },
          card(words.order, of.correlation?.toFixed(3) ?? words.unknown, words.orderText),
          card(words.first(found.top), of.distinct.toFixed(2), words.firstText(found.top)),
        ),
      ),
    ),
    h(
      "table",
      { class: "overall" },
      h("caption", {}, words.caption),
      columns("names", "ranges", "rest"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, words.heads.feature),
          h("th", { scope: "col", class: "right" }, words.heads.range),
          h("th", { scope: "col", class: "swarm" }, words.heads.runs, topAxis(0, largest * 1.03)),
        ),
      ),
      h(
        "tbody",
        {},
        ...order.map((at) => {
          const sizes = runs.map((run) => run[at]);
          const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, name(data.report.features[at].name)),
            h("td", { class: "right number" }, words.range(text(low), text(high))),
            h(
              "td",
              { class: "swarm" },
              svg(
                "svg",
                { class: "steps", "aria-hidden": "true" },
                svg("line", {
                  class: "whisker",
                  x1: `${x(low)}%`,
                  x2: `${x(high)}%`,
                  y1: "50%",
                  y2: "50%",
                }),
                ...sizes.map((size, run) =>
                  svg("circle", {
                    class: run < seeds.runs ? "run" : "run resampled",
                    cx: `${x(size)}%`,
                    cy: "50%",
                    r: 4,
                  }),
                ),
              ),
            ),
          );
        }),
      ),
    ),
  );
}

function card(title: string, figure: string, text: string): HTMLElement {
  return h(
    "div",
    { class: "card" },
    h("h4", {}, title),
    h("p", {}, h("strong", { class: "big" }, figure)),
    h("p", { class: "quiet" }, text),
  );
}
