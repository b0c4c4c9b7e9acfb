// Two rows beside each other: cells and scores, the largest difference first.

import type { Data } from "../../data/data";
import { exact, h, name, table } from "../../page/dom";
import { count, decimalsFor, shortened, signed } from "../../page/format";
import { sheet as words } from "../../words";

/** Features listed. */
const FEW = 15;

export function beside(data: Data, a: number, b: number, output: number): HTMLElement {
  const change = (at: number) => data.score(b, at, output) - data.score(a, at, output);
  const order = data.columns
    .map(({ at }) => at)
    .sort((one, other) => Math.abs(change(other)) - Math.abs(change(one)) || one - other)
    .slice(0, FEW);
  const sizes = order.flatMap((at) => [data.score(a, at, output), data.score(b, at, output)]);
  const text = decimalsFor(Math.max(...sizes.map(Math.abs)));
  const number = (value: number) => exact(value, signed(text(value)));
  const [first, second] = [a, b].map((row) => count(data.number[row]));
  const lines = order.map((at) => [
    name(data.report.features[at].name),
    name(shortened(data.cell(a, at), 60), "cell"),
    name(shortened(data.cell(b, at), 60), "cell"),
    number(data.score(a, at, output)),
    number(data.score(b, at, output)),
    number(change(at)),
  ]);
  return h(
    "div",
    { id: "beside" },
    table(words.compareCaption(first, second), words.compareHeads(first, second), lines),
  );
}
