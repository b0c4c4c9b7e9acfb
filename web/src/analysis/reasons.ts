// Why a row has its prediction, in one plain sentence.

import type { Data } from "../data/data";
import { h, name } from "../page/dom";
import { number, signed } from "../page/format";
import type { Part } from "../page/says";
import { reasons as words } from "../words";
import { accountOf, bySize } from "./account";

/** Reasons are named until they make up this share of all that speaks for the prediction. */
const ENOUGH = 0.7;
const MOST_FOR = 3;
const MOST_AGAINST = 2;
/** Something that speaks against it is named if it is at least this share of the largest reason. */
const WORTH_NAMING = 0.2;

/** Stands for the part of the prediction that the scores leave out. */
const LEFT = -1;

export function reasons(data: Data, row: number, output: number): Part[] {
  const { base, total } = accountOf(data, row, output, true);
  if (!Number.isFinite(total) || !Number.isFinite(base) || data.p === 0) return [];
  const left = total - data.explained(row, output);
  const score = (at: number) => (at === LEFT ? left : data.score(row, at, output));
  // What the scores leave out is a reason like any other, so that no feature is blamed for it.
  const order = [...bySize(data, row, output), LEFT].sort(
    (a, b) => Math.abs(score(b)) - Math.abs(score(a)),
  );
  const direction = total >= base ? 1 : -1;
  const speaksFor = order.filter((at) => score(at) * direction > 0);
  const against = order.filter((at) => score(at) * direction < 0);
  const all = speaksFor.reduce((sum, at) => sum + Math.abs(score(at)), 0);
  const named: number[] = [];
  let told = 0;
  for (const at of speaksFor) {
    if (named.length === MOST_FOR || told >= ENOUGH * all) break;
    named.push(at);
    told += Math.abs(score(at));
  }
  // Where the scores together say the opposite, it is what they leave out that decides.
  const isOpposite = (data.explained(row, output) - base) * direction < 0;
  if (isOpposite && !named.includes(LEFT)) named.push(LEFT);
  const largest = named.length > 0 ? Math.abs(score(named[0])) : 0;
  const despite = against
    .filter((at) => Math.abs(score(at)) >= WORTH_NAMING * largest)
    .slice(0, MOST_AGAINST);
  const reason = (at: number): Part => {
    const size = signed(number(score(at)));
    if (at === LEFT) return words.left(size);
    const cell = data.columns[at].cells ? name(data.cell(row, at), "cell") : null;
    return h("span", {}, ...words.reason(name(data.report.features[at].name), cell, size));
  };
  return words.sentence(
    data.report.scale.moved[output],
    data.report.scale.kind,
    number(total),
    number(base),
    total === base ? "equal to" : direction > 0 ? "above" : "below",
    named.map(reason),
    despite.map(reason),
  );
}
