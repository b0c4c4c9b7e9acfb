// Many dots as few elements: one path per colour, each dot a line without length and with a round end.
//
// A circle each would be tens of thousands of elements. Colours are classes, so dark mode and print need no new drawing.

import { quantileSorted } from "d3-array";
import type { Data } from "../data/data";
import { svg } from "../page/dom";

/** Steps of the colour scale from a feature's low values to its high ones. */
export const STEPS = 7;

/** Dots are drawn in so many turns, colour by colour in each, so that the last colour does not hide all others. */
const ROUNDS = 6;
/** Colours of groups and of levels; further ones share the last. */
export const COLOURS = 8;

/** Shapes tell groups of similar colours apart: dot, square, cross, triangle. */
function shapeAt(kind: string, x: number, y: number): string {
  const at = `${x.toFixed(1)} ${y.toFixed(1)}`;
  const group = /^group-(\d)$/.exec(kind);
  switch (group ? Number(group[1]) % 4 : 0) {
    case 1:
      // PDF paints no square end of a line without length.
      return `M${at}h.01`;
    case 2:
      return `M${at}m-3 0h6m-3 -3v6`;
    case 3:
      return `M${at}m0 -3l3 5.4h-6z`;
    default:
      return `M${at}h0`;
  }
}

/** Paths of the dots, by class. Where a drawing stretches, all are dots. */
export function dots(
  points: Iterable<{ x: number; y: number; kind: string }>,
  isStretched = false,
): SVGPathElement[] {
  const all = [...points];
  const rounds = Array.from({ length: Math.min(ROUNDS, all.length) }, (_, round) =>
    all.filter((_, at) => at % ROUNDS === round),
  );
  const shape = isStretched ? "" : " shaped";
  const drawn = (part: typeof all) => {
    const paths = new Map<string, string[]>();
    for (const { x, y, kind } of part) {
      const path = paths.get(kind) ?? [];
      path.push(shapeAt(isStretched ? "" : kind, x, y));
      paths.set(kind, path);
    }
    return [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
  };
  const path = ([kind, parts]: [string, string[]]) =>
    svg("path", { class: `dots ${kind}${shape}`, d: parts.join("") });
  const isPale = ([kind]: [string, string[]]) => kind === "faded";
  const paths = rounds.flatMap(drawn);
  // Pale dots lie below the others.
  return [...paths.filter(isPale), ...paths.filter((one) => !isPale(one))].map(path);
}

/** A dot of a class, for legends; those of stretched drawings have no shapes. */
export function swatch(kind: string, isStretched = false): SVGSVGElement {
  return svg(
    "svg",
    { class: "swatch", viewBox: "0 0 12 12", "aria-hidden": "true" },
    ...dots([{ x: 6, y: 6, kind }], isStretched),
  );
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

/** The levels of a feature that have colours, or so many, the most frequent first; null for numbers. */
export function frequentLevels(data: Data, feature: number, most = COLOURS - 1): number[] | null {
  const { cells, levels, rest } = data.columns[feature];
  if (!cells || !levels) return null;
  const named = rest > 0 ? levels.slice(0, -1) : levels;
  const counts = new Array<number>(levels.length + 1).fill(0);
  for (const code of cells) counts[code]++;
  const order = named.map((_, at) => at + 1).sort((a, b) => counts[b] - counts[a] || a - b);
  return order.slice(0, most);
}

/** The class of a row by the cell of a feature: a step of the scale of numbers, or the colour of its level. */
export function cellSteps(data: Data, feature: number): (row: number) => string {
  const { cells, levels } = data.columns[feature];
  if (!cells) return () => "plain-dot";
  if (!levels) return steps(cells);
  const coloured = frequentLevels(data, feature) ?? [];
  const kinds = new Map(coloured.map((code, at) => [code, `group-${at}`]));
  return (row) => (cells[row] === 0 ? "missing" : (kinds.get(cells[row]) ?? "plain-dot"));
}
