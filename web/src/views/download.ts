// The scores of the rows in the page as a CSV file, named as in the scores file.

import type { Data } from "../data/data";
import { saveAs } from "../page/copying";
import { h, section } from "../page/dom";
import { download as words } from "../words";

/** Text that a spreadsheet would take for a formula; a number is none, also with a sign. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text));
}

/** A cell of text: quoted where needed, with an apostrophe before what would be a formula. */
function quoted(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Missing numbers are empty cells, as in the scores file. */
function numberText(x: number): string {
  return Number.isNaN(x) ? "" : String(x);
}

export function csv(data: Data): string {
  const { labels, outputs, features } = data.report;
  const prefix = (output: number) =>
    data.k > 1 ? `${outputs[output].replaceAll("\\", "\\\\").replaceAll(":", "\\:")}:` : "";
  const { key } = data.report.rows;
  const names = [
    "row",
    ...(key ? [key.name] : []),
    "prediction",
    ...labels.map((label) => `probability:${label}`),
  ];
  const byOutput = (name: string) => {
    for (let output = 0; output < data.k; output++)
      names.push(`${name}:${prefix(output)}`.replace(/:$/, ""));
  };
  const hasAccount = data.unexplained(0, 0) !== null;
  const hasOutOfBag = data.outOfBag(0, 0) !== null;
  if (hasAccount) byOutput("explained");
  if (hasAccount) byOutput("unexplained");
  if (hasOutOfBag) byOutput("out_of_bag");
  if (data.explainedPrediction(0)) {
    if (labels.length === 0) names.push("explained_prediction");
    names.push(...labels.map((label) => `explained_probability:${label}`));
  }
  byOutput("base");
  for (let output = 0; output < data.k; output++)
    names.push(...features.map((feature) => `score:${prefix(output)}${feature.name}`));
  const lines = [names.map(quoted).join(",")];
  for (let row = 0; row < data.n; row++) {
    const prediction = data.prediction(row);
    const known = !prediction.some(Number.isNaN);
    const cells = [String(data.number[row])];
    if (key) cells.push(quoted(key.texts[row]));
    if (labels.length === 0) cells.push(numberText(prediction[0]));
    else
      cells.push(
        known ? quoted(labels[data.classOf(row, data.report.threshold)]) : "",
        ...prediction.map(numberText),
      );
    const push = (of: (output: number) => number | null) => {
      for (let output = 0; output < data.k; output++) cells.push(numberText(of(output) ?? NaN));
    };
    if (hasAccount) push((output) => data.explained(row, output));
    if (hasAccount) push((output) => data.unexplained(row, output));
    if (hasOutOfBag) push((output) => data.outOfBag(row, output));
    cells.push(...(data.explainedPrediction(row) ?? []).map(numberText));
    push((output) => data.base(row, output));
    for (let output = 0; output < data.k; output++) {
      for (let feature = 0; feature < data.p; feature++)
        cells.push(numberText(data.score(row, feature, output)));
    }
    lines.push(cells.join(","));
  }
  return `${lines.join("\n")}\n`;
}

export function download(data: Data): HTMLElement {
  const save = () => {
    saveAs("scores.csv", new Blob([csv(data)], { type: "text/csv" }));
  };
  const all = data.n === data.report.about.rows_explained;
  return section(
    "download",
    words.title,
    h(
      "p",
      {},
      words.how(data.n, all),
      data.width === 2 ? words.decided : "",
      ...(all ? [] : words.rest(h("code", {}, "lmdi explain … --out scores.csv"))),
    ),
    h("button", { id: "download-csv", onclick: save }, words.button),
  );
}
