// All wording of the page. Views put it together with names, numbers and drawings; they hold no sentences of their own.
//
// Sentences speak to somebody who has never heard of the method: subject first, one idea, no jargon that is not explained.
// A sentence with names of the data in it is a list of parts, because names are elements (`says`).

import type { Familiarity, ScaleKind } from "./contract";
import { count, counted, number, percent } from "./page/format";
import { type Part, says } from "./page/says";

export const page = {
  opening: (reason: string) =>
    `This report cannot be shown: ${reason}. It needs a current browser and an undamaged file.`,
  otherVersion: "its data has a different version",
  classPicker: "Class shown",
  title: (target: string, table: string) => `What the model uses to predict ${target} · ${table}`,
  heading: (target: Part) => says`What the model uses to predict ${target}`,
  subject: (method: string, rows: number, kind: string, table: Part, features: number) =>
    says`${method} explanations of ${count(rows)} ${kind} from ${table} with ${counted(features, "feature")}.`,
  skip: "Skip to the report",
  contents: "Contents",
  footer: "Made by lmdi. This file is self-contained: it loads nothing and sends nothing.",
  asNumbers: "As a table of numbers",
  missing: "missing",
  noName: "(no name)",
  rest: (n: number) => `one of ${counted(n, "other value")}`,
  rare: "rare",
  rareLevels: (n: number) =>
    n === 1
      ? "Rare: the model pools this value with other rare ones."
      : "Rare: the model pools these values and cannot tell them apart.",
  showFirst: (n: number) => `Show the first ${n} features`,
  showAll: (n: number) => `Show all ${counted(n, "feature")}`,
  clickToChoose: "Click to choose it.",
  marked: (rows: number, what: Part) =>
    says`${counted(rows, "row")} marked on the whole page: ${what}. `,
  unmark: "Clear the marks",
};

export const short = {
  title: "In short",
  /** The features that matter most, for a number or for a class. */
  matterMost: (features: Part[], moved: Part) =>
    features.length === 0
      ? says`No feature matters for ${moved}: the model predicts the same for every row.`
      : [
          ...listed(features),
          ...says` ${features.length === 1 ? "matters" : "matter"} most for ${moved}.`,
        ],
  allClasses: (target: Part, classes: number) =>
    says`predicting which of ${count(classes)} classes ${target} is`,
  worseThanMean: (target: Part) =>
    says` On rows it has not seen, the model predicts ${target} worse than the mean does.`,
  varianceExplained: (share: Part, target: Part) =>
    says` The model explains ${share} of the variation in ${target} on rows it has not seen (R²).`,
  ranking: (share: Part) =>
    says` Given two unseen rows of different classes, the model tells which is which in ${share} of cases (AUROC); guessing gives ${percent(0.5, 0)}.`,
  otherMeasure: (measure: string, value: Part) => says` ${measure} on unseen rows: ${value}.`,
  notMeasured:
    " The model's quality was not measured on unseen rows; add --holdout 0.2 to measure it.",
  picture: (scale: string) => `Mean |score|, ${scale}, and the scores of single rows`,
  pictureHeads: {
    feature: "feature",
    size: "mean |score|",
    rows: (label: string | null) =>
      `scores of single rows${label === null ? "" : `, class ${label}`}`,
    words: "in words",
  },
  raises: "higher values raise it",
  lowers: "higher values lower it",
  mixed: "goes up and down with the value",
  flat: "hardly moves it",
  level: (level: string, lowers: boolean) => `${level} ${lowers ? "lowers" : "raises"} it most`,
  mostly: (share: string, value: string, others: "raise" | "lower" | "mixed") =>
    `${share} are ${value}; other values ${
      { raise: "raise it", lower: "lower it", mixed: "raise or lower it" }[others]
    }`,
  mapped: "Rows on the map, coloured by prediction",
  compared: (sample: string, rows: number) => `Quality on ${counted(rows, "row")} (${sample})`,
  comparedHeads: "prediction by",
  mean: "the mean",
  majority: "the most frequent class",
  linear: "a linear model",
  model: "this model",
  notConclude: "What you should not conclude",
  notCausal:
    "A score shows what the model does with a feature; it does not mean that changing the feature would change the outcome.",
  notUseless:
    "A small score does not mean that a feature is unimportant in reality: another feature may carry the same information.",
  outOfBag: (seenByAll: number) =>
    `The model was trained on these rows. Each is therefore predicted out of bag, by the trees that did not see it.${
      seenByAll > 0
        ? ` For ${counted(seenByAll, "row")} that every tree saw, all trees are used.`
        : ""
    }`,
  allRows: (n: number, kind: string) => `This page holds all ${count(n)} ${kind}.`,
  sampledRows: (all: number, kind: string, held: number) =>
    `${count(all)} ${kind} were explained. To stay small, this page holds a random sample of ${count(held)}. ` +
    "Importance and quality cover all rows; dots, curves, groups, single rows and the download cover this sample.",
  careful: "Caution: ",
  reading: "How to read a score",
  readingText: (text: string, exact: boolean, total: string) =>
    `Scores are given ${text}. Each row starts from the base, the ${total} for an average row. Every feature then raises or lowers it by its score. ${
      exact
        ? `The sum is the row's ${total}.`
        : `The rest of the model's ${total} is shown as “not explained”.`
    } `,
  example: (
    row: number,
    feature: Part,
    cell: Part | null,
    lowers: boolean,
    moved: Part,
    by: Part,
    unit: string,
  ) => [
    ...says`For example, row ${count(row)} has ${feature}`,
    ...(cell ? says` = ${cell}` : []),
    ...says`, which ${lowers ? "lowers" : "raises"} ${moved} by ${by}${unit}.`,
  ],
  inLogOdds: " in log-odds",
  scale: {
    units: "",
    probability: " Probabilities run from 0 to 1.",
    log_odds:
      " Log-odds of 0 mean a probability of one half. Adding 0.7 roughly doubles the odds, subtracting 0.7 roughly halves them, and 2.2 turns even odds into nine to one.",
    log: " Adding 0.1 to a logarithm means about 10\u00a0% more.",
    other: "",
  } satisfies Record<ScaleKind, string>,
  added: (largest: number | null) =>
    largest === null
      ? "Checked in every row: scores add up exactly."
      : `Checked in every row: base plus scores equals the model's output to within ${number(largest)}.`,
};

export const classes = {
  title: "All classes at a glance",
  how: (isMeasured: boolean) =>
    `Choose a class to show it on the whole page.${
      isMeasured
        ? " Found: of the rows of a class, the share predicted as that class. Correct: of the rows predicted as a class, the share that belong to it."
        : ""
    }`,
  caption: (scale: string) => `Rows on this page, and the mean |score|, ${scale}`,
  heads: {
    label: "class",
    rows: "rows",
    recall: "found (recall)",
    precision: "correct (precision)",
    top: "used most",
  },
  none: "none",
  choose: "Show this class on the whole page",
  order: "Order by",
  orders: {
    table: "name",
    rows: "most rows first",
    recall: "lowest recall first",
    precision: "lowest precision first",
  },
  showFirst: (n: number) => `Show the first ${n} classes`,
  showAll: (n: number) => `Show all ${counted(n, "class", "classes")}`,
};

/** `a`, `a and b`, `a, b and c`. */
function listed(parts: Part[]): Part[] {
  return parts.flatMap((part, at) => {
    if (at === 0) return [part];
    return [at === parts.length - 1 ? " and " : ", ", part];
  });
}

export const lights = {
  title: "How reliable is this?",
  levels: { good: "good", careful: "caution", bad: "problem", unknown: "not known" },
  quality: "Quality of the model",
  qualityUnknown: "Not measured on unseen rows. Add --holdout 0.2 to measure it.",
  qualityOther: (measure: string) => `Only ${measure} was measured.`,
  worseThanMean:
    "The model predicts worse than the mean does. Its explanations say nothing about reality.",
  weak: "The model is weak. It hardly predicts better than a constant, so its explanations say little about reality.",
  moderate: "The model is moderate: much of the outcome depends on things it does not know.",
  linearAsGood: "A linear model predicts about as well, and is simpler.",
  linearBetter: "A linear model predicts better. Consider using it.",
  strong: "The model predicts well, and better than the baselines.",
  fidelity: "Fidelity of the explanation",
  exact: "Scores add up exactly.",
  fidelityUnknown: "These scores do not explain predictions.",
  reproduces: (share: number, sameClass: number | null, level: string) =>
    `The explanation reproduces ${percent(Math.max(0, share))} of the variation in the model's predictions${
      sameClass === null ? "" : ` and gives ${percent(sameClass)} of the rows the same class`
    }.${level === "bad" ? " Do not rely on the scores of single rows." : ""}`,
  stability: "Stability under retraining",
  noOrder: "Not known: there is no order of features to compare between runs.",
  stabilityUnknown: "Not measured. Add --stability-runs 2 to measure it.",
  retraining: (level: "good" | "careful" | "bad", seeds: number, resampled: number) =>
    `Retraining gives ${
      { good: "nearly the same", careful: "similar", bad: "rather different" }[level]
    } explanations (rank correlation ${seeds.toFixed(2)} with other seeds, ${resampled.toFixed(2)} on resampled rows).`,
  stableButWeak: "That does not make a weak model right.",
  leakage: "Leakage",
  leaks: (columns: string[], target: string) =>
    `${columns.join(", ")} ${columns.length === 1 ? "gives" : "give"} ${target} away. ${columns.length === 1 ? "Is it" : "Are they"} known before ${target} is?`,
  rows: "Few rows",
  fewRows: (rows: number) =>
    `The model was trained on ${counted(rows, "row")}. Scores of rare values are based on a handful of them.`,
  sensitive: "Sensitive columns",
  sensitiveColumns: (names: string[]) =>
    `${names.join(", ")} may describe personal traits. Scores show what the model uses, not what is fair.`,
};

export const overall = {
  title: "What matters overall",
  how: (rows: number, drawn: number, moved: string) =>
    `Bars are averages over all ${count(rows)} rows. Each dot is one row (${count(drawn)} are drawn). To the right of zero the feature raises ${moved}; to the left it does the opposite.`,
  movedInClass: "the probability of the class shown",
  caption: (scale: string, summed: boolean) =>
    `Features by their mean |score|, ${scale}${summed ? ", summed over classes" : ""}. Choose one to explore it.`,
  feature: "feature",
  meanSize: "mean |score|",
  single: "scores of single rows",
  ofClass: (label: Part) => says`, class ${label}`,
  tableCaption: (summed: boolean) => `Mean |score|${summed ? ", summed over classes" : ""}`,
  tableHeads: ["feature", "mean |score|", "share of all"],
  legend: (what: string) => `Colour shows the ${what}: low `,
  valueOfFeature: "value of the feature",
  high: " high.",
  ofValues: " Text columns have one colour per value. Pale: missing.",
  otherLevels: (n: number) => `others (${counted(n, "value")})`,
  line: " The vertical line marks the chosen row.",
  outside: (n: number) => ` ${counted(n, "score")} beyond the axis, drawn at its ends.`,
};

export const row = {
  title: "One row",
  how: "Why does this row have its prediction? Find a row, or step through them.",
  name: (at: number, table: Part, key: { name: Part; text: Part } | null) => [
    ...says`Row ${count(at)} of ${table}`,
    ...(key ? says`: ${key.name} ${key.text}` : []),
  ],
  brief: (at: number) => `Row ${count(at)}`,
  predicted: "Predicted: ",
  withProbability: (probability: Part) => says` with a probability of ${probability}`,
  explainedOnly: (probability: Part) =>
    says` Base plus scores alone would give it a probability of ${probability}.`,
  otherModel: (model: Part, predicted: Part[]) => [
    ...says` The other model, ${model}, predicts `,
    ...predicted,
    ".",
  ],
  actual: (actual: Part) => says` Actual: ${actual}.`,
  previous: "‹ Previous",
  next: "Next ›",
  order: "Step through by",
  byNumber: "row number",
  highest: (what: string) => `highest ${what} first`,
  lowest: (what: string) => `lowest ${what} first`,
  prediction: "prediction",
  probabilityOf: (label: string) => `probability of ${label}`,
  probabilityOfShown: "probability of the class shown",
  mostWrong: "largest error first",
  leastStable: "least stable explanation first",
  modelsDiffer: "largest difference between the models first",
  largest: (n: number) => `Show the ${n} largest`,
  meaning: (moved: Part) => says`A score above 0 raises ${moved}; one below 0 does the opposite.`,
  hatchedBoth:
    " Hatched: the part of all trees' prediction that is not explained, and the change when the trees that saw the row are left out.",
  hatchedOutOfBag:
    " Scores explain the prediction of all trees. Hatched: the change when the trees that saw the row are left out.",
  hatchedLeft: " Hatched: the part of the model's prediction that is not explained.",
  errors:
    "± and the thin line are two standard errors over the trees: how much the score would vary with other trees.",
};

export const reasons = {
  left: (size: string) => `a part that the scores do not explain (${size})`,
  reason: (feature: Part, cell: Part | null, size: string) =>
    cell ? says`${feature} = ${cell} (${size})` : says`${feature} (${size})`,
  /** `moved` is what scores raise or lower, such as `the probability that churn is yes`. */
  sentence: (
    moved: string,
    kind: ScaleKind,
    value: string,
    base: string,
    side: "above" | "below" | "equal to",
    because: Part[],
    despite: Part[],
  ) => [
    `${
      kind === "log_odds"
        ? `${moved.replace(/^the odds/, "The log-odds")} are`
        : `${moved.replace(/^the/, "The")} is`
    } ${value}, ${side} the base of ${base}`,
    ...(because.length > 0 ? [", mostly because of ", ...listed(because)] : []),
    ...(despite.length > 0 ? [", despite ", ...listed(despite)] : []),
    ".",
  ],
};

export const fragment = {
  unknown: (parts: string[]) =>
    `The link refers to ${parts.join(" and ")}, which this page does not contain.`,
  view: (id: string) => `the part ${id}`,
};

export const sheet = {
  keep: "Compare with another row",
  choose: (row: string) => `Row ${row} is kept. Now find or step to another row.`,
  stop: "Stop comparing",
  compareCaption: (a: string, b: string) =>
    `Row ${a} and row ${b}, the largest difference in scores first`,
  compareHeads: (a: string, b: string) => [
    "feature",
    `value, row ${a}`,
    `value, row ${b}`,
    `score, row ${a}`,
    `score, row ${b}`,
    "difference",
  ],
  print: "Print this row",
  copyText: "Copy as text",
  copyImage: "Copy as image",
  copied: "Copied.",
  saved: "Saved as a file, because this browser does not allow copying here.",
  failed: (reason: string) => `Copying failed: ${reason}.`,
  keys: "The arrow keys ← and → also step through rows.",
};

export const waterfall = {
  base: "base",
  others: (n: number) => `${count(n)} other features`,
  notExplained: "not explained",
  leftOut: "trees that saw the row left out",
  actual: "actual",
  total: (total: string) => `= ${total}`,
  caption: (total: string, label: string | null) =>
    `From the base to the ${total}${label === null ? "" : ` of class ${label}`}, the largest scores first`,
  heads: { feature: "feature", value: "value", adds: "adds", drawing: "drawing" },
};

export const search = {
  label: "Find a row",
  placeholder: (key: string | null, row: string, condition: string) =>
    `${key === null ? "" : `${key}, `}${row}, or ${condition}`,
  found: "Rows found",
  matches: (n: number, shown: number) =>
    `${counted(n, "row")} ${n === 1 ? "matches" : "match"}${n > shown ? `; the first ${shown}:` : "."}`,
  within: (at: number, n: number) => `Match ${count(at)} of ${count(n)}.`,
  outside: (row: number, n: number) =>
    `Row ${count(row)} is not among the ${counted(n, "row")} that match.`,
  clear: "Show all rows",
  none: "No row found.",
  notUnderstood: "Not understood: start with a column name, as in age>60.",
  noNumber: (typed: string, column: string) =>
    `${typed} is not a number, so it cannot be compared with ${column}.`,
  noOrder: (column: string) => `${column} holds text: use = or !=.`,
  notHere: "Not among the rows on this page; the scores file has all rows.",
  predicted: (x: number) => `predicted ${number(x)}`,
};

export const threshold = {
  title: "Decisions",
  label: "Decision threshold",
  exactly: "Exactly",
  ofClass: (label: Part, at: Part) =>
    says`${label} is predicted if its probability is at least ${at}. This applies to the whole page.`,
  models: (at: string) => `The model's own threshold is ${at}.`,
  reset: (at: string) => `Reset to ${at}`,
  decided: "decided ",
  actual: "actual",
  found: "decided correctly",
  confusion: (rows: number, how: string) => `At this threshold, on ${counted(rows, "row")}${how}`,
  mostProbable: (rows: number, how: string) =>
    `The most probable class of ${counted(rows, "row")}${how}`,
  outOfBag: ", each predicted out of bag",
  unseen: " that the model has not seen",
  perhaps: "; if the model was trained on them, expect more errors on new ones",
  trainedOn:
    "The model was trained on these rows, so its accuracy on them says nothing about new ones.",
  correct: (share: Part) => says`${share} of these decisions are correct.`,
  cell: (actual: string, decided: string) => `actual ${actual}, decided ${decided}`,
  cellLabel: (rows: number, title: string) => `${counted(rows, "row")}, ${title}: mark them`,
  markCell: "Mark these rows",
  markedInCell: (rows: number) => ` (${count(rows)} marked)`,
};

export const whatIf = {
  title: "What if cells were different?",
  how: "Change cells of this row and see what the model predicts. All trees are used, as for a new row. For a training row the numbers therefore differ from those above, which leave out the trees that saw it.",
  prediction: (label: Part | null, before: Part, now: Part, change: string) =>
    label
      ? says`Probability of ${label}: ${before} → ${now} (${change})`
      : says`Prediction: ${before} → ${now} (${change})`,
  caption: "Cells you can change, in the same order as above",
  noScores: "Cells you can change. The page does not compute scores of this method.",
  heads: ["feature", "value", "score before", "score now", "change", "note"],
  cellOf: (feature: string) => `Value of ${feature}`,
  outside: (low: string, high: string) =>
    `Outside the training range of ${low} to ${high}: the model has not seen such a value.`,
  reset: "Restore the row's own cells",
  more: "More or fewer features",
  curveOf: "Curve of",
  curveLabel: (feature: string, first: string, last: string) =>
    `Prediction over the values of ${feature}: ${first} at the lowest, ${last} at the highest`,
  curveText: (rows: number) =>
    `Thick: this row if only that cell were different. Dashed: the mean of ${counted(rows, "row")} (thin lines). The ring is the current value.`,
  levelCaption: (feature: string, title: string) =>
    `The ${title} if only ${feature} were different, the highest mean first`,
  levelHeads: { level: "value", own: "this row", mean: "mean", drawing: "drawing" },
  levelText: (rows: number) =>
    `Large dots: this row. Vertical lines: the mean of ${counted(rows, "row")} (small dots). The ring is the current value.`,
  someLevels: (shown: number, all: number) =>
    ` These are the ${count(shown)} most frequent of ${count(all)} values.`,
  present: " now",
  /** Behind a value, by how the model knows it from training. */
  standing: { known: "", rare: " (rare)", new: " (not in training)" } satisfies Record<
    Familiarity,
    string
  >,
  newLevel: "Not among the training rows: the model has not seen such a value.",
  notHeld: (feature: string) =>
    `This row's ${feature} is one of the values that this page does not list, so changed cells are not computed for it.`,
  predicted: "prediction",
  probability: (label: string) => `probability of ${label}`,
  large:
    "The model is too large to embed in this page. To predict changed cells, run lmdi serve MODEL --report PAGE and open the address it prints, or make the page with --what-if always.",
  elsewhere:
    "This page does not hold the model. To predict changed cells, run lmdi serve MODEL --report PAGE and open the address it prints.",
  otherModel:
    "The server has a different model from the one this page was made with, so changed cells are not computed.",
  failed: (why: string) => `No answer: ${why}`,
};

export const counterfactuals = {
  title: "Similar rows with a different outcome",
  ofNumber:
    "The nearest rows whose prediction is on the other side of the decision threshold, and what differs, by importance.",
  ofClass: "The nearest rows that are predicted as another class, and what differs, by importance.",
  real: (held: number, all: boolean) =>
    ` They are real rows of the data, found among ${all ? "all explained rows" : `the ${count(held)} rows on this page`}.`,
  none: "No row on this page is on the other side.",
  noneFits: "No row on this page is on the other side and within the limits. Remove a limit.",
  similarBy: "Similar by",
  byScores: "scores: the same reasons",
  byCells: "values: the same facts",
  heading: (at: number, row: number, key: Part | null, decided: Part) => [
    `${at}. Row ${count(row)}`,
    ...(key ? says` (${key})` : []),
    ...says`: ${decided}`,
  ],
  differs: (row: number, distance: number, more: number) =>
    `What differs in row ${count(row)}, at a distance of ${number(distance)}${more > 0 ? `; ${counted(more, "smaller difference")} not listed` : ""}`,
  heads: (label: string | null) => {
    const ofClass = label === null ? "" : `, class ${label}`;
    return ["feature", "here", "there", `score here${ofClass}`, `score there${ofClass}`];
  },
};

export const limits = {
  feature: "Limit",
  kind: "How it may differ",
  add: "Add limit",
  list: "Limits",
  kinds: {
    fixed: "must not change",
    up: "may only increase",
    down: "may only decrease",
    range: "must be within a range",
    levels: "must be one of",
  },
  from: "from",
  to: "to",
  noBound: "no limit",
  others: (n: number) => `all ${count(n)} others`,
  reversed: "The lower bound is above the upper bound, so no value is possible. Swap them.",
  noLevel: "No value is allowed. Tick at least one.",
  remove: "remove",
  removeOf: (name: string) => `Remove the limit on ${name}`,
};

export const feature = {
  title: "One feature",
  how: "How the score of a feature depends on its value. Dots at the same value differ because of the other features of their rows.",
  pick: "Feature",
  colour: "Colour of the dots: value of",
  oneColour: "one colour",
  label: (name: string, words: string) => `Scores of ${name} against its values: ${words}`,
  axis: (label: string | null, scale: string) =>
    `score${label === null ? "" : ` of class ${label}`} (${scale})`,
  scales: { probability: "probability", log_odds: "log-odds" },
  point: (row: number, cell: string, score: number) =>
    `Row ${count(row)}: value ${cell}, score ${number(score)}. ${page.clickToChoose}`,
  dots: (n: number) =>
    `${counted(n, "dot")}, each a row. The line is the mean score of rows with similar values; the bars below count rows.`,
  missing: (n: number, mean: number) =>
    ` ${counted(n, "row")} without a value; their mean score is ${number(mean)}.`,
  outside: (n: number) => ` ${counted(n, "row")} outside the plot. `,
  showMiddle: "Show the middle 98\u00a0%",
  showAllValues: "Show all values",
  byValue: "Mean score by value",
  byValueHeads: ["values", "rows", "mean score"],
  levels: (label: string | null, scale: string) =>
    `Values by their mean score${label === null ? "" : ` of class ${label}`}, ${scale}.`,
  levelHeads: { value: "value", rows: "rows", mean: "mean score", single: "scores of single rows" },
  mostFrequent: (shown: number, all: number) =>
    `The ${count(shown)} most frequent of ${count(all)} values.`,
  group: (name: Part, members: Part[]) => [
    ...says`${name} is a group of ${counted(members.length, "column")}, whose scores are added up: `,
    ...members.flatMap((member, at) => (at > 0 ? [", ", member] : [member])),
    ".",
  ],
  noValues: "no values",
  brushed: (name: string) => `a part of the plot of ${name}`,
  near: (mean: number, cell: string) => `mean score ${number(mean)} near ${cell}`,
};

export const groups = {
  title: "Groups of rows",
  how: (n: number, kept: number) =>
    `Rows predicted for similar reasons. k-means on the scores found ${counted(n, "group")}, which account for ${percent(kept)} of the differences between rows' scores.`,
  stable: " This number of groups is stable under resampling.",
  unstable:
    " No number of groups is stable under resampling, so treat the borders between them as approximate.",
  name: (at: number) => `Group ${at + 1}`,
  size: (n: Part, share: number, predicted: string, prediction: Part) =>
    says`${n} rows (${percent(share)}), ${predicted} ${prediction}`,
  meanPrediction: "mean prediction",
  meanProbability: (label: string) => `mean probability of ${label}`,
  error: (name: string, where: string, error: Part) => says`, ${name}${where} ${error}`,
  rmse: "root mean squared error",
  wrong: "share predicted incorrectly",
  onTraining: " on these training rows",
  outOfBag: " (out of bag)",
  foundBy: "Rule: ",
  rule: (accuracy: number, precision: number, recall: number) =>
    `. It is correct for ${percent(accuracy)} of all rows. Of the rows it finds, ${percent(precision)} are in the group; it finds ${percent(recall)} of the group.`,
  apart: (at: number, label: string | null) =>
    `What distinguishes group ${at + 1}${label === null ? "" : `; scores of class ${label}`}`,
  heads: ["feature", "here", "others", "score here", "others"],
};

export const map = {
  title: "On the map",
  how: (drawn: number) => `Each dot is a row at its location (${count(drawn)} are drawn).`,
  ring: " The ring is the chosen row.",
  colour: "Colour by",
  group: "group",
  prediction: "prediction",
  probabilityOfChosen: "probability of the chosen class",
  probabilityOf: (label: string) => `probability of ${label}`,
  score: (name: string, ofChosen: boolean) =>
    `score of ${name}${ofChosen ? " (chosen class)" : ""}`,
  value: (name: string) => `value of ${name}`,
  label: (rows: number, paint: string) => `Map of ${counted(rows, "row")}, coloured by ${paint}`,
  point: (row: number, predicted: number, group: number | null) =>
    `Row ${count(row)}: predicted ${number(predicted)}${group === null ? "" : `, group ${group + 1}`}. ${page.clickToChoose}`,
  brushed: "a part of the map",
  areas: "As a table of areas",
  areaCaption: (what: string) => `Areas of the map, those with the most rows first: mean ${what}`,
  areaHeads: (latitude: string, longitude: string, what: string) => [
    latitude,
    longitude,
    "rows",
    what,
    "on the page",
  ],
  areaRange: (from: string, to: string) => `${from} to ${to}`,
  markArea: "Mark these rows",
  area: (latitudes: string, longitudes: string) => `${latitudes}, ${longitudes}`,
  groupInLegend: (at: number) => ` group ${at + 1} `,
};

export const trust = {
  title: "How good are the predictions?",
  how: (rows: number, how: string) =>
    `Predictions compared with actual outcomes, on ${counted(rows, "row")} of this page${how}.`,
  outOfBag: ", each predicted by the trees that did not see it",
  unseen: " that the model has not seen",
  perhaps: "; if the model was trained on them, expect larger errors on new rows",
  trainedOn:
    "The model was trained on these rows, so its errors on them say nothing about new rows. Add --holdout 0.2 to see them.",
  calibrationLabel: (label: string) => `Calibration of the probability of ${label}`,
  calibrationText:
    "Calibration: rows grouped into up to ten bins by predicted probability. On the diagonal, predictions match what happened. Lines are 95\u00a0% intervals.",
  calibrationHeads: ["predicted", "actual", "95\u00a0% interval", "rows", "on the page"],
  predicted: (label: string) => `predicted probability of ${label}`,
  happened: (label: string) => `actual share of ${label}`,
  rocLabel: (label: string, area: number) =>
    `ROC curve of ${label}; the area under it is ${area.toFixed(3)}`,
  rocText: (area: number, hasThreshold: boolean) =>
    `ROC: the area under the curve is ${area.toFixed(3)}; the dashed line is guessing.${hasThreshold ? " The ring is the decision threshold." : ""}`,
  falseAlarms: "false positive rate",
  recall: (label: string) => `recall (share of ${label} found)`,
  precisionLabel: (label: string) => `Precision and recall of ${label}`,
  precision: (label: string) => `precision (share that is ${label})`,
  precisionNone: (label: string) =>
    `No row reaches the decision threshold: none is predicted ${label}, so there is no precision.`,
  precisionText: "Precision and recall at every threshold.",
  precisionNow: (precision: number, recall: number) =>
    `Precision and recall. At the decision threshold (ring), the precision is ${percent(precision)} and the recall ${percent(recall)}.`,
  between: (label: string, low: string, high: string) =>
    low === high
      ? `a probability of ${label} of ${low}`
      : `a probability of ${label} from ${low} to ${high}`,
  markCurves:
    "Click a point, or draw a rectangle over a curve, to mark rows with these probabilities.",
  markedCurves: (rows: number, hasCurve: boolean) =>
    `Dashed, with hollow points: the ${counted(rows, "marked row")} alone.${
      hasCurve ? "" : " All of them are of this class, or none is, so they have no curves."
    }`,
  againstLabel: "Actual against predicted",
  againstText: "On the line, the prediction equals the outcome. Draw a rectangle to mark rows.",
  residualLabel: "Residuals against predictions",
  residualText: "Residuals: actual minus predicted. A good model leaves no pattern.",
  predictedNumber: "predicted",
  actual: "actual",
  residual: "actual − predicted",
  brushed: "a part of the plot of predictions",
  point: (row: number, predicted: string, actual: string) =>
    `Row ${count(row)}: predicted ${predicted}, actual ${actual}. ${page.clickToChoose}`,
  sliceTitle: "Where is the model wrong?",
  sliceHow: "A slice with a much larger error than the rest is predicted poorly.",
  sliceBy: "Slice by",
  byGroup: "groups of rows",
  group: (at: number) => `group ${at + 1}`,
  sliceCaption: (error: string) => `Error per slice; over all rows it is ${error}`,
  slice: "slice",
  rows: "rows",
  rmse: "root mean squared error",
  wrong: "predicted incorrectly",
  ratio: "relative to all rows",
  bias: "predicted minus actual",
  biasOf: (label: string) => `predicted minus actual share of ${label}`,
  mark: "on the page",
  markSlice: (feature: string | null, slice: string) =>
    feature === null ? slice : `${feature}: ${slice}`,
  otherLevels: "all others",
  confused: (rows: number, how: string) =>
    `The most frequent confusions, among the predicted classes of ${counted(rows, "row")}${how}`,
  confusedHeads: ["actual", "predicted", "rows", "share of the actual class"],
  neverConfused: "No row is predicted incorrectly.",
  range: (from: string, to: string) => `${from} to ${to}`,
  tooFew: "too few rows",
};

export const stability = {
  unknown: "not known",
  title: "Stability",
  how: (refits: number) =>
    `Would retraining give the same explanation? The model was trained and explained ${counted(refits, "more time")} with other seeds, and as often on resampled training rows. Each run explained the same rows.`,
  seeds: "Other seeds, same rows",
  resampled: "Resampled rows",
  order: "Order of features",
  orderText:
    "Mean rank correlation of a row's scores between two runs. 1 means the same order in every run, 0 means chance.",
  first: (top: number) => `Among the first ${top}`,
  firstText: (top: number) =>
    `Number of different features among a row's ${counted(top, "most important feature")} over all runs. ${top} is perfectly stable.`,
  caption:
    "Mean |score| in each run: dots close together are stable. Filled: other seeds. Rings: resampled rows.",
  heads: { feature: "feature", range: "smallest to largest", runs: "each run" },
  range: (low: string, high: string) => `${low} to ${high}`,
};

export const methods = {
  title: "Other methods",
  how: "Methods use different scales, so scores are shown as each feature's share of the method's total. Where methods disagree, be careful.",
  agreement: "Agreement on single rows",
  heads: ["method", "scale", "rank correlation with this report", "same among the five largest"],
  own: "this report",
  shares: "Share of each feature, method by method",
  feature: "feature",
};

export const models = {
  title: "Another model",
  how: (model: Part, trees: string, trainedBy: string) =>
    says`${model}: ${trees}${trainedBy === "" ? "" : `, trained by ${trainedBy}`}. Both models are explained on the same rows.`,
  apart: (difference: string, sameClass: number | null) =>
    sameClass === null
      ? `Their predictions differ by ${difference} on average.`
      : `They predict the same class in ${percent(sameClass)} of the rows; on average they assign ${difference} of the probability to different classes.`,
  notMeasured: "not measured",
  trainedOn: (which: string) =>
    ` ${which} was trained on these rows, so its errors on them say nothing about new rows.`,
  unknown: (which: string) =>
    ` It is not known whether ${which} was trained on these rows; if it was, its measures are too optimistic.`,
  own: "this model",
  other: "the other model",
  Own: "This model",
  Other: "The other model",
  quality: (rows: number) => `Quality on ${counted(rows, "row")} that both predict`,
  measure: "measure",
  label: (rows: number) => `Predictions of both models, ${counted(rows, "row")}`,
  against: "On the line, both predict the same. Draw a rectangle to mark rows.",
  axis: (what: string, model: string) => `${what} by ${model}`,
  predicted: "predicted",
  probabilityOf: (label: string) => `probability of ${label}`,
  point: (row: number, own: string, other: string) =>
    `Row ${count(row)}: ${own} by this model, ${other} by the other. ${page.clickToChoose}`,
  brushed: "a part of the plot of both models",
  shares: "What each model uses: each feature's share of the total of its scores",
  feature: "feature",
  notRead: "not used",
  rows: "Rows where the models differ most",
  rowHeads: (other: string) => ["row", "this model", other, "difference", "actual"],
  row: (at: number) => `Row ${count(at)}`,
};

export const marking = {
  mark: "Mark these rows",
  unmark: "Unmark",
  scores: (feature: string, low: string, high: string) =>
    low === high ? `score ${low} of ${feature}` : `scores of ${feature} from ${low} to ${high}`,
};

export const about = {
  measure: (name: string) => (name === "R2" ? "R²" : name),
  title: "What was explained",
  quality: "Quality on rows not used for training",
  heads: ["measured on", "rows"],
};

export const download = {
  title: "Download",
  how: (rows: number, all: boolean) =>
    `The scores of ${all ? "all" : "the"} ${count(rows)} rows on this page, as a CSV file with full precision.`,
  decided: " Classes in it use the model's own threshold.",
  rest: (command: Part) => says` ${command} writes the scores of all rows.`,
  button: "Download scores.csv",
};
