// Changed cells, against `lmdi score`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { browser, changeCells, explain, folder, LMDI, parse, ROOT } from "../support/session.js";

test("what-if: changed cells give the numbers of the command", async () => {
  const cases = [
    ["diabetes", "progression", { body_mass_index: "41.5", sex: "group 1", age: "" }, []],
    ["breast_cancer", "diagnosis", { mean_radius: "25", worst_area: "300" }, []],
    ["wine", "cultivar", { proline: "300", alcohol: "11.5" }, []],
    ["breast_cancer", "diagnosis", { mean_texture: "30" }, ["--model", "boosting"]],
    ["diabetes", "progression", { ldl: "200" }, ["--method", "tree-shap"]],
  ];
  for (const [name, target, changes, options] of cases) {
    const data = `examples/${name}.csv`;
    const id = `what-if-${name}${options.join("")}`;
    const model = join(folder, `${id}.lmdi`);
    const { path } = explain(
      id,
      data,
      ...["--target", target, "--stability-runs", "0", "--save", model, ...options],
    );
    const table = parse(readFileSync(join(ROOT, data), "utf8"));
    const row = new Map([...table.rows[6], ...Object.entries(changes)]);
    const changed = join(folder, `${id}-changed.csv`);
    writeFileSync(changed, `${table.names.join(",")}\n${[...row.values()].join(",")}\n`);
    const out = join(folder, `${id}-scores.csv`);
    const method = options[0] === "--method" ? options : [];
    execFileSync(LMDI, ["score", model, changed, "--out", out, ...method], {
      cwd: ROOT,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [expected] = parse(readFileSync(out, "utf8")).rows;
    const { page, complaints } = await open(browser, path, { hash: "#row=7" });
    // A press of the button itself: a page behind others is not drawn, and has no place to click.
    const press = (button) => page.$eval(button, (element) => element.click());
    await press("#what-if summary");
    await page.waitForSelector("#what-if-prediction strong");
    if (table.names.length > 9) await press("#what-if .controls button:nth-of-type(2)");
    const before = await page.$eval("#what-if-prediction", (element) => element.textContent);
    await changeCells(page, changes);
    await page.waitForFunction(
      (text) => document.querySelector("#what-if-prediction").textContent !== text,
      {},
      before,
    );
    // The last of several answers.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const close = (a, b, what) =>
      assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${id} ${what}: ${a} and ${b}`);
    const shown = await page.evaluate(() => ({
      prediction: Number(document.querySelector("#what-if-prediction strong data").value),
      label: document.querySelector("#what-if-prediction bdi")?.textContent,
      scores: [...document.querySelectorAll("#what-if tbody tr")].map((line) => [
        line.querySelector("th").textContent,
        Number(line.cells[3].querySelector("data")?.value),
        line.classList.contains("outside"),
      ]),
      curve: document.querySelectorAll("#ice path.faint").length,
    }));
    close(
      shown.prediction,
      Number(expected.get(shown.label ? `probability:${shown.label}` : "prediction")),
      "prediction",
    );
    assert.equal(shown.scores.length, table.names.length - 1);
    const prefix = name === "wine" ? `${shown.label}:` : "";
    for (const [feature, score] of options[0] === "--method" ? [] : shown.scores)
      close(score, Number(expected.get(`score:${prefix}${feature}`)), feature);
    const [feature] = Object.keys(changes);
    const column = table.rows.map((of) => Number(of.get(feature)));
    const value = Number(changes[feature]);
    const isOutside = value < Math.min(...column) || value > Math.max(...column);
    assert.equal(shown.scores.find(([of]) => of === feature)[2], isOutside, feature);
    assert.ok(shown.curve > 10, "curves of other rows");
    assert.deepEqual(complaints, []);
    await page.close();
  }
  const kept = explain(
    "what-if-kept",
    "examples/wine.csv",
    ...["--target", "cultivar", "--stability-runs", "0"],
  );
  const again = (await open(browser, kept.path)).page;
  const press = (button) => again.$eval(button, (element) => element.click());
  await press("#what-if summary");
  await again.waitForSelector("#what-if-prediction strong");
  const cell = () => again.$eval("#what-if tbody input", ({ value }) => value);
  await again.$eval("#what-if tbody input", (input) => {
    input.value = "300";
    input.dispatchEvent(new Event("input"));
  });
  await press("#what-if .controls button:nth-of-type(2)");
  assert.equal(await cell(), "300", "more features keep what was changed");
  const ring = await again.waitForSelector("#ice .ring");
  assert.ok(ring, "the ring is drawn at the current value");
  await press("#what-if-reset");
  assert.notEqual(await cell(), "300");
  await again.close();
  const none = explain(
    "what-if-never",
    "examples/wine.csv",
    ...["--target", "cultivar", "--stability-runs", "0", "--what-if", "never"],
  );
  const { page } = await open(browser, none.path);
  assert.equal(await page.$("#what-if"), null);
});
