// In short, and what was explained: data, model, quality, options, versions.

import type { Quality, Report } from "../contract";
import type { Data } from "../data";
import { exact, h, name, section, table } from "../dom";
import { count, counted, number, percent } from "../format";

/** The sample of rows that says most about quality, and its first measure. */
function bestQuality(report: Report): { sample: Quality; measure: string; value: number } | null {
  for (const sample of report.about.quality) {
    const [first] = sample.measures;
    if (first && first.value !== null) return { sample, measure: first.name, value: first.value };
  }
  return null;
}

function qualityInWords(measure: string, value: number, target: string): (Node | string)[] {
  if (measure === "R2") {
    return [
      "The model predicts ",
      h("strong", {}, percent(Math.max(0, value))),
      " of the differences in ",
      name(target),
      " between rows it had not seen.",
    ];
  }
  if (measure === "AUROC") {
    return [
      "Given two unseen rows of different classes, the model tells which is which in ",
      h("strong", {}, percent(value)),
      " of cases (50 % would be guessing).",
    ];
  }
  return [`${measure} on unseen rows: `, h("strong", {}, number(value)), "."];
}

function trustInWords(report: Report): (Node | string)[] {
  const { stability, additivity } = report;
  if (stability) {
    const steady = stability.correlation;
    const word =
      steady > 0.9
        ? "very steady"
        : steady > 0.75
          ? "steady"
          : steady > 0.5
            ? "moderately steady"
            : "unsteady";
    return [
      "Explanations are ",
      h("strong", {}, word),
      `: over ${counted(stability.runs, "run")}, a row's features keep their order with a rank correlation of ${steady.toFixed(2)}.`,
    ];
  }
  if (additivity)
    return [
      "Base plus scores gives the ",
      report.scale.total,
      " of every row, to within ",
      h("strong", {}, number(additivity.largest)),
      ".",
    ];
  // How near scores come to the prediction is said beside this.
  if (report.about.fidelity) return [];
  return ["The scores of a row add up to the ", h("strong", {}, report.scale.total), "."];
}

export function inShort(data: Data): HTMLElement {
  const { report } = data;
  const { about } = report;
  const order = data.order;
  const [first, second, third] = order.map((at) => report.features[at]);
  const quality = bestQuality(report);
  const card = (title: string, ...content: (Node | string)[]) =>
    h("div", { class: "card" }, h("h3", {}, title), h("p", {}, ...content));
  const { fidelity } = about;
  return section(
    "short",
    "In short",
    h(
      "div",
      { class: "cards" },
      card(
        "What drives predictions",
        h("strong", {}, name(first.name)),
        " matters most",
        ...(second ? [", then ", name(second.name)] : []),
        ...(third ? [" and ", name(third.name)] : []),
        `. On average it moves ${report.outputs.length > 1 ? `a row's ${report.scale.total}, summed over the ${count(report.outputs.length)} classes,` : report.scale.moved[0]} by ${number(data.importance(order[0]))}${report.scale.kind === "log_odds" && report.outputs.length === 1 ? " in log-odds" : ""}.`,
      ),
      card(
        "How good the model is",
        ...(quality
          ? qualityInWords(quality.measure, quality.value, about.target)
          : ["Quality was not measured on unseen rows. Add --holdout 0.2 to measure it."]),
      ),
      card(
        "Can this be trusted",
        ...trustInWords(report),
        ...(fidelity === null
          ? []
          : [
              ` Scores reproduce `,
              h("strong", { id: "fidelity" }, percent(Math.max(0, fidelity.share))),
              ` of the variation in the model's predictions (${fidelity.rows})`,
              ...(fidelity.same_class === null
                ? []
                : [
                    ", and give ",
                    h("strong", {}, percent(fidelity.same_class)),
                    " of the rows the same class",
                  ]),
              ".",
            ]),
      ),
    ),
    report.threshold !== null &&
      h(
        "p",
        { id: "threshold" },
        name(report.labels[1], "cell"),
        " is predicted from a probability of ",
        exact(report.threshold, percent(report.threshold)),
        " on.",
      ),
    about.predicted_by && h("p", { id: "predicted-by" }, about.predicted_by),
    ...about.warnings.map((text) =>
      h("p", { class: "warning", role: "note" }, h("strong", {}, "Careful: "), text),
    ),
    scaleInWords(data),
    h("p", { class: "quiet" }, sampling(data)),
  );
}

/** What of the data is in the page. */
export function sampling(data: Data): string {
  const all = data.report.about.rows_explained;
  if (all === data.n) return `All ${count(all)} ${data.report.about.row_kind} are in this page.`;
  return (
    `${count(all)} ${data.report.about.row_kind} were explained. To keep this page small it holds ${count(data.n)} of them, ` +
    "drawn at random by the seed: bars of importance and quality are of all rows; dots, curves, groups, single rows and the download are of these."
  );
}

function scaleInWords(data: Data): HTMLElement {
  const { report } = data;
  const { kind, text, total } = report.scale;
  const feature = data.order[0];
  const row = 0;
  const output = data.k > 1 ? data.classOf(row) : 0;
  const score = data.score(row, feature, output);
  const extra = {
    units: "",
    probability: " Probabilities run from 0 to 1.",
    log_odds:
      " Log-odds of 0 are a chance of one half; +0.7 about doubles the odds, −0.7 about halves them, +2.2 turns even odds into nine to one.",
    log: " Adding 0.1 to a logarithm is about 10 % more.",
    other: "",
  }[kind];
  return h(
    "div",
    { class: "reading" },
    h("h3", {}, "How to read a score"),
    h(
      "p",
      {},
      `Scores are ${text}. Each row starts from the base, what the model says about an average row. Every feature then adds its score or takes it away. ${data.isExact ? `The sum is the row's ${total}` : `What is then still missing to the model's ${total} is drawn as “not explained”`}. For example, row ${count(data.number[row])} has `,
      name(report.features[feature].name),
      ...(report.features[feature].members.length === 0
        ? [" = ", name(data.cell(row, feature), "cell")]
        : []),
      `, which ${score < 0 ? "lowers" : "raises"} `,
      name(report.scale.moved[output], "fact"),
      " by ",
      exact(score, number(Math.abs(score))),
      kind === "log_odds" ? " in log-odds" : "",
      `.${extra}`,
    ),
    h(
      "p",
      {},
      "A score tells what the model does with a feature. It is no proof that changing the feature would change the outcome.",
    ),
    report.additivity &&
      h(
        "p",
        { class: "quiet" },
        `Checked: base plus scores differs from the model's output by at most ${number(report.additivity.largest)} (half of all rows by at most ${number(report.additivity.median)}, 99 % by at most ${number(report.additivity.high)}).`,
      ),
  );
}

export function whatWasExplained(data: Data): HTMLElement {
  const { about } = data.report;
  const measures = [
    ...new Set(about.quality.flatMap((sample) => sample.measures.map((measure) => measure.name))),
  ];
  return section(
    "about",
    "What was explained",
    about.quality.length > 0 &&
      table(
        "Quality on rows that were not trained on",
        ["measured on", "rows", ...measures],
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
            ...entries.flatMap(([key, value]) => [
              h("dt", {}, key),
              h("dd", {}, name(value, "fact")),
            ]),
          ),
        ),
      ),
    ),
  );
}
