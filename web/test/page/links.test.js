// Addresses that open the same view.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { report, write } from "../support/fixture.js";
import { browser, explain, FEATURES, findRow, folder } from "../support/session.js";

test("a link opens the same view, and says what the page does not hold", async () => {
  const { path } = explain(
    "linked",
    "examples/wine.csv",
    ...["--target", "cultivar", "--stability-runs", "0"],
  );
  const seen = (page) =>
    page.evaluate(() => ({
      row: document.querySelector("#row-name").textContent,
      class: document.querySelector("#page-class").selectedOptions[0].textContent,
      feature: document.querySelector("#feature-name").selectedOptions[0].textContent,
      note: document.querySelector("#link-note").textContent,
      hash: location.hash,
    }));
  const first = await open(browser, path);
  assert.equal((await seen(first.page)).hash, "");
  await findRow(first.page, 17);
  await first.page.select("#page-class", "2");
  await first.page.select(
    "#feature-name",
    await first.page.$eval(
      "#feature-name",
      (select) => [...select.options].find(({ text }) => text === "hue").value,
    ),
  );
  const chosen = await seen(first.page);
  assert.match(chosen.hash, /row=17.*class=third.*feature=hue/);
  const second = await open(browser, path, { hash: chosen.hash });
  assert.deepEqual(await seen(second.page), chosen);
  await second.page.click('nav a[href="#groups"]');
  await second.page.waitForFunction(() => location.hash.includes("view="));
  assert.match((await seen(second.page)).hash, /view=groups.*row=17/, "what is chosen stays");
  const wrong = await open(browser, path, { hash: "#row=9999&class=<b>&threshold=2" });
  assert.match((await seen(wrong.page)).note, /row 9999 and class <b> and threshold 2/);
  assert.deepEqual([...first.complaints, ...second.complaints, ...wrong.complaints], []);
  const lost = await open(browser, path, { hash: "#view=nonsense" });
  assert.match((await seen(lost.page)).note, /the part nonsense/);
  const sheet = await open(browser, path, { hash: "#row=17" });
  assert.ok((await sheet.page.evaluate(() => scrollY)) > 500, "a link to a row shows its sheet");
  const numbers = join(folder, "linked-numbers.html");
  write(numbers, report({ rows: 50, names: FEATURES }));
  const third = await open(browser, numbers, { hash: "#threshold=1.5&view=row" });
  assert.equal(await third.page.$eval(".counterfactuals input", ({ value }) => Number(value)), 1.5);
});
