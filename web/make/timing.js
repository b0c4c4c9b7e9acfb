// How fast a page opens: `npm run timing [-- REPORT.html]`. Without a report, the largest page: 100,000 rows x 50 columns.
// Prints the size of the page, the time from opening the file to the first picture, and the times of row changes.

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "../test/support/browser.js";
import { report, write } from "../test/support/fixture.js";
import { firstPicture, rowChanges } from "../test/support/timing.js";

const RUNS = 5;
const folder = mkdtempSync(join(tmpdir(), "lmdi-timing-"));
let [path] = process.argv.slice(2);
if (!path) {
  path = join(folder, "large.html");
  const names = Array.from({ length: 50 }, (_, at) => `feature ${at}`);
  write(path, report({ rows: 6000, names, explained: 100_000 }));
}
const size = statSync(path).size;
const browser = await launch();
const first = [];
const changes = [];
for (let run = 0; run < RUNS; run++) {
  const page = await browser.newPage();
  first.push(await firstPicture(page, path));
  changes.push(...(await rowChanges(page, 10)));
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true });
const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
const told = (times) =>
  `median ${median(times).toFixed(0)} ms, ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`;
if (path.startsWith(folder))
  console.log("100,000 rows x 50 columns, of which the page holds 6,000 rows");
console.log(`size: ${(size / 1e6).toFixed(1)} MB`);
console.log(`first picture: ${told(first)} (${RUNS} runs)`);
console.log(`row change: ${told(changes)}`);
