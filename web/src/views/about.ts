// What was explained, for the record: data, model, quality, options, versions.

import type { Data } from "../data/data";
import { exact, h, name, section, table } from "../page/dom";
import { count, number } from "../page/format";
import { about as words } from "../words";

export function whatWasExplained(data: Data): HTMLElement {
  const { about } = data.report;
  const measures = [
    ...new Set(about.quality.flatMap((sample) => sample.measures.map((measure) => measure.name))),
  ];
  return section(
    "about",
    words.title,
    about.quality.length > 0 &&
      table(
        words.quality,
        [...words.heads, ...measures.map(words.measure)],
        about.quality.map((sample) => [
          sample.sample,
          sample.rows === null ? "" : count(sample.rows),
          ...measures.map((wanted) => {
            const value = sample.measures.find((measure) => measure.name === wanted)?.value;
            return value === undefined || value === null ? "" : exact(value, number(value));
          }),
        ]),
      ),
    h(
      "div",
      { class: "facts" },
      ...about.facts.map(({ title, entries }) =>
        h(
          "div",
          {},
          h("h3", {}, title),
          h(
            "dl",
            {},
            ...entries.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, ...fact(value))]),
          ),
        ),
      ),
    ),
  );
}

/** A fact; a command's flags stay whole at the end of a line. */
function fact(text: string): Node[] {
  if (!text.startsWith("--")) return [name(text, "fact")];
  const flags = text
    .split(/ (?=--)/)
    .map((flag) => h("span", { class: "flag" }, name(flag, "fact")));
  return flags.flatMap((flag, at) => (at === 0 ? [flag] : [document.createTextNode(" "), flag]));
}
