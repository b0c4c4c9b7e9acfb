// All classes at a glance, three or two hundred: how frequent each is, how well it is predicted, and what is used for it.
// Choosing one shows it in the whole page.

import { type ClassSummary, classSummaries } from "../analysis/classes";
import type { Data } from "../data/data";
import { choice, exact, h, labelled, name, svg } from "../page/dom";
import { count, decimalsFor, percent, shortened } from "../page/format";
import type { Selection } from "../page/selection";
import { classes as words } from "../words";

/** Classes listed at first, where there are more than a few more. */
const [FEW, MORE] = [12, 15];
/** Features with a column. */
const FEATURES = 4;

type Order = "rows" | "recall" | "precision" | "table";

export function atAGlance(data: Data, selection: Selection): HTMLElement {
  const found = classSummaries(data);
  // What the model says about rows that it was trained on would be read as its quality.
  const isMeasured =
    data.report.about.rows_are !== "trained_on" &&
    found.some(({ recall }) => !Number.isNaN(recall));
  let order: Order = found.length > MORE ? "rows" : "table";
  let all = false;
  const place = h("div", {});
  const sorted = () => {
    const by = (size: (of: ClassSummary) => number) =>
      [...found].sort((a, b) => size(a) - size(b) || a.label - b.label);
    // Classes without rows have no quality, and come last.
    const last = (x: number) => (Number.isNaN(x) ? Infinity : x);
    if (order === "rows") return by(({ rows }) => -rows);
    if (order === "recall") return by(({ recall }) => last(recall));
    return order === "precision" ? by(({ precision }) => last(precision)) : found;
  };
  const draw = () => {
    const shown = all || found.length <= MORE ? sorted() : sorted().slice(0, FEW);
    place.replaceChildren(
      classTable(data, selection, shown, isMeasured),
      found.length > MORE
        ? h(
            "button",
            {
              class: "plain",
              onclick: () => {
                all = !all;
                draw();
              },
            },
            all ? words.showFirst(FEW) : words.showAll(found.length),
          )
        : "",
    );
  };
  const orders: Order[] = [
    "table",
    "rows",
    ...(isMeasured ? (["recall", "precision"] as const) : []),
  ];
  const pick = choice(
    orders.map((value) => ({ value, text: words.orders[value] })),
    order,
    (value) => {
      order = value as Order;
      draw();
    },
  );
  pick.id = "glance-order";
  selection.watch(["output"], draw);
  return h(
    "div",
    { id: "glance" },
    h("h3", {}, words.title),
    h("p", { class: "quiet" }, words.how(isMeasured)),
    found.length > 3 && h("div", { class: "controls" }, labelled(words.order, pick)),
    place,
  );
}

function classTable(
  data: Data,
  selection: Selection,
  shown: ClassSummary[],
  isMeasured: boolean,
): HTMLElement {
  const { labels, features } = data.report;
  const columns = data.order.slice(0, FEATURES);
  const largest = Math.max(...columns.flatMap((at) => features[at].importance)) || 1;
  const text = decimalsFor(largest);
  const total = data.n || 1;
  const share = (x: number) =>
    Number.isNaN(x) ? h("span", { class: "no-number" }, words.none) : exact(x, percent(x));
  const heads: (Node | string)[] = [
    words.heads.label,
    words.heads.rows,
    ...(isMeasured ? [words.heads.recall, words.heads.precision] : []),
    words.heads.top,
    ...columns.map((at) => name(features[at].name)),
  ];
  const topAt = heads.indexOf(words.heads.top);
  const line = ({ label, rows, recall, precision, features: top }: ClassSummary) => {
    const isShown = selection.now.output === label;
    return h(
      "tr",
      { class: isShown ? "present" : null },
      h(
        "th",
        { scope: "row" },
        h(
          "button",
          {
            class: "link",
            "aria-pressed": String(isShown),
            title: words.choose,
            onclick: () => selection.set({ output: label }),
          },
          name(shortened(labels[label], 40), "cell"),
        ),
      ),
      h("td", { class: "right" }, `${count(rows)} (${percent(rows / total)})`, bar(rows / total)),
      ...(isMeasured
        ? [recall, precision].map((of) => h("td", { class: "right" }, share(of)))
        : []),
      h(
        "td",
        { class: "top" },
        ...top.flatMap((at, place) => [
          place > 0 ? ", " : "",
          name(shortened(features[at].name, 30), "cell"),
        ]),
      ),
      ...columns.map((at) => {
        const size = features[at].importance[label];
        return h("td", { class: "right size" }, exact(size, text(size)), bar(size / largest));
      }),
    );
  };
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": words.title },
    h(
      "table",
      { class: "plain glance" },
      h("caption", { class: "quiet" }, words.caption(data.report.scale.text)),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...heads.map((head, at) =>
            h("th", { scope: "col", class: at > 0 && at !== topAt ? "right" : null }, head),
          ),
        ),
      ),
      h("tbody", {}, ...shown.map(line)),
    ),
  );
}

function bar(share: number): SVGSVGElement {
  return svg(
    "svg",
    { class: "bar", "aria-hidden": "true" },
    svg("rect", { width: `${100 * share}%`, height: "100%", rx: 2 }),
  );
}
