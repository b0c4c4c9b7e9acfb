// Opens the report in the page: unpacks it and puts its views together.

import "./style.css";
import { type Report, VERSION } from "./contract";
import { Data } from "./data/data";
import { choice, h, labelled, name, setChoice } from "./page/dom";
import { keepFocus } from "./page/focus";
import { shortened } from "./page/format";
import { followAddress } from "./page/fragment";
import { type Choice, Selection } from "./page/selection";
import { whatWasExplained } from "./views/about";
import { decisions } from "./views/decisions";
import { download } from "./views/download";
import { oneFeature } from "./views/feature";
import { groups } from "./views/groups";
import { map } from "./views/map";
import { methods } from "./views/methods";
import { models } from "./views/models";
import { overall } from "./views/overall";
import { oneRow } from "./views/row/sheet";
import { inShort } from "./views/short";
import { stability } from "./views/stability";
import { trust } from "./views/trust";
import * as words from "./words";

async function open(page: HTMLElement): Promise<void> {
  const report = JSON.parse(document.getElementById("report")!.textContent!) as Report;
  if (report.format !== "lmdi-report" || report.version !== VERSION)
    throw new Error(words.page.otherVersion);
  const data = await Data.open(report);
  const first: Choice = {
    row: 0,
    feature: data.order[0],
    output: data.k > 1 ? data.classOf(0, report.threshold) : 0,
    threshold: report.threshold ?? report.middle,
    marked: null,
  };
  const selection = new Selection(first);
  const { about } = report;
  document.title = words.page.title(about.target, about.table);
  const views = [
    inShort(data, selection),
    overall(data, selection),
    decisions(data, selection),
    oneRow(data, selection),
    oneFeature(data, selection),
    groups(data, selection),
    map(data, selection),
    trust(data, selection),
    stability(data),
    methods(data),
    models(data, selection),
    whatWasExplained(data),
    download(data),
  ].filter((view): view is HTMLElement => view !== null);
  const contents = h(
    "nav",
    { "aria-label": words.page.contents },
    data.k > 1 && classPicker(data, selection),
    h(
      "ul",
      {},
      ...views.map((view) =>
        h("li", {}, h("a", { href: `#${view.id}` }, view.querySelector("h2")!.textContent)),
      ),
    ),
  );
  const note = h("p", { id: "link-note", class: "warning", role: "alert" });
  page.replaceChildren(
    h("a", { class: "skip", href: "#short" }, words.page.skip),
    h(
      "header",
      {},
      h("h1", {}, ...words.page.heading(name(about.target))),
      h(
        "p",
        {},
        ...words.page.subject(
          about.method,
          about.rows_explained,
          about.row_kind,
          name(about.table),
          data.p,
        ),
      ),
    ),
    note,
    markedBar(selection),
    h("div", { class: "columns" }, contents, h("main", {}, ...views)),
    h("footer", { class: "quiet" }, words.page.footer),
  );
  keepFocus(page);
  follow(contents, views);
  followAddress(data, selection, first, (text) => note.replaceChildren(text));
}

/** What is marked, and a way to take the marks away. */
function markedBar(selection: Selection): HTMLElement {
  const bar = h("div", { id: "marked", role: "status" });
  selection.watch(["marked"], ({ marked }) =>
    bar.replaceChildren(
      ...(marked
        ? [
            ...words.page.marked(marked.rows.size, name(marked.name, "fact")),
            h(
              "button",
              { class: "link", onclick: () => selection.set({ marked: null }) },
              words.page.unmark,
            ),
          ]
        : []),
    ),
  );
  return bar;
}

/** One class for the whole page. */
function classPicker(data: Data, selection: Selection): HTMLElement {
  const picker = choice(
    data.report.outputs.map((text, at) => ({ value: String(at), text: shortened(text, 50) })),
    String(selection.now.output),
    (value) => selection.set({ output: Number(value) }),
  );
  picker.id = "page-class";
  selection.watch(["output"], ({ output }) => {
    setChoice(picker, String(output));
  });
  return h("div", { class: "picker" }, labelled(words.page.classPicker, picker));
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
      words.page.opening(error instanceof Error ? error.message : String(error)),
    ),
  );
});
