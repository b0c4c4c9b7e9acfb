// How good predictions are, on rows that the model was not trained on: calibration, ROC and precision-recall of a class,
// predicted against actual and residuals of a number, and the error of slices.

import { extent, quantileSorted } from "d3-array";
import {
  area,
  type Bin,
  calibration,
  errorOf,
  knownRows,
  type Operating,
  operating,
  type Slice,
} from "../analysis/quality";
import { curves } from "../charts/curves";
import { inOrder, spaced } from "../charts/dots";
import { roomy, Scatter } from "../charts/scatter";
import type { Data } from "../data/data";
import { brushed } from "../page/brush";
import { behind, choice, exact, h, labelled, name, section, table } from "../page/dom";
import {
  count,
  decimalsFor,
  number,
  percent,
  points,
  shortened,
  signed,
  tick,
} from "../page/format";
import type { Selection } from "../page/selection";
import { threshold as decisionWords, page, trust as words } from "../words";
import { confusedCell, confusion, decidedHow, fared } from "./decisions";
import { markButton, markRows } from "./marking";

const BINS = 10;
/** Marked rows have fewer bins rather than fewer rows in each. */
const FEW_IN_BIN = 20;
const DOTS = 2500;
/** Numbers are cut into so many slices of as many rows. */
const PARTS = 5;
/** A table of more classes by classes is not readable. */
const CONFUSED = 12;
/** Its largest cells that are listed then. */
const CONFUSIONS = 20;
/** Levels that are slices of their own. */
const LEVELS = 12;
/** Fewer rows say nothing about an error. */
const FEWEST = 5;

export function trust(data: Data, selection: Selection): HTMLElement | null {
  const known = knownRows(data);
  if (known.length === 0) return null;
  const { rows_are: are } = data.report.about;
  if (are === "trained_on") return section("trust", words.title, h("p", {}, words.trainedOn));
  const how = { new: words.unseen, out_of_bag: words.outOfBag, unknown: words.perhaps }[are];
  return section(
    "trust",
    words.title,
    h("p", {}, words.how(known.length, how)),
    data.width === 1 ? ofNumbers(data, selection, known) : ofClasses(data, selection),
    // Of two classes it stands with their threshold.
    data.width > 2 && confusionOf(data, selection),
    ofSlices(data, selection, known),
  );
}

function confusionOf(data: Data, selection: Selection): HTMLElement {
  const place = h("div", { id: "confusion" });
  selection.watch(["marked"], () =>
    place.replaceChildren(
      ...(data.width <= CONFUSED ? fared(data, null, selection) : confusedMost(data, selection)),
    ),
  );
  return place;
}

/** The largest cells of a table of classes by classes that would be too large to read. */
function confusedMost(data: Data, selection: Selection): Node[] {
  const { labels } = data.report;
  const cells = confusion(data, null);
  const sizes = cells.map((of) => of.reduce((sum, rows) => sum + rows.length, 0));
  const known = sizes.reduce((sum, n) => sum + n, 0);
  const wrong = cells.flatMap((of, actual) =>
    of.flatMap((rows, decided) =>
      rows.length > 0 && decided !== actual ? [{ rows, actual, decided }] : [],
    ),
  );
  if (wrong.length === 0) return [h("p", {}, words.neverConfused)];
  const right = known - wrong.reduce((sum, { rows }) => sum + rows.length, 0);
  const largest = wrong
    .sort((a, b) => b.rows.length - a.rows.length || a.actual - b.actual || a.decided - b.decided)
    .slice(0, CONFUSIONS);
  return [
    table(
      words.confused(known, decidedHow(data)),
      words.confusedHeads,
      largest.map(({ rows, actual, decided }) => [
        name(shortened(labels[actual], 40), "cell"),
        name(shortened(labels[decided], 40), "cell"),
        confusedCell(data, selection, rows, actual, decided),
        percent(rows.length / sizes[actual]),
      ]),
    ),
    h("p", {}, ...decisionWords.correct(h("strong", {}, percent(right / known)))),
  ];
}

/** The class that curves are of: the second of two, else the chosen one. */
function labelOf(data: Data, output: number): number {
  return data.k > 1 ? output : data.width - 1;
}

function ofClasses(data: Data, selection: Selection): HTMLElement {
  const place = h("div", { class: "curve-row" });
  const key = h("p", { class: "legend quiet", id: "marked-curves" });
  const numbers = behind(page.asNumbers, () => calibrationTable(data, selection));
  selection.watch(["output", "threshold", "marked"], ({ output, threshold, marked }) => {
    const label = labelOf(data, output);
    const title = shortened(data.report.labels[label], 18);
    const known = knownRows(data);
    const chosen = marked ? known.filter((row) => marked.rows.has(row)) : [];
    const bins = calibration(data, label, BINS, known);
    const chosenBins = Math.min(BINS, Math.max(1, Math.floor(chosen.length / FEW_IN_BIN)));
    const points = operating(data, label, known);
    const chosenPoints = operating(data, label, chosen);
    // Points go from the highest threshold down; the last one that a decision reaches is the present one.
    const isDecided = (at: number) => (threshold === null ? at > 0.5 : at >= threshold);
    const decided = points.filter((point) => isDecided(point.threshold));
    const now = data.width === 2 ? (decided[decided.length - 1] ?? null) : null;
    const onRoc = ({ falseAlarms, recall }: Operating): [number, number] => [falseAlarms, recall];
    const onPrecision = ({ recall, precision }: Operating): [number, number] => [recall, precision];
    const roc = points.map(onRoc);
    /** Marks the rows between the thresholds of the points that are inside. */
    const markBetween =
      (of: (point: Operating) => [number, number]) =>
      (isInside: (x: number, y: number) => boolean) => {
        const inside = points.filter(
          (point) => Number.isFinite(point.threshold) && isInside(...of(point)),
        );
        const [low, high] = extent(inside, (point) => point.threshold);
        if (low === undefined || high === undefined) return;
        const rows = known.filter((row) => {
          const share = data.probability(row, label);
          return share >= low && share <= high;
        });
        markRows(selection, words.between(title, percent(low), percent(high)), rows);
      };
    const drawnBin = ({ predicted, happened, low, high, rows }: Bin) => ({
      x: predicted,
      y: happened,
      low,
      high,
      pick: () =>
        markRows(
          selection,
          binName(title, rows, (row) => data.probability(row, label)),
          rows,
        ),
    });
    const figure = (id: string, drawing: Node, text: string, ...rest: Node[]) =>
      h("figure", { id }, drawing, h("figcaption", { class: "quiet" }, text), ...rest);
    place.replaceChildren(
      figure(
        "calibration",
        curves({
          label: words.calibrationLabel(title),
          xTitle: words.predicted(title),
          yTitle: words.happened(title),
          reference: [
            [0, 0],
            [1, 1],
          ],
          points: bins.map(drawnBin),
          markedPoints: calibration(data, label, chosenBins, chosen).map(drawnBin),
        }),
        words.calibrationText,
        numbers,
      ),
      figure(
        "roc",
        curves({
          label: words.rocLabel(title, area(roc)),
          xTitle: words.falseAlarms,
          yTitle: words.recall(title),
          reference: [
            [0, 0],
            [1, 1],
          ],
          line: roc,
          markedLine: chosenPoints.map(onRoc),
          mark: now && onRoc(now),
          brush: markBetween(onRoc),
        }),
        words.rocText(area(roc), Boolean(now)),
      ),
      figure(
        "precision",
        curves({
          label: words.precisionLabel(title),
          xTitle: words.recall(title),
          yTitle: words.precision(title),
          line: points.map(onPrecision).slice(1),
          markedLine: chosenPoints.map(onPrecision).slice(1),
          mark: now && Number.isFinite(now.threshold) ? onPrecision(now) : null,
          brush: markBetween(onPrecision),
        }),
        !now
          ? words.precisionText
          : Number.isFinite(now.threshold)
            ? words.precisionNow(now.precision, now.recall)
            : words.precisionNone(title),
      ),
    );
    // An open table shows what is marked now.
    numbers.dispatchEvent(new Event("toggle"));
    key.replaceChildren(
      marked ? words.markedCurves(chosen.length, chosenPoints.length > 0) : words.markCurves,
    );
  });
  return h("div", {}, place, key);
}

function calibrationTable(data: Data, selection: Selection): HTMLElement {
  const { output, marked } = selection.now;
  const label = labelOf(data, output);
  const title = shortened(data.report.labels[label], 18);
  return table(
    words.calibrationLabel(title),
    words.calibrationHeads,
    calibration(data, label, BINS, knownRows(data)).map(
      ({ predicted, happened, low, high, rows }) => [
        exact(predicted, percent(predicted)),
        exact(happened, percent(happened)),
        `${percent(low)} – ${percent(high)}`,
        count(rows.length),
        markButton(
          selection,
          marked,
          binName(title, rows, (row) => data.probability(row, label)),
          rows,
        ),
      ],
    ),
  );
}

/** Rows of a bin in words. */
function binName(title: string, rows: number[], share: (row: number) => number): string {
  const [low, high] = extent(rows, share);
  return words.between(title, percent(low ?? NaN), percent(high ?? NaN));
}

function ofNumbers(data: Data, selection: Selection, known: number[]): HTMLElement {
  const truth = data.truth!;
  const rows = spaced(known.length, DOTS).map((at) => known[at]);
  const predicted = (row: number) => data.predicted(row, 0);
  const ends = extent(rows.flatMap((row) => [predicted(row), truth[row]])) as [number, number];
  const residual = (row: number) => truth[row] - predicted(row);
  const [low, high] = extent(rows, residual) as [number, number];
  const against = new Scatter(360);
  const residuals = new Scatter(360);
  const common = {
    rows,
    brushable: known,
    brush: (chosen: number[]) => markRows(selection, words.brushed, chosen),
    describe: (row: number) =>
      words.point(data.number[row], number(predicted(row)), number(truth[row])),
    pick: (row: number) => selection.set({ row }),
  };
  const draw = () => {
    const kind = brushed(selection.now.marked, () => "plain-dot");
    against.draw({
      ...common,
      label: words.againstLabel,
      x: predicted,
      y: (row) => truth[row],
      kind,
      xTitle: words.predictedNumber,
      xText: tick,
      yTitle: words.actual,
      xRange: roomy(...ends),
      yRange: roomy(...ends),
      line: [
        [ends[0], ends[0]],
        [ends[1], ends[1]],
      ],
    });
    residuals.draw({
      ...common,
      label: words.residualLabel,
      x: predicted,
      y: residual,
      kind,
      xTitle: words.predictedNumber,
      xText: tick,
      yTitle: words.residual,
      xRange: roomy(...ends),
      yRange: roomy(Math.min(0, low), Math.max(0, high)),
    });
    for (const scatter of [against, residuals]) scatter.mark(selection.now.row);
  };
  selection.watch(["marked"], draw);
  selection.watch(["row"], ({ row }) => {
    against.mark(row);
    residuals.mark(row);
  });
  return h(
    "div",
    { class: "curve-row two" },
    h(
      "figure",
      { id: "against" },
      against.element,
      h("figcaption", { class: "quiet" }, words.againstText),
    ),
    h(
      "figure",
      { id: "residuals" },
      residuals.element,
      h("figcaption", { class: "quiet" }, words.residualText),
    ),
  );
}

/** Rows by the cell of a feature: its levels, or parts with as many rows. */
export function slices(
  data: Data,
  feature: number,
  known: number[],
): { name: string; rows: number[] }[] {
  const { cells, levels } = data.columns[feature];
  if (!cells) return [];
  const missing = known.filter((row) => data.isMissing(row, feature));
  const present = known.filter((row) => !data.isMissing(row, feature));
  const rest = missing.length > 0 ? [{ name: page.missing, rows: missing }] : [];
  if (levels) {
    const rowsOf = levels.map((_, at) => ({
      name: data.levelText(feature, at + 1),
      rows: present.filter((row) => cells[row] === at + 1),
    }));
    const used = rowsOf
      .filter(({ rows }) => rows.length > 0)
      .sort((a, b) => b.rows.length - a.rows.length);
    const others = used.slice(LEVELS).flatMap(({ rows }) => rows);
    const named = used.slice(0, LEVELS);
    return [
      ...named,
      ...(others.length > 0 ? [{ name: words.otherLevels, rows: others }] : []),
      ...rest,
    ];
  }
  const sorted = inOrder(Float64Array.from(present, (row) => cells[row]));
  const limits = Array.from(
    { length: PARTS - 1 },
    (_, at) => quantileSorted(sorted, (at + 1) / PARTS) ?? 0,
  );
  const partOf = (row: number) => limits.filter((limit) => cells[row] > limit).length;
  const parts = Array.from({ length: PARTS }, (_, part) =>
    present.filter((row) => partOf(row) === part),
  );
  const named = parts
    .filter((rows) => rows.length > 0)
    .map((rows) => {
      const [from, to] = extent(rows, (row) => cells[row]) as [number, number];
      return {
        name:
          from === to
            ? data.cellText(feature, from)
            : words.range(data.cellText(feature, from), data.cellText(feature, to)),
        rows,
      };
    });
  return [...named, ...rest];
}

function ofSlices(data: Data, selection: Selection, known: number[]): HTMLElement {
  const place = h("div", { id: "slices" });
  let by = data.order.find((at) => data.columns[at].cells !== null) ?? 0;
  const groups = data.report.groups?.list ?? [];
  const pick = choice(
    [
      ...(data.groupOf ? [{ value: "groups", text: words.byGroup }] : []),
      ...data.order
        .filter((at) => data.columns[at].cells !== null)
        .map((at) => ({ value: String(at), text: shortened(data.report.features[at].name, 60) })),
    ],
    String(by),
    (value) => {
      by = value === "groups" ? -1 : Number(value);
      draw();
    },
  );
  pick.id = "slice-feature";
  const partition = () =>
    by < 0
      ? groups.map((_, at) => ({
          name: words.group(at),
          rows: known.filter((row) => data.groupOf?.[row] === at),
        }))
      : slices(data, by, known);
  const draw = () => {
    const { output, threshold, marked } = selection.now;
    const { features } = data.report;
    const label = labelOf(data, output);
    const found: Slice[] = partition()
      .filter(({ rows }) => rows.length > 0)
      .map((slice) => ({ ...slice, ...errorOf(data, slice.rows, threshold, label) }));
    const all = errorOf(data, known, threshold, label);
    const isNumber = data.width === 1;
    const text = isNumber ? decimalsFor(all.error) : percent;
    const largest = Math.max(...found.map(({ error }) => error)) || 1;
    place.replaceChildren(
      table(
        words.sliceCaption(text(all.error)),
        [
          words.slice,
          words.rows,
          isNumber ? words.rmse : words.wrong,
          words.ratio,
          isNumber ? words.bias : words.biasOf(shortened(data.report.labels[label], 30)),
          words.mark,
        ],
        found.map(({ name: title, rows, error, bias }) => [
          name(shortened(title, 60), "cell"),
          count(rows.length),
          rows.length < FEWEST
            ? h("span", { class: "no-number" }, words.tooFew)
            : exact(error, text(error)),
          // Without errors there is nothing to compare with.
          rows.length < FEWEST || all.error === 0
            ? ""
            : ratioBar(error / largest, error / all.error),
          rows.length < FEWEST
            ? ""
            : exact(bias, isNumber ? signed(text(bias)) : signed(points(bias))),
          markButton(
            selection,
            marked,
            words.markSlice(by < 0 ? null : features[by].name, title),
            rows,
          ),
        ]),
        "plain slices",
      ),
    );
  };
  selection.watch(["threshold", "output", "marked"], draw);
  return h(
    "div",
    {},
    h("h3", {}, words.sliceTitle),
    h("p", {}, words.sliceHow),
    h("div", { class: "controls" }, labelled(words.sliceBy, pick)),
    place,
  );
}

function ratioBar(share: number, ratio: number): HTMLElement {
  const bar = h("div", { class: "ratio" }, h("span", { class: "number" }, `${ratio.toFixed(2)} ×`));
  const filled = h("i", { "aria-hidden": "true" });
  filled.style.width = `${(100 * share).toFixed(1)}%`;
  bar.append(filled);
  return bar;
}
