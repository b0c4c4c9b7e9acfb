// Choosing rows in any drawing marks the same rows everywhere, against the scores file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, explain, parse, ROOT } from "../support/session.js";

/** Draws a rectangle over an element, by shares of its box. */
async function drag(page, selector, [x0, y0], [x1, y1]) {
  await page.$eval(selector, (part) =>
    part.scrollIntoView({ behavior: "instant", block: "center" }),
  );
  const { x, y, width, height } = await (await page.$(selector)).boundingBox();
  await page.mouse.move(x + x0 * width, y + y0 * height);
  await page.mouse.down();
  await page.mouse.move(x + x1 * width, y + y1 * height, { steps: 4 });
  await page.mouse.up();
}

/** What is marked: how many rows, and which. */
async function marked(page) {
  const text = await page.$eval("#marked", (bar) => bar.textContent);
  const found = /^([\d,]+) rows? marked on the whole page: (.*)\. Clear/.exec(text);
  return found && { rows: Number(found[1].replaceAll(",", "")), what: found[2] };
}

const numbers = (text) => text.match(/−?[\d.]+(e-?\d+)?/g).map((x) => Number(x.replace("−", "-")));
const faded = (page, id) => page.$$eval(`#${id} .faded`, ({ length }) => length);

test("strips, bins, curves and cells mark rows", async () => {
  const data = "examples/breast_cancer.csv";
  const { path, scores } = explain("marks", data, "--target", "diagnosis", "--stability-runs", "0");
  const actual = parse(readFileSync(join(ROOT, data), "utf8")).rows.map((row) =>
    row.get("diagnosis"),
  );
  const share = scores.rows.map((row) => Number(row.get("probability:malignant")));
  const within = (cells, low, high) => cells.filter((x) => x >= low && x <= high).length;
  /** As many as lie between two rounded ends. */
  const agree = ({ rows, what }, cells, [low, high = low], room) => {
    const [least, most] = [
      within(cells, low + room, high - room),
      within(cells, low - room, high + room),
    ];
    assert.ok(rows > 0 && rows >= least && rows <= most, `${what}: ${rows}, ${least} to ${most}`);
  };
  const { page, complaints } = await open(browser, path, { width: 1280, height: 1000 });
  for (const view of ["short", "overall"]) {
    const strip = `#${view} tbody tr:nth-child(2) svg.strip`;
    const name = await page.$eval(
      `#${view} tbody tr:nth-child(2) th button`,
      (of) => of.textContent,
    );
    await drag(page, strip, [0.55, 0.2], [0.9, 0.8]);
    const chosen = await marked(page);
    const cells = scores.rows.map((row) => Number(row.get(`score:${name}`)));
    agree(chosen, cells, numbers(chosen.what.replace(`scores of ${name}`, "")), 1e-4);
    assert.ok(chosen.rows < cells.length / 2);
    for (const other of ["short", "overall", "feature"])
      assert.ok((await faded(page, other)) > 0, other);
    assert.ok((await page.$$("#calibration .run.chosen")).length > 0);
    assert.equal((await page.$$("#roc path.chosen")).length, 1);
    await page.click("#marked button");
    assert.equal(await faded(page, "short"), 0);
    assert.equal((await page.$$("#trust .chosen")).length, 0);
  }
  // A bin of the calibration, by the pointer and by the table.
  await page.$eval("#calibration", (figure) => figure.scrollIntoView({ behavior: "instant" }));
  await page.click("#calibration .target:last-of-type");
  const bin = await marked(page);
  const shares = ({ what }) => numbers(what).map((x) => x / 100);
  agree(bin, share, shares(bin), 5e-4);
  await page.$eval("#calibration summary", (summary) => summary.click());
  await page.waitForSelector("#calibration tbody tr");
  assert.deepEqual(
    await page.$$eval("#calibration tbody button", (all) => all.map((of) => of.ariaPressed)),
    await page.$$eval("#calibration tbody tr", (all) =>
      all.map((_, at) => String(at === all.length - 1)),
    ),
  );
  await page.click("#calibration tbody tr:first-child button");
  assert.ok((await marked(page)).rows > 10);
  assert.ok(await page.$eval("#calibration details", ({ open }) => open), "the table stays open");
  // Parts of both curves.
  for (const figure of ["roc", "precision"]) {
    await drag(page, `#${figure} svg`, [0.14, 0.02], [0.97, 0.5]);
    const part = await marked(page);
    assert.match(part.what, /probability of malignant/);
    agree(part, share, shares(part), 5e-4);
  }
  // A cell of the confusion.
  await page.$eval("#confusion", (part) => part.scrollIntoView({ behavior: "instant" }));
  await page.click("#confusion tbody tr:nth-child(2) td:nth-child(2) button");
  const missed = share.filter((x, row) => actual[row] === "malignant" && x <= 0.5).length;
  assert.deepEqual(await marked(page), { rows: missed, what: "actual malignant, decided benign" });
  const cells = await page.$$eval("#confusion tbody button", (all) =>
    all.map((cell) => cell.querySelector(".quiet").textContent.trim()),
  );
  assert.deepEqual(cells, ["(0 marked)", "(0 marked)", `(${missed} marked)`, "(0 marked)"]);
  assert.deepEqual(complaints, []);
});

test("levels' strips and the histogram mark rows of a feature", async () => {
  const { path } = explain(
    "marks-numbers",
    "examples/diabetes.csv",
    ...["--target", "progression", "--stability-runs", "0"],
  );
  const table = parse(readFileSync(join(ROOT, "examples/diabetes.csv"), "utf8")).rows;
  const { page, complaints } = await open(browser, path, {
    width: 1280,
    height: 1000,
    hash: "#feature=sex",
  });
  const level = await page.$eval("#feature tbody th", (of) => of.textContent);
  await drag(page, "#feature tbody svg.strip", [0.001, 0.5], [0.999, 0.5]);
  const { rows, what } = await marked(page);
  assert.match(what, /^scores of sex from/);
  assert.equal(rows, table.filter((row) => row.get("sex") === level).length);
  await page.evaluate(() => {
    location.hash = "#feature=body_mass_index";
  });
  await page.waitForSelector("#feature .scatter rect.count");
  // Over the bars below a rectangle is a range of values.
  await drag(page, "#feature .scatter svg", [0.5, 0.82], [0.97, 0.88]);
  const chosen = await marked(page);
  const cells = table.map((row) => Number(row.get("body_mass_index"))).sort((a, b) => b - a);
  assert.equal(chosen.what, "a part of the plot of body_mass_index");
  assert.ok(chosen.rows > 20 && cells[chosen.rows - 1] > cells[chosen.rows], "the largest values");
  assert.deepEqual(complaints, []);
});
