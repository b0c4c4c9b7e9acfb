// The printed report: whole plots, nothing lost, full pages, one row on one page.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { report, write } from "../support/fixture.js";
import { filledPages } from "../support/pdf.js";
import { browser, explain, FEATURES, folder } from "../support/session.js";

/** A4 without its margins, in pixels. */
const WIDTH = 718;
const PAPER = {
  format: "A4",
  printBackground: true,
  margin: { top: "10mm", bottom: "10mm", left: "10mm", right: "10mm" },
};
/** A page that is filled less is half empty; the last may end where it ends. */
const LEAST = 0.6;

function reports() {
  const all = join(folder, "print-all.html");
  write(all, report({ rows: 300, names: FEATURES }));
  const none = ["--stability-runs", "0"];
  return [
    all,
    explain("print-numbers", "examples/diabetes.csv", "--target", "progression").path,
    explain("print-classes", "examples/breast_cancer.csv", "--target", "diagnosis", ...none).path,
    explain("print-several", "examples/wine.csv", "--target", "cultivar", ...none).path,
  ];
}

test("printed pages cut no plot, lose nothing and are full", async () => {
  for (const path of reports()) {
    const { page, complaints } = await open(browser, path, { width: 1280, height: 900 });
    const seen = () =>
      page.evaluate(() => {
        const isShown = (element) =>
          element.checkVisibility() && element.getClientRects().length > 0;
        const count = (selector) => [...document.querySelectorAll(selector)].filter(isShown).length;
        return {
          sections: [...document.querySelectorAll("main > section")].filter(isShown).length,
          drawings: count("main svg"),
          legends: count("main .legend"),
          errors: count("#row-waterfall .spread"),
          captions: count("main caption, main figcaption"),
        };
      });
    const onScreen = await seen();
    // Printed from a wide window: nothing is redrawn between the new width and the measuring.
    const unfitted = await page.evaluate((width) => {
      document.body.style.width = `${width}px`;
      const end = (drawn) => drawn.getBoundingClientRect().right;
      const wide = [...document.querySelectorAll("main svg")]
        .filter((drawing) =>
          [...drawing.querySelectorAll("text, circle, path")].some(
            (part) => end(part) > Math.min(end(drawing), width) + 1,
          ),
        )
        .map((drawing) => drawing.getAttribute("aria-label"));
      document.body.style.width = "";
      return wide;
    }, WIDTH);
    assert.deepEqual(unfitted, [], path);
    assert.ok(onScreen.errors > 5, "error values on the screen");
    await page.setViewport({ width: WIDTH, height: 1000 });
    await page.emulateMediaType("print");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    const printed = await seen();
    // The download is a button, and no use on paper.
    assert.deepEqual(printed, { ...onScreen, sections: onScreen.sections - 1 }, path);
    const cut = await page.evaluate((width) => {
      const isCut = (element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.right > width + 1 || box.left < -1);
      };
      return [...document.querySelectorAll("main svg, main table, main p, main h2")]
        .filter(isCut)
        .map((element) => element.outerHTML.slice(0, 100));
    }, WIDTH);
    assert.deepEqual(cut, [], path);
    // In PDF, a line without length has a round end or none.
    const lost = await page.$$eval("main .dots", (paths) =>
      paths
        .filter((path) => getComputedStyle(path).strokeLinecap !== "round")
        .filter((path) => path.getTotalLength() === 0)
        .map((path) => path.getAttribute("class")),
    );
    assert.deepEqual(lost, [], path);
    const filled = filledPages(await page.pdf(PAPER));
    assert.ok(filled.length > 2, `${filled.length} pages`);
    for (const [at, share] of filled.slice(0, -1).entries())
      assert.ok(share >= LEAST, `page ${at + 1} of ${path} is filled to ${share.toFixed(2)}`);
    assert.deepEqual(complaints, []);
    await page.close();
  }
});

test("the sheet of a row is one page, with its drawing", async () => {
  for (const path of reports()) {
    const { page } = await open(browser, path, { width: WIDTH, height: 1000 });
    await page.evaluate(() => document.body.classList.add("only-row"));
    const filled = filledPages(await page.pdf(PAPER));
    assert.equal(filled.length, 1, path);
    assert.ok(filled[0] > 0.3 && filled[0] < 1, `${path}: filled to ${filled[0]}`);
    await page.close();
  }
});
