// Pictures of every view of a report, to be looked at: `node make/screenshots.js REPORT.html FOLDER [VIEW ...]`.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open } from "../test/support/browser.js";

const LOOKS = [
  ["", { width: 1300, height: 1290 }],
  ["-dark", { width: 1300, height: 860, dark: true }],
  ["-narrow", { width: 390, height: 860 }],
];

/** A4 without its margins, in pixels. */
const PAPER = { width: 718, height: 1046 };

/** Adds a limit of similar rows. */
async function limit(page, column, kind) {
  await page.select("#limit-feature", column);
  await page.select("#limit-kind", kind);
  await page.$eval("#limit-add", (button) => button.click());
}

/** Views that a reader gets to by using the page: what is done, and what is then shown. */
const STAGED = {
  "what-if": async (page) => {
    await page.$eval("#what-if", (details) => {
      details.open = true;
    });
    // A model of groups of columns has no curve.
    if (await page.$("#ice")) await page.waitForSelector("#ice svg");
    return "#what-if";
  },
  "two-rows": async (page) => {
    await page.$eval("#row-keep", (button) => button.click());
    await page.$eval("#row-next", (button) => button.click());
    return "#beside";
  },
  limits: async (page) => {
    // Two limits of one column of numbers, and one of texts, of those that matter less.
    const columns = await page.$$eval("#limit-feature option", (all) =>
      all.map(({ value }) => value).reverse(),
    );
    const wanted = [["up", "range"], ["levels"]];
    for (const column of columns) {
      await page.select("#limit-feature", column);
      const kinds = await page.$$eval("#limit-kind option", (all) => all.map(({ value }) => value));
      const at = wanted.findIndex(([first]) => kinds.includes(first));
      for (const kind of at < 0 ? [] : wanted.splice(at, 1)[0]) await limit(page, column, kind);
    }
    return ".counterfactuals";
  },
  marks: async (page) => {
    await page.$eval("#slices tbody tr:last-child button", (button) => button.click());
    return "#trust";
  },
  sheet: async (page) => {
    await page.setViewport(PAPER);
    await page.emulateMediaType("print");
    await page.evaluate(() => document.body.classList.add("only-row"));
    return null;
  },
};

/** Writes `NAME-VIEW.png`, `NAME-VIEW-dark.png` and `NAME-VIEW-narrow.png`, all or those wanted. */
export async function screenshots(path, folder, { name = "report", wanted = [], hash = "" } = {}) {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  const isWanted = (file) => wanted.length === 0 || wanted.includes(file);
  for (const [look, size] of LOOKS) {
    const take = async (page, view, selector) => {
      const part = selector ? await page.$(selector) : page;
      await part?.scrollIntoView?.();
      await part?.screenshot({ path: join(folder, `${name}-${view}${look}.png`) });
    };
    const { page } = await open(browser, path, { ...size, hash });
    const parts = await page.$$eval("main > section", (all) => all.map(({ id }) => id));
    for (const view of ["top", ...parts])
      if (isWanted(`${name}-${view}${look}`)) await take(page, view, view !== "top" && `#${view}`);
    await page.close();
    for (const [view, stage] of Object.entries(STAGED)) {
      if (!isWanted(`${name}-${view}${look}`)) continue;
      const { page } = await open(browser, path, { ...size, hash });
      const isThere = await page.$(view === "what-if" ? "#what-if" : "#row");
      if (isThere) await take(page, view, await stage(page));
      await page.close();
    }
  }
  await browser.close();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [path, folder, ...wanted] = process.argv.slice(2);
  await screenshots(path, folder, { wanted });
}
