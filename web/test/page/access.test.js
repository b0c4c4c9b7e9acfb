// Keyboard, screen readers, narrow screens, dark mode: axe's rules and overflow over real reports.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { report, write } from "../support/fixture.js";
import { axe, browser, explain, FEATURES, folder, readWaterfall } from "../support/session.js";

test("the keyboard alone is enough", async () => {
  const path = join(folder, "keyboard.html");
  write(path, report({ rows: 200, names: FEATURES }));
  const { page, complaints } = await open(browser, path);
  const focused = () =>
    page.evaluate(() => document.activeElement.textContent || document.activeElement.tagName);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the report");
  const tabTo = async (what, wanted) => {
    for (let steps = 0; steps < 120; steps++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(wanted)) return;
    }
    assert.fail(`${what} is not reached by Tab`);
  };
  await tabTo(
    "a feature",
    () => document.activeElement.closest("#overall button.link")?.textContent === "age",
  );
  await page.keyboard.press("Enter");
  assert.equal(
    await page.$eval("#feature-name", (select) => select.selectedOptions[0].textContent),
    "age",
  );
  assert.equal(await page.evaluate(() => document.activeElement.id), "feature-title");
  await page.evaluate(() => document.querySelector("nav a").focus());
  await tabTo("the search", () => document.activeElement.type === "search");
  await page.keyboard.type("42");
  await page.keyboard.press("Enter");
  assert.match((await readWaterfall(page)).title, /^Row 42 of /);
  await tabTo("the next row", () => document.activeElement.id === "row-next");
  await page.keyboard.press("Space");
  assert.match((await readWaterfall(page)).title, /^Row 43 of /);
  assert.match(
    await page.$eval("#row [role=status].hidden", (status) => status.textContent),
    /^Row 43\. Predicted/,
    "a screen reader is told",
  );
  await tabTo("the limits", () => document.activeElement.id === "limit-feature");
  await page.keyboard.type("quality");
  await page.keyboard.press("Tab");
  await page.keyboard.type("must not");
  assert.equal((await page.$$(".chips li")).length, 0, "nothing is added by passing over it");
  await tabTo("the button", () => document.activeElement.id === "limit-add");
  await page.keyboard.press("Enter");
  assert.match(await page.$eval(".chips", (list) => list.textContent), /quality must not change/);
  await tabTo("the download", () => document.activeElement.id === "download-csv");
  assert.deepEqual(complaints, []);
});

test("the focus is never lost, and the map can be marked without a pointer", async () => {
  const path = join(folder, "focus.html");
  write(path, report({ rows: 200, names: FEATURES }));
  const { page, complaints } = await open(browser, path);
  await page.evaluate(() => {
    window.print = () => {};
    for (const part of document.querySelectorAll("details")) part.open = true;
  });
  await page.waitForSelector("#map .behind tbody button");
  const rows = await page.$$eval("#map .behind tbody tr", (lines) =>
    lines.map((line) => Number(line.cells[2].textContent)),
  );
  assert.equal(
    rows.reduce((sum, n) => sum + n, 0),
    200,
    "the table of the map holds all rows",
  );
  await page.click("#map .behind tbody button");
  const marked = await page.$eval("#marked", (bar) => bar.textContent);
  assert.match(marked, new RegExp(`^${rows[0]} rows marked`));
  // Controls are used one after the other; those that a use adds or removes are met on the way.
  const used = await page.evaluate(async () => {
    const lost = [];
    let at = 0;
    for (; at < 400; at++) {
      const controls = [...document.querySelectorAll("#page button:not([disabled])")].filter(
        (button) => button.offsetParent !== null && button.id !== "download-csv",
      );
      if (at >= controls.length) break;
      controls[at].focus();
      controls[at].click();
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      if (document.activeElement === document.body) lost.push(controls[at].outerHTML.slice(0, 150));
    }
    return { at, lost };
  });
  assert.ok(used.at > 30, `${used.at} buttons`);
  assert.deepEqual(used.lost, []);
  await page.click("#map .behind tbody button");
  await page.focus("#marked button");
  await page.keyboard.press("Enter");
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
  );
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
  assert.deepEqual(complaints, []);
});

test("numbers of a table have the same decimals, one minus sign, and stand at the right", async () => {
  const { path } = explain("decimals", "examples/diabetes.csv", "--target", "progression");
  const { page } = await open(browser, path);
  await page.$$eval("details", (parts) => {
    for (const part of parts) part.open = true;
  });
  await page.waitForSelector("#what-if-prediction strong");
  assert.doesNotMatch(
    await page.$eval("main", (part) => part.innerText),
    /(^|[\s(])-\d/,
    "a hyphen is no minus",
  );
  const columns = await page.$$eval("table.plain", (tables) =>
    tables.flatMap((table) => {
      const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
      return heads.map((_, at) => ({
        name: `${table.caption?.textContent}: ${heads[at].textContent}`,
        cells: [...table.tBodies[0].rows]
          .map((line) => line.cells[at])
          .filter((cell) => cell?.querySelector(":scope > data"))
          .map((cell) => ({ text: cell.textContent, side: getComputedStyle(cell).textAlign })),
      }));
    }),
  );
  const scores = columns.filter(({ cells }) => cells.length > 1);
  assert.ok(scores.length > 10);
  for (const { name, cells } of scores) {
    if (/RMSE|R2|AUROC|here|value|measured|Quality/.test(name) && !/score/.test(name)) continue;
    const decimals = cells.map(({ text }) => (/\.(\d+)/.exec(text)?.[1] ?? "").length);
    assert.equal(new Set(decimals).size, 1, `${name}: ${cells.map(({ text }) => text)}`);
    assert.ok(
      cells.every(({ side }) => side === "right" || side === "end"),
      `${name} stands at the right`,
    );
  }
});

test("controls, drawings and tables say what they are", async () => {
  const path = join(folder, "named.html");
  write(path, report({ rows: 100, names: FEATURES }));
  const { page } = await open(browser, path);
  const nameless = await page.evaluate(() =>
    [
      ...[...document.querySelectorAll("select, input")].filter(
        (control) => control.labels.length === 0,
      ),
      ...[...document.querySelectorAll("button")].filter(
        (button) => button.textContent.trim() === "",
      ),
      ...[...document.querySelectorAll("svg")].filter(
        (drawing) =>
          drawing.getAttribute("aria-hidden") !== "true" && !drawing.getAttribute("aria-label"),
      ),
      ...[...document.querySelectorAll("table")].filter((table) => !table.caption || !table.tHead),
      ...[...document.querySelectorAll("section")].filter(
        (part) => !document.getElementById(part.getAttribute("aria-labelledby")),
      ),
    ].map((element) => element.outerHTML.slice(0, 200)),
  );
  assert.deepEqual(nameless, []);
  const ids = await page.$$eval("[id]", (elements) => elements.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "ids are unique");
});

test("real reports at three widths: nothing sticks out, collides or is inaccessible", async () => {
  const reports = [
    explain("wide-numbers", "examples/diabetes.csv", "--target", "progression"),
    explain("wide-classes", "examples/breast_cancer.csv", "--target", "diagnosis"),
    explain("wide-several", "examples/wine.csv", "--target", "cultivar"),
  ].map(({ path }) => path);
  const all = join(folder, "wide-all.html");
  const everything = report({ rows: 300, names: FEATURES });
  // Shares that are told in more words than others.
  for (const { share } of everything.methods) share[share.length - 1] = 0.0002;
  write(all, everything);
  for (const path of [...reports, all]) {
    for (const width of [390, 820, 1440]) {
      const { page, complaints } = await open(browser, path, { width, height: 900 });
      await page.$$eval("details", (parts) => {
        for (const part of parts) part.open = true;
      });
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll("body *")]
          .filter(
            (element) =>
              element.getBoundingClientRect().right > innerWidth + 1 &&
              !element.closest(".scroll, .hidden, svg"),
          )
          .map((element) => element.outerHTML.slice(0, 120)),
      );
      assert.deepEqual(wide, [], `${path} at ${width}`);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `no sideways scroll of ${path} at ${width}`,
      );
      const colliding = await page.evaluate(() =>
        [...document.querySelectorAll(".axis")].flatMap((axis) => {
          const boxes = [...axis.querySelectorAll(".tick")]
            .filter((tick) => getComputedStyle(tick).visibility === "visible")
            .map((tick) => tick.getBoundingClientRect())
            .filter((box) => box.width > 0)
            .sort((a, b) => a.left - b.left);
          return boxes
            .slice(1)
            .flatMap((box, at) => (box.left < boxes[at].right ? [axis.textContent] : []));
        }),
      );
      assert.deepEqual(colliding, [], `ticks of ${path} at ${width}`);
      assert.deepEqual(await axe(page), [], `${path} at ${width}`);
      assert.deepEqual(complaints, []);
      await page.close();
    }
  }
});

test("narrow screens, dark mode and print", async () => {
  const path = join(folder, "shapes.html");
  write(path, report({ rows: 300, names: FEATURES }));
  const narrow = await open(browser, path, { width: 360, height: 740 });
  assert.ok(await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await paper(narrow.page), "rgb(255, 255, 255)");
  const dark = await open(browser, path, { dark: true });
  assert.equal(await paper(dark.page), "rgb(20, 24, 30)");
  await dark.page.emulateMediaType("print");
  assert.equal(await paper(dark.page), "rgb(255, 255, 255)", "dark mode is not printed");
  assert.equal(
    await dark.page.$eval("nav", (contents) => getComputedStyle(contents).display),
    "none",
  );
  assert.deepEqual([...narrow.complaints, ...dark.complaints], []);
});
