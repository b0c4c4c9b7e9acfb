// The decision threshold, the quality of predictions, and marks.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, explain, findRow, folder, parse, ROOT } from "../support/session.js";

test("the decision threshold can be moved, and everything follows it", async () => {
  const data = "examples/breast_cancer.csv";
  const { path, scores } = explain(
    "threshold",
    data,
    ...["--target", "diagnosis", "--threshold", "0.4", "--stability-runs", "0"],
  );
  const labels = ["benign", "malignant"];
  const actual = parse(readFileSync(join(ROOT, data), "utf8")).rows.map((row) =>
    labels.indexOf(row.get("diagnosis")),
  );
  const share = scores.rows.map((row) => Number(row.get("probability:malignant")));
  const { page, complaints } = await open(browser, path);
  const text = (selector) => page.$eval(selector, (element) => element.textContent);
  const confusion = () =>
    page.$$eval("#confusion tbody tr", (lines) =>
      lines.map((line) => [...line.querySelectorAll("data")].map(({ value }) => Number(value))),
    );
  const move = (to) =>
    page.$eval(
      "#threshold-slider",
      (slider, at) => {
        slider.value = at;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      },
      String(to),
    );
  assert.equal(await page.$eval("#threshold-slider", ({ value }) => Number(value)), 0.4);
  for (const threshold of [0.4, 0.15, 0.85]) {
    await move(threshold);
    const decide = (row) => Number(share[row] >= threshold);
    const expected = [0, 1].map((truth) =>
      [0, 1].map(
        (decided) => actual.filter((of, row) => of === truth && decide(row) === decided).length,
      ),
    );
    assert.deepEqual(await confusion(), expected);
    const wrongness = (row) =>
      Number(decide(row) !== actual[row]) + 1 - (actual[row] ? share[row] : 1 - share[row]);
    const worst = actual.reduce(
      (best, _, row) => (wrongness(row) > wrongness(best) ? row : best),
      0,
    );
    await page.select("#row-order", "number");
    await page.select("#row-order", "wrong");
    assert.match(await text("#row-name"), new RegExp(`^Row ${worst + 1} of `));
    const own = share.findIndex((of) => of >= 0.15 && of < 0.85);
    await findRow(page, own + 1);
    assert.equal(await text(".predicted strong"), labels[decide(own)]);
    const others = await page.$$eval("#counterfactuals h4 bdi", (names) =>
      names.map((name) => name.textContent),
    );
    assert.ok(others.length > 0);
    for (const other of others) assert.equal(other, labels[1 - decide(own)]);
  }
  await page.click("#threshold-reset");
  assert.equal(await page.$eval("#threshold-number", ({ value }) => Number(value)), 0.4);
  assert.match(await text("#threshold"), /malignant .* 40\.0\s%/);
  assert.deepEqual(complaints, []);
});

test("quality is measured as the command does, and marks are shown everywhere", async () => {
  const classes = explain(
    "trust-classes",
    "examples/breast_cancer.csv",
    ...["--target", "diagnosis", "--stability-runs", "0"],
  );
  const two = await open(browser, classes.path);
  // The command's own measure of the same out-of-bag rows.
  const auroc = await two.page.$eval("#compared tbody tr:last-child data", ({ value }) =>
    Number(value),
  );
  const text = await two.page.$eval("#roc figcaption", (caption) => caption.textContent);
  assert.ok(text.includes(auroc.toFixed(3)), `${auroc} in: ${text}`);
  await two.page.$eval("#calibration details", (details) => {
    details.open = true;
  });
  await two.page.waitForSelector("#calibration tbody tr");
  const bins = await two.page.$$eval("#calibration tbody tr", (lines) =>
    lines.map((line) => ({
      share: Number(line.querySelectorAll("data")[1].value),
      interval: line.children[2].textContent.match(/[\d.]+/g).map((x) => Number(x) / 100),
      rows: Number(line.children[3].textContent),
    })),
  );
  assert.equal(
    bins.reduce((sum, { rows }) => sum + rows, 0),
    classes.scores.rows.length,
  );
  for (const { share, interval, rows } of bins) {
    // The ends of Wilson's interval are the shares that differ from the found one by 1.96 standard errors.
    for (const end of interval.filter((at) => at > 0.001 && at < 0.999)) {
      const errors = Math.abs(share - end) / Math.sqrt((end * (1 - end)) / rows);
      assert.ok(Math.abs(errors - 1.96) < 0.06, `${share} ${end} ${rows}: ${errors}`);
    }
  }

  const numbers = explain(
    "trust-numbers",
    "examples/diabetes.csv",
    ...["--target", "progression", "--stability-runs", "0"],
  );
  const { page, complaints } = await open(browser, numbers.path, { width: 1280, height: 1000 });
  const table = parse(readFileSync(join(ROOT, "examples/diabetes.csv"), "utf8")).rows;
  await page.select(
    "#slice-feature",
    await page.$eval(
      "#slice-feature",
      (select) => [...select.options].find(({ text }) => text === "sex").value,
    ),
  );
  const slices = await page.$$eval("#slices tbody tr", (lines) =>
    lines.map((line) => ({
      name: line.querySelector("th").textContent,
      rows: Number(line.children[1].textContent),
      error: Number(line.children[2].querySelector("data").value),
      bias: Number(line.children[4].querySelector("data").value),
    })),
  );
  assert.equal(slices.length, 2);
  for (const { name, rows, error, bias } of slices) {
    const off = table.flatMap((row, at) =>
      row.get("sex") === name
        ? [Number(numbers.scores.rows[at].get("prediction")) - Number(row.get("progression"))]
        : [],
    );
    const mean = (of) => of.reduce((sum, x) => sum + x, 0) / of.length;
    assert.equal(rows, off.length);
    assert.ok(Math.abs(error - Math.sqrt(mean(off.map((x) => x * x)))) < 1e-9);
    assert.ok(Math.abs(bias - mean(off)) < 1e-9);
  }
  const faded = (id) => page.$$eval(`#${id} .faded`, (paths) => paths.length);
  assert.equal(await faded("overall"), 0);
  await page.click("#slices tbody button");
  for (const view of ["overall", "feature", "trust"]) assert.ok((await faded(view)) > 0, view);
  assert.match(
    await page.$eval("#marked", (bar) => bar.textContent),
    new RegExp(`^${slices[0].rows} rows marked on the whole page: sex: ${slices[0].name}`),
  );
  await page.click("#marked button");
  assert.equal(await faded("overall"), 0);
  // A rectangle marks the rows inside it.
  await page.$eval("#against", (figure) => figure.scrollIntoView({ behavior: "instant" }));
  const box = await (await page.$("#against svg")).boundingBox();
  await page.mouse.move(box.x + 100, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 250, { steps: 4 });
  await page.mouse.up();
  assert.match(await page.$eval("#marked", (bar) => bar.textContent), /rows marked.*predictions/);
  assert.ok((await faded("overall")) > 0);
  assert.deepEqual([...two.complaints, ...complaints], []);
});

test("a model without errors has no slice that is worse than others", async () => {
  const data = join(folder, "clear-table.csv");
  const lines = Array.from({ length: 60 }, (_, at) => `${at % 7},${at % 7 > 3 ? "a" : "b"}`);
  writeFileSync(data, `x,y\n${lines.join("\n")}\n`);
  const { path } = explain("clear", data, "--target", "y", "--stability-runs", "0");
  const { page, complaints } = await open(browser, path);
  assert.equal((await page.$$("#slices .ratio")).length, 0);
  assert.doesNotMatch(await page.$eval("main", (main) => main.innerText), /NaN/);
  assert.deepEqual(complaints, []);
});
