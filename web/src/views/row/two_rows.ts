// Two rows beside each other: cells and scores, the largest difference first, from base to prediction.

import { accountOf } from "../../analysis/account";
import type { Data } from "../../data/data";
import { exact, h, name, table } from "../../page/dom";
import { count, decimalsFor, shortened, signed } from "../../page/format";
import { waterfall as waterfallWords, sheet as words } from "../../words";

/** Features listed. */
const FEW = 15;

export function beside(data: Data, a: number, b: number, output: number): HTMLElement {
  const change = (at: number) => data.score(b, at, output) - data.score(a, at, output);
  const order = data.columns
    .map(({ at }) => at)
    .sort((one, other) => Math.abs(change(other)) - Math.abs(change(one)) || one - other);
  const [shown, others] = [order.slice(0, FEW), order.slice(FEW)];
  const accounts = [a, b].map((row) => accountOf(data, row, output, true));
  const sizes = [
    ...shown.flatMap((at) => [data.score(a, at, output), data.score(b, at, output)]),
    ...accounts.flatMap(({ base, total }) => [base, total]),
  ];
  const text = decimalsFor(Math.max(...sizes.map(Math.abs)));
  const number = (value: number) => exact(value, signed(text(value)));
  const [first, second] = [a, b].map((row) => count(data.number[row]));
  /** A line of what is no single feature; sums without a sign. */
  const summed = (title: string, of: [number, number], isSum: boolean) => [
    title,
    "",
    "",
    ...[...of, of[1] - of[0]].map((value, at) =>
      isSum && at < 2 ? exact(value, text(value)) : number(value),
    ),
  ];
  const both = (of: (account: (typeof accounts)[number]) => number): [number, number] => [
    of(accounts[0]),
    of(accounts[1]),
  ];
  const rest = (row: number) => others.reduce((sum, at) => sum + data.score(row, at, output), 0);
  const left = both(({ steps }) =>
    steps.reduce((sum, { kind, score }) => sum + (kind === "left" ? score : 0), 0),
  );
  const lines = shown.map((at) => [
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
    table(words.compareCaption(first, second), words.compareHeads(first, second), [
      summed(
        waterfallWords.base,
        both(({ base }) => base),
        true,
      ),
      ...lines,
      ...(others.length > 0
        ? [summed(waterfallWords.others(others.length), [rest(a), rest(b)], false)]
        : []),
      ...(left.some((part) => part !== 0)
        ? [summed(waterfallWords.notExplained, left, false)]
        : []),
      summed(
        waterfallWords.total(data.report.scale.total),
        both(({ total }) => total),
        true,
      ),
    ]),
  );
}
