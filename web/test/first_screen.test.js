// The first screen: answer, baselines, traffic lights, all classes at a glance.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "./support/browser.js";
import { report, write } from "./support/fixture.js";
import { browser, explain, folder } from "./support/session.js";

test("the first screen answers, compares and warns", async () => {
  const path = join(folder, "weak.html");
  const weak = report({
    rows: 120,
    names: ["age", "HouseAge", "native_country", "income", "copy"],
  });
  weak.about.comparison.model = [{ name: "R2", value: 0.04 }];
  weak.about.comparison.linear = [{ name: "R2", value: 0.01 }];
  weak.about.suspects = ["copy"];
  weak.about.fidelity.share = 0.7;
  weak.stability.seeds.correlation = 0.97;
  write(path, weak);
  const { page, complaints } = await open(browser, path);
  const light = (id) =>
    page.$eval(`#${id}`, (element) => ({ level: element.className, text: element.textContent }));
  assert.equal((await light("quality")).level, "bad");
  assert.equal((await light("fidelity-light")).level, "bad");
  const stability = await light("stability-light");
  assert.equal(stability.level, "careful", "a weak model is not praised for being stable");
  assert.match(stability.text, /does not make a weak model right/);
  assert.match((await light("leakage-light")).text, /copy gives price away/);
  assert.match((await light("rows-light")).text, /120 rows/);
  const { text } = await light("sensitive-light");
  assert.match(text, /age, native_country may/);
  assert.doesNotMatch(text, /HouseAge|income/);
  const answer = await page.$eval(".answer", (element) => element.textContent);
  assert.match(answer, /matter most for the prediction of price\. The model explains 4\s% of/);
  assert.match(
    await page.$eval("#not-conclude", (element) => element.textContent),
    /does not mean that changing/,
  );
  assert.deepEqual(complaints, []);

  // Boosting is the same with every seed, which says nothing about other rows.
  const rigid = report({ rows: 120, names: ["age", "income"] });
  rigid.stability.seeds.correlation = 1;
  rigid.stability.resampled.correlation = 0.6;
  write(path, rigid);
  const again = await open(browser, path);
  const level = await again.page.$eval("#stability-light", (element) => element.className);
  assert.equal(level, "careful");
  await again.page.close();

  // One feature has no order to compare between runs, and two rows no scores.
  const oneColumn = join(folder, "one.csv");
  writeFileSync(
    oneColumn,
    `x,y\n${Array.from({ length: 40 }, (_, at) => `${at % 13},${at % 13}`).join("\n")}\n`,
  );
  const alone = await open(browser, explain("alone", oneColumn, "--target", "y").path);
  const unknown = await alone.page.$eval("#stability-light", (element) => element.className);
  assert.equal(unknown, "unknown");
  assert.deepEqual(alone.complaints, []);

  const wine = explain(
    "glance",
    "examples/wine.csv",
    "--target",
    "cultivar",
    "--stability-runs",
    "0",
  );
  const several = await open(browser, wine.path);
  const table = await several.page.$$eval("#glance tbody tr", (lines) =>
    lines.map((line) => [
      line.querySelector("th").textContent,
      ...[...line.querySelectorAll("data")].map(({ value }) => Number(value)),
    ]),
  );
  assert.equal(table.length, 6);
  const labels = ["first", "second", "third"];
  for (const [name, ...sizes] of table) {
    for (const [at, label] of labels.entries()) {
      const scores = wine.scores.rows.map((row) => Number(row.get(`score:${label}:${name}`)));
      const mean = scores.reduce((sum, score) => sum + Math.abs(score), 0) / scores.length;
      assert.ok(Math.abs(mean - sizes[at]) < 1e-9, `${name} ${label}`);
    }
  }
  const shown = () => several.page.$eval("#overall thead", (head) => head.textContent);
  await several.page.select("#page-class", "2");
  assert.match(await shown(), /class third/);
  assert.match(await several.page.$eval("#row-meaning", ({ textContent }) => textContent), /third/);
  assert.deepEqual(several.complaints, []);
});
