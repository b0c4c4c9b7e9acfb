// How much explanations change when the model is trained again with another seed.

import { scaleLinear } from "d3-scale";
import { topAxis } from "../charts/axis";
import type { Data } from "../data/data";
import { columns, h, name, section, svg } from "../page/dom";
import { stability as words } from "../words";

const SHOWN = 15;

export function stability(data: Data): HTMLElement | null {
  const found = data.report.stability;
  if (!found) return null;
  const means = data.columns.map(
    ({ at }) => found.importance.reduce((sum, run) => sum + run[at], 0) / found.importance.length,
  );
  const order = data.columns
    .map(({ at }) => at)
    .sort((a, b) => means[b] - means[a] || a - b)
    .slice(0, SHOWN);
  const largest = Math.max(...found.importance.flatMap((run) => order.map((at) => run[at]))) || 1;
  const x = scaleLinear([0, largest * 1.03], [0, 100]);
  return section(
    "stability",
    words.title,
    h("p", {}, words.how(found.runs - 1)),
    h(
      "div",
      { class: "cards" },
      h(
        "div",
        { class: "card" },
        h("h3", {}, words.order),
        h("p", {}, h("strong", { class: "big" }, found.correlation.toFixed(3))),
        h("p", { class: "quiet" }, words.orderText),
      ),
      h(
        "div",
        { class: "card" },
        h("h3", {}, words.first(found.top)),
        h("p", {}, h("strong", { class: "big" }, found.distinct.toFixed(2))),
        h("p", { class: "quiet" }, words.firstText(found.top)),
      ),
    ),
    h(
      "table",
      { class: "overall" },
      h("caption", {}, words.caption(found.runs)),
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
          const sizes = found.importance.map((run) => run[at]);
          const [low, high] = [Math.min(...sizes), Math.max(...sizes)];
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, name(data.report.features[at].name)),
            h("td", { class: "right number" }, words.range(low, high)),
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
                ...sizes.map((size) =>
                  svg("circle", { class: "run", cx: `${x(size)}%`, cy: "50%", r: 4 }),
                ),
              ),
            ),
          );
        }),
      ),
    ),
  );
}
