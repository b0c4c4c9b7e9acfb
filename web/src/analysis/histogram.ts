// Counts of numbers. Where numbers go in steps (whole numbers, tenths), each bar covers as many steps as the others: bars
// of any other width would hold now one step more, now one less, and look like a comb.

import { extent } from "d3-array";

export interface Bar {
  from: number;
  to: number;
  rows: number;
}

/** More decimals than these are no steps. */
const DECIMALS = 6;
/** Rounding of decimals in binary. */
const ROUNDING = 1e-6;

function divisor(a: number, b: number): number {
  let [large, small] = [a, b];
  while (small > 0) [large, small] = [small, large % small];
  return large;
}

/** The step that all distances between these numbers are multiples of; null without one. */
function stepOf(numbers: readonly number[]): number | null {
  for (let decimals = 0; decimals <= DECIMALS; decimals++) {
    const scale = 10 ** decimals;
    const isWhole = (x: number) =>
      Math.abs(x * scale - Math.round(x * scale)) <= ROUNDING &&
      Math.abs(x * scale) < Number.MAX_SAFE_INTEGER;
    if (!numbers.every(isWhole)) continue;
    const first = Math.round(numbers[0] * scale);
    const step = numbers.reduce(
      (found, x) => divisor(found, Math.abs(Math.round(x * scale) - first)),
      0,
    );
    return step > 0 ? step / scale : null;
  }
  return null;
}

/** At most about so many bars over the numbers within a range. */
export function histogramOf(
  cells: Float64Array,
  [low, high]: [number, number],
  most: number,
): Bar[] {
  const inside = Array.from(cells).filter((x) => x >= low && x <= high);
  if (inside.length === 0) return [];
  const [first, last] = extent(inside) as [number, number];
  if (first === last) {
    const half = Math.abs(first) * 0.01 || 0.1;
    return [{ from: first - half, to: first + half, rows: inside.length }];
  }
  const step = stepOf(inside);
  const steps = step === null ? most : Math.round((last - first) / step) + 1;
  const perBar = Math.ceil(steps / most);
  // A bar reaches half a step beyond its first and last one.
  const [start, width] =
    step === null ? [first, (last - first) / most] : [first - step / 2, step * perBar];
  const bars = Array.from({ length: Math.ceil(steps / perBar) }, (_, at) => ({
    from: start + at * width,
    to: start + (at + 1) * width,
    rows: 0,
  }));
  for (const x of inside)
    bars[Math.min(bars.length - 1, Math.max(0, Math.floor((x - start) / width)))].rows++;
  return bars;
}
