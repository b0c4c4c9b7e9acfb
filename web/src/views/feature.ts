// One feature: its scores against its values, with the distribution of the values.

import { mean, quantileSorted } from "d3-array";
import { histogramOf } from "../analysis/histogram";
import { topAxis } from "../charts/axis";
import { cellSteps, inOrder, spaced } from "../charts/dots";
import { roomy, Scatter } from "../charts/scatter";
import { strip } from "../charts/strip";
import type { Data } from "../data/data";
import { brushed } from "../page/brush";
import {
  behind,
  choice,
  columns,
  exact,
  h,
  labelled,
  name,
  section,
  setChoice,
  svg,
  table,
} from "../page/dom";
import { count, decimalsFor, shortened } from "../page/format";
import type { Selection } from "../page/selection";
import { page, feature as words } from "../words";
import { markRows, markScores } from "./marking";
import { legend, levelLegend } from "./overall";

/** Dots in the drawing. */
const DOTS = 3000;
/** Scores are averaged over steps of this share of the rows, or of the range of values if that is less. */
const STEP = 0.04;
/** Bars that count rows, about. */
const COUNTED = 40;
/** Levels listed. */
const LEVELS = 25;

interface Average {
  from: number;
  to: number;
  middle: number;
  rows: number;
  mean: number;
}

/** Mean score of rows with similar values; equal values are never torn apart. */
function averages(
  cells: Float64Array,
  scores: Float64Array,
  [low, high]: [number, number],
): Average[] {
  const order = [...cells.keys()].filter(
    (row) => !Number.isNaN(cells[row]) && !Number.isNaN(scores[row]),
  );
  order.sort((a, b) => cells[a] - cells[b]);
  const found: Average[] = [];
  let from = 0;
  while (from < order.length) {
    const [most, widest] = [from + order.length * STEP, cells[order[from]] + (high - low) * STEP];
    let to = from + 1;
    while (
      to < order.length &&
      ((to < most && cells[order[to]] <= widest) || cells[order[to]] === cells[order[to - 1]])
    )
      to++;
    const rows = order.slice(from, to);
    found.push({
      from: cells[rows[0]],
      to: cells[rows[rows.length - 1]],
      middle: mean(rows, (row) => cells[row])!,
      rows: rows.length,
      mean: mean(rows, (row) => scores[row])!,
    });
    from = to;
  }
  return found;
}

/** The whole range, and the middle 98 % where a few values would squeeze all others. */
function ranges(cells: Float64Array): { whole: [number, number]; usual: [number, number] | null } {
  const sorted = inOrder(cells);
  const whole: [number, number] = [sorted[0] ?? 0, sorted[sorted.length - 1] ?? 1];
  const usual: [number, number] = [
    quantileSorted(sorted, 0.01) ?? 0,
    quantileSorted(sorted, 0.99) ?? 1,
  ];
  const squeezed = usual[1] > usual[0] && whole[1] - whole[0] > 2.5 * (usual[1] - usual[0]);
  return { whole, usual: squeezed ? usual : null };
}

export function oneFeature(data: Data, selection: Selection): HTMLElement {
  const scatter = new Scatter(430);
  const place = h("div", {});
  const features = data.order.map((at) => ({
    value: String(at),
    text: shortened(data.report.features[at].name, 60),
  }));
  const pick = choice(features, String(selection.now.feature), (value) =>
    selection.set({ feature: Number(value) }),
  );
  pick.id = "feature-name";
  let colour = -1;
  let whole = false;
  const paint = choice([{ value: "-1", text: words.oneColour }, ...features], "-1", (value) => {
    colour = Number(value);
    draw();
  });

  paint.id = "feature-colour";

  const drawNumbers = (feature: number, output: number, cells: Float64Array) => {
    const scores = data.scoresOf(feature, output);
    const text = (x: number) => data.cellText(feature, x);
    const range = ranges(cells);
    const shown = range.usual && !whole ? range.usual : range.whole;
    const rows = spaced(data.n, DOTS).filter(
      (row) => cells[row] >= shown[0] && cells[row] <= shown[1] && !Number.isNaN(scores[row]),
    );
    const outside = cells.reduce((sum, x) => sum + (x < shown[0] || x > shown[1] ? 1 : 0), 0);
    const missing = [...cells.keys()].filter((row) => Number.isNaN(cells[row]));
    const xRange = roomy(...shown);
    const histogram = histogramOf(cells, shown, COUNTED);
    const found = averages(cells, scores, shown);
    const sizes = rows.map((row) => scores[row]);
    const title = shortened(data.report.features[feature].name, 60);
    scatter.draw({
      label: words.label(title, inWords(found, text)),
      rows,
      brushable: Array.from({ length: data.n }, (_, row) => row),
      x: (row) => cells[row],
      y: (row) => scores[row],
      kind: brushed(
        selection.now.marked,
        colour >= 0 ? cellSteps(data, colour) : () => "plain-dot",
      ),
      brush: (chosen) => markRows(selection, words.brushed(title), chosen),
      xTitle: title,
      xText: text,
      xTime: data.report.features[feature].time,
      yTitle: words.axis(
        data.k > 1 ? shortened(data.report.outputs[output], 30) : null,
        scaleOf(data),
      ),
      xRange,
      yRange: roomy(Math.min(0, ...sizes), Math.max(0, ...sizes)),
      line: found
        .filter(({ middle }) => middle >= shown[0] && middle <= shown[1])
        .map(({ middle, mean }) => [middle, mean]),
      histogram,
      describe: (row) => words.point(data.number[row], text(cells[row]), scores[row]),
      pick: (row) => selection.set({ row }),
    });
    scatter.mark(selection.now.row);
    place.replaceChildren(
      scatter.element,
      h(
        "p",
        { class: "quiet" },
        words.dots(rows.length),
        missing.length > 0 &&
          words.missing(missing.length, mean(missing, (row) => scores[row]) ?? NaN),
        outside > 0 && words.outside(outside),
        range.usual &&
          h(
            "button",
            {
              class: "plain",
              onclick: () => {
                whole = !whole;
                draw();
              },
            },
            whole ? words.showMiddle : words.showAllValues,
          ),
      ),
      colour >= 0 ? (levelLegend(data, `cell ${colour}`) ?? legend()) : "",
      behind(page.asNumbers, () => {
        const size = decimalsFor(Math.max(...found.map(({ mean }) => Math.abs(mean)), 0));
        return table(
          words.byValue,
          words.byValueHeads,
          found.map(({ from, to, rows, mean }) => [
            from === to ? text(from) : `${text(from)} to ${text(to)}`,
            count(rows),
            exact(mean, size(mean)),
          ]),
        );
      }),
    );
  };

  const drawLevels = (feature: number, output: number, cells: Float64Array, levels: string[]) => {
    const scores = data.scoresOf(feature, output);
    const rowsOf: number[][] = [[], ...levels.map(() => [])];
    for (const [row, code] of cells.entries()) rowsOf[code].push(row);
    const used = rowsOf
      .map((rows, code) => ({ code, rows, mean: mean(rows, (row) => scores[row]) ?? 0 }))
      .filter(({ rows }) => rows.length > 0);
    const most = Math.max(...used.map(({ rows }) => rows.length));
    const listed = used
      .sort((a, b) => b.rows.length - a.rows.length)
      .slice(0, LEVELS)
      .sort((a, b) => b.mean - a.mean);
    const rare = listed.filter(({ code }) => data.isRare(feature, code));
    const seen = listed
      .flatMap(({ rows }) => spaced(rows.length, 600).map((at) => scores[rows[at]]))
      .filter(Number.isFinite);
    const [low, high] = roomy(Math.min(0, ...seen), Math.max(0, ...seen));
    const axis = (x: number) => (x - low) / (high - low);
    const text = decimalsFor(Math.max(...listed.map(({ mean }) => Math.abs(mean))));
    const paintOf = brushed(
      selection.now.marked,
      colour >= 0 ? cellSteps(data, colour) : () => "plain-dot",
    );
    place.replaceChildren(
      h(
        "table",
        { class: "overall" },
        h(
          "caption",
          {},
          words.levels(
            data.k > 1 ? shortened(data.report.outputs[output], 50) : null,
            data.report.scale.text,
          ),
        ),
        columns("names", "bars", "numbers", "numbers", "rest"),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, words.levelHeads.value),
            h("td", { class: "bar" }),
            h("th", { scope: "col", class: "right" }, words.levelHeads.rows),
            h("th", { scope: "col", class: "right" }, words.levelHeads.mean),
            h("th", { scope: "col", class: "swarm" }, words.levelHeads.single, topAxis(low, high)),
          ),
        ),
        h(
          "tbody",
          {},
          ...listed.map(({ code, rows, mean }) => {
            const drawn = spaced(rows.length, 600).map((at) => rows[at]);
            return h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                code === 0 ? page.missing : name(data.levelText(feature, code), "cell"),
                data.isRare(feature, code) && h("span", { class: "quiet" }, ` ${page.rare}`),
              ),
              h(
                "td",
                { class: "bar small" },
                svg(
                  "svg",
                  { class: "bar", "aria-hidden": "true" },
                  svg("rect", {
                    class: "count",
                    width: `${(100 * rows.length) / most}%`,
                    height: "100%",
                    rx: 2,
                  }),
                ),
              ),
              h("td", { class: "right" }, count(rows.length)),
              h("td", { class: "right" }, exact(mean, text(mean))),
              h(
                "td",
                { class: "swarm" },
                strip(
                  drawn,
                  (row) => scores[row],
                  paintOf,
                  axis,
                  markScores(data, selection, feature, axis, rows),
                ).element,
              ),
            );
          }),
        ),
      ),
      colour >= 0 ? (levelLegend(data, `cell ${colour}`) ?? legend()) : "",
      used.length > LEVELS
        ? h(
            "p",
            { class: "quiet" },
            words.mostFrequent(LEVELS, used.length + Math.max(0, data.columns[feature].rest - 1)),
          )
        : "",
      rare.length > 0 ? h("p", { class: "quiet" }, page.rareLevels(rare.length)) : "",
    );
  };

  const draw = () => {
    const { feature, output } = selection.now;
    const { cells, levels, feature: about } = data.columns[feature];
    if (!cells) {
      place.replaceChildren(
        h(
          "p",
          {},
          ...words.group(
            name(about.name),
            about.members.map((member) => name(member)),
          ),
        ),
      );
    } else if (levels) {
      drawLevels(feature, output, cells, levels);
    } else {
      drawNumbers(feature, output, cells);
    }
  };
  selection.watch(["feature", "output", "marked"], (now, changed) => {
    if (changed.has("feature")) whole = false;
    if (pick.value !== String(now.feature)) setChoice(pick, String(now.feature));
    draw();
  });
  selection.watch(["row"], (now) => scatter.mark(now.row));
  return section(
    "feature",
    words.title,
    h("p", {}, words.how),
    h("div", { class: "controls" }, labelled(words.pick, pick), labelled(words.colour, paint)),
    place,
  );
}

/** The scale of scores in few words, beside an axis. */
function scaleOf({ report: { scale } }: Data): string {
  if (scale.kind === "probability") return words.scales.probability;
  if (scale.kind === "log_odds") return words.scales.log_odds;
  return shortened(scale.text, 40);
}

function inWords(found: Average[], text: (x: number) => string): string {
  const ends = [found[0], found[found.length - 1]];
  if (!ends[0]) return words.noValues;
  return ends.map(({ middle, mean }) => words.near(mean, text(middle))).join(", ");
}
