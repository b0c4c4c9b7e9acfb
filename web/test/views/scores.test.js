// Numbers of the page against the scores file of the same run.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import {
  browser,
  compareRow,
  explain,
  findRow,
  folder,
  parse,
  ROOT,
  readWaterfall,
} from "../support/session.js";

test("a report of numbers opens, draws, and its numbers are those of the scores file", async () => {
  const data = "examples/diabetes.csv";
  const { path, scores } = explain(
    "diabetes",
    data,
    "--target",
    "progression",
    "--compare",
    "tree-shap",
  );
  const { page, complaints } = await open(browser, path);
  const drawn = await page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll("main > section")].map(({ id }) => [
        id,
        document.querySelectorAll(`#${id} svg *`).length,
      ]),
    ),
  );
  for (const view of ["overall", "row", "feature", "methods"])
    assert.ok(drawn[view] > 10, `${view}: ${drawn[view]}`);
  for (const view of ["short", "about", "download"]) assert.ok(view in drawn, view);
  const table = parse(readFileSync(join(ROOT, data), "utf8"));
  for (const number of [1, 17, 442]) {
    await findRow(page, number);
    const shown = await readWaterfall(page);
    assert.match(shown.title, new RegExp(`^Row ${number} of `));
    assert.equal(shown.scores.length, 10);
    compareRow(shown, scores.rows[number - 1]);
    const prediction = await page.$eval(".predicted data", (element) => Number(element.value));
    assert.equal(prediction, Number(scores.rows[number - 1].get("prediction")));
    assert.ok(Math.abs(shown.total - prediction) < 1e-9, "the waterfall ends at the prediction");
    for (const { name, value } of shown.scores) {
      const cell = table.rows[number - 1].get(name);
      assert.equal(
        value,
        Number.isNaN(Number(cell)) ? cell : String(Number(Number(cell).toPrecision(6))),
      );
    }
  }
  const before = await readWaterfall(page);
  await page.click("#row-next");
  assert.match(
    (await readWaterfall(page)).title,
    /^Row 1 of /,
    "after the last row comes the first",
  );
  await page.click("#row-before");
  assert.deepEqual(await readWaterfall(page), before);
  assert.deepEqual(complaints, []);
});

test("classes are explained, one or several", async () => {
  const two = explain(
    "cancer",
    "examples/breast_cancer.csv",
    "--target",
    "diagnosis",
    "--holdout",
    "0.5",
  );
  const opened = await open(browser, two.path);
  const numbers = two.scores.rows.map((row) => Number(row.get("row")));
  await findRow(opened.page, numbers[5]);
  await opened.page.click("#row-waterfall button.plain");
  compareRow(await readWaterfall(opened.page), two.scores.rows[5]);
  assert.match(await opened.page.$eval("#counterfactuals", (place) => place.textContent), /Row \d/);
  assert.deepEqual(opened.complaints, []);

  const three = explain("wine", "examples/wine.csv", "--target", "cultivar");
  const { page, complaints } = await open(browser, three.path);
  const classes = await page.$$eval("#page-class option", (options) =>
    options.map(({ textContent }) => textContent),
  );
  assert.equal(classes.length, 3);
  for (const [at, label] of classes.entries()) {
    await page.select("#page-class", String(at));
    compareRow(await readWaterfall(page), three.scores.rows[0], `${label}:`);
  }
  // Two classes have a threshold, which is drawn as a ring; several have none.
  for (const [of, rings] of [
    [opened.page, 2],
    [page, 0],
  ]) {
    const trust = await of.$eval("#trust", (part) => ({
      rings: part.querySelectorAll(".curves .ring").length,
      text: part.textContent,
    }));
    assert.equal(trust.rings, rings);
    assert.equal(trust.text.includes("The ring is the decision threshold"), rings > 0);
  }
  assert.deepEqual(complaints, []);
});

test("the downloaded file is the scores file", async () => {
  const { path, scores } = explain("downloaded", "examples/wine.csv", "--target", "cultivar");
  const { page } = await open(browser, path);
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: folder,
    eventsEnabled: true,
  });
  const done = new Promise((resolve) =>
    client.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve()),
  );
  await page.click("#download-csv");
  await done;
  const downloaded = parse(
    readFileSync(
      join(
        folder,
        readdirSync(folder).find((name) => name.startsWith("scores") && name.endsWith(".csv")),
      ),
      "utf8",
    ),
  );
  assert.deepEqual(downloaded.names, scores.names);
  assert.equal(downloaded.rows.length, scores.rows.length);
  for (const [at, row] of scores.rows.entries()) {
    for (const [name, cell] of row) {
      const other = downloaded.rows[at].get(name);
      assert.ok(other === cell || Number(other) === Number(cell), `${name}: ${other} and ${cell}`);
    }
  }
});

test("an exact method is said to add up, without a list of tiny numbers", async () => {
  const exact = ["--target", "progression", "--method", "tree-shap", "--stability-runs", "0"];
  const { path } = explain("exact", "examples/diabetes.csv", ...exact);
  const { page, complaints } = await open(browser, path);
  const told = await page.$eval("#short", (part) => part.textContent);
  assert.match(told, /Checked in every row: scores add up exactly\./);
  assert.match(told, /Fidelity of the explanation Scores add up exactly\./);
  assert.doesNotMatch(told, /at most|e−/);
  assert.deepEqual(complaints, []);
});
