// All wording of the page. Views put it together with names, numbers and drawings; they hold no sentences of their own.
//
// Sentences speak to somebody who has never heard of the method: subject first, one idea, no jargon that is not explained.
// A sentence with names of the data in it is a list of parts, because names are elements (`says`).

import type { Familiarity, ScaleKind } from "./contract";
import { count, counted, number, percent } from "./page/format";
import { type Part, says } from "./page/says";

export const page = {
  opening: (reason: string) =>
    `This report cannot be shown: ${reason}. A current browser and an undamaged file are needed.`,
  otherVersion: "the data in it is of another version",
  classPicker: "Class shown",
  title: (target: string, table: string) => `What the model uses to predict ${target} · ${table}`,
  heading: (target: Part) => says`What the model uses to predict ${target}`,
  subject: (method: string, rows: number, kind: string, table: Part, features: number) =>
    says`${method} explanations of ${count(rows)} ${kind} of ${table} with ${counted(features, "feature")}.`,
  skip: "Skip to the report",
  contents: "Contents",
  footer: "Made by lmdi. This file is complete in itself: it loads nothing and sends nothing.",
  asNumbers: "As a table of numbers",
  missing: "missing",
  noName: "(no name)",
  rest: (n: number) => `one of ${counted(n, "other value")}`,
  rare: "rare",
  rareLevels: (n: number) =>
    `Rare: the model reads ${n === 1 ? "this value as if it were any other rare one" : "these values as one, and cannot tell them apart"}.`,
  showFirst: (n: number) => `Show the first ${n} features`,
  showAll: (n: number) => `Show all ${counted(n, "feature")}`,
  clickToChoose: "Click to choose it.",
  marked: (rows: number, what: Part) =>
    says`${counted(rows, "row")} marked in the whole page: ${what}. `,
  unmark: "Take the marks away",
};

export const short = {
  title: "In short",
  /** The features that matter most, for a number or for a class. */
  matterMost: (features: Part[], moved: Part) =>
    features.length === 0
      ? says`No feature matters for ${moved}: the model says the same about every row.`
      : [
          ...listed(features),
          ...says` ${features.length === 1 ? "matters" : "matter"} most for ${moved}.`,
        ],
  allClasses: (target: Part, classes: number) =>
    says`which of ${count(classes)} classes ${target} is`,
  worseThanMean: (target: Part) =>
    says` On rows it has not seen, the model predicts ${target} worse than the mean does.`,
  varianceExplained: (share: Part, target: Part) =>
    says` The model explains ${share} of the variation in ${target} on rows it has not seen (R²).`,
  ranking: (share: Part) =>
    says` Of two unseen rows of different classes, the model tells which is which in ${share} of cases (AUROC); guessing gives ${percent(0.5, 0)}.`,
  otherMeasure: (measure: string, value: Part) => says` ${measure} on unseen rows: ${value}.`,
  notMeasured: " How good it is was not measured on unseen rows; add --holdout 0.2 to measure it.",
  picture: (scale: string) => `Mean size of scores, ${scale}, and the scores of single rows`,
  pictureHeads: {
    feature: "feature",
    size: "mean size",
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
  mapped: "Where rows are, coloured by prediction",
  compared: (sample: string, rows: number) => `Quality on ${counted(rows, "row")} (${sample})`,
  comparedHeads: "prediction by",
  mean: "the mean",
  majority: "the most frequent class",
  linear: "a linear model",
  model: "this model",
  notConclude: "What you should not conclude",
  notCausal:
    "A score tells what the model does with a feature; it does not mean that changing the feature would change the outcome.",
  notUseless:
    "A small score does not mean that a feature is unimportant in reality: another feature may carry the same information.",
  outOfBag: (seenByAll: number) =>
    `The model was trained on these rows. Each is therefore predicted out of bag, by the trees that did not see it.${
      seenByAll > 0 ? ` Every tree saw ${counted(seenByAll, "row")}; all trees predict these.` : ""
    }`,
  allRows: (n: number, kind: string) => `This page holds all ${count(n)} ${kind}.`,
  sampledRows: (all: number, kind: string, held: number) =>
    `${count(all)} ${kind} were explained. To stay small, this page holds ${count(held)} of them, drawn at random by the seed. ` +
    "Importance and quality are of all rows. Dots, curves, groups, single rows and the download are of these.",
  careful: "Careful: ",
  reading: "How to read a score",
  readingText: (text: string, exact: boolean, total: string) =>
    `Scores are given ${text}. Each row starts from the base, what the model says about an average row. Every feature then adds its score or takes it away. ${
      exact
        ? `The sum is the row's ${total}.`
        : `The part of the model's ${total} that base and scores leave out is drawn as “not explained”.`
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
      " Log-odds of 0 are a chance of one half. Adding 0.7 about doubles the odds, taking away 0.7 about halves them, and 2.2 turns even odds into nine to one.",
    log: " Adding 0.1 to a logarithm is about 10 % more.",
    other: "",
  } satisfies Record<ScaleKind, string>,
  added: (largest: number | null) =>
    largest === null
      ? "Checked in every row: scores add up exactly."
      : `Checked in every row: base plus scores is the model's output, within ${number(largest)}.`,
};

export const classes = {
  title: "All classes at a glance",
  how: (isMeasured: boolean) =>
    `Choose a class to show it in the whole page.${
      isMeasured
        ? " Found: the share of its rows that are predicted so. Right: the share of the rows predicted so that are of the class."
        : ""
    }`,
  caption: (scale: string) => `Rows of this page, and the mean size of scores, ${scale}`,
  heads: {
    label: "class",
    rows: "rows",
    recall: "found (recall)",
    precision: "right (precision)",
    top: "used most",
  },
  none: "none",
  choose: "Show this class in the whole page",
  order: "Order by",
  orders: {
    table: "name",
    rows: "most rows first",
    recall: "least found first",
    precision: "least right first",
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
  levels: { good: "good", careful: "careful", bad: "problem", unknown: "not known" },
  quality: "Quality of the model",
  qualityUnknown: "Not measured on unseen rows. Add --holdout 0.2 to measure it.",
  qualityOther: (measure: string) => `Only ${measure} was measured.`,
  worseThanMean:
    "The model predicts worse than the mean does. Its explanations say nothing about reality.",
  weak: "The model is weak. It hardly predicts better than a constant, so its explanations say little about reality.",
  moderate: "The model is moderate: much of the outcome depends on what it does not know.",
  linearAsGood: "A linear model predicts about as well, and is simpler.",
  linearBetter: "A linear model predicts better. Consider using that.",
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
    } explanations (rank correlation ${seeds.toFixed(2)} with other seeds, ${resampled.toFixed(2)} on rows drawn anew).`,
  stableButWeak: "That does not make a weak model right.",
  leakage: "Leakage",
  leaks: (columns: string[], target: string) =>
    `${columns.join(", ")} ${columns.length === 1 ? "gives" : "give"} ${target} away. Is it known before ${target} is?`,
  rows: "Few rows",
  fewRows: (rows: number) =>
    `The model was trained on ${counted(rows, "row")}. Scores of rare values rest on a handful of them.`,
  sensitive: "Sensitive columns",
  sensitiveColumns: (names: string[]) =>
    `${names.join(", ")} may describe personal traits. Scores show what the model uses, not what is fair.`,
};

export const overall = {
  title: "What matters overall",
  how: (rows: number, drawn: number, moved: string) =>
    `Bars are averages over all ${count(rows)} rows. Each dot is one row (${count(drawn)} are drawn). Right of zero the feature raises ${moved}, left of zero it does the opposite.`,
  movedInClass: "the probability of the class shown",
  caption: (scale: string, summed: boolean) =>
    `Features by the mean size of their scores, ${scale}${summed ? ", summed over classes" : ""}. Choose one to look into it.`,
  feature: "feature",
  meanSize: "mean size of score",
  single: "scores of single rows",
  ofClass: (label: Part) => says`, class ${label}`,
  tableCaption: (summed: boolean) => `Mean size of scores${summed ? ", summed over classes" : ""}`,
  tableHeads: ["feature", "mean |score|", "share of all"],
  legend: (what: string) => `Colour is the ${what}: low `,
  valueOfFeature: "value of the feature",
  high: " high.",
  ofValues: " Texts have a colour per value. Pale: missing.",
  otherLevels: (n: number) => `others (${counted(n, "value")})`,
  line: " The upright line marks the chosen row.",
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
    " Hatched: what base plus scores leaves of the prediction of all trees, and what changes when the trees that saw the row are left out.",
  hatchedOutOfBag:
    " Scores explain the prediction of all trees. Hatched: what changes when the trees that saw the row are left out.",
  hatchedLeft: " Hatched: what base plus scores leaves of the model's prediction.",
  errors:
    "± and the thin line are two standard errors over the trees: how far the score would move if other trees of the same kind were grown.",
};

export const reasons = {
  left: (size: string, isFor: boolean) =>
    `${isFor ? "of " : ""}a part that the scores do not explain (${size})`,
  reason: (feature: Part, cell: Part | null, size: string) =>
    cell ? says`${feature} is ${cell} (${size})` : says`${feature} (${size})`,
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
    ...(because.length > 0 ? [", mostly because ", ...listed(because)] : []),
    ...(despite.length > 0 ? ["; despite ", ...listed(despite)] : []),
    ".",
  ],
};

export const fragment = {
  unknown: (parts: string[]) =>
    `The link names ${parts.join(" and ")}, which this page does not hold.`,
  view: (id: string) => `the part ${id}`,
};

export const sheet = {
  keep: "Compare with another row",
  choose: (row: string) => `Row ${row} is kept. Now find or step to another row.`,
  stop: "Stop comparing",
  compareCaption: (a: string, b: string) =>
    `Row ${a} beside row ${b}, the largest difference of scores first`,
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
  saved: "Saved as a file: this browser allows no copying here.",
  failed: (reason: string) => `It could not be copied: ${reason}.`,
  keys: "The arrow keys ← and → step through rows too.",
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
  within: (at: number, n: number) => `Row ${count(at)} of ${count(n)} that match.`,
  outside: (row: number, n: number) =>
    `Row ${count(row)} is not among the ${counted(n, "row")} that match.`,
  clear: "Show all rows",
  none: "No row found.",
  notUnderstood: "Not understood: start with the name of a column, as in age>60.",
  noNumber: (typed: string, column: string) => `${typed} is no number to compare ${column} with.`,
  noOrder: (column: string) => `${column} holds texts: ask with = or !=.`,
  notHere: "Not among the rows in this page; the scores file has all.",
  predicted: (x: number) => `predicted ${number(x)}`,
};

export const threshold = {
  title: "Decisions",
  label: "Decision threshold",
  exactly: "Exactly",
  ofClass: (label: Part, at: Part) =>
    says`${label} is predicted from a probability of ${at} on, in the whole page.`,
  models: (at: string) => `The model's own threshold is ${at}.`,
  reset: (at: string) => `Reset to ${at}`,
  decided: "decided ",
  actual: "actual",
  found: "decided right",
  confusion: (rows: number, how: string) => `At this threshold, on ${counted(rows, "row")}${how}`,
  mostProbable: (rows: number, how: string) =>
    `The most probable class of ${counted(rows, "row")}${how}`,
  outOfBag: ", each predicted out of bag",
  unseen: " that the model has not seen",
  perhaps: "; if the model was trained on them, expect more errors on new ones",
  trainedOn:
    "The model was trained on these rows, so how often it is right about them says nothing about new ones.",
  correct: (share: Part) => says`${share} of these decisions are right.`,
  cell: (actual: string, decided: string) => `actual ${actual}, decided ${decided}`,
  cellLabel: (rows: number, title: string) => `${counted(rows, "row")}, ${title}: mark them`,
  markCell: "Mark these rows",
  markedInCell: (rows: number) => ` (${count(rows)} marked)`,
};

export const whatIf = {
  title: "What if cells were different?",
  how: "Change cells of this row and see what the model would say. All trees answer, as for a new row, so a training row may differ a little from its sheet above.",
  prediction: (label: Part | null, before: Part, now: Part, change: string) =>
    label
      ? says`Probability of ${label}: ${before} → ${now} (${change})`
      : says`Prediction: ${before} → ${now} (${change})`,
  caption: "Cells that can be changed, in the order of the sheet above",
  noScores: "Cells that can be changed. Scores of this method are not computed in the page.",
  heads: ["feature", "value", "score before", "score now", "change", "note"],
  cellOf: (feature: string) => `Value of ${feature}`,
  outside: (low: string, high: string) =>
    `Outside the training range of ${low} to ${high}: the model has seen nothing like it.`,
  reset: "Back to the row's own cells",
  more: "More or fewer features",
  curveOf: "Curve of",
  curveLabel: (feature: string, first: string, last: string) =>
    `Prediction over the values of ${feature}: ${first} at the lowest, ${last} at the highest`,
  curveText: (rows: number) =>
    `Thick: this row if only that cell were different. Dashed: the mean of ${counted(rows, "row")} (thin lines). The ring is the present value.`,
  levelCaption: (feature: string, title: string) =>
    `The ${title} if only ${feature} were different, the highest mean first`,
  levelHeads: { level: "value", own: "this row", mean: "mean", drawing: "drawing" },
  levelText: (rows: number) =>
    `Large dots: this row. Upright lines: the mean of ${counted(rows, "row")} (small dots). The ring is the present value.`,
  someLevels: (shown: number, all: number) =>
    ` These are the ${count(shown)} most frequent of ${count(all)} values.`,
  present: " now",
  /** Behind a value, by how the model knows it from training. */
  standing: { known: "", rare: " (rare)", new: " (not in training)" } satisfies Record<
    Familiarity,
    string
  >,
  newLevel: "Not among the training rows: the model has seen nothing like it.",
  notHeld: (feature: string) =>
    `This row's ${feature} is one of the values that this page does not hold, so changed cells are not computed for it.`,
  predicted: "prediction",
  probability: (label: string) => `probability of ${label}`,
  large:
    "The model is too large for this page to say what changed cells would give. Run lmdi serve MODEL --report PAGE and open the address it prints, or make the page with --what-if always.",
  elsewhere:
    "This page does not hold the model. To see what changed cells would give, run lmdi serve MODEL --report PAGE and open the address it prints.",
  otherModel:
    "The server has another model than the one this page was made with, so changed cells are not computed.",
  failed: (why: string) => `There is no answer: ${why}`,
};

export const counterfactuals = {
  title: "Similar rows with a different outcome",
  ofNumber:
    "The nearest rows whose prediction is on the other side of the decision threshold, and what differs, by importance.",
  ofClass: "The nearest rows that get another class, and what differs, by importance.",
  real: (held: number, all: boolean) =>
    ` They are real rows of the data, looked up among ${all ? "all explained rows" : `the ${count(held)} rows in this page`}.`,
  none: "No row in this page is on the other side.",
  noneFits: "No row in this page is on the other side and within the limits. Take a limit away.",
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
    fixed: "must stay as it is",
    up: "may only rise",
    down: "may only fall",
    range: "must lie within a range",
    levels: "must be one of",
  },
  from: "from",
  to: "to",
  noBound: "no limit",
  others: (n: number) => `all ${count(n)} others`,
  reversed: "The lower end is above the upper end, so no value fits. Swap them.",
  noLevel: "No value is allowed. Tick at least one.",
  remove: "remove",
  removeOf: (name: string) => `Remove the limit of ${name}`,
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
  scales: { probability: "share of probability", log_odds: "log-odds" },
  point: (row: number, cell: string, score: number) =>
    `Row ${count(row)}: value ${cell}, score ${number(score)}. ${page.clickToChoose}`,
  dots: (n: number) =>
    `${counted(n, "dot")}, each a row. The line is the mean score of rows with similar values; the bars at the foot count rows.`,
  missing: (n: number, mean: number) =>
    ` ${counted(n, "row")} without a value; their mean score is ${number(mean)}.`,
  outside: (n: number) => ` ${counted(n, "row")} outside the drawing. `,
  showMiddle: "Show the middle 98 %",
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
    " No number of groups is stable under resampling, so take the borders between them as rough.",
  name: (at: number) => `Group ${at + 1}`,
  size: (n: Part, share: number, predicted: string, prediction: Part) =>
    says`${n} rows (${percent(share)}), ${predicted} ${prediction}`,
  meanPrediction: "mean prediction",
  meanProbability: (label: string) => `mean probability of ${label}`,
  error: (name: string, where: string, error: Part) => says`, ${name}${where} ${error}`,
  rmse: "root mean squared error",
  wrong: "share predicted wrong",
  onTraining: " on these training rows",
  outOfBag: " (out of bag)",
  foundBy: "Found by: ",
  rule: (accuracy: number, precision: number, recall: number) =>
    `. This rule is right about ${percent(accuracy)} of all rows. Of the rows it finds, ${percent(precision)} are in the group; it finds ${percent(recall)} of the group.`,
  apart: (at: number, label: string | null) =>
    `What sets group ${at + 1} apart${label === null ? "" : `; scores of class ${label}`}`,
  heads: ["feature", "here", "others", "score here", "others"],
};

export const map = {
  title: "On the map",
  how: (drawn: number) => `Each dot is a row at its place (${count(drawn)} are drawn).`,
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
  areaCaption: (what: string) => `Areas of the map, those with most rows first: mean ${what}`,
  areaHeads: (latitude: string, longitude: string, what: string) => [
    latitude,
    longitude,
    "rows",
    what,
    "in the page",
  ],
  areaRange: (from: string, to: string) => `${from} to ${to}`,
  markArea: "Mark these rows",
  area: (latitudes: string, longitudes: string) => `${latitudes}, ${longitudes}`,
  groupInLegend: (at: number) => ` group ${at + 1} `,
};

export const trust = {
  title: "How good are the predictions?",
  how: (rows: number, how: string) =>
    `Predictions beside what happened, on ${counted(rows, "row")} of this page${how}.`,
  outOfBag: ", each predicted by the trees that did not see it",
  unseen: " that the model has not seen",
  perhaps: "; if the model was trained on them, new rows are predicted worse",
  trainedOn:
    "The model was trained on these rows, so its errors on them say nothing about new rows. Add --holdout 0.2 to see them.",
  calibrationLabel: (label: string) => `Calibration of the probability of ${label}`,
  calibrationText:
    "Calibration: rows in up to ten parts by their predicted probability. On the diagonal, as many happen as predicted. Lines are 95 % intervals.",
  calibrationHeads: ["predicted", "happened", "95 % interval", "rows", "in the page"],
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
  againstText: "On the line, the prediction is what happened. Draw a rectangle to mark rows.",
  residualLabel: "Residuals against predictions",
  residualText: "Residuals: actual minus predicted. A good model leaves no pattern.",
  predictedNumber: "predicted",
  actual: "actual",
  residual: "actual − predicted",
  brushed: "a part of the plot of predictions",
  point: (row: number, predicted: string, actual: string) =>
    `Row ${count(row)}: predicted ${predicted}, actual ${actual}. ${page.clickToChoose}`,
  sliceTitle: "Where is it wrong?",
  sliceHow: "A slice with a much larger error than the rest is predicted badly.",
  sliceBy: "Slice by",
  byGroup: "groups of rows",
  group: (at: number) => `group ${at + 1}`,
  sliceCaption: (error: string) => `Error per slice; over all rows it is ${error}`,
  slice: "slice",
  rows: "rows",
  rmse: "root mean squared error",
  wrong: "predicted wrong",
  ratio: "relative to all rows",
  bias: "predicted minus actual",
  biasOf: (label: string) => `predicted minus actual share of ${label}`,
  mark: "in the page",
  markSlice: (feature: string | null, slice: string) =>
    feature === null ? slice : `${feature}: ${slice}`,
  otherLevels: "all others",
  confused: (rows: number, how: string) =>
    `The most frequent confusions, among the predicted classes of ${counted(rows, "row")}${how}`,
  confusedHeads: ["actual", "predicted", "rows", "share of the actual class"],
  neverConfused: "No row is predicted wrong.",
  range: (from: string, to: string) => `${from} to ${to}`,
  tooFew: "too few rows",
};

export const stability = {
  unknown: "not known",
  title: "Stability",
  how: (refits: number) =>
    `Would retraining give the same answer? The model was trained and explained ${counted(refits, "more time")} with other seeds, and as often on rows drawn anew from the training rows. Each run explained the same rows.`,
  seeds: "Other seeds, same rows",
  resampled: "Rows drawn anew",
  order: "Order of features",
  orderText:
    "Mean rank correlation of a row's scores between two runs. 1 is the same order in every run, 0 is chance.",
  first: (top: number) => `Among the first ${top}`,
  firstText: (top: number) =>
    `Different features among a row's ${counted(top, "most important feature")} over all runs. ${top} is perfectly stable.`,
  caption:
    "Mean size of scores in each run: dots close together are stable. Filled: other seeds. Rings: rows drawn anew.",
  heads: { feature: "feature", range: "smallest to largest", runs: "each run" },
  range: (low: string, high: string) => `${low} to ${high}`,
};

export const methods = {
  title: "Other methods",
  how: "Methods measure on different scales, so each is shown as the share of every feature in the sum of its scores. Where they disagree, look twice.",
  agreement: "Agreement on single rows",
  heads: ["method", "scale", "rank correlation with this report", "same among the five largest"],
  own: "this report",
  shares: "Share of each feature, method by method",
  feature: "feature",
};

export const models = {
  title: "Another model",
  how: (model: Part, trees: string, trainedBy: string) =>
    says`${model}: ${trees}${trainedBy === "" ? "" : `, trained by ${trainedBy}`}. Both models predict and explain the same rows.`,
  apart: (difference: string, sameClass: number | null) =>
    sameClass === null
      ? `Their predictions differ by ${difference} on average.`
      : `They predict the same class in ${percent(sameClass)} of the rows; the share of probability that they place differently is ${difference} on average.`,
  notMeasured: "not measured",
  trainedOn: (which: string) =>
    ` ${which} was trained on these rows, so its errors on them say nothing about new rows.`,
  unknown: (which: string) =>
    ` It is not known whether ${which} was trained on these rows; if it was, its measures are too good.`,
  own: "this model",
  other: "the other model",
  Own: "This model",
  Other: "The other model",
  quality: (rows: number) => `Quality on ${counted(rows, "row")} that both predict`,
  measure: "measured",
  label: (rows: number) => `Predictions of both models, ${counted(rows, "row")}`,
  against: "On the line, both predict the same. Draw a rectangle to mark rows.",
  axis: (what: string, model: string) => `${what} by ${model}`,
  predicted: "predicted",
  probabilityOf: (label: string) => `probability of ${label}`,
  point: (row: number, own: string, other: string) =>
    `Row ${count(row)}: ${own} by this model, ${other} by the other. ${page.clickToChoose}`,
  brushed: "a part of the plot of two models",
  shares: "What each model uses: the share of every feature in the sum of its scores",
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
  quality: "Quality on rows that were not trained on",
  heads: ["measured on", "rows"],
};

export const download = {
  title: "Download",
  how: (rows: number, all: boolean) =>
    `The scores of ${all ? "all" : "the"} ${count(rows)} rows in this page, as a CSV file with full precision.`,
  decided: " Classes in it are decided at the model's own threshold.",
  rest: (command: Part) => says` ${command} writes those of all rows.`,
  button: "Download scores.csv",
};
