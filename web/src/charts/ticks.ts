// Ticks of an axis whose labels have room beside each other.

import { scaleLinear, scaleUtc } from "d3-scale";
import type { TimeUnit } from "../contract";

/** About the width of a letter, and the least room between two labels, in pixels. */
const [LETTER, GAP] = [6.6, 10];

/** About so many round numbers or points in time within a range. */
function roundOnes([from, to]: [number, number], wanted: number, time: TimeUnit | null): number[] {
  if (!time) return scaleLinear([from, to], [0, 1]).ticks(wanted);
  const unit = { days: 86_400_000, seconds: 1000 }[time];
  const ticks = scaleUtc([new Date(from * unit), new Date(to * unit)], [0, 1]).ticks(wanted);
  // Days are whole.
  return ticks
    .map((at) => at.getTime() / unit)
    .filter((at) => time !== "days" || Number.isInteger(at));
}

/** At most so many ticks, fewer where their labels would touch. */
export function fittingTicks(
  range: [number, number],
  most: number,
  width: number,
  text: (at: number) => string,
  time: TimeUnit | null = null,
): number[] {
  const hasRoom = (ticks: number[]) => {
    const widest = Math.max(0, ...ticks.map((at) => text(at).length * LETTER + GAP));
    return widest * ticks.length <= width;
  };
  // Fewer round points in time may be none: weeks become months.
  for (let wanted = Math.floor(most); wanted > 1 && !time; wanted--) {
    const ticks = roundOnes(range, wanted, time);
    if (hasRoom(ticks)) return ticks;
  }
  const all = roundOnes(range, most, time);
  const every = (nth: number) => all.filter((_, at) => at % nth === 0);
  let nth = 1;
  while (nth < all.length && !hasRoom(every(nth))) nth++;
  return every(nth);
}
