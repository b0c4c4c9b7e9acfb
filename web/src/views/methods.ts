// What other methods say about the same rows.

import type { Data } from "../data/data";
import { h, name, section, svg, table } from "../page/dom";
import { percent } from "../page/format";
import { methods as words } from "../words";

const SHOWN = 15;

export function methods(data: Data): HTMLElement | null {
  const found = data.report.methods;
  if (found.length < 2) return null;
  const order = data.order.slice(0, SHOWN);
  const largest = Math.max(...found.flatMap(({ share }) => order.map((at) => share[at]))) || 1;
  return section(
    "methods",
    words.title,
    h("p", {}, words.how),
    table(
      words.agreement,
      words.heads,
      found.map(({ name: method, scale, agreement, top_shared }) => [
        method,
        scale,
        agreement === null ? words.own : agreement.toFixed(3),
        top_shared === null ? "" : percent(top_shared),
      ]),
    ),
    h(
      "table",
      { class: "overall methods" },
      h("caption", {}, words.shares),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, words.feature),
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
