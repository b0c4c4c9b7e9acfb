// Similar rows with a different outcome, against a search through all rows.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, explain, findRow, folder, parse, ROOT } from "../support/session.js";

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
  const { page, complaints } = await open(browser, path);
  const shown = () =>
    page.$$eval("#counterfactuals h4", (titles) =>
      titles.map((title) => /Row ([\d,]+)/.exec(title.textContent)[1]),
    );
  for (const number of [3, 90, 170]) {
    await findRow(page, number);
    assert.deepEqual(
      await shown(),
      nearest(scores.rows[number - 1], () => true),
    );
  }
  const [column, other] = ["proline", "alcohol"];
  const cell = (row, of = column) => Number(table.rows[row].get(of));
  const set = (input, value) =>
    page.$eval(
      input,
      (control, text) => {
        control.value = text;
        control.dispatchEvent(new Event("change"));
      },
      value,
    );
  const own = scores.rows[169];
  await limit(page, column, "up");
  assert.deepEqual(
    await shown(),
    nearest(own, (row) => cell(row) >= cell(169)),
  );
  // A second limit of the same column holds beside the first.
  const highest = cell(169) + 200;
  await limit(page, column, "range");
  await set(".range input:nth-of-type(1)", "");
  await set(".range input:nth-of-type(2)", String(highest));
  const both = (row) => cell(row) >= cell(169) && cell(row) <= highest;
  assert.notDeepEqual(
    nearest(own, both),
    nearest(own, (row) => cell(row) >= cell(169)),
  );
  assert.deepEqual(await shown(), nearest(own, both));
  await limit(page, other, "down");
  const all = (row) => both(row) && cell(row, other) <= cell(169, other);
  assert.deepEqual(await shown(), nearest(own, all));
  assert.equal((await page.$$(".chips li")).length, 3);
  // A range that nothing fits is told, and so is that no row is left.
  await set(".range input:nth-of-type(1)", String(highest + 1));
  assert.match(
    await page.$eval(".chips .problem:not(:empty)", (told) => told.textContent),
    /lower bound is above the upper bound/,
  );
  assert.equal(await page.$eval(".range input", (input) => input.ariaInvalid), "true");
  assert.deepEqual(await shown(), []);
  assert.match(await page.$eval("#counterfactuals", (part) => part.textContent), /Remove a limit/);
  await set(".range input:nth-of-type(1)", "0");
  assert.equal((await page.$$(".chips .problem:not(:empty)")).length, 0);
  assert.deepEqual(await shown(), nearest(own, all));
  for (let at = 0; at < 3; at++) await page.click(".chips button");
  assert.deepEqual(
    await shown(),
    nearest(own, () => true),
  );
  assert.deepEqual(complaints, []);
});

/** Adds a limit by the controls. */
async function limit(page, column, kind) {
  const value = await page.$eval(
    "#limit-feature",
    (select, wanted) => [...select.options].find(({ text }) => text === wanted).value,
    column,
  );
  await page.select("#limit-feature", value);
  await page.select("#limit-kind", kind);
  await page.$eval("#limit-add", (button) => button.click());
}

test("texts can be limited to levels, and dates to a range", async () => {
  const data = join(folder, "loans-table.csv");
  const cities = ["Basel", "Bern", "<b>Chur</b>", ""];
  const rows = Array.from({ length: 120 }, (_, row) => ({
    city: cities[(row * 5 + Math.floor(row / 9)) % 4],
    day: new Date(Date.UTC(2024, 0, 1 + ((row * 17) % 97))).toISOString().slice(0, 10),
    amount: (row * 29) % 71,
    paid: (row * 29) % 71 > 30 ? "yes" : "no",
  }));
  const lines = rows.map(({ city, day, amount, paid }) => [city, day, amount, paid].join(","));
  writeFileSync(data, `city,day,amount,paid\n${lines.join("\n")}\n`);
  const { path } = explain("loans", data, "--target", "paid", "--stability-runs", "0");
  const { page, complaints } = await open(browser, path);
  const found = () =>
    page.$$eval("#counterfactuals .compared", (parts) =>
      parts.map(({ dataset }) => Number(dataset.row)),
    );
  await limit(page, "city", "levels");
  const boxes = await page.$$(".boxes label");
  const titles = await page.$$eval(".boxes label", (all) =>
    all.map((box) => box.textContent.trim()),
  );
  assert.deepEqual([...titles].sort(), ["<b>Chur</b>", "Basel", "Bern", "missing"]);
  const before = await found();
  assert.equal(before.length, 4);
  for (const [at, box] of boxes.entries()) if (titles[at] !== "Bern") await box.click();
  assert.equal((await found()).length, 4);
  for (const row of await found()) assert.equal(rows[row].city, "Bern");
  await boxes[titles.indexOf("missing")].click();
  for (const row of await found()) assert.ok(["Bern", ""].includes(rows[row].city));
  for (const title of ["Bern", "missing"]) await boxes[titles.indexOf(title)].click();
  assert.match(await page.$eval(".problem", (told) => told.textContent), /at least one/);
  assert.deepEqual(await found(), []);
  await page.click(".chips button");
  await limit(page, "day", "range");
  const [from, to] = ["2024-02-01", "2024-02-20"];
  for (const [at, day] of [from, to].entries())
    await page.$eval(
      `.range input:nth-of-type(${at + 1})`,
      (input, text) => {
        input.value = text;
        input.dispatchEvent(new Event("change"));
      },
      day,
    );
  assert.ok((await found()).length > 0);
  for (const row of await found()) assert.ok(rows[row].day >= from && rows[row].day <= to);
  assert.deepEqual(complaints, []);
});
