// Finding rows by their number, or by text in their cells.

import type { Data } from "../data";
import { h, labelled, name } from "../dom";
import { count, number, percent, shortened } from "../format";

const SHOWN = 12;

/** Rows that fit what was typed: a key, a row number, `column=value`, or part of a text cell. */
export function findRows(data: Data, typed: string): number[] {
  const text = typed.trim();
  if (text === "") return [];
  const byKey = data.rowOfKey(text);
  if (byKey !== undefined) return [byKey];
  const byNumber = /^[\d,]+$/.test(text)
    ? data.rowOfNumber(Number(text.replaceAll(",", "")))
    : undefined;
  if (byNumber !== undefined) return [byNumber];
  const wanted = text.toLowerCase();
  const found: number[] = [];
  const parts = data.columns
    .filter(({ feature }) => wanted.startsWith(`${feature.name.toLowerCase()}=`))
    .map(({ at, feature }) => ({ at, cell: wanted.slice(feature.name.length + 1).trim() }));
  // Text cells are looked at level by level, not row by row.
  const matching = data.columns.map(({ levels }) =>
    (levels ?? []).map((level) => level.toLowerCase().includes(wanted)),
  );
  for (let row = 0; row < data.n && found.length < SHOWN; row++) {
    const fits =
      data.key(row)?.toLowerCase().includes(wanted) ||
      (parts.length > 0
        ? parts.some(({ at, cell }) => data.cell(row, at).toLowerCase() === cell)
        : data.columns.some(
            ({ at, cells, levels }) =>
              levels && cells && cells[row] > 0 && matching[at][cells[row] - 1],
          ));
    if (fits) found.push(row);
  }
  return found;
}

export function searchBox(data: Data, pick: (row: number) => void): HTMLElement {
  const example = `${count(data.number[Math.min(data.n - 1, 16)])}`;
  const input = h("input", {
    type: "search",
    autocomplete: "off",
    placeholder: `${data.report.rows.key ? `${shortened(data.report.rows.key.name, 20)}, ` : ""}number, such as ${example}, or column=value`,
    "aria-describedby": "row-found",
  });
  const list = h("ul", { class: "found", "aria-label": "Rows found" });
  const told = h("span", { id: "row-found", class: "quiet", role: "status" });
  const choose = (row: number) => {
    pick(row);
    list.replaceChildren();
    told.replaceChildren();
  };
  let rows: number[] = [];
  input.addEventListener("input", () => {
    rows = findRows(data, input.value);
    const typed = input.value.trim();
    told.replaceChildren(
      typed === ""
        ? ""
        : rows.length === 0
          ? missing(data, typed)
          : rows.length === SHOWN
            ? `The first ${SHOWN}`
            : "",
    );
    list.replaceChildren(
      ...rows.map((row) =>
        h(
          "li",
          {},
          h(
            "button",
            { class: "link", onclick: () => choose(row) },
            `Row ${count(data.number[row])}`,
            ...(data.key(row) === null ? [] : [" ", name(data.key(row)!, "cell")]),
            h("span", { class: "quiet" }, " · ", brief(data, row)),
          ),
        ),
      ),
    );
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && rows.length > 0) choose(rows[0]);
    if (event.key === "Escape") list.replaceChildren();
  });
  return h("div", { class: "search" }, labelled("Find a row", input), told, list);
}

function missing(data: Data, typed: string): string {
  const sampled = data.n < data.report.about.rows_explained && /^[\d,]+$/.test(typed);
  return sampled ? "Not among the rows in this page; the scores file has all." : "No row found.";
}

function brief(data: Data, row: number): Node | string {
  const { labels } = data.report;
  if (labels.length === 0) return `predicted ${number(data.prediction(row)[0])}`;
  const best = data.classOf(row);
  return h("span", {}, name(labels[best], "cell"), ` ${percent(data.prediction(row)[best])}`);
}
