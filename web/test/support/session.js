// What all tests of the page share: one browser and one folder per file, reports made by the command, and what is read off
// the page. The command is `target/debug/lmdi` unless the variable LMDI names another.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.js";

const AXE = readFileSync(
  new URL("../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
export const LMDI = process.env.LMDI ?? join(ROOT, "target/debug/lmdi");
export const FEATURES = [
  "living_area",
  "latitude",
  "quality",
  "age",
  "distance",
  "structure",
  "bedrooms",
  "month",
];

/** The browser of this file, once its tests run. */
export let browser;
/** A folder that is removed with the tests. */
export let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "lmdi-report-"));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `lmdi explain` with a report, and returns its path and the scores file as rows of named cells. */
export function explain(name, data, ...options) {
  const path = join(folder, `${name}.html`);
  const scores = join(folder, `${name}.csv`);
  execFileSync(
    LMDI,
    ["explain", data, "--trees", "15", "--report", path, "--out", scores, ...options],
    { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] },
  );
  return { path, scores: parse(readFileSync(scores, "utf8")) };
}

/** Puts texts into the cells of the what-if, by the name of their feature. */
export function changeCells(page, changes) {
  return page.evaluate((wanted) => {
    for (const line of document.querySelectorAll("#what-if tbody tr")) {
      const value = wanted[line.querySelector("th").textContent];
      if (value === undefined) continue;
      const control = line.querySelector("input, select");
      if (control.tagName === "SELECT")
        control.value = [...control.options].find(({ text }) => text === value).value;
      else control.value = value;
      control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input"));
    }
  }, changes);
}

/** CSV with quoted cells. */
export function parse(text) {
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n|$)/g)) {
    lines.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") lines.push([]);
    if (end === "") break;
  }
  lines.pop();
  const [names, ...rows] = lines;
  return { names, rows: rows.map((cells) => new Map(names.map((name, at) => [name, cells[at]]))) };
}

/** Numbers of the waterfall that is shown. */
export function readWaterfall(page) {
  return page.evaluate(() => {
    const exact = (line) => Number(line.querySelector("td.right data").value);
    const lines = [...document.querySelectorAll("#row-waterfall tbody tr")];
    return {
      title: document.querySelector("#row-name").textContent,
      base: exact(lines[0]),
      total: exact(lines.find((line) => line.classList.contains("total"))),
      left: lines.filter((line) => line.classList.contains("left")).map(exact),
      hatched: document.querySelectorAll("#row-waterfall tr.left pattern").length,
      scores: lines
        .filter((line) => !line.classList.contains("left") && !line.classList.contains("end"))
        .map((line) => ({
          name: line.querySelector("th").textContent,
          value: line.querySelector(".value").textContent,
          score: exact(line),
          text: line.querySelector("td.right data").textContent,
        })),
    };
  });
}

export async function findRow(page, number) {
  await page.click(".search input", { clickCount: 3 });
  await page.type(".search input", String(number));
  await page.keyboard.press("Enter");
}

/** Base, scores and what they leave unexplained are those of the scores file, to the last bit. */
export function compareRow(shown, row, prefix = "") {
  const of = (what) => Number(row.get(prefix === "" ? what : `${what}:${prefix.slice(0, -1)}`));
  assert.equal(shown.base, of("base"));
  const left = ["unexplained", "out_of_bag"].map(of).filter((part) => !Number.isNaN(part));
  assert.ok(left.length > 0);
  assert.deepEqual(shown.left, left);
  assert.equal(shown.hatched, left.length);
  const close = (a, b) =>
    assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a)), `${a} ${b}`);
  close(
    shown.total,
    left.reduce((sum, part) => sum + part, of("explained")),
  );
  for (const { name, score, text } of shown.scores) {
    assert.equal(score, Number(row.get(`score:${prefix}${name}`)), name);
    const sign = /[1-9]/.test(text) ? (score < 0 ? "−" : "+") : "";
    assert.ok(text.startsWith(sign) && /^\d/.test(text.slice(sign.length)), text);
  }
  close(
    shown.scores.reduce((sum, { score }) => sum + score, shown.base),
    of("explained"),
  );
}

/** Whatever axe finds, as text. */
export async function axe(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    // Sections are landmarks by their titles; scrolled tables take the focus.
    window.axe.run(document, { resultTypes: ["violations"] }),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
}
