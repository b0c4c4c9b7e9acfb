// One row, as a sheet that can be passed on: search, step through, take apart, compare, copy, print.

import { accountOf, FEW } from "../../analysis/account";
import { reasons } from "../../analysis/reasons";
import { waterfall } from "../../charts/waterfall";
import { asPng, waterfallImage } from "../../charts/waterfall_image";
import type { Data } from "../../data/data";
import { copy } from "../../page/copying";
import { choice, exact, h, labelled, name, section } from "../../page/dom";
import { count, number, percent, shortened, signed } from "../../page/format";
import type { Part } from "../../page/says";
import type { Selection } from "../../page/selection";
import {
  page,
  search as searchWords,
  sheet,
  waterfall as waterfallWords,
  row as words,
} from "../../words";
import { counterfactuals } from "./counterfactuals";
import { searchBox } from "./search";
import { beside } from "./two_rows";
import { whatIf } from "./what_if";

/** Orders in which rows are stepped through. */
function orders(
  data: Data,
  selection: Selection,
): Map<string, { text: string; rows: () => number[] }> {
  const all = () => Array.from({ length: data.n }, (_, row) => row);
  const by = (size: (row: number) => number) => () =>
    all().sort((a, b) => (size(b) || 0) - (size(a) || 0) || a - b);
  const found = new Map([["number", { text: words.byNumber, rows: all }]]);
  // Of several classes it is the one that the page shows.
  const what =
    data.width === 1
      ? words.prediction
      : data.k > 1
        ? words.probabilityOfShown
        : words.probabilityOf(shortened(data.report.labels[data.width - 1], 30));
  const predicted = (row: number) => data.predicted(row, selection.now.output);
  found.set("high", { text: words.highest(what), rows: by(predicted) });
  found.set("low", { text: words.lowest(what), rows: by((row) => -predicted(row)) });
  if (data.truth)
    found.set("wrong", {
      text: words.mostWrong,
      rows: by((row) => data.wrongness(row, selection.now.threshold)),
    });
  if (data.steadiness) {
    const steadiness = data.steadiness;
    found.set("unsteady", {
      text: words.leastStable,
      rows: by((row) => -steadiness[row]),
    });
  }
  if (data.report.other_model)
    found.set("models", {
      text: words.modelsDiffer,
      rows: by((row) => Math.abs(data.modelDifference(row))),
    });
  return found;
}

function predictionInWords(data: Data, row: number, threshold: number | null): Part[] {
  const { labels } = data.report;
  const tell = (numbers: number[]): Part[] => {
    if (labels.length === 0)
      return [h("strong", { class: "prediction" }, exact(numbers[0], number(numbers[0])))];
    if (numbers.some(Number.isNaN)) return [number(NaN)];
    const best = data.classOf(row, threshold);
    return [
      h("strong", { class: "prediction" }, name(labels[best], "cell")),
      ...words.withProbability(exact(numbers[best], percent(numbers[best]))),
    ];
  };
  const text: Part[] = [words.predicted, ...tell(data.prediction(row)), "."];
  const explained = data.explainedPrediction(row);
  if (explained && labels.length > 0 && explained.every(Number.isFinite)) {
    const decided = data.classOf(row, threshold);
    text.push(...words.explainedOnly(exact(explained[decided], percent(explained[decided]))));
  }
  const other = data.otherPrediction(row);
  if (other?.every(Number.isFinite)) {
    const best = data.decided(other, threshold);
    text.push(
      ...words.otherModel(
        name(data.report.other_model!.name),
        labels.length === 0
          ? [exact(other[0], number(other[0]))]
          : [
              name(labels[best], "cell"),
              ...words.withProbability(exact(other[best], percent(other[best]))),
            ],
      ),
    );
  }
  const truth = data.truth ? data.truth[row] : NaN;
  if (!Number.isNaN(truth)) {
    text.push(
      ...words.actual(
        labels.length > 0 ? name(labels[truth], "cell") : exact(truth, number(truth)),
      ),
    );
  }
  return text;
}

function hatchedInWords(data: Data, row: number, output: number): string {
  const left = !data.isExact && data.unexplained(row, output) !== null;
  const leftOut = data.outOfBag(row, output) !== null;
  if (left && leftOut) return words.hatchedBoth;
  if (leftOut) return words.hatchedOutOfBag;
  return left ? words.hatchedLeft : "";
}

/** Whether a key press is meant for a control, not for the page. */
function isTyped(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    event.altKey ||
    event.ctrlKey ||
    event.metaKey ||
    target.closest("input, select, textarea, .scroll") !== null
  );
}

/** Chooses a row and shows its sheet. */
export function openRow(selection: Selection, row: number): void {
  selection.set({ row });
  document.getElementById("row")?.scrollIntoView();
  document.getElementById("row-title")?.focus({ preventScroll: true });
}

export function oneRow(data: Data, selection: Selection): HTMLElement {
  const ways = orders(data, selection);
  let way = "number";
  let matches: Set<number> | null = null;
  let order = ways.get(way)!.rows();
  let all = false;
  let kept: number | null = null;
  const title = h("h3", { id: "row-name", tabindex: -1 });
  const prediction = h("p", { class: "predicted" });
  const why = h("p", { id: "row-reasons" });
  const place = h("div", { id: "row-waterfall" });
  const compared = h("div", {});
  const meaning = h("p", { class: "quiet", id: "row-meaning" });
  const within = h("p", { id: "row-matches", class: "quiet" });
  const status = h("p", { class: "hidden", role: "status" });
  const told = h("span", { class: "quiet", role: "status" });

  const reorder = () => {
    const rows = ways.get(way)!.rows();
    order = matches ? rows.filter((row) => matches!.has(row)) : rows;
  };
  const step = (by: number) => {
    const at = order.indexOf(selection.now.row);
    // From a row that is not among the matches, next is the first of them and previous the last.
    const to = at < 0 && by < 0 ? order.length - 1 : at + by;
    selection.set({ row: order[(to + order.length) % order.length] });
  };
  const wayChoice = choice(
    [...ways].map(([value, { text }]) => ({ value, text })),
    way,
    (value) => {
      way = value;
      reorder();
      selection.set({ row: order[0] });
    },
  );
  wayChoice.id = "row-order";
  const search = searchBox(data, selection, (rows) => {
    matches = rows.length > 1 ? new Set(rows) : null;
    reorder();
  });
  document.addEventListener("keydown", (event) => {
    if (isTyped(event)) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });

  const drawWithin = () => {
    const at = order.indexOf(selection.now.row);
    if (!matches) return within.replaceChildren();
    const clear = () => {
      matches = null;
      reorder();
      drawWithin();
    };
    within.replaceChildren(
      at < 0
        ? searchWords.outside(data.number[selection.now.row], order.length)
        : searchWords.within(at + 1, order.length),
      " ",
      h("button", { class: "link", onclick: clear }, searchWords.clear),
    );
  };
  const drawCompared = () => {
    const { row, output } = selection.now;
    keep.replaceChildren(kept === null ? sheet.keep : sheet.stop);
    if (kept === null || kept === row)
      compared.replaceChildren(kept === null ? "" : sheet.choose(count(data.number[kept])));
    else compared.replaceChildren(beside(data, kept, row, output));
  };
  const keep = h("button", {
    id: "row-keep",
    onclick: () => {
      kept = kept === null ? selection.now.row : null;
      drawCompared();
    },
  });
  const draw = () => {
    const { row, output, threshold } = selection.now;
    const key = data.key(row);
    title.replaceChildren(
      ...words.name(
        data.number[row],
        name(data.report.about.table),
        key === null ? null : { name: name(data.report.rows.key!.name), text: name(key, "cell") },
      ),
    );
    prediction.replaceChildren(...predictionInWords(data, row, threshold));
    why.replaceChildren(...reasons(data, row, output));
    const switcher = h(
      "button",
      {
        class: "plain",
        onclick: () => {
          all = !all;
          draw();
          place.querySelector<HTMLElement>("button.plain")?.focus();
        },
      },
      all ? words.largest(FEW) : page.showAll(data.p),
    );
    place.replaceChildren(waterfall(data, row, output, all), data.p > FEW + 1 ? switcher : "");
    meaning.replaceChildren(
      ...words.meaning(name(data.report.scale.moved[output], "fact")),
      hatchedInWords(data, row, output),
    );
    told.replaceChildren();
    status.replaceChildren(`${words.brief(data.number[row])}. ${prediction.textContent}`);
    drawWithin();
    drawCompared();
  };
  selection.watch(["threshold", "output"], reorder);
  selection.watch(["row", "output", "threshold"], draw);

  /** The sheet as plain text. */
  const asText = () => {
    const { row, output } = selection.now;
    const { base, steps, total } = accountOf(data, row, output, false);
    const lines = steps.map(
      ({ label, cell, score }) =>
        `${label}${cell === null ? "" : ` = ${cell}`}: ${signed(number(score))}`,
    );
    return [
      title.textContent,
      prediction.textContent,
      why.textContent,
      "",
      `${waterfallWords.base}: ${number(base)}`,
      ...lines,
      `${waterfallWords.total(data.report.scale.total)}: ${number(total)}`,
      "",
    ].join("\n");
  };
  const asImage = () => {
    const { row, output } = selection.now;
    const { drawing, width, height } = waterfallImage(
      accountOf(data, row, output, false),
      title.textContent ?? "",
      prediction.textContent ?? "",
      data.report.scale.total,
    );
    return asPng(drawing, width, height);
  };
  const copying = async (name: string, content: () => Promise<Blob> | Blob) => {
    try {
      told.replaceChildren((await copy(name, await content())) ? sheet.copied : sheet.saved);
    } catch (error) {
      told.replaceChildren(sheet.failed(error instanceof Error ? error.message : String(error)));
    }
  };
  const print = () => {
    // One page: the largest scores, and no open controls.
    const opened = document.querySelector<HTMLDetailsElement>("#what-if[open]");
    const wasAll = all;
    const restore = () => {
      document.body.classList.remove("only-row");
      if (opened) opened.open = true;
      all = wasAll;
      draw();
    };
    document.body.classList.add("only-row");
    if (opened) opened.open = false;
    all = false;
    draw();
    addEventListener("afterprint", restore, { once: true });
    window.print();
  };

  return section(
    "row",
    words.title,
    h("p", { class: "how" }, words.how, " ", sheet.keys),
    h(
      "div",
      { class: "controls" },
      search,
      h(
        "div",
        { class: "stepper" },
        h("button", { id: "row-before", onclick: () => step(-1) }, words.previous),
        h("button", { id: "row-next", onclick: () => step(1) }, words.next),
      ),
      labelled(words.order, wayChoice),
    ),
    within,
    title,
    prediction,
    why,
    place,
    meaning,
    data.hasErrors ? h("p", { class: "quiet" }, words.errors) : null,
    h(
      "div",
      { class: "controls" },
      keep,
      h(
        "button",
        {
          id: "row-copy-text",
          onclick: () => copying("row.txt", () => new Blob([asText()], { type: "text/plain" })),
        },
        sheet.copyText,
      ),
      h(
        "button",
        { id: "row-copy-image", onclick: () => copying("row.png", asImage) },
        sheet.copyImage,
      ),
      h("button", { id: "row-print", onclick: print }, sheet.print),
      told,
    ),
    compared,
    status,
    whatIf(data, selection),
    counterfactuals(data, selection),
  );
}
