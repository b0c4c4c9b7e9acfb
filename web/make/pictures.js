// Remakes the pictures of the docs: `npm run pictures [-- MIAMI.csv]`. Those of docs/miami.md need the table that the page
// names; without it they stay as they are. The command is `target/debug/lmdi` unless the variable LMDI names another, and
// those of docs/plots.md are made by `target/python-venv/bin/python` unless PYTHON names another.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { screenshots } from "./screenshots.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const IMAGES = join(ROOT, "docs/images");
const LMDI = process.env.LMDI ?? join(ROOT, "target/debug/lmdi");
const PYTHON = process.env.PYTHON ?? join(ROOT, "target/python-venv/bin/python");
const [miami] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "lmdi-pictures-"));

function lmdi(...options) {
  execFileSync(LMDI, options, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
}

function named(name, ...views) {
  return { name, wanted: views.map((view) => `${name}-${view}`) };
}

const diabetes = ["examples/diabetes.csv", "--target", "progression"];
const model = join(folder, "diabetes.lmdi");
const page = join(folder, "diabetes.html");
const boosted = join(folder, "boosting.lmdi");
lmdi("explain", ...diabetes, "--model", "boosting", "--holdout", "0.3", "--save", boosted);
lmdi("explain", ...diabetes, "--compare", "tree-shap", "--report", page, "--save", model);
const holdout = join(folder, "holdout.html");
const compared = ["--holdout", "0.3", "--compare-model", boosted];
lmdi("explain", ...diabetes, ...compared, "--report", holdout);
await screenshots(holdout, IMAGES, named("report", "models", "models-dark"));
await screenshots(
  page,
  IMAGES,
  named(
    "report",
    ...["top", "top-dark", "top-narrow", "overall", "row", "row-dark", "row-narrow"],
    ...["what-if", "what-if-dark", "two-rows", "limits", "limits-narrow", "sheet"],
    ...["feature", "feature-dark", "groups", "trust", "marks", "marks-dark", "stability"],
    ...["methods", "about"],
  ),
);
const cancer = join(folder, "cancer.html");
lmdi("explain", "examples/breast_cancer.csv", "--target", "diagnosis", "--report", cancer);
await screenshots(cancer, IMAGES, named("classes", "decisions", "trust", "trust-dark"));
const wine = join(folder, "wine.html");
lmdi("explain", "examples/wine.csv", "--target", "cultivar", "--report", wine);
await screenshots(wine, IMAGES, named("several", "short", "trust"));
if (miami) {
  const report = join(folder, "miami.html");
  const options = ["--target", "price", "--holdout", "0.2", "--compare", "tree-shap"];
  lmdi("explain", miami, ...options, "--report", report);
  await screenshots(report, IMAGES, {
    ...named("miami", "short", "overall", "feature", "row", "groups", "map", "trust", "sheet"),
    hash: "#feature=TOT_LVG_AREA",
  });
}
rmSync(folder, { recursive: true });
execFileSync(PYTHON, [join(ROOT, "tools/plots.py")], {
  env: { ...process.env, LMDI },
  stdio: "inherit",
});
