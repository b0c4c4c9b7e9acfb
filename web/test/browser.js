// A page in headless Chromium, with everything that it must not do written down.

import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launch() {
  const executablePath = PLACES.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium found: install it, or name it in the variable CHROMIUM");
  // Containers run as root and have little shared memory.
  return puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb"] });
}

/** Opens a file from disk; `complaints` fills with console errors, exceptions and requests. */
export async function open(browser, path, { width = 1280, height = 900, dark = false } = {}) {
  const page = await browser.newPage();
  const complaints = [];
  const own = pathToFileURL(path).href;
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== own && !url.startsWith("data:") && !url.startsWith("blob:")) complaints.push(`request: ${url}`);
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.goto(own);
  await page.waitForSelector("#download-csv", { timeout: 30_000 });
  return { page, complaints };
}
