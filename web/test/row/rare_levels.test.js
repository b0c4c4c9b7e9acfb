// Texts that the model reads as one, because each was rare in training, and those that training did not hold: marked in the
// what-if, and predicted as the command predicts them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, changeCells, explain, folder, LMDI, parse } from "../support/session.js";

const FREQUENT = ["Aachen", "Bonn", "Celle"];
const RARE = 1100;

/** Sales of shops in three frequent cities and many rare ones, each with two shops. */
function shops() {
  const lines = Array.from({ length: 2 * RARE + 900 }, (_, row) => {
    const city = row % 27 < 8 ? FREQUENT[row % 3] : `Village ${(row * 7) % RARE}`;
    const size = (row * 37) % 101;
    return [city, size, size + (city.startsWith("Village") ? 200 : 0) + ((row * 13) % 17)];
  });
  return { names: ["city", "size", "sales"], lines };
}

const csv = ({ names, lines }) => `${[names, ...lines].map((of) => of.join(",")).join("\n")}\n`;

async function whatIf(path, row) {
  const { page, complaints } = await open(browser, path, { hash: `#row=${row}` });
  await page.$eval("#what-if summary", (summary) => summary.click());
  await page.waitForSelector("#what-if-prediction strong");
  const state = () =>
    page.evaluate(() => {
      const line = [...document.querySelectorAll("#what-if tbody tr")].find(
        (of) => of.querySelector("th").textContent === "city",
      );
      const [before, now] = document.querySelectorAll("#what-if-prediction data");
      return {
        before: Number(before.value),
        now: Number(now.value),
        chosen: line.querySelector("select").selectedOptions[0].text,
        options: [...line.querySelectorAll("option")].map(({ text }) => text),
        note: line.cells[5].textContent,
        isOutside: line.classList.contains("outside"),
      };
    });
  return { page, complaints, state };
}

/** The predictions of the command for rows of cells. */
function predicted(model, names, lines) {
  const [rows, out] = [join(folder, "asked.csv"), join(folder, "answered.csv")];
  writeFileSync(rows, csv({ names, lines }));
  execFileSync(LMDI, ["score", model, rows, "--out", out], { stdio: "ignore" });
  return parse(readFileSync(out, "utf8")).rows.map((of) => Number(of.get("prediction")));
}

const close = (a, b) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${a}, ${b}`);

test("rare texts are marked in the what-if, also those that the page does not name", async () => {
  const table = shops();
  const data = join(folder, "villages-table.csv");
  const model = join(folder, "villages.lmdi");
  writeFileSync(data, csv(table));
  const { path } = explain(
    "villages",
    data,
    ...["--target", "sales", "--max-levels", "3", "--kind", "city=categorical", "--save", model],
    ...["--stability-runs", "0"],
  );
  // A page names 999 texts; the last villages by name are among the others.
  const counts = new Map();
  for (const [city] of table.lines) counts.set(city, (counts.get(city) ?? 0) + 1);
  assert.ok(counts.size > 1000);
  const { page, complaints, state } = await whatIf(path, 1);
  const rows = await page.evaluate(() => document.querySelectorAll("#what-if option").length);
  assert.ok(rows >= counts.size, "every text can be chosen");
  const first = await state();
  assert.equal(first.chosen, table.lines[0][0]);
  assert.equal(first.note, "");
  for (const option of first.options)
    assert.equal(option.endsWith(" (rare)"), option.startsWith("Village"), option);
  await changeCells(page, { city: "Village 5 (rare)" });
  await page.waitForFunction(() =>
    document.querySelector("#what-if tbody").textContent.includes("with other rare ones"),
  );
  const changed = await state();
  assert.ok(!changed.isOutside);
  const [before, now] = predicted(model, table.names, [
    table.lines[0],
    ["Village 5", ...table.lines[0].slice(1)],
  ]);
  close(changed.before, before);
  close(changed.now, now);
  assert.ok(now - before > 100, "rare cities sell more");
  // The curve marks them too.
  await page.select(
    "#ice-feature",
    await page.$$eval(
      "#ice-feature option",
      (all) => all.find(({ text }) => text === "city").value,
    ),
  );
  await page.waitForSelector("#ice tbody tr");
  const levels = await page.$$eval("#ice tbody th", (all) => all.map((of) => of.textContent));
  assert.deepEqual(
    levels
      .filter((text) => !text.includes("(rare)"))
      .map((text) => text.replace(" now", ""))
      .sort(),
    FREQUENT,
  );
  assert.match(await page.$eval("#ice", (part) => part.textContent), /cannot tell them apart/);
  // A row whose text the page does not name: one of the last ones.
  let row = table.lines.length;
  let other = await state();
  while (!other.chosen.startsWith("one of ") && row > table.lines.length - 400) {
    row -= 1;
    await page.evaluate((to) => {
      location.hash = `#row=${to}`;
    }, row);
    await page.waitForFunction(
      (to) => document.querySelector("#row-name").textContent.includes(`Row ${to} `),
      {},
      row.toLocaleString("en"),
    );
    other = await state();
  }
  assert.match(other.chosen, /^one of \d+ other values \(rare\)$/);
  const [wanted] = predicted(model, table.names, [table.lines[row - 1]]);
  await page.waitForFunction(
    (x) => Math.abs(document.querySelector("#what-if-prediction data").value - x) < 1e-4,
    { timeout: 5000 },
    wanted,
  );
  close((await state()).before, wanted);
  assert.deepEqual(complaints, []);
});

test("texts that training did not hold are marked in the what-if", async () => {
  const table = shops();
  const [data, model] = [join(folder, "few-table.csv"), join(folder, "few.lmdi")];
  const few = table.lines.filter(([city]) => FREQUENT.includes(city)).slice(0, 200);
  writeFileSync(data, csv({ names: table.names, lines: few }));
  explain("few", data, "--target", "sales", "--save", model, "--stability-runs", "0");
  const fresh = join(folder, "fresh-table.csv");
  writeFileSync(
    fresh,
    csv({ names: table.names, lines: [...few.slice(0, 30), ["Atlantis", 5, 10]] }),
  );
  const path = join(folder, "fresh.html");
  const asked = ["explain", fresh, "--target", "sales", "--model", model, "--report", path];
  execFileSync(LMDI, asked, { stdio: "ignore" });
  const { complaints, state } = await whatIf(path, 31);
  const { chosen, note, isOutside, options } = await state();
  assert.equal(chosen, "Atlantis (not in training)");
  assert.ok(isOutside && note.startsWith("Not among the training rows"), note);
  assert.equal(options.filter((text) => text.endsWith(")")).length, 1);
  assert.deepEqual(complaints, []);
});
