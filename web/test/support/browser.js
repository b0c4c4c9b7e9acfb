// A page in headless Chromium, with everything that it must not do written down.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";
import { bundledBrowser } from "./bundled_browser.js";

const PLACES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser of this machine, or else the one among the development dependencies. */
export function findBrowser() {
  const executablePath = PLACES.find((path) => path && existsSync(path));
  const found = executablePath ? { executablePath, env: process.env } : bundledBrowser();
  if (!found) throw new Error("no Chromium found: install it, or name it in the variable CHROMIUM");
  return found;
}

export async function launch() {
  return puppeteer.launch({
    ...findBrowser(),
    headless: "shell",
    // Containers run as root and have little shared memory.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--force-color-profile=srgb",
    ],
  });
}

/**
 * Opens a file from disk; `complaints` fills with console errors, exceptions and requests. `before` runs in the page before
 * its own script.
 */
export async function open(
  browser,
  path,
  { width = 1280, height = 900, dark = false, hash = "", before = null } = {},
) {
  const page = await browser.newPage();
  // Pages behind others are not drawn, and wait for ever to be.
  await page.bringToFront();
  if (before) await page.evaluateOnNewDocument(before);
  const complaints = [];
  const own = pathToFileURL(path).href;
  page.on(
    "console",
    (message) =>
      ["error", "warn"].includes(message.type()) && complaints.push(`console: ${message.text()}`),
  );
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== own && !url.startsWith("data:") && !url.startsWith("blob:"))
      complaints.push(`request: ${url}`);
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: dark ? "dark" : "light" },
    // Clicks would miss what is still scrolling.
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.goto(`${own}${hash}`);
  await page.waitForSelector("#download-csv", { timeout: 30_000 });
  return { page, complaints };
}
