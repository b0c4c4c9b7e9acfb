// Similar rows with a different outcome, against a search through all rows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "./support/browser.js";
import { browser, explain, findRow, parse, ROOT } from "./support/session.js";

test("counterfactuals are the nearest rows, and limits are kept", async () => {
  const data = "examples/wine.csv";
  const { path, scores } = explain(
    "counterfactuals",
    data,
    "--target",
    "cultivar",
    "--stability-runs",
    "0",
  );
  const table = parse(readFileSync(join(ROOT, data), "utf8"));
  const columns = scores.names.filter((name) => name.startsWith("score:"));
  /** Numbers of the nearest rows of another class, by looking at all of them. */
  const nearest = (own, allowed) => {
    const distance = (other) =>
      columns.reduce(
        (sum, name) => sum + Math.abs(Number(own.get(name)) - Number(other.get(name))),
        0,
      );
    const others = scores.rows.filter(
      (other) => other.get("prediction") !== own.get("prediction") && allowed(other.get("row") - 1),
    );
    const found = others
      .map((other) => ({ number: other.get("row"), distance: distance(other) }))
      .sort((a, b) => a.distance - b.distance);
    return found.slice(0, 4).map(({ number }) => number);
  };
  const { page } = await open(browser, path);
  const shown = () =>
    page.$$eval("#counterfactuals h4", (titles) =>
      titles.map((title) => /Row ([\d,]+)/.exec(title.textContent)[1]),
    );
  const limit = await page.$eval(
    "#row",
    (part) =>
      [...part.querySelectorAll("option")].find(({ value }) => value.startsWith("up ")).value,
  );
  const column = (
    await page.$eval(
      "#row",
      (part, wanted) =>
        [...part.querySelectorAll("option")].find(({ value }) => value === wanted).textContent,
      limit,
    )
  ).replace(" may only rise", "");
  for (const number of [3, 90, 170]) {
    await findRow(page, number);
    assert.deepEqual(
      await shown(),
      nearest(scores.rows[number - 1], () => true),
    );
  }
  const limits = ".counterfactuals .control:last-child select";
  await page.select(limits, limit);
  const cell = (row) => Number(table.rows[row].get(column));
  assert.deepEqual(
    await shown(),
    nearest(scores.rows[169], (row) => cell(row) >= cell(169)),
  );
  await page.click(".chips button");
  await page.select(limits, limit.replace("up", "range"));
  const [from, to] = [cell(2), cell(169)].sort((a, b) => a - b);
  for (const [at, value] of [from, to].entries()) {
    await page.$eval(
      `.range input:nth-of-type(${at + 1})`,
      (input, text) => {
        input.value = text;
        input.dispatchEvent(new Event("change"));
      },
      String(value),
    );
  }
  assert.deepEqual(
    await shown(),
    nearest(scores.rows[169], (row) => cell(row) >= from && cell(row) <= to),
  );
});
