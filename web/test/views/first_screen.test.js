// The first screen: answer, baselines, traffic lights, all classes at a glance.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { report, write } from "../support/fixture.js";
import { browser, explain, folder, parse, ROOT } from "../support/session.js";

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
  const warned = await page.$eval("#not-conclude p", (element) => ({
    text: element.textContent,
    end: element.getBoundingClientRect().bottom,
  }));
  assert.match(warned.text, /does not mean that changing/);
  assert.equal(warned.text.match(/\.(\s|$)/g).length, 2, "two sentences");
  assert.ok(warned.end < 900, `on the first screen: ${warned.end}`);
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
  const actual = parse(readFileSync(join(ROOT, "examples/wine.csv"), "utf8")).rows.map((row) =>
    row.get("cultivar"),
  );
  const decided = wine.scores.rows.map((row) => row.get("prediction"));
  const features = await several.page.$$eval("#glance thead bdi", (names) =>
    names.map((name) => name.textContent),
  );
  assert.equal(features.length, 4);
  const lines = await several.page.$$eval("#glance tbody tr", (all) =>
    all.map((line) => ({
      label: line.querySelector("th").textContent,
      rows: line.cells[1].textContent,
      numbers: [...line.querySelectorAll("data")].map(({ value }) => Number(value)),
      top: [...line.querySelectorAll("td.top bdi")].map((of) => of.textContent),
    })),
  );
  assert.deepEqual(
    lines.map(({ label }) => label),
    ["first", "second", "third"],
  );
  for (const { label, rows, numbers, top } of lines) {
    const count = (wanted) => actual.filter((_, row) => wanted(row)).length;
    const own = count((row) => actual[row] === label);
    const both = count((row) => actual[row] === label && decided[row] === label);
    assert.match(rows, new RegExp(`^${own} \\(`));
    const [recall, precision, ...sizes] = numbers;
    assert.equal(recall, both / own);
    assert.equal(precision, both / count((row) => decided[row] === label));
    const size = (name) => {
      const scores = wine.scores.rows.map((row) => Number(row.get(`score:${label}:${name}`)));
      return scores.reduce((sum, score) => sum + Math.abs(score), 0) / scores.length;
    };
    for (const [at, name] of features.entries())
      assert.ok(Math.abs(size(name) - sizes[at]) < 1e-9, `${name} ${label}`);
    const names = wine.scores.names.flatMap((name) =>
      name.startsWith(`score:${label}:`) ? [name.slice(`score:${label}:`.length)] : [],
    );
    assert.deepEqual(top, names.sort((a, b) => size(b) - size(a)).slice(0, 3));
  }
  const shown = () => several.page.$eval("#overall thead", (head) => head.textContent);
  await several.page.select("#page-class", "2");
  assert.match(await shown(), /class third/);
  assert.match(await several.page.$eval("#row-meaning", ({ textContent }) => textContent), /third/);
  assert.deepEqual(several.complaints, []);
});

test("fifty classes: the most frequent first, the largest confusions, one class for the page", async () => {
  const data = join(folder, "fifty-table.csv");
  const rows = Array.from({ length: 1500 }, (_, row) => {
    // Later classes are rarer, and every fifth row looks like one of the next class.
    const label = Math.floor(50 * ((row * 0.6180339887) % 1) ** 2);
    const seen = row % 5 === 0 ? label + 1 : label;
    return [`c${label}`, seen + ((row * 7) % 10) / 20, (seen * 13) % 50, (row * 31) % 17];
  });
  const csv = rows.map(([label, ...cells]) => [...cells, label].join(",")).join("\n");
  writeFileSync(data, `a,b,noise,kind\n${csv}\n`);
  const { path, scores } = explain("fifty", data, "--target", "kind", "--stability-runs", "0");
  const { page, complaints } = await open(browser, path);
  // The page holds a part of the rows, whose numbers are those of the table.
  const held = await page.evaluate(() =>
    Number(
      /of (\d[\d,]*) rows/
        .exec(document.querySelector("#confusion caption").textContent)[1]
        .replace(",", ""),
    ),
  );
  assert.equal(held, rows.length);
  const lines = () =>
    page.$$eval("#glance tbody tr", (all) =>
      all.map((line) => [
        line.querySelector("th").textContent,
        Number.parseInt(line.cells[1].textContent, 10),
      ]),
    );
  const counts = new Map();
  for (const [label] of rows) counts.set(label, (counts.get(label) ?? 0) + 1);
  const first = await lines();
  assert.equal(first.length, 12);
  for (const [label, n] of first) assert.equal(n, counts.get(label), label);
  assert.deepEqual(
    first.map(([, n]) => n),
    [...counts.values()].sort((a, b) => b - a).slice(0, 12),
  );
  await page.$eval("#glance button.plain", (button) => button.click());
  assert.equal((await lines()).length, counts.size);
  // Recall orders the worst first.
  await page.select("#glance-order", "recall");
  const recall = await page.$$eval("#glance tbody tr", (all) =>
    all.map((line) => Number(line.cells[2].querySelector("data").value)),
  );
  assert.deepEqual(
    recall,
    [...recall].sort((a, b) => a - b),
  );
  const confused = new Map();
  for (const [row, [label]] of rows.entries()) {
    const decided = scores.rows[row].get("prediction");
    const key = `${label} ${decided}`;
    if (decided !== label) confused.set(key, (confused.get(key) ?? 0) + 1);
  }
  const cells = await page.$$eval("#confusion tbody tr", (all) =>
    all.map((line) => [
      [0, 1].map((at) => line.cells[at].textContent).join(" "),
      Number(line.querySelector("data").value),
    ]),
  );
  assert.equal(cells.length, 20);
  for (const [key, n] of cells) assert.equal(n, confused.get(key), key);
  assert.deepEqual(
    cells.map(([, n]) => n),
    [...confused.values()].sort((a, b) => b - a).slice(0, 20),
  );
  await page.$eval("#confusion tbody button", (button) => button.click());
  assert.match(
    await page.$eval("#marked", (bar) => bar.textContent),
    new RegExp(`^${cells[0][1]} rows marked .* actual c\\d+, decided c\\d+`),
  );
  // A class that is chosen in the table is the page's.
  await page.$eval("#glance tbody tr:nth-child(3) button", (button) => button.click());
  const chosen = await page.$eval("#glance tbody tr.present th", (of) => of.textContent);
  assert.equal(
    await page.$eval("#page-class", ({ selectedOptions }) => selectedOptions[0].text),
    chosen,
  );
  assert.match(
    await page.$eval("#overall thead", (head) => head.textContent),
    new RegExp(`class ${chosen}$|class ${chosen}\\D`),
  );
  await page.select("#row-order", "high");
  const best = scores.rows.reduce((a, b) =>
    Number(b.get(`probability:${chosen}`)) > Number(a.get(`probability:${chosen}`)) ? b : a,
  );
  assert.match(
    await page.$eval("#row-name", (title) => title.textContent.replace(",", "")),
    new RegExp(`^Row ${best.get("row")} of `),
  );
  assert.deepEqual(complaints, []);
});

test("two rows are enough for a page, which says that nothing matters", async () => {
  const data = join(folder, "two-table.csv");
  writeFileSync(data, "x,y\n1,2\n3,4\n");
  const { path } = explain("two-rows", data, "--target", "y", "--stability-runs", "0");
  const { page, complaints } = await open(browser, path);
  const text = await page.$eval(".answer", (answer) => answer.textContent);
  assert.match(text, /^No feature matters for the probability that y is 4/);
  assert.match(await page.$eval("#row-reasons", (of) => of.textContent), /equal to the base/);
  assert.deepEqual(complaints, []);
});
