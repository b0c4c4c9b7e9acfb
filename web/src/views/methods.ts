// What other methods say about the same rows.

import type { Data } from "../data";
import { h, name, section, svg, table } from "../dom";
import { percent } from "../format";

const SHOWN = 15;

export function methods(data: Data): HTMLElement | null {
  const found = data.report.methods;
  if (found.length < 2) return null;
  const order = data.order.slice(0, SHOWN);
  const largest = Math.max(...found.flatMap(({ share }) => order.map((at) => share[at]))) || 1;
  return section(
    "methods",
    "Other methods",
    h(
      "p",
      {},
      "Methods measure on different scales, so each is shown as the share of every feature in the sum of its scores. Where they disagree, look twice.",
    ),
    table(
      "Agreement on single rows",
      ["method", "scale", "rank correlation with this report", "same among the five largest"],
      found.map(({ name: method, scale, agreement, top_shared }) => [
        method,
        scale,
        agreement === null ? "this report" : agreement.toFixed(3),
        top_shared === null ? "" : percent(top_shared),
      ]),
    ),
    h(
      "table",
      { class: "overall methods" },
      h("caption", {}, "Share of each feature, method by method"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "feature"),
          ...found.map(({ name: method }) => h("th", { scope: "col" }, method)),
        ),
      ),
      h(
        "tbody",
        {},
        ...order.map((at) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, name(data.report.features[at].name)),
            ...found.map(({ share }) =>
              h(
                "td",
                {},
                h(
                  "div",
                  { class: "shared" },
                  svg(
                    "svg",
                    { class: "bar", "aria-hidden": "true" },
                    svg("rect", {
                      width: `${(100 * share[at]) / largest}%`,
                      height: "100%",
                      rx: 2,
                    }),
                  ),
                  h("span", { class: "number" }, percent(share[at])),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
