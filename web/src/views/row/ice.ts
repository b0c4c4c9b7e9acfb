// The prediction of a row over the values of one feature (individual conditional expectation), beside other rows and their
// mean: a curve over numbers, one line per level over texts.

import { extent, mean, quantileSorted } from "d3-array";
import { scaleLinear } from "d3-scale";
import { topAxis } from "../../charts/axis";
import { curves } from "../../charts/curves";
import { inOrder, spaced } from "../../charts/dots";
import { roomy } from "../../charts/scatter";
import type { ScorerColumn } from "../../contract";
import type { Data } from "../../data/data";
import { columns, exact, h, name, svg } from "../../page/dom";
import { decimalsFor, percent, shortened, tick } from "../../page/format";
import type { Cell } from "../../scorer/scorer";
import { page, whatIf as words } from "../../words";

/** Numbers at which a curve is drawn. */
const GRID = 40;
/** Rows whose curves are averaged. */
const ROWS = 40;
/** Levels that are drawn. */
const LEVELS = 25;

export interface Asked {
  data: Data;
  column: ScorerColumn;
  feature: number;
  /** The row's cells, as they are now. */
  cells: Cell[];
  /** Cells of another row; none where the page does not hold them all. */
  cellsOf: (row: number) => Cell[] | null;
  /** One number of the prediction of each of these rows. */
  score: (rows: Cell[][]) => Promise<number[]>;
  text: (prediction: number) => string;
  /** What is predicted. */
  title: string;
}

export function curveOf(asked: Asked): Promise<Node[]> {
  const { range, levels } = asked.column;
  if (range) return overNumbers(asked, range);
  return overLevels(asked, levels ?? []);
}

interface Predictions {
  own: number[];
  /** Of other rows, row by row. */
  others: number[][];
  average: number[];
  /** From the lowest to the highest, with a little room. */
  range: [number, number];
}

/** Predictions with each of these values in the cell of the feature. */
async function predictions(asked: Asked, values: Cell[]): Promise<Predictions> {
  const { data, feature, cells, cellsOf, score } = asked;
  const changed = (of: Cell[]) =>
    values.map((value) => of.map((cell, at) => (at === feature ? value : cell)));
  const rows = spaced(data.n, ROWS).map(cellsOf);
  const known = rows.filter((of) => of !== null);
  const found = await score([cells, ...known].flatMap(changed));
  const part = (at: number) => found.slice(at * values.length, (at + 1) * values.length);
  const others = known.map((_, at) => part(at + 1));
  const [low, high] = extent(found);
  return {
    own: part(0),
    others,
    average: values.map((_, at) => mean(others, (of) => of[at]) ?? NaN),
    range: roomy(low ?? 0, high ?? 1),
  };
}

/** Evenly over the range, as many where the rows are, and the present value. */
function gridOf(column: Float64Array, [low, high]: [number, number], present: Cell): number[] {
  const sorted = inOrder(column);
  const half = GRID / 2;
  const even = Array.from({ length: half }, (_, at) => low + ((high - low) * at) / (half - 1));
  const usual = Array.from({ length: half }, (_, at) => quantileSorted(sorted, at / (half - 1)));
  const inside = [...even, ...usual, present].filter(
    (value): value is number => typeof value === "number" && value >= low && value <= high,
  );
  return [...new Set(inside)].sort((a, b) => a - b);
}

async function overNumbers(asked: Asked, range: [number, number]): Promise<Node[]> {
  const { data, feature, cells, text, title } = asked;
  const present = cells[feature];
  const grid = gridOf(data.columns[feature].cells!, range, present);
  const { own, others, average, range: heights } = await predictions(asked, grid);
  const line = (of: number[]) => grid.map((value, at): [number, number] => [value, of[at]]);
  const named = shortened(data.report.features[feature].name, 40);
  const at = typeof present === "number" ? grid.indexOf(present) : -1;
  return [
    curves({
      label: words.curveLabel(named, text(own[0]), text(own[own.length - 1])),
      xTitle: named,
      yTitle: title,
      xRange: range,
      xFormat: (at) => data.cellText(feature, at),
      xTime: data.report.features[feature].time,
      yRange: heights,
      format: (at) => (data.width === 1 ? tick(at) : percent(at, 0)),
      faint: others.map(line),
      average: line(average),
      line: line(own),
      mark: at < 0 ? null : [grid[at], own[at]],
    }),
    h("p", { class: "quiet" }, words.curveText(others.length)),
  ];
}

/** The levels that are drawn: the most frequent ones, and the present one. */
function drawnLevels({ data, feature, cells: own }: Asked, known: (string | null)[]): Cell[] {
  const { cells, levels } = data.columns[feature];
  const counts = new Map<string | null, number>();
  for (const code of cells!) {
    const level = code === 0 ? null : levels![code - 1];
    counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  const by = (level: string | null) => counts.get(level) ?? 0;
  const order = [...known].sort((a, b) => by(b) - by(a));
  const shown = order.slice(0, LEVELS);
  const present = own[feature] as string | null;
  return shown.includes(present) || !known.includes(present) ? shown : [...shown, present];
}

async function overLevels(
  asked: Asked,
  levels: NonNullable<ScorerColumn["levels"]>,
): Promise<Node[]> {
  const { data, feature, cells, text, title } = asked;
  const known = levels.map(({ text }) => text);
  const familiarity = new Map(levels.map(({ text, familiarity }) => [text, familiarity]));
  const drawn = drawnLevels(asked, known);
  const rare = drawn.filter((level) => familiarity.get(level as string | null) === "rare");
  const { own, others, average, range } = await predictions(asked, drawn);
  const largest = Math.max(...[...own, ...average].map(Math.abs), 0);
  const number = data.width === 1 ? decimalsFor(largest) : text;
  const x = scaleLinear(range, [0, 100]);
  const order = drawn.map((_, at) => at).sort((a, b) => average[b] - average[a] || a - b);
  const dot = (kind: string, at: number, r: number) =>
    svg("circle", { class: kind, cx: `${x(at)}%`, cy: "50%", r });
  const line = (at: number) => {
    const isPresent = drawn[at] === cells[feature];
    return h(
      "tr",
      { class: isPresent ? "present" : null },
      h(
        "th",
        { scope: "row" },
        drawn[at] === null ? page.missing : name(String(drawn[at]), "cell"),
        h("span", { class: "quiet" }, words.standing[familiarity.get(drawn[at] as string | null)!]),
        isPresent && h("span", { class: "quiet" }, words.present),
      ),
      h("td", { class: "right" }, exact(own[at], number(own[at]))),
      h("td", { class: "right" }, exact(average[at], number(average[at]))),
      h(
        "td",
        { class: "swarm" },
        svg(
          "svg",
          { class: "steps", "aria-hidden": "true" },
          ...others.map((of) => dot("other", of[at], 3)),
          svg("line", {
            class: "mean",
            x1: `${x(average[at])}%`,
            x2: `${x(average[at])}%`,
            y1: "15%",
            y2: "85%",
          }),
          dot("own", own[at], 5),
          isPresent && dot("ring", own[at], 8),
        ),
      ),
    );
  };
  const named = shortened(data.report.features[feature].name, 40);
  return [
    h(
      "table",
      { class: "overall levels" },
      h("caption", { class: "quiet" }, words.levelCaption(named, title)),
      columns("names", "numbers", "numbers", "rest"),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, words.levelHeads.level),
          h("th", { scope: "col", class: "right" }, words.levelHeads.own),
          h("th", { scope: "col", class: "right" }, words.levelHeads.mean),
          h(
            "th",
            { scope: "col", class: "swarm" },
            h("span", { class: "hidden" }, words.levelHeads.drawing),
            topAxis(...range, 5, data.width === 1 ? tick : (at) => percent(at, 0)),
          ),
        ),
      ),
      h("tbody", {}, ...order.map(line)),
    ),
    h(
      "p",
      { class: "quiet" },
      words.levelText(others.length),
      known.length > drawn.length && words.someLevels(drawn.length, known.length),
      rare.length > 0 && ` ${page.rareLevels(rare.length)}`,
    ),
  ];
}
