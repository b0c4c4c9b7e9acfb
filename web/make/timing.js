// How fast a page opens: `npm run timing [-- REPORT.html]`. Without a report, the largest pages: 100,000 rows x 50 columns
// and 2,000 rows x 1,000 columns. Prints the size of a page, the time from opening the file to the first picture, and the
// times of row changes.

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../test/support/browser.js";
import { report, write } from "../test/support/fixture.js";
import { firstPicture, rowChanges } from "../test/support/timing.js";

const RUNS = 5;
const folder = mkdtempSync(join(tmpdir(), "lmdi-timing-"));
const [given] = process.argv.slice(2);
const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
const told = (times) =>
  `median ${median(times).toFixed(0)} ms, ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`;

/** A page with as many of the rows as the command puts into one. */
function large(explained, columns) {
  const path = join(folder, `${columns}.html`);
  const names = Array.from({ length: columns }, (_, at) => `feature ${at}`);
  const rows = Math.min(explained, 300_000 / columns);
  write(path, report({ rows, names, explained }));
  const title = `${explained.toLocaleString("en")} rows x ${columns.toLocaleString("en")} columns, of which the page holds ${rows.toLocaleString("en")} rows`;
  return { path, title };
}

const browser = await launch();
const pages = given ? [{ path: given, title: given }] : [large(100_000, 50), large(2000, 1000)];
for (const { path, title } of pages) {
  const first = [];
  const changes = [];
  for (let run = 0; run < RUNS; run++) {
    const page = await browser.newPage();
    first.push(await firstPicture(page, path));
    changes.push(...(await rowChanges(page, 10)));
    await page.close();
  }
  console.log(title);
  console.log(`size: ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  console.log(`first picture: ${told(first)} (${RUNS} runs)`);
  console.log(`row change: ${told(changes)}`);
}
await browser.close();
rmSync(folder, { recursive: true });
