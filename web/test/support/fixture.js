// Reports made by hand, for what a run of the command would take long to make: hostile names, every part at
// once, and as many rows as the largest page holds.

import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const BUNDLE = new URL("../../../crates/lmdi-report/src/page/bundle/report.html", import.meta.url);

const WIDTHS = { u8: 1, u32: 4, f32: 4, f64: 8 };

/** Numbers as crates/lmdi-report/src/page/pack.rs packs them. */
export function pack(type, numbers) {
  const width = WIDTHS[type];
  const arrays = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };
  const bytes = new Uint8Array(arrays[type].from(numbers).buffer);
  const planes = new Uint8Array(bytes.length);
  const n = numbers.length;
  for (let at = 0; at < n; at++)
    for (let byte = 0; byte < width; byte++) planes[byte * n + at] = bytes[at * width + byte];
  return { type, data: deflateRawSync(planes).toString("base64") };
}

/** The page with this report, as crates/lmdi-report/src/page/mod.rs writes it. */
export function write(path, report) {
  const json = JSON.stringify(report).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const [before, after] = readFileSync(BUNDLE, "utf8").split("REPORT</script>");
  writeFileSync(path, `${before}${json}</script>${after}`);
}

/** Numbers between 0 and 1, the same in every run. */
function generator() {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const HOSTILE = [
  "<script>window.hacked=1</script>",
  "</script><img src=x onerror=window.hacked=1>",
  "<!--<script>",
  `"quoted" 'twice' \`thrice\``,
  "x".repeat(300),
  "\u202Ereversed מחיר",
  "👩‍🔬 emoji 🏠",
  "__proto__",
  "constructor",
  "a&amp;b&lt;",
  "",
  "line\nbreak\u2028and\ttab",
  "${window.hacked=1}",
];

/** A report with everything in it. */
export function report({ rows, names, explained = rows, labels = [] }) {
  const random = generator();
  const p = names.length;
  const cells = names.map((_, at) =>
    Array.from({ length: rows }, () =>
      at % 3 === 2 ? 1 + Math.floor(random() * 4) : random() * 10 ** (at % 4),
    ),
  );
  const scores = names.map((_, at) =>
    cells[at].map(
      (cell) =>
        ((at % 3 === 2 ? cell - 2.5 : cell / 10 ** (at % 4) - 0.5) * 8) / (1 + at) +
        (random() - 0.5) * 0.2,
    ),
  );
  const base = Array.from({ length: rows }, () => 0.25);
  const totals = base.map((value, row) => scores.reduce((sum, of) => sum + of[row], value));
  const left = totals.map(() => random() - 0.5);
  const decided = totals.map((total, row) => total + left[row]);
  const predictions =
    labels.length === 2
      ? [
          ...decided.map((t) => 1 - 1 / (1 + Math.exp(-t))),
          ...decided.map((t) => 1 / (1 + Math.exp(-t))),
        ]
      : decided;
  const importance = scores.map((of) => of.reduce((sum, x) => sum + Math.abs(x), 0) / rows);
  const share = importance.map((x) => x / importance.reduce((a, b) => a + b, 0));
  const levels = ["low", "<b>bold</b>", "\u202Eטקסט", "__proto__"];
  return {
    format: "lmdi-report",
    version: 5,
    about: {
      table: names[0] === HOSTILE[0] ? "<script>alert(1)</script>.csv" : "houses.csv",
      target: names[0] === HOSTILE[0] ? "<img src=x onerror=window.hacked=1>" : "price",
      method: "LMDI+",
      row_kind: "training rows",
      rows_explained: explained,
      quality: [
        {
          sample: "out-of-bag",
          rows,
          measures: labels.length
            ? [{ name: "AUROC", value: 0.91 }]
            : [
                { name: "R2", value: 0.873 },
                { name: "RMSE", value: null },
              ],
        },
      ],
      comparison: {
        sample: "out-of-bag",
        rows,
        model: labels.length
          ? [
              { name: "AUROC", value: 0.91 },
              { name: "accuracy", value: 0.85 },
            ]
          : [
              { name: "R2", value: 0.873 },
              { name: "RMSE", value: 1.2 },
            ],
        constant: labels.length
          ? [
              { name: "AUROC", value: 0.5 },
              { name: "accuracy", value: 0.55 },
            ]
          : [
              { name: "R2", value: -0.01 },
              { name: "RMSE", value: 3.4 },
            ],
        linear: null,
      },
      suspects: names[0] === HOSTILE[0] ? [HOSTILE[1]] : [],
      training_rows: explained,
      rows_are: "out_of_bag",
      seen_by_all: 2,
      fidelity: {
        rows: "training rows, out of bag",
        share: 0.96,
        slope: 0.98,
        same_class: labels.length ? 0.97 : null,
        least: 0.8,
      },
      warnings: ["a warning with <b>markup</b>"],
      facts: [
        {
          title: "Data",
          entries: [
            ["Rows", String(explained)],
            ["__proto__", "<i>x</i>"],
          ],
        },
      ],
    },
    scale: labels.length
      ? {
          kind: "log_odds",
          text: "in log-odds that y is yes",
          total: "log-odds",
          moved: ["the odds that y is yes"],
        }
      : {
          kind: "units",
          text: "in units of price",
          total: "prediction",
          moved: ["the prediction of price"],
        },
    labels,
    outputs: [""],
    threshold: null,
    middle: labels.length ? null : [...predictions].sort((a, b) => a - b)[Math.floor(rows / 2)],
    additivity: null,
    features: names.map((name, at) => ({
      name,
      members: [],
      importance: [importance[at]],
      cells:
        at % 3 === 2
          ? { kind: "levels", levels, rest: 0, pooled: [], block: 1, at: (at - 2) / 3 }
          : { kind: "number", block: 0, at: at - Math.floor((at + 1) / 3) },
      time: null,
    })),
    rows: {
      n: rows,
      number: pack(
        "u32",
        Array.from({ length: rows }, (_, row) => 1 + Math.floor((row * explained) / rows)),
      ),
      key: null,
      cells: [
        pack(
          "f64",
          cells
            .filter((_, at) => at % 3 !== 2)
            .flatMap((of) => of.map((x, row) => (row % 17 === 3 ? NaN : x))),
        ),
        pack("u8", cells.filter((_, at) => at % 3 === 2).flat()),
      ],
      base: pack("f64", base),
      scores: pack("f64", scores.flat()),
      errors: pack(
        "f32",
        scores.flat().map((x) => 0.02 + Math.abs(x) / 20),
      ),
      predictions: pack("f64", predictions),
      explained_predictions: null,
      unexplained: pack("f64", left),
      out_of_bag: null,
      truth: pack(
        "f64",
        labels.length ? totals.map((t) => Number(t > 0)) : totals.map((t) => t + 0.5 - random()),
      ),
    },
    map: {
      latitude: "latitude",
      longitude: "longitude",
      latitudes: pack(
        "f64",
        Array.from({ length: rows }, () => 25.4 + random() * 0.6),
      ),
      longitudes: pack(
        "f64",
        Array.from({ length: rows }, () => -80.5 + random() * 0.4),
      ),
    },
    groups: {
      kept: 0.62,
      stable: true,
      of_rows: pack(
        "u8",
        Array.from({ length: rows }, (_, row) => row % 3),
      ),
      list: [0, 1, 2].map((at) => ({
        size: Math.ceil(explained / 3),
        prediction: at,
        class: labels.length ? 1 : null,
        error: 0.5,
        rule: { text: `${names[at % p]} <= 3`, accuracy: 0.93, precision: 0.9, recall: 0.88 },
        traits: [
          {
            feature: at % p,
            score: 1.5,
            score_elsewhere: -0.25,
            cell: "3.1",
            cell_elsewhere: "1.2",
          },
        ],
      })),
    },
    stability: {
      top: 5,
      seeds: {
        runs: 3,
        correlation: 0.93,
        distinct: 5.4,
        importance: [0.98, 1, 1.03].map((factor) => importance.map((x) => x * factor)),
      },
      resampled: {
        runs: 3,
        correlation: 0.81,
        distinct: 6.1,
        importance: [0.98, 0.8, 1.2].map((factor) => importance.map((x) => x * factor)),
      },
      of_rows: pack(
        "f32",
        Array.from({ length: rows }, () => 0.8 + 0.2 * random()),
      ),
    },
    other_model: {
      name: names[0] === HOSTILE[0] ? HOSTILE[1] : "other.lmdi",
      trees: "100 trees with 2,000 leaves",
      trained_by: "lmdi 0.1.0",
      method: "LMDI+",
      rows_are: "unknown",
      measures: labels.length
        ? [{ name: "AUROC", own: 0.91, other: 0.88 }]
        : [{ name: "R2", own: 0.873, other: null }],
      rows,
      mean_difference: 0.21,
      same_class: labels.length ? 0.93 : null,
      shares: names.map((name, at) => ({
        name,
        own: share[at],
        other: at % 4 === 3 ? null : share[p - 1 - at],
      })),
      predictions: pack(
        "f64",
        predictions.map((x) => (labels.length ? 0.1 + 0.8 * x : x + random() - 0.5)),
      ),
    },
    scorer: null,
    served_scorer: null,
    methods: [
      { name: "LMDI+", scale: "in units of price", share, agreement: null, top_shared: null },
      {
        name: "TreeSHAP",
        scale: "in units of price",
        share: [...share].reverse(),
        agreement: 0.71,
        top_shared: 0.8,
      },
    ],
  };
}
