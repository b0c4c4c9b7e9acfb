// Rows where they are, when the table has latitudes and longitudes.

import { extent, group, mean } from "d3-array";
import { cellSteps, spaced, steps, swatch } from "../charts/dots";
import { roomy, Scatter } from "../charts/scatter";
import type { Data } from "../data/data";
import { brushed } from "../page/brush";
import { behind, choice, exact, h, labelled, section, table } from "../page/dom";
import { cellNumber, count, decimalsFor, shortened } from "../page/format";
import type { Selection } from "../page/selection";
import { map as words } from "../words";
import { groupClass } from "./groups";
import { markRows } from "./marking";
import { legend, levelLegend } from "./overall";

const DOTS = 6000;

/** What orders and colours rows by their prediction. */
function predictedName(data: Data): string {
  if (data.width === 1) return words.prediction;
  if (data.k > 1) return words.probabilityOfChosen;
  return words.probabilityOf(shortened(data.report.labels[data.width - 1], 50));
}

/** Draws rows on a map in these colours. */
function drawMap(
  scatter: Scatter,
  data: Data,
  selection: Selection,
  label: string,
  kind: (row: number) => string,
): void {
  const { latitudes, longitudes } = data.places!;
  const names = data.report.map!;
  const rows = mapped(data);
  const [south, north] = extent(rows, (row) => latitudes[row]) as [number, number];
  const [west, east] = extent(rows, (row) => longitudes[row]) as [number, number];
  scatter.draw({
    label,
    rows,
    brushable: placed(data),
    x: (row) => longitudes[row],
    y: (row) => latitudes[row],
    kind: brushed(selection.now.marked, kind),
    brush: (chosen) => markRows(selection, words.brushed, chosen),
    xTitle: shortened(names.longitude, 40),
    yTitle: shortened(names.latitude, 40),
    xRange: roomy(west, east),
    yRange: roomy(south, north),
    aspect: 1 / Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180)),
    describe: (row) =>
      words.point(
        data.number[row],
        data.predicted(row, selection.now.output),
        data.groupOf && !Number.isNaN(data.groupOf[row]) ? data.groupOf[row] : null,
      ),
    pick: (row) => selection.set({ row }),
  });
  scatter.mark(selection.now.row);
}

/** The rows that are drawn. */
function mapped(data: Data): number[] {
  const { latitudes, longitudes } = data.places!;
  return spaced(data.n, DOTS).filter(
    (row) => Number.isFinite(latitudes[row]) && Number.isFinite(longitudes[row]),
  );
}

/** The rows with a place. */
function placed(data: Data): number[] {
  const { latitudes, longitudes } = data.places!;
  return Array.from({ length: data.n }, (_, row) => row).filter(
    (row) => Number.isFinite(latitudes[row]) && Number.isFinite(longitudes[row]),
  );
}

function byPrediction(data: Data, output: number): (row: number) => string {
  return steps(Float64Array.from({ length: data.n }, (_, row) => data.predicted(row, output)));
}

/** Rows on the map, coloured by their prediction. */
export function mapOf(data: Data, selection: Selection, caption: string): HTMLElement {
  const scatter = new Scatter(260);
  const draw = () => {
    const { output } = selection.now;
    const label = words.label(mapped(data).length, predictedName(data));
    drawMap(scatter, data, selection, label, byPrediction(data, output));
  };
  selection.watch(["output", "marked"], draw);
  selection.watch(["row"], (now) => scatter.mark(now.row));
  return h(
    "div",
    {},
    h("p", { class: "quiet" }, caption),
    scatter.element,
    legend(predictedName(data), words.ring),
  );
}

export function map(data: Data, selection: Selection): HTMLElement | null {
  if (!data.places || !data.report.map) return null;
  const scatter = new Scatter(520);
  const key = h("div", {});
  const features = data.order;
  const options = [
    ...(data.groupOf ? [{ value: "group", text: words.group }] : []),
    { value: "prediction", text: predictedName(data) },
    ...features.map((at) => ({
      value: `score ${at}`,
      text: words.score(shortened(data.report.features[at].name, 50), data.k > 1),
    })),
    ...features.map((at) => ({
      value: `cell ${at}`,
      text: words.value(shortened(data.report.features[at].name, 50)),
    })),
  ];
  let paint = options[0].value;

  const kinds = (): ((row: number) => string) => {
    const { output } = selection.now;
    const [what, at] = paint.split(" ");
    if (what === "group" && data.groupOf) return (row) => groupClass(data.groupOf![row]);
    if (what === "score") return steps(data.scoresOf(Number(at), output));
    if (what === "cell") return cellSteps(data, Number(at));
    return byPrediction(data, output);
  };
  const draw = () => {
    const name = options.find(({ value }) => value === paint)?.text ?? "";
    drawMap(scatter, data, selection, words.label(mapped(data).length, name), kinds());
    key.replaceChildren(
      paint === "group"
        ? h(
            "p",
            { class: "legend quiet" },
            ...(data.report.groups?.list ?? []).flatMap((_, at) => [
              swatch(groupClass(at)),
              words.groupInLegend(at),
            ]),
          )
        : (levelLegend(data, paint, words.ring) ?? legend(name, words.ring)),
    );
  };
  const colour = choice(options, paint, (value) => {
    paint = value;
    draw();
  });
  selection.watch(["output", "marked"], draw);
  selection.watch(["row"], (now) => scatter.mark(now.row));
  return section(
    "map",
    words.title,
    h("p", {}, words.how(mapped(data).length)),
    h("div", { class: "controls" }, labelled(words.colour, colour)),
    scatter.element,
    key,
    behind(words.areas, () => areas(data, selection)),
  );
}

/** Areas in each direction. */
const AREAS = 5;

/** The map as a table: equal parts of it with their rows, which can be marked without a pointer. */
function areas(data: Data, selection: Selection): HTMLElement {
  const { latitudes, longitudes } = data.places!;
  const { output } = selection.now;
  const rows = placed(data);
  const cut = (of: Float64Array) => {
    const [low, high] = extent(rows, (row) => of[row]) as [number, number];
    const step = (high - low || 1) / AREAS;
    const part = (row: number) => Math.min(AREAS - 1, Math.floor((of[row] - low) / step));
    const text = (at: number) =>
      words.areaRange(cellNumber(low + at * step), cellNumber(low + (at + 1) * step));
    return { part, text };
  };
  const [north, east] = [cut(latitudes), cut(longitudes)];
  const found = group(rows, (row) => north.part(row) * AREAS + east.part(row));
  const parts = [...found].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
  const means = parts.map(([, of]) => mean(of, (row) => data.predicted(row, output)) ?? NaN);
  const what = predictedName(data);
  const text = decimalsFor(Math.max(...means.map(Math.abs), 0));
  const names = data.report.map!;
  return table(
    words.areaCaption(what),
    words.areaHeads(shortened(names.latitude, 40), shortened(names.longitude, 40), what),
    parts.map(([part, of], at) => {
      const [latitude, longitude] = [north.text(Math.floor(part / AREAS)), east.text(part % AREAS)];
      const marked = { name: words.area(latitude, longitude), rows: new Set(of) };
      return [
        latitude,
        longitude,
        count(of.length),
        exact(means[at], text(means[at])),
        h("button", { class: "link", onclick: () => selection.set({ marked }) }, words.markArea),
      ];
    }),
  );
}
