// How much explanations change when the model is trained again with another seed.

import { scaleLinear } from "d3-scale";
import { topAxis } from "../charts/axis";
import type { Data } from "../data";
import { columns, h, name, section, svg } from "../dom";
import { counted, number } from "../format";

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
    "Stability",
    h("p", {}, `Would another run tell the same? ${found.how}`),
    h(
      "div",
      { class: "cards" },
      h(
        "div",
        { class: "card" },
        h("h3", {}, "Order of features"),
        h("p", {}, h("strong", { class: "big" }, found.correlation.toFixed(3))),
        h(
          "p",
          { class: "quiet" },
          "Mean rank correlation of a row's scores between two runs. 1 is the same order in every run, 0 is chance.",
        ),
      ),
      h(
        "div",
        { class: "card" },
        h("h3", {}, `Among the first ${found.top}`),
        h("p", {}, h("strong", { class: "big" }, found.distinct.toFixed(2))),
        h(
          "p",
          { class: "quiet" },
          `Different features among a row's ${counted(found.top, "most important feature")} over all runs. ${found.top} is perfectly stable.`,
        ),
      ),
    ),
    h(
      "table",
      { class: "overall" },
      h(
        "caption",
        {},
        `Mean size of scores in each of ${counted(found.runs, "run")}: dots close together are stable.`,
      ),
      columns("names", "ranges", "rest"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "feature"),
          h("th", { scope: "col", class: "right" }, "smallest to largest"),
          h("th", { scope: "col", class: "swarm" }, "each run", topAxis(0, largest * 1.03)),
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
            h("td", { class: "right number" }, `${number(low)} to ${number(high)}`),
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
