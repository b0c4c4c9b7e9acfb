// How long a page takes, as a reader sees it.

import { pathToFileURL } from "node:url";

/** Milliseconds from opening the file until the first picture is on the screen. */
export async function firstPicture(page, path) {
  await page.setViewport({ width: 1280, height: 900 });
  await page.evaluateOnNewDocument(() => {
    const watch = () => {
      if (document.querySelector("#short svg .dots, #short svg path"))
        requestAnimationFrame(() =>
          setTimeout(() => {
            window.firstPicture = performance.now();
          }),
        );
      else requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
  });
  await page.goto(pathToFileURL(path).href);
  const handle = await page.waitForFunction(() => window.firstPicture, { timeout: 60_000 });
  return handle.jsonValue();
}

/** Milliseconds of so many row changes, each until the frame that shows it. */
export async function rowChanges(page, n) {
  await page.waitForSelector("#row-next");
  const times = [];
  for (let change = 0; change < n; change++) {
    times.push(
      await page.evaluate(async () => {
        const from = performance.now();
        document.querySelector("#row-next").click();
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - from;
      }),
    );
  }
  return times;
}
