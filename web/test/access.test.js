// Keyboard, screen readers, narrow screens, dark mode: axe's rules and overflow over real reports.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "./support/browser.js";
import { report, write } from "./support/fixture.js";
import { axe, browser, explain, FEATURES, folder, readWaterfall } from "./support/session.js";

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
  await tabTo(
    "the limits",
    () => document.activeElement.value === "" && document.activeElement.tagName === "SELECT",
  );
  await page.keyboard.type("quality must");
  await page.keyboard.press("Tab");
  assert.match(await page.$eval(".chips", (list) => list.textContent), /quality must stay/);
  await tabTo("the download", () => document.activeElement.id === "download-csv");
  assert.deepEqual(complaints, []);
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
  write(all, report({ rows: 300, names: FEATURES }));
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
