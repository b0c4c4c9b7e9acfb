// Features, orders and colours: every choice draws.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "./support/browser.js";
import { report, write } from "./support/fixture.js";
import { browser, FEATURES, folder, readWaterfall } from "./support/session.js";

test("every feature can be looked into, and every order stepped through", async () => {
  const path = join(folder, "all.html");
  write(path, report({ rows: 400, names: FEATURES }));
  const { page, complaints } = await open(browser, path);
  const features = await page.$$eval("#feature-name option", (options) =>
    options.map(({ value }) => value),
  );
  for (const value of new Set(features.filter((value) => value !== "-1"))) {
    await page.select("#feature-name", value);
    await page.select("#feature-colour", value);
    assert.ok(
      (await page.$$eval(
        "#feature .dots",
        (paths) => paths.map((path) => path.getAttribute("d")).join("").length,
      )) > 500,
      value,
    );
  }
  for (const way of ["high", "low", "wrong", "unsteady", "models", "number"]) {
    const before = (await readWaterfall(page)).title;
    await page.select("#row-order", way);
    await page.click("#row-next");
    assert.notEqual((await readWaterfall(page)).title, before, way);
  }
  const views = await page.$$eval("nav a", (links) => links.map((link) => link.hash.slice(1)));
  assert.deepEqual(views, [
    "short",
    "overall",
    "row",
    "feature",
    "groups",
    "map",
    "trust",
    "stability",
    "methods",
    "models",
    "about",
    "download",
  ]);
  for (const colour of await page.$$eval("#map option", (options) =>
    options.map(({ value }) => value),
  ))
    await page.select("#map select", colour);
  assert.ok((await page.$$eval("#map .dots", (paths) => paths.length)) > 3);
  assert.deepEqual(complaints, []);
});
