// One row: found, stepped through, explained, compared, copied and printed.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import {
  browser,
  explain,
  findRow,
  folder,
  parse,
  ROOT,
  readWaterfall,
} from "../support/session.js";

test("rows are found by conditions, and stepped through within the matches", async () => {
  const { path } = explain(
    "found",
    "examples/diabetes.csv",
    ...["--target", "progression", "--stability-runs", "0"],
  );
  const rows = parse(readFileSync(join(ROOT, "examples/diabetes.csv"), "utf8")).rows;
  const { page, complaints } = await open(browser, path);
  const type = async (text) => {
    await page.$eval(".search input", (input) => {
      input.value = "";
    });
    await page.type(".search input", text);
    return page.$eval("#row-found", (element) => element.textContent);
  };
  const title = () =>
    page.$eval("#row-name", (element) => Number(/\d+/.exec(element.textContent)[0]));
  const cases = [
    ["age>60", (row) => row.get("age") > 60],
    ["sex=group 2, age=59", (row) => row.get("sex") === "group 2" && row.get("age") === "59"],
    ["age<=30 and sex != GROUP 1", (row) => row.get("age") <= 30 && row.get("sex") !== "group 1"],
  ];
  for (const [text, fits] of cases) {
    const expected = rows.flatMap((row, at) => (fits(row) ? [at + 1] : []));
    assert.ok(expected.length > 1);
    assert.match(await type(text), new RegExp(`^${expected.length} rows match`));
    await page.keyboard.press("Enter");
    assert.equal(await title(), expected[0]);
    await page.click("#row-next");
    assert.equal(await title(), expected[1]);
    // The keyboard steps where no control takes the key.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await title(), expected.at(-1), "before the first match comes the last");
    assert.match(
      await page.$eval("#row-matches", (element) => element.textContent),
      new RegExp(`Match ${expected.length} of ${expected.length}\\.`),
    );
  }
  await page.click("#row-matches button");
  await page.keyboard.press("Escape");
  assert.match(await type("age>600"), /No row found/);
  // What people type instead.
  const told = [
    ["age==59 & sex='group 2'", /^\d+ rows? match/],
    ["age=>60,", /^\d+ rows match/],
    ["progression>300", /^\d+ rows match/],
    ["age>1,5", /1,5 is not a number, so it cannot be compared with age/],
    ["sex>1", /sex holds text:/],
    ["nosuch>3", /Not understood/],
    ["age>−1", /^442 rows match/],
    ["age=", /No row found/],
    ["sex!=", /^442 rows match/],
  ];
  for (const [text, answer] of told) assert.match(await type(text), answer, text);
  assert.deepEqual(complaints, []);
});

test("a key finds rows, and a threshold decides", async () => {
  const data = join(folder, "patients.csv");
  const rows = parse(readFileSync(join(ROOT, "examples/breast_cancer.csv"), "utf8"));
  const text = [
    ["patient", ...rows.names].join(","),
    ...rows.rows.map((row, at) => [`P-00${at}<b>`, ...row.values()].join(",")),
  ];
  writeFileSync(data, `${text.join("\n")}\n`);
  const { path, scores } = explain(
    "keyed",
    data,
    ...["--target", "diagnosis", "--key", "patient", "--threshold", "0.1", "--stability-runs", "0"],
  );
  const { page, complaints } = await open(browser, path);
  await findRow(page, "P-0041<b>");
  assert.match((await readWaterfall(page)).title, /^Row 42 of .*patient P-0041<b>$/);
  const decided = await page.$eval(".predicted strong", (element) => element.textContent);
  assert.equal(decided, scores.rows[41].get("prediction"));
  const own = scores.rows.findIndex((row) => {
    const share = Number(row.get("probability:malignant"));
    return share >= 0.1 && share < 0.5;
  });
  assert.ok(own >= 0, "a row that the threshold decides");
  await findRow(page, `P-00${own}<b>`);
  assert.equal(
    await page.$eval(".predicted strong", (element) => element.textContent),
    "malignant",
  );
  assert.match(await page.$eval("#threshold", (element) => element.textContent), /malignant .* 10/);
  const found = await page.$$eval("#counterfactuals h4", (titles) =>
    titles.map((title) => title.textContent),
  );
  assert.ok(
    found.length > 0 && found.every((title) => /\(P-00\d+<b>\): benign/.test(title)),
    found[0],
  );
  assert.deepEqual(complaints, []);
});

test("the sheet of a row: reasons, two rows, copies, one printed page", async () => {
  const { path, scores } = explain(
    "sheet",
    "examples/diabetes.csv",
    ...["--target", "progression", "--stability-runs", "0"],
  );
  const { page, complaints } = await open(browser, path);
  const columns = scores.names.filter((name) => name.startsWith("score:"));
  const of = (number, name) => Number(scores.rows[number - 1].get(name));
  await findRow(page, 12);
  const largest = columns.reduce((a, b) => (Math.abs(of(12, a)) >= Math.abs(of(12, b)) ? a : b));
  const reasons = await page.$eval("#row-reasons", (element) => element.textContent);
  assert.ok(reasons.includes(largest.slice("score:".length)), reasons);
  assert.match(
    reasons,
    of(12, "prediction") > of(12, "base") ? /, above the base/ : /, below the base/,
  );
  const actual = await page.$eval("#row-waterfall tr.actual data", ({ value }) => Number(value));
  const table = parse(readFileSync(join(ROOT, "examples/diabetes.csv"), "utf8")).rows;
  assert.equal(actual, Number(table[11].get("progression")));
  assert.ok((await page.$$eval("#row-waterfall .axis .tick", (ticks) => ticks.length)) >= 3);

  await page.click("#row-keep");
  await findRow(page, 30);
  const differences = await page.$$eval("#beside tbody tr", (lines) =>
    lines.map((line) => [
      line.querySelector("th").textContent,
      Number([...line.querySelectorAll("data")].at(-1).value),
    ]),
  );
  // The base, what is not explained and the prediction stand around the features.
  assert.equal(differences.length, columns.length + 3);
  const named = {
    base: "base",
    "not explained": "unexplained",
    "= prediction": "prediction",
  };
  for (const [name, change] of differences) {
    const cell = named[name] ?? `score:${name}`;
    assert.ok(Math.abs(change - (of(30, cell) - of(12, cell))) < 1e-9, name);
  }

  await page.evaluate(() => {
    window.copied = [];
    navigator.clipboard.write = async ([item]) => {
      for (const type of item.types) {
        const bytes = new Uint8Array(await (await item.getType(type)).arrayBuffer());
        window.copied.push({ type, bytes: [...bytes] });
      }
    };
    window.print = () => {
      window.printed = document.body.className;
      window.dispatchEvent(new Event("afterprint"));
    };
  });
  await page.click("#row-copy-text");
  await page.click("#row-copy-image");
  await page.waitForFunction(() => window.copied.length === 2);
  const [text, image] = await page.evaluate(() => window.copied);
  assert.match(Buffer.from(text.bytes).toString(), /^Row 30 of diabetes\.csv\nPredicted: /);
  assert.equal(image.type, "image/png");
  assert.deepEqual(image.bytes.slice(1, 4), [...Buffer.from("PNG")]);
  assert.ok(image.bytes.length > 20_000, "more than an empty picture");

  await page.click("#row-print");
  assert.equal(await page.evaluate(() => window.printed), "only-row");
  const pages = async () =>
    Buffer.from(await page.pdf({ format: "A4" }))
      .toString("latin1")
      .match(/\/Type\s*\/Page\b/g).length;
  assert.ok((await pages()) > 1);
  await page.evaluate(() => document.body.classList.add("only-row"));
  assert.equal(await pages(), 1);
  assert.deepEqual(complaints, []);
});

test("reasons never blame a feature for what the scores leave out", async () => {
  const { path, scores } = explain(
    "reasons",
    "examples/diabetes.csv",
    ...["--target", "progression", "--stability-runs", "0"],
  );
  const { page } = await open(browser, path);
  let named = 0;
  for (const [at, row] of scores.rows.entries()) {
    const [base, explained, prediction] = ["base", "explained", "prediction"].map((name) =>
      Number(row.get(name)),
    );
    // The scores say one thing and the prediction another.
    if ((explained - base) * (prediction - base) >= 0) continue;
    await findRow(page, at + 1);
    const text = await page.$eval("#row-reasons", (element) => element.textContent);
    const [because] = text.split(", despite");
    assert.match(because, /a part that the scores do not explain/, `row ${at + 1}: ${text}`);
    named++;
  }
  assert.ok(named > 0, "rows whose scores point the other way");
});
