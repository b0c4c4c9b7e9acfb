// Pictures of every view of a report, to be looked at: `node test/screenshots.js REPORT.html FOLDER [VIEW ...]`.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { launch, open } from "./support/browser.js";

const LOOKS = [
  ["", { width: 1300, height: 1290 }],
  ["-dark", { width: 1300, height: 860, dark: true }],
  ["-narrow", { width: 390, height: 860 }],
];

/** Writes `NAME-VIEW.png`, `NAME-VIEW-dark.png` and `NAME-VIEW-narrow.png`, all or those wanted. */
export async function screenshots(path, folder, { name = "report", wanted = [], hash = "" } = {}) {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  for (const [look, size] of LOOKS) {
    const { page } = await open(browser, path, { ...size, hash });
    const views = [
      "top",
      ...(await page.$$eval("main > section", (parts) => parts.map(({ id }) => id))),
      ...((await page.$("#what-if")) ? ["what-if"] : []),
    ];
    for (const view of views) {
      const file = `${name}-${view}${look}`;
      if (wanted.length > 0 && !wanted.includes(file)) continue;
      if (view === "what-if") {
        await page.$eval("#what-if", (details) => {
          details.open = true;
        });
        // A model of texts alone has no curve.
        if (await page.$("#ice")) await page.waitForSelector("#ice svg");
      }
      const part = view === "top" ? page : await page.$(`#${view}`);
      await page.evaluate(
        (id) => document.getElementById(id)?.scrollIntoView({ behavior: "instant" }),
        view,
      );
      await part.screenshot({ path: join(folder, `${file}.png`) });
    }
    await page.close();
  }
  await browser.close();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [path, folder, ...wanted] = process.argv.slice(2);
  await screenshots(path, folder, { wanted });
}
