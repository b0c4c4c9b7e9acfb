// What to know before trusting the page, as traffic lights: each finding has a level and one or two sentences.
//
// The bounds are stated here, and in docs/report.md for readers.

import type { Comparison, Measure } from "../contract";
import type { Data } from "../data/data";
import { lights as words } from "../words";
import { sensitiveNames } from "./sensitive";

export type Level = "good" | "careful" | "bad" | "unknown";

export interface Light {
  id: string;
  level: Level;
  title: string;
  text: string;
}

/** R² below the first is weak, below the second moderate. */
const R2 = [0.1, 0.5];
/** The same of the area under the ROC curve. */
const AUROC = [0.6, 0.75];
/** Two models are as good as each other if they differ by less, in the same measure. */
const CLEAR = 0.005;
/** Below this share of the predictions' variation an explanation is not quite faithful. */
const FAITHFUL = 0.9;
/** Rank correlation between runs above which explanations are nearly the same, and similar. */
const STABLE = [0.9, 0.75];
/** Fewer training rows than these are very few, or few. */
const ROWS = [50, 200];

/** The measure that tells most. */
export function firstMeasure(measures: Measure[]): { name: string; value: number } | null {
  const [first] = measures;
  return first && first.value !== null ? { name: first.name, value: first.value } : null;
}

/** Whether the model leaves more than half to chance. */
function isModest(data: Data): boolean {
  const { comparison, quality } = data.report.about;
  const found = firstMeasure(comparison?.model ?? quality[0]?.measures ?? []);
  const bounds = found?.name === "R2" ? R2 : found?.name === "AUROC" ? AUROC : null;
  return found !== null && bounds !== null && found.value < bounds[1];
}

function quality(data: Data): Light {
  const { comparison, quality } = data.report.about;
  const found = firstMeasure(comparison?.model ?? quality[0]?.measures ?? []);
  const light = { id: "quality", title: words.quality };
  if (!found) return { ...light, level: "unknown", text: words.qualityUnknown };
  const bounds = found.name === "R2" ? R2 : found.name === "AUROC" ? AUROC : null;
  if (!bounds) return { ...light, level: "unknown", text: words.qualityOther(found.name) };
  if (found.name === "R2" && found.value < 0)
    return { ...light, level: "bad", text: words.worseThanMean };
  if (found.value < bounds[0]) return { ...light, level: "bad", text: words.weak };
  const ahead = aheadOfLinear(comparison, found.value);
  if (Math.abs(ahead) < CLEAR) return { ...light, level: "careful", text: words.linearAsGood };
  if (ahead < 0) return { ...light, level: "careful", text: words.linearBetter };
  if (found.value < bounds[1]) return { ...light, level: "careful", text: words.moderate };
  return { ...light, level: "good", text: words.strong };
}

/** How much better the model is than a linear one; infinite without one. */
function aheadOfLinear(comparison: Comparison | null, value: number): number {
  const linear = comparison?.linear && firstMeasure(comparison.linear);
  return linear ? value - linear.value : Infinity;
}

function fidelity(data: Data): Light {
  const { additivity, about } = data.report;
  const light = { id: "fidelity-light", title: words.fidelity };
  if (additivity) return { ...light, level: "good", text: words.exact };
  if (!about.fidelity) return { ...light, level: "unknown", text: words.fidelityUnknown };
  const { share, same_class: same, least } = about.fidelity;
  const level = share < least ? "bad" : share < FAITHFUL ? "careful" : "good";
  return { ...light, level, text: words.reproduces(share, same, level) };
}

function stability(data: Data, ofWeakModel: boolean): Light {
  const found = data.report.stability;
  const light = { id: "stability-light", title: words.stability };
  if (!found) return { ...light, level: "unknown", text: words.stabilityUnknown };
  const [high, low] = STABLE;
  const [seeds, resampled] = [found.seeds.correlation, found.resampled.correlation];
  if (seeds === null || resampled === null)
    return { ...light, level: "unknown", text: words.noOrder };
  // Boosting repeats itself whatever the seed; other rows show what its order of features rests on.
  const isGood = seeds > high && resampled > low;
  const level = isGood ? "good" : seeds > low ? "careful" : "bad";
  const text = words.retraining(level, seeds, resampled);
  if (ofWeakModel && level === "good")
    return { ...light, level: "careful", text: `${text} ${words.stableButWeak}` };
  return { ...light, level, text };
}

function fewRows(data: Data): Light | null {
  const rows = data.report.about.training_rows;
  if (rows === null || rows >= ROWS[1]) return null;
  const level = rows < ROWS[0] ? "bad" : "careful";
  return { id: "rows-light", level, title: words.rows, text: words.fewRows(rows) };
}

function leakage(data: Data): Light | null {
  const { suspects, target } = data.report.about;
  if (suspects.length === 0) return null;
  const text = words.leaks(suspects, target);
  return { id: "leakage-light", level: "bad", title: words.leakage, text };
}

function sensitive(data: Data): Light | null {
  const names = sensitiveNames(
    data.report.features.flatMap(({ name, members }) => [name, ...members]),
  );
  if (names.length === 0) return null;
  const text = words.sensitiveColumns(names);
  return { id: "sensitive-light", level: "careful", title: words.sensitive, text };
}

export function lights(data: Data): Light[] {
  const model = quality(data);
  const found = [
    model,
    fidelity(data),
    stability(data, isModest(data)),
    leakage(data),
    fewRows(data),
    sensitive(data),
  ];
  return found.filter((light) => light !== null);
}
