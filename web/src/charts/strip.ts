// A strip of dots along one axis, pushed apart where they are many: one line of a beeswarm.
//
// The drawing stretches with its place in the page, so nothing is redrawn when that changes.

import { svg } from "../page/dom";
import { brushing } from "./brushing";
import { dots } from "./dots";

const WIDTH = 1000;
const HEIGHT = 36;
const BINS = 240;

export interface Strip {
  element: SVGSVGElement;
  /** Moves the mark, or hides it. */
  mark(value: number | null): void;
}

/** Where a value lies on the axis, as a share of its length. */
export type Place = (value: number) => number;

export function strip(
  rows: number[],
  values: (row: number) => number,
  kind: (row: number) => string,
  place: Place,
  /** Called with both ends of a part that was drawn with the pointer, as shares of the axis. */
  brush: (from: number, to: number) => void,
): Strip {
  const filled = new Uint16Array(BINS + 1);
  const bin = (row: number) => Math.round(Math.min(1, Math.max(0, place(values(row)))) * BINS);
  let most = 1;
  for (const row of rows) most = Math.max(most, ++filled[bin(row)]);
  filled.fill(0);
  const step = Math.min(2.6, (HEIGHT - 8) / most);
  const points = rows
    .filter((row) => !Number.isNaN(values(row)))
    .map((row) => {
      const at = filled[bin(row)]++;
      const away = Math.ceil(at / 2) * (at % 2 === 0 ? 1 : -1);
      return { x: place(values(row)) * WIDTH, y: HEIGHT / 2 + away * step, kind: kind(row) };
    });
  const zero = place(0) * WIDTH;
  const mark = svg("line", { class: "mark", y1: 2, y2: HEIGHT - 2, visibility: "hidden" });
  const element = svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      class: "strip",
      "aria-hidden": "true",
    },
    svg("line", { class: "zero", x1: zero, x2: zero, y1: 0, y2: HEIGHT }),
    ...dots(points, true),
    mark,
  );
  brushing(element, ({ left, right }) => brush(left / WIDTH, right / WIDTH), "across");
  return {
    element,
    mark(value) {
      const shown = value !== null && !Number.isNaN(value);
      mark.setAttribute("visibility", shown ? "visible" : "hidden");
      if (!shown) return;
      const x = (place(value) * WIDTH).toFixed(1);
      mark.setAttribute("x1", x);
      mark.setAttribute("x2", x);
    },
  };
}
