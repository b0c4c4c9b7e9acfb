// Rows where they are, when the table has latitudes and longitudes.

import { extent } from "d3-array";
import { cellSteps, spaced, steps } from "../charts/dots";
import { roomy, Scatter } from "../charts/scatter";
import type { Data } from "../data";
import { choice, h, labelled, section } from "../dom";
import { count, number, shortened } from "../format";
import type { Selection } from "../selection";
import { groupClass } from "./groups";
import { legend } from "./overall";

const DOTS = 6000;

/** What orders and colours rows by their prediction. */
function predictedName(data: Data): string {
  if (data.width === 1) return "prediction";
  if (data.k > 1) return "probability of the class chosen above";
  return `probability of ${shortened(data.report.labels[data.width - 1], 50)}`;
}

export function map(data: Data, selection: Selection): HTMLElement | null {
  const { places } = data;
  const names = data.report.map;
  if (!places || !names) return null;
  const { latitudes, longitudes } = places;
  const rows = spaced(data.n, DOTS).filter(
    (row) => Number.isFinite(latitudes[row]) && Number.isFinite(longitudes[row]),
  );
  const scatter = new Scatter(520);
  const key = h("div", {});
  const features = data.order;
  const options = [
    ...(data.groupOf ? [{ value: "group", text: "group" }] : []),
    { value: "prediction", text: predictedName(data) },
    ...features.map((at) => ({
      value: `score ${at}`,
      text: `score of ${shortened(data.report.features[at].name, 50)}${data.k > 1 ? " (class chosen above)" : ""}`,
    })),
    ...features.map((at) => ({
      value: `cell ${at}`,
      text: `value of ${shortened(data.report.features[at].name, 50)}`,
    })),
  ];
  let paint = options[0].value;

  const kinds = (): ((row: number) => string) => {
    const { output } = selection.now;
    const [what, at] = paint.split(" ");
    if (what === "group" && data.groupOf) return (row) => groupClass(data.groupOf![row]);
    if (what === "score") return steps(data.scoresOf(Number(at), output));
    if (what === "cell") return cellSteps(data, Number(at));
    return steps(Float64Array.from({ length: data.n }, (_, row) => data.predicted(row, output)));
  };
  const draw = () => {
    const [south, north] = extent(rows, (row) => latitudes[row]) as [number, number];
    const [west, east] = extent(rows, (row) => longitudes[row]) as [number, number];
    scatter.draw({
      label: `Map of ${count(rows.length)} rows, coloured by ${options.find(({ value }) => value === paint)?.text}`,
      rows,
      x: (row) => longitudes[row],
      y: (row) => latitudes[row],
      kind: kinds(),
      xTitle: shortened(names.longitude, 40),
      yTitle: shortened(names.latitude, 40),
      xRange: roomy(west, east),
      yRange: roomy(south, north),
      aspect: 1 / Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180)),
      describe: (row) =>
        `Row ${count(data.number[row])}: predicted ${number(data.predicted(row, selection.now.output))}${data.groupOf && !Number.isNaN(data.groupOf[row]) ? `, group ${data.groupOf[row] + 1}` : ""}. Click to choose it.`,
      pick: (row) => selection.set({ row }),
    });
    scatter.mark(selection.now.row);
    key.replaceChildren(
      paint === "group"
        ? h(
            "p",
            { class: "legend quiet" },
            ...(data.report.groups?.list ?? []).flatMap((_, at) => [
              h("i", { class: `swatch ${groupClass(at)}`, "aria-hidden": "true" }),
              ` group ${at + 1} `,
            ]),
          )
        : legend(options.find(({ value }) => value === paint)?.text),
    );
  };
  const colour = choice(options, paint, (value) => {
    paint = value;
    draw();
  });
  selection.watch(["output"], draw);
  selection.watch(["row"], (now) => scatter.mark(now.row));
  return section(
    "map",
    "On the map",
    h(
      "p",
      {},
      `Each dot is a row at its place (${count(rows.length)} are drawn). The ring is the chosen row.`,
    ),
    h("div", { class: "controls" }, labelled("Colour by", colour)),
    scatter.element,
    key,
  );
}
