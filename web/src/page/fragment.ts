// What is chosen, in the address: a link opens the same view.
//
// `#view=row&row=17&class=third&feature=age&threshold=0.3`: a part of the page, the row by its number in the table, the class
// and the feature by name. What is as at first is left out. What a link names and the page does not hold is told, not guessed.

import type { Data } from "../data/data";
import { fragment as words } from "../words";
import type { Choice, Selection } from "./selection";

interface Opened {
  choice: Partial<Choice>;
  view: string | null;
  /** What the page does not hold. */
  unknown: string[];
}

/** What an address asks for. */
export function parseFragment(data: Data, hash: string): Opened {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const choice: Partial<Choice> = {};
  const unknown: string[] = [];
  const take = (name: string, found: (text: string) => Partial<Choice> | null) => {
    const text = parameters.get(name);
    if (text === null) return;
    const part = found(text);
    if (part) Object.assign(choice, part);
    else unknown.push(`${name} ${text}`);
  };
  const place = (of: number) => (of >= 0 ? of : null);
  take("row", (text) => {
    const row = data.rowOfNumber(Number(text));
    return row === undefined ? null : { row };
  });
  take("class", (text) => {
    const output = place(data.k > 1 ? data.report.outputs.indexOf(text) : -1);
    return output === null ? null : { output };
  });
  take("feature", (text) => {
    const feature = place(data.report.features.findIndex(({ name }) => name === text));
    return feature === null ? null : { feature };
  });
  take("threshold", (text) => {
    const threshold = text.trim() === "" ? NaN : Number(text);
    const isKnown =
      data.width === 1
        ? Number.isFinite(threshold)
        : data.width === 2 && threshold >= 0 && threshold <= 1;
    return isKnown ? { threshold } : null;
  });
  // A link of the contents is the part's name alone.
  const plain = hash.replace(/^#/, "");
  const named = parameters.get("view") ?? (plain !== "" && !plain.includes("=") ? plain : null);
  if (named !== null && !document.getElementById(named)) unknown.push(words.view(named));
  // A link to a row is a link to its sheet.
  const view = named ?? (choice.row === undefined ? null : "row");
  return { choice, view, unknown };
}

/** The address of what is chosen. */
export function fragmentOf(data: Data, first: Choice, now: Choice, view: string | null): string {
  const parts = new URLSearchParams();
  if (view !== null) parts.set("view", view);
  if (now.row !== first.row) parts.set("row", String(data.number[now.row]));
  if (now.output !== first.output) parts.set("class", data.report.outputs[now.output]);
  if (now.feature !== first.feature) parts.set("feature", data.report.features[now.feature].name);
  if (now.threshold !== first.threshold) parts.set("threshold", String(now.threshold ?? 0.5));
  const text = parts.toString();
  return text === "" ? "" : `#${text}`;
}

/** Keeps the address and the choice in step, and shows a part when the address names one. */
export function followAddress(
  data: Data,
  selection: Selection,
  first: Choice,
  tell: (text: string) => void,
): void {
  let view: string | null = null;
  const show = (id: string) => {
    const title = document.getElementById(`${id}-title`);
    document.getElementById(id)?.scrollIntoView();
    title?.focus({ preventScroll: true });
  };
  const write = () => {
    const hash = fragmentOf(data, first, selection.now, view);
    if (hash !== location.hash)
      history.replaceState(null, "", hash === "" ? location.pathname : hash);
  };
  const open = () => {
    const opened = parseFragment(data, location.hash);
    view = opened.view;
    selection.set({ ...first, marked: selection.now.marked, ...opened.choice });
    tell(opened.unknown.length > 0 ? words.unknown(opened.unknown) : "");
    if (view !== null) show(view);
  };
  if (location.hash !== "") open();
  selection.watch(["row", "output", "feature", "threshold"], (now, changed) => {
    if (changed.has("row") && now.row !== first.row) view = "row";
    write();
  });
  addEventListener("hashchange", () => {
    // A link of the contents changes where the reader is, not what is chosen.
    const plain = location.hash.replace(/^#/, "");
    if (plain !== "" && !plain.includes("=")) {
      view = plain;
      show(view);
      write();
    } else open();
  });
}
