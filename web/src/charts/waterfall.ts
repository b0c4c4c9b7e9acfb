// From the base to the prediction of one row, feature by feature: a table whose last column is drawn.

import { scaleLinear } from "d3-scale";
import type { Data } from "../data";
import { exact, h, name, svg } from "../dom";
import { count, decimalsFor, shortened, signed } from "../format";

/** Features listed one by one. */
export const FEW = 12;
/** Standard errors to each side: about 95 %. */
const SPREAD = 2;

interface Step {
  kind: "score" | "left";
  label: Node | string;
  cell: Node | string;
  score: number;
  error: number;
  feature: number | null;
}

export function waterfall(data: Data, row: number, output: number, all: boolean): HTMLElement {
  const order = data.columns.map(({ at }) => at);
  const size = (at: number) => Math.abs(data.score(row, at, output));
  order.sort((a, b) => size(b) - size(a) || a - b);
  const few = all || order.length <= FEW + 1 ? order.length : FEW;
  const steps: Step[] = order.slice(0, few).map((at) => ({
    kind: "score",
    label: name(data.report.features[at].name),
    cell: data.columns[at].cells
      ? name(data.cell(row, at), data.isMissing(row, at) ? "cell none" : "cell")
      : "",
    score: data.score(row, at, output),
    error: data.error(row, at, output),
    feature: at,
  }));
  if (few < order.length) {
    const rest = order.slice(few).reduce((sum, at) => sum + data.score(row, at, output), 0);
    steps.push({
      kind: "score",
      label: `${count(order.length - few)} other features`,
      cell: "",
      score: rest,
      error: NaN,
      feature: null,
    });
  }

  const left = (label: string, score: number | null) => {
    if (score !== null && Number.isFinite(score))
      steps.push({ kind: "left", label, cell: "", score, error: NaN, feature: null });
  };
  if (!data.isExact) left("not explained", data.unexplained(row, output));
  left("trees that saw the row left out", data.outOfBag(row, output));

  const base = data.base(row, output);
  const total =
    data.explained(row, output) +
    steps.reduce((sum, step) => sum + (step.kind === "left" ? step.score : 0), 0);
  const ends = [base, total];
  let at = base;
  for (const step of steps) {
    at += step.score;
    const spread = Number.isFinite(step.error) ? SPREAD * step.error : 0;
    ends.push(at - spread, at + spread);
  }
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const margin = (high - low || 1) * 0.03;
  const x = scaleLinear([low - margin, high + margin], [0, 100]);
  const text = decimalsFor(
    Math.max(Math.abs(base), Math.abs(total), ...steps.map((step) => Math.abs(step.score))),
  );

  // Numbers stay in line whether or not a spread follows them.
  const room = (error: number) =>
    data.hasErrors &&
    h(
      "span",
      { class: "spread" },
      ...(Number.isFinite(error) ? ["± ", exact(SPREAD * error, text(SPREAD * error))] : []),
    );
  const end = (value: number) => h("span", {}, exact(value, text(value)), room(NaN));
  const lines: HTMLElement[] = [line("base", "", end(base), stop(x(base)), "end")];
  at = base;
  for (const step of steps) {
    const to = at + step.score;
    const drawing =
      step.kind === "left"
        ? hatched(x(at), x(to))
        : move(x(at), x(to), step.score < 0 ? "down" : "up");
    if (Number.isFinite(step.error) && step.error > 0) {
      drawing.append(...whisker(x(to - SPREAD * step.error), x(to + SPREAD * step.error)));
    }
    const adds = h(
      "span",
      { class: step.kind === "left" ? "left" : step.score < 0 ? "down" : "up" },
      exact(step.score, signed(text(step.score))),
    );
    const element = line(
      step.label,
      step.cell,
      h("span", {}, adds, room(step.error)),
      drawing,
      step.kind === "left" ? "step left" : "step",
    );
    if (step.feature !== null) element.dataset.feature = String(step.feature);
    lines.push(element);
    at = to;
  }
  lines.push(line(`= ${data.report.scale.total}`, "", end(total), stop(x(total)), "end total"));
  return h(
    "table",
    { class: "waterfall" },
    h(
      "caption",
      { class: "quiet" },
      `From the base to the ${data.report.scale.total}${data.k > 1 ? ` of class ${shortened(data.report.outputs[output], 50)}` : ""}, the largest scores first`,
    ),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "feature"),
        h("th", { scope: "col" }, "value"),
        h("th", { scope: "col", class: "right" }, "adds"),
        h("th", { scope: "col", class: "drawn" }, h("span", { class: "hidden" }, "drawing")),
      ),
    ),
    h("tbody", {}, ...lines),
  );
}

function line(
  label: Node | string,
  cell: Node | string,
  adds: Node,
  drawing: SVGElement,
  kind: string,
): HTMLElement {
  return h(
    "tr",
    { class: kind },
    h("th", { scope: "row" }, label),
    h("td", { class: "value" }, cell),
    h("td", { class: "right" }, adds),
    h("td", { class: "drawn" }, drawing),
  );
}

function canvas(...content: SVGElement[]): SVGSVGElement {
  return svg("svg", { class: "steps", "aria-hidden": "true" }, ...content);
}

function move(from: number, to: number, kind: string): SVGSVGElement {
  return canvas(
    svg("line", { class: "guide", x1: `${from}%`, x2: `${from}%`, y1: "0%", y2: "20%" }),
    svg("rect", {
      class: kind,
      x: `${Math.min(from, to)}%`,
      width: `${Math.max(0.3, Math.abs(to - from))}%`,
      y: "20%",
      height: "60%",
      rx: 1.5,
    }),
    svg("line", { class: "guide", x1: `${to}%`, x2: `${to}%`, y1: "80%", y2: "100%" }),
  );
}

/** A bar of slanted lines: what no score explains. */
function hatched(from: number, to: number): SVGSVGElement {
  const id = `hatch-${++hatches}`;
  const line = svg("line", { class: "hatch", x1: 0, y1: 0, x2: 0, y2: 6 });
  const drawing = move(from, to, "left");
  drawing.prepend(
    svg(
      "defs",
      {},
      svg(
        "pattern",
        {
          id,
          width: 6,
          height: 6,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)",
        },
        line,
      ),
    ),
  );
  drawing.querySelector("rect.left")?.setAttribute("fill", `url(#${id})`);
  return drawing;
}

let hatches = 0;

function stop(at: number): SVGSVGElement {
  return canvas(svg("line", { class: "stop", x1: `${at}%`, x2: `${at}%`, y1: "0%", y2: "100%" }));
}

function whisker(from: number, to: number): SVGElement[] {
  const cap = (at: number) =>
    svg("line", { class: "whisker", x1: `${at}%`, x2: `${at}%`, y1: "38%", y2: "62%" });
  return [
    svg("line", { class: "whisker", x1: `${from}%`, x2: `${to}%`, y1: "50%", y2: "50%" }),
    cap(from),
    cap(to),
  ];
}
