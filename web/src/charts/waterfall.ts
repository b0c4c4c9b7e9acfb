// From the base to the prediction of one row, feature by feature: a table whose last column is drawn.

import { scaleLinear } from "d3-scale";
import { accountOf, chancesWithin, extentOf, SPREAD } from "../analysis/account";
import type { Data } from "../data/data";
import { exact, h, name, svg } from "../page/dom";
import { decimalsFor, percent, shortened, signed } from "../page/format";
import { waterfall as words } from "../words";
import { axisOf, topAxis } from "./axis";

export function waterfall(data: Data, row: number, output: number, all: boolean): HTMLElement {
  const account = accountOf(data, row, output, all);
  const { base, steps, total, actual } = account;
  const [low, high] = extentOf(account);
  const x = scaleLinear([low, high], [0, 100]);
  const sizes = [base, total, actual ?? 0, ...steps.map(({ score }) => score)].map(Math.abs);
  const text = decimalsFor(Math.max(...sizes.filter(Number.isFinite)));

  // Numbers stay in line whether or not a spread follows them.
  const room = (error: number) =>
    data.hasErrors &&
    h(
      "span",
      { class: "spread" },
      ...(Number.isFinite(error) ? ["± ", exact(SPREAD * error, text(SPREAD * error))] : []),
    );
  const end = (value: number) => h("span", {}, exact(value, text(value)), room(NaN));
  const lines: HTMLElement[] = [line(words.base, "", end(base), stop(x(base)), "end")];
  let at = base;
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
    const isMissing = step.feature !== null && data.isMissing(row, step.feature);
    const element = line(
      step.feature === null ? step.label : name(step.label),
      step.cell === null ? "" : name(step.cell, isMissing ? "cell none" : "cell"),
      h("span", {}, adds, room(step.error)),
      drawing,
      step.kind === "left" ? "step left" : "step",
    );
    if (step.feature !== null) element.dataset.feature = String(step.feature);
    lines.push(element);
    at = to;
  }
  lines.push(
    line(words.total(data.report.scale.total), "", end(total), stop(x(total)), "end total"),
  );
  if (actual !== null)
    lines.push(line(words.actual, "", end(actual), stop(x(actual), "truth"), "end actual"));
  const isLogOdds = data.report.scale.kind === "log_odds" && data.k === 1;
  return h(
    "table",
    { class: "waterfall" },
    h(
      "caption",
      { class: "quiet" },
      words.caption(
        data.report.scale.total,
        data.k > 1 ? shortened(data.report.outputs[output], 50) : null,
      ),
    ),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, words.heads.feature),
        h("th", { scope: "col" }, words.heads.value),
        h("th", { scope: "col", class: "right" }, words.heads.adds),
        h(
          "th",
          { scope: "col", class: "drawn" },
          h("span", { class: "hidden" }, words.heads.drawing),
          topAxis(low, high),
          isLogOdds && chances(low, high),
        ),
      ),
    ),
    h("tbody", {}, ...lines),
  );
}

/** Probabilities at their log-odds. */
function chances(low: number, high: number): HTMLElement {
  const x = scaleLinear([low, high], [0, 100]);
  const marks = chancesWithin(low, high).map(({ chance, at }) => {
    const label = h(
      "span",
      { class: "tick" },
      percent(chance, chance < 0.01 || chance > 0.99 ? 1 : 0),
    );
    label.style.left = `${x(at)}%`;
    return label;
  });
  return axisOf("axis chances", marks);
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

function stop(at: number, kind = ""): SVGSVGElement {
  return canvas(
    svg("line", { class: `stop ${kind}`.trim(), x1: `${at}%`, x2: `${at}%`, y1: "0%", y2: "100%" }),
  );
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
