// Many dots as few elements: one path a colour, each dot a line without length and with a round end.
//
// A circle each would be tens of thousands of elements. Colours are classes, so dark mode and print need no new drawing.

import { quantileSorted } from "d3-array";
import type { Data } from "../data";
import { svg } from "../dom";

/** Steps of the colour scale from a feature's low values to its high ones. */
export const STEPS = 7;

/** Paths of the dots, by class. */
export function dots(points: Iterable<{ x: number; y: number; kind: string }>): SVGPathElement[] {
  const paths = new Map<string, string[]>();
  for (const { x, y, kind } of points) {
    const path = paths.get(kind) ?? [];
    path.push(`M${x.toFixed(1)} ${y.toFixed(1)}h0`);
    paths.set(kind, path);
  }
  const kinds = [...paths.keys()].sort();
  return kinds.map((kind) => svg("path", { class: `dots ${kind}`, d: paths.get(kind)!.join("") }));
}

/** At most `most` of `n` rows, evenly spaced. */
export function spaced(n: number, most: number): number[] {
  const shown = Math.min(n, most);
  return Array.from({ length: shown }, (_, at) => Math.floor((at * n) / shown));
}

/** The numbers that are not missing, the lowest first. */
export function inOrder(numbers: Float64Array): number[] {
  return Array.from(numbers.filter((x) => !Number.isNaN(x)).sort());
}

/** The class of numbers by their place between the lowest and the highest, each step with as many rows. */
export function steps(numbers: Float64Array): (row: number) => string {
  const sorted = inOrder(numbers);
  const limits = Array.from(
    { length: STEPS - 1 },
    (_, at) => quantileSorted(sorted, (at + 1) / STEPS) ?? 0,
  );
  const [lowest, highest] = [sorted[0], sorted[sorted.length - 1]];
  return (row) => {
    const x = numbers[row];
    if (Number.isNaN(x)) return "missing";
    if (lowest === highest) return "plain-dot";
    // The ends of few different values keep the ends of the scale.
    if (x === lowest) return "step-0";
    if (x === highest) return `step-${STEPS - 1}`;
    let step = 0;
    while (step < STEPS - 1 && x > limits[step]) step++;
    return `step-${step}`;
  };
}

/** The class of a row by the cell of a feature; levels have no order and no colour. */
export function cellSteps(data: Data, feature: number): (row: number) => string {
  const { cells, levels } = data.columns[feature];
  if (!cells) return () => "plain-dot";
  if (levels) return (row) => (cells[row] === 0 ? "missing" : "plain-dot");
  return steps(cells);
}
