// Points in two dimensions with axes, a mark for the chosen row, and a text for the row under the pointer.

import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import type { Bar } from "../analysis/histogram";
import type { TimeUnit } from "../contract";
import { h, svg } from "../page/dom";
import { cellNumber, tick } from "../page/format";
import { brushing } from "./brushing";
import { dots } from "./dots";
import { fittingTicks } from "./ticks";

export interface Points {
  label: string;
  rows: number[];
  /** All rows that a rectangle may mark, drawn or not. */
  brushable: number[];
  x: (row: number) => number;
  y: (row: number) => number;
  kind: (row: number) => string;
  xTitle: string;
  /** How the x axis is written; as cells of the table unless given. */
  xText?: (at: number) => string;
  /** What x counts, if it is a point in time. */
  xTime?: TimeUnit | null;
  yTitle: string;
  xRange: [number, number];
  yRange: [number, number];
  /** Length of one unit of y, in units of x, where the drawing is a map. */
  aspect?: number;
  line?: [number, number][];
  /** Counts of rows, drawn at the foot. */
  histogram?: Bar[];
  describe: (row: number) => string;
  pick: (row: number) => void;
  /** Called with the rows inside a rectangle that was drawn with the pointer. */
  brush?: (rows: number[]) => void;
}

const MARGIN = { top: 12, right: 16, bottom: 44, left: 74 };
/** More ticks of the y axis crowd a tall drawing. */
const MOST_TICKS = 7;
/** How near the pointer must be to a point, in pixels. */
const REACH = 14;

export class Scatter {
  readonly element = h("div", { class: "scatter" });
  private points: Points | null = null;
  private marked: number | null = null;
  private place: { x: (row: number) => number; y: (row: number) => number } | null = null;
  private readonly ring = svg("circle", { class: "ring", r: 7, visibility: "hidden" });
  private readonly hint = h("div", { class: "hint", role: "status" });
  private width = 0;

  constructor(private readonly height: number) {
    new ResizeObserver(() => {
      if (Math.abs(this.element.clientWidth - this.width) > 1) this.redraw();
    }).observe(this.element);
  }

  draw(points: Points): void {
    this.points = points;
    this.redraw();
  }

  mark(row: number | null): void {
    this.marked = row;
    const { place, points } = this;
    const at = row !== null && place && points ? { x: place.x(row), y: place.y(row) } : null;
    const shown = at !== null && Number.isFinite(at.x) && Number.isFinite(at.y);
    this.ring.setAttribute("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    this.ring.setAttribute("cx", at.x.toFixed(1));
    this.ring.setAttribute("cy", at.y.toFixed(1));
  }

  private redraw(): void {
    const { points } = this;
    this.width = this.element.clientWidth;
    if (!points || this.width === 0) return;
    let inner = Math.max(120, this.width - MARGIN.left - MARGIN.right);
    let tall = this.height - MARGIN.top - MARGIN.bottom;
    const [[x0, x1], [y0, y1]] = [points.xRange, points.yRange];
    if (points.aspect) {
      // One scale for both directions.
      const unit = Math.min(
        inner / (x1 - x0),
        (this.height * 1.4 - MARGIN.bottom) / ((y1 - y0) * points.aspect),
      );
      inner = Math.max(120, unit * (x1 - x0));
      tall = Math.max(120, unit * points.aspect * (y1 - y0));
    }
    const foot = points.histogram ? 46 : 0;
    const x = scaleLinear(points.xRange, [MARGIN.left, MARGIN.left + inner]);
    const y = scaleLinear(points.yRange, [MARGIN.top + tall - foot, MARGIN.top]);
    const bottom = MARGIN.top + tall;
    const place = (row: number) => ({
      x: x(points.x(row)),
      y: y(points.y(row)),
      kind: points.kind(row),
    });
    this.place = { x: (row) => x(points.x(row)), y: (row) => y(points.y(row)) };
    const { xText = cellNumber } = points;
    const across = svg("g", { transform: `translate(0 ${bottom})` });
    select<SVGGElement, unknown>(across).call(
      axisBottom(x)
        .tickValues(
          fittingTicks(points.xRange, Math.max(3, inner / 110), inner, xText, points.xTime),
        )
        .tickFormat((at) => xText(at.valueOf()))
        .tickSizeOuter(0),
    );
    const up = svg("g", { transform: `translate(${MARGIN.left} 0)` });
    select<SVGGElement, unknown>(up).call(
      axisLeft(y)
        .ticks(Math.max(3, Math.min(MOST_TICKS, tall / 60)))
        .tickFormat((at) => tick(at.valueOf()))
        .tickSizeOuter(0),
    );
    const [width, height] = [MARGIN.left + inner + MARGIN.right, bottom + MARGIN.bottom];
    const drawing = svg(
      "svg",
      {
        width,
        height,
        // Paper is narrower than the window, and a drawing is not redrawn for it: it shrinks.
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": points.label,
      },
      across,
      up,
      svg(
        "text",
        {
          class: "axis-title",
          x: MARGIN.left + inner / 2,
          y: bottom + 36,
          "text-anchor": "middle",
        },
        points.xTitle,
      ),
      svg(
        "text",
        {
          class: "axis-title",
          transform: `translate(14 ${MARGIN.top + (tall - foot) / 2}) rotate(-90)`,
          "text-anchor": "middle",
        },
        points.yTitle,
      ),
      ...this.histogram(points, x, bottom, foot),
      !points.aspect &&
        y0 < 0 &&
        y1 > 0 &&
        svg("line", {
          class: "zero",
          x1: MARGIN.left,
          x2: MARGIN.left + inner,
          y1: y(0),
          y2: y(0),
        }),
      ...dots(points.rows.map(place)),
      points.line &&
        svg("path", {
          class: "curve",
          d: `M${points.line.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L")}`,
        }),
      this.ring,
    );
    drawing.addEventListener("pointermove", (event) => this.point(event, points, false));
    drawing.addEventListener("click", (event) => this.point(event, points, true));
    drawing.addEventListener("pointerleave", () => this.hint.replaceChildren());
    this.brushWith(drawing, points, bottom - foot);
    this.element.replaceChildren(drawing, this.hint);
    this.mark(this.marked);
  }

  /** Lets a rectangle be drawn, whose rows are handed on; over the histogram it is a range of x. */
  private brushWith(drawing: SVGSVGElement, points: Points, foot: number): void {
    const { brush } = points;
    if (!brush) return;
    brushing(drawing, ({ left, right, top, bottom }) => {
      const isFoot = top >= foot;
      const inside = points.brushable.filter((row) => {
        const [x, y] = [this.place?.x(row) ?? NaN, this.place?.y(row) ?? NaN];
        return x >= left && x <= right && (isFoot ? !Number.isNaN(y) : y >= top && y <= bottom);
      });
      if (inside.length > 0) brush(inside);
    });
  }

  private histogram(
    points: Points,
    x: (at: number) => number,
    bottom: number,
    foot: number,
  ): SVGElement[] {
    const bars = points.histogram ?? [];
    const most = Math.max(1, ...bars.map(({ rows }) => rows));
    const [left, right] = points.xRange.map(x);
    return bars.map(({ from, to, rows }) => {
      const tall = (rows / most) * (foot - 8);
      const [start, end] = [Math.max(left, x(from)), Math.min(right, x(to))];
      // Narrow bars have no room for a gap.
      const gap = end - start > 3 ? 0.5 : 0;
      return svg("rect", {
        class: "count",
        x: start + gap,
        width: Math.max(0.5, end - start - 2 * gap),
        y: bottom - tall,
        height: tall,
      });
    });
  }

  private point(event: MouseEvent, points: Points, chosen: boolean): void {
    const { place } = this;
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    let [nearest, best] = [-1, REACH * REACH];
    for (const row of points.rows) {
      const away = ((place?.x(row) ?? 0) - left) ** 2 + ((place?.y(row) ?? 0) - top) ** 2;
      if (away < best) [nearest, best] = [row, away];
    }
    this.hint.replaceChildren(nearest < 0 ? "" : points.describe(nearest));
    if (nearest >= 0 && chosen) points.pick(nearest);
  }
}

/** A range with a little room at both ends. */
export function roomy(from: number, to: number): [number, number] {
  const room = to > from ? (to - from) * 0.04 : Math.abs(from) * 0.05 || 1;
  return [from - room, to + room];
}
