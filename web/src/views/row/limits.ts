// Limits of what may differ in similar rows: a list that a person adds to, each with its controls. A feature may have
// several, such as "may only rise" and "must lie within a range"; a limit that nothing can fit is told.

import { extent } from "d3-array";
import type { Limit } from "../../analysis/counterfactual";
import { frequentLevels } from "../../charts/dots";
import type { Data } from "../../data/data";
import { choice, h, labelled, name } from "../../page/dom";
import { shortened } from "../../page/format";
import { page, limits as words } from "../../words";

/** Levels with a box of their own; all others share one. */
const BOXES = 30;

type Kind = Limit["kind"];

/** The limits that a feature can have. */
function kindsOf(data: Data, feature: number): Kind[] {
  const { cells, levels } = data.columns[feature];
  if (!cells) return ["fixed"];
  return levels ? ["fixed", "levels"] : ["fixed", "up", "down", "range"];
}

/** What is wrong with a limit; null where nothing is. */
export function problemOf(limit: Limit): string | null {
  if (limit.kind === "levels") return limit.allowed.size === 0 ? words.noLevel : null;
  if (limit.kind !== "range" || limit.from === null || limit.to === null) return null;
  return limit.from > limit.to ? words.reversed : null;
}

/** A limit at first: it allows all that the column holds. */
function newLimit(data: Data, feature: number, kind: Kind): Limit {
  const { cells, levels } = data.columns[feature];
  if (kind === "range") {
    const [from, to] = extent(cells ?? []);
    return { feature, kind, from: from ?? null, to: to ?? null };
  }
  if (kind === "levels") {
    const isMissing = cells?.includes(0);
    const codes = (levels ?? []).map((_, at) => at + 1);
    return { feature, kind, allowed: new Set(isMissing ? [0, ...codes] : codes) };
  }
  return { feature, kind };
}

export interface Limits {
  /** The controls that add a limit. */
  controls: HTMLElement[];
  list: HTMLElement;
  now: () => readonly Limit[];
}

export function limitsOf(data: Data, changed: () => void): Limits {
  let limits: Limit[] = [];
  const list = h("ul", { class: "chips", "aria-label": words.list });
  const titleOf = (feature: number) => shortened(data.report.features[feature].name, 60);

  const set = (limit: Limit, wanted: Limit | null) => {
    limits = limits.flatMap((one) => (one !== limit ? [one] : wanted ? [wanted] : []));
    changed();
  };
  /** A chip, which stays while its limit changes. */
  const chip = (first: Limit): HTMLElement => {
    let limit = first;
    const told = h("span", { class: "problem", role: "status" });
    const element = h("li", { "data-kind": limit.kind });
    const update = (wanted: Limit) => {
      set(limit, wanted);
      limit = wanted;
      const problem = problemOf(limit);
      told.replaceChildren(problem ?? "");
      for (const input of element.querySelectorAll("input"))
        input.setAttribute("aria-invalid", String(problem !== null));
    };
    const remove = h(
      "button",
      {
        class: "link",
        "aria-label": words.removeOf(titleOf(limit.feature)),
        onclick: () => {
          element.remove();
          set(limit, null);
        },
      },
      words.remove,
    );
    element.append(name(data.report.features[limit.feature].name), ` ${words.kinds[limit.kind]} `);
    if (limit.kind === "range") element.append(rangeInputs(data, limit, update));
    if (limit.kind === "levels") element.append(levelBoxes(data, limit, update));
    element.append(remove, told);
    return element;
  };
  const add = (feature: number, kind: Kind) => {
    // A second limit of the same kind says nothing new.
    if (limits.some((limit) => limit.feature === feature && limit.kind === kind)) return;
    const limit = newLimit(data, feature, kind);
    limits = [...limits, limit];
    list.append(chip(limit));
    changed();
  };

  let feature = data.order[0];
  const kinds = h("div", { class: "control" });
  const offer = () => {
    const kind = choice(
      kindsOf(data, feature).map((kind) => ({ value: kind, text: words.kinds[kind] })),
      kindsOf(data, feature)[0],
      () => {},
    );
    kind.id = "limit-kind";
    kinds.replaceChildren(...labelled(words.kind, kind).childNodes);
  };
  // Arrow keys pass over options, so that nothing is added before it is asked for.
  const adding = h(
    "button",
    {
      id: "limit-add",
      onclick: () => add(feature, kinds.querySelector("select")!.value as Kind),
    },
    words.add,
  );
  const pick = choice(
    data.order.map((at) => ({ value: String(at), text: titleOf(at) })),
    String(feature),
    (value) => {
      feature = Number(value);
      offer();
    },
  );
  pick.id = "limit-feature";
  offer();
  return { controls: [labelled(words.feature, pick), kinds, adding], list, now: () => limits };
}

/** Both ends of a range; an empty one is no bound. */
function rangeInputs(
  data: Data,
  first: Limit & { kind: "range" },
  update: (limit: Limit) => void,
): HTMLElement {
  const { feature } = first;
  const title = shortened(data.report.features[feature].name, 60);
  const { time } = data.report.features[feature];
  // Controls of dates count milliseconds.
  const unit = time ? { days: 86_400_000, seconds: 1000 }[time] : 1;
  const limit = { ...first };
  const input = (end: "from" | "to") => {
    const bound = limit[end];
    const control = h("input", {
      type: time ? { days: "date", seconds: "datetime-local" }[time] : "number",
      step: time === "days" ? "1" : "any",
      value:
        bound === null
          ? ""
          : time
            ? data.cellText(feature, bound).replace(" ", "T")
            : String(bound),
      placeholder: words.noBound,
      "aria-label": `${title} ${words[end]}`,
    });
    control.addEventListener("change", () => {
      // Text that is no number reads as empty, but is no open end.
      if (control.validity.badInput) return;
      limit[end] = control.value === "" ? null : control.valueAsNumber / unit;
      update({ ...limit });
    });
    return control;
  };
  return h(
    "span",
    { class: "range" },
    `${words.from} `,
    input("from"),
    ` ${words.to} `,
    input("to"),
    " ",
  );
}

/** A box per level, the most frequent first. */
function levelBoxes(
  data: Data,
  first: Limit & { kind: "levels" },
  update: (limit: Limit) => void,
): HTMLElement {
  const { levels, rest } = data.columns[first.feature];
  const order = frequentLevels(data, first.feature, levels!.length) ?? [];
  const allowed = new Set(first.allowed);
  const box = (text: Node | string, codes: number[]) => {
    const control = h("input", { type: "checkbox", checked: true });
    control.addEventListener("change", () => {
      for (const code of codes) {
        if (control.checked) allowed.add(code);
        else allowed.delete(code);
      }
      update({ ...first, allowed: new Set(allowed) });
    });
    return h("label", {}, control, " ", text);
  };
  const others = [...order.slice(BOXES), ...(rest > 0 ? [levels!.length] : [])];
  return h(
    "span",
    { class: "boxes" },
    ...order
      .slice(0, BOXES)
      .map((code) => box(name(shortened(data.levelText(first.feature, code), 40), "cell"), [code])),
    others.length > 0 && box(words.others(others.length + Math.max(0, rest - 1)), others),
    first.allowed.has(0) && box(page.missing, [0]),
  );
}
