// The waterfall of a row as one SVG without style sheets, to be copied as an image: always light, with its title and axis.

import { scaleLinear } from "d3-scale";
import { type Account, extentOf, SPREAD } from "../analysis/account";
import { svg } from "../page/dom";
import { decimalsFor, shortened, signed, tick } from "../page/format";
import { waterfall as words } from "../words";

const WIDTH = 900;
const LINE = 26;
const LEFT = 330;
const RIGHT = 110;
const TOP = 74;
const INK = "#1c2430";
const QUIET = "#566172";
const UP = "#b4470b";
const DOWN = "#1464ad";

function text(
  x: number,
  y: number,
  content: string,
  properties: Record<string, string | number> = {},
) {
  return svg(
    "text",
    { x, y, fill: INK, "font-size": 14, "font-family": "system-ui, sans-serif", ...properties },
    content,
  );
}

export function waterfallImage(
  account: Account,
  title: string,
  subtitle: string,
  total: string,
): { drawing: SVGSVGElement; width: number; height: number } {
  const { base, steps, actual } = account;
  const lines = steps.length + (actual === null ? 2 : 3);
  const height = TOP + lines * LINE + 20;
  const x = scaleLinear(extentOf(account), [LEFT, WIDTH - RIGHT]);
  const sizes = [base, account.total, ...steps.map(({ score }) => score)].map(Math.abs);
  const format = decimalsFor(Math.max(...sizes));
  const drawing = svg("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width: WIDTH,
    height,
    viewBox: `0 0 ${WIDTH} ${height}`,
  });
  drawing.append(
    svg(
      "defs",
      {},
      svg(
        "pattern",
        {
          id: "hatched",
          width: 6,
          height: 6,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)",
        },
        svg("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: QUIET, "stroke-width": 2.4 }),
      ),
    ),
    svg("rect", { width: WIDTH, height, fill: "#ffffff" }),
    text(16, 24, shortened(title, 90), { "font-size": 17, "font-weight": 600 }),
    text(16, 46, shortened(subtitle, 110), { fill: QUIET }),
  );
  for (const at of x.ticks(5)) {
    drawing.append(
      svg("line", { x1: x(at), x2: x(at), y1: TOP, y2: height - 16, stroke: "#d9dee6" }),
      text(x(at), TOP - 6, tick(at), { "text-anchor": "middle", "font-size": 12, fill: QUIET }),
    );
  }
  let y = TOP;
  const line = (label: string, value: string, bold: boolean) => {
    const weight = bold ? 600 : 400;
    drawing.append(
      text(16, y + 18, shortened(label, 42), { "font-weight": weight }),
      text(WIDTH - 12, y + 18, value, { "text-anchor": "end", "font-weight": weight }),
    );
  };
  const stop = (at: number, dash: string) =>
    drawing.append(
      svg("line", {
        x1: x(at),
        x2: x(at),
        y1: y + 3,
        y2: y + LINE - 3,
        stroke: INK,
        "stroke-width": 3,
        "stroke-dasharray": dash,
      }),
    );
  const end = (label: string, at: number, dash = "none") => {
    line(label, format(at), true);
    stop(at, dash);
    y += LINE;
  };
  end(words.base, base);
  let at = base;
  for (const { kind, label, cell, score, error } of steps) {
    const to = at + score;
    line(cell === null ? label : `${shortened(label, 28)} = ${cell}`, signed(format(score)), false);
    drawing.append(
      svg("rect", {
        x: Math.min(x(at), x(to)),
        width: Math.max(1, Math.abs(x(to) - x(at))),
        y: y + 5,
        height: LINE - 10,
        fill: kind === "left" ? "url(#hatched)" : score < 0 ? DOWN : UP,
      }),
    );
    if (Number.isFinite(error) && error > 0)
      drawing.append(
        svg("line", {
          x1: x(to - SPREAD * error),
          x2: x(to + SPREAD * error),
          y1: y + LINE / 2,
          y2: y + LINE / 2,
          stroke: INK,
        }),
      );
    at = to;
    y += LINE;
  }
  end(words.total(total), account.total);
  if (actual !== null) end(words.actual, actual, "4 3");
  return { drawing, width: WIDTH, height };
}

/** The drawing as a PNG, twice as fine as it is drawn. */
export async function asPng(drawing: SVGSVGElement, width: number, height: number): Promise<Blob> {
  const image = new Image();
  const source = new XMLSerializer().serializeToString(drawing);
  const loaded = new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("the drawing cannot be read"));
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await loaded;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  context.drawImage(image, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no image"))), "image/png"),
  );
}
