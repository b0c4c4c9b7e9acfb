// Elements from code. Text is only ever added as text nodes and attributes, so nothing in the data is read as markup.

import { page } from "../words";
import type { Part } from "./says";

type Child = Part | null | false | undefined;
type Handler = (event: Event) => void;
type Properties = Record<string, string | number | boolean | Handler | null | undefined>;

function fill(element: Element, properties: Properties, children: Child[]): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children)
    if (child !== null && child !== false && child !== undefined) element.append(child);
}

/** An HTML element; properties that start with `on` are event handlers. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}

/** An SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, properties, children);
  return element;
}

/** A name or cell of the data: kept apart from the text around it, whatever its direction. */
export function name(text: string, kind = "name"): HTMLElement {
  const shown = text === "" ? page.noName : text;
  // A long name breaks after its underscores rather than within a word.
  const parts = shown.split(/(?<=_)/).flatMap((part, at) => (at === 0 ? [part] : [h("wbr"), part]));
  return h("bdi", { class: kind, title: text }, ...parts);
}

/** A number with its exact value behind the rounded text. */
export function exact(value: number, text: string): HTMLElement {
  return h("data", { value: String(value), class: "number" }, text);
}

let lastId = 0;

/** A control with its label. */
export function labelled(text: string, control: HTMLElement): HTMLElement {
  control.id ||= `control-${++lastId}`;
  return h("div", { class: "control" }, h("label", { for: control.id }, text), control);
}

/** More options than these wait until the control is used, or the page has nothing else to do. */
const AT_ONCE = 60;
/** What fills the controls whose options still wait. */
const waiting = new WeakMap<HTMLSelectElement, () => void>();

/** A choice between texts. */
export function choice(
  options: { value: string; text: string }[],
  chosen: string,
  change: (value: string) => void,
): HTMLSelectElement {
  const option = ({ value, text }: { value: string; text: string }) =>
    h("option", { value, selected: value === chosen, title: text }, text);
  const isLong = options.length > AT_ONCE;
  const first = isLong ? options.filter(({ value }) => value === chosen) : options;
  const select = h("select", {}, ...first.map(option));
  select.addEventListener("change", () => change(select.value));
  if (isLong) {
    const fill = () => {
      const { value } = select;
      select.replaceChildren(...options.map(option));
      select.value = value;
    };
    waiting.set(select, fill);
    for (const use of ["pointerdown", "focus", "keydown"])
      select.addEventListener(use, () => fillNow(select));
    // Not all browsers know when they are idle.
    (window.requestIdleCallback ?? ((later) => setTimeout(later, 500)))(() => fillNow(select));
  }
  return select;
}

function fillNow(select: HTMLSelectElement): void {
  waiting.get(select)?.();
  waiting.delete(select);
}

/** Sets what is chosen, as if it had been chosen by hand before. */
export function setChoice(select: HTMLSelectElement, value: string): void {
  fillNow(select);
  select.value = value;
}

/** A part of the page that the contents list leads to. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title`, tabindex: -1 }, title),
    ...children,
  );
}

/** Columns of a drawn table, by what they hold. */
export function columns(
  ...kinds: ("names" | "bars" | "numbers" | "ranges" | "rest")[]
): HTMLElement {
  return h("colgroup", {}, ...kinds.map((kind) => h("col", { class: kind })));
}

/** Whether a cell of a table is a number, or empty. */
function isNumber(cell: Child): boolean {
  if (cell instanceof Element) return cell.matches("data.number, button.number, .no-number");
  return !cell || (typeof cell === "string" && /^[+−]?[\d,]+(\.\d+)?(\s?%)?$/.test(cell));
}

/** A table, with a caption that says what it holds. */
export function table(
  caption: string,
  heads: Child[],
  rows: Child[][],
  kind = "plain",
): HTMLElement {
  // Numbers of a column stand under each other at their last digit.
  const isNumbers = heads.map(
    (_, at) =>
      at > 0 && rows.some((cells) => cells[at]) && rows.every((cells) => isNumber(cells[at])),
  );
  const side = (at: number) => (isNumbers[at] ? "right" : null);
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: kind },
      h("caption", { class: "quiet" }, caption),
      h(
        "thead",
        {},
        h("tr", {}, ...heads.map((head, at) => h("th", { scope: "col", class: side(at) }, head))),
      ),
      h(
        "tbody",
        {},
        ...rows.map((cells) =>
          h(
            "tr",
            {},
            ...cells.map((cell, at) =>
              at === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: side(at) }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Numbers behind a drawing, for those who cannot or do not want to look at it; filled when opened. */
export function behind(title: string, content: () => Node): HTMLElement {
  const details = h("details", { class: "behind" }, h("summary", {}, title));
  details.addEventListener("toggle", () => {
    details.querySelector(":scope > div")?.remove();
    if (details.open) details.append(h("div", {}, content()));
  });
  return details;
}
