// Opens the report in the page: unpacks it and puts its views together.

import "./style.css";
import { type Report, VERSION } from "./contract";
import { Data } from "./data";
import { h, name } from "./dom";
import { count } from "./format";
import { Selection } from "./selection";
import { inShort, whatWasExplained } from "./views/about";
import { download } from "./views/download";
import { oneFeature } from "./views/feature";
import { groups } from "./views/groups";
import { map } from "./views/map";
import { methods } from "./views/methods";
import { overall } from "./views/overall";
import { oneRow } from "./views/row";
import { stability } from "./views/stability";

async function open(page: HTMLElement): Promise<void> {
  const report = JSON.parse(document.getElementById("report")!.textContent!) as Report;
  if (report.format !== "lmdi-report" || report.version !== VERSION)
    throw new Error("the data in it is of another version");
  const data = await Data.open(report);
  const selection = new Selection({
    row: 0,
    feature: data.order[0],
    output: data.k > 1 ? data.classOf(0) : 0,
  });
  const { about } = report;
  document.title = `What drives ${about.target} · ${about.table}`;
  const views = [
    inShort(data),
    overall(data, selection),
    oneRow(data, selection),
    oneFeature(data, selection),
    groups(data),
    map(data, selection),
    stability(data),
    methods(data),
    whatWasExplained(data),
    download(data),
  ].filter((view): view is HTMLElement => view !== null);
  const contents = h(
    "nav",
    { "aria-label": "Contents" },
    h(
      "ul",
      {},
      ...views.map((view) =>
        h("li", {}, h("a", { href: `#${view.id}` }, view.querySelector("h2")!.textContent)),
      ),
    ),
  );
  page.replaceChildren(
    h("a", { class: "skip", href: "#short" }, "Skip to the report"),
    h(
      "header",
      {},
      h("h1", {}, "What drives ", name(about.target)),
      h(
        "p",
        {},
        `${about.method} explanations of ${count(about.rows_explained)} ${about.row_kind} of `,
        name(about.table),
        ` with ${count(data.p)} features.`,
      ),
    ),
    h("div", { class: "columns" }, contents, h("main", {}, ...views)),
    h(
      "footer",
      { class: "quiet" },
      "Made by lmdi. This file is complete in itself: it loads nothing and sends nothing.",
    ),
  );
  follow(contents, views);
}

/** Shows in the contents which part is being read. */
function follow(contents: HTMLElement, views: HTMLElement[]): void {
  const links = new Map(views.map((view, at) => [view, contents.querySelectorAll("a")[at]]));
  const seen = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const first = views.find((view) => seen.has(view));
      for (const [view, link] of links) {
        if (view === first) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-15% 0px -70% 0px" },
  );
  for (const view of views) observer.observe(view);
}

const page = document.getElementById("page")!;
open(page).catch((error: unknown) => {
  page.replaceChildren(
    h(
      "p",
      { class: "loading", role: "alert" },
      `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}. A current browser and an undamaged file are needed.`,
    ),
  );
});
