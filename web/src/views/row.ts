// One row: search, step through, take apart, and compare with its counterfactuals.

import { FEW, waterfall } from "../charts/waterfall";
import type { Data } from "../data";
import { choice, exact, h, labelled, name, section } from "../dom";
import { count, counted, number, percent, shortened } from "../format";
import type { Selection } from "../selection";
import { counterfactuals } from "./counterfactuals";
import { searchBox } from "./search";

/** Orders in which rows are stepped through. */
function orders(data: Data): Map<string, { text: string; rows: () => number[] }> {
  const all = () => Array.from({ length: data.n }, (_, row) => row);
  const by = (size: (row: number) => number) => () =>
    all().sort((a, b) => (size(b) || 0) - (size(a) || 0) || a - b);
  const found = new Map([["number", { text: "row number", rows: all }]]);
  const shown =
    data.k > 1
      ? data.report.labels.map((label, at) => ({ label, at }))
      : [{ label: data.report.labels[data.width - 1] ?? "", at: 0 }];
  for (const { label, at } of shown) {
    const what = data.width === 1 ? "prediction" : `probability of ${shortened(label, 30)}`;
    const id = data.k > 1 ? ` ${at}` : "";
    found.set(`high${id}`, {
      text: `highest ${what} first`,
      rows: by((row) => data.predicted(row, at)),
    });
    found.set(`low${id}`, {
      text: `lowest ${what} first`,
      rows: by((row) => -data.predicted(row, at)),
    });
  }
  if (data.truth)
    found.set("wrong", { text: "most wrong first", rows: by((row) => data.wrongness(row)) });
  if (data.steadiness) {
    const steadiness = data.steadiness;
    found.set("unsteady", {
      text: "least steady explanation first",
      rows: by((row) => -steadiness[row]),
    });
  }
  return found;
}

function predictionInWords(data: Data, row: number): (Node | string)[] {
  const { labels } = data.report;
  const tell = (numbers: number[]): (Node | string)[] => {
    if (labels.length === 0)
      return [h("strong", { class: "prediction" }, exact(numbers[0], number(numbers[0])))];
    if (numbers.some(Number.isNaN)) return ["unknown"];
    const best = data.classOf(row);
    return [
      h("strong", { class: "prediction" }, name(labels[best], "cell")),
      " with a probability of ",
      exact(numbers[best], percent(numbers[best])),
    ];
  };
  const text: (Node | string)[] = ["Predicted: ", ...tell(data.prediction(row)), "."];
  const explained = data.explainedPrediction(row);
  if (explained && labels.length > 0 && explained.every(Number.isFinite)) {
    const decided = data.classOf(row);
    text.push(
      " Base plus scores alone would give it a probability of ",
      exact(explained[decided], percent(explained[decided])),
      ".",
    );
  }
  const truth = data.truth ? data.truth[row] : NaN;
  if (!Number.isNaN(truth)) {
    text.push(
      " What really happened: ",
      labels.length > 0 ? name(labels[truth], "cell") : exact(truth, number(truth)),
      ".",
    );
  }
  return text;
}

function hatchedInWords(data: Data, row: number, output: number): string {
  const left = !data.isExact && data.unexplained(row, output) !== null;
  const leftOut = data.outOfBag(row, output) !== null;
  const changed = "what changes when the trees that saw the row are left out";
  if (left && leftOut)
    return ` Hatched: what base plus scores leaves of what all trees say, and ${changed}.`;
  if (leftOut) return ` Scores explain what all trees say. Hatched: ${changed}.`;
  return left ? " Hatched: what base plus scores leaves of the model's prediction." : "";
}

export function oneRow(data: Data, selection: Selection): HTMLElement {
  const ways = orders(data);
  let order = ways.get("number")!.rows();
  let all = false;
  const title = h("h3", { id: "row-name" });
  const prediction = h("p", { class: "predicted" });
  const place = h("div", { id: "row-waterfall" });
  const meaning = h("p", { class: "quiet", id: "row-meaning" });
  const status = h("p", { class: "hidden", role: "status" });
  const step = (by: number) => {
    const at = order.indexOf(selection.now.row);
    selection.set({ row: order[(at + by + order.length) % order.length] });
  };
  const way = choice(
    [...ways].map(([value, { text }]) => ({ value, text })),
    "number",
    (value) => {
      order = ways.get(value)!.rows();
      selection.set({ row: order[0] });
    },
  );
  way.id = "row-order";
  const classes = choice(
    data.report.outputs.map((text, at) => ({ value: String(at), text: shortened(text, 50) })),
    String(selection.now.output),
    (value) => selection.set({ output: Number(value) }),
  );
  classes.id = "row-class";

  const draw = () => {
    const { row, output } = selection.now;
    const number = count(data.number[row]);
    const key = data.key(row);
    title.replaceChildren(
      `Row ${number} of `,
      name(data.report.about.table),
      ...(key === null ? [] : [": ", name(data.report.rows.key!.name), " ", name(key, "cell")]),
    );
    prediction.replaceChildren(...predictionInWords(data, row));
    const switcher = h(
      "button",
      {
        class: "plain",
        onclick: () => {
          all = !all;
          draw();
        },
      },
      all ? `Show the ${FEW} largest` : `Show all ${counted(data.p, "feature")}`,
    );
    place.replaceChildren(waterfall(data, row, output, all), data.p > FEW + 1 ? switcher : "");
    meaning.replaceChildren(
      "A score above 0 raises ",
      name(data.report.scale.moved[output], "fact"),
      "; one below 0 lowers it.",
      hatchedInWords(data, row, output),
    );
    status.replaceChildren(`Row ${number}. ${prediction.textContent}`);
  };
  selection.watch(["row", "output"], draw);

  return section(
    "row",
    "One row",
    h("p", {}, "Why does this row have its prediction? Find a row, or step through them."),
    h(
      "div",
      { class: "controls" },
      searchBox(data, (row) => selection.set({ row })),
      h(
        "div",
        { class: "stepper" },
        h("button", { id: "row-before", onclick: () => step(-1) }, "‹ Before"),
        h("button", { id: "row-next", onclick: () => step(1) }, "Next ›"),
      ),
      labelled("Step through by", way),
      data.k > 1 && labelled("Scores of class", classes),
    ),
    title,
    prediction,
    place,
    meaning,
    data.hasErrors
      ? h(
          "p",
          { class: "quiet" },
          "± and the thin line: two standard errors over the trees, within which the score would stay if other trees of the same kind were grown.",
        )
      : null,
    status,
    counterfactuals(data, selection),
  );
}
