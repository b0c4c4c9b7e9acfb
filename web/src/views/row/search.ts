// The search box: rows by number, key or conditions, with their total and the first of them to choose from.

import { median } from "d3-array";
import { findRows } from "../../analysis/query";
import type { Data } from "../../data/data";
import { h, labelled, name } from "../../page/dom";
import { count, percent, shortened } from "../../page/format";
import type { Selection } from "../../page/selection";
import { row as rowWords, search as words } from "../../words";

const SHOWN = 12;

/** A condition that the table can answer. */
function exampleCondition(data: Data): string {
  const column = data.order.map((at) => data.columns[at]).find(({ cells }) => cells !== null);
  if (!column?.cells) return "";
  const title = shortened(column.feature.name, 24);
  if (column.levels) return `${title}=${shortened(column.levels[0] ?? "", 12)}`;
  const middle = median(column.cells) ?? 0;
  // Dates are whole days.
  const round = column.feature.time ? Math.round(middle) : Number(middle.toPrecision(3));
  return `${title}>${data.cellText(column.at, round)}`;
}

/** `found` is told the rows that match once one of them was chosen; a single one is no search. */
export function searchBox(
  data: Data,
  selection: Selection,
  found: (rows: number[]) => void,
): HTMLElement {
  const input = h("input", {
    type: "search",
    autocomplete: "off",
    placeholder: words.placeholder(
      data.report.rows.key && shortened(data.report.rows.key.name, 20),
      count(data.number[Math.min(data.n - 1, 16)]),
      exampleCondition(data),
    ),
    "aria-describedby": "row-found",
  });
  const list = h("ul", { class: "found", "aria-label": words.found });
  const told = h("span", { id: "row-found", class: "quiet", role: "status" });
  let rows: number[] = [];
  const choose = (row: number) => {
    found(rows);
    selection.set({ row });
    list.replaceChildren();
    told.replaceChildren();
    // From here on the arrow keys step through the matches.
    document.getElementById("row-name")?.focus({ preventScroll: true });
  };
  const look = () => {
    const found = findRows(data, input.value);
    rows = found.rows;
    const typed = input.value.trim();
    const none = found.problem ?? missing(data, typed);
    const total = rows.length === 0 ? none : words.matches(rows.length, SHOWN);
    told.replaceChildren(typed === "" ? "" : total);
    list.replaceChildren(
      ...rows
        .slice(0, SHOWN)
        .map((row) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "link", onclick: () => choose(row) },
              rowWords.brief(data.number[row]),
              ...(data.key(row) === null ? [] : [" ", name(data.key(row)!, "cell")]),
              h("span", { class: "quiet" }, " · ", brief(data, row, selection.now.threshold)),
            ),
          ),
        ),
    );
  };
  input.addEventListener("input", look);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && rows.length > 0) choose(rows[0]);
    if (event.key === "Escape") list.replaceChildren();
  });
  return h("div", { class: "search" }, labelled(words.label, input), told, list);
}

function missing(data: Data, typed: string): string {
  const sampled = data.n < data.report.about.rows_explained && /^[\d,]+$/.test(typed);
  return sampled ? words.notHere : words.none;
}

function brief(data: Data, row: number, threshold: number | null): Node | string {
  const { labels } = data.report;
  if (labels.length === 0) return words.predicted(data.prediction(row)[0]);
  const best = data.classOf(row, threshold);
  return h("span", {}, name(labels[best], "cell"), ` ${percent(data.prediction(row)[best])}`);
}
