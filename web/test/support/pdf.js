// How far down the pages of a printed report are filled, read from the PDF that Chromium writes: the drawing operators of
// each page, with their coordinates.

import { inflateSync } from "node:zlib";

/** The objects of a PDF by number, with their streams inflated. */
function objectsOf(bytes) {
  const text = Buffer.from(bytes).toString("latin1");
  const found = new Map();
  for (const match of text.matchAll(/(\d+) 0 obj\n?([\s\S]*?)endobj/g)) {
    const [, id, body] = match;
    const start = body.search(/stream\r?\n/);
    if (start < 0) {
      found.set(Number(id), { head: body, stream: "" });
      continue;
    }
    const head = body.slice(0, start);
    const from = start + /stream\r?\n/.exec(body)[0].length;
    const raw = Buffer.from(body.slice(from, body.lastIndexOf("endstream")), "latin1");
    const isFlate = head.includes("/FlateDecode") && !head.includes("/Subtype /Image");
    found.set(Number(id), { head, stream: isFlate ? inflateSync(raw).toString("latin1") : "" });
  }
  return found;
}

const times = ([a, b, c, d, e, f], [A, B, C, D, E, F]) => [
  a * A + b * C,
  a * B + b * D,
  c * A + d * C,
  c * B + d * D,
  e * A + f * C + E,
  e * B + f * D + F,
];

/** The lowest point that is drawn on a page, in points from its foot; the height of the page where nothing is. */
function lowestOf(stream, height) {
  let now = [1, 0, 0, 1, 0, 0];
  const kept = [];
  let lowest = height;
  let numbers = [];
  const visit = (x, y, by = now) => {
    const place = times([1, 0, 0, 1, x, y], by)[5];
    // Backgrounds reach beyond the page.
    if (place > 1 && place < height) lowest = Math.min(lowest, place);
  };
  for (const token of stream.split(/\s+/)) {
    if (/^-?[\d.]+$/.test(token)) {
      numbers.push(Number(token));
      continue;
    }
    if (token === "q") kept.push(now);
    else if (token === "Q") now = kept.pop() ?? now;
    else if (token === "cm") now = times(numbers.slice(-6), now);
    else if (token === "Tm") visit(0, 0, times(numbers.slice(-6), now));
    else if (token === "l") visit(...numbers.slice(-2));
    else if (token === "c") visit(...numbers.slice(-2));
    numbers = [];
  }
  return lowest;
}

/** The share of the height of each page that is filled, from the top. */
export function filledPages(bytes) {
  const objects = objectsOf(bytes);
  const pages = [...objects.values()].filter(({ head }) => /\/Type\s*\/Page\b/.test(head));
  return pages.map(({ head }) => {
    const height = Number(/\/MediaBox\s*\[\s*0 0 [\d.]+ ([\d.]+)/.exec(head)[1]);
    const content = objects.get(Number(/\/Contents\s+(\d+)/.exec(head)[1]));
    return 1 - lowestOf(content.stream, height) / height;
  });
}
