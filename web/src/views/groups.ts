// Groups of rows that behave alike, and what sets each apart.

import { COLOURS, swatch } from "../charts/dots";
import type { Group } from "../contract";
import type { Data } from "../data/data";
import { exact, h, name, section, table } from "../page/dom";
import { count, decimalsFor, minus, number, shortened, signed } from "../page/format";
import type { Selection } from "../page/selection";
import { groups as words } from "../words";
import { markButton } from "./marking";

export function groupClass(group: number): string {
  if (Number.isNaN(group)) return "missing";
  return `group-${Math.min(group, COLOURS - 1)}`;
}

export function groups(data: Data, selection: Selection): HTMLElement | null {
  const found = data.report.groups;
  if (!found) return null;
  const all = found.list.reduce((sum, group) => sum + group.size, 0);
  return section(
    "groups",
    words.title,
    h(
      "p",
      {},
      words.how(found.list.length, found.kept),
      found.stable === null ? "" : found.stable ? words.stable : words.unstable,
    ),
    h(
      "div",
      { class: "groups" },
      ...found.list.map((group, at) => card(data, group, at, all, selection)),
    ),
  );
}

function card(
  data: Data,
  group: Group,
  at: number,
  all: number,
  selection: Selection,
): HTMLElement {
  const rows = [...(data.groupOf ?? []).keys()].filter((row) => data.groupOf![row] === at);
  const marking = h("p", {});
  selection.watch(["marked"], ({ marked }) =>
    marking.replaceChildren(markButton(selection, marked, words.name(at), rows)),
  );
  const { about, labels } = data.report;
  const sizes = group.traits.flatMap((trait) => [trait.score, trait.score_elsewhere]);
  const text = decimalsFor(Math.max(...sizes.map(Math.abs), 0));
  return h(
    "article",
    { class: "card", "aria-label": words.name(at) },
    h("h3", {}, swatch(groupClass(at)), words.name(at)),
    h(
      "p",
      {},
      ...words.size(
        h("strong", {}, count(group.size)),
        group.size / all,
        group.class === null
          ? words.meanPrediction
          : words.meanProbability(shortened(labels[group.class], 50)),
        h("strong", {}, exact(group.prediction, number(group.prediction))),
      ),
      ...(group.error === null
        ? []
        : words.error(
            labels.length === 0 ? words.rmse : words.wrong,
            { new: "", unknown: "", out_of_bag: words.outOfBag, trained_on: words.onTraining }[
              about.rows_are
            ],
            exact(group.error, number(group.error)),
          )),
    ),
    h(
      "p",
      { class: "rule" },
      h("span", { class: "quiet" }, words.foundBy),
      name(ruleInSigns(group.rule.text), "fact"),
      h(
        "span",
        { class: "quiet" },
        words.rule(group.rule.accuracy, group.rule.precision, group.rule.recall),
      ),
    ),
    marking,
    table(
      words.apart(
        at,
        data.k > 1 && group.class !== null ? shortened(labels[group.class], 50) : null,
      ),
      words.heads,
      group.traits.map((trait) => [
        name(data.report.features[trait.feature].name),
        name(cellOf(data, trait.feature, trait.cell), "cell"),
        name(cellOf(data, trait.feature, trait.cell_elsewhere), "cell"),
        exact(trait.score, signed(text(trait.score))),
        exact(trait.score_elsewhere, signed(text(trait.score_elsewhere))),
      ]),
    ),
  );
}

/** A usual cell, with a minus sign if it is a number. */
function cellOf(data: Data, feature: number, cell: string): string {
  return data.columns[feature].levels ? cell : minus(cell);
}

/** A rule as people write it: the command's `<=` and `-1` as signs. */
function ruleInSigns(rule: string): string {
  return rule.replaceAll(" <= ", " ≤ ").replaceAll(/(?<=^|\(|[<>≤] |and |or )-(?=[\d.])/g, "−");
}
