// Curves and points with intervals in a square with axes, such as ROC and calibration.

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import type { TimeUnit } from "../contract";
import { svg } from "../page/dom";
import { brushing } from "./brushing";
import { fittingTicks } from "./ticks";

export interface Point {
  x: number;
  y: number;
  low: number;
  high: number;
  pick: () => void;
}

export interface Curves {
  label: string;
  xTitle: string;
  yTitle: string;
  /** What chance or a perfect model would give. */
  reference?: [number, number][];
  line?: [number, number][];
  /** Lines of single rows, and their mean. */
  faint?: [number, number][][];
  average?: [number, number][];
  /** Both run from 0 to 1 unless given. */
  xRange?: [number, number];
  yRange?: [number, number];
  /** How the axes are written; as percentages unless given. */
  xFormat?: (at: number) => string;
  format?: (at: number) => string;
  /** What x counts, if it is a point in time. */
  xTime?: TimeUnit | null;
  /** Points with the interval of y, which can be chosen. */
  points?: Point[];
  /** The same of the rows that are marked in the page. */
  markedLine?: [number, number][];
  markedPoints?: Point[];
  /** Called with what lies inside a rectangle that was drawn with the pointer. */
  brush?: (isInside: (x: number, y: number) => boolean) => void;
  /** Where the decision threshold is. */
  mark?: [number, number] | null;
}

const SIZE = 320;
const MARGIN = { top: 10, right: 24, bottom: 42, left: 52 };

export function curves(drawn: Curves): SVGElement {
  const { label, xTitle, yTitle, reference, line, points = [], mark, brush } = drawn;
  const { markedLine = [], markedPoints = [] } = drawn;
  const { xRange = [0, 1], yRange = [0, 1], faint = [], average, xFormat, format, xTime } = drawn;
  const inner = SIZE - MARGIN.left - MARGIN.right;
  const bottom = SIZE - MARGIN.bottom;
  const x = scaleLinear(xRange, [MARGIN.left, MARGIN.left + inner]);
  const y = scaleLinear(yRange, [bottom, MARGIN.top]);
  const path = (of: [number, number][]) =>
    `M${of.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}`;
  const percent = (at: { valueOf(): number }) => `${Math.round(at.valueOf() * 100)} %`;
  const across = svg("g", { transform: `translate(0 ${bottom})` });
  select<SVGGElement, unknown>(across).call(
    axisBottom(x)
      .tickValues(fittingTicks(xRange, 5, inner, xFormat ?? ((at) => percent(at)), xTime))
      .tickFormat(xFormat ? (at) => xFormat(at.valueOf()) : percent)
      .tickSizeOuter(0),
  );
  const up = svg("g", { transform: `translate(${MARGIN.left} 0)` });
  select<SVGGElement, unknown>(up).call(
    axisLeft(y)
      .ticks(5)
      .tickFormat(format ? (at) => format(at.valueOf()) : percent)
      .tickSizeOuter(0),
  );
  const title = (text: string, transform: string) =>
    svg("text", { class: "axis-title", "text-anchor": "middle", transform }, text);
  const pointOf = (kind: string) => (point: Point) => {
    const dot = svg("circle", { class: kind, cx: x(point.x), cy: y(point.y), r: 4 });
    // Wider than it looks.
    const target = svg("circle", { class: "target", cx: x(point.x), cy: y(point.y), r: 10 });
    target.addEventListener("click", point.pick);
    const whisker = svg("line", {
      class: `whisker ${kind}`,
      x1: x(point.x),
      x2: x(point.x),
      y1: y(point.low),
      y2: y(point.high),
    });
    return [whisker, dot, target];
  };
  const drawing = svg(
    "svg",
    {
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      class: "curves",
      role: "img",
      "aria-label": label,
    },
    across,
    up,
    title(xTitle, `translate(${MARGIN.left + inner / 2} ${SIZE - 6})`),
    title(yTitle, `translate(13 ${(MARGIN.top + bottom) / 2}) rotate(-90)`),
    ...faint.map((of) => svg("path", { class: "faint", d: path(of) })),
    average && svg("path", { class: "average", d: path(average) }),
    reference && svg("path", { class: "reference", d: path(reference) }),
    line && line.length > 0 && svg("path", { class: "curve", d: path(line) }),
    markedLine.length > 0 && svg("path", { class: "curve chosen", d: path(markedLine) }),
    ...points.flatMap(pointOf("run")),
    ...markedPoints.flatMap(pointOf("run chosen")),
    mark && svg("circle", { class: "ring", cx: x(mark[0]), cy: y(mark[1]), r: 7 }),
  );
  if (brush)
    brushing(drawing, (box) =>
      brush((a, b) => {
        const [left, top] = [x(a), y(b)];
        return left >= box.left && left <= box.right && top >= box.top && top <= box.bottom;
      }),
    );
  return drawing;
}
