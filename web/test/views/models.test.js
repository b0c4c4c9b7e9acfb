// Another model on the same rows, and refits, against the commands that compute the same.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, explain, folder, LMDI, parse, ROOT } from "../support/session.js";

/** What `lmdi score` writes about a table. */
function score(model, data) {
  const out = `${model}.csv`;
  const flags = ["score", model, data, "--out", out];
  execFileSync(LMDI, flags, { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  return parse(readFileSync(out, "utf8"));
}

const close = (a, b, what) =>
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)), `${what}: ${a} and ${b}`);

test("two models: quality, shares and the rows where they differ are those of the commands", async () => {
  const data = "examples/diabetes.csv";
  const other = join(folder, "other.lmdi");
  const few = ["--target", "progression", "--stability-runs", "0"];
  explain("boosted", data, ...few, "--model", "boosting", "--drop", "age", "--save", other);
  const { path, scores } = explain("two-models", data, ...few, "--compare-model", other);
  const others = score(other, data);
  const actual = parse(readFileSync(join(ROOT, data), "utf8")).rows.map((row) =>
    Number(row.get("progression")),
  );
  const { page, complaints } = await open(browser, path);
  const predictions = (of) => of.rows.map((row) => Number(row.get("prediction")));
  const [own, theirs] = [predictions(scores), predictions(others)];

  const measured = async (of) => {
    const measures = await of.$$eval("#models table.plain tbody tr", (lines) =>
      lines.map((line) => [
        line.querySelector("th").textContent,
        ...[...line.querySelectorAll("data")].map(({ value }) => Number(value)),
      ]),
    );
    return measures.find(([name]) => name === "RMSE");
  };
  const rmse = await measured(page);
  const error = (of) =>
    Math.sqrt(of.reduce((sum, x, row) => sum + (x - actual[row]) ** 2, 0) / of.length);
  close(rmse[1], error(own), "RMSE of this model");
  assert.equal(rmse.length, 2, "the other model's errors on its training rows are withheld");
  const forest = join(folder, "forest.lmdi");
  explain("forest", data, ...few, "--drop", "age", "--save", forest);
  const unseen = explain("two-forests", data, ...few, "--compare-model", forest);
  const both = await open(browser, unseen.path);
  const ofForest = predictions(score(forest, data));
  close((await measured(both.page))[2], error(ofForest), "RMSE of the other, out of bag");
  await both.page.close();
  const text = await page.$eval("#models", (part) => part.textContent);
  assert.match(text, /The other model was trained on these rows/);
  assert.doesNotMatch(text, /This model was trained on these rows/);

  const shares = await page.$$eval("#model-shares tbody tr", (lines) =>
    lines.map((line) => ({
      name: line.querySelector("th").textContent,
      cells: [...line.querySelectorAll("td")].map((cell) =>
        cell.querySelector("data") ? Number(cell.querySelector("data").value) : null,
      ),
    })),
  );
  const sizes = (of) => {
    const names = of.names.filter((name) => name.startsWith("score:"));
    const sums = names.map((name) =>
      of.rows.reduce((sum, row) => sum + Math.abs(Number(row.get(name))), 0),
    );
    const all = sums.reduce((a, b) => a + b, 0);
    return new Map(names.map((name, at) => [name.slice("score:".length), sums[at] / all]));
  };
  const expected = [sizes(scores), sizes(others)];
  assert.equal(shares.length, 10);
  for (const { name, cells } of shares) {
    close(cells[0], expected[0].get(name), name);
    if (name === "age") assert.equal(cells[1], null, "a column that the other does not read");
    else close(cells[1], expected[1].get(name), name);
  }

  const rows = await page.$$eval("#model-rows tbody tr", (lines) =>
    lines.map((line) => [
      Number(/\d+/.exec(line.querySelector("th").textContent)[0]),
      ...[...line.querySelectorAll("data")].map(({ value }) => Number(value)),
    ]),
  );
  const order = own
    .map((x, row) => ({ row: row + 1, size: Math.abs(theirs[row] - x) }))
    .sort((a, b) => b.size - a.size);
  assert.deepEqual(
    rows.map(([row]) => row),
    order.slice(0, 10).map(({ row }) => row),
  );
  for (const [row, a, b, difference, truth] of rows) {
    close(a, own[row - 1], "own");
    close(b, theirs[row - 1], "other");
    close(difference, theirs[row - 1] - own[row - 1], "difference");
    assert.equal(truth, actual[row - 1]);
  }
  await page.click("#model-rows button");
  assert.match(
    await page.$eval("#row-name", (title) => title.textContent),
    new RegExp(`^Row ${order[0].row} of `),
  );
  assert.match(
    await page.$eval(".predicted", (line) => line.textContent),
    /The other model, other\.lmdi, predicts \d/,
  );
  await page.select("#row-order", "models");
  await page.click("#row-next");
  assert.match(
    await page.$eval("#row-name", (title) => title.textContent),
    new RegExp(`^Row ${order[1].row} of `),
  );
  assert.deepEqual(complaints, []);
});

test("stability with other seeds and on resampled rows is that of lmdi stability", async () => {
  const data = "examples/wine.csv";
  const { path } = explain("refits", data, "--target", "cultivar", "--stability-runs", "2");
  const { page, complaints } = await open(browser, path);
  const shown = (id) =>
    page.$$eval(`#${id} strong`, (numbers) =>
      numbers.map(({ textContent }) => Number(textContent)),
    );
  const seeds = await shown("stability-seeds");
  const out = join(folder, "stability.json");
  const flags = ["stability", data, "--target", "cultivar", "--trees", "15", "--fits", "3"];
  execFileSync(LMDI, [...flags, "--top", "20", "--out", out], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const found = JSON.parse(readFileSync(out, "utf8"));
  assert.equal(seeds[0], Number(found.mean_correlation.toFixed(3)));
  assert.equal(seeds[1], Number(found.tops[0].mean_unique.toFixed(2)));
  const rows = await shown("stability-rows");
  assert.ok(rows[0] < seeds[0], "other rows move explanations more than other seeds");
  const dots = (kind) =>
    page.$$eval(`#stability tbody tr:first-child ${kind}`, ({ length }) => length);
  assert.equal(await dots(".run"), 5);
  assert.equal(await dots(".run.resampled"), 2);
  assert.deepEqual(complaints, []);
});
