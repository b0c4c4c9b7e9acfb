// The report in headless Chromium, opened from disk as a user would: made by the command, and by hand where that
// would take long. The command is `target/debug/lmdi` unless the variable LMDI names another.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, open } from "./browser.js";
import { HOSTILE, report, write } from "./fixture.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LMDI = process.env.LMDI ?? join(ROOT, "target/debug/lmdi");
const FEATURES = [
  "living_area",
  "latitude",
  "quality",
  "age",
  "distance",
  "structure",
  "bedrooms",
  "month",
];

let browser;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "lmdi-report-"));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `lmdi explain` with a report, and returns its path and the scores file as rows of named cells. */
function explain(name, data, ...options) {
  const path = join(folder, `${name}.html`);
  const scores = join(folder, `${name}.csv`);
  execFileSync(
    LMDI,
    ["explain", data, "--trees", "15", "--report", path, "--out", scores, ...options],
    { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] },
  );
  return { path, scores: parse(readFileSync(scores, "utf8")) };
}

/** CSV with quoted cells. */
function parse(text) {
  const lines = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\n"]*))(,|\n|$)/g)) {
    lines.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") lines.push([]);
    if (end === "") break;
  }
  lines.pop();
  const [names, ...rows] = lines;
  return { names, rows: rows.map((cells) => new Map(names.map((name, at) => [name, cells[at]]))) };
}

/** Numbers of the waterfall that is shown. */
function readWaterfall(page) {
  return page.evaluate(() => {
    const exact = (line) => Number(line.querySelector("td.right data").value);
    const lines = [...document.querySelectorAll("#row-waterfall tbody tr")];
    return {
      title: document.querySelector("#row-name").textContent,
      base: exact(lines[0]),
      total: exact(lines.at(-1)),
      left: lines.filter((line) => line.classList.contains("left")).map(exact),
      hatched: document.querySelectorAll("#row-waterfall tr.left pattern").length,
      scores: lines
        .slice(1, -1)
        .filter((line) => !line.classList.contains("left"))
        .map((line) => ({
          name: line.querySelector("th").textContent,
          value: line.querySelector(".value").textContent,
          score: exact(line),
          text: line.querySelector("td.right data").textContent,
        })),
    };
  });
}

async function findRow(page, number) {
  await page.click(".search input", { clickCount: 3 });
  await page.type(".search input", String(number));
  await page.keyboard.press("Enter");
}

/** Base, scores and what they leave unexplained are those of the scores file, to the last bit. */
function compareRow(shown, row, prefix = "") {
  const of = (what) => Number(row.get(prefix === "" ? what : `${what}:${prefix.slice(0, -1)}`));
  assert.equal(shown.base, of("base"));
  const left = ["unexplained", "out_of_bag"].map(of).filter((part) => !Number.isNaN(part));
  assert.ok(left.length > 0);
  assert.deepEqual(shown.left, left);
  assert.equal(shown.hatched, left.length);
  const close = (a, b) =>
    assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a)), `${a} ${b}`);
  close(
    shown.total,
    left.reduce((sum, part) => sum + part, of("explained")),
  );
  for (const { name, score, text } of shown.scores) {
    assert.equal(score, Number(row.get(`score:${prefix}${name}`)), name);
    const sign = /[1-9]/.test(text) ? (score < 0 ? "−" : "+") : "";
    assert.ok(text.startsWith(sign) && /^\d/.test(text.slice(sign.length)), text);
  }
  close(
    shown.scores.reduce((sum, { score }) => sum + score, shown.base),
    of("explained"),
  );
}

test("a report of numbers opens, draws, and its numbers are those of the scores file", async () => {
  const data = "examples/diabetes.csv";
  const { path, scores } = explain(
    "diabetes",
    data,
    "--target",
    "progression",
    "--compare",
    "tree-shap",
  );
  const { page, complaints } = await open(browser, path);
  const drawn = await page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll("main > section")].map(({ id }) => [
        id,
        document.querySelectorAll(`#${id} svg *`).length,
      ]),
    ),
  );
  for (const view of ["overall", "row", "feature", "methods"])
    assert.ok(drawn[view] > 10, `${view}: ${drawn[view]}`);
  for (const view of ["short", "about", "download"]) assert.ok(view in drawn, view);
  const table = parse(readFileSync(join(ROOT, data), "utf8"));
  for (const number of [1, 17, 442]) {
    await findRow(page, number);
    const shown = await readWaterfall(page);
    assert.match(shown.title, new RegExp(`^Row ${number} of `));
    assert.equal(shown.scores.length, 10);
    compareRow(shown, scores.rows[number - 1]);
    const prediction = await page.$eval(".predicted data", (element) => Number(element.value));
    assert.equal(prediction, Number(scores.rows[number - 1].get("prediction")));
    assert.ok(Math.abs(shown.total - prediction) < 1e-9, "the waterfall ends at the prediction");
    for (const { name, value } of shown.scores) {
      const cell = table.rows[number - 1].get(name);
      assert.equal(
        value,
        Number.isNaN(Number(cell)) ? cell : String(Number(Number(cell).toPrecision(6))),
      );
    }
  }
  const before = await readWaterfall(page);
  await page.click("#row-next");
  assert.match(
    (await readWaterfall(page)).title,
    /^Row 1 of /,
    "after the last row comes the first",
  );
  await page.click("#row-before");
  assert.deepEqual(await readWaterfall(page), before);
  assert.deepEqual(complaints, []);
});

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
  for (const way of ["high", "low", "wrong", "unsteady", "number"]) {
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
    "stability",
    "methods",
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

test("classes are explained, one or several", async () => {
  const two = explain(
    "cancer",
    "examples/breast_cancer.csv",
    "--target",
    "diagnosis",
    "--holdout",
    "0.5",
  );
  const opened = await open(browser, two.path);
  const numbers = two.scores.rows.map((row) => Number(row.get("row")));
  await findRow(opened.page, numbers[5]);
  await opened.page.click("#row-waterfall button.plain");
  compareRow(await readWaterfall(opened.page), two.scores.rows[5]);
  assert.match(await opened.page.$eval("#counterfactuals", (place) => place.textContent), /Row \d/);
  assert.deepEqual(opened.complaints, []);

  const three = explain("wine", "examples/wine.csv", "--target", "cultivar");
  const { page, complaints } = await open(browser, three.path);
  const classes = await page.$$eval("#row-class option", (options) =>
    options.map(({ textContent }) => textContent),
  );
  assert.equal(classes.length, 3);
  for (const [at, label] of classes.entries()) {
    await page.select("#row-class", String(at));
    compareRow(await readWaterfall(page), three.scores.rows[0], `${label}:`);
  }
  assert.deepEqual(complaints, []);
});

test("counterfactuals are the nearest rows, and limits are kept", async () => {
  const data = "examples/wine.csv";
  const { path, scores } = explain(
    "counterfactuals",
    data,
    "--target",
    "cultivar",
    "--stability-runs",
    "0",
  );
  const table = parse(readFileSync(join(ROOT, data), "utf8"));
  const columns = scores.names.filter((name) => name.startsWith("score:"));
  /** Numbers of the nearest rows of another class, by looking at all of them. */
  const nearest = (own, allowed) => {
    const distance = (other) =>
      columns.reduce(
        (sum, name) => sum + Math.abs(Number(own.get(name)) - Number(other.get(name))),
        0,
      );
    const others = scores.rows.filter(
      (other) => other.get("prediction") !== own.get("prediction") && allowed(other.get("row") - 1),
    );
    const found = others
      .map((other) => ({ number: other.get("row"), distance: distance(other) }))
      .sort((a, b) => a.distance - b.distance);
    return found.slice(0, 4).map(({ number }) => number);
  };
  const { page } = await open(browser, path);
  const shown = () =>
    page.$$eval("#counterfactuals h4", (titles) =>
      titles.map((title) => /Row ([\d,]+)/.exec(title.textContent)[1]),
    );
  const limit = await page.$eval(
    "#row",
    (part) =>
      [...part.querySelectorAll("option")].find(({ value }) => value.startsWith("up ")).value,
  );
  const column = (
    await page.$eval(
      "#row",
      (part, wanted) =>
        [...part.querySelectorAll("option")].find(({ value }) => value === wanted).textContent,
      limit,
    )
  ).replace(" may only rise", "");
  for (const number of [3, 90, 170]) {
    await findRow(page, number);
    assert.deepEqual(
      await shown(),
      nearest(scores.rows[number - 1], () => true),
    );
  }
  await page.select(".counterfactuals .control:last-child select", limit);
  const cell = (row) => Number(table.rows[row].get(column));
  assert.deepEqual(
    await shown(),
    nearest(scores.rows[169], (row) => cell(row) >= cell(169)),
  );
});

test("a key finds rows, and a threshold decides", async () => {
  const data = join(folder, "patients.csv");
  const rows = parse(readFileSync(join(ROOT, "examples/breast_cancer.csv"), "utf8"));
  const text = [
    ["patient", ...rows.names].join(","),
    ...rows.rows.map((row, at) => [`P-00${at}<b>`, ...row.values()].join(",")),
  ];
  writeFileSync(data, `${text.join("\n")}\n`);
  const { path, scores } = explain(
    "keyed",
    data,
    ...["--target", "diagnosis", "--key", "patient", "--threshold", "0.1", "--stability-runs", "0"],
  );
  const { page, complaints } = await open(browser, path);
  await findRow(page, "P-0041<b>");
  assert.match((await readWaterfall(page)).title, /^Row 42 of .*patient P-0041<b>$/);
  const decided = await page.$eval(".predicted strong", (element) => element.textContent);
  assert.equal(decided, scores.rows[41].get("prediction"));
  const own = scores.rows.findIndex((row) => {
    const share = Number(row.get("probability:malignant"));
    return share >= 0.1 && share < 0.5;
  });
  assert.ok(own >= 0, "a row that the threshold decides");
  await findRow(page, `P-00${own}<b>`);
  assert.equal(
    await page.$eval(".predicted strong", (element) => element.textContent),
    "malignant",
  );
  assert.match(await page.$eval("#threshold", (element) => element.textContent), /malignant .* 10/);
  const found = await page.$$eval("#counterfactuals h4", (titles) =>
    titles.map((title) => title.textContent),
  );
  assert.ok(
    found.length > 0 && found.every((title) => /\(P-00\d+<b>\): benign/.test(title)),
    found[0],
  );
  assert.deepEqual(complaints, []);
});

test("the downloaded file is the scores file", async () => {
  const { path, scores } = explain("downloaded", "examples/wine.csv", "--target", "cultivar");
  const { page } = await open(browser, path);
  const client = await page.createCDPSession();
  await client.send("Browser.setDownloadBehavior", {
    behavior: "allow",
    downloadPath: folder,
    eventsEnabled: true,
  });
  const done = new Promise((resolve) =>
    client.on("Browser.downloadProgress", ({ state }) => state === "completed" && resolve()),
  );
  await page.click("#download-csv");
  await done;
  const downloaded = parse(
    readFileSync(
      join(
        folder,
        readdirSync(folder).find((name) => name.startsWith("scores") && name.endsWith(".csv")),
      ),
      "utf8",
    ),
  );
  assert.deepEqual(downloaded.names, scores.names);
  assert.equal(downloaded.rows.length, scores.rows.length);
  for (const [at, row] of scores.rows.entries()) {
    for (const [name, cell] of row) {
      const other = downloaded.rows[at].get(name);
      assert.ok(other === cell || Number(other) === Number(cell), `${name}: ${other} and ${cell}`);
    }
  }
});

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

test("100,000 rows x 50 features: small, and a row change takes less than 200 ms", async () => {
  const path = join(folder, "large.html");
  const names = Array.from({ length: 50 }, (_, at) => `feature ${at}`);
  // As many of the rows as the command puts into a page.
  write(path, report({ rows: 6000, names, explained: 100_000 }));
  assert.ok(statSync(path).size < 10_000_000, `${statSync(path).size} bytes`);
  const { page, complaints } = await open(browser, path);
  assert.match(await page.$eval("#short", (part) => part.textContent), /holds 6,000 of them/);
  const times = [];
  for (let change = 0; change < 10; change++) {
    times.push(
      await page.evaluate(async () => {
        const from = performance.now();
        document.querySelector("#row-next").click();
        // After the frame that shows it.
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - from;
      }),
    );
  }
  console.log(`row changes: ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
  // The best of several, because other programs may keep the machine busy.
  assert.ok(Math.min(...times) < 200, `${times}`);
  assert.deepEqual(complaints, []);
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
