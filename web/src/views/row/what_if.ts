// What if cells of the chosen row were different: its prediction and scores as all trees give them, and the prediction over
// the values of one feature.

import { bySize } from "../../analysis/account";
import type { ScorerColumn } from "../../contract";
import type { Data } from "../../data/data";
import { choice, exact, h, labelled, name } from "../../page/dom";
import { decimalsFor, number, percent, points, shortened, signed } from "../../page/format";
import type { Selection } from "../../page/selection";
import { ScorerClient } from "../../scorer/client";
import type { Cell, RowScorer, Scored } from "../../scorer/scorer";
import { ServerClient, servedDigest } from "../../scorer/server";
import { page, whatIf as words } from "../../words";
import { curveOf } from "./ice";

/** Columns with a control at first. */
const FEW = 8;

/** Letters of a text in the page, as crates/lmdi-report/src/page/cells.rs cuts it. */
const LETTERS = 1000;

function cutText(text: string): string {
  const letters = [...text];
  return letters.length > LETTERS ? `${letters.slice(0, LETTERS).join("")}…` : text;
}

/** Whether a column has more than one value to draw a prediction over. */
function hasSeveral({ range, levels }: ScorerColumn): boolean {
  return range ? range[0] < range[1] : (levels?.length ?? 0) > 1;
}

export function whatIf(data: Data, selection: Selection): HTMLElement | null {
  const { scorer: model, served_scorer: served } = data.report;
  const columns = (model ?? served)?.columns;
  if (!columns) return null;
  const told = (text: string) => h("p", { class: "quiet", id: "no-what-if" }, text);
  if (!model && !servedDigest()) return told(served?.is_large ? words.large : words.elsewhere);
  if (!model && servedDigest() !== served?.digest) return told(words.otherModel);
  const scorer: RowScorer = model ? new ScorerClient(model) : new ServerClient(data);
  const hasScores = !model || model.linear !== null;
  const outcome = h("p", { id: "what-if-prediction", role: "status" });
  const lines = h("tbody", {});
  const curve = h("div", { id: "ice" });
  let cells: Cell[] = [];
  let all = false;
  const withCurve = data.order.filter((at) => data.columns[at].cells && hasSeveral(columns[at]));
  let feature = withCurve[0] ?? 0;

  // Cells of the page are cut where they are very long; the model knows whole texts.
  const whole = columns.map(
    ({ levels }) => new Map(levels?.map(({ text }) => [text && cutText(text), text])),
  );
  const cellOf = (row: number, at: number): Cell => {
    if (data.isMissing(row, at)) return null;
    const { cells: column, levels } = data.columns[at];
    if (!levels) return column![row];
    const text = levels[column![row] - 1];
    return whole[at].get(text) ?? text;
  };
  /** A feature whose text in this row the page does not hold, and which the model tells from others. */
  const notHeldIn = (row: number) =>
    data.columns.find(
      ({ at, cells, levels, rest }) =>
        rest > 0 && cells![row] === levels!.length && !data.isRare(at, cells![row]),
    );
  const cellsOf = (row: number) => data.columns.map(({ at }) => cellOf(row, at));
  /** One number of a prediction: that of the explained class. */
  const shown = ({ prediction }: Scored) =>
    data.width === 1
      ? prediction[0]
      : prediction[data.k > 1 ? selection.now.output : data.width - 1];
  const text = (x: number) => (data.width === 1 ? number(x) : percent(x));
  const ownLabel = () =>
    data.report.labels[data.k > 1 ? selection.now.output : data.width - 1] ?? "";

  /** The answer, or a word about why there is none. */
  const answered = async <T>(answer: Promise<T>): Promise<T | null> => {
    try {
      return await answer;
    } catch (error) {
      outcome.textContent = words.failed(error instanceof Error ? error.message : String(error));
      return null;
    }
  };

  let asking = 0;
  const update = async () => {
    const turn = ++asking;
    const { row, output } = selection.now;
    const unknown = notHeldIn(row);
    if (unknown) {
      outcome.textContent = words.notHeld(shortened(unknown.feature.name, 60));
      return;
    }
    const scored = await answered(scorer.score([cellsOf(row), cells]));
    // A later question has its own answer.
    if (turn !== asking || !scored) return;
    const [before, now] = scored;
    const change = shown(now) - shown(before);
    outcome.replaceChildren(
      ...words.prediction(
        data.width === 1 ? null : name(ownLabel(), "cell"),
        exact(shown(before), text(shown(before))),
        h("strong", {}, exact(shown(now), text(shown(now)))),
        signed(data.width === 1 ? number(change) : points(change)),
      ),
    );
    const scoreOf = (scored: Scored, at: number) => scored.scores?.[at * data.k + output] ?? NaN;
    const sizes = data.columns.flatMap(({ at }) => [scoreOf(before, at), scoreOf(now, at)]);
    const format = decimalsFor(Math.max(...sizes.map(Math.abs).filter(Number.isFinite), 0));
    for (const line of lines.rows) {
      const at = Number(line.dataset.feature);
      const [old, present] = [scoreOf(before, at), scoreOf(now, at)];
      const put = (place: number, value: number) =>
        line.cells[place].replaceChildren(
          Number.isNaN(value) ? "" : exact(value, signed(format(value))),
        );
      put(2, old);
      put(3, present);
      put(4, present - old);
      const { note, isOutside } = noteOn(at);
      line.classList.toggle("outside", isOutside);
      line.cells[5].replaceChildren(note);
    }
  };

  /** What a reader must know about the present cell: training has not seen it, or hardly. */
  const noteOn = (at: number): { note: string; isOutside: boolean } => {
    const { range, levels } = columns[at];
    const cell = cells[at];
    if (range && typeof cell === "number" && (cell < range[0] || cell > range[1])) {
      const [low, high] = range.map((end) => data.cellText(at, end));
      return { note: words.outside(low, high), isOutside: true };
    }
    // A text that is not listed is one of those that the model reads as one.
    const known = levels?.find(({ text }) => text === cell)?.familiarity ?? "rare";
    if (!levels || known === "known") return { note: "", isOutside: false };
    return known === "new"
      ? { note: words.newLevel, isOutside: true }
      : { note: page.rareLevels(1), isOutside: false };
  };

  let pause = 0;
  const control = (at: number): HTMLElement => {
    const { levels } = columns[at];
    const label = words.cellOf(shortened(data.report.features[at].name, 60));
    const set = (cell: Cell) => {
      cells[at] = cell;
      void update();
      // Curves take many predictions: they wait until the typing has paused.
      clearTimeout(pause);
      pause = window.setTimeout(() => void drawCurve(), 150);
    };
    if (levels) {
      const own = cells[at];
      const present = levels.findIndex(({ text }) => text === own);
      const listed = levels
        .map(({ text, familiarity }, place) => ({
          value: String(place),
          text: (text === null ? page.missing : shortened(text, 40)) + words.standing[familiarity],
        }))
        .sort((a, b) => a.text.localeCompare(b.text, "en", { numeric: true }));
      // A text that the page does not hold is one of those that the model reads as one.
      if (present < 0)
        listed.unshift({
          value: "-1",
          text: page.rest(data.columns[at].rest) + words.standing.rare,
        });
      const select = choice(listed, String(present), (value) =>
        set(Number(value) < 0 ? own : levels[Number(value)].text),
      );
      select.setAttribute("aria-label", label);
      return select;
    }
    const { time } = data.report.features[at];
    const cell = cells[at];
    const input = h("input", {
      type: time ? { days: "date", seconds: "datetime-local" }[time] : "number",
      step: time === "days" ? "1" : "any",
      "aria-label": label,
      placeholder: page.missing,
      value:
        typeof cell !== "number"
          ? ""
          : time
            ? data.cellText(at, cell).replace(" ", "T")
            : String(cell),
    });
    // Controls of dates count milliseconds.
    const unit = time ? { days: 86_400_000, seconds: 1000 }[time] : 1;
    input.addEventListener("input", () => {
      if (input.value === "" || Number.isFinite(input.valueAsNumber))
        set(input.value === "" ? null : input.valueAsNumber / unit);
    });
    return input;
  };

  const restart = () => {
    cells = cellsOf(selection.now.row);
    redraw();
  };

  /** Controls and results of the cells as they are now. */
  const redraw = () => {
    const { row, output } = selection.now;
    const order = bySize(data, row, output);
    lines.replaceChildren(
      ...(all ? order : order.slice(0, FEW)).map((at) =>
        h(
          "tr",
          { "data-feature": at },
          h("th", { scope: "row" }, name(data.report.features[at].name)),
          h("td", {}, control(at)),
          ...Array.from({ length: 3 }, () => h("td", { class: "right" })),
          h("td", { class: "quiet" }),
        ),
      ),
    );
    void update();
    void drawCurve();
  };

  let drawing = 0;
  const drawCurve = async () => {
    const turn = ++drawing;
    if (notHeldIn(selection.now.row)) return curve.replaceChildren();
    const drawn = await answered(
      curveOf({
        data,
        column: columns[feature],
        feature,
        cells,
        cellsOf: (row) => (notHeldIn(row) ? null : cellsOf(row)),
        score: async (rows) => (await scorer.predict(rows)).map(shown),
        text,
        title: data.width === 1 ? words.predicted : words.probability(shortened(ownLabel(), 30)),
      }),
    );
    // A later question has its own answer.
    if (turn === drawing && drawn) curve.replaceChildren(...drawn);
  };

  const features = withCurve.map((at) => ({
    value: String(at),
    text: shortened(data.report.features[at].name, 60),
  }));
  const pick = choice(features, String(feature), (value) => {
    feature = Number(value);
    void drawCurve();
  });
  pick.id = "ice-feature";
  const details = h(
    "details",
    { id: "what-if" },
    h("summary", {}, words.title),
    h("p", {}, words.how),
    outcome,
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": words.title },
      h(
        "table",
        { class: "plain what-if" },
        h("caption", { class: "quiet" }, hasScores ? words.caption : words.noScores),
        h("thead", {}, h("tr", {}, ...words.heads.map((head) => h("th", { scope: "col" }, head)))),
        lines,
      ),
    ),
    h(
      "div",
      { class: "controls" },
      h("button", { id: "what-if-reset", onclick: restart }, words.reset),
      data.p > FEW &&
        h(
          "button",
          {
            onclick: () => {
              all = !all;
              redraw();
            },
          },
          words.more,
        ),
    ),
    features.length > 0 && h("div", { class: "controls" }, labelled(words.curveOf, pick)),
    features.length > 0 && curve,
  );
  let shownRow = -1;
  // Another class or the closed sheet keep what was changed; another row does not.
  const draw = () => {
    if (!details.open) return;
    const isSame = shownRow === selection.now.row;
    shownRow = selection.now.row;
    if (isSame) redraw();
    else restart();
  };
  details.addEventListener("toggle", draw);
  selection.watch(["row", "output"], draw);
  return details;
}
