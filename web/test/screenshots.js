// Pictures of every view of a report, to be looked at: `node test/screenshots.js REPORT.html FOLDER [VIEW ...]`.

import { join } from "node:path";
import { launch, open } from "./browser.js";

const [path, folder, ...wanted] = process.argv.slice(2);
const browser = await launch();
const looks = [
  ["", { width: 1300, height: 1290 }],
  ["-dark", { width: 1300, height: 860, dark: true }],
  ["-narrow", { width: 390, height: 860 }],
];
for (const [look, size] of looks) {
  const { page } = await open(browser, path, size);
  const views = [
    "top",
    ...(await page.$$eval("main > section", (parts) => parts.map(({ id }) => id))),
  ];
  for (const view of views) {
    const name = `report-${view}${look}`;
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const part = view === "top" ? page : await page.$(`#${view}`);
    await page.evaluate(
      (id) => document.getElementById(id)?.scrollIntoView({ behavior: "instant" }),
      view,
    );
    await part.screenshot({ path: join(folder, `${name}.png`) });
  }
}
await browser.close();
