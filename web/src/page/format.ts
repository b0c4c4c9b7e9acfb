// Numbers as people read them. Numbers are always written the English way, as in the scores file.

import { format } from "d3-format";

const grouped = format(",");

/** About four significant digits: 12,340 · 3.142 · 0.0021 · 1.2e-9. */
export function number(x: number): string {
  if (Number.isNaN(x)) return "unknown";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e12 || size < 1e-6) return minus(x.toExponential(2).replace(/\.?0+e/, "e"));
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return minus(grouped(Number(x.toFixed(Math.min(decimals, 10)))));
}

const short = format("~s");

/** A number beside an axis: large ones short, such as 400k. */
export function tick(x: number): string {
  return Math.abs(x) >= 1e4 && Math.abs(x) < 1e15 ? minus(short(x).replace("G", "B")) : number(x);
}

/** A cell of the table: short numbers without separators, so that years and codes look as they do in the file. */
export function cellNumber(x: number): string {
  const size = Math.abs(x);
  // Codes are whole numbers, of which every digit counts.
  const rounded = Number.isInteger(x) ? x : Number(x.toPrecision(6));
  if (size >= 1e15 || (size > 0 && size < 1e-5))
    return minus(x.toExponential(3).replace(/\.?0+e/, "e"));
  return minus(size >= 1e5 ? grouped(rounded) : String(rounded));
}

/** A cell of a column of dates. */
export function timeText(x: number, unit: "days" | "seconds"): string {
  const date = new Date(unit === "days" ? x * 86_400_000 : x * 1000);
  if (Number.isNaN(date.getTime())) return cellNumber(x);
  const text = date
    .toISOString()
    .replace("T", " ")
    .replace(/(\.0+)?Z$/, "");
  return unit === "days" || text.endsWith(" 00:00:00") ? text.slice(0, -9) : text;
}

export function count(n: number): string {
  return grouped(n);
}

export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/** A share as a percentage that is never rounded to none or all. */
export function percent(share: number, decimals = 1): string {
  if (Number.isNaN(share)) return "unknown";
  const step = 10 ** -decimals;
  if (share > 0 && share * 100 < step / 2) return `under ${step}\u00a0%`;
  if (share < 1 && 100 - share * 100 < step / 2)
    return `over ${(100 - step).toFixed(decimals)}\u00a0%`;
  const text = (share * 100).toFixed(share === 0 || share === 1 ? 0 : decimals);
  return `${minus(zeroIsPositive(text))}\u00a0%`;
}

/** A difference of two shares, in percentage points. */
export function points(difference: number): string {
  if (Number.isNaN(difference)) return "unknown";
  const size = 100 * difference;
  // A small change is not none.
  const isSmall = Math.abs(size) < 0.05 && Math.abs(size) >= 1e-6;
  const text = isSmall ? String(Number(size.toPrecision(1))) : size.toFixed(1);
  return `${minus(zeroIsPositive(text))} points`;
}

/** Numbers of one table with the same decimals: enough for four digits of the largest. */
export function decimalsFor(largest: number): (x: number) => string {
  const digits = largest > 0 && Number.isFinite(largest) ? Math.floor(Math.log10(largest)) : 0;
  const decimals = Math.min(10, Math.max(0, 3 - digits));
  const fixed = format(`,.${decimals}f`);
  const isExtreme = largest >= 1e12 || (largest > 0 && largest < 1e-6);
  const short = (x: number) => (x === 0 ? "0" : minus(x.toExponential(2)));
  return isExtreme ? short : (x) => minus(zeroIsPositive(fixed(x)));
}

export function signed(text: string): string {
  return text.startsWith("−") || isZero(text) ? text : `+${text}`;
}

function zeroIsPositive(text: string): string {
  return isZero(text) ? text.replace(/^[-−]/, "") : text;
}

function isZero(text: string): boolean {
  return !/[1-9]/.test(text);
}

/** A number of the table as text, with the minus sign of all others. */
export function minus(text: string): string {
  return text.replace(/^-/, "−");
}

/** Cut where a control has little room; the full text stays beside it. */
export function shortened(text: string, length: number): string {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}
