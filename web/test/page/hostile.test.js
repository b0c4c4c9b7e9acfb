// Names and cells that look like markup.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "../support/browser.js";
import { HOSTILE, report, write } from "../support/fixture.js";
import { browser, explain, folder } from "../support/session.js";

test("hostile names, cells and labels stay text", async () => {
  const byHand = join(folder, "hostile.html");
  write(
    byHand,
    report({ rows: 60, names: HOSTILE, labels: ["<script>window.hacked=1</script>", "__proto__"] }),
  );
  const data = join(folder, "hostile.csv");
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  // A table cannot have a nameless column.
  const names = HOSTILE.filter((name) => name !== "");
  const lines = Array.from(
    { length: 60 },
    (_, row) =>
      `${names
        .map((_, at) =>
          at % 3 === 0
            ? quoted(HOSTILE[(row * 7 + at) % 4])
            : String(((row * (at + 3)) % 17) + row / 100),
        )
        .join(",")},${row % 7}.5`,
  );
  writeFileSync(data, `${names.map(quoted).join(",")},"<b>y</b>"\n${lines.join("\n")}\n`);
  const byCommand = explain("hostile-made", data, "--target", "<b>y</b>", "--compare", "tree-shap");
  for (const [path, expected] of [
    [byHand, HOSTILE.filter((name) => name !== "")],
    [byCommand.path, names],
  ]) {
    const { page, complaints } = await open(browser, path);
    for (const option of await page.$$eval("#feature-name option", (options) =>
      options.map(({ value }) => value),
    )) {
      await page.select("#feature-name", option);
    }
    await page.click("#row-next");
    const found = await page.evaluate(() => ({
      hacked: window.hacked,
      foreign: document.querySelectorAll(
        "#page img, #page script, #page b, #page iframe, [onerror]",
      ).length,
      names: [...document.querySelectorAll("#overall th bdi")].map((name) => name.textContent),
    }));
    assert.equal(found.hacked, undefined);
    assert.equal(found.foreign, 0);
    for (const name of expected)
      assert.ok(
        found.names.includes(name),
        `${JSON.stringify(name)} among ${JSON.stringify(found.names)}`,
      );
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      "a long name does not widen the page",
    );
    assert.deepEqual(complaints, []);
  }
});
