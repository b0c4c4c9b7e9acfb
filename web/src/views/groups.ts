// Groups of rows that behave alike, and what sets each apart.

import type { Group } from "../contract";
import type { Data } from "../data";
import { exact, h, name, section, table } from "../dom";
import { count, number, percent, shortened, signed } from "../format";

/** Groups have as many colours; further ones share the last. */
export const COLOURS = 8;

export function groupClass(group: number): string {
  if (Number.isNaN(group)) return "missing";
  return `group-${Math.min(group, COLOURS - 1)}`;
}

export function groups(data: Data): HTMLElement | null {
  const found = data.report.groups;
  if (!found) return null;
  const all = found.list.reduce((sum, group) => sum + group.size, 0);
  return section(
    "groups",
    "Groups of rows",
    h("p", {}, "Rows whose predictions come about in the same way. ", found.how),
    h("div", { class: "groups" }, ...found.list.map((group, at) => card(data, group, at, all))),
  );
}

function card(data: Data, group: Group, at: number, all: number): HTMLElement {
  const found = data.report.groups!;
  return h(
    "article",
    { class: "card", "aria-label": `Group ${at + 1}` },
    h(
      "h3",
      {},
      h("i", { class: `swatch ${groupClass(at)}`, "aria-hidden": "true" }),
      `Group ${at + 1}`,
    ),
    h(
      "p",
      {},
      h("strong", {}, count(group.size)),
      ` rows (${percent(group.size / all)}), ${group.prediction_name} `,
      h("strong", {}, exact(group.prediction, number(group.prediction))),
      found.error_name !== null &&
        group.error !== null &&
        h("span", {}, `, ${found.error_name} `, exact(group.error, number(group.error))),
    ),
    h(
      "p",
      { class: "rule" },
      h("span", { class: "quiet" }, "Found by: "),
      name(group.rule.text, "fact"),
      h(
        "span",
        { class: "quiet" },
        `. This rule is right about ${percent(group.rule.accuracy)} of all rows; ${percent(group.rule.precision)} of the rows it finds are in the group, and it finds ${percent(group.rule.recall)} of the group.`,
      ),
    ),
    table(
      `What sets it apart${group.scores_of === null ? "" : `; scores of class ${shortened(group.scores_of, 50)}`}`,
      ["feature", "here", "others", "score here", "others"],
      group.traits.map((trait) => [
        name(data.report.features[trait.feature].name),
        name(trait.cell, "cell"),
        name(trait.cell_elsewhere, "cell"),
        exact(trait.score, signed(number(trait.score))),
        exact(trait.score_elsewhere, signed(number(trait.score_elsewhere))),
      ]),
    ),
  );
}
