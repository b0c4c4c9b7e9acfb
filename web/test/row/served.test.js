// A page that asks its server what changed cells would give (`lmdi serve`).

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { open } from "../support/browser.js";
import { browser, changeCells, explain, folder, LMDI, parse, ROOT } from "../support/session.js";

/** Starts a server on a free port; returns its address and how to end it. */
async function serve(...options) {
  const server = spawn(LMDI, ["serve", ...options, "--address", "127.0.0.1:0"], { cwd: ROOT });
  after(() => server.kill("SIGKILL"));
  for await (const line of createInterface(server.stdout)) {
    const end = () => new Promise((resolve) => server.on("close", resolve).kill("SIGTERM"));
    return { address: line.split(" at ").at(-1), end };
  }
  throw new Error("the server did not start");
}

/** A page without its model, and the model. */
function made(name, target) {
  const model = join(folder, `${name}.lmdi`);
  const { path } = explain(
    name,
    `examples/${name}.csv`,
    ...["--target", target, "--stability-runs", "0", "--what-if", "never", "--save", model],
  );
  return { model, path };
}

test("a served page computes changed cells by the server's model", async () => {
  for (const [name, target, changes] of [
    ["diabetes", "progression", { body_mass_index: "41.5", sex: "group 1", age: "" }],
    ["wine", "cultivar", { proline: "300", alcohol: "11.5" }],
  ]) {
    const { model, path } = made(name, target);
    const table = parse(readFileSync(join(ROOT, `examples/${name}.csv`), "utf8"));
    const row = new Map([...table.rows[6], ...Object.entries(changes)]);
    const changed = join(folder, `${name}-changed.csv`);
    writeFileSync(changed, `${table.names.join(",")}\n${[...row.values()].join(",")}\n`);
    const out = join(folder, `${name}-changed-scores.csv`);
    execFileSync(LMDI, ["score", model, changed, "--out", out], { stdio: "ignore" });
    const [expected] = parse(readFileSync(out, "utf8")).rows;

    const { address, end } = await serve(model, "--report", path);
    const page = await browser.newPage();
    await page.bringToFront();
    const complaints = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(`${address}/#row=7`);
    await page.waitForSelector("#what-if summary");
    await page.$eval("#what-if summary", (element) => element.click());
    await page.waitForSelector("#what-if-prediction strong");
    await page.waitForSelector("#ice path.faint");
    await page.$eval("#what-if .controls button:nth-of-type(2)", (element) => element.click());
    await changeCells(page, changes);
    const label = await page.$eval(
      "#what-if-prediction",
      (element) => element.querySelector("bdi")?.textContent,
    );
    const prediction = Number(expected.get(label ? `probability:${label}` : "prediction"));
    await page.waitForFunction(
      (wanted) =>
        Math.abs(
          Number(document.querySelector("#what-if-prediction strong data").value) - wanted,
        ) <=
        1e-12 * Math.abs(wanted),
      {},
      prediction,
    );
    const scores = await page.$$eval("#what-if tbody tr", (lines) =>
      lines.map((line) => [
        line.querySelector("th").textContent,
        Number(line.cells[3].querySelector("data").value),
      ]),
    );
    assert.equal(scores.length, table.names.length - 1);
    const prefix = name === "wine" ? `${label}:` : "";
    for (const [feature, score] of scores)
      assert.equal(score, Number(expected.get(`score:${prefix}${feature}`)), feature);
    assert.deepEqual(complaints, []);

    // A server that has gone is told, and nothing breaks.
    await end();
    await page.$eval("#what-if tbody input", (input) => {
      input.value = "1";
      input.dispatchEvent(new Event("input"));
    });
    await page.waitForFunction(() =>
      document.querySelector("#what-if-prediction").textContent.startsWith("No answer"),
    );
    await page.close();
  }
});

test("a page opened as a file, or served with a different model, says so", async () => {
  const { path } = made("diabetes", "progression");
  const { page, complaints } = await open(browser, path);
  const told = await page.$eval("#no-what-if", (element) => element.textContent);
  assert.match(told, /lmdi serve MODEL --report PAGE/);
  assert.equal(await page.$("#what-if"), null);
  assert.deepEqual(complaints, []);
  await page.close();
  const other = join(folder, "other.lmdi");
  explain(
    "other",
    "examples/diabetes.csv",
    ...["--target", "progression", "--stability-runs", "0", "--seed", "5", "--save", other],
  );
  const { address, end } = await serve(other, "--report", path);
  const served = await browser.newPage();
  await served.goto(address);
  await served.waitForSelector("#no-what-if");
  assert.match(
    await served.$eval("#no-what-if", (element) => element.textContent),
    /a different model/,
  );
  await served.close();
  await end();
});
