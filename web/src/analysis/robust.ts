// Ranges that a few extreme numbers do not stretch.

import { quantileSorted } from "d3-array";

/** The share of numbers that a range always holds, and how much longer the whole may be before it is cut. */
const [KEPT, LONGEST] = [0.99, 2.5];

/** The range of numbers with zero in it, cut where few of them would squeeze all others, and how many then lie outside. */
export function robustRange(numbers: number[]): { low: number; high: number; outside: number } {
  const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b);
  const whole = [Math.min(0, sorted[0] ?? 0), Math.max(0, sorted[sorted.length - 1] ?? 0)];
  const edge = (1 - KEPT) / 2;
  const usual = [
    Math.min(0, quantileSorted(sorted, edge) ?? 0),
    Math.max(0, quantileSorted(sorted, 1 - edge) ?? 0),
  ];
  const isSqueezed = usual[1] > usual[0] && whole[1] - whole[0] > LONGEST * (usual[1] - usual[0]);
  const [low, high] = isSqueezed ? usual : whole;
  const outside = sorted.filter((x) => x < low || x > high).length;
  return { low, high, outside };
}
