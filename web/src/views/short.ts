// The first screen: the answer in a sentence, one picture, the model's quality beside baselines, what to be careful about,
// and what not to conclude.

import { scaleLinear } from "d3-scale";
import { firstMeasure, lights } from "../analysis/lights";
import { robustRange } from "../analysis/robust";
import { trend } from "../analysis/trend";
import { topAxis } from "../charts/axis";
import { cellSteps, spaced } from "../charts/dots";
import { strip } from "../charts/strip";
import type { Comparison, Measure } from "../contract";
import type { Data } from "../data/data";
import { brushed } from "../page/brush";
import { columns, exact, h, name, section, svg, table } from "../page/dom";
import { decimalsFor, number, percent, shortened } from "../page/format";
import type { Part } from "../page/says";
import type { Selection } from "../page/selection";
import { lights as lightWords, short as words } from "../words";
import { atAGlance } from "./classes";
import { mapOf } from "./map";
import { markScores } from "./marking";
import { legend, openFeature, withLevels } from "./overall";

/** Features in the sentence. */
const NAMED = 3;
/** Features in the picture. */
const FEW = 6;
const DOTS = 700;
const SIGNS = { good: "✓", careful: "!", bad: "✕", unknown: "?" };

export function inShort(data: Data, selection: Selection): HTMLElement {
  const { report } = data;
  const { about } = report;
  return section(
    "short",
    words.title,
    h("p", { class: "answer" }, ...answer(data)),
    h(
      "div",
      { class: "first" },
      h("div", {}, picture(data, selection), notConclude()),
      h("div", {}, about.comparison && compared(data, about.comparison), reliability(data)),
    ),
    data.k > 1 && atAGlance(data, selection),
    ...about.warnings.map((text) =>
      h("p", { class: "warning", role: "note" }, h("strong", {}, words.careful), text),
    ),
    scaleInWords(data),
    h(
      "p",
      { class: "quiet" },
      about.rows_are === "out_of_bag" &&
        h("span", { id: "predicted-by" }, words.outOfBag(about.seen_by_all), " "),
      sampling(data),
    ),
  );
}

function notConclude(): HTMLElement {
  return h(
    "div",
    { class: "reading", id: "not-conclude" },
    h("h3", {}, words.notConclude),
    h("p", {}, words.notCausal, " ", words.notUseless),
  );
}

function answer(data: Data): Part[] {
  const { report } = data;
  const { target } = report.about;
  const named = data.order
    .slice(0, NAMED)
    .filter((at) => data.importance(at) > 0)
    .map((at) => h("strong", {}, name(report.features[at].name)));
  const found = firstMeasure(
    report.about.comparison?.model ?? report.about.quality[0]?.measures ?? [],
  );
  const moved =
    data.k > 1
      ? h("span", {}, ...words.allClasses(name(target), data.k))
      : name(report.scale.moved[0], "fact");
  return [...words.matterMost(named, moved), ...qualityInWords(found, target)];
}

function qualityInWords(found: { name: string; value: number } | null, target: string): Part[] {
  if (!found) return [words.notMeasured];
  const bold = (text: string) => h("strong", {}, text);
  if (found.name === "R2" && found.value < 0) return words.worseThanMean(name(target));
  if (found.name === "R2")
    return words.varianceExplained(bold(percent(found.value, 0)), name(target));
  if (found.name === "AUROC") return words.ranking(bold(percent(found.value, 0)));
  return words.otherMeasure(found.name, bold(number(found.value)));
}

/** The map where rows have places, else a beeswarm of the features that matter most. */
function picture(data: Data, selection: Selection): HTMLElement {
  if (data.places) return h("figure", { id: "picture" }, mapOf(data, selection, words.mapped));
  const place = h("figure", { id: "picture" });
  selection.watch(["output", "marked"], ({ output }) =>
    place.replaceChildren(swarm(data, output, selection), legend()),
  );
  return place;
}

function swarm(data: Data, output: number, selection: Selection): HTMLElement {
  const sizes = (at: number) => data.report.features[at].importance[output];
  const shown = [...data.order].sort((a, b) => sizes(b) - sizes(a)).slice(0, FEW);
  const largest = Math.max(...shown.map(sizes)) || 1;
  const text = decimalsFor(largest);
  const rows = spaced(data.n, DOTS);
  const { low, high } = robustRange(
    shown.flatMap((at) => rows.map((row) => data.score(row, at, output))),
  );
  const room = (high - low || 1) * 0.02;
  const axis = scaleLinear([low - room, high + room], [0, 1]).clamp(true);
  const line = (feature: number) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        h(
          "button",
          { class: "link", onclick: () => openFeature(feature, selection) },
          name(data.report.features[feature].name),
        ),
        h("div", { class: "quiet trend" }, trendInWords(data, feature, output)),
      ),
      h(
        "td",
        { class: "right" },
        exact(sizes(feature), text(sizes(feature))),
        bar(sizes(feature) / largest),
      ),
      h(
        "td",
        { class: "swarm" },
        ...withLevels(
          data,
          feature,
          strip(
            rows,
            (row) => data.score(row, feature, output),
            brushed(selection.now.marked, cellSteps(data, feature)),
            axis,
            markScores(data, selection, feature, axis),
          ).element,
        ),
      ),
    );
  return h(
    "table",
    { class: "overall picture" },
    h("caption", { class: "quiet" }, words.picture(data.report.scale.text)),
    columns("names", "numbers", "rest"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, words.pictureHeads.feature),
        h("th", { scope: "col", class: "right" }, words.pictureHeads.size),
        h(
          "th",
          { scope: "col", class: "swarm" },
          words.pictureHeads.rows(data.k > 1 ? shortened(data.report.outputs[output], 30) : null),
          topAxis(low - room, high + room),
        ),
      ),
    ),
    h("tbody", {}, ...shown.map(line)),
  );
}

function trendInWords(data: Data, feature: number, output: number): string {
  const found = trend(data, feature, output);
  if (!found) return "";
  switch (found.kind) {
    case "level":
      return words.level(shortened(found.level, 24), found.lowers);
    case "mostly": {
      const value = data.cellText(feature, found.value);
      return words.mostly(percent(found.share, 0), value, found.others);
    }
    default:
      return words[found.kind];
  }
}

function bar(share: number): SVGSVGElement {
  return svg(
    "svg",
    { class: "bar", "aria-hidden": "true" },
    svg("rect", { width: `${100 * share}%`, height: "100%", rx: 2 }),
  );
}

/** The model's quality beside that of simple predictions. */
function compared(data: Data, { sample, rows, model, constant, linear }: Comparison): HTMLElement {
  const isNumber = data.width === 1;
  const shown = model.filter(({ name }) => ["R2", "RMSE", "AUROC", "accuracy"].includes(name));
  const value = (measures: Measure[], wanted: string) =>
    measures.find(({ name }) => name === wanted)?.value ?? NaN;
  const line = (who: string, measures: Measure[], isModel: boolean) => [
    isModel ? h("strong", {}, who) : who,
    ...shown.map(({ name }, at) => {
      const x = value(measures, name);
      const text = exact(x, name === "RMSE" ? number(x) : percent(x));
      return at === 0 ? h("div", {}, text, bar(Math.min(1, Math.max(0, x)))) : text;
    }),
  ];
  return h(
    "div",
    { id: "compared" },
    table(
      words.compared(sample, rows),
      [words.comparedHeads, ...shown.map(({ name }) => (name === "R2" ? "R²" : name))],
      [
        line(isNumber ? words.mean : words.majority, constant, false),
        ...(linear ? [line(words.linear, linear, false)] : []),
        line(words.model, model, true),
      ],
      "plain compared-quality",
    ),
  );
}

function reliability(data: Data): HTMLElement {
  return h(
    "div",
    { class: "card" },
    h("h3", {}, lightWords.title),
    h(
      "ul",
      { class: "lights" },
      ...lights(data).map(({ id, level, title, text }) =>
        h(
          "li",
          { id, class: level },
          h(
            "span",
            { class: "light", role: "img", "aria-label": lightWords.levels[level] },
            SIGNS[level],
          ),
          h("div", {}, h("strong", {}, title), " ", name(text, "fact")),
        ),
      ),
    ),
  );
}

/** What of the data is in the page. */
function sampling(data: Data): string {
  const { rows_explained: all, row_kind: kind } = data.report.about;
  return all === data.n ? words.allRows(all, kind) : words.sampledRows(all, kind, data.n);
}

/** Rounding of sums, as a share of the scores. */
const ROUNDING = 1e-9;

/** How far base and scores of an exact method are from the model's output; null for rounding. */
function leftOver(data: Data): number | null {
  const { largest } = data.report.additivity!;
  const sizes = data.order.reduce((sum, at) => sum + data.importance(at), 0);
  return largest <= ROUNDING * sizes ? null : largest;
}

function scaleInWords(data: Data): HTMLElement {
  const { report } = data;
  const { kind, text, total } = report.scale;
  const feature = data.order[0];
  const row = 0;
  const output = data.k > 1 ? data.classOf(row, report.threshold) : 0;
  const score = data.score(row, feature, output);
  return h(
    "div",
    { class: "reading" },
    h("h3", {}, words.reading),
    h(
      "p",
      {},
      words.readingText(text, data.isExact, total),
      ...words.example(
        data.number[row],
        name(report.features[feature].name),
        report.features[feature].members.length === 0
          ? name(data.cell(row, feature), "cell")
          : null,
        score < 0,
        name(report.scale.moved[output], "fact"),
        exact(score, number(Math.abs(score))),
        kind === "log_odds" ? words.inLogOdds : "",
      ),
      words.scale[kind],
    ),
    report.additivity && h("p", { class: "quiet" }, words.added(leftOver(data))),
  );
}
