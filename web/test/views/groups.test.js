// Groups of rows: their rules are those of the command, dates included.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { report, write } from "../support/fixture.js";
import { browser, explain, folder, LMDI } from "../support/session.js";

/** Prices that depend on a day and a moment of sale. */
function sales() {
  const lines = Array.from({ length: 300 }, (_, row) => {
    const day = new Date(Date.UTC(2019, 0, 1) + ((row * 37) % 1500) * 86_400_000);
    const moment = new Date(Date.UTC(2023, 2, 1) + ((row * 7919) % 86_400) * 1000);
    const price = (day.getTime() > Date.UTC(2021, 0, 1) ? 100 : 0) + (moment.getUTCHours() % 12);
    const texts = [day.toISOString().slice(0, 10), moment.toISOString().slice(0, 19)];
    return [texts[0], texts[1].replace("T", " "), price + (row % 3)].join(",");
  });
  return `day,moment,price\n${lines.join("\n")}\n`;
}

test("numbers of rules have one minus sign", async () => {
  const path = join(folder, "signs.html");
  const made = report({ rows: 120, names: ["x", "y"] });
  const [first, second] = made.groups.list;
  first.rule.text = "(-2 < x <= -1 and -.5 < y <= 3) or (-7 < y <= -4)";
  second.rule.text = "-3 < x <= 2 and kind is a-1";
  write(path, made);
  const { page } = await open(browser, path);
  const rules = await page.$$eval("#groups .rule bdi", (all) => all.map((of) => of.textContent));
  assert.equal(rules[0], "(−2 < x ≤ −1 and −.5 < y ≤ 3) or (−7 < y ≤ −4)");
  assert.equal(rules[1], "−3 < x ≤ 2 and kind is a-1");
});

test("rules of groups are those of the command, with dates as dates", async () => {
  const [data, model] = [join(folder, "sales-table.csv"), join(folder, "sales.lmdi")];
  writeFileSync(data, sales());
  const { path } = explain(
    "sales",
    data,
    ...["--target", "price", "--save", model, "--stability-runs", "0"],
  );
  const told = execFileSync(LMDI, ["subgroups", model, data], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const wanted = [...told.matchAll(/^ {2}rule: (.*)$/gm)].map(([, rule]) => rule);
  const { page, complaints } = await open(browser, path);
  const rules = await page.$$eval("#groups .rule bdi", (all) => all.map((of) => of.textContent));
  const inSigns = (rule) => rule.replaceAll("≤", "<=").replaceAll("−", "-");
  assert.deepEqual(rules.map(inSigns).sort(), [...wanted].sort());
  assert.match(rules.join(" "), /day (≤|>) 20\d\d-\d\d-\d\d/);
  const cells = await page.$$eval("#groups tbody tr", (lines) =>
    lines
      .filter((line) => line.querySelector("th").textContent === "day")
      .flatMap((line) => [line.cells[1].textContent, line.cells[2].textContent]),
  );
  assert.ok(cells.length > 0);
  for (const cell of cells) assert.match(cell, /^20\d\d-\d\d-\d\d$/);
  assert.deepEqual(complaints, []);
});
