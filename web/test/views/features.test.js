// Features, orders and colours: every choice draws.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { report, write } from "../support/fixture.js";
import { browser, explain, FEATURES, folder, parse, readWaterfall } from "../support/session.js";

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

/** Tickets: a fee that is mostly 0, a seat in whole numbers, and a city with rare and missing ones. */
function tickets() {
  const cities = [
    "Aachen",
    "Bonn",
    "Celle",
    "Dresden",
    "Essen",
    "Fulda",
    "Gera",
    "Halle",
    "Ilmenau",
  ];
  const lines = Array.from({ length: 61 * 8 }, (_, row) => {
    const fee = (row * 7) % 25 < 2 ? 10 + ((row * 13) % 90) : 0;
    const city = row % 12 === 5 ? "" : cities[Math.min(8, ((row * 5) % 97) % 13)];
    return [fee, row % 61, city, 3 * fee + (row % 61) + 5 * city.length + ((row * 31) % 7)].join(
      ",",
    );
  });
  return `fee,seat,city,price\n${lines.join("\n")}\n`;
}

test("values in steps have even bars, equal values are told, and levels have a legend", async () => {
  const data = join(folder, "tickets-table.csv");
  writeFileSync(data, tickets());
  const { path } = explain(
    "tickets",
    data,
    ...["--target", "price", "--stability-runs", "0", "--max-levels", "5"],
  );
  const { page, complaints } = await open(browser, path, { hash: "#feature=seat" });
  // All 61 seats have as many rows: bars of two seats each, and one of the last.
  const bars = await page.$$eval("#feature rect.count", (all) =>
    all.map((bar) => [Number(bar.getAttribute("height")), Number(bar.getAttribute("width"))]),
  );
  assert.equal(bars.length, 31);
  for (const [tall] of bars.slice(0, -1)) assert.ok(Math.abs(tall - bars[0][0]) < 0.01, `${bars}`);
  assert.ok(Math.abs(bars[30][0] - bars[0][0] / 2) < 0.01);
  const told = await page.$$eval("#picture tbody tr", (lines) =>
    lines.map((line) => [
      line.querySelector("th button").textContent,
      line.querySelector(".trend").textContent,
    ]),
  );
  const table = parse(readFileSync(data, "utf8")).rows;
  const zero = table.filter((row) => row.get("fee") === "0").length / table.length;
  const fee = Object.fromEntries(told).fee.replace("\u00a0", " ");
  assert.equal(fee, `${(100 * zero).toFixed(0)} % are 0; other values raise it`);
  const legend = await page.$$eval("#overall tbody tr", (lines) =>
    lines
      .find((line) => line.textContent.includes("city"))
      ?.querySelector(".levels-of")
      .textContent.split(/(?<=\S)(?=Aachen|others|missing)/),
  );
  assert.match(legend.join("|"), /Aachen.*\|others \(2 values\)\|missing$/);
  // The model has parts for five cities, and reads the others as one.
  await page.evaluate(() => {
    location.hash = "#feature=city";
  });
  await page.waitForSelector("#feature table.overall");
  const rare = await page.$$eval(
    "#feature tbody th",
    (all) => all.filter((of) => of.textContent.endsWith(" rare")).length,
  );
  assert.equal(rare, 4);
  assert.match(await page.$eval("#feature", (part) => part.textContent), /cannot tell them apart/);
  assert.deepEqual(complaints, []);
});

test("dates and tiny numbers: labels of axes do not touch, and numbers keep their digits", async () => {
  const data = join(folder, "times-table.csv");
  const lines = Array.from({ length: 200 }, (_, row) => {
    const at = new Date(Date.UTC(2020, 0, 1, (row * 37) % 700, (row * 7) % 60));
    const y = (((row * 29) % 83) + ((row * 37) % 700) / 9) * 1e-9;
    return [at.toISOString().slice(0, 19).replace("T", " "), ((row * 29) % 83) * 1e-30, y].join(
      ",",
    );
  });
  writeFileSync(data, `at,tiny,y\n${lines.join("\n")}\n`);
  const { path } = explain("times", data, "--target", "y", "--stability-runs", "0");
  for (const [feature, text] of [
    ["at", /^2020-01-\d\d( \d\d:\d\d:00)?$/],
    ["tiny", /^(0|\d(\.\d+)?e-\d+)$/],
  ]) {
    for (const width of [1280, 390]) {
      const { page, complaints } = await open(browser, path, {
        width,
        hash: `#feature=${feature}`,
      });
      await page.$eval("#what-if", (details) => {
        details.open = true;
      });
      await page.waitForSelector("#ice svg.curves");
      for (const plot of ["#feature .scatter", "#ice"]) {
        const labels = await page.$$eval(`${plot} svg > g:first-of-type text`, (all) =>
          all.map((label) => {
            const { left, right } = label.getBoundingClientRect();
            return { text: label.textContent, left, right };
          }),
        );
        assert.ok(labels.length > 1, `${plot} ${width}: ${labels.length} labels`);
        if (plot !== "#ice") for (const label of labels) assert.match(label.text, text);
        for (const [at, { left }] of labels.entries())
          if (at > 0)
            assert.ok(left > labels[at - 1].right, `${plot} ${width}: ${labels[at].text}`);
      }
      // Two significant digits or more, not 0.0000000001.
      const sizes = await page.$$eval("#overall tbody td data", (all) =>
        all.map(({ textContent }) => textContent),
      );
      for (const size of sizes) assert.match(size, /^(0|\d\.\d+e-\d+)$/);
      assert.notEqual(sizes[0], "0");
      assert.deepEqual(complaints, []);
      await page.close();
    }
  }
});
