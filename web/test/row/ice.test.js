// The prediction over the levels of a feature, against `lmdi score` of rows with each level in its cell.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, explain, folder, LMDI, parse } from "../support/session.js";

const CITIES = ["Basel", "Bern", "Chur", "Genf", ""];

/** Shops: their size, their city, which may be missing, and whether they are open. */
function shops(rows) {
  return Array.from({ length: rows }, (_, row) => {
    const [size, city, isOpen] = [
      (row * 37) % 101,
      (row + Math.floor(row / 7)) % 5,
      (row * 7) % 3 > 0,
    ];
    const sales = size * (1 + city) + (isOpen ? 80 : 0) + ((row * 13) % 11);
    return [size, CITIES[city], isOpen ? "yes" : "no", sales];
  });
}

const csv = (rows) => `size,city,open,sales\n${rows.map((cells) => cells.join(",")).join("\n")}\n`;

test("curves of texts and booleans: one line per level, with the mean of other rows", async () => {
  const data = join(folder, "shops-table.csv");
  const model = join(folder, "shops.lmdi");
  const rows = shops(200);
  writeFileSync(data, csv(rows));
  const few = ["--target", "sales", "--stability-runs", "0"];
  const { path } = explain("shops", data, ...few, "--save", model);
  const { page, complaints } = await open(browser, path, { hash: "#row=7" });
  await page.$eval("#what-if summary", (summary) => summary.click());
  await page.waitForSelector("#ice svg");
  const options = await page.$$eval("#ice-feature option", (all) =>
    Object.fromEntries(all.map(({ text, value }) => [text, value])),
  );
  assert.deepEqual(Object.keys(options).sort(), ["city", "open", "size"]);
  for (const [column, levels] of [
    [1, CITIES],
    [2, ["no", "yes"]],
  ]) {
    const feature = ["size", "city", "open"][column];
    await page.select("#ice-feature", options[feature]);
    await page.waitForFunction(
      (wanted) => document.querySelector("#ice caption")?.textContent.includes(wanted),
      {},
      feature,
    );
    const shown = await page.$$eval("#ice tbody tr", (lines) =>
      lines.map((line) => ({
        level: line.querySelector("th bdi")?.textContent ?? "",
        numbers: [...line.querySelectorAll("data")].map(({ value }) => Number(value)),
        isPresent: line.querySelector(".ring") !== null,
        others: line.querySelectorAll(".other").length,
      })),
    );
    assert.deepEqual(shown.map(({ level }) => level).sort(), [...levels].sort());
    const changed = join(folder, "changed.csv");
    const out = join(folder, "changed-scores.csv");
    // The row itself, and 40 rows that are evenly spaced.
    const asked = [6, ...Array.from({ length: 40 }, (_, at) => at * 5)];
    for (const { level, numbers, isPresent, others } of shown) {
      const cells = asked.map((row) => rows[row].map((cell, at) => (at === column ? level : cell)));
      writeFileSync(changed, csv(cells));
      execFileSync(LMDI, ["score", model, changed, "--out", out], { stdio: "ignore" });
      const predicted = parse(readFileSync(out, "utf8")).rows.map((of) =>
        Number(of.get("prediction")),
      );
      const mean = predicted.slice(1).reduce((sum, x) => sum + x, 0) / 40;
      for (const [at, wanted] of [predicted[0], mean].entries())
        assert.ok(
          Math.abs(numbers[at] - wanted) < 1e-4,
          `${feature} ${level}: ${numbers} ${wanted}`,
        );
      assert.equal(isPresent, rows[6][column] === level, `${feature} ${level}`);
      assert.equal(others, 40);
    }
    const means = shown.map(({ numbers }) => numbers[1]);
    assert.deepEqual(
      means,
      [...means].sort((a, b) => b - a),
    );
  }
  assert.deepEqual(complaints, []);
});
